//! The items of a Rust crate, read from its source: modules (also those in files of their own), functions, types, traits
//! and what is written in `impl` blocks. Nothing is resolved here (`names.rs`), and macros are not expanded.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use syn::ext::IdentExt as _;
use syn::{Attribute, Expr, ImplItem, Item, Meta, UseTree, Visibility};

/// Everything that was read. Items refer to each other by their index.
#[derive(Default)]
pub struct Crate {
    /// The first one is the crate itself.
    pub modules: Vec<Module>,
    pub types: Vec<TypeItem>,
    pub traits: Vec<TraitItems>,
    pub constants: Vec<Constant>,
    pub functions: Vec<Function>,
    pub impls: Vec<Impl>,
}

/// A module, with the names that are written in it.
#[derive(Default)]
pub struct Module {
    /// Its name from the crate's root, which has none.
    pub path: Vec<String>,
    pub parent: usize,
    pub names: Vec<(String, Named, bool)>,
    pub imports: Vec<Import>,
    /// How its public name starts, where it has one.
    pub public: Option<Vec<String>>,
    /// The condition under which it is there.
    condition: Option<String>,
}

/// What a name in a module stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    Module(usize),
    Type(usize),
    Trait(usize),
    Constant(usize),
    Function(usize),
}

/// One path of a `use`.
pub struct Import {
    pub path: Vec<String>,
    /// What it is called here; `None` for `*`.
    pub name: Option<String>,
    pub public: bool,
}

/// A struct, an enum or a type alias.
pub struct TypeItem {
    pub name: String,
    pub module: usize,
    pub generics: syn::Generics,
    pub shape: Shape,
    /// The traits that it derives, by their last names.
    pub derives: Vec<String>,
    /// Others cannot write all its fields.
    pub non_exhaustive: bool,
    /// Its name for other crates, where it has one.
    pub public: Option<Vec<String>>,
}

pub enum Shape {
    Struct(syn::Fields),
    Enum(Vec<syn::Variant>),
    Alias(Box<syn::Type>),
    Union,
}

pub struct TraitItems {
    pub name: String,
    pub module: usize,
    pub generics: syn::Generics,
    /// Methods that it has a body for, with their conditions.
    pub methods: Vec<(syn::Signature, Option<String>)>,
    pub public: Option<Vec<String>>,
}

pub struct Constant {
    pub module: usize,
    pub value: Expr,
}

/// A function. Functions inside other functions are left out, and so are items marked `#[cfg(test)]`.
pub struct Function {
    pub name: String,
    pub module: usize,
    /// The `impl` block in which it is written.
    pub owner: Option<usize>,
    pub signature: syn::Signature,
    /// It is marked `pub`, or is part of a trait.
    pub visible: bool,
    /// The name under which the compiler exports it, where it is told to.
    pub exported: Option<String>,
    /// The condition under which it is there: the text of a `#[cfg]` on it or around it.
    pub condition: Option<String>,
    /// Its name for other crates, where it has one and is not a method.
    pub public: Option<Vec<String>>,
    /// The trait whose own body this is, for the type of the `impl` block.
    pub default_of: Option<usize>,
}

pub struct Impl {
    pub module: usize,
    pub generics: syn::Generics,
    pub trait_path: Option<syn::Path>,
    pub self_type: syn::Type,
    pub functions: Vec<usize>,
    /// Its associated types.
    pub types: BTreeMap<String, syn::Type>,
    /// Its associated constants.
    pub constants: BTreeMap<String, Expr>,
}

impl Crate {
    /// Reads a crate from its first file. An error names the line.
    pub fn read(path: &Path, text: &str) -> Result<Crate> {
        let file = parse(text)?;
        let mut found = Crate { modules: vec![Module::default()], ..Crate::default() };
        let directory = path.parent().unwrap_or(Path::new("")).to_path_buf();
        found.collect(&file.items, 0, &Place { directory: directory.clone(), beside: directory });
        found.publish();
        found.inherit();
        Ok(found)
    }

    /// Whether it is a program.
    pub fn has_main(&self) -> bool {
        self.functions.iter().any(|function| function.is_main())
    }

