//! `vatpipe build`

use std::path::Path;
use std::process::ExitCode;

use super::args::Build;
use super::messages;
use super::progress::Progress;
use super::terminal::Terminal;
use super::{FAILED, cache, depfile, figures, locate, plan};
use crate::manifest::{Manifest, nearest};
use crate::problem::{Problem, Problems};
use crate::run::{self, Event, Outcome};

/// Bakes the characters of the manifest, or some of them.
///
/// # Errors
/// The manifest or the command line is wrong. That a bake failed is in the exit code.
pub fn run(build: &Build, manifest: Option<&Path>, terminal: &Terminal) -> Result<ExitCode, Problems> {
    let path = locate::manifest(manifest)?;
    if build.plan {
        return plan::run(build, &path, terminal);
    }
    let old = build.compare.as_deref().map(figures::read).transpose()?;
    let outcome = match at_a_glance(build, &path, terminal)? {
        Some(outcome) => outcome,
        None => {
            let manifest = locate::load_with(Some(&path), &build.over.overrides())?;
            check_names(&build.characters, &manifest)?;
            run::check_targets(&manifest)?;
            let cache = cache::folder(Some(&manifest)).filter(|_| !build.no_cache);
            let limits = Some(cache::limits(Some(&manifest)));
            let options = run::Options { only: build.characters.clone(), cache, limits };
            with_threads(build.jobs, || telling(terminal, |events| run::build(&manifest, &options, events)))?
        }
    };
    if let Some(file) = build.depfile.as_ref().filter(|_| outcome.failed == 0) {
        depfile::write(file, &outcome, &path)?;
    }
    if outcome.failed > 0 {
        return Ok(ExitCode::from(FAILED));
    }
    let worse = figures::after(build, &path, old.as_ref(), terminal)?;
    Ok(if worse { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

/// The build, if a glance shows how.
fn at_a_glance(build: &Build, manifest: &Path, terminal: &Terminal) -> Result<Option<Outcome>, Problem> {
    if !build.characters.is_empty() || build.no_cache || !build.over.overrides().is_empty() {
        return Ok(None);
    }
    with_threads(build.jobs, || telling(terminal, |events| run::at_a_glance(manifest, None, events)))
}

/// Does `work`, and shows what happens meanwhile.
pub(super) fn telling<T>(terminal: &Terminal, work: impl FnOnce(&(dyn Fn(Event) + Sync)) -> T) -> T {
    if terminal.json {
        return work(&messages::printer(terminal));
    }
    let mut progress = Progress::new(terminal);
    work(&run::serialised(|event| progress.show(event)))
}

/// Whether all of these are characters.
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

/// Runs `work` with so many threads at its hands.
pub(super) fn with_threads<T: Send>(
    jobs: Option<u16>,
    work: impl FnOnce() -> T + Send,
) -> Result<T, Problem> {
    let Some(jobs) = jobs else { return Ok(work()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(jobs)).build();
    let pool = pool.map_err(|error| {
        Problem::error("cli::threads", format!("{jobs} threads cannot be started: {error}"))
            .help("ask for fewer with `--jobs`")
    })?;
    Ok(pool.install(work))
}
