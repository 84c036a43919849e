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

use serde::{Deserialize, Serialize};

use crate::container::glb::{Lod, MeshPrimitive};
use crate::metadata::MaxRms;
use crate::motion::{ChosenClip, Vertices};
use crate::source::Source;

pub use chain::{Dropped, Step, Target, Wanted, count, levels};
pub use simplify::Liberty;
pub use surface::Surface;

/// Everything that levels are made from, and measured with.
#[derive(Clone, Copy)]
pub struct LodJob<'a> {
    /// The character's model.
    pub source: &'a Source,
    /// Its surface.
    pub surface: &'a Surface,
    /// What is asked for, the finest first.
    pub wanted: &'a [Wanted],
    /// The clips.
    pub clips: &'a [ChosenClip],
}

/// Levels, and how good they are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Levels {
    /// The levels, the finest first.
    pub steps: Vec<Step>,
    /// What was asked for and saves nothing.
    pub dropped: Vec<Dropped>,
    /// For each level its distance from the source over all clips, in the units of the surface: metres.
    pub errors: Vec<MaxRms>,
}

impl LodJob<'_> {
    /// Makes the levels and measures them.
    pub fn make(&self) -> Levels {
        let (steps, dropped) = self.levels();
        let by_clip = self.clips.iter().map(|clip| self.errors(&steps, clip));
        let errors = self.joined(&steps, by_clip);
        Levels { steps, dropped, errors }
    }

    /// Makes the levels. They follow from the surface alone, unless one is asked for by its error.
    pub fn levels(&self) -> (Vec<Step>, Vec<Dropped>) {
        // Beyond the range of floats nothing can be compared; the bake will say so.
        if self.surface.poses.data.iter().any(|v| !v.is_finite()) {
            let primitives = self.surface.primitives.clone();
            return (vec![Step { wanted: 0, primitives, liberty: Liberty::None }], Vec::new());
        }
        let beyond = |level: &[MeshPrimitive], limit: f64| {
            let in_clip = |clip: &ChosenClip| {
                let frames = error::moments(self.source, self.surface, &clip.clip, &clip.timeline);
                error::beyond(self.surface, level, &frames, limit)
            };
            let all: std::collections::BTreeSet<u32> = self.clips.iter().flat_map(in_clip).collect();
            all.into_iter().collect()
        };
        levels(self.surface, self.wanted, &beyond)
    }

    /// How far each level is from the source in a clip.
    pub fn errors(&self, steps: &[Step], clip: &ChosenClip) -> Vec<MaxRms> {
        let frames = error::moments(self.source, self.surface, &clip.clip, &clip.timeline);
        steps.iter().map(|step| error::distances(self.surface, &step.primitives, &frames)).collect()
    }

    /// The largest over all clips, and the root of the mean of their squares.
    pub fn joined(&self, steps: &[Step], by_clip: impl Iterator<Item = Vec<MaxRms>>) -> Vec<MaxRms> {
        let mut all = vec![MaxRms::default(); steps.len()];
        for errors in by_clip {
            for (all, error) in all.iter_mut().zip(errors) {
                all.max = all.max.max(error.max);
                all.rms += error.rms * error.rms / self.clips.len() as f64;
            }
        }
        all.iter_mut().for_each(|all| all.rms = all.rms.sqrt());
        all
    }
}

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
    Lod { vertex_count: vertices.list.len() as u32, primitives, column_uv: None }
}

/// Triangles of a level.
pub fn triangle_count(lod: &Lod) -> usize {
    count(&lod.primitives)
}

/// For each emitted vertex the coarsest level that uses it, counted from the coarsest, which is 0;
/// the number of levels for those that none uses.
///
/// Where vertices have the normals of triangles, the corners of these come with them: without them
/// there is no normal.
pub fn rings(vertices: &Vertices, steps: &[Step], flat_normals: bool) -> Vec<u32> {
    let mut rings = vec![steps.len() as u32; vertices.list.len()];
    for (level, step) in steps.iter().enumerate() {
        let ring = (steps.len() - 1 - level) as u32;
        for &vertex in step.primitives.iter().flat_map(|p| &p.indices) {
            let corners = vertices.list[vertex as usize].face.filter(|_| flat_normals);
            for vertex in corners.unwrap_or([vertex; 3]) {
                rings[vertex as usize] = rings[vertex as usize].min(ring);
            }
        }
    }
    rings
}

/// The levels over reordered vertices, `optimised`: their triangles in an order that vertex caches
/// like. `place_of` is the new index of each vertex.
pub fn finish(steps: &[Step], place_of: &[u32], optimised: bool) -> Vec<Lod> {
    let level = |step: &Step| {
        let renumbered = |p: &MeshPrimitive| p.indices.iter().map(|&v| place_of[v as usize]).collect();
        let mut primitives: Vec<MeshPrimitive> = Vec::new();
        for primitive in step.primitives.iter().filter(|p| !p.indices.is_empty()) {
            let mut indices: Vec<u32> = renumbered(primitive);
            if optimised {
                indices = meshopt::optimize_vertex_cache(&indices, place_of.len());
            }
            primitives.push(MeshPrimitive { indices, material: primitive.material });
        }
        let highest = primitives.iter().flat_map(|p| &p.indices).max();
        Lod { vertex_count: highest.map_or(0, |v| v + 1), primitives, column_uv: None }
    };
    steps.iter().map(level).collect()
}
