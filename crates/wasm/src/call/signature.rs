//! The language of `--call 'name(arg, ...)'`, and of lengths (`--stdin LEN`).
//!
//! ```text
//! call     = name "(" [ argument { "," argument } ] ")"
//! argument = ( kind | kind "[" expr "]" | "str" "[" expr "]" ) [ "in" range ]
//!          | "out" kind "[" expr "]" | expr | decimal | text
//! length   = expr [ "in" range ]
//! range    = bound ( ".." | "..=" ) bound
//! expr     = sums and products of whole numbers, 'c' and n
//! text     = characters in double quotes
//! ```

use std::sync::Arc;

use super::expression::{Cursor, Expression, Token};
use super::{Argument, Bounds, Content, Group, InputPlan, Kind, MAX_VARIABLES, SyntaxError};

/// A parsed call; `n` is not yet known.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    text: String,
    /// Name of the exported function.
    pub name: String,
    /// `None` where only the name was written.
    arguments: Option<Vec<(Syntax, usize)>>,
}

/// A parsed length with an optional range, for standard input and files; `n` is not yet known.
#[derive(Clone, Debug, PartialEq)]
pub struct Length {
    text: String,
    length: Expression,
    range: Option<Range>,
}

#[derive(Clone, Debug, PartialEq)]
enum Syntax {
    Scalar(Kind, Option<Range>),
    Buffer(Kind, Expression, Option<Range>),
    Text(Expression, Option<Range>),
    Zeroed(Kind, Expression),
    Number(Bound),
    Constant(Arc<[u8]>),
}

#[derive(Clone, Debug, PartialEq)]
struct Range {
    low: Bound,
    high: Bound,
    inclusive: bool,
    column: usize,
}

#[derive(Clone, Debug, PartialEq)]
enum Bound {
    Whole(Expression),
    Decimal(f64),
}

impl Signature {
    /// Parses `name(arg, ...)`, or the bare name of a function whose arguments are to be found from its types.
    pub fn parse(text: &str) -> Result<Signature, SyntaxError> {
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
        let mut cursor = Cursor::new(text, after)?;
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
        matches!(self.arguments().get(argument), Some((Syntax::Buffer(..) | Syntax::Text(..), _)))
    }

    /// Column of an argument in the text, for messages about it.
    pub fn column(&self, argument: usize) -> usize {
        self.arguments()[argument].1
    }

    /// Evaluates lengths and ranges for the plan's size and adds the arguments and their variables to the plan.
    pub fn lay_out(&self, plan: &mut InputPlan) -> Result<(), SyntaxError> {
        if self.is_bare() {
            let message = "expected `(` and the arguments after the name".to_string();
            return Err(SyntaxError { text: self.text.clone(), column: self.text.chars().count(), message });
        }
        let mut layout = Layout { text: &self.text, size: plan.size, next: plan.variables };
        let mut arguments = Vec::new();
        for (syntax, column) in self.arguments() {
            arguments.push(match syntax {
                Syntax::Scalar(kind, range) => Argument::Scalar(layout.group(*kind, 1, range, *column)?),
                Syntax::Buffer(kind, length, range) => {
                    let count = layout.count(length, *kind)?;
                    Argument::Buffer(layout.group(*kind, count, range, *column)?)
                }
                Syntax::Text(length, range) => {
                    let count = layout.count(length, Kind::U8)?;
                    let mut group = layout.group(Kind::U8, count, range, *column)?;
                    group.bounds = Some(layout.without_zero(group.bounds, range)?);
                    Argument::Text(group)
                }
                Syntax::Zeroed(kind, length) => Argument::Zeroed { kind: *kind, count: layout.count(length, *kind)? },
                Syntax::Number(Bound::Whole(value)) => Argument::Integer(layout.evaluate(value)?),
                Syntax::Number(Bound::Decimal(value)) => Argument::Float(*value),
                Syntax::Constant(bytes) => Argument::Constant(bytes.clone()),
            });
        }
        plan.variables = layout.next;
        plan.arguments = arguments;
        Ok(())
    }
}

