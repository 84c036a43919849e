//! The end of a build: constants, the record of what was published, what is not wanted any more.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use super::{Build, Done, Event, Listed, Made, end_all};
use crate::cache::constants::{self, Wanted};
use crate::cache::digest::Digest;
use crate::cache::fresh::{self, metadata_name};
use crate::cache::memo::{self, Stamp};
use crate::cache::projects;
use crate::cache::publish::{self, OWN_FOLDER};
use crate::cache::published::{self, Published};
use crate::cache::splice::OldFile;
use crate::cache::why;
use crate::codegen;
use crate::files::{self, Inputs};
use crate::manifest::{Manifest, Recipe};
use crate::metadata;
use crate::problem::{Place, Problem, Problems, Result};

/// Names of files and their bytes.
pub(super) type Named = Vec<(String, Vec<u8>)>;

/// A file of constants.
struct NewFile {
    name: String,
    digest: Digest,
    /// Bytes.
    len: u64,
    text: Text,
}

/// Where the text of a file of constants is.
enum Text {
    Here(Vec<u8>),
    /// Written aside.
    Aside,
    /// In its place, as it was.
    InPlace,
}

/// Constants that were made, and what is to be remembered of them; and old files that are open.
struct NewConstants {
    constants: published::Constants,
    files: Vec<NewFile>,
    old: Vec<OldFile>,
}

