//! Curves and easing. Transcendental functions come from `libm`, so that the bytes are the same on every machine.

use glam::{DQuat, DVec3};

pub use std::f64::consts::{PI, TAU};

pub fn sin(x: f64) -> f64 {
    libm::sin(x)
}

pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}

pub fn lerp(a: f64, b: f64, t: f64) -> f64 {
    a + (b - a) * t
}

/// 0 below `from`, 1 above `to`, an S between them.
pub fn smoothstep(from: f64, to: f64, x: f64) -> f64 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// A smooth curve through `keys` (time, value): flat before the first and after the last, and flat at every
/// extremum, so that it never swings past a key (Fritsch and Carlson's monotone cubic, harmonic-mean tangents).
pub fn curve(keys: &[(f64, f64)], t: f64) -> f64 {
    let last = keys.len() - 1;
    if t <= keys[0].0 {
        return keys[0].1;
    }
    if t >= keys[last].0 {
        return keys[last].1;
    }
    let i = (0..last).rfind(|&i| keys[i].0 <= t).unwrap_or(0);
    let slope = |k: usize| (keys[k + 1].1 - keys[k].1) / (keys[k + 1].0 - keys[k].0);
    let tangent = |k: usize| {
        if k == 0 || k == last {
            return 0.0;
        }
        let (a, b) = (slope(k - 1), slope(k));
        if a * b <= 0.0 { 0.0 } else { 2.0 * a * b / (a + b) }
    };
    let (t0, v0) = keys[i];
    let (t1, v1) = keys[i + 1];
    let (d, s) = (t1 - t0, (t - t0) / (t1 - t0));
    let (s2, s3) = (s * s, s * s * s);
    (2.0 * s3 - 3.0 * s2 + 1.0) * v0
        + (s3 - 2.0 * s2 + s) * d * tangent(i)
        + (3.0 * s2 - 2.0 * s3) * v1
        + (s3 - s2) * d * tangent(i + 1)
}

/// What a damped spring of `hertz` does when its rest point is dragged along `target`: it comes late and swings
/// past. `target` holds the equally spaced samples of a clip `duration` seconds long, both ends included. A loop is
/// run until it repeats, and closed.
pub fn follow(target: &[f64], duration: f64, hertz: f64, damping: f64, looping: bool) -> Vec<f64> {
    const SUBSTEPS: usize = 16;
    let count = target.len();
    let step = duration / ((count - 1) * SUBSTEPS) as f64;
    let omega = TAU * hertz;
    let (mut x, mut v) = (target[0], 0.0);
    let mut out = vec![x; count];
    for _ in 0..if looping { 8 } else { 1 } {
        out[0] = x;
        for i in 1..count {
            for s in 1..=SUBSTEPS {
                let aim = lerp(target[i - 1], target[i], s as f64 / SUBSTEPS as f64);
                v += (omega * omega * (aim - x) - 2.0 * damping * omega * v) * step;
                x += v * step;
            }
            out[i] = x;
        }
    }
    if looping {
        out[count - 1] = out[0];
    }
    out
}

/// Rotations about the fixed axes, radians: roll (z) first, then pitch (x), then yaw (y).
pub fn euler(pitch: f64, yaw: f64, roll: f64) -> DQuat {
    about(DVec3::Y, yaw) * about(DVec3::X, pitch) * about(DVec3::Z, roll)
}

/// A rotation of `angle` radians about the unit vector `axis`.
pub fn about(axis: DVec3, angle: f64) -> DQuat {
    let (s, c) = (sin(angle * 0.5), cos(angle * 0.5));
    DQuat::from_xyzw(axis.x * s, axis.y * s, axis.z * s, c)
}
