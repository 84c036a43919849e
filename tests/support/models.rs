//! Ready-made models. Each reads without a warning.

use serde_json::json;

use super::model::Model;

/// No rotation.
pub const IDENTITY: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// A rotation about Z, as a quaternion x, y, z, w.
pub fn about_z(degrees: f64) -> [f32; 4] {
    let half = degrees.to_radians() / 2.0;
    [0.0, 0.0, libm::sin(half) as f32, libm::cos(half) as f32]
}

/// One triangle in the plane z = 0: (0,0,0), (1,0,0), (0,1,0), under the index of its mesh.
pub fn triangle(model: &mut Model) -> usize {
    let position = model.vec3(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    model.mesh(json!([{ "attributes": { "POSITION": position } }]))
}

/// A triangle on a node, and a clip `move` of a second that takes the node to `to`.
pub fn moving_triangle(to: [f32; 3]) -> Model {
    let mut model = Model::new();
    let mesh = triangle(&mut model);
    let node = model.node(json!({ "name": "thing", "mesh": mesh }));
    let output = model.vec3(&[[0.0; 3], to]);
    let clip = model.clip("move");
    model.channel(clip, node, "translation", &[0.0, 1.0], output, "LINEAR");
    model
}

/// An upright strip of 2 x 5 vertices (x from -0.5 to 0.5, y from 0 to 2, facing +Z) on two joints: node 1 at
/// the origin, node 2 a metre above it. Weights go from the lower to the upper joint linearly between y = 0
/// and y = 2. Clip `bend` of a second turns the upper joint by 90 degrees about Z. Node 0 has the mesh.
///
/// The inverse bind matrices are those of the rest pose, so at rest each vertex is where the mesh has it.
pub fn skinned_strip() -> Model {
    let mut model = Model::new();
    let (mut positions, mut normals, mut uvs, mut joints, mut weights) =
        (vec![], vec![], vec![], vec![], vec![]);
    for row in 0..5 {
        for x in [-0.5, 0.5] {
            let y = row as f32 * 0.5;
            positions.push([x, y, 0.0]);
            normals.push([0.0, 0.0, 1.0]);
            uvs.push([x + 0.5, 1.0 - y / 2.0]);
            joints.extend([0, 1, 0, 0]);
            weights.push([1.0 - y / 2.0, y / 2.0, 0.0, 0.0]);
        }
    }
    let indices: Vec<u16> = (0..4).flat_map(|r| [0, 1, 2, 2, 1, 3].map(|i| i + 2 * r)).collect();
    let (position, normal) = (model.vec3(&positions), model.vec3(&normals));
    let (uv, weight) = (model.vec2(&uvs), model.vec4(&weights));
    let (joint, indices) = (model.u8s("VEC4", &joints), model.u16s("SCALAR", &indices));
    let attributes = json!({
        "POSITION": position, "NORMAL": normal, "TEXCOORD_0": uv, "JOINTS_0": joint, "WEIGHTS_0": weight
    });
    let material = model.add("materials", json!({ "name": "cloth", "doubleSided": true }));
    let mesh = model.mesh(json!([{ "attributes": attributes, "indices": indices, "material": material }]));
    model.node(json!({ "name": "strip", "mesh": mesh, "skin": 0 }));
    let lower = model.node(json!({ "name": "lower" }));
    let upper = model.child(lower, json!({ "name": "upper", "translation": [0, 1, 0] }));
    let inverse = model.mat4(&[translation(0.0, 0.0, 0.0), translation(0.0, -1.0, 0.0)]);
    model.add("skins", json!({ "joints": [lower, upper], "inverseBindMatrices": inverse }));
    let output = model.vec4(&[IDENTITY, about_z(90.0)]);
    let clip = model.clip("bend");
    model.channel(clip, upper, "rotation", &[0.0, 1.0], output, "LINEAR");
    model
}

/// A translation as a matrix, column after column.
pub fn translation(x: f32, y: f32, z: f32) -> [f32; 16] {
    [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, y, z, 1.0]
}

/// A quad (corners 0 and 1 in x and y, facing +Z) with two morph targets: `up` moves all of it by (0,1,0),
/// `corner` (sparse) moves its last vertex (1,1,0) by (1,0,0) and tilts the normal there by (1,0,0). The
/// mesh's weights are 0.25 and 0. Clip `talk`, two seconds: weights (0,0), (1,0.5), (0,1).
pub fn morph_quad() -> Model {
    let mut model = Model::new();
    let position = model.vec3(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]);
    let normal = model.vec3(&[[0.0, 0.0, 1.0]; 4]);
    let indices = model.u8s("SCALAR", &[0, 1, 2, 2, 1, 3]);
    let up = model.vec3(&[[0.0, 1.0, 0.0]; 4]);
    let corner = model.sparse("VEC3", None, 4, &[3], &[1.0, 0.0, 0.0]);
    let tilt = model.sparse("VEC3", None, 4, &[3], &[1.0, 0.0, 0.0]);
    let mesh = model.mesh(json!([{
        "attributes": { "POSITION": position, "NORMAL": normal },
        "indices": indices,
        "targets": [{ "POSITION": up }, { "POSITION": corner, "NORMAL": tilt }]
    }]));
    model.json["meshes"][mesh]["weights"] = json!([0.25, 0]);
    model.json["meshes"][mesh]["extras"] = json!({ "targetNames": ["up", "corner"] });
    let node = model.node(json!({ "name": "face", "mesh": mesh }));
    let output = model.scalars(&[0.0, 0.0, 1.0, 0.5, 0.0, 1.0]);
    let clip = model.clip("talk");
    model.channel(clip, node, "weights", &[0.0, 1.0, 2.0], output, "LINEAR");
    model
}

