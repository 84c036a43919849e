//! What is known before anything is looked at.

use std::path::PathBuf;
use std::sync::Mutex;
use std::thread::JoinHandle;

use crate::cache::constants;
use crate::cache::memo::{Memo, Seen, Stamp};
use crate::cache::published::Published;
use crate::cache::ready;
use crate::manifest::{Manifest, Recipe};

/// A character of the manifest.
pub(super) enum Listed {
    /// A glance found it fresh: it is no recipe of this build.
    Fresh(ready::Character),
    /// Its name.
    Other(String),
}

impl Listed {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Fresh(character) => &character.name,
            Self::Other(name) => name,
        }
    }

    pub(super) fn fresh(&self) -> Option<&ready::Character> {
        match self {
            Self::Fresh(character) => Some(character),
            Self::Other(_) => None,
        }
    }
}

/// What is known before anything is looked at.
#[derive(Default)]
pub(super) struct Start {
    /// All characters of the manifest, in its order.
    pub(super) listed: Vec<Listed>,
    /// Files, with what was seen of them, and whether they are inputs of fresh characters.
    pub(super) inputs: Vec<((PathBuf, Seen), bool)>,
    /// The record, and what the file system said of it before it was read.
    pub(super) record: Option<(Option<Stamp>, Published)>,
    /// In place of the one that was kept.
    pub(super) memo: Option<Memo>,
    /// Whether all files are as a build with nothing to do has noted.
    pub(super) is_ready: bool,
    /// The last constants, being read.
    pub(super) constants: Mutex<Option<JoinHandle<constants::Last>>>,
}

impl Start {
    /// Nothing but the names.
    pub(super) fn all(manifest: &Manifest) -> Self {
        let name = |recipe: &Recipe| Listed::Other(recipe.character.clone());
        Self { listed: manifest.recipes.iter().map(name).collect(), ..Self::default() }
    }

    pub(super) fn fresh(&self) -> impl Iterator<Item = &ready::Character> {
        self.listed.iter().filter_map(Listed::fresh)
    }

    /// The inputs of fresh characters.
    pub(super) fn inputs(&self) -> impl Iterator<Item = &PathBuf> {
        self.inputs.iter().filter_map(|((path, _), is_used)| is_used.then_some(path))
    }

    /// The inputs and outputs of fresh characters.
    pub(super) fn into_files(self) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let input = |((path, _), is_used): (_, bool)| is_used.then_some(path);
        let outputs = self.listed.into_iter().flat_map(|listed| match listed {
            Listed::Fresh(character) => character.outputs,
            Listed::Other(_) => Vec::new(),
        });
        let outputs = outputs.map(|(path, _)| path).collect();
        (self.inputs.into_iter().filter_map(input).collect(), outputs)
    }
}
