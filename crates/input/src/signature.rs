//! The language of `--call 'name(arg, ...)'`, and of lengths (`--stdin LEN`).
//!
//! ```text
//! call     = name "(" [ argument { "," argument } ] ")"
//! argument = field | ( "str" | "utf8" | "str" "utf8" ) "[" expr "]" [ "in" ranges ]
//!          | "out" field | "&" name | expr | decimal | text
//! field    = kind { "[" expr "]" } [ "in" ranges ] | "{" field { "," field } "}" { "[" expr "]" }
//! length   = expr [ "in" ranges ]
//! ranges   = range { "|" range }
//! range    = bound [ ( ".." | "..=" ) bound ]
//! expr     = sums and products of whole numbers, 'c', n and other sizes
//! text     = characters in double quotes
//! ```

use std::collections::BTreeSet;
use std::sync::Arc;

use super::expression::{Cursor, Dialect, Expression, Token};
use super::layout::Layout;
use super::{Argument, Bounds, Content, Group, InputPlan, Kind, SyntaxError};

/// A parsed call; sizes are not yet known.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    text: String,
    /// Name of the exported function.
    pub name: String,
    /// `None` where only the name was written.
    arguments: Option<Vec<(Syntax, usize)>>,
}

/// A parsed length with an optional range, for standard input and files; sizes are not yet known.
#[derive(Clone, Debug, PartialEq)]
pub struct Length {
    text: String,
    length: Expression,
    range: Option<Range>,
}

#[derive(Clone, Debug, PartialEq)]
enum Syntax {
    Input(Field),
    Text(Expression, Option<Range>),
    /// Bytes that are UTF-8, and whether a NUL is behind them.
    Utf8(Expression, bool),
    Zeroed(Field),
    Number(Bound),
    Constant(Arc<[u8]>),
    Function(Arc<str>),
    /// What an earlier call returned; only in declarations.
    Handle(Handle),
}

/// A parameter that is passed what an earlier call returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handle {
    /// The name of its type.
    pub ty: Arc<str>,
    /// Whether the call takes it away, so that no later call may be passed it.
    pub moved: bool,
}

/// A number or a record, or arrays of these.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    pub(super) of: FieldType,
    /// Lengths of the array, outermost first; none for a single one.
    pub(super) lengths: Vec<Expression>,
    pub(super) column: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum FieldType {
    Number(Kind, Option<Range>),
    Record(Vec<Field>),
}

/// The values that are allowed.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// One after the other.
    pub pieces: Vec<Piece>,
    /// Where it starts.
    pub column: usize,
}

/// Some of the values that are allowed.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// The least.
    pub low: Bound,
    /// `None` for a single value.
    pub high: Option<Bound>,
    /// Whether the last is not one of them.
    pub excludes_high: bool,
    /// Where it starts.
    pub column: usize,
}

/// An end of a range.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// A whole number.
    Whole(Expression),
    /// A number with a fraction.
    Decimal(f64),
}

impl Signature {
    /// Parses `name(arg, ...)`, or the bare name of a function whose arguments are to be found from its types.
    pub fn parse(text: &str) -> Result<Signature, SyntaxError> {
        Signature::parse_with(text, argument)
    }

    /// Parses the call of a declaration, in which arguments may be handles.
    pub(super) fn parse_declared(text: &str) -> Result<Signature, SyntaxError> {
        let signature = Signature::parse_with(text, parameter)?;
        if signature.is_bare() {
            let message = "expected `(` and the parameters after the name".to_string();
            return Err(SyntaxError { text: text.to_string(), column: text.trim_end().chars().count(), message });
        }
        Ok(signature)
    }

