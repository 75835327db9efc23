//! What the names in a crate stand for, and how other crates call its items.

use super::items::{Crate, Function, Named};
use super::types::names;

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// An item of this crate.
    Here(Named),
    /// Something of another crate, with its whole path.
    Outside(Vec<String>),
}

/// Imports that lead to imports are followed this far. Longer chains are circles.
const LONGEST_CHAIN: usize = 16;

/// Names that need no `use`, with where they are.
const PRELUDE: [(&str, &str); 41] = [
    ("Vec", "std::vec"),
    ("String", "std::string"),
    ("Box", "std::boxed"),
    ("Option", "std::option"),
    ("Result", "std::result"),
    ("ToString", "std::string"),
    ("ToOwned", "std::borrow"),
    ("Iterator", "std::iter"),
    ("IntoIterator", "std::iter"),
    ("DoubleEndedIterator", "std::iter"),
    ("ExactSizeIterator", "std::iter"),
    ("Extend", "std::iter"),
    ("FromIterator", "std::iter"),
    ("From", "std::convert"),
    ("Into", "std::convert"),
    ("TryFrom", "std::convert"),
    ("TryInto", "std::convert"),
    ("AsRef", "std::convert"),
    ("AsMut", "std::convert"),
    ("Default", "std::default"),
    ("Clone", "std::clone"),
    ("Copy", "std::marker"),
    ("Send", "std::marker"),
    ("Sync", "std::marker"),
    ("Sized", "std::marker"),
    ("Unpin", "std::marker"),
    ("Drop", "std::ops"),
    ("Fn", "std::ops"),
    ("FnMut", "std::ops"),
    ("FnOnce", "std::ops"),
    ("PartialEq", "std::cmp"),
    ("Eq", "std::cmp"),
    ("PartialOrd", "std::cmp"),
    ("Ord", "std::cmp"),
    ("Debug", "std::fmt"),
    ("Hash", "std::hash"),
    ("Future", "std::future"),
    ("IntoFuture", "std::future"),
    ("AsyncFn", "std::ops"),
    ("AsyncFnMut", "std::ops"),
    ("AsyncFnOnce", "std::ops"),
];

impl Crate {
    /// Adds the methods that types have from the traits of the crate without writing them.
    pub fn inherit(&mut self) {
        for block in 0..self.impls.len() {
            let found = self.impls[block].trait_path.as_ref().map(names);
            let Some(Found::Here(Named::Trait(number))) =
                found.and_then(|names| self.find(self.impls[block].module, &names))
            else {
                continue;
            };
            let known: Vec<String> =
                self.impls[block].functions.iter().map(|function| self.functions[*function].name.clone()).collect();
            for (signature, condition) in self.traits[number].methods.clone() {
                let name = signature.ident.to_string();
                if known.contains(&name) {
                    continue;
                }
                self.impls[block].functions.push(self.functions.len());
                self.functions.push(Function {
                    name,
                    module: self.traits[number].module,
                    owner: Some(block),
                    signature,
                    visible: true,
                    exported: None,
                    condition,
                    public: None,
                    default_of: Some(number),
                });
            }
        }
    }

    /// What a path stands for in a module.
    pub fn find(&self, module: usize, path: &[String]) -> Option<Found> {
        self.follow(module, path, 0)
    }

    fn follow(&self, module: usize, path: &[String], depth: usize) -> Option<Found> {
        let (first, rest) = path.split_first()?;
        if depth > LONGEST_CHAIN {
            return None;
        }
        let start = match first.as_str() {
            "crate" => Found::Here(Named::Module(0)),
            "self" => Found::Here(Named::Module(module)),
            "super" => Found::Here(Named::Module(self.modules[module].parent)),
            name => self.named(module, name, false, depth)?,
        };
        self.below(start, rest, depth)
    }

    /// What is found by going on from here.
    fn below(&self, start: Found, rest: &[String], depth: usize) -> Option<Found> {
        let Some((next, after)) = rest.split_first() else { return Some(start) };
        match start {
            Found::Outside(mut path) => {
                path.extend_from_slice(rest);
                Some(Found::Outside(path))
            }
            Found::Here(Named::Module(module)) if next == "super" => {
                self.below(Found::Here(Named::Module(self.modules[module].parent)), after, depth)
            }
            Found::Here(Named::Module(module)) => {
                let found = self.named(module, next, true, depth)?;
                self.below(found, after, depth)
            }
            Found::Here(_) => None,
        }
    }

