//! What a build would write, looked at closely: no output is written. Clips are baked as a build would bake them, and put
//! into the store. A clip that is over its budget is shown as it is.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::looking::looking;
use super::reading::read;
use super::{Event, Options};
use crate::axes::{Axes, turned};
use crate::bake::{self, Baked, Choice, ClipJob, Closeup};
use crate::cache::clips::Clips;
use crate::cache::lods::Lods;
use crate::cache::store::Store;
use crate::files::Inputs;
use crate::lod::LodJob;
use crate::manifest::{Manifest, Recipe};
use crate::metadata::Bounds;
use crate::picture::{self, Camera, Image, Scene};
use crate::problem::{Problem, Problems, Result};
use crate::report::{ClipStudy, Study};
use crate::source;

/// Frames in a clip's picture, beside the one with the largest error.
const FRAMES: u32 = 6;

/// Width and height of a frame, pixels.
const PIXELS: u32 = 220;

/// From where models are looked at, degrees.
const VIEW: (f64, f64) = (30.0, 15.0);

/// Bakes what must be baked, measures what else could be stored, draws. In the order of the manifest: a study of each
/// character, or what is wrong with it.
pub fn report(
    manifest: &Manifest,
    options: &Options,
    events: &(dyn Fn(Event) + Sync),
) -> Vec<Result<Study, Problems>> {
    looking(manifest, options, events, |recipe, store, clips| studied(manifest, recipe, store, clips))
}

/// A clip of a set of levels of detail.
struct Seen {
    clip: String,
    lod: u32,
    choice: Choice,
    closeup: Closeup,
}

fn studied(
    manifest: &Manifest,
    recipe: &Recipe,
    store: Option<&Store>,
    clips: &Clips,
) -> Result<Study, Problems> {
    let inputs = Inputs::new();
    let seen: Mutex<Vec<Seen>> = Mutex::default();
    let make_clip = |job: &ClipJob| {
        let made = clips.make(job)?;
        let (choice, closeup) = (job.survey(&made.clip)?, job.closeup(&made.clip, FRAMES)?);
        let new = Seen { clip: job.chosen.name.clone(), lod: job.lod, choice, closeup };
        seen.lock().unwrap_or_else(PoisonError::into_inner).push(new);
        Ok((made.clip, made.origin))
    };
    let make_lods = |job: &LodJob| Ok(Lods::new(store, true).make(job));
    let read = |path: &Path, options: &source::Options| read(manifest, &inputs, recipe, path, options);
    let baked = bake::bake_as_it_is(recipe, &read, &make_lods, &make_clip, &|_, _, _| {})?;
    let mut seen = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
    seen.sort_by_key(|seen| seen.lod);
    let clips = baked.metadata.clips.par_iter().map(|clip| {
        let of_clip: Vec<&Seen> = seen.iter().filter(|seen| seen.clip == clip.name).collect();
        study(&baked, &clip.bounds, &of_clip)
    });
    Ok(Study {
        clips: clips.collect::<Result<_>>()?,
        files: baked.files.iter().map(|(name, bytes)| (name.clone(), bytes.len() as u64)).collect(),
        character: baked.metadata,
    })
}

/// A clip as its sets of levels have it, the finest first: that one is drawn.
fn study(baked: &Baked, bounds: &Bounds, seen: &[&Seen]) -> Result<ClipStudy> {
    let Some(finest) = seen.first() else {
        return Err(Problem::error("report::clip", "a clip was baked and is not there"));
    };
    let Closeup { moments, seam, frames } = &finest.closeup;
    let limit = finest.choice.baked().and_then(|candidate| candidate.max_error);
    let worst = moments.iter().map(|moment| moment[1]).fold(0.0, f64::max);
    // A model that is right everywhere is dark everywhere.
    let scale = limit.unwrap_or(worst).max(1e-9);
    let triangles = triangles(baked);
    let axes = baked.metadata.axes;
    let camera = Camera::around(&as_authored(bounds, axes), VIEW.0, VIEW.1);
    let images: Vec<Image> = frames
        .par_iter()
        .map(|frame| {
            let colors: Vec<[f32; 3]> =
                frame.errors.iter().map(|error| picture::heat((f64::from(*error) / scale) as f32)).collect();
            let scaled = |plane: Vec<f32>, by: f64| plane.iter().map(|&v| v * by as f32).collect();
            let positions = axes.unconverted(frame.positions.clone(), scaled);
            let positions = positions.each_ref().map(Vec::as_slice);
            let scene = Scene { positions, triangles: &triangles, colors: &colors };
            picture::draw(&scene, &camera, PIXELS, PIXELS)
        })
        .collect();
    Ok(ClipStudy {
        choices: seen.iter().map(|seen| seen.choice.clone()).collect(),
        moments: moments.clone(),
        seam: *seam,
        strip: picture::still(&Image::row(&images))?,
        captions: frames.iter().map(|frame| format!("frame {}, {:.2} s", frame.frame, frame.time)).collect(),
        scale,
    })
}

/// Bounds in the axes of the source: pictures are seen as the model was made.
fn as_authored(bounds: &Bounds, axes: Axes) -> Bounds {
    let [a, b] = [bounds.min, bounds.max].map(|v| axes.unconverted(v, |v, by| v * by as f32));
    let pick = |of: fn(f32, f32) -> f32| [0, 1, 2].map(|axis| of(a[axis], b[axis]));
    Bounds { min: pick(f32::min), max: pick(f32::max) }
}

/// The triangles of the finest level, between columns, with their fronts as in glTF.
pub(super) fn triangles(baked: &Baked) -> Vec<[u32; 3]> {
    let columns = &baked.mesh.columns;
    let mesh_axes = baked.metadata.mesh_axes.unwrap_or(baked.metadata.axes);
    let indices = baked.mesh.lods.first().into_iter().flat_map(|lod| &lod.primitives);
    let corner = |vertex: u32| columns[vertex as usize];
    let triangle = |corners: &[u32; 3]| {
        let mut corners = corners.map(corner);
        if mesh_axes.turns_triangles() {
            turned(&mut corners);
        }
        corners
    };
    indices.flat_map(|p| p.indices.as_chunks().0).map(triangle).collect()
}