impl Length {
    /// Parses `LEN` or `LEN in lo..hi`.
    pub fn parse(text: &str) -> Result<Length, SyntaxError> {
        let mut cursor = Cursor::new(text, 0)?;
        let length = cursor.expression()?;
        let range = range(&mut cursor)?;
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
            let mut cursor = Cursor::new(text, 4)?;
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

    fn lay_out(&self, plan: &mut InputPlan, nul_ends_it: bool) -> Result<Group, SyntaxError> {
        let mut layout = Layout { text: &self.text, size: plan.size, next: plan.variables };
        let count = layout.count(&self.length, Kind::U8)?;
        let mut group = layout.group(Kind::U8, count, &self.range, 0)?;
        if nul_ends_it {
            group.bounds = Some(layout.without_zero(group.bounds, &self.range)?);
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
        let kind = kind(cursor)?.ok_or_else(|| cursor.unexpected("a type after `out`, as in `out i32[n]`"))?;
        let length = length(cursor)?;
        return Ok(Syntax::Zeroed(kind, length));
    }
    if cursor.accept_word("str") {
        let length = length(cursor)?;
        return Ok(Syntax::Text(length, range(cursor)?));
    }
    if let Some(kind) = kind(cursor)? {
        if matches!(cursor.peek(), Some(Token::Mark("["))) {
            let length = length(cursor)?;
            return Ok(Syntax::Buffer(kind, length, range(cursor)?));
        }
        return Ok(Syntax::Scalar(kind, range(cursor)?));
    }
    if let Some(Token::Word(word)) = cursor.peek()
        && word != "n"
    {
        let kinds = Kind::ALL.map(Kind::name).join(" ");
        let hint = match c_type(word) {
            Some(meant) => format!("did you mean {meant}? Types"),
            None => "types".to_string(),
        };
        return Err(cursor.error_at(
            cursor.column(),
            format!("`{word}` is not a type; {hint} are {kinds} str, `T[len]` for a buffer, `n` for the size"),
        ));
    }
    if let Some(Token::Text(bytes)) = cursor.peek() {
        let bytes = bytes.as_slice().into();
        cursor.advance();
        return Ok(Syntax::Constant(bytes));
    }
    Ok(Syntax::Number(bound(cursor)?))
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

fn kind(cursor: &mut Cursor<'_>) -> Result<Option<Kind>, SyntaxError> {
    let Some(Token::Word(word)) = cursor.peek() else { return Ok(None) };
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == word);
    if kind.is_some() {
        cursor.advance();
    }
    Ok(kind)
}

fn length(cursor: &mut Cursor<'_>) -> Result<Expression, SyntaxError> {
    cursor.expect("[", "and a length")?;
    let length = cursor.expression()?;
    cursor.expect("]", "after the length")?;
    Ok(length)
}

fn range(cursor: &mut Cursor<'_>) -> Result<Option<Range>, SyntaxError> {
    let column = cursor.column();
    if !cursor.accept_word("in") {
        return Ok(None);
    }
    let low = bound(cursor)?;
    let inclusive = cursor.accept("..=");
    if !inclusive && !cursor.accept("..") {
        return Err(cursor.unexpected("`..` or `..=`"));
    }
    let high = bound(cursor)?;
    Ok(Some(Range { low, high, inclusive, column }))
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
    Ok(Bound::Whole(cursor.expression()?))
}

/// Evaluation for one size; numbers variables as it goes.
struct Layout<'a> {
    text: &'a str,
    size: Option<u64>,
    next: u32,
}

impl Layout<'_> {
    fn error(&self, column: usize, message: impl Into<String>) -> SyntaxError {
        SyntaxError { text: self.text.to_string(), column, message: message.into() }
    }

    fn evaluate(&self, expression: &Expression) -> Result<i128, SyntaxError> {
        expression.evaluate(self.size).map_err(|(column, message)| self.error(column, message))
    }

