//! The language of `--call` for Python.
//!
//! ```text
//! call     = name [ arguments [ "." name arguments ] ]
//! arguments = "(" [ argument { "," argument } ] ")"
//! argument = [ name "=" ] type
//! type     = ( "int" | "bool" | "float" ) { "[" expr "]" } [ "in" ranges ]
//!          | ( "str" | "bytes" | "bytearray" ) "[" expr "]" { "[" expr "]" } [ "in" ranges ]
//!          | "tuple" "(" type { "," type } ")" { "[" expr "]" }
//!          | ( "set" | "frozenset" | "deque" ) "(" type ")" "[" expr "]" { "[" expr "]" }
//!          | "tuple" "(" type "," "..." ")" "[" expr "]" { "[" expr "]" }
//!          | "dict" "(" type ":" type ")" "[" expr "]" { "[" expr "]" }
//!          | "oneof" "(" choice { "," choice } ")" { "[" expr "]" }
//!          | Class { "[" expr "]" } | expr | a constant of Python
//! choice   = a constant of Python | Class "." name
//! ```
//!
//! Lengths are those of lists, outermost first; the last one of a text, a set, a deque or a dict is its own. Ranges and
//! expressions are those of the language of WebAssembly calls (`crates/input`).

mod domain;
mod layout;
mod recipe;

use std::collections::BTreeSet;

use pessimum_input::SyntaxError;
use pessimum_input::language::{Cursor, Dialect, Expression, Range, Token, lengths, range, range_sizes};

use crate::error::PythonError;
use crate::source::{Fields, Function, Parameter, PythonSource};

pub(crate) use domain::domain;
pub(crate) use layout::{Laid, lay_out};
pub(crate) use recipe::{Choice, Many};

/// Classes within classes are followed so far.
const DEEPEST_CLASS: u32 = 8;

/// A call that was read and fits the function; sizes are not yet known.
#[derive(Clone, Debug)]
pub struct PythonCall {
    text: String,
    name: String,
    notes: Vec<String>,
    sizes: BTreeSet<String>,
    /// Whether the first argument is the object that a method is called on.
    pub(crate) has_object: bool,
    pub(crate) arguments: Vec<Argument>,
}

/// An argument: its name where it is passed by name, its type, and where that stands in the text.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    pub name: Option<String>,
    pub of: Type,
    pub column: usize,
}

/// What an argument, or a part of one, is.
#[derive(Clone, Debug)]
pub(crate) enum Type {
    Int(Option<Range>),
    Bool,
    Float(Option<Range>),
    Text(TextKind, Expression, Option<Range>),
    Many(Many, Expression, Box<Type>),
    Dict(Expression, Box<(Type, Type)>),
    Tuple(Vec<Type>),
    Make(String, Vec<(String, Type)>),
    Choice(Vec<(Choice, String)>),
    Size(Expression),
    /// As Python writes it, and its type.
    Constant {
        repr: String,
        kind: String,
    },
}

/// Rows of characters or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextKind {
    Str,
    Bytes,
    ByteArray,
}

impl TextKind {
    pub fn name(self) -> &'static str {
        match self {
            TextKind::Str => "str",
            TextKind::Bytes => "bytes",
            TextKind::ByteArray => "bytearray",
        }
    }
}

