//! A waddling walk in place: hind left, front left, hind right, front right, each a quarter of the cycle later.

use glam::DVec3;

use super::super::super::math::{PI, TAU, cos, curve, sin};
use super::super::super::rig::Rig;
use super::{Clip, Foot, Stance, finish};

const DURATION: f64 = 0.9;
const KEYS: usize = 28;
/// The share of the cycle in which a foot stands, and how far the ground moves under it meanwhile, metres.
const DUTY: f64 = 0.64;
const STRIDE: f64 = 0.20;

pub fn clip(rig: &Rig) -> Clip {
    let stances: Vec<Stance> = (0..=KEYS).map(|i| stance(i as f64 / KEYS as f64)).collect();
    finish(rig, "Walk", DURATION, true, &stances)
}

fn stance(cycle: f64) -> Stance {
    let wave = |times: f64, shift: f64| cos(TAU * times * (cycle - shift));
    // A foot is farthest forward when its phase is 0, and in the middle of its stand at 0.32.
    let (hind, front) = (wave(1.0, 0.0), wave(1.0, 0.25));
    let mut s = Stance {
        hips: DVec3::new(0.016 * wave(1.0, 0.32), -0.016 - 0.011 * wave(2.0, 0.09), 0.006 * wave(2.0, 0.3)),
        hips_turn: [0.035 * wave(2.0, 0.22), -0.13 * hind, 0.085 * wave(1.0, 0.32)],
        spine: [0.0, 0.06 * hind - 0.05 * front, -0.05 * wave(1.0, 0.32)],
        chest: [
            -0.045 * wave(2.0, 0.30),
            0.07 * hind - 0.06 * front,
            0.075 * wave(1.0, 0.57) - 0.04 * wave(1.0, 0.32),
        ],
        neck: [0.03 + 0.05 * wave(2.0, 0.42), 0.05 * front, -0.04 * wave(1.0, 0.57)],
        head: [-0.03 - 0.055 * wave(2.0, 0.5), 0.04 * front, -0.035 * wave(1.0, 0.57)],
        jaw: 0.06 + 0.03 * wave(2.0, 0.55),
        tail: [0.02, 0.0],
        wings: [-0.02, 0.25, 0.1],
        ..Stance::default()
    };
    for (k, foot) in s.feet.iter_mut().enumerate() {
        *foot = step(cycle - 0.25 * k as f64, k % 2 == 1);
    }
    s
}

/// A foot at a phase of its cycle: it stands from 0 to `DUTY`, sliding back as evenly as the ground does.
fn step(phase: f64, hand: bool) -> Foot {
    let phase = phase - phase.floor();
    let pitch = [
        (0.0, 0.0),
        (DUTY - 0.20, 0.0),
        (DUTY, 0.55),
        (DUTY + 0.09, if hand { 0.95 } else { 0.7 }),
        (0.90, -0.25),
        (0.97, -0.12),
        (1.0, 0.0),
    ];
    let pitch = curve(&pitch, phase);
    if phase < DUTY {
        return Foot { shift: DVec3::new(0.0, 0.0, STRIDE * (0.5 - phase / DUTY)), pitch, yaw: 0.0 };
    }
    let u = (phase - DUTY) / (1.0 - DUTY);
    // Leaves and lands with the speed of the ground: a cubic with those slopes.
    let slope = -STRIDE * (1.0 - DUTY) / DUTY;
    let (u2, u3) = (u * u, u * u * u);
    let from = 2.0 * u3 - 3.0 * u2 + 1.0;
    let z = (from - 0.5) * -STRIDE + slope * ((u3 - 2.0 * u2 + u) + (u3 - u2));
    let lift = if hand { 0.070 } else { 0.058 };
    Foot { shift: DVec3::new(0.0, lift * sin(PI * u) * (1.25 - 0.5 * u), z), pitch, yaw: 0.0 }
}
