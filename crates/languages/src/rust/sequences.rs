//! The functions of a crate for tests that call several of them, one after the other: what one returns, another is passed.
//!
//! A value that has to stay what it is between two calls is a *handle*: the address of a box. These are the types of the crate
//! whose fields are private, or that have methods which change them, where a public function returns one. Everything
//! else is made from plain data for each call, as it is for single calls (`shim.rs`); `handles.rs` decides.
//!
//! A function that returns `None` or `Err` in the place of a handle gives the address 0. A call that is passed this address, or
//! one address twice where one of the two may be changed through it, does nothing: there is no such call in Rust.

use syn::{FnArg, ReturnType, Type};

use super::constructors::is_length;
use super::data::{Data, NOTHING, Parameters};
use super::digests::{digest, looks};
use super::handles::{Handles, has_lifetime, number_of, scope};
use super::items::{Crate, Function, written};
use super::shim::{Shim, Wrapper, format_of, path, shown_type, unfit};
use super::types::{Scope, Ty, Types};
use super::values::Value;
use crate::calling::{Access, Callee, Looks, Output, Passed, RustCall, Wrapped};

/// So many elements of an iterator are looked at. It may have no end.
pub const LOOKED_AT: usize = 64;

/// Whether a function can only be called by naming its trait: not those of traits that are known everywhere, unless the type
/// has a function of the same name itself.
fn is_of_trait(function: &Function, source: &Crate) -> bool {
    const KNOWN: [&str; 9] = [
        "Clone",
        "Default",
        "Extend",
        "Iterator",
        "DoubleEndedIterator",
        "IntoIterator",
        "PartialEq",
        "PartialOrd",
        "Ord",
    ];
    let Some(block) = function.owner else { return false };
    let Some(path) = &source.impls[block].trait_path else { return false };
    let is_known = path.segments.last().is_some_and(|last| KNOWN.contains(&last.ident.to_string().as_str()));
    let is_own = |other: &Function| {
        other.name == function.name
            && other.owner.is_some_and(|other| {
                source.impls[other].trait_path.is_none() && number_of(other, source) == number_of(block, source)
            })
    };
    !is_known || source.functions.iter().any(is_own)
}

/// What the wrapper around a function returns.
struct Returned {
    output: Output,
    /// The type in Rust, and in the declaration.
    rust: String,
    declared: Option<String>,
    /// The expression for it.
    code: String,
    /// What is returned where nothing was called.
    nothing: &'static str,
}

impl Shim {
    /// A function that is called among others.
    pub(super) fn step(
        &mut self,
        function: &Function,
        types: &Types<'_>,
        handles: &Handles,
    ) -> Result<Wrapper, String> {
        let source = types.source;
        let mut scope = scope(function, types)?;
        types.enter(&mut scope, &function.signature.generics)?;
        let arguments = types.arguments(&function.signature.generics, &mut scope)?;
        let format = format_of(function, source);
        let last = if format.is_some() { 1 } else { usize::MAX };
        let mut step = Step::new();
        let inputs = self.inputs(function, types, handles, &mut scope, last)?;
        let sized = inputs.iter().any(|(_, input)| matches!(input, Input::Data(value) if value.data.grows()));
        for (ty, input) in &inputs {
            self.pass(&mut step, ty, input, types, handles, sized);
        }
        let path = path(function, types, &scope)?;
        let turbofish = match arguments.is_empty() {
            true => String::new(),
            false => {
                let list: Vec<String> = arguments.iter().map(|ty| ty.text(source)).collect();
                format!("::<{}>", list.join(", "))
            }
        };
        let on_handle = matches!(step.passed.first(), Some(Passed::Handle(_)));
        let of_trait = is_of_trait(function, source);
        let callee = match (format, &scope.own) {
            (Some(format), _) => Callee::Format(format.to_string()),
            _ if function.signature.receiver().is_some() && on_handle && !of_trait => {
                Callee::Method(format!("{}{turbofish}", function.name))
            }
            (None, Some(own @ Ty::Own(..))) if !of_trait && function.owner.is_some() => {
                Callee::Path(format!("{}::{}{turbofish}", own.text(source), function.name))
            }
            _ => Callee::Path(format!("{path}{turbofish}")),
        };
        let returned = match format {
            Some(_) => digested(&Ty::Std("String", Vec::new()), types),
            None => returned(function, types, handles, &mut scope, &step),
        };
        let list = step.arguments.join(", ");
        let direct = match format {
            Some(format) => format!("::std::format!(\"{format}\", {list})"),
            None => format!("{path}{turbofish}({list})"),
        };
        let safety = if function.is_unsafe() { "unsafe " } else { "" };
        let abi = function.signature.abi.as_ref().map_or_else(String::new, |abi| written(abi) + " ");
        let holes = vec!["_"; step.arguments.len()].join(", ");
        let pointer = format!(
            "    let call: {safety}{abi}fn({holes}) -> _ = {path}{turbofish};\n    let call = \
             ::core::hint::black_box(call);\n"
        );
        let (code, otherwise) = match format {
            Some(_) => (step.code("", &direct, &returned), None),
            None => {
                let through = step.code(&pointer, &format!("call({list})"), &returned);
                (through, Some(step.code("", &direct, &returned)))
            }
        };
        let open = function.signature.generics.type_params().map(|parameter| parameter.ident.to_string());
        let around = function.owner.map(|block| &source.impls[block].generics);
        let around = around.into_iter().flat_map(|generics| generics.type_params());
        let parameters = open.chain(around.map(|parameter| parameter.ident.to_string())).collect();
        let borrows = |name: &String| handles.types.iter().any(|(ty, known)| known == name && has_lifetime(ty, source));
        let call = RustCall {
            callee,
            passed: step.passed,
            output: returned.output,
            is_unsafe: function.is_unsafe(),
            lends: step.wants.iter().chain(&returned.declared).any(borrows),
        };
        Ok(Wrapper {
            call: step.parameters.call.join(", "),
            code,
            otherwise,
            condition: function.condition.clone(),
            parameters,
            number: self.wrappers.len(),
            declared: Some((call, returned.declared)),
            wants: step.wants,
            ..Wrapper::default()
        })
    }

