//! The types of a crate as its source writes them, resolved: names looked up, aliases replaced, and a type chosen for
//! every type parameter.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use syn::punctuated::Punctuated;
use syn::{GenericArgument, GenericParam, PathArguments, ReturnType, Token, Type, TypeParamBound};

use super::items::{Crate, Function, Impl, Named, Shape, written};
use super::names::{Found, is_std};
use crate::wanted::Chosen;

/// A type without open parameters. Lifetimes are left out: everything that is borrowed lives until the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ty {
    /// Integers of up to 64 bits, and floats.
    Number(&'static str),
    /// `i128` and `u128`.
    Wide(&'static str),
    Bool,
    Char,
    Str,
    Slice(Box<Ty>),
    Array(Box<Ty>, u64),
    /// Whether it is `&mut`.
    Reference(bool, Box<Ty>),
    Tuple(Vec<Ty>),
    /// A type of the standard library, by its last name; see [`STD`].
    Std(&'static str, Vec<Ty>),
    /// A struct or an enum of the crate.
    Own(usize, Vec<Ty>),
    /// The value of a constant parameter, among the arguments of a type.
    Constant(String),
    Closure(Box<Closure>),
    /// Something empty to write into.
    Empty(Box<Ty>),
    /// `dyn Trait`: the type behind it, and the trait where it can be named.
    Dyn(Box<Ty>, Option<String>),
}

/// What is called with values and gives one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closure {
    pub inputs: Vec<Ty>,
    pub output: Ty,
    /// It is a plain pointer to a function, which can hold nothing.
    pub pointer: bool,
}

pub const NUMBERS: [&str; 12] = ["i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize", "f32", "f64"];

/// The types of the standard library that values can be made of, with their paths.
const STD: [(&str, &str); 45] = [
    ("String", "::std::string::String"),
    ("Vec", "::std::vec::Vec"),
    ("VecDeque", "::std::collections::VecDeque"),
    ("LinkedList", "::std::collections::LinkedList"),
    ("BinaryHeap", "::std::collections::BinaryHeap"),
    ("HashSet", "::std::collections::HashSet"),
    ("BTreeSet", "::std::collections::BTreeSet"),
    ("HashMap", "::std::collections::HashMap"),
    ("BTreeMap", "::std::collections::BTreeMap"),
    ("Option", "::std::option::Option"),
    ("Result", "::std::result::Result"),
    ("Box", "::std::boxed::Box"),
    ("Rc", "::std::rc::Rc"),
    ("Arc", "::std::sync::Arc"),
    ("Cow", "::std::borrow::Cow"),
    ("Cell", "::std::cell::Cell"),
    ("RefCell", "::std::cell::RefCell"),
    ("Mutex", "::std::sync::Mutex"),
    ("RwLock", "::std::sync::RwLock"),
    ("Wrapping", "::std::num::Wrapping"),
    ("Saturating", "::std::num::Saturating"),
    ("NonZero", "::std::num::NonZero"),
    ("Reverse", "::std::cmp::Reverse"),
    ("Ordering", "::std::cmp::Ordering"),
    ("Duration", "::std::time::Duration"),
    ("PhantomData", "::std::marker::PhantomData"),
    ("Range", "::std::ops::Range"),
    ("RangeInclusive", "::std::ops::RangeInclusive"),
    ("Iter", "::std::slice::Iter"),
    ("IntoIter", "::std::vec::IntoIter"),
    ("Peekable", "::std::iter::Peekable"),
    ("Chars", "::std::str::Chars"),
    ("CharIndices", "::std::str::CharIndices"),
    ("Bytes", "::std::str::Bytes"),
    ("Lines", "::std::str::Lines"),
    ("SplitWhitespace", "::std::str::SplitWhitespace"),
    ("Cursor", "::std::io::Cursor"),
    ("Path", "::std::path::Path"),
    ("PathBuf", "::std::path::PathBuf"),
    ("OsStr", "::std::ffi::OsStr"),
    ("OsString", "::std::ffi::OsString"),
    ("Ipv4Addr", "::std::net::Ipv4Addr"),
    ("RandomState", "::std::hash::RandomState"),
    ("DefaultHasher", "::std::hash::DefaultHasher"),
    ("BuildHasherDefault", "::std::hash::BuildHasherDefault"),
];

/// What a constant parameter is, if nothing says otherwise.
const CONSTANT: u64 = 4;

/// Aliases and bounds that lead to others are followed this far.
const DEEPEST: usize = 32;

/// Where a type is written: what the names around it stand for.
#[derive(Clone, Default)]
pub struct Scope {
    pub module: usize,
    chosen: BTreeMap<String, Ty>,
    /// Parameters for which nothing is chosen yet, with their bounds.
    open: BTreeMap<String, Vec<TypeParamBound>>,
    /// Bounds of references to parameters.
    lent: BTreeMap<String, Vec<TypeParamBound>>,
    /// What `Self` is.
    pub own: Option<Ty>,
    /// The `impl` block around it.
    block: Option<usize>,
}

impl Scope {
    pub fn new(module: usize) -> Scope {
        Scope { module, ..Scope::default() }
    }
}

/// Resolves types.
pub struct Types<'c> {
    pub source: &'c Crate,
    /// What the user chose for parameters.
    with: BTreeMap<String, String>,
    /// Which traits an implementation is being looked for, so that one that needs itself is left out.
    pub wanted: RefCell<Vec<usize>>,
    /// The room for the elements of a collection inside another value.
    pub room: usize,
    depth: Cell<usize>,
}

