//! Vertices with everything that moves them, each distinct trajectory once.
//!
//! A vertex's trajectory follows from what it starts as (position, and normal and tangent if they
//! are baked), its influences and its morph deltas. Vertices equal in all of these, bit for bit,
//! move alike in every clip there can be, and share a *column*. The columns of a character thus
//! depend on its mesh alone: adding a clip renumbers nothing.

use std::collections::{BTreeMap, HashMap};

use glam::DMat4;

use super::vertices::{VertexRef, Vertices};
use crate::axes::{self, Axes};
use crate::source::{Geometry, Part, Source};

/// The columns of a character, as planes over columns.
#[derive(Clone, Debug, Default)]
pub struct Rig {
    /// The axes that columns are moved to. What they start as is in the source's.
    pub axes: Axes,
    /// Columns.
    pub columns: usize,
    /// The column of each emitted vertex.
    pub column_of: Vec<u32>,
    /// The first emitted vertex of each column.
    pub vertex_of: Vec<u32>,
    /// What can move a column: joints of skins, and nodes that carry rigid parts.
    pub joints: Vec<Joint>,
    /// Morph target weights that the columns use.
    pub weights: Vec<MorphWeight>,
    /// Planes x, y, z before morphing and skinning.
    pub positions: [Vec<f32>; 3],
    /// Planes x, y, z; `None` if normals are not baked. Flat columns have zeros here.
    pub normals: Option<[Vec<f32>; 3]>,
    /// Planes x, y, z; `None` if tangents are not baked.
    pub tangents: Option<[Vec<f32>; 3]>,
    /// 1 or -1 a column; empty if tangents are not baked.
    pub handedness: Vec<f32>,
    /// `columns + 1` offsets into `influences`.
    pub influence_start: Vec<u32>,
    /// Indices into `joints`, and weights that sum to 1 for each column.
    pub influences: Vec<(u32, f32)>,
    /// Morph deltas.
    pub morphs: Vec<MorphDeltas>,
    /// Columns whose normal is that of a triangle, with the columns of its corners.
    pub faces: Vec<(u32, [u32; 3])>,
}

/// A transform that moves columns: the global transform of `node` times `inverse_bind`.
#[derive(Clone, Copy, Debug)]
pub struct Joint {
    /// Index into [`Source::nodes`].
    pub node: usize,
    /// The inverse bind matrix; the identity for rigid parts.
    pub inverse_bind: DMat4,
}

/// A morph target weight on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MorphWeight {
    /// Index into [`Source::nodes`].
    pub node: usize,
    /// Index of the target in the node's mesh.
    pub target: usize,
}

/// What one morph target adds: deltas for the columns it moves at all.
#[derive(Clone, Debug, Default)]
pub struct MorphDeltas {
    /// Index into [`Rig::weights`].
    pub weight: usize,
    /// Columns moved, rising.
    pub columns: Vec<u32>,
    /// Planes over `columns`.
    pub positions: [Vec<f32>; 3],
    /// Planes over `columns`; `None` if normals are not baked.
    pub normals: Option<[Vec<f32>; 3]>,
    /// Planes over `columns`; `None` if tangents are not baked.
    pub tangents: Option<[Vec<f32>; 3]>,
}

/// What is baked beside positions, and whether columns are shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Bake normals.
    pub normals: bool,
    /// Bake tangents.
    pub tangents: bool,
    /// Let vertices that move alike share a column.
    pub share_columns: bool,
}

impl Rig {
    /// Gathers the columns of `vertices`.
    pub fn new(source: &Source, vertices: &Vertices, options: Options) -> Self {
        let mut rig = Rig { influence_start: vec![0], ..Rig::default() };
        let palette = Palette::new(source, &mut rig);
        let mut seen: HashMap<Vec<u32>, u32> = HashMap::new();
        for (index, &vertex) in vertices.list.iter().enumerate() {
            let full = FullVertex::gather(source, &palette, vertex, options);
            let shareable = options.share_columns && vertex.face.is_none();
            let next = rig.columns as u32;
            let column = if shareable { *seen.entry(full.key()).or_insert(next) } else { next };
            rig.column_of.push(column);
            if column == next {
                rig.vertex_of.push(index as u32);
                rig.push(&full, options);
            }
        }
        rig.faces = faces(vertices, &rig.column_of, options);
        rig.drop_still_morphs();
        rig
    }