    /// The parameters of a function, with how each is made.
    fn inputs(
        &self,
        function: &Function,
        types: &Types<'_>,
        handles: &Handles,
        scope: &mut Scope,
        last: usize,
    ) -> Result<Vec<(Ty, Input)>, String> {
        let mut inputs = Vec::new();
        for input in function.signature.inputs.iter().take(last) {
            let (name, ty) = match input {
                FnArg::Receiver(receiver) => {
                    let own = scope.own.clone().ok_or("it takes `self`")?;
                    let ty = match &receiver.kind {
                        syn::ReceiverKind::Reference(_, _, mutable) => Ty::Reference(mutable.is_some(), Box::new(own)),
                        syn::ReceiverKind::Typed(_, ty) => types.resolve(ty, scope)?,
                        _ => own,
                    };
                    ("self".to_string(), ty)
                }
                FnArg::Typed(input) => {
                    let (name, text) = (written(&input.pat), written(&input.ty));
                    let ty = types.resolve(&input.ty, scope).map_err(|why| unfit(&name, &text, &why))?;
                    (name, ty)
                }
            };
            if let Some((access, handle)) = handles.access(&ty) {
                inputs.push((ty, Input::Handle(access, handle)));
                continue;
            }
            let value = types.value(&ty);
            let mut value = value.map_err(|why| unfit(&name, &shown_type(input, &ty, types.source), &why))?;
            if value.data == Data::Size(false) && is_length(&name) {
                value.data = Data::Size(true);
            }
            inputs.push((ty, Input::Data(value)));
        }
        Ok(inputs)
    }

