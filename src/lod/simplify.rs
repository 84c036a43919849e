//! One step down: triangles → fewer triangles over the same vertices, with `meshopt`.
//!
//! The simplifier gets the whole character at once. Its vertices are *corners*: a place, a material
//! and a look (UVs and colours). Corners at one place have the same position and collapse together,
//! so seams of UVs and materials stay closed; vertices that differ by their normals alone are one
//! corner, so that hard edges and faceted models are no seams. What makes the result right in
//! motion are attributes: where each place lies in made-up poses, beside normals and UVs.

use std::collections::HashMap;

use meshopt::{SimplifyOptions, SimplifyVertex, VertexDataAdapter};
use serde::{Deserialize, Serialize};

use super::surface::Surface;
use crate::container::glb::MeshPrimitive;

/// How much a difference of normals, UVs or colours counts, against a position's in units of the
/// model's size (meshopt: a weighted change of 1 along a distance is as bad as that distance).
const NORMAL_WEIGHT: f32 = 0.25;
const UV_WEIGHT: f32 = 0.25;
const COLOR_WEIGHT: f32 = 0.25;
/// How much a distance in the made-up poses counts against one at rest.
const POSE_WEIGHT: f64 = 0.5;

/// What a simplification may give up, step by step, to get where it is asked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Liberty {
    /// Nothing: seams of UVs, colours and materials collapse only along themselves.
    None,
    /// Where three or more looks meet, and along seams of UVs and colours, corners may collapse to any side.
    Seams,
    /// Beside that, small loose parts vanish, and borders that coincide at rest with one that is
    /// moved otherwise may part.
    Parts,
}

impl Liberty {
    /// All of them, the strictest first.
    pub const ALL: [Self; 3] = [Self::None, Self::Seams, Self::Parts];
}

/// Simplifies to at most `goal` triangles, as far as it gets. The places `held` stay where they are. One index buffer a material, as in
/// `previous`; buffers may become empty.
pub fn simplify(
    surface: &Surface,
    previous: &[MeshPrimitive],
    goal: usize,
    liberty: Liberty,
    held: &[u32],
) -> Vec<MeshPrimitive> {
    let corners = Corners::new(surface, previous);
    let positions: Vec<f32> = corners.positions(surface).into_iter().flatten().collect();
    let adapter = VertexDataAdapter::new(meshopt::typed_to_bytes(&positions), 12, 0);
    let (Ok(adapter), true) = (adapter, corners.indices.len() > goal * 3) else {
        return previous.to_vec();
    };
    let (attributes, width) = attributes(surface, &corners);
    let locks = locks(surface, &corners, liberty, held);
    let mut options = SimplifyOptions::None;
    if liberty > Liberty::None {
        options |= SimplifyOptions::Permissive;
    }
    if liberty == Liberty::Parts {
        options |= SimplifyOptions::Prune;
    }
    let result = meshopt::simplify_with_attributes_and_locks(
        &corners.indices,
        &adapter,
        &attributes,
        &vec![1.0; width],
        width * 4,
        &locks,
        goal * 3,
        // No limit: how good it is will be measured.
        1e9,
        options,
        None,
    );
    corners.back(surface, previous, &result)
}

/// The simplifier's vertices.
struct Corners {
    /// Place, index of the primitive, look.
    list: Vec<(u32, u32, u32)>,
    /// Emitted vertices of each, rising; those of the previous level alone.
    vertices: Vec<Vec<u32>>,
    /// Three a triangle.
    indices: Vec<u32>,
}

impl Corners {
    fn new(surface: &Surface, primitives: &[MeshPrimitive]) -> Self {
        let mut corners = Self { list: Vec::new(), vertices: Vec::new(), indices: Vec::new() };
        let mut seen: HashMap<(u32, u32, u32), u32> = HashMap::new();
        for (slot, primitive) in primitives.iter().enumerate() {
            for triangle in primitive.indices.chunks_exact(3) {
                let places = [0, 1, 2].map(|i| surface.place_of[triangle[i] as usize]);
                // Without an area in any pose, and in the simplifier's way.
                if places[0] == places[1] || places[1] == places[2] || places[2] == places[0] {
                    continue;
                }
                for (&vertex, place) in triangle.iter().zip(places) {
                    let key = (place, slot as u32, surface.look_of[vertex as usize]);
                    let next = corners.list.len() as u32;
                    let corner = *seen.entry(key).or_insert(next);
                    if corner == next {
                        corners.list.push(key);
                        corners.vertices.push(Vec::new());
                    }
                    let vertices = &mut corners.vertices[corner as usize];
                    if let Err(at) = vertices.binary_search(&vertex) {
                        vertices.insert(at, vertex);
                    }
                    corners.indices.push(corner);
                }
            }
        }
        corners
    }

