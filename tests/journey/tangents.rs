//! Tangents, against sums written out here: three.js' reference has none.

use glam::{Quat, Vec3};
use gltf::Semantic;
use gltf::animation::Property;
use serde_json::json;
use vatpipe::encode::Format;
use vatpipe::manifest::FormatChoice;

use crate::support::baking::{bake, bake_model, clip, exact, recipe};
use crate::support::loader::{Direction, floats};
use crate::support::model::Model;
use crate::support::reference::{self, degrees};

/// Two bytes, see `reference`.
const TWO_BYTES: f64 = 0.964;

/// AnimatedMorphCube: one node, rotated; two targets with tangents; weights blended linearly between keys.
#[test]
fn morphed() {
    let model = reference::Model::read("AnimatedMorphCube.glb");
    let node = model.gltf.nodes().next().unwrap();
    let rotation = Quat::from_array(node.transform().decomposed().1);
    let primitive = node.mesh().unwrap().primitives().next().unwrap();
    let read = |accessor: gltf::Accessor| floats(&accessor, model.data(&accessor));
    let base = read(primitive.get(&Semantic::Tangents).unwrap());
    let targets: Vec<_> = primitive.morph_targets().map(|t| read(t.tangents().unwrap())).collect();
    let channel = model.gltf.animations().next().unwrap().channels().next().unwrap();
    assert_eq!(channel.target().property(), Property::MorphTargetWeights);
    let keys = read(channel.sampler().input());
    let weights = read(channel.sampler().output());
    let weights_at = |time: f32| {
        let next = keys.iter().position(|key| key[0] >= time).unwrap().max(1);
        let t = (time - keys[next - 1][0]) / (keys[next][0] - keys[next - 1][0]);
        [0, 1].map(|target| {
            let of = |key: usize| weights[key * 2 + target][0];
            of(next - 1) + (of(next) - of(next - 1)) * t
        })
    };

    let mut recipe = recipe("AnimatedMorphCube.glb", vec![clip(0, exact(10.0))]);
    recipe.mesh.tangents = true;
    recipe.clips[0].settings.format = FormatChoice::Fixed(Format::Rgb10a2);
    let baked = bake(&recipe);
    let clip = &baked.clips[0];
    let track = baked.directions(clip, Direction::Tangent).unwrap();
    assert_eq!(baked.sheets[track.sheet].texture.format, "rgba8");
    assert_eq!(baked.mesh.positions.len(), base.len(), "every vertex is used, in its order");
    let mut worst = 0.0_f64;
    for frame in 0..track.frames {
        let weights = weights_at(clip.time(track, frame as f64) as f32);
        for (vertex, base) in base.iter().enumerate() {
            let delta = |target: usize| Vec3::from_slice(&targets[target][vertex]) * weights[target];
            let truth = rotation * (Vec3::from_slice(base) + delta(0) + delta(1)).normalize();
            let (found, handedness) = baked.direction(track, vertex, frame);
            worst = worst.max(degrees(found, truth.to_array()));
            assert_eq!(handedness, base[3]);
        }
    }
    assert!(worst < TWO_BYTES, "{worst} degrees");
    let said = track.error["tangent_deg"]["max"].as_f64().unwrap();
    assert!(said >= worst - 1e-3 && said < 2.0, "{said} degrees, and {worst} at the frames");
}

/// Under a mirror, normal, tangent and bitangent stay what they are of the surface: `cross(normal, tangent) * w` is
/// the mirrored bitangent, so `w` changes sign.
#[test]
fn mirrored() {
    for (scale, sign) in
        [([1.0, 1.0, 1.0], 1.0), ([-1.0, 1.0, 1.0], -1.0), ([1.0, -2.0, 1.0], -1.0), ([-1.0, 1.0, -3.0], 1.0)]
    {
        let mut model = Model::new();
        let position = model.vec3(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        let normal = model.vec3(&[[0.0, 0.0, 1.0]; 3]);
        let tangent = model.vec4(&[[1.0, 0.0, 0.0, 1.0]; 3]);
        let attributes = json!({ "POSITION": position, "NORMAL": normal, "TANGENT": tangent });
        let mesh = model.mesh(json!([{ "attributes": attributes }]));
        let node = model.node(json!({ "mesh": mesh, "scale": scale }));
        let clip = model.clip("away");
        let output = model.vec3(&[[0.0; 3], [0.0, 0.0, 1.0]]);
        model.channel(clip, node, "translation", &[0.0, 1.0], output, "LINEAR");

        let baked = bake_model(&model, exact(2.0), true);
        let clip = &baked.clips[0];
        let normals = baked.directions(clip, Direction::Normal).unwrap();
        let tangents = baked.directions(clip, Direction::Tangent).unwrap();
        let mirror = Vec3::from(scale);
        for vertex in 0..3 {
            let (normal, _) = baked.direction(normals, vertex, 1);
            let (tangent, w) = baked.direction(tangents, vertex, 1);
            assert_eq!(w, sign, "{scale:?}");
            let bitangent = Vec3::from(normal).cross(Vec3::from(tangent)) * w;
            assert!(degrees(tangent, (Vec3::X * mirror).to_array()) < TWO_BYTES, "{scale:?}");
            assert!(degrees(normal, (Vec3::Z / mirror).to_array()) < TWO_BYTES, "{scale:?}");
            assert!(
                degrees(bitangent.to_array(), (Vec3::Y * mirror).to_array()) < 2.0 * TWO_BYTES,
                "{scale:?}"
            );
            assert_eq!(baked.mesh.tangents.as_ref().unwrap()[vertex][3], sign, "{scale:?}");
        }
        // The triangle's own normal is the stored one.
        let [a, b, c] = baked.mesh.primitives[0].1[..3] else { panic!("one triangle") };
        let at = |v: u32| Vec3::from(baked.mesh.positions[v as usize]);
        let face = (at(b) - at(a)).cross(at(c) - at(a));
        assert!(degrees(face.to_array(), baked.mesh.normals.as_ref().unwrap()[0]) < 0.01, "{scale:?}");
    }
}
