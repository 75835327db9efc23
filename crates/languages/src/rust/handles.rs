//! The types of a crate whose values stay what they are between two calls.

use syn::{FnArg, ReturnType, Type};

use super::items::{Crate, Function, Shape, is_public};
use super::names::Found;
use super::shim::access;
use super::types::{Scope, Ty, Types, names, types as written_types};
use crate::calling::{Access, Wrapped};

/// The types of a crate whose values stay between calls.
#[derive(Default)]
pub struct Handles {
    /// Each with its name in declarations.
    pub types: Vec<(Ty, String)>,
}

impl Handles {
    /// Finds them. Types with a lifetime borrow from something: they are handles if what they borrow from is data, which is
    /// never given back.
    pub fn of(types: &Types<'_>) -> Handles {
        let mut handles = Handles::default();
        for borrows in [false, true] {
            for function in &types.source.functions {
                let Some((found, _)) = handles.returned(function, types, borrows) else { continue };
                let Ty::Own(number, _) = found else { continue };
                if types.source.types[number].generics.lifetimes().next().is_none() != borrows {
                    handles.add(found, types.source);
                }
            }
        }
        for (number, item) in types.source.types.iter().enumerate() {
            let own = instance(number, types);
            if let Some(own) =
                own.filter(|own| item.derives.iter().any(|name| name == "Default") && is_kept(own, types))
            {
                handles.add(own, types.source);
            }
        }
        handles
    }

    fn add(&mut self, ty: Ty, source: &Crate) {
        let Ty::Own(number, _) = &ty else { return };
        if self.types.iter().any(|(known, _)| *known == ty) {
            return;
        }
        let item = &source.types[*number];
        let capital = |name: &str| {
            let mut letters = name.trim_start_matches("r#").trim_start_matches('_').chars();
            let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
            first + letters.as_str()
        };
        let plain = capital(&item.name);
        let module = source.modules[item.module].path.last().map(|module| capital(module)).unwrap_or_default();
        let numbered = (2..).map(|number| format!("{plain}{number}"));
        let mut candidates = [plain.clone(), format!("{module}{plain}")].into_iter().chain(numbered);
        let free = candidates.find(|name| self.types.iter().all(|(_, known)| known != name));
        self.types.push((ty, free.unwrap_or(plain)));
    }

    /// The type of handles that a function returns, and what it is wrapped in. `borrows` allows what borrows from data.
    pub fn returned(&self, function: &Function, types: &Types<'_>, borrows: bool) -> Option<(Ty, Option<Wrapped>)> {
        access(function, types.source).ok()?;
        let mut scope = scope(function, types).ok()?;
        types.enter(&mut scope, &function.signature.generics).ok()?;
        let ReturnType::Type(_, output) = &function.signature.output else { return None };
        let (ty, wrapped) = unwrapped(output, &mut scope, types)?;
        let Ty::Own(number, _) = &ty else { return None };
        if types.source.types[*number].generics.lifetimes().next().is_some() {
            let takes_handle = |input: &FnArg| match input {
                FnArg::Receiver(_) => true,
                FnArg::Typed(input) => {
                    types.resolve(&input.ty, &mut scope.clone()).is_ok_and(|ty| self.access(&ty).is_some())
                }
            };
            if !borrows || function.signature.inputs.iter().any(takes_handle) {
                return None;
            }
        }
        is_kept(&ty, types).then_some((ty, wrapped))
    }

    /// How a parameter of this type has a handle, and which one; `None` for data.
    pub fn access(&self, ty: &Ty) -> Option<(Access, usize)> {
        let (access, inner) = match ty {
            Ty::Reference(false, inner) => (Access::Shared, &**inner),
            Ty::Reference(true, inner) => (Access::Mutable, &**inner),
            other => (Access::Taken, other),
        };
        Some((access, self.types.iter().position(|(known, _)| known == inner)?))
    }
}

/// Whether values of this type borrow from others.
pub fn has_lifetime(ty: &Ty, source: &Crate) -> bool {
    matches!(ty, Ty::Own(number, _) if source.types[*number].generics.lifetimes().next().is_some())
}

