//! What a loader needs to know of a baked character: `<character>.vat.json`, and what the
//! templates of [`codegen`](crate::codegen) see.
//!
//! The names are a contract with loaders (`docs/format.md`): within one [`SCHEMA`] they are added
//! to, never changed in meaning.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

pub use crate::axes::Axes;
use crate::encode::Format;

#[cfg(feature = "script")]
mod layout;

/// The schema of [`Character`].
pub const SCHEMA: &str = "vatpipe/character/1";

/// The schema of the clip table in a texture file, under the key `vatpipe`.
pub const SHEET_SCHEMA: &str = "vatpipe/sheet/1";

/// A baked character.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Character {
    /// [`SCHEMA`].
    pub schema: String,
    /// The character's name.
    pub name: String,
    /// `vertex`: positions per vertex.
    pub mode: Mode,
    /// The mesh file, beside this one.
    pub mesh: String,
    /// The axes of positions, normals, tangents and bounds, and the length of a model unit.
    pub axes: Axes,
    /// The axes of the mesh file; absent if they are the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh_axes: Option<Axes>,
    /// The hash of all that generated code assumes: equal in textures and generated code that fit each other. 0 in files of versions that had none.
    #[serde(default)]
    pub layout: u32,
    /// Vertices of the mesh.
    pub vertex_count: u32,
    /// Columns of the sheets.
    pub column_count: u32,
    /// Holds every decoded position of every clip, at and between frames, and the rest pose.
    pub bounds: Bounds,
    /// The `TEXCOORD_n` of the mesh that holds column and band.
    pub column_texcoord: u32,
    /// Levels of detail, the finest first.
    pub lods: Vec<Lod>,
    /// Textures.
    pub sheets: Vec<Sheet>,
    /// Clips, in the order of the manifest.
    pub clips: Vec<Clip>,
}

/// How motion is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// A position per vertex and frame.
    Vertex,
}

/// A box with faces along the axes, in model units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// The smallest x, y and z.
    pub min: [f32; 3],
    /// The largest x, y and z.
    pub max: [f32; 3],
}

impl Bounds {
    /// The length of the diagonal, model units.
    #[cfg(feature = "std")]
    pub fn diagonal(&self) -> f64 {
        let edge = |axis: usize| f64::from(self.max[axis]) - f64::from(self.min[axis]);
        (edge(0) * edge(0) + edge(1) * edge(1) + edge(2) * edge(2)).sqrt()
    }
}

/// A level of detail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lod {
    /// Triangles, as a share of the source's.
    pub ratio: f64,
    /// Vertices: a prefix of the mesh's.
    pub vertex_count: u32,
    /// Triangles.
    pub triangle_count: u32,
    /// Columns of the sheets that it reads: a prefix of the character's.
    #[serde(default)]
    pub column_count: u32,
    /// Its node in the mesh file.
    #[serde(default)]
    pub node: String,
    /// The largest distance from a vertex of the source to the level's surface in motion, model
    /// units: see [`lod::error`](crate::lod::error).
    pub error: f64,
    /// The root of the mean of the squares of these distances.
    #[serde(default)]
    pub error_rms: f64,
}

/// A texture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sheet {
    /// The file, beside this one.
    pub file: String,
    /// What its texels hold.
    pub holds: Holds,
    /// The texel format.
    pub format: Format,
    /// Texels in a row: the `W` of the address formula.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Array layers; with 1 the file is a plain 2D texture.
    pub layers: u32,
    /// `none` or `zstd`: how the KTX2 file is supercompressed.
    pub supercompression: Supercompression,
    /// Bytes on the GPU.
    pub bytes: u64,
    /// The levels of detail that read this sheet.
    pub lods: Vec<u32>,
}

/// How a KTX2 file is compressed as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Supercompression {
    /// Not at all.
    None,
    /// Zstandard.
    Zstd,
}

/// What the texels of a sheet hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Holds {
    /// Positions, and packed normals in the fourth channel.
    #[serde(rename = "position+normal")]
    PositionNormal,
    /// Positions.
    #[serde(rename = "position")]
    Position,
    /// What is added to the positions of another sheet: what its format lost of them.
    #[serde(rename = "residual")]
    Residual,
    /// Normals.
    #[serde(rename = "normal")]
    Normal,
    /// Tangents.
    #[serde(rename = "tangent")]
    Tangent,
}

/// A clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clip {
    /// The name, as the artist or the manifest wrote it.
    pub name: String,
    /// The name as an identifier legal in every target: `UPPER_SNAKE`.
    pub ident: String,
    /// Seconds.
    pub duration: f64,
    /// Whether frame 0 follows the last frame.
    pub looping: bool,
    /// Whether neighbouring frames are blended (`linear`) or the earlier one holds (`step`).
    pub interpolation: Playback,
    /// Holds every decoded position of the clip, at and between frames.
    pub bounds: Bounds,
    /// Where it lies; one track a sheet that holds it.
    pub tracks: Vec<Track>,
}

