//! What a build would choose for each clip, and what else was measured: no output is written. Clips are baked as a
//! build would bake them, and put into the store, so that the build has them.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

use super::looking::looking;
use super::reading::read;
use super::{Event, Options};
use crate::axes::Axes;
use crate::bake::{self, Choice, ClipJob};
use crate::cache::clips::Clips;
use crate::cache::lods::Lods;
use crate::cache::store::Store;
use crate::files::Inputs;
use crate::lod::LodJob;
use crate::manifest::{Manifest, Recipe};
use crate::problem::{Problem, Problems};
use crate::source;

/// What a build would choose for a character.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedCharacter {
    /// Its name.
    pub name: String,
    /// Its clips, in the order of the manifest; by name if something is wrong.
    pub clips: Vec<PlannedClip>,
    /// What is wrong: a build would fail. Empty if it would not.
    pub problems: Vec<Problem>,
}

/// What a build would choose for a clip.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlannedClip {
    /// Its name.
    pub clip: String,
    /// The finest level of detail that would read it so.
    pub lod: u32,
    /// Seconds.
    pub duration: f64,
    /// Whether frame 0 follows the last frame.
    pub looping: bool,
    /// The axes, whose units lengths are in.
    pub axes: Axes,
    /// What was measured.
    pub choice: Choice,
}

/// Measures what a build would measure, and writes no output.
pub fn plan(
    manifest: &Manifest,
    options: &Options,
    events: &(dyn Fn(Event) + Sync),
) -> Vec<PlannedCharacter> {
    looking(manifest, options, events, |recipe, store, clips| planned(manifest, recipe, store, clips))
}

fn planned(manifest: &Manifest, recipe: &Recipe, store: Option<&Store>, clips: &Clips) -> PlannedCharacter {
    let inputs = Inputs::new();
    let found = Mutex::new(Vec::new());
    let make_clip = |job: &ClipJob| {
        let made = clips.make(job)?;
        let timeline = &job.chosen.timeline;
        let clip = PlannedClip {
            clip: job.chosen.name.clone(),
            lod: job.lod,
            duration: timeline.duration,
            looping: timeline.looping,
            axes: job.rig.axes,
            choice: made.clip.choice.clone(),
        };
        found.lock().unwrap_or_else(PoisonError::into_inner).push(clip);
        bake::within(job, &made.clip)?;
        Ok((made.clip, made.origin))
    };
    let make_lods = |job: &LodJob| Ok(Lods::new(store, true).make(job));
    let read = |path: &Path, options: &source::Options| read(manifest, &inputs, recipe, path, options);
    let made = bake::bake(recipe, &read, &make_lods, &make_clip, &|_, _, _| {});
    let mut clips = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    let place = |name: &str| made.as_ref().ok()?.metadata.clips.iter().position(|clip| clip.name == name);
    clips.sort_by_cached_key(|clip: &PlannedClip| (place(&clip.clip), clip.clip.clone(), clip.lod));
    PlannedCharacter {
        name: recipe.character.clone(),
        clips,
        problems: made.err().map_or(Vec::new(), |Problems(problems)| problems),
    }
}