type Bounds = Punctuated<TypeParamBound, Token![+]>;

impl<'c> Types<'c> {
    pub fn new(source: &'c Crate, chosen: &Chosen) -> Types<'c> {
        let (with, room) = (chosen.with.clone(), chosen.room.unwrap_or(super::data::ROOM));
        Types { source, with, wanted: RefCell::default(), room, depth: Cell::default() }
    }

    /// Opens the parameters of an item. What they are is chosen when it is asked for.
    pub fn enter(&self, scope: &mut Scope, generics: &syn::Generics) -> Result<(), String> {
        for parameter in &generics.params {
            match parameter {
                GenericParam::Lifetime(_) => {}
                GenericParam::Type(parameter) => {
                    let bounds = parameter.bounds.iter().cloned().collect();
                    scope.open.insert(parameter.ident.to_string(), bounds);
                }
                GenericParam::Const(parameter) => {
                    let name = parameter.ident.to_string();
                    let value = match (self.with.get(&name), &parameter.default, written(&parameter.ty).as_str()) {
                        (Some(value), ..) => value.clone(),
                        (None, Some((_, value)), _) => self.constant(value, scope)?.to_string(),
                        (None, None, "bool") => "true".to_string(),
                        (None, None, "char") => "'a'".to_string(),
                        (None, None, _) => CONSTANT.to_string(),
                    };
                    scope.chosen.insert(name, Ty::Constant(value));
                }
            }
        }
        for predicate in generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
            let syn::WherePredicate::Type(predicate) = predicate else { continue };
            let bounds = predicate.bounds.iter().cloned();
            match &predicate.bounded_ty {
                Type::Reference(reference) => {
                    if let Some(name) = ident(&reference.elem) {
                        scope.lent.entry(name).or_default().extend(bounds);
                    }
                }
                ty => {
                    if let Some(known) = ident(ty).and_then(|name| scope.open.get_mut(&name)) {
                        known.extend(bounds);
                    }
                }
            }
        }
        Ok(())
    }

    /// The scope inside an `impl` block.
    pub fn enter_impl(&self, number: usize) -> Result<Scope, String> {
        let block = &self.source.impls[number];
        let mut scope = Scope { module: block.module, block: Some(number), ..Scope::default() };
        self.enter(&mut scope, &block.generics)?;
        scope.own = Some(self.resolve(&block.self_type, &mut scope)?);
        Ok(scope)
    }

    /// Goes from an `impl` block to the trait in which the body of a method is written.
    pub fn enter_default(&self, function: &Function, scope: &mut Scope) -> Result<(), String> {
        let (Some(number), Some(block)) = (function.default_of, function.owner) else { return Ok(()) };
        let item = &self.source.traits[number];
        let path = self.source.impls[block].trait_path.as_ref();
        let last = path.and_then(|path| path.segments.last());
        let mut given = Vec::new();
        for argument in last.map(|last| types_and_constants(&last.arguments)).unwrap_or_default() {
            given.push(match argument {
                GenericArgument::Type(ty) => self.resolve(ty, scope)?,
                GenericArgument::Const(value) => Ty::Constant(self.constant(value, scope)?.to_string()),
                _ => continue,
            });
        }
        scope.module = item.module;
        self.enter(scope, &item.generics)?;
        let named = item.generics.params.iter().filter_map(|parameter| match parameter {
            GenericParam::Lifetime(_) => None,
            GenericParam::Type(parameter) => Some(parameter.ident.to_string()),
            GenericParam::Const(parameter) => Some(parameter.ident.to_string()),
        });
        for (name, ty) in named.zip(given) {
            scope.open.remove(&name);
            scope.chosen.insert(name, ty);
        }
        Ok(())
    }

