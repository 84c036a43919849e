//! What the kettle does. Most of it is dense LINEAR keys; the lid and the lantern are sparse CUBICSPLINE keys, the
//! shutters and the flame STEP.

use glam::{DQuat, DVec3};

use super::super::glb::{Channel, Track};
use super::super::math::{PI, TAU, about, cos, curve, euler, follow, sin, smoothstep};
use super::super::rig::{Pose, Rig};
use super::legs;
use super::parts::{SHUTTER, gauge_axis, shutter_axis};

/// All that an animator would pose; everything is 0 at rest but the steam.
#[derive(Clone, Default)]
struct Stance {
    body: DVec3,
    /// Pitch, yaw, roll.
    turn: [f64; 3],
    feet: [DVec3; 4],
    /// Toe up.
    tilt: [f64; 4],
    /// Of the gauge's needle, and of the key.
    needle: f64,
    key: f64,
    /// The lid: up, and tilted.
    lid: f64,
    tip: f64,
    /// How far through its life each puff of steam is: 0 before, 1 after.
    puffs: [f64; 3],
}

/// A clip before it is written.
struct Plan {
    name: &'static str,
    duration: f64,
    keys: usize,
    looping: bool,
    stance: fn(f64) -> Stance,
    /// When the shutters close and open again; when the flame is small.
    blinks: &'static [[f64; 2]],
    dims: &'static [[f64; 2]],
}

const PLANS: [Plan; 3] = [
    Plan {
        name: "Simmer",
        duration: 3.0,
        keys: 60,
        looping: true,
        stance: simmer,
        blinks: &[[0.7, 0.85], [2.0, 2.1], [2.2, 2.3]],
        dims: &[[0.4, 0.5], [1.3, 1.5], [2.5, 2.6]],
    },
    Plan {
        name: "Trot",
        duration: 0.8,
        keys: 24,
        looping: true,
        stance: trot,
        blinks: &[[0.5, 0.6]],
        dims: &[[0.2, 0.3], [0.6, 0.7]],
    },
    Plan {
        name: "Whistle",
        duration: 2.4,
        keys: 72,
        looping: false,
        stance: whistle,
        blinks: &[[0.35, 1.0], [2.0, 2.1]],
        dims: &[[0.5, 0.6], [0.7, 0.8], [0.9, 1.0], [1.7, 1.9]],
    },
];

pub fn clips(rig: &Rig, nodes: &[usize]) -> Vec<(&'static str, Vec<Channel>)> {
    PLANS.iter().map(|plan| (plan.name, channels(plan, rig, nodes))).collect()
}

fn channels(plan: &Plan, rig: &Rig, nodes: &[usize]) -> Vec<Channel> {
    let time = |i: usize| plan.duration * i as f64 / plan.keys as f64;
    let mut stances: Vec<Stance> = (0..=plan.keys).map(|i| (plan.stance)(time(i))).collect();
    if plan.looping {
        let first = stances[0].clone();
        // The key may have made whole turns.
        let key = stances[plan.keys].key;
        stances[plan.keys] = Stance { key, ..first };
    }
    let (mut poses, swings) = poses(plan, rig, &stances);
    if plan.looping {
        poses[plan.keys] = poses[0].clone();
    }
    let mut channels = rig.channels(nodes, &poses, plan.duration);
    channels.extend(lid(plan, rig, nodes, &stances));
    channels.push(lantern(plan, rig, nodes, &poses, &swings));
    channels.extend(steam(plan, rig, nodes, &stances));
    channels.extend(shutters(plan, rig, nodes));
    channels.push(flicker(plan, rig, nodes));
    channels
}

