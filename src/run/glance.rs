//! A build at a glance: only what concerns files that changed since a build had nothing to do.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use super::{Build, Cancel, Event, Listed, Options, Outcome, Start, excerpt};
use crate::cache::digest::Digest;
use crate::cache::fresh::metadata_name;
use crate::cache::gc::{self, Limits};
use crate::cache::memo::{Memo, Seen, Stamp};
use crate::cache::projects;
use crate::cache::publish;
use crate::cache::published::{self, Published};
use crate::cache::ready::{self, Files, Found, Ready};
use crate::cache::store::Store;
use crate::cache::{self, constants};
use crate::files;
use crate::manifest::Recipe;

/// The record, being read, and what the file system said of it before.
type Reading = Receiver<(Option<Stamp>, Published)>;

fn read_record(out: &Path) -> Reading {
    let out = out.to_owned();
    let (tell, told) = channel();
    let read = move || {
        let _ = tell.send((Stamp::of(&out.join(published::FILE)).ok(), Published::read(&out)));
    };
    // A new thread may begin late, where systems keep those of a process together. But threads of a pool may all wait for
    // this one.
    if rayon::current_thread_index().is_none() {
        rayon::spawn(read);
    } else {
        std::thread::spawn(read);
    }
    told
}

/// Does the whole build if a glance shows how: where nothing changed, the manifest is not read but for its digest, and
/// where some files changed, only their characters are looked at. `None`: nothing is done, [`build`](super::build) is to be
/// asked. `cache` is the folder of the store; without one it is found as the manifest says.
pub fn at_a_glance(
    manifest: &Path,
    cache: Option<&Path>,
    events: &(dyn Fn(Event) + Sync),
) -> Option<Outcome> {
    at_a_glance_until(manifest, cache, None, events)
}

/// The same; `cancel` is told what changes meanwhile.
pub fn at_a_glance_until(
    manifest: &Path,
    cache: Option<&Path>,
    cancel: Option<Arc<Cancel>>,
    events: &(dyn Fn(Event) + Sync),
) -> Option<Outcome> {
    let start = Instant::now();
    let folder = manifest.parent().unwrap_or(Path::new(""));
    let text = files::glance(manifest)?;
    let find = || cache::folder::find(excerpt::cache_dir(&text).map(|dir| folder.join(dir)));
    let root = cache.map(Path::to_path_buf).or_else(find)?;
    let store = Store::to_read(&root);
    let mut reading = None;
    let found = Ready::find(&store, manifest, text, folder, |out| reading = Some(read_record(out)))?;
    let settings = &found.ready.cache;
    if cache.is_none() && cache::folder::find(settings.dir.clone()).as_ref() != Some(&root) {
        return None;
    }
    let limits = Limits::of(settings);
    if publish::is_unfinished(&found.ready.out) {
        return None;
    }
    if found.changed.is_empty() && !found.is_stale {
        return Some(nothing_to_do(found.ready, &store, limits, start, events));
    }
    let options =
        Options { only: Vec::new(), cache: Some(root), limits: Some(limits), cancel, locked: false };
    let reading = reading.unwrap_or_else(|| read_record(&found.ready.out));
    some_to_do(found, reading, manifest, options, start, events)
}

fn nothing_to_do(
    ready: Ready,
    store: &Store,
    limits: Limits,
    start: Instant,
    events: &(dyn Fn(Event) + Sync),
) -> Outcome {
    let using = gc::using(store.root(), &|holder| events(Event::Waiting { holder }));
    events(Event::Started { characters: ready.characters.len() });
    projects::register(store, &ready.out);
    let fresh = ready.characters.iter().map(|character| tell(character, events)).sum();
    let paths = |files: Vec<(PathBuf, Seen)>| files.into_iter().map(|(path, _)| path);
    let characters = ready.characters.len();
    let mut outputs: Vec<PathBuf> = paths(ready.shared).collect();
    outputs.extend(ready.characters.into_iter().flat_map(|character| paths(character.outputs)));
    super::by_bytes(&mut outputs);
    let outcome = Outcome {
        characters,
        fresh,
        seconds: start.elapsed().as_secs_f64(),
        inputs: paths(ready.inputs).collect(),
        outputs,
        ..Outcome::default()
    };
    drop(using);
    events(Event::Finished(&outcome));
    gc::daily(store.root(), limits);
    outcome
}

/// Tells of a fresh character; how many clips it has.
fn tell(character: &ready::Character, events: &(dyn Fn(Event) + Sync)) -> usize {
    let (name, clips) = (character.name.as_str(), &character.clips);
    clips.iter().for_each(|clip| events(Event::ClipFresh { character: name, clip }));
    events(Event::CharacterFresh { name, clips: clips.len() });
    clips.len()
}

/// Builds characters with files that changed.
fn some_to_do(
    mut found: Found,
    reading: Reading,
    manifest: &Path,
    options: Options,
    start: Instant,
    events: &(dyn Fn(Event) + Sync),
) -> Option<Outcome> {
    if found.changed.is_empty() {
        // A manifest has a character or more.
        found.changed.insert(0);
    }
    // Not before: whoever asks for files needs all cores.
    let out = found.ready.out.clone();
    let constants = std::thread::spawn(move || constants::Last::read(&out));
    let manifest = excerpt::manifest(&found, manifest)?;
    let known = known(found, reading.recv().ok()?, constants)?;
    events(Event::Started { characters: known.listed.len() });
    let fresh: usize = known.fresh().map(|character| tell(character, events)).sum();
    let build = Build::new(&manifest, &options, events, known);
    build.fresh.fetch_add(fresh, std::sync::atomic::Ordering::Relaxed);
    let recipes: Vec<&Recipe> = manifest.recipes.iter().collect();
    Some(build.run(&recipes, &options, start))
}

