//! Poses made up from a rig: what it can do, whatever its clips do with it.
//!
//! Each joint is turned and moved a little, each morph target takes a weight, all by numbers that
//! look random and follow from the rig alone. Columns that are moved by the same joints with like
//! weights lie alike in every such pose, others part. Nothing here depends on the clips or on the
//! order of nodes in the file.

use glam::{DMat4, DQuat, DVec3};

use super::pose::{Poses, affine};
use super::rig::Rig;
use super::vertices::{rest_globals, rest_local};
use super::{Animation, deform};
use crate::math;
use crate::source::Source;

/// Half the angle that a joint turns by at most, as a tangent: 0.27 is 30 degrees.
const TURN: f64 = 0.27;

/// How far a joint moves at most along each axis, as a share of the model's size.
const MOVE: f64 = 0.02;

/// The rest pose, and `count` made-up poses after it, in the axes of the source.
pub fn poses(source: &Source, rig: &Rig, count: usize) -> Poses {
    let mut poses = Animation::new(source, rig, None).sample([0.0]);
    let size = size(rig, &poses);
    let moving = moving(source, rig);
    let rest = rest_globals(source);
    let mut globals = rest.clone();
    for pose in 1..=count {
        for &(node, place) in &moving {
            let mut random = Random::new(pose, place);
            let parent = source.nodes[node].parent;
            let outer = parent.map_or(DMat4::IDENTITY, |p| globals[p]);
            let scale = scale_of(parent.map_or(DMat4::IDENTITY, |p| rest[p]));
            let turn = random.vector() * TURN;
            let turn = math::normalize_or_identity(DQuat::from_xyzw(turn.x, turn.y, turn.z, 1.0));
            let step = if scale > 0.0 { random.vector() * (MOVE * size / scale) } else { DVec3::ZERO };
            let local = rest_local(source.nodes[node].rest) * DMat4::from_quat(turn);
            globals[node] = outer * DMat4::from_translation(step) * local;
        }
        poses.frames += 1;
        poses.joints.extend(rig.joints.iter().map(|j| affine(globals[j.node] * j.inverse_bind)));
        let weight = |place: usize| Random::new(pose, moving.len() + place).next().abs() as f32;
        poses.weights.extend((0..rig.weights.len()).map(weight));
    }
    poses
}

/// The longest edge of the box around the columns at rest.
fn size(rig: &Rig, rest: &Poses) -> f64 {
    let rest = deform(rig, rest);
    let edges = rest.frame(0).positions.map(|plane| {
        let max = plane.iter().fold(f32::NEG_INFINITY, |a, &b| a.max(b));
        f64::from(max) - f64::from(plane.iter().fold(f32::INFINITY, |a, &b| a.min(b)))
    });
    let size = edges.into_iter().fold(0.0, f64::max);
    if size.is_finite() { size } else { 0.0 }
}

/// The factor by which a matrix scales, on average.
fn scale_of(m: DMat4) -> f64 {
    let squares = m.x_axis.truncate().length_squared()
        + m.y_axis.truncate().length_squared()
        + m.z_axis.truncate().length_squared();
    let scale = (squares / 3.0).sqrt();
    if scale > 1e-12 && scale.is_finite() { scale } else { 0.0 }
}

/// The nodes that move columns and all above them, parents first, each with its place in the order
/// in which columns first name them: what a node is called, and where it stands in the file, has no say.
fn moving(source: &Source, rig: &Rig) -> Vec<(usize, usize)> {
    let mut seen = vec![false; source.nodes.len()];
    let mut used = vec![false; rig.joints.len()];
    let mut places = Vec::new();
    let joints = rig.influences.iter().map(|&(joint, _)| joint as usize);
    let joints = joints.filter(|&joint| !std::mem::replace(&mut used[joint], true));
    for joint in joints {
        let mut chain: Vec<usize> =
            std::iter::successors(Some(rig.joints[joint].node), |&node| source.nodes[node].parent).collect();
        chain.reverse();
        for node in chain {
            if !std::mem::replace(&mut seen[node], true) {
                places.push((node, places.len()));
            }
        }
    }
    places
}

/// Numbers that look random: SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, 2014).
struct Random(u64);

impl Random {
    fn new(pose: usize, place: usize) -> Self {
        let mut random = Self((pose as u64) << 32 ^ place as u64);
        // Seeds that differ little must not start alike.
        random.0 = random.bits();
        random
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From -1 to 1.
    fn next(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}