    fn parse_with(
        text: &str,
        argument: fn(&mut Cursor<'_>) -> Result<Syntax, SyntaxError>,
    ) -> Result<Signature, SyntaxError> {
        let error = |column, message: &str| SyntaxError { text: text.into(), column, message: message.into() };
        let trimmed = text.trim_start();
        let start = text.len() - trimmed.len();
        // A name in quotes may contain anything but quotes: some compilers export names with parentheses.
        let (name, after) = if let Some(quoted) = trimmed.strip_prefix('"') {
            let close = quoted.find('"').ok_or_else(|| error(0, "the quoted name has no closing quote"))?;
            (&quoted[..close], start + close + 2)
        } else {
            let open = trimmed.find('(').unwrap_or(trimmed.len());
            (trimmed[..open].trim_end(), start + open)
        };
        if name.is_empty() {
            return Err(error(0, "expected the name of an exported function, as in `sort(i32[n], n)`"));
        }
        if text[after..].trim().is_empty() {
            return Ok(Signature { text: text.to_string(), name: name.to_string(), arguments: None });
        }
        let mut cursor = Cursor::new(text, after, Dialect::Wasm)?;
        cursor.expect("(", "after the name; a function without arguments is called as `name()`")?;
        let mut arguments = Vec::new();
        if !cursor.accept(")") {
            loop {
                let column = cursor.column();
                arguments.push((argument(&mut cursor)?, column));
                if cursor.accept(")") {
                    break;
                }
                if !cursor.accept(",") {
                    return Err(cursor.unexpected("`,` or `)`"));
                }
            }
        }
        if cursor.peek().is_some() {
            return Err(cursor.unexpected("nothing after the call"));
        }
        Ok(Signature { text: text.to_string(), name: name.to_string(), arguments: Some(arguments) })
    }

    /// Whether only the name was written, which cannot be called yet.
    pub fn is_bare(&self) -> bool {
        self.arguments.is_none()
    }

    fn arguments(&self) -> &[(Syntax, usize)] {
        self.arguments.as_deref().unwrap_or_default()
    }

    /// The text that was parsed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Number of arguments.
    pub fn arity(&self) -> usize {
        self.arguments().len()
    }

    /// Whether an argument is memory that is filled with input.
    pub fn is_buffer(&self, argument: usize) -> bool {
        match self.arguments().get(argument) {
            Some((Syntax::Input(field), _)) => !field.is_single_number(),
            Some((Syntax::Text(..) | Syntax::Utf8(..), _)) => true,
            _ => false,
        }
    }

    /// Whether an argument is an array of bytes that are input.
    pub fn is_bytes(&self, argument: usize) -> bool {
        match self.arguments().get(argument) {
            Some((Syntax::Input(field), _)) => {
                matches!(field.of, FieldType::Number(Kind::U8, _)) && field.lengths.len() == 1
            }
            _ => false,
        }
    }

    /// Whether an argument is shown as a text: a `str`, UTF-8, a fixed text, or bytes whose range is written in characters.
    pub fn is_text(&self, argument: usize) -> bool {
        match self.arguments().get(argument) {
            Some((Syntax::Text(..) | Syntax::Utf8(..) | Syntax::Constant(_), _)) => true,
            Some((
                Syntax::Input(Field { of: FieldType::Number(Kind::U8 | Kind::I8, Some(range)), lengths, .. }),
                _,
            )) => {
                let is_character = |piece: &Piece| matches!(&piece.low, Bound::Whole(value) if value.is_character());
                lengths.len() == 1 && range.pieces.iter().all(is_character)
            }
            _ => false,
        }
    }

    /// Whether an argument is a pointer to a function.
    pub fn is_function(&self, argument: usize) -> bool {
        matches!(self.arguments().get(argument), Some((Syntax::Function(_), _)))
    }

    /// The handle that an argument is, in a declaration.
    pub fn handle(&self, argument: usize) -> Option<&Handle> {
        match self.arguments().get(argument) {
            Some((Syntax::Handle(handle), _)) => Some(handle),
            _ => None,
        }
    }

    /// What is doubtful about a call that is laid out in this plan: numbers that look like the length of the buffer before
    /// them and are greater.
    pub fn doubts(&self, plan: &InputPlan) -> Vec<String> {
        let mut doubts = Vec::new();
        for (i, pair) in plan.arguments.windows(2).enumerate() {
            let (count, bytes) = match &pair[0] {
                Argument::Buffer(group) | Argument::Text(group) => (group.count, group.kind.bytes()),
                Argument::Zeroed { kind, count } => (*count, kind.bytes()),
                _ => continue,
            };
            let mut names = BTreeSet::new();
            let Some((Syntax::Number(Bound::Whole(value)), _)) = self.arguments().get(i + 1) else { continue };
            value.sizes(&mut names);
            let Argument::Integer(length) = pair[1] else { continue };
            // It may also count bytes.
            let fits = length <= i128::from(count) || length == i128::from(count) * i128::from(bytes);
            if !fits && !names.is_empty() {
                let (number, next) = (i + 1, i + 2);
                doubts.push(format!(
                    "argument {next} is {length}, but the buffer of argument {number} has {count} elements: if it is their \
                     number, the function reads beyond them"
                ));
            }
        }
        doubts
    }

    /// Column of an argument in the text, for messages about it.
    pub fn column(&self, argument: usize) -> usize {
        self.arguments()[argument].1
    }

    /// Its arguments as they are written.
    pub fn argument_texts(&self) -> impl Iterator<Item = &str> {
        let offset = |column: usize| self.text.char_indices().nth(column).map_or(self.text.len(), |(at, _)| at);
        let ends = (1..self.arity()).map(|next| self.column(next)).chain([usize::MAX]);
        let text = move |(start, end): (usize, usize)| {
            let text = self.text[offset(start)..offset(end)].trim_end();
            text.strip_suffix([',', ')']).unwrap_or(text).trim_end()
        };
        (0..self.arity()).map(|argument| self.column(argument)).zip(ends).map(text)
    }

    /// The names of the sizes in it.
    pub fn sizes(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for (syntax, _) in self.arguments() {
            match syntax {
                Syntax::Input(field) | Syntax::Zeroed(field) => field.sizes(&mut names),
                Syntax::Text(length, range) => {
                    length.sizes(&mut names);
                    range_sizes(range, &mut names);
                }
                Syntax::Utf8(length, _) => length.sizes(&mut names),
                Syntax::Number(Bound::Whole(value)) => value.sizes(&mut names),
                Syntax::Number(Bound::Decimal(_)) | Syntax::Constant(_) | Syntax::Function(_) | Syntax::Handle(_) => {}
            }
        }
        names
    }

    /// Evaluates lengths and ranges for the plan's sizes and adds the arguments and their variables to the plan.
    pub fn lay_out(&self, plan: &mut InputPlan) -> Result<(), SyntaxError> {
        if self.is_bare() {
            let message = "expected `(` and the arguments after the name".to_string();
            return Err(SyntaxError { text: self.text.clone(), column: self.text.chars().count(), message });
        }
        let mut layout = Layout::new(&self.text, plan);
        let mut arguments = Vec::new();
        let mut handles = 0..;
        for (syntax, column) in self.arguments() {
            arguments.push(match syntax {
                Syntax::Input(Field { of: FieldType::Number(kind, range), lengths, .. }) if lengths.len() < 2 => {
                    match lengths.first() {
                        None => Argument::Scalar(layout.group(*kind, 1, range, *column)?),
                        Some(length) => {
                            let count = layout.count(length, kind.name())?;
                            Argument::Buffer(layout.group(*kind, count, range, *column)?)
                        }
                    }
                }
                Syntax::Input(field) => Argument::Structure(layout.structure(field, true)?),
                Syntax::Text(length, range) => {
                    let count = layout.count(length, Kind::U8.name())?;
                    let group = layout.group(Kind::U8, count, range, *column)?;
                    Argument::Text(layout.without_zero(group, range)?)
                }
                Syntax::Utf8(length, with_nul) => {
                    let count = layout.count(length, Kind::U8.name())?;
                    let group = layout.group(Kind::U8, count, &None, *column)?;
                    let bounds = Some(Bounds::Unsigned { low: u64::from(*with_nul), high: 0xf4 });
                    let group = Group { bounds, utf8: true, ..group };
                    if *with_nul { Argument::Text(group) } else { Argument::Buffer(group) }
                }
                Syntax::Zeroed(Field { of: FieldType::Number(kind, _), lengths, .. }) if lengths.len() == 1 => {
                    Argument::Zeroed { kind: *kind, count: layout.count(&lengths[0], kind.name())? }
                }
                Syntax::Zeroed(field) => Argument::Structure(layout.structure(field, false)?),
                Syntax::Number(Bound::Whole(value)) => Argument::Integer(layout.evaluate(value)?),
                Syntax::Number(Bound::Decimal(value)) => Argument::Float(*value),
                Syntax::Constant(bytes) => Argument::Constant(bytes.clone()),
                Syntax::Function(name) => Argument::Function(name.clone()),
                // Which call returned it is known to those who make sequences of calls.
                Syntax::Handle(_) => Argument::Returned(handles.next().unwrap_or_default()),
            });
        }
        plan.variables = layout.next;
        plan.arguments = arguments;
        Ok(())
    }
}

impl Field {
    fn is_single_number(&self) -> bool {
        self.lengths.is_empty() && matches!(self.of, FieldType::Number(..))
    }

