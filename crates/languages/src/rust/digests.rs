//! What comes back from a call: a number that stands for it, and how `{:?}` prints it.

use super::handles::number_of;
use super::items::{Shape, is_public};
use super::types::{Ty, Types};
use crate::calling::{Looks, Variant};

/// Types inside each other are looked into this far.
const DEEPEST: usize = 6;

/// Statements that add a value, of which this expression is a reference, to `digest`. What the type is made of is added part
/// by part: formatting it would ask for every digit of every number.
pub fn digest(ty: &Ty, place: &str, types: &Types<'_>, depth: usize) -> String {
    let leaf = || format!("digest.add((&&&pessimum::Leaf({place})).digest()); ");
    let inner = |ty: &Ty, place: &str| digest(ty, place, types, depth + 1);
    let (x, y) = (format!("x{depth}"), format!("y{depth}"));
    if depth > DEEPEST {
        return leaf();
    }
    match ty {
        Ty::Number(name @ ("f32" | "f64")) => format!("digest.add({name}::to_bits(*{place}) as u64); "),
        Ty::Number(_) | Ty::Bool => format!("digest.add(*{place} as u64); "),
        Ty::Char => format!("digest.add(*{place} as u32 as u64); "),
        Ty::Wide(_) => format!("digest.add(*{place} as u64); digest.add((*{place} >> 64) as u64); "),
        Ty::Std("Ordering", _) => format!("digest.add(*{place} as i8 as u64); "),
        Ty::Str => format!("digest.bytes(str::as_bytes({place})); "),
        Ty::Std("String", _) => format!("digest.bytes(::std::string::String::as_bytes({place})); "),
        Ty::Reference(_, of) => inner(of, &format!("&**{place}")),
        Ty::Tuple(parts) => {
            let part = |(at, ty): (usize, &Ty)| inner(ty, &format!("&({place}).{at}"));
            parts.iter().enumerate().map(part).collect()
        }
        Ty::Std("Option", parts) if parts.len() == 1 => format!(
            "match {place} {{ ::core::option::Option::Some({x}) => {{ digest.add(1); {} }} \
             ::core::option::Option::None => digest.add(0) }} ",
            inner(&parts[0], &x)
        ),
        Ty::Std("Result", parts) if parts.len() == 2 => format!(
            "match {place} {{ ::core::result::Result::Ok({x}) => {{ digest.add(1); {} }} \
             ::core::result::Result::Err({x}) => {{ digest.add(0); {} }} }} ",
            inner(&parts[0], &x),
            inner(&parts[1], &x)
        ),
        Ty::Slice(of) | Ty::Array(of, _) => several(place, &x, &inner(of, &x)),
        Ty::Std("Vec" | "VecDeque" | "LinkedList" | "BTreeSet", parts) if !parts.is_empty() => {
            several(place, &x, &inner(&parts[0], &x))
        }
        Ty::Std("BTreeMap", parts) if parts.len() == 2 => {
            let both = inner(&parts[0], &x) + &inner(&parts[1], &y);
            several(place, &format!("({x}, {y})"), &both)
        }
        Ty::Own(number, arguments) => {
            let item = &types.source.types[*number];
            let Some(path) = item.public.as_ref().filter(|_| !item.non_exhaustive) else { return leaf() };
            let path = super::types::subject(path);
            let mut scope = types.enter_type(*number, arguments);
            let mut arm = |fields: &syn::Fields, path: &str, number: usize| {
                let mut code = format!("digest.add({number}); ");
                let mut pattern = Vec::new();
                for (at, field) in fields.iter().enumerate() {
                    let name = format!("f{depth}_{at}");
                    code += &match types.resolve(&field.ty, &mut scope) {
                        Ok(ty) => digest(&ty, &name, types, depth + 1),
                        Err(_) => format!("digest.add((&&&pessimum::Leaf({name})).digest()); "),
                    };
                    pattern.push(match &field.ident {
                        Some(field) => format!("{field}: {name}"),
                        None => name,
                    });
                }
                let list = pattern.join(", ");
                let pattern = match fields {
                    syn::Fields::Unit => path.to_string(),
                    syn::Fields::Named(_) => format!("{path} {{ {list} }}"),
                    _ => format!("{path}({list})"),
                };
                format!("{pattern} => {{ {code}}} ")
            };
            match &item.shape {
                Shape::Struct(fields) if fields.iter().all(|field| is_public(&field.vis)) => {
                    format!("match {place} {{ {}}} ", arm(fields, &path, 0))
                }
                Shape::Enum(variants) if !variants.is_empty() => {
                    let arms = variants
                        .iter()
                        .enumerate()
                        .map(|(number, variant)| arm(&variant.fields, &format!("{path}::{}", variant.ident), number));
                    format!("match {place} {{ {}}} ", arms.collect::<String>())
                }
                _ => leaf(),
            }
        }
        _ => leaf(),
    }
}