    /// Number of elements; at most [`MAX_VARIABLES`].
    fn count(&self, length: &Expression, kind: Kind) -> Result<u32, SyntaxError> {
        let value = self.evaluate(length)?;
        if value < 0 {
            return Err(self.error(length.column, format!("the length is {value}; it cannot be negative")));
        }
        if value > i128::from(MAX_VARIABLES) {
            let message = format!("{value} elements of {kind} are more than the {MAX_VARIABLES} allowed");
            return Err(self.error(length.column, message));
        }
        Ok(value as u32)
    }

    fn group(&mut self, kind: Kind, count: u32, range: &Option<Range>, column: usize) -> Result<Group, SyntaxError> {
        let bounds = match range {
            Some(range) => self.bounds(kind, range)?,
            None if kind == Kind::Bool => Some(Bounds::Unsigned { low: 0, high: 1 }),
            None => None,
        };
        let first = self.next;
        if u64::from(first) + u64::from(count) > MAX_VARIABLES {
            return Err(self.error(column, format!("more than {MAX_VARIABLES} input variables in all")));
        }
        self.next += count;
        Ok(Group { first, count, kind, bounds })
    }

    fn bounds(&self, kind: Kind, range: &Range) -> Result<Option<Bounds>, SyntaxError> {
        if kind.is_float() {
            return self.float_bounds(kind, range).map(Some);
        }
        let whole = |bound: &Bound| match bound {
            Bound::Whole(expression) => self.evaluate(expression),
            Bound::Decimal(value) => {
                Err(self.error(range.column, format!("{value} is not a whole number, as {kind} requires")))
            }
        };
        let (low, mut high) = (whole(&range.low)?, whole(&range.high)?);
        if !range.inclusive {
            high -= 1;
        }
        if low > high {
            return Err(self.error(range.column, "no value lies in this range"));
        }
        let (least, most) = kind.limits();
        if low < least || high > most {
            let message = format!("{low}..={high} goes beyond {kind}, whose values are {least}..={most}");
            return Err(self.error(range.column, message));
        }
        Ok(Some(if kind.is_signed() {
            Bounds::Signed { low: low as i64, high: high as i64 }
        } else {
            Bounds::Unsigned { low: low as u64, high: high as u64 }
        }))
    }

    fn float_bounds(&self, kind: Kind, range: &Range) -> Result<Bounds, SyntaxError> {
        let value = |bound: &Bound| match bound {
            Bound::Whole(expression) => self.evaluate(expression).map(|value| value as f64),
            Bound::Decimal(value) => Ok(*value),
        };
        let (mut low, mut high) = (value(&range.low)?, value(&range.high)?);
        let open = !range.inclusive;
        if kind == Kind::F32 {
            // Round inwards, so that every f32 in the range is in the range that was written.
            let (l, h) = (low as f32, high as f32);
            low = f64::from(if f64::from(l) < low { l.next_up() } else { l });
            high = f64::from(if f64::from(h) > high || (open && f64::from(h) == high) { h.next_down() } else { h });
        } else if open {
            high = high.next_down();
        }
        if low > high || !low.is_finite() || !high.is_finite() {
            return Err(self.error(range.column, "no finite value lies in this range"));
        }
        Ok(Bounds::Float { low, high })
    }

    /// A byte of a C string is never NUL.
    fn without_zero(&self, bounds: Option<Bounds>, range: &Option<Range>) -> Result<Bounds, SyntaxError> {
        match bounds {
            Some(Bounds::Unsigned { low: 0, high: 0 }) => Err(self.error(
                range.as_ref().map_or(0, |range| range.column),
                "a string has no byte 0 before its end, so no value lies in this range",
            )),
            Some(Bounds::Unsigned { low, high }) => Ok(Bounds::Unsigned { low: low.max(1), high }),
            _ => Ok(Bounds::Unsigned { low: 1, high: 255 }),
        }
    }
}
