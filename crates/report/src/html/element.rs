//! Elements of HTML and SVG as values: tags are balanced and text is escaped, because nothing else can be written.
//!
//! A template engine would be one more dependency and guarantee less. Pages load nothing (a content security policy
//! says so) and are whole without scripts, which add the theme, copying and zooming.

use std::fmt::{self, Write as _};

use crate::text::is_control;

/// An element with its attributes and contents.
#[derive(Clone, Debug)]
pub struct Element {
    tag: &'static str,
    attributes: Vec<(&'static str, String)>,
    contents: Vec<Content>,
}

#[derive(Clone, Debug)]
enum Content {
    Text(String),
    Element(Element),
    /// Text of our own that is written verbatim: style and script, which HTML does not unescape.
    Raw(&'static str),
}

/// Elements with neither contents nor an end tag.
const VOID: [&str; 5] = ["br", "hr", "input", "link", "meta"];

/// A new element.
pub fn element(tag: &'static str) -> Element {
    Element { tag, attributes: Vec::new(), contents: Vec::new() }
}

impl Element {
    /// With an attribute.
    pub fn with(mut self, name: &'static str, value: impl fmt::Display) -> Element {
        self.attributes.push((name, value.to_string()));
        self
    }

    /// With a class.
    pub fn class(self, class: &'static str) -> Element {
        self.with("class", class)
    }

    /// With text at the end of its contents.
    pub fn text(mut self, text: impl fmt::Display) -> Element {
        self.contents.push(Content::Text(text.to_string()));
        self
    }

    /// With an element at the end of its contents.
    pub fn child(mut self, child: Element) -> Element {
        self.contents.push(Content::Element(child));
        self
    }

    /// With elements at the end of its contents.
    pub fn children(mut self, children: impl IntoIterator<Item = Element>) -> Element {
        self.contents.extend(children.into_iter().map(Content::Element));
        self
    }

    /// With a formula at the end of its contents: what follows a `^` is raised.
    pub fn formula(mut self, formula: &str) -> Element {
        // A number before another number is a factor and needs a dot between them.
        let chars: Vec<char> = formula.chars().collect();
        let is_factor = |i: usize| {
            let digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
            chars[i] == ' ' && i > 0 && digit(i - 1) && digit(i + 1)
        };
        let spaced = (0..chars.len()).map(|i| if is_factor(i) { " \u{b7} ".to_string() } else { chars[i].to_string() });
        let formula: String = spaced.collect();
        let mut rest = formula.as_str();
        while let Some((base, raised)) = rest.split_once('^') {
            let end = raised.find(|c: char| !c.is_alphanumeric() && c != '.').unwrap_or(raised.len());
            self = self.text(base).child(element("sup").text(&raised[..end]));
            rest = &raised[end..];
        }
        self.text(rest)
    }

    /// With text of our own, not escaped.
    pub fn raw(mut self, text: &'static str) -> Element {
        self.contents.push(Content::Raw(text));
        self
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}", self.tag)?;
        for (name, value) in &self.attributes {
            write!(f, " {name}=\"")?;
            escape(f, value)?;
            f.write_char('"')?;
        }
        f.write_char('>')?;
        if VOID.contains(&self.tag) {
            return Ok(());
        }
        // A browser drops the first line end of a `pre`.
        if let ("pre", Some(Content::Text(text))) = (self.tag, self.contents.first())
            && text.starts_with('\n')
        {
            f.write_char('\n')?;
        }
        for content in &self.contents {
            match content {
                Content::Text(text) => escape(f, text)?,
                Content::Element(element) => element.fmt(f)?,
                Content::Raw(text) => f.write_str(text)?,
            }
        }
        write!(f, "</{}>", self.tag)
    }
}

/// Whether a page shows this character as it is, so that what is copied from it is what was written.
pub fn is_shown(c: char) -> bool {
    // The others are not characters, and browsers reject them.
    let is_none = c as u32 & 0xfffe == 0xfffe || matches!(c, '\u{fdd0}'..='\u{fdef}');
    matches!(c, '\n' | '\t') || !(is_control(c) || is_none)
}

/// Writes text that may come from a program under test or its debug information. Invisible characters, and those
/// that change the order of the characters around them, are written in a visible form.
fn escape(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    for c in text.chars() {
        match c {
            '&' => f.write_str("&amp;")?,
            '<' => f.write_str("&lt;")?,
            '>' => f.write_str("&gt;")?,
            '"' => f.write_str("&quot;")?,
            '\'' => f.write_str("&#39;")?,
            '\n' | '\t' => f.write_char(c)?,
            '\u{0}'..='\u{1f}' => f.write_char(char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'))?,
            '\u{7f}' => f.write_char('\u{2421}')?,
            c if !is_shown(c) => write!(f, "\u{27e8}{:x}\u{27e9}", c as u32)?,
            c => f.write_char(c)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_attributes_are_escaped() {
        let hostile = "</script><b a='1' b=\"2\">&amp;\u{0}\u{1b}[31m\u{202e}\u{7f}\u{85}\u{ffff}";
        let written = element("p").with("title", hostile).text(hostile).to_string();
        let escaped = "&lt;/script&gt;&lt;b a=&#39;1&#39; b=&quot;2&quot;&gt;&amp;amp;\u{2400}\u{241b}[31m\u{27e8}202e\u{27e9}\u{2421}\u{27e8}85\u{27e9}\u{27e8}ffff\u{27e9}";
        assert_eq!(written, format!("<p title=\"{escaped}\">{escaped}</p>"));
    }

    #[test]
    fn powers_are_raised() {
        let written = element("p").formula("12 n^2 log n + 17 1.07^n - n^1.58").to_string();
        assert_eq!(written, "<p>12 n<sup>2</sup> log n + 17 \u{b7} 1.07<sup>n</sup> - n<sup>1.58</sup></p>");
    }

    #[test]
    fn preformatted_text_keeps_its_first_line_end() {
        assert_eq!(element("pre").text("\na").to_string(), "<pre>\n\na</pre>");
        assert_eq!(element("pre").text("a").to_string(), "<pre>a</pre>");
    }

    #[test]
    fn void_elements_have_no_end_tag() {
        let written = element("div").child(element("br")).child(element("i")).to_string();
        assert_eq!(written, "<div><br><i></i></div>");
    }
}
