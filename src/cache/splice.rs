//! A new file out of an old one and new texts.
//!
//! All of the old file is read once, and digested on the way: what was copied out of it counts only if it was what it should
//! be. Bytes go in blocks that stay in the processor's caches, and what both files begin with is digested once.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use super::digest::Digest;
use crate::files::{self, Prepared};
use crate::problem::Result;

/// Bytes: a few of them fit the cache of one core.
const BLOCK: u64 = 256 << 10;

/// What a new file is made of, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A new text.
    Text(String),
    /// Where it lies in the old file, bytes.
    Old(Range<u64>),
}

impl Part {
    /// Bytes.
    pub fn size(&self) -> u64 {
        match self {
            Self::Text(text) => text.len() as u64,
            Self::Old(range) => range.end.saturating_sub(range.start),
        }
    }

    /// A new text.
    pub fn text(&self) -> Option<&[u8]> {
        match self {
            Self::Text(text) => Some(text.as_bytes()),
            Self::Old(_) => None,
        }
    }
}

/// A file that was copied.
#[derive(Debug)]
pub struct Spliced {
    /// The digest of the new file.
    pub digest: Digest,
    /// The old file.
    pub old: OldFile,
}

/// An old file, open. Once it has lost its name, closing it gives its room back, which takes long: not while anybody waits.
#[derive(Debug)]
pub struct OldFile(Option<File>);

impl OldFile {
    fn new(file: File) -> Self {
        // Windows does not replace files that are open.
        Self(cfg!(unix).then_some(file))
    }

    /// Closes it while other things are done.
    pub fn close_later(self) {
        rayon::spawn(move || drop(self.0));
    }
}

/// Adds the parts to a new file. `None` if the old file does not have this digest, or parts are not in its order: what was
/// added is then of no use.
///
/// # Errors
/// The new file cannot be written.
pub fn splice(old: &Path, wanted: Digest, parts: &[Part], new: &mut Prepared) -> Result<Option<Spliced>> {
    let Ok((file, len)) = files::open_output(old) else { return Ok(None) };
    let mut copy = Copy {
        old: file,
        at: 0,
        reads: blake3::Hasher::new(),
        writes: None,
        new,
        block: vec![0; BLOCK.min(len) as usize],
    };
    for part in parts {
        let goes_on = match part {
            Part::Text(text) => copy.text(text).map(|()| true)?,
            Part::Old(range) => {
                (copy.at..=range.end).contains(&range.start)
                    && copy.pass(range.start, false)?
                    && copy.pass(range.end, true)?
            }
        };
        if !goes_on {
            return Ok(None);
        }
    }
    let digest = Digest::from_hasher(copy.writes.as_ref().unwrap_or(&copy.reads));
    // The rest is not copied, but must be what it was.
    let is_whole = len >= copy.at && copy.pass(len, false)? && copy.is_at_end();
    let is_as_it_was = is_whole && Digest::from_hasher(&copy.reads) == wanted;
    Ok(is_as_it_was.then_some(Spliced { digest, old: OldFile::new(copy.old) }))
}

struct Copy<'n> {
    old: File,
    /// How much of it was read.
    at: u64,
    reads: blake3::Hasher,
    /// Of what was written; `None` while that is what was read.
    writes: Option<blake3::Hasher>,
    new: &'n mut Prepared,
    block: Vec<u8>,
}

impl Copy<'_> {
    fn text(&mut self, text: &str) -> Result<()> {
        let writes = self.writes.get_or_insert_with(|| self.reads.clone());
        writes.update(text.as_bytes());
        self.new.add(text.as_bytes())
    }

    /// Reads the old file up to a place, and copies that or leaves it out. Returns whether it is that long.
    fn pass(&mut self, to: u64, copies: bool) -> Result<bool> {
        if !copies && to > self.at {
            self.writes.get_or_insert_with(|| self.reads.clone());
        }
        while self.at < to {
            let len = (to - self.at).min(self.block.len() as u64);
            let block = &mut self.block[..len as usize];
            if len == 0 || self.old.read_exact(block).is_err() {
                return Ok(false);
            }
            self.at += len;
            let Self { reads, writes, new, .. } = self;
            reads.update(block);
            if copies {
                if let Some(writes) = writes {
                    writes.update(block);
                }
                new.add(block)?;
            }
        }
        Ok(true)
    }

    fn is_at_end(&mut self) -> bool {
        self.old.read(&mut [0]).is_ok_and(|more| more == 0)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const OLD: &str = "front|one|two|three|behind";

    fn old(range: Range<u64>) -> Part {
        Part::Old(range)
    }

    fn new(text: &str) -> Part {
        Part::Text(text.to_owned())
    }

    /// What comes of it, if it is of use.
    fn spliced(is: &str, parts: &[Part]) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("old"), folder.path().join("new"));
        fs::write(&from, is).unwrap();
        let mut prepared = Prepared::begin(&to).unwrap();
        let done = splice(&from, Digest::of(OLD.as_bytes()), parts, &mut prepared).unwrap()?;
        prepared.place().unwrap();
        let text = fs::read_to_string(to).unwrap();
        assert_eq!(done.digest, Digest::of(text.as_bytes()));
        assert_eq!(text.len() as u64, parts.iter().map(Part::size).sum::<u64>());
        Some(text)
    }

    #[test]
    fn parts_are_copied_and_added() {
        for (parts, wanted) in [
            (vec![old(0..26)], OLD),
            (vec![old(0..6)], "front|"),
            (vec![], ""),
            (vec![new("")], ""),
            (vec![old(0..6), new("1"), old(9..26)], "front|1|two|three|behind"),
            (vec![old(0..10), old(14..26)], "front|one|three|behind"),
            (vec![new("new"), old(5..26), new("!")], "new|one|two|three|behind!"),
            (vec![new("front|"), old(6..26)], OLD),
        ] {
            assert_eq!(spliced(OLD, &parts).as_deref(), Some(wanted), "{parts:?}");
        }
    }

    #[test]
    fn long_files_are_copied_in_blocks() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("old"), folder.path().join("new"));
        let bytes: Vec<u8> = (0..3 * BLOCK + 7).map(|at| (at % 251) as u8).collect();
        fs::write(&from, &bytes).unwrap();
        let mut prepared = Prepared::begin(&to).unwrap();
        let (cut, len) = (BLOCK + 3, bytes.len() as u64);
        let parts = [old(0..cut), new("between"), old(cut + 1..len)];
        let done = splice(&from, Digest::of(&bytes), &parts, &mut prepared).unwrap().unwrap();
        prepared.place().unwrap();
        let at = cut as usize;
        let wanted = [&bytes[..at], b"between", &bytes[at + 1..]].concat();
        assert!(fs::read(to).unwrap() == wanted);
        assert_eq!(done.digest, Digest::of(&wanted));
    }

    #[test]
    fn an_old_file_that_is_not_what_it_was_is_of_no_use() {
        let whole = [old(0..26)];
        for is in ["", "front", "front|one|two|three|behinD", "Front|one|two|three|behind"] {
            assert_eq!(spliced(is, &whole), None, "{is}");
            assert_eq!(spliced(is, &[new("x")]), None, "{is}");
        }
        assert_eq!(spliced(&format!("{OLD}!"), &whole), None);
        for parts in [vec![old(0..27)], vec![old(10..14), old(0..6)], vec![old(Range { start: 5, end: 2 })]] {
            assert_eq!(spliced(OLD, &parts), None, "{parts:?}");
        }
    }
}