    /// The scope inside an `impl` block for this type; `None` where the block is for others.
    pub fn enter_impl_for(&self, number: usize, ty: &Ty) -> Option<Scope> {
        let block: &Impl = &self.source.impls[number];
        let mut scope = Scope { module: block.module, block: Some(number), ..Scope::default() };
        self.enter(&mut scope, &block.generics).ok()?;
        if let (Type::Path(path), Ty::Own(own, arguments)) = (&block.self_type, ty) {
            let names = names(&path.path);
            let Some(Found::Here(Named::Type(found))) = self.source.find(block.module, &names) else { return None };
            if found == *own {
                let given = path.path.segments.last().map(|segment| types(&segment.arguments)).unwrap_or_default();
                for (given, actual) in given.into_iter().zip(arguments) {
                    if let Some(name) = given.and_then(ident)
                        && (scope.open.remove(&name).is_some() || scope.chosen.contains_key(&name))
                    {
                        scope.chosen.insert(name, actual.clone());
                    }
                }
            }
        }
        let own = self.resolve(&block.self_type, &mut scope).ok()?;
        scope.own = Some(own.clone());
        (own == *ty).then_some(scope)
    }

    /// The scope in which the fields of a type are written.
    pub fn enter_type(&self, number: usize, arguments: &[Ty]) -> Scope {
        let item = &self.source.types[number];
        let own = Ty::Own(number, arguments.to_vec());
        let mut scope = Scope { module: item.module, own: Some(own), ..Scope::default() };
        let parameters = item.generics.params.iter().filter_map(|parameter| match parameter {
            GenericParam::Lifetime(_) => None,
            GenericParam::Type(parameter) => Some(parameter.ident.to_string()),
            GenericParam::Const(parameter) => Some(parameter.ident.to_string()),
        });
        scope.chosen.extend(parameters.zip(arguments.iter().cloned()));
        scope
    }

    /// The arguments for the parameters of an item, in their order.
    pub fn arguments(&self, generics: &syn::Generics, scope: &mut Scope) -> Result<Vec<Ty>, String> {
        let mut arguments = Vec::new();
        for parameter in &generics.params {
            match parameter {
                GenericParam::Lifetime(_) => {}
                GenericParam::Type(parameter) => arguments.push(self.parameter(&parameter.ident.to_string(), scope)?),
                GenericParam::Const(parameter) => arguments.push(self.parameter(&parameter.ident.to_string(), scope)?),
            }
        }
        Ok(arguments)
    }

    /// What is chosen for a parameter.
    fn parameter(&self, name: &str, scope: &mut Scope) -> Result<Ty, String> {
        if let Some(chosen) = scope.chosen.get(name) {
            return Ok(chosen.clone());
        }
        // A bound that speaks of its own parameter finds it closed.
        let bounds = scope.open.remove(name).unwrap_or_default();
        let chosen = match self.with.get(name) {
            Some(text) => {
                let ty: Type = syn::parse_str(text).map_err(|error| format!("--with {name}={text}: {error}"))?;
                self.resolve(&ty, scope).map_err(|why| format!("--with {name}={text}: {why}"))?
            }
            None => {
                let lent = scope.lent.remove(name).unwrap_or_default();
                let chosen = match lent.is_empty() {
                    true => self.choose(bounds.iter(), scope),
                    false => self.choose(bounds.iter().chain(&lent), scope).map(without_reference),
                };
                chosen.map_err(|why| format!("its type parameter `{name}`: {why}"))?
            }
        };
        scope.chosen.insert(name.to_string(), chosen.clone());
        Ok(chosen)
    }