impl Build<'_> {
    /// Constants, the record of what was published, and what is not wanted any more.
    pub(super) fn finish(&self, recipes: &[&Recipe], done: Vec<Done>, whole: bool) -> Result<()> {
        let (mut built, mut early) = (BTreeMap::new(), None);
        let all_fresh = done.iter().all(|done| matches!(done, Done::Fresh));
        for (recipe, done) in recipes.iter().zip(done) {
            if let Done::Published(mut done) = done {
                early = done.early.take();
                built.insert(recipe.character.as_str(), *done);
            }
        }
        let orphans: Vec<String> = self.orphans(whole);
        let mut record = self.published.clone();
        orphans.iter().for_each(|name| record.remove(name));
        built.iter().for_each(|(name, made)| record.insert(name, made.record.clone()));
        let finished = match early {
            Some(early) if orphans.is_empty() && built.len() == 1 => {
                let written = self.finish_early(recipes, early, &built);
                self.or_without(written, &record, &built, &orphans)
            }
            early => {
                early.into_iter().for_each(|early| self.discard(early));
                self.finish_late(recipes, &record, &built, &orphans, whole && all_fresh)
            }
        };
        if let Some(store) = &self.store {
            projects::register(store, self.out());
        }
        if self.known.fresh().next().is_none() {
            self.keep_memo(whole);
        }
        finished
    }

    /// Characters count as published even where the constants fail: what was made of them is not made again because
    /// constants cannot be written.
    fn or_without(
        &self,
        written: Result<()>,
        record: &Published,
        built: &BTreeMap<&str, Made>,
        orphans: &[String],
    ) -> Result<()> {
        if written.is_err() {
            self.write_record(record, None, built, orphans)?;
        }
        written
    }

    fn finish_late(
        &self,
        recipes: &[&Recipe],
        record: &Published,
        built: &BTreeMap<&str, Made>,
        orphans: &[String],
        all_fresh: bool,
    ) -> Result<()> {
        let (constants, failure) = match self.constants(record, built) {
            Ok(constants) => (constants, Ok(())),
            Err(problem) => (None, Err(problem)),
        };
        let new = constants.as_ref().map(|new| &new.constants.outputs);
        self.note_outputs(recipes, record, new.unwrap_or(&self.published.constants.outputs));
        if constants.is_some() {
            let written = self.write_record(record, constants, built, orphans);
            return self.or_without(written, record, built, orphans);
        }
        if !built.is_empty() || !orphans.is_empty() {
            return failure.and(self.write_record(record, None, built, orphans));
        }
        if all_fresh && failure.is_ok() {
            self.keep_ready();
        }
        failure
    }

    /// The constants, and what is to be remembered of them; `None` if they are as they should be.
    fn constants(&self, record: &Published, built: &BTreeMap<&str, Made>) -> Result<Option<NewConstants>> {
        let inputs = Inputs::new();
        let templates = read_templates(self.manifest, &inputs)?;
        self.note_inputs(inputs.recorded().into_iter().map(|(path, _)| path));
        let key = self.constants_key(record, &|name| built.contains_key(name), &templates);
        let last = &self.published.constants;
        if last.key == Some(key) && fresh::has_constants(&self.published, self.out(), &self.memo) {
            return Ok(None);
        }
        let now = |name: &str| built.get(name).map(|made| made.metadata.clone());
        let made = self.generate_pieces(record, &now, &templates)?;
        let (mut files, mut old) = (Vec::new(), Vec::new());
        match made {
            Some(made) => made.into_iter().for_each(|made| {
                let text = if made.is_new { Text::Aside } else { Text::InPlace };
                files.push(NewFile { name: made.name.to_owned(), digest: made.digest, len: made.len, text });
                old.extend(made.old);
            }),
            None => files.extend(
                generate(self.manifest, self.names(), &now, &templates)?.into_iter().map(NewFile::of),
            ),
        }
        let outputs = files.iter().map(|file| (file.name.clone(), file.digest)).collect();
        Ok(Some(NewConstants { constants: published::Constants { key: Some(key), outputs }, files, old }))
    }

    /// All characters of the manifest, in its order.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.known.listed.iter().map(Listed::name)
    }

    /// What is in place: of the characters that were asked for, and the constants.
    pub(super) fn note_outputs(
        &self,
        recipes: &[&Recipe],
        record: &Published,
        constants: &BTreeMap<String, Digest>,
    ) {
        let published = recipes.iter().filter_map(|recipe| {
            let outputs = record.get(&recipe.character)?.outputs.keys();
            Some(outputs.map(|name| self.out().join(&recipe.character).join(name)))
        });
        let constants = constants.keys().map(|name| self.out().join(name));
        let mut outputs = self.outputs.lock().unwrap_or_else(PoisonError::into_inner);
        outputs.extend(published.flatten().chain(constants).chain([self.out().join(published::FILE)]));
    }

    /// Characters that were published and that the manifest does not know any more.
    fn orphans(&self, whole: bool) -> Vec<String> {
        if whole { orphans(self.names(), &self.published) } else { Vec::new() }
    }

    /// Of constants of all characters; those that `is_built` names were published by this build.
    pub(super) fn constants_key(
        &self,
        record: &Published,
        is_built: &dyn Fn(&str) -> bool,
        templates: &BTreeMap<String, String>,
    ) -> Digest {
        let known = |listed: &Listed| {
            if let Some(known) = listed.fresh() {
                return Some(known.metadata);
            }
            let name = listed.name();
            let metadata = record.get(name).and_then(|c| c.outputs.get(&metadata_name(name)));
            // A character that failed may be in the record and its metadata gone: constants are then made without it, and
            // must be made again when it is back.
            let is_there = |digest: &&Digest| {
                let path = self.out().join(name).join(metadata_name(name));
                is_built(name) || fresh::is_same(&self.memo, &path, **digest)
            };
            metadata.filter(is_there).copied()
        };
        let characters = self.known.listed.iter().filter_map(|listed| Some((listed.name(), known(listed)?)));
        fresh::constants_key(&self.manifest.output.targets, templates, characters)
    }

    fn write_record(
        &self,
        record: &Published,
        new: Option<NewConstants>,
        built: &BTreeMap<&str, Made>,
        orphans: &[String],
    ) -> Result<()> {
        if let Some(new) = &new {
            self.check(new).inspect_err(|_| self.discard_aside())?;
        }
        self.remove(orphans)?;
        let mut now = self.merged(record, built, orphans);
        let (mut files, mut old, mut removes) = (Vec::new(), Vec::new(), BTreeMap::new());
        if let Some(new) = new {
            removes = self.gone(&new.constants);
            (now.constants, files, old) = (new.constants, new.files, new.old);
        }
        let text = now.parts();
        let text: Vec<&[u8]> = text.iter().map(|part| &**part).collect();
        let room = text.iter().map(|part| part.len() as u64).sum();
        let mut changed: Vec<publish::New> = files.iter().filter_map(|file| self.changed(file)).collect();
        if !now.is_same(&self.published) || !files::has_bytes(&self.out().join(published::FILE), &text) {
            changed.push((published::FILE, text));
        }
        let staged = files.iter().filter(|file| matches!(file.text, Text::Aside));
        let staged = staged.map(|file| file.name.clone()).collect();
        self.place(&now, &changed, staged, removes, built, room)?;
        old.into_iter().for_each(OldFile::close_later);
        let size = |file: &NewFile| (self.out().join(&file.name), file.len);
        self.tell_constants(&files.iter().map(size).collect::<Vec<_>>());
        Ok(())
    }

    /// Whether constants may be written.
    fn check(&self, new: &NewConstants) -> Result<()> {
        self.guard("", new.files.iter().map(|file| file.name.as_str()))?;
        self.keep_to_record("", &new.constants.outputs, &self.published.constants.outputs)
    }

    /// Files of constants that were published once, and are not wanted any more.
    pub(super) fn gone(&self, now: &published::Constants) -> BTreeMap<String, Digest> {
        let known = self.published.constants.outputs.iter();
        self.ours("", known.filter(|(name, _)| !now.outputs.contains_key(*name)))
    }

    /// Removes characters that the manifest does not know any more.
    fn remove(&self, orphans: &[String]) -> Result<()> {
        for name in orphans {
            let outputs = self.published.get(name).into_iter().flat_map(|old| &old.outputs);
            let removes = self.ours(name, outputs);
            self.guard(name, removes.keys().map(String::as_str))?;
            self.output()?.publish(name, &[], removes, &self.memo)?;
        }
        Ok(())
    }

    /// The record, and in it what another process has published of other characters in the meantime.
    fn merged(&self, record: &Published, built: &BTreeMap<&str, Made>, orphans: &[String]) -> Published {
        if self.is_as_read() {
            return record.clone();
        }
        let mut now = Published::read(self.out());
        orphans.iter().for_each(|name| now.remove(name));
        let missing = |name: &&String| built.contains_key(name.as_str()) || !now.has(name);
        let missing: Vec<&String> = record.names().filter(missing).collect();
        missing.into_iter().for_each(|name| now.take(name, record));
        now
    }

    /// Whether the record on the disk is the one that was read.
    pub(super) fn is_as_read(&self) -> bool {
        Stamp::of(&self.out().join(published::FILE)).ok() == self.published_stamp
    }

    /// Puts everything in its place; `room` is how long the record is, bytes.
    pub(super) fn place(
        &self,
        now: &Published,
        changed: &[publish::New],
        staged: Vec<String>,
        removes: BTreeMap<String, Digest>,
        built: &BTreeMap<&str, Made>,
        room: u64,
    ) -> Result<()> {
        let whys = built.iter().map(|(name, made)| (*name, &made.why)).collect();
        why::keep(self.out(), &whys, room, |name| now.has(name));
        self.output()?.publish_top(changed, staged, removes)
    }

    pub(super) fn tell_constants(&self, sizes: &[(PathBuf, u64)]) {
        for (path, bytes) in sizes {
            self.bytes.fetch_add(*bytes, Ordering::Relaxed);
            (self.events)(Event::Constants { path, bytes: *bytes });
        }
    }

    /// A file of constants that has other bytes than the one that is there.
    fn changed<'f>(&self, file: &'f NewFile) -> Option<publish::New<'f>> {
        let Text::Here(text) = &file.text else { return None };
        let has_bytes = files::has_bytes(&self.out().join(&file.name), &[text]);
        (!has_bytes).then(|| (file.name.as_str(), vec![text.as_slice()]))
    }

    /// Constants from the pieces of the last ones, where everything is as the record says.
    fn generate_pieces(
        &self,
        record: &Published,
        now: &(dyn Fn(&str) -> Option<metadata::Character> + Sync),
        templates: &BTreeMap<String, String>,
    ) -> Result<Option<Vec<constants::Made>>> {
        if !codegen::pieces::are_possible(&self.manifest.output.targets, templates) {
            return Ok(None);
        }
        let output = self.output()?;
        let wanted = self.known.listed.iter().filter_map(|listed| {
            let (name, known) = (listed.name(), listed.fresh().map(|known| known.metadata));
            let digest = known.or_else(|| record.get(name)?.outputs.get(&metadata_name(name)).copied())?;
            Some(Wanted { name, digest })
        });
        let wanted: Vec<Wanted> = wanted.collect();
        let load = |wanted: &Wanted| {
            now(wanted.name).or_else(|| {
                let path = self.out().join(wanted.name).join(metadata_name(wanted.name));
                let bytes =
                    files::read_output(&path).ok().filter(|bytes| Digest::of(bytes) == wanted.digest)?;
                serde_json::from_slice(&bytes).ok()
            })
        };
        let last = self.last_constants();
        let targets = &self.manifest.output.targets;
        let generated = constants::generate(self.out(), output, last, targets, &wanted, &load)?;
        Ok(generated.map(|constants::Generated { made, index }| {
            if !made.iter().any(|made| made.is_new) {
                output.discard_top();
            }
            self.keep_index(index);
            made
        }))
    }

    /// Without it the next build renders more, and nobody waits for it but the end.
    pub(super) fn keep_index(&self, index: constants::Index) {
        let out = self.out().to_owned();
        let thread = std::thread::spawn(move || index.keep(&out));
        self.later.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
    }

    fn keep_memo(&self, whole: bool) {
        // A folder that cannot be written has no memo, and the next build reads more. Files of characters that this build
        // had nothing to do with stay known.
        if let Some(text) = self.memo.to_keep(|_| !whole) {
            // What is being written there is not to be swept.
            end_all(&self.later);
            publish::sweep(&self.out().join(OWN_FOLDER));
            publish::hide(&self.out().join(OWN_FOLDER));
            let _ = files::write_shortcut(&memo::path(self.out()), &text);
        }
    }
}

