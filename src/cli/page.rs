//! `vatpipe report`

use std::path::Path;
use std::process::ExitCode;

use serde_json::json;

use super::args::Report;
use super::build::{check_names, telling, with_threads};
use super::terminal::{Terminal, plain};
use super::{FAILED, cache, locate, render};
use crate::numbers::{bytes, counted};
use crate::problem::Problems;
use crate::{files, report, run};

/// Writes the page. Characters that cannot be baked are left out of it.
///
/// # Errors
/// The manifest or the command line is wrong, or the page cannot be written. That a character is not in it is in the
/// exit code.
pub fn run(asked: &Report, manifest: Option<&Path>, terminal: &Terminal) -> Result<ExitCode, Problems> {
    let manifest = locate::load(manifest)?;
    check_names(&asked.characters, &manifest)?;
    let cache = cache::folder(Some(&manifest));
    let options = run::Options { only: asked.characters.clone(), cache, ..run::Options::default() };
    manifest.warnings.iter().for_each(|warning| render::report(warning, terminal));
    let studies =
        with_threads(asked.jobs, || telling(terminal, |events| run::report(&manifest, &options, events)))?;
    let (mut known, mut failed) = (Vec::new(), 0);
    for study in studies {
        match study {
            Ok(study) => known.push(study),
            Err(problems) => {
                failed += 1;
                problems.0.iter().for_each(|problem| render::report(problem, terminal));
            }
        }
    }
    let page = report::page(&known)?;
    files::write(&asked.output, page.as_bytes())?;
    say(asked, known.len(), page.len(), failed, terminal);
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

fn say(asked: &Report, characters: usize, size: usize, failed: u64, terminal: &Terminal) {
    if terminal.json {
        let line = json!({
            "reason": "report-written",
            "path": asked.output,
            "bytes": size,
            "characters": characters,
            "failed": failed,
        });
        terminal.out(&format!("{line}\n"));
    } else if !terminal.quiet {
        let path = plain(&asked.output.display().to_string());
        let of = counted(characters as u64, "character", "characters");
        let without = match failed {
            0 => String::new(),
            failed => format!("; {} could not be baked", counted(failed, "character", "characters")),
        };
        terminal.out(&format!("{path}: {of}, {}{without}\n", bytes(size as u64)));
    }
}
