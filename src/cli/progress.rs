//! A build as people see it: a bar or lines while it goes on, a table for each character, a line
//! at the end.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::render;
use super::report;
use super::table::{bytes, counted, seconds};
use super::terminal::{Style, Terminal, plain};
use crate::bake::{ClipNews, label};
use crate::cache::reason::Reason;
use crate::problem::{Problem, Severity};
use crate::run::{Event, Outcome};

/// Shows events in the order in which they come.
pub struct Progress<'a> {
    terminal: &'a Terminal,
    bar: ProgressBar,
    /// Seconds that each clip took, until its character's table is printed.
    clip_seconds: BTreeMap<String, BTreeMap<String, f64>>,
    constants: Vec<(PathBuf, u64)>,
}

impl<'a> Progress<'a> {
    /// Nothing has happened.
    pub fn new(terminal: &'a Terminal) -> Self {
        let bar = ProgressBar::hidden();
        Self { terminal, bar, clip_seconds: BTreeMap::new(), constants: Vec::new() }
    }

    /// Shows an event.
    pub fn show(&mut self, event: Event) {
        match event {
            Event::Started { characters } => self.start(characters),
            Event::ClipBaked { character, clip, seconds, reasons } => {
                self.clip(character, clip, seconds);
                self.reasons(reasons);
            }
            // What is wrong comes with its character.
            Event::ClipFresh { .. } | Event::ClipFailed { .. } => {}
            Event::CharacterFresh { .. } => self.bar.inc(1),
            Event::Waiting { holder } => self.waiting(holder),
            Event::CharacterPublished { character, files, seconds } => {
                let times = self.clip_seconds.remove(&character.name).unwrap_or_default();
                let table = report::character(character, files, seconds, &times, self.terminal);
                self.result(&table);
                self.bar.inc(1);
            }
            Event::CharacterFailed { name, problems } => {
                problems.0.iter().for_each(|problem| self.problem(problem));
                let kept = "its last outputs, if any, are as they were";
                let failed = Style::Red.paint("failed", self.terminal.color_err);
                self.line(&format!("{} {failed}; {kept}\n\n", plain(name)));
                self.bar.inc(1);
            }
            Event::CharacterAbandoned { name } => {
                if !self.terminal.quiet {
                    self.line(&format!("{}: this bake is abandoned\n", plain(name)));
                }
                self.bar.inc(1);
            }
            Event::Problem(problem) => self.problem(problem),
            Event::Constants { path, bytes } => self.constants.push((path.to_owned(), bytes)),
            Event::Finished(outcome) => self.finish(outcome),
        }
    }

    fn start(&mut self, characters: usize) {
        if !self.terminal.interactive || self.terminal.quiet {
            return;
        }
        self.bar = ProgressBar::with_draw_target(Some(characters as u64), ProgressDrawTarget::stderr());
        // A template that is wrong would be a plain bar; this one is right.
        if let Ok(style) =
            ProgressStyle::with_template("{bar:24} {pos}/{len} characters  {elapsed}  {wide_msg}")
        {
            self.bar.set_style(style.progress_chars("=> "));
        }
        self.bar.enable_steady_tick(Duration::from_millis(200));
    }

    fn clip(&mut self, character: &str, clip: &ClipNews, took: f64) {
        let label = label(clip.name, clip.lod);
        let name = format!("{} / {}", plain(character), plain(&label));
        self.clip_seconds.entry(character.to_owned()).or_default().insert(label, took);
        if self.bar.is_hidden() && !self.terminal.quiet {
            self.terminal.err(&format!("baked {name} in {}\n", seconds(took)));
        }
        self.bar.set_message(name);
    }

    fn reasons(&self, reasons: &[Reason]) {
        if self.terminal.verbose {
            let lines: Vec<String> =
                reasons.iter().map(|r| format!("  because {}\n", plain(&r.to_string()))).collect();
            self.line(&lines.concat());
        }
    }

    fn waiting(&self, holder: &str) {
        if self.terminal.quiet {
            return;
        }
        let holder = if holder.is_empty() { "another process" } else { holder };
        self.line(&format!("waiting for {}\n", plain(holder)));
    }

    fn problem(&self, problem: &Problem) {
        if problem.severity > Severity::Note || !self.terminal.quiet {
            self.bar.suspend(|| render::report(problem, self.terminal));
        }
    }

    /// A line that is no result.
    fn line(&self, text: &str) {
        self.bar.suspend(|| self.terminal.err(text));
    }

    fn result(&self, text: &str) {
        if !self.terminal.quiet {
            self.bar.suspend(|| self.terminal.out(text));
        }
    }

    fn finish(&mut self, outcome: &Outcome) {
        self.bar.finish_and_clear();
        self.result(&report::files("constants", &self.constants, self.terminal));
        let color = self.terminal.color_out;
        let done = format!(
            "{}, {}: {} in {}",
            counted(outcome.characters as u64, "character", "characters"),
            baked(outcome),
            bytes(outcome.bytes),
            seconds(outcome.seconds),
        );
        if outcome.failed == 0 {
            self.result(&format!("{} {done}\n", Style::Green.paint("done", color)));
        } else {
            self.result(&format!("{done}\n"));
            let failed = Style::Red.paint(&failed(outcome), self.terminal.color_err);
            self.terminal.err(&format!("{failed}\n"));
        }
    }
}

/// `2 characters failed, and the constants`
fn failed(outcome: &Outcome) -> String {
    let characters = outcome.failed as u64 - u64::from(outcome.constants_failed);
    let failed = counted(characters, "character failed", "characters failed");
    match (characters, outcome.constants_failed) {
        (0, _) => "the constants failed".to_owned(),
        (_, true) => format!("{failed}, and the constants"),
        (_, false) => failed,
    }
}

/// `3 clips baked, 12 fresh`
fn baked(outcome: &Outcome) -> String {
    let baked = counted(outcome.baked as u64, "clip baked", "clips baked");
    format!("{baked}, {} fresh", outcome.fresh)
}
