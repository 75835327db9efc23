//! The functions of a Rust file, found without a compiler: enough to see whether there is a `main`, and to write
//! functions with a C interface for those whose parameters are numbers, slices and text.

/// A function at the top of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    pub public: bool,
    /// Marked `no_mangle` or `export_name`: exported as it is.
    pub exported: bool,
    /// Has type parameters.
    pub generic: bool,
    /// Types of the parameters, without spaces where none are needed.
    pub parameters: Vec<String>,
    pub result: Option<String>,
}

/// The functions at the top of a file, in order.
pub fn functions(source: &str) -> Vec<Function> {
    let tokens = tokens(source);
    let mut found = Vec::new();
    // First token of the item, its attributes included.
    let (mut at, mut item) = (0, 0);
    while at < tokens.len() {
        match tokens[at].as_str() {
            "fn" => {
                if let Some((function, end)) = function(&tokens, item, at) {
                    found.push(function);
                    at = end;
                    item = at;
                    continue;
                }
                at += 1;
            }
            open @ ("{" | "(" | "[") => {
                let Some(close) = closing(&tokens, at) else { break };
                at = close + 1;
                if open == "{" {
                    item = at;
                }
            }
            ";" => {
                at += 1;
                item = at;
            }
            _ => at += 1,
        }
    }
    found
}

/// The function whose `fn` is at `at`, and where its body starts.
fn function(tokens: &[String], item: usize, at: usize) -> Option<(Function, usize)> {
    let name = tokens.get(at + 1).filter(|name| is_word(name))?.clone();
    let before = &tokens[item..at];
    let marked = |mark: &str| before.iter().any(|token| token == mark);
    let open = (at + 2..tokens.len()).find(|&i| matches!(tokens[i].as_str(), "(" | "<"))?;
    let (generic, open) = if tokens[open] == "<" { (true, closing_angle(tokens, open)? + 1) } else { (false, open) };
    if tokens.get(open).is_none_or(|token| token != "(") {
        return None;
    }
    let close = closing(tokens, open)?;
    let parameters = split(&tokens[open + 1..close]);
    let parameters = parameters.iter().map(|parameter| {
        let colon = parameter.iter().position(|token| token == ":").map_or(0, |colon| colon + 1);
        text(&parameter[colon..])
    });
    let body = (close..tokens.len()).find(|&i| matches!(tokens[i].as_str(), "{" | ";"))?;
    let clause = (close..body).find(|&i| tokens[i] == "where").unwrap_or(body);
    let arrow = (close..clause).find(|&i| tokens[i] == "->");
    let function = Function {
        name,
        public: before
            .iter()
            .enumerate()
            .any(|(i, token)| token == "pub" && before.get(i + 1).is_none_or(|t| t != "(")),
        exported: marked("no_mangle") || marked("export_name"),
        generic,
        parameters: parameters.collect(),
        result: arrow.map(|arrow| text(&tokens[arrow + 1..clause])),
    };
    Some((function, body))
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Where the bracket at `open` is closed.
fn closing(tokens: &[String], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (i, token) in tokens.iter().enumerate().skip(open) {
        match token.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(i);
        }
    }
    None
}

fn closing_angle(tokens: &[String], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (i, token) in tokens.iter().enumerate().skip(open) {
        match token.as_str() {
            "<" => depth += 1,
            ">" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(i);
        }
    }
    None
}

