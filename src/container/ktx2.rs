//! [`Image`] → KTX2 file.
//!
//! The file is laid out as the KTX 2.0 specification says: header, level index, data format
//! descriptor, key/value data, the one level. It is linear, never sRGB, and says so. Whatever goes
//! in decides the bytes: no time, no path, no thread count gets into them.

use ktx2::dfd::{Basic, Block};
use ktx2::{Header, Index, LevelIndex, SupercompressionScheme};

use crate::encode::Format;
use crate::problem::{Problem, Result};

/// The value of `KTXwriter`.
const WRITER: &str = concat!("vatpipe ", env!("CARGO_PKG_VERSION"));

/// x to the right, rows downwards: row 0 is the first in memory and the first an engine uploads.
const ORIENTATION: &str = "rd";

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
    /// Texels or blocks, rows from the top, layer after layer, without padding.
    pub data: Vec<u8>,
}

/// A KTX2 file with that image. `key_values` go into the file as they are (the specification wants
/// text to end with a NUL byte, which is the caller's to add), sorted by key, beside `KTXwriter`
/// and `KTXorientation`. With `zstd` the level is compressed at that level of effort, 1 to 22.
///
/// An image of one layer becomes a plain 2D texture (`layerCount` 0), others a 2D array.
///
/// # Errors
/// `container::image` when size and data do not go together, `container::key` for a key that is
/// empty, reserved (`KTX…`), there twice or has a NUL byte, `container::zstd` for a level of effort
/// that does not exist, `container::size` when the file cannot be written down.
pub fn write(image: &Image, key_values: &[(String, Vec<u8>)], zstd: Option<i32>) -> Result<Vec<u8>> {
    check_size(image)?;
    let (dfd, type_size) = descriptor(image.format)?;
    let kvd = key_value_data(key_values)?;
    let compressed = zstd.map(|effort| compress(&image.data, effort)).transpose()?;
    let level = compressed.as_deref().unwrap_or(&image.data);

    let dfd_at = Header::LENGTH + LevelIndex::LENGTH;
    let kvd_at = dfd_at + dfd.len();
    // Texels start where a GPU can copy them from; a compressed stream may start anywhere.
    let alignment = if zstd.is_some() { 1 } else { alignment(image.format) };
    let level_at = (kvd_at + kvd.len()).next_multiple_of(alignment);

    let header = Header {
        // No format at all is what UASTC has.
        format: ktx2::Format::new(image.format.vk_format()),
        type_size,
        pixel_width: image.width,
        pixel_height: image.height,
        pixel_depth: 0,
        layer_count: if image.layers == 1 { 0 } else { image.layers },
        face_count: 1,
        level_count: 1,
        supercompression_scheme: zstd.map(|_| SupercompressionScheme::Zstandard),
        index: Index {
            dfd_byte_offset: field(dfd_at)?,
            dfd_byte_length: field(dfd.len())?,
            kvd_byte_offset: field(kvd_at)?,
            kvd_byte_length: field(kvd.len())?,
            sgd_byte_offset: 0,
            sgd_byte_length: 0,
        },
    };
    let index = LevelIndex {
        byte_offset: level_at as u64,
        byte_length: level.len() as u64,
        uncompressed_byte_length: image.data.len() as u64,
    };

    let mut file = Vec::with_capacity(level_at + level.len());
    file.extend_from_slice(&header.as_bytes());
    file.extend_from_slice(&index.as_bytes());
    file.extend_from_slice(&dfd);
    file.extend_from_slice(&kvd);
    file.resize(level_at, 0);
    file.extend_from_slice(level);
    Ok(file)
}

fn check_size(image: &Image) -> Result<()> {
    let Image { format, width, height, layers, .. } = *image;
    let (across, down) = format.block_size();
    // Below 2^64, the next factors may not be.
    let blocks = u64::from(width.div_ceil(across)) * u64::from(height.div_ceil(down));
    let wanted =
        blocks.checked_mul(u64::from(layers)).and_then(|b| b.checked_mul(format.bytes_per_block() as u64));
    if wanted == Some(image.data.len() as u64) && !image.data.is_empty() {
        return Ok(());
    }
    Err(Problem::error(
        "container::image",
        format!(
            "an image of {width} x {height} texels, {layers} layers, in {format} cannot have {} bytes",
            image.data.len()
        ),
    ))
}

