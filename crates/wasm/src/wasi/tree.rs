//! Files and directories in memory: names, and how much there may be of everything.

use std::collections::BTreeMap;
use std::sync::Arc;

use pessimum_term::TermId;

use super::file::{File, copied_bytes};
use super::{Errno, content_length};
use crate::host::Kept;
use pessimum_input::Content;

/// How many files and directories there may be, not counting those that were given.
const MAX_NODES: usize = 4096;

/// How many bytes all files together may have more than was given. A hole counts as if it had been written.
const MAX_BYTES: u64 = 1 << 26;

/// Bytes of one component of a path.
const MAX_NAME: usize = 255;

/// A file or a directory, whatever it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeId(u32);

/// The only directory that is there from the start and stays.
pub(super) const ROOT: NodeId = NodeId(0);

impl NodeId {
    /// The number by which a program tells files apart; never 0.
    pub(super) fn inode(self) -> u64 {
        u64::from(self.0) + 1
    }
}

#[derive(Clone, Debug)]
struct Node {
    /// Whether a directory has an entry for it. What has none exists until it is closed.
    linked: bool,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    File(File),
    Directory(Directory),
}

#[derive(Clone, Debug)]
struct Directory {
    /// The directory that has the entry for this one; the root for itself and for directories without a name.
    parent: NodeId,
    entries: BTreeMap<Arc<[u8]>, Entry>,
    /// The number of the next entry.
    next: u64,
}

/// Entries are listed in the order of their numbers, which are never used again. So a listing that is continued after
/// entries were removed misses none of the others.
#[derive(Clone, Copy, Debug)]
struct Entry {
    node: NodeId,
    number: u64,
}

/// What an entry takes in its map, without its name, which is shared.
const ENTRY_BYTES: u64 = 48;

/// The numbers of `.` and `..` in a listing, and that of the first other entry.
const SELF: u64 = 0;
const PARENT: u64 = 1;
const FIRST: u64 = 2;

/// An entry of a directory, for a listing.
pub(super) struct Listed {
    /// Continuing a listing from this number on gives the entries after this one.
    pub(super) next: u64,
    pub(super) node: NodeId,
    pub(super) name: Arc<[u8]>,
}

/// A path below some directory, without `.`, `..` and empty components.
///
/// `..` removes the component before it, whether or not that exists: there are no links, so it can mean nothing else. A
/// path that leaves its directory is refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Path {
    components: Vec<Arc<[u8]>>,
    /// Whether it can only be the name of a directory, because it ends in a slash or a dot component.
    names_directory: bool,
}

impl Path {
    pub(super) fn parse(text: &[u8]) -> Result<Path, Errno> {
        if text.is_empty() {
            return Err(Errno::NoEnt);
        }
        let mut components: Vec<Arc<[u8]>> = Vec::new();
        let mut names_directory = false;
        for component in text.split(|&byte| byte == b'/') {
            names_directory = matches!(component, b"" | b"." | b"..");
            match component {
                b"" | b"." => {}
                b".." => drop(components.pop().ok_or(Errno::NotCapable)?),
                component if component.len() > MAX_NAME => return Err(Errno::NameTooLong),
                component => components.push(component.into()),
            }
        }
        Ok(Path { components, names_directory })
    }
}

/// What a path leads to.
#[derive(Debug)]
pub(super) struct Place {
    /// The directory and the name in it; `None` if the path leads to the directory where it starts.
    entry: Option<(NodeId, Arc<[u8]>)>,
    /// What is there, if anything.
    pub(super) node: Option<NodeId>,
    pub(super) names_directory: bool,
}

impl Place {
    /// What is there.
    pub(super) fn existing(&self) -> Result<NodeId, Errno> {
        self.node.ok_or(Errno::NoEnt)
    }
}

/// All files and directories. Clones share everything until it is changed; a change copies the list of pointers to the
/// nodes and the node itself.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    /// Entries of directories and open descriptors refer to nodes that exist.
    nodes: Arc<Vec<Option<Arc<Node>>>>,
    /// Sum of the sizes of all files.
    bytes: u64,
    max_nodes: usize,
    max_bytes: u64,
}

impl Tree {
    /// The root with the files of a plan and the directories that they are in. An error names a file whose name is of no
    /// use and says why.
    pub(super) fn new(files: &[(String, Content)]) -> Result<Tree, (String, &'static str)> {
        let root = Directory { parent: ROOT, entries: BTreeMap::new(), next: FIRST };
        let root = Node { linked: true, kind: Kind::Directory(root) };
        let mut tree =
            Tree { nodes: Arc::new(vec![Some(Arc::new(root))]), bytes: 0, max_nodes: usize::MAX, max_bytes: u64::MAX };
        for (number, (name, content)) in files.iter().enumerate() {
            let length = content_length(content);
            tree.give(name, File::given(number, length)).map_err(|why| (name.clone(), why))?;
            tree.bytes += length;
        }
        tree.max_nodes = tree.nodes.len() + MAX_NODES;
        tree.max_bytes = tree.bytes.saturating_add(MAX_BYTES);
        Ok(tree)
    }

