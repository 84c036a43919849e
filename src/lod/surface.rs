//! What a simplifier sees of a character: a surface over *places*, and what makes corners differ.
//!
//! Places are vertices that start at one point and are moved alike: one place is where several
//! triangles meet, whatever their normals, UVs and materials. Vertices at one point that are moved
//! differently are different places, and no simplification joins them.

use std::collections::HashMap;

use crate::container::glb::MeshPrimitive;
use crate::motion::rig::Options;
use crate::motion::{self, Animation, Frames, Rig, VertexRef, Vertices, probe};
use crate::source::{Geometry, Source};

/// Made-up poses that a surface is simplified under, beside the rest pose. Positions in as many
/// are 24 of the 32 numbers that the simplifier takes.
pub const POSES: usize = 8;

/// A character's surface.
#[derive(Clone, Debug)]
pub struct Surface {
    /// The place of each emitted vertex.
    pub place_of: Vec<u32>,
    /// The places, as the columns of a rig without normals.
    pub rig: Rig,
    /// The places at rest and in made-up poses.
    pub poses: Frames,
    /// For each emitted vertex a number that it shares with those of equal UVs and colours.
    pub look_of: Vec<u32>,
    /// Normals of the emitted vertices at rest; `None` without.
    pub normals: Option<Vec<[f32; 3]>>,
    /// The first UV set of the emitted vertices; `None` without.
    pub uvs: Option<Vec<[f32; 2]>>,
    /// The first colours of the emitted vertices; `None` without.
    pub colors: Option<Vec<[f32; 3]>>,
    /// The source's triangles, one index buffer a material.
    pub primitives: Vec<MeshPrimitive>,
}

impl Surface {
    /// Gathers the surface of the emitted vertices.
    pub fn new(source: &Source, vertices: &Vertices) -> Self {
        let round = Vertices {
            list: vertices.list.iter().map(|&v| VertexRef { face: None, ..v }).collect(),
            primitives: Vec::new(),
        };
        let rig = Rig::new(source, &round, Options { normals: false, tangents: false, share_columns: true });
        let poses = motion::deform(&rig, &probe::poses(source, &rig, POSES));
        let geometry = |v: &VertexRef| &source.geometries[source.parts[v.part as usize].geometry];
        let any = |has: fn(&Geometry) -> bool| vertices.list.iter().any(|v| has(geometry(v)));
        let uv = |v: &VertexRef| geometry(v).uvs.first().map_or([0.0; 2], |uv| uv[v.vertex as usize]);
        let color = |v: &VertexRef| {
            let [r, g, b, _] = geometry(v).colors.first().map_or([1.0; 4], |c| c[v.vertex as usize]);
            [r, g, b]
        };
        Self {
            place_of: rig.column_of.clone(),
            look_of: looks(source, vertices),
            normals: normals(source, vertices),
            uvs: any(|g| !g.uvs.is_empty()).then(|| vertices.list.iter().map(uv).collect()),
            colors: any(|g| !g.colors.is_empty()).then(|| vertices.list.iter().map(color).collect()),
            primitives: super::finest(vertices).primitives,
            rig,
            poses,
        }
    }

    /// The diagonal of the box around the places at rest.
    pub fn diagonal(&self) -> f64 {
        let edges = self.rest().map(|plane| {
            let max = plane.iter().fold(f32::NEG_INFINITY, |a, &b| a.max(b));
            f64::from(max) - f64::from(plane.iter().fold(f32::INFINITY, |a, &b| a.min(b)))
        });
        edges.iter().map(|edge| edge * edge).sum::<f64>().sqrt()
    }

    /// Positions of the places at rest.
    pub fn rest(&self) -> [&[f32]; 3] {
        self.poses.frame(0).positions
    }
}

/// Numbers vertices by all that is seen of them but their normals.
fn looks(source: &Source, vertices: &Vertices) -> Vec<u32> {
    let mut seen: HashMap<Vec<u32>, u32> = HashMap::new();
    let of = |v: &VertexRef| {
        let geometry = &source.geometries[source.parts[v.part as usize].geometry];
        let at = v.vertex as usize;
        let uvs = geometry.uvs.iter().flat_map(|set| set[at]);
        let colors = geometry.colors.iter().flat_map(|set| set[at]);
        let mut key: Vec<u32> = uvs.chain(colors).map(|c| (c + 0.0).to_bits()).collect();
        key.push(geometry.uvs.len() as u32);
        key
    };
    let mut number = |v| {
        let next = seen.len() as u32;
        *seen.entry(of(v)).or_insert(next)
    };
    vertices.list.iter().map(&mut number).collect()
}

/// Normals at rest: the source's, or those of flat triangles.
fn normals(source: &Source, vertices: &Vertices) -> Option<Vec<[f32; 3]>> {
    let some = source.parts.iter().any(|p| source.geometries[p.geometry].normals.is_some());
    let flat = vertices.list.iter().any(|v| v.face.is_some());
    if !some && !flat {
        return None;
    }
    let rig = Rig::new(source, vertices, Options { normals: true, tangents: false, share_columns: false });
    let rest = motion::deform(&rig, &Animation::new(source, &rig, None).sample([0.0]));
    let planes = rest.frame(0).normals?;
    Some((0..vertices.list.len()).map(|v| planes.map(|plane| plane[v])).collect())
}
