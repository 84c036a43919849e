use vatpipe::encode::{Format, decode, decode_into, encode, encode_into};

use crate::support::random::Random;

/// The bytes of one texel.
fn one(format: Format, [x, y, z]: [f32; 3], packed: Option<u16>) -> Vec<u8> {
    let mut out = Vec::new();
    encode(format, [&[x], &[y], &[z]], packed.as_ref().map(std::slice::from_ref), &mut out);
    out
}

/// Written down by hand from the formats' definitions. 0.5 lies between two codes in every one of
/// them (511.5 of 1023, say): the even one is taken.
#[test]
fn bytes_of_a_texel() {
    let p = [1.0, 0.0, 0.5];
    assert_eq!(one(Format::Rgba16ui, p, None), [0xff, 0xff, 0, 0, 0x00, 0x80, 0xff, 0xff]);
    assert_eq!(one(Format::Rgba16ui, p, Some(0x1234)), [0xff, 0xff, 0, 0, 0x00, 0x80, 0x34, 0x12]);
    assert_eq!(one(Format::Rgba16, p, Some(0x1234)), [0xff, 0xff, 0, 0, 0x00, 0x80, 0x34, 0x12]);
    assert_eq!(one(Format::Rgb10a2, p, None), (1023u32 | 512 << 20 | 3 << 30).to_le_bytes());
    assert_eq!(one(Format::Rgba8, p, None), [255, 0, 128, 255]);
    assert_eq!(one(Format::Rg8, p, None), [255, 0]);
    assert_eq!(one(Format::Rgba16f, [1.0, -2.0, 0.5], None), [0, 0x3c, 0, 0xc0, 0, 0x38, 0, 0x3c]);
    let floats = |w: f32| [1.5f32, -2.25, 1e9, w].map(f32::to_le_bytes).concat();
    assert_eq!(one(Format::Rgba32f, [1.5, -2.25, 1e9], None), floats(1.0));
    assert_eq!(one(Format::Rgba32f, [1.5, -2.25, 1e9], Some(0xffff)), floats(65535.0));
}

#[test]
fn outside_the_range() {
    let odd = [f32::NAN, -1.0, 1.1];
    assert_eq!(one(Format::Rgba16ui, odd, None), [0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]);
    assert_eq!(one(Format::Rgba8, odd, None), [0, 0, 255, 255]);
    assert_eq!(one(Format::Rgb10a2, odd, None), (1023u32 << 20 | 3 << 30).to_le_bytes());
    assert_eq!(one(Format::Rgba8, [f32::INFINITY, f32::NEG_INFINITY, -0.0], None), [255, 0, 0, 255]);
    assert_eq!(
        one(Format::Rgba16f, [f32::NAN, 1e9, f32::NEG_INFINITY], None)[..6],
        [0, 0, 0xff, 0x7b, 0xff, 0xfb]
    );
    assert_eq!(one(Format::Rgba32f, [f32::NAN, 0.0, 0.0], None)[..4], [0; 4]);
}

/// IEEE 754 binary16, to the nearest, ties to even: values and bits worked out by hand.
#[test]
fn halves() {
    let two = |exponent: i32| libm::exp2f(exponent as f32);
    let expected = [
        (1.0 + two(-11), 0x3c00), // between 0x3c00 and 0x3c01
        (1.0 + 3.0 * two(-11), 0x3c02),
        (1.0 + 1.001 * two(-11), 0x3c01),
        (65504.0, 0x7bff),
        (65519.0, 0x7bff),
        (65520.0, 0x7bff), // the nearest would be infinity
        (two(-14), 0x0400),
        (two(-24), 0x0001), // the smallest there is
        (two(-25), 0x0000),
        (1.5 * two(-24), 0x0002),
        (0.1, 0x2e66),
        (-1.0 / 3.0, 0xb555),
    ];
    for (value, bits) in expected {
        assert_eq!(one(Format::Rgba16f, [value; 3], None)[..2], u16::to_le_bytes(bits), "{value}");
    }
}

/// Processors with an instruction for halves give the bits that the ones without compute.
#[test]
fn halves_are_the_same_with_and_without_instructions() {
    let mut random = Random(5);
    let any = (0..200_000).map(|_| f32::from_bits(random.bits() as u32)).filter(|v| !v.is_nan());
    let small = (0..200_000).map(|i| f32::from_bits(i * 0x4000)).filter(|v| v.is_finite());
    let x: Vec<f32> = any.chain(small).collect();
    let mut bytes = Vec::new();
    encode(Format::Rgba16f, [&x, &x, &x], None, &mut bytes);
    let decoded = decode(Format::Rgba16f, &bytes);
    for ((texel, &value), &back) in bytes.chunks(8).zip(&x).zip(&decoded.planes[2]) {
        let half = half::f16::from_f32_const(value.clamp(-65504.0, 65504.0));
        assert_eq!(texel[..2], half.to_le_bytes(), "{value}");
        assert_eq!(back, half.to_f32_const());
    }
}

/// Every code comes out of the decoder as its exact quotient, and goes in again as itself.
#[test]
fn every_code_there_and_back() {
    for (format, bits) in
        [(Format::Rgba16, 16), (Format::Rgba16ui, 16), (Format::Rgb10a2, 10), (Format::Rgba8, 8)]
    {
        let max = (1u32 << bits) - 1;
        let x: Vec<f32> = (0..=max).map(|c| (f64::from(c) / f64::from(max)) as f32).collect();
        let y: Vec<f32> = x.iter().rev().copied().collect();
        let z: Vec<f32> = (0..=max).map(|c| x[(c ^ 0x55) as usize]).collect();
        let mut bytes = Vec::new();
        encode(format, [&x, &y, &z], None, &mut bytes);
        assert_eq!(decode(format, &bytes).planes, [x, y, z], "{format}");
    }
}

