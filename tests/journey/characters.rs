//! The example characters: the committed files are what the generator writes, and hold what they promise.

#[path = "../../examples/characters/generate/mod.rs"]
mod generate;

use std::path::Path;

use gltf::animation::Interpolation;
use gltf::{Glb, Gltf};

fn committed(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/characters/models");
    std::fs::read(folder.join(name)).expect("a committed model")
}

fn open(name: &str) -> Gltf {
    Gltf::from_slice(&committed(name)).expect("a valid GLB")
}

fn clip_names(model: &Gltf) -> Vec<&str> {
    model.animations().filter_map(|a| a.name()).collect()
}

#[test]
fn committed_models_are_what_the_generator_writes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut total = 0;
    for (name, bytes) in generate::models() {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("a writable folder");
        let fresh = std::fs::read(&path).expect("the file just written");
        total += fresh.len();
        assert!(fresh == committed(name), "{name}: run `cargo run --release --example characters`");
    }
    assert!(total < 1_000_000, "{total} bytes together");
}

#[test]
fn dragon_is_a_skinned_animal_with_four_clips() {
    let model = open("dragon.glb");
    let skin = model.skins().next().expect("a skin");
    assert_eq!(skin.joints().count(), 33);
    assert_eq!(clip_names(&model), ["Idle", "Walk", "TurnLeft", "Pounce"]);
    let mesh = model.meshes().next().expect("a mesh");
    let vertices: usize =
        mesh.primitives().filter_map(|p| p.get(&gltf::Semantic::Positions)).map(|a| a.count()).sum();
    assert!((1_500..4_000).contains(&vertices), "{vertices} vertices");
    for primitive in mesh.primitives() {
        for semantic in [gltf::Semantic::Normals, gltf::Semantic::TexCoords(0), gltf::Semantic::Joints(0)] {
            assert!(primitive.get(&semantic).is_some(), "{semantic:?}");
        }
        assert!(primitive.material().name().is_some());
    }
}

#[test]
fn pennant_is_moved_by_morph_targets_alone() {
    let model = open("pennant.glb");
    assert_eq!(model.skins().count(), 0);
    let flag = model.meshes().find(|m| m.name() == Some("Pennant")).expect("the cloth");
    for primitive in flag.primitives() {
        assert_eq!(primitive.morph_targets().count(), 8);
        assert!(primitive.morph_targets().all(|t| t.positions().is_some() && t.normals().is_some()));
    }
    assert_eq!(clip_names(&model), ["Breeze", "Gale", "Unfurl"]);
    let channels = model.animations().flat_map(|a| a.channels());
    assert!(
        channels.into_iter().all(|c| c.target().property() == gltf::animation::Property::MorphTargetWeights)
    );
}

#[test]
fn kettle_is_rigid_parts_with_a_prop_on_a_joint() {
    let model = open("kettle.glb");
    assert_eq!(clip_names(&model), ["Simmer", "Trot", "Whistle"]);
    let joint = model.nodes().find(|n| n.name() == Some("Mast3")).expect("the last joint of the mast");
    let skin = model.skins().next().expect("the mast's skin");
    assert!(skin.joints().any(|j| j.index() == joint.index()));
    let hook = joint.children().next().expect("a node under the joint");
    assert!(hook.mesh().is_some() && hook.children().any(|n| n.mesh().is_some()));
    for clip in model.animations() {
        for kind in [Interpolation::Step, Interpolation::Linear, Interpolation::CubicSpline] {
            assert!(clip.samplers().any(|s| s.interpolation() == kind), "{kind:?} in {:?}", clip.name());
        }
    }
}

/// The first key is at 0, and in a loop the last key is the first again, up to the sign of a quaternion and to whole
/// turns.
#[test]
fn loops_close() {
    for (name, loops) in [
        ("dragon.glb", ["Idle", "Walk"]),
        ("pennant.glb", ["Breeze", "Gale"]),
        ("kettle.glb", ["Simmer", "Trot"]),
    ] {
        let bytes = committed(name);
        let glb = Glb::from_slice(&bytes).expect("a GLB");
        let buffer = glb.bin.expect("a binary chunk");
        let model = open(name);
        for clip in model.animations() {
            let looping = loops.contains(&clip.name().unwrap_or_default());
            for channel in clip.channels() {
                let sampler = channel.sampler();
                let times = floats(&sampler.input(), &buffer);
                assert_eq!(times[0], 0.0, "{name} {:?}", clip.name());
                let values = floats(&sampler.output(), &buffer);
                let width = values.len() / times.len();
                let (first, last) = (&values[..width], &values[values.len() - width..]);
                let differs = |sign: f32| first.iter().zip(last).any(|(a, b)| (a - sign * b).abs() > 1e-6);
                assert!(!looping || !differs(1.0) || !differs(-1.0), "{name} {:?} {channel:?}", clip.name());
            }
        }
    }
}

fn floats(accessor: &gltf::Accessor, buffer: &[u8]) -> Vec<f32> {
    let start = accessor.view().expect("a buffer view").offset() + accessor.offset();
    let bytes = &buffer[start..start + accessor.count() * accessor.size()];
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}
