//! What A and B name: a file, or a file as it was in a revision of this repository; and the directory in which its
//! options mean what they say.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::tree::{Repository, Tree, git, has_git};
use pessimum_languages::Usage;
use pessimum_languages::{is_package, names_from};

/// One version of a program.
pub struct Version {
    /// As on the command line, with the path where that names only a revision.
    pub label: String,
    /// The commit; none for the working tree.
    pub revision: Option<String>,
    /// The program, as seen from its directory.
    pub program: PathBuf,
    /// The directory to search it in; none for the current one.
    pub directory: Option<PathBuf>,
    /// What the program is called in the working tree, to name directories after.
    pub named: PathBuf,
    /// The program in the working tree, where this version has none and gets that one.
    pub from_here: Option<PathBuf>,
    /// Keeps the files of a revision until the comparison is over.
    _tree: Option<Tree>,
}

/// What a word of the command line stands for.
enum Word {
    Path(PathBuf),
    Revision { revision: String, commit: String, path: Option<PathBuf> },
}

/// Both versions, which the words A and B name; `program` is what `--program` says, `options` those for compilers.
pub fn versions(a: &Path, b: &Path, program: Option<&Path>, options: &[String]) -> Result<[Version; 2]> {
    let words = [word(a)?, word(b)?];
    let paths = words.each_ref().map(|word| match word {
        Word::Path(path) => Some(path.clone()),
        Word::Revision { path, .. } => path.clone(),
    });
    let own_directories = program.is_none() && are_apart(&words, options)?;
    let [of_a, of_b] = &paths;
    let mut made = Vec::new();
    for (word, other) in words.into_iter().zip([of_b, of_a]) {
        made.push(match (word, program) {
            (Word::Path(path), Some(program)) if path.is_dir() => in_directory(&path, program)?,
            (Word::Path(path), Some(_)) => {
                let message = format!("--program is for revisions and directories, but {} is a file", path.display());
                return Err(Usage(message).into());
            }
            (Word::Path(path), None) => in_working_tree(path, own_directories),
            (Word::Revision { revision, path: Some(_), .. }, Some(_)) => {
                return Err(Usage(format!("give either `{revision}:PATH` or --program")).into());
            }
            (Word::Revision { revision, commit, path }, program) => {
                let path = path.or_else(|| program.or(other.as_deref()).map(Path::to_path_buf));
                in_revision(revision, commit, path, program.is_some())?
            }
        });
    }
    let (b, a) = (made.pop(), made.pop());
    Ok([a.context("A")?, b.context("B")?])
}

/// Whether two files in different directories have what the options name each in its own directory. Where only a part of
/// that is so, nobody could say which files the versions consist of.
fn are_apart(words: &[Word; 2], options: &[String]) -> Result<bool> {
    let [Word::Path(a), Word::Path(b)] = words else { return Ok(false) };
    let [a, b] = [a, b].map(|path| path.parent().unwrap_or(Path::new("")).to_path_buf());
    let real = |path: &Path| std::fs::canonicalize(if path.as_os_str().is_empty() { Path::new(".") } else { path });
    if words.iter().any(|word| matches!(word, Word::Path(path) if path.is_dir())) || real(&a).ok() == real(&b).ok() {
        return Ok(false);
    }
    let [of_a, of_b] = [&a, &b].map(|directory| names_from(directory, options));
    if let Some(name) = of_a.symmetric_difference(&of_b).last() {
        let (has, lacks) = if of_a.contains(name) { (&a, &b) } else { (&b, &a) };
        let shown =
            |path: &Path| if path.as_os_str().is_empty() { ".".to_string() } else { path.display().to_string() };
        let (name, has, lacks) = (name.display(), shown(has), shown(lacks));
        return Err(Usage(format!(
            "--cflags: `{name}` is in {has}, but not in {lacks}, so it is not clear what it means for each side; give \
             absolute paths, or the two directories and --program"
        ))
        .into());
    }
    Ok(!of_a.is_empty())
}

