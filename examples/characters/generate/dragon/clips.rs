//! What the dragon does. Feet are planted by inverse kinematics; tail, ears and wings follow on springs.

mod idle;
mod pounce;
mod turn;
mod walk;

use glam::{DQuat, DVec3};

use super::super::math::{about, euler, follow, smoothstep};
use super::super::rig::{Leg, Pose, Rig};
use super::parts::lid_axis;
use super::rig::legs;

pub struct Clip {
    pub name: &'static str,
    pub duration: f64,
    pub poses: Vec<Pose>,
}

/// Pitch (nose down), yaw (to the left) and roll (left side up), radians.
pub type Turn = [f64; 3];

/// Where a sole stands, in the model, and how the foot is turned: pitch (heel up) and yaw.
#[derive(Clone, Copy, Default)]
pub struct Foot {
    pub shift: DVec3,
    pub pitch: f64,
    pub yaw: f64,
}

/// All that an animator would pose; everything is 0 at rest.
#[derive(Clone, Default)]
pub struct Stance {
    pub root: DVec3,
    pub yaw: f64,
    pub hips: DVec3,
    pub hips_turn: Turn,
    pub spine: Turn,
    pub chest: Turn,
    pub neck: Turn,
    pub head: Turn,
    pub jaw: f64,
    /// 0 open, 1 shut.
    pub lids: f64,
    /// Down and back.
    pub ears: f64,
    /// Pitch and yaw, of every tail joint alike.
    pub tail: [f64; 2],
    /// Raised, folded back at the shoulder, folded at the wrist.
    pub wings: [f64; 3],
    /// Hind left, front left, hind right, front right.
    pub feet: [Foot; 4],
}

pub fn clips(rig: &Rig) -> Vec<Clip> {
    vec![idle::clip(rig), walk::clip(rig), turn::clip(rig), pounce::clip(rig)]
}

/// What trails behind the body at one key.
struct Trail {
    tail: [[f64; 2]; 6],
    ears: f64,
    wings: f64,
}

/// Poses from stances that are equally spaced over the clip, both ends included.
pub fn finish(rig: &Rig, name: &'static str, duration: f64, looping: bool, stances: &[Stance]) -> Clip {
    let trails = trails(stances, duration, looping);
    let mut poses: Vec<Pose> = stances.iter().zip(&trails).map(|(s, t)| pose(rig, s, t)).collect();
    if looping {
        let first = poses[0].clone();
        let last = poses.len() - 1;
        poses[last] = first;
    }
    Clip { name, duration, poses }
}

/// Follow-through: each joint of the tail is dragged by the one before it; ears and wings lag behind the bob of head
/// and chest.
fn trails(stances: &[Stance], duration: f64, looping: bool) -> Vec<Trail> {
    let spring = |signal: &[f64], hertz: f64, damping: f64| follow(signal, duration, hertz, damping, looping);
    let pick = |f: &dyn Fn(&Stance) -> f64| stances.iter().map(f).collect::<Vec<f64>>();
    let mut yaw = pick(&|s| s.yaw + s.hips_turn[1]);
    let mut lift = pick(&|s| (s.root.y + s.hips.y) * 2.6 - s.hips_turn[0] * 0.5);
    let head = pick(&|s| s.root.y + s.hips.y - 0.3 * (s.chest[0] + s.neck[0] + s.head[0] * 0.4));
    let chest = pick(&|s| s.root.y + s.hips.y - 0.2 * (s.hips_turn[0] + s.spine[0]));
    let (ears, wings) = (spring(&head, 3.2, 0.28), spring(&chest, 2.6, 0.35));
    let mut tails = vec![[[0.0; 2]; 6]; stances.len()];
    for joint in 0..6 {
        let hertz = 3.4 - 0.22 * joint as f64;
        let (late_yaw, late_lift) = (spring(&yaw, hertz, 0.55), spring(&lift, hertz, 0.55));
        for (i, tail) in tails.iter_mut().enumerate() {
            tail[joint] = [late_lift[i] - lift[i], late_yaw[i] - yaw[i]];
        }
        (yaw, lift) = (late_yaw, late_lift);
    }
    // What does not loop ends at rest, so that another clip can take over.
    let fade = |i: usize| {
        let left = duration * (1.0 - i as f64 / (stances.len() - 1) as f64);
        if looping { 1.0 } else { smoothstep(0.0, 0.5, left) }
    };
    let trail = |(i, tail): (usize, [[f64; 2]; 6])| Trail {
        tail: tail.map(|angles| angles.map(|angle| angle * fade(i))),
        ears: (ears[i] - head[i]) * fade(i),
        wings: (wings[i] - chest[i]) * fade(i),
    };
    tails.into_iter().enumerate().map(trail).collect()
}