    /// Adds what is passed for one parameter.
    fn pass(&mut self, step: &mut Step, ty: &Ty, input: &Input, types: &Types<'_>, handles: &Handles, sized: bool) {
        let source = types.source;
        let at = step.passed.len();
        match input {
            Input::Handle(access, handle) => {
                let (ty, name) = &handles.types[*handle];
                step.wants.push(name.clone());
                let name = if *access == Access::Taken { format!("move {name}") } else { name.clone() };
                let address = step.parameters.handle(&name);
                step.refused(&address, *handle, *access != Access::Shared);
                let pointer = format!("({address} as *mut {})", ty.text(source));
                step.arguments.push(match access {
                    Access::Shared => format!("&*{pointer}"),
                    Access::Mutable => format!("&mut *{pointer}"),
                    Access::Taken => format!("*::std::boxed::Box::from_raw({pointer})"),
                });
                step.passed.push(Passed::Handle(*access));
            }
            Input::Data(value) => {
                let place = step.parameters.add(&value.data, &mut self.layouts, sized);
                step.body += &format!("    let d{at} = {place};\n");
                let code = super::values::at(&value.code, &format!("d{at}"));
                // Only functions of the user's can refuse what they are given.
                step.may_refuse |= code.contains("::subject::") && code.contains('(');
                let changed = match ty {
                    Ty::Reference(true, inner) => Some(looks(inner, types, 0)),
                    _ => None,
                };
                match ty {
                    Ty::Closure(_) if value.data == NOTHING => step.arguments.push(code),
                    _ if ty.is_nameless() => {
                        step.body += &format!("    let v{at} = {code};\n");
                        step.arguments.push(format!("v{at}"));
                    }
                    Ty::Reference(true, inner) => {
                        step.body += &format!("    let v{at}: {} = {code};\n", ty.text(source));
                        step.arguments.push(format!("&mut *v{at}"));
                        step.changed.push((format!("&*v{at}"), (**inner).clone()));
                    }
                    _ => {
                        step.body += &format!("    let v{at}: {} = {code};\n", ty.text(source));
                        step.arguments.push(format!("v{at}"));
                    }
                }
                step.passed.push(Passed::Value {
                    outline: value.data.outline(),
                    form: value.form.clone(),
                    changed: changed.filter(|_| !ty.is_nameless()),
                });
            }
        }
    }

    /// What is derived for the types of handles, or done to their values by the compiler.
    pub(super) fn derived(&mut self, types: &Types<'_>, handles: &Handles) -> Vec<(String, Wrapper)> {
        let mut found = Vec::new();
        for (handle, (ty, name)) in handles.types.iter().enumerate() {
            let Ty::Own(number, _) = ty else { continue };
            let item = &types.source.types[*number];
            let shown = item.public.as_deref().unwrap_or_default().join("::");
            let has = |derived: &str| item.derives.iter().any(|name| name == derived);
            let is_dropped = (0..types.source.impls.len()).any(|block| {
                let path = types.source.impls[block].trait_path.as_ref();
                number_of(block, types.source) == Some(*number) && path.is_some_and(|path| path.is_ident("Drop"))
            });
            let owner = ty.text(types.source);
            let kinds = [
                (has("Default"), "default", None),
                (has("Clone"), "clone", Some(Access::Shared)),
                (is_dropped, "drop", Some(Access::Taken)),
            ];
            for (_, method, access) in kinds.into_iter().filter(|(is_there, ..)| *is_there) {
                let mut step = Step::new();
                if let Some(access) = access {
                    self.pass(&mut step, ty, &Input::Handle(access, handle), types, handles, false);
                }
                let list = step.arguments.join(", ");
                let (callee, call) = match method {
                    "default" => {
                        let call = format!("<{owner} as ::core::default::Default>::default()");
                        (Callee::Path(format!("{owner}::default")), call)
                    }
                    "clone" => (Callee::Method("clone".to_string()), format!("::core::clone::Clone::clone({list})")),
                    _ => (Callee::Path("drop".to_string()), format!("::core::mem::drop({list})")),
                };
                let returned = match method {
                    "drop" => nothing(),
                    _ => handle_returned(name, None, Looks::Debug),
                };
                let code = step.code("", &call, &returned);
                let (passed, output) = (step.passed, returned.output);
                let call = RustCall { callee, passed, output, is_unsafe: false, lends: false };
                found.push((
                    format!("{shown}::{method}"),
                    Wrapper {
                        call: step.parameters.call.join(", "),
                        code,
                        declared: Some((call, returned.declared)),
                        wants: step.wants,
                        ..Wrapper::default()
                    },
                ));
            }
        }
        found
    }
}

/// What is passed for a parameter.
enum Input {
    Handle(Access, usize),
    Data(Value),
}

/// A wrapper in the making.
#[derive(Default)]
struct Step {
    parameters: Parameters,
    /// What makes the values.
    body: String,
    arguments: Vec<String>,
    passed: Vec<Passed>,
    /// Values that the function may change, and their types.
    changed: Vec<(String, Ty)>,
    /// The addresses of handles: name, type, and whether it is the only way to the value.
    addresses: Vec<(String, usize, bool)>,
    /// When nothing is called.
    refused: Vec<String>,
    /// Some input stands for no value.
    may_refuse: bool,
    /// The names of the types of its handles.
    wants: Vec<String>,
}

