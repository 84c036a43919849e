//! What decides the bytes of one clip, in canonical form, and its digest.
//!
//! The digest is taken after decoding, from what the bake works on: not from the file. So what a
//! file says otherwise (a generator's name, extras, the order of accessors and nodes, how numbers
//! are written) does not enter it, nor do names of nodes, paths, times, hosts and threads.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::digest::{Digest, Fields};
use super::published::budget_fields;
use crate::bake::ClipJob;
use crate::encode::{self, Format, Quality};
use crate::layout::Shape;
use crate::manifest::{Budget, ClipSettings, FormatChoice, Length, Rate};
use crate::metadata::Holds;
use crate::motion::Rig;
use crate::motion::rig::MorphDeltas;
use crate::source::{Clip, Interpolation, Property, Source, Transform};

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
    fn of(job: &ClipJob) -> Option<Self> {
        let ClipSettings { fps, format, budget, .. } = &job.chosen.settings;
        let Budget { max_error, max_normal_error } = *budget;
        (!budget.is_none()).then(|| Self {
            max_error,
            max_normal_error,
            auto_fps: matches!(fps, Rate::Auto { .. }),
            auto_format: *format == FormatChoice::Auto,
            formats: formats(job),
            max_texture: job.max_texture,
        })
    }

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

/// All formats of positions that could be stored. Those with a residual are the same again.
fn formats(job: &ClipJob) -> Vec<Format> {
    let mut formats: Vec<Format> = Vec::new();
    for (_, format) in job.formats.iter().filter_map(|kinds| kinds.first()) {
        if !formats.contains(format) {
            formats.push(*format);
        }
    }
    formats
}

impl ClipKey {
    /// The key of a clip. `character` is [`CharacterDigests::of`] the same rig.
    pub fn of(job: &ClipJob, character: &CharacterDigests) -> Self {
        let timeline = &job.timeline;
        let request = Request::of(job);
        let stored = job.holds.iter().map(|(_, format)| format);
        let blocks = stored.chain(request.iter().flat_map(|r| &r.formats)).any(|format| format.is_block());
        Self {
            version: BAKE_VERSION,
            mesh: character.mesh,
            skeleton: character.skeleton,
            motion: character.motion(&job.chosen.clip),
            start: timeline.start,
            duration: timeline.duration,
            frames: timeline.frames,
            fps: timeline.fps,
            looping: timeline.looping,
            step: job.chosen.step,
            relative: job.chosen.settings.relative,
            holds: job.holds.to_vec(),
            quality: blocks.then_some(job.chosen.settings.quality),
            shapes: job.holds.iter().map(|&(_, format)| job.shape(format)).collect(),
            request,
        }
    }

