//! A swallow-tailed pennant on a pole: eight morph targets move the cloth, nothing else.

mod clips;
mod cloth;

use glam::DVec3;

use super::glb::{Channel, Glb, Look, Node, Primitive};
use super::math::smoothstep;
use super::mesh::{Mesh, ball, lathe};

const CLOTH: Look = Look { name: "Cloth", color: 0xC7385A, metallic: 0.0, roughness: 0.85, glow: 0.0 };
const GOLD: Look = Look { name: "Gold", color: 0xF7C657, metallic: 0.0, roughness: 0.70, glow: 0.0 };
const WOOD: Look = Look { name: "Wood", color: 0x8C5E3C, metallic: 0.0, roughness: 0.80, glow: 0.0 };
const BRASS: Look = Look { name: "Brass", color: 0xE2A84B, metallic: 0.6, roughness: 0.35, glow: 0.0 };
const STONE: Look = Look { name: "Stone", color: 0x8D939F, metallic: 0.0, roughness: 0.95, glow: 0.0 };

pub fn model() -> Vec<u8> {
    let mut glb = Glb::default();
    let (cloth, gold) = cloth::templates();
    let faces = [(cloth, glb.material(&CLOTH)), (gold, glb.material(&GOLD))];
    let primitives: Vec<Primitive> = faces
        .iter()
        .map(|(template, material)| Primitive {
            mesh: cloth::shape(template, &cloth::Wind::default()),
            material: *material,
            morphs: cloth::targets().iter().map(|(_, wind)| cloth::shape(template, wind)).collect(),
        })
        .collect();
    let names = cloth::targets().map(|target| target.0);
    let flag = glb.mesh("Pennant", &primitives, false, &names);
    let post =
        pole().map(|(mesh, look)| Primitive { mesh, material: glb.material(&look), morphs: Vec::new() });
    let post = glb.mesh("Pole", &post, false, &[]);
    let node =
        |name, parent, translation, mesh| Node { name, parent, translation, mesh: Some(mesh), skin: None };
    let pole = glb.node(&node("Pole", None, DVec3::ZERO, post));
    let flag = glb.node(&node("Pennant", Some(pole), DVec3::new(0.0, cloth::HEIGHT, 0.0), flag));
    for clip in clips::clips() {
        let channel =
            Channel { node: flag, interpolation: clip.interpolation, times: clip.times, track: clip.weights };
        glb.animation(clip.name, &[channel]);
    }
    glb.finish()
}

/// Shaft, fittings and foot.
fn pole() -> [(Mesh, Look); 3] {
    let shaft = [(0.036, 0.05), (0.034, 0.8), (0.030, 1.6), (0.026, 2.18), (0.026, 2.18), (0.0, 2.18)];
    let shaft = lathe(&shaft, 12).tinted(|p| DVec3::splat(0.7 + 0.3 * smoothstep(0.1, 0.7, p.y)));
    let mut brass = lathe(
        &[
            (0.028, 2.16),
            (0.046, 2.175),
            (0.046, 2.195),
            (0.022, 2.215),
            (0.020, 2.235),
            (0.050, 2.29),
            (0.042, 2.335),
            (0.016, 2.415),
            (0.0, 2.48),
        ],
        12,
    );
    for y in [cloth::HEIGHT - cloth::HOIST * 0.46, cloth::HEIGHT + cloth::HOIST * 0.46] {
        let band = [(0.030, -0.022), (0.041, -0.014), (0.041, 0.014), (0.030, 0.022)];
        brass.append(lathe(&band, 12).moved(DVec3::Y * y));
    }
    brass.append(ball(0.040, 0.0, 1.6, 3, 12).scaled(DVec3::new(1.2, 0.6, 1.2)).moved(DVec3::Y * 0.225));
    let foot = [
        (0.0, 0.0),
        (0.25, 0.0),
        (0.25, 0.07),
        (0.21, 0.10),
        (0.17, 0.105),
        (0.15, 0.20),
        (0.11, 0.225),
        (0.0, 0.23),
    ];
    let stone = lathe(&foot, 8).faceted().tinted(|p| DVec3::splat(0.75 + 0.25 * smoothstep(0.0, 0.15, p.y)));
    [(shaft, WOOD), (brass, BRASS), (stone, STONE)]
}
