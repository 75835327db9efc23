//! How a value of a type is made from plain data.
//!
//! Each way is a piece of Rust with `@` where the data is. What is borrowed is never given back, so that no lifetime can
//! be too short.

use std::cell::{Cell, RefCell};

use super::data::{Data, NOTHING, ROOM, record};
use super::items::{Crate, Shape, is_public};
use super::types::{Closure, Scope, Ty, Types, subject};

/// A value: the data that it is made from, and the expression that makes it.
#[derive(Clone, Debug)]
pub struct Value {
    pub data: Data,
    pub code: String,
}

/// Why there is no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The type contains itself, and this is deep enough.
    Deep,
    /// The reason, to be shown after the name of a parameter.
    Cannot(String),
}

pub type Made = Result<Value, Stop>;

/// How often a type may contain itself: the first of these that does not lead to more scalars than [`largest`] says.
const DEPTHS: [usize; 7] = [8, 6, 5, 4, 3, 2, 1];

/// The most scalars in a value that contains others of its own type, this often one inside the other, where collections
/// have their full room: a list of eight numbers, or a tree of fifteen. One level of them may be large.
fn largest(depth: usize) -> u64 {
    match depth {
        1 => u64::MAX,
        2 => 400,
        _ => 40,
    }
}

/// The most values that are looked at for one argument.
const EFFORT: usize = 20_000;

/// What is remembered while one value is made.
#[derive(Default)]
pub struct Making {
    /// The types of the crate around what is being made.
    around: RefCell<Vec<usize>>,
    /// Those of them that are made by one of their functions: these must not need one again.
    through: RefCell<Vec<usize>>,
    depth: usize,
    effort: Cell<usize>,
    /// Something was left out because it would have been too deep inside itself.
    deep: Cell<bool>,
}

pub fn cannot(why: impl Into<String>) -> Stop {
    Stop::Cannot(why.into())
}

/// The code of a part, found at this place below the data.
pub fn at(code: &str, place: &str) -> String {
    code.replace('@', place)
}

