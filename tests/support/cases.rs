//! The inputs of `../shared/cases.md` that are models, by the number of the case. Each reads without a
//! warning unless it says so.

use serde_json::{Value, json};

use super::model::Model;
use super::models::{IDENTITY, about_z, moving_triangle, triangle};

/// Case 1: a node `Armature` (0) scaled 0.01 above joint `J` (1), whose inverse bind matrix scales by 100.
/// Vertex 0 is (0,1,0); clip `up` of a second moves J from its place to (0,50,0). `skeleton` is written into the
/// skin as it is: `json!(null)`, `json!(1)` (J), `json!(0)` (Armature). Right: (0,1,0), then (0,1.5,0).
pub fn armature_scale(skeleton: Value) -> Model {
    let mut model = Model::new();
    let position = model.vec3(&[[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]);
    let joint = model.u8s("VEC4", &[0; 12]);
    let weight = model.vec4(&[[1.0, 0.0, 0.0, 0.0]; 3]);
    let attributes = json!({ "POSITION": position, "JOINTS_0": joint, "WEIGHTS_0": weight });
    let mesh = model.mesh(json!([{ "attributes": attributes }]));
    let armature = model.node(json!({ "name": "Armature", "scale": [0.01, 0.01, 0.01] }));
    let bone = model.child(armature, json!({ "name": "J" }));
    model.child(armature, json!({ "name": "body", "mesh": mesh, "skin": 0 }));
    let mut inverse = [0.0; 16];
    (inverse[0], inverse[5], inverse[10], inverse[15]) = (100.0, 100.0, 100.0, 1.0);
    let inverse = model.mat4(&[inverse]);
    model.add("skins", json!({ "joints": [bone], "inverseBindMatrices": inverse }));
    if !skeleton.is_null() {
        model.json["skins"][0]["skeleton"] = skeleton;
    }
    let output = model.vec3(&[[0.0; 3], [0.0, 50.0, 0.0]]);
    let clip = model.clip("up");
    model.channel(clip, bone, "translation", &[0.0, 1.0], output, "LINEAR");
    model
}

/// Case 2: primitives of 3 and 4 vertices with materials `A` and `B`, skinned to one joint (node 0) that clip
/// `push` moves to (1,0,0) in a second; in one mesh, or (`apart`) in two meshes on two nodes with one skin.
pub fn two_materials(apart: bool) -> Model {
    let mut model = Model::new();
    let bone = model.node(json!({ "name": "bone" }));
    model.add("skins", json!({ "joints": [bone] }));
    model.add("materials", json!({ "name": "A" }));
    model.add("materials", json!({ "name": "B" }));
    let primitive = |model: &mut Model, vertices: usize, indices: &[u16], material: usize| {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
        let placed: Vec<_> = corners[..vertices].iter().map(|[x, y, _]| [*x, *y, material as f32]).collect();
        let position = model.vec3(&placed);
        let joint = model.u16s("VEC4", &vec![0; vertices * 4]);
        let weight = model.vec4(&vec![[1.0, 0.0, 0.0, 0.0]; vertices]);
        let indices = model.u16s("SCALAR", indices);
        let attributes = json!({ "POSITION": position, "JOINTS_0": joint, "WEIGHTS_0": weight });
        json!({ "attributes": attributes, "indices": indices, "material": material })
    };
    let first = primitive(&mut model, 3, &[0, 1, 2], 0);
    let second = primitive(&mut model, 4, &[0, 1, 2, 2, 1, 3], 1);
    let meshes = if apart { vec![json!([first]), json!([second])] } else { vec![json!([first, second])] };
    for primitives in meshes {
        let mesh = model.mesh(primitives);
        model.node(json!({ "mesh": mesh, "skin": 0 }));
    }
    let output = model.vec3(&[[0.0; 3], [1.0, 0.0, 0.0]]);
    let clip = model.clip("push");
    model.channel(clip, bone, "translation", &[0.0, 1.0], output, "LINEAR");
    model
}

/// Case 3: a triangle whose clip `late` has keys at 1 and 2 s, x = 1 and 2; at rest x = 0.
pub fn late_first_key() -> Model {
    let mut model = Model::new();
    let mesh = triangle(&mut model);
    let node = model.node(json!({ "mesh": mesh }));
    let output = model.vec3(&[[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]);
    let clip = model.clip("late");
    model.channel(clip, node, "translation", &[1.0, 2.0], output, "LINEAR");
    model
}

/// Case 5: vertex 0 at (1,0,0) goes once round Z in a second: five keys, 90 degrees apart. Clip `spin`.
pub fn spin() -> Model {
    let mut model = Model::new();
    let position = model.vec3(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]);
    let mesh = model.mesh(json!([{ "attributes": { "POSITION": position } }]));
    let node = model.node(json!({ "mesh": mesh }));
    let turns = [0.0, 90.0, 180.0, 270.0, 360.0].map(about_z);
    let output = model.vec4(&turns);
    let clip = model.clip("spin");
    model.channel(clip, node, "rotation", &[0.0, 0.25, 0.5, 0.75, 1.0], output, "LINEAR");
    model
}

/// Case 9: vertex 0 at (1,0,0); clip `turn` of a second from no rotation to 20 degrees about Z, the second key
/// negated. Right at 0.5 s: (0.984808, 0.173648, 0).
pub fn opposite_signs() -> Model {
    let mut model = spin();
    model.remove("/animations/0");
    let output = model.vec4(&[IDENTITY, [0.0, 0.0, -0.173648, -0.984808]]);
    let clip = model.clip("turn");
    model.channel(clip, 0, "rotation", &[0.0, 1.0], output, "LINEAR");
    model
}

/// Case 10: a unit quad (corners 0 and 1) that clip `right` takes to x = +5 and clip `down` to y = -3, each in
/// a second. Right: boxes up to x = 6 and down to y = -3.
pub fn moving_quad() -> Model {
    let mut model = Model::new();
    let position = model.vec3(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]);
    let indices = model.u16s("SCALAR", &[0, 1, 2, 2, 1, 3]);
    let mesh = model.mesh(json!([{ "attributes": { "POSITION": position }, "indices": indices }]));
    let node = model.node(json!({ "mesh": mesh }));
    for (name, to) in [("right", [5.0, 0.0, 0.0]), ("down", [0.0, -3.0, 0.0])] {
        let output = model.vec3(&[[0.0; 3], to]);
        let clip = model.clip(name);
        model.channel(clip, node, "translation", &[0.0, 1.0], output, "LINEAR");
    }
    model
}

