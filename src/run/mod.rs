//! Recipes → fresh, cached or baked → published. Reports [`Event`]s, prints nothing.

mod cancel;
mod check;
#[cfg(feature = "picture")]
mod draw;
mod early;
mod events;
mod excerpt;
mod finish;
mod glance;
mod guard;
mod locked;
mod looking;
mod names;
mod notes;
mod plan;
mod reading;
#[cfg(feature = "picture")]
mod report;
mod start;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use rayon::prelude::*;

use crate::bake::{self, Baked, ClipJob, ClipNews, Origin};
use crate::cache::clips::{Bakers, Clips};
use crate::cache::constants;
use crate::cache::digest::Digest;
use crate::cache::fresh::{self, metadata_name};
use crate::cache::gc::{self, Limits};
use crate::cache::lods::Lods;
use crate::cache::memo::{self, Memo, Stamp};
use crate::cache::publish::{self, Output};
use crate::cache::published::{self, Published, relative};
use crate::cache::reason::Known;
use crate::cache::store::Store;
use crate::cache::warnings::Warning;
use crate::cache::why::Last;
use crate::files::Inputs;
use crate::lod::LodJob;
use crate::manifest::{Manifest, Recipe};
use crate::metadata;
use crate::problem::{Problem, Problems, Result};
use crate::source;
use notes::{Note, Notes, changes, in_order, known_joints, why};
use reading::read;
use start::{Listed, Start};

pub use cancel::Cancel;
pub use check::{Cause, CharacterReport, ClipReport, Report, check};
#[cfg(feature = "picture")]
pub use draw::{Drawing, Drawn, DrawnClip, Kind, draw};
pub use events::{Event, Outcome, serialised};
pub use finish::check_targets;
pub use glance::{at_a_glance, at_a_glance_until};
pub use locked::DIFFERS;
pub use names::check_names;
pub use plan::{PlannedCharacter, PlannedClip, plan};
#[cfg(feature = "picture")]
pub use report::report;

/// What to build, and with what.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Characters; empty for all. Constants always speak of all characters: with a part of them
    /// built, of the others as they were last published.
    pub only: Vec<String>,
    /// The folder of the store ([`cache::folder`](crate::cache::folder)); without one every clip
    /// of a character that is not fresh is baked.
    pub cache: Option<PathBuf>,
    /// What the store may hold: it is looked after at most once a day, at the end of a build. Never
    /// without limits.
    pub limits: Option<Limits>,
    /// Told while the build goes on which files are not as it has read them: characters made of them are abandoned.
    pub cancel: Option<Arc<Cancel>>,
    /// Whether outputs must be those that are recorded: files that are missing are made, and what would be another file fails
    /// with [`DIFFERS`]. [`check()`] then compares with the record, and does not mind files that are missing.
    pub locked: bool,
}

/// Builds all characters, or those asked for. A character that fails does not stop the others.
pub fn build(manifest: &Manifest, options: &Options, events: &(dyn Fn(Event) + Sync)) -> Outcome {
    let start = Instant::now();
    let recipes: Vec<&Recipe> = manifest.recipes.iter().filter(|r| is_wanted(r, options)).collect();
    events(Event::Started { characters: recipes.len() });
    manifest.warnings.iter().for_each(|warning| events(Event::Problem(warning)));
    let build = Build::new(manifest, options, events, Start::all(manifest));
    build.run(&recipes, options, start)
}