    /// Positions at rest. Different places never have the same: those that have are moved apart by
    /// the least that tells them apart, as the simplifier takes equal positions for one.
    fn positions(&self, surface: &Surface) -> Vec<[f32; 3]> {
        let rest = surface.rest();
        let mut taken: HashMap<[u32; 3], u32> = HashMap::new();
        let mut at: HashMap<u32, [f32; 3]> = HashMap::new();
        let mut list = Vec::with_capacity(self.list.len());
        for &(place, ..) in &self.list {
            let position = *at.entry(place).or_insert_with(|| {
                let mut position = [0, 1, 2].map(|axis| rest[axis][place as usize] + 0.0);
                while *taken.entry(position.map(f32::to_bits)).or_insert(place) != place {
                    position[0] = position[0].next_up() + 0.0;
                }
                position
            });
            list.push(position);
        }
        list
    }

    /// Triangles over emitted vertices. Of the vertices of a corner, which differ by their normals,
    /// the one that fits the triangle best.
    fn back(&self, surface: &Surface, previous: &[MeshPrimitive], indices: &[u32]) -> Vec<MeshPrimitive> {
        let empty = |p: &MeshPrimitive| MeshPrimitive { indices: Vec::new(), material: p.material };
        let mut primitives: Vec<MeshPrimitive> = previous.iter().map(empty).collect();
        for triangle in indices.chunks_exact(3) {
            let slot = self.list[triangle[0] as usize].1 as usize;
            let places = [0, 1, 2].map(|i| self.list[triangle[i] as usize].0);
            let facing = facing(surface.rest(), places);
            let vertices = triangle.iter().map(|&corner| self.best(surface, corner, facing));
            primitives[slot].indices.extend(vertices);
        }
        primitives
    }

    fn best(&self, surface: &Surface, corner: u32, facing: [f32; 3]) -> u32 {
        let vertices = &self.vertices[corner as usize];
        let (Some(normals), [_, _, ..]) = (&surface.normals, &vertices[..]) else { return vertices[0] };
        let fit = |vertex: u32| {
            let normal = normals[vertex as usize];
            normal[0] * facing[0] + normal[1] * facing[1] + normal[2] * facing[2]
        };
        let first = (vertices[0], fit(vertices[0]));
        let better = |best: (u32, f32), &vertex: &u32| {
            let fit = fit(vertex);
            if fit > best.1 { (vertex, fit) } else { best }
        };
        vertices.iter().fold(first, better).0
    }
}

/// The direction that a triangle faces, as long as twice its area.
fn facing(positions: [&[f32]; 3], places: [u32; 3]) -> [f32; 3] {
    let at = |i: usize| positions.map(|plane| plane[places[i] as usize]);
    let [a, b, c] = [at(0), at(1), at(2)];
    let e = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    let f = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
    [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]]
}

/// The attributes of all corners, and how many each has: at most 32.
fn attributes(surface: &Surface, corners: &Corners) -> (Vec<f32>, usize) {
    let weight = pose_weight(surface, corners);
    let poses: Vec<_> = (1..surface.poses.frames).map(|f| surface.poses.frame(f).positions).collect();
    let mut list = Vec::new();
    for ((place, ..), vertices) in corners.list.iter().zip(&corners.vertices) {
        let at = poses.iter().flatten().map(|plane| plane[*place as usize] * weight);
        list.extend(at);
        if let Some(normals) = &surface.normals {
            list.extend(mean(normals, vertices).map(|v| v * NORMAL_WEIGHT));
        }
        let first = vertices[0] as usize;
        list.extend(surface.uvs.iter().flat_map(|uvs| uvs[first]).map(|v| v * UV_WEIGHT));
        list.extend(surface.colors.iter().flat_map(|colors| colors[first]).map(|v| v * COLOR_WEIGHT));
    }
    let width = list.len() / corners.list.len().max(1);
    (list, width)
}

