//! Digests of files by what the file system says of them, so that unchanged files are not read.
//!
//! A memo is never part of a key, and can be thrown away. It is not believed where the file is
//! younger than the clock of its file system can tell from the moment at which it was digested: a
//! file written twice within one tick looks the same both times.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use super::bytes::{self, Reader};
use super::digest::{self, Digest};
use super::publish::OWN_FOLDER;
use super::store::{sealed, unseal};

/// What the file system says of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

    /// Whether a file that looked so at this moment ([`now()`]), and still does, must be the same.
    pub fn can_tell(&self, at: i64) -> bool {
        let tick = if self.modified % 1_000_000_000 == 0 { 2_500_000_000 } else { 50_000_000 };
        at.saturating_sub(self.modified) > tick
    }
}

/// Nanoseconds since 1970.
pub fn now() -> i64 {
    nanoseconds(SystemTime::now())
}

fn nanoseconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_nanos()).unwrap_or(i64::MAX),
    }
}

/// A file as it was digested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
        let at = now();
        (Stamp::of(path).ok()? == before).then_some(Self { stamp: before, at, digest })
    }

    /// Adds it to other fields.
    pub fn encode(&self, bytes: &mut Vec<u8>) {
        let Self { stamp: Stamp { len, modified, id }, at, digest } = self;
        [*len, *modified as u64, *id, *at as u64].iter().for_each(|number| bytes::number(bytes, *number));
        bytes::digest(bytes, *digest);
    }

    /// Takes it off other fields.
    pub fn decode(reader: &mut Reader) -> Option<Self> {
        let (len, modified, id) = (reader.number()?, reader.number()? as i64, reader.number()?);
        let at = reader.number()? as i64;
        Some(Self { stamp: Stamp { len, modified, id }, at, digest: reader.digest()? })
    }

    /// Whether a file that looks the same must be the same. File systems that count whole or even
    /// seconds need seconds to tell, others count in ticks of some milliseconds.
    pub fn can_tell(&self) -> bool {
        self.stamp.can_tell(self.at)
    }
}

const FORMAT: &str = "vatpipe memo 1";

/// Where the memo of an output folder is.
pub fn path(out: &Path) -> PathBuf {
    out.join(OWN_FOLDER).join("memo")
}

/// In pieces that stay in the processor's caches: a large file is not held in memory, and all cores digest it.
fn digest_of_file(path: &Path) -> io::Result<Digest> {
    const PIECE: u64 = 2 << 20;
    let mut file = std::fs::File::open(path)?;
    let mut hasher = blake3::Hasher::new();
    let mut piece = Vec::new();
    loop {
        piece.clear();
        let read = (&mut file).take(PIECE).read_to_end(&mut piece)?;
        // A few pieces of 128 KiB are worth a second thread.
        if read as u64 * 4 > PIECE {
            digest::add(&mut hasher, &piece);
        } else {
            hasher.update(&piece);
        }
        if (read as u64) < PIECE {
            return Ok(Digest::from_hasher(&hasher));
        }
    }
}

/// Digests of files.
#[derive(Debug, Default)]
pub struct Memo {
    known: BTreeMap<PathBuf, Seen>,
    fresh: Mutex<BTreeMap<PathBuf, Seen>>,
}

impl Memo {
    /// Reads a memo; an empty one if there is none or it is not as it was written.
    pub fn read(path: &Path) -> Self {
        let body = std::fs::read(path).ok().and_then(unseal);
        let known = body.and_then(|body| Self::decode(&mut Reader(&body)));
        Self { known: known.unwrap_or_default(), fresh: Mutex::default() }
    }

    /// A memo that knows these files.
    pub fn of(known: impl IntoIterator<Item = (PathBuf, Seen)>) -> Self {
        Self { known: known.into_iter().collect(), fresh: Mutex::default() }
    }

    fn decode(reader: &mut Reader) -> Option<BTreeMap<PathBuf, Seen>> {
        if reader.text()? != FORMAT {
            return None;
        }
        (0..reader.count()?).map(|_| Some((reader.text()?.into(), Seen::decode(reader)?))).collect()
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
        let digest = digest_of_file(path)?;
        if let Some(seen) = Seen::now(path, stamp, digest) {
            self.note(path, seen);
        }
        Ok(digest)
    }

    /// As [`Self::digest`], of a file that was written without waiting for the disk: it is on the disk before it is believed
    /// to be what was read. Else a machine that fails might leave other bytes in a file that looks the same.
    ///
    /// # Errors
    /// As [`Self::digest`].
    pub fn digest_on_disk(&self, path: &Path) -> io::Result<Digest> {
        let stamp = Stamp::of(path)?;
        if self.known.get(path).is_none_or(|seen| seen.stamp != stamp || !seen.can_tell()) {
            // Windows asks for the right to write.
            let synced = std::fs::File::options().read(true).write(cfg!(windows)).open(path)?.sync_data();
            if synced.is_err() {
                return digest_of_file(path);
            }
        }
        self.digest(path)
    }

    /// What was last seen of a file, if it was asked for this time.
    pub fn seen(&self, path: &Path) -> Option<Seen> {
        self.fresh.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get(path).copied()
    }

    /// Remembers a file.
    pub fn note(&self, path: &Path, seen: Seen) {
        let mut fresh = self.fresh.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        fresh.insert(path.to_owned(), seen);
    }

