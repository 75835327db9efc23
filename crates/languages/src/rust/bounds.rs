//! Which type stands for a parameter: by the traits that it has to have.

use syn::{GenericArgument, PathArguments, TypeParamBound};

use super::items::Named;
use super::names::Found;
use super::types::{Closure, Scope, Ty, Types, names};

/// What a parameter without a better idea is.
const USUAL: Ty = Ty::Number("u32");

impl Types<'_> {
    /// The type that stands for a parameter with these bounds, for `impl Trait` or for `dyn Trait`.
    pub fn choose<'b>(
        &self,
        bounds: impl Iterator<Item = &'b TypeParamBound>,
        scope: &mut Scope,
    ) -> Result<Ty, String> {
        let mut best: Option<(u32, Ty)> = None;
        let mut from = Vec::new();
        for bound in bounds {
            let TypeParamBound::Trait(bound) = bound else { continue };
            let Some(last) = bound.path.segments.last() else { continue };
            if bound.maybe.is_some() {
                continue;
            }
            let path = names(&bound.path);
            let found = self.source.find(scope.module, &path);
            if let Some(Found::Here(Named::Trait(number))) = found {
                return self.implementor(number);
            }
            let name = match &found {
                Some(Found::Outside(path)) => path.last().cloned().unwrap_or_default(),
                _ => last.ident.to_string(),
            };
            if let PathArguments::Parenthesized(arguments) = &last.arguments {
                let inputs = arguments.inputs.iter().map(|input| self.resolve(&input.ty, scope));
                let inputs = inputs.collect::<Result<_, _>>()?;
                let output = self.output(&arguments.output, scope)?;
                return Ok(Ty::Closure(Box::new(Closure { inputs, output, pointer: false })));
            }
            let (mut argument, mut item) = (None, None);
            if let PathArguments::AngleBracketed(arguments) = &last.arguments {
                for given in &arguments.args {
                    match given {
                        GenericArgument::Type(ty) => argument = argument.or(Some(self.resolve(ty, scope)?)),
                        GenericArgument::AssocType(given) if given.ident == "Item" || given.ident == "Target" => {
                            item = Some(self.resolve(&given.ty, scope)?);
                        }
                        _ => {}
                    }
                }
            }
            // A higher number is a stronger wish.
            let wish = match (name.as_str(), argument, item) {
                ("Iterator" | "DoubleEndedIterator" | "ExactSizeIterator" | "FusedIterator", _, item) => {
                    (9, Ty::Std("IntoIter", vec![item.unwrap_or(USUAL)]))
                }
                ("IntoIterator", _, item) => (8, Ty::Std("Vec", vec![item.unwrap_or(USUAL)])),
                ("Read" | "BufRead" | "Seek", ..) => {
                    (9, Ty::Std("Cursor", vec![Ty::Std("Vec", vec![Ty::Number("u8")])]))
                }
                ("Write", ..) if is_in(&found, "fmt") => (9, Ty::Empty(Box::new(Ty::Std("String", Vec::new())))),
                ("Write", ..) => (9, Ty::Empty(Box::new(Ty::Std("Vec", vec![Ty::Number("u8")])))),
                ("AsRef" | "AsMut" | "Borrow" | "BorrowMut" | "Deref", Some(target), _)
                | ("Deref" | "DerefMut", None, Some(target)) => (7, owned(target)),
                ("Into", Some(Ty::Std("Cow", inner)), _) => (6, inner.into_iter().next().map_or(USUAL, owned)),
                ("Into" | "TryInto", Some(target), _) => (6, target),
                ("From", Some(source), _) => {
                    from.push(source);
                    continue;
                }
                ("RangeBounds", Some(of), _) => (6, Ty::Std("Range", vec![of])),
                ("Pattern", ..) => (6, Ty::Char),
                ("BuildHasher", ..) => (6, Ty::Std("RandomState", Vec::new())),
                ("Hasher", ..) => (6, Ty::Std("DefaultHasher", Vec::new())),
                ("Float" | "Real" | "FloatCore" | "FloatConst", ..) => (6, Ty::Number("f64")),
                ("Neg" | "Signed", ..) => (5, Ty::Number("i32")),
                ("ToString" | "ToOwned", ..) => (1, Ty::Std("String", Vec::new())),
                ("Future", ..) => return Err("nothing waits for what is `async`".to_string()),
                ("Copy" | "Ord" | "Hash" | "Add" | "Sub" | "Mul" | "Sum", ..) => (2, USUAL),
                _ => (0, USUAL),
            };
            if best.as_ref().is_none_or(|(known, _)| *known < wish.0) {
                best = Some(wish);
            }
        }
        // `T: From<u8>` is the number itself; of several, the widest fits.
        let widest = match &from[..] {
            [] => None,
            [only] => Some(only.clone()),
            several if several.iter().any(|ty| matches!(ty, Ty::Number(name) if name.starts_with('f'))) => {
                Some(Ty::Number("f64"))
            }
            several if several.iter().any(|ty| matches!(ty, Ty::Number(name) if name.starts_with('i'))) => {
                Some(Ty::Number("i64"))
            }
            _ => Some(Ty::Number("u64")),
        };
        match (best, widest) {
            (Some((strength, ty)), Some(_)) if strength > 3 => Ok(ty),
            (_, Some(ty)) => Ok(ty),
            (Some((_, ty)), None) => Ok(ty),
            (None, None) => Ok(USUAL),
        }
    }

    /// A type that implements a trait of the crate: the first that values can be made of.
    fn implementor(&self, number: usize) -> Result<Ty, String> {
        let name = &self.source.traits[number].name;
        let nothing = format!("no type of the crate that implements `{name}` can be made");
        if self.wanted.borrow().contains(&number) {
            return Err(nothing);
        }
        self.wanted.borrow_mut().push(number);
        let found = (0..self.source.impls.len()).find_map(|block| {
            let path = self.source.impls[block].trait_path.as_ref()?;
            let found = self.source.find(self.source.impls[block].module, &names(path));
            if found != Some(Found::Here(Named::Trait(number))) {
                return None;
            }
            let own = self.enter_impl(block).ok()?.own?;
            // What has no size of its own is borrowed.
            let unsized_type = matches!(own, Ty::Str | Ty::Slice(_));
            (unsized_type || self.can_make(&own)).then_some(own)
        });
        self.wanted.borrow_mut().pop();
        found.ok_or(nothing)
    }
}

/// What can be lent as this.
fn owned(target: Ty) -> Ty {
    match target {
        Ty::Str => Ty::Std("String", Vec::new()),
        Ty::Slice(element) => Ty::Std("Vec", vec![*element]),
        Ty::Std("Path", _) => Ty::Std("PathBuf", Vec::new()),
        Ty::Std("OsStr", _) => Ty::Std("OsString", Vec::new()),
        other => Ty::Std("Box", vec![other]),
    }
}

fn is_in(found: &Option<Found>, module: &str) -> bool {
    matches!(found, Some(Found::Outside(path)) if path.iter().any(|name| name == module))
}