    /// What a single name stands for in a module; `exact` leaves out what is there without being written.
    fn named(&self, module: usize, name: &str, exact: bool, depth: usize) -> Option<Found> {
        let here = &self.modules[module];
        // A function may have the name of a module; paths go on from the module.
        let mut own = here.names.iter().filter(|(own, ..)| own == name).map(|&(_, named, _)| named);
        if let Some(first) = own.next() {
            let better = own.find(|_| matches!(first, Named::Function(_)));
            return Some(Found::Here(better.unwrap_or(first)));
        }
        for import in here.imports.iter().filter(|import| import.name.as_deref() == Some(name)) {
            // `use log::log` is not about itself.
            let found = match import.path.first().is_some_and(|first| first == name) {
                true => Some(Found::Outside(import.path.clone())),
                false => self.follow(module, &import.path, depth + 1),
            };
            if found.is_some() {
                return found;
            }
        }
        let mut outside = None;
        for import in here.imports.iter().filter(|import| import.name.is_none()) {
            match self.follow(module, &import.path, depth + 1) {
                Some(Found::Here(Named::Module(other))) if other != module => {
                    let found = if depth < LONGEST_CHAIN { self.named(other, name, true, depth + 1) } else { None };
                    if found.is_some() {
                        return found;
                    }
                }
                Some(Found::Outside(path)) if path.first().is_some_and(|first| is_std(first)) => {
                    outside = outside.or(Some([&path[..], &[name.to_string()]].concat()));
                }
                _ => {}
            }
        }
        if exact {
            return None;
        }
        if let Some((name, place)) = PRELUDE.iter().find(|(prelude, _)| *prelude == name) {
            return Some(Found::Outside(place.split("::").chain([*name]).map(str::to_string).collect()));
        }
        // A type of the library that comes through `use std::collections::*`, or the name of another crate.
        match outside.filter(|_| name.starts_with(|c: char| c.is_ascii_uppercase())) {
            Some(path) => Some(Found::Outside(path)),
            None => Some(Found::Outside(vec![name.to_string()])),
        }
    }

    /// Gives every item that other crates can name its public name, the shortest one.
    pub fn publish(&mut self) {
        let mut open = std::collections::VecDeque::from([(0, Vec::new())]);
        while let Some((module, path)) = open.pop_front() {
            if self.modules[module].public.is_some() {
                continue;
            }
            self.modules[module].public = Some(path.clone());
            for (name, named) in self.offered(module, 0) {
                let path = [&path[..], &[name]].concat();
                match named {
                    Named::Module(inner) => open.push_back((inner, path)),
                    Named::Type(number) => note(&mut self.types[number].public, path),
                    Named::Trait(number) => note(&mut self.traits[number].public, path),
                    Named::Function(number) => note(&mut self.functions[number].public, path),
                    Named::Constant(_) => {}
                }
            }
        }
    }

    /// The items that a module offers to other crates, its own before those that it passes on.
    fn offered(&self, module: usize, depth: usize) -> Vec<(String, Named)> {
        let here = &self.modules[module];
        let own = here.names.iter().filter(|(_, _, public)| *public);
        let mut offered: Vec<(String, Named)> = own.map(|(name, named, _)| (name.clone(), *named)).collect();
        if depth > LONGEST_CHAIN {
            return offered;
        }
        for import in here.imports.iter().filter(|import| import.public) {
            let Some(Found::Here(named)) = self.find(module, &import.path) else { continue };
            match (&import.name, named) {
                (Some(name), named) => offered.push((name.clone(), named)),
                (None, Named::Module(other)) if other != module => offered.extend(self.offered(other, depth + 1)),
                (None, _) => {}
            }
        }
        offered
    }
}

fn note(place: &mut Option<Vec<String>>, path: Vec<String>) {
    if place.as_ref().is_none_or(|known| known.len() > path.len()) {
        *place = Some(path);
    }
}

/// Whether this crate is part of the standard library.
pub fn is_std(name: &str) -> bool {
    matches!(name, "std" | "core" | "alloc")
}
