//! Families of devices and engines, and which formats there are on each.
//!
//! One table, from which the manifest is checked, `format = "auto"` chooses, and the table in
//! `docs/format.md` is made. Where each fact is from stands in its row's comment.

use super::Format;
use crate::problem::Problem;

/// A family of devices, or an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Platform {
    /// PCs and consoles: Direct3D 11 and 12, Vulkan, Metal on Macs.
    Desktop,
    /// Phones and tablets: Vulkan, OpenGL ES 3.2, Metal on Apple's own GPUs.
    Mobile,
    /// wgpu, native.
    Wgpu,
    /// WebGPU in browsers.
    Webgpu,
    /// Unity.
    Unity,
    /// Unreal Engine.
    Unreal,
    /// Godot 4.
    Godot,
}

/// Whether a format exists on a platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// On every device.
    Yes,
    /// On those that have something: its name, or the devices' kind.
    With(&'static str),
    /// On none: why.
    No(&'static str),
}

use Support::{No, With, Yes};

/// One row of the table: a format, and its support in the order of [`Platform::ALL`].
type Row = (Format, [Support; 7]);

const UNITY_BC: Support = With("desktop and console build targets");
const UNITY_ASTC: Support = With("mobile build targets");
const NO_PC: Support = No("no desktop GPU but Apple's and some of Intel's reads ASTC");
const NO_PHONE: Support = No("few mobile GPUs read BC formats");
const TRANSCODED: Support = With("a loader with Basis Universal's transcoder");

/// The table.
///
/// - Vulkan: "Required Format Support": `R32G32B32A32_SFLOAT`, `R16G16B16A16_SFLOAT`, `R16G16B16A16_UINT`,
///   `A2B10G10R10_UNORM_PACK32`, `R8G8B8A8_UNORM` and `R8G8_UNORM` can be sampled on every device,
///   `R16G16B16A16_UNORM` need not; block formats by `textureCompressionBC`, `textureCompressionASTC_LDR`,
///   `textureCompressionASTC_HDR`.
/// - Direct3D: "Format support for Direct3D feature level 11.0 hardware": all of those of `desktop`; there
///   is no ASTC.
/// - OpenGL ES 3.2 has ASTC LDR; `EXT_texture_norm16` and `KHR_texture_compression_astc_hdr` are extensions.
/// - WebGPU: "Texture Format Capabilities", "Feature Index". An adapter has either BC, or ETC2 and ASTC.
/// - wgpu: `Features`.
/// - Unity: `GraphicsFormat`; Unreal: `EPixelFormat` (`PixelFormat.h`), which has no ASTC 5x5; Godot:
///   `Image.Format`, whose ASTC 6x6 and 16-bit integers are of 4.6 and later, and which has neither 10 bits
///   nor ASTC 5x5.
#[rustfmt::skip]
const TABLE: [Row; 16] = [
    //                    desktop     mobile                          wgpu                                    webgpu                                unity       unreal     godot
    (Format::Rgba32f,    [Yes,        Yes,                            Yes,                                    Yes,                                  Yes,        Yes,       Yes]),
    (Format::Rgba16f,    [Yes,        Yes,                            Yes,                                    Yes,                                  Yes,        Yes,       Yes]),
    (Format::Rgba16ui,   [Yes,        Yes,                            Yes,                                    Yes,                                  Yes,        Yes,       With("Godot 4.6")]),
    (Format::Rgba16,     [Yes,        With("EXT_texture_norm16"),     With("TEXTURE_FORMAT_16BIT_NORM"),      With("texture-formats-tier1"),        With("devices that support R16G16B16A16_UNorm"), With("desktop and console"), With("Godot 4.6")]),
    (Format::Rgb10a2,    [Yes,        Yes,                            Yes,                                    Yes,                                  Yes,        Yes,       With("RenderingDevice: Image has no such format")]),
    (Format::Rgba8,      [Yes,        Yes,                            Yes,                                    Yes,                                  Yes,        Yes,       Yes]),
    (Format::Rg8,        [Yes,        Yes,                            Yes,                                    Yes,                                  Yes,        Yes,       Yes]),
    (Format::Bc7,        [Yes,        NO_PHONE,                       With("TEXTURE_COMPRESSION_BC"),         With("texture-compression-bc"),       UNITY_BC,   With("desktop and console"), With("desktop")]),
    (Format::Bc6h,       [Yes,        NO_PHONE,                       With("TEXTURE_COMPRESSION_BC"),         With("texture-compression-bc"),       UNITY_BC,   With("desktop and console"), With("desktop")]),
    (Format::Astc4x4,    [NO_PC,      Yes,                            With("TEXTURE_COMPRESSION_ASTC"),       With("texture-compression-astc"),     UNITY_ASTC, With("mobile"), With("mobile")]),
    (Format::Astc5x5,    [NO_PC,      Yes,                            With("TEXTURE_COMPRESSION_ASTC"),       With("texture-compression-astc"),     UNITY_ASTC, No("its EPixelFormat has no 5x5"), No("its Image has no 5x5")]),
    (Format::Astc6x6,    [NO_PC,      Yes,                            With("TEXTURE_COMPRESSION_ASTC"),       With("texture-compression-astc"),     UNITY_ASTC, With("mobile"), With("mobile, Godot 4.6")]),
    (Format::Astc8x8,    [NO_PC,      Yes,                            With("TEXTURE_COMPRESSION_ASTC"),       With("texture-compression-astc"),     UNITY_ASTC, With("mobile"), With("mobile")]),
    (Format::AstcHdr4x4, [NO_PC,      With("VK_EXT_texture_compression_astc_hdr"), With("TEXTURE_COMPRESSION_ASTC_HDR"), No("it has ASTC LDR alone"),      With("mobile GPUs with ASTC HDR"), With("mobile GPUs with ASTC HDR"), With("mobile GPUs with ASTC HDR")]),
    (Format::AstcHdr6x6, [NO_PC,      With("VK_EXT_texture_compression_astc_hdr"), With("TEXTURE_COMPRESSION_ASTC_HDR"), No("it has ASTC LDR alone"),      With("mobile GPUs with ASTC HDR"), With("mobile GPUs with ASTC HDR"), With("mobile GPUs with ASTC HDR, Godot 4.6")]),
    (Format::Uastc,      [TRANSCODED, TRANSCODED,                     TRANSCODED,                             TRANSCODED,                           With("the package KTX for Unity"), No("it has no transcoder"), TRANSCODED]),
];

impl Platform {
    /// All of them.
    pub const ALL: [Platform; 7] = [
        Platform::Desktop,
        Platform::Mobile,
        Platform::Wgpu,
        Platform::Webgpu,
        Platform::Unity,
        Platform::Unreal,
        Platform::Godot,
    ];

    /// The names in the manifest, in the order of [`Self::ALL`].
    pub const NAMES: [&'static str; 7] = ["desktop", "mobile", "wgpu", "webgpu", "unity", "unreal", "godot"];

    /// The name in the manifest.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The platform of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|platform| platform.name() == name)
    }

    /// Whether it has a format.
    pub fn support(self, format: Format) -> Support {
        let row = TABLE.iter().find(|(of, _)| *of == format);
        row.map_or(Support::No("it is not in the table"), |(_, support)| support[self as usize])
    }
}

/// The formats for positions that every device of all platforms has, in the order of [`Format::all`]: what
/// may be chosen without asking. Without platforms, all that store texels one by one, but `rgba16`.
pub fn formats(platforms: &[Platform]) -> Vec<Format> {
    let everywhere = |format: &Format| match platforms {
        [] => !format.is_block() && *format != Format::Rgba16,
        platforms => platforms.iter().all(|platform| platform.support(*format) == Yes),
    };
    let all = Format::all().iter().copied().filter(|f| f.holds_positions() && f.is_available());
    all.filter(everywhere).collect()
}

/// Whether a format that was asked for can be there on all platforms, at least on some devices of
/// each.
///
/// # Errors
/// `encode::platform`: the message says which platform lacks it and why; the advice names the nearest format
/// that all platforms have.
pub fn check(format: Format, platforms: &[Platform]) -> Result<(), Problem> {
    let lacking = platforms.iter().find_map(|&platform| match platform.support(format) {
        No(why) => Some((platform, why)),
        Yes | With(_) => None,
    });
    let Some((platform, why)) = lacking else { return Ok(()) };
    let message = format!("the platform `{}` has no `{format}`: {why}", platform.name());
    Err(Problem::error("encode::platform", message).help(alternative(format, platforms)))
}

/// The nearest that all of the platforms have: for blocks, blocks of a like size.
fn alternative(format: Format, platforms: &[Platform]) -> String {
    let bits = |f: Format| f.bytes_per_block() as f64 / f64::from(f.block_size().0 * f.block_size().1);
    let possible = |f: &Format| {
        *f != format
            && f.holds_positions()
            && platforms.iter().all(|platform| !matches!(platform.support(*f), No(_)))
    };
    let distance = |f: &Format| {
        let ratio = bits(*f) / bits(format);
        (
            if ratio < 1.0 { 1.0 / ratio } else { ratio },
            f.is_block() != format.is_block(),
            *f == Format::Uastc,
        )
    };
    let nearest = Format::all()
        .iter()
        .filter(|f| possible(f))
        .min_by(|a, b| distance(a).partial_cmp(&distance(b)).unwrap_or(std::cmp::Ordering::Equal));
    match nearest {
        Some(nearest) => {
            let condition = platforms.iter().find_map(|p| match p.support(*nearest) {
                With(what) => Some(format!(" (needs {what} on `{}`)", p.name())),
                _ => None,
            });
            let condition = condition.unwrap_or_default();
            format!(
                "the nearest that there is on every platform is `{nearest}`{condition}; or list fewer `platforms`"
            )
        }
        None => "list fewer `platforms`".to_owned(),
    }
}

/// The table as Markdown, a row for each format.
pub fn markdown() -> String {
    let mut text = String::from("| format |");
    Platform::NAMES.iter().for_each(|name| text += &format!(" `{name}` |"));
    text += &format!("\n|---|{}\n", "---|".repeat(Platform::ALL.len()));
    for (format, support) in &TABLE {
        text += &format!("| `{format}` |");
        for support in support {
            text += &match support {
                Yes => " yes |".to_owned(),
                With(what) => format!(" with {what} |"),
                No(_) => " no |".to_owned(),
            };
        }
        text.push('\n');
    }
    text
}