    /// The type that the source writes here.
    pub fn resolve(&self, ty: &Type, scope: &mut Scope) -> Result<Ty, String> {
        self.depth.set(self.depth.get() + 1);
        let result = match self.depth.get() > DEEPEST {
            true => Err(format!("`{}` leads to itself", written(ty))),
            false => self.resolve_here(ty, scope),
        };
        self.depth.set(self.depth.get() - 1);
        result
    }

    fn resolve_here(&self, ty: &Type, scope: &mut Scope) -> Result<Ty, String> {
        match ty {
            Type::Paren(ty) => self.resolve(&ty.elem, scope),
            Type::Group(ty) => self.resolve(&ty.elem, scope),
            Type::Reference(ty) => Ok(Ty::Reference(ty.mutability.is_some(), Box::new(self.resolve(&ty.elem, scope)?))),
            Type::Slice(ty) => Ok(Ty::Slice(Box::new(self.resolve(&ty.elem, scope)?))),
            Type::Array(ty) => Ok(Ty::Array(Box::new(self.resolve(&ty.elem, scope)?), self.constant(&ty.len, scope)?)),
            Type::Tuple(ty) => {
                Ok(Ty::Tuple(ty.elems.iter().map(|ty| self.resolve(ty, scope)).collect::<Result<_, _>>()?))
            }
            Type::ImplTrait(ty) => self.choose(ty.bounds.iter(), scope),
            Type::TraitObject(ty) => {
                let chosen = self.choose(ty.bounds.iter(), scope)?;
                Ok(Ty::Dyn(Box::new(chosen), self.trait_name(&ty.bounds, scope)))
            }
            Type::FnPtr(ty) => {
                let inputs = ty.inputs.iter().map(|input| self.resolve(&input.ty, scope)).collect::<Result<_, _>>()?;
                let output = self.output(&ty.output, scope)?;
                Ok(Ty::Closure(Box::new(Closure { inputs, output, pointer: true })))
            }
            Type::Path(ty) => self.resolve_path(ty, scope),
            Type::Ptr(_) => Err(format!("`{}` is a raw pointer", written(ty))),
            _ => Err(format!("nothing can be made for `{}`", written(ty))),
        }
    }

    /// What a function returns.
    pub fn output(&self, output: &ReturnType, scope: &mut Scope) -> Result<Ty, String> {
        match output {
            ReturnType::Default => Ok(Ty::Tuple(Vec::new())),
            ReturnType::Type(_, ty) => self.resolve(ty, scope),
        }
    }

    fn resolve_path(&self, ty: &syn::TypePath, scope: &mut Scope) -> Result<Ty, String> {
        let path = &ty.path;
        let names = names(path);
        let Some(last) = path.segments.last() else { return Err("an empty path".to_string()) };
        let last_name = last.ident.to_string();
        if let Some(of) = &ty.qself {
            let of = self.resolve(&of.ty, scope)?;
            return self.associated(&of, &last_name, scope);
        }
        if let [name] = &names[..] {
            if name == "Self" {
                return scope.own.clone().ok_or_else(|| "`Self` without a type".to_string());
            }
            if scope.chosen.contains_key(name) || scope.open.contains_key(name) {
                return self.parameter(name, scope);
            }
        }
        if let [first, name] = &names[..] {
            let of = match first.as_str() {
                "Self" => scope.own.clone(),
                _ if scope.chosen.contains_key(first) || scope.open.contains_key(first) => {
                    Some(self.parameter(first, scope)?)
                }
                _ => None,
            };
            if let Some(of) = of {
                return self.associated(&of, name, scope);
            }
        }
        match self.source.find(scope.module, &names) {
            Some(Found::Here(Named::Type(number))) => self.own_type(number, &last.arguments, scope),
            Some(Found::Here(Named::Constant(number))) => {
                let constant = &self.source.constants[number];
                let value = self.constant(&constant.value, &mut Scope::new(constant.module))?;
                Ok(Ty::Constant(value.to_string()))
            }
            Some(Found::Outside(path)) => {
                let name = path.last().cloned().unwrap_or_default();
                // `use std::u32` brings the module of the number's constants, which has its name.
                if (path.len() == 1 || path[0] == "primitive" || path.len() == 2 && is_std(&path[0]))
                    && let Some(simple) = primitive(&name)
                {
                    return Ok(simple);
                }
                if !path.first().is_some_and(|first| is_std(first)) {
                    return Err(match path.len() {
                        1 => format!("`{}` is not in the source that was read; a macro may make it", written(ty)),
                        _ => format!("`{}` is of the crate `{}`", written(ty), path[0]),
                    });
                }
                self.std_type(&path, &last.arguments, scope)
                    .unwrap_or_else(|| Err(format!("nothing can be made for `{}`", written(ty))))
            }
            _ => Err(format!("`{}` is not in the source that was read; a macro may make it", written(ty))),
        }
    }

