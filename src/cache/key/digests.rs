//! Keys of the clips of a decoded model.

use std::collections::BTreeMap;

use super::{BAKE_VERSION, ClipKey, Request};
use crate::axes::turned;
use crate::bake::ClipJob;
use crate::cache::digest::{Digest, Fields};
use crate::encode::Format;
use crate::manifest::{Budget, ClipSettings, FormatChoice, Rate};
use crate::motion::Rig;
use crate::motion::rig::MorphDeltas;
use crate::source::{Clip, Interpolation, Property, Source, Transform};

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
            axes: job.rig.axes,
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
    pub(in crate::cache) fn motion(&self, clip: &Clip) -> Digest {
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
    // (`column_of`, `vertex_of`) concerns the emitted mesh, not the texels; axes are a reason of their own.
    let Rig { columns, column_of: _, vertex_of: _, joints, weights, positions, normals, tangents, .. } = rig;
    let Rig { handedness, influence_start, influences, morphs, faces, axes, .. } = rig;
    let mut fields = Fields::new("vatpipe 2026 mesh v1");
    fields.number(*columns as u64);
    planes(&mut fields, Some(positions));
    planes(&mut fields, normals.as_ref());
    planes(&mut fields, tangents.as_ref());
    let sign = if axes.mirrors() { -1.0 } else { 1.0 };
    fields.floats(&handedness.iter().map(|handedness| handedness * sign).collect::<Vec<_>>());
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
        let mut corners = *corners;
        if axes.mirrors() {
            turned(&mut corners);
        }
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
