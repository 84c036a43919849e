//! One clip: sampled, deformed, encoded, measured. Where in the sheets it will lie, and what its
//! neighbours are, does not matter here.

use serde::{Deserialize, Serialize};

use super::seam::Seam;
use crate::encode::{self, Format};
use crate::layout;
use crate::measure;
use crate::metadata::{self, Bounds, Holds};
use crate::motion::{self, Animation, ChosenClip, Frame, Frames, Rig};
use crate::problem::{Problem, Result};
use crate::source::Source;
use crate::texels::{self, Block, Decoding, Texels};

/// Everything that a clip is baked from.
#[derive(Clone, Copy)]
pub struct ClipJob<'a> {
    /// The character's model.
    pub source: &'a Source,
    /// The character's columns.
    pub rig: &'a Rig,
    /// The columns while nothing moves them.
    pub rest: Frame<'a>,
    /// The clip.
    pub chosen: &'a ChosenClip,
    /// What is stored of it: positions first.
    pub holds: &'a [(Holds, Format)],
    /// Texels in a row.
    pub width: u32,
    /// Bands.
    pub bands: u32,
}

/// A clip's texels, one block a track in the order of [`ClipJob::holds`], and what is known of
/// them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BakedClip {
    /// Blocks.
    pub tracks: Vec<BakedTrack>,
    /// Holds every decoded position.
    pub bounds: Bounds,
    /// How its end meets its start.
    pub seam: Seam,
}

impl BakedClip {
    /// The same without texels: what is known of them.
    pub fn clone_without_bytes(&self) -> Self {
        let track = |track: &BakedTrack| BakedTrack { bytes: Vec::new(), ..*track };
        Self { tracks: self.tracks.iter().map(track).collect(), ..*self }
    }
}

/// One block of texels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BakedTrack {
    /// The texel format.
    pub format: Format,
    /// What brings texels back to positions.
    pub decoding: Decoding,
    /// Measured error.
    pub error: metadata::Error,
    /// All rows of the block, as they lie in the sheet.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

/// Where a clip came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// It was baked.
    Baked,
    /// It was remembered from an earlier bake of the same.
    Cached,
}

/// Bytes and how to decode them.
struct Encoded {
    format: Format,
    bytes: Vec<u8>,
    decoding: Decoding,
}

impl Encoded {
    fn new(format: Format, texels: &Texels, decoding: Decoding) -> Self {
        let mut bytes = Vec::new();
        let planes = [0, 1, 2].map(|axis| texels.planes[axis].as_slice());
        encode::encode(format, planes, texels.packed.as_deref(), &mut bytes);
        Self { format, bytes, decoding }
    }

    fn borrow(&self) -> measure::Encoded<'_> {
        measure::Encoded { format: self.format, bytes: &self.bytes, decoding: &self.decoding }
    }
}

