//! `vatpipe build`

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use super::args::Build;
use super::messages;
use super::progress::Progress;
use super::terminal::Terminal;
use super::{FAILED, OUT_OF_DATE, cache, check, depfile, figures, locate, plan};
use crate::problem::{Problem, Problems};
use crate::run::{self, Event, Outcome};

pub(super) use crate::run::check_names;

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
    let (differs, jobs) = (AtomicBool::new(false), build.jobs);
    let outcome = match at_a_glance(build, &path, terminal)? {
        Some(outcome) => outcome,
        None => {
            let manifest = locate::load_with(Some(&path), &build.over.overrides())?;
            check_names(&build.characters, &manifest)?;
            run::check_targets(&manifest)?;
            let cache = cache::folder(Some(&manifest)).filter(|_| !build.no_cache);
            let limits = Some(cache::limits(Some(&manifest)));
            let only = build.characters.clone();
            let options =
                run::Options { only, cache, limits, locked: build.locked, ..run::Options::default() };
            if build.locked {
                let report = with_threads(build.jobs, || run::check(&manifest, &options))?;
                if !report.is_fresh() || report.is_broken() {
                    return Ok(check::say(&report, terminal));
                }
            }
            let build = |events: &(dyn Fn(Event) + Sync)| {
                run::build(&manifest, &options, &|event| {
                    differs.fetch_or(is_refused(&event), Ordering::Relaxed);
                    events(event);
                })
            };
            with_threads(jobs, || telling(terminal, build))?
        }
    };
    if let Some(file) = build.depfile.as_ref().filter(|_| outcome.failed == 0) {
        depfile::write(file, &outcome, &path)?;
    }
    if outcome.failed > 0 {
        let differs = differs.into_inner();
        return Ok(ExitCode::from(if differs { OUT_OF_DATE } else { FAILED }));
    }
    let worse = figures::after(build, &path, old.as_ref(), terminal)?;
    Ok(if worse { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

/// Whether something was not written as it is not as the record says.
fn is_refused(event: &Event) -> bool {
    match event {
        Event::CharacterFailed { problems, .. } => problems.0.iter().any(|p| p.code == run::DIFFERS),
        Event::Problem(problem) => problem.code == run::DIFFERS,
        _ => false,
    }
}

/// The build, if a glance shows how.
fn at_a_glance(build: &Build, manifest: &Path, terminal: &Terminal) -> Result<Option<Outcome>, Problem> {
    let asks_more = build.no_cache || build.locked || !build.over.overrides().is_empty();
    if !build.characters.is_empty() || asks_more {
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
