//! What decides the bytes of one clip, in canonical form, and its digest.
//!
//! The digest is taken after decoding, from what the bake works on: not from the file. So what a
//! file says otherwise (a generator's name, extras, the order of accessors and nodes, how numbers
//! are written) does not enter it, nor do names of nodes, paths, times, hosts and threads.

#[cfg(feature = "bake")]
mod digests;

use serde::{Deserialize, Serialize};

use super::digest::{Digest, Fields};
use super::published::budget_fields;
use crate::axes::Axes;
use crate::encode::{self, Format, Quality};
use crate::layout::Shape;
use crate::manifest::{Budget, Length};
use crate::metadata::Holds;

#[cfg(feature = "bake")]
pub use digests::{CharacterDigests, used_joints};

/// Raised whenever a bake of the same inputs gives other bytes than before: everything is then
/// baked anew. A test with golden digests fails when bytes change and this does not.
pub const BAKE_VERSION: u32 = 5;

/// What decides the bytes of one clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClipKey {
    /// [`BAKE_VERSION`].
    pub version: u32,
    /// Vertices and what moves them.
    pub mesh: Digest,
    /// The axes that they are moved to; not written where they are the source's.
    #[serde(default, skip_serializing_if = "is_gltf")]
    pub axes: Axes,
    /// Nodes that move vertices, and all above them, at rest.
    pub skeleton: Digest,
    /// The curves of those nodes.
    pub motion: Digest,
    /// Seconds in the source at frame 0.
    pub start: f64,
    /// Seconds.
    pub duration: f64,
    /// Frames.
    pub frames: u32,
    /// Frames per second as stored.
    pub fps: f64,
    /// Whether frame 0 follows the last frame.
    pub looping: bool,
    /// Whether frames hold.
    pub step: bool,
    /// Offsets, positions, or whichever is better.
    pub relative: Option<bool>,
    /// What is stored, in which formats.
    pub holds: Vec<(Holds, Format)>,
    /// How hard encoders of blocks try; absent without formats in blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality: Option<Quality>,
    /// The shape of each block.
    pub shapes: Vec<Shape>,
    /// What is kept, and what may be chosen for it; absent without a budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Request>,
}

/// Whether axes are the source's.
fn is_gltf(axes: &Axes) -> bool {
    *axes == Axes::Gltf
}

/// What a budget asks for, and what it may choose from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The largest error of positions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_error: Option<Length>,
    /// The largest error of normals, degrees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_normal_error: Option<f64>,
    /// Whether the rate is chosen; [`ClipKey::fps`] and [`ClipKey::frames`] are then of the highest.
    pub auto_fps: bool,
    /// Whether the format is chosen; [`ClipKey::holds`] is then the first that may be.
    pub auto_format: bool,
    /// All formats of positions that could be stored.
    pub formats: Vec<Format>,
    /// The largest width and height of a sheet: what does not fit cannot be chosen.
    pub max_texture: u32,
}

impl Request {
    fn enter(&self, fields: &mut Fields) {
        let Self { max_error, max_normal_error, auto_fps, auto_format, formats, max_texture } = self;
        budget_fields(fields, &Budget { max_error: *max_error, max_normal_error: *max_normal_error });
        fields.flag(*auto_fps).flag(*auto_format).number(formats.len() as u64);
        for format in formats {
            fields.text(format.name());
        }
        fields.number((*max_texture).into());
    }
}

impl ClipKey {
    /// The key under which the clip is stored.
    pub fn digest(&self) -> Digest {
        let Self { version, mesh, skeleton, motion, start, duration, frames, fps, .. } = self;
        let Self { looping, step, relative, holds, quality, shapes, request, axes, .. } = self;
        let mut fields = Fields::new("vatpipe 2026 clip key v2");
        fields.number((*version).into()).digest(*mesh).digest(*skeleton).digest(*motion);
        fields.float(*start).float(*duration).number((*frames).into()).float(*fps);
        fields.flag(*looping).flag(*step);
        fields.number(match relative {
            None => 0,
            Some(false) => 1,
            Some(true) => 2,
        });
        fields.number(holds.len() as u64);
        for (holds, format) in holds {
            fields.text(holds.name()).text(format.name());
        }
        fields.number(shapes.len() as u64);
        for Shape { width, bands } in shapes {
            fields.number((*width).into()).number((*bands).into());
        }
        fields.flag(request.is_some());
        request.iter().for_each(|request| request.enter(&mut fields));
        if !is_gltf(axes) {
            fields.text(axes.name());
        }
        if let Some(quality) = quality {
            fields.text(quality.name());
            let stored = holds.iter().map(|(_, format)| format);
            let could = request.iter().flat_map(|request| &request.formats);
            let encoders = stored.chain(could).filter_map(|format| encode::encoder(*format));
            encoders.for_each(|encoder| {
                fields.text(encoder);
            });
        }
        fields.finish()
    }
}
