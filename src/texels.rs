//! [`Frames`] + where a clip lies → [`Texels`]: planes of values as a format stores them, and the
//! numbers that bring them back.
//!
//! A clip's block is all its rows, as wide as the sheet: `bands * band_rows` rows, each band's
//! frames followed by its guard row. Values are those that [`encode`](crate::encode) takes: 0 to 1
//! over the clip's own range for integer formats, the range where a format of floats is finest
//! ([`Format::range`]), and the positions themselves for 32-bit floats.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::encode::{Decoded, Format, octahedral};
use crate::motion::{Frame, Frames};

/// How a clip's block is cut into bands and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Texels in a row.
    pub width: u32,
    /// Bands.
    pub bands: u32,
    /// Rows of a band: frames, then guard.
    pub band_rows: u32,
    /// Frames.
    pub frames: u32,
    /// Whether frame 0 follows the last frame.
    pub looping: bool,
}

impl Block {
    /// Texels of the block.
    pub fn texels(&self) -> usize {
        self.width as usize * (self.bands * self.band_rows) as usize
    }

    /// The frame that a row of a band shows.
    pub fn frame_of_row(&self, row: u32) -> u32 {
        if row < self.frames {
            row
        } else if self.looping {
            0
        } else {
            self.frames - 1
        }
    }
}

/// What brings a texel back to a position: `bias + scale * texel`, plus the rest position if
/// `relative`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decoding {
    /// Model units.
    pub bias: [f32; 3],
    /// Model units a texel unit.
    pub scale: [f32; 3],
    /// Whether texels hold offsets from the rest position.
    pub relative: bool,
}

impl Decoding {
    /// Texels that are what they say.
    pub const IDENTITY: Self = Self { bias: [0.0; 3], scale: [1.0; 3], relative: false };

    /// Spreads the range of a clip over the range of a format. With `rest`, the offsets from it.
    pub fn over(frames: &Frames, rest: Option<Frame>, format: Format) -> Self {
        let relative = rest.is_some();
        if format == Format::Rgba32f {
            return Self { relative, ..Self::IDENTITY };
        }
        let (min, max) = range(frames, rest);
        Self { relative, ..Self::spread(min, max, format) }
    }

    /// Spreads the range from `min` to `max` over the range of a format.
    fn spread(min: [f32; 3], max: [f32; 3], format: Format) -> Self {
        let [low, high] = format.range();
        let scale = [0, 1, 2].map(|axis| (max[axis] - min[axis]) / (high - low));
        let bias = [0, 1, 2].map(|axis| min[axis] - scale[axis] * low);
        Self { bias, scale, relative: false }
    }

    /// A position of one axis from its texel; `rest` is added by the caller.
    #[inline]
    pub fn decode(&self, axis: usize, texel: f32) -> f32 {
        self.bias[axis] + self.scale[axis] * texel
    }
}

/// The smallest and largest of each axis over all frames.
fn range(frames: &Frames, rest: Option<Frame>) -> ([f32; 3], [f32; 3]) {
    let of_frame = |f: usize| {
        let frame = frames.frame(f);
        let mut range = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for axis in 0..3 {
            let rest = rest.map(|r| r.positions[axis]);
            for (c, &p) in frame.positions[axis].iter().enumerate() {
                let v = rest.map_or(p, |rest| p - rest[c]);
                range.0[axis] = range.0[axis].min(v);
                range.1[axis] = range.1[axis].max(v);
            }
        }
        range
    };
    let none = || ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    (0..frames.frames)
        .into_par_iter()
        .map(of_frame)
        .reduce(none, |a, b| ([0, 1, 2].map(|i| a.0[i].min(b.0[i])), [0, 1, 2].map(|i| a.1[i].max(b.1[i]))))
}

/// The values of a clip's block.
#[derive(Clone, Debug, Default)]
pub struct Texels {
    /// Planes, row after row.
    pub planes: [Vec<f32>; 3],
    /// Packed normals for the fourth channel.
    pub packed: Option<Vec<u16>>,
}