/// What a glance knows; `None` if the record says something else of characters with unchanged files than it said then.
fn known(
    found: Found,
    (stamp, record): (Option<Stamp>, Published),
    last: JoinHandle<constants::Last>,
) -> Option<Start> {
    let Found { ready, changed, is_stale, .. } = found;
    let mut memo = ready.shared;
    let mut is_used = vec![false; ready.inputs.len()];
    let mut listed = Vec::with_capacity(ready.characters.len());
    let same = record.in_same_runs(&ready.runs);
    for (index, character) in ready.characters.into_iter().enumerate() {
        if changed.contains(&index) {
            memo.extend(character.inputs.iter().map(|&input| ready.inputs[input].clone()));
            memo.extend(character.outputs);
            listed.push(Listed::Other(character.name));
        } else if same.contains(character.name.as_str())
            || record.digest(&character.name) == Some(character.record)
        {
            character.inputs.iter().for_each(|&input| is_used[input] = true);
            listed.push(Listed::Fresh(character));
        } else {
            return None;
        }
    }
    let inputs = ready.inputs.into_iter().zip(is_used).collect();
    let known = Start { listed, inputs, is_ready: !is_stale, ..Start::default() };
    let (memo, record) = (Some(Memo::of(memo)), Some((stamp, record)));
    Some(Start { memo, record, constants: Mutex::new(Some(last)), ..known })
}

impl Build<'_> {
    /// Notes that all was fresh, for the next build.
    pub(super) fn keep_ready(&self) {
        let (manifest, published) = (self.manifest, self.out().join(published::FILE));
        let Some(store) = self.store.as_ref().filter(|_| !self.known.is_ready) else { return };
        // What is said each time is said by the usual way alone, and templates are seen by it alone.
        if manifest.overridden || !manifest.warnings.is_empty() || manifest.output.templates.is_some() {
            return;
        }
        // The record must be the one that all was compared with.
        let same = self.memo.digest_on_disk(&published).is_ok()
            && self.memo.seen(&published).map(|seen| seen.stamp) == self.published_stamp;
        if let Some(ready) = self.ready(published).filter(|_| same) {
            ready.keep(store, &manifest.file, manifest.digest, &manifest.folder);
        }
    }

    /// What was seen, if a change of every file would show.
    fn ready(&self, published: PathBuf) -> Option<Ready> {
        let seen = |path: PathBuf| ready::seen(&self.memo, &path).map(|seen| (path, seen));
        let shared = self.published.constants.outputs.keys().map(|name| self.out().join(name));
        let shared = shared.chain([published]).map(seen).collect::<Option<_>>()?;
        let (mut inputs, mut characters) = (Files::default(), Vec::new());
        let mut recipes = self.manifest.recipes.iter();
        for listed in &self.known.listed {
            characters.push(match listed {
                Listed::Fresh(known) => {
                    let places = known.inputs.iter().map(|&input| self.known.inputs[input].0.clone());
                    let places = places.map(|(path, seen)| inputs.place(path, seen)).collect();
                    ready::Character { inputs: places, ..known.clone() }
                }
                Listed::Other(_) => self.ready_character(recipes.next()?, &mut inputs)?,
            });
        }
        let (cache, runs) = (self.manifest.cache.clone(), self.published.run_digests());
        Some(Ready { out: self.out().to_owned(), characters, inputs: inputs.all, shared, runs, cache })
    }

    fn ready_character(&self, recipe: &Recipe, inputs: &mut Files) -> Option<ready::Character> {
        let name = recipe.character.clone();
        let record = self.published.get(&name)?;
        let metadata: Digest = *record.outputs.get(&metadata_name(&name))?;
        let seen = |path: PathBuf| ready::seen(&self.memo, &path).map(|seen| (path, seen));
        let places = record.inputs.keys().map(|file| seen(self.manifest.folder.join(file)));
        let places = places.map(|file| file.map(|(path, seen)| inputs.place(path, seen)));
        let folder = self.out().join(&name);
        Some(ready::Character {
            clips: record.clips.iter().map(|clip| clip.name.clone()).collect(),
            recipe: record.recipe,
            record: self.published.digest(&name)?,
            metadata,
            warned: !record.warnings.is_empty(),
            inputs: places.collect::<Option<_>>()?,
            outputs: record.outputs.keys().map(|file| seen(folder.join(file))).collect::<Option<_>>()?,
            name,
        })
    }

    /// The last constants.
    pub(super) fn last_constants(&self) -> &constants::Last {
        self.last_constants.get_or_init(|| {
            let reading = self.known.constants.lock().unwrap_or_else(PoisonError::into_inner).take();
            let read = reading.and_then(|thread| thread.join().ok());
            read.unwrap_or_else(|| constants::Last::read(self.out()))
        })
    }
}
