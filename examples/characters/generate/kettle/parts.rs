//! The kettle's parts, in model space at rest.

use glam::{DQuat, DVec3};

use super::super::math::{PI, TAU, about, cos, sin, smoothstep};
use super::super::mesh::{Mesh, Ring, ball, lathe, loft, ring, tube};
use super::super::rig::Rig;
use super::super::surface::top_four;
use super::{BRASS, COPPER, CREAM, DARK, ENAMEL, FLAME, IRON, MAST, Part, STEAM};

/// The joint under whose name a joint's mesh is made: feet share one, puffs of steam share one.
pub fn mesh_of(joint: &str) -> &str {
    match joint {
        "Puff2" | "Puff3" => "Puff1",
        "HindFootL" | "HindFootR" | "FrontFootR" => "FrontFootL",
        other => other,
    }
}

/// Every rigid part by the joint that it hangs on.
pub fn rigid(rig: &Rig) -> Vec<(&'static str, Part)> {
    let at = |name: &str| rig.joints[rig.find(name)].rest;
    let mut parts = vec![
        ("Body", body(rig)),
        ("Lid", lid()),
        ("Needle", needle(at("Needle"))),
        ("ShutterL", shutter(at("ShutterL"), 1.0)),
        ("ShutterR", shutter(at("ShutterR"), -1.0)),
        ("Key", key(at("Key"))),
        ("Hook", hook(at("Hook"))),
        ("Lantern", lantern(at("Lantern"))),
        ("Flame", flame(at("Flame"))),
        ("Puff1", vec![(STEAM, ball(0.02, 0.0, PI, 6, 9).moved(at("Puff1")))]),
        ("FrontFootL", shoe(at("FrontFootL"))),
    ];
    for leg in super::legs(rig) {
        let [hip, knee, foot] = leg.joints.map(|j| &rig.joints[j]);
        parts.push((hip.name, limb(hip.rest, knee.rest, [0.046, 0.034])));
        parts.push((knee.name, shin(knee.rest, foot.rest)));
    }
    parts
}

/// Turns what was built about Y to lie about `axis`.
fn along(axis: DVec3) -> DQuat {
    DQuat::from_rotation_arc(DVec3::Y, axis.normalize())
}

/// A ring of round wire about Y at the origin.
fn hoop(radius: f64, wire: f64, segments: usize) -> Mesh {
    let profile: Vec<(f64, f64)> =
        (0..=6).map(|i| TAU * f64::from(i) / 6.0).map(|a| (radius - wire * cos(a), -wire * sin(a))).collect();
    let mut mesh = lathe(&profile, segments);
    for vertex in &mut mesh.vertices {
        let p = vertex.position;
        let core = DVec3::new(p.x, 0.0, p.z).normalize_or(DVec3::X) * radius;
        vertex.normal = (p - core).normalize_or(vertex.normal);
    }
    mesh
}

fn body(rig: &Rig) -> Part {
    let pot = [
        (0.0, 0.275),
        (0.165, 0.275),
        (0.165, 0.275),
        (0.222, 0.312),
        (0.258, 0.365),
        (0.272, 0.425),
        (0.266, 0.49),
        (0.243, 0.55),
        (0.205, 0.60),
        (0.165, 0.632),
        (0.165, 0.632),
    ];
    let pot = lathe(&pot, 26).tinted(|p| DVec3::splat(0.55 + 0.45 * smoothstep(0.26, 0.44, p.y)));
    let mut brass = lathe(
        &[(0.165, 0.628), (0.178, 0.628), (0.178, 0.628), (0.178, 0.646), (0.178, 0.646), (0.14, 0.646)],
        32,
    );
    brass.append(hoop(0.247, 0.011, 26).moved(DVec3::Y * 0.338));
    let mut dark = Mesh::default();
    let mut cream = Mesh::default();
    for side in [1.0, -1.0] {
        let (frame, glass, pupil) = eye(side);
        brass.append(frame);
        cream.append(glass);
        dark.append(pupil);
        // The sockets of the legs, and a ring on either side to carry it by.
        for hip in ["HindHipL", "FrontHipL"] {
            let place = rig.joints[rig.find(hip)].rest * DVec3::new(side, 1.0, 1.0);
            brass.append(ball(0.058, 0.0, PI, 4, 8).moved(place));
        }
        let ear = hoop(0.055, 0.010, 14).rotated(along(DVec3::new(0.0, 0.25, 1.0)));
        brass.append(ear.moved(DVec3::new(side * 0.315, 0.505, -0.01)));
    }
    let (rim, face, marks) = gauge(rig.joints[rig.find("Needle")].rest);
    brass.append(rim);
    cream.append(face);
    dark.append(marks);
    let (spout, lip, mouth) = spout();
    brass.append(lip);
    dark.append(mouth);
    brass.append(
        hoop(0.040, 0.013, 12)
            .rotated(along(DVec3::new(0.0, 0.9, -0.42)))
            .moved(DVec3::new(0.0, 0.522, -0.240)),
    );
    let mut enamel = pot;
    enamel.append(spout);
    vec![(ENAMEL, enamel), (BRASS, brass), (CREAM, cream), (DARK, dark)]
}