    /// A type of the crate, with what stands in its angle brackets.
    fn own_type(&self, number: usize, arguments: &PathArguments, scope: &mut Scope) -> Result<Ty, String> {
        let item = &self.source.types[number];
        let mut given = Vec::new();
        for argument in types_and_constants(arguments) {
            given.push(match argument {
                GenericArgument::Type(ty) => self.resolve(ty, scope)?,
                GenericArgument::Const(value) => Ty::Constant(self.constant(value, scope)?.to_string()),
                _ => continue,
            });
        }
        let mut inside = Scope::new(item.module);
        self.enter(&mut inside, &item.generics)?;
        let mut all = Vec::new();
        for parameter in &item.generics.params {
            let (name, default) = match parameter {
                GenericParam::Lifetime(_) => continue,
                GenericParam::Type(parameter) => (&parameter.ident, parameter.default.as_ref().map(|(_, ty)| ty)),
                GenericParam::Const(parameter) => (&parameter.ident, None),
            };
            let name = name.to_string();
            let chosen = match (given.get(all.len()), default) {
                (Some(given), _) => given.clone(),
                (None, Some(default)) => self.resolve(default, &mut inside)?,
                (None, None) => self.parameter(&name, &mut inside)?,
            };
            inside.open.remove(&name);
            inside.chosen.insert(name, chosen.clone());
            all.push(chosen);
        }
        match &item.shape {
            Shape::Alias(ty) => self.resolve(ty, &mut inside),
            _ => Ok(Ty::Own(number, all)),
        }
    }

    /// A type of the standard library; `None` for one that is not in the list.
    fn std_type(&self, path: &[String], arguments: &PathArguments, scope: &mut Scope) -> Option<Result<Ty, String>> {
        let name = path.last()?.as_str();
        let module = path.get(path.len().wrapping_sub(2)).map_or("", String::as_str);
        if let Some(number) = name.strip_prefix("NonZero").filter(|number| !number.is_empty()) {
            let number = number.to_lowercase();
            let number = NUMBERS.iter().find(|known| **known == number)?;
            return Some(Ok(Ty::Std("NonZero", vec![Ty::Number(number)])));
        }
        // Names that mean something else in other modules.
        match (module, name) {
            ("atomic", "Ordering") | ("fmt" | "io", "Result") => return None,
            ("vec", "IntoIter") | ("slice", "Iter") => {}
            (_, "IntoIter" | "Iter") => return None,
            (_, "Chars" | "Bytes" | "Lines" | "CharIndices") if module != "str" => return None,
            _ => {}
        }
        let (name, _) = STD.iter().find(|(known, _)| *known == name)?;
        let mut given = Vec::new();
        for argument in types(arguments).into_iter().flatten() {
            match self.resolve(argument, scope) {
                Ok(ty) => given.push(ty),
                Err(why) => return Some(Err(why)),
            }
        }
        Some(Ok(Ty::Std(name, given)))
    }

    /// `T::Item` and the like.
    fn associated(&self, of: &Ty, name: &str, scope: &mut Scope) -> Result<Ty, String> {
        let item = match of {
            Ty::Std("Vec" | "IntoIter", arguments) => arguments.first().cloned(),
            Ty::Std("Peekable", arguments) => match arguments.first() {
                Some(inner) => self.associated(inner, name, scope).ok(),
                None => None,
            },
            Ty::Std("Chars", _) => Some(Ty::Char),
            _ => None,
        };
        if let (Some(item), "Item") = (item, name) {
            return Ok(item);
        }
        let blocks = scope.block.into_iter().chain(0..self.source.impls.len());
        for number in blocks {
            if let Some(ty) = self.source.impls[number].types.get(name)
                && let Some(mut inside) = self.enter_impl_for(number, of)
            {
                return self.resolve(ty, &mut inside);
            }
        }
        // Of the operators on numbers and the like, everything is the number itself.
        match (of, name) {
            (Ty::Number(_), "Output" | "Target" | "Owned") => Ok(of.clone()),
            _ => Err(format!("what `{name}` is cannot be found")),
        }
    }

