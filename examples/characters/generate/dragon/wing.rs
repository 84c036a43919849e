//! A wing: an arm, three fingers, and a closed membrane between them.

use glam::{DVec2, DVec3};

use super::super::math::{PI, sin, smoothstep};
use super::super::mesh::{Influences, Mesh, Vertex, grid, ring, tube};
use super::super::rig::Rig;
use super::super::surface::top_four;
use super::Pieces;

const SHOULDER: DVec3 = DVec3::new(0.06, 0.455, 0.06);
const WRIST: DVec3 = DVec3::new(0.21, 0.60, 0.00);
/// The tips of the fingers, and where the membrane meets the flank.
const TIPS: [DVec3; 4] = [
    DVec3::new(0.46, 0.70, -0.12),
    DVec3::new(0.40, 0.545, -0.24),
    DVec3::new(0.25, 0.455, -0.26),
    DVec3::new(0.07, 0.425, -0.12),
];

/// The wing of one side (1 left, -1 right).
pub fn add(pieces: &mut Pieces, rig: &Rig, side: f64) {
    let names = if side > 0.0 { ["Wing1L", "Wing2L"] } else { ["Wing1R", "Wing2R"] };
    let joints = [rig.find("Chest"), rig.find(names[0]), rig.find(names[1])];
    let finish = |mesh: Mesh| {
        let mesh = mesh.weighted(|p| weights(joints, p));
        if side > 0.0 { mesh } else { mesh.mirrored() }
    };
    pieces.fin.append(finish(membrane()));
    pieces.hide.append(finish(arm()));
}

/// The flank keeps to the chest, the arm to the first joint, all beyond the wrist to the second.
fn weights([chest, arm, hand]: [usize; 3], p: DVec3) -> Influences {
    let out = smoothstep(0.05, 0.12, p.x);
    let along = (p - WRIST).dot((TIPS[1] - SHOULDER).normalize());
    let tip = smoothstep(-0.06, 0.09, along);
    top_four(&[(chest, 1.0 - out), (arm, out * (1.0 - tip)), (hand, out * tip)])
}

/// Fans from the wrist to scalloped edges, both faces.
fn membrane() -> Mesh {
    const ROWS: usize = 3;
    const COLUMNS: usize = 4;
    let mut mesh = Mesh::default();
    let corners = [TIPS[0], TIPS[1], TIPS[2], TIPS[3], SHOULDER];
    for pair in corners.windows(2) {
        let (a, b) = (pair[0] - WRIST, pair[1] - WRIST);
        let normal = a.cross(b).normalize();
        for face in [1.0, -1.0] {
            let first = mesh.vertices.len() as u32;
            for row in 0..=ROWS {
                for column in 0..=COLUMNS {
                    // The other face runs the other way, to face the other way.
                    let turn = column as f64 / COLUMNS as f64;
                    let turn = if face > 0.0 { turn } else { 1.0 - turn };
                    let s = row as f64 / ROWS as f64;
                    let belly = sin(PI * turn);
                    let spoke = a.lerp(b, turn) * (1.0 - 0.20 * belly);
                    let sag = normal * (0.022 * belly * sin(PI * 0.5 * s) * s);
                    let thick = normal * (face * 0.005 * (1.0 - 0.7 * s));
                    let p = WRIST + spoke * s - sag + thick;
                    let uv = DVec2::new(p.x * 2.0, 1.0 - p.y);
                    let shade =
                        DVec3::splat(0.78 + 0.22 * s).lerp(DVec3::new(1.0, 0.86, 0.7), 0.35 * belly * s);
                    mesh.vertices.push(Vertex { color: shade, ..Vertex::new(p, normal * face, uv) });
                }
            }
            grid(&mut mesh, first, ROWS + 1, COLUMNS + 1);
        }
    }
    smooth_normals(mesh)
}

/// Normals from the triangles around each vertex.
fn smooth_normals(mut mesh: Mesh) -> Mesh {
    let mut sums = vec![DVec3::ZERO; mesh.vertices.len()];
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|i| mesh.vertices[i as usize].position);
        for &i in t {
            sums[i as usize] += (b - a).cross(c - a);
        }
    }
    for (vertex, sum) in mesh.vertices.iter_mut().zip(sums) {
        vertex.normal = sum.normalize_or(vertex.normal);
    }
    mesh
}

fn arm() -> Mesh {
    let elbow = SHOULDER.lerp(WRIST, 0.5) + DVec3::new(-0.012, 0.022, 0.012);
    let mut mesh = tube(
        &[
            ring(SHOULDER, 0.032),
            ring(elbow, 0.024),
            ring(WRIST, 0.018),
            ring(WRIST.lerp(TIPS[0], 0.5), 0.012),
            ring(TIPS[0], 0.0),
        ],
        7,
        DVec3::Z,
    );
    for tip in &TIPS[1..3] {
        let rings = [ring(WRIST, 0.014), ring(WRIST.lerp(*tip, 0.6), 0.009), ring(*tip, 0.0)];
        mesh.append(tube(&rings, 5, DVec3::Y));
    }
    mesh
}
