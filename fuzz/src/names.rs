//! Damaged names and debug information: they are decoration, so a module with any of them must load, run and be looked
//! at as if they were not there, quickly and in little memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pessimum_input::{InputPlan, Signature};
use pessimum_program::WasmProgram;
use pessimum_search::program::{PathLimits, Program as _, SiteId};
use pessimum_term::random::Random;
use pessimum_wasm::names::{Names, SourceLines, demangle};
use pessimum_wasm::{ExternKind, Limits, LoadSettings, Module, Start, Subject, World};
use wasmparser::Parser;

use crate::harness::Target;

/// A module with its sections apart.
struct Original {
    bytes: Vec<u8>,
    /// Number and contents of each section, in order.
    sections: Vec<(u8, Vec<u8>)>,
}

/// Damages names and debug information of the modules in `subjects`.
pub struct DebugInfo {
    originals: Vec<Original>,
    modules: u64,
    lines: u64,
    without: u64,
    names: u64,
}

impl Default for DebugInfo {
    fn default() -> DebugInfo {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../subjects");
        let mut files: Vec<PathBuf> = ["ese", "evosuite", "fitnex", "own", "pyse", "wise"]
            .iter()
            .flat_map(|folder| std::fs::read_dir(root.join(folder)).expect("the subjects are there"))
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "wasm"))
            .collect();
        files.sort();
        let originals =
            files.iter().map(|path| Original::new(std::fs::read(path).expect("a readable module"))).collect();
        DebugInfo { originals, modules: 0, lines: 0, without: 0, names: 0 }
    }
}

impl Original {
    fn new(bytes: Vec<u8>) -> Original {
        let mut sections = Vec::new();
        for payload in Parser::new(0).parse_all(&bytes) {
            let payload = payload.expect("a subject is well formed");
            if let Some((id, range)) = payload.as_section() {
                sections.push((id, bytes[range.start as usize..range.end as usize].to_vec()));
            }
        }
        Original { bytes, sections }
    }

    /// The numbers of the sections that are decoration.
    fn decoration(&self) -> Vec<usize> {
        let decoration = |(id, contents): &(u8, Vec<u8>)| {
            *id == 0 && custom(contents).is_some_and(|(name, _)| name == b"name" || name.starts_with(b".debug_"))
        };
        (0..self.sections.len()).filter(|&i| decoration(&self.sections[i])).collect()
    }
}

/// The name of a custom section, and where its contents begin.
fn custom(contents: &[u8]) -> Option<(&[u8], usize)> {
    // No name here is longer than 127 bytes.
    let length = *contents.first()? as usize;
    Some((contents.get(1..1 + length)?, 1 + length))
}

fn assembled(sections: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = b"\0asm\x01\0\0\0".to_vec();
    for (id, contents) in sections {
        bytes.push(*id);
        let mut length = contents.len() as u32;
        while length >= 0x80 {
            bytes.push(length as u8 | 0x80);
            length >>= 7;
        }
        bytes.push(length as u8);
        bytes.extend(contents);
    }
    bytes
}

impl Target for DebugInfo {
    const NAME: &'static str = "names";

    fn case(&mut self, seed: u64) -> Result<(), String> {
        let mut random = Random::new(seed);
        let original = &self.originals[random.index(self.originals.len())];
        let mut sections = original.sections.clone();
        for _ in 0..1 + random.index(4) {
            self.damage(&mut sections, &original.decoration(), &mut random);
        }
        let bytes = assembled(&sections);
        let sound = Module::load(&original.bytes, &LoadSettings::default()).map_err(|error| error.to_string())?;
        let module = Module::load(&bytes, &LoadSettings::default()).map_err(|error| format!("refused: {error}"))?;
        if module.sites().len() != sound.sites().len() || module.function_count() != sound.function_count() {
            return Err("the code is read differently".to_string());
        }
        let functions = module.function_count();
        let (read, of) = (Names::read(&bytes), Names::of(&module));
        for index in (0..functions).chain([functions, u32::MAX]) {
            if read.function(index) != of.function(index) {
                return Err(format!("function {index} is {:?} or {:?}", read.function(index), of.function(index)));
            }
        }
        self.look_up(&bytes, &module, &mut random)?;
        self.program(module, &mut random)?;
        self.modules += 1;
        self.demangled(&mut random);
        Ok(())
    }

    fn summary(&self) -> String {
        let DebugInfo { modules, lines, without, names, .. } = self;
        format!("{modules} modules, {lines} offsets with a line and {without} without, {names} names demangled")
    }
}