/// The program of a revision. One that the revision lacks is that of the working tree, if `is_harness`.
fn in_revision(revision: String, commit: String, path: Option<PathBuf>, is_harness: bool) -> Result<Version> {
    let path = match path {
        Some(path) => path,
        None if Path::new("Cargo.toml").is_file() => PathBuf::from("."),
        None => {
            let hint = format!("`{revision}:sort.c`, or --program crates/sort for both");
            return Err(Usage(format!("say which program of the revision is meant: {hint}")).into());
        }
    };
    let repository = Repository::here()?;
    let found = repository.inside(&path)?;
    let tree = Tree::of(&repository, &commit)?;
    let place = tree.root().join(&repository.prefix);
    let is_there = || place.is_dir() && place.join(&path).exists() || tree.root().join(&found).exists();
    let from_here = (is_harness && path.is_file() && !is_there()).then(|| path.clone());
    if from_here.is_some() {
        tree.add(&path, &found)?;
    }
    // As seen from the current directory, or else from the root, as git itself writes it.
    let (directory, program) = match (place.is_dir() && place.join(&path).exists(), tree.root().join(&found).exists()) {
        (true, _) if path.is_relative() => (place, path.clone()),
        (_, true) => (tree.root(), found),
        _ if path.is_relative() && tree.root().join(&path).exists() => (tree.root(), path.clone()),
        _ => bail!("{revision} has no {}", path.display()),
    };
    let label = if path == Path::new(".") { revision } else { format!("{revision}:{}", path.display()) };
    let directory = Some(directory);
    Ok(Version { label, revision: Some(commit), named: path, program, directory, from_here, _tree: Some(tree) })
}

/// The program of a directory. One that it lacks is that of the working tree, beside links to what the directory has.
fn in_directory(place: &Path, program: &Path) -> Result<Version> {
    let named = place.join(program);
    let mut version = Version {
        label: named.display().to_string(),
        revision: None,
        program: program.to_path_buf(),
        directory: Some(place.to_path_buf()),
        named,
        from_here: None,
        _tree: None,
    };
    if program.is_relative() && program.is_file() && !version.named.exists() {
        let tree = Tree::of_links(place, program)?;
        tree.add(program, program)?;
        (version.directory, version.from_here) = (Some(tree.root()), Some(program.to_path_buf()));
        version._tree = Some(tree);
    }
    Ok(version)
}

/// A file or package of the working tree. A package has its options in its own directory; a file has, if so said.
fn in_working_tree(path: PathBuf, own_directory: bool) -> Version {
    let (directory, program) = match (path.parent(), path.file_name()) {
        _ if path.is_dir() && is_package(&path) => (Some(path.clone()), PathBuf::from(".")),
        (Some(parent), Some(name)) if own_directory && !parent.as_os_str().is_empty() => {
            (Some(parent.to_path_buf()), PathBuf::from(name))
        }
        _ => (None, path.clone()),
    };
    let label = path.display().to_string();
    Version { label, revision: None, named: path, program, directory, from_here: None, _tree: None }
}

/// A file, if there is one of this name; otherwise a revision, alone or with a path after a colon.
fn word(word: &Path) -> Result<Word> {
    if word.exists() {
        return Ok(Word::Path(word.to_path_buf()));
    }
    let shown = word.display();
    let Some(text) = word.to_str() else { bail!("{shown}: there is no such file") };
    if !has_git() {
        bail!("{text}: there is no such file, and no `git` in PATH that could have a revision of this name");
    }
    let (revision, path) = match text.split_once(':') {
        Some((revision, path)) if !revision.is_empty() && !path.is_empty() => (revision, Some(PathBuf::from(path))),
        _ => (text, None),
    };
    let name = format!("{revision}^{{commit}}");
    match git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &name]) {
        Ok(commit) => Ok(Word::Revision { revision: revision.to_string(), commit: commit.trim().to_string(), path }),
        Err(_) if path.is_some() => bail!("{text}: there is no such file, and no revision `{revision}` here"),
        Err(_) => bail!("{text}: there is no such file, and no such revision here"),
    }
}
