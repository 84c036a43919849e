//! How far a level of detail is from the source's surface in motion.
//!
//! At [`MOMENTS`] moments of each clip, evenly over its length, every vertex that the source's
//! triangles use is looked up on the level's surface as it is then: the distance to the nearest
//! point of any of its triangles. The error is the largest of these distances. Vertices that the
//! level uses are on it, and at distance 0. Motion is the source's, before anything is encoded.

use rayon::prelude::*;

use super::bvh::{Boxes, Bvh};
use super::surface::Surface;
use crate::container::glb::MeshPrimitive;
use crate::metadata::MaxRms;
use crate::motion::{self, Animation, Frames, Timeline};
use crate::source::{Clip, Source};

/// Moments at which a clip is looked at.
pub const MOMENTS: u32 = 16;

/// The places of a surface at the moments of a clip.
pub fn moments(source: &Source, surface: &Surface, clip: &Clip, timeline: &Timeline) -> Frames {
    let intervals = f64::from(if timeline.looping { MOMENTS } else { MOMENTS - 1 });
    let time = |moment: u32| timeline.start + timeline.duration * f64::from(moment) / intervals;
    let animation = Animation::new(source, &surface.rig, Some(clip));
    let count = if timeline.duration > 0.0 { MOMENTS } else { 1 };
    motion::deform(&surface.rig, &animation.sample((0..count).map(time)))
}

/// The distances from the source's vertices to a level, over frames of the surface's places. The
/// mean is over vertices (those at one point and moved alike are one) and moments.
pub fn distances(surface: &Surface, level: &[MeshPrimitive], frames: &Frames) -> MaxRms {
    let triangles = triangles(surface, level);
    let used = used(surface, &surface.primitives);
    let kept = used_by(surface.rig.columns, &triangles);
    let lost: Vec<u32> = (0..used.len() as u32).filter(|&p| used[p as usize] && !kept[p as usize]).collect();
    let count = used.iter().filter(|used| **used).count();
    if lost.is_empty() || triangles.is_empty() {
        return MaxRms::default();
    }
    let bvh = Bvh::new(triangles, surface.rest());
    let guesses = guesses(&bvh, surface, &lost);
    let sums: Vec<(f32, f64)> = (0..frames.frames)
        .into_par_iter()
        .map_init(Boxes::default, |boxes, frame| {
            let pose = frames.frame(frame).positions;
            bvh.fit(pose, boxes);
            let mut sum = (0.0f32, 0.0);
            for (&place, &guess) in lost.iter().zip(&guesses) {
                let point = pose.map(|plane| plane[place as usize]);
                let (squared, _) = bvh.nearest(pose, boxes, point, guess);
                sum = (sum.0.max(squared), sum.1 + f64::from(squared));
            }
            sum
        })
        .collect();
    let max = sums.iter().fold(0.0f32, |max, sum| max.max(sum.0));
    let squares: f64 = sums.iter().map(|sum| sum.1).sum();
    let rms = (squares / (count * frames.frames.max(1)) as f64).sqrt();
    MaxRms { max: f64::from(max).sqrt(), rms, worst: None }
}

/// The places of the source's vertices that are farther than `limit` from a level in some frame, rising.
pub fn beyond(surface: &Surface, level: &[MeshPrimitive], frames: &Frames, limit: f64) -> Vec<u32> {
    let triangles = triangles(surface, level);
    let used = used(surface, &surface.primitives);
    let kept = used_by(surface.rig.columns, &triangles);
    let lost: Vec<u32> = (0..used.len() as u32).filter(|&p| used[p as usize] && !kept[p as usize]).collect();
    if lost.is_empty() || triangles.is_empty() {
        return lost;
    }
    let bvh = Bvh::new(triangles, surface.rest());
    let guesses = guesses(&bvh, surface, &lost);
    let far: Vec<Vec<u32>> = (0..frames.frames)
        .into_par_iter()
        .map_init(Boxes::default, |boxes, frame| {
            let pose = frames.frame(frame).positions;
            bvh.fit(pose, boxes);
            let is_far = |(place, guess): &(&u32, &u32)| {
                let point = pose.map(|plane| plane[**place as usize]);
                f64::from(bvh.nearest(pose, boxes, point, **guess).0).sqrt() > limit
            };
            lost.iter().zip(&guesses).filter(is_far).map(|(&place, _)| place).collect()
        })
        .collect();
    let all: std::collections::BTreeSet<u32> = far.into_iter().flatten().collect();
    all.into_iter().collect()
}

/// The triangles of a level, between places.
fn triangles(surface: &Surface, level: &[MeshPrimitive]) -> Vec<[u32; 3]> {
    let of = |t: &[u32]| [0, 1, 2].map(|i| surface.place_of[t[i] as usize]);
    level.iter().flat_map(|primitive| primitive.indices.chunks_exact(3).map(of)).collect()
}

fn used(surface: &Surface, primitives: &[MeshPrimitive]) -> Vec<bool> {
    used_by(surface.rig.columns, &triangles(surface, primitives))
}

fn used_by(places: usize, triangles: &[[u32; 3]]) -> Vec<bool> {
    let mut used = vec![false; places];
    triangles.iter().flatten().for_each(|&place| used[place as usize] = true);
    used
}

/// For each lost place the triangle that is nearest at rest.
fn guesses(bvh: &Bvh, surface: &Surface, lost: &[u32]) -> Vec<u32> {
    let rest = surface.rest();
    let mut boxes = Boxes::default();
    bvh.fit(rest, &mut boxes);
    let guess = |&place: &u32| bvh.nearest(rest, &boxes, rest.map(|plane| plane[place as usize]), 0).1;
    lost.par_iter().map(guess).collect()
}
