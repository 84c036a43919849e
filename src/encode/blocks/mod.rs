//! Formats in blocks: each block of texels is encoded on its own.
//!
//! A picture is cut into strips of whole blocks, which are encoded and decoded in parallel. No encoder
//! here looks beyond a block, so the bytes depend neither on the strips nor on the number of threads.
//! Each encoder runs the same instructions on every machine of an architecture, whatever its
//! processor has; `astcenc` says how.

#[cfg(feature = "astc")]
mod astc;
#[cfg(feature = "astc")]
mod astcenc;
#[cfg(feature = "bc")]
mod bc;
#[cfg(feature = "uastc")]
mod uastc;

use rayon::prelude::*;

use super::{Decoded, Effort, Format, Picture, missing};
#[cfg(any(feature = "astc", feature = "uastc"))]
use crate::problem::Problem;
use crate::problem::Result;

/// Texels of a strip, about: enough that starting an encoder does not count.
const STRIP: usize = 32_768;

/// Texels of four channels, rows from the top.
#[derive(Clone, Debug, Default)]
#[cfg_attr(
    not(any(feature = "astc", feature = "bc", feature = "uastc")),
    expect(dead_code, reason = "nobody encodes it")
)]
struct Strip {
    width: u32,
    height: u32,
    rgba: Vec<f32>,
}

impl Strip {
    /// Rows of a picture; the fourth channel is 1.
    fn of(picture: &Picture, first_row: u32, height: u32) -> Self {
        let width = picture.width;
        let texels = first_row as usize * width as usize..(first_row + height) as usize * width as usize;
        let [x, y, z] = picture.planes.map(|plane| &plane[texels.clone()]);
        let rgba = x.iter().zip(y).zip(z).flat_map(|((&x, &y), &z)| [x, y, z, 1.0]).collect();
        Self { width, height, rgba }
    }

    /// The texels as bytes.
    #[cfg(any(feature = "bc", feature = "uastc"))]
    fn bytes(&self) -> Vec<u8> {
        self.rgba.iter().map(|&v| (v.clamp(0.0, 1.0) * 255.0).round_ties_even() as u8).collect()
    }
}

/// The rows of blocks in a strip of a picture of that width.
fn strip_rows(format: Format, width: u32) -> usize {
    let row = width as usize * format.block_size().1 as usize;
    (STRIP / row.max(1)).max(1)
}

/// Encodes a picture of whole blocks.
pub fn encode(format: Format, picture: &Picture, effort: &Effort) -> Result<Vec<u8>> {
    let down = format.block_size().1;
    let rows = strip_rows(format, picture.width);
    let row_bytes = format.bytes(picture.width, down);
    let mut bytes = vec![0; format.bytes(picture.width, picture.height)];
    bytes.par_chunks_mut(rows * row_bytes).enumerate().try_for_each(|(strip, out)| {
        let first_row = (strip * rows) as u32 * down;
        let height = (out.len() / row_bytes) as u32 * down;
        encode_strip(format, Strip::of(picture, first_row, height), effort, out)
    })?;
    Ok(bytes)
}

/// Decodes a picture of whole blocks.
pub fn decode(format: Format, bytes: &[u8], width: u32, height: u32) -> Result<Decoded> {
    let down = format.block_size().1;
    let rows = strip_rows(format, width);
    let row_bytes = format.bytes(width, down);
    let mut planes = [(); 3].map(|()| vec![0.0; width as usize * height as usize]);
    let texels = rows * down as usize * width as usize;
    let [x, y, z] = &mut planes;
    let strips = x.par_chunks_mut(texels).zip(y.par_chunks_mut(texels)).zip(z.par_chunks_mut(texels));
    strips.zip(bytes.par_chunks(rows * row_bytes)).try_for_each(|(((x, y), z), bytes)| {
        let height = (bytes.len() / row_bytes) as u32 * down;
        let strip = decode_strip(format, bytes, width, height)?;
        for (((t, x), y), z) in strip.rgba.as_chunks::<4>().0.iter().zip(x).zip(y).zip(z) {
            [*x, *y, *z, _] = *t;
        }
        Ok(())
    })?;
    Ok(Decoded { planes, packed: None })
}

#[cfg_attr(not(any(feature = "astc", feature = "bc", feature = "uastc")), expect(unused_variables))]
fn encode_strip(format: Format, strip: Strip, effort: &Effort, out: &mut [u8]) -> Result<()> {
    match format.cargo_feature() {
        #[cfg(feature = "astc")]
        Some("astc") => astc::encode(format, strip, effort, out),
        #[cfg(feature = "bc")]
        Some("bc") => bc::encode(format, &strip, effort, out),
        #[cfg(feature = "uastc")]
        Some("uastc") => uastc::encode(&strip, effort, out),
        _ => Err(missing(format)),
    }
}

#[cfg_attr(not(any(feature = "astc", feature = "bc", feature = "uastc")), expect(unused_variables))]
fn decode_strip(format: Format, bytes: &[u8], width: u32, height: u32) -> Result<Strip> {
    match format.cargo_feature() {
        #[cfg(feature = "astc")]
        Some("astc") => astc::decode(format, bytes, width, height),
        #[cfg(feature = "bc")]
        Some("bc") => Ok(bc::decode(format, bytes, width, height)),
        #[cfg(feature = "uastc")]
        Some("uastc") => uastc::decode(bytes, width, height),
        _ => Err(missing(format)),
    }
}

/// An encoder or decoder that refuses what it is given.
#[cfg(any(feature = "astc", feature = "uastc"))]
fn failed(format: Format, why: &str) -> Problem {
    Problem::error("encode::blocks", format!("the texels cannot be brought into `{format}` or back: {why}"))
}