fn pose(rig: &Rig, stance: &Stance, trail: &Trail) -> Pose {
    let mut pose = rig.rest();
    let turn = |t: Turn| euler(t[0], t[1], t[2]);
    for (name, rotation) in [
        ("Root", turn([0.0, stance.yaw, 0.0])),
        ("Hips", turn(stance.hips_turn)),
        ("Spine", turn(stance.spine)),
        ("Chest", turn(stance.chest)),
        ("Neck", turn(stance.neck)),
        ("Head", turn(stance.head)),
        ("Jaw", turn([stance.jaw, 0.0, 0.0])),
    ] {
        pose.turn[rig.find(name)] = rotation;
    }
    pose.shift[rig.find("Root")] = stance.root;
    pose.shift[rig.find("Hips")] = stance.hips;
    for (k, name) in ["Tail1", "Tail2", "Tail3", "Tail4", "Tail5", "Tail6"].into_iter().enumerate() {
        let [pitch, yaw] = trail.tail[k];
        pose.turn[rig.find(name)] = turn([pitch + stance.tail[0], yaw + stance.tail[1], 0.0]);
    }
    for (side, names) in
        [(1.0, ["EarL", "LidL", "Wing1L", "Wing2L"]), (-1.0, ["EarR", "LidR", "Wing1R", "Wing2R"])]
    {
        let mirrored = |q: DQuat| if side > 0.0 { q } else { DQuat::from_xyzw(q.x, -q.y, -q.z, q.w) };
        let ear = 5.0 * trail.ears - stance.ears;
        let [raise, fold, tip] = stance.wings;
        let flop = 3.0 * trail.wings;
        let turns = [
            turn([-0.3 * ear, 0.5 * stance.ears, ear]),
            about(lid_axis(), 1.22 * stance.lids),
            turn([0.0, fold, raise + flop]),
            turn([0.0, tip, 0.35 * raise + 0.8 * flop]),
        ];
        for (name, q) in names.into_iter().zip(turns) {
            pose.turn[rig.find(name)] = mirrored(q);
        }
    }
    for ((leg, ball), foot) in legs(rig).iter().zip(&stance.feet) {
        stand(rig, &mut pose, leg, *ball, foot);
    }
    pose
}

/// Puts a sole where it belongs: the foot pivots about its ball, the leg follows.
fn stand(rig: &Rig, pose: &mut Pose, leg: &Leg, ball: DVec3, foot: &Foot) {
    let turn = about(DVec3::Y, foot.yaw) * about(DVec3::X, foot.pitch);
    let ankle = rig.joints[leg.joints[2]].rest - ball;
    let (_, body) = rig.global(pose, rig.joints[leg.joints[0]].parent.unwrap_or(0));
    // Knees and elbows stay in the plane that the body looks along.
    let forward = body * DVec3::Z;
    let level = DVec3::new(forward.x, 0.0, forward.z).normalize() * leg.pole.z;
    rig.reach(pose, leg, level, ball + foot.shift + turn * ankle, turn);
}
