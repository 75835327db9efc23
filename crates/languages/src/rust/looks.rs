//! Values as `{:?}` prints them, read back as Rust.

use crate::calling::{Looks, Variant};

/// The literal that a printed text stands for; `None` where only the text can be compared. `path` shortens paths.
pub fn literal(looks: &Looks, printed: &str, path: &mut impl FnMut(&str) -> String) -> Option<String> {
    if has_unknown(looks) {
        return None;
    }
    let mut reader = Reader { rest: printed };
    let text = reader.read(looks, path)?;
    reader.rest.is_empty().then_some(text)
}

/// Whether something in it can only be compared as a text.
fn has_unknown(looks: &Looks) -> bool {
    match looks {
        Looks::Debug => true,
        Looks::Plain | Looks::Float(_) | Looks::Text(_) => false,
        Looks::Behind(of) | Looks::Option(of) | Looks::List(_, of) => has_unknown(of),
        Looks::Result(good, bad) => has_unknown(good) || has_unknown(bad),
        Looks::Tuple(parts) => parts.iter().any(has_unknown),
        Looks::Own(_, variants) => {
            variants.iter().flat_map(|variant| &variant.fields).any(|(_, looks)| has_unknown(looks))
        }
    }
}

struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    fn accept(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, text: &str) -> Option<()> {
        self.accept(text).then_some(())
    }

    /// Characters up to the first that does not belong to a number or a name.
    fn word(&mut self) -> &str {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '+' | '.');
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    /// A literal in quotes, as it is printed.
    fn quoted(&mut self, quote: char) -> Option<String> {
        let mut letters = self.rest.char_indices().skip(1);
        if !self.rest.starts_with(quote) {
            return None;
        }
        while let Some((at, c)) = letters.next() {
            if c == '\\' {
                letters.next();
            } else if c == quote {
                let (text, rest) = self.rest.split_at(at + 1);
                self.rest = rest;
                return Some(text.to_string());
            }
        }
        None
    }

    fn read(&mut self, looks: &Looks, path: &mut impl FnMut(&str) -> String) -> Option<String> {
        Some(match looks {
            Looks::Plain if self.rest.starts_with('\'') => self.quoted('\'')?,
            Looks::Plain => {
                let word = self.word().to_string();
                (!word.is_empty()).then_some(word)?
            }
            Looks::Float(ty) => match self.word() {
                "inf" => format!("{ty}::INFINITY"),
                "-inf" => format!("{ty}::NEG_INFINITY"),
                // It is not equal to itself.
                "NaN" | "" => return None,
                word => word.to_string(),
            },
            Looks::Text(owned) => {
                let text = self.quoted('"')?;
                if *owned { format!("{text}.to_string()") } else { text }
            }
            Looks::Behind(of) => match &**of {
                // Without the brackets, its length would be part of its type.
                Looks::List(before, _) if before.is_empty() => format!("&{}[..]", self.read(of, path)?),
                of => format!("&{}", self.read(of, path)?),
            },
            Looks::Option(of) => match self.accept("None") {
                true => "None".to_string(),
                false => self.wrapped("Some", of, path)?,
            },
            Looks::Result(good, bad) => match self.rest.starts_with("Ok(") {
                true => self.wrapped("Ok", good, path)?,
                false => self.wrapped("Err", bad, path)?,
            },
            Looks::Tuple(parts) => {
                self.expect("(")?;
                let mut texts = Vec::new();
                for (at, part) in parts.iter().enumerate() {
                    if at > 0 {
                        self.expect(", ")?;
                    }
                    texts.push(self.read(part, path)?);
                }
                let comma = if parts.len() == 1 { "," } else { "" };
                self.expect(&format!("{comma})"))?;
                format!("({}{comma})", texts.join(", "))
            }
            Looks::List(before, of) => {
                self.expect("[")?;
                let mut texts = Vec::new();
                loop {
                    texts.push(self.read(of, path)?);
                    if !self.accept(", ") {
                        break;
                    }
                }
                // Of an empty one, the compiler would not know the type of the elements.
                self.expect("]")?;
                format!("{before}[{}]", texts.join(", "))
            }
            Looks::Own(_, variants) => {
                let name = self.word().to_string();
                self.fields(variants.iter().find(|variant| variant.name == name)?, path)?
            }
            Looks::Debug => return None,
        })
    }

    fn wrapped(&mut self, name: &str, of: &Looks, path: &mut impl FnMut(&str) -> String) -> Option<String> {
        self.expect(&format!("{name}("))?;
        let inner = self.read(of, path)?;
        self.expect(")")?;
        Some(format!("{name}({inner})"))
    }

    fn fields(&mut self, variant: &Variant, path: &mut impl FnMut(&str) -> String) -> Option<String> {
        let (mut text, named) = (path(&variant.path), variant.fields.iter().any(|(name, _)| name.is_some()));
        if variant.fields.is_empty() {
            return Some(text);
        }
        self.expect(if named { " { " } else { "(" })?;
        text += if named { " { " } else { "(" };
        for (at, (name, looks)) in variant.fields.iter().enumerate() {
            if at > 0 {
                self.expect(", ")?;
                text += ", ";
            }
            if let Some(name) = name {
                self.expect(&format!("{}: ", name.trim_start_matches("r#")))?;
                text += &format!("{name}: ");
            }
            text += &self.read(looks, path)?;
        }
        self.expect(if named { " }" } else { ")" })?;
        Some(text + if named { " }" } else { ")" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(looks: &Looks, printed: &str) -> Option<String> {
        literal(looks, printed, &mut |path| path.replace("::subject::", ""))
    }

    fn boxed(looks: Looks) -> Box<Looks> {
        Box::new(looks)
    }

    #[test]
    fn what_is_printed_is_read_back() {
        let error = Looks::Own(
            "::subject::Error".to_string(),
            vec![
                Variant { name: "Empty".into(), path: "::subject::Error::Empty".into(), fields: Vec::new() },
                Variant {
                    name: "Odd".into(),
                    path: "::subject::Error::Odd".into(),
                    fields: vec![(Some("at".into()), Looks::Plain), (Some("text".into()), Looks::Text(true))],
                },
            ],
        );
        let result = Looks::Result(boxed(Looks::Tuple(Vec::new())), boxed(error));
        assert_eq!(read(&result, "Ok(())").as_deref(), Some("Ok(())"));
        assert_eq!(read(&result, "Err(Empty)").as_deref(), Some("Err(Error::Empty)"));
        let odd = "Err(Odd { at: -3, text: \"a\\\"), \" })";
        assert_eq!(read(&result, odd).as_deref(), Some("Err(Error::Odd { at: -3, text: \"a\\\"), \".to_string() })"));
        assert_eq!(read(&result, "Err(Full)"), None, "not as it was declared");
        let both = Looks::Tuple(vec![Looks::Plain, Looks::Float("f32".into())]);
        let pairs = Looks::Option(boxed(Looks::Behind(boxed(Looks::List(String::new(), boxed(both))))));
        assert_eq!(
            read(&pairs, "Some([(1, 0.5), (2, -inf)])").as_deref(),
            Some("Some(&[(1, 0.5), (2, f32::NEG_INFINITY)][..])")
        );
        assert_eq!(read(&pairs, "Some([(1, NaN)])"), None);
        assert_eq!(read(&pairs, "Some([])"), None);
        assert_eq!(read(&pairs, "None").as_deref(), Some("None"));
        assert_eq!(read(&Looks::Plain, "'\\''").as_deref(), Some("'\\''"));
        assert_eq!(read(&Looks::Option(boxed(Looks::Debug)), "None"), None, "nobody knows whether it can be compared");
        assert_eq!(read(&Looks::Plain, "1 2"), None);
    }
}