impl PythonCall {
    /// Reads `name(T, ...)`. A bare name, or an empty text where there is one function, takes types from hints.
    pub fn parse(text: &str, source: &PythonSource) -> Result<PythonCall, PythonError> {
        let bare = text.trim();
        if bare.is_empty() || !bare.contains('(') {
            let function = find(bare, source)?;
            return match &function.suggested_call {
                Ok(call) => {
                    let read = PythonCall::parse(&call.clone(), source)?;
                    Ok(PythonCall { notes: function.notes.clone(), ..read })
                }
                Err(why) => Err(PythonError::Call(format!(
                    "{why}; write the types of the arguments, as in `--call '{}'`",
                    example(function)
                ))),
            };
        }
        let open = text.find('(').unwrap_or(text.len());
        let mut name = text[..open].trim().to_string();
        let mut reader = Reader { cursor: Cursor::new(text, open, Dialect::Python)?, source, classes: 0 };
        if !source.functions().iter().any(|function| function.is_of(&name)) {
            find(&name, source)?;
        }
        let mut arguments = reader.arguments()?;
        let mut object = None;
        if let Some(method) = reader.method()? {
            let made = std::mem::replace(&mut arguments, reader.arguments()?);
            object = Some((name.clone(), made));
            name = format!("{name}.{method}");
        }
        reader.ends()?;
        let function = find(&name, source)?;
        let has_object = object.is_some();
        match (object, &function.constructor) {
            (Some((class, made)), Some(constructor)) => {
                fits(text, &class, constructor, &made)?;
                fits(text, &name, &function.parameters, &arguments)?;
                let names = constructor.iter().map(|parameter| &parameter.name);
                let fields = made.into_iter().zip(names).map(|(of, name)| (of.name.unwrap_or(name.clone()), of.of));
                let of = Type::Make(class, fields.collect());
                arguments.insert(0, Argument { name: None, of, column: 0 });
            }
            (None, Some(_)) => {
                let (class, method) = name.rsplit_once('.').unwrap_or_default();
                let how = function.suggested_call.clone().unwrap_or_else(|_| format!("{class}(...).{method}(...)"));
                return Err(PythonError::Call(format!("`{name}` is called on an object of its class: write `{how}`")));
            }
            (Some((class, _)), None) => {
                return Err(PythonError::Call(format!(
                    "`{name}` needs no object: write `{name}(...)` without the arguments of `{class}`"
                )));
            }
            (None, None) => fits(text, &name, &function.parameters, &arguments)?,
        }
        let mut sizes = BTreeSet::new();
        arguments.iter().for_each(|argument| argument.of.sizes(&mut sizes));
        Ok(PythonCall { text: text.trim().to_string(), name, notes: Vec::new(), sizes, has_object, arguments })
    }

    /// The whole call: what was written, or what the hints stand for.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The name of the function; the object of a method is its first argument.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What was decided by itself where hints leave it open, for users.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The names of the sizes in it.
    pub fn sizes(&self) -> &BTreeSet<String> {
        &self.sizes
    }
}

fn find<'s>(name: &str, source: &'s PythonSource) -> Result<&'s Function, PythonError> {
    let file = source.file().file_name().unwrap_or_default().to_string_lossy();
    let functions = source.functions();
    let names: Vec<&str> = functions.iter().map(|function| function.name.as_str()).collect();
    let lazy = &source.inner.opened.lazy;
    let asked = if name.is_empty() && functions.is_empty() { lazy.iter().next() } else { lazy.get_key_value(name) };
    if let Some((name, what)) = asked {
        let how = if what.contains("generator") { "that uses up" } else { "that waits for" };
        let example = match what.as_str() {
            "a generator" => format!("return list({name}(...))"),
            "a coroutine" => format!("return asyncio.run({name}(...))"),
            _ => format!("a coroutine with `async for` over {name}(...)"),
        };
        return Err(PythonError::Call(format!(
            "`{name}` is {what}: calling it executes nothing; write a function {how} what it gives and call that: \
             `{example}`"
        )));
    }
    if functions.is_empty() {
        return Err(PythonError::Call(format!("{file} defines no function that can be called")));
    }
    if name.is_empty() {
        let is_public = |function: &&Function| !function.name.starts_with('_') && function.name != "main";
        let (methods, public): (Vec<&Function>, Vec<&Function>) =
            functions.iter().filter(is_public).partition(|function| function.name.contains('.'));
        return match (&public[..], &methods[..]) {
            ([only], _) | ([], [only]) => Ok(only),
            _ => Err(PythonError::Call(format!(
                "{file} has several functions; say which with `--call`: {}",
                names.join(", ")
            ))),
        };
    }
    functions
        .iter()
        .find(|function| function.name == name)
        .ok_or_else(|| PythonError::Call(format!("{file} has no function `{name}`; it has: {}", names.join(", "))))
}

/// A call to copy and complete.
fn example(function: &Function) -> String {
    let types = |parameters: &[Parameter]| {
        let needed = parameters.iter().filter(|p| p.default.is_none() && !p.name.starts_with('*'));
        needed.map(|_| "int[n]").collect::<Vec<&str>>().join(", ")
    };
    let arguments = types(&function.parameters);
    match (&function.constructor, function.name.rsplit_once('.')) {
        (Some(constructor), Some((class, method))) => format!("{class}({}).{method}({arguments})", types(constructor)),
        _ => format!("{}({arguments})", function.name),
    }
}

impl Function {
    /// Whether it is a method of objects of this class.
    fn is_of(&self, class: &str) -> bool {
        self.constructor.is_some() && self.name.rsplit_once('.').is_some_and(|(of, _)| of == class)
    }
}