    /// The same columns, moved to other axes than the source's.
    pub fn in_axes(mut self, axes: Axes) -> Self {
        if axes.mirrors() != self.axes.mirrors() {
            self.handedness.iter_mut().for_each(|handedness| *handedness = -*handedness);
            self.faces.iter_mut().for_each(|(_, corners)| axes::turned(corners));
        }
        Self { axes, ..self }
    }

    fn push(&mut self, vertex: &FullVertex, options: Options) {
        let column = self.columns as u32;
        self.columns += 1;
        push3(&mut self.positions, vertex.position);
        if options.normals {
            push3(self.normals.get_or_insert_default(), vertex.normal);
        }
        if options.tangents {
            let [x, y, z, w] = vertex.tangent;
            push3(self.tangents.get_or_insert_default(), [x, y, z]);
            self.handedness.push(if w < 0.0 { -1.0 } else { 1.0 });
        }
        self.influences.extend(&vertex.influences);
        self.influence_start.push(self.influences.len() as u32);
        for (weight, delta) in &vertex.deltas {
            let morph = &mut self.morphs[*weight];
            morph.columns.push(column);
            push3(&mut morph.positions, [delta[0], delta[1], delta[2]]);
            if options.normals {
                push3(morph.normals.get_or_insert_default(), [delta[3], delta[4], delta[5]]);
            }
            if options.tangents {
                push3(morph.tangents.get_or_insert_default(), [delta[6], delta[7], delta[8]]);
            }
        }
    }

    /// Targets that move no column need no weights.
    pub(super) fn drop_still_morphs(&mut self) {
        let moving = |m: &MorphDeltas| !m.columns.is_empty();
        let weights = std::mem::take(&mut self.weights);
        self.morphs.retain(moving);
        for morph in &mut self.morphs {
            self.weights.push(weights[morph.weight]);
            morph.weight = self.weights.len() - 1;
        }
    }
}

fn push3(planes: &mut [Vec<f32>; 3], value: [f32; 3]) {
    for (plane, v) in planes.iter_mut().zip(value) {
        plane.push(v);
    }
}

fn faces(vertices: &Vertices, column_of: &[u32], options: Options) -> Vec<(u32, [u32; 3])> {
    if !options.normals {
        return Vec::new();
    }
    let corners = vertices.list.iter().enumerate().filter_map(|(i, v)| v.face.map(|face| (i, face)));
    corners.map(|(i, face)| (column_of[i], face.map(|v| column_of[v as usize]))).collect()
}

/// Where the joints of each part stand in [`Rig::joints`], and its targets in [`Rig::weights`].
struct Palette {
    /// For each part: the rig joint of each joint of its skin, or of its node alone.
    joints: Vec<Vec<u32>>,
    /// For each part: the first of its weights.
    weights: Vec<usize>,
}

impl Palette {
    fn new(source: &Source, rig: &mut Rig) -> Self {
        let moved: Vec<Vec<Joint>> = source.parts.iter().map(|part| joints_of(source, part)).collect();
        let mut places: BTreeMap<JointKey, u32> = BTreeMap::new();
        for joint in moved.iter().flatten() {
            places.insert(joint_key(source, joint), 0);
        }
        for (index, place) in places.values_mut().enumerate() {
            *place = index as u32;
        }
        rig.joints = vec![Joint { node: 0, inverse_bind: DMat4::IDENTITY }; places.len()];
        let mut palette = Palette { joints: Vec::new(), weights: Vec::new() };
        for (part, joints) in source.parts.iter().zip(&moved) {
            let slots: Vec<u32> = joints.iter().map(|joint| places[&joint_key(source, joint)]).collect();
            for (&slot, &joint) in slots.iter().zip(joints) {
                rig.joints[slot as usize] = joint;
            }
            palette.joints.push(slots);
            palette.weights.push(weights_of(source, part, rig));
        }
        palette
    }
}

/// What tells joints apart, and sorts them: names from the root down, then the node, then the bits
/// of the inverse bind matrix. Joints stand in this order whatever order the file lists them in, as
/// sums of floats depend on it: exporting a model again must not change a byte.
type JointKey<'a> = (Vec<&'a str>, usize, [u64; 16]);

fn joint_key<'a>(source: &'a Source, joint: &Joint) -> JointKey<'a> {
    let nodes = std::iter::successors(Some(joint.node), |&node| source.nodes[node].parent);
    let mut names: Vec<&str> = nodes.map(|node| source.nodes[node].name.as_str()).collect();
    names.reverse();
    (names, joint.node, joint.inverse_bind.to_cols_array().map(|v| (v + 0.0).to_bits()))
}

