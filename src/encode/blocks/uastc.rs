//! UASTC, by Basis Universal.
//!
//! Its compressor writes a `.basis` file with one picture, whose slice is the blocks, row after row from the
//! top: they alone are what a KTX2 file holds. Its metric is linear, all channels count alike, and
//! nothing is given up for a smaller file (no RDO).
#![expect(unsafe_code, reason = "the compressor's functions are marked unsafe")]

use basis_universal::BasisTextureFormat;
use basis_universal::encoding::{ColorSpace, Compressor, CompressorParams};
use basis_universal::transcoding::{
    DecodeFlags, LowLevelUastcTranscoder, SliceParametersUastc, TranscoderBlockFormat,
};

use super::{Strip, failed};
use crate::encode::{Effort, Format, Quality};
use crate::problem::Result;

/// Basis Universal's levels of UASTC, 0 to 4 (`cPackUASTCLevel*`).
fn level(quality: Quality) -> u32 {
    match quality {
        Quality::Fast => 1,
        Quality::Medium => 2,
        Quality::Thorough => 3,
        Quality::Exhaustive => 4,
    }
}

pub fn encode(strip: &Strip, effort: &Effort, out: &mut [u8]) -> Result<()> {
    let mut params = CompressorParams::new();
    params.source_image_mut(0).init(&strip.bytes(), strip.width, strip.height, 4);
    params.set_basis_format(BasisTextureFormat::UASTC4x4);
    params.set_color_space(ColorSpace::Linear);
    params.set_uastc_quality_level(level(effort.quality));
    params.set_rdo_uastc(None);
    params.set_generate_mipmaps(false);
    // One thread: strips are spread over threads already.
    let mut compressor = Compressor::new(1);
    // SAFETY: the picture has the size that it says, and the level is one of those that exist.
    let done = unsafe { compressor.init(&params) && compressor.process().is_ok() };
    let slice = done.then(|| slice(compressor.basis_file())).flatten();
    match slice {
        Some(blocks) if blocks.len() == out.len() => {
            out.copy_from_slice(blocks);
            Ok(())
        }
        _ => Err(failed(Format::Uastc, "Basis Universal made no blocks of them")),
    }
}

/// The first slice of a `.basis` file (Basis Universal, "basis file format": `basis_file_header`,
/// `basis_slice_desc`).
fn slice(file: &[u8]) -> Option<&[u8]> {
    let number = |at: usize| {
        let bytes: [u8; 4] = file.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_le_bytes(bytes) as usize)
    };
    let description = number(65)?;
    let (start, length) = (number(description + 13)?, number(description + 17)?);
    file.get(start..start.checked_add(length)?)
}

pub fn decode(bytes: &[u8], width: u32, height: u32) -> Result<Strip> {
    // `basis-universal` 0.3 takes a row of plain texels for one of blocks and makes its buffer a quarter
    // of the width: with four times the width it is right. Whatever it makes, rows are equally long.
    let slice = SliceParametersUastc {
        num_blocks_x: width / 4,
        num_blocks_y: height / 4,
        has_alpha: false,
        original_width: width * 4,
        original_height: height,
    };
    let transcoder = LowLevelUastcTranscoder::new();
    let texels = transcoder
        .transcode_slice(bytes, slice, DecodeFlags::empty(), TranscoderBlockFormat::RGBA32)
        .map_err(|_| failed(Format::Uastc, "Basis Universal refuses the blocks"))?;
    let rows = texels.chunks(texels.len() / height as usize);
    let rgba = rows.flat_map(|row| &row[..width as usize * 4]).map(|&byte| f32::from(byte) / 255.0).collect();
    Ok(Strip { width, height, rgba })
}
