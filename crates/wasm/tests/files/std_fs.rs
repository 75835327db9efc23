//! What the standard library of Rust does with files.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};

/// The error number of WASI; the standard library has no kind for it there.
const NOT_EMPTY: i32 = 55;

fn main() -> std::io::Result<()> {
    assert_eq!(fs::read("given/data")?, b"abcdefgh");
    fs::create_dir_all("deep/er/est")?;
    fs::write("deep/er/text", "one\ntwo\n")?;
    let mut file = OpenOptions::new().append(true).open("deep/er/text")?;
    file.write_all(b"three\n")?;
    drop(file);
    assert_eq!(fs::read_to_string("deep/er/text")?.lines().count(), 3);

    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open("both")?;
    file.write_all(b"0123456789")?;
    file.seek(SeekFrom::Start(4))?;
    file.write_all(b"xyz")?;
    file.rewind()?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    assert_eq!(text, "0123xyz789");
    file.set_len(3)?;
    assert_eq!(file.metadata()?.len(), 3);
    file.sync_all()?;
    drop(file);

    assert_eq!(fs::copy("given/data", "copy")?, 8);
    fs::rename("copy", "deep/copy")?;
    assert_eq!(File::open("copy").unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(File::create_new("deep/copy").unwrap_err().kind(), ErrorKind::AlreadyExists);
    let mut names: Vec<_> = fs::read_dir("deep")?.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["copy", "er"]);
    assert!(fs::metadata("deep")?.is_dir());
    assert_eq!(fs::remove_dir("deep").unwrap_err().raw_os_error(), Some(NOT_EMPTY));
    fs::remove_dir_all("deep")?;
    fs::remove_file("both")?;
    let left: Vec<_> = fs::read_dir("/")?.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["given"]);
    println!("everything holds");
    Ok(())
}
