//! Names of functions and places: short enough to be read (C++ and Rust put whole types into them), and what was probably
//! meant by one that is unknown.

/// The name of a function in at most `most` characters, as far as that leaves something to recognise it by. What is
/// left out is replaced by `dots`: contents of brackets first, then the outer namespaces, then the middle.
pub fn short_name(name: &str, most: usize, dots: &str) -> String {
    if name.chars().count() <= most {
        return name.to_string();
    }
    // The version of libc++'s interface, which its users never write.
    let plain = name.replace("std::__1::", "std::").replace("std::__2::", "std::");
    let folded = folded(&plain, dots);
    if folded.chars().count() <= most {
        return folded;
    }
    let path = components(&folded);
    let kept = (1..path.len()).map(|from| path[from..].join("::")).find(|text| text.chars().count() <= most);
    kept.unwrap_or_else(|| middle_out(path.last().copied().unwrap_or(&folded), most, dots))
}

/// A place, `function (file:line)` or `file:line`, in about `most` characters. The line is always kept.
pub fn short_place(place: &str, most: usize, dots: &str) -> String {
    if place.chars().count() <= most {
        return place.to_string();
    }
    let inside = place.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
    match inside.filter(|(_, file)| is_line(file)) {
        Some((name, file)) => {
            let file = short_file(file, most / 2, dots);
            let left = most.saturating_sub(file.chars().count() + 3).max(most / 3);
            format!("{} ({file})", short_name(name, left, dots))
        }
        None if is_line(place) => short_file(place, most, dots),
        None => short_name(place, most, dots),
    }
}

/// The end of a path, from a separator on.
fn short_file(file: &str, most: usize, dots: &str) -> String {
    if file.chars().count() <= most {
        return file.to_string();
    }
    let starts = file.match_indices(['/', '\\']).map(|(at, _)| &file[at..]);
    let ends = starts.map(|end| format!("{dots}{end}"));
    let fits = |text: &String| text.chars().count() <= most;
    ends.clone().find(fits).or_else(|| ends.clone().next_back()).unwrap_or_else(|| file.to_string())
}

fn is_line(text: &str) -> bool {
    text.rsplit_once(':').is_some_and(|(file, line)| !file.is_empty() && line.parse::<u32>().is_ok())
}

fn middle_out(text: &str, most: usize, dots: &str) -> String {
    let count = text.chars().count();
    let room = most.saturating_sub(dots.chars().count());
    if count <= most || room < 2 {
        return text.to_string();
    }
    let (head, tail) = (room.div_ceil(2), room / 2);
    let first: String = text.chars().take(head).collect();
    first + dots + &text.chars().skip(count - tail).collect::<String>()
}

/// Where the bracket at the start of the text is closed. An arrow closes nothing.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' if matches!(before, '-' | '=') => {}
            '>' | ')' | ']' | '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
        before = c;
    }
    None
}

/// The name with the contents of its brackets replaced. `<T as Trait>` stays, with its types folded, and so does what
/// is no list of types: `(anonymous namespace)`, `{closure#0}`, `operator<`.
fn folded(name: &str, dots: &str) -> String {
    let mut text = String::new();
    let mut rest = name;
    while let Some(at) = rest.find(['<', '(', '[']) {
        text += &rest[..at];
        rest = &rest[at..];
        // A tag of the library's version, as in `sort[abi:nn190107]`.
        if let Some(end) = rest.find(']').filter(|_| rest.starts_with("[abi:")) {
            rest = &rest[end + 1..];
            continue;
        }
        if rest.starts_with('[') {
            text.push('[');
            rest = &rest[1..];
            continue;
        }
        if let Some(operator) = text.ends_with("operator").then(|| operator_length(rest)) {
            text += &rest[..operator];
            rest = &rest[operator..];
            continue;
        }
        let Some(end) = closing(rest) else { break };
        let inner = &rest[1..end];
        let of_operator = text.rsplit("::").next().is_some_and(|last| last.contains("operator"));
        let starts_a_path = text.is_empty() || (text.ends_with([' ', '<', '&']) && !of_operator);
        match rest.starts_with('<') {
            true if starts_a_path => {
                let sides: Vec<String> = inner.split(" as ").map(|side| last_component(&folded(side, dots))).collect();
                text += &format!("<{}>", sides.join(" as "));
            }
            true => text += &format!("<{dots}>"),
            false if inner.is_empty() || inner == "anonymous namespace" => text += &rest[..=end],
            false => text += &format!("({dots})"),
        }
        rest = &rest[end + 1..];
    }
    text + rest
}

/// How many bytes of the text belong to the name of an operator: `<`, `<<=`, `()`, `<=>`.
fn operator_length(text: &str) -> usize {
    let names = ["()", "<=>", "<<=", "<<", "<=", "<"];
    names.into_iter().find(|name| text.starts_with(name)).map_or(1, str::len)
}

