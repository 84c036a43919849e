//! One clip: sampled, deformed, encoded, measured.

use super::Stored;
use crate::encode::{self, Format};
use crate::layout::{self, Layout};
use crate::manifest::Normals;
use crate::measure;
use crate::metadata::{self, Holds};
use crate::motion::{self, Animation, ChosenClip, Frame, Frames, Rig};
use crate::problem::{Problem, Result};
use crate::source::Source;
use crate::texels::{self, Block, Decoding, Texels};

/// What all clips of a character are baked with.
pub struct Stage<'a> {
    pub source: &'a Source,
    pub rig: &'a Rig,
    pub rest: Frame<'a>,
    pub layout: &'a Layout,
    pub stored: &'a Stored,
}

/// One clip: the texels of each of its tracks, ready to be put in the sheets.
pub struct BakedClip {
    pub metadata: metadata::Clip,
    /// In the order of the tracks.
    pub blocks: Vec<Vec<u8>>,
    /// Whether it ends as it starts although the manifest says nothing of a loop.
    pub looks_like_a_loop: bool,
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

/// The tracks of a clip.
struct Tracks {
    positions: Encoded,
    packed: bool,
    normals: Option<Encoded>,
    tangents: Option<Encoded>,
}

impl Tracks {
    fn borrow(&self) -> measure::Tracks<'_> {
        measure::Tracks {
            positions: self.positions.borrow(),
            packed: self.packed,
            normals: self.normals.as_ref().map(Encoded::borrow),
            tangents: self.tangents.as_ref().map(Encoded::borrow),
        }
    }

    /// As the layout lists a clip's tracks.
    fn in_order(self) -> Vec<Encoded> {
        [Some(self.positions), self.normals, self.tangents].into_iter().flatten().collect()
    }
}

impl Stage<'_> {
    pub fn bake_clip(&self, index: usize, chosen: &ChosenClip, ident: &str) -> Result<BakedClip> {
        let animation = Animation::new(self.source, self.rig, Some(&chosen.clip));
        let frames = motion::deform(self.rig, &animation.sample(chosen.timeline.times()));
        check_finite(&frames, chosen)?;
        let places = &self.layout.tracks[index];
        let block = self.block(places, chosen);

        let tracks = self.encode_tracks(&frames, places, &block, chosen);
        let decoded = measure::decoded(self.rig, self.rest, &block, &tracks.borrow());
        let encode_error = measure::at_frames(&frames, &decoded);
        let error = measure::over_time(measure::Played {
            rig: self.rig,
            animation: &animation,
            timeline: &chosen.timeline,
            step: chosen.step,
            truth: &frames,
            decoded: &decoded,
        });

        let encoded = tracks.in_order();
        let described = places.iter().zip(&encoded).map(|(place, encoded)| {
            let holds = self.layout.sheets[place.sheet as usize].holds;
            track(place, chosen, &encoded.decoding, track_error(holds, encode_error, &error))
        });
        let metadata = metadata::Clip {
            name: chosen.name.clone(),
            ident: ident.to_owned(),
            duration: chosen.timeline.duration,
            looping: chosen.timeline.looping,
            interpolation: if chosen.step { metadata::Playback::Step } else { metadata::Playback::Linear },
            bounds: measure::bounds(&decoded),
            tracks: described.collect(),
        };
        let looks_like_a_loop = looks_like_a_loop(&frames, chosen);
        Ok(BakedClip { metadata, blocks: encoded.into_iter().map(|e| e.bytes).collect(), looks_like_a_loop })
    }

    fn block(&self, places: &[layout::Track], chosen: &ChosenClip) -> Block {
        Block {
            width: self.layout.width,
            bands: self.layout.bands,
            band_rows: places[0].band_rows,
            frames: places[0].frames,
            looping: chosen.timeline.looping,
        }
    }

    fn packs_normals(&self, format: Format) -> bool {
        self.stored.normals == Normals::Packed && format.has_packed_normal()
    }

    fn encode_tracks(
        &self,
        frames: &Frames,
        places: &[layout::Track],
        block: &Block,
        chosen: &ChosenClip,
    ) -> Tracks {
        let stored =
            |holds: Holds| places.iter().any(|p| self.layout.sheets[p.sheet as usize].holds == holds);
        let normals = stored(Holds::Normal).then(|| {
            let texels = texels::directions(frames, |f| f.normals, None, block);
            Encoded::new(Format::Rg8, &texels, Decoding::IDENTITY)
        });
        let tangents = stored(Holds::Tangent).then(|| {
            let handedness: Vec<f32> = self.rig.handedness.iter().map(|h| (h + 1.0) * 0.5).collect();
            let texels = texels::directions(frames, |f| f.tangents, Some(&handedness), block);
            Encoded::new(Format::Rgba8, &texels, Decoding::IDENTITY)
        });
        Tracks {
            positions: self.encode_positions(frames, block, chosen),
            packed: self.packs_normals(chosen.settings.format),
            normals,
            tangents,
        }
    }

    /// Positions as they are and as offsets from the rest pose; the kind asked for, else whichever
    /// measures better at the frames, the former if they are equal.
    fn encode_positions(&self, frames: &Frames, block: &Block, chosen: &ChosenClip) -> Encoded {
        let format = chosen.settings.format;
        let packed = self.stored.normals == Normals::Packed && format.has_packed_normal();
        let candidate = |relative: bool| {
            let decoding = Decoding::over(frames, relative.then_some(self.rest), format);
            let texels = texels::positions(frames, self.rest, block, &decoding, packed);
            let encoded = Encoded::new(format, &texels, decoding);
            let tracks =
                measure::Tracks { positions: encoded.borrow(), packed: false, normals: None, tangents: None };
            let decoded = measure::decoded(self.rig, self.rest, block, &tracks);
            let error = measure::at_frames(frames, &decoded);
            (encoded, error)
        };
        match chosen.settings.relative {
            Some(relative) => candidate(relative).0,
            // Floats of the source's own precision cannot get better.
            None if format == Format::Rgba32f => candidate(false).0,
            None => {
                let (absolute, relative) = (candidate(false), candidate(true));
                if relative.1.max < absolute.1.max { relative.0 } else { absolute.0 }
            }
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

/// Whether a clip ends as it starts, and moves in between: it is most likely meant to loop.
fn looks_like_a_loop(frames: &Frames, chosen: &ChosenClip) -> bool {
    if chosen.timeline.looping || chosen.settings.loop_said || frames.frames < 3 {
        return false;
    }
    let size = frames.frame(0).positions.map(|p| {
        let max = p.iter().fold(f32::NEG_INFINITY, |a, &b| a.max(b));
        max - p.iter().fold(f32::INFINITY, |a, &b| a.min(b))
    });
    let near = 1e-4 * size.iter().fold(0.0f32, |a, &b| a.max(b));
    let still = |frame: usize| {
        let (a, b) = (frames.frame(0).positions, frames.frame(frame).positions);
        (0..3).all(|axis| a[axis].iter().zip(b[axis]).all(|(a, b)| (a - b).abs() <= near))
    };
    let last = frames.frames - 1;
    still(last) && !(1..last).all(still)
}

fn track(
    place: &layout::Track,
    chosen: &ChosenClip,
    decoding: &Decoding,
    error: metadata::Error,
) -> metadata::Track {
    metadata::Track {
        sheet: place.sheet,
        layer: place.layer,
        first_row: place.first_row,
        frames: place.frames,
        fps: chosen.timeline.fps,
        band_rows: place.band_rows,
        bias: decoding.bias,
        scale: decoding.scale,
        relative: decoding.relative,
        error,
    }
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
