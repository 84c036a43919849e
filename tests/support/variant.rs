//! The same clip baked in different ways.

use vatpipe::encode::Format;
use vatpipe::manifest::{FormatChoice, Recipe};

use super::baking::{bake, clip, exact, recipe};
use super::loader::{Character, Track};

/// A clip of the corpus at a rate.
#[derive(Clone, Copy)]
pub struct Shot {
    pub model: &'static str,
    pub clip: usize,
    pub fps: f64,
    pub looping: bool,
}

/// What is special of a bake.
pub type Twist = fn(&mut Recipe);

impl Shot {
    /// The recipe in the exact format.
    pub fn recipe(self) -> Recipe {
        let mut settings = exact(self.fps);
        settings.looping = self.looping;
        recipe(self.model, vec![clip(self.clip, settings)])
    }

    /// Exact positions.
    pub fn exact(self) -> Character {
        bake(&self.recipe())
    }

    /// Another format, and what else is special.
    pub fn bake(self, format: Format, twist: Twist) -> Character {
        let mut recipe = self.recipe();
        recipe.clips[0].settings.format = FormatChoice::Fixed(format);
        twist(&mut recipe);
        bake(&recipe)
    }

    /// Exact positions five times as often: every fifth frame is a frame of the clip.
    pub fn dense(self, of: &Track) -> Character {
        Shot { fps: of.fps * 5.0, ..self }.exact()
    }
}

/// Half a quantisation step of each axis of a decoded texel, `docs/format.md`, and the rounding of `f32`.
pub fn half_step(character: &Character, track: &Track, vertex: usize, frame: usize) -> [f32; 3] {
    let texel = character.texel(track, character.mesh.columns[vertex], frame);
    let rest = character.mesh.positions[vertex];
    [0, 1, 2].map(|i| {
        let v = match character.sheets[track.sheet].texture.format.as_str() {
            "rgba32f" => 0.0,
            // Eleven bits, and the same step for all numbers below 2^-14.
            "rgba16f" => texel.v[i].abs().max(1.0 / 16384.0) / 2048.0,
            "rgba16ui" | "rgba16" => 0.5 / 65535.0,
            "rgb10a2" => 0.5 / 1023.0,
            "rgba8" => 0.5 / 255.0,
            other => panic!("format {other}"),
        };
        let rest = if track.relative { rest[i].abs() } else { 0.0 };
        track.scale[i] * v + (track.bias[i].abs() + track.scale[i].abs() + rest) * 4.0 * f32::EPSILON
    })
}
