//! Figures against earlier ones: what became larger or less exact.

use serde::Serialize;

use super::{Character, Clip, Figures};
use crate::axes::Axes;

/// Differences of lengths below this share of a clip's size, and of angles below so many degrees, are none.
const NOISE: f64 = 1e-6;

/// Something that is worse than it was.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Regression {
    /// The character; absent for all together.
    pub character: Option<String>,
    /// The clip; absent for the whole character.
    pub clip: Option<String>,
    /// `gpu_bytes`, `file_bytes`, `encode` or `sample` (metres), `normal_deg` or `tangent_deg` (degrees).
    pub figure: &'static str,
    /// What it was.
    pub old: f64,
    /// What it is.
    pub new: f64,
}

/// What is worse than before by more than `tolerance` (0.05 is 5 %). Characters and clips that only one of them has are
/// not compared, but for the bytes that they take of what they belong to; the whole is compared if both have the same
/// characters.
pub fn compare(old: &Figures, new: &Figures, tolerance: f64) -> Vec<Regression> {
    let mut found = Found { tolerance, regressions: Vec::new() };
    let names = |figures: &Figures| figures.characters.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
    for new in &new.characters {
        if let Some(old) = old.characters.iter().find(|old| old.name == new.name) {
            found.character(old, new);
        }
    }
    if names(old) == names(new) {
        found.bytes((None, None), "gpu_bytes", old.gpu_bytes, new.gpu_bytes);
        found.bytes((None, None), "file_bytes", old.file_bytes, new.file_bytes);
    }
    found.regressions
}

/// A character and a clip.
type Of<'a> = (Option<&'a str>, Option<&'a str>);

struct Found {
    tolerance: f64,
    regressions: Vec<Regression>,
}

impl Found {
    fn character(&mut self, old: &Character, new: &Character) {
        let (name, axes) = (Some(new.name.as_str()), [old.axes, new.axes]);
        for clip in &new.clips {
            if let Some(old) = old.clips.iter().find(|old| old.name == clip.name) {
                self.clip((name, Some(&clip.name)), old, clip, axes);
            }
        }
        self.bytes((name, None), "gpu_bytes", old.gpu_bytes, new.gpu_bytes);
        self.bytes((name, None), "file_bytes", old.file_bytes, new.file_bytes);
    }

    /// Lengths of other axes may be in other units: metres are compared.
    fn clip(&mut self, of: Of, old: &Clip, new: &Clip, axes: [Axes; 2]) {
        self.bytes(of, "gpu_bytes", old.gpu_bytes, new.gpu_bytes);
        let noise = NOISE * axes[1].metres(new.diagonal);
        let lengths = |which| {
            let [old, new] = [old, new].map(|clip| worst(clip, which));
            [old.map(|units| axes[0].metres(units)), new.map(|units| axes[1].metres(units))]
        };
        let [[encode, new_encode], [sample, new_sample]] = [lengths(|e| e.encode), lengths(|e| e.sample)];
        self.figure(of, "encode", encode, new_encode, noise);
        self.figure(of, "sample", sample, new_sample, noise);
        self.figure(of, "normal_deg", worst(old, |e| e.normal_deg), worst(new, |e| e.normal_deg), NOISE);
        self.figure(of, "tangent_deg", worst(old, |e| e.tangent_deg), worst(new, |e| e.tangent_deg), NOISE);
    }

    fn bytes(&mut self, of: Of, figure: &'static str, old: u64, new: u64) {
        self.figure(of, figure, Some(old as f64), Some(new as f64), 0.0);
    }

    fn figure(
        &mut self,
        (character, clip): Of,
        figure: &'static str,
        old: Option<f64>,
        new: Option<f64>,
        noise: f64,
    ) {
        let (Some(old), Some(new)) = (old, new) else { return };
        if new > old * (1.0 + self.tolerance) && new - old > noise {
            let [character, clip] = [character, clip].map(|name| name.map(str::to_owned));
            self.regressions.push(Regression { character, clip, figure, old, new });
        }
    }
}

/// The largest of an error over all tracks.
fn worst(clip: &Clip, of: fn(&crate::metadata::Error) -> Option<crate::metadata::MaxRms>) -> Option<f64> {
    clip.tracks.iter().filter_map(|track| of(&track.error)).map(|error| error.max).reduce(f64::max)
}