impl Step {
    fn new() -> Step {
        Step { parameters: Parameters::with_own_sizes(), ..Step::default() }
    }

    /// Adds the conditions under which this handle cannot be passed.
    fn refused(&mut self, address: &str, handle: usize, alone: bool) {
        self.refused.push(format!("{address} == 0"));
        for (other, ty, also_alone) in &self.addresses {
            if *ty == handle && (alone || *also_alone) {
                self.refused.push(format!("{address} == {other}"));
            }
        }
        self.addresses.push((address.to_string(), handle, alone));
    }

    fn code(&self, before: &str, call: &str, returned: &Returned) -> String {
        let result = if returned.rust.is_empty() { String::new() } else { format!(" -> {}", returned.rust) };
        let refused = match self.refused.is_empty() {
            true => String::new(),
            false => format!("    if {} {{ return {}; }}\n", self.refused.join(" || "), returned.nothing),
        };
        let (listen, made) = match self.may_refuse {
            true => ("    pessimum::listen();\n", "    pessimum::made();\n"),
            false => ("", ""),
        };
        format!(
            "pub unsafe extern \"C\" fn NAME({}){result} {{\n{refused}{listen}{}{made}{before}    let result = unsafe {{ \
             {call} }};\n{}}}\n",
            self.parameters.declared, self.body, returned.code
        )
    }
}

fn nothing() -> Returned {
    Returned { output: Output::Nothing, rust: String::new(), declared: None, code: String::new(), nothing: "" }
}

fn handle_returned(name: &str, wrapped: Option<Wrapped>, error: Looks) -> Returned {
    const BOXED: &str = "::std::boxed::Box::into_raw(::std::boxed::Box::new";
    let code = match wrapped {
        None => format!("    {BOXED}(result)) as usize\n"),
        Some(wrapped) => {
            let pattern = match wrapped {
                Wrapped::Option => "::core::option::Option::Some(value)",
                Wrapped::Result => "::core::result::Result::Ok(value)",
            };
            format!(
                "    match result {{ {pattern} => {BOXED}(value)) as usize, other => {{ ::core::mem::forget(other); 0 }} }}\n"
            )
        }
    };
    let output = Output::Handle { name: variable(name), wrapped, error };
    Returned { output, rust: "usize".to_string(), declared: Some(name.to_string()), code, nothing: "0" }
}

/// How one calls a variable of this type: `RingBuffer` is a `ring_buffer`.
pub fn variable(ty: &str) -> String {
    let mut name = String::new();
    let mut before_is_small = false;
    for c in ty.chars() {
        if c.is_uppercase() && before_is_small {
            name.push('_');
        }
        before_is_small = !c.is_uppercase();
        name.extend(c.to_lowercase());
    }
    let is_keyword = syn::parse_str::<syn::Ident>(&name).is_err();
    if is_keyword { name + "_" } else { name }
}

