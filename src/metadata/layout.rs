//! The layout hash: what generated code assumes of textures, as one number.

use serde::Serialize;

use super::{Axes, Character, Clip, Holds, Playback, Sheet, Track};
use crate::encode::Format;

impl Character {
    /// The hash of all that generated code assumes of the textures: the first four bytes, as a little-endian number, of the
    /// BLAKE3 digest of that as JSON. Names of files and measured errors are not in it.
    pub fn layout_hash(&self) -> u32 {
        let text = serde_json::to_vec(&Assumed::of(self)).unwrap_or_default();
        let [a, b, c, d, ..] = *blake3::hash(&text).as_bytes();
        u32::from_le_bytes([a, b, c, d])
    }
}

/// What [`Character::layout_hash`] is the hash of.
#[derive(Serialize)]
struct Assumed<'a> {
    axes: Axes,
    columns: u32,
    /// Columns of the levels of detail.
    lods: Vec<u32>,
    sheets: Vec<AssumedSheet<'a>>,
    clips: Vec<AssumedClip<'a>>,
}

/// Holds, format, width, height, layers, levels of detail.
type AssumedSheet<'a> = (Holds, Format, u32, u32, u32, &'a [u32]);

/// Identifier, duration, looping, interpolation, tracks.
type AssumedClip<'a> = (&'a str, f64, bool, Playback, Vec<AssumedTrack>);

/// Sheet, layer, first row, frames, rate, rows of a band, bias, scale, relative.
type AssumedTrack = (u32, u32, u32, u32, f64, u32, [f32; 3], [f32; 3], bool);

impl<'a> Assumed<'a> {
    fn of(character: &'a Character) -> Self {
        let sheet = |s: &'a Sheet| (s.holds, s.format, s.width, s.height, s.layers, s.lods.as_slice());
        let track = |t: &Track| {
            (t.sheet, t.layer, t.first_row, t.frames, t.fps, t.band_rows, t.bias, t.scale, t.relative)
        };
        let clip = |c: &'a Clip| {
            (c.ident.as_str(), c.duration, c.looping, c.interpolation, c.tracks.iter().map(track).collect())
        };
        Self {
            axes: character.axes,
            columns: character.column_count,
            lods: character.lods.iter().map(|lod| lod.column_count).collect(),
            sheets: character.sheets.iter().map(sheet).collect(),
            clips: character.clips.iter().map(clip).collect(),
        }
    }
}
