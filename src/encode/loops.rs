//! The loops over texels. Each is one pass without branches that the compiler turns into vector
//! code for the baseline of every target: hence no `f32::round` (a library call before SSE4.1)
//! and no saturating casts in them.

use half::f16;
use half::slice::HalfFloatSliceExt;

use super::Format;

/// The largest finite half.
const HALF_MAX: f32 = 65504.0;

/// Texels that are turned into halves at once.
const HALF_RUN: usize = 64;

/// What a shader reads from texels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decoded {
    /// x, y and z of each texel.
    pub planes: [Vec<f32>; 3],
    /// The fourth channel as an integer, for the formats with [`Format::has_packed_normal`].
    /// It is a normal only if one was stored.
    pub packed: Option<Vec<u16>>,
}

/// Appends the texels to `out`, as [`encode_into`] writes them.
///
/// # Panics
/// As [`encode_into`].
pub fn encode(format: Format, planes: [&[f32]; 3], packed: Option<&[u16]>, out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + planes[0].len() * format.bytes_per_block(), 0);
    encode_into(format, planes, packed, &mut out[start..]);
}

/// Writes texels: `out` has [`Format::bytes_per_block`] for each value of `planes[0]`, little-endian.
/// The module's docs say what the values are.
///
/// # Panics
/// For a format in blocks; when planes, packed normals and `out` do not go together in length (the third plane of
/// [`Format::Rg8`] is not looked at and may be empty), or when there are packed normals and the
/// format has no place for them.
pub fn encode_into(format: Format, planes: [&[f32]; 3], packed: Option<&[u16]>, out: &mut [u8]) {
    let n = planes[0].len();
    check(format, n, [planes[1].len(), planes[2].len()], packed.map(<[u16]>::len), out.len());
    let [x, y, z] = planes;
    match format {
        Format::Rgba32f => match packed {
            Some(packed) => quads(x, y, z, packed.iter().map(|&w| f32::from(w)), out, finite32),
            None => quads(x, y, z, std::iter::repeat_n(1.0, n), out, finite32),
        },
        Format::Rgba16f => halves(x, y, z, out),
        Format::Rgba16ui | Format::Rgba16 => match packed {
            Some(packed) => shorts(x, y, z, packed.iter().copied(), out),
            None => shorts(x, y, z, std::iter::repeat_n(u16::MAX, n), out),
        },
        Format::Rgb10a2 => words(x, y, z, out, |x, y, z| {
            code(x, 1023.0) | code(y, 1023.0) << 10 | code(z, 1023.0) << 20 | 3 << 30
        }),
        Format::Rgba8 => words(x, y, z, out, |x, y, z| {
            code(x, 255.0) | code(y, 255.0) << 8 | code(z, 255.0) << 16 | 255 << 24
        }),
        Format::Rg8 => pairs(x, y, out),
        blocks => unreachable_block(blocks),
    }
}

/// Decodes whole texels.
///
/// # Panics
/// For a format in blocks; when `bytes` is not a whole number of texels.
pub fn decode(format: Format, bytes: &[u8]) -> Decoded {
    let n = bytes.len() / format.bytes_per_block();
    let mut planes = [(); 3].map(|()| vec![0.0; n]);
    let mut packed = format.has_packed_normal().then(|| vec![0; n]);
    let [x, y, z] = &mut planes;
    decode_into(format, bytes, [x, y, z], packed.as_deref_mut());
    Decoded { planes, packed }
}

