//! Bakes in the build script itself.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::cache::folder;
use crate::cache::gc::Limits;
use crate::manifest::Manifest;
use crate::problem::{Problem, Problems, Severity};
use crate::run::{self, Event, Options};

/// What cargo does with build scripts, and how to have it otherwise.
const UNOPTIMISED: &str = "cargo compiles build scripts without optimisation, where a bake takes many times as long, unless \
     `[profile.dev.build-override]` and `[profile.release.build-override]` in the workspace's Cargo.toml have `opt-level = 3`; \
     a program `vatpipe` (`cargo install vatpipe --locked`) is used instead where there is one";

/// Bakes. What there is to be warned of.
///
/// # Errors
/// Everything that is wrong.
pub fn bake(manifest: &Manifest, threads: usize) -> Result<Vec<Problem>, Problems> {
    run::check_targets(manifest)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| {
        Problem::error("build-script::threads", format!("{threads} threads cannot be started: {error}"))
    })?;
    let limits =
        Limits { max_bytes: manifest.cache.max_size, max_age: Duration::from_secs(manifest.cache.max_age) };
    let cache = folder::find(manifest.cache.dir.clone());
    let options = Options { cache, limits: Some(limits), ..Options::default() };
    let problems = Mutex::new(Vec::new());
    let note = |event: Event| {
        let mut problems = problems.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Problem(problem) => problems.push(problem.clone()),
            Event::CharacterFailed { problems: all, .. } => problems.extend(all.0.iter().cloned()),
            _ => {}
        }
    };
    let outcome = pool.install(|| run::build(manifest, &options, &note));
    let problems = problems.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (errors, mut warnings): (Vec<Problem>, Vec<Problem>) =
        problems.into_iter().partition(|problem| problem.severity == Severity::Error);
    if outcome.failed > 0 || !errors.is_empty() {
        return Err(Problems(errors));
    }
    warnings.retain(|problem| problem.severity == Severity::Warning);
    if outcome.baked > 0 {
        let clips = crate::numbers::counted(outcome.baked as u64, "clip", "clips");
        let message = format!("{clips} baked in the build script in {:.1} s: {UNOPTIMISED}", outcome.seconds);
        warnings.push(Problem::warning("build-script::unoptimised", message));
    }
    Ok(warnings)
}