/// A machine of two rigid parts with one mesh, a triangle: node 0 `base`, node 1 `arm` a metre above it and
/// half as large. Clip `work`, two seconds: the base slides to (2,0,0) in steps (at 0, 1 and 2 s: x = 0, 1, 2),
/// the arm turns by 180 degrees about Z.
pub fn machine() -> Model {
    let mut model = Model::new();
    let mesh = triangle(&mut model);
    let base = model.node(json!({ "name": "base", "mesh": mesh }));
    let placed = json!({ "name": "arm", "mesh": mesh, "translation": [0, 1, 0], "scale": [0.5, 0.5, 0.5] });
    let arm = model.child(base, placed);
    let slide = model.vec3(&[[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]);
    let turn = model.vec4(&[IDENTITY, about_z(90.0), about_z(180.0)]);
    let clip = model.clip("work");
    model.channel(clip, base, "translation", &[0.0, 1.0, 2.0], slide, "STEP");
    model.channel(clip, arm, "rotation", &[0.0, 1.0, 2.0], turn, "LINEAR");
    model
}

/// The skinned strip with its positions, normals and indices compressed by `EXT_meshopt_compression`.
pub fn compressed_strip() -> Model {
    let mut model = skinned_strip();
    let accessor =
        |model: &Model, pointer: &str| model.json.pointer(pointer).unwrap().as_u64().unwrap() as usize;
    for attribute in ["POSITION", "NORMAL"] {
        let at = accessor(&model, &format!("/meshes/0/primitives/0/attributes/{attribute}"));
        let data = model.data(at);
        let encoded = meshopt::encode_vertex_buffer(data.as_chunks::<12>().0).unwrap();
        model.compress(at, "ATTRIBUTES", "NONE", 12, &encoded);
    }
    let at = accessor(&model, "/meshes/0/primitives/0/indices");
    let data = model.data(at);
    let indices: Vec<u32> = data.as_chunks::<2>().0.iter().map(|&i| u16::from_le_bytes(i).into()).collect();
    let encoded = meshopt::encode_index_buffer(&indices, 10).unwrap();
    model.compress(at, "TRIANGLES", "NONE", 2, &encoded);
    model
}