    fn collect(&mut self, items: &[Item], module: usize, place: &Place) {
        for item in items {
            let attributes = attributes(item);
            if only_for_tests(attributes) {
                continue;
            }
            let condition = condition(attributes).or_else(|| self.modules[module].condition.clone());
            match item {
                Item::Fn(item) => {
                    let number = self.functions.len();
                    let visible = is_public(&item.vis);
                    self.functions.push(Function {
                        name: item.sig.ident.to_string(),
                        module,
                        owner: None,
                        signature: item.sig.clone(),
                        visible,
                        exported: exported_as(&item.attrs, &item.sig.ident),
                        condition,
                        public: None,
                        default_of: None,
                    });
                    self.name(module, &item.sig.ident, Named::Function(number), visible);
                }
                Item::Mod(item) => self.module(item, module, place, condition),
                Item::Use(item) => {
                    let public = is_public(&item.vis);
                    imports(&item.tree, &mut Vec::new(), public, &mut self.modules[module].imports);
                }
                Item::Struct(item) => {
                    let shape = Shape::Struct(item.fields.clone());
                    self.type_item(module, &item.ident, &item.vis, &item.generics, shape, &item.attrs);
                }
                Item::Enum(item) => {
                    let shape = Shape::Enum(item.variants.iter().cloned().collect());
                    self.type_item(module, &item.ident, &item.vis, &item.generics, shape, &item.attrs);
                }
                Item::Union(item) => {
                    self.type_item(module, &item.ident, &item.vis, &item.generics, Shape::Union, &item.attrs);
                }
                Item::Type(item) => {
                    let shape = Shape::Alias(item.ty.clone());
                    self.type_item(module, &item.ident, &item.vis, &item.generics, shape, &item.attrs);
                }
                Item::Const(item) => {
                    let number = self.constants.len();
                    self.constants.push(Constant { module, value: (*item.expr).clone() });
                    self.name(module, &item.ident, Named::Constant(number), is_public(&item.vis));
                }
                Item::Trait(item) => {
                    let number = self.traits.len();
                    let body = |part: &syn::TraitItem| match part {
                        syn::TraitItem::Fn(method) if method.default.is_some() && !only_for_tests(&method.attrs) => {
                            Some((method.sig.clone(), self::condition(&method.attrs).or_else(|| condition.clone())))
                        }
                        _ => None,
                    };
                    self.traits.push(TraitItems {
                        name: item.ident.to_string(),
                        module,
                        generics: item.generics.clone(),
                        methods: item.items.iter().filter_map(body).collect(),
                        public: None,
                    });
                    self.name(module, &item.ident, Named::Trait(number), is_public(&item.vis));
                }
                Item::Impl(item) => self.implementation(item, module, condition),
                _ => {}
            }
        }
    }

    fn name(&mut self, module: usize, name: &syn::Ident, named: Named, public: bool) {
        self.modules[module].names.push((name.to_string(), named, public));
    }

    fn type_item(
        &mut self,
        module: usize,
        name: &syn::Ident,
        visibility: &Visibility,
        generics: &syn::Generics,
        shape: Shape,
        attributes: &[Attribute],
    ) {
        let number = self.types.len();
        self.types.push(TypeItem {
            name: name.to_string(),
            module,
            generics: generics.clone(),
            shape,
            derives: derives(attributes),
            non_exhaustive: attributes.iter().any(|attribute| attribute.path().is_ident("non_exhaustive")),
            public: None,
        });
        self.name(module, name, Named::Type(number), is_public(visibility));
    }

    /// Reads a module, from its own file where it has one. A file that is missing or damaged is the compiler's to
    /// complain about: it knows whether the module is wanted at all.
    fn module(&mut self, item: &syn::ItemMod, parent: usize, place: &Place, condition: Option<String>) {
        let number = self.modules.len();
        let name = item.ident.unraw().to_string();
        let path = [&self.modules[parent].path[..], &[item.ident.to_string()]].concat();
        self.modules.push(Module { path, parent, condition, ..Module::default() });
        self.name(parent, &item.ident, Named::Module(number), is_public(&item.vis));
        let given = path_attribute(&item.attrs);
        if let Some((_, items)) = &item.content {
            let directory = place.directory.join(given.unwrap_or(name));
            self.collect(items, number, &Place { directory: directory.clone(), beside: directory });
            return;
        }
        let files = match given {
            Some(given) => vec![(place.beside.join(given), true)],
            None => vec![
                (place.directory.join(format!("{name}.rs")), false),
                (place.directory.join(&name).join("mod.rs"), true),
            ],
        };
        for (file, owns_directory) in files {
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            let Ok(parsed) = parse(&text) else { continue };
            let beside = file.parent().unwrap_or(Path::new("")).to_path_buf();
            let directory = if owns_directory { beside.clone() } else { file.with_extension("") };
            self.collect(&parsed.items, number, &Place { directory, beside });
            return;
        }
    }

