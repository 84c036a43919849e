//! Why clips were baked the last time: `<out>/.vatpipe/why.json`, of this machine alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::publish::OWN_FOLDER;
use super::reason::Reason;
use crate::bake::Origin;

/// The last time that a clip was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Last {
    /// Whether it was baked, or the cache had it.
    pub origin: Origin,
    /// What had changed.
    pub because: Vec<Reason>,
}

/// Of each character, by name, of each clip, by name.
pub type Whys = BTreeMap<String, BTreeMap<String, Last>>;

/// Where it is kept.
pub fn path(out: &Path) -> PathBuf {
    out.join(OWN_FOLDER).join("why.json")
}

/// Reads it; nothing if it is not there or cannot be understood.
pub fn read(out: &Path) -> Whys {
    let bytes = std::fs::read(path(out)).ok();
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}
