//! `vat.toml` text → [`Manifest`]: what to bake ([`Recipe`]s with every default filled in), and
//! where to.
//!
//! [`keys`] is the table of all keys; the reader ([`load`]), the JSON Schema ([`schema`]) and the
//! documents are made from it. All problems of a manifest are found in one go, each with its place
//! in the text and, where there is one, the nearest valid word.

mod importer;
pub mod keys;
mod lods;
mod names;
mod overrides;
mod read;
mod recipe;
mod resolve;
mod schema;
mod suggest;
mod values;

use std::path::{Path, PathBuf};

pub use names::{valid_character, valid_clip};
pub use overrides::Overrides;
pub use recipe::*;
pub use schema::schema;
pub use suggest::nearest;
pub use values::{FORMATS, NamedFormat};

use crate::cache::digest::Digest;
use crate::encode::platforms::Platform;
use crate::problem::{Place, Problem, Problems};

/// A manifest, read and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// The folder that the manifest lies in; empty for the current directory. All paths have been
    /// joined to it.
    pub folder: PathBuf,
    /// The manifest itself, as it was named.
    pub file: PathBuf,
    /// The digest of its text.
    pub digest: Digest,
    /// What is written, and where.
    pub output: Output,
    /// Where baked clips are kept, and for how long.
    pub cache: Cache,
    /// The characters, in the order of the text; at least one.
    pub recipes: Vec<Recipe>,
    /// What is usable but probably not meant.
    pub warnings: Vec<Problem>,
    /// Whether [`Overrides`] took the place of something that the text says.
    pub overridden: bool,
}

/// What is written, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The folder of outputs, joined to the manifest's folder.
    pub dir: PathBuf,
    /// The targets of constants. Without `templates` all of them are among [`TARGETS`].
    pub targets: Vec<String>,
    /// The devices and engines that the outputs are for.
    pub platforms: Vec<Platform>,
    /// The user's folder of templates, joined to the manifest's folder.
    pub templates: Option<PathBuf>,
    /// Where the manifest names targets or templates, for messages.
    pub place: Place,
}

/// Where baked clips are kept, and for how long.
#[derive(Clone, Debug, PartialEq)]
pub struct Cache {
    /// The folder, joined to the manifest's folder, if the manifest names one.
    pub dir: Option<PathBuf>,
    /// Bytes.
    pub max_size: u64,
    /// Seconds since a clip was used.
    pub max_age: u64,
}

/// The targets that need no template of the user's.
pub const TARGETS: [&str; 5] = ["rust", "wgsl", "hlsl", "glsl", "unity"];

/// Reads a manifest. `file` is where the text was read from: the folder that paths are relative
/// to, and the name in messages.
///
/// # Errors
///
/// All that is wrong, in the order of the text, each with [`Place::Text`]. Syntax errors come
/// alone: what stands around them cannot be trusted. Codes: `manifest::syntax`,
/// `manifest::unknown-key`, `manifest::type`, `manifest::range`, `manifest::unit`,
/// `manifest::value`, `manifest::missing`, `manifest::name`, `manifest::conflict`, `manifest::budget`.
pub fn load(text: &str, file: &Path) -> Result<Manifest, Problems> {
    load_with(text, file, &Overrides::default())
}

/// As [`load`], with something in place of what the text says.
///
/// # Errors
/// As [`load`]; what is wrong with the overrides comes alone.
pub fn load_with(text: &str, file: &Path, overrides: &Overrides) -> Result<Manifest, Problems> {
    let mut manifest = resolve::manifest(text, file, &overrides.table()?)?;
    overrides.redirect(&mut manifest);
    Ok(manifest)
}
