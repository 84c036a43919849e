//! A pounce: crouch and wiggle, leap, land on the hands, bite, settle. It ends `LEAP` metres ahead.

use glam::DVec3;

use super::super::super::math::{TAU, curve, sin};
use super::super::super::rig::Rig;
use super::{Clip, Foot, Stance, finish, idle};

const DURATION: f64 = 1.7;
const KEYS: usize = 56;
const LEAP: f64 = 0.7;

pub fn clip(rig: &Rig) -> Clip {
    let stances: Vec<Stance> = (0..=KEYS).map(|i| stance(DURATION * i as f64 / KEYS as f64)).collect();
    finish(rig, "Pounce", DURATION, false, &stances)
}

/// Time and value, seconds and metres or radians.
type Keys = &'static [(f64, f64)];

const AHEAD: Keys =
    &[(0.0, 0.0), (0.50, -0.06), (0.60, 0.05), (0.90, 0.64), (1.02, LEAP + 0.02), (1.40, LEAP)];
const UP: Keys = &[
    (0.0, 0.0),
    (0.3, -0.075),
    (0.52, -0.085),
    (0.62, 0.045),
    (0.74, 0.165),
    (0.88, 0.02),
    (0.99, -0.085),
    (1.22, 0.012),
    (1.5, 0.0),
];
const PITCH: Keys = &[
    (0.0, 0.0),
    (0.32, 0.2),
    (0.52, 0.17),
    (0.63, -0.42),
    (0.76, -0.05),
    (0.89, 0.3),
    (1.02, 0.04),
    (1.2, -0.04),
    (1.5, 0.0),
];
/// The trunk's arch, and the head's nod against it.
const BEND: Keys = &[
    (0.0, 0.0),
    (0.32, 0.16),
    (0.52, 0.16),
    (0.64, -0.14),
    (0.8, 0.02),
    (0.92, 0.16),
    (1.08, 0.03),
    (1.4, 0.0),
];
const LOOK: Keys = &[
    (0.0, 0.0),
    (0.32, -0.3),
    (0.52, -0.28),
    (0.64, 0.16),
    (0.8, 0.0),
    (0.93, -0.26),
    (1.02, 0.2),
    (1.2, -0.05),
    (1.5, 0.0),
];
const LIDS: Keys =
    &[(0.0, 0.0), (0.28, 0.38), (0.52, 0.42), (0.62, 0.0), (0.96, 0.0), (1.02, 1.0), (1.1, 1.0), (1.28, 0.0)];
const TAIL: Keys = &[
    (0.0, 0.0),
    (0.35, 0.1),
    (0.52, 0.13),
    (0.64, 0.22),
    (0.78, 0.02),
    (0.95, 0.08),
    (1.25, -0.02),
    (1.5, 0.0),
];
/// How far the wings are raised over `Idle`, and how much of its fold they keep.
const WINGS: Keys = &[
    (0.0, 0.0),
    (0.32, -0.1),
    (0.5, 0.3),
    (0.62, 0.95),
    (0.74, 0.05),
    (0.86, 0.65),
    (1.05, 0.0),
    (1.2, 0.05),
    (1.5, 0.0),
];
const FOLD: Keys = &[(0.0, 1.0), (0.32, 1.4), (0.56, -0.25), (0.9, -0.25), (1.15, 1.15), (1.5, 1.0)];

fn stance(time: f64) -> Stance {
    let of = |keys: Keys| curve(keys, time);
    let rest = idle::first();
    let wiggle = of(&[(0.22, 0.0), (0.30, 1.0), (0.46, 1.0), (0.54, 0.0)]) * sin(TAU * (time - 0.22) * 5.6);
    let (pitch, bend, look) = (of(PITCH), of(BEND), of(LOOK));
    let mut s = Stance {
        root: DVec3::new(0.0, 0.0, of(AHEAD)),
        hips: DVec3::new(0.012 * wiggle, of(UP), 0.0),
        hips_turn: [pitch, 0.09 * wiggle, 0.07 * wiggle],
        spine: [0.5 * bend, -0.05 * wiggle, -0.04 * wiggle],
        chest: [0.5 * bend, -0.04 * wiggle, -0.03 * wiggle],
        neck: [0.6 * look, 0.0, 0.0],
        head: [0.8 * look - 0.4 * pitch, 0.0, 0.0],
        jaw: of(&[(0.0, 0.02), (0.52, 0.03), (0.68, 0.55), (0.90, 0.62), (0.98, 0.0), (1.3, 0.02)]),
        lids: of(LIDS),
        ears: of(&[(0.0, 0.0), (0.30, 0.35), (0.52, 0.40), (0.66, 0.75), (0.92, 0.3), (1.15, 0.0)]),
        tail: [of(TAIL), 0.0],
        wings: [rest.wings[0] + of(WINGS), rest.wings[1] * of(FOLD), rest.wings[2] * of(FOLD)],
        ..Stance::default()
    };
    for (k, foot) in s.feet.iter_mut().enumerate() {
        // The right feet come a touch later than the left.
        let late = if k > 1 { 0.025 } else { 0.0 };
        *foot = if k % 2 == 1 { front(time - late) } else { hind(time - late) };
    }
    s
}

fn front(time: f64) -> Foot {
    let of = |keys: &[(f64, f64)]| curve(keys, time);
    let z = of(&[(0.49, 0.0), (0.60, 0.17), (0.74, 0.52), (0.85, LEAP)]);
    let y = of(&[(0.47, 0.0), (0.62, 0.27), (0.70, 0.22), (0.85, 0.0)]);
    let pitch = of(&[(0.47, 0.0), (0.57, 0.9), (0.70, 0.1), (0.80, -0.35), (0.87, 0.0)]);
    Foot { shift: DVec3::new(0.0, y, z), pitch, yaw: 0.0 }
}

fn hind(time: f64) -> Foot {
    let of = |keys: &[(f64, f64)]| curve(keys, time);
    let z = of(&[(0.58, 0.0), (0.70, 0.17), (0.80, 0.42), (0.94, LEAP)]);
    let y = of(&[(0.58, 0.0), (0.70, 0.17), (0.80, 0.18), (0.94, 0.0)]);
    let pitch = of(&[(0.46, 0.0), (0.60, 0.75), (0.70, 1.1), (0.84, 0.3), (0.90, -0.15), (0.96, 0.0)]);
    Foot { shift: DVec3::new(0.0, y, z), pitch, yaw: 0.0 }
}
