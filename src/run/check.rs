//! What a build would do, without writing anything: no output, no memo, no lock, nothing in the
//! store.
//!
//! A character is out of date if a build would change its files. So where the manifest or an input
//! changed, the character is made in memory from clips of the store, and compared byte for byte.
//! A clip with another key that the store does not have would be baked: that is answer enough, and
//! nothing is baked. One that is as it was published is baked in memory if need be.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use rayon::prelude::*;
use serde::Serialize;

use super::finish::{generate, orphans, read_templates};
use super::{Options, changes, is_wanted, known_joints, metadata_name, read, why};
use crate::bake::{self, Baked, ClipJob, Origin};
use crate::cache::clips::{Bakers, Clips};
use crate::cache::digest::Digest;
use crate::cache::fresh;
use crate::cache::lods::Lods;
use crate::cache::published::{self, Published};
use crate::cache::reason::{Known, Reason};
use crate::cache::store::Store;
use crate::files::{self, Inputs};
use crate::lod::LodJob;
use crate::manifest::{Manifest, Recipe};
use crate::metadata;
use crate::problem::{Problem, Problems, Result};
use crate::source;

/// The code of what ends a bake that is only tried.
const WOULD_BAKE: &str = "check::would-bake";

/// Why files are out of date.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "cause", rename_all = "kebab-case")]
pub enum Cause {
    /// It was never published here.
    NotPublished,
    /// The manifest, or the version of vatpipe, says something else than when it was published.
    RecipeChanged,
    /// A file that it was made of changed.
    InputChanged {
        /// As the manifest's folder sees it.
        file: String,
    },
    /// A file that it was made of is gone.
    InputMissing {
        /// As the manifest's folder sees it.
        file: String,
    },
    /// A file that should be there is not.
    OutputMissing {
        /// Its name.
        file: String,
    },
    /// Somebody changed a file after it was published.
    OutputChanged {
        /// Its name.
        file: String,
    },
    /// A build would write other bytes.
    OutputDiffers {
        /// Its name.
        file: String,
    },
    /// A build would remove a file.
    OutputUnwanted {
        /// Its name.
        file: String,
    },
}

/// What a build would do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The characters that were asked for, in the order of the manifest.
    pub characters: Vec<CharacterReport>,
    /// Characters that were published and that the manifest does not know any more.
    pub orphans: Vec<String>,
    /// What is out of date of the constants.
    pub constants: Vec<Cause>,
    /// What is wrong with the constants: a build would fail.
    pub problems: Vec<Problem>,
}

/// What a build would do with a character.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CharacterReport {
    /// Its name.
    pub name: String,
    /// Why it is out of date; empty if it is not.
    pub causes: Vec<Cause>,
    /// Its clips, by name, as far as they are known.
    pub clips: Vec<ClipReport>,
    /// What is wrong with it: a build would fail.
    pub problems: Vec<Problem>,
    /// What a build would publish, if all clips are known.
    metadata: Option<metadata::Character>,
}

/// What a build would do with a clip.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClipReport {
    /// Its name.
    pub clip: String,
    /// Whether it would be baked.
    pub bake: bool,
    /// What changed of it, or why it would be baked.
    pub because: Vec<Reason>,
}

impl Report {
    /// Whether a build would change nothing.
    pub fn is_fresh(&self) -> bool {
        let fresh = |character: &CharacterReport| character.causes.is_empty();
        self.characters.iter().all(fresh) && self.orphans.is_empty() && self.constants.is_empty()
    }

    /// Whether a build would fail.
    pub fn is_broken(&self) -> bool {
        !self.problems.is_empty() || self.characters.iter().any(|character| !character.problems.is_empty())
    }
}

/// Looks what a build would do, and does nothing of it. Files are read in full: no memo is
/// believed. With [`Options::locked`] outputs are compared with the record, and may be missing.
pub fn check(manifest: &Manifest, options: &Options) -> Report {
    let published = Published::read(&manifest.output.dir);
    let store = options.cache.as_deref().map(Store::to_read);
    let check = Check { manifest, published, store, locked: options.locked };
    let recipes: Vec<&Recipe> = manifest.recipes.iter().filter(|r| is_wanted(r, options)).collect();
    let characters: Vec<CharacterReport> = recipes.par_iter().map(|recipe| check.character(recipe)).collect();
    let (constants, problems) = match check.constants(&characters) {
        Ok(causes) => (causes, Vec::new()),
        Err(problem) => (Vec::new(), vec![problem]),
    };
    let names: Vec<&str> = manifest.recipes.iter().map(|recipe| recipe.character.as_str()).collect();
    let orphans =
        if options.only.is_empty() { orphans(names.iter().copied(), &check.published) } else { Vec::new() };
    Report { characters, orphans, constants, problems }
}

