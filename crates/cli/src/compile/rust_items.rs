//! The functions of a Rust file: whether there is a `main`, which functions can be called through a C interface, and why
//! the others cannot.

use anyhow::{Result, anyhow};
use syn::ext::IdentExt as _;
use syn::{
    Attribute, FnArg, GenericArgument, GenericParam, ImplItem, Item, Meta, PathArguments, ReturnType, Visibility,
};

/// A function of a file. Functions inside other functions are left out, and so are items marked `#[cfg(test)]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// As its author would name it from the top of the file: `sort`, `heap::push`, `Heap::push`.
    pub path: String,
    /// How it can be called.
    pub access: Access,
}

/// How a function can be called from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// It is marked `no_mangle` or `export_name` and is exported as it is, under this name.
    Exported(String),
    /// A function with a C interface can call it.
    Public {
        /// How each parameter is passed.
        parameters: Vec<Passed>,
        /// What it returns, where that is a number.
        result: Option<Passed>,
    },
    /// It cannot be called, for this reason.
    Hidden(String),
}

/// The types that have a counterpart in a C interface. Elements are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    Number(&'static str),
    Bool,
    Slice(&'static str),
    MutableSlice(&'static str),
    Vector(&'static str),
    Str,
    String,
}

const NUMBERS: [&str; 12] = ["i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize", "f32", "f64"];

const WHAT_CAN_BE_PASSED: &str = "numbers, slices of numbers, Vec of numbers, &str and String";

/// The functions of a file, in order. An error names the line.
pub fn functions(source: &str) -> Result<Vec<Function>> {
    let file = syn::parse_file(source).map_err(|error| {
        let place = error.span().start();
        anyhow!("line {}, column {}: {error}", place.line, place.column + 1)
    })?;
    let mut found = Vec::new();
    collect(&file.items, &[], &mut found);
    Ok(found)
}

/// Whether the file is a program.
pub fn has_main(functions: &[Function]) -> bool {
    functions.iter().any(|function| function.path == "main")
}

/// Adds the functions of these items, which are in this module.
fn collect(items: &[Item], module: &[String], found: &mut Vec<Function>) {
    for item in items {
        match item {
            Item::Fn(item) if !only_for_tests(&item.attrs) => found.push(Function {
                path: below(module, &item.sig.ident),
                access: access(&item.attrs, &item.vis, &item.sig, module),
            }),
            Item::Mod(item) if !only_for_tests(&item.attrs) => {
                if let Some((_, items)) = &item.content {
                    let inner = [module, &[item.ident.to_string()]].concat();
                    collect(items, &inner, found);
                }
            }
            Item::Impl(item) if !only_for_tests(&item.attrs) => {
                let owner = written(&item.self_ty);
                for method in &item.items {
                    let ImplItem::Fn(method) = method else { continue };
                    let why = format!(
                        "it is a method of `{owner}`; write a top-level `pub fn` that makes a `{owner}` and calls it"
                    );
                    let owner = [module, std::slice::from_ref(&owner)].concat();
                    found.push(Function { path: below(&owner, &method.sig.ident), access: Access::Hidden(why) });
                }
            }
            _ => {}
        }
    }
}

fn below(owner: &[String], name: &syn::Ident) -> String {
    owner.iter().cloned().chain([name.to_string()]).collect::<Vec<_>>().join("::")
}

fn access(attributes: &[Attribute], visibility: &Visibility, signature: &syn::Signature, module: &[String]) -> Access {
    if let Some(name) = exported_as(attributes, &signature.ident) {
        return Access::Exported(name);
    }
    if !module.is_empty() {
        let module = module.join("::");
        return Access::Hidden(format!("it is in the module `{module}`; write a top-level `pub fn` that calls it"));
    }
    if signature.ident == "main" {
        return Access::Hidden("it is where the program starts; leave out --call to run the program".to_string());
    }
    if !matches!(visibility, Visibility::Public(_)) {
        return Access::Hidden("it is not public; write `pub fn`".to_string());
    }
    if signature.asyncness.is_some() {
        return Access::Hidden("it is `async`; write a `pub fn` that waits for its result".to_string());
    }
    match passed(signature) {
        Ok((parameters, result)) => Access::Public { parameters, result },
        Err(why) => Access::Hidden(why),
    }
}

/// How parameters and result are passed, or why they cannot be.
fn passed(signature: &syn::Signature) -> Result<(Vec<Passed>, Option<Passed>), String> {
    for parameter in &signature.generics.params {
        let what = match parameter {
            GenericParam::Lifetime(_) => continue,
            GenericParam::Type(parameter) => format!("its type parameter `{}`", parameter.ident),
            GenericParam::Const(parameter) => format!("its constant parameter `{}`", parameter.ident),
        };
        return Err(format!("{what} is left open; write a `pub fn` that calls it with one of your choice"));
    }
    let mut parameters = Vec::new();
    for parameter in &signature.inputs {
        let FnArg::Typed(parameter) = parameter else { return Err("it takes `self`".to_string()) };
        let unfit = || {
            let (name, ty) = (written(&parameter.pat), written(&parameter.ty));
            format!(
                "its parameter `{name}` has the type `{ty}`; only {WHAT_CAN_BE_PASSED} can be passed; write a `pub fn` \
                 that takes these, or `#[unsafe(no_mangle)] pub extern \"C\" fn` with pointers"
            )
        };
        parameters.push(kind(&parameter.ty).ok_or_else(unfit)?);
    }
    let result = match &signature.output {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) => kind(ty).filter(|kind| matches!(kind, Passed::Number(_) | Passed::Bool)),
    };
    Ok((parameters, result))
}

/// How a type is passed.
fn kind(ty: &syn::Type) -> Option<Passed> {
    match ty {
        syn::Type::Paren(ty) => kind(&ty.elem),
        syn::Type::Reference(reference) => match (&*reference.elem, reference.mutability) {
            (syn::Type::Slice(slice), None) => Some(Passed::Slice(number(&slice.elem)?)),
            (syn::Type::Slice(slice), Some(_)) => Some(Passed::MutableSlice(number(&slice.elem)?)),
            (syn::Type::Path(path), None) if path.path.is_ident("str") => Some(Passed::Str),
            _ => None,
        },
        syn::Type::Path(path) if path.qself.is_none() => {
            let path = &path.path;
            if let Some(number) = number(ty) {
                return Some(Passed::Number(number));
            }
            let name = path.get_ident().map(ToString::to_string);
            match (name.as_deref(), path.segments.len(), path.segments.first()) {
                (Some("bool"), ..) => Some(Passed::Bool),
                (Some("String"), ..) => Some(Passed::String),
                (None, 1, Some(segment)) if segment.ident == "Vec" => match &segment.arguments {
                    PathArguments::AngleBracketed(arguments) if arguments.args.len() == 1 => match &arguments.args[0] {
                        GenericArgument::Type(element) => Some(Passed::Vector(number(element)?)),
                        _ => None,
                    },
                    _ => None,
                },
                _ => None,
            }
        }
        _ => None,
    }
}

/// The name of a number's type.
fn number(ty: &syn::Type) -> Option<&'static str> {
    let syn::Type::Path(path) = ty else { return None };
    let name = path.path.get_ident()?;
    NUMBERS.into_iter().find(|number| name == number)
}

