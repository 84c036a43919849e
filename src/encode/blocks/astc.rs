//! ASTC, LDR and HDR, by ARM's astcenc.
//!
//! It gets 32-bit floats, not bytes: 8-bit input would cost half of what LDR blocks can keep. The
//! fourth channel is constant and has no weight; the weights of the others make its squared error a
//! squared distance. Perceptual metrics are off.

use super::astcenc::{Context, Settings};
use super::{Strip, failed};
use crate::encode::{Effort, Format, Kind, Quality};
use crate::problem::Result;

/// astcenc's own scale from 0 to 100 (`ASTCENC_PRE_*`).
fn preset(quality: Quality) -> f32 {
    match quality {
        Quality::Fast => 10.0,
        Quality::Medium => 60.0,
        Quality::Thorough => 98.0,
        Quality::Exhaustive => 100.0,
    }
}

fn settings(format: Format, quality: Quality) -> Settings {
    Settings { block: format.block_size(), hdr: format.kind() == Kind::Float, quality: preset(quality) }
}

pub fn encode(format: Format, mut strip: Strip, effort: &Effort, out: &mut [u8]) -> Result<()> {
    let failed = |why: String| failed(format, &why);
    let mut context = Context::new(settings(format, effort.quality), weights(effort)).map_err(failed)?;
    context.compress(strip.width, strip.height, &mut strip.rgba, out).map_err(failed)
}

/// Squares of the scales, the largest 1. astcenc keeps each above a thousandth of the largest.
fn weights(effort: &Effort) -> [f32; 3] {
    let most = effort.scale.iter().fold(0.0f32, |most, scale| most.max(scale.abs()));
    if most > 0.0 { effort.scale.map(|scale| (scale / most) * (scale / most)) } else { [1.0; 3] }
}

pub fn decode(format: Format, bytes: &[u8], width: u32, height: u32) -> Result<Strip> {
    let failed = |why: String| failed(format, &why);
    let mut context = Context::new(settings(format, Quality::Fast), [1.0; 3]).map_err(failed)?;
    let mut rgba = vec![0.0; width as usize * height as usize * 4];
    context.decompress(width, height, bytes, &mut rgba).map_err(failed)?;
    Ok(Strip { width, height, rgba })
}