    /// What to keep: the files asked for this time, and of those that were known before the ones that `keeps` names; `None`
    /// if it says nothing new.
    pub fn to_keep(&self, keeps: impl Fn(&Path) -> bool) -> Option<Vec<u8>> {
        let mut all = self.fresh.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        let others = self.known.iter().filter(|(path, _)| !all.contains_key(*path) && keeps(path));
        let others: Vec<(PathBuf, Seen)> = others.map(|(path, seen)| (path.clone(), *seen)).collect();
        all.extend(others);
        if all == self.known {
            return None;
        }
        let mut body = Vec::new();
        bytes::text(&mut body, FORMAT);
        // A path that is no text is not remembered.
        let all: Vec<(&str, &Seen)> =
            all.iter().filter_map(|(path, seen)| Some((path.to_str()?, seen))).collect();
        bytes::number(&mut body, all.len() as u64);
        for (path, seen) in all {
            bytes::text(&mut body, path);
            seen.encode(&mut body);
        }
        Some(sealed(&body))
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::time::Duration;

    use super::*;

    /// A file of this age, and a memo that has seen it with a wrong digest: whoever believes the memo
    /// gives itself away.
    fn seen(path: &Path, age: Duration) -> Memo {
        fs::write(path, "old").unwrap();
        let time = SystemTime::now() - age;
        File::options().append(true).open(path).unwrap().set_modified(time).unwrap();
        let seen = Seen::now(path, Stamp::of(path).unwrap(), Digest::of(b"remembered")).unwrap();
        Memo { known: BTreeMap::from([(path.to_owned(), seen)]), fresh: Mutex::default() }
    }

    #[test]
    fn an_old_file_that_looks_the_same_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let memo = seen(&path, Duration::from_millis(3_001));
        assert_eq!(memo.digest(&path).unwrap(), Digest::of(b"remembered"));
    }

    #[test]
    fn a_file_as_young_as_the_clock_can_tell_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let memo = seen(&path, Duration::ZERO);
        assert_eq!(memo.digest(&path).unwrap(), Digest::of(b"old"));
        let stamp = |modified| Stamp { len: 3, modified, id: 1 };
        let can_tell = |modified, at| Seen { stamp: stamp(modified), at, digest: Digest::of(b"") }.can_tell();
        const SECOND: i64 = 1_000_000_000;
        // Whole seconds: a clock that may know nothing finer, or even seconds only (FAT).
        assert!(!can_tell(10 * SECOND, 12 * SECOND) && can_tell(10 * SECOND, 13 * SECOND));
        assert!(!can_tell(10 * SECOND + 1, 10 * SECOND + 40_000_000));
        assert!(can_tell(10 * SECOND + 1, 10 * SECOND + 60_000_000));
        // From the future.
        assert!(!can_tell(20 * SECOND, 10 * SECOND) && !can_tell(i64::MAX, i64::MIN));
    }

    #[test]
    fn another_size_time_or_file_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let age = Duration::from_secs(60);
        let memo = seen(&path, age);
        let time = Stamp::of(&path).unwrap().modified;
        let restamp = || {
            let time = UNIX_EPOCH + Duration::from_nanos(time as u64);
            File::options().append(true).open(&path).unwrap().set_modified(time).unwrap();
        };
        fs::write(&path, "older").unwrap();
        restamp();
        assert_eq!(memo.digest(&path).unwrap(), Digest::of(b"older"), "another size");
        let memo = seen(&path, age);
        fs::write(&path, "new").unwrap();
        assert_eq!(memo.digest(&path).unwrap(), Digest::of(b"new"), "another time");
        if cfg!(unix) {
            let memo = seen(&path, age);
            let modified = Stamp::of(&path).unwrap().modified;
            let other = folder.path().join("other");
            fs::write(&other, "new").unwrap();
            let time = UNIX_EPOCH + Duration::from_nanos(modified as u64);
            File::options().append(true).open(&other).unwrap().set_modified(time).unwrap();
            fs::rename(&other, &path).unwrap();
            assert_eq!(Stamp::of(&path).unwrap().modified, modified);
            assert_eq!(
                memo.digest(&path).unwrap(),
                Digest::of(b"new"),
                "the same size and time, another file"
            );
        }
    }

    #[test]
    fn what_is_no_file_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let memo = Memo::read(&folder.path().join("none"));
        assert!(memo.digest(folder.path()).is_err() && memo.digest(&folder.path().join("none")).is_err());
        if cfg!(unix) {
            assert!(memo.digest(Path::new("/dev/null")).is_err());
        }
        assert_eq!(memo.to_keep(|_| false), None);
    }

    #[test]
    fn a_memo_is_kept_and_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let (path, kept) = (folder.path().join("file"), folder.path().join("memo"));
        let memo = seen(&path, Duration::from_secs(60));
        memo.digest(&path).unwrap();
        assert_eq!(memo.to_keep(|_| false), None, "nothing new");
        let other = Memo::default();
        other.note(&path, memo.known[&path]);
        fs::write(&kept, other.to_keep(|_| false).unwrap()).unwrap();
        assert_eq!(Memo::read(&kept).known, memo.known);
        for text in ["", "{", "[1]", "{\"a\":1}"] {
            fs::write(&kept, text).unwrap();
            assert!(Memo::read(&kept).known.is_empty(), "{text}");
        }
    }
}