impl Types<'_> {
    /// How a value of this type is made as an argument. A type that contains itself is made as deep as is reasonable.
    pub fn value(&self, ty: &Ty) -> Result<Value, String> {
        self.limited(|making| self.make(ty, making))
    }

    /// Makes something that may contain itself, as deep as is reasonable.
    pub fn limited(&self, make: impl Fn(&Making) -> Made) -> Result<Value, String> {
        for depth in DEPTHS {
            let making = Making { depth, ..Making::default() };
            match make(&making) {
                Ok(value) if !making.deep.get() || value.data.scalars() <= largest(depth) => return Ok(value),
                Ok(_) => {}
                Err(Stop::Deep) => {}
                Err(Stop::Cannot(reason)) => return Err(reason),
            }
        }
        Err("it contains itself, without an end".to_string())
    }

    /// Whether a value of this type can be made at all.
    pub fn can_make(&self, ty: &Ty) -> bool {
        self.value(ty).is_ok()
    }

    /// How a value is made.
    pub fn make(&self, ty: &Ty, making: &Making) -> Made {
        making.effort.set(making.effort.get() + 1);
        if making.effort.get() > EFFORT {
            making.deep.set(true);
            return Err(Stop::Deep);
        }
        let source = self.source;
        Ok(match ty {
            Ty::Number("usize") => Value { data: Data::Size(false), code: "(@ as usize)".to_string() },
            Ty::Number("isize") => Value { data: Data::Scalar("i32", ""), code: "(@ as isize)".to_string() },
            Ty::Number(name) => Value { data: Data::Scalar(name, ""), code: "@".to_string() },
            Ty::Wide(name) => Value {
                data: Data::Array(Box::new(Data::Scalar("u64", "")), 2),
                code: format!("((@[0] as u128 | (@[1] as u128) << 64) as {name})"),
            },
            Ty::Bool => Value { data: Data::Scalar("bool", ""), code: "(@ != 0)".to_string() },
            Ty::Char => Value {
                data: Data::Scalar("u32", "0..=0xD7FF | 0xE000..=0x10FFFF"),
                code: "(unsafe { char::from_u32_unchecked(@) })".to_string(),
            },
            Ty::Tuple(types) => {
                let parts = types.iter().map(|ty| self.make(ty, making)).collect::<Result<Vec<_>, _>>()?;
                let (data, codes) = side_by_side(parts);
                let comma = if codes.len() == 1 { "," } else { "" };
                Value { data, code: format!("({}{comma})", codes.join(", ")) }
            }
            Ty::Array(element, length) => {
                let element = self.make(element, making)?;
                if element.data == NOTHING || *length == 0 {
                    let code = at(&element.code, "()");
                    return Ok(Value { data: NOTHING, code: format!("::core::array::from_fn(|_| {code})") });
                }
                let code = match element.code == "@" {
                    true => "@".to_string(),
                    false => format!("@.map(|e| {})", at(&element.code, "e")),
                };
                Value { data: Data::Array(Box::new(element.data), *length), code }
            }
            Ty::Reference(mutable, inner) => {
                let value = self.lent(inner, making)?;
                let code = if *mutable { value.code } else { format!("(&*{})", value.code) };
                Value { data: value.data, code }
            }
            Ty::Std(name, arguments) => self.library(name, arguments, making)?,
            Ty::Own(number, arguments) => self.own(*number, arguments, making)?,
            Ty::Closure(closure) => self.closure(closure, making)?,
            Ty::Empty(inner) => {
                let code = format!("<{} as ::core::default::Default>::default()", inner.text(source));
                Value { data: NOTHING, code }
            }
            Ty::Slice(_) | Ty::Str | Ty::Dyn(..) => {
                return Err(cannot(format!("`{}` has no size of its own", ty.text(source))));
            }
            Ty::Constant(value) => return Err(cannot(format!("`{value}` is not a type"))),
        })
    }

    /// A reference to a value, which may be changed through it.
    fn lent(&self, inner: &Ty, making: &Making) -> Made {
        let text = |code: &str| Ok(Value { data: Data::Text, code: code.to_string() });
        match inner {
            Ty::Slice(element) => match direct(element) {
                Some(_) => self.items(element, making, &format!("@.slice::<{}>()", element.text(self.source))),
                None => self.vector(element, making, ".leak()"),
            },
            Ty::Str => text("@.str()"),
            Ty::Std("Path", _) => text("::std::path::Path::new(@.str())"),
            Ty::Std("OsStr", _) => text("::std::ffi::OsStr::new(@.str())"),
            Ty::Dyn(chosen, _) => {
                let value = self.make(chosen, making)?;
                Ok(Value { data: value.data, code: format!("pessimum::leak({})", value.code) })
            }
            other => {
                let value = self.make(other, making)?;
                let code = format!("pessimum::leak::<{}>({})", other.text(self.source), value.code);
                Ok(Value { data: value.data, code })
            }
        }
    }

    /// A collection made from its elements by this code; `@` is the elements as they are.
    fn items(&self, element: &Ty, making: &Making, code: &str) -> Made {
        let element = self.make(element, making)?;
        Ok(Value { data: Data::Items(Box::new(element.data)), code: code.to_string() })
    }

    /// A vector of elements, and what is done with it.
    pub fn vector(&self, element: &Ty, making: &Making, then: &str) -> Made {
        let ty = element.text(self.source);
        let value = match self.make(element, making) {
            // Where an element would be too deep inside itself, there is none.
            Err(Stop::Deep) => {
                return Ok(Value { data: NOTHING, code: format!("::std::vec::Vec::<{ty}>::new(){then}") });
            }
            other => other?,
        };
        if value.data == NOTHING {
            return Err(cannot(format!("the elements `{ty}` of its collection hold no data")));
        }
        let code = match direct(element) {
            Some(_) => format!("@.slice::<{ty}>().to_vec(){then}"),
            None => {
                let made = at(&value.code, "e");
                format!("@.items().into_iter().map(|e| {made}).collect::<::std::vec::Vec<{ty}>>(){then}")
            }
        };
        Ok(Value { data: Data::Items(Box::new(value.data)), code })
    }

    fn library(&self, name: &str, arguments: &[Ty], making: &Making) -> Made {
        let source = self.source;
        let whole = || Ty::Std(known(name), arguments.to_vec()).text(source);
        let first = || arguments.first().ok_or_else(|| cannot(format!("`{name}` lacks its type")));
        let text = |code: &str| Ok(Value { data: Data::Text, code: code.to_string() });
        match name {
            "String" => text("@.str().to_string()"),
            "PathBuf" => text("::std::path::PathBuf::from(&*@.str())"),
            "OsString" => text("::std::ffi::OsString::from(&*@.str())"),
            "Chars" => text("@.str().chars()"),
            "CharIndices" => text("@.str().char_indices()"),
            "Bytes" => text("@.str().bytes()"),
            "Lines" => text("@.str().lines()"),
            "SplitWhitespace" => text("@.str().split_whitespace()"),
            "Vec" => self.vector(first()?, making, ""),
            "IntoIter" => self.vector(first()?, making, ".into_iter()"),
            "Iter" => self.vector(first()?, making, ".leak().iter()"),
            "VecDeque" | "LinkedList" | "BinaryHeap" | "HashSet" | "BTreeSet" => {
                self.vector(first()?, making, &format!(".into_iter().collect::<{}>()", whole()))
            }
            "HashMap" | "BTreeMap" => match arguments {
                [key, value, ..] => {
                    let pair = Ty::Tuple(vec![key.clone(), value.clone()]);
                    self.vector(&pair, making, &format!(".into_iter().collect::<{}>()", whole()))
                }
                _ => Err(cannot(format!("`{name}` lacks its types"))),
            },
            "Option" => match self.make(first()?, making) {
                Err(Stop::Deep) => Ok(Value { data: NOTHING, code: "::core::option::Option::None".to_string() }),
                inner => {
                    let (data, codes) = side_by_side(vec![flag(), inner?]);
                    let code = format!(
                        "(if {} {{ ::core::option::Option::Some({}) }} else {{ ::core::option::Option::None }})",
                        codes[0], codes[1]
                    );
                    Ok(Value { data, code })
                }
            },
            "Result" => match arguments {
                [good, bad] => {
                    let (good, bad) = (self.make(good, making)?, self.make(bad, making)?);
                    let (data, codes) = side_by_side(vec![flag(), good, bad]);
                    let code = format!(
                        "(if {} {{ ::core::result::Result::Ok({}) }} else {{ ::core::result::Result::Err({}) }})",
                        codes[0], codes[1], codes[2]
                    );
                    Ok(Value { data, code })
                }
                _ => Err(cannot("its `Result` has one type only, which is not looked up")),
            },
            "Box" | "Rc" | "Arc" | "Cow" => self.pointer(name, first()?, making),
            "Cell" | "RefCell" | "Mutex" | "RwLock" | "Cursor" | "Wrapping" | "Saturating" | "Reverse" => {
                let value = self.make(first()?, making)?;
                let new = if matches!(name, "Wrapping" | "Saturating" | "Reverse") { "" } else { "::new" };
                let path = Ty::Std(known(name), Vec::new()).text(source);
                Ok(Value { data: value.data, code: format!("{path}{new}({})", value.code) })
            }
            "Peekable" => {
                let value = self.make(first()?, making)?;
                Ok(Value { data: value.data, code: format!("::core::iter::Iterator::peekable({})", value.code) })
            }
            "Range" | "RangeInclusive" => {
                let (data, codes) = side_by_side(vec![self.make(first()?, making)?, self.make(first()?, making)?]);
                let dots = if name == "Range" { ".." } else { "..=" };
                Ok(Value { data, code: format!("({}{dots}{})", codes[0], codes[1]) })
            }
            "NonZero" => match first()? {
                Ty::Number(number) => {
                    let (kind, range) = nonzero(number).ok_or_else(|| cannot("`NonZero` of what is not whole"))?;
                    let code = format!("(unsafe {{ ::core::num::NonZero::<{number}>::new_unchecked(@ as {number}) }})");
                    Ok(Value { data: Data::Scalar(kind, range), code })
                }
                _ => Err(cannot("`NonZero` of more than 64 bits")),
            },
            "Ordering" => Ok(Value {
                data: Data::Choice(3),
                code: "(match @ { 0 => ::core::cmp::Ordering::Less, 1 => ::core::cmp::Ordering::Equal, _ => \
                       ::core::cmp::Ordering::Greater })"
                    .to_string(),
            }),
            "Duration" => Ok(Value {
                data: Data::Record(vec![Data::Scalar("u64", ""), Data::Scalar("u32", "0..=999999999")]),
                code: "::core::time::Duration::new(@.0, @.1)".to_string(),
            }),
            "Ipv4Addr" => {
                Ok(Value { data: Data::Scalar("u32", ""), code: "::core::net::Ipv4Addr::from_bits(@)".to_string() })
            }
            "PhantomData" => Ok(Value { data: NOTHING, code: "::core::marker::PhantomData".to_string() }),
            "RandomState" | "DefaultHasher" | "BuildHasherDefault" => {
                Ok(Value { data: NOTHING, code: format!("<{} as ::core::default::Default>::default()", whole()) })
            }
            _ => Err(cannot(format!("nothing can be made for `{name}`"))),
        }
    }

    /// What owns a value through a pointer.
    fn pointer(&self, name: &str, inner: &Ty, making: &Making) -> Made {
        let source = self.source;
        let path = Ty::Std(known(name), Vec::new()).text(source);
        let from = if name == "Cow" { format!("{path}::Owned") } else { format!("{path}::from") };
        let value = match inner {
            Ty::Str => Value { data: Data::Text, code: "@.str().to_string()".to_string() },
            Ty::Slice(element) => self.vector(element, making, "")?,
            Ty::Std("Path", _) => self.library("PathBuf", &[], making)?,
            Ty::Dyn(chosen, trait_name) => {
                let value = self.make(chosen, making)?;
                let code = format!("{path}::new({})", value.code);
                let code = match trait_name {
                    Some(name) => format!("({code} as {path}<dyn {name}>)"),
                    None => code,
                };
                return Ok(Value { data: value.data, code });
            }
            other => {
                let value = self.make(other, making)?;
                let new = if name == "Cow" { "Owned" } else { "new" };
                return Ok(Value { data: value.data, code: format!("{path}::{new}({})", value.code) });
            }
        };
        Ok(Value { data: value.data, code: format!("{from}({})", value.code) })
    }

    /// A value of a struct or an enum of the crate.
    fn own(&self, number: usize, arguments: &[Ty], making: &Making) -> Made {
        let item = &self.source.types[number];
        let name = &item.name;
        let Some(path) = &item.public else {
            return Err(cannot(format!("the type `{name}` is not public; write `pub` before it, or `pub use` it")));
        };
        let inside = making.around.borrow().iter().filter(|around| **around == number).count();
        if inside >= making.depth || making.through.borrow().contains(&number) {
            making.deep.set(true);
            return Err(Stop::Deep);
        }
        let written = match &item.shape {
            Shape::Struct(fields) => fields.iter().all(|field| is_public(&field.vis)) && !item.non_exhaustive,
            Shape::Enum(_) => true,
            Shape::Alias(_) | Shape::Union => false,
        };
        making.around.borrow_mut().push(number);
        let mut scope = self.enter_type(number, arguments);
        let made = match &item.shape {
            Shape::Struct(fields) if written => self.fields(fields, &subject(path), &mut scope, making),
            Shape::Enum(variants) => self.variants(name, variants, &subject(path), &mut scope, making),
            _ => {
                making.through.borrow_mut().push(number);
                let made = self.constructed(number, arguments, making);
                making.through.borrow_mut().pop();
                made
            }
        };
        making.around.borrow_mut().pop();
        made
    }

    /// A struct or a variant, written with its fields.
    fn fields(&self, fields: &syn::Fields, path: &str, scope: &mut Scope, making: &Making) -> Made {
        let mut parts = Vec::new();
        for field in fields {
            let ty = self.resolve(&field.ty, scope).map_err(Stop::Cannot)?;
            parts.push(self.make(&ty, making)?);
        }
        let (data, codes) = side_by_side(parts);
        let list = fields.iter().zip(&codes).map(|(field, code)| match &field.ident {
            Some(name) => format!("{name}: {code}"),
            None => code.clone(),
        });
        let list = list.collect::<Vec<_>>().join(", ");
        let code = match fields {
            syn::Fields::Unit => path.to_string(),
            syn::Fields::Named(_) => format!("{path} {{ {list} }}"),
            _ => format!("{path}({list})"),
        };
        Ok(Value { data, code })
    }

    /// A choice among the variants of an enum. Those that would be too deep inside themselves are left out.
    fn variants(&self, name: &str, variants: &[syn::Variant], path: &str, scope: &mut Scope, making: &Making) -> Made {
        let mut parts = Vec::new();
        for variant in variants {
            match self.fields(&variant.fields, &format!("{path}::{}", variant.ident), scope, making) {
                Ok(part) => parts.push(part),
                Err(Stop::Deep) => {}
                Err(Stop::Cannot(why)) => {
                    return Err(cannot(format!("its variant `{name}::{}`: {why}", variant.ident)));
                }
            }
        }
        if parts.is_empty() {
            return Err(if variants.is_empty() { cannot(format!("`{name}` has no values")) } else { Stop::Deep });
        }
        if parts.len() == 1 {
            return Ok(parts.remove(0));
        }
        let choice = Value { data: Data::Choice(parts.len()), code: "@".to_string() };
        let (data, codes) = side_by_side([vec![choice], parts].concat());
        let mut arms = String::new();
        let last = codes.len() - 2;
        for (number, code) in codes[1..].iter().enumerate() {
            let pattern = if number == last { "_".to_string() } else { number.to_string() };
            arms += &format!("{pattern} => {code}, ");
        }
        Ok(Value { data, code: format!("(match {} {{ {arms}}})", codes[0]) })
    }

    /// Something to call. Where a natural answer exists, as for a comparison, it is given; otherwise the answers are
    /// input, one after the other and then again from the first.
    fn closure(&self, closure: &Closure, making: &Making) -> Made {
        let source = self.source;
        let names: Vec<String> = (0..closure.inputs.len()).map(|i| format!("x{i}")).collect();
        let typed = |inputs: &[Ty]| {
            let inputs = inputs.iter().zip(&names);
            inputs.map(|(ty, name)| format!("{name}: {}", ty.text(source))).collect::<Vec<_>>().join(", ")
        };
        let plain = |answer: &str| {
            let inputs = typed(&closure.inputs);
            Value { data: NOTHING, code: format!("(|{inputs}| {answer})") }
        };
        if closure.output == Ty::Tuple(Vec::new()) {
            return Ok(plain("()"));
        }
        if let [left, right] = &closure.inputs[..]
            && left == right
        {
            let float = matches!(behind(left), Ty::Number("f32" | "f64"));
            let answer = match &closure.output {
                Ty::Std("Ordering", _) if left.is_ordered() => Some("::core::cmp::Ord::cmp(&x0, &x1)"),
                Ty::Std("Ordering", _) if float => {
                    Some("::core::cmp::PartialOrd::partial_cmp(&x0, &x1).unwrap_or(::core::cmp::Ordering::Equal)")
                }
                Ty::Bool if left.is_ordered() || float => Some("x0 < x1"),
                _ => None,
            };
            if let Some(answer) = answer {
                return Ok(plain(answer));
            }
        }
        for (ty, name) in closure.inputs.iter().zip(&names) {
            if *ty == closure.output {
                // Without types, the lifetimes are those that the function expects.
                let borrows = matches!(ty, Ty::Reference(..));
                let code = format!("(|{}| {name})", names.join(", "));
                return Ok(if borrows { Value { data: NOTHING, code } } else { plain(name) });
            }
            if matches!(ty, Ty::Reference(_, inner) if **inner == closure.output) {
                return Ok(plain(&format!("::core::clone::Clone::clone({name})")));
            }
        }
        if closure.pointer {
            return Err(cannot("it is a pointer to a function, whose answers cannot be input"));
        }
        let answer = self.make(&closure.output, making)?;
        if answer.data == NOTHING {
            return Ok(plain(&at(&answer.code, "()")));
        }
        let code = format!(
            "{{ let answers = @; let next = ::core::cell::Cell::new(0usize); move |{}| {{ let e = answers[next.get()]; \
             next.set((next.get() + 1) % {ROOM}); {} }} }}",
            typed(&closure.inputs),
            at(&answer.code, "e")
        );
        Ok(Value { data: Data::Array(Box::new(answer.data), ROOM as u64), code })
    }
}

