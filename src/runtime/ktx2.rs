//! A KTX2 file, taken apart (Khronos, KTX 2.0 specification). Any bytes are fine: the reader that baking uses takes files
//! that it has written, and does not survive every other.

use super::Result;
use super::texture::wrong;

const IDENTIFIER: &[u8; 12] = b"\xABKTX 20\xBB\r\n\x1A\n";

/// Schemes of supercompression.
pub const NONE: u32 = 0;
pub const ZSTANDARD: u32 = 2;

/// A colour model, and a transfer function, of data format descriptors.
pub const UASTC: u8 = 166;
pub const LINEAR: u8 = 1;

/// The header, what else matters of the parts before the image, and the image.
pub struct Ktx2<'a> {
    pub vk_format: u32,
    pub width: u32,
    pub height: u32,
    pub depth: u32,
    /// 0 where it is no array.
    pub layers: u32,
    pub faces: u32,
    pub levels: u32,
    pub scheme: u32,
    pub color_model: u8,
    pub transfer: u8,
    /// The largest mip level, as stored.
    pub level: &'a [u8],
    /// Its bytes when inflated, as the file says.
    pub inflated: u64,
    /// Key/value data.
    entries: &'a [u8],
}

impl<'a> Ktx2<'a> {
    /// Takes a file apart.
    pub fn read(file: &'a [u8]) -> Result<Self> {
        if !file.starts_with(IDENTIFIER) {
            return Err(wrong("this is no KTX2 file"));
        }
        Self::parts(file).ok_or_else(|| wrong("this is no whole KTX2 file: it ends before its parts do"))
    }

    fn parts(file: &'a [u8]) -> Option<Self> {
        let word = |at: usize| Some(u32::from_le_bytes(*file.get(at..)?.first_chunk()?));
        let long = |at: usize| Some(u64::from_le_bytes(*file.get(at..)?.first_chunk()?));
        let part = |start: u64, length: u64| {
            let range = usize::try_from(start).ok()?..usize::try_from(start.checked_add(length)?).ok()?;
            file.get(range)
        };
        let descriptor = part(word(48)?.into(), word(52)?.into())?;
        Some(Self {
            vk_format: word(12)?,
            width: word(20)?,
            height: word(24)?,
            depth: word(28)?,
            layers: word(32)?,
            faces: word(36)?,
            levels: word(40)?,
            scheme: word(44)?,
            // After the size of all, a basic block: two words, then one byte each.
            color_model: *descriptor.get(12)?,
            transfer: *descriptor.get(14)?,
            level: part(long(80)?, long(88)?)?,
            inflated: long(96)?,
            entries: part(word(56)?.into(), word(60)?.into())?,
        })
    }

    /// The value of a key.
    pub fn value(&self, key: &str) -> Option<&'a [u8]> {
        let mut rest = self.entries;
        while let Some((length, after)) = rest.split_first_chunk() {
            let length = u32::from_le_bytes(*length) as usize;
            let entry = after.get(..length)?;
            let name = entry.strip_prefix(key.as_bytes()).and_then(|value| value.strip_prefix(b"\0"));
            if name.is_some() {
                return name;
            }
            // Padded to four bytes; the last one may not be.
            rest = after.get(length.checked_next_multiple_of(4)?..).unwrap_or_default();
        }
        None
    }
}