impl Build<'_> {
    /// Builds these characters, and ends the build.
    fn run(self, recipes: &[&Recipe], options: &Options, start: Instant) -> Outcome {
        let done: Vec<Done> = recipes.par_iter().map(|recipe| self.character(recipe)).collect();
        let mut failed = done.iter().filter(|done| matches!(done, Done::Failed)).count();
        let abandoned = done.iter().filter(|done| matches!(done, Done::Abandoned)).count();
        let characters = self.known.fresh().count() + done.len() - failed - abandoned;
        let finished = if self.cancel.as_ref().is_some_and(|cancel| cancel.is_all()) {
            // As if it were killed: what is published stands, and the next build finds it.
            self.drop_early(done);
            Ok(())
        } else {
            self.finish(recipes, done, options.only.is_empty())
        };
        if let Err(problem) = &finished {
            (self.events)(Event::Problem(problem));
            failed += 1;
        }
        let (store, events) = (self.store, self.events);
        drop(self.using);
        // What is long is given back meanwhile.
        rayon::spawn(move || drop((self.published, self.memo)));
        let (inputs, outputs) = self.known.into_files();
        let outcome = Outcome {
            characters,
            baked: self.baked.into_inner(),
            fresh: self.fresh.into_inner(),
            failed,
            abandoned,
            constants_failed: finished.is_err(),
            bytes: self.bytes.into_inner(),
            seconds: start.elapsed().as_secs_f64(),
            inputs: sorted(inputs, self.inputs),
            outputs: sorted(outputs, self.outputs),
        };
        end_all(&self.later);
        events(Event::Finished(&outcome));
        if let (Some(store), Some(limits)) = (store, options.limits) {
            gc::daily(store.root(), limits);
        }
        outcome
    }
}

/// Waits for threads to end.
fn end_all(threads: &Mutex<Vec<JoinHandle<()>>>) {
    let threads = std::mem::take(&mut *threads.lock().unwrap_or_else(PoisonError::into_inner));
    threads.into_iter().for_each(|thread| drop(thread.join()));
}

fn sorted(known: Vec<PathBuf>, more: Mutex<BTreeSet<PathBuf>>) -> Vec<PathBuf> {
    let mut all = known;
    all.extend(more.into_inner().unwrap_or_else(PoisonError::into_inner));
    by_bytes(&mut all);
    all.dedup_by(|a, b| a.as_os_str() == b.as_os_str());
    all
}

/// Sorts paths, faster than by their folders.
fn by_bytes(paths: &mut [PathBuf]) {
    // In runs already.
    paths.sort_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
}

fn is_wanted(recipe: &Recipe, options: &Options) -> bool {
    options.only.is_empty() || options.only.contains(&recipe.character)
}

/// What came of a character.
enum Done {
    Fresh,
    Published(Box<Made>),
    Failed,
    /// What it is made of changed meanwhile, or the build is being ended.
    Abandoned,
}

/// A character that was published.
struct Made {
    record: published::Character,
    metadata: metadata::Character,
    why: BTreeMap<String, Last>,
    early: Option<early::Early>,
}

struct Build<'a> {
    known: Start,
    manifest: &'a Manifest,
    events: &'a (dyn Fn(Event) + Sync),
    store: Option<Store>,
    bakers: Bakers,
    /// Keeps the garbage collector out.
    using: Option<gc::Use>,
    memo: Memo,
    published: Published,
    /// Of the file of the record, before it was read.
    published_stamp: Option<Stamp>,
    /// Taken by the first who has something to write, and held to the end.
    output: OnceLock<Result<Output>>,
    store_broken: AtomicBool,
    inputs: Mutex<BTreeSet<PathBuf>>,
    outputs: Mutex<BTreeSet<PathBuf>>,
    baked: AtomicUsize,
    fresh: AtomicUsize,
    bytes: AtomicU64,
    last_constants: OnceLock<constants::Last>,
    /// What is to be done before the end.
    later: Mutex<Vec<JoinHandle<()>>>,
    cancel: Option<Arc<Cancel>>,
    locked: bool,
}