/// Positions, and normals packed beside them if `packed`.
pub fn positions(frames: &Frames, rest: Frame, block: &Block, decoding: &Decoding, packed: bool) -> Texels {
    let planes = [0, 1, 2].map(|axis| {
        let (bias, scale) = (decoding.bias[axis], decoding.scale[axis]);
        let rest = decoding.relative.then_some(rest.positions[axis]);
        let mut plane = vec![0.0; block.texels()];
        fill(
            block,
            &mut plane,
            |f, columns, out: &mut [f32]| {
                out.copy_from_slice(&frames.frame(f).positions[axis][columns.clone()]);
                if let Some(rest) = rest {
                    out.iter_mut().zip(&rest[columns]).for_each(|(v, r)| *v -= r);
                }
                // An axis without extent has no scale; its texels are 0.
                match scale {
                    0.0 => out.fill(0.0),
                    _ => out.iter_mut().for_each(|v| *v = (*v - bias) / scale),
                }
            },
            frames.columns,
        );
        plane
    });
    let packed = packed.then(|| {
        let mut plane = vec![0u16; block.texels()];
        fill(
            block,
            &mut plane,
            |f, columns, out: &mut [u16]| {
                let frame = frames.frame(f);
                if let Some(normals) = frame.normals {
                    octahedral::pack_planes(normals.map(|n| &n[columns.clone()]), out);
                }
            },
            frames.columns,
        );
        plane
    });
    Texels { planes, packed }
}

/// What is lost of `texels` when they are read as `read`, in a sheet of its own, and the numbers
/// that bring it back to model units. `decoding` is that of the positions. Every texel has its own rest, those of guard rows
/// and of filled-up blocks too, as they come out differently from what they repeat.
pub fn residual(texels: &Texels, read: &Decoded, decoding: &Decoding, format: Format) -> (Texels, Decoding) {
    let mut planes = [0, 1, 2].map(|axis| -> Vec<f32> {
        let pairs = texels.planes[axis].iter().zip(&read.planes[axis]);
        pairs.map(|(wanted, read)| (wanted - read) * decoding.scale[axis]).collect()
    });
    let least = planes.each_ref().map(|plane| plane.iter().copied().fold(f32::INFINITY, f32::min));
    let most = planes.each_ref().map(|plane| plane.iter().copied().fold(f32::NEG_INFINITY, f32::max));
    let decoding = Decoding::spread(least, most, format);
    for (axis, plane) in planes.iter_mut().enumerate() {
        let (bias, scale) = (decoding.bias[axis], decoding.scale[axis]);
        match scale {
            0.0 => plane.fill(0.0),
            _ => plane.iter_mut().for_each(|v| *v = (*v - bias) / scale),
        }
    }
    (Texels { planes, packed: None }, decoding)
}

/// Unit vectors as octahedral bytes in x and y; z is `third` by column.
pub fn directions<'a>(
    frames: &'a Frames,
    of: impl Fn(Frame<'a>) -> Option<[&'a [f32]; 3]> + Sync,
    third: Option<&[f32]>,
    block: &Block,
) -> Texels {
    let mut packed = vec![0u16; block.texels()];
    fill(
        block,
        &mut packed,
        |f, columns, out: &mut [u16]| {
            if let Some(v) = of(frames.frame(f)) {
                octahedral::pack_planes(v.map(|plane| &plane[columns.clone()]), out);
            }
        },
        frames.columns,
    );
    let byte = |shift: u32| packed.iter().map(|p| f32::from((p >> shift) as u8) / 255.0).collect();
    let mut z = vec![0.0; block.texels()];
    if let Some(third) = third {
        fill(
            block,
            &mut z,
            |_, columns, out: &mut [f32]| out.copy_from_slice(&third[columns]),
            frames.columns,
        );
    }
    Texels { planes: [byte(0), byte(8), z], packed: None }
}

/// Calls `row` for each row of a plane with its frame and its columns; texels past the last column
/// repeat it.
fn fill<T: Copy + Send>(
    block: &Block,
    plane: &mut [T],
    row: impl Fn(usize, std::ops::Range<usize>, &mut [T]) + Sync,
    columns: usize,
) {
    let width = block.width as usize;
    plane.par_chunks_mut(width).enumerate().for_each(|(y, out)| {
        let band = y / block.band_rows as usize;
        let frame = block.frame_of_row(y as u32 % block.band_rows);
        let first = band * width;
        let used = width.min(columns - first);
        row(frame as usize, first..first + used, &mut out[..used]);
        let last = out[used - 1];
        out[used..].fill(last);
    });
}