    fn sizes(&self, into: &mut BTreeSet<String>) {
        self.lengths.iter().for_each(|length| length.sizes(into));
        match &self.of {
            FieldType::Number(_, range) => range_sizes(range, into),
            FieldType::Record(fields) => fields.iter().for_each(|field| field.sizes(into)),
        }
    }
}

/// Adds the names of the sizes in a range.
pub fn range_sizes(range: &Option<Range>, into: &mut BTreeSet<String>) {
    for piece in range.iter().flat_map(|range| &range.pieces) {
        for bound in [Some(&piece.low), piece.high.as_ref()].into_iter().flatten() {
            if let Bound::Whole(value) = bound {
                value.sizes(into);
            }
        }
    }
}

impl Length {
    /// Parses `LEN` or `LEN in lo..hi`.
    pub fn parse(text: &str) -> Result<Length, SyntaxError> {
        let mut cursor = Cursor::new(text, 0, Dialect::Wasm)?;
        let length = cursor.expression()?;
        let range = range(&mut cursor)?;
        if matches!(cursor.peek(), Some(Token::Mark(","))) && range.is_some() {
            return Err(cursor.unexpected("`|` between ranges, as in `8 in ' '..='~' | '\\n'`"));
        }
        if cursor.peek().is_some() {
            return Err(cursor.unexpected("nothing after the length"));
        }
        Ok(Length { text: text.to_string(), length, range })
    }

