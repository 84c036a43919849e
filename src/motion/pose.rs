//! A clip at a time → the transforms of all that moves vertices.
//!
//! Transforms are composed in `f64` and rounded once, so that a character in centimetres under a
//! node scaled 0.01 loses nothing on the way.

use glam::{DMat4, DQuat, DVec3};

use super::rig::Rig;
use crate::math;
use crate::source::{Channel, Clip, Interpolation, Node, Property, Source, Transform};

/// The upper three rows of an affine matrix, row after row: `x' = m[0] x + m[1] y + m[2] z + m[3]`.
pub type Affine = [f32; 12];

/// Transforms and morph weights, frame after frame.
#[derive(Clone, Debug, Default)]
pub struct Poses {
    /// Frames.
    pub frames: usize,
    /// `[frame][joint]`, joints as in [`Rig::joints`].
    pub joints: Vec<Affine>,
    /// `[frame][weight]`, weights as in [`Rig::weights`].
    pub weights: Vec<f32>,
}

impl Poses {
    /// Transforms and morph weights of one frame.
    pub fn frame(&self, frame: usize) -> (&[Affine], &[f32]) {
        let joints = self.joints.len() / self.frames;
        let weights = self.weights.len() / self.frames;
        (&self.joints[frame * joints..][..joints], &self.weights[frame * weights..][..weights])
    }
}

/// A clip bound to the nodes it moves, ready to be sampled.
pub struct Animation<'a> {
    nodes: &'a [Node],
    rig: &'a Rig,
    /// Channels sorted by node.
    channels: Vec<&'a Channel>,
}

impl<'a> Animation<'a> {
    /// Binds a clip, or nothing (the rest pose).
    pub fn new(source: &'a Source, rig: &'a Rig, clip: Option<&'a Clip>) -> Self {
        let mut channels: Vec<&Channel> = clip.map_or(Vec::new(), |c| c.channels.iter().collect());
        channels.sort_by_key(|c| (c.node, c.property));
        Self { nodes: &source.nodes, rig, channels }
    }

    /// Samples at times in seconds.
    pub fn sample(&self, times: impl IntoIterator<Item = f64>) -> Poses {
        let mut poses = Poses::default();
        let mut globals = Vec::with_capacity(self.nodes.len());
        for time in times {
            poses.frames += 1;
            self.globals_at(time, &mut globals);
            let moved = |j: &super::rig::Joint| self.rig.axes.convert(globals[j.node] * j.inverse_bind);
            poses.joints.extend(self.rig.joints.iter().map(|joint| affine(moved(joint))));
            let first = poses.weights.len();
            poses.weights.extend(self.rig.weights.iter().map(|w| self.nodes[w.node].weights[w.target]));
            self.animate_weights(time, &mut poses.weights[first..]);
        }
        poses
    }

    fn globals_at(&self, time: f64, globals: &mut Vec<DMat4>) {
        globals.clear();
        let mut next = 0;
        for (index, node) in self.nodes.iter().enumerate() {
            let start = next;
            while self.channels.get(next).is_some_and(|c| c.node == index) {
                next += 1;
            }
            let local = local_at(node.rest, &self.channels[start..next], time);
            globals.push(node.parent.map_or(local, |p| globals[p] * local));
        }
    }

    fn animate_weights(&self, time: f64, weights: &mut [f32]) {
        if weights.is_empty() {
            return;
        }
        for channel in self.channels.iter().filter(|c| c.property == Property::Weights) {
            let moved = self.rig.weights.iter().zip(weights.iter_mut());
            for (weight, value) in moved.filter(|(w, _)| w.node == channel.node) {
                *value = Segment::at(channel, time).component(weight.target) as f32;
            }
        }
    }
}

pub(super) fn affine(m: DMat4) -> Affine {
    let [x, y, z, w] = [m.x_axis, m.y_axis, m.z_axis, m.w_axis];
    let row = |i: usize| [x[i] as f32, y[i] as f32, z[i] as f32, w[i] as f32];
    let [a, b, c] = [row(0), row(1), row(2)];
    [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3], c[0], c[1], c[2], c[3]]
}

