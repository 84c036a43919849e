//! Every clip of the example characters and of the corpus at fifty random moments, in every language and format that
//! the devices read.

use std::path::Path;

use vatpipe::encode::Format;
use vatpipe::manifest::{self, FormatChoice, Normals, Recipe};
use vatpipe::metadata::Character as Metadata;

use super::device;
use super::part::{Worst, parts};
use super::program::{LANGUAGES, Stage};
use super::texture;
use super::work::Work;
use crate::support::baking::{bake, clip, exact, recipe};
use crate::support::loader::Character;
use crate::support::random::Random;
use crate::support::variant::{Shot, Twist};

/// What the writer would give to its templates.
pub fn metadata(character: &Character) -> Metadata {
    serde_json::from_value(character.json.clone()).unwrap()
}

/// The example characters as this repository's `vat.toml` bakes them.
fn examples() -> Vec<Recipe> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("vat.toml");
    manifest::load(&std::fs::read_to_string(&path).unwrap(), &path).unwrap_or_else(|e| panic!("{e}")).recipes
}

/// All clips of a model in the default format, half of the models' clips looping.
fn whole(model: &str, fps: f64, looping: bool) -> Recipe {
    let mut recipe = recipe(model, Vec::new());
    let mut settings = exact(fps);
    settings.format = FormatChoice::Fixed(Format::Rgba16ui);
    settings.looping = looping;
    recipe.all_clips = Some(settings);
    recipe
}

/// Compares a character in all languages on all devices that read its formats.
fn compare(character: &Character, seed: u64, worst: &mut Worst) {
    let metadata = metadata(character);
    for gpu in device::all() {
        if character.sheets.iter().any(|sheet| !texture::lacks(gpu, &sheet.texture.format).is_empty()) {
            continue;
        }
        let work = Work::new(gpu, &metadata, character);
        for part in parts(&metadata) {
            let mut random = Random(seed);
            let trials = [part.instances(character, &mut random), part.seconds(character, &mut random)];
            for language in LANGUAGES {
                for trial in &trials {
                    part.check(&work, language, Stage::Compute, trial, worst);
                }
            }
        }
    }
}

#[test]
fn every_clip_of_the_examples() {
    let mut worst = Worst::default();
    for (seed, recipe) in (1..).zip(examples()) {
        compare(&bake(&recipe), seed, &mut worst);
    }
    // Eleven clips, fifty moments, ten columns and more, three languages, two functions.
    assert!(worst.count() >= 11 * 50 * 10 * 3 * 2, "{}", worst.count());
    println!("{worst}");
}

#[test]
fn every_clip_of_the_corpus() {
    let mut worst = Worst::default();
    let models = [
        ("Fox.glb", 30.0, true),
        ("Knight.glb", 10.0, true),
        ("RiggedSimple.glb", 10.0, false),
        ("SimpleSkin.gltf", 10.0, false),
        ("AnimatedMorphCube.glb", 10.0, true),
        ("MorphStressTest.gltf", 30.0, false),
        ("RobotExpressive.glb", 10.0, true),
        ("greenman.glb", 10.0, true),
        ("interpolation_test.gltf", 10.0, false),
        ("Manta_ray.glb", 10.0, true),
        ("kenney/character.glb", 10.0, true),
    ];
    for (seed, (model, fps, looping)) in (10..).zip(models) {
        compare(&bake(&whole(model, fps, looping)), seed, &mut worst);
    }
    println!("{worst}");
}

const FOX: Shot = Shot { model: "Fox.glb", clip: 1, fps: 30.0, looping: true };
const CYLINDER: Shot = Shot { model: "RiggedSimple.glb", clip: 0, fps: 10.0, looping: false };
const GREENMAN: Shot = Shot { model: "greenman.glb", clip: 1, fps: 10.0, looping: true };

/// What nothing is lost in has no residual.
const EXACT: FormatChoice = FormatChoice::Fixed(Format::Rgba32f);

/// Every format that is stored texel by texel, with normals packed and in a sheet, relative, with residuals, in
/// layers and bands.
#[test]
fn every_uncompressed_format() {
    let mut worst = Worst::default();
    let twists: [Twist; 5] = [
        |_| (),
        |recipe| recipe.mesh.normals = Some(Normals::Sheet),
        |recipe| recipe.clips[0].settings.relative = Some(true),
        |recipe| recipe.clips[0].settings.residual = recipe.clips[0].settings.format != EXACT,
        |recipe| {
            recipe.mesh.max_texture = 256;
            let settings = recipe.clips[0].settings.clone();
            recipe.clips = (0..3).map(|index| clip(index, settings.clone())).collect();
        },
    ];
    for format in
        [Format::Rgba32f, Format::Rgba16f, Format::Rgba16ui, Format::Rgba16, Format::Rgb10a2, Format::Rgba8]
    {
        for (seed, shot) in (20..).zip([FOX, CYLINDER, GREENMAN]) {
            for twist in &twists[..if shot.model == "Fox.glb" { 5 } else { 4 }] {
                compare(&shot.bake(format, *twist), seed, &mut worst);
            }
        }
    }
    println!("{worst}");
}

#[test]
fn formats_in_blocks_of_desktops() {
    let mut worst = Worst::default();
    for format in [Format::Bc7, Format::Bc6h] {
        for (seed, shot) in (30..).zip([FOX, GREENMAN]) {
            compare(&shot.bake(format, |_| ()), seed, &mut worst);
        }
    }
    assert!(worst.count() > 0, "no device reads BC");
    println!("{worst}");
}
