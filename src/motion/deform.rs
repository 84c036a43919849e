//! Columns under a pose: morph, then skin, as glTF 2.0 orders them (specification, 3.7.3.3).

use rayon::prelude::*;

use super::pose::{Affine, Poses};
use super::rig::Rig;
use super::skin::{self, unit};

/// Columns over time, as planes: for each frame x, y, z of the positions, then of the normals, then
/// of the tangents if they are baked, each over all columns.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    /// Frames.
    pub frames: usize,
    /// Columns.
    pub columns: usize,
    /// Whether there are normals.
    pub normals: bool,
    /// Whether there are tangents.
    pub tangents: bool,
    /// `[frame][plane][column]`.
    pub data: Vec<f32>,
}

/// One frame of [`Frames`]: planes over columns.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Model units.
    pub positions: [&'a [f32]; 3],
    /// Unit vectors.
    pub normals: Option<[&'a [f32]; 3]>,
    /// Unit vectors.
    pub tangents: Option<[&'a [f32]; 3]>,
}

impl Frames {
    /// Room for `frames` frames of `columns` columns, all zero.
    pub fn zeros(frames: usize, columns: usize, normals: bool, tangents: bool) -> Self {
        let planes = 3 * (1 + usize::from(normals) + usize::from(tangents));
        Self { frames, columns, normals, tangents, data: vec![0.0; frames * planes * columns] }
    }

    /// Numbers in one frame: planes times columns.
    pub fn stride(&self) -> usize {
        3 * (1 + usize::from(self.normals) + usize::from(self.tangents)) * self.columns
    }

    /// One frame.
    pub fn frame(&self, frame: usize) -> Frame<'_> {
        let stride = self.stride();
        let data = &self.data[frame * stride..][..stride];
        let c = self.columns;
        let planes = |first: usize| [0, 1, 2].map(|p| &data[(first + p) * c..][..c]);
        Frame {
            positions: planes(0),
            normals: self.normals.then(|| planes(3)),
            tangents: self.tangents.then(|| planes(if self.normals { 6 } else { 3 })),
        }
    }
}

/// Deforms a rig by every pose; frames in parallel.
pub fn deform(rig: &Rig, poses: &Poses) -> Frames {
    let mut frames = Frames::zeros(poses.frames, rig.columns, rig.normals.is_some(), rig.tangents.is_some());
    let stride = frames.stride().max(1);
    frames.data.par_chunks_mut(stride).enumerate().for_each_init(Scratch::default, |scratch, (f, out)| {
        let (joints, weights) = poses.frame(f);
        deform_frame(rig, joints, weights, scratch, out);
    });
    frames
}

/// The same into frames that are there already, one after the other: for callers that are parallel
/// themselves and come back often.
pub fn deform_into(rig: &Rig, poses: &Poses, scratch: &mut Scratch, frames: &mut Frames) {
    if (frames.frames, frames.columns) != (poses.frames, rig.columns) {
        *frames = Frames::zeros(poses.frames, rig.columns, rig.normals.is_some(), rig.tangents.is_some());
    }
    let stride = frames.stride().max(1);
    for (f, out) in frames.data.chunks_mut(stride).enumerate() {
        let (joints, weights) = poses.frame(f);
        deform_frame(rig, joints, weights, scratch, out);
    }
}

/// Buffers reused from frame to frame.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    positions: [Vec<f32>; 3],
    normals: [Vec<f32>; 3],
    tangents: [Vec<f32>; 3],
}

fn deform_frame(rig: &Rig, joints: &[Affine], weights: &[f32], scratch: &mut Scratch, out: &mut [f32]) {
    let columns = rig.columns;
    let Scratch { positions, normals, tangents } = scratch;
    let positions = morphed(rig, &rig.positions, weights, |m| Some(&m.positions), positions);
    let normals =
        rig.normals.as_ref().map(|base| morphed(rig, base, weights, |m| m.normals.as_ref(), normals));
    let tangents =
        rig.tangents.as_ref().map(|base| morphed(rig, base, weights, |m| m.tangents.as_ref(), tangents));
    let (out_positions, rest) = out.split_at_mut(3 * columns);
    let (out_normals, out_tangents) = rest.split_at_mut(if normals.is_some() { 3 * columns } else { 0 });
    let out = skin::Planes { positions: out_positions, normals: out_normals, tangents: out_tangents };
    skin::transform(rig, joints, skin::Bind { positions, normals, tangents }, out);
    if rig.normals.is_some() {
        flat_normals(rig, out_positions, out_normals);
    }
}

type Planes = [Vec<f32>; 3];

/// Base values plus weighted deltas; the base itself if no weight is on.
fn morphed<'a>(
    rig: &'a Rig,
    base: &'a Planes,
    weights: &[f32],
    deltas: impl Fn(&super::rig::MorphDeltas) -> Option<&Planes>,
    scratch: &'a mut Planes,
) -> &'a Planes {
    if rig.morphs.iter().all(|m| weights[m.weight] == 0.0) {
        return base;
    }
    for (plane, base) in scratch.iter_mut().zip(base) {
        plane.clear();
        plane.extend_from_slice(base);
    }
    for morph in rig.morphs.iter().filter(|m| weights[m.weight] != 0.0) {
        let Some(deltas) = deltas(morph) else { continue };
        for (plane, delta) in scratch.iter_mut().zip(deltas) {
            for (&column, d) in morph.columns.iter().zip(delta) {
                plane[column as usize] += weights[morph.weight] * d;
            }
        }
    }
    scratch
}

/// Normals of flat-shaded columns, from the deformed triangles.
fn flat_normals(rig: &Rig, positions: &[f32], normals: &mut [f32]) {
    let n = rig.columns;
    for &(column, [a, b, c]) in &rig.faces {
        let at = |i: u32| [0, 1, 2].map(|p| positions[p * n + i as usize]);
        let [a, b, c] = [at(a), at(b), at(c)];
        let e = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
        let f = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
        let cross = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
        for (p, v) in unit(cross, [0.0, 0.0, 1.0]).into_iter().enumerate() {
            normals[p * n + column as usize] = v;
        }
    }
}
