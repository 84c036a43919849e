//! All levels, one after the other, each from the one before.

use serde::{Deserialize, Serialize};

use super::simplify::{Liberty, simplify};
use super::surface::Surface;
use crate::container::glb::MeshPrimitive;

/// What a level is to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    /// A share of the source's triangles, 0 to 1.
    Ratio(f64),
    /// Triangles.
    Triangles(u32),
    /// The largest distance from the source's vertices, model units: as few triangles as keep it.
    Error(f64),
}

/// A level asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// How fine.
    pub target: Target,
    /// Whether it is stored otherwise than the level before, and so worth having even if it has as
    /// many triangles.
    pub own: bool,
}

/// A level that came out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Which of those asked for it is.
    pub wanted: usize,
    /// Index buffers over the emitted vertices, one a material; some may be empty.
    pub primitives: Vec<MeshPrimitive>,
    /// What was given up to get there.
    pub liberty: Liberty,
}

/// A level that saves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// Which of those asked for it is.
    pub wanted: usize,
    /// Triangles that it would have had.
    pub triangles: usize,
    /// Triangles of the level before.
    pub before: usize,
}

/// A level must save this share of the triangles of the level before.
const SAVING: f64 = 0.05;

/// Triangles in all.
pub fn count(primitives: &[MeshPrimitive]) -> usize {
    primitives.iter().map(|p| p.indices.len() / 3).sum()
}

/// The places of the source that are farther from a level than a limit in motion.
pub type Beyond<'a> = dyn Fn(&[MeshPrimitive], f64) -> Vec<u32> + 'a;

/// Makes the levels.
pub fn levels(surface: &Surface, wanted: &[Wanted], beyond: &Beyond) -> (Vec<Step>, Vec<Dropped>) {
    let source = count(&surface.primitives);
    let (mut steps, mut dropped): (Vec<Step>, Vec<Dropped>) = (Vec::new(), Vec::new());
    for (index, wanted) in wanted.iter().enumerate() {
        let previous = steps.last().map_or(&surface.primitives, |step| &step.primitives);
        let before = count(previous);
        let (primitives, liberty) = match wanted.target {
            Target::Error(limit) => within(surface, previous, limit, beyond),
            Target::Ratio(ratio) => to_count(surface, previous, (ratio * source as f64).round() as usize),
            Target::Triangles(triangles) => to_count(surface, previous, triangles as usize),
        };
        let triangles = count(&primitives);
        let saves = triangles as f64 <= (1.0 - SAVING) * before as f64;
        if steps.is_empty() || saves || wanted.own {
            steps.push(Step { wanted: index, primitives, liberty });
        } else {
            dropped.push(Dropped { wanted: index, triangles, before });
        }
    }
    (steps, dropped)
}

/// As near to so many triangles as it gets: with the least liberty that gets there, else with
/// whichever gets farthest. Never to none.
fn to_count(surface: &Surface, previous: &[MeshPrimitive], goal: usize) -> (Vec<MeshPrimitive>, Liberty) {
    let goal = goal.max(1);
    let mut best = (previous.to_vec(), Liberty::None);
    if count(previous) <= goal {
        return best;
    }
    for liberty in Liberty::ALL {
        let primitives = simplify(surface, previous, goal, liberty, &[]);
        let triangles = count(&primitives);
        if triangles > 0 && triangles < count(&best.0) {
            best = (primitives, liberty);
        }
        // A collapse takes two triangles, and a few may be left over.
        if count(&best.0) as f64 <= goal as f64 * 1.05 + 2.0 {
            break;
        }
    }
    best
}

/// As few triangles as keep an error. Seams are given up only where that saves much.
fn within(
    surface: &Surface,
    previous: &[MeshPrimitive],
    limit: f64,
    beyond: &Beyond,
) -> (Vec<MeshPrimitive>, Liberty) {
    let strict = search(surface, previous, limit, beyond, Liberty::None);
    if count(&strict) * 2 <= count(previous) {
        return (strict, Liberty::None);
    }
    let loose = search(surface, previous, limit, beyond, Liberty::Seams);
    if (count(&loose) as f64) < 0.7 * count(&strict) as f64 {
        (loose, Liberty::Seams)
    } else {
        (strict, Liberty::None)
    }
}

/// Bisection over the number of triangles, by ratios.
fn search(
    surface: &Surface,
    previous: &[MeshPrimitive],
    limit: f64,
    beyond: &Beyond,
    liberty: Liberty,
) -> Vec<MeshPrimitive> {
    let mut best = previous.to_vec();
    let (mut fails, mut passes) = (1usize, count(previous));
    while passes > fails + 2 && passes as f64 > fails as f64 * 1.02 {
        let goal = ((fails as f64 * passes as f64).sqrt() as usize).clamp(fails + 1, passes - 1);
        match settled(surface, previous, goal, limit, beyond, liberty) {
            Some(primitives) if count(&primitives) < passes => {
                passes = count(&primitives);
                best = primitives;
            }
            _ => fails = goal,
        }
    }
    best
}

/// Attempts to get along with what must stay.
const ATTEMPTS: usize = 5;

/// So many triangles within an error, if that can be: what comes out too far off is held in place, and
/// the simplifier has to find its triangles elsewhere. It minds areas, and a tooth has little.
fn settled(
    surface: &Surface,
    previous: &[MeshPrimitive],
    goal: usize,
    limit: f64,
    beyond: &Beyond,
    liberty: Liberty,
) -> Option<Vec<MeshPrimitive>> {
    let mut held = Vec::new();
    for _ in 0..ATTEMPTS {
        let primitives = simplify(surface, previous, goal, liberty, &held);
        let far = beyond(&primitives, limit);
        if far.is_empty() {
            return Some(primitives).filter(|primitives| count(primitives) > 0);
        }
        held.extend(far);
    }
    None
}