/// How frames are played back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Playback {
    /// Neighbouring frames are blended.
    Linear,
    /// The earlier frame holds: every channel of the source is STEP.
    Step,
}

/// Where a clip lies in one sheet, and how to decode it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Track {
    /// Index into [`Character::sheets`].
    pub sheet: u32,
    /// Array layer.
    pub layer: u32,
    /// The first row.
    pub first_row: u32,
    /// Frames.
    pub frames: u32,
    /// Frames per second as stored: `frames / duration` when looping, else
    /// `(frames - 1) / duration`; the rate asked for when the clip has one frame.
    pub fps: f64,
    /// Rows from one band to the next.
    pub band_rows: u32,
    /// Added after scaling.
    pub bias: [f32; 3],
    /// What a texel is multiplied by.
    pub scale: [f32; 3],
    /// Whether the rest position is added.
    pub relative: bool,
    /// How far the decoded texels are from the true motion.
    pub error: Error,
}

/// Measured error, from the bytes as written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Error {
    /// At the frames, model units. Absent on sheets without positions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encode: Option<MaxRms>,
    /// At and between frames, model units. Absent on sheets without positions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<MaxRms>,
    /// Normals at and between frames, degrees. Absent on sheets without normals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normal_deg: Option<MaxRms>,
    /// Tangents at and between frames, degrees. Absent on sheets without tangents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tangent_deg: Option<MaxRms>,
}

/// A largest value and a root mean square.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MaxRms {
    /// The largest.
    pub max: f64,
    /// The root of the mean of the squares over columns and times.
    pub rms: f64,
    /// Where the largest is; the first such place, and absent where nothing is off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<Worst>,
}

/// A moment of a clip and a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Worst {
    /// Seconds from frame 0.
    pub time: f64,
    /// The same in frames: 12.4 lies between frames 12 and 13. With one frame it is 0.
    pub frame: f64,
    /// The column.
    pub column: u32,
}

impl Character {
    /// Bytes on the GPU that a track takes of its sheet.
    pub fn track_bytes(&self, track: &Track) -> u64 {
        let Some(sheet) = self.sheets.get(track.sheet as usize) else { return 0 };
        let bands = self.columns_of(track.sheet as usize).div_ceil(sheet.width.max(1));
        sheet.format.bytes(sheet.width, bands.saturating_mul(track.band_rows)) as u64
    }

    /// The text of `<character>.vat.json`.
    pub fn to_json(&self) -> String {
        // A struct of numbers, strings and lists: serialising it cannot fail.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// The columns that a sheet holds: those of the finest level of detail that reads it.
    pub fn columns_of(&self, sheet: usize) -> u32 {
        let lod = self.sheets[sheet].lods.first().and_then(|&lod| self.lods.get(lod as usize));
        lod.map_or(self.column_count, |lod| lod.column_count)
    }

    /// The clips of one sheet, for the sheet's own file: what it holds, and the tracks in it. Numbers
    /// are written as in [`Self::to_json`].
    pub fn sheet_table(&self, sheet: usize) -> String {
        let mut clips = Vec::new();
        for clip in &self.clips {
            for track in clip.tracks.iter().filter(|track| track.sheet as usize == sheet) {
                let Clip { name, duration, looping, interpolation, bounds, .. } = clip;
                clips.push(TableRow { name, duration, looping, interpolation, bounds, track });
            }
        }
        let table = Table {
            schema: SHEET_SCHEMA,
            character: &self.name,
            sheet,
            holds: self.sheets[sheet].holds,
            axes: self.axes,
            layout: self.layout,
            column_count: self.columns_of(sheet),
            clips,
        };
        serde_json::to_string(&table).unwrap_or_default()
    }
}

impl Holds {
    /// The name in `vat.json`.
    pub fn name(self) -> &'static str {
        match self {
            Holds::PositionNormal => "position+normal",
            Holds::Position => "position",
            Holds::Residual => "residual",
            Holds::Normal => "normal",
            Holds::Tangent => "tangent",
        }
    }
}

/// What a texture file says of itself.
#[derive(Serialize)]
struct Table<'a> {
    schema: &'static str,
    character: &'a str,
    sheet: usize,
    holds: Holds,
    axes: Axes,
    layout: u32,
    column_count: u32,
    clips: Vec<TableRow<'a>>,
}

/// A clip in the texture: one of its tracks.
#[derive(Serialize)]
struct TableRow<'a> {
    name: &'a str,
    duration: &'a f64,
    looping: &'a bool,
    interpolation: &'a Playback,
    bounds: &'a Bounds,
    track: &'a Track,
}