/// Decodes `planes[0].len()` texels, and their fourth channels as integers if `packed` is there.
///
/// # Panics
/// For a format in blocks; when planes, `packed` and `bytes` do not go together in length (the third plane of
/// [`Format::Rg8`] may be empty; else it is filled with 0), or when `packed` is there and the
/// format has no place for packed normals.
pub fn decode_into(format: Format, bytes: &[u8], planes: [&mut [f32]; 3], packed: Option<&mut [u16]>) {
    let [x, y, z] = planes;
    check(format, x.len(), [y.len(), z.len()], packed.as_deref().map(<[u16]>::len), bytes.len());
    match format {
        Format::Rgba32f => {
            split::<16>(bytes, x, y, z, |t| [single(t, 0), single(t, 4), single(t, 8)]);
            fourth::<16>(bytes, packed, |t| single(t, 12) as u16);
        }
        Format::Rgba16f => split_halves(bytes, x, y, z),
        Format::Rgba16ui | Format::Rgba16 => {
            let of = |t: &[u8; 8], at| f32::from(short(t, at)) / 65535.0;
            split::<8>(bytes, x, y, z, |t| [of(t, 0), of(t, 2), of(t, 4)]);
            fourth::<8>(bytes, packed, |t| short(t, 6));
        }
        Format::Rgb10a2 => split::<4>(bytes, x, y, z, |t| {
            let word = u32::from_le_bytes(*t);
            // Through `i32`, for which every processor has a conversion.
            [word, word >> 10, word >> 20].map(|w| (w & 1023) as i32 as f32 / 1023.0)
        }),
        Format::Rgba8 => split::<4>(bytes, x, y, z, |t| [t[0], t[1], t[2]].map(|b| f32::from(b) / 255.0)),
        Format::Rg8 => {
            z.fill(0.0);
            for ((t, x), y) in bytes.as_chunks::<2>().0.iter().zip(x).zip(y) {
                [*x, *y] = t.map(|b| f32::from(b) / 255.0);
            }
        }
        blocks => unreachable_block(blocks),
    }
}

/// Texels in blocks have no bytes of their own.
fn unreachable_block(format: Format) {
    unreachable!("{format} is encoded in blocks")
}

/// Stops a caller that hands over lists that do not belong together.
fn check(format: Format, n: usize, others: [usize; 2], packed: Option<usize>, bytes: usize) {
    let z_unused = format == Format::Rg8 && others[1] == 0;
    assert!(others[0] == n && (others[1] == n || z_unused), "planes of {n}, {others:?} values");
    assert!(bytes == n * format.bytes_per_block(), "{bytes} bytes for {n} texels of {format}");
    if let Some(len) = packed {
        assert!(format.has_packed_normal(), "{format} has no place for packed normals");
        assert!(len == n, "{len} packed normals for {n} texels");
    }
}

/// The nearest integer code of a value from 0 to 1, ties to even.
///
/// Adding 2^23 to a float from 0 to 2^22 leaves the rounded integer in the low bits of its
/// mantissa: the addition rounds as IEEE 754 says, the same everywhere.
#[inline(always)]
fn code(value: f32, max: f32) -> u32 {
    let above = if value > 0.0 { value } else { 0.0 }; // NaN: 0
    let clamped = if above < 1.0 { above } else { 1.0 };
    (clamped * max + 8_388_608.0).to_bits() & 0x3f_ffff
}

#[inline(always)]
fn finite32(value: f32) -> f32 {
    if value.is_nan() { 0.0 } else { value }
}

/// Brings a value into the range of halves.
#[inline(always)]
fn in_half_range(value: f32) -> f32 {
    let above = if value > -HALF_MAX { value } else { -HALF_MAX };
    let clamped = if above < HALF_MAX { above } else { HALF_MAX };
    if value.is_nan() { 0.0 } else { clamped }
}

fn quads(
    x: &[f32],
    y: &[f32],
    z: &[f32],
    w: impl Iterator<Item = f32>,
    out: &mut [u8],
    map: impl Fn(f32) -> f32,
) {
    for ((((t, &x), &y), &z), w) in out.as_chunks_mut::<16>().0.iter_mut().zip(x).zip(y).zip(z).zip(w) {
        t[0..4].copy_from_slice(&map(x).to_le_bytes());
        t[4..8].copy_from_slice(&map(y).to_le_bytes());
        t[8..12].copy_from_slice(&map(z).to_le_bytes());
        t[12..16].copy_from_slice(&w.to_le_bytes());
    }
}

