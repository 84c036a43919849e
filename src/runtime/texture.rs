//! KTX2 file → [`Texture`]: the texels or blocks as a GPU takes them.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use serde::Deserialize;

use super::ktx2::{Ktx2, LINEAR, NONE, UASTC, ZSTANDARD};
use super::{Error, Result};
use crate::encode::Format;
use crate::metadata::{Axes, Holds, SHEET_SCHEMA, Supercompression};

/// No texture is larger, in bytes on the GPU: a file that says so is broken.
pub const MAX_BYTES: u64 = 1 << 31;

/// A texture as it is in its file, inflated.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    /// What a texel is.
    pub format: Format,
    /// Texels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Array layers; with 1 it is a plain 2D texture.
    pub layers: u32,
    /// How the file stored it.
    pub supercompression: Supercompression,
    /// What the file says of itself.
    pub table: Table,
    /// Texels or blocks, rows from the top, layer after layer, without padding.
    pub data: Vec<u8>,
}

/// What a texture file says of itself, under the key `vatpipe`: the part that tells whether it belongs to the
/// metadata beside it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Table {
    /// [`SHEET_SCHEMA`].
    pub schema: String,
    /// The character's name.
    pub character: String,
    /// The sheet's index.
    pub sheet: u32,
    /// What its texels hold.
    pub holds: Holds,
    /// The axes of its numbers.
    pub axes: Axes,
    /// The layout hash of the character; 0 in files that are older than it.
    #[serde(default)]
    pub layout: u32,
}

/// Reads a texture that `vatpipe` wrote.
///
/// # Errors
/// `runtime::texture` for anything that is not such a file, whole.
pub fn read(file: &[u8]) -> Result<Texture> {
    let ktx2 = Ktx2::read(file)?;
    let format = format_of(&ktx2)?;
    if (ktx2.depth, ktx2.faces, ktx2.levels) != (0, 1, 1) {
        return Err(wrong("it is not one 2D image, or array of them, without mip levels"));
    }
    let (width, height, layers) = (ktx2.width, ktx2.height, ktx2.layers.max(1));
    let size = size(format, width, height, layers)?;
    if ktx2.inflated != size as u64 {
        return Err(wrong(format!("its image has {} bytes, not {size}", ktx2.inflated)));
    }
    let (supercompression, data) = match ktx2.scheme {
        NONE if ktx2.level.len() == size => (Supercompression::None, ktx2.level.to_vec()),
        NONE => return Err(wrong(format!("its image has {} bytes, not {size}", ktx2.level.len()))),
        ZSTANDARD => (Supercompression::Zstd, inflate(ktx2.level, size)?),
        other => return Err(wrong(format!("it is compressed by scheme {other}, not by Zstandard"))),
    };
    let table = table(&ktx2)?;
    Ok(Texture { format, width, height, layers, supercompression, table, data })
}

pub fn wrong(what: impl Into<String>) -> Error {
    Error::new("runtime::texture", what).help("build the character again")
}

fn format_of(ktx2: &Ktx2) -> Result<Format> {
    let number = ktx2.vk_format;
    match Format::all().iter().copied().find(|format| format.vk_format() == number) {
        Some(Format::Uastc) if ktx2.color_model != UASTC => {
            Err(wrong("its format has no number and is not UASTC"))
        }
        Some(_) if ktx2.transfer != LINEAR => Err(wrong("it is not linear: another program has changed it")),
        Some(format) => Ok(format),
        None => Err(wrong(format!("its VkFormat is {number}, which vatpipe does not write"))),
    }
}

/// Bytes of an image: whole blocks, as many as a row and a column of them need.
fn size(format: Format, width: u32, height: u32, layers: u32) -> Result<usize> {
    let (across, down) = format.block_size();
    let blocks = u64::from(width.div_ceil(across)) * u64::from(height.div_ceil(down));
    let bytes =
        blocks.checked_mul(u64::from(layers)).and_then(|b| b.checked_mul(format.bytes_per_block() as u64));
    let bytes = bytes.filter(|&bytes| bytes > 0 && bytes <= MAX_BYTES);
    bytes.and_then(|bytes| usize::try_from(bytes).ok()).ok_or_else(|| {
        wrong(format!(
            "{width} x {height} texels in {layers} layers are no texture of at most {MAX_BYTES} bytes"
        ))
    })
}

/// A Zstandard frame of so many bytes. Memory grows with what is really there.
fn inflate(mut frame: &[u8], size: usize) -> Result<Vec<u8>> {
    let broken = |e: &dyn core::fmt::Display| wrong(format!("its Zstandard frame is broken: {e}"));
    let mut decoder = FrameDecoder::new();
    // Writers round the window up to a power of two.
    decoder.set_max_window_size(2 * size as u64 + (1 << 17));
    decoder.init(&mut frame).map_err(|e| broken(&e))?;
    let mut data = Vec::new();
    while data.len() <= size && !decoder.is_finished() {
        decoder.decode_blocks(&mut frame, BlockDecodingStrategy::UptoBlocks(8)).map_err(|e| broken(&e))?;
        data.extend(decoder.collect().unwrap_or_default());
    }
    data.extend(decoder.collect().unwrap_or_default());
    if data.len() == size {
        Ok(data)
    } else {
        Err(wrong(format!("its Zstandard frame does not inflate to {size} bytes")))
    }
}

fn table(ktx2: &Ktx2) -> Result<Table> {
    let value = |key: &str| ktx2.value(key);
    if value("KTXorientation").is_some_and(|value| value != b"rd\0") {
        return Err(wrong("its rows do not go downwards: another program has turned it over"));
    }
    let text = value("vatpipe").ok_or_else(|| wrong("it has no clip table: another program wrote it"))?;
    let text = text.strip_suffix(b"\0").unwrap_or(text);
    let table: Table =
        serde_json::from_slice(text).map_err(|e| wrong(format!("its clip table cannot be read: {e}")))?;
    if table.schema == SHEET_SCHEMA {
        Ok(table)
    } else {
        Err(wrong(format!("its clip table has the schema `{}`, not `{SHEET_SCHEMA}`", table.schema)))
    }
}
