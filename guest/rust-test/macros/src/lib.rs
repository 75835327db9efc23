//! The attribute of `pessimum-test`; see there.

use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// Searches for the worst input of a function when the tests are run, and fails if it costs more than a limit.
///
/// On a function of a library (`#[cfg_attr(test, pessimum::worst_case(...))]`) it adds a test of this function. With
/// `call = "name"` it stands on a test, which searches that function before it does what is in its body.
///
/// - `at_most = 5000`: no input may cost more;
/// - `class = "n log n"`: the worst case may not grow faster over the `sizes`;
/// - every other key is a flag of `pessimum worst` or, with `sizes`, of `pessimum curve`: `size = 16`,
///   `sizes = "8..64"`, `paths = 2000` (1000 if nothing is said), `cost = "branches"`, `seed = 5`, `max_depth = 100`.
#[proc_macro_attribute]
pub fn worst_case(arguments: TokenStream, item: TokenStream) -> TokenStream {
    match expand(arguments, &item) {
        Ok(expanded) => expanded,
        // The function stays, so that there is only one error.
        Err(Wrong { message, span }) => [error(&message, span), item].into_iter().collect(),
    }
}

/// What is wrong, and where.
struct Wrong {
    message: String,
    span: Span,
}

impl Wrong {
    fn new(message: impl Into<String>, span: Span) -> Wrong {
        Wrong { message: message.into(), span }
    }
}

/// A key with its value.
struct Setting {
    key: String,
    value: String,
    span: Span,
}

fn expand(arguments: TokenStream, item: &TokenStream) -> Result<TokenStream, Wrong> {
    let mut settings = settings(arguments)?;
    let function = Function::of(item)?;
    let has = |key: &str| settings.iter().any(|setting| setting.key == key);
    if !has("class") && !has("at_most") {
        return Err(Wrong::new("say what to enforce: `at_most = 5000` or `class = \"n log n\"`", Span::call_site()));
    }
    if has("class") && !has("sizes") {
        return Err(Wrong::new("`class` needs sizes to compare: `sizes = \"8..64\"`", Span::call_site()));
    }
    if has("size") && has("sizes") {
        return Err(Wrong::new("give either `size` or `sizes`", Span::call_site()));
    }
    let named = settings.iter().position(|setting| setting.key == "call").map(|at| settings.remove(at));
    if let (None, true) = (&named, function.is_test) {
        return Err(Wrong::new("on a test, say what it searches: `call = \"sort\"`", Span::call_site()));
    }
    let (call, is_path) = match &named {
        Some(call) => (call.value.clone(), true),
        None => (function.name.to_string(), false),
    };
    let mut flags = String::new();
    for setting in &settings {
        flags += &format!("({:?}, {:?}),", setting.key, setting.value);
    }
    // The places are those of the crate under test, where this is expanded.
    let check = format!(
        "::pessimum::check(&::pessimum::Search {{ package: ::core::env!(\"CARGO_MANIFEST_DIR\"), module: \
         ::core::module_path!(), call: {call:?}, is_path: {is_path}, flags: &[{flags}] }});"
    );
    let check: TokenStream = check.parse().map_err(|_| Wrong::new("not understood", Span::call_site()))?;
    if named.is_none() {
        let head = "#[cfg(test)] #[test] #[allow(non_snake_case)] fn";
        let head: TokenStream = head.parse().map_err(|_| Wrong::new("not understood", Span::call_site()))?;
        let name = Ident::new(&format!("worst_case_of_{}", function.name).replace("r#", ""), function.name.span());
        let tail = [
            TokenTree::from(name),
            Group::new(Delimiter::Parenthesis, TokenStream::new()).into(),
            Group::new(Delimiter::Brace, check).into(),
        ];
        return Ok(item.clone().into_iter().chain(head).chain(tail).collect());
    }
    // The check comes first in the body of the test.
    let mut tokens: Vec<TokenTree> = item.clone().into_iter().collect();
    if let Some(TokenTree::Group(body)) = tokens.pop() {
        let mut with_check = Group::new(Delimiter::Brace, check.into_iter().chain(body.stream()).collect());
        with_check.set_span(body.span());
        tokens.push(with_check.into());
    }
    let test = if function.is_test { TokenStream::new() } else { "#[test]".parse().unwrap_or_default() };
    Ok(test.into_iter().chain(tokens).collect())
}

