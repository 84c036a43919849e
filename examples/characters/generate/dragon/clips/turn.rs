//! A quarter turn to the left on the spot: the head leads, the feet step two by two, the tail swings after.

use glam::DVec3;

use super::super::super::math::{PI, about, curve, sin, smoothstep};
use super::super::super::rig::Rig;
use super::super::rig::legs;
use super::{Clip, Foot, Stance, finish, idle};

const DURATION: f64 = 1.5;
const KEYS: usize = 42;

pub fn clip(rig: &Rig) -> Clip {
    let stances: Vec<Stance> = (0..=KEYS).map(|i| stance(rig, DURATION * i as f64 / KEYS as f64)).collect();
    finish(rig, "TurnLeft", DURATION, false, &stances)
}

fn stance(rig: &Rig, time: f64) -> Stance {
    let of = |keys: &[(f64, f64)]| curve(keys, time);
    let half = PI / 2.0;
    let lead =
        of(&[(0.0, 0.0), (0.12, -0.10), (0.38, 0.50), (0.62, 0.42), (1.0, 0.05), (1.15, -0.05), (1.4, 0.0)]);
    let lean = of(&[(0.0, 0.0), (0.3, 0.6), (0.75, 1.0), (1.05, -0.25), (1.3, 0.0)]);
    let dip = of(&[
        (0.0, 0.0),
        (0.14, -0.022),
        (0.40, 0.0),
        (0.55, -0.010),
        (0.75, 0.002),
        (1.02, -0.020),
        (1.3, 0.0),
    ]);
    let rest = idle::first();
    let mut s = Stance {
        yaw: of(&[(0.0, 0.0), (0.14, -0.04), (0.60, 0.50 * half), (1.02, half + 0.05), (1.28, half)]),
        hips: DVec3::new(0.0, dip, 0.0),
        hips_turn: [0.0, -0.3 * lead, 0.05 * lean],
        spine: [0.0, 0.20 * lead, 0.02 * lean],
        chest: [0.0, 0.35 * lead, 0.02 * lean],
        neck: [0.10 * lean.abs(), 0.55 * lead, 0.06 * lean],
        head: [0.06 * lead, 0.70 * lead, 0.10 * lean],
        lids: of(&[(0.12, 0.0), (0.22, 0.9), (0.28, 0.9), (0.42, 0.0)]),
        wings: [rest.wings[0] + 0.30 * lean.max(0.0), rest.wings[1] - 0.10 * lean, rest.wings[2]],
        ..rest
    };
    // Hind left and front right step together, then front left and hind right; twice.
    let starts = [0.34, 0.14, 0.16, 0.36];
    for (k, (_, ball)) in legs(rig).iter().enumerate() {
        s.feet[k] = steps(*ball, starts[k], time);
    }
    s
}

/// A foot that steps at `start` and again `GAP` later, along the circle that it stands on.
fn steps(ball: DVec3, start: f64, time: f64) -> Foot {
    const GAP: f64 = 0.42;
    const STEP: f64 = 0.24;
    let progress = |start: f64| ((time - start) / STEP).clamp(0.0, 1.0);
    let (one, two) = (progress(start), progress(start + GAP));
    let first = 0.55;
    let yaw = PI / 2.0 * (first * smoothstep(0.0, 1.0, one) + (1.0 - first) * smoothstep(0.0, 1.0, two));
    let air = if two > 0.0 { two } else { one };
    let lift = 0.055 * sin(PI * air);
    let pitch = curve(&[(0.0, 0.0), (0.25, 0.5), (0.75, -0.15), (1.0, 0.0)], air);
    Foot { shift: about(DVec3::Y, yaw) * ball - ball + DVec3::Y * lift, pitch, yaw }
}
