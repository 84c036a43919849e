//! The parts of a source as one list of vertices: those of the emitted mesh, in its order.

use glam::{DMat3, DMat4};

use crate::source::{Geometry, Part, Source, Transform};

/// The emitted vertices and the triangles over them.
#[derive(Clone, Debug, Default)]
pub struct Vertices {
    /// Which vertex of the source each one is.
    pub list: Vec<VertexRef>,
    /// Index buffers over `list`, one a primitive of a part, counter-clockwise as drawn in the rest
    /// pose.
    pub primitives: Vec<Triangles>,
}

/// A vertex of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexRef {
    /// Index into [`Source::parts`].
    pub part: u32,
    /// Index into the vertices of the part's geometry.
    pub vertex: u32,
    /// For flat shading: the emitted vertices of the triangle this vertex is a corner of. Its
    /// normal is that of the triangle in each frame.
    pub face: Option<[u32; 3]>,
    /// Whether the rest pose turns the part inside out: the handedness of its tangents is then the
    /// other one.
    pub mirrored: bool,
}

/// Triangles with one material.
#[derive(Clone, Debug)]
pub struct Triangles {
    /// Three a triangle.
    pub indices: Vec<u32>,
    /// Index into [`Source::materials`].
    pub material: Option<usize>,
}

/// Lists the vertices of all parts. With `flat`, the triangles of geometries without normals get
/// three vertices of their own each, as flat shading needs (glTF 2.0 specification, 3.7.2.1).
pub fn list(source: &Source, flat: bool) -> Vertices {
    let globals = rest_globals(source);
    let mut out = Vertices::default();
    for (index, part) in source.parts.iter().enumerate() {
        let geometry = &source.geometries[part.geometry];
        let mirrored = is_mirrored(source, &globals, part, geometry);
        if flat && geometry.normals.is_none() {
            push_faces(&mut out, index as u32, geometry, mirrored);
        } else {
            push_shared(&mut out, index as u32, geometry, mirrored);
        }
    }
    out
}

/// Global transforms of all nodes while nothing moves.
pub fn rest_globals(source: &Source) -> Vec<DMat4> {
    let mut globals: Vec<DMat4> = Vec::with_capacity(source.nodes.len());
    for node in &source.nodes {
        let local = rest_local(node.rest);
        globals.push(node.parent.map_or(local, |p| globals[p] * local));
    }
    globals
}

/// A local transform as a matrix.
pub(super) fn rest_local(rest: Transform) -> DMat4 {
    match rest {
        Transform::Matrix(matrix) => matrix,
        Transform::Trs { translation, rotation, scale } => {
            DMat4::from_scale_rotation_translation(scale, rotation, translation)
        }
    }
}

fn push_shared(out: &mut Vertices, part: u32, geometry: &Geometry, mirrored: bool) {
    let first = out.list.len() as u32;
    let count = geometry.positions.len() as u32;
    out.list.extend((0..count).map(|vertex| VertexRef { part, vertex, face: None, mirrored }));
    for primitive in &geometry.primitives {
        let corners = primitive.indices.chunks_exact(3).flat_map(|t| wound([t[0], t[1], t[2]], mirrored));
        let indices = corners.map(|i| first + i).collect();
        out.primitives.push(Triangles { indices, material: primitive.material });
    }
}

fn push_faces(out: &mut Vertices, part: u32, geometry: &Geometry, mirrored: bool) {
    for primitive in &geometry.primitives {
        let first = out.list.len() as u32;
        for triangle in primitive.indices.chunks_exact(3) {
            let base = out.list.len() as u32;
            let face = Some([base, base + 1, base + 2]);
            let corners = wound([triangle[0], triangle[1], triangle[2]], mirrored);
            out.list.extend(corners.map(|vertex| VertexRef { part, vertex, face, mirrored }));
        }
        let indices = (first..out.list.len() as u32).collect();
        out.primitives.push(Triangles { indices, material: primitive.material });
    }
}

fn wound([a, b, c]: [u32; 3], mirrored: bool) -> [u32; 3] {
    if mirrored { [a, c, b] } else { [a, b, c] }
}

/// Whether the rest pose turns a part inside out (an odd number of negative scales above it), so
/// that its triangles must be wound the other way to be seen from outside (glTF 2.0 specification,
/// 3.7.4).
fn is_mirrored(source: &Source, globals: &[DMat4], part: &Part, geometry: &Geometry) -> bool {
    let negative = |m: DMat4| DMat3::from_mat4(m).determinant() < 0.0;
    let Some(skin) = part.skin else { return negative(globals[part.node]) };
    let skin = &source.skins[skin];
    let joints: Vec<bool> = skin
        .joints
        .iter()
        .zip(&skin.inverse_bind)
        .map(|(&j, &inverse)| negative(globals[j] * inverse))
        .collect();
    let weight_of = |side: bool| -> f64 {
        let on_side = geometry.influences.iter().filter(|i| joints[i.joint as usize] == side);
        on_side.map(|i| f64::from(i.weight)).sum()
    };
    weight_of(true) > weight_of(false)
}
