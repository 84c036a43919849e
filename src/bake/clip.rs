//! One clip: sampled, deformed, encoded, measured. Where in the sheets it will lie, and what its
//! neighbours are, does not matter here.

use serde::{Deserialize, Serialize};

use super::choose::Choice;
use super::seam::Seam;
use crate::encode::{self, Decoded, Effort, Format, Picture};
use crate::layout::{self, Shape};
use crate::measure;
use crate::metadata::{self, Bounds, Holds, Playback};
use crate::motion::{self, Animation, ChosenClip, Frame, Frames, Rig, Timeline};
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
    /// The finest level of detail that will read it.
    pub lod: u32,
    /// When its frames are: as the manifest asks, or at the highest rate that may be chosen.
    pub timeline: Timeline,
    /// What is stored of it: positions first. As the manifest asks, or the first that may be chosen.
    pub holds: &'a [(Holds, Format)],
    /// All that could be stored of it: what a budget chooses from, and what is looked at to say what would keep one.
    pub formats: &'a [Vec<(Holds, Format)>],
    /// The largest width and height of a sheet.
    pub max_texture: u32,
}

/// A clip's texels, one block a track in the order of [`ClipJob::holds`], and what is known of
/// them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BakedClip {
    /// Frames.
    pub frames: u32,
    /// Frames per second as stored.
    pub fps: f64,
    /// Blocks.
    pub tracks: Vec<BakedTrack>,
    /// Holds every decoded position.
    pub bounds: Bounds,
    /// How its end meets its start.
    pub seam: Seam,
    /// What was measured, and what of it this is.
    pub choice: Choice,
}

impl BakedClip {
    /// The same without texels: what is known of them.
    pub fn clone_without_bytes(&self) -> Self {
        let track = |track: &BakedTrack| BakedTrack { bytes: Vec::new(), ..*track };
        let tracks = self.tracks.iter().map(track).collect();
        Self { tracks, choice: self.choice.clone(), ..*self }
    }
}

/// One block of texels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BakedTrack {
    /// What its texels hold.
    pub holds: Holds,
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

/// What is known of a clip once it is baked, before it has a place in a sheet.
#[derive(Clone, Debug, Serialize)]
pub struct ClipNews<'a> {
    /// Its name.
    pub name: &'a str,
    /// The finest level of detail that will read it.
    pub lod: u32,
    /// Seconds.
    pub duration: f64,
    /// Whether frame 0 follows the last frame.
    pub looping: bool,
    /// How frames are played back.
    pub interpolation: Playback,
    /// Holds every decoded position.
    pub bounds: Bounds,
    /// Its blocks.
    pub tracks: Vec<TrackNews>,
}

/// What is known of a block of texels.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TrackNews {
    /// What it holds.
    pub holds: Holds,
    /// The texel format.
    pub format: Format,
    /// Frames.
    pub frames: u32,
    /// Frames per second as stored.
    pub fps: f64,
    /// Bytes on the GPU.
    pub bytes: u64,
    /// Whether texels hold offsets from the rest position.
    pub relative: bool,
    /// Measured error.
    pub error: metadata::Error,
}

impl<'a> ClipNews<'a> {
    /// Of a clip that was baked, now or once.
    pub fn of(job: &ClipJob<'a>, baked: &BakedClip) -> Self {
        let BakedClip { frames, fps, bounds, .. } = *baked;
        let track = |track: &BakedTrack| TrackNews {
            holds: track.holds,
            format: track.format,
            frames,
            fps,
            bytes: track.bytes.len() as u64,
            relative: track.decoding.relative,
            error: track.error,
        };
        let ChosenClip { name, timeline, step, .. } = job.chosen;
        Self {
            name,
            lod: job.lod,
            duration: timeline.duration,
            looping: timeline.looping,
            interpolation: if *step { Playback::Step } else { Playback::Linear },
            bounds,
            tracks: baked.tracks.iter().map(track).collect(),
        }
    }
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
    block: Block,
    bytes: Vec<u8>,
    decoding: Decoding,
    /// Of formats in blocks.
    texels: Option<Decoded>,
}

impl Encoded {
    fn new(
        format: Format,
        block: &Block,
        texels: &Texels,
        decoding: Decoding,
        quality: encode::Quality,
    ) -> Result<Self> {
        let (width, height) = (block.width, block.bands * block.band_rows);
        let planes = [0, 1, 2].map(|axis| texels.planes[axis].as_slice());
        let picture = Picture { width, height, planes, packed: texels.packed.as_deref() };
        let bytes = encode::encode_picture(format, &picture, &Effort { quality, scale: decoding.scale })?;
        let texels = match format.is_block() {
            true => Some(encode::decode_picture(format, &bytes, width, height)?),
            false => None,
        };
        Ok(Self { format, block: *block, bytes, decoding, texels })
    }

    fn borrow(&self) -> measure::Encoded<'_> {
        let Self { format, block, bytes, decoding, texels } = self;
        measure::Encoded { format: *format, block: *block, bytes, decoding, texels: texels.as_ref() }
    }
}