fn joints_of(source: &Source, part: &Part) -> Vec<Joint> {
    let Some(skin) = part.skin else {
        return vec![Joint { node: part.node, inverse_bind: DMat4::IDENTITY }];
    };
    let skin = &source.skins[skin];
    let pairs = skin.joints.iter().zip(&skin.inverse_bind);
    pairs.map(|(&node, &inverse_bind)| Joint { node, inverse_bind }).collect()
}

/// The first weight of a part; parts of one mesh on one node share theirs.
fn weights_of(source: &Source, part: &Part, rig: &mut Rig) -> usize {
    if let Some(known) = rig.weights.iter().position(|w| w.node == part.node) {
        return known;
    }
    let first = rig.weights.len();
    for target in 0..source.geometries[part.geometry].morphs.len() {
        rig.morphs.push(MorphDeltas { weight: rig.weights.len(), ..MorphDeltas::default() });
        rig.weights.push(MorphWeight { node: part.node, target });
    }
    first
}

/// All that decides a vertex's trajectory.
struct FullVertex {
    position: [f32; 3],
    normal: [f32; 3],
    tangent: [f32; 4],
    influences: Vec<(u32, f32)>,
    /// (index into weights, deltas of position, normal, tangent), without those that are all zero.
    deltas: Vec<(usize, [f32; 9])>,
}

impl FullVertex {
    fn gather(source: &Source, palette: &Palette, vertex: VertexRef, options: Options) -> Self {
        let (part_index, v) = (vertex.part as usize, vertex.vertex as usize);
        let part = &source.parts[part_index];
        let geometry = &source.geometries[part.geometry];
        let joints = &palette.joints[part_index];
        let influences = match part.skin {
            Some(_) => skin_influences(geometry, v, joints),
            None => vec![(joints[0], 1.0)],
        };
        let normal = geometry.normals.as_ref().filter(|_| options.normals).map_or([0.0; 3], |n| n[v]);
        let [x, y, z, w] =
            geometry.tangents.as_ref().filter(|_| options.tangents).map_or([0.0, 0.0, 0.0, 1.0], |t| t[v]);
        // Of normal, tangent and bitangent, a mirror leaves the cross product of two on the other
        // side of the third.
        let tangent = [x, y, z, if vertex.mirrored { -w } else { w }];
        let deltas = morph_deltas(geometry, v, options);
        let deltas = deltas.map(|(target, d)| (palette.weights[part_index] + target, d)).collect();
        Self { position: geometry.positions[v].map(plus_zero), normal, tangent, influences, deltas }
    }

    fn key(&self) -> Vec<u32> {
        let bits = |v: &f32| plus_zero(*v).to_bits();
        let mut key: Vec<u32> =
            self.position.iter().chain(&self.normal).chain(&self.tangent).map(bits).collect();
        key.push(self.influences.len() as u32);
        key.extend(self.influences.iter().flat_map(|(joint, weight)| [*joint, bits(weight)]));
        for (weight, delta) in &self.deltas {
            key.push(*weight as u32);
            key.extend(delta.iter().map(bits));
        }
        key
    }
}

/// Negative zero is zero: it must not tell two vertices apart.
fn plus_zero(v: f32) -> f32 {
    v + 0.0
}

fn skin_influences(geometry: &Geometry, v: usize, joints: &[u32]) -> Vec<(u32, f32)> {
    let range = geometry.influence_start[v] as usize..geometry.influence_start[v + 1] as usize;
    let mut list: Vec<(u32, f32)> =
        geometry.influences[range].iter().map(|i| (joints[i.joint as usize], i.weight)).collect();
    list.sort_by_key(|&(joint, _)| joint);
    list
}

fn morph_deltas(geometry: &Geometry, v: usize, options: Options) -> impl Iterator<Item = (usize, [f32; 9])> {
    let of = move |list: &Option<Vec<[f32; 3]>>, wanted: bool| {
        list.as_ref().filter(|_| wanted).map_or([0.0; 3], |l| l[v])
    };
    geometry.morphs.iter().enumerate().filter_map(move |(target, morph)| {
        let [px, py, pz] = of(&morph.positions, true);
        let [nx, ny, nz] = of(&morph.normals, options.normals);
        let [tx, ty, tz] = of(&morph.tangents, options.tangents);
        let delta = [px, py, pz, nx, ny, nz, tx, ty, tz];
        delta.iter().any(|&d| d != 0.0).then_some((target, delta))
    })
}
