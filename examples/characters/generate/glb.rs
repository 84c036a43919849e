//! A small GLB writer, independent of vatpipe: JSON by `serde_json`, the rest bytes in order.

use glam::{DQuat, DVec3};
use serde_json::{Value, json};

use super::mesh::Mesh;

const FLOAT: u32 = 5126;
const U16: u32 = 5123;
const U8: u32 = 5121;
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

/// A glTF asset that grows part by part. Every method returns the index of what it added.
#[derive(Default)]
pub struct Glb {
    bin: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    materials: Vec<Value>,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
    skins: Vec<Value>,
    animations: Vec<Value>,
    has_parent: Vec<bool>,
}

/// What a surface looks like: sRGB colour as `0xRRGGBB`, metallic, roughness, and how much it glows.
pub struct Look {
    pub name: &'static str,
    pub color: u32,
    pub metallic: f64,
    pub roughness: f64,
    pub glow: f64,
}

/// Triangles of one material. `morphs` holds, for every target, a copy of the mesh in that shape.
pub struct Primitive {
    pub mesh: Mesh,
    pub material: usize,
    pub morphs: Vec<Mesh>,
}

/// A node of the tree; give it children by naming it their parent.
pub struct Node<'a> {
    pub name: &'a str,
    pub parent: Option<usize>,
    pub translation: DVec3,
    pub mesh: Option<usize>,
    pub skin: Option<usize>,
}

/// What a channel moves, with one value a key (three with `CUBICSPLINE`).
pub enum Track {
    Translation(Vec<DVec3>),
    Rotation(Vec<DQuat>),
    Scale(Vec<DVec3>),
    Weights(Vec<Vec<f64>>),
}

/// One animated property of one node.
pub struct Channel {
    pub node: usize,
    pub interpolation: &'static str,
    pub times: Vec<f64>,
    pub track: Track,
}

impl Glb {
    pub fn material(&mut self, look: &Look) -> usize {
        let c = linear(look.color);
        let mut material = json!({
            "name": look.name,
            "pbrMetallicRoughness": {
                "baseColorFactor": [tidy(c.x), tidy(c.y), tidy(c.z), 1.0],
                "metallicFactor": look.metallic, "roughnessFactor": look.roughness,
            },
        });
        if look.glow > 0.0 {
            let e = c * look.glow;
            material["emissiveFactor"] = json!([tidy(e.x), tidy(e.y), tidy(e.z)]);
        }
        push(&mut self.materials, material)
    }

    /// A mesh; `targets` are the names of the morph targets that its primitives have.
    pub fn mesh(&mut self, name: &str, primitives: &[Primitive], skinned: bool, targets: &[&str]) -> usize {
        let primitives: Vec<Value> = primitives.iter().map(|p| self.primitive(p, skinned)).collect();
        let mut mesh = json!({ "name": name, "primitives": primitives });
        if !targets.is_empty() {
            mesh["weights"] = json!(vec![0.0; targets.len()]);
            mesh["extras"] = json!({ "targetNames": targets });
        }
        push(&mut self.meshes, mesh)
    }

    fn primitive(&mut self, primitive: &Primitive, skinned: bool) -> Value {
        let vertices = &primitive.mesh.vertices;
        let positions: Vec<DVec3> = vertices.iter().map(|v| v.position).collect();
        let normals: Vec<DVec3> = vertices.iter().map(|v| v.normal).collect();
        let uvs: Vec<f32> = vertices.iter().flat_map(|v| [v.uv.x as f32, v.uv.y as f32]).collect();
        let colors: Vec<u8> = vertices.iter().flat_map(|v| color_bytes(v.color)).collect();
        let mut attributes = json!({
            "POSITION": self.vectors(&positions, Some(VERTICES), true),
            "NORMAL": self.vectors(&normals, Some(VERTICES), false),
            "TEXCOORD_0": self.floats(&uvs, "VEC2", Some(VERTICES)),
            "COLOR_0": self.bytes(&colors, U8, 4, "VEC4", true, VERTICES),
        });
        if skinned {
            let joints: Vec<u8> = vertices.iter().flat_map(|v| v.influences.map(|i| i.0 as u8)).collect();
            let weights: Vec<u8> = vertices.iter().flat_map(|v| weight_bytes(v.influences)).collect();
            let joints: Vec<u8> =
                joints.iter().zip(&weights).map(|(&j, &w)| if w > 0 { j } else { 0 }).collect();
            attributes["JOINTS_0"] = json!(self.bytes(&joints, U8, 4, "VEC4", false, VERTICES));
            attributes["WEIGHTS_0"] = json!(self.bytes(&weights, U8, 4, "VEC4", true, VERTICES));
        }
        let indices: Vec<u8> =
            primitive.mesh.triangles.iter().flatten().flat_map(|&i| (i as u16).to_le_bytes()).collect();
        let indices = self.bytes(&indices, U16, 2, "SCALAR", false, INDICES);
        let mut out = json!({ "attributes": attributes, "indices": indices, "material": primitive.material });
        if !primitive.morphs.is_empty() {
            let targets: Vec<Value> =
                primitive.morphs.iter().map(|m| self.target(&primitive.mesh, m)).collect();
            out["targets"] = json!(targets);
        }
        out
    }

