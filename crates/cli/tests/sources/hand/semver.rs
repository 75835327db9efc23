/// Parses `1.2.3-beta` and says how it compares with 1.0.0.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    major: u32,
    minor: u32,
    patch: u32,
    release: bool,
}

fn number(text: &str) -> Option<u32> {
    if text.is_empty() || text.len() > 6 {
        return None;
    }
    if text.len() > 1 && text.starts_with('0') {
        return None;
    }
    let mut value = 0;
    for c in text.chars() {
        value = value * 10 + c.to_digit(10)?;
    }
    Some(value)
}

fn parse(text: &str) -> Option<Version> {
    let (core, tag) = match text.split_once('-') {
        Some((core, tag)) => (core, Some(tag)),
        None => (text, None),
    };
    if let Some(tag) = tag {
        if tag.is_empty() || !tag.chars().all(|c| c.is_ascii_alphanumeric() || c == '.') {
            return None;
        }
    }
    let mut parts = core.split('.');
    let version = Version {
        major: number(parts.next()?)?,
        minor: number(parts.next()?)?,
        patch: number(parts.next()?)?,
        release: tag.is_none(),
    };
    match parts.next() {
        Some(_) => None,
        None => Some(version),
    }
}

pub fn stable(text: &str) -> i32 {
    match parse(text) {
        None => -1,
        Some(version) if version >= (Version { major: 1, minor: 0, patch: 0, release: true }) => 1,
        Some(_) => 0,
    }
}
