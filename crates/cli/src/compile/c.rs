//! C and C++, compiled with clang and wasi-libc.
//!
//! They are compiled with `-O1` rather than `-O2`: fewer comparisons become `select`s and no loop is unrolled, so that
//! costs can be understood from the source. The link command has no `-O`, because the clang driver would then run
//! wasm-opt where it is installed, which drops names and lines.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pessimum_wasm::names::demangle;
use wasm_encoder::{ExportKind, ExportSection, RawSection};
use wasmparser::{ExternalKind, KnownCustom, Linking, LinkingSectionReader, Parser, Payload, SymbolFlags, SymbolInfo};

use super::cache::{About, Cache, Hidden, Workplace, hash, read_rule};
use super::tool::{Tool, find, run};
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

/// Environment variables that tell clang where to look for headers and libraries.
const SEARCHED: [&str; 5] = ["CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "WASI_SYSROOT"];

/// The header for programs that ask for their input themselves.
const HEADER: &str = include_str!("../../../../guest/c/pessimum.h");

struct Clang {
    tool: Tool,
    /// `--target` and `--sysroot`.
    target: Vec<String>,
    /// Whether the C library was found; not every program needs it.
    libc: bool,
}

pub fn build(wanted: &Wanted<'_>, cpp: bool, cache: &Cache) -> Result<(Vec<u8>, About)> {
    let source = std::fs::read(wanted.path)?;
    let tool = compiler()?;
    let options = wanted.options()?;
    let entry = cache.entry(&[
        b"c",
        &source,
        &wanted.key(&tool, &options)?,
        hash(&SEARCHED.map(std::env::var_os)).as_bytes(),
        hash(&header_names(wanted.path, &options)).as_bytes(),
        // A program with `main` is started there, unless another function is to be called.
        if wanted.function().is_some() { b"library" } else { b"program" },
        HEADER.as_bytes(),
    ]);
    if let Some(found) = entry.find() {
        return Ok(found);
    }
    tool.announce(wanted.path);
    let clang = Clang::new(tool)?;
    let work = cache.workplace()?;
    let include = cache.directory_with("pessimum.h", HEADER)?;

    // Sources among the options are compiled and linked too.
    let (more, options): (Vec<String>, Vec<String>) = options.into_iter().partition(|option| {
        let ending = Path::new(option).extension().and_then(|ending| ending.to_str());
        !option.starts_with('-') && matches!(ending, Some("c" | "cpp" | "cc" | "cxx"))
    });
    let sources = std::iter::once(wanted.source()).chain(more.iter().map(|source| as_file(Path::new(source))));

    let named = files_among(&options);
    let job = Job { clang: &clang, cpp, options: &options, work: &work };
    let (mut about, mut objects, mut has_main) = (About::default(), Vec::new(), false);
    for (number, source) in sources.enumerate() {
        let (object, inputs) = job.compile(number, &source, &include)?;
        // The first file of the rule is the source.
        about.inputs.extend(inputs.into_iter().skip(usize::from(number == 0)));
        let symbols = symbols(&std::fs::read(&object)?);
        has_main |= symbols.main;
        about.functions.extend(symbols.global);
        let local = symbols.local.iter().map(|name| demangle(name)).collect();
        about.hidden.extend(Hidden::all(local, "it is `static`; remove that keyword so that it can be called"));
        objects.push(object);
    }
    about.inputs.extend(named);
    let exports = if has_main && wanted.function().is_none() { None } else { Some(&about.functions[..]) };
    let mut bytes = job.link(&objects, exports)?;
    if cpp {
        bytes = with_plain_names(&bytes, &mut about.functions)?;
    }
    entry.keep(bytes, about)
}

/// The files that options name: what is linked, lists of options (`@FILE`), and headers that are always included.
fn files_among(options: &[String]) -> Vec<PathBuf> {
    let files = options.iter().map(|option| PathBuf::from(option.strip_prefix('@').unwrap_or(option)));
    files.filter(|file| file.is_file()).collect()
}

/// The names of the headers beside the source and in the directories of the options. They matter because the compiler
/// may find a new header before the one of the same name that it read last time.
fn header_names(source: &Path, options: &[String]) -> Vec<(PathBuf, Vec<OsString>)> {
    let mut directories = vec![as_file(source).parent().map(Path::to_path_buf).unwrap_or_default()];
    for (i, option) in options.iter().enumerate() {
        let rest = ["-I", "-iquote", "-isystem"].iter().find_map(|name| option.strip_prefix(name));
        match rest {
            Some("") => directories.extend(options.get(i + 1).map(PathBuf::from)),
            Some(directory) => directories.push(PathBuf::from(directory)),
            None => {}
        }
    }
    let names = |directory: PathBuf| {
        let here = directory.as_os_str().is_empty();
        let listing = std::fs::read_dir(if here { Path::new(".") } else { &directory }).into_iter().flatten().flatten();
        let mut names: Vec<OsString> =
            listing.map(|entry| entry.file_name()).filter(|name| is_included(name)).collect();
        names.sort();
        (directory, names)
    };
    directories.into_iter().map(names).collect()
}

/// Whether a file may be a header, judging by its name; those of C++ libraries have no extension.
fn is_included(name: &OsStr) -> bool {
    let ending = Path::new(name).extension().and_then(OsStr::to_str);
    matches!(ending, None | Some("h" | "hh" | "hpp" | "hxx" | "inc"))
}

/// What the commands for one module have in common.
struct Job<'a> {
    clang: &'a Clang,
    cpp: bool,
    options: &'a [String],
    work: &'a Workplace,
}

