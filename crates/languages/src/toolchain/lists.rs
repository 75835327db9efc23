//! Lists in a source, as far as brackets and commas tell.

/// Where the parenthesis closes that is open at the beginning.
pub fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().find_map(|(at, c)| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        None
    })
}

/// The parts between commas that are in no bracket of these kinds.
pub fn split<'t>(list: &'t str, brackets: &[(char, char)]) -> Vec<&'t str> {
    let mut depth = 0;
    let is_separator = |c: char| {
        depth += i32::from(brackets.iter().any(|(open, _)| *open == c));
        depth -= i32::from(brackets.iter().any(|(_, close)| *close == c));
        c == ',' && depth == 0
    };
    list.split(is_separator).map(str::trim).filter(|part| !part.is_empty()).collect()
}
