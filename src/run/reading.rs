//! How a build reads model files: which buffers they may refer to, and what a manifest can do about those that cannot be
//! read.

use std::path::Path;

use crate::files::{self, Inputs};
use crate::manifest::{Manifest, Recipe};
use crate::problem::{Problem, Problems};
use crate::source;

/// Reads a model and its buffers.
pub(super) fn read(
    manifest: &Manifest,
    inputs: &Inputs,
    recipe: &Recipe,
    path: &Path,
    options: &source::Options,
) -> Result<source::Source, Problems> {
    let root = files::root_for(path, &manifest.folder);
    let root = (!recipe.mesh.allow_outside).then_some(root);
    let bytes = inputs.read(path).map_err(|p| advised(p.in_file(path)))?;
    source::read(&bytes, path, options, &mut |uri| {
        inputs.read_uri(uri, path, root).map(|bytes| bytes.to_vec()).map_err(advised)
    })
}

/// A problem with a file, with what a manifest can do about it where there is no better advice.
pub(super) fn advised(problem: Problem) -> Problem {
    let is_there = problem.place.file().is_some_and(|file| file.symlink_metadata().is_ok());
    match (problem.code, &problem.help) {
        ("files::unreadable", None) if !is_there => {
            problem.help("paths are relative to the folder of the manifest")
        }
        ("files::outside", None) => problem.help(
            "put the buffer beside the model, or set `allow_outside = true` for this character if you trust the file",
        ),
        _ => problem,
    }
}