impl Job<'_> {
    /// Compiles one source. Returns the object file and the files that the compiler read.
    fn compile(&self, number: usize, source: &Path, include: &Path) -> Result<(PathBuf, Vec<PathBuf>)> {
        let object = self.work.file(&format!("{number}.o"));
        let rule = self.work.file(&format!("{number}.d"));
        let mut command = self.clang.command(self.cpp);
        command.args(["-O1", "-g", "-Qunused-arguments", "-c"]);
        if self.cpp {
            // The usual packages have no runtime for exceptions.
            command.arg("-fno-exceptions");
        }
        if !self.clang.libc {
            command.arg("-ffreestanding");
        }
        command.arg(format!("-fdebug-prefix-map={}=", here()?.display()));
        command.arg("-MD").arg("-MF").arg(&rule).args(self.options);
        command.arg("-idirafter").arg(include).arg(source).arg("-o").arg(&object);
        run(&mut command).map_err(|error| self.clang.explain(error, self.cpp))?;
        Ok((object, read_rule(&rule)?))
    }

    /// Links object files into a module that exports these functions; without exports, into a program.
    fn link(&self, objects: &[PathBuf], exports: Option<&[String]>) -> Result<Vec<u8>> {
        let clang = self.clang;
        let output = self.work.file("module.wasm");
        let mut command = clang.command(self.cpp);
        command.arg("-Qunused-arguments");
        // The stack has 1 MiB and lies below everything else, so that an overflow traps instead of overwriting data.
        command.args(["-Wl,-z,stack-size=1048576", "-Wl,--stack-first"]);
        if clang.libc {
            command.args(clang.libraries(self.cpp));
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
        command.args(self.options.iter().filter(|option| !option.starts_with("-O"))).args(objects);
        run(command.arg("-o").arg(&output)).map_err(|error| clang.explain(error, self.cpp))?;
        std::fs::read(&output).context("the linker wrote no module")
    }
}

/// The compiler that the environment names, or the first one found that can produce WebAssembly.
fn compiler() -> Result<Tool> {
    const VERSION: [&str; 1] = ["--version"];
    if let Some(tool) = Tool::from_environment("PESSIMUM_CC", &VERSION)? {
        return Ok(tool);
    }
    let sdk = std::env::var_os("WASI_SDK_PATH").map(PathBuf::from);
    let mut names: Vec<String> = Vec::new();
    for directory in sdk.into_iter().chain([PathBuf::from("/opt/wasi-sdk")]) {
        names.push(directory.join("bin/clang").display().to_string());
    }
    names.push("clang".to_string());
    names.extend(VERSIONS.rev().map(|version| format!("clang-{version}")));
    // Homebrew does not link its clang into PATH, since the system has its own, which cannot produce WebAssembly.
    names.extend(["/opt/homebrew/opt/llvm/bin/clang", "/usr/local/opt/llvm/bin/clang"].map(str::to_string));
    let mut unable = Vec::new();
    for name in &names {
        let Some(tool) = Tool::named(name, &[], &VERSION) else { continue };
        if tool.says(&["--print-targets"]).is_some_and(|targets| targets.contains("wasm32")) {
            return Ok(tool);
        }
        unable.push(name.as_str());
    }
    match unable.is_empty() {
        true => bail!("no C compiler for WebAssembly was found: {INSTALL}"),
        false => bail!("no C compiler for WebAssembly was found ({} cannot target it): {INSTALL}", unable.join(", ")),
    }
}

impl Clang {
    fn new(tool: Tool) -> Result<Clang> {
        let linker = tool.says(&["--target=wasm32-wasi", "-print-prog-name=wasm-ld"]).unwrap_or_default();
        if find(&linker).is_none() {
            let name = tool.name();
            bail!("{name} finds no linker for WebAssembly (wasm-ld): {INSTALL}");
        }
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
            let mut words: Vec<&str> = target.iter().map(String::as_str).collect();
            words.push("-print-file-name=libc.a");
            // Clang repeats the bare name where it does not find the file.
            if tool.says(&words).is_some_and(|path| Path::new(&path).is_absolute()) {
                return Ok(Clang { tool, target, libc: true });
            }
        }
        Ok(Clang { tool, target: vec!["--target=wasm32".to_string()], libc: false })
    }

    fn command(&self, cpp: bool) -> std::process::Command {
        let mut command = self.tool.command();
        if cpp {
            command.arg("--driver-mode=g++");
        }
        command.args(&self.target);
        command
    }

    /// Options that leave out the libraries that are not installed: many programs do not need them.
    fn libraries(&self, cpp: bool) -> Vec<&'static str> {
        let says = |word| {
            let mut words: Vec<&str> = self.target.iter().map(String::as_str).collect();
            words.push(word);
            self.tool.says(&words).unwrap_or_default()
        };
        let mut options = Vec::new();
        if !Path::new(&says("-print-libgcc-file-name")).is_file() {
            options.extend(["-nodefaultlibs", "-lc"]);
        }
        if cpp && !Path::new(&says("-print-file-name=libc++.a")).is_absolute() {
            options.push("-nostdlib++");
        }
        options
    }

    /// Adds what to install where the compiler complains about something that is missing.
    fn explain(&self, error: anyhow::Error, cpp: bool) -> anyhow::Error {
        let text = error.to_string();
        let no_header = text.contains("file not found");
        let undefined = text.contains("undefined symbol");
        let no_cpp = cpp && !self.libraries(cpp).is_empty() && (no_header || undefined);
        let no_builtins = undefined && self.libc && self.libraries(false).contains(&"-nodefaultlibs");
        if no_cpp {
            anyhow::anyhow!("{text}\nhint: {INSTALL_CPP}")
        } else if no_builtins || !self.libc && (no_header || undefined) {
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
