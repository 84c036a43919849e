//! Names of characters that somebody asked for.

use crate::manifest::{Manifest, nearest};
use crate::problem::{Problem, Problems};

/// Whether all of these are characters.
///
/// # Errors
/// Some are not.
pub fn check_names(names: &[String], manifest: &Manifest) -> Result<(), Problems> {
    let known: Vec<&str> = manifest.recipes.iter().map(|recipe| recipe.character.as_str()).collect();
    let unknown = |name: &&String| !known.contains(&name.as_str());
    let problems: Vec<Problem> = names.iter().filter(unknown).map(|name| no_such(name, &known)).collect();
    if problems.is_empty() { Ok(()) } else { Err(Problems(problems)) }
}

fn no_such(name: &str, known: &[&str]) -> Problem {
    let problem = Problem::error("cli::character", format!("the manifest has no character {name:?}"));
    match nearest(name, known.iter().copied()) {
        Some(near) => problem.help(format!("did you mean {near:?}?")),
        None => problem.help(format!("it has {}", known.join(", "))),
    }
}
