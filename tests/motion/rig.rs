use vatpipe::motion::rig::Options;
use vatpipe::motion::{Rig, vertices};
use vatpipe::source::{Influence, Morph, Skin, Source};

use super::{node, triangle};

const BARE: Options = Options { normals: false, tangents: false, share_columns: true };

fn rig(source: &Source, options: Options) -> Rig {
    Rig::new(source, &vertices::list(source, false), options)
}

/// Two vertices at one place, told apart by one thing only.
fn twins() -> Source {
    let mut source = triangle(Vec::new());
    source.geometries[0].positions[1] = source.geometries[0].positions[0];
    source
}

#[test]
fn equal_vertices_share_a_column_on_request() {
    let source = twins();
    assert_eq!(rig(&source, BARE).column_of, [0, 0, 1]);
    assert_eq!(rig(&source, Options { share_columns: false, ..BARE }).column_of, [0, 1, 2]);
}

#[test]
fn negative_zero_is_zero() {
    let mut source = twins();
    source.geometries[0].positions[1][2] = -0.0;
    assert_eq!(rig(&source, BARE).columns, 2);
}

#[test]
fn normals_tell_vertices_apart_only_if_they_are_baked() {
    let mut source = twins();
    source.geometries[0].normals = Some(vec![[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    assert_eq!(rig(&source, BARE).columns, 2);
    assert_eq!(rig(&source, Options { normals: true, ..BARE }).columns, 3);
}

#[test]
fn morph_deltas_tell_vertices_apart() {
    let mut source = twins();
    source.nodes[0].weights = vec![0.0];
    let deltas = vec![[0.0; 3], [0.0, 1.0, 0.0], [0.0; 3]];
    source.geometries[0].morphs = vec![Morph { positions: Some(deltas), ..Morph::default() }];
    let rig = rig(&source, BARE);
    assert_eq!(rig.columns, 3);
    assert_eq!(rig.morphs[0].columns, [1]);
}

#[test]
fn joints_tell_vertices_apart_unless_they_are_one() {
    let mut source = twins();
    source.nodes.push(node("joint", Some(0)));
    source.nodes.push(node("other", Some(0)));
    let geometry = &mut source.geometries[0];
    geometry.influences = [0, 1, 0].map(|joint| Influence { joint, weight: 1.0 }).to_vec();
    geometry.influence_start = vec![0, 1, 2, 3];
    source.parts[0].skin = Some(0);
    source.skins = vec![Skin { joints: vec![1, 2], inverse_bind: vec![glam::DMat4::IDENTITY; 2] }];
    assert_eq!(rig(&source, BARE).columns, 3);
    // A skin that lists one node twice moves both alike.
    source.skins[0].joints = vec![1, 1];
    assert_eq!(rig(&source, BARE).columns, 2);
}

#[test]
fn parts_on_different_nodes_never_share() {
    let mut source = triangle(Vec::new());
    source.nodes.push(node("beside", None));
    let mut part = source.parts[0];
    part.node = 1;
    source.parts.push(part);
    assert_eq!(rig(&source, BARE).columns, 6);
    source.parts[1].node = 0;
    assert_eq!(rig(&source, BARE).columns, 3);
}

/// Sums of floats depend on their order: joints come in the order of their names, whatever the file's.
#[test]
fn the_order_of_joints_in_the_file_does_not_matter() {
    let listed = |names: [&str; 2], joints: Vec<usize>, influences: [u32; 2]| {
        let mut source = triangle(Vec::new());
        source.nodes.extend(names.map(|name| node(name, Some(0))));
        let geometry = &mut source.geometries[0];
        let pair = [(influences[0], 0.25), (influences[1], 0.75)];
        let pair = pair.map(|(joint, weight)| Influence { joint, weight });
        geometry.influences = [pair; 3].concat();
        geometry.influence_start = vec![0, 2, 4, 6];
        source.parts[0].skin = Some(0);
        source.skins = vec![Skin { joints, inverse_bind: vec![glam::DMat4::IDENTITY; 2] }];
        rig(&source, BARE)
    };
    let (a, b) = (listed(["hip", "arm"], vec![1, 2], [0, 1]), listed(["arm", "hip"], vec![2, 1], [0, 1]));
    assert_eq!(a.influences, b.influences);
    assert_eq!(a.influences[..2], [(0, 0.75), (1, 0.25)]);
}
