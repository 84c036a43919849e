//! Takes over what somebody has published before: `vatpipe build`, `vatpipe watch`, or the author of a package.

use std::collections::BTreeMap;
use std::path::Path;

use crate::cache::digest::Digest;
use crate::cache::fresh;
use crate::cache::memo::Memo;
use crate::cache::publish::Output;
use crate::cache::published::{self, Published};
use crate::files;
use crate::manifest::Manifest;
use crate::problem::Result;

/// What is taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Everything.
    All,
    /// Constants, which are read from where they are by who has the textures elsewhere.
    Constants,
}

/// Whether a folder holds, whole and as it was published, all characters of a manifest and constants in Rust: whatever they
/// were made of, which a package need not hold.
pub fn is_complete(manifest: &Manifest, record: &Published, folder: &Path, memo: &Memo) -> bool {
    let published = |name: &str| record.get(name).is_some_and(|c| fresh::has_outputs(name, c, folder, memo));
    manifest.recipes.iter().all(|recipe| published(&recipe.character))
        && record.constants.outputs.contains_key(super::RUST)
        && fresh::has_constants(record, folder, memo)
}

/// Copies a published folder. False if it is not what its record says, or was changed meanwhile.
///
/// # Errors
/// `out` cannot be written.
pub fn copy(record: &Published, from: &Path, out: &Path, part: Part) -> Result<bool> {
    let _lock = Output::take(out, &|_| {})?;
    let memo = Memo::read(&crate::cache::memo::path(out));
    let mut all = vec![("", &record.constants.outputs)];
    if part == Part::All {
        all.extend(record.names().filter_map(|name| Some((name.as_str(), &record.get(name)?.outputs))));
    }
    for (folder, files) in all {
        for (name, &digest) in files {
            if !file(&from.join(folder).join(name), &out.join(folder).join(name), digest, &memo)? {
                return Ok(false);
            }
        }
    }
    if part == Part::All {
        let old = Published::read(out);
        old.names().for_each(|name| remove(&old, record, name, out));
        files::write(&out.join(published::FILE), &record.to_json())?;
    }
    Ok(true)
}

fn file(from: &Path, to: &Path, digest: Digest, memo: &Memo) -> Result<bool> {
    if fresh::is_same(memo, to, digest) {
        return Ok(true);
    }
    let Some(bytes) = files::read_output(from).ok().filter(|bytes| Digest::of(bytes) == digest) else {
        return Ok(false);
    };
    // It has a digest in the record: what the machine loses when it fails is made again.
    files::write_shortcut(to, &bytes).map(|()| true)
}

/// Removes what was published of a character and is not wanted any more.
fn remove(old: &Published, new: &Published, name: &str, out: &Path) {
    let nothing = BTreeMap::new();
    let kept = new.get(name).map_or(&nothing, |character| &character.outputs);
    let had = old.get(name).map_or(&nothing, |character| &character.outputs);
    for file in had.keys().filter(|file| !kept.contains_key(*file)) {
        files::remove_output(&out.join(name).join(file));
    }
}