/// Poses, and how the lantern swings: pitch and roll in the world.
fn poses(plan: &Plan, rig: &Rig, stances: &[Stance]) -> (Vec<Pose>, Vec<[f64; 2]>) {
    let spring = |signal: &[f64], hertz: f64, damping: f64| {
        let late = follow(signal, plan.duration, hertz, damping, plan.looping);
        late.iter().zip(signal).map(|(l, s)| l - s).collect::<Vec<f64>>()
    };
    let pick = |f: &dyn Fn(&Stance) -> f64| stances.iter().map(f).collect::<Vec<f64>>();
    // The mast nods and leans after the body.
    let nod = spring(&pick(&|s| s.body.y * 3.0 + s.turn[0] - s.body.z * 0.6), 2.7, 0.22);
    let lean = spring(&pick(&|s| s.turn[2] - s.body.x * 2.0), 2.2, 0.25);
    let mut poses = Vec::new();
    for (i, stance) in stances.iter().enumerate() {
        let mut pose = pose(rig, stance);
        for (k, name) in super::MAST.into_iter().enumerate() {
            let share = [0.30, 0.45, 0.55][k];
            pose.turn[rig.find(name)] = euler(share * nod[i], 0.0, share * lean[i]);
        }
        poses.push(pose);
    }
    let hook = rig.find("Hook");
    let tips: Vec<DVec3> = poses.iter().map(|p| rig.global(p, hook).0).collect();
    let along = spring(&tips.iter().map(|p| p.z).collect::<Vec<f64>>(), 1.25, 0.12);
    let across = spring(&tips.iter().map(|p| p.x).collect::<Vec<f64>>(), 1.25, 0.12);
    // What does not loop ends at rest, so that another clip can take over.
    let fade = |i: usize| {
        let left = plan.duration * (1.0 - i as f64 / plan.keys as f64);
        if plan.looping { 1.0 } else { smoothstep(0.0, 0.8, left) }
    };
    let swings =
        along.iter().zip(&across).enumerate().map(|(i, (z, x))| [-4.5 * z * fade(i), 4.5 * x * fade(i)]);
    let swings = swings.collect();
    (poses, swings)
}

fn pose(rig: &Rig, stance: &Stance) -> Pose {
    let mut pose = rig.rest();
    let [pitch, yaw, roll] = stance.turn;
    let body = rig.find("Body");
    pose.shift[body] = stance.body;
    pose.turn[body] = euler(pitch, yaw, roll);
    pose.turn[rig.find("Needle")] = about(gauge_axis(), -stance.needle);
    pose.turn[rig.find("Key")] = about(DVec3::Z, stance.key);
    for (k, leg) in legs(rig).iter().enumerate() {
        let foot = rig.joints[leg.joints[2]].rest + stance.feet[k];
        rig.reach(&mut pose, leg, leg.pole, foot, about(DVec3::X, -stance.tilt[k]));
    }
    pose
}

/// Hermite keys at every `stride`-th sample, with the slopes of the samples around: value, in-tangent, out-tangent.
fn spline<T>(samples: &[T], stride: usize, plan: &Plan) -> (Vec<f64>, Vec<T>)
where
    T: Copy + std::ops::Sub<Output = T> + std::ops::Mul<f64, Output = T>,
{
    let last = samples.len() - 1;
    let step = plan.duration / last as f64;
    let (mut times, mut values) = (Vec::new(), Vec::new());
    for i in (0..=last).step_by(stride) {
        let (before, after) = match i {
            0 if plan.looping => (last - 1, 1),
            i if i == last && plan.looping => (last - 1, 1),
            i => (i.saturating_sub(1), (i + 1).min(last)),
        };
        let span = if plan.looping { 2.0 } else { (after - before) as f64 } * step;
        let slope = (samples[after] - samples[before]) * (1.0 / span);
        times.push(step * i as f64);
        values.extend([slope, samples[i], slope]);
    }
    (times, values)
}

fn lid(plan: &Plan, rig: &Rig, nodes: &[usize], stances: &[Stance]) -> Vec<Channel> {
    let lid = rig.find("Lid");
    let up: Vec<DVec3> = stances.iter().map(|s| rig.local(lid) + DVec3::Y * s.lid).collect();
    let tip: Vec<DQuat> = stances.iter().map(|s| euler(0.4 * s.tip, 0.0, s.tip)).collect();
    let (times, up) = spline(&up, 2, plan);
    let (same, tip) = spline(&tip, 2, plan);
    let channel = |times, track| Channel { node: nodes[lid], interpolation: "CUBICSPLINE", times, track };
    vec![channel(times, Track::Translation(up)), channel(same, Track::Rotation(tip))]
}

/// The lantern hangs from the hook, whichever way the mast leans.
fn lantern(plan: &Plan, rig: &Rig, nodes: &[usize], poses: &[Pose], swings: &[[f64; 2]]) -> Channel {
    let (hook, lantern) = (rig.find("Hook"), rig.find("Lantern"));
    let turns: Vec<DQuat> = poses
        .iter()
        .zip(swings)
        .map(|(pose, swing)| rig.global(pose, hook).1.inverse() * euler(swing[0], 0.0, swing[1]))
        .collect();
    let (times, turns) = spline(&turns, 4, plan);
    Channel { node: nodes[lantern], interpolation: "CUBICSPLINE", times, track: Track::Rotation(turns) }
}

