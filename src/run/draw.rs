//! Pictures of what a build would write, for reviews: no output is written. Clips are baked as a build would bake them, and
//! put into the store. A clip that is over its budget is shown as it is.
//!
//! Input: a character, maybe one of its clips, a [`Drawing`]. Output: a PNG file. What can go wrong: a name that is none, a
//! bake that fails, a picture that would be too large.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use glam::DVec3;
use rayon::prelude::*;
use serde::Serialize;

use super::looking::looking;
use super::reading::read;
use super::report::triangles;
use super::{Event, Options};
use crate::axes::Axes;
use crate::bake::{self, Baked, ClipJob, Closeup, Snapshot};
use crate::cache::clips::Clips;
use crate::cache::lods::Lods;
use crate::cache::store::Store;
use crate::files::Inputs;
use crate::lod::LodJob;
use crate::manifest::{Manifest, Recipe, nearest};
use crate::metadata::Bounds;
use crate::picture::{self, Camera, Image, Scene};
use crate::problem::{Problem, Problems, Result};
use crate::source;

/// How to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawing {
    /// What the picture is.
    pub kind: Kind,
    /// Whether colours show how far the bake is from the true motion, instead of one colour for all.
    pub heat: bool,
    /// Width and height of one view, pixels.
    pub pixels: u32,
}

/// What a picture is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A row of moments for each clip.
    Sheet {
        /// In a row.
        moments: u32,
    },
    /// An animation: the clips play one after the other while the model turns once.
    Turntable,
}

/// A picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// The PNG file, animated or not.
    pub file: Vec<u8>,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Views: in a sheet all that are beside and below each other, else images of the animation.
    pub views: usize,
    /// What is shown, in order: rows of a sheet from the top, clips of an animation.
    pub clips: Vec<DrawnClip>,
}

/// A clip in a picture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DrawnClip {
    /// Its name.
    pub clip: String,
    /// Frames that are shown, in order.
    pub frames: Vec<u32>,
    /// The error at the bright end of the scale of colours, metres: the budget, or the largest error without one.
    pub scale: f64,
    /// The largest error, metres.
    pub worst: f64,
}

/// From where models are looked at, degrees.
const VIEW: (f64, f64) = (30.0, 15.0);

/// The colour of a model, if errors are not shown.
const CLAY: [f32; 3] = [0.93, 0.89, 0.82];

/// What is behind it.
const PAPER: [u8; 3] = [238, 238, 234];

/// A turn takes so many seconds at least: clips are repeated.
const TURN: f64 = 3.0;

/// Pixels of a whole picture, all images of an animation together.
const MAX_PIXELS: u64 = 1 << 28;

/// Draws a character, or one clip of it.
///
/// # Errors
/// There is no such clip, the character cannot be baked, or the picture would be too large.
pub fn draw(
    manifest: &Manifest,
    options: &Options,
    character: &str,
    clip: Option<&str>,
    drawing: Drawing,
    events: &(dyn Fn(Event) + Sync),
) -> Result<Drawn, Problems> {
    let options = Options { only: vec![character.to_owned()], ..options.clone() };
    super::check_names(&options.only, manifest)?;
    let look = |recipe: &Recipe, store: Option<&Store>, clips: &Clips| {
        let (baked, mut seen) = bake(manifest, recipe, store, clips, drawing)?;
        if let Some(clip) = clip {
            let names: Vec<String> = seen.iter().map(|seen| seen.clip.clone()).collect();
            seen.retain(|seen| seen.clip == clip);
            if seen.is_empty() {
                return Err(no_such(character, clip, &names).into());
            }
        }
        Ok(picture(&baked, &seen, drawing)?)
    };
    let drawn = looking(manifest, &options, events, look).pop();
    drawn.unwrap_or_else(|| Err(Problem::error("draw::nothing", "there is nothing to draw").into()))
}

fn no_such(character: &str, clip: &str, names: &[String]) -> Problem {
    let problem = Problem::error("cli::clip", format!("`{character}` has no clip {clip:?}"));
    match nearest(clip, names.iter().map(String::as_str)) {
        Some(near) => problem.help(format!("did you mean {near:?}?")),
        None => problem.help(format!("it has {}", names.join(", "))),
    }
}

