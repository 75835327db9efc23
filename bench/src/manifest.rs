//! The lists of programs: `programs.toml` in the directory of a bench, or another one.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest<P> {
    program: Vec<P>,
}

/// The directory of a bench.
pub fn directory(bench: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(bench)
}

/// All programs of the list in this directory, in its order.
pub fn read<P: DeserializeOwned>(directory: &Path) -> Result<Vec<P>, String> {
    let file = directory.join("programs.toml");
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let manifest: Manifest<P> = toml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(manifest.program)
}