    /// The value of an expression that gives a length.
    fn constant(&self, value: &syn::Expr, scope: &mut Scope) -> Result<u64, String> {
        let unknown = || format!("the length `{}` is not a plain number", written(value));
        match value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) => {
                number.base10_parse().map_err(|_| unknown())
            }
            syn::Expr::Paren(inner) => self.constant(&inner.expr, scope),
            syn::Expr::Group(inner) => self.constant(&inner.expr, scope),
            syn::Expr::Cast(inner) => self.constant(&inner.expr, scope),
            syn::Expr::Block(block) => match &block.block.stmts[..] {
                [syn::Stmt::Expr(inner, None)] => self.constant(inner, scope),
                _ => Err(unknown()),
            },
            syn::Expr::Binary(both) => {
                let (left, right) = (self.constant(&both.left, scope)?, self.constant(&both.right, scope)?);
                match both.op {
                    syn::BinOp::Add(_) => left.checked_add(right),
                    syn::BinOp::Sub(_) => left.checked_sub(right),
                    syn::BinOp::Mul(_) => left.checked_mul(right),
                    syn::BinOp::Div(_) => left.checked_div(right),
                    syn::BinOp::Rem(_) => left.checked_rem(right),
                    syn::BinOp::Shl(_) => u32::try_from(right).ok().and_then(|right| left.checked_shl(right)),
                    _ => None,
                }
                .ok_or_else(unknown)
            }
            syn::Expr::Path(path) => {
                let names = names(&path.path);
                if let [name] = &names[..]
                    && let Some(Ty::Constant(value)) = scope.chosen.get(name)
                {
                    return value.parse().map_err(|_| unknown());
                }
                if let Some(Found::Here(Named::Constant(number))) = self.source.find(scope.module, &names) {
                    let constant = &self.source.constants[number];
                    return self.constant(&constant.value, &mut Scope::new(constant.module));
                }
                // `Self::N` and `Grid::N`.
                let [owner, name] = &names[..] else { return Err(unknown()) };
                let owner = match (owner.as_str(), self.source.find(scope.module, std::slice::from_ref(owner))) {
                    ("Self", _) => match &scope.own {
                        Some(Ty::Own(number, _)) => *number,
                        _ => return Err(unknown()),
                    },
                    (_, Some(Found::Here(Named::Type(number)))) => number,
                    _ => return Err(unknown()),
                };
                for block in &self.source.impls {
                    if let (Some(value), Type::Path(path)) = (block.constants.get(name), &block.self_type)
                        && self.source.find(block.module, &self::names(&path.path))
                            == Some(Found::Here(Named::Type(owner)))
                    {
                        let mut inside = scope.clone();
                        inside.module = block.module;
                        return self.constant(value, &mut inside);
                    }
                }
                Err(unknown())
            }
            _ => Err(unknown()),
        }
    }

    /// The public name of the trait in these bounds, where it is one of the crate without parameters.
    fn trait_name(&self, bounds: &Bounds, scope: &Scope) -> Option<String> {
        bounds.iter().find_map(|bound| match bound {
            TypeParamBound::Trait(bound) => {
                let plain = bound.path.segments.iter().all(|segment| segment.arguments.is_none());
                match self.source.find(scope.module, &names(&bound.path)) {
                    Some(Found::Here(Named::Trait(number))) if plain => {
                        self.source.traits[number].public.as_ref().map(|path| subject(path))
                    }
                    _ => None,
                }
            }
            _ => None,
        })
    }
}

