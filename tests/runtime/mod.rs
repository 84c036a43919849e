//! The runtime: what it loads is what the test's own loader loads, it survives every broken file, and it plays as the
//! generated code does.

mod formats;
mod hostile;
mod instance;

mod mesh;
mod reference;
mod reload;
mod upload;
mod without_std;

use vatpipe::manifest::Recipe;
use vatpipe::runtime::{Character, Error, Result};

use crate::support::baking::{self, Files};
use crate::support::loader;

/// Loads baked files.
fn load(name: &str, files: &Files) -> Result<Character> {
    let find = |name: &str| files.iter().find(|(file, _)| file == name).map(|(_, bytes)| bytes.clone());
    let json = find(&format!("{name}.vat.json")).expect("metadata");
    Character::load(&json, &mut |file| find(file).ok_or_else(|| Error::new("test::file", "there is none")))
}

/// A bake, loaded by the runtime and by the loader of the tests.
fn both(recipe: &Recipe) -> (Character, loader::Character) {
    let files = baking::files(recipe);
    let name = &recipe.character;
    (load(name, &files).unwrap_or_else(|e| panic!("{e}")), loader::load(name, &files))
}

/// The largest difference of a component.
fn apart(a: [f32; 3], b: [f32; 3]) -> f32 {
    (0..3).map(|i| (a[i] - b[i]).abs()).fold(0.0, f32::max)
}
