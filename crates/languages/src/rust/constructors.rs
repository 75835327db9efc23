//! Values of types whose fields are private: made by one of their own functions, and filled where they are collections.

use syn::{FnArg, ReturnType, Type};

use super::data::{Data, NOTHING};
use super::items::Function;
use super::names::Found;
use super::types::{Scope, Ty, Types, names, subject, types};
use super::values::{Made, Making, Stop, Value, at, cannot, places, side_by_side};
use crate::values::Form;

/// Methods that put one more element into a collection, the usual ones first.
const FILLERS: [&str; 8] = ["push", "push_back", "insert", "enqueue", "put", "add", "append", "set"];

/// A way to begin: the value, and how good a way it is.
struct Beginning {
    value: Value,
    name: String,
}

impl Types<'_> {
    /// A value of a type of the crate, made by one of its functions.
    pub fn constructed(&self, number: usize, arguments: &[Ty], making: &Making) -> Made {
        let own = Ty::Own(number, arguments.to_vec());
        let item = &self.source.types[number];
        let mut beginnings = Vec::new();
        let mut filler = None;
        for block in 0..self.source.impls.len() {
            let Some(scope) = self.enter_impl_for(block, &own) else { continue };
            let of_trait = self.source.impls[block].trait_path.is_some();
            for &function in &self.source.impls[block].functions {
                let function = &self.source.functions[function];
                if of_trait || !function.visible || function.signature.asyncness.is_some() || function.is_unsafe() {
                    continue;
                }
                let path = format!("<{}>::{}", own.text(self.source), function.name);
                if let Some(Ok(value)) = self.constructor(function, &path, &own, &scope, making) {
                    beginnings.push(Beginning { value, name: function.name.clone() });
                } else if let Some(at) = FILLERS.iter().position(|name| function.name == *name)
                    && filler.as_ref().is_none_or(|(known, _)| *known > at)
                    && let Some(value) = self.filler(function, &own, &scope, making)
                {
                    filler = Some((at, value));
                }
            }
        }
        for function in &self.source.functions {
            // A function beside the type may be the way to make one: `parse(text) -> Tree`.
            if let (None, Some(path), None, false) =
                (function.owner, &function.public, function.signature.asyncness, function.is_unsafe())
                && let Some(Ok(value)) =
                    self.constructor(function, &subject(path), &own, &Scope::new(function.module), making)
            {
                beginnings.push(Beginning { value, name: String::new() });
            }
        }
        beginnings.extend(self.by_traits(&own, making));
        if item.derives.iter().any(|name| name == "Default") {
            beginnings.push(self.default_value(&own));
        }
        let filler = filler.map(|(_, filler)| filler);
        let rank = |beginning: &Beginning| {
            let (nothing, grows) = (beginning.value.data == NOTHING, beginning.value.data.grows());
            let name = beginning.name.as_str();
            match name {
                "new" if !nothing => 0,
                // Filled step by step, a collection is as it comes to be in use.
                _ if nothing && filler.is_some() && matches!(name, "new" | "default" | "with_capacity") => 1,
                _ if grows && name.starts_with("from") => 2,
                _ if grows => 3,
                _ if !nothing && name.starts_with("with") => 4,
                _ if !nothing => 5,
                "new" => 6,
                "default" => 7,
                _ => 8,
            }
        };
        let Some(best) = beginnings.iter().min_by_key(|beginning| rank(beginning)) else {
            let what = if item.non_exhaustive { "is `#[non_exhaustive]`" } else { "has private fields" };
            return Err(cannot(format!(
                "`{}` {what}, and none of its public functions makes one from what can be passed; write `pub fn new`, \
                 derive `Default`, or write a `pub fn` that makes one and calls this function",
                item.name
            )));
        };
        let begun = best.value.clone();
        match filler.filter(|_| !begun.data.grows()) {
            Some(filler) => {
                let form = Form::Statements(Box::new(filler.form));
                let items = Value::new(Data::Items(Box::new(filler.data), self.room), "@", form);
                let (data, codes, forms) = side_by_side(vec![begun, items]);
                let code = format!(
                    "{{ let mut made = {}; for e in {}.items() {{ {} }} made }}",
                    codes[0],
                    codes[1],
                    at(&filler.code, "e")
                );
                Ok(Value::new(data, code, Form::Parts("{ let mut made = @0@; @1@made }".to_string(), forms)))
            }
            None => Ok(begun),
        }
    }

    /// A call of a function that returns a value of the type; `None` for any other function.
    fn constructor(&self, function: &Function, path: &str, own: &Ty, scope: &Scope, making: &Making) -> Option<Made> {
        let ReturnType::Type(_, output) = &function.signature.output else { return None };
        if function.signature.receiver().is_some() {
            return None;
        }
        let mut scope = scope.clone();
        self.enter(&mut scope, &function.signature.generics).ok()?;
        let unwrap = self.gives(output, own, &mut scope)?;
        let inputs: Vec<&syn::PatType> = function
            .signature
            .inputs
            .iter()
            .filter_map(|input| if let FnArg::Typed(input) = input { Some(input) } else { None })
            .collect();
        // Room for more changes nothing that anybody could see.
        if let [only] = inputs[..]
            && function.name == "with_capacity"
            && self.resolve(&only.ty, &mut scope) == Ok(Ty::Number("usize"))
        {
            let form = Form::Fixed(format!("{path}(8){}", unwrapped(unwrap)));
            return Some(Ok(Value::new(NOTHING, format!("{path}(8){unwrap}"), form)));
        }
        let mut parts = Vec::new();
        for input in inputs {
            let made = self.resolve(&input.ty, &mut scope).map_err(Stop::Cannot);
            match made.and_then(|ty| self.make(&ty, making)) {
                Ok(Value { data: Data::Size(_), code, form }) => {
                    parts.push(Value::new(Data::Size(is_length(&super::items::written(&input.pat))), code, form));
                }
                Ok(part) => parts.push(part),
                Err(why) => return Some(Err(why)),
            }
        }
        let (data, codes, forms) = side_by_side(parts);
        let code = format!("{path}({}){unwrap}", codes.join(", "));
        let form = Form::Parts(format!("{path}({}){}", places(forms.len()), unwrapped(unwrap)), forms);
        Some(Ok(Value::new(data, code, form)))
    }

    /// What takes the value out of what a function returns; `None` where there is none in it.
    fn gives(&self, output: &Type, own: &Ty, scope: &mut Scope) -> Option<&'static str> {
        if let Ok(ty) = self.resolve(output, scope)
            && ty == *own
        {
            return Some("");
        }
        let Type::Path(path) = output else { return None };
        let Some(Found::Outside(found)) = self.source.find(scope.module, &names(&path.path)) else {
            // An alias of `Result` for the crate's own errors.
            let last = path.path.segments.last().filter(|last| last.ident == "Result")?;
            let first = types(&last.arguments).into_iter().flatten().next()?;
            return (self.resolve(first, scope).as_ref() == Ok(own)).then_some(TAKE);
        };
        let last = path.path.segments.last()?;
        let first = types(&last.arguments).into_iter().flatten().next()?;
        let fits = matches!(found.last()?.as_str(), "Option" | "Result");
        (fits && self.resolve(first, scope).as_ref() == Ok(own)).then_some(TAKE)
    }

    /// A statement that puts one more element, `@`, into the value `made`.
    fn filler(&self, function: &Function, own: &Ty, scope: &Scope, making: &Making) -> Option<Value> {
        let receiver = function.signature.receiver()?;
        if !matches!(&receiver.kind, syn::ReceiverKind::Reference(_, _, Some(_))) {
            return None;
        }
        let mut scope = scope.clone();
        self.enter(&mut scope, &function.signature.generics).ok()?;
        let mut parts = Vec::new();
        for input in &function.signature.inputs {
            if let FnArg::Typed(input) = input {
                let ty = self.resolve(&input.ty, &mut scope).ok()?;
                parts.push(self.make(&ty, making).ok()?);
            }
        }
        let (data, codes, forms) = side_by_side(parts);
        if data == NOTHING {
            return None;
        }
        let code = format!("let _ = <{}>::{}(&mut made, {});", own.text(self.source), function.name, codes.join(", "));
        let form = Form::Parts(format!("let _ = made.{}({}); ", function.name, places(forms.len())), forms);
        Some(Value::new(data, code, form))
    }

    /// The ways through traits of the library: `Default`, `From`, `FromIterator`, `FromStr`.
    fn by_traits(&self, own: &Ty, making: &Making) -> Vec<Beginning> {
        let mut found = Vec::new();
        for number in 0..self.source.impls.len() {
            let block = &self.source.impls[number];
            let Some(path) = &block.trait_path else { continue };
            let Some(last) = path.segments.last() else { continue };
            let name = last.ident.to_string();
            if !matches!(name.as_str(), "Default" | "From" | "FromIterator" | "FromStr") {
                continue;
            }
            let Some(mut scope) = self.enter_impl_for(number, own) else { continue };
            let given = types(&last.arguments).into_iter().flatten().next();
            let given = given.and_then(|ty| self.resolve(ty, &mut scope).ok());
            let owner = own.text(self.source);
            match (name.as_str(), given) {
                ("Default", _) => found.push(self.default_value(own)),
                ("From", Some(ty)) => {
                    if let Ok(value) = self.make(&ty, making) {
                        let value = value.inside(&format!("<{owner} as ::core::convert::From<_>>::from(@0@)"));
                        found.push(Beginning { value, name: "from".to_string() });
                    }
                }
                ("FromIterator", Some(ty)) => {
                    if let Ok(value) = self.vector(&ty, making, "", "") {
                        let value =
                            value.inside(&format!("<{owner} as ::core::iter::FromIterator<_>>::from_iter(@0@)"));
                        found.push(Beginning { value, name: "from".to_string() });
                    }
                }
                ("FromStr", _) => {
                    let call = format!("<{owner} as ::core::str::FromStr>::from_str(");
                    let after = format!("){}", unwrapped(TAKE));
                    let value = self.text_of(&format!("{call}@.str()){TAKE}"), &call, &after);
                    found.push(Beginning { value, name: "from_str".to_string() });
                }
                _ => {}
            }
        }
        found
    }

    fn default_value(&self, own: &Ty) -> Beginning {
        let code = format!("<{} as ::core::default::Default>::default()", own.text(self.source));
        Beginning { value: Value::fixed(code), name: "default".to_string() }
    }
}

/// Takes a value out of an `Option` or a `Result`. Input from which there is none is of no interest.
const TAKE: &str = ".pessimum_take()";

/// The same in a test.
fn unwrapped(take: &str) -> &'static str {
    if take.is_empty() { "" } else { ".unwrap()" }
}

/// Whether a number with this name is the length of what is beside it, rather than a place in it.
pub fn is_length(name: &str) -> bool {
    const NAMES: [&str; 9] = ["n", "len", "length", "count", "size", "capacity", "cap", "total", "limit"];
    let name = name.trim_start_matches("mut ").to_lowercase();
    NAMES.iter().any(|known| name == *known || name.ends_with(&format!("_{known}")) && known.len() > 2)
}
