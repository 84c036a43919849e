//! Standing about: breath, a look around, two blinks, a lazy tail.

use glam::DVec3;

use super::super::super::math::{TAU, curve, sin};
use super::super::super::rig::Rig;
use super::{Clip, Stance, finish};

const DURATION: f64 = 4.0;
const KEYS: usize = 72;

pub fn clip(rig: &Rig) -> Clip {
    let stances: Vec<Stance> = (0..=KEYS).map(|i| stance(DURATION * i as f64 / KEYS as f64)).collect();
    finish(rig, "Idle", DURATION, true, &stances)
}

/// The pose in which every other clip starts and ends is the one at time 0.
fn stance(time: f64) -> Stance {
    let breath = sin(TAU * time / 2.0);
    let sway = sin(TAU * time / DURATION);
    let look = curve(
        &[(0.0, 0.0), (0.35, 0.0), (0.8, 0.42), (1.7, 0.38), (2.2, -0.30), (3.1, -0.27), (3.7, 0.0)],
        time,
    );
    let tilt = curve(&[(0.0, 0.0), (0.9, 0.0), (1.2, 0.16), (1.65, 0.14), (2.1, 0.0)], time);
    let blink = blink(time, 0.55).max(blink(time, 2.02)).max(blink(time, 3.45));
    let flick =
        curve(&[(0.0, 0.0), (2.55, 0.0), (2.63, 0.30), (2.74, -0.10), (2.84, 0.22), (3.0, 0.0)], time);
    Stance {
        hips: DVec3::new(0.010 * sway, 0.003 * breath, 0.0),
        hips_turn: [0.0, 0.0, 0.03 * sway],
        spine: [-0.015 * breath, 0.0, -0.02 * sway],
        chest: [-0.02 * breath, 0.08 * look, -0.01 * sway],
        neck: [0.03 * breath - 0.05 * tilt, 0.40 * look, 0.3 * tilt],
        head: [0.015 * breath, 0.65 * look, tilt],
        jaw: 0.02,
        lids: blink,
        ears: flick,
        tail: [0.0, 0.10 * sin(TAU * (time / DURATION * 2.0))],
        wings: [-0.02 + 0.04 * breath, 0.25, 0.1],
        ..Stance::default()
    }
}

/// A blink that begins at `start`.
fn blink(time: f64, start: f64) -> f64 {
    let at = |offset: f64| start + offset;
    curve(&[(at(0.0), 0.0), (at(0.09), 1.0), (at(0.13), 1.0), (at(0.26), 0.0)], time)
}

/// The pose at time 0, for clips that start or end here.
pub fn first() -> Stance {
    stance(0.0)
}