    fn give(&mut self, name: &str, file: File) -> Result<(), &'static str> {
        let path = Path::parse(name.as_bytes()).map_err(|errno| match errno {
            Errno::NotCapable => "it leads out of the program's directory",
            Errno::NameTooLong => "a component has more than 255 bytes",
            _ => "it is empty",
        })?;
        let Some((last, directories)) = path.components.split_last() else { return Err("it names no file") };
        if path.names_directory {
            return Err("it names a directory");
        }
        let mut parent = ROOT;
        for component in directories {
            parent = match self.directory(parent).map(|found| found.entries.get(component)) {
                Ok(Some(entry)) => entry.node,
                Ok(None) => self.make_directory(parent, component.clone()),
                Err(_) => return Err("another file has the name of its directory"),
            };
        }
        match self.directory(parent) {
            Ok(found) if found.entries.contains_key(last) => Err("there is another file or directory of that name"),
            Ok(_) => {
                self.add(parent, last.clone(), Kind::File(file));
                Ok(())
            }
            Err(_) => Err("another file has the name of its directory"),
        }
    }

    fn node(&self, id: NodeId) -> &Node {
        self.nodes[id.0 as usize].as_ref().expect("entries and descriptors refer to nodes that exist")
    }

    fn node_mut(&mut self, id: NodeId) -> &mut Node {
        let node = Arc::make_mut(&mut self.nodes)[id.0 as usize].as_mut();
        Arc::make_mut(node.expect("entries and descriptors refer to nodes that exist"))
    }

    /// The file, or `IsDir`.
    pub(super) fn file(&self, id: NodeId) -> Result<&File, Errno> {
        match &self.node(id).kind {
            Kind::File(file) => Ok(file),
            Kind::Directory(_) => Err(Errno::IsDir),
        }
    }

    fn file_mut(&mut self, id: NodeId) -> Result<&mut File, Errno> {
        match &mut self.node_mut(id).kind {
            Kind::File(file) => Ok(file),
            Kind::Directory(_) => Err(Errno::IsDir),
        }
    }

    fn directory(&self, id: NodeId) -> Result<&Directory, Errno> {
        match &self.node(id).kind {
            Kind::Directory(directory) => Ok(directory),
            Kind::File(_) => Err(Errno::NotDir),
        }
    }

    fn directory_mut(&mut self, id: NodeId) -> Result<&mut Directory, Errno> {
        match &mut self.node_mut(id).kind {
            Kind::Directory(directory) => Ok(directory),
            Kind::File(_) => Err(Errno::NotDir),
        }
    }

    pub(super) fn is_directory(&self, id: NodeId) -> bool {
        matches!(self.node(id).kind, Kind::Directory(_))
    }

    /// What a path leads to, starting from a directory.
    pub(super) fn resolve(&self, start: NodeId, path: &Path) -> Result<Place, Errno> {
        let names_directory = path.names_directory;
        let Some((last, directories)) = path.components.split_last() else {
            return Ok(Place { entry: None, node: Some(start), names_directory });
        };
        let mut parent = start;
        for component in directories {
            parent = self.directory(parent)?.entries.get(component).ok_or(Errno::NoEnt)?.node;
        }
        let node = self.directory(parent)?.entries.get(last).map(|entry| entry.node);
        if names_directory && node.is_some_and(|node| !self.is_directory(node)) {
            return Err(Errno::NotDir);
        }
        Ok(Place { entry: Some((parent, last.clone())), node, names_directory })
    }

    /// Makes an empty file where there is nothing.
    pub(super) fn create_file(&mut self, place: &Place) -> Result<NodeId, Errno> {
        let (parent, name) = self.vacant(place)?;
        Ok(self.add(parent, name, Kind::File(File::default())))
    }

    /// Makes an empty directory where there is nothing.
    pub(super) fn create_directory(&mut self, place: &Place) -> Result<(), Errno> {
        let (parent, name) = self.vacant(place)?;
        self.make_directory(parent, name);
        Ok(())
    }

    /// The entry to add for something new.
    fn vacant(&self, place: &Place) -> Result<(NodeId, Arc<[u8]>), Errno> {
        let Some((parent, name)) = place.entry.clone().filter(|_| place.node.is_none()) else {
            return Err(Errno::Exist);
        };
        if !self.node(parent).linked {
            return Err(Errno::NoEnt);
        }
        let used = self.nodes.iter().flatten().count();
        if used >= self.max_nodes { Err(Errno::NoSpc) } else { Ok((parent, name)) }
    }

    fn make_directory(&mut self, parent: NodeId, name: Arc<[u8]>) -> NodeId {
        self.add(parent, name, Kind::Directory(Directory { parent, entries: BTreeMap::new(), next: FIRST }))
    }

    /// Adds a node to a directory that exists.
    fn add(&mut self, parent: NodeId, name: Arc<[u8]>, kind: Kind) -> NodeId {
        let nodes = Arc::make_mut(&mut self.nodes);
        let node = Some(Arc::new(Node { linked: true, kind }));
        let id = match nodes.iter().position(Option::is_none) {
            Some(free) => {
                nodes[free] = node;
                NodeId(free as u32)
            }
            None => {
                nodes.push(node);
                NodeId(nodes.len() as u32 - 1)
            }
        };
        self.link(parent, name, id);
        id
    }

    fn link(&mut self, parent: NodeId, name: Arc<[u8]>, node: NodeId) {
        if let Ok(directory) = self.directory_mut(parent) {
            directory.entries.insert(name, Entry { node, number: directory.next });
            directory.next += 1;
        }
    }

    fn unlink(&mut self, parent: NodeId, name: &[u8]) {
        if let Ok(directory) = self.directory_mut(parent) {
            directory.entries.remove(name);
        }
    }

    /// Takes the name of a file away. The file is to be freed once it is not open.
    pub(super) fn remove_file(&mut self, place: &Place) -> Result<NodeId, Errno> {
        let node = place.existing()?;
        if self.is_directory(node) {
            return Err(Errno::IsDir);
        }
        self.remove(place, node)
    }

    /// Takes the name of an empty directory away, which is to be freed once it is not open.
    pub(super) fn remove_directory(&mut self, place: &Place) -> Result<NodeId, Errno> {
        let node = place.existing()?;
        if !self.directory(node)?.entries.is_empty() {
            return Err(Errno::NotEmpty);
        }
        self.remove(place, node)
    }

    fn remove(&mut self, place: &Place, node: NodeId) -> Result<NodeId, Errno> {
        let (parent, name) = place.entry.as_ref().ok_or(Errno::Inval)?;
        self.unlink(*parent, name);
        self.orphan(node);
        Ok(node)
    }

    /// Marks what no directory has an entry for. The parent of a directory may be freed before it.
    fn orphan(&mut self, id: NodeId) {
        let node = self.node_mut(id);
        node.linked = false;
        if let Kind::Directory(directory) = &mut node.kind {
            directory.parent = ROOT;
        }
    }

    /// Gives a file or directory another name. Returns what had that name before, which is to be freed once it is not
    /// open.
    pub(super) fn rename(&mut self, from: &Place, to: &Place) -> Result<Option<NodeId>, Errno> {
        let node = from.existing()?;
        let (Some((old_parent, old_name)), Some((new_parent, new_name))) = (&from.entry, &to.entry) else {
            return Err(Errno::Busy);
        };
        if to.node == Some(node) {
            return Ok(None);
        }
        let is_directory = self.is_directory(node);
        if !is_directory && to.names_directory {
            return Err(Errno::NotDir);
        }
        if let Some(replaced) = to.node {
            match (is_directory, self.directory(replaced)) {
                (true, Err(_)) => return Err(Errno::NotDir),
                (false, Ok(_)) => return Err(Errno::IsDir),
                (true, Ok(directory)) if !directory.entries.is_empty() => return Err(Errno::NotEmpty),
                _ => {}
            }
        }
        if !self.node(*new_parent).linked {
            return Err(Errno::NoEnt);
        }
        if is_directory && self.is_within(*new_parent, node) {
            return Err(Errno::Inval);
        }
        if let Some(replaced) = to.node {
            self.orphan(replaced);
        }
        self.unlink(*old_parent, old_name);
        self.link(*new_parent, new_name.clone(), node);
        if is_directory {
            self.directory_mut(node)?.parent = *new_parent;
        }
        Ok(to.node)
    }

    /// Whether a directory is another one or somewhere below it.
    fn is_within(&self, mut directory: NodeId, outer: NodeId) -> bool {
        loop {
            match self.directory(directory) {
                _ if directory == outer => return true,
                Ok(found) if directory != ROOT => directory = found.parent,
                _ => return false,
            }
        }
    }

    /// Forgets a node that has no name if nothing else refers to it.
    pub(super) fn free(&mut self, id: NodeId) {
        if !self.node(id).linked {
            self.bytes -= self.file(id).map_or(0, File::size);
            Arc::make_mut(&mut self.nodes)[id.0 as usize] = None;
        }
    }

    /// The entries of a directory from this number on, in order.
    pub(super) fn list(&self, id: NodeId, from: u64) -> Result<Vec<Listed>, Errno> {
        let directory = self.directory(id)?;
        let named = directory.entries.iter().map(|(name, entry)| (entry.number, entry.node, name.clone()));
        let dots = [(SELF, id, (*b".").into()), (PARENT, directory.parent, (*b"..").into())];
        let mut all: Vec<_> = dots.into_iter().chain(named).filter(|&(number, _, _)| number >= from).collect();
        all.sort_unstable_by_key(|&(number, _, _)| number);
        Ok(all.into_iter().map(|(number, node, name)| Listed { next: number + 1, node, name }).collect())
    }

    /// How many of `count` bytes can be written to a file from an offset on.
    pub(super) fn room(&self, id: NodeId, offset: u64, count: u64) -> Result<u64, Errno> {
        let end = self.file(id)?.size().saturating_add(self.max_bytes - self.bytes);
        Ok(count.min(end.saturating_sub(offset)))
    }

    /// Writes bytes for which there is [`Tree::room`].
    pub(super) fn write(
        &mut self,
        id: NodeId,
        offset: u64,
        bytes: &[Kept],
        given: &mut dyn FnMut(usize, u64) -> Kept,
    ) -> Result<(), Errno> {
        let file = self.file_mut(id)?;
        let before = file.size();
        file.write(offset, bytes, given);
        self.bytes += self.file(id)?.size() - before;
        Ok(())
    }

    /// Cuts a file off, or extends it with zeros.
    pub(super) fn resize(&mut self, id: NodeId, size: u64) -> Result<(), Errno> {
        let before = self.file(id)?.size();
        if size > before && size - before > self.max_bytes - self.bytes {
            return Err(Errno::NoSpc);
        }
        self.file_mut(id)?.resize(size);
        self.bytes = self.bytes - before + size;
        Ok(())
    }

    /// Bytes that a fork may come to hold for itself alone: what one change copies at most.
    pub(super) fn own_bytes(&self) -> u64 {
        let copied = self.nodes.iter().flatten().map(|node| match &node.kind {
            Kind::File(file) => copied_bytes(file.blocks()),
            Kind::Directory(directory) => ENTRY_BYTES * directory.entries.len() as u64,
        });
        8 * self.nodes.len() as u64 + copied.max().unwrap_or(0)
    }

    /// Every piece of a file in which a byte depends on the input.
    pub(super) fn symbolic_pieces(&self) -> Vec<(NodeId, u64)> {
        let files = (0..self.nodes.len() as u32).map(NodeId).filter(|id| self.nodes[id.0 as usize].is_some());
        let files = files.filter_map(|id| Some((id, self.file(id).ok()?)));
        files.flat_map(|(id, file)| file.symbolic_pieces().map(move |piece| (id, piece))).collect()
    }

    /// Replaces the terms in these pieces by their values.
    pub(super) fn evaluate(&mut self, pieces: &[(NodeId, u64)], value: &mut dyn FnMut(TermId) -> u64) {
        for &(id, piece) in pieces {
            if let Ok(file) = self.file_mut(id) {
                file.evaluate(piece, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn components(text: &str) -> Result<(String, bool), Errno> {
        let path = Path::parse(text.as_bytes())?;
        let names: Vec<_> = path.components.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        Ok((names.join("/"), path.names_directory))
    }

    #[test]
    fn paths_are_normalised_and_stay_inside() {
        let plain = |text: &str, directory| Ok((text.to_string(), directory));
        assert_eq!(components("a/b"), plain("a/b", false));
        assert_eq!(components("/a//./b/"), plain("a/b", true));
        assert_eq!(components("x/../a/b/.."), plain("a", true));
        assert_eq!(components("."), plain("", true));
        assert_eq!(components("a/../.."), Err(Errno::NotCapable));
        assert_eq!(components(".."), Err(Errno::NotCapable));
        assert_eq!(components(""), Err(Errno::NoEnt));
        assert_eq!(components(&"x".repeat(255)), plain(&"x".repeat(255), false));
        assert_eq!(components(&"x".repeat(256)), Err(Errno::NameTooLong));
    }

    #[test]
    fn given_names_must_not_exclude_each_other() {
        let tree = |names: &[&str]| {
            let files: Vec<_> = names.iter().map(|name| (name.to_string(), Content::Fixed([].into()))).collect();
            Tree::new(&files).map(|tree| tree.list(ROOT, FIRST).unwrap().len())
        };
        assert_eq!(tree(&["a", "b/c", "./b/d", "/e"]), Ok(3));
        for names in [&["a", "./a"][..], &["a", "a/b"], &["a/b", "a"], &["../a"], &["a/"], &["."], &[""]] {
            assert_eq!(tree(names).unwrap_err().0, *names.last().unwrap());
        }
    }
}