    /// The key under which the clip is stored.
    pub fn digest(&self) -> Digest {
        let Self { version, mesh, skeleton, motion, start, duration, frames, fps, .. } = self;
        let Self { looping, step, relative, holds, quality, shapes, request, .. } = self;
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

/// The digests that all clips of a character share.
#[derive(Clone, Debug)]
pub struct CharacterDigests {
    /// Vertices and what moves them.
    pub mesh: Digest,
    /// The nodes, at rest.
    pub skeleton: Digest,
    /// The place of each node that counts, by index in the source.
    places: BTreeMap<usize, u32>,
    /// The morph targets that move columns, by node.
    targets: BTreeMap<usize, Vec<usize>>,
}

impl CharacterDigests {
    /// Digests a rig.
    pub fn of(source: &Source, rig: &Rig) -> Self {
        let used = used_joints(rig);
        let places = places(source, rig, &used);
        let mesh = mesh(source, rig, &used, &places);
        let mut targets: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        rig.weights.iter().for_each(|weight| targets.entry(weight.node).or_default().push(weight.target));
        Self { mesh, skeleton: skeleton(source, &places), places, targets }
    }

    /// The digest of the curves that move something.
    pub(super) fn motion(&self, clip: &Clip) -> Digest {
        let mut channels: Vec<_> = clip
            .channels
            .iter()
            .filter(|channel| {
                channel.property != Property::Weights || self.targets.contains_key(&channel.node)
            })
            .filter_map(|channel| Some(((*self.places.get(&channel.node)?, channel.property), channel)))
            .collect();
        channels.sort_by_key(|(place, _)| *place);
        let mut fields = Fields::new("vatpipe 2026 clip motion v1");
        fields.number(channels.len() as u64);
        for ((place, property), channel) in channels {
            fields.number(place.into());
            fields.number(match property {
                Property::Translation => 0,
                Property::Rotation => 1,
                Property::Scale => 2,
                Property::Weights => 3,
            });
            fields.number(match channel.interpolation {
                Interpolation::Step => 0,
                Interpolation::Linear => 1,
                Interpolation::CubicSpline => 2,
            });
            fields.floats(&channel.times);
            match (property, self.targets.get(&channel.node)) {
                (Property::Weights, Some(targets)) => targets.iter().for_each(|&target| {
                    let values = channel.values.iter().skip(target).step_by(channel.width);
                    fields.floats(&values.copied().collect::<Vec<_>>());
                }),
                _ => {
                    fields.floats(&channel.values);
                }
            }
        }
        fields.finish()
    }
}

/// Indices of the joints that move columns, in the order in which columns first name them. Within
/// a column joints stand in the order of their names, in which they are summed up; beyond that no
/// name has a say, and joints that move nothing are not there.
pub fn used_joints(rig: &Rig) -> Vec<u32> {
    let mut seen = vec![false; rig.joints.len()];
    let joints = rig.influences.iter().map(|(joint, _)| *joint);
    joints.filter(|&joint| !std::mem::replace(&mut seen[joint as usize], true)).collect()
}

/// The nodes that move vertices and all above them, parents first, in the order of the joints in
/// use.
fn places(source: &Source, rig: &Rig, used: &[u32]) -> BTreeMap<usize, u32> {
    let mut places = BTreeMap::new();
    let joints = used.iter().map(|&joint| rig.joints[joint as usize].node);
    let moving = joints.chain(rig.weights.iter().map(|w| w.node));
    for node in moving {
        let mut chain: Vec<usize> =
            std::iter::successors(Some(node), |&node| source.nodes[node].parent).collect();
        chain.reverse();
        for node in chain {
            let next = places.len() as u32;
            places.entry(node).or_insert(next);
        }
    }
    places
}

fn skeleton(source: &Source, places: &BTreeMap<usize, u32>) -> Digest {
    let mut order: Vec<(u32, usize)> = places.iter().map(|(&node, &place)| (place, node)).collect();
    order.sort_unstable();
    let mut fields = Fields::new("vatpipe 2026 skeleton v1");
    fields.number(order.len() as u64);
    for (_, node) in order {
        let node = &source.nodes[node];
        fields.number(node.parent.and_then(|p| places.get(&p)).map_or(0, |&place| u64::from(place) + 1));
        match node.rest {
            Transform::Trs { translation, rotation, scale } => {
                fields.number(0);
                let numbers = translation.to_array().into_iter().chain(rotation.to_array());
                numbers.chain(scale.to_array()).for_each(|v| {
                    fields.float(v);
                });
            }
            Transform::Matrix(matrix) => {
                fields.number(1);
                matrix.to_cols_array().into_iter().for_each(|v| {
                    fields.float(v);
                });
            }
        }
    }
    fields.finish()
}

fn mesh(source: &Source, rig: &Rig, used: &[u32], places: &BTreeMap<usize, u32>) -> Digest {
    // Named one by one, so that a new field is not forgotten. Which vertex has which column
    // (`column_of`, `vertex_of`) concerns the emitted mesh, not the texels.
    let Rig { columns, column_of: _, vertex_of: _, joints, weights, positions, normals, tangents, .. } = rig;
    let Rig { handedness, influence_start, influences, morphs, faces, .. } = rig;
    let mut fields = Fields::new("vatpipe 2026 mesh v1");
    fields.number(*columns as u64);
    planes(&mut fields, Some(positions));
    planes(&mut fields, normals.as_ref());
    planes(&mut fields, tangents.as_ref());
    fields.floats(handedness);
    fields.number(used.len() as u64);
    let mut rank = vec![0u32; joints.len()];
    for (place, &joint) in used.iter().enumerate() {
        rank[joint as usize] = place as u32;
        let joint = joints[joint as usize];
        fields.number(places[&joint.node].into());
        joint.inverse_bind.to_cols_array().into_iter().for_each(|v| {
            fields.float(v);
        });
    }
    fields.numbers(influence_start.iter().copied());
    fields.numbers(influences.iter().map(|(joint, _)| rank[*joint as usize]));
    fields.floats(&influences.iter().map(|(_, weight)| *weight).collect::<Vec<_>>());
    fields.number(weights.len() as u64);
    for weight in weights {
        let rest = source.nodes[weight.node].weights[weight.target];
        fields.number(places[&weight.node].into()).float(rest.into());
    }
    fields.number(morphs.len() as u64);
    for MorphDeltas { weight, columns, positions, normals, tangents } in morphs {
        fields.number(*weight as u64).numbers(columns.iter().copied());
        planes(&mut fields, Some(positions));
        planes(&mut fields, normals.as_ref());
        planes(&mut fields, tangents.as_ref());
    }
    fields.number(faces.len() as u64);
    for (column, corners) in faces {
        fields.numbers([*column].into_iter()).numbers(corners.iter().copied());
    }
    fields.finish()
}

fn planes(fields: &mut Fields, planes: Option<&[Vec<f32>; 3]>) {
    fields.flag(planes.is_some());
    for plane in planes.into_iter().flatten() {
        fields.floats(plane);
    }
}