/// What the wrapper around a function returns.
fn returned(function: &Function, types: &Types<'_>, handles: &Handles, scope: &mut Scope, step: &Step) -> Returned {
    let changed = || match step.changed.is_empty() {
        true => nothing(),
        false => {
            let changed = step.changed.iter().map(|(place, ty)| digest(ty, place, types, 0)).collect::<String>();
            with_digest(Output::Nothing, &changed)
        }
    };
    let ReturnType::Type(_, output) = &function.signature.output else { return changed() };
    if let Some((ty, wrapped)) = handles.returned(function, types, true)
        && let Some((_, name)) = handles.types.iter().find(|(known, _)| *known == ty)
    {
        let error = match types.resolve(output, scope) {
            Ok(Ty::Std("Result", parts)) => parts.get(1).map(|error| looks(error, types, 0)),
            _ => None,
        };
        return handle_returned(name, wrapped, error.unwrap_or(Looks::Debug));
    }
    if let Some(item) = iterated(output, scope, types) {
        let (of, added) = match &item {
            Some(item) => (looks(item, types, 0), digest(item, "&x", types, 0)),
            None => (Looks::Debug, "digest.add((&&&pessimum::Leaf(&x)).digest()); ".to_string()),
        };
        let code = format!("    for x in ::core::iter::Iterator::take(result, {LOOKED_AT}) {{ {added}}}\n");
        return Returned {
            output: Output::Iterator(of),
            rust: "u64".to_string(),
            declared: Some("digest".to_string()),
            code: format!("    let mut digest = pessimum::Digest::new();\n{code}    digest.0\n"),
            nothing: "0",
        };
    }
    let number = |rust: &str, declared: &str, code: &str, nothing: &'static str| Returned {
        output: Output::Value(Looks::Plain),
        rust: rust.to_string(),
        declared: Some(declared.to_string()),
        code: format!("    {code}\n"),
        nothing,
    };
    match types.resolve(output, scope) {
        Ok(Ty::Tuple(parts)) if parts.is_empty() => changed(),
        Ok(Ty::Number("usize")) => number("u32", "u32", "result as u32", "0"),
        Ok(Ty::Number("isize")) => number("i32", "i32", "result as i32", "0"),
        Ok(Ty::Number(name @ ("f32" | "f64"))) => {
            let number = number(name, name, "result", "0.0");
            Returned { output: Output::Value(Looks::Float(name.to_string())), ..number }
        }
        Ok(Ty::Number(name)) => number(name, name, "result", "0"),
        Ok(Ty::Bool) => number("bool", "bool", "result", "false"),
        Ok(Ty::Char) => number("u32", "u32", "result as u32", "0"),
        Ok(ty) => digested(&ty, types),
        Err(_) if matches!(**output, Type::Never(_)) => nothing(),
        // Whatever it is, the compiler knows what it can do.
        Err(_) => {
            with_digest(Output::Value(Looks::Debug), "        digest.add((&&&pessimum::Leaf(&result)).digest());\n")
        }
    }
}

fn digested(ty: &Ty, types: &Types<'_>) -> Returned {
    with_digest(Output::Value(looks(ty, types, 0)), &digest(ty, "&result", types, 0))
}

fn with_digest(output: Output, code: &str) -> Returned {
    let forget = "    ::core::mem::forget(::core::hint::black_box(result));\n";
    Returned {
        output,
        rust: "u64".to_string(),
        declared: Some("digest".to_string()),
        code: format!("    let mut digest = pessimum::Digest::new();\n{code}{forget}    digest.0\n"),
        nothing: "0",
    }
}

/// What a function returns that gives values one after the other: the type of one, where it is known. `None` for other
/// functions.
fn iterated(output: &Type, scope: &mut Scope, types: &Types<'_>) -> Option<Option<Ty>> {
    const TRAITS: [&str; 3] = ["Iterator", "DoubleEndedIterator", "ExactSizeIterator"];
    let is_trait =
        |path: &syn::Path| path.segments.last().is_some_and(|last| TRAITS.contains(&last.ident.to_string().as_str()));
    if let Type::ImplTrait(ty) = output {
        let bound = ty.bounds.iter().find_map(|bound| match bound {
            syn::TypeParamBound::Trait(bound) if is_trait(&bound.path) => bound.path.segments.last(),
            _ => None,
        });
        let syn::PathArguments::AngleBracketed(arguments) = &bound?.arguments else { return Some(None) };
        let item = arguments.args.iter().find_map(|argument| match argument {
            syn::GenericArgument::AssocType(given) if given.ident == "Item" => Some(&given.ty),
            _ => None,
        });
        return Some(item.and_then(|ty| types.resolve(ty, scope).ok()));
    }
    match types.resolve(output, scope).ok()? {
        Ty::Std("IntoIter", parts) => Some(parts.into_iter().next()),
        Ty::Std("Iter", parts) => Some(parts.into_iter().next().map(|ty| Ty::Reference(false, Box::new(ty)))),
        Ty::Std("Chars", _) => Some(Some(Ty::Char)),
        Ty::Std("Bytes", _) => Some(Some(Ty::Number("u8"))),
        Ty::Std("Lines" | "SplitWhitespace", _) => Some(Some(Ty::Reference(false, Box::new(Ty::Str)))),
        own @ Ty::Own(number, _) => {
            let block = (0..types.source.impls.len()).find(|block| {
                let path = types.source.impls[*block].trait_path.as_ref();
                number_of(*block, types.source) == Some(number) && path.is_some_and(is_trait)
            })?;
            let mut inside = types.enter_impl_for(block, &own);
            let item = types.source.impls[block].types.get("Item");
            Some(item.zip(inside.as_mut()).and_then(|(ty, inside)| types.resolve(ty, inside).ok()))
        }
        _ => None,
    }
}
