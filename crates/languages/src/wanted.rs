//! What is to be compiled, and what compilers are told about it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pessimum_input::Signature;

use crate::toolchain::inputs::{Input, named, variables};
use crate::toolchain::tool::{Tool, UNCLOSED};

/// Flags that do not fit together.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// What is to be compiled, and what for.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// As on the command line.
    pub path: &'a Path,
    /// What `--call` says.
    pub call: Option<&'a Signature>,
    /// The function that `--entry` names.
    pub entry: Option<&'a str>,
    /// The values of `--cflags`, each a list of options.
    pub options: &'a [String],
    /// The values of `--with`, which choose types for parameters.
    pub with: &'a [String],
    /// Its functions are to be listed, also those of a program.
    pub listed: bool,
    /// Tests are to call several of its functions, one after the other.
    pub sequences: bool,
    /// Its branches are counted, so they are to be those of the source.
    pub covered: bool,
}

/// The name by which `--with` chooses how much room there is for a collection inside another value.
pub(crate) const ROOM: &str = "room";

impl<'a> Wanted<'a> {
    /// The function to be called; none for a program that is started at its `main`.
    pub(crate) fn function(&self) -> Option<&'a str> {
        self.call.map(|call| call.name.as_str()).or(self.entry)
    }

    /// Whether it may be started at its `main`.
    pub(crate) fn is_program(&self) -> bool {
        self.function().is_none() && !self.sequences
    }

    /// How far code is optimised unless options say otherwise. In suites a branch of the source is to be one branch of the
    /// module, and not one in each place where its function was inlined, in some of which it cannot go both ways.
    pub(crate) fn optimisation(&self) -> &'static str {
        if self.sequences { "0" } else { "1" }
    }

    /// `--cflags`, split into single options.
    pub(crate) fn options(&self) -> Result<Vec<String>> {
        let mut options = Vec::new();
        for text in self.options {
            options.extend(shlex::split(text).ok_or_else(|| Usage(format!("--cflags {text}: {UNCLOSED}")))?);
        }
        Ok(options)
    }

    /// What `--with` chooses: types and constants for parameters, and the room of collections inside other values.
    pub(crate) fn chosen(&self) -> Result<Chosen> {
        let mut chosen = Chosen::default();
        for text in self.with {
            let Some((name, ty)) = text.split_once('=') else {
                bail!(Usage(format!("--with {text}: expected NAME=TYPE, as in --with T=u64, or room=16")));
            };
            let (name, ty) = (name.trim(), ty.trim());
            if name == ROOM {
                // The length of what is in the room is one byte of input.
                let room = ty.parse().ok().filter(|room| (1..=255).contains(room));
                let expected = "room for elements inside other values is a number from 1 to 255, as in --with room=16";
                if room.is_none() {
                    bail!(Usage(format!("--with {text}: {expected}")));
                }
                chosen.room = room;
            } else {
                chosen.with.insert(name.to_string(), ty.to_string());
            }
        }
        Ok(chosen)
    }

    /// The source for a compiler's command line.
    pub(crate) fn source(&self) -> PathBuf {
        as_file(self.path)
    }

    /// The source as text, for languages whose sources are UTF-8.
    pub(crate) fn text(&self) -> Result<String> {
        let bytes = std::fs::read(self.path)?;
        String::from_utf8(bytes).map_err(|error| {
            let line = 1 + error.as_bytes()[..error.utf8_error().valid_up_to()].iter().filter(|b| **b == b'\n').count();
            anyhow::anyhow!("line {line} is not valid UTF-8; save the file in that encoding")
        })
    }

    /// What the module depends on besides contents of files: where the source is and where it is compiled (debug
    /// information names both), the compiler, and its options.
    pub(crate) fn key(&self, tool: &Tool, options: &[String]) -> Result<Vec<u8>> {
        let here = here()?;
        let parts = [self.path.as_os_str().as_encoded_bytes(), here.as_os_str().as_encoded_bytes()];
        let identity = tool.identity();
        let more = options.iter().map(String::as_bytes);
        let with = self.with.iter().map(String::as_bytes);
        let more = more.chain([&b"--with"[..]]).chain(with);
        Ok(parts.into_iter().chain([identity.as_bytes()]).chain(more).collect::<Vec<_>>().join(&0))
    }

    /// What every compiler reads: the source, the files that its options name, and the environment.
    pub(crate) fn inputs(&self, options: &[String]) -> Vec<Input> {
        let mut inputs = vec![Input::File(self.source())];
        inputs.extend(named(options));
        inputs.extend(variables(|name| {
            VARIABLES.contains(&name) || VARIABLES_STARTING.iter().any(|start| name.starts_with(start))
        }));
        inputs
    }

    /// The name of the source file without its extension.
    pub(crate) fn stem(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// What the user chose about the arguments of functions.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// The types and constants that stand for parameters.
    pub with: BTreeMap<String, String>,
    /// The room for the elements of a collection inside another value; none for the usual one.
    pub room: Option<usize>,
}

/// Environment variables that change what a compiler reads or writes. PWD is where clang says that it ran.
const VARIABLES: [&str; 17] = [
    "CC",
    "CCC_ADD_ARGS",
    "CCC_OVERRIDE_OPTIONS",
    "COMPILER_PATH",
    "CPATH",
    "CPLUS_INCLUDE_PATH",
    "C_INCLUDE_PATH",
    "GCC_EXEC_PREFIX",
    "LIBRARY_PATH",
    "MACOSX_DEPLOYMENT_TARGET",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PWD",
    "RUSTFLAGS",
    "RUSTUP_TOOLCHAIN",
    "SDKROOT",
    "SOURCE_DATE_EPOCH",
];

/// How the names of more of them start.
const VARIABLES_STARTING: [&str; 6] = ["CARGO_", "CLANG_", "NIX_", "RUSTC_", "WASI_", "ZIG_"];

/// A path that compilers take for a file, whatever its name is: `-x.c` would be an option and `@x.c` a list of options.
pub(crate) fn as_file(path: &Path) -> PathBuf {
    let first = path.as_os_str().as_encoded_bytes().first();
    let plain = first.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'/' | 0x80..));
    if plain || path.is_absolute() { path.to_path_buf() } else { Path::new(".").join(path) }
}

/// The current directory, which is left out of the debug information.
pub(crate) fn here() -> Result<PathBuf> {
    std::env::current_dir().context("the current directory")
}
