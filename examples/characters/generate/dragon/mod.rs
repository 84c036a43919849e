//! A young dragon: 33 joints, smooth skinning, four clips.

mod clips;
mod parts;
mod rig;
mod shape;
mod wing;

use glam::DVec3;

use super::glb::{Glb, Look, Node, Primitive};
use super::mesh::Mesh;

const HIDE: Look = Look { name: "Hide", color: 0x3FA796, metallic: 0.0, roughness: 0.65, glow: 0.0 };
const BELLY: Look = Look { name: "Belly", color: 0xF4DFA8, metallic: 0.0, roughness: 0.75, glow: 0.0 };
const FIN: Look = Look { name: "Fin", color: 0xF0794E, metallic: 0.0, roughness: 0.6, glow: 0.0 };
const HORN: Look = Look { name: "Horn", color: 0xF7EBD3, metallic: 0.0, roughness: 0.5, glow: 0.0 };
const IRIS: Look = Look { name: "Iris", color: 0xFFB62E, metallic: 0.0, roughness: 0.25, glow: 0.15 };
const PUPIL: Look = Look { name: "Pupil", color: 0x1F1A2B, metallic: 0.0, roughness: 0.2, glow: 0.0 };
const GLINT: Look = Look { name: "Glint", color: 0xFFFFFF, metallic: 0.0, roughness: 0.2, glow: 0.6 };

/// The dragon's triangles by material.
#[derive(Default)]
pub struct Pieces {
    pub hide: Mesh,
    pub belly: Mesh,
    pub fin: Mesh,
    pub horn: Mesh,
    pub iris: Mesh,
    pub pupil: Mesh,
    pub glint: Mesh,
}

pub fn model() -> Vec<u8> {
    let rig = rig::rig();
    let pieces = shape::pieces(&rig);
    let mut glb = Glb::default();
    let primitives: Vec<Primitive> = [
        (pieces.hide, HIDE),
        (pieces.belly, BELLY),
        (pieces.fin, FIN),
        (pieces.horn, HORN),
        (pieces.iris, IRIS),
        (pieces.pupil, PUPIL),
        (pieces.glint, GLINT),
    ]
    .into_iter()
    .map(|(mesh, look)| Primitive { mesh, material: glb.material(&look), morphs: Vec::new() })
    .collect();
    let joints = rig.nodes(&mut glb, |_| None);
    let rest: Vec<DVec3> = rig.joints.iter().map(|j| j.rest).collect();
    let skin = glb.skin(&joints, &rest);
    let mesh = glb.mesh("Dragon", &primitives, true, &[]);
    glb.node(&Node {
        name: "Dragon",
        parent: None,
        translation: DVec3::ZERO,
        mesh: Some(mesh),
        skin: Some(skin),
    });
    for clip in clips::clips(&rig) {
        glb.animation(clip.name, &rig.channels(&joints, &clip.poses, clip.duration));
    }
    glb.finish()
}
