//! The node tree and the scenes.

use serde_json::{Value, json};
use vatpipe::manifest::Selector;
use vatpipe::source::{Options, Source, Transform};

use super::{at, bad, bad_all, good, odd};
use crate::support::model::Model;
use crate::support::models::{machine, moving_triangle, skinned_strip, triangle};

#[test]
fn a_cycle_is_refused() {
    let mut model = moving_triangle([1.0; 3]);
    model.set("/nodes/0/children", json!([0]));
    assert_eq!(at(&bad(&model)), ("source::nodes", "/nodes/0"));
    let mut model = machine();
    model.add("nodes", json!({ "children": [3] }));
    model.add("nodes", json!({ "children": [2] }));
    assert_eq!(at(&bad(&model)), ("source::nodes", "/nodes/2"));
}

#[test]
fn two_parents_are_refused() {
    let mut model = machine();
    model.node(json!({ "children": [1] }));
    let problem = bad(&model);
    assert_eq!(at(&problem), ("source::nodes", "/nodes/1"));
    assert!(problem.message.contains("node 0") && problem.message.contains("node 2"), "{problem}");
}

/// Runner-up 7: neither the stack nor the time is the depth's.
#[test]
fn a_chain_of_100_000_nodes() {
    let mut model = Model::new();
    let mesh = triangle(&mut model);
    let last = 100_000;
    let nodes: Vec<Value> = (0..last).map(|i| json!({ "children": [i + 1] })).collect();
    model.json["nodes"] = json!(nodes);
    model.add("nodes", json!({ "mesh": mesh }));
    model.set("/scenes/0/nodes", json!([0]));
    let source = good(&model);
    assert_eq!(source.nodes.len(), 100_001);
    assert_eq!((source.nodes[last].parent, source.parts[0].node), (Some(last - 1), last));
    model.set("/nodes/100000/children", json!([0]));
    assert_eq!(bad(&model).code, "source::nodes");
}

/// Three scenes: 0 `main` and 1 `twice` and 2 `twice`, with 1, 2 and 3 triangles.
fn scenes() -> Model {
    let mut model = Model::new();
    let mesh = triangle(&mut model);
    for _ in 0..6 {
        model.add("nodes", json!({ "mesh": mesh }));
    }
    model.set(
        "/scenes",
        json!([
            { "name": "main", "nodes": [0] }, { "name": "twice", "nodes": [1, 2] },
            { "name": "twice", "nodes": [3, 4, 5] }
        ]),
    );
    model
}

fn triangles(model: &Model, scene: Option<Selector>) -> Result<Source, String> {
    let options = Options { scene, ..Options::default() };
    model.read_with(&options).map_err(|problems| problems.to_string())
}

#[test]
fn which_scene() {
    let mut model = scenes();
    let count = |model: &Model, scene| triangles(model, scene).map(|s| s.triangle_count());
    assert_eq!(count(&model, None), Ok(1));
    assert_eq!(count(&model, Some(Selector::Index(2))), Ok(3));
    assert_eq!(count(&model, Some(Selector::Name("main".into()))), Ok(1));
    let error = count(&model, Some(Selector::Name("twice".into()))).unwrap_err();
    assert!(error.contains("2 scenes are called `twice`") && error.contains("2 `twice`"), "{error}");
    let error = count(&model, Some(Selector::Name("mine".into()))).unwrap_err();
    assert!(error.contains("no scene `mine`") && error.contains("3 scenes: 0 `main`, 1 `twice`"), "{error}");
    assert!(count(&model, Some(Selector::Index(3))).unwrap_err().contains("no scene 3"));
    model.set("/scene", json!(1));
    assert_eq!(count(&model, None), Ok(2));
    // No default: the first, and a note. No scenes at all: everything.
    model.remove("/scene");
    let source = triangles(&model, None).unwrap();
    assert_eq!((source.triangle_count(), source.warnings[0].code), (1, "source::scene"));
    model.remove("/scenes");
    assert_eq!(count(&model, None), Ok(6));
    model.set("/scene", json!(9));
    assert!(count(&model, None).unwrap_err().contains("/scene"));
}

