//! [`Mesh`] → GLB file.

use crate::source::Material;

/// A static mesh in the rest pose, with the column of each vertex. All lists are as long as
/// `positions`, or absent (`uvs` and `colors`: empty).
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// Name of the mesh and of its node.
    pub name: String,
    /// Metres, Y up.
    pub positions: Vec<[f32; 3]>,
    /// Unit vectors.
    pub normals: Option<Vec<[f32; 3]>>,
    /// Unit vectors and handedness.
    pub tangents: Option<Vec<[f32; 4]>>,
    /// The artist's UV sets.
    pub uvs: Vec<Vec<[f32; 2]>>,
    /// RGBA, linear.
    pub colors: Vec<Vec<[f32; 4]>>,
    /// `_VAT_COLUMN`: the column of each vertex.
    pub columns: Vec<u32>,
    /// The UV set after the artist's: `x` the centre of the column's texel, 0 to 1, `y` its band.
    pub column_uv: Vec<[f32; 2]>,
    /// Materials of the primitives.
    pub materials: Vec<Material>,
    /// Levels of detail, the finest first; each uses a prefix of the vertices.
    pub lods: Vec<Lod>,
}

/// One level of detail.
#[derive(Clone, Debug, Default)]
pub struct Lod {
    /// Vertices used: indices are below this.
    pub vertex_count: u32,
    /// Index buffers, one a material range.
    pub primitives: Vec<MeshPrimitive>,
}

/// Triangles with one material.
#[derive(Clone, Debug, Default)]
pub struct MeshPrimitive {
    /// Three a triangle, counter-clockwise.
    pub indices: Vec<u32>,
    /// Index into [`Mesh::materials`].
    pub material: Option<usize>,
}
