//! Characters again as soon as a build has changed them. Needs the standard library; for development.
//!
//! Every build, also one of `vatpipe watch`, replaces `vat.published.json` last: it names all outputs with the digests of
//! their bytes (`docs/format.md`). Files are taken only if they are what it names: while a build is
//! replacing them, nothing is taken.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::character::is_plain;
use super::disk::{Stamp, read};
use super::{Character, Error, Result};

/// The record of published outputs.
const RECORD: &str = "vat.published.json";

/// The record's schema.
const SCHEMA: &str = "vatpipe/published/1";

/// Watches the outputs of a build: ask it with [`Self::poll`] a few times a second.
#[derive(Debug)]
pub struct Reload {
    folder: PathBuf,
    /// The characters to load; all where it is empty.
    wanted: Vec<String>,
    /// What the record's file looked like when it was last read to the end.
    seen: Option<Stamp>,
    /// A file that was not what the record named: nothing is read again before it or the record is replaced.
    waiting: Option<Waiting>,
    /// The digest in the record that was last read.
    digest: String,
    /// The outputs of each character that were handed out, by its name.
    characters: BTreeMap<String, Digests>,
    /// Those beside the characters.
    constants: Digests,
}

/// What a build has changed. All of it belongs together.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Characters with at least one new file, whole, in the order of their names.
    pub characters: Vec<Character>,
    /// New files of constants, by their names: the text of `vat.wgsl`, for example.
    pub constants: BTreeMap<String, Vec<u8>>,
}

/// File names, and the digests of what is in them.
type Digests = BTreeMap<String, String>;

/// What the record's file and another one looked like when they did not fit.
#[derive(Debug, PartialEq)]
struct Waiting {
    record: Stamp,
    path: PathBuf,
    file: Option<Stamp>,
}

/// The part of the record that is for others.
#[derive(Deserialize)]
struct Record {
    schema: String,
    characters: BTreeMap<String, Entry>,
    #[serde(default)]
    constants: Entry,
    digest: String,
}

#[derive(Default, Deserialize)]
struct Entry {
    outputs: Digests,
}

impl Record {
    /// Whether it is what this version reads, and leads nowhere else.
    fn is_sound(&self) -> bool {
        let entries = self.characters.values().chain([&self.constants]);
        let mut names = entries.flat_map(|entry| entry.outputs.keys()).chain(self.characters.keys());
        // Targets may be folders.
        self.schema == SCHEMA && names.all(|name| name.split('/').all(is_plain))
    }
}

impl Reload {
    /// Watches a folder of outputs (`[output] dir` of `vat.toml`); nothing is read yet. The first [`Self::poll`] gives
    /// all characters, or those of `wanted` if that is not empty.
    pub fn new(folder: &Path, wanted: &[&str]) -> Self {
        Self {
            folder: folder.to_owned(),
            wanted: wanted.iter().map(|&name| name.to_owned()).collect(),
            seen: None,
            waiting: None,
            digest: String::new(),
            characters: BTreeMap::new(),
            constants: BTreeMap::new(),
        }
    }

    /// What has changed since the last call that gave something; `None` where there is no news, or where a build is just
    /// replacing files: ask again. It looks at one file where nothing has changed, and otherwise reads all
    /// changed characters: call it on a thread of its own where that takes too long for a frame.
    ///
    /// # Errors
    /// Those of [`Character::load`], once for each build: keep what is loaded, the next build may be right again.
    pub fn poll(&mut self) -> Result<Option<Changes>> {
        let Some(stamp) = Stamp::of(&self.folder.join(RECORD)) else { return Ok(None) };
        if self.seen == Some(stamp) {
            return Ok(None);
        }
        let waits = |w: &Waiting| w.record == stamp && w.file == Stamp::of(&w.path);
        if self.waiting.as_ref().is_some_and(waits) {
            return Ok(None);
        }
        let Some(record) = self.record() else { return Ok(None) };
        if record.digest == self.digest {
            self.seen = Some(stamp);
            return Ok(None);
        }
        let files = match self.changed_files(&record) {
            Ok(files) => files,
            Err(Mismatch { path, file }) => {
                self.waiting = Some(Waiting { record: stamp, path, file });
                return Ok(None);
            }
        };
        self.waiting = None;
        self.seen = Some(stamp);
        self.digest = record.digest;
        let mut characters = Vec::new();
        for (name, files) in files.characters {
            characters.push(load(&name, &files)?);
        }
        // From here on nothing fails: what is handed out is remembered.
        let wanted = |name: &String| self.wanted.is_empty() || self.wanted.contains(name);
        let entries = record.characters.into_iter().filter(|(name, _)| wanted(name));
        self.characters.extend(entries.map(|(name, entry)| (name, entry.outputs)));
        self.constants = record.constants.outputs;
        let changes = Changes { characters, constants: files.constants };
        let nothing = changes.characters.is_empty() && changes.constants.is_empty();
        Ok((!nothing).then_some(changes))
    }

    /// The record, unless there is none that can be read.
    fn record(&self) -> Option<Record> {
        let bytes = read(&self.folder, RECORD).ok()?;
        let record: Record = serde_json::from_slice(&bytes).ok()?;
        record.is_sound().then_some(record)
    }

    /// The bytes of all files whose character has changed, and of changed constants.
    fn changed_files(&self, record: &Record) -> core::result::Result<Files, Mismatch> {
        let mut files = Files::default();
        for (name, entry) in &record.characters {
            let wanted = self.wanted.is_empty() || self.wanted.contains(name);
            if wanted && self.characters.get(name) != Some(&entry.outputs) {
                let outputs = entry.outputs.iter();
                let all = outputs.map(|(file, digest)| whole(&self.folder.join(name), file, digest));
                files.characters.insert(name.clone(), all.collect::<core::result::Result<_, _>>()?);
            }
        }
        for (file, digest) in &record.constants.outputs {
            if self.constants.get(file) != Some(digest) {
                let (file, bytes) = whole(&self.folder, file, digest)?;
                files.constants.insert(file, bytes);
            }
        }
        Ok(files)
    }
}

/// A file that is not what the record names, and what it looked like before it was read.
struct Mismatch {
    path: PathBuf,
    file: Option<Stamp>,
}

/// Files that were read, by the names of characters and of files.
#[derive(Default)]
struct Files {
    characters: BTreeMap<String, BTreeMap<String, Vec<u8>>>,
    constants: BTreeMap<String, Vec<u8>>,
}

/// A file, if its bytes have that digest.
fn whole(folder: &Path, file: &str, digest: &str) -> core::result::Result<(String, Vec<u8>), Mismatch> {
    let path = folder.join(file);
    let stamp = Stamp::of(&path);
    match read(folder, file) {
        Ok(bytes) if blake3::hash(&bytes).to_hex().as_str() == digest => Ok((file.to_owned(), bytes)),
        _ => Err(Mismatch { path, file: stamp }),
    }
}

fn load(name: &str, files: &BTreeMap<String, Vec<u8>>) -> Result<Character> {
    let file = |file: &str| {
        let missing = || Error::new("runtime::file", "the build did not publish it").in_file(file);
        files.get(file).cloned().ok_or_else(missing)
    };
    let json = format!("{name}.vat.json");
    Character::load(&file(&json)?, &mut |name| file(name)).map_err(|e| e.in_file(&json))
}
