//! A build with nothing to do, at a glance.

use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::time::Instant;

use super::{Build, Event, Outcome};
use crate::cache::memo::Stamp;
use crate::cache::publish;
use crate::cache::published;
use crate::cache::ready::{self, Ready};
use crate::cache::store::Store;

/// Does the whole build if a glance shows that there is nothing to do: the manifest is not read then but for its digest.
/// `cache` is the folder of the store.
pub fn nothing_to_do(manifest: &Path, cache: &Path, events: &(dyn Fn(Event) + Sync)) -> Option<Outcome> {
    let start = Instant::now();
    let ready = Ready::find(&Store::to_read(cache), manifest, manifest.parent().unwrap_or(Path::new("")))?;
    if publish::is_unfinished(&ready.out) {
        return None;
    }
    events(Event::Started { characters: ready.characters.len() });
    let mut fresh = 0;
    for (name, clips) in &ready.characters {
        clips.iter().for_each(|clip| events(Event::ClipFresh { character: name, clip }));
        events(Event::CharacterFresh { name, clips: clips.len() });
        fresh += clips.len();
    }
    let paths = |files: Vec<(PathBuf, Stamp)>| files.into_iter().map(|(path, _)| path).collect();
    let outcome = Outcome {
        characters: ready.characters.len(),
        fresh,
        seconds: start.elapsed().as_secs_f64(),
        inputs: paths(ready.inputs),
        outputs: paths(ready.outputs),
        ..Outcome::default()
    };
    events(Event::Finished(&outcome));
    Some(outcome)
}

impl Build<'_> {
    /// Notes that all was fresh, for the next build.
    pub(super) fn keep_ready(&self) {
        let (manifest, published) = (self.manifest, self.out().join(published::FILE));
        let Some(store) = &self.store else { return };
        // What is said each time is said by the usual way alone, and templates are seen by it alone.
        if !manifest.warnings.is_empty() || manifest.output.templates.is_some() {
            return;
        }
        // The record must be the one that all was compared with.
        let same = self.memo.digest(&published).is_ok()
            && self.memo.seen(&published).map(|seen| seen.stamp) == self.published_stamp;
        let mut outputs: Vec<PathBuf> =
            self.published.constants.outputs.keys().map(|name| self.out().join(name)).collect();
        outputs.push(published);
        let mut ready = Ready { out: self.out().to_owned(), ..Ready::default() };
        for recipe in &manifest.recipes {
            let name = &recipe.character;
            let Some(character) = self.published.characters.get(name) else { return };
            let folder = self.out().join(name);
            outputs.extend(character.outputs.keys().map(|file| folder.join(file)));
            let clips = character.clips.iter().map(|clip| clip.name.clone()).collect();
            ready.characters.push((name.clone(), clips));
        }
        let inputs = self.inputs.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let seen = (ready::stamps(&self.memo, inputs), ready::stamps(&self.memo, outputs));
        let (Some(inputs), Some(outputs), true) = (seen.0, seen.1, same) else { return };
        Ready { inputs, outputs, ..ready }.keep(store, &manifest.file, manifest.digest, &manifest.folder);
    }
}
