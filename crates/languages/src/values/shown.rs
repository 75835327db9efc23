//! Values for readers: without what only the compiler needs to know.
//!
//! `&["a".to_string()].into_iter().collect::<HashSet<_>>()` is `{"a"}`, and the paths of types are their last names.

use std::collections::BTreeMap;

use super::numbers::{choice, number, part, written};
use super::{Datum, Form, Outline};

/// The most parts of a value that are written: no value of ours has more, but a damaged section may.
const MOST_PARTS: usize = 1 << 22;

/// How the code of a closure begins whose answers are input, one after the other and then again.
pub const ANSWERS: &str = "{ let answers = ";

/// A value as one would write it down for another person; `None` where the form does not fit the numbers.
pub fn shown(form: &Form, datum: &Datum) -> Option<String> {
    Writer { left: MOST_PARTS }.value(form, datum)
}

/// Whether the numbers, as `--input` takes them, read as well: numbers, arrays of them, and a text by itself.
pub fn is_plain(form: &Form, outline: &Outline) -> bool {
    match form {
        Form::Number(_) | Form::Fixed(_) => true,
        Form::Text(..) => matches!(outline, Outline::Items(..) | Outline::All(_)),
        Form::At(None, form) => is_plain(form, outline),
        Form::Parts(text, parts) => inner(text, parts).is_some_and(|form| is_plain(form, outline)),
        // `std::stack<int>({1, 2})` is no list.
        Form::Items(before, form, after) if !before.contains('(') && Brackets::after(after) == Brackets::List => {
            let of = match outline {
                Outline::Items(of, _) | Outline::Array(of, _) | Outline::All(of) => of,
                Outline::Number | Outline::Record(_) => return false,
            };
            // In another value, a collection has its length before its elements and zeros behind them.
            !matches!(**of, Outline::Items(..)) && is_plain(form, of)
        }
        _ => false,
    }
}

/// What is around the elements of a collection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Brackets {
    List,
    Set,
    Map,
}

impl Brackets {
    /// By what makes the collection of its elements.
    fn after(text: &str) -> Brackets {
        // The elements of a list may be sets themselves, so only the outermost type counts.
        let ty = text.split("collect::<").nth(1).unwrap_or_default().split('<').next().unwrap_or_default();
        let name = ty.trim_end_matches(':').rsplit("::").next().unwrap_or_default();
        match name {
            name if name.ends_with("Map") => Brackets::Map,
            name if name.ends_with("Set") => Brackets::Set,
            _ => Brackets::List,
        }
    }
}

struct Writer {
    left: usize,
}

impl Writer {
    fn value(&mut self, form: &Form, datum: &Datum) -> Option<String> {
        self.left = self.left.checked_sub(1)?;
        Some(match form {
            Form::Fixed(text) => plain(text),
            Form::At(None, form) => self.value(form, datum)?,
            Form::At(Some(at), form) => self.value(form, part(datum, *at)?)?,
            Form::Choice(chooser, arms) => {
                let chosen = usize::try_from(choice(chooser, datum)?).ok()?;
                self.value(arms.get(chosen).or(arms.last())?, datum)?
            }
            Form::Items(_, form, after) => {
                let Datum::List(elements) = datum else { return None };
                let brackets = Brackets::after(after);
                let mut texts: Vec<(String, String)> = Vec::new();
                let mut places: BTreeMap<String, usize> = BTreeMap::new();
                for element in elements {
                    let (key, value) = match (brackets, &**form) {
                        (Brackets::Map, Form::Parts(_, both)) if both.len() == 2 => {
                            (self.value(&both[0], element)?, format!(": {}", self.value(&both[1], element)?))
                        }
                        (_, form) => (self.value(form, element)?, String::new()),
                    };
                    if brackets == Brackets::List {
                        texts.push((key, value));
                        continue;
                    }
                    // Of equal keys one is kept, with the last value that it got.
                    let place = *places.entry(key.clone()).or_insert(texts.len());
                    match texts.get_mut(place) {
                        Some((_, known)) => *known = value,
                        None => texts.push((key, value)),
                    }
                }
                let texts = texts.into_iter().map(|(key, value)| key + &value).collect::<Vec<String>>().join(", ");
                match brackets {
                    Brackets::List => format!("[{texts}]"),
                    Brackets::Set | Brackets::Map => format!("{{{texts}}}"),
                }
            }
            Form::Statements(form) => {
                let Datum::List(elements) = datum else { return None };
                elements.iter().map(|element| self.value(form, element)).collect::<Option<Vec<_>>>()?.concat()
            }
            Form::Text(before, _) => {
                let Datum::List(bytes) = datum else { return None };
                let bytes = bytes.iter().map(|byte| Some(number(byte)?.whole() as u8)).collect::<Option<Vec<u8>>>()?;
                let text = format!("{:?}", String::from_utf8(bytes).ok()?);
                // A value of the crate's own that is made from a text says so.
                match before.contains("::subject::") {
                    true => format!("{}{text})", plain(before)),
                    false => text,
                }
            }
            Form::Parts(text, parts) => match (inner(text, parts), &parts[..]) {
                (Some(form), _) => self.value(form, datum)?,
                (None, [answers]) if text.starts_with(ANSWERS) => {
                    format!("a closure that answers {}", self.value(answers, datum)?)
                }
                _ => self.parts(&plain(text), parts, datum)?,
            },
            Form::Number(_) | Form::Wide(_) | Form::Bool | Form::Char => written(form, datum, &mut plain)?,
        })
    }

