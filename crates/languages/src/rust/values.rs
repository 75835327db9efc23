//! How a value of a type is made from plain data.
//!
//! Each way is a piece of Rust with `@` where the data is. What is borrowed is never given back, so that no lifetime can
//! be too short. Beside it is how the same value is written in a test, once its data is known.

use std::cell::{Cell, RefCell};

use super::data::{CHARACTERS, Data, NOTHING, record};
use super::items::{Crate, Shape, is_public};
use super::types::{Closure, Scope, Ty, Types, subject};
use crate::values::{ANSWERS, Form};

/// A value: the data that it is made from, the expression that makes it, and how a test writes it.
#[derive(Clone, Debug)]
pub struct Value {
    pub data: Data,
    pub code: String,
    pub form: Form,
}

impl Value {
    pub fn new(data: Data, code: impl Into<String>, form: Form) -> Value {
        Value { data, code: code.into(), form }
    }

    /// Made from nothing: it is written as it is made.
    pub fn fixed(code: impl Into<String>) -> Value {
        let code = code.into();
        Value { data: NOTHING, form: Form::Fixed(code.clone()), code }
    }
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

/// How many answers a closure has before it gives them again.
const ANSWER_COUNT: u64 = 8;

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
            Ty::Number("usize") => Value::new(Data::Size(false), "(@ as usize)", number("usize")),
            Ty::Number("isize") => Value::new(Data::Scalar("i32", ""), "(@ as isize)", number("isize")),
            Ty::Number(name) => Value::new(Data::Scalar(name, ""), "@", number(name)),
            Ty::Wide(name) => Value::new(
                Data::Array(Box::new(Data::Scalar("u64", "")), 2),
                format!("((@[0] as u128 | (@[1] as u128) << 64) as {name})"),
                Form::Wide(name.to_string()),
            ),
            Ty::Bool => flag(),
            Ty::Char => {
                Value::new(Data::Scalar("u32", CHARACTERS), "(unsafe { char::from_u32_unchecked(@) })", Form::Char)
            }
            Ty::Tuple(types) => {
                let parts = types.iter().map(|ty| self.make(ty, making)).collect::<Result<Vec<_>, _>>()?;
                let (data, codes, forms) = side_by_side(parts);
                let comma = if codes.len() == 1 { "," } else { "" };
                let form = Form::Parts(format!("({}{comma})", places(forms.len())), forms);
                Value::new(data, format!("({}{comma})", codes.join(", ")), form)
            }
            Ty::Array(element, length) => {
                let element = self.make(element, making)?;
                if element.data == NOTHING || *length == 0 {
                    let code = at(&element.code, "()");
                    return Ok(Value::fixed(format!("::core::array::from_fn(|_| {code})")));
                }
                let code = match element.code == "@" {
                    true => "@".to_string(),
                    false => format!("@.map(|e| {})", at(&element.code, "e")),
                };
                let form = Form::Items("[".to_string(), Box::new(element.form), "]".to_string());
                Value::new(Data::Array(Box::new(element.data), *length), code, form)
            }
            Ty::Reference(mutable, inner) => {
                let value = self.lent(inner, making)?;
                let code = if *mutable { value.code } else { format!("(&*{})", value.code) };
                let form = match value.form {
                    // A text in quotes is a reference already.
                    form @ Form::Text(..) if !mutable => form,
                    form if *mutable => Form::around("&mut @0@", form),
                    form => Form::around("&@0@", form),
                };
                Value::new(value.data, code, form)
            }
            Ty::Std(name, arguments) => self.library(name, arguments, making)?,
            Ty::Own(number, arguments) => self.own(*number, arguments, making)?,
            Ty::Closure(closure) => self.closure(closure, making)?,
            Ty::Empty(inner) => {
                Value::fixed(format!("<{} as ::core::default::Default>::default()", inner.text(source)))
            }
            Ty::Slice(_) | Ty::Str | Ty::Dyn(..) => {
                return Err(cannot(format!("`{}` has no size of its own", ty.text(source))));
            }
            Ty::Constant(value) => return Err(cannot(format!("`{value}` is not a type"))),
        })
    }

    /// A reference to a value, which may be changed through it. Its form is that of the value.
    fn lent(&self, inner: &Ty, making: &Making) -> Made {
        match inner {
            Ty::Slice(element) => {
                let value = match direct(element) {
                    Some(_) => self.items(element, making, &format!("@.slice::<{}>()", element.text(self.source)))?,
                    None => self.vector(element, making, ".leak()", "")?,
                };
                // An array is lent as well as a vector.
                let form = match value.form {
                    Form::Items(_, element, _) => Form::Items("[".to_string(), element, "]".to_string()),
                    other => other,
                };
                Ok(Value { form, ..value })
            }
            Ty::Str => Ok(self.text_of("@.str()", "", "")),
            Ty::Std("Path", _) => Ok(self.text_of("::std::path::Path::new(@.str())", "*::std::path::Path::new(", ")")),
            Ty::Std("OsStr", _) => Ok(self.text_of("::std::ffi::OsStr::new(@.str())", "*::std::ffi::OsStr::new(", ")")),
            Ty::Dyn(chosen, _) => {
                let value = self.make(chosen, making)?;
                Ok(Value { code: format!("pessimum::leak({})", value.code), ..value })
            }
            other => {
                let value = self.make(other, making)?;
                let code = format!("pessimum::leak::<{}>({})", other.text(self.source), value.code);
                Ok(Value { code, ..value })
            }
        }
    }

    /// A collection made from its elements by this code; `@` is the elements as they are.
    fn items(&self, element: &Ty, making: &Making, code: &str) -> Made {
        let element = self.make(element, making)?;
        let form = Form::Items("vec![".to_string(), Box::new(element.form), "]".to_string());
        Ok(Value::new(Data::Items(Box::new(element.data), self.room), code, form))
    }

    /// A vector of elements, and what is done with it: here, and in a test.
    pub fn vector(&self, element: &Ty, making: &Making, then: &str, written: &str) -> Made {
        let ty = element.text(self.source);
        let value = match self.make(element, making) {
            // Where an element would be too deep inside itself, there is none.
            Err(Stop::Deep) => {
                let form = Form::Fixed(format!("::std::vec::Vec::<{ty}>::new(){written}"));
                return Ok(Value::new(NOTHING, format!("::std::vec::Vec::<{ty}>::new(){then}"), form));
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
        let form = Form::Items("vec![".to_string(), Box::new(value.form), format!("]{written}"));
        Ok(Value::new(Data::Items(Box::new(value.data), self.room), code, form))
    }

    fn library(&self, name: &str, arguments: &[Ty], making: &Making) -> Made {
        let source = self.source;
        let whole = || Ty::Std(known(name), arguments.to_vec()).text(source);
        let first = || arguments.first().ok_or_else(|| cannot(format!("`{name}` lacks its type")));
        let method = |name: &str| Ok(self.text_of(&format!("@.str(){name}"), "", name));
        match name {
            "String" => method(".to_string()"),
            "PathBuf" => Ok(self.text_of("::std::path::PathBuf::from(&*@.str())", "::std::path::PathBuf::from(", ")")),
            "OsString" => Ok(self.text_of("::std::ffi::OsString::from(&*@.str())", "::std::ffi::OsString::from(", ")")),
            "Chars" => method(".chars()"),
            "CharIndices" => method(".char_indices()"),
            "Bytes" => method(".bytes()"),
            "Lines" => method(".lines()"),
            "SplitWhitespace" => method(".split_whitespace()"),
            "Vec" => self.vector(first()?, making, "", ""),
            "IntoIter" => self.vector(first()?, making, ".into_iter()", ".into_iter()"),
            "Iter" => self.vector(first()?, making, ".leak().iter()", ".iter()"),
            "VecDeque" | "LinkedList" | "BinaryHeap" | "HashSet" | "BTreeSet" => {
                let collected = format!(".into_iter().collect::<{}>()", whole());
                self.vector(first()?, making, &collected, &collected)
            }
            "HashMap" | "BTreeMap" => match arguments {
                [key, value, ..] => {
                    let pair = Ty::Tuple(vec![key.clone(), value.clone()]);
                    let collected = format!(".into_iter().collect::<{}>()", whole());
                    self.vector(&pair, making, &collected, &collected)
                }
                _ => Err(cannot(format!("`{name}` lacks its types"))),
            },
            "Option" => match self.make(first()?, making) {
                Err(Stop::Deep) => Ok(Value::new(NOTHING, "::core::option::Option::None", Form::fixed("None"))),
                inner => {
                    let (data, codes, mut forms) = side_by_side(vec![flag(), inner?]);
                    let some = Form::around("Some(@0@)", forms.remove(1));
                    let form = Form::Choice(Box::new(forms.remove(0)), vec![Form::fixed("None"), some]);
                    let code = format!(
                        "(if {} {{ ::core::option::Option::Some({}) }} else {{ ::core::option::Option::None }})",
                        codes[0], codes[1]
                    );
                    Ok(Value::new(data, code, form))
                }
            },
            "Result" => match arguments {
                [good, bad] => {
                    let (good, bad) = (self.make(good, making)?, self.make(bad, making)?);
                    let (data, codes, mut forms) = side_by_side(vec![flag(), good, bad]);
                    let code = format!(
                        "(if {} {{ ::core::result::Result::Ok({}) }} else {{ ::core::result::Result::Err({}) }})",
                        codes[0], codes[1], codes[2]
                    );
                    let bad = Form::around("Err(@0@)", forms.remove(2));
                    let good = Form::around("Ok(@0@)", forms.remove(1));
                    Ok(Value::new(data, code, Form::Choice(Box::new(forms.remove(0)), vec![bad, good])))
                }
                _ => Err(cannot("its `Result` has one type only, which is not looked up")),
            },
            "Box" | "Rc" | "Arc" | "Cow" => self.pointer(name, first()?, making),
            "Cell" | "RefCell" | "Mutex" | "RwLock" | "Cursor" | "Wrapping" | "Saturating" | "Reverse" => {
                let value = self.make(first()?, making)?;
                let new = if matches!(name, "Wrapping" | "Saturating" | "Reverse") { "" } else { "::new" };
                let path = Ty::Std(known(name), Vec::new()).text(source);
                Ok(value.inside(&format!("{path}{new}(@0@)")))
            }
            "Peekable" => Ok(self.make(first()?, making)?.inside("::core::iter::Iterator::peekable(@0@)")),
            "Range" | "RangeInclusive" => {
                let both = vec![self.make(first()?, making)?, self.make(first()?, making)?];
                let (data, codes, forms) = side_by_side(both);
                let dots = if name == "Range" { ".." } else { "..=" };
                let form = Form::Parts(format!("(@0@{dots}@1@)"), forms);
                Ok(Value::new(data, format!("({}{dots}{})", codes[0], codes[1]), form))
            }
            "NonZero" => match first()? {
                Ty::Number(number) => {
                    let (kind, range) = nonzero(number).ok_or_else(|| cannot("`NonZero` of what is not whole"))?;
                    let code = format!("(unsafe {{ ::core::num::NonZero::<{number}>::new_unchecked(@ as {number}) }})");
                    let form = Form::around("::core::num::NonZero::new(@0@).unwrap()", self::number(number));
                    Ok(Value::new(Data::Scalar(kind, range), code, form))
                }
                _ => Err(cannot("`NonZero` of more than 64 bits")),
            },
            "Ordering" => {
                let names = ["Less", "Equal", "Greater"].map(|name| format!("::core::cmp::Ordering::{name}"));
                let code = format!("(match @ {{ 0 => {}, 1 => {}, _ => {} }})", names[0], names[1], names[2]);
                let form = Form::Choice(Box::new(number("u8")), names.map(Form::Fixed).to_vec());
                Ok(Value::new(Data::Choice(3), code, form))
            }
            "Duration" => {
                let seconds = Form::At(Some(0), Box::new(number("u64")));
                let rest = Form::At(Some(1), Box::new(number("u32")));
                Ok(Value::new(
                    Data::Record(vec![Data::Scalar("u64", ""), Data::Scalar("u32", "0..=999999999")]),
                    "::core::time::Duration::new(@.0, @.1)",
                    Form::Parts("::core::time::Duration::new(@0@, @1@)".to_string(), vec![seconds, rest]),
                ))
            }
            "Ipv4Addr" => {
                let value = Value::new(Data::Scalar("u32", ""), "@", number("u32"));
                Ok(value.inside("::core::net::Ipv4Addr::from_bits(@0@)"))
            }
            "PhantomData" => Ok(Value::fixed("::core::marker::PhantomData")),
            "RandomState" | "DefaultHasher" | "BuildHasherDefault" => {
                Ok(Value::fixed(format!("<{} as ::core::default::Default>::default()", whole())))
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
            Ty::Str => self.text_of("@.str().to_string()", "", ".to_string()"),
            Ty::Slice(element) => self.vector(element, making, "", "")?,
            Ty::Std("Path", _) => self.library("PathBuf", &[], making)?,
            Ty::Dyn(chosen, trait_name) => {
                let value = self.make(chosen, making)?;
                let made = format!("{path}::new(@0@)");
                return Ok(value.inside(&match trait_name {
                    Some(name) => format!("({made} as {path}<dyn {name}>)"),
                    None => made,
                }));
            }
            other => {
                let new = if name == "Cow" { "Owned" } else { "new" };
                return Ok(self.make(other, making)?.inside(&format!("{path}::{new}(@0@)")));
            }
        };
        Ok(value.inside(&format!("{from}(@0@)")))
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
        let (data, codes, forms) = side_by_side(parts);
        let written = |parts: Vec<String>| {
            let list = fields.iter().zip(&parts).map(|(field, part)| match &field.ident {
                Some(name) => format!("{name}: {part}"),
                None => part.clone(),
            });
            let list = list.collect::<Vec<_>>().join(", ");
            match fields {
                syn::Fields::Unit => path.to_string(),
                syn::Fields::Named(_) => format!("{path} {{ {list} }}"),
                _ => format!("{path}({list})"),
            }
        };
        let form = Form::Parts(written((0..forms.len()).map(|at| format!("@{at}@")).collect()), forms);
        Ok(Value::new(data, written(codes), form))
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
        let choice = Value::new(Data::Choice(parts.len()), "@", number("u8"));
        let (data, codes, mut forms) = side_by_side([vec![choice], parts].concat());
        let form = Form::Choice(Box::new(forms.remove(0)), forms);
        let mut arms = String::new();
        let last = codes.len() - 2;
        for (number, code) in codes[1..].iter().enumerate() {
            let pattern = if number == last { "_".to_string() } else { number.to_string() };
            arms += &format!("{pattern} => {code}, ");
        }
        Ok(Value::new(data, format!("(match {} {{ {arms}}})", codes[0]), form))
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
            Value::fixed(format!("(|{inputs}| {answer})"))
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
                return Ok(if borrows { Value::fixed(code) } else { plain(name) });
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
        let closure = |answers: &str, answer: &str| {
            format!(
                "{ANSWERS}{answers}; let next = ::core::cell::Cell::new(0usize); move |{}| {{ let e = \
                 answers[next.get()]{}; next.set((next.get() + 1) % {ANSWER_COUNT}); {answer} }} }}",
                typed(&closure.inputs),
                if answers == "@" { "" } else { ".clone()" }
            )
        };
        let code = closure("@", &at(&answer.code, "e"));
        let answers = Form::Items("[".to_string(), Box::new(answer.form), "]".to_string());
        let form = Form::around(&closure("@0@", "e"), answers);
        Ok(Value::new(Data::Array(Box::new(answer.data), ANSWER_COUNT), code, form))
    }
}

impl Types<'_> {
    /// What is made from a text, here and in a test: what stands before and after it there.
    pub fn text_of(&self, code: &str, before: &str, after: &str) -> Value {
        Value::new(Data::Text(self.room), code, Form::Text(before.to_string(), after.to_string()))
    }
}

impl Value {
    /// What is made from this value, whose place in the text is `@0@`.
    pub fn inside(self, text: &str) -> Value {
        Value { data: self.data, code: text.replace("@0@", &self.code), form: Form::around(text, self.form) }
    }
}

/// Puts values side by side. Returns their data together, and the code and the form of each.
pub fn side_by_side(values: Vec<Value>) -> (Data, Vec<String>, Vec<Form>) {
    let (data, found) = record(values.iter().map(|value| value.data.clone()).collect());
    let codes = values.iter().zip(&found).map(|(value, place)| at(&value.code, place)).collect();
    let form = |(value, place): (Value, &String)| match place.strip_prefix("@.").and_then(|number| number.parse().ok())
    {
        Some(number) => Form::At(Some(number), Box::new(value.form)),
        None => Form::At(None, Box::new(value.form)),
    };
    (data, codes, values.into_iter().zip(&found).map(form).collect())
}

/// The places of so many parts, with commas between them.
pub fn places(count: usize) -> String {
    (0..count).map(|at| format!("@{at}@")).collect::<Vec<_>>().join(", ")
}

fn flag() -> Value {
    Value::new(Data::Scalar("bool", ""), "(@ != 0)", Form::Bool)
}

fn number(ty: &str) -> Form {
    Form::Number(ty.to_string())
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
