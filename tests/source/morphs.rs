//! Morph targets.

use serde_json::json;

use super::{at, bad, good, odd};
use crate::support::model::{BYTE, Model};
use crate::support::models::{morph_quad, skinned_strip};

#[test]
fn deltas_names_and_weights() {
    let mut model = morph_quad();
    let source = good(&model);
    let [up, corner] = &source.geometries[0].morphs[..] else { panic!() };
    assert_eq!((up.name.as_str(), corner.name.as_str()), ("up", "corner"));
    assert_eq!(up.positions, Some(vec![[0.0, 1.0, 0.0]; 4]));
    assert_eq!((&up.normals, &up.tangents), (&None, &None));
    let tilt = Some(vec![[0.0; 3], [0.0; 3], [0.0; 3], [1.0, 0.0, 0.0]]);
    assert_eq!((&corner.positions, &corner.normals), (&tilt, &tilt));
    assert_eq!(source.nodes[0].weights, [0.25, 0.0]);
    model.set("/nodes/0/weights", json!([0.5, 1]));
    assert_eq!(good(&model).nodes[0].weights, [0.5, 1.0]);
    model.remove("/nodes/0/weights");
    model.remove("/meshes/0/weights");
    assert_eq!(good(&model).nodes[0].weights, [0.0, 0.0]);
    model.set("/meshes/0/extras", json!("none"));
    assert_eq!(good(&model).geometries[0].morphs[1].name, "");
}

#[test]
fn weights_of_the_wrong_length() {
    let mut model = morph_quad();
    model.set("/nodes/0/weights", json!([0.5]));
    let (source, codes) = odd(&model);
    assert_eq!((&source.nodes[0].weights[..], &codes[..]), (&[0.5, 0.0][..], &["source::nodes"][..]));
    model.set("/nodes/0/weights", json!([0.5, 1, 1, 1]));
    assert_eq!(odd(&model).0.nodes[0].weights, [0.5, 1.0]);
}

#[test]
fn weights_animation() {
    let mut model = morph_quad();
    let channel = &good(&model).clips[0].channels[0];
    assert_eq!((channel.width, &channel.values[..]), (2, &[0.0, 0.0, 1.0, 0.5, 0.0, 1.0][..]));
    // As bytes.
    let bytes = model.u8s("SCALAR", &[0, 0, 255, 51, 0, 255]);
    let bytes = model.normalized(bytes);
    model.set("/animations/0/samplers/0/output", json!(bytes));
    assert_eq!(good(&model).clips[0].channels[0].values, [0.0, 0.0, 1.0, 0.2, 0.0, 1.0]);
    // As a spline: in-tangents, values, out-tangents of both targets a key.
    let spline = model.scalars(&[0.5; 18]);
    model.set(
        "/animations/0/samplers/0",
        json!({ "input": 5, "output": spline, "interpolation": "CUBICSPLINE" }),
    );
    let input = model.scalars(&[0.0, 1.0, 2.0]);
    model.set("/animations/0/samplers/0/input", json!(input));
    assert_eq!(good(&model).clips[0].channels[0].values.len(), 18);
    let short = model.scalars(&[0.5; 17]);
    model.set("/animations/0/samplers/0/output", json!(short));
    assert_eq!(at(&bad(&model)), ("source::animation", "/animations/0/samplers/0"));
}

#[test]
fn weights_of_a_mesh_without_targets() {
    let mut model = morph_quad();
    model.remove("/meshes/0/primitives/0/targets");
    let (source, codes) = odd(&model);
    assert_eq!((source.clips[0].channels.len(), &codes[..]), (0, &["source::animation"][..]));
    assert_eq!(source.clips[0].duration, 2.0);
}

#[test]
fn with_a_skin() {
    let mut model = skinned_strip();
    let up = model.sparse("VEC3", None, 10, &[9], &[0.0, 1.0, 0.0]);
    let side = model.sparse("VEC3", Some(0), 10, &[0, 1], &[0.0, 1.0, 0.0, 2.0, 0.0, 0.0]);
    model.set("/meshes/0/primitives/0/targets", json!([{ "POSITION": up }, { "POSITION": side }]));
    let source = good(&model);
    let geometry = &source.geometries[0];
    assert_eq!((geometry.morphs.len(), source.parts[0].skin), (2, Some(0)));
    let side = geometry.morphs[1].positions.as_ref().unwrap();
    assert_eq!((side[0], side[1], side[2]), ([0.0, 1.0, 0.0], [2.0, 0.0, 0.0], geometry.positions[2]));
}

#[test]
fn quantised_deltas() {
    let mut model = morph_quad();
    let bytes = model.accessor("VEC3", BYTE, &[0, 129, 0, 127, 0, 0, 0, 0, 0, 0, 0, 0]);
    let bytes = model.normalized(bytes);
    model.set("/meshes/0/primitives/0/targets/0/POSITION", json!(bytes));
    let (_, codes) = odd(&model);
    assert_eq!(codes, ["source::accessor"]);
    model.json["extensionsUsed"] = json!(["KHR_mesh_quantization"]);
    let source = good(&model);
    assert_eq!(source.warnings, []);
    let up = source.geometries[0].morphs[0].positions.as_ref().unwrap();
    assert_eq!(up[..2], [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0]]);
}

/// Deltas to attributes that the vertices lack; a target that says nothing; one that is all zeros.
#[test]
fn deltas_to_nothing() {
    let mut model = morph_quad();
    model.remove("/meshes/0/primitives/0/attributes/NORMAL");
    model.set("/meshes/0/primitives/0/targets/0", json!({}));
    let source = good(&model);
    let [none, corner] = &source.geometries[0].morphs[..] else { panic!() };
    assert_eq!((&none.positions, &corner.normals), (&None, &None));
    let zeros = model.add("accessors", json!({ "componentType": 5126, "count": 4, "type": "VEC3" }));
    model.set("/meshes/0/primitives/0/targets/0", json!({ "POSITION": zeros }));
    assert_eq!(good(&model).geometries[0].morphs[0].positions, None);
}

#[test]
fn targets_that_do_not_fit() {
    let mut model = morph_quad();
    let short = model.vec3(&[[0.0; 3]; 3]);
    model.set("/meshes/0/primitives/0/targets/0/POSITION", json!(short));
    assert!(bad(&model).message.contains("3 elements, and POSITION has 4"));
    let wild = model.vec3(&[[f32::NAN; 3]; 4]);
    model.set("/meshes/0/primitives/0/targets/0/POSITION", json!(wild));
    assert_eq!(bad(&model).code, "source::finite");
    let mut model: Model = morph_quad();
    let other = json!({ "attributes": { "POSITION": 0 } });
    model.json["meshes"][0]["primitives"].as_array_mut().unwrap().push(other);
    assert_eq!(at(&bad(&model)), ("source::mesh", "/meshes/0/primitives/1"));
}
