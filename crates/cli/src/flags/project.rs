//! The flags of `check` and `init`, which are about all programs of a directory.

use std::path::PathBuf;

use clap::Args;

#[derive(Clone, Debug, Args)]
pub struct CheckFlags {
    /// Only these targets; `*` stands for any characters
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,

    /// The file with the targets
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Only print the commands that would be run
    #[arg(long, conflicts_with_all = ["junit", "sarif", "json"])]
    pub list: bool,

    /// Write the verdicts as JUnit XML, which CI systems show as tests
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    /// Write the same as SARIF, which code hosts show beside the hottest source line
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,

    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Debug, Args)]
pub struct InitFlags {
    /// The directory to look at, in which pessimum.toml is written
    #[arg(value_name = "DIR", default_value = ".")]
    pub directory: PathBuf,

    /// Only print what would be written
    #[arg(long)]
    pub dry_run: bool,
}
