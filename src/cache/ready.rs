//! What a build with nothing to do has seen, so that the next one need not even read the manifest's tables.
//!
//! `<cache>/v1/ready/<digest of the manifest's path>` holds the digest of the manifest's text, what the file system said of
//! every input and output, and the names of characters and clips. It is written only by a build that found everything
//! fresh, and only if each file is old enough for a change to show ([`Seen::can_tell`]). If all of it still holds, such a
//! build would find the same again; if anything differs, or the file is damaged, the build goes the usual way.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::digest::Digest;
use super::key::BAKE_VERSION;
use super::memo::{Memo, Seen, Stamp};
use super::published::relative;
use super::store::Store;

/// What was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ready {
    /// The names of characters, in order, and those of their clips.
    pub characters: Vec<(String, Vec<String>)>,
    /// The files that characters are made of.
    pub inputs: Vec<(PathBuf, Stamp)>,
    /// The files that were made.
    pub outputs: Vec<(PathBuf, Stamp)>,
    /// The output folder.
    pub out: PathBuf,
}

/// The stamps of files, if a change of each of them would show.
pub fn stamps(memo: &Memo, paths: impl IntoIterator<Item = PathBuf>) -> Option<Vec<(PathBuf, Stamp)>> {
    let stamp = |path: PathBuf| {
        let seen = memo.seen(&path).filter(Seen::can_tell)?;
        Some((path, seen.stamp))
    };
    paths.into_iter().map(stamp).collect()
}

/// Where it is kept for a manifest.
fn path(store: &Store, manifest: &Path) -> Option<PathBuf> {
    let manifest = std::path::absolute(manifest).ok()?;
    let name = Digest::of(manifest.as_os_str().as_encoded_bytes()).to_string();
    Some(store.root().join("ready").join(name))
}

/// What enters beside the manifest: another version of the program trusts nothing.
fn version() -> String {
    format!("vatpipe {} {BAKE_VERSION} ready 1", env!("CARGO_PKG_VERSION"))
}

impl Ready {
    /// Reads what was seen, if the manifest has the same text and every file is as it was. `folder` is that of the
    /// manifest.
    pub fn find(store: &Store, manifest: &Path, folder: &Path) -> Option<Self> {
        let body = store.sealed(&path(store, manifest)?)?;
        let text = Digest::of(&std::fs::read(manifest).ok()?);
        let ready = Self::decode(&mut Reader(&body), text, folder)?;
        let same = |(path, stamp): &(PathBuf, Stamp)| Stamp::of(path).is_ok_and(|now| now == *stamp);
        let all = ready.inputs.par_iter().chain(&ready.outputs).with_min_len(256);
        all.all(same).then_some(ready)
    }

    /// Keeps it. `text` is the digest of the manifest's text as it was read.
    pub fn keep(&self, store: &Store, manifest: &Path, text: Digest, folder: &Path) {
        let Some(path) = path(store, manifest) else { return };
        // Without it the next build reads more, and that is all.
        let _ = store.seal(&path, &self.encode(text, folder));
    }

    fn encode(&self, text: Digest, folder: &Path) -> Vec<u8> {
        let mut bytes = Vec::new();
        put(&mut bytes, version().as_bytes());
        put(&mut bytes, text.to_string().as_bytes());
        put(&mut bytes, relative(&self.out, folder).as_bytes());
        number(&mut bytes, self.characters.len() as u64);
        for (name, clips) in &self.characters {
            put(&mut bytes, name.as_bytes());
            number(&mut bytes, clips.len() as u64);
            clips.iter().for_each(|clip| put(&mut bytes, clip.as_bytes()));
        }
        for files in [&self.inputs, &self.outputs] {
            number(&mut bytes, files.len() as u64);
            for (path, stamp) in files {
                put(&mut bytes, relative(path, folder).as_bytes());
                number(&mut bytes, stamp.len);
                number(&mut bytes, stamp.modified as u64);
                number(&mut bytes, stamp.id);
            }
        }
        bytes
    }

    fn decode(reader: &mut Reader, text: Digest, folder: &Path) -> Option<Self> {
        let same = reader.text()? == version() && reader.text()?.parse().ok() == Some(text);
        if !same {
            return None;
        }
        let mut ready = Self { out: folder.join(reader.text()?), ..Self::default() };
        for _ in 0..reader.number()? {
            let name = reader.text()?.to_owned();
            let clips: Option<Vec<String>> =
                (0..reader.number()?).map(|_| reader.text().map(str::to_owned)).collect();
            ready.characters.push((name, clips?));
        }
        for files in [&mut ready.inputs, &mut ready.outputs] {
            for _ in 0..reader.number()? {
                let path = folder.join(reader.text()?);
                let (len, modified) = (reader.number()?, reader.number()? as i64);
                files.push((path, Stamp { len, modified, id: reader.number()? }));
            }
        }
        Some(ready)
    }
}

fn number(bytes: &mut Vec<u8>, number: u64) {
    bytes.extend(number.to_le_bytes());
}

fn put(bytes: &mut Vec<u8>, field: &[u8]) {
    number(bytes, field.len() as u64);
    bytes.extend(field);
}

/// Takes fields off the front.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    fn text(&mut self) -> Option<&'a str> {
        let len = usize::try_from(self.number()?).ok()?;
        let (field, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        std::str::from_utf8(field).ok()
    }
}
