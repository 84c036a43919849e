//! `vatpipe check`

use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};

use super::args::Check;
use super::table::counted;
use super::terminal::{Style, Terminal, plain};
use super::{FAILED, OUT_OF_DATE, build, cache, locate, render};
use crate::manifest::Manifest;
use crate::problem::Problems;
use crate::run::{self, Cause, CharacterReport, Report};

/// Says what is out of date.
///
/// # Errors
/// The manifest or the command line is wrong. What is out of date is in the exit code.
pub fn run(check: &Check, manifest: Option<&Path>, terminal: &Terminal) -> Result<ExitCode, Problems> {
    let manifest = locate::load_with(manifest, &check.over.overrides())?;
    build::check_names(&check.characters, &manifest)?;
    let report = report(&manifest, check.characters.clone());
    manifest.warnings.iter().for_each(|warning| render::report(warning, terminal));
    Ok(say(&report, terminal))
}

/// Prints what is wrong or out of date, and gives the exit code.
pub(super) fn say(report: &Report, terminal: &Terminal) -> ExitCode {
    problems(report, terminal);
    if terminal.json {
        terminal.out(&lines(report));
    } else {
        terminal.out(&words(report, terminal));
    }
    match (report.is_broken(), report.is_fresh()) {
        (true, _) => ExitCode::from(FAILED),
        (false, false) => ExitCode::from(OUT_OF_DATE),
        (false, true) => ExitCode::SUCCESS,
    }
}

/// What a build of these characters would do.
pub fn report(manifest: &Manifest, only: Vec<String>) -> Report {
    let options = run::Options { only, cache: cache::folder(Some(manifest)), ..run::Options::default() };
    run::check(manifest, &options)
}

/// Prints what would fail.
pub fn problems(report: &Report, terminal: &Terminal) {
    let characters = report.characters.iter().flat_map(|character| &character.problems);
    characters.chain(&report.problems).for_each(|problem| render::report(problem, terminal));
}

/// A cause, after the name of what is out of date.
pub fn cause(cause: &Cause) -> String {
    match cause {
        Cause::NotPublished => "not published".to_owned(),
        Cause::RecipeChanged => "the manifest or vatpipe's version changed".to_owned(),
        Cause::InputChanged { file } => format!("input {file} changed"),
        Cause::InputMissing { file } => format!("input {file} is missing"),
        Cause::OutputMissing { file } => format!("output {file} is missing"),
        Cause::OutputChanged { file } => format!("output {file} changed since it was published"),
        Cause::OutputDiffers { file } => format!("output {file} would change"),
        Cause::OutputUnwanted { file } => format!("output {file} is not wanted any more"),
    }
}

fn words(report: &Report, terminal: &Terminal) -> String {
    let mut text = String::new();
    let mut line = |name: &str, why: &str| {
        let name = Style::Bold.paint(&plain(name), terminal.color_out);
        text.push_str(&format!("{name}: {}\n", plain(why)));
    };
    for character in stale(report) {
        character.causes.iter().for_each(|c| line(&character.name, &cause(c)));
        for clip in character.clips.iter().filter(|clip| clip.bake) {
            let because: Vec<String> = clip.because.iter().map(|reason| reason.to_string()).collect();
            let why = format!("clip {} would be baked: {}", clip.clip, because.join(", "));
            line(&character.name, &why);
        }
    }
    report.orphans.iter().for_each(|name| line(name, "published, and not in the manifest any more"));
    report.constants.iter().for_each(|c| line("constants", &cause(c)));
    let fresh = report.characters.iter().filter(|character| character.causes.is_empty()).count();
    if report.is_fresh() && !report.is_broken() && !terminal.quiet {
        let characters = counted(fresh as u64, "character", "characters");
        text.push_str(&format!("{} {characters}\n", Style::Green.paint("fresh", terminal.color_out)));
    }
    text
}

fn stale(report: &Report) -> impl Iterator<Item = &CharacterReport> {
    report.characters.iter().filter(|character| !character.causes.is_empty())
}

/// One object for each thing that is out of date, and one at the end.
fn lines(report: &Report) -> String {
    let mut lines: Vec<Value> = Vec::new();
    let reason = "out-of-date";
    for character in stale(report) {
        let clips: Vec<_> = character.clips.iter().filter(|clip| clip.bake).collect();
        let (name, causes) = (&character.name, &character.causes);
        lines.push(json!({ "reason": reason, "character": name, "causes": causes, "clips": clips }));
    }
    for name in &report.orphans {
        let causes = json!([{ "cause": "orphan" }]);
        lines.push(json!({ "reason": reason, "character": name, "causes": causes, "clips": [] }));
    }
    if !report.constants.is_empty() {
        lines.push(json!({ "reason": reason, "character": null, "causes": report.constants, "clips": [] }));
    }
    let out_of_date = lines.len();
    lines.push(json!({
        "reason": "check-finished",
        "fresh": report.is_fresh(),
        "broken": report.is_broken(),
        "characters": report.characters.len(),
        "out_of_date": out_of_date,
    }));
    lines.iter().map(|line| format!("{line}\n")).collect()
}
