//! C and C++, compiled with clang and wasi-libc.
//!
//! They are compiled with `-O1` rather than `-O2`: fewer comparisons become `select`s and no loop is unrolled, so that
//! costs can be understood from the source. The link command has no `-O`, because the clang driver would then run
//! wasm-opt where it is installed, which drops names and lines.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use pessimum_wasm::names::demangle;
use pessimum_wasm::prototypes::{Prototype, Prototypes};
use wasmparser::{KnownCustom, Linking, LinkingSectionReader, Parser, Payload, SymbolFlags, SymbolInfo};

use super::cache::{About, Cache, Hidden, Refused};
use super::exceptions::{self, Exceptions};
use super::exports::{Export, call_text, renamed};
use super::inputs::{Input, Rule};
use super::objects::Objects;
use super::tool::{Tool, find, run, run_for_data};
use super::workplace::Workplace;
use super::{Wanted, as_file, here, is_written};
use crate::Usage;

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

const INSTALL_LIBC: &str = "this needs the C library for WebAssembly: install wasi-libc and compiler-rt (Debian and \
     Ubuntu: `apt install wasi-libc libclang-rt-dev-wasm32`, with the version of your clang in the second name: \
     libclang-rt-19-dev-wasm32), or set WASI_SYSROOT to where they are";

const INSTALL_CPP: &str = "this needs the C++ library for WebAssembly: install libc++ (Debian and Ubuntu: \
     `apt install libc++-dev-wasm32 libc++abi-dev-wasm32`, with the version of your clang in the names: \
     libc++-19-dev-wasm32), or use the wasi-sdk, which has it";

/// The header for programs that ask for their input themselves.
const HEADER: &str = include_str!("../../../../guest/c/pessimum.h");

/// What makes the same source into another module each time, or names a file that no compiler lists.
const UNREPEATABLE: [&str; 4] = ["__DATE__", "__TIME__", "__TIMESTAMP__", ".incbin"];

pub fn build(wanted: &Wanted<'_>, cpp: bool, cache: &Cache) -> Result<(Vec<u8>, About)> {
    let source = std::fs::read(wanted.path)?;
    let clang = Clang::choose(cpp, cache)?;
    let mut all = wanted.options()?;
    if wanted.sequences {
        // Options of the user's come later and count.
        all.insert(0, format!("-O{}", wanted.optimisation()));
    }
    check_options(&all)?;
    let include = cache.directory_with("pessimum.h", HEADER)?;
    // Sources among the options are compiled and linked too.
    let (more, options): (Vec<String>, Vec<String>) = all.iter().cloned().partition(|option| {
        let ending = Path::new(option).extension().and_then(|ending| ending.to_str());
        !option.starts_with('-') && matches!(ending, Some("c" | "cpp" | "cc" | "cxx"))
    });
    let exceptions = Exceptions::new(cpp, &options);
    let options: Vec<String> = options.into_iter().filter(|option| !exceptions::is_about_exceptions(option)).collect();
    // A function that the source does not have may be one of the C library: `qsort(i32[n], n, 4, &compare)`.
    let of_library = wanted.function().filter(|name| !cpp && is_identifier(name) && !is_written(wanted.path, name));
    let mut job = Job { clang: &clang, cpp, exceptions, options: &options, include: &include, of_library };
    let sources = std::iter::once(wanted.source()).chain(more.iter().map(|source| as_file(Path::new(source))));
    let sources: Vec<(PathBuf, Option<Vec<PathBuf>>)> =
        sources.map(|source| (source.clone(), job.scan(&source))).collect();

    // A program with `main` is started there, unless another function is to be called.
    let kind: &[u8] = if wanted.is_program() { b"program" } else { b"library" };
    let key = wanted.key(&clang.tool, &all)?;
    let of_library = of_library.unwrap_or_default().as_bytes();
    let parts: [&[u8]; 7] =
        [b"c", &source[..], &key, kind, HEADER.as_bytes(), exceptions::RUNTIME.as_bytes(), of_library];
    let mut inputs = wanted.inputs(&all);
    inputs.extend(clang.programs());
    inputs.extend(sources.iter().flat_map(|(_, files)| files.iter().flatten()).cloned().map(Input::File));
    let entry = cache.entry(&parts, inputs);
    // Where the compiler cannot even say which files it reads, it is about to say what is wrong.
    let mut repeatable = sources.iter().all(|(_, files)| files.is_some());
    if repeatable && let Some(found) = entry.find() {
        return Ok(found);
    }
    clang.tool.announce(wanted.path);
    let (work, started) = (cache.workplace()?, SystemTime::now());
    let mut built = Built::default();
    if job.needs_exceptions(&sources) {
        job.exceptions = Exceptions::On;
    }
    for (number, (source, scanned)) in sources.iter().enumerate() {
        // The types of C++ have to be known before the code around its functions can be written.
        let purpose = if cpp && number == 0 { Purpose::Types } else { Purpose::Module };
        let (object, read) = job.compile(&work, number, source, purpose)?;
        repeatable &= scanned.as_ref() == Some(&read) && !read.iter().any(|file| is_unrepeatable(file));
        built.add(object)?;
    }
    let is_library = !built.has_main || !wanted.is_program();
    let mut around = BTreeSet::new();
    if cpp {
        around = built.with_objects(&job, &work, wanted, is_library)?;
    }
    let exports = if is_library { Some(&built.exports[..]) } else { None };
    let (mut bytes, mut linked) = job.link(&work, &built.objects, exports)?;
    if cpp {
        bytes = renamed(&bytes, &built.exports)?;
    }
    linked.extend(around);
    let mut about = built.about;
    about.functions = built.exports.into_iter().map(|export| export.name).collect();
    Ok(if repeatable { entry.keep(bytes, about, linked, started) } else { (bytes, about) })
}