    fn target(&mut self, base: &Mesh, shape: &Mesh) -> Value {
        let pairs = || base.vertices.iter().zip(&shape.vertices);
        let positions: Vec<DVec3> = pairs().map(|(a, b)| b.position - a.position).collect();
        let normals: Vec<DVec3> = pairs().map(|(a, b)| b.normal - a.normal).collect();
        json!({
            "POSITION": self.vectors(&positions, Some(VERTICES), true),
            "NORMAL": self.vectors(&normals, Some(VERTICES), false),
        })
    }

    pub fn node(&mut self, node: &Node) -> usize {
        let mut value = json!({ "name": node.name });
        if node.translation != DVec3::ZERO {
            value["translation"] = json!(node.translation.to_array().map(tidy));
        }
        if let Some(mesh) = node.mesh {
            value["mesh"] = json!(mesh);
        }
        if let Some(skin) = node.skin {
            value["skin"] = json!(skin);
        }
        let index = push(&mut self.nodes, value);
        self.has_parent.push(node.parent.is_some());
        if let Some(parent) = node.parent {
            let children = self.nodes[parent].get("children").cloned().unwrap_or_else(|| json!([]));
            let mut children: Vec<Value> = children.as_array().cloned().unwrap_or_default();
            children.push(json!(index));
            self.nodes[parent]["children"] = json!(children);
        }
        index
    }

    /// A skin over joints that rest unrotated at `rest` (model space).
    pub fn skin(&mut self, joints: &[usize], rest: &[DVec3]) -> usize {
        let matrices: Vec<f32> = rest
            .iter()
            .flat_map(|p| {
                let [x, y, z] = p.to_array().map(|v| -tidy(v) as f32);
                [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, y, z, 1.0]
            })
            .collect();
        let inverse = self.floats(&matrices, "MAT4", None);
        push(
            &mut self.skins,
            json!({ "inverseBindMatrices": inverse, "joints": joints, "skeleton": joints[0] }),
        )
    }

    pub fn animation(&mut self, name: &str, channels: &[Channel]) {
        // Channels with the same times share one accessor.
        let mut clocks: Vec<(&[f64], usize)> = Vec::new();
        let (mut samplers, mut targets) = (Vec::new(), Vec::new());
        for channel in channels {
            let known = clocks.iter().find(|c| c.0 == channel.times).map(|c| c.1);
            let input = known.unwrap_or_else(|| {
                let index = self.clock(&channel.times);
                clocks.push((&channel.times, index));
                index
            });
            let (path, output) = match &channel.track {
                Track::Translation(v) => ("translation", self.vectors(v, None, false)),
                Track::Scale(v) => ("scale", self.vectors(v, None, false)),
                Track::Rotation(q) => {
                    let q: Vec<f32> = q.iter().flat_map(|q| q.to_array().map(|v| v as f32)).collect();
                    ("rotation", self.floats(&q, "VEC4", None))
                }
                Track::Weights(w) => {
                    let w: Vec<f32> = w.iter().flatten().map(|&w| w as f32).collect();
                    ("weights", self.floats(&w, "SCALAR", None))
                }
            };
            samplers
                .push(json!({ "input": input, "output": output, "interpolation": channel.interpolation }));
            let target = json!({ "node": channel.node, "path": path });
            targets.push(json!({ "sampler": samplers.len() - 1, "target": target }));
        }
        self.animations.push(json!({ "name": name, "samplers": samplers, "channels": targets }));
    }

