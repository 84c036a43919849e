//! Meshes, primitives, attributes, indices.

use serde_json::json;

use super::{at, bad, good, odd};
use crate::support::model::{Model, UNSIGNED_BYTE};
use crate::support::models::{machine, moving_triangle};

/// Five vertices in a zigzag (x = 0, 1, 2, 3, 4; y = 0 or 1), drawn in a mode with or without indices.
fn drawn(mode: u32, indices: Option<&[u32]>) -> Model {
    let mut model = Model::new();
    let position = model.vec3(&[0, 1, 2, 3, 4].map(|i| [i as f32, (i % 2) as f32, 0.0]));
    let mesh = model.mesh(json!([{ "attributes": { "POSITION": position }, "mode": mode }]));
    if let Some(indices) = indices {
        let accessor = model.u32s("SCALAR", indices);
        model.set("/meshes/0/primitives/0/indices", json!(accessor));
    }
    model.node(json!({ "mesh": mesh }));
    model
}

fn triangles(mode: u32, indices: Option<&[u32]>) -> Vec<[u32; 3]> {
    let source = good(&drawn(mode, indices));
    source.geometries[0].primitives[0].indices.as_chunks::<3>().0.to_vec()
}

/// The specification's own formulas, written out.
#[test]
fn strips_and_fans() {
    assert_eq!(triangles(5, None), [[0, 1, 2], [1, 3, 2], [2, 3, 4]]);
    assert_eq!(triangles(6, None), [[1, 2, 0], [2, 3, 0], [3, 4, 0]]);
    // Repeated vertices stitch two strips; the winding goes on as counted from the start.
    assert_eq!(triangles(5, Some(&[0, 1, 2, 2, 2, 3, 4])), [[0, 1, 2], [2, 3, 4]]);
    assert_eq!(triangles(6, Some(&[0, 1, 2, 2, 3, 4])), [[1, 2, 0], [2, 3, 0], [3, 4, 0]]);
    assert_eq!(triangles(4, Some(&[0, 1, 2, 4, 3, 2])), [[0, 1, 2], [4, 3, 2]]);
}

#[test]
fn points_and_lines_are_left_out() {
    for mode in 0..4 {
        let mut model = drawn(mode, None);
        let problem = bad(&model);
        assert_eq!(problem.code, "source::empty");
        let primitive = json!({ "attributes": { "POSITION": 0 }, "mode": 6 });
        model.json["meshes"][0]["primitives"].as_array_mut().unwrap().push(primitive);
        let (source, codes) = odd(&model);
        assert_eq!((source.triangle_count(), &codes[..]), (3, &["source::mesh"][..]));
    }
    assert_eq!(at(&bad(&drawn(7, None))), ("source::mesh", "/meshes/0/primitives/0"));
}

#[test]
fn vertices_that_nothing_draws_are_dropped() {
    let source = good(&drawn(4, Some(&[4, 0, 2])));
    let x: Vec<_> = source.geometries[0].positions.iter().map(|p| p[0]).collect();
    assert_eq!(x, [0.0, 2.0, 4.0]);
    assert_eq!(source.geometries[0].primitives[0].indices, [2, 0, 1]);
}

#[test]
fn indices_left_over() {
    let (source, codes) = odd(&drawn(4, Some(&[0, 1, 2, 3])));
    assert_eq!((source.triangle_count(), &codes[..]), (1, &["source::mesh"][..]));
    let (_, codes) = odd(&drawn(4, None));
    assert_eq!(codes, ["source::mesh"]);
}

/// Case 50: index 255 of 24 vertices, here of 5.
#[test]
fn an_index_out_of_range() {
    let problem = bad(&drawn(4, Some(&[0, 1, 255])));
    assert_eq!(at(&problem), ("source::index", "/accessors/1"));
    assert!(problem.message.contains("is 255") && problem.message.contains("5 vertices"), "{problem}");
    assert_eq!(bad(&drawn(5, Some(&[0, 1, u32::MAX]))).code, "source::index");
}

#[test]
fn index_types() {
    for component in 0..3 {
        let mut model = drawn(4, None);
        let accessor = match component {
            0 => model.u8s("SCALAR", &[0, 1, 2]),
            1 => model.u16s("SCALAR", &[0, 1, 2]),
            _ => model.u32s("SCALAR", &[0, 1, 2]),
        };
        model.set("/meshes/0/primitives/0/indices", json!(accessor));
        assert_eq!(good(&model).triangle_count(), 1);
    }
    let mut model = drawn(4, None);
    let accessor = model.scalars(&[0.0, 1.0, 2.0]);
    model.set("/meshes/0/primitives/0/indices", json!(accessor));
    assert_eq!(bad(&model).code, "source::accessor");
}

#[test]
fn a_mesh_on_several_nodes_is_stored_once() {
    let source = good(&machine());
    assert_eq!((source.geometries.len(), source.parts.len(), source.vertex_count()), (1, 2, 6));
}

#[test]
fn uv_sets_without_gaps() {
    let mut model = moving_triangle([1.0; 3]);
    let first = model.u8s("VEC2", &[0, 255, 51, 0, 255, 255]);
    let first = model.normalized(first);
    let third = model.vec2(&[[7.0, 8.0]; 3]);
    model.set("/meshes/0/primitives/0/attributes/TEXCOORD_0", json!(first));
    model.set("/meshes/0/primitives/0/attributes/TEXCOORD_2", json!(third));
    let (source, codes) = odd(&model);
    assert_eq!(codes, ["source::mesh"]);
    assert_eq!(source.geometries[0].uvs, [vec![[0.0, 1.0], [0.2, 0.0], [1.0, 1.0]], vec![[7.0, 8.0]; 3]]);
}

