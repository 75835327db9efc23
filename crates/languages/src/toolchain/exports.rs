//! The names under which a module exports its functions.

use std::collections::{BTreeMap, BTreeSet};

use crate::values::Values;
use anyhow::{Context, Result};
use wasm_encoder::{CustomSection, ExportKind, ExportSection, RawSection, Section as _};
use wasmparser::{ExternalKind, Parser, Payload};

/// A function of a module.
#[derive(Clone, Debug)]
pub struct Export {
    /// The name that the compiler exports it under.
    pub symbol: String,
    /// The name to call it by.
    pub name: String,
}

/// The module with other names. An export that would then have the name of another one is left out.
pub fn renamed(module: &[u8], names: &[Export]) -> Result<Vec<u8>> {
    let by_symbol: BTreeMap<&str, &str> =
        names.iter().map(|export| (export.symbol.as_str(), export.name.as_str())).collect();
    let new: BTreeSet<&str> = by_symbol.values().copied().collect();
    let mut result = wasm_encoder::Module::new();
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload.context("the compiler's module")?;
        if let Payload::ExportSection(section) = &payload {
            let mut exports = ExportSection::new();
            for export in section.clone() {
                let export = export.context("the compiler's module")?;
                let kind = match export.kind {
                    ExternalKind::Func | ExternalKind::FuncExact => ExportKind::Func,
                    ExternalKind::Table => ExportKind::Table,
                    ExternalKind::Memory => ExportKind::Memory,
                    ExternalKind::Global => ExportKind::Global,
                    ExternalKind::Tag => ExportKind::Tag,
                };
                match by_symbol.get(export.name) {
                    Some(name) => {
                        // A name that nobody types is an addition to the linker's, which others may use.
                        if name.contains('(') && export.name.starts_with("_Z") {
                            exports.export(export.name, kind, export.index);
                        }
                        exports.export(name, kind, export.index)
                    }
                    None if new.contains(export.name) => continue,
                    None => exports.export(export.name, kind, export.index),
                };
            }
            result.section(&exports);
        } else if let Some((id, range)) = payload.as_section() {
            result.section(&RawSection { id, data: &module[range.start as usize..range.end as usize] });
        }
    }
    Ok(result.finish())
}

/// Says in a module how the arguments of its functions are written.
pub fn keep_values(module: &mut Vec<u8>, section: &str, values: &Values) -> Result<()> {
    if !values.is_empty() {
        let data = serde_json::to_vec(values).context("how arguments are written")?;
        CustomSection { name: section.into(), data: data.into() }.append_to(module);
    }
    Ok(())
}

/// A call as one writes it.
pub fn call_text(name: &str, arguments: &str) -> String {
    if name.contains('(') { format!("{name:?}({arguments})") } else { format!("{name}({arguments})") }
}
