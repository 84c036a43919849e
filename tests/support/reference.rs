//! True positions and normals of the corpus, computed by three.js (`../shared/tools/reference_three`).

use std::collections::HashMap;
use std::path::Path;

use base64::Engine;
use gltf::Gltf;
use serde_json::Value;

use super::baking::corpus;
use super::loader::{Character, Clip, Direction, integers};

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
    pub triangles: Vec<Triangle>,
    /// Whether the model has normals: all of it or nothing.
    pub has_normals: bool,
    /// Times of the keys of the clip's STEP channels.
    step_keys: Vec<f64>,
}

impl Reference {
    /// Whether a triangle uses each vertex.
    pub fn used(&self) -> Vec<bool> {
        let mut used = vec![false; self.trajectories.len()];
        for triangle in &self.triangles {
            triangle.corners.iter().for_each(|&corner| used[corner] = true);
        }
        used
    }

    /// Whether a frame lies less than a microsecond before a key of a STEP channel.
    pub fn is_before_a_step(&self, frame: usize) -> bool {
        let time = self.times[frame];
        self.step_keys.iter().any(|&key| time < key && key < time + 1e-6)
    }
}

/// A triangle over the vertices of a reference, counter-clockwise from outside.
pub struct Triangle {
    pub corners: [usize; 3],
    pub material: Option<String>,
}

/// `[vertex][frame]`, positions and normals.
pub struct Trajectories {
    pub frames: usize,
    pub positions: Vec<[f32; 3]>,
    /// As many as positions, or none.
    pub normals: Vec<[f32; 3]>,
}

impl Trajectories {
    /// The vertices of a baked clip at its frames.
    pub fn of(character: &Character, clip: &Clip) -> Self {
        let track = character.positions(clip);
        let vertices = character.mesh.positions.len();
        let every = |at: &dyn Fn(usize, usize) -> [f32; 3]| -> Vec<[f32; 3]> {
            (0..vertices).flat_map(|v| (0..track.frames).map(move |f| at(v, f))).collect()
        };
        let normals = character.directions(clip, Direction::Normal);
        Self {
            frames: track.frames,
            positions: every(&|vertex, frame| character.position(track, vertex, frame)),
            normals: normals.map_or(Vec::new(), |t| every(&|v, f| character.direction(t, v, f).0)),
        }
    }

    /// Removes a frame.
    pub fn leave_out(&mut self, frame: usize) {
        let all = self.frames;
        let without = |values: &[[f32; 3]]| -> Vec<[f32; 3]> {
            let kept = values.iter().enumerate().filter(|(i, _)| i % all != frame);
            kept.map(|(_, &v)| v).collect()
        };
        (self.positions, self.normals) = (without(&self.positions), without(&self.normals));
        self.frames -= 1;
    }

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
    let primitives = json["primitives"].as_array().unwrap();
    let has_normals = primitives[0]["hasNormals"] == true;
    assert!(primitives.iter().all(|p| (p["hasNormals"] == true) == has_normals));
    let model = Model::read(&entry.model);
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
        triangles: model.triangles(primitives),
        has_normals,
        step_keys: model.step_keys(entry.clip),
    }
}

/// A model file, as the `gltf` crate reads it.
pub struct Model {
    pub gltf: Gltf,
    buffers: Vec<Vec<u8>>,
}

impl Model {
    pub fn read(name: &str) -> Self {
        let path = corpus(name);
        let gltf = Gltf::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let buffers = gltf.buffers().map(|b| buffer(&gltf, &path, b.source())).collect();
        Self { gltf, buffers }
    }

    /// The buffer of an accessor.
    pub fn data(&self, accessor: &gltf::Accessor) -> &[u8] {
        &self.buffers[accessor.view().unwrap().buffer().index()]
    }

    /// The triangles of the primitives that a reference lists, over its vertices, with their materials.
    fn triangles(&self, primitives: &[Value]) -> Vec<Triangle> {
        let mut triangles = Vec::new();
        for listed in primitives {
            let of = |key: &str| listed[key].as_u64().unwrap() as usize;
            let node = self.gltf.nodes().nth(of("node")).unwrap();
            let primitive = node.mesh().unwrap().primitives().nth(of("primitive")).unwrap();
            assert_eq!(primitive.mode(), gltf::mesh::Mode::Triangles);
            let indices = match primitive.indices() {
                Some(indices) => integers(&indices, self.data(&indices)),
                None => (0..of("vertexCount") as u32).collect(),
            };
            let first = of("vertexOffset");
            let material = primitive.material().name().map(str::to_owned);
            for corners in indices.as_chunks::<3>().0 {
                let corners = corners.map(|i| first + i as usize);
                triangles.push(Triangle { corners, material: material.clone() });
            }
        }
        triangles
    }

    fn step_keys(&self, clip: usize) -> Vec<f64> {
        let clip = self.gltf.animations().nth(clip).unwrap();
        let mut keys = Vec::new();
        for channel in clip.channels() {
            let sampler = channel.sampler();
            if sampler.interpolation() == gltf::animation::Interpolation::Step {
                // The bits of floats.
                let bits = integers(&sampler.input(), self.data(&sampler.input()));
                keys.extend(bits.into_iter().map(|b| f64::from(f32::from_bits(b))));
            }
        }
        keys
    }
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

/// How well the vertices of one thing are found among those of another.
pub struct Nearest {
    /// Vertices that have no counterpart within the tolerance.
    pub missing: Vec<usize>,
    /// The largest distance of a vertex and its nearest counterpart, in the maximum norm.
    pub distance: f64,
    /// The largest angle of a vertex' normals and those of the counterpart that fits best: vertices on a hard
    /// edge share positions.
    pub degrees: f64,
}

impl Nearest {
    /// Looks for those vertices `of` something that are `wanted` `among` those of another.
    pub fn find(
        of: &Trajectories,
        wanted: &[bool],
        other: &Trajectories,
        among: &[bool],
        tolerance: f64,
    ) -> Self {
        let grid = Grid::new(other, among, tolerance);
        let mut result = Self { missing: Vec::new(), distance: 0.0, degrees: 0.0 };
        let normals = !of.normals.is_empty() && !other.normals.is_empty();
        for vertex in (0..of.len()).filter(|&v| wanted[v]) {
            let near = grid.near(of.position(vertex), tolerance);
            let Some(distance) = near.iter().map(|n| n.1).min_by(f64::total_cmp) else {
                result.missing.push(vertex);
                continue;
            };
            result.distance = result.distance.max(distance);
            if normals {
                let angle = |other_vertex: usize| {
                    let pairs = of.normal(vertex).iter().zip(other.normal(other_vertex));
                    pairs.map(|(&a, &b)| degrees(a, b)).fold(0.0, f64::max)
                };
                let best = near.iter().map(|n| angle(n.0)).fold(f64::INFINITY, f64::min);
                result.degrees = result.degrees.max(best);
            }
        }
        result
    }
}

/// Degrees between two directions.
pub fn degrees(a: [f32; 3], b: [f32; 3]) -> f64 {
    let (a, b) = (a.map(f64::from), b.map(f64::from));
    let cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let sine = (cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]).sqrt();
    libm::atan2(sine, dot).to_degrees()
}
