//! Which joints move a vertex, and how much: all `JOINTS_n` and `WEIGHTS_n` sets together.

use super::accessors::{Accessors, Component, Shape, Want};
use super::geometry::{Kept, find, harmless};
use super::meshes::{Group, Semantic};
use super::report::Report;
use crate::problem::Result;
use crate::source::Influence;

const JOINTS: Want = Want {
    what: "JOINTS_n",
    shapes: &[Shape::Vec4],
    components: &[Component::U8, Component::U16],
    quantized: &[],
    always_normalized: false,
};
const WEIGHTS: Want = Want {
    what: "WEIGHTS_n",
    shapes: &[Shape::Vec4],
    components: &[Component::F32, Component::U8, Component::U16],
    quantized: &[],
    always_normalized: true,
};

/// One set: four joints and four weights for each of the file's vertices.
struct Set {
    joints: Vec<u32>,
    weights: Vec<f32>,
}

/// What was odd about some vertices, reported once for all of them.
#[derive(Default)]
struct Odd {
    no_weight: usize,
    negative: usize,
    bad_unused: usize,
}

/// Reads the influences and where those of each kept vertex start. Both are empty, with a warning, if
/// the vertices have no joints. `joints`: how many the skin has.
pub fn read<'a>(
    group: &Group<'a>,
    kept: &Kept,
    joints: usize,
    data: &mut Accessors<'a, '_>,
    report: &mut Report,
) -> Result<(Vec<Influence>, Vec<u32>)> {
    let sets = sets(group, kept, data, report)?;
    if sets.is_empty() {
        let message =
            "the mesh is drawn with a skin, but these vertices have no JOINTS_0; they follow the node";
        report.push(group.element.warning("source::skin", message));
        return Ok(Default::default());
    }
    let mut influences = Vec::with_capacity(kept.vertices.len() * sets.len() * 2);
    let mut start = Vec::with_capacity(kept.vertices.len() + 1);
    start.push(0);
    let mut odd = Odd::default();
    for &vertex in &kept.vertices {
        let mut all = slots(&sets, vertex as usize, joints, &mut odd).map_err(|joint| {
            let message = format!("vertex {vertex} follows joint {joint}, and the skin has {joints} joints");
            group.element.error("source::index", message)
        })?;
        influences.extend(merge(&mut all));
        start.push(influences.len() as u32);
    }
    warn(group, &odd, report);
    Ok((influences, start))
}

fn sets<'a>(
    group: &Group<'a>,
    kept: &Kept,
    data: &mut Accessors<'a, '_>,
    report: &mut Report,
) -> Result<Vec<Set>> {
    let mut sets = Vec::new();
    for (semantic, &joints) in &group.attributes {
        let &Semantic::Joints(n) = semantic else { continue };
        let Some(&weights) = group.attributes.get(&Semantic::Weights(n)) else {
            return Err(group
                .element
                .error("source::skin", format!("there is a JOINTS_{n}, but no WEIGHTS_{n}")));
        };
        let joints = find(joints, &JOINTS, kept, data, report)?;
        let weights = find(weights, &WEIGHTS, kept, data, report)?;
        sets.push(Set {
            joints: data.integers(&joints)?,
            weights: harmless(&weights, &WEIGHTS, data, report)?,
        });
    }
    Ok(sets)
}

/// The slots of a vertex that count. Fails with the joint that does not exist.
fn slots(sets: &[Set], vertex: usize, joints: usize, odd: &mut Odd) -> Result<Vec<(u32, f64)>, u32> {
    let mut all = Vec::with_capacity(sets.len() * 4);
    for set in sets {
        for slot in vertex * 4..vertex * 4 + 4 {
            let (joint, weight) = (set.joints[slot], f64::from(set.weights[slot]));
            let exists = (joint as usize) < joints;
            if weight > 0.0 && !exists {
                return Err(joint);
            }
            odd.bad_unused += usize::from(!exists);
            odd.negative += usize::from(weight < 0.0);
            if weight > 0.0 {
                all.push((joint, weight));
            }
        }
    }
    if all.is_empty() {
        // As three.js does: what the first slot names.
        odd.no_weight += 1;
        let first = sets[0].joints[vertex * 4];
        all.push((if (first as usize) < joints { first } else { 0 }, 1.0));
    }
    Ok(all)
}

/// Sorted by joint, each joint once, weights summing to 1.
fn merge(all: &mut [(u32, f64)]) -> impl Iterator<Item = Influence> {
    all.sort_by_key(|&(joint, _)| joint);
    let sum: f64 = all.iter().map(|&(_, weight)| weight).sum();
    all.chunk_by(|a, b| a.0 == b.0)
        .map(move |same| {
            let weight: f64 = same.iter().map(|&(_, weight)| weight).sum();
            Influence { joint: same[0].0, weight: (weight / sum) as f32 }
        })
        .filter(|influence| influence.weight > 0.0)
}

fn warn(group: &Group, odd: &Odd, report: &mut Report) {
    let mut warn = |count: usize, message: String| {
        if count > 0 {
            report.push(group.element.warning("source::skin", message));
        }
    };
    let Odd { no_weight, negative, bad_unused } = *odd;
    let said = |count: usize, one: &str, many: &str| {
        if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
    };
    let one = "vertex has no weight above 0; it follows the first joint it names";
    warn(
        no_weight,
        said(no_weight, one, "vertices have no weight above 0; they follow the first joint they name"),
    );
    let one = "weight is below 0 and does not count";
    warn(negative, said(negative, one, "weights are below 0 and do not count"));
    let one = "slot without weight names a joint that the skin does not have";
    warn(bad_unused, said(bad_unused, one, "slots without weight name joints that the skin does not have"));
}