impl DebugInfo {
    /// Damages one of these sections: as [`crate::damage`] does, at the level of its own fields, or with contents that
    /// belong to another section or another module.
    fn damage(&self, sections: &mut [(u8, Vec<u8>)], decoration: &[usize], random: &mut Random) {
        if decoration.is_empty() {
            return;
        }
        let section = &mut sections[random.pick(decoration)].1;
        let Some(start) = custom(section).map(|(_, start)| start) else { return };
        let contents = section.split_off(start);
        let contents = match random.index(6) {
            _ if contents.is_empty() => (0..random.index(64)).map(|_| random.bits() as u8).collect(),
            0 | 1 => crate::damage(&contents, random),
            // A field of the widths that these formats have.
            2 | 3 => {
                let mut contents = contents;
                for _ in 0..1 + random.index(3) {
                    let width = random.pick(&[1, 2, 4, 8]);
                    let at = random.index(contents.len());
                    let value = match random.index(4) {
                        0 => 0,
                        1 => u64::MAX,
                        2 => contents.len() as u64,
                        _ => random.bits() >> random.index(64),
                    };
                    let end = (at + width).min(contents.len());
                    contents[at..end].copy_from_slice(&value.to_le_bytes()[..end - at]);
                }
                contents
            }
            // A long number, which LEB128 allows anywhere.
            4 => {
                let mut contents = contents;
                let at = random.index(contents.len());
                let number = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
                let length = 1 + random.index(number.len() - 1);
                contents.splice(at..at, number[..length].iter().chain([&0x7f]).copied());
                contents
            }
            _ => {
                let other = &self.originals[random.index(self.originals.len())];
                let places = other.decoration();
                match places.is_empty() {
                    true => Vec::new(),
                    false => {
                        let foreign = &other.sections[random.pick(&places)].1;
                        custom(foreign).map_or(Vec::new(), |(_, start)| foreign[start..].to_vec())
                    }
                }
            }
        };
        section.extend(contents);
    }

    /// Looks up lines at many offsets, in both ways.
    fn look_up(&mut self, bytes: &[u8], module: &Module, random: &mut Random) -> Result<(), String> {
        let (read, of) = (SourceLines::read(bytes), SourceLines::of(module));
        if read.present() != of.present() {
            return Err("only one way to read the module finds lines".to_string());
        }
        let (code, known) = (module.code_section_offset(), module.instruction_offsets());
        let offsets = (0..60).map(|_| match random.index(8) {
            0 => code + random.below(4096),
            _ => u64::from(random.pick(known)),
        });
        let offsets: Vec<u64> = offsets.chain([0, code, u64::MAX]).collect();
        for offset in offsets {
            let line = read.line(offset);
            if line != of.line(offset) {
                return Err(format!("offset {offset} has two lines"));
            }
            match line {
                Some(_) => self.lines += 1,
                None => self.without += 1,
            }
        }
        Ok(())
    }

    /// What a search and its report ask for: names of sites, places, and the profile of a run.
    fn program(&self, module: Module, random: &mut Random) -> Result<(), String> {
        let functions = module.exports().iter().filter(|export| export.kind == ExternKind::Function);
        let functions: Vec<_> = functions.collect();
        let Some(export) = functions.get(random.index(functions.len().max(1))) else { return Ok(()) };
        let parameters: Vec<String> =
            module.function_type(export.index).params.iter().map(|ty| format!("{ty:?}").to_lowercase()).collect();
        let start = match export.name.as_str() {
            "_start" => Start::Command,
            name => {
                let call = format!("\"{name}\"({})", parameters.join(", "));
                Start::Call(Signature::parse(&call).map_err(|error| error.to_string())?)
            }
        };
        let mut plan = InputPlan::new(None);
        if let Start::Call(call) = &start {
            call.lay_out(&mut plan).map_err(|error| error.to_string())?;
        }
        let world = World { plan, program: "fuzz".to_string(), environment: Vec::new() };
        let sites = module.sites().len() as u32;
        let subject = Subject::new(Arc::new(module), start, world, Limits::default());
        let subject = subject.map_err(|error| error.to_string())?;
        let input = subject.plan().default_witness();
        let program = WasmProgram::new("fuzz".to_string(), subject).map_err(|error| error.to_string())?;
        for site in 0..sites {
            if program.site_name(SiteId(site)).is_empty() {
                return Err(format!("site {site} has no name"));
            }
        }
        let limits = PathLimits { instructions: 20_000, ..PathLimits::default() };
        let profile = program.profile(&input, &limits);
        let named = pessimum_session::named(&profile, &program);
        let own: u64 = named.functions.iter().map(|function| function.own).sum();
        match own == named.instructions {
            true => Ok(()),
            false => Err(format!("{own} instructions in functions, {} in all", named.instructions)),
        }
    }

    /// Demangles damaged names of both schemes, some of them nested deeply.
    fn demangled(&mut self, random: &mut Random) {
        const MANGLED: [&str; 8] = [
            "_RNvCs1234_7mycrate3foo",
            "_RINvNtCs_4core3mem4dropNtNtB4_3vec3VechEECs_5crate",
            "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE",
            "_ZNSt6vectorIiSaIiEE9push_backERKi",
            "_ZSt4sortIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEEvT_S7_",
            "_ZZN3foo3barEvENKUlvE_clEv",
            "_ZN1AIXsr1BE1xEE1fEv",
            "_RNvMsr_NtCs3ssYzQotkvD_3stdNtB5_4path",
        ];
        const PIECES: [&str; 16] =
            ["I", "E", "N", "S_", "T_", "P", "K", "R", "F", "v", "i", "1a", "B4_", "Cs_", "X", "L_Z1"];
        for _ in 0..8 {
            let mut name = crate::mutate::text(random.pick(&MANGLED), &PIECES, random);
            if random.index(16) == 0 {
                let piece = random.pick(&PIECES);
                let prefix = random.pick(&["_Z", "_R", "_ZN", "_RI"]);
                name = format!("{prefix}{}{name}", piece.repeat(1 << random.index(17)));
            }
            let _ = demangle(&name);
            self.names += 1;
        }
    }
}
