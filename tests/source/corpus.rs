//! Every model of the corpus, against counts taken from the JSON by a separate script.

use std::path::Path;

use vatpipe::source::{self, Options, Source};

/// Reads a model of the corpus.
pub fn read(name: &str) -> Source {
    let path = Path::new("../shared/corpus").join(name);
    let bytes = std::fs::read(&path).unwrap();
    let folder = path.parent().unwrap();
    let mut resolve = |uri: &str| Ok(std::fs::read(folder.join(uri)).unwrap());
    source::read(&bytes, &path, &Options::default(), &mut resolve).unwrap_or_else(|e| panic!("{e}"))
}

/// Nodes, parts, vertices, triangles, joints, clips, channels, keys, materials, morph targets of all parts.
#[test]
fn counts() {
    let models: [(&str, [usize; 10]); 11] = [
        ("Fox.glb", [26, 1, 1728, 576, 24, 3, 63, 2646, 1, 0]),
        ("SimpleSkin.gltf", [3, 1, 10, 8, 2, 1, 1, 12, 0, 0]),
        ("RiggedSimple.glb", [5, 1, 96, 188, 2, 1, 6, 18, 1, 0]),
        ("AnimatedMorphCube.glb", [1, 1, 24, 12, 0, 1, 1, 127, 1, 2]),
        ("MorphStressTest.gltf", [1, 2, 1528, 2412, 0, 3, 3, 426, 2, 16]),
        ("interpolation_test.gltf", [12, 10, 220, 110, 0, 9, 9, 45, 10, 0]),
        ("RobotExpressive.glb", [74, 19, 7261, 3234, 43, 14, 1820, 8748, 3, 9]),
        ("Knight.glb", [57, 15, 7024, 6952, 41, 76, 8712, 90748, 1, 0]),
        ("Manta_ray.glb", [20, 2, 1432, 696, 13, 1, 10, 1020, 2, 0]),
        ("greenman.glb", [14, 1, 196, 356, 12, 4, 144, 4104, 1, 0]),
        ("kenney/character.glb", [8, 6, 1038, 550, 0, 4, 44, 337, 1, 0]),
    ];
    for (name, expected) in models {
        let source = read(name);
        let channels = || source.clips.iter().flat_map(|clip| &clip.channels);
        let found = [
            source.nodes.len(),
            source.parts.len(),
            source.vertex_count(),
            source.triangle_count(),
            source.skins.iter().map(|skin| skin.joints.len()).sum(),
            source.clips.len(),
            channels().count(),
            channels().map(|channel| channel.times.len()).sum(),
            source.materials.len(),
            source.parts.iter().map(|part| source.geometries[part.geometry].morphs.len()).sum(),
        ];
        assert_eq!(found, expected, "{name}");
        assert!(source.warnings.is_empty(), "{name}: {:?}", source.warnings);
    }
}