/// The mean direction of a corner's normals.
fn mean(normals: &[[f32; 3]], vertices: &[u32]) -> [f32; 3] {
    let mut sum = [0.0f32; 3];
    for &vertex in vertices {
        sum.iter_mut().zip(normals[vertex as usize]).for_each(|(sum, v)| *sum += v);
    }
    let length = (sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]).sqrt();
    if length > 1e-6 { sum.map(|v| v / length) } else { [0.0; 3] }
}

/// What makes a distance in a made-up pose count like one at rest. meshopt weights the square of an
/// attribute's error with the area around a vertex, in units of the model's size; that is taken out.
fn pose_weight(surface: &Surface, corners: &Corners) -> f32 {
    let rest = surface.rest();
    let place = |corner: &u32| corners.list[*corner as usize].0 as usize;
    let mut min = [f32::INFINITY; 3];
    let mut max = [f32::NEG_INFINITY; 3];
    for corner in 0..corners.list.len() as u32 {
        for axis in 0..3 {
            let v = rest[axis][place(&corner)];
            (min[axis], max[axis]) = (min[axis].min(v), max[axis].max(v));
        }
    }
    let extent = [0, 1, 2].map(|axis| f64::from(max[axis]) - f64::from(min[axis]));
    let extent = extent.into_iter().fold(0.0, f64::max);
    let area: f64 = corners
        .indices
        .chunks_exact(3)
        .map(|t| {
            let [x, y, z] = facing(rest, [0, 1, 2].map(|i| place(&t[i]) as u32)).map(f64::from);
            (x * x + y * y + z * z).sqrt() * 0.5
        })
        .sum();
    let around = 3.0 * area / corners.list.len().max(1) as f64;
    let poses = (surface.poses.frames - 1).max(1) as f64;
    let weight = POSE_WEIGHT / (around * poses).sqrt();
    if extent > 0.0 && weight.is_finite() { weight as f32 } else { 0.0 }
}

/// What may not move.
fn locks(surface: &Surface, corners: &Corners, liberty: Liberty, held: &[u32]) -> Vec<SimplifyVertex> {
    let places = surface.rig.columns;
    // More than one material at a place: a seam that never opens, whatever else is given up.
    let mut slot_of: Vec<Option<u32>> = vec![None; places];
    let mut protect = vec![false; places];
    for &(place, slot, _) in &corners.list {
        let place = place as usize;
        protect[place] |= *slot_of[place].get_or_insert(slot) != slot;
    }
    let strict = liberty < Liberty::Parts;
    let mut lock = if strict { joined_borders(surface, corners) } else { vec![false; places] };
    held.iter().for_each(|&place| lock[place as usize] = true);
    let flags = |&(place, ..): &(u32, u32, u32)| {
        let mut flags = SimplifyVertex::None;
        if protect[place as usize] {
            flags |= SimplifyVertex::Protect;
        }
        if lock[place as usize] {
            flags |= SimplifyVertex::Lock;
        }
        flags
    };
    corners.list.iter().map(flags).collect()
}

/// Places on a border that lie at rest where a border of something lies that is moved otherwise, as
/// a head on a body of its own. Simplified each by itself, a crack would open between them.
fn joined_borders(surface: &Surface, corners: &Corners) -> Vec<bool> {
    let mut edges: Vec<(u32, u32)> = Vec::with_capacity(corners.indices.len());
    for triangle in corners.indices.chunks_exact(3) {
        let [a, b, c] = [0, 1, 2].map(|i| corners.list[triangle[i] as usize].0);
        edges.extend([(a, b), (b, c), (c, a)]);
    }
    edges.sort_unstable();
    let mut border = vec![false; surface.rig.columns];
    for &(a, b) in &edges {
        if edges.binary_search(&(b, a)).is_err() {
            border[a as usize] = true;
            border[b as usize] = true;
        }
    }
    let rest = surface.rest();
    let mut first: HashMap<[u32; 3], usize> = HashMap::new();
    let mut joined = vec![false; surface.rig.columns];
    for place in (0..border.len()).filter(|&place| border[place]) {
        let at = [0, 1, 2].map(|axis| (rest[axis][place] + 0.0).to_bits());
        let other = *first.entry(at).or_insert(place);
        if other != place {
            joined[other] = true;
            joined[place] = true;
        }
    }
    joined
}
