//! BC7 and BC6H, by a port of Intel's encoder to Rust, and `bcdec_rs` for reading them.
//!
//! The encoder is plain arithmetic without choice of instruction sets: it gives the same blocks
//! everywhere. It knows no weights; all channels count alike and there is no perceptual metric.

use block_compression::encode::{compress_rgba8, compress_rgba16};
use block_compression::{BC6HSettings, BC7Settings, CompressionVariant};
use half::f16;

use super::Strip;
use crate::encode::{Effort, Format, Quality};
use crate::problem::Result;

pub fn encode(format: Format, strip: &Strip, effort: &Effort, out: &mut [u8]) -> Result<()> {
    let Strip { width, height, rgba } = strip;
    let stride = width * 4;
    if format == Format::Bc7 {
        let settings = match effort.quality {
            Quality::Fast => BC7Settings::opaque_fast(),
            Quality::Medium => BC7Settings::opaque_basic(),
            Quality::Thorough | Quality::Exhaustive => BC7Settings::opaque_slow(),
        };
        compress_rgba8(CompressionVariant::BC7(settings), &strip.bytes(), out, *width, *height, stride);
    } else {
        let settings = match effort.quality {
            Quality::Fast => BC6HSettings::fast(),
            Quality::Medium => BC6HSettings::basic(),
            Quality::Thorough => BC6HSettings::slow(),
            Quality::Exhaustive => BC6HSettings::very_slow(),
        };
        let halves: Vec<f16> = rgba.iter().map(|&v| f16::from_f32(v)).collect();
        compress_rgba16(CompressionVariant::BC6H(settings), &halves, out, *width, *height, stride);
    }
    Ok(())
}

pub fn decode(format: Format, bytes: &[u8], width: u32, height: u32) -> Strip {
    let mut rgba = vec![1.0; width as usize * height as usize * 4];
    let across = width as usize / 4;
    for (index, block) in bytes.as_chunks::<16>().0.iter().enumerate() {
        let first = (index / across * 4) * width as usize + index % across * 4;
        let mut put = |texel: usize, value: [f32; 3]| {
            let at = (first + texel / 4 * width as usize + texel % 4) * 4;
            rgba[at..at + 3].copy_from_slice(&value);
        };
        if format == Format::Bc7 {
            let mut texels = [0u8; 64];
            bcdec_rs::bc7(block, &mut texels, 16);
            for (texel, t) in texels.as_chunks::<4>().0.iter().enumerate() {
                put(texel, [t[0], t[1], t[2]].map(|byte| f32::from(byte) / 255.0));
            }
        } else {
            let mut texels = [0u16; 48];
            bcdec_rs::bc6h_half(block, &mut texels, 12, false);
            for (texel, t) in texels.as_chunks::<3>().0.iter().enumerate() {
                put(texel, t.map(|bits| f16::from_bits(bits).to_f32()));
            }
        }
    }
    Strip { width, height, rgba }
}