/// Whether the arguments can be passed to what has this name and these parameters.
fn fits(text: &str, callee: &str, parameters: &[Parameter], arguments: &[Argument]) -> Result<(), PythonError> {
    let error = |column, message| Err(SyntaxError { text: text.to_string(), column, message }.into());
    let (star, stars) = (
        parameters.iter().any(|p| p.name.starts_with('*') && !p.name.starts_with("**")),
        parameters.iter().any(|p| p.name.starts_with("**")),
    );
    let named: Vec<&str> = parameters.iter().map(|p| p.name.as_str()).filter(|name| !name.starts_with('*')).collect();
    let positional = arguments.iter().filter(|argument| argument.name.is_none()).count();
    if positional > named.len() && !star {
        let column = arguments.get(named.len()).map_or(0, |argument| argument.column);
        return error(column, format!("`{callee}` takes {} arguments, not {}", named.len(), arguments.len()));
    }
    for argument in arguments {
        let Some(name) = &argument.name else { continue };
        if !named.contains(&name.as_str()) && !stars {
            return error(argument.column, format!("`{callee}` has no parameter `{name}`"));
        }
    }
    for (at, parameter) in parameters.iter().filter(|p| !p.name.starts_with('*')).enumerate() {
        let given = at < positional || arguments.iter().any(|a| a.name.as_deref() == Some(&parameter.name));
        if !given && parameter.default.is_none() {
            let column = text.chars().count().saturating_sub(1);
            return error(column, format!("`{callee}` needs an argument for `{}`", parameter.name));
        }
    }
    Ok(())
}

impl Type {
    fn sizes(&self, into: &mut BTreeSet<String>) {
        match self {
            Type::Int(range) | Type::Float(range) => range_sizes(range, into),
            Type::Text(_, length, range) => {
                length.sizes(into);
                range_sizes(range, into);
            }
            Type::Many(_, length, of) => {
                length.sizes(into);
                of.sizes(into);
            }
            Type::Dict(length, of) => {
                length.sizes(into);
                of.0.sizes(into);
                of.1.sizes(into);
            }
            Type::Tuple(of) => of.iter().for_each(|of| of.sizes(into)),
            Type::Make(_, fields) => fields.iter().for_each(|(_, of)| of.sizes(into)),
            Type::Size(value) => value.sizes(into),
            Type::Bool | Type::Choice(_) | Type::Constant { .. } => {}
        }
    }
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    source: &'a PythonSource,
    /// Classes around the current type.
    classes: u32,
}