/// The arguments of the attribute: `key = value`, with commas between them.
fn settings(arguments: TokenStream) -> Result<Vec<Setting>, Wrong> {
    let mut settings: Vec<Setting> = Vec::new();
    let mut tokens = arguments.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let TokenTree::Ident(key) = &token else {
            return Err(Wrong::new("expected `key = value`, as in `at_most = 5000`", token.span()));
        };
        let (span, key) = (key.span(), key.to_string());
        match tokens.next() {
            Some(TokenTree::Punct(sign)) if sign.as_char() == '=' => {}
            _ => return Err(Wrong::new(format!("expected a value: `{key} = ...`"), span)),
        }
        let mut value = String::new();
        while let Some(token) =
            tokens.next_if(|token| !matches!(token, TokenTree::Punct(sign) if sign.as_char() == ','))
        {
            value += &match &token {
                TokenTree::Literal(literal) => text(literal),
                TokenTree::Ident(_) | TokenTree::Punct(_) => token.to_string(),
                TokenTree::Group(_) => return Err(Wrong::new("expected a number or a text", token.span())),
            };
        }
        if value.is_empty() {
            return Err(Wrong::new(format!("expected a value: `{key} = ...`"), span));
        }
        if settings.iter().any(|other| other.key == key) {
            return Err(Wrong::new(format!("`{key}` is given twice"), span));
        }
        settings.push(Setting { key, value, span });
        tokens.next();
    }
    if let Some(setting) = settings.iter().find(|setting| setting.key == "out" || setting.key == "json") {
        return Err(Wrong::new(format!("`{}` is decided by the test", setting.key), setting.span));
    }
    Ok(settings)
}

/// What a literal stands for: a text without its quotes, a number without its underscores.
fn text(literal: &Literal) -> String {
    let shown = literal.to_string();
    if let Some(inner) = shown.strip_prefix('"').and_then(|shown| shown.strip_suffix('"')) {
        let mut text = String::new();
        let mut characters = inner.chars();
        while let Some(c) = characters.next() {
            text.push(match c {
                '\\' => match characters.next() {
                    Some('n') => '\n',
                    Some('t') => '\t',
                    Some('0') => '\0',
                    Some(other) => other,
                    None => '\\',
                },
                c => c,
            });
        }
        return text;
    }
    if let Some(raw) = shown.strip_prefix('r') {
        let raw = raw.trim_matches('#');
        return raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')).unwrap_or(raw).to_string();
    }
    shown.replace('_', "")
}

/// What has to be known of the function.
struct Function {
    name: Ident,
    is_test: bool,
}

impl Function {
    fn of(item: &TokenStream) -> Result<Function, Wrong> {
        let tokens: Vec<TokenTree> = item.clone().into_iter().collect();
        let is_hash = |token: &TokenTree| matches!(token, TokenTree::Punct(sign) if sign.as_char() == '#');
        let is_test = tokens.windows(2).any(|pair| match &pair[1] {
            TokenTree::Group(group) if is_hash(&pair[0]) && group.delimiter() == Delimiter::Bracket => {
                // `#[test]` above this attribute has become a marker by now.
                let text = group.stream().to_string();
                text == "test" || text.starts_with("rustc_test_marker")
            }
            _ => false,
        });
        let at = tokens.iter().position(|token| matches!(token, TokenTree::Ident(word) if word.to_string() == "fn"));
        let name = at.and_then(|at| match tokens.get(at + 1) {
            Some(TokenTree::Ident(name)) => Some(name.clone()),
            _ => None,
        });
        let is_whole = matches!(tokens.last(), Some(TokenTree::Group(body)) if body.delimiter() == Delimiter::Brace);
        match name {
            Some(name) if is_whole => Ok(Function { name, is_test }),
            _ => Err(Wrong::new("this attribute stands on a function", Span::call_site())),
        }
    }
}

/// `compile_error!` at a place.
fn error(message: &str, span: Span) -> TokenStream {
    let mut literal = Literal::string(message);
    literal.set_span(span);
    let punct = |sign: char, spacing| {
        let mut punct = Punct::new(sign, spacing);
        punct.set_span(span);
        TokenTree::from(punct)
    };
    let mut arguments = Group::new(Delimiter::Parenthesis, TokenTree::from(literal).into());
    arguments.set_span(span);
    [
        punct(':', Spacing::Joint),
        punct(':', Spacing::Alone),
        Ident::new("core", span).into(),
        punct(':', Spacing::Joint),
        punct(':', Spacing::Alone),
        Ident::new("compile_error", span).into(),
        punct('!', Spacing::Alone),
        arguments.into(),
        punct(';', Spacing::Alone),
    ]
    .into_iter()
    .collect()
}
