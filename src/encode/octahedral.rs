//! Unit vectors in two bytes: the octahedral encoding of Cigolle, Donow, Evangelakos, Mara, McGuire
//! and Meyer, "A Survey of Efficient Representations for Independent Unit Vectors", Journal of
//! Computer Graphics Techniques 3(2), 2014, with unsigned bytes in place of their signed ones, and with
//! their "precise" choice among the neighbouring codes.
//!
//! The vector is projected onto the octahedron `|x| + |y| + |z| = 1`, whose lower half (z < 0) is
//! folded over the diagonals of the square that the upper half fills:
//!
//! ```text
//! p = v.xy / (|v.x| + |v.y| + |v.z|)
//! if v.z < 0:  p = (1 - |p.yx|) * (p.x >= 0 ? 1 : -1, p.y >= 0 ? 1 : -1)
//! ```
//!
//! A byte `b` means `b / 127.5 - 1`. The decoder unfolds:
//!
//! ```text
//! p = (b0, b1) / 127.5 - 1
//! z = 1 - |p.x| - |p.y|
//! t = max(-z, 0)
//! v = normalize(p.x + (p.x >= 0 ? -t : t), p.y + (p.y >= 0 ? -t : t), z)
//! ```
//!
//! Of the four codes around `p` the one whose vector is nearest is taken. Over the whole sphere the
//! error is at most 0.64 degrees and 0.314 on average, which the tests measure; each byte rounded by
//! itself would give up to 0.95.
//!
//! A packed normal is `b0 | b1 << 8`. A vector that has no direction (zero, or not finite) is
//! taken for +Z.

/// The two bytes of a direction; the vector need not have length 1.
pub fn encode(v: [f32; 3]) -> [u8; 2] {
    pack(v).to_le_bytes()
}

/// The unit vector that two bytes stand for.
pub fn decode(bytes: [u8; 2]) -> [f32; 3] {
    let [x, y, z] = unfold(bytes.map(|b| f32::from(b) / 127.5 - 1.0));
    let length = (x * x + y * y + z * z).sqrt();
    [x / length, y / length, z / length]
}

/// [`encode`], the first byte in the low half.
// A call would keep the loop of `pack_planes` from becoming vector code.
#[inline(always)]
pub fn pack(v: [f32; 3]) -> u16 {
    let n = project(v);
    let [fx, fy] = fold(n).map(|p| (p * 0.5 + 0.5) * 255.0);
    let (x0, y0) = (floor(fx), floor(fy));
    let mut best = Candidate::new(n, x0, y0);
    for (x, y) in [(x0 + 1.0, y0), (x0, y0 + 1.0), (x0 + 1.0, y0 + 1.0)] {
        let other = Candidate::new(n, x, y);
        // cos² = dot² / length², compared without dividing; all are within a right angle of `n`.
        let nearer = other.dot2 * best.length2 > best.dot2 * other.length2;
        best = if nearer { other } else { best };
    }
    (integer(best.x) | integer(best.y) << 8) as u16
}

/// [`decode`] of a packed normal.
#[inline]
pub fn unpack(packed: u16) -> [f32; 3] {
    decode(packed.to_le_bytes())
}

/// [`pack`] over planes.
///
/// # Panics
/// When the lists are not equally long.
pub fn pack_planes(planes: [&[f32]; 3], out: &mut [u16]) {
    let [x, y, z] = planes;
    assert!(x.len() == out.len() && y.len() == out.len() && z.len() == out.len(), "planes differ in length");
    for (((out, &x), &y), &z) in out.iter_mut().zip(x).zip(y).zip(z) {
        *out = pack([x, y, z]);
    }
}

/// [`unpack`] into planes.
///
/// # Panics
/// When the lists are not equally long.
pub fn unpack_planes(packed: &[u16], planes: [&mut [f32]; 3]) {
    let [x, y, z] = planes;
    let n = packed.len();
    assert!(x.len() == n && y.len() == n && z.len() == n, "planes differ in length");
    for (((&packed, x), y), z) in packed.iter().zip(x).zip(y).zip(z) {
        [*x, *y, *z] = unpack(packed);
    }
}

/// A code near the vector, and how near it is.
#[derive(Clone, Copy)]
struct Candidate {
    x: f32,
    y: f32,
    dot2: f32,
    length2: f32,
}

impl Candidate {
    #[inline(always)]
    fn new(n: [f32; 3], x: f32, y: f32) -> Self {
        let d = unfold([x, y].map(|c| c * (1.0 / 127.5) - 1.0));
        let dot = d[0] * n[0] + d[1] * n[1] + d[2] * n[2];
        let length2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        Candidate { x, y, dot2: dot * dot, length2 }
    }
}

/// Onto the octahedron; +Z for what has no direction.
#[inline(always)]
fn project([x, y, z]: [f32; 3]) -> [f32; 3] {
    let sum = x.abs() + y.abs() + z.abs();
    if sum > 0.0 && sum <= f32::MAX { [x / sum, y / sum, z / sum] } else { [0.0, 0.0, 1.0] }
}

/// The octahedron onto the square from -1 to 1.
#[inline(always)]
fn fold([x, y, z]: [f32; 3]) -> [f32; 2] {
    let folded = [(1.0 - y.abs()) * sign(x), (1.0 - x.abs()) * sign(y)];
    if z < 0.0 { folded } else { [x, y] }
}

/// The square back onto the octahedron.
#[inline(always)]
fn unfold([x, y]: [f32; 2]) -> [f32; 3] {
    let z = 1.0 - x.abs() - y.abs();
    let t = if z < 0.0 { -z } else { 0.0 };
    [x - t * sign(x), y - t * sign(y), z]
}

#[inline(always)]
fn sign(v: f32) -> f32 {
    if v >= 0.0 { 1.0 } else { -1.0 }
}

/// The integer below a number from 0 to 255, at most 254: both it and the next are codes. The
/// addition rounds to an integer (see `loops::code`).
#[inline(always)]
fn floor(v: f32) -> f32 {
    let nearest = (v + 8_388_608.0) - 8_388_608.0;
    let below = if nearest > v { nearest - 1.0 } else { nearest };
    if below < 254.0 { below } else { 254.0 }
}

/// An integer from 0 to 255.
#[inline(always)]
fn integer(v: f32) -> u32 {
    (v + 8_388_608.0).to_bits() & 0xff
}
