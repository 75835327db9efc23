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
use wasm_encoder::{ExportKind, ExportSection, RawSection};
use wasmparser::{ExternalKind, KnownCustom, Linking, LinkingSectionReader, Parser, Payload, SymbolFlags, SymbolInfo};

use super::cache::{About, Cache, Hidden};
use super::exceptions::{self, Exceptions};
use super::inputs::{Input, Rule};
use super::tool::{Tool, find, run, run_for_data};
use super::workplace::Workplace;
use super::{Wanted, as_file, here};

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
    let all = wanted.options()?;
    let include = cache.directory_with("pessimum.h", HEADER)?;
    // Sources among the options are compiled and linked too.
    let (more, options): (Vec<String>, Vec<String>) = all.iter().cloned().partition(|option| {
        let ending = Path::new(option).extension().and_then(|ending| ending.to_str());
        !option.starts_with('-') && matches!(ending, Some("c" | "cpp" | "cc" | "cxx"))
    });
    let exceptions = Exceptions::new(cpp, &options);
    let options: Vec<String> =
        options.into_iter().filter(|option| !exceptions::is_about_exceptions(option)).collect();
    let mut job = Job { clang: &clang, cpp, exceptions, options: &options, include: &include };
    let sources = std::iter::once(wanted.source()).chain(more.iter().map(|source| as_file(Path::new(source))));
    let sources: Vec<(PathBuf, Option<Vec<PathBuf>>)> =
        sources.map(|source| (source.clone(), job.scan(&source))).collect();

    // A program with `main` is started there, unless another function is to be called.
    let kind: &[u8] = if wanted.function().is_some() { b"library" } else { b"program" };
    let key = wanted.key(&clang.tool, &all)?;
    let parts: [&[u8]; 6] = [b"c", &source[..], &key, kind, HEADER.as_bytes(), exceptions::RUNTIME.as_bytes()];
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
    let (mut about, mut objects, mut has_main) = (About::default(), Vec::new(), false);
    if job.needs_exceptions(&sources) {
        job.exceptions = Exceptions::On;
    }
    for (number, (source, scanned)) in sources.iter().enumerate() {
        let (object, read) = job.compile(&work, number, source)?;
        repeatable &= scanned.as_ref() == Some(&read) && !read.iter().any(|file| is_unrepeatable(file));
        let symbols = symbols(&std::fs::read(&object)?);
        has_main |= symbols.main;
        about.functions.extend(symbols.global);
        let local = symbols.local.iter().map(|name| demangle(name)).collect();
        about.hidden.extend(Hidden::all(local, "it is `static`; remove that keyword so that it can be called"));
        objects.push(object);
    }
    let exports = if has_main && wanted.function().is_none() { None } else { Some(&about.functions[..]) };
    let (mut bytes, linked) = job.link(&work, &objects, exports)?;
    if cpp {
        bytes = with_plain_names(&bytes, &mut about.functions)?;
    }
    Ok(if repeatable { entry.keep(bytes, about, linked, started) } else { (bytes, about) })
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
    fn compile(&self, work: &Workplace, number: usize, source: &Path) -> Result<(PathBuf, Vec<PathBuf>)> {
        let object = work.file(&format!("{number}.o"));
        let rule = work.file(&format!("{number}.d"));
        let mut command = self.command(&["-c"])?;
        command.arg("-MD").arg("-MF").arg(&rule).args(self.options);
        command.arg("-idirafter").arg(self.include).arg(source).arg("-o").arg(&object);
        run(&mut command).map_err(|error| self.clang.explain(error, self.cpp))?;
        Ok((object, Rule::read(&rule)?.files))
    }

    /// Links object files into a module that exports these functions; without exports, into a program.
    /// Returns it with the files that the linker read besides.
    fn link(
        &self,
        work: &Workplace,
        objects: &[PathBuf],
        exports: Option<&[String]>,
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
        exports: Option<&[String]>,
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
        for name in exports.unwrap_or_default() {
            command.arg("-Xlinker").arg(format!("--export={name}"));
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
        let note = ("clang", cpp, tool.identity(), given, present);
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
            let cpp = if cpp { library("-print-file-name=libc++.a") } else { None };
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
        } else if undefined {
            anyhow::anyhow!("{text}\nhint: add the sources that define these with --cflags 'other.c'")
        } else {
            error
        }
    }
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

/// Exports C++ functions under the names that their author gave them, where these are unique.
fn with_plain_names(module: &[u8], functions: &mut [String]) -> Result<Vec<u8>> {
    let plain: Vec<String> = functions.iter().map(|name| demangle(name)).collect();
    let unique = |name: &str| plain.iter().filter(|other| *other == name).count() == 1;
    let mut result = wasm_encoder::Module::new();
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload.context("the linker's module")?;
        if let Payload::ExportSection(section) = &payload {
            let mut exports = ExportSection::new();
            for export in section.clone() {
                let export = export.context("the linker's module")?;
                let kind = match export.kind {
                    ExternalKind::Func | ExternalKind::FuncExact => ExportKind::Func,
                    ExternalKind::Table => ExportKind::Table,
                    ExternalKind::Memory => ExportKind::Memory,
                    ExternalKind::Global => ExportKind::Global,
                    ExternalKind::Tag => ExportKind::Tag,
                };
                let name = demangle(export.name);
                exports.export(if unique(&name) { &name } else { export.name }, kind, export.index);
            }
            result.section(&exports);
        } else if let Some((id, range)) = payload.as_section() {
            result.section(&RawSection { id, data: &module[range.start as usize..range.end as usize] });
        }
    }
    for (name, plain) in functions.iter_mut().zip(&plain) {
        if unique(plain) {
            name.clone_from(plain);
        }
    }
    Ok(result.finish())
}