/// The parts of a path; a separator within brackets separates nothing.
fn components(path: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < path.len() {
        let rest = &path[at..];
        if rest.starts_with("::") {
            parts.push(&path[start..at]);
            at += 2;
            start = at;
        } else if rest.starts_with(['<', '(', '{']) {
            at += closing(rest).unwrap_or(0) + 1;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    parts.push(&path[start..]);
    parts
}

fn last_component(path: &str) -> String {
    components(path).last().copied().unwrap_or(path).to_string()
}

/// The known name that was probably meant, if one is close enough.
pub fn nearest<'n, S: AsRef<str>>(name: &str, known: &'n [S]) -> Option<&'n str> {
    let known = known.iter().map(AsRef::as_ref);
    let (distance, known) = known.map(|known| (strsim::osa_distance(name, known), known)).min()?;
    (distance <= 1 + name.chars().count() / 3).then_some(known)
}

/// The names as part of a sentence; if there are many, only the first ones.
pub fn listed<S: AsRef<str>>(names: &[S]) -> String {
    const SHOWN: usize = 12;
    if names.is_empty() {
        return "no function".to_string();
    }
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{}`", name.as_ref())).collect();
    let rest = names.len().saturating_sub(SHOWN);
    shown.join(", ") + &if rest > 0 { format!(" and {rest} more") } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_what_tells_them_apart() {
        let cases = [
            ("sort", "sort"),
            ("std::__2::vector<int>::push_back(int&&)", "std::__2::vector<int>::push_back(int&&)"),
            (
                "std::__2::__hash_table<std::__2::__hash_value_type<std::__2::basic_string<char>, int>>::find<std::__2::basic_string<char>>(std::__2::basic_string<char> const&)",
                "std::__hash_table<..>::find<..>(..)",
            ),
            (
                "void std::__2::__introsort[abi:nn190107]<std::__2::_ClassicAlgPolicy, std::__2::__less<void, void>&, int*, false>(int*, int*)",
                "void std::__introsort<..>(..)",
            ),
            (
                "<alloc::vec::Vec<T> as alloc::vec::spec_from_iter::SpecFromIter<T, I>>::from_iter",
                "<Vec<..> as SpecFromIter<..>>::from_iter",
            ),
            (
                "std::__2::basic_ostream<char>& std::__2::operator<< <std::__2::char_traits<char>>(std::__2::basic_ostream<char>&)",
                "basic_ostream<..>& std::operator<< <..>(..)",
            ),
            (
                "(anonymous namespace)::a_rather_long_namespace::another_one::Parser::parse_value(std::string const&)",
                "another_one::Parser::parse_value(..)",
            ),
            ("one_name_that_is_far_too_long_to_be_shown_whole", "one_name_that_is_far_t..long_to_be_shown_whole"),
            ("broken<std::vector<int, and so on without an end", "vector<int, and so on without an end"),
        ];
        for (name, expected) in cases {
            let short = short_name(name, 46, "..");
            assert_eq!(short, expected);
            assert!(short.chars().count() <= 46, "{short}");
        }
    }

    #[test]
    fn places_keep_their_line() {
        let place =
            "std::__2::__tree<std::__2::__value_type<int, int>>::find (/usr/lib/llvm-19/include/c++/v1/__tree:1234)";
        assert_eq!(short_place(place, 60, ".."), "std::__tree<..>::find (../include/c++/v1/__tree:1234)");
        assert_eq!(
            short_place("/usr/lib/llvm-19/include/c++/v1/__tree:1234", 30, ".."),
            "../include/c++/v1/__tree:1234"
        );
        assert_eq!(short_place("sort (a.c:16)", 60, ".."), "sort (a.c:16)");
    }

    #[test]
    fn any_text_is_a_name() {
        for text in ["<", ">", "((((", "::", "a::", "é<é>é", "operator", "operator<", "<>>><", "->", ""] {
            let long = text.repeat(40);
            for most in [0, 1, 2, 5, 40] {
                short_name(&long, most, "..");
                short_place(&format!("{long}:7"), most, "..");
            }
        }
    }

    #[test]
    fn the_nearest_name_is_close_enough_or_none() {
        let known = ["sort", "search", "n"];
        assert_eq!(nearest("srot", &known), Some("sort"));
        assert_eq!(nearest("serch", &known), Some("search"));
        assert_eq!(nearest("frobnicate", &known), None);
        assert_eq!(nearest::<&str>("sort", &[]), None);
    }

    #[test]
    fn many_names_are_cut() {
        let names: Vec<String> = (0..14).map(|i| format!("f{i}")).collect();
        assert!(listed(&names).ends_with("`f11` and 2 more"));
        assert_eq!(listed(&names[..1]), "`f0`");
        assert_eq!(listed::<&str>(&[]), "no function");
    }
}
