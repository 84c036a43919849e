//! Builds that may change nothing that is recorded.

use std::collections::BTreeMap;
use std::path::Path;

use super::Build;
use crate::cache::digest::Digest;
use crate::cache::published;
use crate::problem::{Problem, Result};

/// The code of outputs that are not as they are recorded.
pub const DIFFERS: &str = "run::locked";

impl Build<'_> {
    /// Refuses outputs that the record does not have, if the build is locked. `folder` is that of a character, or empty for
    /// constants.
    pub(super) fn keep_to_record(
        &self,
        folder: &str,
        new: &BTreeMap<String, Digest>,
        old: &BTreeMap<String, Digest>,
    ) -> Result<()> {
        if !self.locked || new == old {
            return Ok(());
        }
        let differs = |(name, digest): &(&String, &Digest)| old.get(*name) != Some(digest);
        let changed = new.iter().filter(differs).map(|(name, _)| name);
        let gone = old.keys().filter(|name| !new.contains_key(*name));
        let names: Vec<&str> = changed.chain(gone).map(String::as_str).collect();
        let message = format!("{} would not be as {} says", names.join(", "), published::FILE);
        let help = "build without `--locked`, look at what changed, and commit it; nothing of it was written";
        let path = self.out().join(folder);
        let path: &Path = if folder.is_empty() { self.out() } else { &path };
        Err(Problem::error(DIFFERS, message).in_file(path).help(help))
    }
}
