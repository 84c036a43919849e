//! Eyes, lids, jaw, horns, ears, spikes, claws and the tip of the tail.

use glam::{DQuat, DVec2, DVec3};

use super::super::math::{PI, about, sin};
use super::super::mesh::{Influences, Mesh, Ring, ball, loft, ring, tube};
use super::super::rig::Rig;
use super::super::surface::{Body, split};
use super::Pieces;
use super::shape::seat;

const EYE: f64 = 0.058;

/// Where the left eye looks while at rest.
pub fn gaze() -> DVec3 {
    DVec3::new(0.52, 0.10, 0.85).normalize()
}

/// The axis about which the left lid turns; positive angles close it.
pub fn lid_axis() -> DVec3 {
    DVec3::Y.cross(gaze()).normalize()
}

pub fn add(pieces: &mut Pieces, body: &Body, rig: &Rig) {
    jaw(pieces, rig);
    spikes(pieces, body);
    tail_tip(pieces, rig);
    for side in [1.0, -1.0] {
        let twin = |mesh: Mesh| if side > 0.0 { mesh } else { mesh.mirrored() };
        let joint =
            |left: &'static str, right: &'static str| rigid(rig.find(if side > 0.0 { left } else { right }));
        let head = rigid(rig.find("Head"));
        let eye = eye(rig.joints[rig.find("LidL")].rest);
        pieces.pupil.append(twin(eye.dark).weighted(|_| head));
        pieces.iris.append(twin(eye.iris).weighted(|_| head));
        pieces.glint.append(twin(eye.glint).weighted(|_| head));
        pieces.hide.append(twin(eye.lid).weighted(|_| joint("LidL", "LidR")));
        pieces.horn.append(twin(horn()).weighted(|_| head));
        pieces.horn.append(twin(fang()).weighted(|_| head));
        pieces.pupil.append(twin(nostril()).weighted(|_| head));
        pieces.fin.append(twin(ear()).weighted(|_| joint("EarL", "EarR")));
        for (hand, at, spread) in
            [(true, DVec3::new(0.139, 0.022, 0.242), 0.030), (false, DVec3::new(0.150, 0.024, -0.084), 0.034)]
        {
            let limb = if hand { joint("HandL", "HandR") } else { joint("FootL", "FootR") };
            pieces.horn.append(twin(claws(at, spread)).weighted(|_| limb));
        }
    }
}

pub fn rigid(joint: usize) -> Influences {
    [(joint, 1.0), (0, 0.0), (0, 0.0), (0, 0.0)]
}

struct Eye {
    dark: Mesh,
    iris: Mesh,
    glint: Mesh,
    lid: Mesh,
}

/// Bands of a ball about the direction of gaze; the lid is a cap that waits above it.
fn eye(center: DVec3) -> Eye {
    let turn = DQuat::from_rotation_arc(DVec3::Y, gaze());
    let band = |from: f64, to: f64, rows: usize| ball(EYE, from, to, rows, 11).rotated(turn).moved(center);
    let mut dark = band(0.0, 0.62, 3);
    dark.append(band(1.0, 1.75, 2));
    let spark = about(gaze(), -0.6) * about(lid_axis(), -0.52) * gaze();
    let glint = ball(EYE * 1.02, 0.0, 0.27, 2, 8).rotated(DQuat::from_rotation_arc(DVec3::Y, spark));
    let up = about(lid_axis(), -1.92) * gaze();
    let lid = ball(EYE * 1.07, 0.0, 1.22, 4, 12).rotated(DQuat::from_rotation_arc(DVec3::Y, up));
    Eye {
        dark,
        iris: band(0.62, 1.0, 1),
        glint: glint.moved(center),
        lid: lid.moved(center).tinted(|_| DVec3::splat(0.86)),
    }
}

fn jaw(pieces: &mut Pieces, rig: &Rig) {
    let section =
        |y: f64, z: f64, rx: f64, ry: f64| Ring { center: DVec3::new(0.0, y, z), radii: DVec2::new(rx, ry) };
    let rings = [
        section(0.612, 0.335, 0.030, 0.015),
        section(0.605, 0.36, 0.075, 0.034),
        section(0.598, 0.43, 0.082, 0.036),
        section(0.600, 0.49, 0.070, 0.032),
        section(0.606, 0.54, 0.052, 0.024),
        section(0.611, 0.568, 0.025, 0.012),
        section(0.612, 0.574, 0.0, 0.0),
    ];
    let jaw = loft(&rings, 14, DVec3::X).weighted(|_| rigid(rig.find("Jaw")));
    let (tongue, chin) = split(&jaw, |v| v, |v| v.normal.y - 0.72);
    pieces.fin.append(tongue.tinted(|_| DVec3::new(0.75, 0.45, 0.5)));
    pieces.belly.append(chin);
}

