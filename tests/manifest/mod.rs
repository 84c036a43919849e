//! `vat.toml`: settings, defaults and diagnostics.

mod diagnostics;
mod document;
mod schema;
mod settings;

use std::path::Path;

use vatpipe::manifest::{Manifest, load};

/// Loads a manifest that is right.
fn loaded(text: &str) -> Manifest {
    load(text, Path::new("art/vat.toml")).unwrap_or_else(|problems| panic!("{problems}"))
}
