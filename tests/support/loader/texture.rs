//! A KTX2 file → texels.

use half::f16;
use ktx2::{Reader, SupercompressionScheme};
use serde_json::Value;

use super::blocks;

/// One texture, all layers.
pub struct Texture {
    pub format: String,
    pub width: usize,
    pub height: usize,
    pub layers: usize,
    pub zstd: bool,
    pub texel_bytes: usize,
    pub data: Vec<u8>,
    /// Of formats in blocks, decoded.
    pub texels: Option<Vec<[f32; 4]>>,
    /// The clip table under the key `vatpipe`.
    pub table: Value,
}

/// The numbers of one texel.
#[derive(Clone, Copy, Debug)]
pub struct Texel {
    pub v: [f32; 4],
    /// The integer in the fourth channel, in formats that have room for one.
    pub n: u32,
}

/// `format`, `vkFormat`, bytes.
const FORMATS: [(&str, u32, usize); 7] = [
    ("rgba32f", 109, 16),
    ("rgba16f", 97, 8),
    ("rgba16ui", 95, 8),
    ("rgba16", 91, 8),
    ("rgb10a2", 64, 4),
    ("rgba8", 37, 4),
    ("rg8", 16, 2),
];

pub fn read(file: &[u8], format: &str) -> Texture {
    let reader = Reader::new(file).unwrap();
    let header = reader.header();
    let block = blocks::FORMATS.into_iter().find(|(name, ..)| *name == format);
    let plain = FORMATS.into_iter().find(|(name, ..)| *name == format);
    let (_, vk, texel_bytes) = plain.or(block).unwrap();
    assert_eq!(header.format.map_or(0, |format| format.value()), vk);
    assert_eq!((header.pixel_depth, header.face_count, header.level_count), (0, 1, 1));
    assert_ne!(header.layer_count, 1, "a plain 2D texture has layerCount 0");
    assert_eq!(reader.transfer_function(), Some(ktx2::TransferFunction::Linear));
    if block.is_none() {
        assert_eq!(reader.color_model(), Some(ktx2::ColorModel::RGBSDA));
    }
    let level = reader.levels().next().unwrap();
    let zstd = header.supercompression_scheme == Some(SupercompressionScheme::Zstandard);
    assert!(zstd || header.supercompression_scheme.is_none());
    let (width, height) = (header.pixel_width as usize, header.pixel_height as usize);
    let layers = header.layer_count.max(1) as usize;
    let size = match block {
        Some((.., block)) => width.div_ceil(block) * height.div_ceil(block) * layers * 16,
        None => width * height * layers * texel_bytes,
    };
    assert_eq!(level.uncompressed_byte_length as usize, size);
    let data = if zstd { zstd::bulk::decompress(level.data, size).unwrap() } else { level.data.to_vec() };
    assert_eq!(data.len(), size);
    let value = |key: &str| reader.key_value_data().find(|(k, _)| *k == key).map(|(_, value)| value);
    let string = |key: &str| {
        let bytes = value(key).unwrap_or_else(|| panic!("no key {key}"));
        std::str::from_utf8(bytes.strip_suffix(b"\0").unwrap()).unwrap().to_owned()
    };
    assert_eq!(string("KTXorientation"), "rd");
    assert!(string("KTXwriter").starts_with("vatpipe"));
    let table: Value = serde_json::from_str(&string("vatpipe")).unwrap();
    assert_eq!(table["schema"], "vatpipe/sheet/1");
    let texels = block.map(|_| blocks::decode(format, &data, width, height * layers));
    Texture { format: format.to_owned(), width, height, layers, zstd, texel_bytes, data, texels, table }
}

impl Texture {
    /// A texel as stored.
    pub fn bytes(&self, x: usize, y: usize, layer: usize) -> &[u8] {
        assert!(x < self.width && y < self.height && layer < self.layers);
        let index = (layer * self.height + y) * self.width + x;
        &self.data[index * self.texel_bytes..][..self.texel_bytes]
    }

    /// A texel as numbers.
    pub fn texel(&self, x: usize, y: usize, layer: usize) -> Texel {
        if let Some(texels) = &self.texels {
            assert!(x < self.width && y < self.height && layer < self.layers);
            return Texel { v: texels[(layer * self.height + y) * self.width + x], n: 0 };
        }
        let bytes = self.bytes(x, y, layer);
        let float = |i: usize| f32::from_le_bytes(bytes[i * 4..][..4].try_into().unwrap());
        let short = |i: usize| u16::from_le_bytes([bytes[i * 2], bytes[i * 2 + 1]]);
        let byte = |i: usize| f32::from(bytes[i]) / 255.0;
        let channels = [0, 1, 2, 3];
        match self.format.as_str() {
            "rgba32f" => {
                let v = channels.map(float);
                Texel { v, n: v[3] as u32 }
            }
            "rgba16f" => Texel { v: channels.map(|i| f16::from_bits(short(i)).to_f32()), n: 0 },
            "rgba16ui" => {
                let v = channels.map(|i| f32::from(short(i)) / 65535.0);
                Texel { v, n: u32::from(short(3)) }
            }
            "rgba16" => {
                let v = channels.map(|i| f32::from(short(i)) / 65535.0);
                Texel { v, n: (v[3] * 65535.0).round() as u32 }
            }
            "rgb10a2" => {
                let word = u32::from_le_bytes(bytes.try_into().unwrap());
                let ten = |i: u32| ((word >> (10 * i)) & 1023) as f32 / 1023.0;
                Texel { v: [ten(0), ten(1), ten(2), (word >> 30) as f32 / 3.0], n: 0 }
            }
            "rgba8" => Texel { v: channels.map(byte), n: 0 },
            "rg8" => Texel { v: [byte(0), byte(1), 0.0, 1.0], n: 0 },
            other => panic!("format {other}"),
        }
    }
}
