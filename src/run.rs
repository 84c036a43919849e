//! Recipes → fresh, cached or baked → published. Reports [`Event`]s, prints nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use rayon::prelude::*;

use crate::bake::{self, Baked, ClipJob, Origin};
use crate::cache::clips::{Clips, Workers};
use crate::cache::digest::{Digest, Fields};
use crate::cache::key::{ClipKey, used_joints};
use crate::cache::memo::Memo;
use crate::cache::publish::{OWN_FOLDER, Output};
use crate::cache::published::{self, Published, relative};
use crate::cache::reason::{Known, Reason, reasons};
use crate::cache::store::Store;
use crate::codegen;
use crate::files::{self, Inputs};
use crate::manifest::{Manifest, Recipe};
use crate::metadata;
use crate::problem::{Problem, Problems, Result};
use crate::source;

/// What to build, and with what.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Characters; empty for all. Constants always speak of all characters: with a part of them
    /// built, of the others as they were last published.
    pub only: Vec<String>,
    /// The folder of the store ([`cache::folder`](crate::cache::folder)); without one every clip
    /// of a character that is not fresh is baked.
    pub cache: Option<PathBuf>,
}

/// What happened. Clips and characters are done in any order.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// The build has begun.
    Started {
        /// Characters to build.
        characters: usize,
    },
    /// A clip was baked; nothing of it is written yet.
    ClipBaked {
        /// The character's name.
        character: &'a str,
        /// All that is known of it.
        clip: &'a metadata::Clip,
        /// Seconds that it took.
        seconds: f64,
        /// Why.
        reasons: &'a [Reason],
    },
    /// A clip is as it was published, or as the cache has it.
    ClipFresh {
        /// The character's name.
        character: &'a str,
        /// The clip's name.
        clip: &'a str,
    },
    /// Nothing of a character changed since it was published.
    CharacterFresh {
        /// The character's name.
        name: &'a str,
        /// Its clips.
        clips: usize,
    },
    /// All files of a character are in place.
    CharacterPublished {
        /// All that is known of it.
        character: &'a metadata::Character,
        /// Its files and their sizes in bytes.
        files: &'a [(PathBuf, u64)],
        /// Seconds from its first to its last byte.
        seconds: f64,
    },
    /// A character could not be baked or written. Its last outputs are as they were.
    CharacterFailed {
        /// The character's name.
        name: &'a str,
        /// Everything that is wrong.
        problems: &'a Problems,
    },
    /// A warning or note, or an error that concerns no single character.
    Problem(&'a Problem),
    /// A file of constants is in place.
    Constants {
        /// The file.
        path: &'a Path,
        /// Its size.
        bytes: u64,
    },
    /// Another process has what this one needs.
    Waiting {
        /// Who, as far as it is known.
        holder: &'a str,
    },
    /// The build is over.
    Finished(&'a Outcome),
}

/// What came of a build.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Characters that are as they should be.
    pub characters: usize,
    /// Clips baked.
    pub baked: usize,
    /// Clips that did not have to be baked.
    pub fresh: usize,
    /// Characters that failed, and one more if the constants did.
    pub failed: usize,
    /// Bytes of the files published.
    pub bytes: u64,
    /// Seconds.
    pub seconds: f64,
    /// The files that were read or known, sorted.
    pub inputs: Vec<PathBuf>,
}

/// Builds all characters, or those asked for. A character that fails does not stop the others.
pub fn build(manifest: &Manifest, options: &Options, events: &(dyn Fn(Event) + Sync)) -> Outcome {
    let start = Instant::now();
    let recipes: Vec<&Recipe> = manifest.recipes.iter().filter(|r| is_wanted(r, options)).collect();
    events(Event::Started { characters: recipes.len() });
    manifest.warnings.iter().for_each(|warning| events(Event::Problem(warning)));
    let build = Build::new(manifest, options, events);
    let done: Vec<Done> = recipes.par_iter().map(|recipe| build.character(recipe)).collect();
    let mut failed = done.iter().filter(|done| matches!(done, Done::Failed)).count();
    let characters = done.len() - failed;
    if let Err(problem) = build.finish(&recipes, done, options.only.is_empty()) {
        events(Event::Problem(&problem));
        failed += 1;
    }
    let outcome = Outcome {
        characters,
        baked: build.baked.into_inner(),
        fresh: build.fresh.into_inner(),
        failed,
        bytes: build.bytes.into_inner(),
        seconds: start.elapsed().as_secs_f64(),
        inputs: build.inputs.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().collect(),
    };
    events(Event::Finished(&outcome));
    outcome
}