/// The data format descriptor with its length before it, and the header's `typeSize`.
fn descriptor(format: Format) -> Result<(Vec<u8>, u32)> {
    if format == Format::Uastc {
        return Ok((uastc_descriptor(), 1));
    }
    let described = ktx2::Format::new(format.vk_format()).and_then(|f| Basic::from_format(f).ok());
    let Some((basic, type_size)) = described else {
        return Err(Problem::error("container::format", format!("no KTX2 descriptor for {format}")));
    };
    let block = Block::Basic(basic).to_vec();
    let mut dfd = field(block.len() + 4)?.to_le_bytes().to_vec();
    dfd.extend_from_slice(&block);
    Ok((dfd, type_size))
}

/// That of UASTC, which has no `VkFormat` (KTX 2.0 specification, "UASTC"; Khronos Data Format
/// Specification, "Basic Data Format Descriptor Block"): 16 bytes for 4x4 texels, one sample of 128 bits
/// that holds red, green and blue.
fn uastc_descriptor() -> Vec<u8> {
    const VERSION_1_3: u32 = 2;
    const UASTC: u32 = 166;
    const BT709: u32 = 1;
    const LINEAR: u32 = 1;
    const RGB: u32 = 0;
    let block_length = 24 + 16;
    let words = [
        4 + block_length,
        0, // Khronos' own, a basic block
        VERSION_1_3 | block_length << 16,
        UASTC | BT709 << 8 | LINEAR << 16,
        3 | 3 << 8, // 4x4 texels
        16,         // bytes of plane 0
        0,
        127 << 16 | RGB << 24, // from bit 0, 128 bits
        0,
        0,
        u32::MAX,
    ];
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// The least common multiple of 4 and the bytes of a texel or block, which are a power of two.
fn alignment(format: Format) -> usize {
    format.bytes_per_block().max(4)
}

/// Entries in the order of their keys' bytes, each padded to 4.
fn key_value_data(key_values: &[(String, Vec<u8>)]) -> Result<Vec<u8>> {
    let text = |s: &str| [s.as_bytes(), b"\0"].concat();
    let (writer, orientation) = (text(WRITER), text(ORIENTATION));
    let mut entries: Vec<(&str, &[u8])> = vec![("KTXorientation", &orientation), ("KTXwriter", &writer)];
    for (key, value) in key_values {
        if key.is_empty() || key.contains('\0') || key.get(..3).is_some_and(|k| k.eq_ignore_ascii_case("ktx"))
        {
            let message = format!("`{}` cannot be a key of a KTX2 file", key.escape_debug());
            return Err(Problem::error("container::key", message)
                .help("keys are not empty, have no NUL byte and do not start with KTX"));
        }
        entries.push((key, value));
    }
    entries.sort_by_key(|entry| entry.0);
    if let Some(pair) = entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let message = format!("the key `{}` is given twice for one KTX2 file", pair[0].0.escape_debug());
        return Err(Problem::error("container::key", message));
    }

    let mut kvd = Vec::new();
    for (key, value) in entries {
        kvd.extend_from_slice(&field(key.len() + 1 + value.len())?.to_le_bytes());
        kvd.extend_from_slice(key.as_bytes());
        kvd.push(0);
        kvd.extend_from_slice(value);
        kvd.resize(kvd.len().next_multiple_of(4), 0);
    }
    Ok(kvd)
}

fn compress(data: &[u8], effort: i32) -> Result<Vec<u8>> {
    if !(1..=22).contains(&effort) {
        let message = format!("{effort} is not a level of Zstandard compression");
        return Err(Problem::error("container::zstd", message).help("levels go from 1 (fast) to 22 (small)"));
    }
    zstd::bulk::compress(data, effort)
        .map_err(|e| Problem::error("container::zstd", format!("Zstandard cannot compress the texels: {e}")))
}

/// A length or offset in a 32-bit field.
fn field(value: usize) -> Result<u32> {
    u32::try_from(value).map_err(|_| {
        Problem::error("container::size", format!("{value} bytes of data before the texels of a KTX2 file"))
            .help("a KTX2 file has room for 4 GiB of key/value data; store fewer clips in it")
    })
}
