//! Levels of detail out of the store, or made and put there: apart from clips, as an edited clip
//! leaves them as they are. How far they are from the source is kept for each clip.

use serde::{Deserialize, Serialize};

use super::digest::{Digest, Fields};
use super::key::{BAKE_VERSION, CharacterDigests};
use super::store::{Lookup, Store};
use crate::lod::{Dropped, Levels, LodJob, Step, Target, error};
use crate::metadata::MaxRms;
use crate::motion::ChosenClip;

/// The levels of characters, in front of the store.
pub struct Lods<'a> {
    store: Option<&'a Store>,
    /// Whether what was made is put there.
    keep: bool,
}

/// What the store holds of a character's levels. Their indices are in a blob, one after the other.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    /// Its key: an entry under another name is none.
    key: Digest,
    /// Without indices.
    levels: Vec<Step>,
    /// How many indices each primitive has.
    counts: Vec<Vec<usize>>,
    dropped: Vec<Dropped>,
    /// One.
    blobs: Vec<Digest>,
}

/// What the store holds of their errors in one clip.
#[derive(Debug, Serialize, Deserialize)]
struct ErrorEntry {
    key: Digest,
    errors: Vec<MaxRms>,
}

/// The blobs that the body of an entry names; `None` if it is no entry of levels.
pub fn blobs_of(body: &[u8]) -> Option<Vec<Digest>> {
    let levels = serde_json::from_slice::<Entry>(body).ok().map(|entry| entry.blobs);
    levels.or_else(|| serde_json::from_slice::<ErrorEntry>(body).ok().map(|_| Vec::new()))
}

impl<'a> Lods<'a> {
    /// In front of a store, or of none.
    pub fn new(store: Option<&'a Store>, keep: bool) -> Self {
        Self { store, keep }
    }

    /// Gets the levels of a character, and how good they are.
    pub fn make(&self, job: &LodJob) -> Levels {
        let digests = CharacterDigests::of(job.source, &job.surface.rig);
        let key = key(job, &digests);
        let (steps, dropped) = self.find(key, job).unwrap_or_else(|| {
            let made = job.levels();
            self.put(key, &made.0, &made.1);
            made
        });
        let errors = |clip: &ChosenClip| {
            let key = error_key(key, clip, &digests);
            self.find_errors(key, steps.len()).unwrap_or_else(|| {
                let errors = job.errors(&steps, clip);
                self.write(key, &ErrorEntry { key, errors: errors.clone() });
                errors
            })
        };
        let errors = job.joined(&steps, job.clips.iter().map(errors));
        Levels { steps, dropped, errors }
    }

    fn read<T: for<'t> Deserialize<'t>>(&self, key: Digest) -> Option<T> {
        match self.store?.entry(key) {
            Lookup::Found(body) => serde_json::from_slice(&body).ok(),
            _ => None,
        }
    }

    /// What cannot be kept is made again.
    fn write(&self, key: Digest, entry: &impl Serialize) {
        if let (Some(store), true, Ok(body)) = (self.store, self.keep, serde_json::to_vec(entry)) {
            let _ = store.put_entry(key, &body);
        }
    }

    fn find(&self, key: Digest, job: &LodJob) -> Option<(Vec<Step>, Vec<Dropped>)> {
        let Entry { key: own, mut levels, counts, dropped, blobs } = self.read(key)?;
        let Lookup::Found(bytes) = self.store?.blob(*blobs.first()?) else { return None };
        let (words, []) = bytes.as_chunks::<4>() else { return None };
        let mut indices = words.iter().map(|&bytes| u32::from_le_bytes(bytes));
        for (step, counts) in levels.iter_mut().zip(&counts) {
            for (primitive, &count) in step.primitives.iter_mut().zip(counts) {
                primitive.indices = indices.by_ref().take(count).collect();
            }
        }
        let vertices = job.surface.place_of.len() as u32;
        let mut all = levels.iter().flat_map(|step| &step.primitives).flat_map(|p| &p.indices);
        let sound = own == key && !levels.is_empty() && all.all(|&index| index < vertices);
        sound.then_some((levels, dropped))
    }

    fn put(&self, key: Digest, steps: &[Step], dropped: &[Dropped]) {
        let Some(store) = self.store.filter(|_| self.keep) else { return };
        let primitives = || steps.iter().flat_map(|step| &step.primitives);
        let bytes: Vec<u8> = primitives().flat_map(|p| &p.indices).flat_map(|i| i.to_le_bytes()).collect();
        let Ok(blob) = store.put_blob(&bytes) else { return };
        let counts = |step: &Step| step.primitives.iter().map(|p| p.indices.len()).collect();
        let mut levels = steps.to_vec();
        levels.iter_mut().flat_map(|step| &mut step.primitives).for_each(|p| p.indices.clear());
        let counts = steps.iter().map(counts).collect();
        self.write(key, &Entry { key, levels, counts, dropped: dropped.to_vec(), blobs: vec![blob] });
    }

    fn find_errors(&self, key: Digest, levels: usize) -> Option<Vec<MaxRms>> {
        let ErrorEntry { key: own, errors } = self.read(key)?;
        (own == key && errors.len() == levels).then_some(errors)
    }
}

/// What decides the levels: the surface, what is asked for, and the clips only where a level is asked
/// for by its error in them.
fn key(job: &LodJob, digests: &CharacterDigests) -> Digest {
    let surface = job.surface;
    let mut fields = Fields::new("vatpipe 2026 lods v1");
    fields.number(BAKE_VERSION.into()).digest(digests.mesh).digest(digests.skeleton);
    fields.numbers(surface.place_of.iter().copied()).numbers(surface.look_of.iter().copied());
    fields.flag(surface.normals.is_some()).flag(surface.uvs.is_some()).flag(surface.colors.is_some());
    fields.floats(surface.normals.as_deref().unwrap_or_default().as_flattened());
    fields.floats(surface.uvs.as_deref().unwrap_or_default().as_flattened());
    fields.floats(surface.colors.as_deref().unwrap_or_default().as_flattened());
    fields.number(surface.primitives.len() as u64);
    for primitive in &surface.primitives {
        fields.number(primitive.material.map_or(0, |material| material as u64 + 1));
        fields.numbers(primitive.indices.iter().copied());
    }
    fields.number(job.wanted.len() as u64);
    for wanted in job.wanted {
        match wanted.target {
            Target::Ratio(ratio) => fields.number(0).float(ratio),
            Target::Triangles(triangles) => fields.number(1).number(triangles.into()),
            Target::Error(error) => fields.number(2).float(error),
        };
        fields.flag(wanted.own);
    }
    if job.wanted.iter().any(|wanted| matches!(wanted.target, Target::Error(_))) {
        for clip in job.clips {
            moments(&mut fields, clip, digests);
        }
    }
    fields.finish()
}

fn error_key(lods: Digest, clip: &ChosenClip, digests: &CharacterDigests) -> Digest {
    let mut fields = Fields::new("vatpipe 2026 lod error v1");
    fields.digest(lods);
    moments(&mut fields, clip, digests);
    fields.finish()
}

fn moments(fields: &mut Fields, clip: &ChosenClip, digests: &CharacterDigests) {
    let timeline = &clip.timeline;
    fields.number(error::MOMENTS.into()).digest(digests.motion(&clip.clip));
    fields.float(timeline.start).float(timeline.duration).flag(timeline.looping);
}