impl NewFile {
    fn of((name, text): (String, Vec<u8>)) -> Self {
        Self { name, digest: Digest::of(&text), len: text.len() as u64, text: Text::Here(text) }
    }
}

/// Characters that were published and that the manifest does not know any more.
pub(super) fn orphans<'n>(names: impl Iterator<Item = &'n str>, published: &Published) -> Vec<String> {
    let known: HashSet<&str> = names.collect();
    published.names().filter(|name| !known.contains(name.as_str())).cloned().collect()
}

/// The user's templates, by name.
pub(super) fn read_templates(manifest: &Manifest, inputs: &Inputs) -> Result<BTreeMap<String, String>> {
    match &manifest.output.templates {
        Some(folder) => {
            files::read_templates(inputs, folder, &manifest.output.targets).map_err(super::reading::advised)
        }
        None => Ok(BTreeMap::new()),
    }
}

/// Whether constants can be written in all targets of a manifest, as far as that is known before anything is baked. A
/// [`build`](super::build) finds the same at its end, when characters are in place.
///
/// # Errors
/// The folder of templates cannot be read, a target has no template, or a template is none.
pub fn check_targets(manifest: &Manifest) -> Result<(), Problems> {
    let templates = read_templates(manifest, &Inputs::new())?;
    let placed = |problem| placed(problem, manifest);
    let checked = codegen::check(&manifest.output.targets, &templates);
    checked.map_err(|problems| Problems(problems.0.into_iter().map(placed).collect()))
}

