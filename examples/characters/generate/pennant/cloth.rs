//! The cloth: a sheet with two faces, and the shapes that the wind gives it.

use glam::{DVec2, DVec3};

use super::super::math::{PI, TAU, cos, lerp, sin, smoothstep};
use super::super::mesh::{Mesh, Vertex, grid};

/// The height of the cloth's middle above the ground, of its hoist edge, and its length; metres.
pub const HEIGHT: f64 = 1.62;
pub const HOIST: f64 = 0.94;
const LENGTH: f64 = 1.70;
/// Half the thickness.
const HALF: f64 = 0.006;

/// A shape of the cloth; all zeros is stretched flat. Each field at 1, alone, is one morph target.
#[derive(Clone, Copy, Default)]
pub struct Wind {
    /// Hangs for want of wind.
    pub droop: f64,
    /// Two phases of a wave along the whole cloth.
    pub long: [f64; 2],
    /// Two phases of a slanting ripple.
    pub short: [f64; 2],
    /// As much shorter as waves make it, and blown out.
    pub slack: f64,
    /// Folded up against the pole.
    pub furl: f64,
    /// The tails flick apart.
    pub flick: f64,
}

/// Names of the targets, in the order of the weights.
pub fn targets() -> [(&'static str, Wind); 8] {
    let still = Wind::default();
    [
        ("Droop", Wind { droop: 1.0, ..still }),
        ("LongCos", Wind { long: [1.0, 0.0], ..still }),
        ("LongSin", Wind { long: [0.0, 1.0], ..still }),
        ("ShortCos", Wind { short: [1.0, 0.0], ..still }),
        ("ShortSin", Wind { short: [0.0, 1.0], ..still }),
        ("Slack", Wind { slack: 1.0, ..still }),
        ("Furl", Wind { furl: 1.0, ..still }),
        ("Flick", Wind { flick: 1.0, ..still }),
    ]
}

impl Wind {
    /// The weights of the targets.
    pub fn weights(&self) -> Vec<f64> {
        let Wind { droop, long, short, slack, furl, flick } = *self;
        vec![droop, long[0], long[1], short[0], short[1], slack, furl, flick]
    }
}

/// Where the sheet's point (u, v) is; u from the pole to the fly, v from the lower to the upper edge. The notch of the
/// swallow tail is a matter of length: every thread is as long as it is.
fn sheet(uv: DVec2, wind: &Wind) -> DVec3 {
    let (u, v) = (uv.x, 2.0 * uv.y - 1.0);
    let s = u * LENGTH * (1.0 - 0.34 * (1.0 - v.abs()) * smoothstep(0.0, 1.0, u));
    let flat = DVec3::new(0.035 + s, v * HOIST * 0.5 * lerp(1.0, 0.66, u), 0.0);
    let free = smoothstep(0.0, 0.45, u) * u;
    let mut p = flat;
    let (k, q) = (TAU / 1.15, TAU / 0.52);
    let long = wind.long[0] * cos(k * s) + wind.long[1] * sin(k * s);
    let slant = q * s + 1.1 * v;
    let short = wind.short[0] * cos(slant) + wind.short[1] * sin(slant);
    p.z += 0.20 * free * long + 0.060 * free * short;
    p.y += 0.035 * free * short;
    p.z += wind.flick * 0.20 * v * u * u * u * u;
    let blown = 0.10 * sin(PI * u) * (1.0 - v * v);
    p += wind.slack * DVec3::new(-0.10 * s * u, -0.05 * sin(PI * u * 0.8), blown);
    let hang = DVec3::new(
        -0.40 * s * u,
        -0.62 * u * u.sqrt() * (1.0 - 0.12 * v),
        0.11 * u * sin(TAU * 1.3 * u + 0.9 * v),
    );
    p += wind.droop * hang;
    let fold = DVec3::new(
        0.04 + 0.10 * u + 0.035 * sin(TAU * 4.0 * u),
        flat.y * (0.94 - 0.10 * cos(PI * v)) - 0.03,
        0.075 * cos(TAU * 4.0 * u) * (0.55 + 0.35 * v * v),
    );
    p + (fold - flat) * wind.furl
}

/// The sheet's normal, towards +Z when flat.
fn facing(uv: DVec2, wind: &Wind) -> DVec3 {
    const E: f64 = 1e-4;
    let slope = |d: DVec2| sheet(uv + d, wind) - sheet(uv - d, wind);
    slope(DVec2::X * E).cross(slope(DVec2::Y * E)).normalize_or(DVec3::Z)
}

/// The rows of the sheet's points; the outermost strips are the golden borders.
const ROWS: [f64; 9] = [0.0, 0.08, 0.22, 0.36, 0.5, 0.64, 0.78, 0.92, 1.0];
const COLUMNS: usize = 28;

/// The flat cloth as points (u, v), with which way each faces and, in `color.y`, how far it stands off the sheet:
/// red parts, golden parts.
pub fn templates() -> (Mesh, Mesh) {
    let mut gold = both(strip(&ROWS[..2]));
    gold.append(both(strip(&ROWS[7..])));
    gold.append(both(sun()));
    gold.append(rim());
    (both(strip(&ROWS[1..8])), gold)
}

/// A template point.
fn point(uv: DVec2, normal: DVec3, side: f64, off: f64) -> Vertex {
    let mut vertex = Vertex::new(sheet(uv, &Wind::default()), normal, uv);
    vertex.color = DVec3::new(side, off, 0.0);
    vertex
}

fn strip(rows: &[f64]) -> Mesh {
    let mut mesh = Mesh::default();
    for &row in rows {
        let uv = |column: usize| DVec2::new(column as f64 / COLUMNS as f64, row);
        mesh.vertices.extend((0..=COLUMNS).map(|c| point(uv(c), DVec3::Z, 1.0, HALF)));
    }
    grid(&mut mesh, 0, rows.len(), COLUMNS + 1);
    mesh
}

/// A sun with eight rays, sewn on.
fn sun() -> Mesh {
    let mut mesh = Mesh::default();
    let at = |r: f64, k: usize| {
        let angle = TAU * k as f64 / 16.0;
        let uv = DVec2::new(0.29 + r * cos(angle) / LENGTH * 1.24, 0.5 + r * sin(angle) / HOIST * 1.11);
        point(uv, DVec3::Z, 1.0, HALF + 0.006)
    };
    mesh.vertices.push(at(0.0, 0));
    for k in 0..16 {
        mesh.vertices.extend([at(0.08, k), at(0.16, k), at(if k % 2 == 0 { 0.265 } else { 0.17 }, k)]);
    }
    for k in 0..16 {
        let (a, b) = (1 + 3 * k, 1 + 3 * ((k + 1) % 16));
        mesh.triangles.push([0, a, b]);
        for i in 0..2 {
            mesh.triangles.extend([[a + i, a + i + 1, b + i], [b + i, a + i + 1, b + i + 1]]);
        }
    }
    mesh
}

/// A mesh and its twin that faces the other way.
fn both(mesh: Mesh) -> Mesh {
    let mut back = mesh.clone();
    for vertex in &mut back.vertices {
        vertex.normal = DVec3::NEG_Z;
        vertex.color.x = -1.0;
    }
    for triangle in &mut back.triangles {
        triangle.swap(1, 2);
    }
    let mut both = mesh;
    both.append(back);
    both
}

/// The edge between the faces: along the lower edge, up the fly, back along the upper edge.
fn rim() -> Mesh {
    let mut path = Vec::new();
    let along = |c: usize, v: f64| DVec2::new(c as f64 / COLUMNS as f64, v);
    path.extend((0..=COLUMNS).map(|c| (along(c, 0.0), DVec3::NEG_Y)));
    path.extend(ROWS.map(|v| (DVec2::new(1.0, v), DVec3::X)));
    path.extend((0..=COLUMNS).rev().map(|c| (along(c, 1.0), DVec3::Y)));
    let mut mesh = Mesh::default();
    for side in [-1.0, 1.0] {
        for &(uv, out) in &path {
            let mut vertex = point(uv, out, side, HALF);
            vertex.position.z += side * HALF;
            mesh.vertices.push(vertex);
        }
    }
    grid(&mut mesh, 0, 2, path.len());
    mesh
}

/// A template in the shape that `wind` gives it.
pub fn shape(template: &Mesh, wind: &Wind) -> Mesh {
    let mut mesh = template.clone();
    for vertex in &mut mesh.vertices {
        let (uv, side, off) = (vertex.uv, vertex.color.x, vertex.color.y);
        let (middle, normal) = (sheet(uv, wind), facing(uv, wind));
        vertex.position = middle + normal * (side * off);
        let rim = vertex.normal.z == 0.0;
        vertex.normal = if rim { edge_normal(uv, wind, normal) } else { normal * side };
        vertex.color = DVec3::splat(0.82 + 0.18 * smoothstep(0.0, 0.25, uv.x))
            - DVec3::splat(0.12 * smoothstep(0.6, 1.0, uv.x));
        vertex.uv.y = 1.0 - uv.y;
    }
    mesh
}

/// Outward in the sheet.
fn edge_normal(uv: DVec2, wind: &Wind, normal: DVec3) -> DVec3 {
    let inner = DVec2::new(0.5 * uv.x, 0.5 + (uv.y - 0.5) * 0.8);
    let out = sheet(uv, wind) - sheet(uv.lerp(inner, 0.02), wind);
    (out - normal * out.dot(normal)).normalize_or(DVec3::Y)
}
