//! C and C++, compiled with clang and wasi-libc.
//!
//! They are compiled with `-O1` rather than `-O2`: fewer comparisons become `select`s and no loop is unrolled, so that
//! costs can be understood from the source; where branches are counted with `-O0`, which has no `select`. The link command has no `-O`, because the clang driver would then run
//! wasm-opt where it is installed, which drops names and lines.

mod clang;
mod cpp_values;
mod exceptions;
mod objects;
mod suite;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use pessimum_wasm::names::demangle;
use wasmparser::{KnownCustom, Linking, LinkingSectionReader, Parser, Payload, SymbolFlags, SymbolInfo};

use crate::cache::{About, Cache, Hidden, Refused};
use crate::calling::{CCall, Declared, How};
use crate::language::Language;
use crate::prototypes::{Prototype, Prototypes, Room};
use crate::suite::{Case, Emitted};
use crate::toolchain::exports::{Export, call_text, keep_values, renamed};
use crate::toolchain::inputs::{Input, Rule};
use crate::toolchain::tool::{run, run_for_data};
use crate::toolchain::workplace::Workplace;
use crate::values::{self, Datum, Form, Values, Written};
use crate::wanted::{Usage, Wanted, as_file, here};
use clang::{Clang, INSTALL_LIBC};
use exceptions::Exceptions;
use objects::Objects;

/// The header for programs that ask for their input themselves.
const HEADER: &str = include_str!("../../../../guest/c/pessimum.h");

/// What makes the same source into another module each time, or names a file that no compiler lists.
const UNREPEATABLE: [&str; 4] = ["__DATE__", "__TIME__", "__TIMESTAMP__", ".incbin"];

/// Files of C.
pub struct C;

/// Files of C++.
pub struct Cpp;

impl Language for C {
    fn is_source(&self, _path: &Path, ending: &str) -> bool {
        ending == "c"
    }

    fn build(&self, wanted: &Wanted<'_>, cache: &Cache) -> Result<(Vec<u8>, About)> {
        build(wanted, false, cache)
    }

    fn is_mentioned(&self, hidden: &Hidden) -> bool {
        !is_local(hidden)
    }

    fn why_missing(&self, source: &Path, function: &str) -> Option<String> {
        is_written(source, function).then(|| not_compiled(function))
    }

    fn why_none(&self) -> &'static str {
        ALL_STATIC
    }

    fn besides(&self) -> &'static str {
        NOT_STATIC
    }

    fn test_call(&self, call: CCall) -> How {
        How::C(call)
    }

    fn write_tests(&self, functions: &[Declared], wanted: &Wanted<'_>, cases: &[Case]) -> Result<Option<Emitted>> {
        suite::write(functions, wanted, cases).map(Some)
    }
}

impl Language for Cpp {
    fn is_source(&self, _path: &Path, ending: &str) -> bool {
        matches!(ending, "cpp" | "cc" | "cxx")
    }

    fn build(&self, wanted: &Wanted<'_>, cache: &Cache) -> Result<(Vec<u8>, About)> {
        build(wanted, true, cache)
    }

    fn is_mentioned(&self, hidden: &Hidden) -> bool {
        !is_local(hidden)
    }

    fn why_missing(&self, source: &Path, function: &str) -> Option<String> {
        const TEMPLATE: &str = "; a template needs an instance, as in `template int twice(int);`";
        is_written(source, function).then(|| not_compiled(function) + TEMPLATE)
    }

    fn why_none(&self) -> &'static str {
        ALL_STATIC
    }

    fn besides(&self) -> &'static str {
        NOT_STATIC
    }

    fn has_collections(&self) -> bool {
        true
    }

    fn values_section(&self) -> Option<&'static str> {
        Some(VALUES)
    }

    fn write_value(&self, form: &Form, value: &Datum) -> Option<String> {
        values::cpp::text(form, value)
    }
}

const ALL_STATIC: &str = "all its functions are `static`";
const NOT_STATIC: &str = "; `static` ones cannot be called";

/// The section of a module that says how values of C++ are written.
const VALUES: &str = "pessimum.values.cpp";

/// Why a function that a source mentions is not in the module.
fn not_compiled(function: &str) -> String {
    format!(
        "`{function}` is in the source, but the compiler made no function of it; `static` and `inline` ones that nothing \
         calls are left out, and so is what is only declared"
    )
}

/// Whether a source mentions a function of this name.
fn is_written(path: &Path, name: &str) -> bool {
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
    let short = name.rsplit("::").next().unwrap_or(name);
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(short)
        .any(|(at, _)| !text[..at].ends_with(is_part) && text[at + short.len()..].trim_start().starts_with('('))
}

