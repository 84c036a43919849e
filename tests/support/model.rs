//! Building small glTF files, right or wrong, for tests.
//!
//! A [`Model`] is a JSON document and one buffer. Helpers append data and return the index of what they
//! added; everything else is written into the JSON directly, so that any odd input can be made:
//!
//! ```ignore
//! let mut model = Model::new();
//! let position = model.vec3(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
//! let mesh = model.mesh(json!([{ "attributes": { "POSITION": position } }]));
//! let node = model.node(json!({ "name": "thing", "mesh": mesh }));
//! let clip = model.clip("up");
//! let up = model.vec3(&[[0.0, 0.0, 0.0], [0.0, 2.0, 0.0]]);
//! model.channel(clip, node, "translation", &[0.0, 1.0], up, "LINEAR");
//! model.set("/nodes/0/scale", json!([1, 1, 1]));
//! let source = model.read().unwrap();       // or model.glb(), model.embedded(), model.external("a.bin")
//! ```

use std::path::Path;

use base64::Engine;
use serde_json::{Value, json};
use vatpipe::problem::Problems;
use vatpipe::source::{self, Options, Source};

pub const BYTE: u32 = 5120;
pub const UNSIGNED_BYTE: u32 = 5121;
pub const SHORT: u32 = 5122;
pub const UNSIGNED_SHORT: u32 = 5123;
pub const UNSIGNED_INT: u32 = 5125;
pub const FLOAT: u32 = 5126;

/// A glTF file in the making.
#[derive(Clone, Debug)]
pub struct Model {
    /// The document, except for `buffers`, which are written when the file is.
    pub json: Value,
    /// Buffer 0.
    pub bin: Vec<u8>,
}