fn shorts(x: &[f32], y: &[f32], z: &[f32], w: impl Iterator<Item = u16>, out: &mut [u8]) {
    for ((((t, &x), &y), &z), w) in out.as_chunks_mut::<8>().0.iter_mut().zip(x).zip(y).zip(z).zip(w) {
        let low = code(x, 65535.0) | code(y, 65535.0) << 16;
        let high = code(z, 65535.0) | u32::from(w) << 16;
        t[0..4].copy_from_slice(&low.to_le_bytes());
        t[4..8].copy_from_slice(&high.to_le_bytes());
    }
}

fn words(x: &[f32], y: &[f32], z: &[f32], out: &mut [u8], word: impl Fn(f32, f32, f32) -> u32) {
    for (((t, &x), &y), &z) in out.as_chunks_mut::<4>().0.iter_mut().zip(x).zip(y).zip(z) {
        *t = word(x, y, z).to_le_bytes();
    }
}

fn pairs(x: &[f32], y: &[f32], out: &mut [u8]) {
    for ((t, &x), &y) in out.as_chunks_mut::<2>().0.iter_mut().zip(x).zip(y) {
        *t = ((code(x, 255.0) | code(y, 255.0) << 8) as u16).to_le_bytes();
    }
}

/// `half` converts slices with the processor's own instructions where there are any; the bits
/// are the same without.
fn halves(x: &[f32], y: &[f32], z: &[f32], out: &mut [u8]) {
    let mut wide = [1.0f32; 4 * HALF_RUN];
    let mut narrow = [f16::ZERO; 4 * HALF_RUN];
    let runs = x.chunks(HALF_RUN).zip(y.chunks(HALF_RUN)).zip(z.chunks(HALF_RUN));
    for (out, ((x, y), z)) in out.chunks_mut(8 * HALF_RUN).zip(runs) {
        for (((t, &x), &y), &z) in wide.as_chunks_mut::<4>().0.iter_mut().zip(x).zip(y).zip(z) {
            *t = [in_half_range(x), in_half_range(y), in_half_range(z), 1.0];
        }
        narrow.convert_from_f32_slice(&wide);
        for (bytes, half) in out.as_chunks_mut::<2>().0.iter_mut().zip(narrow) {
            *bytes = half.to_le_bytes();
        }
    }
}

fn split_halves(bytes: &[u8], x: &mut [f32], y: &mut [f32], z: &mut [f32]) {
    let mut wide = [0.0f32; 4 * HALF_RUN];
    let mut narrow = [f16::ZERO; 4 * HALF_RUN];
    let runs = x.chunks_mut(HALF_RUN).zip(y.chunks_mut(HALF_RUN)).zip(z.chunks_mut(HALF_RUN));
    for (bytes, ((x, y), z)) in bytes.chunks(8 * HALF_RUN).zip(runs) {
        for (half, bytes) in narrow.iter_mut().zip(bytes.as_chunks::<2>().0) {
            *half = f16::from_le_bytes(*bytes);
        }
        narrow.convert_to_f32_slice(&mut wide);
        for (((t, x), y), z) in wide.as_chunks::<4>().0.iter().zip(x).zip(y).zip(z) {
            [*x, *y, *z, _] = *t;
        }
    }
}

fn split<const N: usize>(
    bytes: &[u8],
    x: &mut [f32],
    y: &mut [f32],
    z: &mut [f32],
    of: impl Fn(&[u8; N]) -> [f32; 3],
) {
    for (((t, x), y), z) in bytes.as_chunks::<N>().0.iter().zip(x).zip(y).zip(z) {
        [*x, *y, *z] = of(t);
    }
}

fn fourth<const N: usize>(bytes: &[u8], packed: Option<&mut [u16]>, of: impl Fn(&[u8; N]) -> u16) {
    for (t, w) in bytes.as_chunks::<N>().0.iter().zip(packed.into_iter().flatten()) {
        *w = of(t);
    }
}

#[inline(always)]
fn single<const N: usize>(texel: &[u8; N], at: usize) -> f32 {
    f32::from_le_bytes([texel[at], texel[at + 1], texel[at + 2], texel[at + 3]])
}

#[inline(always)]
fn short<const N: usize>(texel: &[u8; N], at: usize) -> u16 {
    u16::from_le_bytes([texel[at], texel[at + 1]])
}
