//! A walking kettle: rigid parts on a node tree, a skinned mast, a lantern hung from its last joint, three clips.

mod clips;
mod parts;

use glam::DVec3;

use super::glb::{Glb, Look, Node, Primitive};
use super::mesh::Mesh;
use super::rig::{Joint, Leg, Rig};

const LOOKS: [Look; 8] = [
    Look { name: "Enamel", color: 0x5C9BC4, metallic: 0.0, roughness: 0.35, glow: 0.0 },
    Look { name: "Cream", color: 0xF6EBD2, metallic: 0.0, roughness: 0.45, glow: 0.0 },
    Look { name: "Brass", color: 0xE2A84B, metallic: 0.6, roughness: 0.35, glow: 0.0 },
    Look { name: "Iron", color: 0x474B57, metallic: 0.3, roughness: 0.55, glow: 0.0 },
    Look { name: "Copper", color: 0xC8693F, metallic: 0.5, roughness: 0.40, glow: 0.0 },
    Look { name: "Dark", color: 0x1E1B26, metallic: 0.0, roughness: 0.30, glow: 0.0 },
    Look { name: "Flame", color: 0xFFB84A, metallic: 0.0, roughness: 0.60, glow: 1.0 },
    Look { name: "Steam", color: 0xFFFFFF, metallic: 0.0, roughness: 1.00, glow: 0.25 },
];

pub const ENAMEL: usize = 0;
pub const CREAM: usize = 1;
pub const BRASS: usize = 2;
pub const IRON: usize = 3;
pub const COPPER: usize = 4;
pub const DARK: usize = 5;
pub const FLAME: usize = 6;
pub const STEAM: usize = 7;

/// A node's triangles, and which of `LOOKS` they have. In model space, at rest.
pub type Part = Vec<(usize, Mesh)>;

/// Name, parent, place. It looks along +Z. Metres.
const JOINTS: [(&str, &str, [f64; 3]); 28] = [
    ("Root", "", [0.0, 0.0, 0.0]),
    ("Body", "Root", [0.0, 0.36, 0.0]),
    ("Lid", "Body", [0.0, 0.645, 0.0]),
    ("Needle", "Body", [-0.279, 0.425, 0.0]),
    ("ShutterL", "Body", [0.093, 0.526, 0.186]),
    ("ShutterR", "Body", [-0.093, 0.526, 0.186]),
    ("Key", "Body", [0.0, 0.40, -0.27]),
    ("Puff1", "Body", [0.0, 0.555, 0.438]),
    ("Puff2", "Body", [0.0, 0.555, 0.438]),
    ("Puff3", "Body", [0.0, 0.555, 0.438]),
    ("Mast1", "Body", [0.0, 0.52, -0.24]),
    ("Mast2", "Mast1", [0.0, 0.82, -0.375]),
    ("Mast3", "Mast2", [0.0, 1.05, -0.17]),
    ("Hook", "Mast3", [0.0, 1.06, 0.20]),
    ("Lantern", "Hook", [0.0, 1.055, 0.20]),
    ("Flame", "Lantern", [0.0, 0.90, 0.20]),
    ("HindHipL", "Body", [0.17, 0.335, -0.13]),
    ("HindKneeL", "HindHipL", [0.30, 0.40, -0.22]),
    ("HindFootL", "HindKneeL", [0.335, 0.04, -0.25]),
    ("FrontHipL", "Body", [0.17, 0.335, 0.13]),
    ("FrontKneeL", "FrontHipL", [0.30, 0.40, 0.22]),
    ("FrontFootL", "FrontKneeL", [0.335, 0.04, 0.25]),
    ("HindHipR", "Body", [-0.17, 0.335, -0.13]),
    ("HindKneeR", "HindHipR", [-0.30, 0.40, -0.22]),
    ("HindFootR", "HindKneeR", [-0.335, 0.04, -0.25]),
    ("FrontHipR", "Body", [-0.17, 0.335, 0.13]),
    ("FrontKneeR", "FrontHipR", [-0.30, 0.40, 0.22]),
    ("FrontFootR", "FrontKneeR", [-0.335, 0.04, 0.25]),
];

/// The mast's joints, the only ones with a skin.
const MAST: [&str; 3] = ["Mast1", "Mast2", "Mast3"];

pub fn model() -> Vec<u8> {
    let rig = rig();
    let mut glb = Glb::default();
    for look in &LOOKS {
        glb.material(look);
    }
    let mut meshes = Vec::new();
    for (name, part) in parts::rigid(&rig) {
        let origin = rig.joints[rig.find(name)].rest;
        let moved = part.into_iter().map(|(look, mesh)| (look, mesh.moved(-origin))).collect();
        meshes.push((name, glb.mesh(name, &primitives(moved), false, &[])));
    }
    let index = |name: &str| meshes.iter().find(|m| m.0 == name).map(|m| m.1);
    let nodes = rig.nodes(&mut glb, |name| index(parts::mesh_of(name)));
    let mast = glb.mesh("Mast", &primitives(parts::mast(&rig)), true, &[]);
    let joints = MAST.map(|name| rig.find(name));
    let skin = glb.skin(&joints.map(|j| nodes[j]), &joints.map(|j| rig.joints[j].rest));
    glb.node(&Node {
        name: "Mast",
        parent: None,
        translation: DVec3::ZERO,
        mesh: Some(mast),
        skin: Some(skin),
    });
    for (name, channels) in clips::clips(&rig, &nodes) {
        glb.animation(name, &channels);
    }
    glb.finish()
}

fn rig() -> Rig {
    let mut rig = Rig { joints: Vec::new() };
    for (name, parent, at) in JOINTS {
        let parent = rig.joints.iter().position(|j| j.name == parent);
        rig.joints.push(Joint { name, parent, rest: DVec3::from_array(at) });
    }
    rig
}

/// Hind left, front left, hind right, front right.
pub fn legs(rig: &Rig) -> [Leg; 4] {
    let first = rig.find("HindHipL");
    [0, 3, 6, 9].map(|k| {
        let joints = [first + k, first + k + 1, first + k + 2];
        let hip = rig.joints[joints[0]].rest;
        Leg { joints, pole: DVec3::new(hip.x * 3.0, 0.8, hip.z * 3.0).normalize() }
    })
}

fn primitives(part: Part) -> Vec<Primitive> {
    part.into_iter().map(|(material, mesh)| Primitive { mesh, material, morphs: Vec::new() }).collect()
}