    fn parts(&mut self, text: &str, parts: &[Form], datum: &Datum) -> Option<String> {
        let mut result = String::new();
        for (at, piece) in text.split('@').enumerate() {
            match at % 2 {
                0 => result += piece,
                _ => result += &self.value(parts.get(piece.parse::<usize>().ok()?)?, datum)?,
            }
        }
        Some(result)
    }
}

/// The one part of a text that merely wraps it: a reference, or a pointer or cell of the library.
fn inner<'f>(text: &str, parts: &'f [Form]) -> Option<&'f Form> {
    let [form] = parts else { return None };
    let wraps = matches!(text, "&@0@" | "&mut @0@")
        || ["::std::", "::core::"].iter().any(|start| text.trim_start_matches('(').starts_with(start));
    (wraps && text.matches("@0@").count() == 1).then_some(form)
}

/// Code without the modules of its paths, and without what stands for nothing.
fn plain(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_path = rest.starts_with("::") && !result.ends_with('>') || first.is_alphabetic() || first == '_';
        let length = if is_path { path_length(rest) } else { 0 };
        if length == 0 {
            result.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let names: Vec<&str> = rest[..length].split("::").filter(|name| !name.is_empty()).collect();
        // `Token::Number` and `Stack::new` keep their types.
        let is_type = |name: &&str| name.starts_with(char::is_uppercase);
        let from = names.iter().position(is_type).unwrap_or(names.len().saturating_sub(1));
        result += &names[from..].join("::");
        rest = &rest[length..];
    }
    let result = result.replace("let _ = made.", "made.");
    if result.starts_with("Vec::<") && result.contains(">::new()") {
        return "[]".to_string();
    }
    // `<Stack::<u32>>::new(...)`: the brackets around the type mean nothing.
    match result.strip_prefix('<').and_then(|rest| rest.split_once(">::")) {
        Some((ty, call)) if !ty.contains(" as ") && ty.matches('<').count() == ty.matches('>').count() => {
            format!("{ty}::{call}")
        }
        Some((ty, call)) if !ty.contains(" as ") && call.starts_with(|c: char| c.is_lowercase()) => {
            format!("{ty}::{call}")
        }
        _ => result,
    }
}

/// The length of the path at the beginning of a text: `::std::vec::Vec`.
fn path_length(text: &str) -> usize {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut end = 0;
    loop {
        let rest = &text[end..];
        let separator = if rest.starts_with("::") { 2 } else { 0 };
        if separator == 0 && end > 0 {
            return end;
        }
        let name: usize = rest[separator..].chars().take_while(|c| is_part(*c)).map(char::len_utf8).sum();
        if name == 0 {
            return end;
        }
        end += separator + name;
    }
}

#[cfg(test)]
mod tests {
    use super::super::Scalar;
    use super::*;