fn several(place: &str, pattern: &str, code: &str) -> String {
    format!("digest.add(({place}).len() as u64); for {pattern} in ({place}).iter() {{ {code}}} ")
}

/// What `{:?}` prints for a value of this type, as far as it can be read back.
pub fn looks(ty: &Ty, types: &Types<'_>, depth: usize) -> Looks {
    let inner = |ty: &Ty| looks(ty, types, depth + 1);
    if depth > DEEPEST {
        return Looks::Debug;
    }
    match ty {
        Ty::Number(name @ ("f32" | "f64")) => Looks::Float(name.to_string()),
        Ty::Number(_) | Ty::Wide(_) | Ty::Bool | Ty::Char => Looks::Plain,
        Ty::Str => Looks::Text(false),
        Ty::Std("String", _) => Looks::Text(true),
        Ty::Reference(_, of) => match &**of {
            Ty::Str => Looks::Text(false),
            of => Looks::Behind(Box::new(inner(of))),
        },
        Ty::Tuple(parts) => Looks::Tuple(parts.iter().map(inner).collect()),
        Ty::Slice(of) | Ty::Array(of, _) => Looks::List(String::new(), Box::new(inner(of))),
        Ty::Std("Vec", parts) if !parts.is_empty() => Looks::List("vec!".to_string(), Box::new(inner(&parts[0]))),
        Ty::Std("Option", parts) if parts.len() == 1 => Looks::Option(Box::new(inner(&parts[0]))),
        Ty::Std("Result", parts) if parts.len() == 2 => {
            Looks::Result(Box::new(inner(&parts[0])), Box::new(inner(&parts[1])))
        }
        Ty::Std("Ordering", _) => {
            let path = "::std::cmp::Ordering".to_string();
            let variant =
                |name: &str| Variant { name: name.into(), path: format!("{path}::{name}"), fields: Vec::new() };
            Looks::Own(path.clone(), ["Less", "Equal", "Greater"].map(variant).to_vec())
        }
        Ty::Own(number, arguments) => own_looks(*number, arguments, types, depth).unwrap_or(Looks::Debug),
        _ => Looks::Debug,
    }
}

/// What a type of the crate looks like, if others can write it, compare it, and know how it is printed.
fn own_looks(number: usize, arguments: &[Ty], types: &Types<'_>, depth: usize) -> Option<Looks> {
    let item = &types.source.types[number];
    let derives = |name: &str| item.derives.iter().any(|derived| derived == name);
    let compared = derives("PartialEq")
        || (0..types.source.impls.len()).any(|block| {
            let path = types.source.impls[block].trait_path.as_ref();
            number_of(block, types.source) == Some(number) && path.is_some_and(|path| path.is_ident("PartialEq"))
        });
    if !derives("Debug") || !compared {
        return None;
    }
    let path = super::types::subject(item.public.as_ref()?);
    let mut scope = types.enter_type(number, arguments);
    let mut variant = |name: &syn::Ident, path: String, fields: &syn::Fields| -> Option<Variant> {
        let field = |field: &syn::Field| -> Option<(Option<String>, Looks)> {
            let ty = types.resolve(&field.ty, &mut scope).ok()?;
            Some((field.ident.as_ref().map(ToString::to_string), looks(&ty, types, depth + 1)))
        };
        let fields = fields.iter().map(field).collect::<Option<Vec<_>>>()?;
        Some(Variant { name: name.to_string(), path, fields })
    };
    let variants = match &item.shape {
        Shape::Struct(fields) if fields.iter().all(|field| is_public(&field.vis)) && !item.non_exhaustive => {
            vec![variant(&syn::parse_str(&item.name).ok()?, path.clone(), fields)?]
        }
        Shape::Enum(variants) => {
            let all =
                variants.iter().map(|found| variant(&found.ident, format!("{path}::{}", found.ident), &found.fields));
            all.collect::<Option<Vec<_>>>()?
        }
        _ => return None,
    };
    Some(Looks::Own(path, variants))
}
