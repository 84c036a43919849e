//! Bakes of what is not so any more.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::files::Inputs;
use crate::problem::{Problem, Result};

/// Tells a build, while it goes on, that files changed that it may have read. It asks before each clip, and before it
/// publishes a character: one that is made of such a file is abandoned, and leaves nothing but finished clips in the
/// cache. Others go on.
#[derive(Debug, Default)]
pub struct Cancel {
    all: AtomicBool,
    some: AtomicBool,
    files: Mutex<BTreeSet<PathBuf>>,
}

impl Cancel {
    /// Nothing changed.
    pub fn new() -> Self {
        Self::default()
    }

    /// A file changed. The path is as the build names it ([`Outcome::inputs`](super::Outcome::inputs)).
    pub fn changed(&self, path: &Path) {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
        self.some.store(true, Ordering::Release);
    }

    /// Everything is to be abandoned.
    pub fn all(&self) {
        self.all.store(true, Ordering::Release);
    }

    /// Whether everything is abandoned.
    pub(super) fn is_all(&self) -> bool {
        self.all.load(Ordering::Acquire)
    }

    /// Whether what was read is still so.
    ///
    /// # Errors
    /// It is not.
    pub(super) fn check(&self, inputs: &Inputs) -> Result<()> {
        let any_of =
            |files: &BTreeSet<PathBuf>| inputs.recorded().iter().any(|(path, _)| files.contains(path));
        let some = || any_of(&self.files.lock().unwrap_or_else(PoisonError::into_inner));
        if self.is_all() || (self.some.load(Ordering::Acquire) && some()) {
            return Err(Problem::note(
                "run::abandoned",
                "what this is made of changed meanwhile, or the build is being ended",
            ));
        }
        Ok(())
    }
}
