//! Animations → [`Clip`]s.

use std::collections::BTreeSet;

use super::accessors::{Accessors, Component, Shape, Want};
use super::json::Element;
use super::report::Report;
use crate::problem::Result;
use crate::source::{Channel, Clip, Interpolation, Node, Property, Transform};

use Component::{F32, I8, I16, U8, U16};

const TIMES: Want = Want {
    what: "the input of an animation sampler",
    shapes: &[Shape::Scalar],
    components: &[F32],
    quantized: &[],
    always_normalized: false,
};
const VECTORS: Want = Want { what: "translation and scale", shapes: &[Shape::Vec3], ..TIMES };
const ROTATIONS: Want = Want {
    what: "rotation",
    shapes: &[Shape::Vec4],
    components: &[F32, I8, U8, I16, U16],
    quantized: &[],
    always_normalized: true,
};
const WEIGHTS: Want = Want { what: "morph target weights", shapes: &[Shape::Scalar], ..ROTATIONS };

/// What channels may move.
#[derive(Clone, Copy)]
pub struct Targets<'n> {
    /// The nodes of the source.
    pub nodes: &'n [Node],
    /// Where a node of the file is among them.
    pub place: &'n [Option<usize>],
    /// Seconds: the longest clip.
    pub longest: f64,
}

/// Reads all animations.
pub fn read<'a>(
    root: &Element<'a>,
    targets: Targets<'_>,
    data: &mut Accessors<'a, '_>,
    report: &mut Report,
) -> Vec<Clip> {
    let animations = report.keep(root.items("animations")).into_iter().flatten();
    animations.enumerate().map(|(i, a)| clip(i, &a, targets, data, report)).collect()
}

fn clip<'a>(
    index: usize,
    animation: &Element<'a>,
    targets: Targets<'_>,
    data: &mut Accessors<'a, '_>,
    report: &mut Report,
) -> Clip {
    let name = animation.name();
    let mut clip = Clip { index, name, channels: Vec::new(), duration: 0.0, first_key: f64::INFINITY };
    let mut moved = BTreeSet::new();
    for element in report.keep(animation.items("channels")).into_iter().flatten() {
        let read = times(animation, &element, data, report);
        let Some((sampler, keys)) = report.keep(read) else { continue };
        let (Some(&first), Some(&last)) = (keys.first(), keys.last()) else { continue };
        // Also those of channels that are not kept: the clip is as long as its author made it.
        clip.duration = clip.duration.max(last.into());
        clip.first_key = clip.first_key.min(first.into());
        let target = target(&element, targets, report);
        let Some((node, property)) = report.keep(target).flatten() else { continue };
        if !moved.insert((node, property)) {
            let message = "another channel moves the same property of the same node; this one is ignored";
            report.push(element.warning("source::animation", message));
            continue;
        }
        let width = match property {
            Property::Translation | Property::Scale => 3,
            Property::Rotation => 4,
            Property::Weights => targets.nodes[node].weights.len(),
        };
        let channel = channel(&sampler, keys, (node, property, width), data, report);
        clip.channels.extend(report.keep(channel));
    }
    clip.first_key = clip.first_key.min(clip.duration);
    if clip.duration > targets.longest {
        let (last, longest) = (clip.duration, targets.longest);
        let message =
            format!("the last key is at {last} s, and clips may last {longest} s: it cannot be baked");
        report.push(animation.warning("source::limit", message).help("the times may be in milliseconds"));
    }
    clip
}

/// The sampler of a channel and its key times: strictly rising; none, with a warning, if it has none.
fn times<'a>(
    animation: &Element<'a>,
    channel: &Element<'a>,
    data: &mut Accessors<'a, '_>,
    report: &mut Report,
) -> Result<(Element<'a>, Vec<f32>)> {
    let index = channel.need("sampler")?.as_index("samplers", animation.count("samplers"))?;
    let Some(sampler) = animation.item("samplers", index) else {
        return Err(channel.error("source::index", format!("there is no sampler {index}")));
    };
    let accessor = sampler.need("input")?.as_index("accessors", data.len())?;
    let accessor = data.find(accessor, &TIMES, report)?;
    let mut times = data.finite(&accessor)?;
    if times.is_empty() {
        report.push(sampler.warning("source::animation", "the sampler has no keys; its channel is ignored"));
    }
    if let Some(at) = times.iter().position(|&t| t < 0.0) {
        let message = format!("key {at} is at {} s, before the start of the clip", times[at]);
        return Err(accessor.element.error("source::animation", message));
    }
    if let Some(at) = times.windows(2).position(|pair| pair[1] < pair[0]) {
        let message =
            format!("key {} is at {} s, before the key before it at {} s", at + 1, times[at + 1], times[at]);
        return Err(accessor.element.error("source::animation", message));
    }
    if separate(&mut times) {
        let message = "two keys at the same time: the value jumps there";
        report.push(accessor.element.warning("source::animation", message));
    }
    Ok((sampler, times))
}