fn is_wanted(recipe: &Recipe, options: &Options) -> bool {
    options.only.is_empty() || options.only.contains(&recipe.character)
}

/// What came of a character.
enum Done {
    Fresh,
    Published(Box<(published::Character, metadata::Character)>),
    Failed,
}

struct Build<'a> {
    manifest: &'a Manifest,
    events: &'a (dyn Fn(Event) + Sync),
    store: Option<Store>,
    workers: Workers,
    memo: Memo,
    published: Published,
    /// Taken by the first who has something to write, and held to the end.
    output: OnceLock<Result<Output>>,
    store_broken: AtomicBool,
    inputs: Mutex<BTreeSet<PathBuf>>,
    baked: AtomicUsize,
    fresh: AtomicUsize,
    bytes: AtomicU64,
}

/// Names of files and their bytes.
type Named = Vec<(String, Vec<u8>)>;

/// What is noted of the clips of a character while they are made.
type Notes = Mutex<BTreeMap<String, (ClipKey, Vec<Reason>)>>;

impl<'a> Build<'a> {
    fn new(manifest: &'a Manifest, options: &Options, events: &'a (dyn Fn(Event) + Sync)) -> Self {
        let store = options.cache.as_ref().and_then(|folder| match Store::open(folder) {
            Ok(store) => Some(store),
            Err(error) => {
                let message = format!("the cache in {} cannot be used: {error}", folder.display());
                let help = "the build goes on, and bakes every clip that changed here; name another folder with `VATPIPE_CACHE_DIR`";
                events(Event::Problem(&Problem::warning("cache::unusable", message).help(help)));
                None
            }
        });
        let out = &manifest.output.dir;
        Self {
            manifest,
            events,
            store,
            workers: Workers::default(),
            memo: Memo::read(&memo_path(out)),
            published: Published::read(out),
            output: OnceLock::new(),
            store_broken: AtomicBool::new(false),
            inputs: Mutex::default(),
            baked: AtomicUsize::new(0),
            fresh: AtomicUsize::new(0),
            bytes: AtomicU64::new(0),
        }
    }

    fn out(&self) -> &Path {
        &self.manifest.output.dir
    }

    /// The output folder, ours alone.
    fn output(&self) -> Result<&Output> {
        let waiting = |holder: &str| (self.events)(Event::Waiting { holder });
        let taken = self.output.get_or_init(|| Output::take(self.out(), &waiting));
        taken.as_ref().map_err(Clone::clone)
    }

    fn note_inputs(&self, paths: impl IntoIterator<Item = PathBuf>) {
        self.inputs.lock().unwrap_or_else(PoisonError::into_inner).extend(paths);
    }

    fn character(&self, recipe: &Recipe) -> Done {
        let digest = published::recipe_digest(recipe, &self.manifest.folder);
        let old = self.published.characters.get(&recipe.character);
        if let Some(old) = old.filter(|old| self.is_fresh(recipe, old, digest)) {
            let character = recipe.character.as_str();
            self.fresh.fetch_add(old.clips.len(), Ordering::Relaxed);
            old.clips.iter().for_each(|clip| (self.events)(Event::ClipFresh { character, clip: &clip.name }));
            (self.events)(Event::CharacterFresh { name: character, clips: old.clips.len() });
            return Done::Fresh;
        }
        match self.make(recipe, digest, old) {
            Ok(done) => Done::Published(Box::new(done)),
            Err(problems) => {
                (self.events)(Event::CharacterFailed { name: &recipe.character, problems: &problems });
                Done::Failed
            }
        }
    }

    fn is_fresh(&self, recipe: &Recipe, old: &published::Character, digest: Digest) -> bool {
        let same = |path: &Path, digest: Digest| self.memo.digest(path).is_ok_and(|now| now == digest);
        let folder = self.out().join(&recipe.character);
        let inputs = || old.inputs.iter().map(|(path, &digest)| (self.manifest.folder.join(path), digest));
        let fresh = old.recipe == digest
            && inputs().all(|(path, digest)| same(&path, digest))
            && old.outputs.iter().all(|(name, &digest)| same(&folder.join(name), digest));
        if fresh {
            self.note_inputs(inputs().map(|(path, _)| path));
        }
        fresh
    }

