//! [`Image`] → KTX2 file.

use crate::encode::Format;

/// A texture with one mip level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// What a texel is.
    pub format: Format,
    /// Texels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Array layers; 1 for a plain 2D texture.
    pub layers: u32,
    /// Texels, rows from the top, layer after layer, without padding.
    pub data: Vec<u8>,
}
