//! Collecting what is wrong while reading goes on.

use std::path::Path;

use crate::problem::{Problem, Problems, Result, Severity};

/// A damaged file can be wrong in a million places; nobody reads more than these.
const MOST: usize = 50;

/// Errors and warnings so far.
#[derive(Debug, Default)]
pub struct Report {
    errors: Vec<Problem>,
    warnings: Vec<Problem>,
    left_out: usize,
}

impl Report {
    /// Takes note of a problem, once: several elements may refer to the one that is broken.
    pub fn push(&mut self, problem: Problem) {
        let list = if problem.severity == Severity::Error { &mut self.errors } else { &mut self.warnings };
        if list.contains(&problem) {
            return;
        }
        if list.len() < MOST {
            list.push(problem);
        } else if problem.severity == Severity::Error {
            self.left_out += 1;
        }
    }

    /// The value of a result; its problem is taken note of.
    pub fn keep<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|problem| self.push(problem)).ok()
    }

    /// The errors, if there are any.
    pub fn check(&mut self, file: &Path) -> Result<(), Problems> {
        if self.errors.is_empty() {
            return Ok(());
        }
        let mut errors = std::mem::take(&mut self.errors);
        if self.left_out > 0 {
            let message = format!("{} further errors are not shown", self.left_out);
            errors.push(Problem::error("source::more", message));
        }
        Err(Problems(errors.into_iter().map(|p| p.in_file(file)).collect()))
    }

    /// The warnings.
    pub fn warnings(self, file: &Path) -> Vec<Problem> {
        self.warnings.into_iter().map(|p| p.in_file(file)).collect()
    }
}