/// Whether values of this type can be written down, field by field. One that contains itself can.
fn is_written(ty: &Ty, types: &Types<'_>, around: &mut Vec<usize>) -> bool {
    match ty {
        Ty::Slice(inner) | Ty::Array(inner, _) | Ty::Reference(_, inner) => is_written(inner, types, around),
        Ty::Tuple(parts) | Ty::Std(_, parts) => parts.iter().all(|part| is_written(part, types, around)),
        Ty::Own(number, _) if around.contains(number) => true,
        Ty::Own(number, arguments) => {
            let item = &types.source.types[*number];
            let mut scope = types.enter_type(*number, arguments);
            around.push(*number);
            let mut all = |fields: &syn::Fields| {
                let resolved = fields.iter().map(|field| types.resolve(&field.ty, &mut scope)).collect::<Vec<_>>();
                resolved.into_iter().all(|ty| ty.is_ok_and(|ty| is_written(&ty, types, around)))
            };
            let found = match &item.shape {
                Shape::Struct(fields) => {
                    !item.non_exhaustive && fields.iter().all(|field| is_public(&field.vis)) && all(fields)
                }
                Shape::Enum(variants) => variants.iter().all(|variant| all(&variant.fields)),
                Shape::Alias(_) | Shape::Union => false,
            };
            around.pop();
            found
        }
        _ => true,
    }
}

/// Whether values of this type stay between calls: they cannot be written down, or are changed by their methods.
fn is_kept(ty: &Ty, types: &Types<'_>) -> bool {
    let Ty::Own(number, _) = ty else { return false };
    let item = &types.source.types[*number];
    let changes = |function: &Function| {
        let receiver = function.signature.receiver();
        function.visible
            && matches!(receiver.map(|receiver| &receiver.kind), Some(syn::ReceiverKind::Reference(_, _, Some(_))))
            && function.owner.is_some_and(|block| number_of(block, types.source) == Some(*number))
    };
    item.public.is_some() && (!is_written(ty, types, &mut Vec::new()) || types.source.functions.iter().any(changes))
}

/// The type of the crate that a block is written for.
pub fn number_of(block: usize, source: &Crate) -> Option<usize> {
    let block = &source.impls[block];
    let Type::Path(path) = &block.self_type else { return None };
    match source.find(block.module, &names(&path.path)) {
        Some(Found::Here(super::items::Named::Type(number))) => Some(number),
        _ => None,
    }
}

/// A type of the crate with its parameters chosen: as the block that has the most particular wish for them would have it, so
/// that as many methods as possible are those of one type.
fn instance(number: usize, types: &Types<'_>) -> Option<Ty> {
    let usual = |ty: &Ty| matches!(ty, Ty::Own(_, arguments) if arguments.iter().all(|ty| *ty == Ty::Number("u32")));
    let blocks = (0..types.source.impls.len()).filter(|block| number_of(*block, types.source) == Some(number));
    let all: Vec<Ty> = blocks.filter_map(|block| types.enter_impl(block).ok()?.own).collect();
    let found = all.iter().find(|ty| !usual(ty)).or(all.first()).cloned();
    // Without any block, nothing can depend on its parameters.
    found.or_else(|| types.source.types[number].generics.params.is_empty().then(|| Ty::Own(number, Vec::new())))
}

/// The scope around a function.
pub fn scope(function: &Function, types: &Types<'_>) -> Result<Scope, String> {
    let Some(block) = function.owner else { return Ok(Scope::new(function.module)) };
    let chosen = number_of(block, types.source).and_then(|number| instance(number, types));
    let mut scope = match chosen.and_then(|own| types.enter_impl_for(block, &own)) {
        Some(scope) => scope,
        None => types.enter_impl(block)?,
    };
    types.enter_default(function, &mut scope)?;
    Ok(scope)
}

/// A type without the `Option` or the `Result` around it.
fn unwrapped(output: &Type, scope: &mut Scope, types: &Types<'_>) -> Option<(Ty, Option<Wrapped>)> {
    match types.resolve(output, scope) {
        Ok(Ty::Std("Option", mut inner)) if !inner.is_empty() => Some((inner.remove(0), Some(Wrapped::Option))),
        Ok(Ty::Std("Result", mut inner)) if !inner.is_empty() => Some((inner.remove(0), Some(Wrapped::Result))),
        Ok(other) => Some((other, None)),
        // The error may be of a type that is not known here.
        Err(_) => {
            let Type::Path(path) = output else { return None };
            let last = path.path.segments.last().filter(|last| last.ident == "Result")?;
            let first = written_types(&last.arguments).into_iter().flatten().next()?;
            Some((types.resolve(first, scope).ok()?, Some(Wrapped::Result)))
        }
    }
}