/// The local matrix of a node under its channels. Translation, rotation and scale that no channel
/// moves keep their rest values.
fn local_at(rest: Transform, channels: &[&Channel], time: f64) -> DMat4 {
    let moved = channels.iter().any(|c| c.property != Property::Weights);
    let (mut scale, mut rotation, mut translation) = match rest {
        Transform::Matrix(matrix) if !moved => return matrix,
        Transform::Matrix(matrix) => matrix.to_scale_rotation_translation(),
        Transform::Trs { translation, rotation, scale } => (scale, rotation, translation),
    };
    for channel in channels {
        let segment = Segment::at(channel, time);
        match channel.property {
            Property::Translation => translation = segment.vector(),
            Property::Rotation => rotation = segment.rotation(),
            Property::Scale => scale = segment.vector(),
            Property::Weights => {}
        }
    }
    DMat4::from_scale_rotation_translation(scale, rotation, translation)
}

/// The two keys around a time, and where between them it lies.
struct Segment<'a> {
    channel: &'a Channel,
    key: usize,
    /// 0 at the key, 1 at the next; 0 before the first key and after the last.
    t: f64,
    /// Seconds from the key to the next.
    span: f64,
}

impl<'a> Segment<'a> {
    fn at(channel: &'a Channel, time: f64) -> Self {
        let times = &channel.times;
        // Key times are rounded to f32: a frame meant to fall on a key may lie a hair before it,
        // and a STEP channel would still hold the old value there.
        let reach = time + 1e-6 + time * 2.4e-7;
        let after = times.partition_point(|&k| f64::from(k) <= reach);
        let key = after.saturating_sub(1);
        let next = (key + 1).min(times.len() - 1);
        let (start, end) = (f64::from(times[key]), f64::from(times[next]));
        let span = end - start;
        let inside = after > 0 && span > 0.0 && channel.interpolation != Interpolation::Step;
        let t = if inside { ((time - start) / span).clamp(0.0, 1.0) } else { 0.0 };
        Self { channel, key, t, span }
    }

    /// The stored number `component` of `key`; `part` is 0 for the in-tangent, 1 for the value, 2
    /// for the out-tangent of a cubic spline, and ignored otherwise.
    fn stored(&self, key: usize, part: usize, component: usize) -> f64 {
        let c = self.channel;
        let element = if c.interpolation == Interpolation::CubicSpline { key * 3 + part } else { key };
        f64::from(c.values[element * c.width + component])
    }

    /// One component at the time; rotations blend linearly here, see [`Self::rotation`].
    fn component(&self, component: usize) -> f64 {
        let (k, t) = (self.key, self.t);
        let a = self.stored(k, 1, component);
        if t == 0.0 {
            return a;
        }
        let b = self.stored(k + 1, 1, component);
        if self.channel.interpolation != Interpolation::CubicSpline {
            return a + (b - a) * t;
        }
        // Hermite basis; tangents are per second (glTF 2.0 specification, appendix C.5).
        let (out, into) = (self.stored(k, 2, component), self.stored(k + 1, 0, component));
        let (t2, t3) = (t * t, t * t * t);
        (2.0 * t3 - 3.0 * t2 + 1.0) * a
            + self.span * (t3 - 2.0 * t2 + t) * out
            + (3.0 * t2 - 2.0 * t3) * b
            + self.span * (t3 - t2) * into
    }

    fn vector(&self) -> DVec3 {
        DVec3::new(self.component(0), self.component(1), self.component(2))
    }

    /// Keys are unit quaternions, or nearly: they are used as stored. The sum of a cubic spline is not,
    /// and is scaled to length 1 (specification, appendix C.5).
    fn rotation(&self) -> DQuat {
        let key = |key: usize| DQuat::from_array([0, 1, 2, 3].map(|c| self.stored(key, 1, c)));
        match self.channel.interpolation {
            Interpolation::Step => key(self.key),
            Interpolation::Linear if self.t == 0.0 => key(self.key),
            Interpolation::Linear => math::slerp(key(self.key), key(self.key + 1), self.t),
            Interpolation::CubicSpline => {
                let sum = DQuat::from_array([0, 1, 2, 3].map(|c| self.component(c)));
                math::normalize_or_identity(sum)
            }
        }
    }
}