impl Model {
    /// A document with one empty scene, which nodes join as they are added.
    pub fn new() -> Self {
        let json = json!({ "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [] }] });
        Self { json, bin: Vec::new() }
    }

    /// Appends to a list of the document (`"skins"`), and returns the index of the new entry.
    pub fn add(&mut self, list: &str, entry: Value) -> usize {
        if self.json[list].is_null() {
            self.json[list] = json!([]);
        }
        let list = self.json[list].as_array_mut().unwrap();
        list.push(entry);
        list.len() - 1
    }

    /// Sets a value by its JSON pointer. The parent must exist; the last step may be new.
    pub fn set(&mut self, pointer: &str, value: Value) {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let parent = self.json.pointer_mut(parent).unwrap_or_else(|| panic!("no {parent}"));
        match parent {
            Value::Array(list) => list[key.parse::<usize>().unwrap()] = value,
            parent => parent[key] = value,
        }
    }

    /// Removes a value by its JSON pointer.
    pub fn remove(&mut self, pointer: &str) {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        match self.json.pointer_mut(parent).unwrap() {
            Value::Array(list) => drop(list.remove(key.parse::<usize>().unwrap())),
            Value::Object(map) => drop(map.shift_remove(key).unwrap()),
            _ => panic!("{parent} holds nothing"),
        }
    }

    // Data. Every helper returns the index of what it added.

    /// A buffer view of these bytes, aligned to 4.
    pub fn view(&mut self, bytes: &[u8]) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let view = json!({ "buffer": 0, "byteOffset": self.bin.len(), "byteLength": bytes.len() });
        self.bin.extend(bytes);
        self.add("bufferViews", view)
    }

    /// An accessor over a buffer view of its own. `kind` is `"SCALAR"`, `"VEC3"`…, `component` one of the
    /// constants here; the count follows from the bytes.
    pub fn accessor(&mut self, kind: &str, component: u32, bytes: &[u8]) -> usize {
        let count = bytes.len() / (width(kind) * size(component));
        let view = self.view(bytes);
        let accessor =
            json!({ "bufferView": view, "componentType": component, "count": count, "type": kind });
        self.add("accessors", accessor)
    }

    /// An accessor of floats, flat.
    pub fn floats(&mut self, kind: &str, values: &[f32]) -> usize {
        self.accessor(kind, FLOAT, &bytes(values, |v| v.to_le_bytes()))
    }

    /// An accessor of float scalars.
    pub fn scalars(&mut self, values: &[f32]) -> usize {
        self.floats("SCALAR", values)
    }

    /// An accessor of pairs of floats.
    pub fn vec2(&mut self, values: &[[f32; 2]]) -> usize {
        self.floats("VEC2", values.as_flattened())
    }

    /// An accessor of triples of floats.
    pub fn vec3(&mut self, values: &[[f32; 3]]) -> usize {
        self.floats("VEC3", values.as_flattened())
    }

    /// An accessor of quadruples of floats: quaternions x, y, z, w, weights, tangents.
    pub fn vec4(&mut self, values: &[[f32; 4]]) -> usize {
        self.floats("VEC4", values.as_flattened())
    }

    /// An accessor of matrices, column after column.
    pub fn mat4(&mut self, values: &[[f32; 16]]) -> usize {
        self.floats("MAT4", values.as_flattened())
    }

    /// An accessor of bytes, flat.
    pub fn u8s(&mut self, kind: &str, values: &[u8]) -> usize {
        self.accessor(kind, UNSIGNED_BYTE, values)
    }

    /// An accessor of signed bytes, flat.
    pub fn i8s(&mut self, kind: &str, values: &[i8]) -> usize {
        self.accessor(kind, BYTE, &bytes(values, |v| v.to_le_bytes()))
    }

    /// An accessor of shorts, flat.
    pub fn u16s(&mut self, kind: &str, values: &[u16]) -> usize {
        self.accessor(kind, UNSIGNED_SHORT, &bytes(values, |v| v.to_le_bytes()))
    }

    /// An accessor of signed shorts, flat.
    pub fn i16s(&mut self, kind: &str, values: &[i16]) -> usize {
        self.accessor(kind, SHORT, &bytes(values, |v| v.to_le_bytes()))
    }

    /// An accessor of 32-bit integers, flat: indices.
    pub fn u32s(&mut self, kind: &str, values: &[u32]) -> usize {
        self.accessor(kind, UNSIGNED_INT, &bytes(values, |v| v.to_le_bytes()))
    }

    /// Marks an accessor as normalised, and returns it.
    pub fn normalized(&mut self, accessor: usize) -> usize {
        self.json["accessors"][accessor]["normalized"] = json!(true);
        accessor
    }

    /// Lays the data of an accessor out anew, its elements `stride` bytes apart, rubbish between, and
    /// returns the accessor.
    pub fn strided(&mut self, accessor: usize, stride: usize) -> usize {
        let element = element_size(&self.json["accessors"][accessor]);
        let mut bytes = vec![0xAA; 8];
        for element in self.data(accessor).chunks_exact(element) {
            let mut padded = vec![0xAA; stride];
            padded[..element.len()].copy_from_slice(element);
            bytes.extend(padded);
        }
        let view = self.view(&bytes);
        self.json["bufferViews"][view]["byteStride"] = json!(stride);
        self.json["accessors"][accessor]["bufferView"] = json!(view);
        self.json["accessors"][accessor]["byteOffset"] = json!(8);
        accessor
    }

    /// An accessor of `count` zeros, or of a copy of `base`, with some elements replaced by `values` (flat).
    pub fn sparse(
        &mut self,
        kind: &str,
        base: Option<usize>,
        count: usize,
        at: &[u16],
        values: &[f32],
    ) -> usize {
        let indices = self.view(&bytes(at, |v| v.to_le_bytes()));
        let values = self.view(&bytes(values, |v| v.to_le_bytes()));
        let sparse = json!({
            "count": at.len(),
            "indices": { "bufferView": indices, "componentType": UNSIGNED_SHORT },
            "values": { "bufferView": values }
        });
        let mut accessor = json!({ "componentType": FLOAT, "count": count, "type": kind, "sparse": sparse });
        if let Some(base) = base {
            accessor["bufferView"] = self.json["accessors"][base]["bufferView"].clone();
        }
        self.add("accessors", accessor)
    }

    /// The bytes behind an accessor that is not sparse, not compressed and not strided.
    pub fn data(&self, accessor: usize) -> Vec<u8> {
        let accessor = &self.json["accessors"][accessor];
        let view = &self.json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let start = view["byteOffset"].as_u64().unwrap() as usize;
        let count = accessor["count"].as_u64().unwrap() as usize;
        self.bin[start..start + count * element_size(accessor)].to_vec()
    }

    /// Replaces the data of an accessor by its compressed form, with `EXT_meshopt_compression`: `encoded`
    /// are the bytes, `stride` is that of the decoded elements. What is in buffer 0 at the accessor's old
    /// place is wiped, and its view moves to a fallback buffer without data.
    pub fn compress(&mut self, accessor: usize, mode: &str, filter: &str, stride: usize, encoded: &[u8]) {
        let old = self.json["accessors"][accessor]["bufferView"].as_u64().unwrap() as usize;
        let count = self.json["accessors"][accessor]["count"].as_u64().unwrap() as usize;
        let start = self.json["bufferViews"][old]["byteOffset"].as_u64().unwrap() as usize;
        let len = self.json["bufferViews"][old]["byteLength"].as_u64().unwrap() as usize;
        self.bin[start..start + len].fill(0xBB);
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let compressed = json!({
            "buffer": 0, "byteOffset": self.bin.len(), "byteLength": encoded.len(),
            "byteStride": stride, "count": count, "mode": mode, "filter": filter
        });
        self.bin.extend(encoded);
        self.json["bufferViews"][old] = json!({
            "buffer": 1, "byteLength": count * stride, "extensions": { "EXT_meshopt_compression": compressed }
        });
        self.json["extensionsRequired"] = json!(["EXT_meshopt_compression"]);
        self.json["extensionsUsed"] = json!(["EXT_meshopt_compression"]);
    }

    // The document.

    /// A mesh of these primitives.
    pub fn mesh(&mut self, primitives: Value) -> usize {
        self.add("meshes", json!({ "primitives": primitives }))
    }

    /// A node at the root of the scene.
    pub fn node(&mut self, node: Value) -> usize {
        let index = self.add("nodes", node);
        self.json["scenes"][0]["nodes"].as_array_mut().unwrap().push(json!(index));
        index
    }

    /// A node below another.
    pub fn child(&mut self, parent: usize, node: Value) -> usize {
        let index = self.add("nodes", node);
        let parent = &mut self.json["nodes"][parent];
        if parent["children"].is_null() {
            parent["children"] = json!([]);
        }
        parent["children"].as_array_mut().unwrap().push(json!(index));
        index
    }

    /// An animation without channels.
    pub fn clip(&mut self, name: &str) -> usize {
        self.add("animations", json!({ "name": name, "channels": [], "samplers": [] }))
    }

    /// A channel with a sampler of its own. `output` is an accessor.
    pub fn channel(
        &mut self,
        clip: usize,
        node: usize,
        path: &str,
        times: &[f32],
        output: usize,
        interpolation: &str,
    ) {
        let input = self.scalars(times);
        let clip = &mut self.json["animations"][clip];
        let samplers = clip["samplers"].as_array_mut().unwrap();
        samplers.push(json!({ "input": input, "output": output, "interpolation": interpolation }));
        let sampler = samplers.len() - 1;
        let channel = json!({ "sampler": sampler, "target": { "node": node, "path": path } });
        clip["channels"].as_array_mut().unwrap().push(channel);
    }

    // The file.

    /// The document with its buffers; the second is the fallback of compressed views.
    fn document(&self, uri: Option<String>) -> Vec<u8> {
        let mut json = self.json.clone();
        if json["buffers"].is_null() {
            let fallback = json!({ "EXT_meshopt_compression": { "fallback": true } });
            json["buffers"] = json!([{ "byteLength": self.bin.len() }]);
            if !json["extensionsRequired"].is_null() {
                json["buffers"] = json!([
                    { "byteLength": self.bin.len() }, { "byteLength": 1 << 20, "extensions": fallback }
                ]);
            }
            if let Some(uri) = uri {
                json["buffers"][0]["uri"] = json!(uri);
            }
        }
        serde_json::to_vec(&json).unwrap()
    }

    /// The file as `.glb`.
    pub fn glb(&self) -> Vec<u8> {
        glb(&self.document(None), &self.bin)
    }

    /// The file as `.gltf` with its buffer in a data URI.
    pub fn embedded(&self) -> Vec<u8> {
        let data = base64::engine::general_purpose::STANDARD.encode(&self.bin);
        self.document(Some(format!("data:application/octet-stream;base64,{data}")))
    }

    /// The file as `.gltf` whose buffer, [`bin`](Self::bin), lies under this URI.
    pub fn external(&self, uri: &str) -> Vec<u8> {
        self.document(Some(uri.to_owned()))
    }

    /// Reads the `.glb`.
    pub fn read(&self) -> Result<Source, Problems> {
        self.read_with(&Options::default())
    }

    /// Reads the `.glb` with options.
    pub fn read_with(&self, options: &Options) -> Result<Source, Problems> {
        read(&self.glb(), options)
    }
}

/// Reads a file that needs no other.
pub fn read(bytes: &[u8], options: &Options) -> Result<Source, Problems> {
    source::read(bytes, Path::new("model.glb"), options, &mut |uri| panic!("asked for {uri}"))
}

/// A `.glb` of a document's text and a buffer.
pub fn glb(json: &[u8], bin: &[u8]) -> Vec<u8> {
    let mut file = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    let chunks: [(&[u8; 4], &[u8], u8); 2] = [(b"JSON", json, b' '), (b"BIN\0", bin, 0)];
    for (kind, data, padding) in chunks {
        let size = data.len().next_multiple_of(4);
        file.extend((size as u32).to_le_bytes());
        file.extend(kind);
        file.extend(data);
        file.resize(file.len() + size - data.len(), padding);
    }
    let len = file.len() as u32;
    file[8..12].copy_from_slice(&len.to_le_bytes());
    file
}

fn bytes<T: Copy, const N: usize>(values: &[T], one: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|&v| one(v)).collect()
}

fn width(kind: &str) -> usize {
    match kind {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" => 4,
        "MAT4" => 16,
        _ => panic!("{kind}"),
    }
}

fn size(component: u32) -> usize {
    match component {
        BYTE | UNSIGNED_BYTE => 1,
        SHORT | UNSIGNED_SHORT => 2,
        _ => 4,
    }
}

fn element_size(accessor: &Value) -> usize {
    let component = accessor["componentType"].as_u64().unwrap() as u32;
    width(accessor["type"].as_str().unwrap()) * size(component)
}
