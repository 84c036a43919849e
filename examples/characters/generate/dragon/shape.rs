//! The dragon's skin: a soft body cut into hide and belly, and the parts that sit on it.

use glam::{DVec2, DVec3};

use super::super::math::smoothstep;
use super::super::mesh::{Influences, Mesh, Vertex};
use super::super::rig::Rig;
use super::super::surface::{Body, settle_weights, split, top_four};
use super::Pieces;
use super::{parts, rig, wing};

/// The size of the quads of the body.
const CELL: f64 = 0.041;

pub fn pieces(rig: &Rig) -> Pieces {
    let body = rig::body(rig);
    let mut pieces = Pieces::default();
    (pieces.belly, pieces.hide) = skin(&body, rig);
    parts::add(&mut pieces, &body, rig);
    for side in [1.0, -1.0] {
        wing::add(&mut pieces, rig, side);
    }
    pieces
}

/// Belly and hide.
fn skin(body: &Body, rig: &Rig) -> (Mesh, Mesh) {
    let mut mesh = body.mesh(CELL, [-8, -2, -26], [9, 22, 16]);
    let weights = mesh.vertices.iter().map(|v| body.influences(v.position, 0.07)).collect();
    settle_weights(&mut mesh, weights, rig.joints.len(), 3);
    for vertex in &mut mesh.vertices {
        let (p, n) = (vertex.position, vertex.normal);
        vertex.color = shade(body, p, n);
        vertex.uv = DVec2::new((p.z + 1.0) / 1.65, 1.0 - p.y);
    }
    let place = |vertex: Vertex| {
        let n = body.normal(vertex.position);
        let position = vertex.position - n * body.distance(vertex.position);
        Vertex { position, normal: body.normal(position), ..vertex }
    };
    split(&mesh, place, |v| belly(v.position, v.normal))
}

/// Darker in folds and along the back.
fn shade(body: &Body, p: DVec3, n: DVec3) -> DVec3 {
    let light = 0.45 + 0.55 * body.openness(p, n);
    let saddle = smoothstep(0.075, 0.03, p.x.abs()) * smoothstep(0.2, 0.8, n.y) * smoothstep(0.40, 0.30, p.z);
    DVec3::splat(light).lerp(DVec3::new(0.35, 0.55, 0.62) * light, saddle)
}

/// Above zero where the belly is: a strip below trunk, throat and tail, as wide as they are thick.
fn belly(p: DVec3, n: DVec3) -> f64 {
    let throat = smoothstep(0.36, 0.46, p.y) * smoothstep(0.10, 0.20, p.z) * smoothstep(0.63, 0.56, p.y);
    let down = DVec3::NEG_Y.lerp(DVec3::new(0.0, -0.35, 0.94), throat).normalize();
    let width = 0.088 - 0.03 * smoothstep(-0.3, -0.6, p.z) - 0.035 * smoothstep(-0.6, -0.95, p.z);
    let facing = (n.dot(down) - 0.25) * 0.09;
    // The back of the head overhangs, but it is no belly.
    let nape = (p.z - 0.40 + 0.9 * (0.60 - p.y)).min(0.05);
    let above = if p.y > 0.5 { nape } else { 0.05 };
    facing.min(width - p.x.abs()).min(above)
}

/// Weights for a part that sits on the body at `base`.
pub fn seat(body: &Body, base: DVec3) -> Influences {
    top_four(&body.influences(base, 0.05))
}