struct Check<'a> {
    manifest: &'a Manifest,
    published: Published,
    store: Option<Store>,
    /// Whether the record is what counts, and files may be missing.
    locked: bool,
}

fn digest(path: &Path) -> Option<Digest> {
    files::read_output(path).ok().map(|bytes| Digest::of(&bytes))
}

impl Check<'_> {
    fn character(&self, recipe: &Recipe) -> CharacterReport {
        let name = recipe.character.clone();
        let old = self.published.get(&name);
        let made_of = self.made_of(recipe, old);
        let outputs = old.map_or(Vec::new(), |old| self.on_disk(&name, &old.outputs));
        if made_of.iter().any(|cause| matches!(cause, Cause::InputMissing { .. })) {
            let causes = [made_of, outputs].concat();
            return CharacterReport { name, causes, ..CharacterReport::default() };
        }
        match old {
            Some(old) if made_of.is_empty() => {
                let clips = old.clips.iter().map(|clip| self.as_published(clip, !outputs.is_empty()));
                CharacterReport {
                    name,
                    clips: clips.collect(),
                    causes: outputs,
                    ..CharacterReport::default()
                }
            }
            _ => self.tried(recipe, old, made_of, outputs),
        }
    }

    /// What changed of what a character is made of.
    fn made_of(&self, recipe: &Recipe, old: Option<&published::Character>) -> Vec<Cause> {
        let Some(old) = old else { return vec![Cause::NotPublished] };
        let mut causes = Vec::new();
        if old.recipe != published::recipe_digest(recipe, &self.manifest.folder) {
            causes.push(Cause::RecipeChanged);
        }
        for (file, was) in &old.inputs {
            match digest(&self.manifest.folder.join(file)) {
                None => causes.push(Cause::InputMissing { file: file.clone() }),
                Some(now) if now != *was => causes.push(Cause::InputChanged { file: file.clone() }),
                Some(_) => {}
            }
        }
        causes
    }

    /// Outputs that are not on disk as they were published.
    fn on_disk(&self, folder: &str, outputs: &BTreeMap<String, Digest>) -> Vec<Cause> {
        let folder = self.manifest.output.dir.join(folder);
        let cause = |(file, was): (&String, &Digest)| match digest(&folder.join(file)) {
            None => (!self.locked).then(|| Cause::OutputMissing { file: file.clone() }),
            Some(now) => (now != *was).then(|| Cause::OutputChanged { file: file.clone() }),
        };
        outputs.iter().filter_map(cause).collect()
    }

    /// A clip that is as it was published, of a character that would be written again or not.
    fn as_published(&self, clip: &published::Clip, needed: bool) -> ClipReport {
        let missing = || {
            let (found, fault) = self.clips().find(clip.key.digest());
            let reason = if self.store.is_some() { Reason::EntryMissing } else { Reason::NoStore };
            found.is_none().then(|| fault.unwrap_or(reason))
        };
        let because: Vec<Reason> = if needed { missing().into_iter().collect() } else { Vec::new() };
        ClipReport { clip: clip.name.clone(), bake: !because.is_empty(), because }
    }

    fn clips(&self) -> Clips<'_> {
        /// No lock is taken, so nobody bakes for one who holds one.
        static IDLE: Bakers = Bakers::new();
        static NEVER: AtomicBool = AtomicBool::new(true);
        Clips::new(self.store.as_ref(), &IDLE, &|_| {}, &NEVER, &|_| {})
    }

    /// Makes a character in memory as far as that needs no clip to be baked that changed.
    fn tried(
        &self,
        recipe: &Recipe,
        old: Option<&published::Character>,
        made_of: Vec<Cause>,
        outputs: Vec<Cause>,
    ) -> CharacterReport {
        let name = recipe.character.clone();
        let (made, clips) = self.make(recipe, old);
        match made {
            Ok(baked) => {
                let mut causes = self.differences(&name, &baked.files, old.map(|old| &old.outputs));
                if !causes.is_empty() {
                    causes.splice(0..0, made_of);
                }
                CharacterReport { name, causes, clips, problems: Vec::new(), metadata: Some(baked.metadata) }
            }
            Err(Problems(mut problems)) => {
                problems.retain(|problem| problem.code != WOULD_BAKE);
                CharacterReport { name, causes: [made_of, outputs].concat(), clips, problems, metadata: None }
            }
        }
    }

    fn make(
        &self,
        recipe: &Recipe,
        old: Option<&published::Character>,
    ) -> (Result<Baked, Problems>, Vec<ClipReport>) {
        let (inputs, clips, joints) = (Inputs::new(), self.clips(), OnceLock::new());
        let (notes, ends) = (Mutex::new(BTreeMap::new()), AtomicBool::new(false));
        let make_clip = |job: &ClipJob| {
            let clip = bake::label(&job.chosen.name, job.lod);
            let clip = clip.as_str();
            let key = clips.key(job);
            let new = Known { key: &key, joints: &known_joints(job, old, &joints) };
            let (found, fault) = clips.find(key.digest());
            let because = match &found {
                Some(_) => changes(clip, new, old),
                None => why(clip, new, old, fault, self.store.is_some()),
            };
            let report = ClipReport { clip: clip.to_owned(), bake: found.is_none(), because };
            notes.lock().unwrap_or_else(PoisonError::into_inner).insert(clip.to_owned(), report);
            let same = || old.is_some_and(|old| old.clips.iter().any(|c| c.name == clip && c.key == key));
            match found {
                Some(found) => bake::within(job, &found).map(|()| (found, Origin::Cached)),
                None if same() && !ends.load(Ordering::Relaxed) => {
                    let baked = job.bake()?;
                    bake::within(job, &baked).map(|()| (baked, Origin::Baked))
                }
                None => {
                    ends.store(true, Ordering::Relaxed);
                    Err(Problem::note(WOULD_BAKE, format!("{clip:?} would be baked")))
                }
            }
        };
        let read =
            |path: &Path, options: &source::Options| read(self.manifest, &inputs, recipe, path, options);
        let make_lods = |job: &LodJob| Ok(Lods::new(self.store.as_ref(), false).make(job));
        let made = bake::bake(recipe, &read, &make_lods, &make_clip, &|_, _, _| {});
        let notes = notes.into_inner().unwrap_or_else(PoisonError::into_inner);
        (made, notes.into_values().collect())
    }

    /// What a build would change of the files in a folder.
    fn differences(
        &self,
        folder: &str,
        files: &[(String, Vec<u8>)],
        old: Option<&BTreeMap<String, Digest>>,
    ) -> Vec<Cause> {
        let folder = self.manifest.output.dir.join(folder);
        let was = |file: &String| old.and_then(|old| old.get(file)).copied();
        let mut causes = Vec::new();
        for (file, bytes) in files {
            match files::read_output(&folder.join(file)) {
                _ if self.locked && was(file) != Some(Digest::of(bytes)) => {
                    causes.push(Cause::OutputDiffers { file: file.clone() });
                }
                Err(_) if self.locked => {}
                Err(_) => causes.push(Cause::OutputMissing { file: file.clone() }),
                Ok(now) if now == *bytes => {}
                Ok(now) if was(file).is_some_and(|was| was != Digest::of(&now)) => {
                    causes.push(Cause::OutputChanged { file: file.clone() });
                }
                Ok(_) => causes.push(Cause::OutputDiffers { file: file.clone() }),
            }
        }
        let unwanted = |name: &&String| !files.iter().any(|(file, _)| file == *name);
        // What somebody else changed is not removed.
        let ours = |name: &&String| self.locked || digest(&folder.join(name)) == was(name);
        let gone = old.into_iter().flat_map(|old| old.keys()).filter(unwanted).filter(ours);
        causes.extend(gone.map(|file| Cause::OutputUnwanted { file: file.clone() }));
        causes
    }

    fn constants(&self, characters: &[CharacterReport]) -> Result<Vec<Cause>> {
        let templates = read_templates(self.manifest, &Inputs::new())?;
        let recorded = &self.published.constants;
        if self.locked && recorded.key == Some(self.recorded_key(&templates)) {
            // What they are made of may be missing, as they may be themselves.
            return Ok(self.on_disk("", &recorded.outputs));
        }
        let now = |name: &str| characters.iter().find(|c| c.name == name)?.metadata.clone();
        let names = self.manifest.recipes.iter().map(|recipe| recipe.character.as_str());
        let files = generate(self.manifest, names, &now, &templates)?;
        Ok(self.differences("", &files, Some(&recorded.outputs)))
    }

    /// What decides the constants of characters as they are recorded.
    fn recorded_key(&self, templates: &BTreeMap<String, String>) -> Digest {
        let recorded = |recipe: &'_ Recipe| {
            let old = self.published.get(&recipe.character)?;
            old.outputs.get(&metadata_name(&recipe.character)).copied()
        };
        let recipes = self.manifest.recipes.iter();
        let characters = recipes.filter_map(|recipe| Some((recipe.character.as_str(), recorded(recipe)?)));
        fresh::constants_key(&self.manifest.output.targets, templates, characters)
    }
}
