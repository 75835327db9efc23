//! `pessimum inspect`: what a module offers, needs and contains.

use std::path::Path;

use anyhow::Result;
use pessimum_report::text::printable;
use pessimum_wasm::names::{Names, SourceLines};
use pessimum_wasm::{ExternType, Module, SiteKind, provided};
use serde::Serialize;

use crate::flags::InspectFlags;
use crate::output::{Table, print, print_json};
use crate::python;
use pessimum_languages::{CHARACTERS, Calls, Wanted, interface};

/// The object that `--json` prints.
#[derive(Serialize)]
struct Inspection {
    module: String,
    exports: Vec<Item>,
    imports: Vec<Imported>,
    memory: Option<Memory>,
    functions: u32,
    sites: Sites,
    /// Sites whose source line is known.
    sites_with_lines: usize,
}

#[derive(Serialize)]
struct Item {
    name: String,
    #[serde(rename = "type")]
    ty: String,
    /// What to write after --call, where the types of its parameters are known.
    call: Option<String>,
}

#[derive(Serialize)]
struct Imported {
    module: String,
    name: String,
    #[serde(rename = "type")]
    ty: String,
    provided: bool,
}

/// Sizes in WebAssembly pages of 64 KiB.
#[derive(Serialize)]
struct Memory {
    minimum: u32,
    maximum: Option<u32>,
}

#[derive(Default, Serialize)]
struct Sites {
    total: usize,
    #[serde(rename = "if")]
    ifs: usize,
    br_if: usize,
    br_table: usize,
    /// Outcomes of all sites, which is what full branch coverage counts.
    arms: u64,
}

pub fn inspect(flags: &InspectFlags) -> Result<()> {
    if python::concerns(&flags.module)? {
        return python::inspect(flags);
    }
    let (path, options, with) = (&flags.module, &flags.cflags, &flags.with);
    let wanted =
        Wanted { path, call: None, entry: None, options, with, listed: true, sequences: false, covered: false };
    if flags.api {
        return print(&interface(&wanted)?.text());
    }
    let (module, compiled) = pessimum_languages::load(&wanted)?;
    let calls = Calls::new(&module, compiled.as_ref());
    let inspection = inspection(&flags.module, &module, &calls);
    if flags.json { print_json(&inspection) } else { print(&text(&inspection, &module, &calls)) }
}

fn inspection(path: &Path, module: &Module, calls: &Calls<'_>) -> Inspection {
    let lines = SourceLines::of(module);
    let mut sites = Sites { total: module.sites().len(), arms: module.arm_count(), ..Sites::default() };
    for site in module.sites() {
        *match site.kind {
            SiteKind::If => &mut sites.ifs,
            SiteKind::BranchIf => &mut sites.br_if,
            SiteKind::Table => &mut sites.br_table,
        } += 1;
    }
    Inspection {
        module: path.display().to_string(),
        exports: module
            .exports()
            .iter()
            .map(|export| {
                let ty = module.export_type(export);
                Item { name: export.name.clone(), call: calls.call(&export.name).ok(), ty: type_text(&ty) }
            })
            .collect(),
        imports: module
            .imports()
            .iter()
            .map(|import| Imported {
                module: import.module.clone(),
                name: import.name.clone(),
                ty: type_text(&import.ty),
                provided: provided(import),
            })
            .collect(),
        memory: module.memory_type().map(|ty| Memory { minimum: ty.minimum, maximum: ty.maximum }),
        functions: module.function_count() - module.imported_function_count(),
        sites_with_lines: module.sites().iter().filter(|site| lines.line(u64::from(site.offset)).is_some()).count(),
        sites,
    }
}

fn type_text(ty: &ExternType) -> String {
    match ty {
        ExternType::Function(ty) => ty.to_string(),
        other => other.to_string(),
    }
}