/// What a clip that is stored for some levels of detail is called, where all of these have to be told
/// apart. `lod` is the finest of the levels.
pub fn label(clip: &str, lod: u32) -> String {
    if lod == 0 { clip.to_owned() } else { format!("{clip} (LOD {lod})") }
}

/// The true motion of a clip at one rate.
pub(super) struct Sampled<'a> {
    animation: Animation<'a>,
    frames: Frames,
}

impl<'a> ClipJob<'a> {
    /// Bakes the clip, at the rate and in the format that it asks for or that its budget chooses. One that does not
    /// keep its budget is baked all the same: [`within`](super::within) says whether it does.
    ///
    /// # Errors
    /// Positions beyond the range of 32-bit floats; a clip that fits in no texture; an encoder that fails or is not in
    /// this build.
    pub fn bake(&self) -> Result<BakedClip> {
        self.choose()
    }

    /// The true motion at the frames.
    pub(super) fn sample(&self) -> Result<Sampled<'a>> {
        let animation = Animation::new(self.source, self.rig, Some(&self.chosen.clip));
        let frames = motion::deform(self.rig, &animation.sample(self.timeline.times()));
        check_finite(&frames, self.chosen)?;
        Ok(Sampled { animation, frames })
    }

    /// What the rate alone costs, while nothing is lost in storing; and the bounds.
    pub(super) fn sampling_error(&self, sampled: &Sampled) -> (measure::ClipError, Bounds) {
        let exact = measure::exact(&sampled.frames, self.timeline.looping);
        (measure::over_time(self.played(sampled, &exact)), measure::bounds(&exact))
    }

    fn played<'b>(&'b self, sampled: &'b Sampled, decoded: &'b Frames) -> measure::Played<'b> {
        measure::Played {
            rig: self.rig,
            animation: &sampled.animation,
            timeline: &self.timeline,
            step: self.chosen.step,
            truth: &sampled.frames,
            decoded,
        }
    }

    /// Bakes what was sampled.
    pub(super) fn bake_sampled(&self, sampled: &Sampled) -> Result<BakedClip> {
        let Sampled { animation, frames } = sampled;
        let encoded = self.encode_all(frames)?;
        let holds: Vec<Holds> = self.holds.iter().map(|&(holds, _)| holds).collect();
        let decoded = measure::decoded(self.rig, self.rest, &tracks(&holds, &encoded));
        let at_frames = measure::at_frames(&self.timeline, frames, &decoded);
        let over_time = measure::over_time(self.played(sampled, &decoded));

        let end = self.timeline.time(self.timeline.frames.into());
        let end = motion::deform(self.rig, &animation.sample([end]));
        let track = |(encoded, &(holds, _)): (Encoded, &(Holds, Format))| BakedTrack {
            holds,
            format: encoded.format,
            decoding: encoded.decoding,
            error: track_error(holds, at_frames, &over_time),
            bytes: encoded.bytes,
        };
        Ok(BakedClip {
            frames: self.timeline.frames,
            fps: self.timeline.fps,
            tracks: encoded.into_iter().zip(self.holds).map(track).collect(),
            bounds: measure::bounds(&decoded),
            seam: Seam::of(frames, end.frame(0), self.timeline.looping),
            choice: Choice::default(),
        })
    }

    /// The frames of what was baked at these times, and the guard, as a shader sees them.
    pub(super) fn decoded(&self, baked: &BakedClip) -> Result<Frames> {
        let encoded = |track: &BakedTrack| {
            let (format, block) = (track.format, self.block(track.format));
            let rows = block.bands * block.band_rows;
            let texels =
                format.is_block().then(|| encode::decode_picture(format, &track.bytes, block.width, rows));
            let (bytes, decoding) = (track.bytes.clone(), track.decoding);
            Ok(Encoded { format, block, bytes, decoding, texels: texels.transpose()? })
        };
        let encoded: Vec<Encoded> = baked.tracks.iter().map(encoded).collect::<Result<_>>()?;
        let holds: Vec<Holds> = baked.tracks.iter().map(|track| track.holds).collect();
        Ok(measure::decoded(self.rig, self.rest, &tracks(&holds, &encoded)))
    }

    /// Bytes on the GPU of all its blocks.
    pub(super) fn bytes(&self) -> u64 {
        let bytes = |&(_, format): &(Holds, Format)| {
            let Block { width, bands, band_rows, .. } = self.block(format);
            format.bytes(width, bands * band_rows) as u64
        };
        self.holds.iter().map(bytes).sum()
    }

    /// The shape of the clip's block in a format.
    pub fn shape(&self, format: Format) -> Shape {
        Shape::of(self.rig.columns as u32, self.max_texture, format)
    }

    /// Whether it fits in a texture at these times and stored so.
    pub(super) fn fits(&self) -> Result<()> {
        let (clip, frames) = (&self.chosen.name, self.timeline.frames);
        let check = |&(_, format): &(Holds, Format)| {
            layout::check_fits(clip, self.rig.columns as u32, self.max_texture, format, frames)
        };
        self.holds.iter().try_for_each(check)
    }

    fn block(&self, format: Format) -> Block {
        let timeline = &self.timeline;
        let Shape { width, bands } = self.shape(format);
        Block {
            width,
            bands,
            band_rows: layout::band_rows(timeline.frames, format),
            frames: timeline.frames,
            looping: timeline.looping,
        }
    }

    /// The blocks of all that is stored.
    fn encode_all(&self, frames: &Frames) -> Result<Vec<Encoded>> {
        let mut all = Vec::new();
        for &(holds, format) in self.holds {
            let encoded = match holds {
                Holds::Position | Holds::PositionNormal => {
                    let packed = holds == Holds::PositionNormal;
                    let (encoded, residual) = self.encode_positions(frames, format, packed)?;
                    all.push(encoded);
                    all.extend(residual);
                    continue;
                }
                // Encoded with the positions.
                Holds::Residual => continue,
                Holds::Normal => {
                    let block = self.block(format);
                    self.encode_directions(format, texels::directions(frames, |f| f.normals, None, &block))?
                }
                Holds::Tangent => {
                    let handedness: Vec<f32> = self.rig.handedness.iter().map(|h| (h + 1.0) * 0.5).collect();
                    let block = self.block(format);
                    let texels = texels::directions(frames, |f| f.tangents, Some(&handedness), &block);
                    self.encode_directions(format, texels)?
                }
            };
            all.push(encoded);
        }
        Ok(all)
    }

    fn encode_directions(&self, format: Format, texels: Texels) -> Result<Encoded> {
        let quality = self.chosen.settings.quality;
        Encoded::new(format, &self.block(format), &texels, Decoding::IDENTITY, quality)
    }

    /// Positions as they are and as offsets from the rest pose; the kind asked for, else whichever
    /// measures better at the frames, the former if they are equal. With what their format lost of them, if that is
    /// stored too.
    fn encode_positions(
        &self,
        frames: &Frames,
        format: Format,
        packed: bool,
    ) -> Result<(Encoded, Option<Encoded>)> {
        let candidate = |relative: bool| self.candidate(frames, format, packed, relative);
        let error = |(positions, residual): &(Encoded, Option<Encoded>)| {
            let (positions, residual) = (positions.borrow(), residual.as_ref().map(Encoded::borrow));
            let tracks =
                measure::Tracks { positions, residual, packed: false, normals: None, tangents: None };
            measure::at_frames(&self.timeline, frames, &measure::decoded(self.rig, self.rest, &tracks)).max
        };
        match self.chosen.settings.relative {
            Some(relative) => candidate(relative),
            // Floats of the source's own precision cannot get better.
            None if format == Format::Rgba32f => candidate(false),
            None => {
                let (absolute, relative) = (candidate(false)?, candidate(true)?);
                Ok(if error(&relative) < error(&absolute) { relative } else { absolute })
            }
        }
    }

    fn candidate(
        &self,
        frames: &Frames,
        format: Format,
        packed: bool,
        relative: bool,
    ) -> Result<(Encoded, Option<Encoded>)> {
        let (block, quality) = (self.block(format), self.chosen.settings.quality);
        let decoding = Decoding::over(frames, relative.then_some(self.rest), format);
        let texels = texels::positions(frames, self.rest, &block, &decoding, packed);
        let positions = Encoded::new(format, &block, &texels, decoding, quality)?;
        let residual = self.holds.iter().find(|(holds, _)| *holds == Holds::Residual);
        let Some(&(_, format)) = residual else { return Ok((positions, None)) };
        let plain;
        let read = match &positions.texels {
            Some(texels) => texels,
            None => {
                plain = encode::decode(positions.format, &positions.bytes);
                &plain
            }
        };
        let (texels, decoding) = texels::residual(&texels, read, &decoding, format);
        let residual = Encoded::new(format, &self.block(format), &texels, decoding, quality)?;
        Ok((positions, Some(residual)))
    }
}

/// The tracks of a clip, positions first.
fn tracks<'e>(holds: &[Holds], encoded: &'e [Encoded]) -> measure::Tracks<'e> {
    let of = |wanted: Holds| {
        let place = holds.iter().position(|&holds| holds == wanted);
        place.map(|place| encoded[place].borrow())
    };
    measure::Tracks {
        positions: encoded[0].borrow(),
        residual: of(Holds::Residual),
        packed: holds[0] == Holds::PositionNormal,
        normals: of(Holds::Normal),
        tangents: of(Holds::Tangent),
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
        Holds::Residual => none,
        Holds::PositionNormal => metadata::Error { normal_deg: Some(error.normals), ..positions },
        Holds::Normal => metadata::Error { normal_deg: Some(error.normals), ..none },
        Holds::Tangent => metadata::Error { tangent_deg: Some(error.tangents), ..none },
    }
}
