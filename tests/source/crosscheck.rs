//! Vertex data, indices, skins and keys of the corpus, number by number, against the `gltf` crate.

use gltf::animation::util::ReadOutputs;
use vatpipe::source::{Channel, Geometry, Primitive, Property, Source};

use super::corpus;

const MODELS: [&str; 8] = [
    "Fox.glb",
    "RiggedSimple.glb",
    "AnimatedMorphCube.glb",
    "RobotExpressive.glb",
    "Knight.glb",
    "Manta_ray.glb",
    "greenman.glb",
    "kenney/character.glb",
];

struct Theirs {
    document: gltf::Document,
    bin: Vec<u8>,
}

fn theirs(name: &str) -> Theirs {
    let bytes = std::fs::read(format!("../shared/corpus/{name}")).unwrap();
    let file = gltf::Gltf::from_slice(&bytes).unwrap();
    Theirs { document: file.document, bin: file.blob.unwrap() }
}

impl Theirs {
    /// Triangle primitives of the drawn nodes with their skins' joints, by ascending node index.
    fn drawn(&self) -> Vec<(gltf::Node<'_>, gltf::Primitive<'_>)> {
        let nodes = self.document.nodes().filter_map(|node| Some((node.clone(), node.mesh()?)));
        nodes.flat_map(|(node, mesh)| mesh.primitives().map(move |p| (node.clone(), p))).collect()
    }
}

/// Our primitives in the same order: parts by node, primitives as the file has them.
fn ours(source: &Source) -> Vec<(&Geometry, &Primitive)> {
    let geometries = source.parts.iter().map(|part| &source.geometries[part.geometry]);
    geometries.flat_map(|g| g.primitives.iter().map(move |p| (g, p))).collect()
}

#[test]
fn vertices() {
    for name in MODELS {
        let (source, theirs) = (corpus::read(name), theirs(name));
        let (ours, drawn) = (ours(&source), theirs.drawn());
        assert_eq!(ours.len(), drawn.len(), "{name}");
        for ((geometry, primitive), (_, theirs_primitive)) in ours.into_iter().zip(drawn) {
            let reader = theirs_primitive.reader(|_| Some(&theirs.bin));
            let positions: Vec<_> = reader.read_positions().unwrap().collect();
            let indices: Vec<u32> = match reader.read_indices() {
                Some(indices) => indices.into_u32().collect(),
                None => (0..positions.len() as u32).collect(),
            };
            assert_eq!(indices.len(), primitive.indices.len(), "{name}");
            // Corner by corner: vertices may have moved, triangles not.
            let corners =
                || primitive.indices.iter().map(|&i| i as usize).zip(indices.iter().map(|&i| i as usize));
            let same = |ours: &[[f32; 3]], theirs: Vec<[f32; 3]>| {
                assert!(corners().all(|(i, j)| ours[i] == theirs[j]), "{name}");
            };
            same(&geometry.positions, positions);
            assert_eq!(geometry.normals.is_some(), reader.read_normals().is_some());
            if let Some(normals) = reader.read_normals() {
                same(geometry.normals.as_ref().unwrap(), normals.collect());
            }
            if let Some(uvs) = reader.read_tex_coords(0) {
                let uvs: Vec<_> = uvs.into_f32().collect();
                assert!(corners().all(|(i, j)| geometry.uvs[0][i] == uvs[j]), "{name}");
            }
            let targets: Vec<_> = reader.read_morph_targets().collect();
            assert_eq!(targets.len(), geometry.morphs.len());
            for (morph, (positions, normals, _)) in geometry.morphs.iter().zip(targets) {
                if let Some(positions) = positions {
                    same(morph.positions.as_ref().unwrap(), positions.collect());
                }
                if let Some(normals) = normals {
                    same(morph.normals.as_ref().unwrap(), normals.collect());
                }
            }
        }
    }
}

