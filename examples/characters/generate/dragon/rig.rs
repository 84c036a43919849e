//! The dragon's joints and the flesh on them. It looks along +Z; +X is its left. Metres.

use glam::DVec3;

use super::super::rig::{Joint, Leg, Rig};
use super::super::surface::{Body, Bone};

/// Name, parent, place. The right side is mirrored from the left.
const CENTER: [(&str, &str, [f64; 3]); 13] = [
    ("Root", "", [0.0, 0.0, 0.0]),
    ("Hips", "Root", [0.0, 0.34, -0.20]),
    ("Spine", "Hips", [0.0, 0.345, -0.05]),
    ("Chest", "Spine", [0.0, 0.36, 0.10]),
    ("Neck", "Chest", [0.0, 0.44, 0.23]),
    ("Head", "Neck", [0.0, 0.60, 0.31]),
    ("Jaw", "Head", [0.0, 0.615, 0.34]),
    ("Tail1", "Hips", [0.0, 0.33, -0.33]),
    ("Tail2", "Tail1", [0.0, 0.295, -0.46]),
    ("Tail3", "Tail2", [0.0, 0.265, -0.59]),
    ("Tail4", "Tail3", [0.0, 0.26, -0.71]),
    ("Tail5", "Tail4", [0.0, 0.285, -0.82]),
    ("Tail6", "Tail5", [0.0, 0.335, -0.91]),
];

const LEFT: [(&str, &str, [f64; 3]); 10] = [
    ("Ear", "Head", [0.125, 0.72, 0.28]),
    ("Lid", "Head", [0.086, 0.70, 0.418]),
    ("Wing1", "Chest", [0.075, 0.46, 0.06]),
    ("Wing2", "Wing1", [0.21, 0.60, 0.00]),
    ("UpperArm", "Chest", [0.105, 0.32, 0.14]),
    ("Forearm", "UpperArm", [0.135, 0.19, 0.07]),
    ("Hand", "Forearm", [0.135, 0.06, 0.15]),
    ("Thigh", "Hips", [0.105, 0.31, -0.21]),
    ("Shin", "Thigh", [0.15, 0.19, -0.125]),
    ("Foot", "Shin", [0.145, 0.07, -0.22]),
];

/// Joint names with a side: left first.
const SIDED: [[&str; 2]; 10] = [
    ["EarL", "EarR"],
    ["LidL", "LidR"],
    ["Wing1L", "Wing1R"],
    ["Wing2L", "Wing2R"],
    ["UpperArmL", "UpperArmR"],
    ["ForearmL", "ForearmR"],
    ["HandL", "HandR"],
    ["ThighL", "ThighR"],
    ["ShinL", "ShinR"],
    ["FootL", "FootR"],
];

pub fn rig() -> Rig {
    let mut rig = Rig { joints: Vec::new() };
    for (name, parent, at) in CENTER {
        let parent = rig.joints.iter().position(|j| j.name == parent);
        rig.joints.push(Joint { name, parent, rest: DVec3::from_array(at) });
    }
    for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
        for (k, (_, parent, at)) in LEFT.into_iter().enumerate() {
            let sided = LEFT.iter().position(|l| l.0 == parent).map_or(parent, |p| SIDED[p][side]);
            let parent = Some(rig.find(sided));
            let rest = DVec3::new(at[0] * sign, at[1], at[2]);
            rig.joints.push(Joint { name: SIDED[k][side], parent, rest });
        }
    }
    rig
}

/// The legs in the order hind left, front left, hind right, front right, with the point of the sole that each
/// stands and pivots on.
pub fn legs(rig: &Rig) -> [(Leg, DVec3); 4] {
    let leg = |names: [&str; 3], pole: DVec3, ball: DVec3| {
        (Leg { joints: names.map(|n| rig.find(n)), pole: pole.normalize() }, ball)
    };
    let (knee, elbow) = (DVec3::new(0.0, 0.0, 1.0), DVec3::new(0.0, 0.0, -1.0));
    [
        leg(["ThighL", "ShinL", "FootL"], knee, DVec3::new(0.15, 0.0, -0.14)),
        leg(["UpperArmL", "ForearmL", "HandL"], elbow, DVec3::new(0.138, 0.0, 0.19)),
        leg(["ThighR", "ShinR", "FootR"], knee, DVec3::new(-0.15, 0.0, -0.14)),
        leg(["UpperArmR", "ForearmR", "HandR"], elbow, DVec3::new(-0.138, 0.0, 0.19)),
    ]
}