impl Ty {
    /// How the crate around the user's writes it, in types and in expressions alike.
    pub fn text(&self, source: &Crate) -> String {
        let list = |types: &[Ty]| types.iter().map(|ty| ty.text(source)).collect::<Vec<_>>().join(", ");
        let with = |path: &str, arguments: &[Ty]| match arguments.is_empty() {
            true => path.to_string(),
            false => format!("{path}::<{}>", list(arguments)),
        };
        match self {
            Ty::Number(name) | Ty::Wide(name) => name.to_string(),
            Ty::Bool => "bool".to_string(),
            Ty::Char => "char".to_string(),
            Ty::Str => "str".to_string(),
            Ty::Slice(ty) => format!("[{}]", ty.text(source)),
            Ty::Array(ty, length) => format!("[{}; {length}]", ty.text(source)),
            Ty::Reference(false, ty) => format!("&{}", ty.text(source)),
            Ty::Reference(true, ty) => format!("&mut {}", ty.text(source)),
            Ty::Tuple(types) if types.len() == 1 => format!("({},)", list(types)),
            Ty::Tuple(types) => format!("({})", list(types)),
            Ty::Std(name, arguments) => {
                let path = STD.iter().find(|(known, _)| known == name).map_or(*name, |(_, path)| path);
                with(path, arguments)
            }
            Ty::Own(number, arguments) => {
                let item = &source.types[*number];
                let path = item.public.as_ref().map_or_else(|| item.name.clone(), |path| subject(path));
                with(&path, arguments)
            }
            Ty::Empty(ty) => ty.text(source),
            Ty::Constant(value) => format!("{{ {value} }}"),
            Ty::Dyn(_, Some(name)) => format!("dyn {name}"),
            Ty::Closure(_) | Ty::Dyn(..) => "_".to_string(),
        }
    }

    /// Whether its type cannot be written down.
    pub fn is_nameless(&self) -> bool {
        match self {
            Ty::Closure(_) | Ty::Dyn(_, None) => true,
            Ty::Slice(ty) | Ty::Array(ty, _) | Ty::Reference(_, ty) => ty.is_nameless(),
            Ty::Tuple(types) | Ty::Std(_, types) | Ty::Own(_, types) => types.iter().any(Ty::is_nameless),
            _ => false,
        }
    }

    /// Whether `Ord` orders its values; of the crate's own types nobody knows.
    pub fn is_ordered(&self) -> bool {
        match self {
            Ty::Number(name) => !name.starts_with('f'),
            Ty::Wide(_) | Ty::Bool | Ty::Char | Ty::Str => true,
            Ty::Slice(ty) | Ty::Array(ty, _) | Ty::Reference(_, ty) => ty.is_ordered(),
            Ty::Tuple(types) | Ty::Std("String" | "Vec" | "Option" | "Box", types) => types.iter().all(Ty::is_ordered),
            _ => false,
        }
    }
}

/// A path in the user's crate.
pub fn subject(path: &[String]) -> String {
    path.iter().fold("::subject".to_string(), |text, name| text + "::" + name)
}

fn primitive(name: &str) -> Option<Ty> {
    Some(match name {
        "bool" => Ty::Bool,
        "char" => Ty::Char,
        "str" => Ty::Str,
        "i128" => Ty::Wide("i128"),
        "u128" => Ty::Wide("u128"),
        _ => Ty::Number(NUMBERS.iter().find(|number| **number == name)?),
    })
}

/// The names of a path, without what stands in angle brackets.
pub fn names(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

/// The types in angle brackets; `None` in the place of a constant.
pub fn types(arguments: &PathArguments) -> Vec<Option<&Type>> {
    let given = types_and_constants(arguments).into_iter();
    given.map(|argument| if let GenericArgument::Type(ty) = argument { Some(ty) } else { None }).collect()
}

fn types_and_constants(arguments: &PathArguments) -> Vec<&GenericArgument> {
    let PathArguments::AngleBracketed(arguments) = arguments else { return Vec::new() };
    let wanted = |argument: &&GenericArgument| matches!(argument, GenericArgument::Type(_) | GenericArgument::Const(_));
    arguments.args.iter().filter(wanted).collect()
}

/// The name that a type consists of.
fn ident(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) if path.qself.is_none() => path.path.get_ident().map(ToString::to_string),
        _ => None,
    }
}

/// The name in the list of types of the library.
pub fn std_name(name: &str) -> &'static str {
    STD.iter().find(|(known, _)| *known == name).map_or("", |(known, _)| known)
}

/// A collection of what a collection of references refers to: `&T` gives these where `T` has the things themselves.
fn without_reference(ty: Ty) -> Ty {
    match ty {
        Ty::Std(name @ ("Vec" | "IntoIter"), mut arguments) => {
            if let Some(Ty::Reference(_, inner)) = arguments.first().cloned() {
                arguments[0] = *inner;
            }
            Ty::Std(name, arguments)
        }
        other => other,
    }
}
