//! Texels as stored → numbers, as a shader reads them.

use super::Texture;
use crate::encode::Format;

/// The numbers of a texel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Texel {
    /// Red, green and blue; integers divided by their largest value.
    pub xyz: [f32; 3],
    /// The integer in the fourth channel, where the format has room for a packed normal; else 0.
    pub packed: u32,
}

/// Whether texels of a format can be read one by one here.
pub fn is_readable(format: Format) -> bool {
    !format.is_block()
}

impl Texture {
    /// A texel of a format that stores texels one by one; `None` outside of the texture, and for blocks.
    pub fn texel(&self, x: u32, y: u32, layer: u32) -> Option<Texel> {
        if x >= self.width || y >= self.height || layer >= self.layers || !is_readable(self.format) {
            return None;
        }
        let row = layer as usize * self.height as usize + y as usize;
        let size = self.format.bytes_per_block();
        let bytes = self.data.get((row * self.width as usize + x as usize) * size..)?;
        decode(self.format, bytes)
    }
}

/// The texel at the beginning of some bytes.
fn decode(format: Format, bytes: &[u8]) -> Option<Texel> {
    let short = |i: usize| Some(u16::from_le_bytes(*bytes.get(2 * i..)?.first_chunk()?));
    let unorm = |i: usize| Some(f32::from(short(i)?) / 65_535.0);
    let byte = |i: usize| Some(f32::from(*bytes.get(i)?) / 255.0);
    let float = |i: usize| Some(f32::from_le_bytes(*bytes.get(4 * i..)?.first_chunk()?));
    let (xyz, packed) = match format {
        Format::Rgba32f => ([float(0)?, float(1)?, float(2)?], float(3)? as u32),
        Format::Rgba16f => ([half(short(0)?), half(short(1)?), half(short(2)?)], 0),
        Format::Rgba16ui | Format::Rgba16 => ([unorm(0)?, unorm(1)?, unorm(2)?], u32::from(short(3)?)),
        Format::Rgb10a2 => {
            let word = u32::from_le_bytes(*bytes.first_chunk()?);
            ([0, 10, 20].map(|bit| (word >> bit & 1023) as f32 / 1023.0), 0)
        }
        Format::Rgba8 => ([byte(0)?, byte(1)?, byte(2)?], 0),
        Format::Rg8 => ([byte(0)?, byte(1)?, 0.0], 0),
        _ => return None,
    };
    Some(Texel { xyz, packed })
}

/// A 16-bit float (IEEE 754-2008, binary16) as one of 32 bits, which holds it exactly.
fn half(bits: u16) -> f32 {
    let sign = u32::from(bits >> 15) << 31;
    let (exponent, fraction) = (u32::from(bits >> 10 & 31), u32::from(bits & 1023));
    let magnitude = match exponent {
        // 2^-24 a step, exact in 32 bits.
        0 => (fraction as f32 / 16_777_216.0).to_bits(),
        31 => 0xff << 23 | fraction << 13,
        _ => (exponent + 112) << 23 | fraction << 13,
    };
    f32::from_bits(sign | magnitude)
}

/// A direction from two bytes (octahedral; Cigolle et al. 2014, *A Survey of Efficient Representations for Independent
/// Unit Vectors*).
pub fn direction(x: f32, y: f32) -> [f32; 3] {
    let (a, b) = (x / 127.5 - 1.0, y / 127.5 - 1.0);
    let c = 1.0 - a.abs() - b.abs();
    let sign = |v: f32| if v < 0.0 { -1.0 } else { 1.0 };
    let (a, b) = if c < 0.0 { ((1.0 - b.abs()) * sign(a), (1.0 - a.abs()) * sign(b)) } else { (a, b) };
    normalized([a, b, c])
}

fn normalized(v: [f32; 3]) -> [f32; 3] {
    let length = libm::sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    v.map(|c| c / length)
}

/// The unit vector between two; the first where they are opposite and none is between.
pub fn between(a: [f32; 3], b: [f32; 3], share: f32) -> [f32; 3] {
    let v = mix(a, b, share);
    if v[0] * v[0] + v[1] * v[1] + v[2] * v[2] < 1e-12 { a } else { normalized(v) }
}

/// The byte that a channel of 0 to 1 holds.
pub fn byte(channel: f32) -> f32 {
    libm::roundf(channel * 255.0)
}

/// From `a` to `b`.
pub fn mix<const N: usize>(a: [f32; N], b: [f32; N], share: f32) -> [f32; N] {
    core::array::from_fn(|i| a[i] + (b[i] - a[i]) * share)
}