/// What has been compiled so far.
#[derive(Default)]
struct Built {
    objects: Vec<PathBuf>,
    exports: Vec<Export>,
    has_main: bool,
    about: About,
}

impl Built {
    fn add(&mut self, object: PathBuf) -> Result<()> {
        let symbols = symbols(&std::fs::read(&object)?);
        self.has_main |= symbols.main;
        self.exports.extend(symbols.global.into_iter().map(|symbol| Export { name: symbol.clone(), symbol }));
        for name in symbols.local.iter().map(|name| demangle(name)) {
            let why = if name.contains("(anonymous namespace)") { ANONYMOUS } else { STATIC };
            self.about.hidden.push(Hidden { name, why: why.to_string() });
        }
        self.objects.push(object);
        Ok(())
    }

    /// Compiles the first source, which is C++, once more: for the module, and with code that makes the objects that
    /// its functions take. Returns the files that were read for that code.
    fn with_objects(
        &mut self,
        job: &Job<'_>,
        work: &Workplace,
        wanted: &Wanted<'_>,
        is_library: bool,
    ) -> Result<BTreeSet<Input>> {
        let global: Vec<String> = self.exports.iter().map(|export| export.symbol.clone()).collect();
        let prototypes = prototypes(&std::fs::read(&self.objects[0])?);
        // Tests of several calls are passed objects that earlier calls returned.
        let mut objects = match is_library && !wanted.sequences {
            true => Objects::new(&prototypes, wanted.path, &global),
            false => Objects::default(),
        };
        let mut read = Vec::new();
        loop {
            let text = if objects.functions.is_empty() { None } else { Some(objects.text()) };
            match job.compile(work, 0, &wanted.source(), Purpose::Calls(text.as_deref())) {
                Ok((object, files)) => {
                    self.objects[0] = object;
                    read.extend(files);
                    break;
                }
                Err(error) if text.is_none() => return Err(error),
                Err(error) => {
                    if !objects.drop_failed(&error.to_string()) {
                        objects.drop_all();
                    }
                }
            }
        }
        let called: Vec<&String> = objects.functions.iter().map(|function| &function.prototype.symbol).collect();
        self.exports.retain(|export| !called.contains(&&export.symbol));
        // Functions that share their name are told apart by their parameters.
        let all = self.exports.iter().map(|export| &export.symbol).chain(called);
        let plain: Vec<String> = all.map(|symbol| demangle(symbol)).collect();
        let name = |symbol: &String| {
            let short = demangle(symbol);
            let is_one = plain.iter().filter(|other| **other == short).count() == 1;
            if is_one { short } else { prototypes.get(symbol).map_or_else(|| symbol.clone(), Prototype::written) }
        };
        for export in &mut self.exports {
            export.name = name(&export.symbol);
            let Some(prototype) = prototypes.get(&export.symbol) else { continue };
            let arguments = match objects.refused.iter().find(|(refused, _)| refused.symbol == prototype.symbol) {
                Some((_, why)) => Err(why.clone()),
                None => prototype.arguments(false, &prototypes).map_err(|refused| refused.to_string()),
            };
            match arguments {
                Ok(arguments) => {
                    self.about.calls.insert(export.name.clone(), call_text(&export.name, &arguments.join(", ")));
                }
                Err(why) => {
                    let objects = prototype.library_objects();
                    self.about.refused.insert(export.name.clone(), Refused { why, objects });
                }
            }
        }
        for (prototype, why) in &objects.refused {
            if !global.contains(&prototype.symbol) {
                self.about.hidden.push(Hidden { name: demangle(&prototype.symbol), why: why.clone() });
            }
        }
        let line = |symbol: &String| prototypes.get(symbol).map_or(0, |prototype| prototype.line);
        let mut ordered: Vec<(u64, Export)> =
            self.exports.drain(..).map(|export| (line(&export.symbol), export)).collect();
        for function in objects.functions {
            let name = name(&function.prototype.symbol);
            self.about.calls.insert(name.clone(), call_text(&name, &function.arguments));
            let types = function.prototype.own_parameters(true).map(|(_, parameter)| parameter.ty.to_string());
            self.about.wrapped.insert(name.clone(), types.collect());
            ordered.push((function.prototype.line, Export { symbol: function.symbol, name }));
        }
        ordered.sort_by_key(|(line, _)| *line);
        self.exports = ordered.into_iter().map(|(_, export)| export).collect();
        let outside = read.into_iter().filter(|file| !file.starts_with(work.path()));
        Ok(outside.map(Input::File).collect())
    }
}

