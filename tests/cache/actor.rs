//! A character with every kind of motion, of which any part can be changed.

use serde_json::{Value, json};

use crate::support::model::Model;
use crate::support::models::{IDENTITY, about_z, moving_triangle, translation};

/// What the actor's file says.
#[derive(Clone)]
pub struct Actor {
    /// Rows of two vertices each.
    pub rows: usize,
    /// Names, and the degrees that the upper joint turns by.
    pub clips: Vec<(String, f64)>,
    /// Where the upper joint is at rest.
    pub upper: [f32; 3],
    /// z of vertex 0.
    pub vertex: f32,
    /// The lower joint's share of vertex 0.
    pub weight: f32,
    /// What the morph target does to vertex 1.
    pub delta: f32,
    /// Another morph target, that moves nothing.
    pub still_target: bool,
    /// Another joint, that moves the last vertex.
    pub tail: bool,
    /// Another joint in the skin, that moves nothing.
    pub idle: bool,
    /// The first UV of vertex 0.
    pub uv: f32,
    /// Whether the file lists everything in another order, and says more that does not matter.
    pub resaved: bool,
    /// The names of the nodes of the upper joint and of a camera.
    pub names: [&'static str; 2],
}

impl Actor {
    pub fn new() -> Self {
        Self {
            rows: 8,
            clips: (0..10).map(|clip| (format!("c{clip}"), 10.0 + f64::from(clip))).collect(),
            upper: [0.0, 1.0, 0.0],
            vertex: 0.0,
            weight: 0.75,
            delta: 0.5,
            still_target: false,
            tail: false,
            idle: false,
            uv: 0.0,
            resaved: false,
            names: ["upper", "camera"],
        }
    }

    pub fn model(&self) -> Model {
        let mut model = Model::new();
        if self.resaved {
            model.vec3(&[[7.0; 3]]);
            model.json["asset"] =
                json!({ "version": "2.0", "generator": "another", "extras": { "saved": 2 } });
            model.node(json!({ "name": self.names[1], "extras": [1, 2] }));
        }
        let skeleton = self.resaved.then(|| self.skeleton(&mut model));
        let mesh = self.mesh(&mut model);
        let body = model.node(json!({ "name": "body", "mesh": mesh, "skin": 0 }));
        let (upper, joints) = skeleton.unwrap_or_else(|| self.skeleton(&mut model));
        if !self.resaved {
            model.node(json!({ "name": self.names[1] }));
        }
        let inverse: Vec<_> = (0..joints.len()).map(|i| translation(0.0, -(i as f32), 0.0)).collect();
        let inverse = model.mat4(&inverse);
        model.add("skins", json!({ "joints": joints, "inverseBindMatrices": inverse }));
        self.animations(&mut model, upper, body);
        model
    }

    /// The upper joint, and all joints.
    fn skeleton(&self, model: &mut Model) -> (usize, Vec<usize>) {
        let armature = model.node(json!({ "name": "armature" }));
        let lower = model.child(armature, json!({ "name": "lower" }));
        let upper = model.child(lower, json!({ "name": self.names[0], "translation": self.upper }));
        let mut joints = vec![lower, upper];
        if self.tail {
            joints.push(model.child(upper, json!({ "name": "tail", "translation": [0, 1, 0] })));
        }
        if self.idle {
            joints.push(model.child(lower, json!({ "name": "idle" })));
        }
        (upper, joints)
    }

    fn mesh(&self, model: &mut Model) -> usize {
        let count = 2 * self.rows;
        let height = |v: usize| (v / 2) as f32 * 2.0 / (self.rows - 1) as f32;
        let mut positions: Vec<[f32; 3]> =
            (0..count).map(|v| [(v % 2) as f32 - 0.5, height(v), 0.0]).collect();
        positions[0][2] = self.vertex;
        let lower = |v: usize| if v == 0 { self.weight } else { 1.0 - height(v) / 2.0 };
        let weights: Vec<[f32; 4]> = (0..count).map(|v| [lower(v), 1.0 - lower(v), 0.0, 0.0]).collect();
        let mut joints: Vec<u8> = (0..count).flat_map(|_| [0, 1, 0, 0]).collect();
        if self.tail {
            joints[4 * count - 3] = 2;
        }
        let mut uvs: Vec<[f32; 2]> = (0..count).map(|v| [(v % 2) as f32, height(v) / 2.0]).collect();
        uvs[0][0] = self.uv;
        let indices: Vec<u16> =
            (0..self.rows as u16 - 1).flat_map(|r| [0, 1, 2, 2, 1, 3].map(|i| i + 2 * r)).collect();
        let uv = model.vec2(&uvs);
        let attributes = json!({
            "POSITION": model.vec3(&positions), "NORMAL": model.vec3(&vec![[0.0, 0.0, 1.0]; count]),
            "TEXCOORD_0": uv, "JOINTS_0": model.u8s("VEC4", &joints), "WEIGHTS_0": model.vec4(&weights)
        });
        let puff = model.sparse("VEC3", None, count, &[1], &[0.0, 0.0, self.delta]);
        let mut targets = vec![json!({ "POSITION": puff })];
        if self.still_target {
            let still = model.vec3(&vec![[0.0; 3]; count]);
            targets.insert(0, json!({ "POSITION": still }));
        }
        let indices = model.u16s("SCALAR", &indices);
        let material = model.add("materials", json!({ "name": "cloth", "doubleSided": true }));
        model.mesh(json!([{
            "attributes": attributes, "indices": indices, "material": material, "targets": targets
        }]))
    }

    fn animations(&self, model: &mut Model, upper: usize, body: usize) {
        for (index, (name, degrees)) in self.clips.iter().enumerate() {
            let clip = model.clip(name);
            let turn = |model: &mut Model| {
                let output = model.vec4(&[IDENTITY, about_z(*degrees), about_z(degrees / 2.0)]);
                model.channel(clip, upper, "rotation", &[0.0, 0.5, 1.0], output, "LINEAR");
            };
            let puff = |model: &mut Model| {
                let weights: &[f32] = if self.still_target { &[9.0, 0.0, 8.0, 1.0] } else { &[0.0, 1.0] };
                let output = model.scalars(weights);
                model.channel(clip, body, "weights", &[0.0, 1.0], output, "LINEAR");
            };
            if !self.resaved {
                turn(model);
            }
            if index == 0 {
                puff(model);
            }
            if self.resaved {
                turn(model);
            }
        }
    }

    /// With something else said in the document.
    pub fn with(&self, pointer: &str, value: Value) -> Vec<u8> {
        let mut model = self.model();
        model.set(pointer, value);
        model.glb()
    }
}

/// Another character, that has nothing to do with the actor.
pub fn other(to: f32) -> Vec<u8> {
    moving_triangle([to, 0.0, 0.0]).glb()
}
