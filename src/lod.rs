//! Source → levels of detail: index buffers over a prefix of the character's vertices.
//!
//! There is one level, the source's own triangles; ranges of one material are joined, so that a
//! material costs one draw call.

use crate::container::glb::{Lod, MeshPrimitive};
use crate::motion::Vertices;

/// The finest level: all triangles, by material in the order in which the source uses them.
pub fn finest(vertices: &Vertices) -> Lod {
    let mut primitives: Vec<MeshPrimitive> = Vec::new();
    for range in vertices.primitives.iter().filter(|p| !p.indices.is_empty()) {
        match primitives.iter_mut().find(|p| p.material == range.material) {
            Some(known) => known.indices.extend(&range.indices),
            None => {
                primitives.push(MeshPrimitive { indices: range.indices.clone(), material: range.material })
            }
        }
    }
    Lod { vertex_count: vertices.list.len() as u32, primitives }
}

/// Triangles of a level.
pub fn triangle_count(lod: &Lod) -> usize {
    lod.primitives.iter().map(|p| p.indices.len() / 3).sum()
}
