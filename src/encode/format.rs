//! The texel formats, and what each is made of.

use core::fmt;

use serde::{Deserialize, Serialize};

use super::facts::{Facts, TABLE};

/// A texel format. The names are those of the manifest and of `vat.json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Four 32-bit floats.
    Rgba32f,
    /// Four 16-bit floats.
    Rgba16f,
    /// Four 16-bit unsigned integers, read as integers.
    Rgba16ui,
    /// Four 16-bit unsigned normalised integers.
    Rgba16,
    /// 10, 10, 10 and 2 bits, unsigned normalised, red in the lowest bits.
    Rgb10a2,
    /// Four 8-bit unsigned normalised integers.
    Rgba8,
    /// Two 8-bit unsigned normalised integers: sheets of normals.
    Rg8,
    /// BC7: blocks of 4x4 texels, unsigned normalised.
    Bc7,
    /// BC6H: blocks of 4x4 texels, unsigned floats.
    Bc6h,
    /// ASTC with blocks of 4x4 texels, unsigned normalised.
    #[serde(rename = "astc-4x4")]
    Astc4x4,
    /// ASTC with blocks of 5x5 texels, unsigned normalised.
    #[serde(rename = "astc-5x5")]
    Astc5x5,
    /// ASTC with blocks of 6x6 texels, unsigned normalised.
    #[serde(rename = "astc-6x6")]
    Astc6x6,
    /// ASTC with blocks of 8x8 texels, unsigned normalised.
    #[serde(rename = "astc-8x8")]
    Astc8x8,
    /// ASTC HDR with blocks of 4x4 texels, floats.
    #[serde(rename = "astc-hdr-4x4")]
    AstcHdr4x4,
    /// ASTC HDR with blocks of 6x6 texels, floats.
    #[serde(rename = "astc-hdr-6x6")]
    AstcHdr6x6,
    /// UASTC of Basis Universal: blocks of 4x4 texels that a device's loader turns into BC7, ASTC
    /// or plain texels.
    Uastc,
}

/// What the bits of a channel mean to a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A floating-point number, read as it is.
    Float,
    /// An unsigned integer that the GPU divides by its largest value: 0 to 1.
    Unorm,
    /// An unsigned integer, read as an integer: the shader divides by [`Format::divisor`].
    Uint,
}

impl Format {
    const ALL: [Format; 16] = [
        Format::Rgba32f,
        Format::Rgba16f,
        Format::Rgba16ui,
        Format::Rgba16,
        Format::Rgb10a2,
        Format::Rgba8,
        Format::Rg8,
        Format::Bc7,
        Format::Bc6h,
        Format::Astc4x4,
        Format::Astc5x5,
        Format::Astc6x6,
        Format::Astc8x8,
        Format::AstcHdr4x4,
        Format::AstcHdr6x6,
        Format::Uastc,
    ];

