//! Baking models of the corpus through the library, and loading the result with a loader of its own.

use std::path::{Path, PathBuf};

use vatpipe::axes::Axes;
use vatpipe::bake;
use vatpipe::encode::{Format, Quality};
use vatpipe::manifest::{
    Budget, ClipRecipe, ClipSettings, ColumnOrder, FormatChoice, MeshSettings, Rate, Recipe, Selector,
};
use vatpipe::problem::Place;
use vatpipe::source;

use super::loader::{self, Character};
use super::model::Model;

/// A model of the corpus. Fails where the corpus is not in place.
pub fn corpus(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus").join(name);
    assert!(
        path.exists(),
        "{} is missing: these tests need the corpus beside the repository",
        path.display()
    );
    path
}

/// Exact positions, absolute, at the rate asked for, not looping.
pub fn exact(fps: f64) -> ClipSettings {
    ClipSettings {
        fps: Rate::Fixed(fps),
        looping: false,
        loop_said: true,
        trim: false,
        range: None,
        format: FormatChoice::Fixed(Format::Rgba32f),
        quality: Quality::Medium,
        residual: false,
        relative: None,
        budget: Budget::default(),
    }
}

/// A clip of a model by its position.
pub fn clip(index: usize, settings: ClipSettings) -> ClipRecipe {
    ClipRecipe {
        name: format!("clip {index}"),
        from: Some(Selector::Index(index)),
        source: None,
        settings,
        place: Place::Nowhere,
    }
}

/// A recipe with the manifest's defaults.
pub fn recipe(model: &str, clips: Vec<ClipRecipe>) -> Recipe {
    Recipe {
        character: "it".to_owned(),
        source: corpus(model),
        scene: None,
        mesh: MeshSettings {
            normals: None,
            tangents: false,
            share_columns: true,
            column_order: ColumnOrder::Motion,
            max_texture: 8192,
            zstd: None,
            axes: Axes::Gltf,
            mesh_axes: Axes::Gltf,
            allow_outside: false,
        },
        platforms: Vec::new(),
        lods: Vec::new(),
        all_clips: None,
        clips,
        place: Place::Nowhere,
    }
}

/// Bakes and loads.
pub fn bake(recipe: &Recipe) -> Character {
    bake_with(recipe, &|path| std::fs::read(path).unwrap())
}

/// Bakes every clip of a model that a test made, exactly.
pub fn bake_model(model: &Model, settings: ClipSettings, tangents: bool) -> Character {
    let mut recipe = recipe("README.md", Vec::new());
    recipe.mesh.tangents = tangents;
    recipe.all_clips = Some(settings);
    bake_with(&recipe, &|_| model.glb())
}

/// Bakes, and gives the files.
pub fn files(recipe: &Recipe) -> Files {
    files_with(recipe, &|path| std::fs::read(path).unwrap())
}

/// File names and bytes.
pub type Files = Vec<(String, Vec<u8>)>;

/// The bytes of a file.
pub type ReadFile<'a> = dyn Fn(&Path) -> Vec<u8> + Sync + 'a;

/// Bakes files that are asked for, and loads.
pub fn bake_with(recipe: &Recipe, file: &ReadFile) -> Character {
    load(recipe, &files_with(recipe, file))
}

/// Loads what was baked.
pub fn load(recipe: &Recipe, files: &[(String, Vec<u8>)]) -> Character {
    loader::load(&recipe.character, files)
}

/// Bakes a recipe whose model a test made, and gives the files.
pub fn files_with(recipe: &Recipe, file: &ReadFile) -> Files {
    let read = |path: &Path, options: &source::Options| {
        let mut resolve = |uri: &str| Ok(file(&path.with_file_name(uri)));
        source::read(&file(path), path, options, &mut resolve)
    };
    bake::bake(
        recipe,
        &read,
        &|job| Ok(job.make()),
        &|job| Ok((job.bake()?, bake::Origin::Baked)),
        &|_, _, _| (),
    )
    .unwrap_or_else(|e| panic!("{e}"))
    .files
}
