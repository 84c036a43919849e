//! What one bake is made of. A recipe holds everything that decides the bytes of a character's
//! outputs, and nothing else: no thread count, no time, no output folder.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::axes::Axes;
use crate::encode::platforms::Platform;
use crate::encode::{Format, Quality};
use crate::problem::Place;

/// How one character is baked.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// The character's name: its folder, its files, its identifier. Letters, digits, `_`, `-`, `.`
    /// and space, not starting or ending with `.` or space, at most 64 bytes, and no name that Windows reserves.
    pub character: String,
    /// The model file, absolute or relative to the current directory (already joined to the
    /// manifest's folder).
    pub source: PathBuf,
    /// Which scene of the source is the character; its default scene if absent, else its first.
    pub scene: Option<Selector>,
    /// Settings for the whole character.
    pub mesh: MeshSettings,
    /// Levels of detail, the finest first; empty for the source's triangles alone.
    pub lods: Vec<LodRecipe>,
    /// `Some`: every clip of the source is baked, those that `clips` does not mention with these
    /// settings.
    pub all_clips: Option<ClipSettings>,
    /// Clips named one by one, in the order of the manifest.
    pub clips: Vec<ClipRecipe>,
    /// The devices and engines that the outputs are for.
    pub platforms: Vec<Platform>,
    /// Where the manifest speaks of this character, for messages.
    pub place: Place,
}

/// Settings that hold for all clips of a character.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshSettings {
    /// How normals are stored. `None`: packed (or in a sheet where the format has no room) if the
    /// source has normals, otherwise none.
    pub normals: Option<Normals>,
    /// Whether a sheet of tangents is baked.
    pub tangents: bool,
    /// Whether vertices that move alike share a column.
    pub share_columns: bool,
    /// The order of columns.
    pub column_order: ColumnOrder,
    /// The largest width and height of a sheet, texels: 256 to 16,384.
    pub max_texture: u32,
    /// Zstandard level of the KTX2 files, 1 to 22; `None`: not compressed.
    pub zstd: Option<i32>,
    /// The axes of positions, normals, tangents and bounds.
    pub axes: Axes,
    /// The axes of the mesh file.
    pub mesh_axes: Axes,
    /// Whether URIs in the source may lead out of the manifest's folder.
    pub allow_outside: bool,
}

/// The order of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnOrder {
    /// Neighbours move alike, as far as the model says.
    Motion,
    /// As the source has its vertices.
    Authored,
}

/// One level of detail.
#[derive(Clone, Debug, PartialEq)]
pub struct LodRecipe {
    /// How fine.
    pub target: LodTarget,
    /// How it is stored.
    pub sampling: LodSampling,
    /// Where the manifest speaks of it, for messages.
    pub place: Place,
}

/// How fine a level of detail is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LodTarget {
    /// A share of the source's triangles, 0 to 1.
    Ratio(f64),
    /// Triangles.
    Triangles(u32),
    /// The largest distance from the source's vertices over all clips; of the bounds at rest,
    /// if it is a share.
    Error(Length),
}

/// What a level of detail has in place of its clips' settings. Levels that have the same share sheets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LodSampling {
    /// In place of [`ClipSettings::fps`].
    pub fps: Option<Rate>,
    /// In place of [`ClipSettings::format`].
    pub format: Option<FormatChoice>,
    /// In place of [`Budget::max_error`].
    pub max_error: Option<Option<Length>>,
    /// In place of [`Budget::max_normal_error`].
    pub max_normal_error: Option<Option<f64>>,
}

/// How normals are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Normals {
    /// In the fourth channel of the positions where it has 16 bits or more, else as `Sheet`.
    Packed,
    /// In a sheet of their own.
    Sheet,
    /// Nowhere.
    None,
}

/// One clip to bake.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipRecipe {
    /// What the baked clip is called; empty for the name it has in the source (a clip listed by
    /// its position alone).
    pub name: String,
    /// Which animation of the source it is; the one called `name` if absent.
    pub from: Option<Selector>,
    /// Another file to take it from, matched by joint names; the character's own if absent.
    pub source: Option<PathBuf>,
    /// How it is sampled and stored.
    pub settings: ClipSettings,
    /// Where the manifest speaks of it, for messages.
    pub place: Place,
}

/// How a clip is sampled and stored.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipSettings {
    /// Frames per second asked for. The rate used is the nearest at which a whole number of frames
    /// fits.
    pub fps: Rate,
    /// Whether the first frame follows the last.
    pub looping: bool,
    /// Whether the manifest says so; if not, a clip that ends as it starts draws a hint.
    pub loop_said: bool,
    /// Start at the earliest key instead of at 0.
    pub trim: bool,
    /// Seconds: bake from the first to the second.
    pub range: Option<(f64, f64)>,
    /// Format of the position texels.
    pub format: FormatChoice,
    /// How hard encoders of blocks try.
    pub quality: Quality,
    /// Whether what the format lost of the positions is stored in a second sheet.
    pub residual: bool,
    /// Store offsets from the rest position (`Some(true)`), positions (`Some(false)`), or
    /// whichever measures better (`None`).
    pub relative: Option<bool>,
    /// How far from the true motion it may be.
    pub budget: Budget,
}

/// Frames per second: above 0, at most 1,000.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rate {
    /// This many.
    Fixed(f64),
    /// The fewest within the budget. There is a [`Budget::max_error`] then.
    Auto {
        /// The most that may be taken.
        cap: f64,
    },
}

/// The format of position texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatChoice {
    /// This one.
    Fixed(Format),
    /// The smallest within the budget. There is a [`Budget::max_error`] then.
    Auto,
}

/// How far decoded texels may be from the true motion, at and between frames.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Budget {
    /// The largest distance between a decoded and a true position.
    pub max_error: Option<Length>,
    /// The largest angle between a decoded and a true normal, degrees: above 0, at most 180.
    pub max_normal_error: Option<f64>,
}

impl Budget {
    /// Whether it allows everything.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// A length above 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Length {
    /// Metres of the source.
    Units(f64),
    /// A share (0.01 is 1 %) of the diagonal of the clip's bounds.
    OfBounds(f64),
}

impl Length {
    /// The length in units of these axes, where the diagonal of the clip's bounds is this long in the same.
    pub fn units(self, diagonal: f64, axes: Axes) -> f64 {
        match self {
            Length::Units(metres) => metres * axes.metre(),
            Length::OfBounds(share) => share * diagonal,
        }
    }
}

impl std::fmt::Display for Length {
    /// As a manifest has it: `1mm`, `0.5%`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (number, unit) = match *self {
            Length::OfBounds(share) => (share * 100.0, "%"),
            Length::Units(units) if units < 0.01 => (units * 1000.0, "mm"),
            Length::Units(units) if units < 1.0 => (units * 100.0, "cm"),
            Length::Units(units) => (units, "m"),
        };
        // Nine digits: the factor leaves dust behind those that were written.
        let number = format!("{number:.8e}").parse().unwrap_or(number);
        write!(f, "{number}{unit}")
    }
}

/// One of several things in a file, by name or by position from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// By name.
    Name(String),
    /// By position.
    Index(usize),
}

impl std::fmt::Display for Selector {
    /// A name in quotes, or a position.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Selector::Name(name) => write!(f, "{name:?}"),
            Selector::Index(index) => write!(f, "{index}"),
        }
    }
}