    /// Parses `str[LEN]` or `str[LEN] in lo..hi`, which is how a command-line argument says that it is input. `None`
    /// if the text does not start that way and should be taken literally.
    pub fn parse_argument(text: &str) -> Option<Result<Length, SyntaxError>> {
        text.strip_prefix("str[")?;
        Some((|| {
            let mut cursor = Cursor::new(text, 4, Dialect::Wasm)?;
            let length = cursor.expression()?;
            cursor.expect("]", "after the length")?;
            let range = range(&mut cursor)?;
            if cursor.peek().is_some() {
                return Err(cursor.unexpected("nothing after the argument"));
            }
            Ok(Length { text: text.to_string(), length, range })
        })())
    }

    /// The text that was parsed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names of the sizes in it.
    pub fn sizes(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        self.length.sizes(&mut names);
        range_sizes(&self.range, &mut names);
        names
    }

    fn lay_out(&self, plan: &mut InputPlan, nul_ends_it: bool) -> Result<Group, SyntaxError> {
        let mut layout = Layout::new(&self.text, plan);
        let count = layout.count(&self.length, Kind::U8.name())?;
        let mut group = layout.group(Kind::U8, count, &self.range, 0)?;
        if nul_ends_it {
            group = layout.without_zero(group, &self.range)?;
        }
        plan.variables = layout.next;
        Ok(group)
    }

    /// Puts this many bytes of input on standard input.
    pub fn lay_out_stdin(&self, plan: &mut InputPlan) -> Result<(), SyntaxError> {
        plan.stdin = Some(self.lay_out(plan, false)?);
        Ok(())
    }

    /// Adds a command-line argument, none of whose bytes is zero.
    pub fn lay_out_argument(&self, plan: &mut InputPlan) -> Result<(), SyntaxError> {
        let group = self.lay_out(plan, true)?;
        plan.command_line.push(Content::Input(group));
        Ok(())
    }