fn horn() -> Mesh {
    let rings = [
        ring(DVec3::new(0.058, 0.81, 0.300), 0.034),
        ring(DVec3::new(0.072, 0.855, 0.268), 0.030),
        ring(DVec3::new(0.090, 0.895, 0.218), 0.022),
        ring(DVec3::new(0.104, 0.918, 0.162), 0.012),
        ring(DVec3::new(0.108, 0.932, 0.118), 0.0),
    ];
    tube(&rings, 8, DVec3::X).tinted(|p| DVec3::splat(0.72 + 0.28 * ((p.y - 0.81) / 0.1).clamp(0.0, 1.0)))
}

fn fang() -> Mesh {
    let rings = [ring(DVec3::new(0.042, 0.618, 0.548), 0.010), ring(DVec3::new(0.043, 0.585, 0.556), 0.0)];
    tube(&rings, 4, DVec3::X)
}

fn nostril() -> Mesh {
    ball(0.011, 0.0, PI * 0.6, 2, 8)
        .rotated(DQuat::from_rotation_arc(DVec3::Y, DVec3::new(0.35, 0.45, 0.82).normalize()))
        .moved(DVec3::new(0.026, 0.700, 0.574))
}

/// A leaf that points back and out.
fn ear() -> Mesh {
    let path = [
        (DVec3::new(0.115, 0.725, 0.285), 0.022),
        (DVec3::new(0.165, 0.745, 0.262), 0.050),
        (DVec3::new(0.215, 0.770, 0.225), 0.056),
        (DVec3::new(0.262, 0.795, 0.180), 0.036),
        (DVec3::new(0.295, 0.812, 0.140), 0.0),
    ];
    let rings: Vec<Ring> = path
        .iter()
        .map(|&(center, w)| Ring { center, radii: DVec2::new(w, 0.010 * (w / 0.05).min(1.0)) })
        .collect();
    tube(&rings, 8, DVec3::new(0.1, 1.0, 0.35))
}

/// A row of fins along the back, from the nape to the tail.
fn spikes(pieces: &mut Pieces, body: &Body) {
    let row = [
        (0.235, 0.055),
        (0.175, 0.075),
        (0.105, 0.085),
        (0.025, 0.085),
        (-0.06, 0.080),
        (-0.145, 0.078),
        (-0.23, 0.074),
        (-0.315, 0.068),
        (-0.40, 0.060),
        (-0.48, 0.053),
        (-0.555, 0.046),
        (-0.625, 0.039),
        (-0.69, 0.033),
    ];
    for (z, height) in row {
        let height = 1.25 * height;
        let mut p = DVec3::new(0.0, 0.9, z);
        // The nape hangs over: come from behind there, from above elsewhere.
        let inward = if z > 0.15 { DVec3::new(0.0, -0.25, 0.97).normalize() } else { DVec3::NEG_Y };
        if z > 0.15 {
            p = DVec3::new(0.0, 0.62 - (0.235 - z) * 1.6, -0.2);
        }
        for _ in 0..60 {
            p += inward * body.distance(p);
        }
        let n = body.normal(p);
        let lean = (n + DVec3::new(0.0, 0.0, -0.55)).normalize();
        let section = |h: f64, w: f64| Ring {
            center: p + lean * (h * height) - n * (1.0 - h) * 0.012,
            radii: DVec2::new(w * height, w * height * 0.28),
        };
        let rings = [section(0.0, 0.50), section(0.5, 0.30), section(1.0, 0.0)];
        let along = n.cross(DVec3::X);
        pieces.fin.append(tube(&rings, 6, along).weighted(|_| seat(body, p)));
    }
}

/// A flat spade.
fn tail_tip(pieces: &mut Pieces, rig: &Rig) {
    let (from, to) = (DVec3::new(0.0, 0.375, -0.945), DVec3::new(0.0, 0.525, -1.065));
    let rings: Vec<Ring> = (0..=6)
        .map(|i| {
            let t = f64::from(i) / 6.0;
            let w = if i == 6 { 0.0 } else { 0.018 + 0.072 * sin(PI * t.sqrt()) * (1.0 - t * 0.4) };
            Ring { center: from.lerp(to, t), radii: DVec2::new(w, (0.022 * (1.0 - t)).min(w)) }
        })
        .collect();
    pieces.fin.append(tube(&rings, 8, DVec3::X).weighted(|_| rigid(rig.find("Tail6"))));
}

/// Three toes' claws about `at`.
fn claws(at: DVec3, spread: f64) -> Mesh {
    let mut mesh = Mesh::default();
    for k in [-1.0, 0.0, 1.0_f64] {
        let base = at + DVec3::new(k * spread, 0.0, -0.012 * k.abs());
        let out = DVec3::new(0.25 * k, -0.25, 1.0).normalize();
        let rings =
            [ring(base - out * 0.02, 0.016), ring(base + out * 0.010, 0.012), ring(base + out * 0.032, 0.0)];
        mesh.append(tube(&rings, 4, DVec3::X));
    }
    mesh
}