/// Puffs rise from the spout, where they hide while they are small.
fn steam(plan: &Plan, rig: &Rig, nodes: &[usize], stances: &[Stance]) -> Vec<Channel> {
    if stances.iter().all(|s| s.puffs == [0.0; 3]) {
        return Vec::new();
    }
    let times: Vec<f64> = (0..=plan.keys).map(|i| plan.duration * i as f64 / plan.keys as f64).collect();
    let mut channels = Vec::new();
    for (k, name) in ["Puff1", "Puff2", "Puff3"].into_iter().enumerate() {
        let joint = rig.find(name);
        let side = [0.05, -0.07, 0.02][k];
        let rise =
            |life: f64| rig.local(joint) + DVec3::new(side * life, 0.50 * life, 0.26 * life) * (2.0 - life);
        let size = |life: f64| DVec3::splat(curve(&[(0.0, 1.0), (0.30, 4.2), (0.65, 5.0), (1.0, 0.4)], life));
        // After its life a puff is back in the spout.
        let life = |s: &Stance| if s.puffs[k] >= 1.0 { 0.0 } else { s.puffs[k] };
        let moved = stances.iter().map(|s| rise(life(s))).collect();
        let grown = stances.iter().map(|s| size(life(s))).collect();
        for track in [Track::Translation(moved), Track::Scale(grown)] {
            channels.push(Channel {
                node: nodes[joint],
                interpolation: "LINEAR",
                times: times.clone(),
                track,
            });
        }
    }
    channels
}

/// Keys that hold `on` within the windows and `off` elsewhere.
fn steps<T: Copy>(plan: &Plan, windows: &[[f64; 2]], off: T, on: T) -> (Vec<f64>, Vec<T>) {
    let (mut times, mut values) = (vec![0.0], vec![off]);
    for &[start, end] in windows {
        times.extend([start, end]);
        values.extend([on, off]);
    }
    times.push(plan.duration);
    values.push(off);
    (times, values)
}

fn shutters(plan: &Plan, rig: &Rig, nodes: &[usize]) -> Vec<Channel> {
    let shutter = |(name, side): (&str, f64)| {
        let shut = about(shutter_axis(side), SHUTTER);
        let (times, turns) = steps(plan, plan.blinks, DQuat::IDENTITY, shut);
        let node = nodes[rig.find(name)];
        Channel { node, interpolation: "STEP", times, track: Track::Rotation(turns) }
    };
    [("ShutterL", 1.0), ("ShutterR", -1.0)].into_iter().map(shutter).collect()
}

fn flicker(plan: &Plan, rig: &Rig, nodes: &[usize]) -> Channel {
    let (times, sizes) = steps(plan, plan.dims, DVec3::ONE, DVec3::new(0.85, 0.7, 0.85));
    Channel { node: nodes[rig.find("Flame")], interpolation: "STEP", times, track: Track::Scale(sizes) }
}

/// On the hob: it breathes, the lid rattles now and then, the needle trembles.
fn simmer(time: f64) -> Stance {
    let wave = |times: f64, shift: f64| sin(TAU * (times * time / 3.0 - shift));
    let rattle = curve(&[(0.9, 0.0), (1.05, 1.0), (1.45, 0.8), (1.7, 0.0)], time);
    Stance {
        body: DVec3::new(0.012 * wave(1.0, 0.0), 0.008 * wave(2.0, 0.0), 0.0),
        turn: [0.02 * wave(2.0, 0.0), 0.05 * wave(1.0, 0.0), 0.02 * wave(1.0, 0.0)],
        needle: 0.25 * wave(1.0, 0.0) + 0.12 * rattle * wave(30.0, 0.0),
        lid: 0.010 * rattle * (1.0 - cos(TAU * time * 8.0)) * 0.5,
        tip: 0.05 * rattle * sin(TAU * time * 4.0),
        ..Stance::default()
    }
}