/// Frame, glass and pupil of an eye; they look forward, out and a little up.
fn eye(side: f64) -> (Mesh, Mesh, Mesh) {
    let place = DVec3::new(side * 0.105, 0.535, 0.212);
    let turn = along(eye_axis(side));
    let frame = hoop(0.055, 0.012, 18).rotated(turn).moved(place);
    let glass = ball(0.062, 0.0, 1.05, 4, 16).moved(DVec3::Y * -0.030).rotated(turn).moved(place);
    let gaze = along(DVec3::new(side * 0.16, 0.22, 0.95));
    let center = place - eye_axis(side) * 0.030;
    let pupil = ball(0.0635, 0.0, 0.48, 3, 14).rotated(gaze).moved(center);
    (frame, glass, pupil)
}

fn eye_axis(side: f64) -> DVec3 {
    DVec3::new(side * 0.40, 0.30, 0.86).normalize()
}

/// How far a shutter turns to close, radians.
pub const SHUTTER: f64 = 1.55;

/// A copper lid that snaps over the eye; it waits folded up behind the frame.
fn shutter(place: DVec3, side: f64) -> Part {
    let up = about(shutter_axis(side), -SHUTTER) * eye_axis(side);
    let lid = ball(0.0675, 0.0, 0.98, 4, 14).rotated(along(up)).moved(place);
    vec![(COPPER, lid)]
}

/// The axis that an eye's shutter turns about; positive angles close it.
pub fn shutter_axis(side: f64) -> DVec3 {
    DVec3::Y.cross(eye_axis(side)).normalize()
}

/// Rim, face and marks of the pressure gauge on the chest.
fn gauge(place: DVec3) -> (Mesh, Mesh, Mesh) {
    let turn = along(gauge_axis());
    let back = place - gauge_axis() * 0.012;
    let rim = hoop(0.060, 0.011, 20).rotated(turn).moved(back);
    let face = lathe(&[(0.058, -0.03), (0.058, -0.03), (0.058, 0.004), (0.058, 0.004), (0.0, 0.004)], 20);
    let mut marks = Mesh::default();
    for k in 0..7 {
        let angle = (f64::from(k) - 3.0) * 0.62;
        let mark = loft(&[ring(DVec3::ZERO, 0.0045), ring(DVec3::Z * -0.012, 0.0045)], 4, DVec3::X).faceted();
        let dial = about(DVec3::Y, angle) * DVec3::new(0.0, 0.003, -0.032);
        marks.append(mark.rotated(about(DVec3::Y, angle)).moved(dial));
    }
    (rim, face.rotated(turn).moved(back), marks.rotated(turn).moved(back))
}

/// Where the gauge faces.
pub fn gauge_axis() -> DVec3 {
    DVec3::new(-1.0, -0.04, 0.0).normalize()
}

fn needle(place: DVec3) -> Part {
    let turn = along(gauge_axis());
    let hand = tube(&[ring(DVec3::Z * 0.012, 0.007), ring(DVec3::Z * -0.044, 0.002)], 4, DVec3::X);
    let hub = ball(0.011, 0.0, PI * 0.5, 2, 8);
    let place = place + gauge_axis() * 0.002;
    vec![(COPPER, hand.rotated(turn).moved(place)), (BRASS, hub.rotated(turn).moved(place))]
}

