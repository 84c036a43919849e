//! Source → levels of detail: index buffers over prefixes of the character's vertices.
//!
//! Each level is made from the one before it, with vertices of the one before it: so levels nest.
//! Vertices are then ordered by the coarsest level that uses them, and every level uses a prefix.
//! All levels read the same columns of the same sheets, and cost no texture memory.
//!
//! 1. [`surface`]: what the simplifier sees, welded by position and motion.
//! 2. [`simplify`]: one step down, true to the surface in made-up poses as well as at rest, so that
//!    which triangles stay depends on the model alone, not on its clips.
//! 3. [`chain`]: all steps, by ratio, by count, or by error.
//! 4. [`error`]: how far a level is from the source in the motion of the clips.

pub mod bvh;
pub mod chain;
pub mod error;
pub mod simplify;
pub mod surface;

use crate::container::glb::{Lod, MeshPrimitive};
use crate::motion::Vertices;

pub use chain::{Dropped, Step, Target, Wanted, count, levels};
pub use simplify::Liberty;
pub use surface::Surface;

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
    count(&lod.primitives)
}

/// For each emitted vertex the coarsest level that uses it, counted from the coarsest, which is 0;
/// the number of levels for those that none uses.
pub fn rings(vertices: usize, steps: &[Step]) -> Vec<u32> {
    let mut rings = vec![steps.len() as u32; vertices];
    for (level, step) in steps.iter().enumerate() {
        let ring = (steps.len() - 1 - level) as u32;
        for &vertex in step.primitives.iter().flat_map(|p| &p.indices) {
            rings[vertex as usize] = rings[vertex as usize].min(ring);
        }
    }
    rings
}

/// The levels over reordered vertices, their triangles in an order that vertex caches like.
/// `place_of` is the new index of each vertex.
pub fn finish(steps: &[Step], place_of: &[u32]) -> Vec<Lod> {
    let level = |step: &Step| {
        let renumbered = |p: &MeshPrimitive| p.indices.iter().map(|&v| place_of[v as usize]).collect();
        let mut primitives: Vec<MeshPrimitive> = Vec::new();
        for primitive in step.primitives.iter().filter(|p| !p.indices.is_empty()) {
            let indices: Vec<u32> = renumbered(primitive);
            let indices = meshopt::optimize_vertex_cache(&indices, place_of.len());
            primitives.push(MeshPrimitive { indices, material: primitive.material });
        }
        let highest = primitives.iter().flat_map(|p| &p.indices).max();
        Lod { vertex_count: highest.map_or(0, |v| v + 1), primitives }
    };
    steps.iter().map(level).collect()
}
