//! The mesh, against the `gltf` crate.

use super::both;
use crate::support::baking::{self, clip, exact, recipe};
use crate::support::loader::{floats, integers};
use gltf::{Gltf, Semantic};

#[test]
fn everything_that_the_file_holds() {
    for model in ["Fox.glb", "greenman.glb", "AnimatedMorphCube.glb"] {
        let mut recipe = recipe(model, vec![clip(0, exact(10.0))]);
        recipe.mesh.tangents = model == "AnimatedMorphCube.glb";
        let (character, expected) = both(&recipe);
        let mesh = character.mesh();
        assert_eq!(mesh.positions, expected.mesh.positions);
        assert_eq!(mesh.normals, expected.mesh.normals.unwrap_or_default());
        assert_eq!(mesh.tangents, expected.mesh.tangents.unwrap_or_default());
        assert!(mesh.columns.iter().map(|&column| column as usize).eq(expected.mesh.columns));
        let files = baking::files(&recipe);
        let glb = Gltf::from_slice(&files.iter().find(|(name, _)| name == "it.glb").unwrap().1).unwrap();
        let blob = glb.blob.as_deref().unwrap();
        let file = glb.meshes().next().unwrap();
        assert_eq!(mesh.lods.len(), 1);
        for (primitive, file) in mesh.lods[0].primitives.iter().zip(file.primitives()) {
            assert_eq!(primitive.indices, integers(&file.indices().unwrap(), blob));
            assert_eq!(primitive.material.map(|m| m as usize), file.material().index());
            for (set, uvs) in (0..).zip(&mesh.uvs) {
                let right = floats(&file.get(&Semantic::TexCoords(set)).unwrap(), blob);
                assert!(
                    uvs.iter().eq(right.iter().map(|v| [v[0], v[1]]).collect::<Vec<_>>().iter()),
                    "{model}"
                );
            }
            for (set, colors) in (0..).zip(&mesh.colors) {
                assert_eq!(*colors, floats(&file.get(&Semantic::Colors(set)).unwrap(), blob), "{model}");
            }
        }
        assert_eq!(mesh.uvs.len() as u32, character.metadata().column_texcoord, "{model}");
        for (material, file) in mesh.materials.iter().zip(glb.materials()) {
            let pbr = file.pbr_metallic_roughness();
            assert_eq!(material.base_color, pbr.base_color_factor());
            assert_eq!(
                (material.metallic, material.roughness),
                (pbr.metallic_factor(), pbr.roughness_factor())
            );
            assert_eq!(material.emissive, file.emissive_factor());
            assert_eq!(material.double_sided, file.double_sided());
            assert_eq!(material.name, file.name().unwrap_or_default());
        }
        assert_eq!(mesh.materials.len(), glb.materials().len());
    }
}