/// A clip of the finest level of detail.
struct Seen {
    clip: String,
    closeup: Closeup,
    limit: Option<f64>,
    fps: f64,
}

fn bake(
    manifest: &Manifest,
    recipe: &Recipe,
    store: Option<&Store>,
    clips: &Clips,
    drawing: Drawing,
) -> Result<(Baked, Vec<Seen>), Problems> {
    let inputs = Inputs::new();
    let seen: Mutex<Vec<Seen>> = Mutex::default();
    let count = match drawing.kind {
        Kind::Sheet { moments } => moments,
        Kind::Turntable => u32::MAX,
    };
    let make_clip = |job: &ClipJob| {
        let made = clips.make(job)?;
        if job.lod == 0 {
            let closeup = job.closeup(&made.clip, count.min(made.clip.frames))?;
            let limit = made.clip.choice.baked().and_then(|candidate| candidate.max_error);
            let new = Seen { clip: job.chosen.name.clone(), closeup, limit, fps: made.clip.fps };
            seen.lock().unwrap_or_else(PoisonError::into_inner).push(new);
        }
        Ok((made.clip, made.origin))
    };
    let make_lods = |job: &LodJob| Ok(Lods::new(store, true).make(job));
    let read = |path: &Path, options: &source::Options| read(manifest, &inputs, recipe, path, options);
    let baked = bake::bake_as_it_is(recipe, &read, &make_lods, &make_clip, &|_, _, _| {})?;
    let mut seen = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
    seen.sort_by_key(|seen| baked.metadata.clips.iter().position(|clip| clip.name == seen.clip));
    seen.iter_mut().for_each(|seen| seen.as_authored(baked.metadata.axes));
    Ok((baked, seen))
}

/// One view: a moment of a clip from somewhere.
struct View<'s> {
    snapshot: &'s Snapshot,
    scale: f64,
    camera: Camera,
}

fn picture(baked: &Baked, seen: &[Seen], drawing: Drawing) -> Result<Drawn> {
    let triangles = triangles(baked);
    let rows: Vec<Vec<View>> = match drawing.kind {
        Kind::Sheet { .. } => {
            let camera = Camera::around(&bounds(seen), VIEW.0, VIEW.1).close_to(points(seen));
            seen.iter().map(|seen| row(seen, camera)).collect()
        }
        Kind::Turntable => vec![turn(seen)],
    };
    let views: usize = rows.iter().map(Vec::len).sum();
    let pixels = u64::from(drawing.pixels);
    if views as u64 * pixels * pixels > MAX_PIXELS {
        let message = format!("{views} views of {pixels} x {pixels} pixels are more than a picture may have");
        return Err(
            Problem::error("draw::too-large", message).help("ask for a smaller `--size`, or for one clip")
        );
    }
    let draw = |view: &View| view.draw(&triangles, drawing);
    let drawn: Vec<Vec<Image>> = rows.iter().map(|row| row.par_iter().map(draw).collect()).collect();
    let clips = seen.iter().map(|seen| DrawnClip {
        clip: seen.clip.clone(),
        frames: seen.closeup.frames.iter().map(|snapshot| snapshot.frame).collect(),
        scale: seen.scale(),
        worst: seen.worst(),
    });
    let clips = clips.collect();
    let (file, width, height) = match drawing.kind {
        Kind::Sheet { .. } => {
            let rows: Vec<Image> = drawn.iter().map(|row| Image::row(row)).collect();
            let sheet = Image::column(&rows).on(PAPER);
            (picture::still(&sheet)?, sheet.width, sheet.height)
        }
        Kind::Turntable => {
            let fps = seen.iter().map(|seen| seen.fps).fold(1.0, f64::max);
            (picture::animation(&drawn.concat(), fps)?, drawing.pixels, drawing.pixels)
        }
    };
    Ok(Drawn { file, width, height, views, clips })
}