/// Joint, from, to, radii, melt.
type Flesh = (&'static str, [f64; 3], [f64; 3], [f64; 2], f64);

/// Trunk, head and tail.
const TRUNK: [Flesh; 14] = [
    ("Hips", [0.0, 0.335, -0.25], [0.0, 0.335, -0.12], [0.125, 0.14], 0.05),
    ("Spine", [0.0, 0.335, -0.10], [0.0, 0.34, 0.05], [0.142, 0.145], 0.05),
    ("Chest", [0.0, 0.345, 0.05], [0.0, 0.37, 0.15], [0.142, 0.125], 0.05),
    ("Neck", [0.0, 0.42, 0.20], [0.0, 0.56, 0.285], [0.105, 0.085], 0.08),
    ("Head", [0.0, 0.70, 0.315], [0.0, 0.695, 0.35], [0.148, 0.140], 0.06),
    ("Head", [0.055, 0.655, 0.37], [0.05, 0.655, 0.41], [0.085, 0.075], 0.05),
    ("Head", [-0.055, 0.655, 0.37], [-0.05, 0.655, 0.41], [0.085, 0.075], 0.05),
    ("Head", [0.0, 0.672, 0.43], [0.0, 0.668, 0.525], [0.082, 0.066], 0.05),
    ("Tail1", [0.0, 0.33, -0.32], [0.0, 0.295, -0.46], [0.112, 0.088], 0.08),
    ("Tail2", [0.0, 0.295, -0.46], [0.0, 0.265, -0.59], [0.088, 0.066], 0.03),
    ("Tail3", [0.0, 0.265, -0.59], [0.0, 0.26, -0.71], [0.066, 0.048], 0.03),
    ("Tail4", [0.0, 0.26, -0.71], [0.0, 0.285, -0.82], [0.050, 0.042], 0.03),
    ("Tail5", [0.0, 0.285, -0.82], [0.0, 0.335, -0.91], [0.042, 0.036], 0.03),
    ("Tail6", [0.0, 0.335, -0.91], [0.0, 0.385, -0.955], [0.036, 0.032], 0.03),
];

/// The left legs.
const LIMBS: [Flesh; 6] = [
    ("UpperArm", [0.105, 0.31, 0.13], [0.135, 0.19, 0.07], [0.082, 0.058], 0.06),
    ("Forearm", [0.135, 0.19, 0.07], [0.135, 0.07, 0.15], [0.056, 0.050], 0.03),
    ("Hand", [0.135, 0.045, 0.15], [0.140, 0.032, 0.205], [0.056, 0.048], 0.03),
    ("Thigh", [0.100, 0.29, -0.20], [0.15, 0.19, -0.125], [0.105, 0.076], 0.06),
    ("Shin", [0.15, 0.19, -0.125], [0.145, 0.075, -0.215], [0.070, 0.050], 0.03),
    ("Foot", [0.145, 0.05, -0.215], [0.150, 0.034, -0.125], [0.056, 0.052], 0.03),
];

pub fn body(rig: &Rig) -> Body {
    let mut bones = Vec::new();
    for (name, from, to, radii, melt) in TRUNK {
        let (from, to) = (DVec3::from_array(from), DVec3::from_array(to));
        bones.push(Bone { joint: rig.find(name), from, to, radii: radii.into(), melt });
    }
    for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
        let mirror = DVec3::new(sign, 1.0, 1.0);
        for (name, from, to, radii, melt) in LIMBS {
            let row = LEFT.iter().position(|l| l.0 == name).unwrap_or(0);
            let (from, to) = (DVec3::from_array(from) * mirror, DVec3::from_array(to) * mirror);
            bones.push(Bone { joint: rig.find(SIDED[row][side]), from, to, radii: radii.into(), melt });
        }
    }
    Body { bones }
}
