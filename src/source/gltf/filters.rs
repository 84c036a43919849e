//! The filters of `EXT_meshopt_compression` (its specification, "Filters"), in place.
//!
//! The library has them too, but its vector and scalar code round ties differently, so the bytes
//! would depend on the processor. Here all is single-precision IEEE arithmetic in a fixed order.

/// Rounds half away from zero, as the specification does.
fn round(x: f32) -> i32 {
    (x + if x >= 0.0 { 0.5 } else { -0.5 }) as i32
}

fn shorts(element: &[u8]) -> [i16; 4] {
    std::array::from_fn(|i| i16::from_le_bytes([element[2 * i], element[2 * i + 1]]))
}

fn store(element: &mut [u8], values: [i16; 4]) {
    for (bytes, value) in element.chunks_exact_mut(2).zip(values) {
        bytes.copy_from_slice(&value.to_le_bytes());
    }
}

/// A unit vector from two octahedral coordinates; `z` holds 1.0 at the same scale. Times `max`.
fn octahedral(x: i32, y: i32, z: i32, max: f32) -> [i32; 3] {
    let (mut x, mut y) = (x as f32, y as f32);
    let z = z as f32 - x.abs() - y.abs();
    let fold = z.min(0.0);
    x += if x >= 0.0 { fold } else { -fold };
    y += if y >= 0.0 { fold } else { -fold };
    let length = (x * x + y * y + z * z).sqrt();
    if length == 0.0 {
        return [0; 3];
    }
    [x, y, z].map(|c| round(c * (max / length)))
}

/// Unit vectors as four signed bytes; the last is left alone.
pub fn octahedral_8(data: &mut [u8]) {
    for element in data.chunks_exact_mut(4) {
        let [x, y, z] = [0, 1, 2].map(|i| i32::from(element[i] as i8));
        let unit = octahedral(x, y, z, 127.0);
        for (byte, c) in element.iter_mut().zip(unit) {
            *byte = c as i8 as u8;
        }
    }
}

/// Unit vectors as four signed shorts; the last is left alone.
pub fn octahedral_16(data: &mut [u8]) {
    for element in data.chunks_exact_mut(8) {
        let [x, y, z, w] = shorts(element);
        let [x, y, z] = octahedral(x.into(), y.into(), z.into(), 32767.0).map(|c| c as i16);
        store(element, [x, y, z, w]);
    }
}

/// Unit quaternions as four signed shorts: the three smallest components, and which is missing.
pub fn quaternion(data: &mut [u8]) {
    for element in data.chunks_exact_mut(8) {
        let values = shorts(element);
        let one = f32::from(values[3] | 3);
        let [x, y, z] = [0, 1, 2].map(|i| f32::from(values[i]));
        let w = (one * one * 2.0 - x * x - y * y - z * z).max(0.0).sqrt();
        let scale = 32767.0 * std::f32::consts::FRAC_1_SQRT_2 / one;
        let missing = (values[3] & 3) as usize;
        let mut out = [0; 4];
        for (i, c) in [w, x, y, z].into_iter().enumerate() {
            out[(missing + i) & 3] = round(c * scale) as i16;
        }
        store(element, out);
    }
}

/// Floats as 24 bits of mantissa and 8 of exponent, both signed.
pub fn exponential(data: &mut [u8]) {
    for element in data.chunks_exact_mut(4) {
        let v = i32::from_le_bytes([element[0], element[1], element[2], element[3]]);
        let (mantissa, exponent) = ((v << 8) >> 8, v >> 24);
        let value = libm::ldexpf(mantissa as f32, exponent);
        element.copy_from_slice(&value.to_le_bytes());
    }
}

/// RGBA from luma, two signed chroma and alpha, whose highest set bit gives the scale.
fn color(y: i32, co: i32, cg: i32, a: i32, max: f32) -> [i32; 4] {
    let bits = 32 - a.leading_zeros();
    let one = ((1u32 << bits) - 1) as i32;
    if one == 0 {
        return [0; 4];
    }
    let alpha = ((a << 1) & one) | (a & 1);
    [y + co - cg, y + cg, y - co - cg, alpha].map(|c| round(c as f32 * (max / one as f32)))
}

/// Colours as four unsigned bytes.
pub fn color_8(data: &mut [u8]) {
    for element in data.chunks_exact_mut(4) {
        let [y, co, cg, a] = [element[0], element[1], element[2], element[3]];
        let rgba = color(y.into(), (co as i8).into(), (cg as i8).into(), a.into(), 255.0);
        element.copy_from_slice(&rgba.map(|c| c.clamp(0, 255) as u8));
    }
}

/// Colours as four unsigned shorts.
pub fn color_16(data: &mut [u8]) {
    for element in data.chunks_exact_mut(8) {
        let [y, co, cg, a] = shorts(element);
        let rgba = color((y as u16).into(), co.into(), cg.into(), (a as u16).into(), 65535.0);
        store(element, rgba.map(|c| c.clamp(0, 65535) as u16 as i16));
    }
}
