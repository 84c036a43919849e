//! Whole pictures: every format through one door, those in blocks too.

use super::{Decoded, Format, Quality, blocks, loops};
use crate::problem::Result;

/// Texel values to encode: the texels of a clip.
#[derive(Clone, Copy, Debug)]
pub struct Picture<'a> {
    /// Texels in a row: whole blocks.
    pub width: u32,
    /// Rows: whole blocks.
    pub height: u32,
    /// x, y and z, row after row.
    pub planes: [&'a [f32]; 3],
    /// Packed normals for the fourth channel.
    pub packed: Option<&'a [u16]>,
}

/// What an encoder of blocks is told. Formats that store texels one by one do not look at it.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How hard it tries.
    pub quality: Quality,
    /// How long one texel unit is along x, y and z, in any unit: an encoder weighs the error of the
    /// channels so that distances count, not colours.
    pub scale: [f32; 3],
}

/// Encodes a picture. In formats in blocks the bytes are rows of blocks from the top, so that
/// pictures of the same width may be put below each other without encoding them again.
///
/// # Errors
/// `encode::feature` for a format whose encoder is not in this build, `encode::blocks` when an encoder
/// fails.
///
/// # Panics
/// When width and height are not those of the planes or no whole blocks, or as [`loops::encode_into`].
pub fn encode_picture(format: Format, picture: &Picture, effort: &Effort) -> Result<Vec<u8>> {
    check(format, picture.width, picture.height, picture.planes[0].len());
    if format.is_block() {
        return blocks::encode(format, picture, effort);
    }
    let mut bytes = Vec::new();
    loops::encode(format, picture.planes, picture.packed, &mut bytes);
    Ok(bytes)
}

/// Decodes what [`encode_picture`] made, as a GPU does.
///
/// # Errors
/// `encode::feature` for a format whose decoder is not in this build, `encode::blocks` for bytes that
/// a decoder refuses.
///
/// # Panics
/// When there are more or fewer bytes than width and height say.
pub fn decode_picture(format: Format, bytes: &[u8], width: u32, height: u32) -> Result<Decoded> {
    let texels = width as usize * height as usize;
    check(format, width, height, texels);
    assert!(bytes.len() == format.bytes(width, height), "{} bytes of {format}", bytes.len());
    if format.is_block() {
        blocks::decode(format, bytes, width, height)
    } else {
        Ok(loops::decode(format, bytes))
    }
}

fn check(format: Format, width: u32, height: u32, texels: usize) {
    let (across, down) = format.block_size();
    assert!(
        width.is_multiple_of(across) && height.is_multiple_of(down),
        "{width} x {height} texels in blocks of {format}"
    );
    assert!(width as usize * height as usize == texels, "{width} x {height} texels, and {texels} values");
}