fn build(wanted: &Wanted<'_>, cpp: bool, cache: &Cache) -> Result<(Vec<u8>, About)> {
    let source = std::fs::read(wanted.path)?;
    let clang = Clang::choose(cpp, cache)?;
    let mut all = wanted.options()?;
    if wanted.sequences || wanted.covered {
        // A `select` has no branch to be covered. Options of the user's come later and count.
        all.insert(0, "-O0".to_string());
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

    // A program with `main` is started there, unless another function is to be called or functions are to be listed.
    let kind: &[u8] = match (wanted.is_program(), wanted.listed) {
        (true, false) => b"program",
        (true, true) => b"listed",
        (false, _) => b"library",
    };
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
    let is_listed = wanted.listed && !built.exports.is_empty();
    let is_library = !built.has_main || !wanted.is_program() || is_listed;
    let mut around = BTreeSet::new();
    if cpp {
        around = built.with_objects(&job, &work, wanted, is_library)?;
    }
    let exports = if is_library { Some(&built.exports[..]) } else { None };
    let (mut bytes, mut linked) = job.link(&work, &built.objects, exports)?;
    if cpp {
        bytes = renamed(&bytes, &built.exports)?;
        keep_values(&mut bytes, VALUES, &built.values)?;
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
    /// How the arguments of functions of C++ are written.
    values: Values,
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
        let room =
            wanted.chosen()?.room.map_or(Room::default(), |room| Room { bytes: room as u64, items: room as u64 });
        let global: Vec<String> = self.exports.iter().map(|export| export.symbol.clone()).collect();
        let prototypes = prototypes(&std::fs::read(&self.objects[0])?);
        // Tests of several calls are passed objects that earlier calls returned.
        let mut objects = match is_library && !wanted.sequences {
            true => Objects::new(&prototypes, wanted.path, &global, room),
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
        let plain: Vec<String> = all.map(|symbol| spoken(symbol)).collect();
        let name = |symbol: &String| {
            let short = spoken(symbol);
            let is_one = plain.iter().filter(|other| **other == short).count() == 1;
            if is_one { short } else { prototypes.get(symbol).map_or_else(|| symbol.clone(), Prototype::written) }
        };
        for export in &mut self.exports {
            export.name = name(&export.symbol);
            let Some(prototype) = prototypes.get(&export.symbol) else { continue };
            let arguments = match objects.refused.iter().find(|(refused, _)| refused.symbol == prototype.symbol) {
                Some((_, why)) => Err(why.clone()),
                None => prototype.arguments(None, &prototypes).map_err(|refused| refused.to_string()),
            };
            match arguments {
                Ok(arguments) => {
                    self.about.calls.insert(export.name.clone(), call_text(&export.name, &arguments.join(", ")));
                    keep(&mut self.values, &export.name, prototype, room);
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
            keep(&mut self.values, &name, &function.prototype, room);
            ordered.push((function.prototype.line, Export { symbol: function.symbol, name }));
        }
        ordered.sort_by_key(|(line, _)| *line);
        self.exports = ordered.into_iter().map(|(_, export)| export).collect();
        let outside = read.into_iter().filter(|file| !file.starts_with(work.path()));
        Ok(outside.map(Input::File).collect())
    }
}

/// The name of a function as its author writes it: `biggest<std::string>`.
fn spoken(symbol: &str) -> String {
    const TEXT: &str = "std::basic_string<char, std::char_traits<char>, std::allocator<char>>";
    // The library of WebAssembly has its own names in a namespace that nobody writes.
    let name = demangle(symbol).replace("std::__1::", "std::").replace("std::__2::", "std::").replace("> >", ">>");
    name.replace("> >", ">>").replace(TEXT, "std::string")
}

/// Adds how the arguments of a function are written, where the numbers do not read as well.
fn keep(values: &mut Values, name: &str, prototype: &Prototype, room: Room) {
    let is_text = |one: &Written| matches!(one.form, Form::Text(..));
    let is_needed = |all: &Vec<Written>| all.iter().any(|one| !one.is_plain() || is_text(one));
    if let Some(written) = cpp_values::written(prototype, room).filter(is_needed) {
        values.insert(name.to_string(), written);
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

/// Whether a function is only for its own file.
fn is_local(hidden: &Hidden) -> bool {
    [STATIC, ANONYMOUS].contains(&hidden.why.as_str())
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