    fn implementation(&mut self, item: &syn::ItemImpl, module: usize, condition_around: Option<String>) {
        let number = self.impls.len();
        let mut block = Impl {
            module,
            generics: item.generics.clone(),
            trait_path: item.trait_.as_ref().map(|(path, _)| path.clone()),
            self_type: (*item.self_ty).clone(),
            functions: Vec::new(),
            types: BTreeMap::new(),
            constants: BTreeMap::new(),
        };
        for part in &item.items {
            match part {
                ImplItem::Fn(method) if !only_for_tests(&method.attrs) => {
                    block.functions.push(self.functions.len());
                    self.functions.push(Function {
                        name: method.sig.ident.to_string(),
                        module,
                        owner: Some(number),
                        signature: method.sig.clone(),
                        visible: item.trait_.is_some() || is_public(&method.vis),
                        exported: exported_as(&method.attrs, &method.sig.ident),
                        condition: condition(&method.attrs).or_else(|| condition_around.clone()),
                        public: None,
                        default_of: None,
                    });
                }
                ImplItem::Type(part) => {
                    block.types.insert(part.ident.to_string(), part.ty.clone());
                }
                ImplItem::Const(part) => {
                    block.constants.insert(part.ident.to_string(), part.expr.clone());
                }
                _ => {}
            }
        }
        self.impls.push(block);
    }
}

impl Function {
    /// Whether the program starts here.
    pub fn is_main(&self) -> bool {
        self.name == "main" && self.module == 0 && self.owner.is_none()
    }

    /// Whether it has to be called in an `unsafe` block.
    pub fn is_unsafe(&self) -> bool {
        matches!(self.signature.safety, syn::Safety::Unsafe(_))
    }
}

/// Where the files of a module's modules are: usually, and where `#[path]` starts.
struct Place {
    directory: PathBuf,
    beside: PathBuf,
}

fn parse(text: &str) -> Result<syn::File> {
    syn::parse_file(text).map_err(|error| {
        let place = error.span().start();
        anyhow!("line {}, column {}: {error}", place.line, place.column + 1)
    })
}

/// Reads the first file of a crate.
pub fn read_crate(path: &Path) -> Result<Crate> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    Crate::read(path, &text).with_context(|| path.display().to_string())
}

fn imports(tree: &UseTree, path: &mut Vec<String>, public: bool, found: &mut Vec<Import>) {
    match tree {
        UseTree::Path(tree) => {
            path.push(tree.ident.to_string());
            imports(&tree.tree, path, public, found);
            path.pop();
        }
        UseTree::Group(group) => group.items.iter().for_each(|tree| imports(tree, path, public, found)),
        UseTree::Glob(_) => found.push(Import { path: path.clone(), name: None, public }),
        // `use a::{self}` brings `a`.
        UseTree::Name(tree) if tree.ident == "self" => {
            found.push(Import { path: path.clone(), name: path.last().cloned(), public });
        }
        UseTree::Name(tree) => {
            let name = tree.ident.to_string();
            found.push(Import {
                path: [&path[..], std::slice::from_ref(&name)].concat(),
                name: Some(name.clone()),
                public,
            });
        }
        UseTree::Rename(tree) => {
            let mut whole = path.clone();
            if tree.ident != "self" {
                whole.push(tree.ident.to_string());
            }
            found.push(Import { path: whole, name: Some(tree.rename.to_string()), public });
        }
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Fn(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Const(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        _ => &[],
    }
}

pub fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// The names of what is derived.
fn derives(attributes: &[Attribute]) -> Vec<String> {
    let mut names = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("derive")) {
        let _ = attribute.parse_nested_meta(|meta| {
            names.extend(meta.path.segments.last().map(|segment| segment.ident.to_string()));
            Ok(())
        });
    }
    names
}

/// The text of a `#[cfg]`.
fn condition(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find(|attribute| attribute.path().is_ident("cfg")).map(written)
}

fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => text_of(&pair.value),
        _ => None,
    })
}

fn text_of(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}

/// The name under which the compiler exports it, where it is told to.
fn exported_as(attributes: &[Attribute], name: &syn::Ident) -> Option<String> {
    attributes.iter().find_map(|attribute| {
        let meta = match &attribute.meta {
            Meta::List(list) if list.path.is_ident("unsafe") => list.parse_args::<Meta>().ok()?,
            meta => meta.clone(),
        };
        match &meta {
            Meta::Path(path) if path.is_ident("no_mangle") => Some(name.unraw().to_string()),
            Meta::NameValue(pair) if pair.path.is_ident("export_name") => text_of(&pair.value),
            _ => None,
        }
    })
}

fn only_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => {
            list.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
        }
        _ => false,
    })
}

/// As its author wrote it, on one line.
pub fn written(part: &impl syn::spanned::Spanned) -> String {
    let text = part.span().source_text().unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