    /// Adds a file of this length.
    pub fn lay_out_file(&self, name: &str, plan: &mut InputPlan) -> Result<(), SyntaxError> {
        let group = self.lay_out(plan, false)?;
        plan.files.push((name.to_string(), Content::Input(group)));
        Ok(())
    }
}

fn argument(cursor: &mut Cursor<'_>) -> Result<Syntax, SyntaxError> {
    if cursor.accept_word("out") {
        let column = cursor.column();
        let field = field(cursor)?.ok_or_else(|| cursor.unexpected("a type after `out`, as in `out i32[n]`"))?;
        if field.is_single_number() {
            return Err(cursor.unexpected("`[` and a length"));
        }
        if field.has_range() {
            return Err(cursor.error_at(column, "`out` is not input: it starts as zeros, and needs no range"));
        }
        return Ok(Syntax::Zeroed(field));
    }
    let with_nul = cursor.accept_word("str");
    if cursor.accept_word("utf8") {
        let length = length(cursor)?;
        if matches!(cursor.peek(), Some(Token::Word(word)) if word == "in") {
            let instead = if with_nul { "str[n] in ' '..='~'" } else { "u8[n] in ' '..='~'" };
            let message = format!("`utf8` has no range; for a part of ASCII write `{instead}`");
            return Err(cursor.error_at(cursor.column(), message));
        }
        return Ok(Syntax::Utf8(length, with_nul));
    }
    if with_nul {
        let length = length(cursor)?;
        return Ok(Syntax::Text(length, range(cursor)?));
    }
    if let Some(field) = field(cursor)? {
        return Ok(Syntax::Input(field));
    }
    if cursor.accept("&") {
        let name: Arc<str> = match cursor.peek() {
            Some(Token::Word(name)) => name.as_str().into(),
            // Names of C++ and Rust have marks in them.
            Some(Token::Text(name)) if std::str::from_utf8(name).is_ok() => String::from_utf8_lossy(name).into(),
            _ => return Err(cursor.unexpected("the name of a function after `&`, as in `&compare`")),
        };
        cursor.advance();
        return Ok(Syntax::Function(name));
    }
    // Any other word is a size, unless it is evidently meant as a type.
    if let Some(Token::Word(word)) = cursor.peek()
        && word != "n"
        && (c_type(word).is_some() || matches!(cursor.peek_second(), Some(Token::Mark("[")) | Some(Token::Word(_))))
    {
        return Err(not_a_type(cursor, word));
    }
    if let Some(Token::Text(bytes)) = cursor.peek() {
        let bytes = bytes.as_slice().into();
        cursor.advance();
        return Ok(Syntax::Constant(bytes));
    }
    Ok(Syntax::Number(bound(cursor)?))
}

/// A parameter of a declaration: an argument, or a handle.
fn parameter(cursor: &mut Cursor<'_>) -> Result<Syntax, SyntaxError> {
    let moved = cursor.accept_word("move");
    match cursor.peek() {
        Some(Token::Word(word)) if word.starts_with(char::is_uppercase) => {
            let ty = word.as_str().into();
            cursor.advance();
            Ok(Syntax::Handle(Handle { ty, moved }))
        }
        _ if moved => Err(cursor.unexpected("a type of handles after `move`, as in `move List`")),
        _ => argument(cursor),
    }
}

fn not_a_type(cursor: &Cursor<'_>, word: &str) -> SyntaxError {
    let kinds = Kind::ALL.map(Kind::name).join(" ");
    let hint = match c_type(word) {
        Some(meant) => format!("did you mean {meant}? Types"),
        None => "types".to_string(),
    };
    cursor.error_at(
        cursor.column(),
        format!("`{word}` is not a type; {hint} are {kinds} str, `T[len]` for a buffer, `n` for the size"),
    )
}

/// A number or a record, or arrays of these; `None` if the next token starts neither.
fn field(cursor: &mut Cursor<'_>) -> Result<Option<Field>, SyntaxError> {
    let column = cursor.column();
    if cursor.accept("{") {
        cursor.enter(column)?;
        let mut fields = Vec::new();
        loop {
            fields.push(match field(cursor)? {
                Some(field) => field,
                None => match cursor.peek() {
                    Some(Token::Word(word)) => return Err(not_a_type(cursor, word)),
                    _ => return Err(cursor.unexpected("the type of a field, as in `{i32, u8[4]}`")),
                },
            });
            if cursor.accept("}") {
                break;
            }
            if !cursor.accept(",") {
                return Err(cursor.unexpected("`,` or `}`"));
            }
        }
        cursor.leave();
        let field = Field { of: FieldType::Record(fields), lengths: lengths(cursor)?, column };
        if matches!(cursor.peek(), Some(Token::Word(word)) if word == "in") {
            let message = "a record has no range of its own; its fields may, as in `{u8 in 0..=8, i32}`";
            return Err(cursor.error_at(cursor.column(), message));
        }
        return Ok(Some(field));
    }
    let Some(kind) = kind(cursor) else { return Ok(None) };
    let lengths = lengths(cursor)?;
    Ok(Some(Field { of: FieldType::Number(kind, range(cursor)?), lengths, column }))
}

impl Field {
    fn has_range(&self) -> bool {
        match &self.of {
            FieldType::Number(_, range) => range.is_some(),
            FieldType::Record(fields) => fields.iter().any(Field::has_range),
        }
    }
}

/// What somebody who writes a type of C or Rust means.
fn c_type(word: &str) -> Option<&'static str> {
    Some(match word {
        "int" | "long" | "int32_t" | "isize" => "`i32`",
        "unsigned" | "uint" | "uint32_t" => "`u32`",
        "size_t" | "usize" => "`u32`, or `n` for the size",
        "short" | "int16_t" => "`i16`",
        "uint16_t" => "`u16`",
        "char" => "`i8` for a number, `str[n]` for a text",
        "byte" | "uint8_t" => "`u8`",
        "int8_t" => "`i8`",
        "int64_t" => "`i64`",
        "uint64_t" => "`u64`",
        "float" => "`f32`",
        "double" => "`f64`",
        "string" | "String" | "text" => "`str[n]`",
        _ => return None,
    })
}

