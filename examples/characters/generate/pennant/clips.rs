//! How the wind blows: curves of the eight weights.

use super::super::glb::Track;
use super::super::math::{TAU, cos, curve, sin, smoothstep};
use super::cloth::Wind;

pub struct Clip {
    pub name: &'static str,
    pub interpolation: &'static str,
    pub times: Vec<f64>,
    pub weights: Track,
}

const BREEZE: f64 = 2.4;
const GALE: f64 = 1.2;
const UNFURL: f64 = 2.6;

pub fn clips() -> Vec<Clip> {
    vec![
        spline("Breeze", BREEZE, 24, breeze),
        dense("Gale", GALE, 48, true, gale),
        dense("Unfurl", UNFURL, 72, false, unfurl),
    ]
}

/// A wave that runs down the cloth, as weights of its two phases.
fn running(amplitude: f64, phase: f64) -> [f64; 2] {
    [amplitude * cos(phase), amplitude * sin(phase)]
}

/// Two long waves and three ripples pass while the wind breathes once.
fn breeze(time: f64) -> Wind {
    let turn = TAU * time / BREEZE;
    let breath = sin(turn);
    Wind {
        droop: 0.36 - 0.10 * breath,
        long: running(0.55 + 0.12 * breath, 2.0 * turn),
        short: running(0.50 + 0.15 * sin(turn + 1.0), 3.0 * turn),
        slack: 0.45 + 0.15 * cos(turn),
        furl: 0.0,
        flick: 0.30 * sin(2.0 * turn + 0.8),
    }
}

/// Taut and fast.
fn gale(time: f64) -> Wind {
    let turn = TAU * time / GALE;
    Wind {
        droop: 0.04 + 0.03 * sin(turn),
        long: running(0.78 + 0.14 * sin(turn), 3.0 * turn),
        short: running(0.95 + 0.20 * sin(2.0 * turn), 5.0 * turn),
        slack: 0.35 + 0.12 * sin(turn + 0.6),
        furl: 0.0,
        flick: 0.55 * sin(4.0 * turn),
    }
}

/// Folded up, a shiver, then the wind takes it, it snaps taut and calms down to the first pose of the breeze.
fn unfurl(time: f64) -> Wind {
    let of = |keys: &[(f64, f64)]| curve(keys, time);
    let end = breeze(0.0);
    let shiver = of(&[(0.15, 0.0), (0.40, 1.0), (0.65, 0.0)]) * sin(TAU * time * 7.0);
    let phase = TAU * (time - UNFURL) / BREEZE;
    let calm = smoothstep(1.5, UNFURL, time);
    Wind {
        droop: of(&[(0.0, 0.05), (0.5, 0.08), (0.85, 0.42), (1.15, -0.10), (1.5, 0.12), (UNFURL, end.droop)]),
        long: running(
            of(&[(0.0, 0.0), (0.7, 0.10), (1.0, 0.75), (1.5, 0.85), (UNFURL, end.long[0])]),
            2.0 * phase * (1.0 + 0.6 * (1.0 - calm)),
        ),
        short: running(of(&[(0.55, 0.0), (1.05, 0.9), (1.6, 0.7), (UNFURL, end.short[0])]), 3.0 * phase),
        slack: of(&[(0.5, 0.0), (1.0, 0.75), (1.25, 0.10), (UNFURL, end.slack)]),
        furl: of(&[(0.0, 1.0), (0.40, 1.0), (0.55, 1.03), (1.10, -0.03), (1.35, 0.0)]) + 0.015 * shiver,
        flick: 0.12 * shiver + of(&[(0.9, 0.0), (1.12, 0.9), (1.32, -0.5), (1.55, 0.3), (UNFURL, end.flick)]),
    }
}

fn dense(name: &'static str, duration: f64, keys: usize, looping: bool, wind: fn(f64) -> Wind) -> Clip {
    let time = |i: usize| duration * i as f64 / keys as f64;
    let mut weights: Vec<Vec<f64>> = (0..=keys).map(|i| wind(time(i)).weights()).collect();
    if looping {
        weights[keys] = weights[0].clone();
    }
    let times = (0..=keys).map(time).collect();
    Clip { name, interpolation: "LINEAR", times, weights: Track::Weights(weights) }
}

/// Sparse keys with the curve's own slopes. The curve repeats after `duration`.
fn spline(name: &'static str, duration: f64, keys: usize, wind: fn(f64) -> Wind) -> Clip {
    const E: f64 = 1e-4;
    let time = |i: usize| duration * i as f64 / keys as f64;
    let mut weights = Vec::new();
    for i in 0..=keys {
        let t = time(i % keys);
        let (before, after) = (wind(t - E).weights(), wind(t + E).weights());
        let slope: Vec<f64> = before.iter().zip(&after).map(|(b, a)| (a - b) / (2.0 * E)).collect();
        weights.extend([slope.clone(), wind(t).weights(), slope]);
    }
    let times = (0..=keys).map(time).collect();
    Clip { name, interpolation: "CUBICSPLINE", times, weights: Track::Weights(weights) }
}
