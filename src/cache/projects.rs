//! Which projects of this machine use a store, so that nothing is collected that one of them has
//! published.
//!
//! ```text
//! <cache>/v1/projects/<digest of the path>   the path of a `vat.published.json`
//! ```

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::digest::Digest;
use super::published::{self, Published};
use super::store::Store;

const FOLDER: &str = "projects";

/// A project that has published something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// Its output folder.
    pub out: PathBuf,
    /// The keys of the clips that it has published.
    pub keys: BTreeSet<Digest>,
}

/// Makes an output folder known to the store. Where that cannot be done (a read-only cache, a path
/// that is no Unicode) its clips are kept no longer than others.
pub fn register(store: &Store, out: &Path) {
    let Ok(path) = fs::canonicalize(out.join(published::FILE)) else { return };
    let Some(text) = path.to_str() else { return };
    let name = store.root().join(FOLDER).join(Digest::of(text.as_bytes()).to_string());
    if !name.exists() {
        let _ = store.put(&name, &[text.as_bytes()]);
    }
}

/// All projects that still are where they were; the others are forgotten.
pub fn live(root: &Path) -> Vec<Project> {
    let Ok(entries) = fs::read_dir(root.join(FOLDER)) else { return Vec::new() };
    let mut projects = Vec::new();
    for entry in entries.flatten() {
        let Ok(text) = fs::read_to_string(entry.path()) else { continue };
        let path = PathBuf::from(text);
        if !path.is_file() {
            let _ = fs::remove_file(entry.path());
            continue;
        }
        let out = path.parent().map(Path::to_path_buf).unwrap_or_default();
        let published = Published::read(&out);
        let all = published.all();
        let clips = all.iter().flat_map(|(_, character)| &character.clips);
        let keys = clips.map(|clip| clip.key.digest()).collect();
        projects.push(Project { out, keys });
    }
    projects.sort_by(|a, b| a.out.cmp(&b.out));
    projects
}