impl<'a> Build<'a> {
    fn new(
        manifest: &'a Manifest,
        options: &Options,
        events: &'a (dyn Fn(Event) + Sync),
        mut known: Start,
    ) -> Self {
        let store = options.cache.as_ref().and_then(|folder| match Store::open(folder) {
            Ok(store) => Some(store),
            Err(error) => {
                let message = format!("the cache in {} cannot be used: {error}", folder.display());
                let help = "the build goes on, and bakes every clip that changed here; name another folder with `VATPIPE_CACHE_DIR`";
                events(Event::Problem(&Problem::warning("cache::unusable", message).help(help)));
                None
            }
        });
        let waiting = |holder: &str| events(Event::Waiting { holder });
        let using = store.as_ref().and_then(|store| gc::using(store.root(), &waiting));
        let out = &manifest.output.dir;
        // Ended first: what was published depends on it.
        let output = OnceLock::new();
        if publish::is_unfinished(out) {
            output.get_or_init(|| Output::take(out, &waiting));
        }
        let record = || (Stamp::of(&out.join(published::FILE)).ok(), Published::read(out));
        let (published_stamp, published) = known.record.take().unwrap_or_else(record);
        let memo = known.memo.take().unwrap_or_else(|| Memo::read(&memo::path(out)));
        Self {
            known,
            manifest,
            events,
            store,
            bakers: Bakers::default(),
            using,
            memo,
            published_stamp,
            published,
            output,
            store_broken: AtomicBool::new(false),
            inputs: Mutex::default(),
            outputs: Mutex::default(),
            baked: AtomicUsize::new(0),
            fresh: AtomicUsize::new(0),
            bytes: AtomicU64::new(0),
            last_constants: OnceLock::new(),
            later: Mutex::default(),
            cancel: options.cancel.clone(),
            locked: options.locked,
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
        let old = self.published.get(&recipe.character);
        if let Some(old) = old.filter(|old| self.is_fresh(recipe, old, digest)) {
            let character = recipe.character.as_str();
            self.fresh.fetch_add(old.clips.len(), Ordering::Relaxed);
            old.clips.iter().for_each(|clip| (self.events)(Event::ClipFresh { character, clip: &clip.name }));
            (self.events)(Event::CharacterFresh { name: character, clips: old.clips.len() });
            for warning in &old.warnings {
                (self.events)(Event::Problem(&warning.problem(recipe, self.manifest)));
            }
            return Done::Fresh;
        }
        let inputs = Inputs::new();
        match self.make(recipe, digest, old, &inputs) {
            Ok(done) => Done::Published(Box::new(done)),
            // Whatever was wrong with it is not so any more.
            Err(_) if self.go_on(&inputs).is_err() => {
                (self.events)(Event::CharacterAbandoned { name: &recipe.character });
                Done::Abandoned
            }
            Err(problems) => {
                (self.events)(Event::CharacterFailed { name: &recipe.character, problems: &problems });
                Done::Failed
            }
        }
    }

    /// Whether what was read of a character is still so.
    fn go_on(&self, inputs: &Inputs) -> Result<()> {
        self.cancel.as_ref().map_or(Ok(()), |cancel| cancel.check(inputs))
    }

    fn is_fresh(&self, recipe: &Recipe, old: &published::Character, digest: Digest) -> bool {
        let (manifest, memo) = (self.manifest, &self.memo);
        let fresh = old.recipe == digest
            && fresh::inputs(old, manifest).all(|(path, digest)| fresh::is_same(memo, &path, digest))
            && fresh::has_outputs(&recipe.character, old, self.out(), memo);
        if fresh {
            self.note_inputs(fresh::inputs(old, manifest).map(|(path, _)| path));
        }
        fresh
    }

    /// Bakes what must be baked of a character, and publishes it.
    fn make(
        &self,
        recipe: &Recipe,
        digest: Digest,
        old: Option<&published::Character>,
        inputs: &Inputs,
    ) -> Result<Made, Problems> {
        let start = Instant::now();
        let (notes, joints) = (Notes::default(), OnceLock::new());
        let waiting = |holder: &str| (self.events)(Event::Waiting { holder });
        let warn = |problem: Problem| (self.events)(Event::Problem(&problem));
        let clips = Clips::new(self.store.as_ref(), &self.bakers, &waiting, &self.store_broken, &warn);
        let make_clip = |job: &ClipJob| {
            let joints = known_joints(job, old, &joints);
            let clip = bake::label(&job.chosen.name, job.lod);
            let clip = clip.as_str();
            let failed = |problem: &Problem| {
                (self.events)(Event::ClipFailed { character: &recipe.character, clip, problem });
            };
            self.go_on(inputs)?;
            let made = clips.make(job).and_then(|made| bake::within(job, &made.clip).map(|()| made));
            let made = made.inspect_err(failed)?;
            let new = Known { key: &made.key, joints: &joints };
            let because = match made.origin {
                Origin::Cached => changes(clip, new, old),
                Origin::Baked => why(clip, new, old, made.fault, self.store.is_some()),
            };
            let note = Note { key: made.key, last: Last { origin: made.origin, because } };
            notes.lock().unwrap_or_else(PoisonError::into_inner).insert(clip.to_owned(), note);
            Ok((made.clip, made.origin))
        };
        let done = |clip: &ClipNews, origin: Origin, seconds: f64| {
            self.clip_done(&recipe.character, clip, origin, seconds, &notes);
        };
        let read =
            |path: &Path, options: &source::Options| read(self.manifest, inputs, recipe, path, options);
        let make_lods =
            |job: &LodJob| self.go_on(inputs).map(|()| Lods::new(self.store.as_ref(), true).make(job));
        let baked = bake::bake(recipe, &read, &make_lods, &make_clip, &done);
        self.note_inputs(inputs.recorded().into_iter().map(|(path, _)| path));
        let warnings = inputs.take_warnings();
        warnings.iter().for_each(|warning| (self.events)(Event::Problem(warning)));
        let baked = baked?;

        self.go_on(inputs)?;
        let notes = notes.into_inner().unwrap_or_else(PoisonError::into_inner);
        let all = warnings.iter().chain(&baked.warnings);
        let record = |outputs| published::Character {
            recipe: digest,
            inputs: self.remember_inputs(inputs),
            joints: joints.get().cloned().unwrap_or_default(),
            clips: in_order(&baked.metadata, &notes),
            outputs,
            warnings: all.map(|w| Warning::of(w, recipe, &self.manifest.folder)).collect(),
        };
        let (record, early) = self.publish_early(recipe, &baked, old, record)?;
        baked.warnings.iter().for_each(|warning| (self.events)(Event::Problem(warning)));
        let files: Vec<(PathBuf, u64)> = self.sizes(&recipe.character, &baked);
        let seconds = start.elapsed().as_secs_f64();
        (self.events)(Event::CharacterPublished { character: &baked.metadata, files: &files, seconds });
        let why = notes.into_iter().map(|(clip, note)| (clip, note.last)).collect();
        Ok(Made { record, metadata: baked.metadata, why, early })
    }

    fn clip_done(&self, character: &str, clip: &ClipNews, origin: Origin, seconds: f64, notes: &Notes) {
        let name = bake::label(clip.name, clip.lod);
        match origin {
            Origin::Cached => {
                self.fresh.fetch_add(1, Ordering::Relaxed);
                (self.events)(Event::ClipFresh { character, clip: &name });
            }
            Origin::Baked => {
                self.baked.fetch_add(1, Ordering::Relaxed);
                let notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
                let reasons = notes.get(&name).map_or(Vec::new(), |note| note.last.because.clone());
                drop(notes);
                (self.events)(Event::ClipBaked { character, clip, seconds, reasons: &reasons });
            }
        }
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
        let names = baked.files.iter().map(|(name, _)| name.as_str());
        self.guard(&recipe.character, names.chain(removes.keys().map(String::as_str)))?;
        if self.locked {
            let new = baked.files.iter().map(|(name, bytes)| (name.clone(), Digest::of(bytes))).collect();
            let none = BTreeMap::new();
            self.keep_to_record(&recipe.character, &new, old.map_or(&none, |old| &old.outputs))?;
        }
        self.output()?.publish(&recipe.character, &baked.files, removes, &self.memo)
    }

    /// Of files that were published once, those that nobody has changed since.
    fn ours<'b>(
        &self,
        folder: &str,
        files: impl Iterator<Item = (&'b String, &'b Digest)>,
    ) -> BTreeMap<String, Digest> {
        let is_safe = if folder.is_empty() { publish::is_inside } else { publish::is_plain };
        let folder = self.out().join(folder);
        let unchanged = |(name, digest): &(&String, &Digest)| {
            is_safe(name) && self.memo.digest(&folder.join(name)).is_ok_and(|now| now == **digest)
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
}