    /// Bakes what must be baked of a character, and publishes it.
    fn make(
        &self,
        recipe: &Recipe,
        digest: Digest,
        old: Option<&published::Character>,
    ) -> Result<(published::Character, metadata::Character), Problems> {
        let start = Instant::now();
        let (inputs, notes, joints) = (Inputs::new(), Notes::default(), OnceLock::new());
        let waiting = |holder: &str| (self.events)(Event::Waiting { holder });
        let warn = |problem: Problem| (self.events)(Event::Problem(&problem));
        let clips = Clips::new(self.store.as_ref(), &self.workers, &waiting, &self.store_broken, &warn);
        let make_clip = |job: &ClipJob| {
            let joints = joints.get_or_init(|| joint_names(job));
            let made = clips.make(job)?;
            let why = match made.origin {
                Origin::Cached => Vec::new(),
                Origin::Baked => self.why(&job.chosen.name, &made.key, made.fault, joints, old),
            };
            let mut notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
            notes.insert(job.chosen.name.clone(), (made.key, why));
            Ok((made.clip, made.origin))
        };
        let done = |clip: &metadata::Clip, origin: Origin, seconds: f64| {
            self.clip_done(&recipe.character, clip, origin, seconds, &notes);
        };
        let read = |path: &Path, options: &source::Options| self.read(&inputs, recipe, path, options);
        let baked = bake::bake(recipe, &read, &make_clip, &done);
        self.note_inputs(inputs.recorded().into_iter().map(|(path, _)| path));
        inputs.take_warnings().iter().for_each(|warning| (self.events)(Event::Problem(warning)));
        let baked = baked?;

        let outputs = self.publish(recipe, &baked, old)?;
        baked.warnings.iter().for_each(|warning| (self.events)(Event::Problem(warning)));
        let files: Vec<(PathBuf, u64)> = self.sizes(&recipe.character, &baked);
        let seconds = start.elapsed().as_secs_f64();
        (self.events)(Event::CharacterPublished { character: &baked.metadata, files: &files, seconds });
        let record = published::Character {
            recipe: digest,
            inputs: self.remember_inputs(&inputs),
            joints: joints.into_inner().unwrap_or_default(),
            clips: in_order(&baked.metadata, notes),
            outputs,
        };
        Ok((record, baked.metadata))
    }

    fn why(
        &self,
        clip: &str,
        key: &ClipKey,
        fault: Option<Reason>,
        joints: &[String],
        old: Option<&published::Character>,
    ) -> Vec<Reason> {
        let before = old.and_then(|old| {
            let key = &old.clips.iter().find(|c| c.name == clip)?.key;
            Some(Known { key, joints: &old.joints })
        });
        let mut why = reasons(before, Known { key, joints });
        if let Some(missing) = why.iter_mut().find(|reason| **reason == Reason::EntryMissing) {
            if self.store.is_none() {
                *missing = Reason::NoStore;
            }
            if let Some(fault) = fault {
                *missing = fault;
            }
        }
        why
    }

    fn clip_done(&self, character: &str, clip: &metadata::Clip, origin: Origin, seconds: f64, notes: &Notes) {
        match origin {
            Origin::Cached => {
                self.fresh.fetch_add(1, Ordering::Relaxed);
                (self.events)(Event::ClipFresh { character, clip: &clip.name });
            }
            Origin::Baked => {
                self.baked.fetch_add(1, Ordering::Relaxed);
                let notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
                let reasons = notes.get(&clip.name).map_or(Vec::new(), |(_, reasons)| reasons.clone());
                drop(notes);
                (self.events)(Event::ClipBaked { character, clip, seconds, reasons: &reasons });
            }
        }
    }

    fn read(
        &self,
        inputs: &Inputs,
        recipe: &Recipe,
        path: &Path,
        options: &source::Options,
    ) -> Result<source::Source, Problems> {
        let root = files::root_for(path, &self.manifest.folder);
        let root = (!recipe.mesh.allow_outside).then_some(root);
        let bytes = inputs.read(path).map_err(|p| p.in_file(path))?;
        source::read(&bytes, path, options, &mut |uri| {
            inputs.read_uri(uri, path, root).map(|bytes| bytes.to_vec())
        })
    }

    fn remember_inputs(&self, inputs: &Inputs) -> BTreeMap<String, Digest> {
        let mut remembered = BTreeMap::new();
        for (path, read) in inputs.recorded() {
            let Some(read) = read else { continue };
            read.seen.into_iter().for_each(|seen| self.memo.note(&path, seen));
            remembered.insert(relative(&path, &self.manifest.folder), read.digest);
        }
        remembered
    }