    /// The whole file: header, JSON chunk, binary chunk.
    pub fn finish(self) -> Vec<u8> {
        let roots: Vec<usize> = (0..self.nodes.len()).filter(|&n| !self.has_parent[n]).collect();
        let mut root = json!({
            "asset": { "version": "2.0", "generator": "vatpipe example characters" },
            "scene": 0,
            "scenes": [{ "nodes": roots }],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "materials": self.materials,
            "animations": self.animations,
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{ "byteLength": self.bin.len() }],
        });
        if !self.skins.is_empty() {
            root["skins"] = json!(self.skins);
        }
        let mut text = root.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut out = Vec::with_capacity(28 + text.len() + self.bin.len());
        out.extend(b"glTF");
        for word in [2, (28 + text.len() + self.bin.len()) as u32, text.len() as u32] {
            out.extend(word.to_le_bytes());
        }
        out.extend(b"JSON");
        out.extend(text);
        out.extend((self.bin.len() as u32).to_le_bytes());
        out.extend(b"BIN\0");
        out.extend(self.bin);
        out
    }

    fn clock(&mut self, times: &[f64]) -> usize {
        let times: Vec<f32> = times.iter().map(|&t| t as f32).collect();
        let index = self.floats(&times, "SCALAR", None);
        self.accessors[index]["min"] = json!([times[0]]);
        self.accessors[index]["max"] = json!([times[times.len() - 1]]);
        index
    }

    fn vectors(&mut self, vectors: &[DVec3], target: Option<u32>, bounds: bool) -> usize {
        let floats: Vec<f32> = vectors.iter().flat_map(|v| v.to_array().map(|v| v as f32)).collect();
        let index = self.floats(&floats, "VEC3", target);
        if bounds {
            let fold = |f: fn(f32, f32) -> f32| {
                [0, 1, 2].map(|k| floats.iter().skip(k).step_by(3).copied().reduce(f).unwrap_or(0.0))
            };
            self.accessors[index]["min"] = json!(fold(f32::min));
            self.accessors[index]["max"] = json!(fold(f32::max));
        }
        index
    }

    fn floats(&mut self, values: &[f32], kind: &str, target: Option<u32>) -> usize {
        let width = match kind {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        // `+ 0.0` turns a negative zero into zero.
        let bytes: Vec<u8> = values.iter().flat_map(|v| (v + 0.0).to_le_bytes()).collect();
        self.accessor(
            &bytes,
            target,
            json!({ "componentType": FLOAT, "count": values.len() / width, "type": kind }),
        )
    }

    fn bytes(
        &mut self,
        bytes: &[u8],
        component: u32,
        stride: usize,
        kind: &str,
        normalized: bool,
        target: u32,
    ) -> usize {
        let mut accessor = json!({ "componentType": component, "count": bytes.len() / stride, "type": kind });
        if normalized {
            accessor["normalized"] = json!(true);
        }
        self.accessor(bytes, Some(target), accessor)
    }

    fn accessor(&mut self, bytes: &[u8], target: Option<u32>, mut accessor: Value) -> usize {
        let mut view = json!({ "buffer": 0, "byteOffset": self.bin.len(), "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.bin.extend(bytes);
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        accessor["bufferView"] = json!(push(&mut self.views, view));
        push(&mut self.accessors, accessor)
    }
}

fn push(list: &mut Vec<Value>, value: Value) -> usize {
    list.push(value);
    list.len() - 1
}

/// Six decimals are plenty for the JSON.
fn tidy(x: f64) -> f64 {
    (x * 1e6).round() / 1e6 + 0.0
}

/// sRGB to linear, by the gamma of 2.2 that is close enough for picking colours.
fn linear(color: u32) -> DVec3 {
    let channel = |shift: u32| libm::pow(f64::from((color >> shift) & 255) / 255.0, 2.2);
    DVec3::new(channel(16), channel(8), channel(0))
}

fn color_bytes(color: DVec3) -> [u8; 4] {
    let [r, g, b] = color.to_array().map(|v| (v.clamp(0.0, 1.0) * 255.0).round() as u8);
    [r, g, b, 255]
}

/// Weights as bytes that sum to exactly 255: the rounding goes to the largest.
fn weight_bytes(influences: [(usize, f64); 4]) -> [u8; 4] {
    let mut bytes = influences.map(|i| (i.1 * 255.0).round() as i32);
    let largest = (0..4).rev().max_by_key(|&i| bytes[i]).unwrap_or(0);
    bytes[largest] += 255 - bytes.iter().sum::<i32>();
    bytes.map(|b| b.clamp(0, 255) as u8)
}
