//! The few functions whose results the platform's own library may round differently.
//!
//! Everything that ends in an output goes through here or through plain arithmetic and square
//! roots, which IEEE 754 rounds the same everywhere. `clippy.toml` keeps the rest out.

use glam::DQuat;

/// Spherical linear interpolation of two unit quaternions, the short way round, as glTF 2.0 defines
/// it (specification, appendix C.4). `t` from 0 to 1. The result is a unit quaternion as far as they
/// are: nothing is scaled.
pub fn slerp(a: DQuat, b: DQuat, t: f64) -> DQuat {
    let dot = a.dot(b);
    // q and -q are the same rotation: of the two ways round, take the short one.
    let (b, dot) = if dot < 0.0 { (-b, -dot) } else { (b, dot) };
    // Below about 1e-4 radians the sine is lost in rounding, and the chord is the arc. Equal keys hold,
    // even if they are a little shorter than 1.
    if dot > 1.0 - 1e-9 || a == b {
        return a + (b - a) * t;
    }
    let angle = libm::acos(dot);
    let scale = 1.0 / libm::sin(angle);
    a * (libm::sin((1.0 - t) * angle) * scale) + b * (libm::sin(t * angle) * scale)
}

/// A unit quaternion in the direction of `q`; the identity where `q` has none.
pub fn normalize_or_identity(q: DQuat) -> DQuat {
    let length = q.length();
    if length > 1e-30 && length.is_finite() { q * (1.0 / length) } else { DQuat::IDENTITY }
}

/// The squares of the angles in radians between unit vectors, given the squares of their distances
/// (0 to 4). Small angles, by far the most, cost no trigonometry: the square of the arc sine has the
/// series `2 asin(x/2)^2 = sum of x^2n / (n^2 C(2n,n))` (J. M. Borwein and M. Chamberland, 2007).
pub fn squared_angles<const N: usize>(distances_squared: [f32; N]) -> [f32; N] {
    // Up to 14 degrees the next term is below a part in ten million.
    const SERIES_UP_TO: f32 = 0.0625;
    let mut out = distances_squared
        .map(|d| d * (1.0 + d * (1.0 / 12.0 + d * (1.0 / 90.0 + d * (1.0 / 560.0 + d * (1.0 / 3150.0))))));
    for (out, &d) in out.iter_mut().zip(&distances_squared) {
        if d > SERIES_UP_TO {
            let angle = 2.0 * libm::asin((f64::from(d).sqrt() * 0.5).min(1.0));
            *out = (angle * angle) as f32;
        }
    }
    out
}

/// The nearest `f32` not above `v`.
pub fn f32_below(v: f64) -> f32 {
    let r = v as f32;
    if f64::from(r) > v { r.next_down() } else { r }
}

/// The nearest `f32` not below `v`.
pub fn f32_above(v: f64) -> f32 {
    let r = v as f32;
    if f64::from(r) < v { r.next_up() } else { r }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slerp_takes_the_short_way() {
        let b = DQuat::from_xyzw(0.0, 0.0, -0.173648, -0.984808);
        let v = slerp(DQuat::IDENTITY, b, 0.5) * glam::DVec3::X;
        assert!((v - glam::DVec3::new(0.984808, 0.173648, 0.0)).length() < 1e-6);
        assert!(slerp(b, b, 0.3).dot(b).abs() > 1.0 - 1e-12);
    }

    #[test]
    fn slerp_is_even_at_tiny_angles() {
        let b = DQuat::from_xyzw(0.0, 0.0, 1e-5, (1.0f64 - 1e-10).sqrt());
        assert!((slerp(DQuat::IDENTITY, b, 0.25).z - 0.25e-5).abs() < 1e-15);
    }

    #[test]
    fn squared_angles_agree_with_asin() {
        for i in 0..=2000u16 {
            let d = f32::from(i) / 1000.0;
            let want = 2.0 * libm::asin(f64::from(d) / 2.0);
            let [got] = squared_angles([d * d]);
            assert!((f64::from(got).sqrt() - want).abs() < 4e-7 * want.max(0.1), "{d}: {got} {want}");
        }
    }
}
