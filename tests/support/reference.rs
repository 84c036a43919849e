//! True positions and normals of the corpus, computed by three.js (`../shared/tools/reference_three`).

use std::collections::HashMap;
use std::path::Path;

use base64::Engine;
use gltf::{Gltf, Semantic};
use serde_json::Value;

use super::baking::corpus;
use super::loader::integers;

/// One line of `INDEX.tsv`.
pub struct Entry {
    pub base: String,
    pub model: String,
    pub clip: usize,
    pub fps: f64,
    pub frames: usize,
}

/// Where every vertex of a model is at some times.
pub struct Reference {
    pub times: Vec<f64>,
    pub diagonal: f64,
    pub trajectories: Trajectories,
    /// Whether a triangle uses the vertex.
    pub used: Vec<bool>,
    /// Whether the vertex has a normal in the model.
    pub has_normal: Vec<bool>,
}

/// `[vertex][frame]`, positions and normals.
pub struct Trajectories {
    pub frames: usize,
    pub positions: Vec<[f32; 3]>,
    /// As many as positions, or none.
    pub normals: Vec<[f32; 3]>,
}

impl Trajectories {
    pub fn len(&self) -> usize {
        self.positions.len() / self.frames
    }

    pub fn position(&self, vertex: usize) -> &[[f32; 3]] {
        &self.positions[vertex * self.frames..][..self.frames]
    }

    pub fn normal(&self, vertex: usize) -> &[[f32; 3]] {
        &self.normals[vertex * self.frames..][..self.frames]
    }
}

/// All references there are.
pub fn index() -> Vec<Entry> {
    let text = std::fs::read_to_string(corpus("reference/INDEX.tsv")).unwrap();
    let entry = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        Entry {
            base: fields[0].to_owned(),
            model: fields[1].to_owned(),
            clip: fields[2].parse().unwrap(),
            fps: fields[4].parse().unwrap(),
            frames: fields[5].parse().unwrap(),
        }
    };
    text.lines().skip(1).map(entry).collect()
}

pub fn read(entry: &Entry) -> Reference {
    let json = std::fs::read(corpus(&format!("reference/{}.json", entry.base))).unwrap();
    let json: Value = serde_json::from_slice(&json).unwrap();
    let bin = std::fs::read(corpus(&format!("reference/{}.bin", entry.base))).unwrap();
    let number = |value: &Value| value.as_u64().unwrap() as usize;
    let (frames, vertices) = (number(&json["frameCount"]), number(&json["vertexCount"]));
    // Stored frame after frame.
    let vectors = |offset: usize| -> Vec<[f32; 3]> {
        let float = |at: usize| f32::from_le_bytes(bin[at..at + 4].try_into().unwrap());
        let vector = |frame: usize, vertex: usize| {
            let at = offset + (frame * vertices + vertex) * 12;
            [float(at), float(at + 4), float(at + 8)]
        };
        (0..vertices).flat_map(|v| (0..frames).map(move |f| vector(f, v))).collect()
    };
    let mut has_normal = Vec::new();
    for primitive in json["primitives"].as_array().unwrap() {
        let count = number(&primitive["vertexCount"]);
        has_normal.extend(std::iter::repeat_n(primitive["hasNormals"] == true, count));
    }
    let corner = |name: &str| [0, 1, 2].map(|i| json["bounds"][name][i].as_f64().unwrap());
    let (min, max) = (corner("min"), corner("max"));
    let diagonal = (0..3).map(|i| (max[i] - min[i]) * (max[i] - min[i])).sum::<f64>().sqrt();
    Reference {
        times: json["times"].as_array().unwrap().iter().map(|t| t.as_f64().unwrap()).collect(),
        diagonal,
        trajectories: Trajectories {
            frames,
            positions: vectors(number(&json["positionsOffset"])),
            normals: vectors(number(&json["normalsOffset"])),
        },
        used: used(&entry.model, json["primitives"].as_array().unwrap()),
        has_normal,
    }
}

/// Which vertices a triangle uses, from the model file.
fn used(model: &str, primitives: &[Value]) -> Vec<bool> {
    let path = corpus(model);
    let gltf = Gltf::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let buffers: Vec<Vec<u8>> = gltf.buffers().map(|b| buffer(&gltf, &path, b.source())).collect();
    let mut used = Vec::new();
    for listed in primitives {
        let of = |key: &str| listed[key].as_u64().unwrap() as usize;
        let node = gltf.nodes().nth(of("node")).unwrap();
        let primitive = node.mesh().unwrap().primitives().nth(of("primitive")).unwrap();
        assert_eq!(primitive.mode(), gltf::mesh::Mode::Triangles);
        let vertices = primitive.get(&Semantic::Positions).unwrap().count();
        let first = used.len();
        used.resize(first + vertices, primitive.indices().is_none());
        if let Some(indices) = primitive.indices() {
            let data = &buffers[indices.view().unwrap().buffer().index()];
            for index in integers(&indices, data) {
                used[first + index as usize] = true;
            }
        }
    }
    used
}

fn buffer(gltf: &Gltf, path: &Path, source: gltf::buffer::Source) -> Vec<u8> {
    match source {
        gltf::buffer::Source::Bin => gltf.blob.clone().unwrap(),
        gltf::buffer::Source::Uri(uri) => match uri.split_once(";base64,") {
            Some((_, data)) => base64::engine::general_purpose::STANDARD.decode(data).unwrap(),
            None => std::fs::read(path.with_file_name(uri)).unwrap(),
        },
    }
}

/// Vertices by where they are in the first frame: finds those near a point fast.
pub struct Grid<'a> {
    of: &'a Trajectories,
    cell: f64,
    cells: HashMap<[i64; 3], Vec<u32>>,
}

impl<'a> Grid<'a> {
    pub fn new(of: &'a Trajectories, wanted: &[bool], tolerance: f64) -> Self {
        let cell = tolerance * 16.0;
        let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
        for vertex in (0..of.len()).filter(|&v| wanted[v]) {
            let key = of.position(vertex)[0].map(|c| (f64::from(c) / cell).floor() as i64);
            cells.entry(key).or_default().push(vertex as u32);
        }
        Self { of, cell, cells }
    }

    /// Vertices whose position is within `tolerance` in every frame, with the largest distance, which
    /// is the largest difference of a coordinate.
    pub fn near(&self, path: &[[f32; 3]], tolerance: f64) -> Vec<(usize, f64)> {
        let key = |offset: f64| path[0].map(|c| ((f64::from(c) + offset) / self.cell).floor() as i64);
        let (low, high) = (key(-tolerance), key(tolerance));
        let mut found = Vec::new();
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    for &vertex in self.cells.get(&[x, y, z]).into_iter().flatten() {
                        let distance = max_norm(path, self.of.position(vertex as usize), tolerance);
                        if distance <= tolerance {
                            found.push((vertex as usize, distance));
                        }
                    }
                }
            }
        }
        found
    }
}

/// The largest difference of a coordinate over all frames; stops above `enough`.
fn max_norm(a: &[[f32; 3]], b: &[[f32; 3]], enough: f64) -> f64 {
    let mut largest = 0.0_f64;
    for (a, b) in a.iter().zip(b) {
        for i in 0..3 {
            largest = largest.max((f64::from(a[i]) - f64::from(b[i])).abs());
        }
        if largest > enough {
            break;
        }
    }
    largest
}

/// Degrees between two directions.
pub fn degrees(a: [f32; 3], b: [f32; 3]) -> f64 {
    let (a, b) = (a.map(f64::from), b.map(f64::from));
    let cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let sine = (cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]).sqrt();
    libm::atan2(sine, dot).to_degrees()
}
