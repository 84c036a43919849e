//! The target `unity`: shaders compiled by two compilers and asked for numbers, scripts compiled and run, with small stand-ins for
//! what is Unity's (`tests/codegen/unity/`).

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use vatpipe::axes::Axes;
use vatpipe::codegen::{Generated, generate};
use vatpipe::encode::Format;
use vatpipe::manifest::{
    ClipSettings, FormatChoice, LodRecipe, LodSampling, LodTarget, Rate, Recipe, Selector,
};
use vatpipe::metadata::Character;
use vatpipe::problem::Place;

use crate::support::baking::{clip, exact, recipe};

mod moments;
mod scripts;
mod shaders;

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Runs a program; a machine without it must not pass by accident.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| {
        panic!("{command:?} does not start: {error}; `tests/run` installs what the tests need")
    });
    let said = [String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)].concat();
    assert!(output.status.success(), "{command:?}: {said}");
    said
}

/// The files of the target, in a folder.
fn written(characters: &[Character]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for Generated { file_name, text } in
        generate(characters, &["unity".to_owned()], &Default::default()).unwrap()
    {
        let path = folder.path().join(file_name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        assert!(text.is_ascii(), "{}: some compilers stop at anything else", path.display());
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn unity(mut recipe: Recipe) -> Recipe {
    (recipe.mesh.axes, recipe.mesh.mesh_axes) = (Axes::Unity, Axes::Unity);
    recipe
}

fn settings(format: Format) -> ClipSettings {
    ClipSettings { format: FormatChoice::Fixed(format), ..exact(4.0) }
}

/// Bakes of several kinds: packed normals and levels of their own; residuals and sheets of normals; blocks.
fn bakes() -> Vec<Recipe> {
    let model = |name: &str, clips| {
        let mut recipe = unity(recipe("README.md", clips));
        recipe.source = root("examples/characters/models").join(name);
        recipe
    };
    let mut looping = settings(Format::Rgba16ui);
    looping.looping = true;
    let mut dragon = model("dragon.glb", vec![clip(0, looping), clip(1, settings(Format::Rgba16ui))]);
    let lod = |ratio: f64, fps: Option<f64>| LodRecipe {
        target: LodTarget::Ratio(ratio),
        sampling: LodSampling { fps: fps.map(Rate::Fixed), ..LodSampling::default() },
        place: Place::Nowhere,
    };
    dragon.lods = vec![lod(1.0, None), lod(0.3, Some(2.0))];
    let mut residual = settings(Format::Rgba8);
    residual.residual = true;
    let mut pennant = model("pennant.glb", vec![clip(2, residual), clip(1, settings(Format::Rgba32f))]);
    pennant.clips[1].from = Some(Selector::Name("Gale".to_owned()));
    let blocks = model("kettle.glb", vec![clip(0, settings(Format::Astc4x4))]);
    vec![dragon, pennant, blocks]
}
