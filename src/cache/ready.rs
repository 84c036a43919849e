//! What a build with nothing to do has seen, so that the next one reads only what concerns the files that changed since.
//!
//! `<cache>/v1/ready/<digest of the manifest's path>` holds the digest of the manifest's text, what the file system said of
//! every input and output, and what else is needed of characters whose files are as they were. It is written only by a
//! build that found everything fresh, and only if each file is old enough for a change to show ([`Seen::can_tell`]). So a
//! build that finds everything as it was would find the same again, and one that finds some files changed has to look at
//! their characters alone. If the manifest has another text, or the file is damaged, the build goes the usual way.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::bytes::{self, Reader};
use super::digest::Digest;
use super::key::BAKE_VERSION;
use super::memo::{Memo, Seen, Stamp};
use super::published::relative;
use super::store::Store;
use crate::manifest::Cache;

/// What was seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Ready {
    /// The output folder.
    pub out: PathBuf,
    /// Characters, in the order of the manifest.
    pub characters: Vec<Character>,
    /// The files that characters are made of.
    pub inputs: Vec<(PathBuf, Seen)>,
    /// The constants, and the record of what was published.
    pub shared: Vec<(PathBuf, Seen)>,
    /// Digests of runs of characters in the record ([`Published::run_digests`](super::published::Published::run_digests)).
    pub runs: Vec<Digest>,
    /// What the manifest says of the cache.
    pub cache: Cache,
}

/// A character that was fresh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Character {
    /// Its name.
    pub name: String,
    /// The names of its clips.
    pub clips: Vec<String>,
    /// The digest of its recipe.
    pub recipe: Digest,
    /// The digest of what the record says of it.
    pub record: Digest,
    /// The digest of its metadata's text.
    pub metadata: Digest,
    /// Whether there are warnings, which are repeated: it is looked at each time.
    pub warned: bool,
    /// The files that it is made of, by their place in [`Ready::inputs`].
    pub inputs: Vec<usize>,
    /// Its files.
    pub outputs: Vec<(PathBuf, Seen)>,
}

/// What was seen, and what is not so any more.
pub struct Found {
    /// What was seen.
    pub ready: Ready,
    /// The text of the manifest: the same as then.
    pub text: String,
    /// Characters that are to be looked at: with files that are not as they were, or with warnings.
    pub changed: BTreeSet<usize>,
    /// Whether any file is not as it was.
    pub is_stale: bool,
}

/// A file as it was seen, if a change of it would show.
pub fn seen(memo: &Memo, path: &Path) -> Option<Seen> {
    memo.seen(path).filter(Seen::can_tell)
}

/// Where it is kept for a manifest.
fn path(store: &Store, manifest: &Path) -> Option<PathBuf> {
    let manifest = std::path::absolute(manifest).ok()?;
    let name = Digest::of(manifest.as_os_str().as_encoded_bytes()).to_string();
    Some(store.root().join("ready").join(name))
}

/// What enters beside the manifest: another version of the program trusts nothing.
fn version() -> String {
    format!("vatpipe {} {BAKE_VERSION} ready 5", env!("CARGO_PKG_VERSION"))
}

fn is_as_it_was((path, seen): &(PathBuf, Seen)) -> bool {
    Stamp::of(path).is_ok_and(|now| now == seen.stamp)
}

impl Ready {
    /// Reads what was seen, if the manifest has the same text, and asks for every file. `folder` is that of the manifest.
    /// `begin` is told the output folder where that is of a later build, before all the rest is read.
    pub fn find(
        store: &Store,
        manifest: &Path,
        text: String,
        folder: &Path,
        begin: impl FnOnce(&Path),
    ) -> Option<Found> {
        let body = store.sealed(&path(store, manifest)?)?;
        let mut reader = Reader(&body);
        let (out, shared) = Self::decode_shared(&mut reader, Digest::of(text.as_bytes()), folder)?;
        let is_of_later = !shared.iter().all(is_as_it_was);
        if is_of_later {
            begin(&out);
        }
        let ready = Self::decode(&mut reader, folder, out, shared)?;
        let inputs: Vec<bool> = ready.inputs.par_iter().with_min_len(256).map(is_as_it_was).collect();
        let same = |character: &Character| {
            character.inputs.iter().all(|&input| inputs[input]) && character.outputs.iter().all(is_as_it_was)
        };
        let same: Vec<bool> = ready.characters.par_iter().with_min_len(64).map(same).collect();
        let is_stale = is_of_later || same.contains(&false);
        let look = |index: &usize| !same[*index] || ready.characters[*index].warned;
        let changed = (0..same.len()).filter(look).collect();
        Some(Found { ready, text, changed, is_stale })
    }

