//! A baked clip looked at closely, for reports: what it looks like, and where and when it is how far off.
//!
//! Input: the job and the clip that came of it. Output: a [`Closeup`], from the clip's own bytes and the source's motion
//! evaluated anew, as [`measure`] does it. What can go wrong: nothing that the bake did not find.

use rayon::prelude::*;

use super::clip::{BakedClip, ClipJob};
use crate::measure;
use crate::motion::{self, Animation, Frame, Frames, Timeline};
use crate::problem::Result;

/// What a clip looks like, and how far off it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Closeup {
    /// For each frame: seconds from the start, and the largest error of positions at it and from there to the next,
    /// model units.
    pub moments: Vec<[f64; 2]>,
    /// The largest distance of a column between the end of the clip and its start, model units.
    pub seam: f64,
    /// Some frames, in their order.
    pub frames: Vec<Snapshot>,
}

/// One frame as it is decoded.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Which.
    pub frame: u32,
    /// Seconds from the start.
    pub time: f64,
    /// Planes x, y, z over columns, model units.
    pub positions: [Vec<f32>; 3],
    /// The largest error of each column at the frame and from there to the next, model units.
    pub errors: Vec<f32>,
}

impl ClipJob<'_> {
    /// Looks at what was baked: `count` frames evenly apart, and the one where the error is largest.
    ///
    /// # Errors
    /// Blocks that their decoder does not take.
    pub fn closeup(&self, baked: &BakedClip, count: u32) -> Result<Closeup> {
        let timeline = Timeline { frames: baked.frames, fps: baked.fps, ..self.timeline };
        let animation = Animation::new(self.source, self.rig, Some(&self.chosen.clip));
        let decoded = Self { timeline, ..*self }.decoded(baked)?;
        let errors: Vec<Vec<f32>> = (0..baked.frames)
            .into_par_iter()
            .map(|frame| self.errors_from(&animation, &timeline, &decoded, frame))
            .collect();
        let seconds = |frame: u32| timeline.time(f64::from(frame)) - timeline.start;
        let largest = |errors: &Vec<f32>| f64::from(errors.iter().copied().fold(0.0, f32::max));
        let moments: Vec<[f64; 2]> =
            errors.iter().zip(0..).map(|(errors, frame)| [seconds(frame), largest(errors)]).collect();
        let worst = (0..baked.frames)
            .rev()
            .max_by(|&a, &b| moments[a as usize][1].total_cmp(&moments[b as usize][1]));
        let snapshot = |frame: u32| Snapshot {
            frame,
            time: seconds(frame),
            positions: decoded.frame(frame as usize).positions.map(<[f32]>::to_vec),
            errors: errors[frame as usize].clone(),
        };
        let frames = evenly(baked.frames, count, worst).into_iter().map(snapshot).collect();
        Ok(Closeup { moments, seam: self.seam(&animation), frames })
    }

    /// The largest error of each column at a frame and from there to the next, as a shader would show it.
    fn errors_from(
        &self,
        animation: &Animation,
        timeline: &Timeline,
        decoded: &Frames,
        frame: u32,
    ) -> Vec<f32> {
        let mut moments = vec![(timeline.time(f64::from(frame)), 0.0)];
        moments.extend(measure::between(timeline, frame));
        let truth = motion::deform(self.rig, &animation.sample(moments.iter().map(|&(time, _)| time)));
        let (here, next) = (decoded.frame(frame as usize), decoded.frame(frame as usize + 1));
        let mut squares = vec![0.0_f32; self.rig.columns];
        for (i, &(_, blend)) in moments.iter().enumerate() {
            let blend = if self.chosen.step { 0.0 } else { blend };
            add_squares(truth.frame(i), here, next, blend as f32, &mut squares);
        }
        squares.into_iter().map(f32::sqrt).collect()
    }

    /// How far the end of the clip is from its start.
    fn seam(&self, animation: &Animation) -> f64 {
        let Timeline { start, duration, .. } = self.timeline;
        let ends = motion::deform(self.rig, &animation.sample([start, start + duration]));
        let mut squares = vec![0.0; self.rig.columns];
        add_squares(ends.frame(1), ends.frame(0), ends.frame(0), 0.0, &mut squares);
        f64::from(squares.into_iter().fold(0.0, f32::max).sqrt())
    }
}

/// Raises each square to that of the distance between a column's true place and the blend of two frames.
fn add_squares(truth: Frame, here: Frame, next: Frame, blend: f32, squares: &mut [f32]) {
    for (column, square) in squares.iter_mut().enumerate() {
        let along = |axis: usize| {
            let [truth, here, next] = [truth, here, next].map(|frame| frame.positions[axis][column]);
            here + (next - here) * blend - truth
        };
        let d = [along(0), along(1), along(2)];
        *square = square.max(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    }
}

/// Frames evenly apart from the first to the last, and one more; rising, each once.
fn evenly(frames: u32, count: u32, one_more: Option<u32>) -> Vec<u32> {
    let last = u64::from(frames.saturating_sub(1));
    let steps = u64::from(count.max(2) - 1);
    let mut all: Vec<u32> = (0..=steps).map(|i| (i * last / steps) as u32).chain(one_more).collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_evenly_apart_and_the_worst_is_among_them() {
        assert_eq!(evenly(11, 3, Some(4)), [0, 4, 5, 10]);
        assert_eq!(evenly(11, 3, Some(5)), [0, 5, 10]);
        assert_eq!(evenly(2, 6, None), [0, 1]);
        assert_eq!(evenly(1, 6, Some(0)), [0]);
    }
}
