//! The texel formats, and what each is made of.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::problem::Problem;

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

/// One row of the table of formats.
struct Facts {
    name: &'static str,
    kind: Kind,
    /// Bits of each channel, red first, 0 where there is none.
    bits: [u8; 4],
    /// `VkFormat`: number and name (Vulkan specification, "Format Definition").
    vulkan: (u32, &'static str),
    /// `wgpu::TextureFormat`, and the `wgpu::Features` flag without which there is no such texture.
    wgpu: (&'static str, Option<&'static str>),
    /// `DXGI_FORMAT`, without the prefix.
    dxgi: &'static str,
    /// `UnityEngine.Experimental.Rendering.GraphicsFormat`.
    unity: &'static str,
}

/// In the order of [`Format`]'s variants.
const TABLE: [Facts; 7] = [
    Facts {
        name: "rgba32f",
        kind: Kind::Float,
        bits: [32; 4],
        vulkan: (109, "VK_FORMAT_R32G32B32A32_SFLOAT"),
        wgpu: ("Rgba32Float", None),
        dxgi: "R32G32B32A32_FLOAT",
        unity: "R32G32B32A32_SFloat",
    },
    Facts {
        name: "rgba16f",
        kind: Kind::Float,
        bits: [16; 4],
        vulkan: (97, "VK_FORMAT_R16G16B16A16_SFLOAT"),
        wgpu: ("Rgba16Float", None),
        dxgi: "R16G16B16A16_FLOAT",
        unity: "R16G16B16A16_SFloat",
    },
    Facts {
        name: "rgba16ui",
        kind: Kind::Uint,
        bits: [16; 4],
        vulkan: (95, "VK_FORMAT_R16G16B16A16_UINT"),
        wgpu: ("Rgba16Uint", None),
        dxgi: "R16G16B16A16_UINT",
        unity: "R16G16B16A16_UInt",
    },
    Facts {
        name: "rgba16",
        kind: Kind::Unorm,
        bits: [16; 4],
        vulkan: (91, "VK_FORMAT_R16G16B16A16_UNORM"),
        wgpu: ("Rgba16Unorm", Some("TEXTURE_FORMAT_16BIT_NORM")),
        dxgi: "R16G16B16A16_UNORM",
        unity: "R16G16B16A16_UNorm",
    },
    Facts {
        name: "rgb10a2",
        kind: Kind::Unorm,
        bits: [10, 10, 10, 2],
        vulkan: (64, "VK_FORMAT_A2B10G10R10_UNORM_PACK32"),
        wgpu: ("Rgb10a2Unorm", None),
        dxgi: "R10G10B10A2_UNORM",
        unity: "A2B10G10R10_UNormPack32",
    },
    Facts {
        name: "rgba8",
        kind: Kind::Unorm,
        bits: [8; 4],
        vulkan: (37, "VK_FORMAT_R8G8B8A8_UNORM"),
        wgpu: ("Rgba8Unorm", None),
        dxgi: "R8G8B8A8_UNORM",
        unity: "R8G8B8A8_UNorm",
    },
    Facts {
        name: "rg8",
        kind: Kind::Unorm,
        bits: [8, 8, 0, 0],
        vulkan: (16, "VK_FORMAT_R8G8_UNORM"),
        wgpu: ("Rg8Unorm", None),
        dxgi: "R8G8_UNORM",
        unity: "R8G8_UNorm",
    },
];

impl Format {
    const ALL: [Format; 7] = [
        Format::Rgba32f,
        Format::Rgba16f,
        Format::Rgba16ui,
        Format::Rgba16,
        Format::Rgb10a2,
        Format::Rgba8,
        Format::Rg8,
    ];

    /// All formats, the most precise first.
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

    /// Bits of each channel, red first; 0 where the format has no such channel.
    pub fn channel_bits(self) -> [u8; 4] {
        self.facts().bits
    }

    /// Bytes of one texel.
    pub fn bytes_per_texel(self) -> usize {
        self.facts().bits.iter().map(|&bits| usize::from(bits)).sum::<usize>() / 8
    }

    /// Width and height, in texels, of what is encoded together. A band's rows are rounded up to
    /// the height.
    pub fn block_size(self) -> (u32, u32) {
        (1, 1)
    }

    /// Bytes of an image of so many texels: whole blocks.
    pub fn bytes(self, width: u32, height: u32) -> usize {
        let (block_width, block_height) = self.block_size();
        let blocks = width.div_ceil(block_width) as usize * height.div_ceil(block_height) as usize;
        blocks * self.bytes_per_block()
    }

    /// Bytes of what is encoded together: one texel, or one block of [`Self::block_size`].
    pub fn bytes_per_block(self) -> usize {
        self.bytes_per_texel()
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

    /// The distance between neighbouring values of x, y or z: `1 / (2^bits - 1)`. A value from 0
    /// to 1 is stored with an error of at most half of it. `None` for floats, whose error
    /// grows with the value.
    pub fn step(self) -> Option<f64> {
        let codes = (1u64 << self.facts().bits[0]) - 1;
        self.is_normalized().then(|| 1.0 / codes as f64)
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

    /// The variant of `wgpu::TextureFormat`; WebGPU has the same name in lower case.
    pub fn wgpu_name(self) -> &'static str {
        self.facts().wgpu.0
    }

    /// The `wgpu::Features` flag that a device must have for this format. wgpu offers it on
    /// native devices only.
    pub fn wgpu_feature(self) -> Option<&'static str> {
        self.facts().wgpu.1
    }

    /// The `DXGI_FORMAT`, without the prefix.
    pub fn dxgi_name(self) -> &'static str {
        self.facts().dxgi
    }

    /// Unity's `GraphicsFormat`.
    pub fn unity_name(self) -> &'static str {
        self.facts().unity
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = Problem;

    /// The format of that name.
    ///
    /// # Errors
    /// `encode::format` for anything else; the advice names the nearest format, and all of them.
    fn from_str(text: &str) -> Result<Self, Problem> {
        if let Some(format) = Self::ALL.into_iter().find(|f| f.name() == text) {
            return Ok(format);
        }
        let names = Self::ALL.map(Format::name).join(", ");
        // `RGBA16UI` and `rgba16_ui` are typing habits, not other names.
        let plain: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
        let plain = plain.to_ascii_lowercase();
        let distance = |f: &Format| strsim::damerau_levenshtein(&plain, f.name());
        // Among equally near ones the default, `rgba16ui`.
        let nearest = Self::ALL.into_iter().min_by_key(|f| (distance(f), *f != Format::Rgba16ui));
        let nearest = nearest.filter(|f| distance(f) <= 3);
        let help = match nearest {
            Some(format) => format!("did you mean `{format}`? The formats are {names}"),
            None => format!("the formats are {names}"),
        };
        Err(Problem::error("encode::format", format!("`{text}` is not a texel format")).help(help))
    }
}
