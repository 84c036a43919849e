//! `vatpipe build --plan`

use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};

use super::args::Build;
use super::build::{check_names, telling, with_threads};
use super::table::{Align, Table};
use super::terminal::{Style, Terminal, plain};
use super::{FAILED, cache, locate, render};
use crate::axes::Axes;
use crate::bake::{Candidate, Choice, label};
use crate::numbers::{bytes, count, counted, millimetres, rate, seconds, significant};
use crate::problem::Problems;
use crate::run::{self, PlannedCharacter, PlannedClip};

/// Shows what a build would choose.
///
/// # Errors
/// The manifest or the command line is wrong. That a build would fail is in the exit code.
pub fn run(build: &Build, manifest: &Path, terminal: &Terminal) -> Result<ExitCode, Problems> {
    let manifest = locate::load_with(Some(manifest), &build.over.overrides())?;
    check_names(&build.characters, &manifest)?;
    let cache = cache::folder(Some(&manifest)).filter(|_| !build.no_cache);
    let options = run::Options { only: build.characters.clone(), cache, ..run::Options::default() };
    let plan =
        with_threads(build.jobs, || telling(terminal, |events| run::plan(&manifest, &options, events)))?;
    manifest.warnings.iter().for_each(|warning| render::report(warning, terminal));
    for character in &plan {
        if terminal.json {
            terminal.out(&lines(character));
        } else {
            terminal.out(&words(character, terminal));
        }
        character.problems.iter().for_each(|problem| render::report(problem, terminal));
    }
    let failed = plan.iter().filter(|character| !character.problems.is_empty()).count();
    let total = plan.iter().flat_map(|character| &character.clips).filter_map(chosen).map(|c| c.bytes).sum();
    if terminal.json {
        terminal.out(&format!("{}\n", finished(&plan, failed, total)));
    } else if !terminal.quiet {
        let clips = plan.iter().map(|character| character.clips.len() as u64).sum();
        let failed = match failed as u64 {
            0 => String::new(),
            failed => format!("; {} would fail", counted(failed, "character", "characters")),
        };
        terminal.out(&format!("{}, {} on the GPU{failed}\n", counted(clips, "clip", "clips"), bytes(total)));
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

fn chosen(clip: &PlannedClip) -> Option<&Candidate> {
    clip.choice.baked()
}

fn finished(plan: &[PlannedCharacter], failed: usize, bytes: u64) -> Value {
    let clips = plan.iter().map(|character| character.clips.len()).sum::<usize>();
    json!({
        "reason": "plan-finished",
        "success": failed == 0,
        "characters": plan.len(),
        "clips": clips,
        "failed": failed,
        "gpu_bytes": bytes,
    })
}

/// An object for each clip.
fn lines(character: &PlannedCharacter) -> String {
    let line = |clip: &PlannedClip| {
        let PlannedClip { clip, lod, duration, looping, axes, choice } = clip;
        let Choice { candidates, baked } = choice;
        json!({
            "reason": "clip-plan",
            "character": character.name,
            "clip": clip,
            "lod": lod,
            "duration": duration,
            "looping": looping,
            "axes": axes,
            "candidates": candidates,
            "chosen": baked,
        })
    };
    character.clips.iter().map(|clip| format!("{}\n", line(clip))).collect()
}

fn words(character: &PlannedCharacter, terminal: &Terminal) -> String {
    let name = Style::Bold.paint(&plain(&character.name), terminal.color_out);
    let mut text = format!("{name}\n");
    for clip in &character.clips {
        let ends = if clip.looping { "in a loop" } else { "once" };
        let budget = chosen(clip).map_or(String::new(), |candidate| budget(candidate, clip.axes));
        text += &format!(
            "  {}, {} {ends}{budget}\n",
            plain(&label(&clip.clip, clip.lod)),
            seconds(clip.duration)
        );
        text += &table(&clip.choice, clip.axes, terminal);
    }
    text + "\n"
}

/// `, at most 1 mm off`
fn budget(candidate: &Candidate, axes: Axes) -> String {
    let positions = candidate.max_error.map(|units| millimetres(axes.metres(units)));
    let normals = candidate.max_normal_error.map(|limit| format!("{} deg", significant(limit)));
    match [positions, normals].into_iter().flatten().collect::<Vec<_>>() {
        none if none.is_empty() => String::new(),
        some => format!(", at most {} off", some.join(" and ")),
    }
}

fn format(candidate: &Candidate) -> String {
    let format = candidate.format.map_or("any", |format| format.name());
    let residual = if candidate.residual { " + residual" } else { "" };
    format!("{format}{residual}")
}

/// The candidates, the smallest first.
fn table(choice: &Choice, axes: Axes, terminal: &Terminal) -> String {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("", Left),
        ("rate", Right),
        ("frames", Right),
        ("format", Left),
        ("bytes", Right),
        ("encode error", Right),
        ("sample error", Right),
        ("normals", Right),
        ("", Left),
    ]);
    let mut order: Vec<usize> = (0..choice.candidates.len()).collect();
    order.sort_by_key(|&index| choice.candidates[index].bytes);
    for index in order {
        let candidate = &choice.candidates[index];
        let stored = candidate.format.is_some();
        let verdict = if candidate.passes { "" } else { "over" };
        table.row([
            if index == choice.baked { ">".to_owned() } else { String::new() },
            rate(candidate.fps),
            count(candidate.frames.into()),
            format(candidate),
            if stored { bytes(candidate.bytes) } else { String::new() },
            if stored { millimetres(axes.metres(candidate.encode)) } else { String::new() },
            millimetres(axes.metres(candidate.sample)),
            candidate.normal_deg.map_or("-".to_owned(), |degrees| format!("{} deg", significant(degrees))),
            verdict.to_owned(),
        ]);
    }
    table.render("    ", terminal.color_out)
}