fn kind(cursor: &mut Cursor<'_>) -> Option<Kind> {
    let Some(Token::Word(word)) = cursor.peek() else { return None };
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == word);
    if kind.is_some() {
        cursor.advance();
    }
    kind
}

/// A length in brackets.
pub fn length(cursor: &mut Cursor<'_>) -> Result<Expression, SyntaxError> {
    cursor.expect("[", "and a length")?;
    let length = cursor.expression()?;
    cursor.expect("]", "after the length")?;
    Ok(length)
}

/// No length, or one or more.
pub fn lengths(cursor: &mut Cursor<'_>) -> Result<Vec<Expression>, SyntaxError> {
    let mut lengths = Vec::new();
    while matches!(cursor.peek(), Some(Token::Mark("["))) {
        lengths.push(length(cursor)?);
    }
    Ok(lengths)
}

/// `in` and ranges, if they are there. A text stands for each of its characters.
pub fn range(cursor: &mut Cursor<'_>) -> Result<Option<Range>, SyntaxError> {
    let column = cursor.column();
    if !cursor.accept_word("in") {
        return Ok(None);
    }
    let mut pieces = Vec::new();
    loop {
        // A mistake in the only range is shown where `in` is.
        let at = if pieces.is_empty() { column } else { cursor.column() };
        if let Some(characters) = cursor.characters()? {
            // One character may be the end of a range, too.
            if characters.len() != 1 || !matches!(cursor.peek_second(), Some(Token::Mark(".." | "..="))) {
                cursor.advance();
                pieces.extend(characters.into_iter().map(|character| Piece {
                    low: Bound::Whole(Expression::character(character, at)),
                    high: None,
                    excludes_high: false,
                    column: at,
                }));
                if !cursor.accept("|") {
                    return Ok(Some(Range { pieces, column }));
                }
                continue;
            }
        }
        let low = bound(cursor)?;
        let inclusive = cursor.accept("..=");
        let excludes_high = !inclusive && cursor.accept("..");
        let high = if inclusive || excludes_high { Some(bound(cursor)?) } else { None };
        pieces.push(Piece { low, high, excludes_high, column: at });
        if !cursor.accept("|") {
            return Ok(Some(Range { pieces, column }));
        }
    }
}

fn bound(cursor: &mut Cursor<'_>) -> Result<Bound, SyntaxError> {
    let negative = matches!(cursor.peek(), Some(Token::Mark("-")));
    let token = if negative { cursor.peek_second() } else { cursor.peek() };
    if let Some(&Token::Decimal(value)) = token {
        cursor.advance();
        if negative {
            cursor.advance();
        }
        return Ok(Bound::Decimal(if negative { -value } else { value }));
    }
    if let Some(&[character]) = cursor.characters()?.as_deref() {
        let column = cursor.column();
        cursor.advance();
        return Ok(Bound::Whole(Expression::character(character, column)));
    }
    Ok(Bound::Whole(cursor.expression()?))
}
