use glam::DVec3;
use vatpipe::motion::rig::Options;
use vatpipe::motion::{Animation, Frames, Rig, deform, vertices};
use vatpipe::source::{Interpolation, Property, Source};

use super::{assert_near, channel, scaled, triangle};

fn rest(source: &Source, flat: bool) -> Frames {
    let options = Options { normals: true, tangents: false, share_columns: true };
    let rig = Rig::new(source, &vertices::list(source, flat), options);
    deform(&rig, &Animation::new(source, &rig, None).sample([0.0]))
}

fn normal(frames: &Frames, column: usize) -> [f32; 3] {
    frames.frame(0).normals.expect("normals").map(|plane| plane[column])
}

/// A plane x + y = 1 stretched four times along x: its normal leans towards y.
#[test]
fn normals_go_by_the_inverse_transpose() {
    let mut source = triangle(Vec::new());
    let half = std::f32::consts::FRAC_1_SQRT_2;
    source.geometries[0].normals = Some(vec![[half, half, 0.0]; 3]);
    source.nodes[0].rest = scaled(DVec3::new(4.0, 1.0, 1.0));
    let length = 17.0f32.sqrt();
    assert_near(normal(&rest(&source, false), 0), [1.0 / length, 4.0 / length, 0.0]);
}

#[test]
fn mirrors_turn_normals_outwards_and_triangles_around() {
    let mut source = triangle(Vec::new());
    source.geometries[0].normals = Some(vec![[1.0, 0.0, 0.0]; 3]);
    source.nodes[0].rest = scaled(DVec3::new(-1.0, 1.0, 1.0));
    assert_near(normal(&rest(&source, false), 0), [-1.0, 0.0, 0.0]);
    assert_eq!(vertices::list(&source, false).primitives[0].indices, [0, 2, 1]);
    source.nodes[0].rest = scaled(DVec3::new(-1.0, -1.0, 1.0));
    assert_eq!(vertices::list(&source, false).primitives[0].indices, [0, 1, 2]);
}

#[test]
fn flat_normals_are_those_of_the_triangle_in_each_frame() {
    let quarter = std::f32::consts::FRAC_1_SQRT_2;
    let turn = channel(Property::Rotation, Interpolation::Linear, &[0.0], &[quarter, 0.0, 0.0, quarter]);
    let source = triangle(vec![turn]);
    let rig = Rig::new(
        &source,
        &vertices::list(&source, true),
        Options { normals: true, tangents: false, share_columns: true },
    );
    let frames = deform(&rig, &Animation::new(&source, &rig, Some(&source.clips[0])).sample([0.0]));
    // The triangle in the xy plane faces +Z; a quarter turn about X takes +Z to -Y.
    assert_near(normal(&frames, 0), [0.0, -1.0, 0.0]);
    assert_near(normal(&rest(&source, true), 2), [0.0, 0.0, 1.0]);
}

#[test]
fn a_flattened_node_keeps_unit_normals() {
    let mut source = triangle(Vec::new());
    source.geometries[0].normals = Some(vec![[0.0, 0.6, 0.8]; 3]);
    source.nodes[0].rest = scaled(DVec3::new(1.0, 1.0, 0.0));
    assert_near(normal(&rest(&source, false), 0), [0.0, 0.0, 1.0]);
    source.nodes[0].rest = scaled(DVec3::ZERO);
    assert_near(normal(&rest(&source, false), 0), [0.0, 0.6, 0.8]);
}

/// Squares of cofactors at this scale are below the smallest f32.
#[test]
fn tiny_scales_lose_no_normals() {
    let mut source = triangle(Vec::new());
    source.geometries[0].normals = Some(vec![[0.0, 0.6, 0.8]; 3]);
    source.nodes[0].rest = scaled(DVec3::splat(1e-12));
    assert_near(normal(&rest(&source, false), 0), [0.0, 0.6, 0.8]);
}
