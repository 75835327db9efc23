//! Journals: one JSON object per line, each with its own checksum, written through to the disk. A reader trusts the
//! lines up to the first damaged one.
//!
//! Entries are enums, and the name of the variant is the line's key `event`. Serde can do that too (`tag`), but reads everything
//! in the entry a second way for it, which made a tenth of this crate's code.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::files::{MAX_JSON, checksum, plain};
use crate::{At, Error};

/// The key of the variant's name.
const EVENT: &str = "event";

/// The last key of every line: the checksum of the object without it.
const CHECK: &str = ",\"check\":\"";

/// A journal that is being written.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
    /// Bytes of complete lines; anything after them was left by a failed write.
    whole: u64,
}

impl Log {
    /// Continues a journal whose first `whole` bytes are complete lines.
    pub fn open(path: &Path, whole: u64) -> Result<Log, Error> {
        // Through a link we would write to a file somewhere else.
        plain(path)?;
        let file = File::options().append(true).open(path).at(path.display())?;
        Ok(Log { path: path.to_path_buf(), file, whole })
    }

    /// A journal that cannot be written to, as on a full disk.
    #[cfg(test)]
    pub fn read_only(path: &Path) -> Log {
        Log { path: path.to_path_buf(), file: File::open(path).unwrap(), whole: 0 }
    }

    /// Writes an entry in one piece, through to the disk. What an earlier write left behind when the disk was full is
    /// removed first.
    pub fn write(&mut self, entry: &impl Serialize) -> Result<(), Error> {
        let line = encode(entry)?;
        let written = self
            .file
            .set_len(self.whole)
            .and_then(|()| self.file.write_all(line.as_bytes()))
            .and_then(|()| self.file.sync_data());
        written.at(self.path.display())?;
        self.whole += line.len() as u64;
        Ok(())
    }
}

/// What was read from a journal, besides its entries.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Bytes of the lines that were trusted.
    pub good: u64,
    /// What was not trusted, for human readers.
    pub note: Option<String>,
    /// The first line, if it has a correct checksum but is not an entry.
    pub foreign: Option<String>,
}

/// Reads a journal line by line, so that it may be larger than memory. `take` is given each entry and says whether it
/// makes sense there; if not, that line and those after it are not trusted.
pub fn read_lines<E: DeserializeOwned>(path: &Path, mut take: impl FnMut(usize, E) -> bool) -> Result<Extent, Error> {
    if plain(path)?.is_none() {
        return Err(Error::new(format!("{}: there is no search to resume", path.display())));
    }
    let mut reader = BufReader::new(File::open(path).at(path.display())?);
    let mut extent = Extent::default();
    let mut line = Vec::new();
    for number in 0.. {
        line.clear();
        let length = (&mut reader).take(MAX_JSON).read_until(b'\n', &mut line).at(path.display())? as u64;
        if length == 0 {
            break;
        }
        let text = checked(&line);
        let entry: Option<E> = text.as_deref().and_then(decode);
        if entry.is_some_and(|entry| take(number, entry)) {
            extent.good += length;
            continue;
        }
        if number == 0 {
            extent.foreign = text;
        }
        let is_last = reader.fill_buf().at(path.display())?.is_empty();
        extent.note = Some(match is_last {
            true => format!("line {} of the journal is incomplete; it is ignored", number + 1),
            false => format!("the journal is damaged from line {} on; the rest is ignored", number + 1),
        });
        break;
    }
    Ok(extent)
}

/// An entry as a line.
pub fn encode(entry: &impl Serialize) -> Result<String, Error> {
    let text = serde_json::to_string(entry).at("JSON")?;
    // `{"name":{...}}`, or `"name"` for a variant without fields.
    let fields = text.strip_prefix("{").and_then(|text| text.strip_suffix("}}")).and_then(|text| text.split_once(":{"));
    let (name, fields) = fields.map_or((&*text, String::new()), |(name, fields)| (name, format!(",{fields}")));
    sealed(&format!("{{\"{EVENT}\":{name}{fields}}}"))
}

/// The entry that a line holds; none if it is no entry of this kind.
fn decode<E: DeserializeOwned>(text: &str) -> Option<E> {
    let Value::Object(mut fields) = serde_json::from_str(text).ok()? else { return None };
    let Some(Value::String(name)) = fields.remove(EVENT) else { return None };
    let fields = if fields.is_empty() { Value::Null } else { Value::Object(fields) };
    serde_json::from_value(Value::Object(Map::from_iter([(name, fields)]))).ok()
}

/// A JSON object as a line.
pub fn sealed(object: &str) -> Result<String, Error> {
    let open = object.strip_suffix('}').ok_or_else(|| Error::new("a line of the journal is not an object"))?;
    Ok(format!("{open}{CHECK}{:016x}\"}}\n", checksum([object.as_bytes()])))
}

/// The line without its checksum, if the checksum is correct.
fn checked(line: &[u8]) -> Option<String> {
    let line = std::str::from_utf8(line).ok()?.strip_suffix("\"}\n")?;
    let (open, check) = line.rsplit_once(CHECK)?;
    let text = format!("{open}}}");
    (u64::from_str_radix(check, 16).ok()? == checksum([text.as_bytes()])).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Entry {
        Begun { name: String, at: Option<f64> },
        Done(Vec2),
        NothingMore,
    }

    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    struct Vec2 {
        x: u64,
        y: u64,
    }

    /// Each kind of variant is written as one object with its name, and read back as it was.
    #[test]
    fn entries_are_objects_with_the_name_of_their_event() {
        for (entry, line) in [
            (
                Entry::Begun { name: "a }}:{ \" b".to_string(), at: Some(0.1) },
                r#"{"event":"begun","name":"a }}:{ \" b","at":0.1,"check":"#,
            ),
            (Entry::Begun { name: String::new(), at: None }, r#"{"event":"begun","name":"","at":null,"check":"#),
            (Entry::Done(Vec2 { x: u64::MAX, y: 0 }), r#"{"event":"done","x":18446744073709551615,"y":0,"check":"#),
            (Entry::NothingMore, r#"{"event":"nothing-more","check":"#),
        ] {
            let text = encode(&entry).unwrap();
            assert!(text.starts_with(line), "{text}");
            assert_eq!(decode::<Entry>(&checked(text.as_bytes()).unwrap()), Some(entry));
        }
        for foreign in [r#"{"event":"other"}"#, r#"{"x":1}"#, r#"{"event":"done","x":1}"#, r#"{"event":1}"#, "[]", "7"]
        {
            assert_eq!(decode::<Entry>(foreign), None, "{foreign}");
        }
    }

    /// The fragment of a line that a full disk left behind is gone once there is room again.
    #[test]
    fn half_a_line_is_removed_by_the_next_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        let entry = |x| Entry::Done(Vec2 { x, y: 0 });
        let first = encode(&entry(1)).unwrap();
        std::fs::write(&path, &first).unwrap();
        let mut log = Log::open(&path, first.len() as u64).unwrap();
        log.file.write_all(b"{\"event\":").unwrap();
        log.write(&entry(2)).unwrap();
        let mut read = Vec::new();
        let extent = read_lines(&path, |_, found: Entry| {
            read.push(found);
            true
        });
        let good = std::fs::metadata(&path).unwrap().len();
        assert_eq!((extent.unwrap(), read), (Extent { good, note: None, foreign: None }, vec![entry(1), entry(2)]));
    }
}
