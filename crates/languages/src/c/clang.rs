//! Which clang compiles for WebAssembly on this machine, with its linker and libraries, and what to say where a part is missing.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};
use pessimum_python::programs::find;

use crate::cache::Cache;
use crate::toolchain::inputs::Input;
use crate::toolchain::tool::Tool;

/// The versions of clang that are looked for by name, the newest first.
const VERSIONS: std::ops::RangeInclusive<u32> = 14..=23;

/// Where wasi-libc and related libraries are looked for when clang does not find them by itself.
const SYSROOTS: [&str; 5] = [
    "/opt/wasi-sdk/share/wasi-sysroot",
    "/usr/share/wasi-sysroot",
    "/usr/local/share/wasi-sysroot",
    "/opt/homebrew/share/wasi-sysroot",
    "/usr/wasm32-wasi",
];

const INSTALL: &str = "install clang, lld and wasi-libc (Debian and Ubuntu: `apt install clang lld wasi-libc \
     libclang-rt-dev-wasm32`; macOS: `brew install llvm lld wasi-libc wasi-runtimes`; anywhere: unpack \
     https://github.com/WebAssembly/wasi-sdk/releases and set WASI_SDK_PATH to it), or name a compiler in PESSIMUM_CC, \
     or build the module yourself and give the .wasm file";

pub(super) const INSTALL_LIBC: &str = "this needs the C library for WebAssembly: install wasi-libc and compiler-rt (Debian and \
     Ubuntu: `apt install wasi-libc libclang-rt-dev-wasm32`, with the version of your clang in the second name: \
     libclang-rt-19-dev-wasm32), or set WASI_SYSROOT to where they are";

const INSTALL_CPP: &str = "this needs the C++ library for WebAssembly: install libc++ (Debian and Ubuntu: \
     `apt install libc++-dev-wasm32 libc++abi-dev-wasm32`, with the version of your clang in the names: \
     libc++-19-dev-wasm32), or use the wasi-sdk, which has it";

/// The names and places under which clang is looked for.
fn candidates() -> Vec<String> {
    let sdk = std::env::var_os("WASI_SDK_PATH").map(PathBuf::from);
    let mut names: Vec<String> = Vec::new();
    for directory in sdk.into_iter().chain([PathBuf::from("/opt/wasi-sdk")]) {
        names.push(directory.join("bin/clang").display().to_string());
    }
    names.push("clang".to_string());
    names.extend(VERSIONS.rev().map(|version| format!("clang-{version}")));
    // Homebrew does not link its clang into PATH, since the system has its own, which cannot produce WebAssembly.
    names.extend(["/opt/homebrew/opt/llvm/bin/clang", "/usr/local/opt/llvm/bin/clang"].map(str::to_string));
    names
}

/// Where the headers of this machine are, which are no use to WebAssembly. Debian's clang looks there last.
const HOST_HEADERS: [&str; 2] = ["/usr/include", "/usr/local/include"];

/// Options that make the compiler look for headers where it would, but not among those of this machine.
fn without_host(tool: &Tool, target: &[String], cpp: bool) -> Vec<String> {
    let mut command = tool.command();
    command.args(if cpp { ["--driver-mode=g++", "-xc++"] } else { ["-Qunused-arguments", "-xc"] });
    command.args(target).args(["-E", "-v", "/dev/null"]).stdin(std::process::Stdio::null());
    // What the user's environment names keeps its place: the compiler reads these itself.
    for variable in ["CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"] {
        command.env_remove(variable);
    }
    let Ok(output) = command.output() else { return Vec::new() };
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let listed = said.split_once("#include <...> search starts here:").map_or("", |(_, rest)| rest);
    let listed = listed.split("End of search list").next().unwrap_or_default();
    let places: Vec<&str> = listed.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let is_host = |place: &&str| HOST_HEADERS.contains(place);
    if !places.iter().any(is_host) {
        return Vec::new();
    }
    // Last, as they are without these options, so that the user's own come first.
    let own = places.into_iter().filter(|place| !is_host(place));
    std::iter::once("-nostdinc".to_string()).chain(own.map(|place| format!("-idirafter{place}"))).collect()
}

