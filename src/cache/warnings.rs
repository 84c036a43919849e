//! Warnings of a published character, to be repeated while it is fresh.
//!
//! They are part of the record, so they hold no path of this machine, and no place in the manifest, whose text may change
//! elsewhere: only of what of the character they speak.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::published::relative;
use crate::manifest::{Manifest, Recipe};
use crate::problem::{Place, Problem, Severity};

/// A warning or note.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Warning {
    code: String,
    message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    help: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    note: bool,
    about: About,
}

/// Of what it speaks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum About {
    Nothing,
    /// The character's table in the manifest.
    Character,
    /// A clip of the recipe, by its position.
    Clip(usize),
    /// A file, relative to the manifest's folder.
    File(String),
    /// A file, and a pointer into it.
    Json(String, String),
}

impl Warning {
    /// What is remembered of a problem.
    pub fn of(problem: &Problem, recipe: &Recipe, folder: &Path) -> Self {
        let clip = || recipe.clips.iter().position(|clip| clip.place == problem.place);
        let about = match &problem.place {
            Place::Nowhere => About::Nothing,
            place if *place == recipe.place => About::Character,
            Place::Text { .. } => clip().map_or(About::Character, About::Clip),
            Place::File(file) => About::File(relative(file, folder)),
            Place::Json { file, pointer } => About::Json(relative(file, folder), pointer.clone()),
        };
        let Problem { severity, code, message, help, place: _ } = problem;
        let note = *severity == Severity::Note;
        Self { code: (*code).to_owned(), message: message.clone(), help: help.clone(), note, about }
    }

    /// The problem. The recipe is one with the same digest.
    pub fn problem(&self, recipe: &Recipe, manifest: &Manifest) -> Problem {
        let place = match &self.about {
            About::Nothing => Place::Nowhere,
            About::Character => recipe.place.clone(),
            About::Clip(index) => recipe.clips.get(*index).map_or(&recipe.place, |clip| &clip.place).clone(),
            About::File(file) => Place::File(manifest.folder.join(file)),
            About::Json(file, pointer) => {
                Place::Json { file: manifest.folder.join(file), pointer: pointer.clone() }
            }
        };
        let severity = if self.note { Severity::Note } else { Severity::Warning };
        let (message, help) = (self.message.clone(), self.help.clone());
        Problem { severity, code: code(&self.code), message, place, help }
    }
}

/// The code for good. There are few.
pub(crate) fn code(text: &str) -> &'static str {
    static CODES: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
    let mut codes = CODES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(code) = codes.get(text) {
        return code;
    }
    let code: &'static str = Box::leak(text.to_owned().into_boxed_str());
    codes.insert(code);
    code
}