impl ClipJob<'_> {
    /// Bakes the clip.
    ///
    /// # Errors
    /// Positions beyond the range of 32-bit floats.
    pub fn bake(&self) -> Result<BakedClip> {
        let chosen = self.chosen;
        let animation = Animation::new(self.source, self.rig, Some(&chosen.clip));
        let frames = motion::deform(self.rig, &animation.sample(chosen.timeline.times()));
        check_finite(&frames, chosen)?;

        let block = self.block();
        let encoded: Vec<Encoded> =
            self.holds.iter().map(|&(holds, format)| self.encode(&frames, &block, holds, format)).collect();
        let decoded = measure::decoded(self.rig, self.rest, &block, &self.tracks(&encoded));
        let at_frames = measure::at_frames(&chosen.timeline, &frames, &decoded);
        let over_time = measure::over_time(measure::Played {
            rig: self.rig,
            animation: &animation,
            timeline: &chosen.timeline,
            step: chosen.step,
            truth: &frames,
            decoded: &decoded,
        });

        let end = chosen.timeline.time(chosen.timeline.frames.into());
        let end = motion::deform(self.rig, &animation.sample([end]));
        let track = |(encoded, &(holds, _)): (Encoded, &(Holds, Format))| BakedTrack {
            format: encoded.format,
            decoding: encoded.decoding,
            error: track_error(holds, at_frames, &over_time),
            bytes: encoded.bytes,
        };
        Ok(BakedClip {
            tracks: encoded.into_iter().zip(self.holds).map(track).collect(),
            bounds: measure::bounds(&decoded),
            seam: Seam::of(&frames, end.frame(0), chosen.timeline.looping),
        })
    }

    fn block(&self) -> Block {
        let timeline = &self.chosen.timeline;
        Block {
            width: self.width,
            bands: self.bands,
            band_rows: layout::band_rows(timeline.frames),
            frames: timeline.frames,
            looping: timeline.looping,
        }
    }

    fn encode(&self, frames: &Frames, block: &Block, holds: Holds, format: Format) -> Encoded {
        let directions = |texels: Texels| Encoded::new(format, &texels, Decoding::IDENTITY);
        match holds {
            Holds::Position => self.encode_positions(frames, block, format, false),
            Holds::PositionNormal => self.encode_positions(frames, block, format, true),
            Holds::Normal => directions(texels::directions(frames, |f| f.normals, None, block)),
            Holds::Tangent => {
                let handedness: Vec<f32> = self.rig.handedness.iter().map(|h| (h + 1.0) * 0.5).collect();
                directions(texels::directions(frames, |f| f.tangents, Some(&handedness), block))
            }
        }
    }

    /// Positions as they are and as offsets from the rest pose; the kind asked for, else whichever
    /// measures better at the frames, the former if they are equal.
    fn encode_positions(&self, frames: &Frames, block: &Block, format: Format, packed: bool) -> Encoded {
        let candidate = |relative: bool| {
            let decoding = Decoding::over(frames, relative.then_some(self.rest), format);
            let texels = texels::positions(frames, self.rest, block, &decoding, packed);
            Encoded::new(format, &texels, decoding)
        };
        let error = |encoded: &Encoded| {
            let positions = encoded.borrow();
            let tracks = measure::Tracks { positions, packed: false, normals: None, tangents: None };
            measure::at_frames(&self.chosen.timeline, frames, &measure::decoded(self.rig, self.rest, block, &tracks)).max
        };
        match self.chosen.settings.relative {
            Some(relative) => candidate(relative),
            // Floats of the source's own precision cannot get better.
            None if format == Format::Rgba32f => candidate(false),
            None => {
                let (absolute, relative) = (candidate(false), candidate(true));
                if error(&relative) < error(&absolute) { relative } else { absolute }
            }
        }
    }

    fn tracks<'a>(&self, encoded: &'a [Encoded]) -> measure::Tracks<'a> {
        let of = |wanted: Holds| {
            let place = self.holds.iter().position(|&(holds, _)| holds == wanted);
            place.map(|place| encoded[place].borrow())
        };
        measure::Tracks {
            positions: encoded[0].borrow(),
            packed: self.holds[0].0 == Holds::PositionNormal,
            normals: of(Holds::Normal),
            tangents: of(Holds::Tangent),
        }
    }
}

fn check_finite(frames: &Frames, chosen: &ChosenClip) -> Result<()> {
    if frames.data.iter().all(|v| v.is_finite()) {
        return Ok(());
    }
    let message = format!("clip `{}` moves vertices beyond the range of 32-bit floats", chosen.name);
    let help = "look for an absurd scale in the clip or in the nodes above the model";
    Err(Problem::error("motion::overflow", message).at(chosen.place.clone()).help(help))
}

fn track_error(holds: Holds, encode: metadata::MaxRms, error: &measure::ClipError) -> metadata::Error {
    let none = metadata::Error::default();
    let positions = metadata::Error { encode: Some(encode), sample: Some(error.positions), ..none };
    match holds {
        Holds::Position => positions,
        Holds::PositionNormal => metadata::Error { normal_deg: Some(error.normals), ..positions },
        Holds::Normal => metadata::Error { normal_deg: Some(error.normals), ..none },
        Holds::Tangent => metadata::Error { tangent_deg: Some(error.tangents), ..none },
    }
}