/// The declarations in the debug information of an object file.
fn prototypes(object: &[u8]) -> Prototypes {
    let payloads = Parser::new(0).parse_all(object).map_while(Result::ok);
    let custom = payloads.filter_map(|payload| match payload {
        Payload::CustomSection(section) => Some((section.name(), section.data())),
        _ => None,
    });
    let sections: Vec<(&str, &[u8])> = custom.collect();
    Prototypes::read(|name| sections.iter().find(|(other, _)| *other == name).map_or(&[][..], |(_, data)| data))
}

const STATIC: &str = "it is `static`; remove that keyword so that it can be called";

const ANONYMOUS: &str = "it is in a namespace without a name; take it out of there so that it can be called";

/// Options that say what the compiler is to make, which is decided here.
const DECIDED: [&str; 16] = [
    "-o",
    "-c",
    "-E",
    "-S",
    "-M",
    "-MM",
    "-x",
    "-target",
    "-shared",
    "-fsyntax-only",
    "-flto",
    "-emit-llvm",
    "-###",
    "-r",
    "--version",
    "--help",
];

/// Refuses options after which there would be no module.
fn check_options(options: &[String]) -> Result<()> {
    for option in options {
        let is_decided = DECIDED.contains(&option.as_str())
            || option.starts_with("--target=")
            || option.starts_with("-flto=")
            || option.starts_with("--print-");
        if is_decided {
            bail!(Usage(format!(
                "--cflags {option}: Pessimum itself says what the compiler is to make, a module with debug information; \
                 leave this option out"
            )));
        }
    }
    Ok(())
}

/// What a source is compiled for.
#[derive(Clone, Copy)]
enum Purpose<'a> {
    /// To be part of the module.
    Module,
    /// To know all its types.
    Types,
    /// To be part of the module, with this text after it.
    Calls(Option<&'a str>),
}

fn is_unrepeatable(path: &Path) -> bool {
    let text = std::fs::read(path).unwrap_or_default();
    UNREPEATABLE.iter().any(|word| text.windows(word.len()).any(|part| part == word.as_bytes()))
}

/// What the commands for one module have in common.
struct Job<'a> {
    clang: &'a Clang,
    cpp: bool,
    exceptions: Exceptions,
    options: &'a [String],
    /// Where our header is.
    include: &'a Path,
    /// A function to be exported if the C library has it.
    of_library: Option<&'a str>,
}