/// Case 17: a triangle with one clip of these keys, moved along x.
pub fn keys(times: &[f32], x: &[f32]) -> Model {
    let mut model = Model::new();
    let mesh = triangle(&mut model);
    let node = model.node(json!({ "mesh": mesh }));
    let places: Vec<_> = x.iter().map(|&x| [x, 0.0, 0.0]).collect();
    let output = model.vec3(&places);
    let clip = model.clip("slide");
    model.channel(clip, node, "translation", times, output, "LINEAR");
    model
}

/// Case 33: animations `UpAndDown`, `UpAndDown` and one without a name, of 1, 2 and 3 m along x.
pub fn same_names() -> Model {
    let mut model = moving_triangle([1.0, 0.0, 0.0]);
    for to in [2.0, 3.0] {
        let output = model.vec3(&[[0.0; 3], [to, 0.0, 0.0]]);
        let clip = model.clip("UpAndDown");
        model.channel(clip, 0, "translation", &[0.0, 1.0], output, "LINEAR");
    }
    model.set("/animations/0/name", json!("UpAndDown"));
    model.remove("/animations/2/name");
    model
}

/// Case 38: scale in steps, 1 at 0 s, 0 at 0.4 s, 1 at 0.5 s. Clip `blink`.
pub fn step_scale() -> Model {
    let mut model = Model::new();
    let mesh = triangle(&mut model);
    let node = model.node(json!({ "mesh": mesh }));
    let output = model.vec3(&[[1.0; 3], [0.0; 3], [1.0; 3]]);
    let clip = model.clip("blink");
    model.channel(clip, node, "scale", &[0.0, 0.4, 0.5], output, "STEP");
    model
}

/// Case 42: rotation keys as normalised shorts, 16 bytes apart: (0,0,23170,23170), which is 90 degrees about Z,
/// at 0 s, and (-32768,0,0,0), which is (-1,0,0,0), at 1 s. Clip `turn`, vertex 0 at (1,0,0).
pub fn quantized_rotation() -> Model {
    let mut model = spin();
    model.remove("/animations/0");
    let output = model.i16s("VEC4", &[0, 0, 23170, 23170, -32768, 0, 0, 0]);
    let output = model.normalized(output);
    let output = model.strided(output, 16);
    let clip = model.clip("turn");
    model.channel(clip, 0, "rotation", &[0.0, 1.0], output, "LINEAR");
    model
}

/// Runner-up 13: a triangle facing +Z on a node scaled by (-1,1,1); its normals are given.
pub fn mirrored() -> Model {
    let mut model = moving_triangle([1.0, 0.0, 0.0]);
    let normal = model.vec3(&[[0.0, 0.0, 1.0]; 3]);
    model.set("/meshes/0/primitives/0/attributes/NORMAL", json!(normal));
    model.set("/nodes/0/scale", json!([-1, 1, 1]));
    model
}

/// Runner-up 14: a cube of 24 vertices in 6 primitives, one a face, over the same accessors.
pub fn six_primitives() -> Model {
    let mut model = Model::new();
    let mut positions = vec![];
    for face in 0..6 {
        let (axis, side) = (face % 3, if face < 3 { -1.0 } else { 1.0 });
        for (u, v) in [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)] {
            let mut corner = [0.0; 3];
            corner[axis] = side;
            corner[(axis + 1) % 3] = u * side;
            corner[(axis + 2) % 3] = v;
            positions.push(corner);
        }
    }
    let position = model.vec3(&positions);
    let primitives: Vec<_> = (0..6)
        .map(|face| {
            let indices = model.u16s("SCALAR", &[0, 1, 2, 2, 1, 3].map(|i| i + 4 * face));
            let material = model.add("materials", json!({ "name": format!("face {face}") }));
            json!({ "attributes": { "POSITION": position }, "indices": indices, "material": material })
        })
        .collect();
    let mesh = model.mesh(json!(primitives));
    model.node(json!({ "mesh": mesh }));
    model
}

/// Runner-up 22: clip `vanish` scales the node of a triangle with normals to 0 in a second.
pub fn zero_scale() -> Model {
    let mut model = mirrored();
    model.remove("/nodes/0/scale");
    model.remove("/animations/0");
    let output = model.vec3(&[[1.0; 3], [0.0; 3]]);
    let clip = model.clip("vanish");
    model.channel(clip, 0, "scale", &[0.0, 1.0], output, "LINEAR");
    model
}
