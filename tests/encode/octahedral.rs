use vatpipe::encode::octahedral::{decode, encode, pack, pack_planes, unpack, unpack_planes};

/// The decoder of the design's section 4.3 and of the module's docs, in doubles.
fn reference([b0, b1]: [u8; 2]) -> [f64; 3] {
    let [x, y] = [b0, b1].map(|b| f64::from(b) / 127.5 - 1.0);
    let z = 1.0 - x.abs() - y.abs();
    let t = (-z).max(0.0);
    let v = [x - t.copysign(x), y - t.copysign(y), z];
    let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    v.map(|c| c / length)
}

fn degrees(a: [f64; 3], b: [f64; 3]) -> f64 {
    let dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let cross =
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]].map(|c| c * c);
    libm::atan2((cross[0] + cross[1] + cross[2]).sqrt(), dot).to_degrees()
}

/// Points spread evenly over the sphere: a Fibonacci lattice.
fn sphere(n: u32) -> impl Iterator<Item = [f64; 3]> {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    (0..n).map(move |i| {
        let z = 1.0 - (2.0 * f64::from(i) + 1.0) / f64::from(n);
        let r = (1.0 - z * z).sqrt();
        let angle = golden * f64::from(i);
        [r * libm::cos(angle), r * libm::sin(angle), z]
    })
}

/// The codes without the choice among neighbours: each byte rounded by itself.
fn rounded(v: [f64; 3]) -> [u8; 2] {
    let sum = v.iter().map(|c| c.abs()).sum::<f64>();
    let [x, y] = [v[0] / sum, v[1] / sum];
    let folded = [(1.0 - y.abs()).copysign(x), (1.0 - x.abs()).copysign(y)];
    let p = if v[2] < 0.0 { folded } else { [x, y] };
    p.map(|c| ((c + 1.0) * 127.5).round() as u8)
}

/// The figures of the module's docs.
#[test]
fn error_over_the_sphere() {
    let n = 1_000_000;
    let (mut max, mut sum, mut max_rounded) = (0.0f64, 0.0, 0.0f64);
    for v in sphere(n) {
        let error = degrees(v, reference(encode(v.map(|c| c as f32))));
        max = max.max(error);
        sum += error;
        max_rounded = max_rounded.max(degrees(v, reference(rounded(v))));
    }
    let mean = sum / f64::from(n);
    assert!((0.63..0.64).contains(&max), "{max}");
    assert!((0.313..0.314).contains(&mean), "{mean}");
    assert!((0.94..0.96).contains(&max_rounded), "{max_rounded}");
}

/// None of the codes around the one taken is nearer, and neither is any other.
#[test]
fn the_nearest_code_is_taken() {
    let decoded: Vec<[f64; 3]> = (0..=u16::MAX).map(|code| reference(code.to_le_bytes())).collect();
    for v in sphere(150) {
        let taken = degrees(v, decoded[usize::from(pack(v.map(|c| c as f32)))]);
        let best = decoded.iter().map(|&d| degrees(v, d)).fold(f64::MAX, f64::min);
        assert!(taken < best + 1e-3, "{v:?}: {taken} where {best} is possible");
    }
}

#[test]
fn decoding_follows_the_formula() {
    for code in 0..=u16::MAX {
        let bytes = code.to_le_bytes();
        let v = decode(bytes);
        assert!(degrees(v.map(f64::from), reference(bytes)) < 2e-5, "{bytes:?}");
        assert!((v.iter().map(|c| c * c).sum::<f32>() - 1.0).abs() < 3e-7);
        assert_eq!(unpack(code), v);
        // On the seam of the lower half two codes mean one vector.
        assert!(degrees(v.map(f64::from), reference(encode(v))) < 2e-5, "{bytes:?}");
    }
}

#[test]
fn low_byte_is_x() {
    assert_eq!(encode([1.0, 0.0, 0.0]), [255, 127]);
    assert_eq!(pack([1.0, 0.0, 0.0]), 127 << 8 | 255);
    let [x, y, z] = decode([255, 127]);
    assert!(x > 0.9999 && y.abs() < 0.004 && z.abs() < 0.004);
}

#[test]
fn length_does_not_matter_and_no_direction_is_up() {
    let v = [0.3, -0.5, -0.7];
    for factor in [1e-30f32, 1e-3, 7.0, 1e30] {
        assert_eq!(encode(v.map(|c| c * factor)), encode(v));
    }
    let up = encode([0.0, 0.0, 1.0]);
    for v in [[0.0; 3], [-0.0; 3], [f32::NAN, 1.0, 0.0], [f32::INFINITY, 0.0, 0.0], [f32::MAX; 3]] {
        assert_eq!(encode(v), up, "{v:?}");
    }
}

#[test]
fn planes_are_packed_one_by_one_and_the_same_everywhere() {
    let vectors: Vec<[f32; 3]> = sphere(5003).map(|v| v.map(|c| c as f32)).collect();
    let plane = |axis: usize| vectors.iter().map(|v| v[axis]).collect::<Vec<f32>>();
    let mut packed = vec![0; vectors.len()];
    pack_planes([&plane(0), &plane(1), &plane(2)], &mut packed);
    assert_eq!(packed, vectors.iter().map(|&v| pack(v)).collect::<Vec<_>>());

    let mut back = [(); 3].map(|()| vec![0.0; packed.len()]);
    let [x, y, z] = &mut back;
    unpack_planes(&packed, [x, y, z]);
    let bytes: Vec<u8> = packed.iter().flat_map(|p| p.to_le_bytes()).collect();
    let floats: Vec<u8> = back.iter().flatten().flat_map(|c| c.to_le_bytes()).collect();
    assert_eq!(
        blake3::hash(&bytes).to_hex().as_str(),
        "9e810d77d190892dfd7d15d4631a07abfe0ef4747338bfed4e819a3eff829a62"
    );
    assert_eq!(
        blake3::hash(&floats).to_hex().as_str(),
        "a7f0e77c1d3b3497bc26da7104cd97e8de128c765cf6e3e82e517d6ca0cfa029"
    );
}