impl Job<'_> {
    /// The compiler with everything but what it is to do, and with what.
    fn command(&self, what: &[&str]) -> Result<Command> {
        let mut command = self.clang.command(self.cpp);
        command.args(["-O1", "-g", "-Qunused-arguments"]).args(what);
        if self.cpp {
            command.arg(self.exceptions.option());
        }
        if self.clang.libraries.c.is_none() {
            command.arg("-ffreestanding");
        }
        command.arg(format!("-fdebug-prefix-map={}=", here()?.display()));
        Ok(command)
    }

    /// The files that the compiler would read for one source. Asking it is a matter of milliseconds, and the only way
    /// to know about a header that has appeared since the last time and comes before another of the same name.
    fn scan(&self, source: &Path) -> Option<Vec<PathBuf>> {
        let mut command = self.command(&["-M"]).ok()?;
        command.args(self.options).arg("-idirafter").arg(self.include).arg(source);
        let output = command.stdin(std::process::Stdio::null()).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| Rule::parse(&text).files)
    }

    /// Whether one of the sources cannot be compiled without exceptions. The compiler is asked where the words occur.
    fn needs_exceptions(&self, sources: &[(PathBuf, Option<Vec<PathBuf>>)]) -> bool {
        let asked = |source: &Path| {
            let mut command = self.command(&["-fsyntax-only", "-w"]).ok()?;
            command.args(self.options).arg("-idirafter").arg(self.include).arg(source);
            run(&mut command).err()
        };
        self.exceptions == Exceptions::IfNeeded
            && sources.iter().any(|(source, files)| {
                exceptions::are_mentioned(files.as_deref().unwrap_or_default())
                    && asked(source).is_some_and(|error| exceptions::would_help(&error))
            })
    }

    /// Compiles one source. Returns the object file and the files that the compiler read.
    fn compile(
        &self,
        work: &Workplace,
        number: usize,
        source: &Path,
        purpose: Purpose<'_>,
    ) -> Result<(PathBuf, Vec<PathBuf>)> {
        let object = work.file(&format!("{number}.o"));
        let rule = work.file(&format!("{number}.d"));
        let mut command = self.command(&["-c"])?;
        command.arg("-MD").arg("-MF").arg(&rule).args(self.options);
        command.arg("-idirafter").arg(self.include);
        match purpose {
            Purpose::Module => {
                command.arg(source);
            }
            Purpose::Types => {
                command.args(["-O0", "-g", "-fstandalone-debug", "-fno-eliminate-unused-debug-types"]).arg(source);
            }
            // Its warnings have been shown already.
            Purpose::Calls(None) => {
                command.arg("-w").arg(source);
            }
            Purpose::Calls(Some(text)) => {
                let calls = work.file("calls.cpp");
                std::fs::write(&calls, text).with_context(|| calls.display().to_string())?;
                command.args(["-w", "-ferror-limit=0", "-include"]).arg(source).arg(calls);
                command.arg(format!("-fdebug-prefix-map={}=pessimum", work.path().display()));
            }
        }
        command.arg("-o").arg(&object);
        run(&mut command).map_err(|error| self.clang.explain(error, self.cpp))?;
        Ok((object, Rule::read(&rule)?.files))
    }

    /// Links object files into a module that exports these functions; without exports, into a program.
    /// Returns it with the files that the linker read besides.
    fn link(
        &self,
        work: &Workplace,
        objects: &[PathBuf],
        exports: Option<&[Export]>,
    ) -> Result<(Vec<u8>, BTreeSet<Input>)> {
        match self.link_with(work, objects, exports, None) {
            Err(error) if self.exceptions == Exceptions::On && exceptions::lack_runtime(&error) => {
                let compiled = exceptions::compile_runtime(self.clang.command(true), work);
                let (runtime, headers) = compiled.map_err(|error| self.clang.explain(error, true))?;
                let (bytes, mut read) = self.link_with(work, objects, exports, Some(&runtime))?;
                read.extend(headers);
                Ok((bytes, read))
            }
            linked => linked,
        }
    }

    /// The same with the runtime for exceptions, if it is given.
    fn link_with(
        &self,
        work: &Workplace,
        objects: &[PathBuf],
        exports: Option<&[Export]>,
        runtime: Option<&Path>,
    ) -> Result<(Vec<u8>, BTreeSet<Input>)> {
        let clang = self.clang;
        let output = work.file("module.wasm");
        let mut command = clang.command(self.cpp);
        command.arg("-Qunused-arguments");
        // The stack has 1 MiB and lies below everything else, so that an overflow traps instead of overwriting data.
        command.args(["-Wl,-z,stack-size=1048576", "-Wl,--stack-first"]);
        if clang.libraries.c.is_some() {
            command.args(clang.left_out(self.cpp));
            // The allocator assumes that all memory from its start onwards belongs to it, so buffers come from it.
            command.arg("-Wl,--export-if-defined=malloc");
            if exports.is_some() {
                command.arg("-mexec-model=reactor");
            }
        } else if exports.is_none() {
            bail!("it has a `main`: {INSTALL_LIBC}");
        } else {
            command.args(["-nostdlib", "-Wl,--no-entry"]);
        }
        // `-Wl` would split at commas, and a function's name in an object file may contain anything.
        for export in exports.unwrap_or_default() {
            command.arg("-Xlinker").arg(format!("--export={}", export.symbol));
        }
        if let Some(name) = self.of_library {
            command.args([format!("-Wl,--undefined={name}"), format!("-Wl,--export-if-defined={name}")]);
        }
        command.args(self.options.iter().filter(|option| !option.starts_with("-O"))).args(objects).args(runtime);
        // It prints the files that it reads, and the members that it takes from libraries: `libc.a(puts.o)`.
        command.arg("-Wl,--trace").arg("-o").arg(&output);
        let printed = run_for_data(&mut command).map_err(|error| clang.explain(error, self.cpp))?.stdout;
        let printed = String::from_utf8_lossy(&printed);
        let files = printed.lines().map(|line| {
            let library = line.rsplit_once('(').filter(|_| line.ends_with(')')).map(|(library, _)| Path::new(library));
            library.filter(|library| library.is_file()).unwrap_or(Path::new(line))
        });
        let read = files.filter(|file| !file.starts_with(work.path())).map(|file| Input::File(file.to_path_buf()));
        let read = read.collect();
        Ok((std::fs::read(&output).context("the linker wrote no module")?, read))
    }
}