impl Seen {
    /// Back in the axes of the source: pictures are seen as the model was made, and errors are in metres.
    fn as_authored(&mut self, axes: Axes) {
        let scaled = |plane: Vec<f32>, by: f64| plane.iter().map(|&v| v * by as f32).collect();
        for snapshot in &mut self.closeup.frames {
            let positions = std::mem::take(&mut snapshot.positions);
            snapshot.positions = axes.unconverted(positions, scaled);
            snapshot.errors.iter_mut().for_each(|error| *error = axes.metres(f64::from(*error)) as f32);
        }
        self.closeup.moments.iter_mut().for_each(|moment| moment[1] = axes.metres(moment[1]));
        self.limit = self.limit.map(|limit| axes.metres(limit));
    }

    fn worst(&self) -> f64 {
        self.closeup.moments.iter().map(|moment| moment[1]).fold(0.0, f64::max)
    }

    /// A model that is right everywhere is dark everywhere.
    fn scale(&self) -> f64 {
        self.limit.unwrap_or(self.worst()).max(1e-9)
    }
}

/// Moments of one clip beside each other.
fn row(seen: &Seen, camera: Camera) -> Vec<View<'_>> {
    let view = |snapshot| View { snapshot, scale: seen.scale(), camera };
    seen.closeup.frames.iter().map(view).collect()
}

/// All points that are shown.
fn points(seen: &[Seen]) -> impl Iterator<Item = DVec3> {
    let snapshots = seen.iter().flat_map(|seen| &seen.closeup.frames);
    snapshots.flat_map(|snapshot| {
        let [x, y, z] = &snapshot.positions;
        let points = x.iter().zip(y).zip(z);
        points.map(|((x, y), z)| DVec3::new(f64::from(*x), f64::from(*y), f64::from(*z)))
    })
}

/// The box that holds what is shown.
fn bounds(seen: &[Seen]) -> Bounds {
    let nothing = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let finite = points(seen).filter(|point| point.is_finite());
    let (min, max) = finite.fold(nothing, |(min, max), point| (min.min(point), max.max(point)));
    if min.x > max.x {
        return Bounds { min: [0.0; 3], max: [0.0; 3] };
    }
    Bounds { min: min.as_vec3().to_array(), max: max.as_vec3().to_array() }
}

/// All clips one after the other, as often as a turn lasts, each time from a little further around.
fn turn(seen: &[Seen]) -> Vec<View<'_>> {
    let once: Vec<(&Snapshot, f64)> = seen
        .iter()
        .flat_map(|seen| seen.closeup.frames.iter().map(|snapshot| (snapshot, seen.scale())))
        .collect();
    let seconds: f64 = seen.iter().map(|seen| seen.closeup.frames.len() as f64 / seen.fps.max(1.0)).sum();
    let times = (TURN / seconds.max(1e-3)).ceil().clamp(1.0, 1000.0) as usize;
    let count = once.len() * times;
    let bounds = bounds(seen);
    let from = |turn: f64| Camera::around(&bounds, VIEW.0 + 360.0 * turn, VIEW.1);
    // As far away all around as where it looks largest.
    let around: Vec<Camera> =
        (0..24).into_par_iter().map(|i| from(f64::from(i) / 24.0).close_to(points(seen))).collect();
    let farthest = around.iter().fold(around[0], |farthest, camera| farthest.farther(*camera));
    let camera = |i: usize| from(i as f64 / count as f64).as_far_as(farthest);
    let views = once.iter().cycle().take(count).enumerate();
    views.map(|(i, &(snapshot, scale))| View { snapshot, scale, camera: camera(i) }).collect()
}

impl View<'_> {
    fn draw(&self, triangles: &[[u32; 3]], drawing: Drawing) -> Image {
        let share = |error: &f32| picture::heat((f64::from(*error) / self.scale) as f32);
        let colors: Vec<[f32; 3]> = if drawing.heat {
            self.snapshot.errors.iter().map(share).collect()
        } else {
            vec![CLAY; self.snapshot.errors.len()]
        };
        let positions = [0, 1, 2].map(|axis| self.snapshot.positions[axis].as_slice());
        let scene = Scene { positions, triangles, colors: &colors };
        picture::draw(&scene, &self.camera, drawing.pixels, drawing.pixels).on(PAPER)
    }
}