/// The scene lists a node deep in the tree: what is above it still moves it.
#[test]
fn ancestors_outside_the_scene_transform() {
    let mut model = machine();
    model.set("/scenes/0/nodes", json!([1]));
    let source = good(&model);
    assert_eq!(source.parts.len(), 1);
    assert_eq!((source.nodes.len(), source.parts[0].node, source.nodes[1].parent), (2, 1, Some(0)));
    assert_eq!(source.clips[0].channels.len(), 2);
}

#[test]
fn joints_outside_the_scene_transform() {
    let mut model = skinned_strip();
    model.set("/scenes/0/nodes", json!([0]));
    let source = good(&model);
    let names: Vec<_> = source.nodes.iter().map(|n| n.name.as_str()).collect();
    assert_eq!(names, ["strip", "lower", "upper"]);
    assert_eq!((source.skins[0].joints.as_slice(), source.clips[0].channels.len()), (&[1, 2][..], 1));
}

#[test]
fn matrices_and_their_animation() {
    let mut model = moving_triangle([1.0; 3]);
    model.set("/nodes/0/matrix", json!([2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0, 5, 6, 7, 1]));
    let (source, codes) = odd(&model);
    let Transform::Matrix(matrix) = source.nodes[0].rest else { panic!() };
    assert_eq!(matrix.w_axis.to_array(), [5.0, 6.0, 7.0, 1.0]);
    assert_eq!(codes, ["source::animation"]);
    model.set("/nodes/0/matrix", json!([1, 2, 3]));
    assert_eq!(at(&bad(&model)), ("source::json", "/nodes/0"));
}

#[test]
fn odd_rotations() {
    let mut model = moving_triangle([1.0; 3]);
    model.set("/nodes/0/rotation", json!([0, 0, 0, 2]));
    let (source, codes) = odd(&model);
    let Transform::Trs { rotation, .. } = source.nodes[0].rest else { panic!() };
    assert_eq!((rotation, &codes[..]), (glam::DQuat::IDENTITY, &["source::nodes"][..]));
    model.set("/nodes/0/rotation", json!([0, 0, 0, 0]));
    assert_eq!(odd(&model).1, ["source::nodes"]);
}

#[test]
fn hidden_nodes_are_not_drawn() {
    let mut model = machine();
    model.set("/nodes/1/extensions", json!({ "KHR_node_visibility": { "visible": false } }));
    let source = good(&model);
    assert_eq!((source.parts.len(), source.nodes.len()), (1, 2));
}

/// Cameras, lights and images are not looked at, however odd.
#[test]
fn what_is_not_baked_stops_nothing() {
    let mut model = moving_triangle([1.0; 3]);
    model.json["cameras"] = json!([{ "type": "fisheye" }, 7]);
    model.json["images"] = json!([{ "uri": "missing.png" }, {}, { "uri": "../../etc/passwd" }]);
    model.json["textures"] = json!([{ "source": 99 }]);
    model.json["materials"] =
        json!([{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 99 } } }, "odd"]);
    model.json["extensions"] = json!({ "KHR_lights_punctual": "none" });
    model.set("/nodes/0/camera", json!(5));
    model.set("/meshes/0/primitives/0/material", json!(0));
    assert_eq!(good(&model).warnings, []);
}

#[test]
fn errors_of_a_scene_that_is_not_baked_stop_nothing() {
    let mut model = machine();
    model.add("meshes", json!({ "primitives": [{ "attributes": { "POSITION": 99 } }] }));
    model.add("nodes", json!({ "mesh": 1 }));
    model.add("scenes", json!({ "nodes": [2] }));
    good(&model);
    model.set("/scene", json!(1));
    let problems = bad_all(&model);
    assert_eq!(at(&problems[0]), ("source::index", "/meshes/1/primitives/0/attributes/POSITION"));
}
