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

/// The angle in radians between two unit vectors, given the square of their distance (0 to 4).
/// Within 1e-9 of `2 asin(sqrt(d2) / 2)`; small angles, by far the most, cost no trigonometry.
pub fn angle_of_chord(distance_squared: f64) -> f64 {
    let half = (distance_squared.max(0.0)).sqrt() * 0.5;
    if half < 0.05 {
        // The Taylor series of asin; the next term is below 1e-12.
        let s = half * half;
        return 2.0 * half * (1.0 + s * (1.0 / 6.0 + s * (3.0 / 40.0 + s * (15.0 / 336.0))));
    }
    2.0 * libm::asin(half.min(1.0))
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
    fn chord_angles_agree_with_asin() {
        for i in 0..=2000 {
            let d = f64::from(i) / 1000.0;
            assert!((angle_of_chord(d * d) - 2.0 * libm::asin(d / 2.0)).abs() < 1e-9, "{d}");
        }
    }
}
