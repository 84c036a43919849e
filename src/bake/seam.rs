//! How the end of a clip meets its start.

use serde::{Deserialize, Serialize};

use super::BakedClip;
use crate::manifest::Recipe;
use crate::motion::{ChosenClip, Frame, Frames};
use crate::problem::Problem;

/// How the end of a clip meets its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seam {
    /// As it should, as far as can be told.
    Fine,
    /// The clip does not loop, but ends as it starts and moves in between: most likely it is meant to.
    LooksLikeALoop,
    /// The clip loops, and jumps from its end to its start by more than it moves anywhere else.
    Torn,
}

impl Seam {
    /// Looks at a clip's frames. `end` is the pose at its very end, which a looping clip does not store.
    pub fn of(frames: &Frames, end: Frame, looping: bool) -> Self {
        let first = frames.frame(0);
        let size = size(first);
        let last = frames.frames - 1;
        let moves = |frame: usize| distance(first, frames.frame(frame)) > 1e-4 * size;
        if !looping {
            let alike = frames.frames >= 3 && !moves(last) && (1..last).any(moves);
            return if alike { Self::LooksLikeALoop } else { Self::Fine };
        }
        let jump = distance(end, first);
        let step = |frame: usize| distance(frames.frame(frame), frames.frame(frame + 1));
        // Some exporters leave the closing key out: the jump is then one step among others.
        let torn = jump > 0.01 * size && jump > 2.0 * (0..last).map(step).fold(0.0, f32::max);
        if torn { Self::Torn } else { Self::Fine }
    }
}

/// The longest edge of the box around a frame.
fn size(frame: Frame) -> f32 {
    let edges = frame.positions.map(|plane| {
        let max = plane.iter().fold(f32::NEG_INFINITY, |a, &b| a.max(b));
        max - plane.iter().fold(f32::INFINITY, |a, &b| a.min(b))
    });
    edges.into_iter().fold(0.0, f32::max)
}

/// The largest distance that a column moves along an axis.
fn distance(a: Frame, b: Frame) -> f32 {
    let along = |axis: usize| a.positions[axis].iter().zip(b.positions[axis]).map(|(a, b)| (a - b).abs());
    (0..3).flat_map(along).fold(0.0, f32::max)
}

/// One hint for all clips of a kind: a character may have dozens.
pub fn hints(recipe: &Recipe, clips: &[ChosenClip], baked: &[&[BakedClip]]) -> Vec<Problem> {
    let names = |seam: Seam, unless_said: bool| -> Vec<String> {
        // All levels of detail show the same motion.
        let is_kind = |(clip, baked): &(&ChosenClip, &&[BakedClip])| {
            baked[0].seam == seam && !(unless_said && clip.settings.loop_said)
        };
        let of_kind = clips.iter().zip(baked).filter(is_kind);
        of_kind.map(|(clip, _)| format!("`{}`", clip.name)).collect()
    };
    let (alike, torn) = (names(Seam::LooksLikeALoop, true), names(Seam::Torn, false));
    let mut hints = Vec::new();
    if !alike.is_empty() {
        let message = match &alike[..] {
            [one] => format!("clip {one} ends in the pose that it starts with"),
            _ => format!("{} clips end in the poses that they start with: {}", alike.len(), alike.join(", ")),
        };
        let help = "say `loop = true` for those that repeat, so that the pose is not shown twice, and `loop = false` for the others";
        hints.push(Problem::note("bake::loop", message).at(recipe.place.clone()).help(help));
    }
    if !torn.is_empty() {
        let message = format!("in a loop, but they end far from where they start: {}", torn.join(", "));
        let help = "a looping clip does not store its end pose and jumps there; use `loop = false` for clips that do not repeat";
        hints.push(Problem::warning("bake::torn-loop", message).at(recipe.place.clone()).help(help));
    }
    hints
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One column at these x positions, and another at 1 to give it a size.
    fn frames(x: &[f32]) -> Frames {
        let data = x.iter().flat_map(|&x| [x, 1.0, 0.0, 0.0, 0.0, 0.0]).collect();
        Frames { frames: x.len(), columns: 2, normals: false, tangents: false, data }
    }

    fn seam(x: &[f32], end: f32, looping: bool) -> Seam {
        Seam::of(&frames(x), frames(&[end]).frame(0), looping)
    }

    #[test]
    fn clips_that_return_look_like_loops() {
        assert_eq!(seam(&[0.0, 0.5, 0.0], 0.0, false), Seam::LooksLikeALoop);
        assert_eq!(seam(&[0.0, 0.5, 0.4], 0.4, false), Seam::Fine);
        assert_eq!(seam(&[0.0, 0.0, 0.0], 0.0, false), Seam::Fine);
    }

    #[test]
    fn loops_that_jump_are_torn() {
        assert_eq!(seam(&[0.0, 0.1, 0.2, 0.3, 0.4], 0.5, true), Seam::Torn);
        assert_eq!(seam(&[0.0, 0.1, 0.2, 0.1], 0.0, true), Seam::Fine);
        // The closing key left out.
        assert_eq!(seam(&[0.0, 0.1, 0.2, 0.1], 0.1, true), Seam::Fine);
        assert_eq!(seam(&[0.0], 0.5, true), Seam::Torn);
    }
}