fn text(inspection: &Inspection, module: &Module, calls: &Calls<'_>) -> String {
    let mut text = format!("{}\n\nexports\n", inspection.module);
    let mut table = Table::default();
    for export in &inspection.exports {
        table.text(&format!("  {}", export.name), &export.ty);
    }
    text += &table.render();
    let functions = calls.functions();
    if !functions.is_empty() {
        text += "\nfunctions to call\n";
        for name in functions {
            text += &match calls.call(name) {
                Ok(call) => format!("  --call '{}'\n", printable(&call)),
                Err(why) => format!("  {}: {}\n", printable(name), printable(&why)),
            };
        }
    }
    text += &explained(&text);
    let hidden = calls.hidden();
    if !hidden.is_empty() {
        text += "\nfunctions that cannot be called\n";
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for (name, why) in hidden {
            match reasons.iter_mut().find(|(known, _)| *known == why) {
                Some((_, names)) => names.push(name),
                None => reasons.push((why, vec![name])),
            }
        }
        for (why, names) in reasons {
            text += &format!("  {}: {}\n", printable(&names.join(", ")), printable(why));
        }
    }
    if !inspection.imports.is_empty() {
        text += "\nimports\n";
        let mut table = Table::default();
        for import in &inspection.imports {
            let note = if import.provided { "" } else { "  NOT PROVIDED: a run that calls it traps" };
            table.text(&format!("  {}.{}", import.module, import.name), format!("{}{note}", import.ty));
        }
        text += &table.render();
    }
    text.push('\n');
    let mut table = Table::default();
    table.text(
        "memory",
        match &inspection.memory {
            None => "none".to_string(),
            Some(Memory { minimum, maximum: None }) => {
                format!("{minimum} x 64 KiB, grows without a limit of its own")
            }
            Some(Memory { minimum, maximum: Some(maximum) }) => {
                format!("{minimum} x 64 KiB, grows to {maximum}")
            }
        },
    );
    table.text("functions", inspection.functions.to_string());
    let sites = &inspection.sites;
    let kinds = format!("{} if, {} br_if, {} br_table", sites.ifs, sites.br_if, sites.br_table);
    table.text("sites", format!("{} ({kinds}), {} with a source line", sites.total, inspection.sites_with_lines));
    text += &table.render();
    if sites.total > 0 {
        text += &busiest(module);
    }
    text
}

/// What is not obvious in the calls of a list.
fn explained(calls: &str) -> String {
    let mut text = String::new();
    if calls.contains(CHARACTERS) {
        text += &format!("  where u32 in {CHARACTERS} is a char\n");
    }
    // A length, and room for so many elements.
    let room = calls.split("{u8 in 0..=").skip(1).find_map(|rest| {
        let (room, rest) = rest.split_once(", ")?;
        rest.contains(&format!("[{room}]")).then_some(room)
    });
    if let Some(room) = room {
        text += &format!(
            "  where {{u8 in 0..={room}, ..[{room}]}} is a collection inside another value: its length, and\n"
        );
        text += "  room for its elements, which --with room=16 makes larger or smaller\n";
    }
    text
}

/// The functions with the most sites, where there is something to search.
fn busiest(module: &Module) -> String {
    const SHOWN: usize = 10;
    let names = Names::of(module);
    let mut counts = std::collections::BTreeMap::<u32, u64>::new();
    for site in module.sites() {
        *counts.entry(site.function).or_default() += 1;
    }
    let mut counts: Vec<(u32, u64)> = counts.into_iter().collect();
    counts.sort_by_key(|&(function, count)| (std::cmp::Reverse(count), function));
    let mut table = Table::default();
    for &(function, count) in counts.iter().take(SHOWN) {
        table.number(&format!("  {}", names.function(function)), count);
    }
    let rest = counts.len().saturating_sub(SHOWN);
    let more = if rest > 0 { format!("  and {rest} more functions\n") } else { String::new() };
    format!("\nsites by function\n{}{more}", table.render())
}
