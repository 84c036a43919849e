//! Sampling and deforming.

mod deform;
mod pose;
mod rig;
mod select;

use glam::{DMat4, DQuat, DVec3};
use vatpipe::source::{
    Channel, Clip, Geometry, Interpolation, Node, Part, Primitive, Property, Source, Transform,
};

/// One triangle on one node, moved by the channels.
fn triangle(channels: Vec<Channel>) -> Source {
    let duration = channels.iter().filter_map(|c| c.times.last()).fold(0.0, |a, &b| f64::from(b).max(a));
    let geometry = Geometry {
        positions: vec![[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.0]],
        primitives: vec![Primitive { indices: vec![0, 1, 2], material: None }],
        ..Geometry::default()
    };
    Source {
        nodes: vec![node("root", None)],
        geometries: vec![geometry],
        parts: vec![Part { node: 0, geometry: 0, skin: None }],
        clips: vec![Clip { index: 0, name: "Move".into(), duration, first_key: 0.0, channels }],
        ..Source::default()
    }
}

fn node(name: &str, parent: Option<usize>) -> Node {
    let rest = Transform::Trs { translation: DVec3::ZERO, rotation: DQuat::IDENTITY, scale: DVec3::ONE };
    Node { name: name.into(), parent, rest, weights: Vec::new(), index: 0 }
}

fn scaled(scale: DVec3) -> Transform {
    Transform::Matrix(DMat4::from_scale(scale))
}

fn channel(property: Property, interpolation: Interpolation, times: &[f32], values: &[f32]) -> Channel {
    let width = match property {
        Property::Rotation => 4,
        _ => 3,
    };
    Channel { node: 0, property, interpolation, times: times.to_vec(), values: values.to_vec(), width }
}

fn assert_near(got: [f32; 3], want: [f32; 3]) {
    let near = got.iter().zip(want).all(|(a, b)| (a - b).abs() < 2e-6);
    assert!(near, "{got:?} is not {want:?}");
}