#[test]
fn every_half_there_and_back() {
    let finite = (0..=u16::MAX).filter(|bits| bits & 0x7c00 != 0x7c00);
    let x: Vec<f32> = finite.map(|bits| half::f16::from_bits(bits).to_f32()).collect();
    let mut bytes = Vec::new();
    encode(Format::Rgba16f, [&x, &x, &x], None, &mut bytes);
    let back = decode(Format::Rgba16f, &bytes);
    assert_eq!(back.planes, [x.clone(), x.clone(), x]);
    assert_eq!(back.packed, None);
}

/// No format is off by more than half a step, and a hair for the product that is itself rounded.
#[test]
fn rounding_is_to_the_nearest() {
    let mut random = Random(7);
    let x: Vec<f32> = (0..200_000).map(|_| random.unit()).collect();
    for &format in Format::all().iter().filter(|f| f.is_normalized() && !f.is_block()) {
        let mut bytes = Vec::new();
        encode(format, [&x, &x, &x], None, &mut bytes);
        let decoded = decode(format, &bytes);
        let worst = x.iter().zip(&decoded.planes[0]).map(|(a, b)| (f64::from(*a) - f64::from(*b)).abs());
        let worst = worst.fold(0.0, f64::max) / format.step().unwrap();
        assert!((0.49..0.51).contains(&worst), "{format}: {worst} steps");
        let z = if format == Format::Rg8 { vec![0.0; x.len()] } else { decoded.planes[0].clone() };
        assert_eq!(decoded.planes[1..], [decoded.planes[0].clone(), z]);
    }
}

/// All 65,536 packed normals survive in every format that has room for them.
#[test]
fn packed_normals() {
    let packed: Vec<u16> = (0..=u16::MAX).collect();
    let x = vec![0.25; packed.len()];
    for &format in Format::all().iter().filter(|f| f.has_packed_normal()) {
        let mut bytes = Vec::new();
        encode(format, [&x, &x, &x], Some(&packed), &mut bytes);
        assert_eq!(decode(format, &bytes).packed.as_ref(), Some(&packed), "{format}");
    }
}

/// What a piece of a texture becomes does not depend on where it is cut.
#[test]
fn pieces_make_the_whole() {
    let mut random = Random(11);
    let mut plane = || (0..331).map(|_| random.unit()).collect::<Vec<f32>>();
    let [x, y, z] = [plane(), plane(), plane()];
    for &format in Format::all().iter().filter(|format| !format.is_block()) {
        let size = format.bytes_per_block();
        let mut whole = vec![0xee; 3]; // appended to what is there
        encode(format, [&x, &y, &z], None, &mut whole);
        let mut pieces = vec![0xee; 3 + 331 * size];
        let mut back = [vec![9.0; 331], vec![9.0; 331], vec![9.0; 331]];
        for (from, to) in [(0, 1), (1, 65), (65, 65), (65, 200), (200, 331)] {
            let part = &mut pieces[3 + from * size..3 + to * size];
            encode_into(format, [&x[from..to], &y[from..to], &z[from..to]], None, part);
            let [a, b, c] = &mut back;
            decode_into(format, part, [&mut a[from..to], &mut b[from..to], &mut c[from..to]], None);
        }
        assert_eq!(whole, pieces, "{format}");
        assert_eq!(decode(format, &whole[3..]).planes, back, "{format}");
    }
}

/// The third plane of two-channel sheets need not exist.
#[test]
fn two_channels_need_two_planes() {
    let mut bytes = Vec::new();
    encode(Format::Rg8, [&[0.2, 1.0], &[0.4, 0.0], &[]], None, &mut bytes);
    assert_eq!(bytes, [51, 102, 255, 0]);
    let (mut x, mut y) = ([0.0; 2], [0.0; 2]);
    decode_into(Format::Rg8, &bytes, [&mut x, &mut y, &mut []], None);
    assert_eq!((x, y), ([51.0 / 255.0, 1.0], [102.0 / 255.0, 0.0]));
}

#[test]
#[should_panic(expected = "rgba16f has no place for packed normals")]
fn a_half_holds_no_packed_normal() {
    one(Format::Rgba16f, [0.0; 3], Some(1));
}

#[test]
#[should_panic(expected = "17 bytes for 2 texels of rgba16")]
fn bytes_must_be_whole_texels() {
    decode(Format::Rgba16, &[0; 17]);
}

/// The same bytes on every machine: pinned.
#[test]
fn bytes_are_the_same_everywhere() {
    let mut random = Random(3);
    let mut plane = || (0..5000).map(|_| random.signed() * 1.25).collect::<Vec<f32>>();
    let [x, y, z] = [plane(), plane(), plane()];
    let mut bytes = Vec::new();
    for &format in Format::all().iter().filter(|format| !format.is_block()) {
        encode(format, [&x, &y, &z], None, &mut bytes);
    }
    let digest = blake3::hash(&bytes).to_hex();
    assert_eq!(digest.as_str(), "c2b1fe3124105a0896599a0bebeb3668dfd538774a535546aab26b852568ac25");
}
