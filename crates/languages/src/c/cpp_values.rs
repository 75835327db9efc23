//! How the arguments of a C++ function are written: `{{"ab", 3}, {"c", 0}}` for a `std::map<std::string, int>`.
//!
//! What is here follows the call that `crate::prototypes` makes of the same types, part by part: which numbers a
//! value is made from, and how C++ writes it. A braced list initialises a parameter or a variable of its type.

use crate::prototypes::{Library, Prototype, Record, Room, TemplateArgument, Type};
use crate::values::{Form, Outline, Written};

/// A value: the numbers that it is made from, and how it is written.
type Value = (Outline, Form);

/// How the arguments of a function are written; none where one of them is nothing that can be written down.
pub fn written(prototype: &Prototype, room: Room) -> Option<Vec<Written>> {
    let made = Made { prototype, room };
    let arguments = prototype.own_parameters(prototype.needs_objects());
    arguments
        .map(|(at, parameter)| made.argument(at, &parameter.ty).map(|(outline, form)| Written { outline, form }))
        .collect()
}

struct Made<'p> {
    prototype: &'p Prototype,
    room: Room,
}

impl Made<'_> {
    fn argument(&self, at: usize, ty: &Type) -> Option<Value> {
        match ty.plain() {
            Type::Number { .. } | Type::Enumeration { .. } => self.value(ty),
            Type::Pointer(to) if to.library().is_none() => self.pointer(at, to),
            Type::Pointer(to) | Type::Reference(to) | Type::Moved(to) => self.object(to),
            _ => self.object(ty),
        }
    }

    fn pointer(&self, at: usize, to: &Type) -> Option<Value> {
        let all = |(outline, form): Value| (Outline::All(Box::new(outline)), list(form));
        match to.plain() {
            Type::Number { is_char: true, .. } => Some((Outline::All(Box::new(Outline::Number)), text())),
            Type::Number { .. } | Type::Enumeration { .. } | Type::Array(..) => self.value(to).map(all),
            Type::Record(_) if self.prototype.has_length(at) => self.value(to).map(all),
            Type::Record(_) => self.value(to).map(alone),
            _ => None,
        }
    }

    /// What is given by a reference, or made around the call.
    fn object(&self, ty: &Type) -> Option<Value> {
        let several = |of: &Type, form: &dyn Fn(Form) -> Form| {
            let (outline, element) = self.value(of)?;
            Some((Outline::Items(Box::new(outline), 0), form(element)))
        };
        match ty.library() {
            Some(Library::Text(of) | Library::View(of)) if is_char(of) => {
                Some((Outline::Items(Box::new(Outline::Number), 0), text()))
            }
            Some(Library::Text(of) | Library::View(of) | Library::Sequence(of)) => several(of, &list),
            Some(Library::Adapter(of)) => {
                // Its elements are the second argument of a heap, behind the order.
                let order = if matches!(ty.plain(), Type::Template(name, _) if name.ends_with("priority_queue")) {
                    "{}, "
                } else {
                    ""
                };
                let named = |form| bracketed(&format!("{}({order}{{", ty.plain()), form, "})");
                several(of, &named)
            }
            Some(Library::Map(key, value)) => {
                let (outline, entry) = self.entry(key, value)?;
                Some((Outline::Items(Box::new(outline), 0), list(entry)))
            }
            Some(Library::Input) => {
                let form = Form::Text("std::istringstream(".to_string(), ")".to_string());
                Some((Outline::Items(Box::new(Outline::Number), 0), form))
            }
            Some(Library::Output) => Some((Outline::Record(Vec::new()), Form::fixed("std::cout"))),
            _ => self.value(ty).map(alone),
        }
    }

    /// A value that is in memory.
    fn value(&self, ty: &Type) -> Option<Value> {
        let number = |form: Form| Some((Outline::Number, form));
        let inside = |of: &Type, room: u64| {
            let (outline, form) = self.value(of)?;
            Some((Outline::Items(Box::new(outline), usize::try_from(room).ok()?), list(form)))
        };
        match ty.plain() {
            Type::Number { is_char: true, .. } => number(Form::Char),
            Type::Number { name, .. } if name == "bool" => number(Form::Bool),
            Type::Number { name, .. } => number(Form::Number(name.clone())),
            Type::Enumeration { name, .. } if name.is_empty() => number(Form::Number("int".to_string())),
            Type::Enumeration { name, .. } => {
                number(Form::around(&format!("{name}(@0@)"), Form::Number("int".to_string())))
            }
            Type::Array(of, Some(count)) => {
                let (outline, form) = self.value(of)?;
                Some((Outline::Array(Box::new(outline), *count), list(form)))
            }
            Type::Record(record) => self.record(record),
            Type::Template(..) => match ty.library()? {
                Library::Text(of) | Library::View(of) if is_char(of) => {
                    let room = usize::try_from(self.room.bytes).ok()?;
                    Some((Outline::Items(Box::new(Outline::Number), room), text()))
                }
                Library::Text(of) | Library::Sequence(of) => inside(of, self.room.items),
                Library::Map(key, value) => {
                    let (outline, entry) = self.entry(key, value)?;
                    Some((Outline::Items(Box::new(outline), usize::try_from(self.room.items).ok()?), list(entry)))
                }
                Library::Tuple(parts) => {
                    let part = |part: &TemplateArgument| match part {
                        TemplateArgument::Type(ty) => self.value(ty),
                        TemplateArgument::Value(_) => None,
                    };
                    Some(side_by_side("", parts.iter().map(part).collect::<Option<_>>()?))
                }
                Library::Optional(of) => {
                    let (outline, form) = self.value(of)?;
                    let chosen = vec![Form::fixed("std::nullopt"), at(1, form)];
                    Some((
                        Outline::Record(vec![Outline::Number, outline]),
                        Form::Choice(Box::new(at(0, Form::Bool)), chosen),
                    ))
                }
                Library::Array(of, count) => {
                    let (outline, form) = self.value(of)?;
                    // An array is a class around one of C's, whose braces may be left out where nothing in it has any.
                    let is_plain = matches!(outline, Outline::Number) || matches!(form, Form::Text(..));
                    let form = if is_plain { list(form) } else { bracketed("{{", form, "}}") };
                    Some((Outline::Array(Box::new(outline), count), form))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn entry(&self, key: &Type, value: &Type) -> Option<Value> {
        Some(side_by_side("", vec![self.value(key)?, self.value(value)?]))
    }

    fn record(&self, record: &Record) -> Option<Value> {
        let fields = record.fields.iter().map(|field| self.value(&field.ty)).collect::<Option<Vec<_>>>()?;
        // Its name says what the fields are of.
        (!fields.is_empty()).then(|| side_by_side(&record.name, fields))
    }
}

/// A value that is an argument by itself: one behind a pointer, and what is in it is not passed in parts.
fn alone((outline, form): Value) -> Value {
    (Outline::Array(Box::new(outline), 1), at(0, form))
}

/// Values one after the other, in braces behind this name.
fn side_by_side(name: &str, values: Vec<Value>) -> Value {
    let (outlines, forms): (Vec<Outline>, Vec<Form>) = values.into_iter().unzip();
    let places: Vec<String> = (0..forms.len()).map(|number| format!("@{number}@")).collect();
    let forms = forms.into_iter().enumerate().map(|(number, form)| at(number, form)).collect();
    (Outline::Record(outlines), Form::Parts(format!("{name}{{{}}}", places.join(", ")), forms))
}

fn at(number: usize, form: Form) -> Form {
    Form::At(Some(number), Box::new(form))
}

fn bracketed(open: &str, form: Form, close: &str) -> Form {
    Form::Items(open.to_string(), Box::new(form), close.to_string())
}

fn list(form: Form) -> Form {
    bracketed("{", form, "}")
}

fn text() -> Form {
    Form::Text(String::new(), String::new())
}

fn is_char(ty: &Type) -> bool {
    matches!(ty.plain(), Type::Number { is_char: true, .. })
}