/// A problem of constants, at the line of the template, by its path, or else of the manifest.
fn placed(mut problem: Problem, manifest: &Manifest) -> Problem {
    match (&mut problem.place, &manifest.output.templates) {
        (place @ Place::Nowhere, _) => *place = manifest.output.place.clone(),
        (Place::Text { file, .. }, Some(folder)) => *file = folder.join(&*file),
        _ => {}
    }
    problem
}

/// Constants of all characters: as they are `now`, or else as their metadata says.
pub(super) fn generate<'n>(
    manifest: &Manifest,
    names: impl Iterator<Item = &'n str>,
    now: &dyn Fn(&str) -> Option<metadata::Character>,
    templates: &BTreeMap<String, String>,
) -> Result<Named> {
    let mut characters = Vec::new();
    for name in names {
        characters.extend(now(name).or_else(|| last_published(&manifest.output.dir, name)));
    }
    let sources = codegen::generate(&characters, &manifest.output.targets, templates);
    let sources = sources.map_err(|problem| placed(problem, manifest))?;
    Ok(sources.into_iter().map(|file| (file.file_name, file.text.into_bytes())).collect())
}

fn last_published(out: &Path, character: &str) -> Option<metadata::Character> {
    let path = out.join(character).join(metadata_name(character));
    // An output, not an input: read past the record.
    let bytes = Inputs::new().read(&path).ok()?;
    serde_json::from_slice(&bytes).ok()
}