    fn whole(value: i128) -> Datum {
        Datum::Number(Scalar::Whole(value))
    }

    fn list(values: &[i128]) -> Datum {
        Datum::List(values.iter().map(|value| whole(*value)).collect())
    }

    fn number_form() -> Form {
        Form::Number("u32".to_string())
    }

    #[test]
    fn values_are_shown_without_what_the_compiler_needs() {
        let text = Form::Text(String::new(), ".to_string()".to_string());
        let texts = Form::around("&@0@", Form::Items("vec![".to_string(), Box::new(text.clone()), "]".to_string()));
        let both = Datum::List(vec![list(&[97, 98]), list(&[34])]);
        assert_eq!(shown(&texts, &both).as_deref(), Some("[\"ab\", \"\\\"\"]"));
        let pair = Form::Parts(
            "(@0@, @1@)".to_string(),
            vec![Form::At(Some(0), Box::new(text)), Form::At(Some(1), Box::new(number_form()))],
        );
        let collected = "].into_iter().collect::<::std::collections::HashMap::<::std::string::String, u32>>()";
        let map = Form::Items("vec![".to_string(), Box::new(pair), collected.to_string());
        let entries = Datum::List(vec![Datum::List(vec![list(&[97]), whole(5)])]);
        assert_eq!(shown(&map, &entries).as_deref(), Some("{\"a\": 5}"));
        let entry = |key, value| Datum::List(vec![list(&[key]), whole(value)]);
        let twice = Datum::List(vec![entry(97, 5), entry(98, 6), entry(97, 7)]);
        assert_eq!(shown(&map, &twice).as_deref(), Some("{\"a\": 7, \"b\": 6}"));
        let point = Form::Parts(
            "::subject::shapes::Point { x: @0@, y: @1@ }".to_string(),
            vec![Form::At(Some(0), Box::new(number_form())), Form::At(Some(1), Box::new(Form::Bool))],
        );
        let shared = Form::around("(::std::rc::Rc::new(@0@) as ::std::rc::Rc<dyn ::subject::Shape>)", point);
        assert_eq!(shown(&shared, &list(&[1, 2])).as_deref(), Some("Point { x: 1, y: true }"));
        let option =
            Form::Choice(Box::new(Form::Bool), vec![Form::fixed("None"), Form::around("Some(@0@)", Form::Char)]);
        assert_eq!(shown(&option, &whole(0)).as_deref(), Some("None"));
        let made = Form::Parts(
            "{ let mut made = @0@; @1@made }".to_string(),
            vec![
                Form::fixed("<::subject::heap::Heap::<u32>>::new()"),
                Form::Statements(Box::new(Form::around("let _ = made.push(@0@); ", number_form()))),
            ],
        );
        let text = shown(&made, &list(&[3, 4]));
        assert_eq!(text.as_deref(), Some("{ let mut made = Heap::<u32>::new(); made.push(3); made.push(4); made }"));
        assert_eq!(shown(&number_form(), &list(&[3, 4])), None, "a list is no number");
    }

    #[test]
    fn what_has_no_end_is_given_up() {
        // As a damaged section can say it: every part is the same one twice.
        let form = (0..40).fold(number_form(), |form, _| Form::Parts("@0@@0@".to_string(), vec![form]));
        assert_eq!(shown(&form, &whole(1)), None);
    }

    #[test]
    fn plain_values_need_no_other_form() {
        let slice =
            |element: Form| Form::around("&@0@", Form::Items("[".to_string(), Box::new(element), "]".to_string()));
        let items = |of: Outline| Outline::Items(Box::new(of), 8);
        assert!(is_plain(&slice(number_form()), &items(Outline::Number)));
        assert!(!is_plain(&slice(Form::Bool), &items(Outline::Number)), "0 and 1 are no truth values");
        let text = Form::Text(String::new(), String::new());
        assert!(is_plain(&text, &items(Outline::Number)));
        assert!(!is_plain(&slice(text), &items(items(Outline::Number))));
        let row = Form::Items("[".to_string(), Box::new(number_form()), "]".to_string());
        assert!(is_plain(&slice(row), &items(Outline::Array(Box::new(Outline::Number), 3))));
    }
}