/// The name under which the compiler exports it, where it is told to.
fn exported_as(attributes: &[Attribute], name: &syn::Ident) -> Option<String> {
    attributes.iter().find_map(|attribute| {
        let meta = match &attribute.meta {
            Meta::List(list) if list.path.is_ident("unsafe") => list.parse_args::<Meta>().ok()?,
            meta => meta.clone(),
        };
        match &meta {
            Meta::Path(path) if path.is_ident("no_mangle") => Some(name.unraw().to_string()),
            Meta::NameValue(pair) if pair.path.is_ident("export_name") => match &pair.value {
                syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
                _ => None,
            },
            _ => None,
        }
    })
}

fn only_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => {
            list.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
        }
        _ => false,
    })
}

/// As its author wrote it, on one line.
fn written(part: &impl syn::spanned::Spanned) -> String {
    let text = part.span().source_text().unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_whatever_stands_around_them() {
        let source = r###"
            //! fn not_this() {}
            #![allow(dead_code)]
            /* fn nor /* nested */ this() {} */
            const TEXT: &str = "fn nor_this() { \" ";
            const RAW: &str = r#"fn raw() { " "#;
            const QUOTE: char = '"'; const ESCAPE: char = '\''; const BRACE: char = '{';
            mod inner { pub fn deep() {} #[unsafe(no_mangle)] pub extern "C" fn bare() {} }
            impl<T> Heap<T> { pub fn push(&mut self, x: T) {} }
            pub fn sort(values: &mut [i32]) { fn nested() {} }
            pub(crate) fn private(x: i32) -> i32 { x }
            #[unsafe(export_name = "other")]
            pub unsafe extern "C" fn exported(at: *const u8, len: usize) -> bool { true }
            pub fn longest<'a>(a: &'a str, b: String, c: Vec<u16>, d: &[f64], e: bool) -> &'a str where 'a: 'a { a }
            pub fn pair((b, c): (i32, i32)) {}
            pub fn generic<T: Into<Vec<u8>>, const N: usize>(x: T, map: HashMap<u8, Vec<T>>) -> Option<T> { None }
            pub async fn later(mut s: String,) {}
            pub fn r#type(x: u8) -> u8 { x }
            #[cfg(test)] mod tests { fn tested() {} }
            fn main() {}
        "###;
        let found = functions(source).unwrap();
        let hidden = |why: &str| Access::Hidden(why.to_string());
        let public = |parameters: &[Passed], result| Access::Public { parameters: parameters.to_vec(), result };
        let u8 = Passed::Number("u8");
        let expected = [
            ("inner::deep", hidden("it is in the module `inner`; write a top-level `pub fn` that calls it")),
            ("inner::bare", Access::Exported("bare".to_string())),
            (
                "Heap<T>::push",
                hidden("it is a method of `Heap<T>`; write a top-level `pub fn` that makes a `Heap<T>` and calls it"),
            ),
            ("sort", public(&[Passed::MutableSlice("i32")], None)),
            ("private", hidden("it is not public; write `pub fn`")),
            ("exported", Access::Exported("other".to_string())),
            (
                "longest",
                public(&[Passed::Str, Passed::String, Passed::Vector("u16"), Passed::Slice("f64"), Passed::Bool], None),
            ),
            (
                "pair",
                hidden(
                    "its parameter `(b, c)` has the type `(i32, i32)`; only numbers, slices of numbers, Vec of \
                     numbers, &str and String can be passed; write a `pub fn` that takes these, or \
                     `#[unsafe(no_mangle)] pub extern \"C\" fn` with pointers",
                ),
            ),
            (
                "generic",
                hidden("its type parameter `T` is left open; write a `pub fn` that calls it with one of your choice"),
            ),
            ("later", hidden("it is `async`; write a `pub fn` that waits for its result")),
            ("r#type", public(&[u8], Some(u8))),
            ("main", hidden("it is where the program starts; leave out --call to run the program")),
        ];
        let expected: Vec<Function> =
            expected.map(|(path, access)| Function { path: path.to_string(), access }).into_iter().collect();
        assert_eq!(found, expected);
        assert!(has_main(&found));
    }

    #[test]
    fn damaged_text_is_refused_with_its_line() {
        for text in ["fn", "fn x(", "pub fn x<T", "'", "r#\"", "\"", "/*", "}", "fn x() ->"] {
            assert!(functions(text).is_err(), "{text}");
        }
        let error = functions("pub fn f() {}\npub fn g(x: ) {}\n").unwrap_err().to_string();
        assert!(error.starts_with("line 2, column 13: "), "{error}");
        assert_eq!(functions("").unwrap(), []);
    }
}