impl Reader<'_> {
    fn arguments(&mut self) -> Result<Vec<Argument>, PythonError> {
        self.cursor.expect("(", "after the name")?;
        let mut arguments: Vec<Argument> = Vec::new();
        if !self.cursor.accept(")") {
            loop {
                let column = self.cursor.column();
                let name = match (self.cursor.peek(), self.cursor.peek_second()) {
                    (Some(Token::Word(name)), Some(Token::Mark("="))) => Some(name.clone()),
                    _ => None,
                };
                if name.is_some() {
                    self.cursor.advance();
                    self.cursor.advance();
                } else if arguments.iter().any(|argument| argument.name.is_some()) {
                    return Err(self.cursor.unexpected("another argument by name").into());
                }
                let of = self.of()?;
                arguments.push(Argument { name, of, column });
                if self.cursor.accept(")") {
                    break;
                }
                if !self.cursor.accept(",") {
                    return Err(self.cursor.unexpected("`,` or `)`").into());
                }
            }
        }
        Ok(arguments)
    }

    /// The name of a method behind an object.
    fn method(&mut self) -> Result<Option<String>, PythonError> {
        if !self.cursor.accept(".") {
            return Ok(None);
        }
        let Some(Token::Word(name)) = self.cursor.peek().cloned() else {
            return Err(self.cursor.unexpected("the name of a method").into());
        };
        self.cursor.advance();
        Ok(Some(name))
    }

    fn ends(&mut self) -> Result<(), PythonError> {
        match self.cursor.peek() {
            Some(_) => Err(self.cursor.unexpected("nothing after the call").into()),
            None => Ok(()),
        }
    }

    fn of(&mut self) -> Result<Type, PythonError> {
        let column = self.cursor.column();
        self.cursor.enter(column)?;
        let of = self.type_at(column);
        self.cursor.leave();
        of
    }

    fn type_at(&mut self, column: usize) -> Result<Type, PythonError> {
        let word = match self.cursor.peek() {
            Some(Token::Word(word)) => word.clone(),
            _ => return self.value(column),
        };
        match word.as_str() {
            "int" | "bool" | "float" => {
                self.cursor.advance();
                let lengths = lengths(&mut self.cursor)?;
                let range = match word.as_str() {
                    "bool" => None,
                    _ => range(&mut self.cursor)?,
                };
                Ok(in_lists(
                    lengths,
                    match word.as_str() {
                        "int" => Type::Int(range),
                        "float" => Type::Float(range),
                        _ => Type::Bool,
                    },
                ))
            }
            "str" | "bytes" | "bytearray" => {
                self.cursor.advance();
                let kind = match word.as_str() {
                    "str" => TextKind::Str,
                    "bytes" => TextKind::Bytes,
                    _ => TextKind::ByteArray,
                };
                let (lengths, own) = self.own_length(&word)?;
                let range = range(&mut self.cursor)?;
                Ok(in_lists(lengths, Type::Text(kind, own, range)))
            }
            "tuple" => self.tuple(),
            "set" | "frozenset" | "deque" => {
                self.cursor.advance();
                self.cursor.expect("(", "and the type of what is in it")?;
                let of = self.of()?;
                self.cursor.expect(")", "after the type")?;
                let kind = match word.as_str() {
                    "set" => Many::Set,
                    "frozenset" => Many::FrozenSet,
                    _ => Many::Deque,
                };
                let (lengths, own) = self.own_length(&word)?;
                Ok(in_lists(lengths, Type::Many(kind, own, Box::new(of))))
            }
            "dict" => {
                self.cursor.advance();
                self.cursor.expect("(", "and the types of keys and values, as in `dict(str[4]: int)[n]`")?;
                let key = self.of()?;
                self.cursor.expect(":", "and the type of the values")?;
                let value = self.of()?;
                self.cursor.expect(")", "after the types")?;
                let (lengths, own) = self.own_length("dict")?;
                Ok(in_lists(lengths, Type::Dict(own, Box::new((key, value)))))
            }
            "oneof" => self.choice(),
            "list" => Err(self
                .cursor
                .error_at(column, "a list of n integers is written `int[n]`, a list of n lists of m `int[n][m]`")
                .into()),
            "None" | "True" | "False" => self.value(column),
            // A module before it may have any name.
            _ if word.starts_with(char::is_uppercase) || self.cursor.peek_second() == Some(&Token::Mark(".")) => {
                self.class(word)
            }
            _ => self.value(column),
        }
    }

    fn tuple(&mut self) -> Result<Type, PythonError> {
        self.cursor.advance();
        self.cursor.expect("(", "and the types of what is in it, as in `tuple(int, str[n])`")?;
        let mut of = vec![];
        if !self.cursor.accept(")") {
            loop {
                if of.len() == 1 && self.cursor.accept("..") {
                    self.cursor.expect(".", "as in `tuple(int, ...)[n]`")?;
                    self.cursor.expect(")", "after `...`")?;
                    let (lengths, own) = self.own_length("tuple")?;
                    let one = of.pop().unwrap_or(Type::Bool);
                    return Ok(in_lists(lengths, Type::Many(Many::Tuple, own, Box::new(one))));
                }
                of.push(self.of()?);
                if self.cursor.accept(")") {
                    break;
                }
                if !self.cursor.accept(",") {
                    return Err(self.cursor.unexpected("`,` or `)`").into());
                }
                // As Python writes a tuple of one.
                if of.len() == 1 && self.cursor.accept(")") {
                    break;
                }
            }
        }
        let lengths = lengths(&mut self.cursor)?;
        Ok(in_lists(lengths, Type::Tuple(of)))
    }

    /// One of several constants, or members of enumerations.
    fn choice(&mut self) -> Result<Type, PythonError> {
        self.cursor.advance();
        self.cursor.expect("(", "and what there is to choose from, as in `oneof(1, \"a\", None)`")?;
        let mut of = Vec::new();
        loop {
            let column = self.cursor.column();
            let (end, is_name) = self.extent();
            let text = self.cursor.between(column, end).trim().to_string();
            let choice = match self.source.literal(&text)? {
                Some((_, repr)) => (Choice::Constant, repr),
                None if is_name && text.contains('.') => (Choice::Name, text),
                None => {
                    let message = format!("`{text}` is neither a constant of Python nor a member of an enumeration");
                    return Err(self.cursor.error_at(column, message).into());
                }
            };
            of.push(choice);
            while self.cursor.peek().is_some() && self.cursor.column() < end {
                self.cursor.advance();
            }
            if self.cursor.accept(")") {
                break;
            }
            if !self.cursor.accept(",") {
                return Err(self.cursor.unexpected("`,` or `)`").into());
            }
        }
        let lengths = lengths(&mut self.cursor)?;
        Ok(in_lists(lengths, Type::Choice(of)))
    }

    /// The lengths of lists around something that has a length of its own, and that length.
    fn own_length(&mut self, what: &str) -> Result<(Vec<Expression>, Expression), PythonError> {
        let mut lengths = lengths(&mut self.cursor)?;
        match lengths.pop() {
            Some(own) => Ok((lengths, own)),
            None => Err(self.cursor.unexpected(&format!("`[` and the length of the {what}")).into()),
        }
    }

    fn class(&mut self, mut name: String) -> Result<Type, PythonError> {
        let column = self.cursor.column();
        self.cursor.advance();
        while self.cursor.accept(".") {
            match self.cursor.peek() {
                Some(Token::Word(inner)) => name = format!("{name}.{inner}"),
                _ => return Err(self.cursor.unexpected("the name of a class").into()),
            }
            self.cursor.advance();
        }
        if self.classes == DEEPEST_CLASS {
            return Err(PythonError::Call(format!("`{name}` contains itself, so no value of it ends")));
        }
        let fields = self.source.fields(&name).map_err(|error| match error {
            PythonError::Call(message) => self.cursor.error_at(column, message).into(),
            other => other,
        })?;
        let read = |text: &str| {
            let cursor = Cursor::new(text, 0, Dialect::Python)?;
            Reader { cursor, source: self.source, classes: self.classes + 1 }.of()
        };
        let of = match fields {
            Fields::Whole(text) => read(&text)?,
            Fields::Each(fields) => {
                let fields = fields.into_iter().map(|(field, text)| Ok((field, read(&text)?)));
                Type::Make(name, fields.collect::<Result<_, PythonError>>()?)
            }
        };
        let lengths = lengths(&mut self.cursor)?;
        Ok(in_lists(lengths, of))
    }

    /// A constant, or an expression over sizes.
    fn value(&mut self, column: usize) -> Result<Type, PythonError> {
        let (end, has_size) = self.extent();
        if has_size {
            return Ok(Type::Size(self.cursor.expression()?));
        }
        let text = self.cursor.between(column, end).trim().to_string();
        if text.is_empty() {
            return Err(self.cursor.unexpected("a type (int bool float str[n] bytes[n] T[n] tuple(T, T) set(T)[n] dict(K: V)[n], a dataclass), `n` or a constant").into());
        }
        match self.source.literal(&text)? {
            Some((kind, repr)) => {
                while self.cursor.peek().is_some() && self.cursor.column() < end {
                    self.cursor.advance();
                }
                Ok(Type::Constant { repr, kind })
            }
            None => {
                let types =
                    "int bool float str bytes bytearray tuple set frozenset deque dict, or a dataclass of the file";
                let message = format!("`{text}` is neither a type nor a constant of Python; types are {types}");
                Err(self.cursor.error_at(column, message).into())
            }
        }
    }

    /// Where the value at the cursor ends, and whether the name of a size is in it.
    fn extent(&self) -> (usize, bool) {
        let mut ahead = self.cursor.clone();
        let (mut depth, mut has_size) = (0, false);
        while let Some(token) = ahead.peek() {
            match token {
                Token::Mark("(" | "[" | "{") => depth += 1,
                Token::Mark(")" | "]" | "}") if depth == 0 => break,
                Token::Mark(")" | "]" | "}") => depth -= 1,
                Token::Mark("," | ":") if depth == 0 => break,
                Token::Word(word) => {
                    let is_prefix = matches!(ahead.peek_second(), Some(Token::Text(_) | Token::Character(_)));
                    has_size |= !is_prefix && !matches!(word.as_str(), "None" | "True" | "False");
                }
                _ => {}
            }
            ahead.advance();
        }
        (ahead.column(), has_size)
    }
}

/// Lists of lists of something.
fn in_lists(lengths: Vec<Expression>, of: Type) -> Type {
    lengths.into_iter().rev().fold(of, |of, length| Type::Many(Many::List, length, Box::new(of)))
}