/// Moves keys apart that are at the same time, by the least possible: the earlier ones move ahead. A jump
/// stays a jump. Returns whether there were any.
fn separate(times: &mut [f32]) -> bool {
    let mut any = false;
    for i in (1..times.len()).rev() {
        if times[i - 1] >= times[i] {
            times[i - 1] = times[i].next_down();
            any = true;
        }
    }
    // Several keys at 0 cannot move ahead: the later ones move back.
    for i in 0..times.len() {
        let least = if i == 0 { 0.0 } else { times[i - 1].next_up() };
        times[i] = times[i].max(least);
    }
    any
}

/// What a channel moves; `None` if that is nothing that is baked.
fn target(channel: &Element, targets: Targets<'_>, report: &mut Report) -> Result<Option<(usize, Property)>> {
    let target = channel.need("target")?;
    let property = match target.need("path")?.as_str()? {
        "translation" => Property::Translation,
        "rotation" => Property::Rotation,
        "scale" => Property::Scale,
        "weights" => Property::Weights,
        other => {
            let message = format!("the channel moves `{other}`, which is not baked; it is ignored");
            report.push(target.warning("source::animation", message));
            return Ok(None);
        }
    };
    let Some(file_node) = target.index("node", "nodes", targets.place.len())? else { return Ok(None) };
    let Some(node) = targets.place[file_node] else { return Ok(None) };
    if property == Property::Weights && targets.nodes[node].weights.is_empty() {
        let message = format!("the channel moves morph target weights of node {file_node}, which draws none");
        report.push(target.warning("source::animation", message));
        return Ok(None);
    }
    if property != Property::Weights && matches!(targets.nodes[node].rest, Transform::Matrix(_)) {
        let message = format!("node {file_node} is animated although it has a matrix, which is decomposed");
        report.push(target.warning("source::animation", message));
    }
    Ok(Some((node, property)))
}

fn channel<'a>(
    sampler: &Element<'a>,
    times: Vec<f32>,
    (node, property, width): (usize, Property, usize),
    data: &mut Accessors<'a, '_>,
    report: &mut Report,
) -> Result<Channel> {
    let interpolation = match sampler.string("interpolation")?.unwrap_or("LINEAR") {
        "LINEAR" => Interpolation::Linear,
        "STEP" => Interpolation::Step,
        "CUBICSPLINE" => Interpolation::CubicSpline,
        other => {
            return Err(sampler.error("source::animation", format!("interpolation `{other}` is unknown")));
        }
    };
    let want = match property {
        Property::Translation | Property::Scale => &VECTORS,
        Property::Rotation => &ROTATIONS,
        Property::Weights => &WEIGHTS,
    };
    let accessor = sampler.need("output")?.as_index("accessors", data.len())?;
    let accessor = data.find(accessor, want, report)?;
    let a_key = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
    let scalars = if property == Property::Weights { width } else { 1 };
    let expected = times.len().checked_mul(a_key * scalars);
    if expected != Some(accessor.count) {
        let message = format!(
            "the output has {} elements, and {} keys with {} each need {}",
            accessor.count,
            times.len(),
            a_key * scalars,
            expected.unwrap_or(usize::MAX)
        );
        return Err(sampler.error("source::animation", message));
    }
    let mut values = data.finite(&accessor)?;
    if property == Property::Rotation && interpolation != Interpolation::CubicSpline {
        let scaled = normalize(&mut values, accessor.component != F32);
        if scaled > 0 {
            let message = match scaled {
                1 => "1 rotation key is no unit quaternion, and is made one".to_owned(),
                _ => format!("{scaled} rotation keys are no unit quaternions, and are made such"),
            };
            report.push(accessor.element.warning("source::animation", message));
        }
    }
    Ok(Channel { node, property, interpolation, times, values, width })
}

/// Scales quaternions to length 1: all of them if they come from integers (`rounded`), otherwise those that
/// are further off than somebody's decimals (SimpleSkin.gltf has 0.707, and viewers draw it so). Those without
/// a direction become the identity. Returns how many were off.
fn normalize(values: &mut [f32], rounded: bool) -> usize {
    let mut off = 0;
    for q in values.as_chunks_mut::<4>().0 {
        let wide = q.map(f64::from);
        let length = wide.iter().map(|c| c * c).sum::<f64>().sqrt();
        let far = (length - 1.0).abs() > 1e-2;
        off += usize::from(far);
        if length < 1e-9 {
            *q = [0.0, 0.0, 0.0, 1.0];
        } else if far || rounded {
            *q = wide.map(|c| (c / length) as f32);
        }
    }
    off
}