/// Puts values side by side. Returns their data together, and the code of each.
pub fn side_by_side(values: Vec<Value>) -> (Data, Vec<String>) {
    let (parts, codes): (Vec<Data>, Vec<String>) = values.into_iter().map(|value| (value.data, value.code)).unzip();
    let (data, places) = record(parts);
    (data, codes.iter().zip(&places).map(|(code, place)| at(code, place)).collect())
}

fn flag() -> Value {
    Value { data: Data::Scalar("bool", ""), code: "(@ != 0)".to_string() }
}

/// The type of elements whose values are the data itself, so that a slice of data is a slice of them.
fn direct(ty: &Ty) -> Option<&Ty> {
    matches!(ty, Ty::Number(_) | Ty::Bool | Ty::Char).then_some(ty)
}

/// A type, without the reference to it.
fn behind(ty: &Ty) -> &Ty {
    match ty {
        Ty::Reference(_, inner) => behind(inner),
        other => other,
    }
}

/// Numbers of this type except zero.
fn nonzero(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "u8" => ("u8", "1..=255"),
        "u16" => ("u16", "1..=65535"),
        "u32" | "usize" => ("u32", "1..=4294967295"),
        "u64" => ("u64", "1..=18446744073709551615"),
        "i8" => ("i8", "-128..=-1 | 1..=127"),
        "i16" => ("i16", "-32768..=-1 | 1..=32767"),
        "i32" | "isize" => ("i32", "-2147483648..=-1 | 1..=2147483647"),
        "i64" => ("i64", "-9223372036854775808..=-1 | 1..=9223372036854775807"),
        _ => return None,
    })
}

/// The name in the list of types of the library.
fn known(name: &str) -> &'static str {
    super::types::std_name(name)
}

/// Whether the crate has a name for the type, so that its functions can be called.
pub fn is_named(ty: &Ty, source: &Crate) -> bool {
    match ty {
        Ty::Own(number, arguments) => {
            source.types[*number].public.is_some() && arguments.iter().all(|ty| is_named(ty, source))
        }
        Ty::Slice(ty) | Ty::Array(ty, _) | Ty::Reference(_, ty) => is_named(ty, source),
        Ty::Tuple(types) | Ty::Std(_, types) => types.iter().all(|ty| is_named(ty, source)),
        _ => true,
    }
}
