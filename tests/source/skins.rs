//! Skins and influences.

use glam::DMat4;
use serde_json::{Value, json};
use vatpipe::source::{Influence, Source};

use super::{at, bad, good, odd};
use crate::support::model::Model;
use crate::support::models::{skinned_strip, triangle};

/// A triangle skinned to as many joints as asked for, with these further attributes.
fn skinned(joints: usize, attributes: impl FnOnce(&mut Model) -> Vec<(&'static str, usize)>) -> Model {
    let mut model = Model::new();
    let mesh = triangle(&mut model);
    for (name, accessor) in attributes(&mut model) {
        model.set(&format!("/meshes/0/primitives/0/attributes/{name}"), json!(accessor));
    }
    let joints: Vec<usize> = (0..joints).map(|_| model.node(json!({}))).collect();
    model.add("skins", json!({ "joints": joints }));
    model.node(json!({ "mesh": mesh, "skin": 0 }));
    model
}

/// The same joints and weights for the three vertices.
fn sets(joints: &'static [[u8; 4]], weights: &'static [[f32; 4]]) -> Model {
    skinned(4, |model| {
        let mut attributes = vec![];
        let names = [("JOINTS_0", "WEIGHTS_0"), ("JOINTS_1", "WEIGHTS_1"), ("JOINTS_2", "WEIGHTS_2")];
        for (i, (j, w)) in joints.iter().zip(weights).enumerate() {
            attributes.push((names[i].0, model.u8s("VEC4", &[*j; 3].concat())));
            attributes.push((names[i].1, model.vec4(&[*w; 3])));
        }
        attributes
    })
}

fn of(source: &Source, vertex: usize) -> Vec<(u32, f32)> {
    let geometry = &source.geometries[0];
    let range = geometry.influence_start[vertex] as usize..geometry.influence_start[vertex + 1] as usize;
    geometry.influences[range].iter().map(|&Influence { joint, weight }| (joint, weight)).collect()
}

#[test]
fn weights_are_normalised_over_all_sets() {
    let model = sets(
        &[[3, 2, 1, 0], [0, 1, 0, 0], [2, 0, 0, 0]],
        &[[0.5, 0.5, 0.5, 0.5], [0.5, 0.0, 0.0, 0.0], [1.5, 0.0, 0.0, 0.0]],
    );
    // 0: 0.5 + 0.5, 1: 0.5, 2: 0.5 + 1.5, 3: 0.5, of 4.
    let expected = [(0, 0.25), (1, 0.125), (2, 0.5), (3, 0.125)];
    let source = good(&model);
    assert_eq!(source.warnings, []);
    for vertex in 0..3 {
        assert_eq!(of(&source, vertex), expected);
    }
}

/// Runner-up 11, and every legal weight type: 0.2 and 0.8 are the same in all of them.
#[test]
fn component_types() {
    let joints: [fn(&mut Model) -> usize; 2] = [
        |model| model.u8s("VEC4", &[2, 1, 0, 0].repeat(3)),
        |model| model.u16s("VEC4", &[2, 1, 0, 0].repeat(3)),
    ];
    let weights: [fn(&mut Model) -> usize; 3] = [
        |model| model.vec4(&[[0.2, 0.8, 0.0, 0.0]; 3]),
        |model| {
            let accessor = model.u8s("VEC4", &[51, 204, 0, 0].repeat(3));
            model.normalized(accessor)
        },
        |model| {
            let accessor = model.u16s("VEC4", &[13107, 52428, 0, 0].repeat(3));
            model.normalized(accessor)
        },
    ];
    for joints in joints {
        for weights in weights {
            let model = skinned(3, |model| vec![("JOINTS_0", joints(model)), ("WEIGHTS_0", weights(model))]);
            let source = good(&model);
            assert_eq!(source.warnings, []);
            assert_eq!(of(&source, 0), [(1, 0.8), (2, 0.2)]);
        }
    }
}

/// Case 50: joint 9 of 4.
#[test]
fn joints_that_do_not_exist() {
    let problem = bad(&sets(&[[0, 9, 0, 0]], &[[0.5, 0.5, 0.0, 0.0]]));
    assert_eq!(at(&problem), ("source::index", "/meshes/0/primitives/0"));
    assert!(problem.message.contains("joint 9") && problem.message.contains("4 joints"), "{problem}");
    let (source, codes) = odd(&sets(&[[0, 9, 0, 0]], &[[1.0, 0.0, 0.0, 0.0]]));
    assert_eq!((of(&source, 0), &codes[..]), (vec![(0, 1.0)], &["source::skin"][..]));
}

#[test]
fn no_weight_at_all() {
    let (source, codes) = odd(&sets(&[[3, 1, 0, 0]], &[[0.0; 4]]));
    assert_eq!((of(&source, 2), &codes[..]), (vec![(3, 1.0)], &["source::skin"][..]));
    assert!(source.warnings[0].message.starts_with("3 vertices"), "{}", source.warnings[0]);
}

#[test]
fn odd_weights() {
    let (source, codes) = odd(&sets(&[[3, 1, 0, 0]], &[[1.0, -0.5, 0.0, 0.0]]));
    assert_eq!((of(&source, 0), &codes[..]), (vec![(3, 1.0)], &["source::skin"][..]));
    // Exporters divide by a sum of 0.
    let (source, codes) = odd(&sets(&[[3, 1, 0, 0]], &[[f32::NAN; 4]]));
    assert_eq!((of(&source, 0), &codes[..]), (vec![(3, 1.0)], &["source::finite", "source::skin"][..]));
    let lone = skinned(1, |model| vec![("JOINTS_0", model.u8s("VEC4", &[0; 12]))]);
    assert!(bad(&lone).message.contains("no WEIGHTS_0"));
    let wrong = skinned(1, |model| vec![("JOINTS_0", model.u32s("VEC4", &[0; 12]))]);
    assert_eq!(bad(&wrong).code, "source::skin");
    let wrong = skinned(1, |model| {
        vec![("JOINTS_0", model.u32s("VEC4", &[0; 12])), ("WEIGHTS_0", model.vec4(&[[1.0; 4]; 3]))]
    });
    assert!(bad(&wrong).message.contains("UNSIGNED_INT"));
    let short = skinned(1, |model| {
        vec![("JOINTS_0", model.u8s("VEC4", &[0; 8])), ("WEIGHTS_0", model.vec4(&[[1.0; 4]; 3]))]
    });
    assert!(bad(&short).message.contains("2 elements, and POSITION has 3"));
}

#[test]
fn rigid_with_a_skin_and_skinned_without() {
    let mut model = skinned(2, |_| vec![]);
    let (source, codes) = odd(&model);
    assert_eq!((source.parts[0].skin, &codes[..]), (None, &["source::skin"][..]));
    model = sets(&[[0; 4]], &[[1.0, 0.0, 0.0, 0.0]]);
    model.remove("/nodes/4/skin");
    let source = good(&model);
    assert_eq!((source.parts[0].skin, source.geometries[0].influences.len()), (None, 0));
}

#[test]
fn inverse_bind_matrices() {
    let mut model = skinned_strip();
    assert_eq!(good(&model).skins[0].inverse_bind[1].w_axis.to_array(), [0.0, -1.0, 0.0, 1.0]);
    let one = model.mat4(&[[1.0; 16]]);
    model.set("/skins/0/inverseBindMatrices", json!(one));
    assert_eq!(at(&bad(&model)), ("source::skin", "/skins/0"));
    let wild = model.mat4(&[[f32::INFINITY; 16]; 2]);
    model.set("/skins/0/inverseBindMatrices", json!(wild));
    assert_eq!(bad(&model).code, "source::finite");
    model.remove("/skins/0/inverseBindMatrices");
    assert_eq!(good(&model).skins[0].inverse_bind, [DMat4::IDENTITY; 2]);
    model.set("/skins/0/joints", json!([]));
    assert!(bad(&model).message.contains("no joints"));
    model.set("/skins/0/joints", json!([1, 77]));
    assert_eq!(at(&bad(&model)), ("source::index", "/skins/0/joints/1"));
}

/// One mesh, two skins with different joints, a node without: vertices are stored once.
#[test]
fn one_mesh_with_several_skins() {
    let mut model = sets(&[[0, 1, 0, 0]], &[[0.5, 0.5, 0.0, 0.0]]);
    let extra: Vec<Value> = (0..2).map(|_| json!(model.node(json!({})))).collect();
    model.add("skins", json!({ "joints": extra }));
    model.add("skins", json!({ "joints": [99] }));
    model.node(json!({ "mesh": 0, "skin": 1 }));
    model.node(json!({ "mesh": 0 }));
    let source = good(&model);
    assert_eq!((source.geometries.len(), source.skins.len()), (1, 2));
    let skins: Vec<_> = source.parts.iter().map(|part| part.skin).collect();
    assert_eq!(skins, [Some(0), Some(1), None]);
    // The smaller skin decides which joints exist.
    model.set("/skins/1/joints", json!([extra[0]]));
    assert_eq!(bad(&model).code, "source::index");
}

/// A joint below the skinned mesh's own node, and one below a node that is no joint.
#[test]
fn joints_anywhere() {
    let mut model = sets(&[[0, 1, 0, 0]], &[[0.5, 0.5, 0.0, 0.0]]);
    let below = model.child(4, json!({ "name": "below" }));
    let hip = model.node(json!({ "name": "hip", "translation": [0, 1, 0] }));
    let beside = model.child(hip, json!({ "name": "beside" }));
    model.set("/skins/0/joints", json!([beside, below]));
    let source = good(&model);
    let names: Vec<_> = source.skins[0].joints.iter().map(|&j| source.nodes[j].name.as_str()).collect();
    assert_eq!(names, ["beside", "below"]);
    assert_eq!(source.skins[0].inverse_bind.len(), 2);
}