#[test]
fn colours() {
    let mut model = moving_triangle([1.0; 3]);
    let rgb = model.vec3(&[[0.25, 0.5, 0.75]; 3]);
    let bytes = model.u8s("VEC4", &[255, 0, 51, 102].repeat(3));
    let bytes = model.normalized(bytes);
    let shorts = model.u16s("VEC3", &[65535, 0, 13107].repeat(3));
    let shorts = model.normalized(shorts);
    for (set, accessor) in [rgb, bytes, shorts].into_iter().enumerate() {
        model.set(&format!("/meshes/0/primitives/0/attributes/COLOR_{set}"), json!(accessor));
    }
    let source = good(&model);
    assert_eq!(
        source.geometries[0].colors,
        [[0.25, 0.5, 0.75, 1.0], [1.0, 0.0, 0.2, 0.4], [1.0, 0.0, 0.2, 1.0]].map(|c| vec![c; 3])
    );
}

#[test]
fn normals_and_tangents() {
    let mut model = moving_triangle([1.0; 3]);
    let tangent = model.vec4(&[[1.0, 0.0, 0.0, -1.0]; 3]);
    model.set("/meshes/0/primitives/0/attributes/TANGENT", json!(tangent));
    // Tangents need normals.
    let source = good(&model);
    assert_eq!((&source.geometries[0].normals, &source.geometries[0].tangents), (&None, &None));
    let normal = model.vec3(&[[0.0, 0.0, 1.0], [0.0, f32::NAN, 1.0], [0.0, 0.0, 1.0]]);
    model.set("/meshes/0/primitives/0/attributes/NORMAL", json!(normal));
    let (source, codes) = odd(&model);
    assert_eq!(codes, ["source::finite"]);
    assert_eq!(source.geometries[0].normals, Some(vec![[0.0, 0.0, 1.0]; 3]));
    assert_eq!(source.geometries[0].tangents, Some(vec![[1.0, 0.0, 0.0, -1.0]; 3]));
}

#[test]
fn positions_must_be_numbers() {
    let mut model = moving_triangle([1.0; 3]);
    let wild = model.vec3(&[[0.0; 3], [0.0, f32::INFINITY, 0.0], [1.0; 3]]);
    model.set("/meshes/0/primitives/0/attributes/POSITION", json!(wild));
    let problem = bad(&model);
    assert_eq!(problem.code, "source::finite");
    assert!(problem.message.contains("element 1"), "{problem}");
    let flat = model.vec2(&[[0.0; 2]; 3]);
    model.set("/meshes/0/primitives/0/attributes/POSITION", json!(flat));
    assert!(bad(&model).message.contains("VEC3 of FLOAT, and this is VEC2 of FLOAT"));
    model.remove("/meshes/0/primitives/0/attributes/POSITION");
    model.set("/meshes/0/primitives/0/attributes/_CUSTOM", json!(99));
    assert_eq!(bad(&model).code, "source::empty");
}

/// Primitives that differ in an attribute, or only in one that is not read.
#[test]
fn what_makes_vertices_shared() {
    let mut model = moving_triangle([1.0; 3]);
    let normal = model.vec3(&[[0.0, 0.0, 1.0]; 3]);
    let more = [json!({ "POSITION": 0, "_ID": normal }), json!({ "POSITION": 0, "NORMAL": normal })];
    for attributes in more {
        let primitive = json!({ "attributes": attributes });
        model.json["meshes"][0]["primitives"].as_array_mut().unwrap().push(primitive);
    }
    let source = good(&model);
    let shape: Vec<_> = source.geometries.iter().map(|g| (g.positions.len(), g.primitives.len())).collect();
    assert_eq!(shape, [(3, 2), (3, 1)]);
    assert_eq!(source.parts.len(), 2);
}

#[test]
fn materials() {
    let mut model = moving_triangle([1.0; 3]);
    model.json["materials"] = json!([
        {},
        { "name": "paint", "doubleSided": true, "emissiveFactor": [0, 0.5, 1],
          "pbrMetallicRoughness": { "baseColorFactor": [0.1, 0.2, 0.3, 0.4], "metallicFactor": 0, "roughnessFactor": 9 } }
    ]);
    model.set("/meshes/0/primitives/0/material", json!(1));
    let source = good(&model);
    let [plain, paint] = &source.materials[..] else { panic!() };
    assert_eq!((plain.name.as_str(), plain.base_color, plain.metallic), ("", [1.0; 4], 1.0));
    assert_eq!((paint.name.as_str(), paint.base_color, paint.metallic), ("paint", [0.1, 0.2, 0.3, 0.4], 0.0));
    assert_eq!((paint.roughness, paint.emissive, paint.double_sided), (1.0, [0.0, 0.5, 1.0], true));
    assert_eq!(source.geometries[0].primitives[0].material, Some(1));
    model.set("/meshes/0/primitives/0/material", json!(2));
    assert_eq!(at(&bad(&model)), ("source::index", "/meshes/0/primitives/0/material"));
}

/// An accessor without data is all zeros: legal, and bounded.
#[test]
fn vertices_without_data() {
    let mut model = moving_triangle([1.0; 3]);
    model.remove("/accessors/0/bufferView");
    assert_eq!(good(&model).geometries[0].positions, [[0.0; 3]; 3]);
    model.set("/accessors/0/count", json!(1_000_000_000));
    assert_eq!(at(&bad(&model)), ("source::limit", "/accessors/0"));
    model.set("/accessors/0/componentType", json!(UNSIGNED_BYTE));
    model.set("/accessors/0/count", json!(4_000_000));
    model.set("/nodes", json!(vec![json!({ "mesh": 0 }); 2]));
    model.set("/scenes/0/nodes", json!([0, 1]));
    assert!(bad(&model).message.contains("7999998 vertices"));
}