/// Splits at the commas that are not inside brackets.
fn split(tokens: &[String]) -> Vec<&[String]> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0i32);
    for (i, token) in tokens.iter().enumerate() {
        match token.as_str() {
            "(" | "[" | "{" | "<" => depth += 1,
            ")" | "]" | "}" | ">" => depth -= 1,
            "," if depth == 0 => {
                parts.push(&tokens[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    if start < tokens.len() {
        parts.push(&tokens[start..]);
    }
    parts
}

/// Tokens as text, with a space only between two words. Lifetimes are left out: they do not change how a value is passed.
fn text(tokens: &[String]) -> String {
    let mut text = String::new();
    for token in tokens.iter().filter(|token| !token.starts_with('\'')) {
        if is_word(token) && text.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            text.push(' ');
        }
        text += token;
    }
    text
}

/// Words, lifetimes (with their apostrophe), `->` and single signs; literals are `0`; comments are left out.
fn tokens(source: &str) -> Vec<String> {
    let characters: Vec<char> = source.chars().collect();
    let is = |i: usize, c: char| characters.get(i) == Some(&c);
    let part_of_word = |i: usize| characters.get(i).is_some_and(|c| c.is_alphanumeric() || *c == '_');
    let mut found = Vec::new();
    let mut i = 0;
    while i < characters.len() {
        let c = characters[i];
        if c == '/' && is(i + 1, '/') {
            while i < characters.len() && characters[i] != '\n' {
                i += 1;
            }
        } else if c == '/' && is(i + 1, '*') {
            let mut depth = 0usize;
            while i < characters.len() {
                if is(i, '/') && is(i + 1, '*') {
                    depth += 1;
                    i += 2;
                } else if is(i, '*') && is(i + 1, '/') {
                    depth -= 1;
                    i += 2;
                    if depth == 0 {
                        break;
                    }
                } else {
                    i += 1;
                }
            }
        } else if let Some(end) = raw_string(&characters, i) {
            found.push("0".to_string());
            i = end;
        } else if c == '"' {
            i += 1;
            while i < characters.len() && characters[i] != '"' {
                i += if characters[i] == '\\' { 2 } else { 1 };
            }
            i += 1;
            found.push("0".to_string());
        } else if c == '\'' {
            // 'x' and '\n' are characters, 'x without a second apostrophe is a lifetime.
            if is(i + 1, '\\') {
                i += 3;
                while i < characters.len() && characters[i] != '\'' {
                    i += 1;
                }
                i += 1;
                found.push("0".to_string());
            } else if is(i + 2, '\'') {
                i += 3;
                found.push("0".to_string());
            } else {
                let start = i;
                i += 1;
                while part_of_word(i) {
                    i += 1;
                }
                found.push(characters[start..i].iter().collect());
            }
        } else if part_of_word(i) {
            let start = i;
            while part_of_word(i) {
                i += 1;
            }
            found.push(characters[start..i].iter().collect());
        } else if c == '-' && is(i + 1, '>') {
            found.push("->".to_string());
            i += 2;
        } else {
            if !c.is_whitespace() {
                found.push(c.to_string());
            }
            i += 1;
        }
    }
    found
}

/// The end of a raw string that starts here: `r"..."`, `br#"..."#`.
fn raw_string(characters: &[char], start: usize) -> Option<usize> {
    let mut i = start;
    if matches!(characters[i], 'b' | 'c') {
        i += 1;
    }
    if characters.get(i) != Some(&'r')
        || start > 0 && (characters[start - 1].is_alphanumeric() || characters[start - 1] == '_')
    {
        return None;
    }
    i += 1;
    let hashes = characters[i..].iter().take_while(|c| **c == '#').count();
    i += hashes;
    if characters.get(i) != Some(&'"') {
        return None;
    }
    i += 1;
    while i < characters.len() {
        if characters[i] == '"' && characters[i + 1..].iter().take_while(|c| **c == '#').count() >= hashes {
            return Some(i + 1 + hashes);
        }
        i += 1;
    }
    Some(i)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_whatever_stands_around_them() {
        let source = r###"
            #![allow(dead_code)]
            //! fn not_this() {}
            /* fn nor /* nested */ this() {} */
            const TEXT: &str = "fn nor_this() { \" ";
            const RAW: &str = r#"fn raw() { " "#;
            const QUOTE: char = '"'; const ESCAPE: char = '\''; const BRACE: char = '{';
            mod inner { pub fn hidden() {} }
            impl Thing { pub fn method(&self) {} }
            pub fn sort(values: &mut [i32]) { fn nested() {} }
            pub(crate) fn private(x: i32) -> i32 { x }
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn exported(at: *const u8, len: usize) -> bool { true }
            pub fn longest<'a>(a: &'a str, (b, c): (i32, i32)) -> &'a str where 'a: 'a { a }
            pub fn generic<T: Into<Vec<u8>>, const N: usize>(x: T, map: HashMap<u8, Vec<T>>) -> Option<T> { None }
            async fn later(mut s: String,) {}
            fn main() {}
        "###;
        let found = functions(source);
        let names: Vec<&str> = found.iter().map(|function| function.name.as_str()).collect();
        assert_eq!(names, ["sort", "private", "exported", "longest", "generic", "later", "main"]);
        let public: Vec<bool> = found.iter().map(|function| function.public).collect();
        assert_eq!(public, [true, false, true, true, true, false, false]);
        assert_eq!(found[0].parameters, ["&mut[i32]"]);
        assert_eq!((found[1].result.as_deref(), found[0].result.as_deref()), (Some("i32"), None));
        assert!(found[2].exported && !found[0].exported);
        assert_eq!(found[2].parameters, ["*const u8", "usize"]);
        assert_eq!(found[3].parameters, ["&str", "(i32,i32)"]);
        assert_eq!(found[3].result.as_deref(), Some("&str"));
        assert!(found[4].generic);
        assert_eq!(found[4].parameters, ["T", "HashMap<u8,Vec<T>>"]);
        assert_eq!(found[5].parameters, ["String"]);
    }

    #[test]
    fn damaged_text_is_no_trouble() {
        for text in [
            "",
            "fn",
            "fn x",
            "fn x(",
            "fn x<",
            "pub fn x<T",
            "'",
            "r#\"",
            "\"",
            "/*",
            "fn x(a:",
            "}",
            "))",
            "fn x() ->",
        ] {
            functions(text);
        }
    }
}