fn is_identifier(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

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
struct Clang {
    tool: Tool,
    /// `--target` and `--sysroot`.
    target: Vec<String>,
    linker: PathBuf,
    libraries: Libraries,
}

/// Where the libraries are that were found; not every program needs them.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
struct Libraries {
    c: Option<PathBuf>,
    /// Compiler-rt: arithmetic on 128-bit numbers and the like.
    builtins: Option<PathBuf>,
    /// Not looked for where the source is C.
    cpp: Option<PathBuf>,
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
    fn choose(cpp: bool, cache: &Cache) -> Result<Clang> {
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
    fn programs(&self) -> Vec<Input> {
        let others = ["wasm-ld", "wasm-opt"].into_iter().filter_map(find);
        std::iter::once(self.linker.clone()).chain(others).map(Input::Program).collect()
    }

    fn command(&self, cpp: bool) -> Command {
        let mut command = self.tool.command();
        if cpp {
            command.arg("--driver-mode=g++");
        }
        command.args(&self.target);
        command
    }

    /// Options that leave out the libraries that are not installed: many programs do not need them.
    fn left_out(&self, cpp: bool) -> Vec<&'static str> {
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
    fn explain(&self, error: anyhow::Error, cpp: bool) -> anyhow::Error {
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

#[derive(Default)]
struct Symbols {
    /// Functions that other files can use.
    global: Vec<String>,
    /// `static` functions.
    local: Vec<String>,
    /// Whether there is a `main`, under whatever name the compiler gave it.
    main: bool,
}

/// The functions that an object file defines.
fn symbols(object: &[u8]) -> Symbols {
    let mut found = Symbols::default();
    let sections = Parser::new(0).parse_all(object).map_while(Result::ok);
    for payload in sections {
        let Payload::CustomSection(section) = payload else { continue };
        if let KnownCustom::Linking(reader) = section.as_known() {
            read_symbols(reader, &mut found);
        }
    }
    found
}

fn read_symbols(reader: LinkingSectionReader<'_>, found: &mut Symbols) {
    for subsection in reader.into_iter().map_while(Result::ok) {
        let Linking::SymbolTable(table) = subsection else { continue };
        for symbol in table.into_iter().map_while(Result::ok) {
            let SymbolInfo::Func { flags, name: Some(name), .. } = symbol else { continue };
            // Weak symbols are templates and inline functions, mostly of libraries.
            if flags.intersects(SymbolFlags::UNDEFINED | SymbolFlags::BINDING_WEAK) {
                continue;
            }
            let name = name.to_string();
            if matches!(name.as_str(), "main" | "__main_void" | "__main_argc_argv" | "__original_main") {
                found.main = true;
            } else if flags.contains(SymbolFlags::BINDING_LOCAL) {
                found.local.push(name);
            } else {
                found.global.push(name);
            }
        }
    }
}