/// The spout is the kettle's nose: tube, lip, and the dark inside.
fn spout() -> (Mesh, Mesh, Mesh) {
    let path = [
        ((0.43, 0.225), 0.085),
        ((0.438, 0.300), 0.066),
        ((0.470, 0.365), 0.052),
        ((0.520, 0.415), 0.043),
        ((0.572, 0.446), 0.039),
        ((0.605, 0.462), 0.043),
    ];
    let rings: Vec<Ring> = path.iter().map(|&((y, z), r)| ring(DVec3::new(0.0, y, z), r)).collect();
    let nose = tube(&rings, 14, DVec3::X).tinted(|p| DVec3::splat(0.72 + 0.28 * smoothstep(0.22, 0.36, p.z)));
    let axis = DVec3::new(0.0, 0.9, 0.44);
    let tip = rings[5].center;
    let lip = hoop(0.043, 0.009, 14).rotated(along(axis)).moved(tip);
    let hole = lathe(&[(0.043, 0.0), (0.0, 0.0)], 14).rotated(along(axis)).moved(tip - axis * 0.003);
    (nose, lip, hole)
}

fn lid() -> Part {
    let dome = [
        (0.163, 0.646),
        (0.170, 0.652),
        (0.166, 0.660),
        (0.166, 0.660),
        (0.135, 0.690),
        (0.085, 0.712),
        (0.035, 0.720),
        (0.0, 0.721),
    ];
    let mut brass = ball(0.030, 0.0, PI, 6, 12).moved(DVec3::Y * 0.760);
    brass.append(lathe(&[(0.034, 0.719), (0.017, 0.733), (0.015, 0.745)], 12));
    vec![
        (ENAMEL, lathe(&dome, 28).tinted(|p| DVec3::splat(0.8 + 0.2 * smoothstep(0.65, 0.7, p.y)))),
        (BRASS, brass),
    ]
}

/// A clockwork key: a shaft and two leaves.
fn key(place: DVec3) -> Part {
    let mut key = loft(&[ring(DVec3::Z * 0.04, 0.016), ring(DVec3::Z * -0.085, 0.016)], 8, DVec3::X);
    for side in [1.0, -1.0] {
        let leaf =
            hoop(0.040, 0.013, 14).scaled(DVec3::new(1.0, 0.8, 1.0)).rotated(about(DVec3::X, PI * 0.5));
        key.append(leaf.moved(DVec3::new(side * 0.048, 0.0, -0.10)));
    }
    vec![(COPPER, key.moved(place))]
}

/// The mast: a tube skinned to three joints.
pub fn mast(rig: &Rig) -> Part {
    let [a, b, c] = MAST.map(|name| rig.joints[rig.find(name)].rest);
    let tip = rig.joints[rig.find("Hook")].rest;
    let points = [a - DVec3::new(0.0, 0.03, -0.02), a, b, c, tip];
    let mut rings = Vec::new();
    for k in 1..4 {
        for s in 0..7 {
            let t = f64::from(s) / 7.0;
            let after = points.get(k + 2).copied().unwrap_or(tip + (tip - c) * 0.4 - DVec3::Y * 0.12);
            let center = catmull_rom([points[k - 1], points[k], points[k + 1], after], t);
            let along = (k as f64 - 1.0 + t) / 3.0;
            rings.push(ring(center, 0.026 - 0.012 * along));
        }
    }
    rings.push(ring(tip, 0.014));
    let joints = MAST.map(|name| rig.find(name)).map(|j| j - rig.find(MAST[0]));
    let count = rings.len() - 1;
    let mut mesh = loft(&rings, 10, DVec3::X);
    for vertex in &mut mesh.vertices {
        let nearest = (0..=count).min_by(|&i, &k| {
            let d = |i: usize| rings[i].center.distance_squared(vertex.position);
            d(i).total_cmp(&d(k))
        });
        let t = 3.0 * nearest.unwrap_or(0) as f64 / count as f64;
        let (second, third) = (smoothstep(0.55, 1.45, t), smoothstep(1.55, 2.45, t));
        vertex.influences =
            top_four(&[(joints[0], 1.0 - second), (joints[1], second - third), (joints[2], third)]);
    }
    vec![(IRON, mesh)]
}