#[test]
fn skins() {
    for name in MODELS {
        let (source, theirs) = (corpus::read(name), theirs(name));
        for ((geometry, primitive), (node, theirs_primitive)) in ours(&source).into_iter().zip(theirs.drawn())
        {
            let reader = theirs_primitive.reader(|_| Some(&theirs.bin));
            let (Some(joints), Some(_)) = (reader.read_joints(0), node.skin()) else { continue };
            let joints: Vec<_> = joints.into_u16().collect();
            let weights: Vec<_> = reader.read_weights(0).unwrap().into_f32().collect();
            let indices: Vec<u32> = match reader.read_indices() {
                Some(indices) => indices.into_u32().collect(),
                None => (0..joints.len() as u32).collect(),
            };
            for (&i, &j) in primitive.indices.iter().zip(&indices) {
                let range = geometry.influence_start[i as usize]..geometry.influence_start[i as usize + 1];
                let sum: f32 = weights[j as usize].iter().sum();
                for influence in &geometry.influences[range.start as usize..range.end as usize] {
                    let slots = joints[j as usize].iter().zip(&weights[j as usize]);
                    let same = slots.filter(|(joint, _)| u32::from(**joint) == influence.joint);
                    let weight: f32 = same.map(|(_, weight)| weight).sum();
                    assert!((weight / sum - influence.weight).abs() < 1e-6, "{name}");
                }
            }
        }
        let used: Vec<_> = theirs.document.skins().collect();
        assert_eq!(source.skins.len(), used.len(), "{name}");
        for (ours, skin) in source.skins.iter().zip(used) {
            let names: Vec<_> = ours.joints.iter().map(|&j| source.nodes[j].index).collect();
            assert_eq!(names, skin.joints().map(|j| j.index()).collect::<Vec<_>>());
            let reader = skin.reader(|_| Some(&theirs.bin));
            for (ours, theirs) in ours.inverse_bind.iter().zip(reader.read_inverse_bind_matrices().unwrap()) {
                assert_eq!(ours.to_cols_array_2d(), theirs.map(|column| column.map(f64::from)));
            }
        }
    }
}

#[test]
fn keys() {
    for name in MODELS {
        let (source, theirs) = (corpus::read(name), theirs(name));
        for (clip, animation) in source.clips.iter().zip(theirs.document.animations()) {
            assert_eq!(clip.name, animation.name().unwrap_or_default());
            assert_eq!(clip.channels.len(), animation.channels().count());
            let mut last = 0.0f32;
            for (ours, channel) in clip.channels.iter().zip(animation.channels()) {
                assert_eq!(source.nodes[ours.node].index, channel.target().node().index());
                let reader = channel.reader(|_| Some(&theirs.bin));
                let times: Vec<f32> = reader.read_inputs().unwrap().collect();
                assert_eq!(ours.times, times);
                last = last.max(times[times.len() - 1]);
                same_values(ours, reader.read_outputs().unwrap());
            }
            assert_eq!(clip.duration, f64::from(last), "{name} {}", clip.name);
        }
    }
}

fn same_values(ours: &Channel, theirs: ReadOutputs) {
    let (property, values): (_, Vec<f32>) = match theirs {
        ReadOutputs::Translations(values) => (Property::Translation, values.flatten().collect()),
        ReadOutputs::Scales(values) => (Property::Scale, values.flatten().collect()),
        ReadOutputs::Rotations(values) => (Property::Rotation, values.into_f32().flatten().collect()),
        ReadOutputs::MorphTargetWeights(values) => (Property::Weights, values.into_f32().collect()),
    };
    assert_eq!((ours.property, ours.values.len()), (property, values.len()));
    // Rotations are scaled to length 1.
    let tolerance = if property == Property::Rotation { 2e-6 } else { 0.0 };
    assert!(ours.values.iter().zip(values).all(|(a, b)| (a - b).abs() <= tolerance));
}
