//! What [`publish`](super::publish) writes down before it does it, and which names may stand in it: the file may come from a
//! stranger's checkout.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::publish::OWN_FOLDER;

/// What is to be done to the files of a folder.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Commit {
    /// The folder in the output folder; empty for the output folder itself.
    pub folder: String,
    /// Staged files to move.
    pub moves: Vec<String>,
    /// Files to remove, while they are what we wrote.
    pub removes: BTreeMap<String, Digest>,
}

/// Whether this is the name of something in a folder, and leads nowhere else.
pub fn is_plain(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    let one = matches!((parts.next(), parts.next()), (Some(Component::Normal(only)), None) if only == name);
    one && !name.contains('\\')
}

/// Whether this is the name of something in a folder or in folders within it, parted by `/`, and leads nowhere else: what
/// files of targets are called.
pub fn is_inside(name: &str) -> bool {
    name.split('/').all(is_plain) && name.split('/').next() != Some(OWN_FOLDER)
}

impl Commit {
    /// Whether all that it names lies in the output folder.
    pub fn is_sound(&self) -> bool {
        let mut files = self.moves.iter().chain(self.removes.keys());
        match self.folder.as_str() {
            "" => files.all(|name| is_inside(name)),
            folder => is_plain(folder) && files.all(|name| is_plain(name)),
        }
    }

    /// Whether any of it lies behind a symbolic link.
    pub fn follows_links(&self, out: &Path) -> bool {
        let folder = out.join(&self.folder);
        let is_link = |path: &Path| path != out && path.is_symlink();
        let behind =
            |name: &String| folder.join(name).ancestors().skip(1).take_while(|p| *p != folder).any(is_link);
        is_link(&folder) || self.moves.iter().chain(self.removes.keys()).any(behind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_nowhere_else() {
        for name in ["..", ".", "", "/", "a/b", "../a", "/a", "a/", "./a", "a\\b"] {
            assert!(!is_plain(name), "{name}");
        }
        assert!(is_plain("a") && is_plain("c-3 po.vat.json") && is_plain("..."));
        for name in
            ["..", "", "/", "../a", "a/..", "/a", "a//b", "a/", "a/./b", "a\\b", "a/b\\c", ".vatpipe/memo"]
        {
            assert!(!is_inside(name), "{name}");
        }
        assert!(is_inside("a") && is_inside("unity/Editor/Vat.cs"));
    }
}
