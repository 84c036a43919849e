//! Columns under a pose: morph, then skin, as glTF 2.0 orders them (specification, 3.7.3.3).

use rayon::prelude::*;

use super::pose::{Affine, Poses};
use super::rig::Rig;

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

/// Buffers reused from frame to frame.
#[derive(Default)]
struct Scratch {
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
    transform(rig, joints, out_positions, positions, point);
    if let Some(normals) = normals {
        transform(rig, joints, out_normals, normals, normal);
        flat_normals(rig, out_positions, out_normals);
    }
    if let Some(tangents) = tangents {
        transform(rig, joints, out_tangents, tangents, direction);
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

/// Applies `by` to each column under the blend of its joints' transforms.
#[inline(always)]
fn transform(
    rig: &Rig,
    joints: &[Affine],
    out: &mut [f32],
    from: &Planes,
    by: impl Fn(&Affine, [f32; 3]) -> [f32; 3],
) {
    let n = rig.columns;
    let (out_x, out_yz) = out.split_at_mut(n);
    let (out_y, out_z) = out_yz.split_at_mut(n);
    let starts = &rig.influence_start[..n + 1];
    let (from_x, from_y, from_z) = (&from[0][..n], &from[1][..n], &from[2][..n]);
    for c in 0..n {
        let list = &rig.influences[starts[c] as usize..starts[c + 1] as usize];
        let v = [from_x[c], from_y[c], from_z[c]];
        let [x, y, z] = match list {
            [(joint, _)] => by(&joints[*joint as usize], v),
            _ => by(&blended(joints, list), v),
        };
        (out_x[c], out_y[c], out_z[c]) = (x, y, z);
    }
}

#[inline(always)]
fn blended(joints: &[Affine], list: &[(u32, f32)]) -> Affine {
    let mut sum = [0.0; 12];
    for &(joint, weight) in list {
        let m = &joints[joint as usize];
        for (s, v) in sum.iter_mut().zip(m) {
            *s += weight * v;
        }
    }
    sum
}

#[inline(always)]
fn point(m: &Affine, [x, y, z]: [f32; 3]) -> [f32; 3] {
    [
        m[0] * x + m[1] * y + m[2] * z + m[3],
        m[4] * x + m[5] * y + m[6] * z + m[7],
        m[8] * x + m[9] * y + m[10] * z + m[11],
    ]
}

#[inline(always)]
fn direction(m: &Affine, [x, y, z]: [f32; 3]) -> [f32; 3] {
    unit(
        [m[0] * x + m[1] * y + m[2] * z, m[4] * x + m[5] * y + m[6] * z, m[8] * x + m[9] * y + m[10] * z],
        [x, y, z],
    )
}

/// The inverse transpose is the cofactor matrix over the determinant: its sign matters, its size
/// does not, and a flattened joint (a scale of 0) divides by nothing.
#[inline(always)]
fn normal(m: &Affine, [x, y, z]: [f32; 3]) -> [f32; 3] {
    let c00 = m[5] * m[10] - m[6] * m[9];
    let c01 = m[6] * m[8] - m[4] * m[10];
    let c02 = m[4] * m[9] - m[5] * m[8];
    let c10 = m[2] * m[9] - m[1] * m[10];
    let c11 = m[0] * m[10] - m[2] * m[8];
    let c12 = m[1] * m[8] - m[0] * m[9];
    let c20 = m[1] * m[6] - m[2] * m[5];
    let c21 = m[2] * m[4] - m[0] * m[6];
    let c22 = m[0] * m[5] - m[1] * m[4];
    let sign = if m[0] * c00 + m[1] * c01 + m[2] * c02 < 0.0 { -1.0 } else { 1.0 };
    unit(
        [
            sign * (c00 * x + c01 * y + c02 * z),
            sign * (c10 * x + c11 * y + c12 * z),
            sign * (c20 * x + c21 * y + c22 * z),
        ],
        [x, y, z],
    )
}

/// `v` at length 1; where it has none, `fallback` at length 1, and +Z where that has none either.
#[inline(always)]
fn unit(v: [f32; 3], fallback: [f32; 3]) -> [f32; 3] {
    let scaled = |[x, y, z]: [f32; 3]| {
        // Scaled by the largest component first: the square of a small normal (a character in
        // kilometres) would be lost below the smallest f32.
        let largest = x.abs().max(y.abs()).max(z.abs());
        if !(largest > 0.0 && largest.is_finite()) {
            return None;
        }
        let [x, y, z] = [x / largest, y / largest, z / largest];
        let scale = 1.0 / (x * x + y * y + z * z).sqrt();
        Some([x * scale, y * scale, z * scale])
    };
    scaled(v).or_else(|| scaled(fallback)).unwrap_or([0.0, 0.0, 1.0])
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
