//! Digests of files by what the file system says of them, so that unchanged files are not read.
//!
//! A memo is never part of a key, and can be thrown away. It is not believed where the file is
//! younger than the clock of its file system can tell from the moment at which it was digested: a
//! file written twice within one tick looks the same both times.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::digest::Digest;

/// What the file system says of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// Bytes.
    pub len: u64,
    /// Nanoseconds since 1970 of the last change.
    pub modified: i64,
    /// The number of the file in its file system: another one after an atomic save. 0 where there is
    /// none.
    pub id: u64,
}

impl Stamp {
    /// Asks the file system.
    ///
    /// # Errors
    /// There is no such file, or it is a folder, a pipe or a device.
    pub fn of(path: &Path) -> io::Result<Self> {
        let metadata = std::fs::metadata(path)?;
        if !metadata.is_file() {
            // Reading it might never end, and records of what was published may come from strangers.
            return Err(io::Error::other("it is no regular file"));
        }
        #[cfg(unix)]
        let id = std::os::unix::fs::MetadataExt::ino(&metadata);
        #[cfg(not(unix))]
        let id = 0;
        Ok(Self { len: metadata.len(), modified: nanoseconds(metadata.modified()?), id })
    }
}

fn nanoseconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_nanos()).unwrap_or(i64::MAX),
    }
}

/// A file as it was digested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// What the file system said.
    pub stamp: Stamp,
    /// When it was asked, nanoseconds since 1970.
    pub at: i64,
    /// The digest of the bytes.
    pub digest: Digest,
}

impl Seen {
    /// A file whose bytes have this digest, if it is the same before and after they were read.
    pub fn now(path: &Path, before: Stamp, digest: Digest) -> Option<Self> {
        let at = nanoseconds(SystemTime::now());
        (Stamp::of(path).ok()? == before).then_some(Self { stamp: before, at, digest })
    }

    /// Whether a file that looks the same must be the same. File systems that count whole or even
    /// seconds need seconds to tell, others count in ticks of some milliseconds.
    fn can_tell(&self) -> bool {
        let tick = if self.stamp.modified % 1_000_000_000 == 0 { 2_500_000_000 } else { 50_000_000 };
        self.at.saturating_sub(self.stamp.modified) > tick
    }
}

/// Digests of files.
#[derive(Debug, Default)]
pub struct Memo {
    known: BTreeMap<PathBuf, Seen>,
    fresh: Mutex<BTreeMap<PathBuf, Seen>>,
}

impl Memo {
    /// Reads a memo; an empty one if there is none or it cannot be understood.
    pub fn read(path: &Path) -> Self {
        let known = std::fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Self { known: known.unwrap_or_default(), fresh: Mutex::default() }
    }

    /// The digest of a file; read only where the memo cannot tell.
    ///
    /// # Errors
    /// It is not there or cannot be read.
    pub fn digest(&self, path: &Path) -> io::Result<Digest> {
        let stamp = Stamp::of(path)?;
        if let Some(seen) = self.known.get(path)
            && seen.stamp == stamp
            && seen.can_tell()
        {
            self.note(path, *seen);
            return Ok(seen.digest);
        }
        let digest = std::fs::read(path).map(|bytes| Digest::of(&bytes))?;
        if let Some(seen) = Seen::now(path, stamp, digest) {
            self.note(path, seen);
        }
        Ok(digest)
    }

    /// Remembers a file.
    pub fn note(&self, path: &Path, seen: Seen) {
        let mut fresh = self.fresh.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        fresh.insert(path.to_owned(), seen);
    }

    /// The text to keep: the files asked for this time; `None` if it says nothing new.
    pub fn to_keep(&self) -> Option<Vec<u8>> {
        let fresh = self.fresh.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if *fresh == self.known { None } else { serde_json::to_vec(&*fresh).ok() }
    }
}