/// A trot in place: diagonal legs together, the ground runs back 0.24 m a cycle and foot.
fn trot(time: f64) -> Stance {
    let cycle = time / 0.8;
    let wave = |times: f64, shift: f64| cos(TAU * (times * (cycle - shift)));
    let mut s = Stance {
        body: DVec3::new(0.008 * wave(1.0, 0.25), 0.004 - 0.020 * wave(2.0, 0.06), 0.0),
        turn: [0.035 * wave(2.0, 0.16), 0.035 * wave(1.0, 0.0), 0.045 * wave(1.0, 0.28)],
        needle: 0.5 + 0.2 * wave(2.0, 0.2),
        key: -TAU * cycle,
        lid: (0.018 * wave(2.0, 0.36)).max(0.0),
        tip: 0.05 * wave(1.0, 0.3),
        ..Stance::default()
    };
    for k in 0..4 {
        let phase = cycle + if k == 0 || k == 3 { 0.0 } else { 0.5 };
        let phase = phase - phase.floor();
        (s.feet[k], s.tilt[k]) = step(phase);
    }
    s
}

/// A foot of the trot: on the ground for the first 55 % of its cycle.
fn step(phase: f64) -> (DVec3, f64) {
    const DUTY: f64 = 0.55;
    const STRIDE: f64 = 0.24 * DUTY;
    if phase < DUTY {
        return (DVec3::Z * (STRIDE * (0.5 - phase / DUTY)), 0.0);
    }
    let u = (phase - DUTY) / (1.0 - DUTY);
    let slope = -STRIDE * (1.0 - DUTY) / DUTY;
    let (u2, u3) = (u * u, u * u * u);
    let z = (2.0 * u3 - 3.0 * u2 + 0.5) * -STRIDE + slope * (2.0 * u3 - 3.0 * u2 + u);
    let lift = 0.085 * sin(PI * u);
    (DVec3::new(0.0, lift, z), curve(&[(0.0, 0.0), (0.3, -0.5), (0.8, 0.3), (1.0, 0.0)], u))
}

/// Pressure: it squats and shakes, then stretches, whistles, and blows three puffs; the lid hops and settles.
fn whistle(time: f64) -> Stance {
    let of = |keys: &[(f64, f64)]| curve(keys, time);
    let shake = of(&[(0.25, 0.0), (0.85, 1.0), (0.98, 0.6), (1.05, 0.0)]) * sin(TAU * time * 9.0);
    let y = of(&[
        (0.0, 0.0),
        (0.45, -0.05),
        (0.95, -0.085),
        (1.10, 0.085),
        (1.45, 0.07),
        (1.75, -0.018),
        (2.05, 0.004),
        (2.3, 0.0),
    ]);
    let pitch = of(&[
        (0.0, 0.0),
        (0.5, 0.07),
        (0.95, 0.10),
        (1.12, -0.30),
        (1.45, -0.24),
        (1.8, 0.05),
        (2.1, -0.01),
        (2.3, 0.0),
    ]);
    let life = |start: f64| ((time - start) / 0.85).clamp(0.0, 1.0);
    Stance {
        body: DVec3::new(
            0.010 * shake,
            y,
            of(&[(0.0, 0.0), (0.95, -0.025), (1.15, 0.015), (1.5, 0.01), (1.9, 0.0)]),
        ),
        turn: [pitch, 0.05 * shake, 0.06 * shake],
        needle: of(&[
            (0.0, 0.0),
            (0.9, 1.7),
            (1.05, 1.75),
            (1.35, 0.3),
            (1.6, -0.5),
            (2.0, 0.05),
            (2.3, 0.0),
        ]) + 0.15 * shake,
        key: of(&[(0.0, 0.0), (0.9, -1.0), (1.6, -1.0 - PI * 2.0 + 1.0), (2.3, -PI * 2.0)]),
        lid: of(&[
            (0.55, 0.0),
            (0.98, 0.004),
            (1.12, 0.145),
            (1.20, 0.16),
            (1.42, 0.0),
            (1.52, 0.038),
            (1.64, 0.0),
            (1.69, 0.010),
            (1.75, 0.0),
        ]) + 0.008 * (shake * shake),
        tip: of(&[(0.98, 0.0), (1.16, 0.22), (1.42, -0.05), (1.52, 0.05), (1.64, 0.0)]) + 0.05 * shake,
        puffs: [life(1.02), life(1.18), life(1.36)],
        ..Stance::default()
    }
}
