//! Damage to files that are the tool's own business.

use std::path::{Path, PathBuf};

use super::project::{Project, files};
use crate::support::random::Random;

/// What is done to a file.
#[derive(Clone, Copy, Debug)]
enum Way {
    Flip,
    Cut,
    Empty,
    Remove,
    Copy,
}

/// Damage to some file of a part.
#[derive(Debug)]
pub struct Harm {
    way: Way,
    part: &'static str,
}

const WAYS: [Way; 5] = [Way::Flip, Way::Cut, Way::Empty, Way::Remove, Way::Copy];

/// In the store, and in the output folder.
const PARTS: [&str; 9] = [
    "store/v1/blobs",
    "store/v1/entries",
    "store/v1/locks",
    "store/v1/ready",
    "project/assets/vat/.vatpipe",
    "project/assets/vat/.vatpipe/commit",
    "project/assets/vat/.vatpipe/stage",
    "project/assets/vat/vat.published.json",
    "project/assets/vat/c1",
];

impl Harm {
    pub fn choose(random: &mut Random) -> Self {
        let mut below = |end: usize| (random.bits() % end as u64) as usize;
        Self { way: WAYS[below(WAYS.len())], part: PARTS[below(PARTS.len())] }
    }

    /// Whether it is done to what the tool has made, not to what it notes for itself.
    pub fn is_of_outputs(&self) -> bool {
        self.part.ends_with("vat.published.json") || self.part.ends_with("vat/c1")
    }

    /// Does it; whether there was a file to do it to.
    pub fn apply(&self, project: &Project, random: &mut Random) -> bool {
        let part = project.store().parent().expect("a folder").join(self.part);
        let all: Vec<PathBuf> = if part.is_file() {
            vec![part]
        } else {
            files(&part).into_keys().map(|name| part.join(name)).collect()
        };
        let Some(path) = pick(&all, random) else { return false };
        let mut bytes = std::fs::read(path).expect("a file");
        let at = random.bits() as usize % bytes.len().max(1);
        let done = match self.way {
            // An output that is copied over another would be a stranger's file.
            Way::Copy if self.part.contains("vat/c1") || self.part.ends_with(".json") => return false,
            Way::Remove => std::fs::remove_file(path),
            Way::Copy => std::fs::copy(pick(&all, random).expect("a file"), path.clone()).map(drop),
            Way::Empty => std::fs::write(path, ""),
            Way::Cut => std::fs::write(path, &bytes[..at]),
            Way::Flip if bytes.is_empty() => return false,
            Way::Flip => {
                bytes[at] ^= 1 << (random.bits() % 8);
                std::fs::write(path, bytes)
            }
        };
        done.expect("damage");
        true
    }
}

fn pick<'a>(all: &'a [PathBuf], random: &mut Random) -> Option<&'a PathBuf> {
    let at = random.bits() as usize;
    (!all.is_empty()).then(|| &all[at % all.len()])
}

/// Removes a file or a folder, whatever it is.
pub fn remove(path: &Path) {
    let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
}
