//! `docs/results.md`: the text in `bench/results.md.in`, with the table of the record NAME where a line says `{{NAME}}`.

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::manifest::directory;
use crate::record::Record;

/// Writes docs/results.md from the records
#[derive(Args)]
pub struct Results {
    /// Only say whether it is what would be written
    #[arg(long)]
    check: bool,
}

impl Results {
    /// Writes the page, or compares it.
    pub fn run(self) -> Result<()> {
        let (template, page) = (directory("results.md.in"), directory("../docs/results.md"));
        let text = std::fs::read_to_string(&template).with_context(|| template.display().to_string())?;
        let mut written = String::from(
            "<!-- `cargo run -p bench -- results` writes this from bench/results.md.in and bench/records. -->\n\n",
        );
        for line in text.lines() {
            match line.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}")) {
                Some(name) => written += &Record::read(name)?.markdown(),
                None => written += &format!("{line}\n"),
            }
        }
        if !self.check {
            return std::fs::write(&page, written).with_context(|| page.display().to_string());
        }
        if std::fs::read_to_string(&page).is_ok_and(|there| there == written) {
            return Ok(());
        }
        bail!("{} is not what `cargo run -p bench -- results` writes", page.display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_what_is_written() {
        Results { check: true }.run().unwrap();
    }

    /// A record that nobody shows would go out of date unseen.
    #[test]
    fn every_record_is_shown() {
        let text = std::fs::read_to_string(directory("results.md.in")).unwrap();
        for file in std::fs::read_dir(directory("records")).unwrap() {
            let file = file.unwrap().path();
            let name = file.file_stem().unwrap().to_str().unwrap();
            assert!(text.contains(&format!("\n{{{{{name}}}}}\n")), "{name} is in no table");
        }
    }
}
