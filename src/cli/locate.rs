//! Which manifest is meant, and what it says.

use std::path::{Path, PathBuf};

use crate::files::{self, Inputs};
use crate::manifest::{self, Manifest, Overrides};
use crate::problem::{Problem, Problems};

/// The name of a manifest.
pub const NAME: &str = "vat.toml";

/// The manifest that is asked for, or the one in the current directory or the nearest folder
/// above, as a path that is short to read: `vat.toml`, `../vat.toml`.
pub fn manifest(asked: Option<&Path>) -> Result<PathBuf, Problem> {
    if let Some(path) = asked {
        return Ok(path.to_owned());
    }
    let here = std::env::current_dir().unwrap_or_default();
    let mut up = PathBuf::new();
    for folder in here.ancestors() {
        if folder.join(NAME).is_file() {
            return Ok(up.join(NAME));
        }
        up.push("..");
    }
    let message = format!("there is no {NAME} in {} or any folder above", here.display());
    let help = "write one with `vatpipe init`, or name one with `--manifest PATH`";
    Err(Problem::error("cli::no-manifest", message).help(help))
}

/// Finds and reads the manifest.
pub fn load(asked: Option<&Path>) -> Result<Manifest, Problems> {
    load_with(asked, &Overrides::default())
}

/// As [`load`], with something in place of what the manifest says.
pub fn load_with(asked: Option<&Path>, overrides: &Overrides) -> Result<Manifest, Problems> {
    let path = manifest(asked)?;
    let inputs = Inputs::new();
    let text = files::read_text(&inputs, &path)?;
    let mut manifest = manifest::load_with(&text, &path, overrides)?;
    manifest.warnings.splice(0..0, inputs.take_warnings());
    Ok(manifest)
}
