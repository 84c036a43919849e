//! The JSON of the file. Fields are written in the order they have here.

use serde::Serialize;

use crate::source;

pub(super) const UNSIGNED_SHORT: u32 = 5123;
pub(super) const UNSIGNED_INT: u32 = 5125;
pub(super) const FLOAT: u32 = 5126;

pub(super) const ARRAY_BUFFER: u32 = 34962;
pub(super) const ELEMENT_ARRAY_BUFFER: u32 = 34963;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    pub asset: Asset,
    pub scene: usize,
    pub scenes: Vec<Scene>,
    pub nodes: Vec<Node>,
    pub meshes: Vec<Mesh>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub materials: Vec<Material>,
    pub accessors: Vec<Accessor>,
    pub buffer_views: Vec<BufferView>,
    pub buffers: Vec<Buffer>,
}

#[derive(Serialize)]
pub(super) struct Asset {
    pub version: &'static str,
    pub generator: &'static str,
}

#[derive(Serialize)]
pub(super) struct Scene {
    pub nodes: Vec<usize>,
}

#[derive(Serialize)]
pub(super) struct Node {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    pub mesh: usize,
}

#[derive(Serialize)]
pub(super) struct Mesh {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    pub primitives: Vec<Primitive>,
}

#[derive(Serialize)]
pub(super) struct Primitive {
    pub attributes: serde_json::Map<String, serde_json::Value>,
    pub indices: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub material: Option<usize>,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub buffer_view: usize,
    pub component_type: u32,
    pub count: usize,
    #[serde(rename = "type")]
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<[f32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<[f32; 3]>,
}

impl Accessor {
    /// An accessor whose view is still to be set.
    pub fn new(component_type: u32, count: usize, kind: &'static str) -> Self {
        Accessor { buffer_view: 0, component_type, count, kind, min: None, max: None }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub buffer: usize,
    pub byte_offset: usize,
    pub byte_length: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byte_stride: Option<usize>,
    pub target: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub byte_length: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Material {
    #[serde(skip_serializing_if = "String::is_empty")]
    name: String,
    pbr_metallic_roughness: Pbr,
    emissive_factor: [f32; 3],
    double_sided: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Pbr {
    base_color_factor: [f32; 4],
    metallic_factor: f32,
    roughness_factor: f32,
}

impl Material {
    /// The material, with factors in the range that glTF allows.
    pub fn new(material: &source::Material) -> Self {
        Material {
            name: material.name.clone(),
            pbr_metallic_roughness: Pbr {
                base_color_factor: material.base_color.map(super::vertices::clamp01),
                metallic_factor: super::vertices::clamp01(material.metallic),
                roughness_factor: super::vertices::clamp01(material.roughness),
            },
            emissive_factor: material.emissive.map(super::vertices::clamp01),
            double_sided: material.double_sided,
        }
    }
}