    /// Keeps it. `text` is the digest of the manifest's text as it was read.
    pub fn keep(&self, store: &Store, manifest: &Path, text: Digest, folder: &Path) {
        let Some(path) = path(store, manifest) else { return };
        // Without it the next build reads more, and that is all.
        let _ = store.seal(&path, &self.encode(text, folder));
    }

    fn encode(&self, text: Digest, folder: &Path) -> Vec<u8> {
        let Self { out, characters, inputs, shared, runs, cache } = self;
        let mut body = Vec::new();
        bytes::text(&mut body, &version());
        bytes::digest(&mut body, text);
        bytes::text(&mut body, &relative(out, folder));
        put_files(&mut body, shared, folder);
        let dir = cache.dir.as_ref().map_or(String::new(), |dir| relative(dir, folder));
        bytes::text(&mut body, &dir);
        [cache.dir.is_some().into(), cache.max_size, cache.max_age]
            .iter()
            .for_each(|n| bytes::number(&mut body, *n));
        put_files(&mut body, inputs, folder);
        bytes::number(&mut body, runs.len() as u64);
        runs.iter().for_each(|run| bytes::digest(&mut body, *run));
        bytes::number(&mut body, characters.len() as u64);
        for Character { name, clips, recipe, record, metadata, warned, inputs, outputs } in characters {
            bytes::text(&mut body, name);
            bytes::number(&mut body, clips.len() as u64);
            clips.iter().for_each(|clip| bytes::text(&mut body, clip));
            [recipe, record, metadata].iter().for_each(|digest| bytes::digest(&mut body, **digest));
            bytes::number(&mut body, (*warned).into());
            bytes::number(&mut body, inputs.len() as u64);
            inputs.iter().for_each(|input| bytes::number(&mut body, *input as u64));
            put_files(&mut body, outputs, folder);
        }
        body
    }

    /// The output folder, and the files of all characters in it.
    fn decode_shared(
        reader: &mut Reader,
        text: Digest,
        folder: &Path,
    ) -> Option<(PathBuf, Vec<(PathBuf, Seen)>)> {
        if reader.text()? != version() || reader.digest()? != text {
            return None;
        }
        Some((folder.join(reader.text()?), take_files(reader, folder)?))
    }

    fn decode(
        reader: &mut Reader,
        folder: &Path,
        out: PathBuf,
        shared: Vec<(PathBuf, Seen)>,
    ) -> Option<Self> {
        let dir = folder.join(reader.text()?);
        let dir = (reader.number()? == 1).then_some(dir);
        let cache = Cache { dir, max_size: reader.number()?, max_age: reader.number()? };
        let inputs = take_files(reader, folder)?;
        let runs = (0..reader.count()?).map(|_| reader.digest()).collect::<Option<_>>()?;
        let characters = (0..reader.count()?).map(|_| Character::decode(reader, inputs.len(), folder));
        let characters = characters.collect::<Option<_>>()?;
        Some(Self { out, characters, inputs, shared, runs, cache })
    }
}

impl Character {
    fn decode(reader: &mut Reader, all_inputs: usize, folder: &Path) -> Option<Self> {
        let name = reader.text()?.to_owned();
        let clips = (0..reader.count()?).map(|_| reader.text().map(str::to_owned)).collect::<Option<_>>()?;
        let (recipe, record, metadata) = (reader.digest()?, reader.digest()?, reader.digest()?);
        let warned = reader.number()? != 0;
        let input = |reader: &mut Reader| reader.number().map(|at| at as usize).filter(|at| *at < all_inputs);
        let inputs = (0..reader.count()?).map(|_| input(reader)).collect::<Option<_>>()?;
        let outputs = take_files(reader, folder)?;
        Some(Self { name, clips, recipe, record, metadata, warned, inputs, outputs })
    }
}

fn put_files(body: &mut Vec<u8>, files: &[(PathBuf, Seen)], folder: &Path) {
    bytes::number(body, files.len() as u64);
    for (path, seen) in files {
        bytes::text(body, &relative(path, folder));
        seen.encode(body);
    }
}

fn take_files(reader: &mut Reader, folder: &Path) -> Option<Vec<(PathBuf, Seen)>> {
    (0..reader.count()?).map(|_| Some((folder.join(reader.text()?), Seen::decode(reader)?))).collect()
}

/// Collects the files of characters, each once.
#[derive(Default)]
pub struct Files {
    places: BTreeMap<PathBuf, usize>,
    /// In the order in which they came.
    pub all: Vec<(PathBuf, Seen)>,
}

impl Files {
    /// The place of a file.
    pub fn place(&mut self, path: PathBuf, seen: Seen) -> usize {
        if let Some(place) = self.places.get(&path) {
            return *place;
        }
        self.places.insert(path.clone(), self.all.len());
        self.all.push((path, seen));
        self.all.len() - 1
    }
}