    /// All formats: those that store texels one by one, the most precise first, then those in blocks.
    pub fn all() -> &'static [Format] {
        &Self::ALL
    }

    fn facts(self) -> &'static Facts {
        &TABLE[self as usize]
    }

    /// The name in the manifest and in `vat.json`.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// What a shader reads.
    pub fn kind(self) -> Kind {
        self.facts().kind
    }

    /// Bits of each channel, red first; 0 where the format has no such channel, and in formats in
    /// blocks, whose channels have no bits of their own.
    pub fn channel_bits(self) -> [u8; 4] {
        self.facts().bits
    }

    /// Width and height, in texels, of what is encoded together; (1, 1) for formats that store texels
    /// one by one. A sheet's width is rounded up to the width, a band's rows to the height.
    pub fn block_size(self) -> (u32, u32) {
        self.facts().block
    }

    /// Whether texels are encoded together, several in a block: such a format is lossy in ways that
    /// only measuring tells.
    pub fn is_block(self) -> bool {
        self.block_size() != (1, 1)
    }

    /// Bytes of one block: of one texel where texels are stored one by one.
    pub fn bytes_per_block(self) -> usize {
        match self.is_block() {
            true => 16,
            false => self.facts().bits.iter().map(|&bits| usize::from(bits)).sum::<usize>() / 8,
        }
    }

    /// Bytes of an image of so many texels: whole blocks.
    pub fn bytes(self, width: u32, height: u32) -> usize {
        let (block_width, block_height) = self.block_size();
        let blocks = width.div_ceil(block_width) as usize * height.div_ceil(block_height) as usize;
        blocks * self.bytes_per_block()
    }

    /// Whether x, y and z must be brought into 0 to 1 to be stored: all but the float formats.
    pub fn is_normalized(self) -> bool {
        self.kind() != Kind::Float
    }

    /// What a shader divides x, y and z by to get numbers from 0 to 1: 65535 for [`Kind::Uint`],
    /// else 1 (the GPU has divided, or the numbers are floats).
    pub fn divisor(self) -> f32 {
        match self.kind() {
            Kind::Uint => 65535.0,
            Kind::Unorm | Kind::Float => 1.0,
        }
    }

    /// The texel values that the range of a clip is spread over, where the format is finest: 0 to 1
    /// for unsigned normalised formats, -1 to 1 for 16-bit floats. Block formats of floats
    /// have no sign; they get one binade, in which their codes are evenly spaced.
    pub fn range(self) -> [f32; 2] {
        match self.kind() {
            Kind::Unorm | Kind::Uint => [0.0, 1.0],
            Kind::Float if self.is_block() => [1.0, 2.0],
            Kind::Float => [-1.0, 1.0],
        }
    }

    /// The distance between neighbouring values of x, y or z: `1 / (2^bits - 1)`. A value from 0
    /// to 1 is stored with an error of at most half of it. `None` for floats, whose error
    /// grows with the value, and for formats in blocks.
    pub fn step(self) -> Option<f64> {
        let codes = (1u64 << self.facts().bits[0]) - 1;
        (self.is_normalized() && !self.is_block()).then(|| 1.0 / codes as f64)
    }

    /// Whether a packed normal fits in the fourth channel: it must hold every integer of 16 bits
    /// and give it back exactly. A 16-bit float cannot: it has gaps above 2048, and NaNs that a GPU
    /// may change on the way.
    pub fn has_packed_normal(self) -> bool {
        matches!(self, Format::Rgba32f | Format::Rgba16ui | Format::Rgba16)
    }

    /// The `VkFormat` number, as in the header of a KTX2 file.
    pub fn vk_format(self) -> u32 {
        self.facts().vulkan.0
    }

    /// The `VkFormat` name.
    pub fn vk_name(self) -> &'static str {
        self.facts().vulkan.1
    }

    /// The variant of `wgpu::TextureFormat`. Absent for [`Format::Uastc`], which no GPU reads: a loader
    /// turns it into one of the others.
    pub fn wgpu_name(self) -> Option<&'static str> {
        self.facts().wgpu.0
    }

    /// The `wgpu::Features` flag that a device must have for this format.
    pub fn wgpu_feature(self) -> Option<&'static str> {
        self.facts().wgpu.1
    }

    /// `GPUTextureFormat` of WebGPU. Absent where it has none.
    pub fn webgpu_name(self) -> Option<&'static str> {
        self.facts().webgpu.0
    }

    /// `GPUFeatureName` that a device must have for this format.
    pub fn webgpu_feature(self) -> Option<&'static str> {
        self.facts().webgpu.1
    }

    /// The `DXGI_FORMAT`, without the prefix. Absent where Direct3D has none.
    pub fn dxgi_name(self) -> Option<&'static str> {
        self.facts().dxgi
    }

    /// Unity's `GraphicsFormat`. Absent where Unity has none.
    pub fn unity_name(self) -> Option<&'static str> {
        self.facts().unity
    }

    /// The feature of this crate that has the encoder of this format; absent where none is needed.
    pub fn cargo_feature(self) -> Option<&'static str> {
        match self {
            Format::Bc7 | Format::Bc6h => Some("bc"),
            Format::Uastc => Some("uastc"),
            _ if self.is_block() => Some("astc"),
            _ => None,
        }
    }

    /// Whether this build of the crate can encode the format. One without the feature `bake` encodes nothing itself, and
    /// takes all: the program that it calls has the last word.
    pub fn is_available(self) -> bool {
        match self.cargo_feature() {
            None => true,
            Some(_) if cfg!(not(feature = "bake")) => true,
            Some("astc") => cfg!(feature = "astc"),
            Some("bc") => cfg!(feature = "bc"),
            Some(_) => cfg!(feature = "uastc"),
        }
    }

    /// Whether positions may be stored in it: all but [`Format::Rg8`], which has no third channel.
    pub fn holds_positions(self) -> bool {
        self != Format::Rg8
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
