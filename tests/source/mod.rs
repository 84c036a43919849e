//! Model files: what is read, what is refused.

mod accessors;
mod animations;
mod buffers;
mod corpus;
mod crosscheck;
mod extensions;
mod format;
mod hostile;
mod meshes;
mod morphs;
mod nodes;
mod ready;
mod skins;

use vatpipe::problem::{Place, Problem};
use vatpipe::source::{Options, Source};

use crate::support::model::Model;
use crate::support::sound::assert_sound;

/// Reads a model that is right, and checks what every source promises.
fn good(model: &Model) -> Source {
    let source = model.read().unwrap_or_else(|problems| panic!("{problems}"));
    assert_sound(&source);
    source
}

/// Reads a model that is right and odd, and returns the codes of its warnings, too.
fn odd(model: &Model) -> (Source, Vec<&'static str>) {
    let source = good(model);
    let codes = source.warnings.iter().map(|warning| warning.code).collect();
    (source, codes)
}

/// Reads a model that is wrong, and returns the only problem.
fn bad(model: &Model) -> Problem {
    let mut problems = bad_all(model);
    assert_eq!(problems.len(), 1, "{problems:#?}");
    problems.remove(0)
}

/// Reads a model that is wrong in several ways.
fn bad_all(model: &Model) -> Vec<Problem> {
    match model.read_with(&Options::default()) {
        Ok(_) => panic!("the model was read"),
        Err(problems) => problems.0,
    }
}

/// Code and JSON pointer of a problem.
fn at(problem: &Problem) -> (&'static str, &str) {
    match &problem.place {
        Place::Json { pointer, .. } => (problem.code, pointer),
        _ => (problem.code, ""),
    }
}