fn catmull_rom(p: [DVec3; 4], t: f64) -> DVec3 {
    let (a, b) = ((p[2] - p[0]) * 0.5, (p[3] - p[1]) * 0.5);
    let (t2, t3) = (t * t, t * t * t);
    p[1] * (2.0 * t3 - 3.0 * t2 + 1.0)
        + a * (t3 - 2.0 * t2 + t)
        + p[2] * (3.0 * t2 - 2.0 * t3)
        + b * (t3 - t2)
}

fn hook(place: DVec3) -> Part {
    let eyelet = hoop(0.020, 0.006, 12).rotated(about(DVec3::Z, PI * 0.5)).moved(place - DVec3::Y * 0.012);
    let mut brass = ball(0.022, 0.0, PI, 5, 10).moved(place);
    brass.append(eyelet);
    vec![(BRASS, brass)]
}

/// The lantern hangs from `place`.
fn lantern(place: DVec3) -> Part {
    let up = |y: f64| DVec3::Y * y;
    let mut iron = tube(&[ring(up(-0.01), 0.004), ring(up(-0.05), 0.004)], 5, DVec3::X);
    iron.append(lathe(&[(0.072, -0.092), (0.060, -0.085), (0.020, -0.055), (0.0, -0.048)], 6).faceted());
    iron.append(
        lathe(&[(0.072, -0.092), (0.072, -0.092), (0.0, -0.092)].map(|(r, y)| (r, y - 0.001)), 6)
            .rotated(about(DVec3::X, PI))
            .moved(up(-0.185)),
    );
    iron.append(
        lathe(&[(0.0, -0.225), (0.058, -0.225), (0.064, -0.205), (0.058, -0.200), (0.0, -0.200)], 6)
            .faceted(),
    );
    for k in 0..6 {
        let a = TAU * f64::from(k) / 6.0;
        let (x, z) = (0.055 * sin(a), 0.055 * cos(a));
        iron.append(tube(
            &[ring(DVec3::new(x, -0.09, z), 0.0055), ring(DVec3::new(x, -0.205, z), 0.0055)],
            4,
            DVec3::X,
        ));
    }
    let cap = ball(0.012, 0.0, PI, 4, 8).moved(up(-0.045));
    vec![(IRON, iron.moved(place)), (BRASS, cap.moved(place))]
}

/// A drop of light.
fn flame(place: DVec3) -> Part {
    let profile =
        [(0.0, -0.048), (0.022, -0.040), (0.034, -0.020), (0.032, 0.002), (0.018, 0.028), (0.0, 0.056)];
    vec![(FLAME, lathe(&profile, 10).moved(place))]
}

/// A tapered, faceted bar with a ball at its start.
fn limb(from: DVec3, to: DVec3, radii: [f64; 2]) -> Part {
    let bar = tube(
        &[ring(from, radii[0]), ring(from.lerp(to, 0.5), radii[0] * 1.05), ring(to, radii[1])],
        6,
        DVec3::Y,
    );
    vec![(IRON, bar.faceted())]
}

fn shin(knee: DVec3, foot: DVec3) -> Part {
    let middle = knee.lerp(foot, 0.3);
    let rings = [ring(knee, 0.032), ring(middle, 0.036), ring(knee.lerp(foot, 0.96), 0.020)];
    let bar = tube(&rings, 6, DVec3::X).faceted();
    let mut brass = ball(0.043, 0.0, PI, 5, 10).moved(knee);
    let turn = along(foot - knee);
    brass.append(
        lathe(&[(0.030, -0.012), (0.034, -0.012), (0.034, 0.012), (0.030, 0.012)], 12)
            .rotated(turn)
            .moved(knee.lerp(foot, 0.78)),
    );
    vec![(IRON, bar), (BRASS, brass)]
}

fn shoe(place: DVec3) -> Part {
    let dome = [
        (0.0, -0.04),
        (0.056, -0.04),
        (0.056, -0.04),
        (0.060, -0.030),
        (0.050, -0.006),
        (0.026, 0.010),
        (0.0, 0.013),
    ];
    let mesh = lathe(&dome, 10).moved(place);
    vec![(COPPER, mesh)]
}