/// Whether a compiler was built with WebAssembly among its targets.
fn has_target(tool: &Tool, cache: &Cache) -> bool {
    let note = ("targets", tool.identity());
    cache.noted(&note).unwrap_or_else(|| {
        let able = tool.says(&["--print-targets"]).is_some_and(|targets| targets.contains("wasm32"));
        cache.note(&note, &able);
        able
    })
}

/// Adds the files that a compiler consists of where it is a script, and the files of settings that it reads.
fn with_parts(mut tool: Tool) -> Tool {
    let line =
        |name: &str| tool.version.lines().filter_map(|line| line.strip_prefix(name)).map(PathBuf::from).collect();
    let settings: Vec<PathBuf> = line("Configuration file: ");
    let mut homes: Vec<PathBuf> = line("InstalledDir: ");
    homes.extend(tool.home());
    for home in homes {
        tool.parts.push(Input::Program(home.join("clang")));
        let libraries = std::fs::read_dir(home.join("../lib")).into_iter().flatten().flatten();
        let own = |name: &str| ["libLLVM", "libclang-cpp"].iter().any(|start| name.starts_with(start));
        let own = libraries.filter(|entry| own(&entry.file_name().to_string_lossy()) && !is_archive(&entry.path()));
        let mut own: Vec<PathBuf> = own.map(|entry| entry.path()).collect();
        own.sort();
        tool.parts.extend(own.into_iter().map(Input::Program));
    }
    tool.parts.extend(settings.into_iter().map(Input::File));
    tool
}

/// Whether this is a library for those who link against the compiler, which does not use it.
fn is_archive(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "a")
}

/// The compiler with what it needs. Finding that takes several questions, so the answers are noted.
#[derive(Clone, Debug)]
pub(super) struct Clang {
    pub(super) tool: Tool,
    /// `--target` and `--sysroot`.
    pub(super) target: Vec<String>,
    pub(super) linker: PathBuf,
    pub(super) libraries: Libraries,
}

/// Where the libraries are that were found; not every program needs them.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Libraries {
    pub(super) c: Option<PathBuf>,
    /// Compiler-rt: arithmetic on 128-bit numbers and the like.
    pub(super) builtins: Option<PathBuf>,
    /// Not looked for where the source is C.
    pub(super) cpp: Option<PathBuf>,
}

impl Libraries {
    /// How many of those that a source in this language may need are there.
    fn found(&self, cpp: bool) -> usize {
        [&self.c, &self.builtins, &self.cpp][..2 + usize::from(cpp)].iter().filter(|library| library.is_some()).count()
    }

    fn are_complete(&self, cpp: bool) -> bool {
        self.found(cpp) == 2 + usize::from(cpp)
    }

    fn are_still_there(&self) -> bool {
        [&self.c, &self.builtins, &self.cpp].into_iter().flatten().all(|library| library.is_file())
    }
}