    fn publish(
        &self,
        recipe: &Recipe,
        baked: &Baked,
        old: Option<&published::Character>,
    ) -> Result<BTreeMap<String, Digest>> {
        let kept = |name: &String| baked.files.iter().any(|(file, _)| file == name);
        let gone = old.into_iter().flat_map(|old| &old.outputs).filter(|(name, _)| !kept(name));
        let removes = self.ours(&recipe.character, gone);
        self.output()?.publish(&recipe.character, &baked.files, removes, &self.memo)
    }

    /// Of files that were published once, those that nobody has changed since.
    fn ours<'b>(
        &self,
        folder: &str,
        files: impl Iterator<Item = (&'b String, &'b Digest)>,
    ) -> BTreeMap<String, Digest> {
        let folder = self.out().join(folder);
        let unchanged = |(name, digest): &(&String, &Digest)| {
            self.memo.digest(&folder.join(name)).is_ok_and(|now| now == **digest)
        };
        files.filter(unchanged).map(|(name, digest)| (name.clone(), *digest)).collect()
    }

    fn sizes(&self, character: &str, baked: &Baked) -> Vec<(PathBuf, u64)> {
        let folder = self.out().join(character);
        let files: Vec<(PathBuf, u64)> =
            baked.files.iter().map(|(name, bytes)| (folder.join(name), bytes.len() as u64)).collect();
        self.bytes.fetch_add(files.iter().map(|(_, bytes)| bytes).sum(), Ordering::Relaxed);
        files
    }

    /// Constants, the record of what was published, and what is not wanted any more.
    fn finish(&self, recipes: &[&Recipe], done: Vec<Done>, whole: bool) -> Result<()> {
        let mut built = BTreeMap::new();
        for (recipe, done) in recipes.iter().zip(done) {
            if let Done::Published(done) = done {
                built.insert(recipe.character.as_str(), *done);
            }
        }
        let orphans: Vec<String> = self.orphans(whole);
        let mut record = self.published.clone();
        orphans.iter().for_each(|name| {
            record.characters.remove(name);
        });
        for (name, (character, _)) in &built {
            record.characters.insert((*name).to_owned(), character.clone());
        }
        // Characters count as published even where the constants fail.
        let (constants, failure) = match self.constants(&record, &built) {
            Ok(constants) => (constants, None),
            Err(problem) => (None, Some(problem)),
        };
        if constants.is_some() || !built.is_empty() || !orphans.is_empty() {
            self.write_record(record, constants, &built, &orphans)?;
        }
        self.keep_memo();
        failure.map_or(Ok(()), Err)
    }

    /// The constants, and the digest of what they are made of; `None` if they are as they should be.
    fn constants(
        &self,
        record: &Published,
        built: &BTreeMap<&str, (published::Character, metadata::Character)>,
    ) -> Result<Option<(Digest, Named)>> {
        let templates = match &self.manifest.output.templates {
            Some(folder) => self.read_templates(folder)?,
            None => BTreeMap::new(),
        };
        let key = self.constants_key(record, &templates);
        let last = &self.published.constants;
        let fresh = last.key == Some(key)
            && last.outputs.iter().all(|(name, digest)| {
                self.memo.digest(&self.out().join(name)).is_ok_and(|now| now == *digest)
            });
        if fresh { Ok(None) } else { Ok(Some((key, self.generate(built, &templates)?))) }
    }

    fn read_templates(&self, folder: &Path) -> Result<BTreeMap<String, String>> {
        let inputs = Inputs::new();
        let templates = files::read_templates(&inputs, folder)?;
        self.note_inputs(inputs.recorded().into_iter().map(|(path, _)| path));
        Ok(templates)
    }

    /// Characters that were published and that the manifest does not know any more.
    fn orphans(&self, whole: bool) -> Vec<String> {
        let known = |name: &String| self.manifest.recipes.iter().any(|r| r.character == *name);
        let all = self.published.characters.keys().filter(|name| whole && !known(name));
        all.cloned().collect()
    }

    fn constants_key(&self, record: &Published, templates: &BTreeMap<String, String>) -> Digest {
        let mut fields = Fields::new("vatpipe 2026 constants v1");
        fields.text(env!("CARGO_PKG_VERSION")).number(self.manifest.output.targets.len() as u64);
        self.manifest.output.targets.iter().for_each(|target| {
            fields.text(target);
        });
        fields.number(templates.len() as u64);
        for (name, text) in templates {
            fields.text(name).text(text);
        }
        for recipe in &self.manifest.recipes {
            let character = record.characters.get(&recipe.character);
            let metadata = character.and_then(|c| c.outputs.get(&metadata_name(&recipe.character)));
            metadata.into_iter().for_each(|digest| {
                fields.text(&recipe.character).digest(*digest);
            });
        }
        fields.finish()
    }

    /// Constants of all characters: those just published, and the others as their metadata says.
    fn generate(
        &self,
        built: &BTreeMap<&str, (published::Character, metadata::Character)>,
        templates: &BTreeMap<String, String>,
    ) -> Result<Vec<(String, Vec<u8>)>> {
        let mut characters = Vec::new();
        for recipe in &self.manifest.recipes {
            let now = built.get(recipe.character.as_str()).map(|(_, metadata)| metadata.clone());
            characters.extend(now.or_else(|| self.last_published(&recipe.character)));
        }
        let sources = codegen::generate(&characters, &self.manifest.output.targets, templates)?;
        Ok(sources.into_iter().map(|file| (file.file_name, file.text.into_bytes())).collect())
    }

    fn last_published(&self, character: &str) -> Option<metadata::Character> {
        let path = self.out().join(character).join(metadata_name(character));
        // An output, not an input: read past the record.
        let bytes = Inputs::new().read(&path).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    fn write_record(
        &self,
        mut record: Published,
        constants: Option<(Digest, Named)>,
        built: &BTreeMap<&str, (published::Character, metadata::Character)>,
        orphans: &[String],
    ) -> Result<()> {
        let output = self.output()?;
        for name in orphans {
            let gone = self.published.characters[name].outputs.iter();
            output.publish(name, &[], self.ours(name, gone), &self.memo)?;
        }
        // Another process may have published other characters in the meantime.
        let mut now = Published::read(self.out());
        now.characters.retain(|name, _| !orphans.contains(name));
        for (name, character) in std::mem::take(&mut record.characters) {
            if built.contains_key(name.as_str()) || !now.characters.contains_key(&name) {
                now.characters.insert(name, character);
            }
        }
        let mut removes = BTreeMap::new();
        let (constants, mut files) = constants.map_or((None, Vec::new()), |(key, files)| (Some(key), files));
        if let Some(key) = constants {
            let kept = |name: &String| files.iter().any(|(file, _)| file == name);
            removes = self.ours("", self.published.constants.outputs.iter().filter(|(name, _)| !kept(name)));
            let outputs = files.iter().map(|(name, bytes)| (name.clone(), Digest::of(bytes))).collect();
            now.constants = published::Constants { key: Some(key), outputs };
        }
        let sizes: Vec<(PathBuf, u64)> =
            files.iter().map(|(name, bytes)| (self.out().join(name), bytes.len() as u64)).collect();
        files.push((published::FILE.to_owned(), now.to_json()));
        output.publish("", &files, removes, &self.memo)?;
        for (path, bytes) in &sizes {
            self.bytes.fetch_add(*bytes, Ordering::Relaxed);
            (self.events)(Event::Constants { path, bytes: *bytes });
        }
        Ok(())
    }

    fn keep_memo(&self) {
        // A folder that cannot be written has no memo, and the next build reads more.
        if let Some(text) = self.memo.to_keep() {
            let _ = files::write(&memo_path(self.out()), &text);
        }
    }
}

fn memo_path(out: &Path) -> PathBuf {
    out.join(OWN_FOLDER).join("memo.json")
}

fn metadata_name(character: &str) -> String {
    format!("{character}.vat.json")
}

fn joint_names(job: &ClipJob) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut used = used_joints(job.rig);
    used.sort_unstable();
    for joint in used {
        let name = &job.source.nodes[job.rig.joints[joint as usize].node].name;
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

fn in_order(metadata: &metadata::Character, notes: Notes) -> Vec<published::Clip> {
    let mut notes = notes.into_inner().unwrap_or_else(PoisonError::into_inner);
    let clip = |clip: &metadata::Clip| {
        let (key, _) = notes.remove(&clip.name)?;
        Some(published::Clip { name: clip.name.clone(), key })
    };
    metadata.clips.iter().filter_map(clip).collect()
}

/// Serialises events for sinks that are not `Sync`, such as a vector in a test.
pub fn serialised<'a>(sink: impl FnMut(Event) + Send + 'a) -> impl Fn(Event) + Sync + 'a {
    let sink = Mutex::new(sink);
    move |event| {
        let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
        sink(event);
    }
}