impl Clang {
    /// The compiler that the environment names, or that with the most of what it needs: many machines have several
    /// versions of clang, with the linker and the libraries for WebAssembly installed for one of them.
    pub(super) fn choose(cpp: bool, cache: &Cache) -> Result<Clang> {
        const VERSION: [&str; 1] = ["--version"];
        if let Some(tool) = Tool::from_environment("PESSIMUM_CC", &VERSION)? {
            return Clang::new(with_parts(tool), cpp, cache);
        }
        let (mut best, mut failure, mut unable) = (None::<Clang>, None, Vec::new());
        for name in candidates() {
            let Some(tool) = Tool::named(&name, &[], &VERSION).map(with_parts) else { continue };
            if !has_target(&tool, cache) {
                unable.push(name);
                continue;
            }
            match Clang::new(tool, cpp, cache) {
                Ok(clang) if clang.libraries.are_complete(cpp) => return Ok(clang),
                Ok(clang) => {
                    let most = best.as_ref().map_or(0, |best| best.libraries.found(cpp) + 1);
                    if clang.libraries.found(cpp) >= most {
                        best = Some(clang);
                    }
                }
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        match (best, failure) {
            (Some(best), _) => Ok(best),
            (None, Some(failure)) => Err(failure),
            (None, None) if unable.is_empty() => bail!("no C compiler for WebAssembly was found: {INSTALL}"),
            (None, None) => {
                bail!("no C compiler for WebAssembly was found ({} cannot target it): {INSTALL}", unable.join(", "))
            }
        }
    }

    fn new(tool: Tool, cpp: bool, cache: &Cache) -> Result<Clang> {
        let given = ["WASI_SYSROOT", "WASI_SDK_PATH", "COMPILER_PATH", "PATH"].map(std::env::var_os);
        let present = SYSROOTS.map(|path| Path::new(path).exists());
        let note = ("clang without host", cpp, tool.identity(), given, present);
        if let Some((target, linker, libraries)) = cache.noted::<(Vec<String>, PathBuf, Libraries)>(&note)
            && linker.is_file()
            && libraries.are_still_there()
        {
            return Ok(Clang { tool, target, linker, libraries });
        }
        let clang = Clang::find(tool, cpp)?;
        // What is missing may be installed tomorrow.
        if clang.libraries.are_complete(cpp) {
            cache.note(&note, &(&clang.target, &clang.linker, &clang.libraries));
        }
        Ok(clang)
    }

    fn find(tool: Tool, cpp: bool) -> Result<Clang> {
        let linker = tool.says(&["--target=wasm32-wasi", "-print-prog-name=wasm-ld"]).unwrap_or_default();
        let Some(linker) = find(&linker) else {
            let name = tool.name();
            bail!("{name} finds no linker for WebAssembly (wasm-ld): {INSTALL}");
        };
        let wasi = "--target=wasm32-wasi".to_string();
        let mut sysroots = vec![None];
        if let Some(given) = std::env::var_os("WASI_SYSROOT").map(PathBuf::from) {
            sysroots.insert(0, Some(given));
        }
        if let Some(sdk) = std::env::var_os("WASI_SDK_PATH") {
            sysroots.push(Some(PathBuf::from(sdk).join("share/wasi-sysroot")));
        }
        sysroots.extend(SYSROOTS.iter().map(|path| Some(PathBuf::from(path))));
        for sysroot in sysroots {
            let mut target = vec![wasi.clone()];
            target.extend(sysroot.map(|path| format!("--sysroot={}", path.display())));
            // Clang repeats the bare name, or says where it would be, if it does not find the file.
            let library = |question: &str| {
                let words: Vec<&str> = target.iter().map(String::as_str).chain([question]).collect();
                tool.says(&words).map(PathBuf::from).filter(|path| path.is_absolute() && path.is_file())
            };
            let Some(c) = library("-print-file-name=libc.a") else { continue };
            let builtins = library("-print-libgcc-file-name");
            let libcpp = if cpp { library("-print-file-name=libc++.a") } else { None };
            target.extend(without_host(&tool, &target, cpp));
            let cpp = libcpp;
            return Ok(Clang { libraries: Libraries { c: Some(c), builtins, cpp }, tool, target, linker });
        }
        let target = vec!["--target=wasm32".to_string()];
        Ok(Clang { tool, target, linker, libraries: Libraries::default() })
    }

    /// The programs that it starts: the linker, and one that the driver runs on the result where it is installed.
    pub(super) fn programs(&self) -> Vec<Input> {
        let others = ["wasm-ld", "wasm-opt"].into_iter().filter_map(find);
        std::iter::once(self.linker.clone()).chain(others).map(Input::Program).collect()
    }

    pub(super) fn command(&self, cpp: bool) -> Command {
        let mut command = self.tool.command();
        if cpp {
            command.arg("--driver-mode=g++");
        }
        command.args(&self.target);
        command
    }

    /// Options that leave out the libraries that are not installed: many programs do not need them.
    pub(super) fn left_out(&self, cpp: bool) -> Vec<&'static str> {
        let mut options = Vec::new();
        if self.libraries.builtins.is_none() {
            options.extend(["-nodefaultlibs", "-lc"]);
        }
        if cpp && self.libraries.cpp.is_none() {
            options.push("-nostdlib++");
        }
        options
    }

    /// Adds what to install where the compiler complains about something that is missing.
    pub(super) fn explain(&self, error: anyhow::Error, cpp: bool) -> anyhow::Error {
        let text = error.to_string();
        let no_header = text.contains("file not found");
        let undefined = text.contains("undefined symbol");
        let no_cpp = cpp && !self.left_out(cpp).is_empty() && (no_header || undefined);
        let has_libc = self.libraries.c.is_some();
        let no_builtins = undefined && has_libc && self.libraries.builtins.is_none();
        if no_cpp {
            anyhow::anyhow!("{text}\nhint: {INSTALL_CPP}")
        } else if no_builtins || !has_libc && (no_header || undefined) {
            anyhow::anyhow!("{text}\nhint: {INSTALL_LIBC}")
        } else if let Some(hint) = missing_part(&text) {
            anyhow::anyhow!("{text}\nhint: {hint}")
        } else if undefined {
            anyhow::anyhow!("{text}\nhint: add the sources that define these with --cflags 'other.c'")
        } else {
            error
        }
    }
}

/// What to say about parts of C and C++ that the libraries for WebAssembly do not have.
fn missing_part(said: &str) -> Option<String> {
    const THREADS: &str = "WebAssembly programs for WASI have no threads, and its C library has no pthreads; compile the \
         part without them, or leave them out with #ifndef __wasi__";
    const JUMPS: &str = "the C library for WebAssembly has no setjmp and longjmp; compile the part that does not need \
         them, or leave them out with #ifndef __wasi__";
    let header = said.split("' file not found").next().and_then(|before| before.rsplit('\'').next());
    let header = header.filter(|_| said.contains("' file not found")).unwrap_or_default();
    let mentions = |words: &[&str]| words.iter().any(|word| said.contains(word));
    if ["pthread.h", "threads.h", "semaphore.h"].contains(&header)
        || mentions(&["'thread' in namespace 'std'", "'mutex' in namespace 'std'", "'jthread' in namespace 'std'"])
        || mentions(&["undefined symbol: pthread_", "'condition_variable' in namespace 'std'"])
    {
        return Some(THREADS.to_string());
    }
    if header == "setjmp.h" || mentions(&["Setjmp/longjmp", "undefined symbol: setjmp", "undefined symbol: longjmp"]) {
        return Some(JUMPS.to_string());
    }
    const NEW: [&str; 8] = ["span", "format", "ranges", "views", "bit_cast", "expected", "optional", "string_view"];
    let is_new = |name: &str| {
        ["no member named", "no template named", "no type named"]
            .iter()
            .any(|no| said.contains(&format!("{no} '{name}' in namespace 'std'")))
    };
    if NEW.into_iter().any(is_new) {
        return Some("this is part of a later C++ than the compiler's own choice: --cflags '-std=c++20'".to_string());
    }
    let host = HOST_HEADERS.iter().find(|place| !header.is_empty() && Path::new(place).join(header).is_file());
    host.map(|place| {
        format!(
            "{place}/{header} is a header of this machine, not of WebAssembly; if it belongs to a library of headers \
             only, give its place with --cflags '-idirafter {place}'"
        )
    })
}
