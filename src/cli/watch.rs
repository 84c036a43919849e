//! `vatpipe watch`

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};

use super::args;
use super::exec::Exec;
use super::progress::Progress;
use super::table::counted;
use super::terminal::{Style, Terminal, plain};
use super::{locate, messages, render};
use crate::problem::{Problem, Problems};
use crate::run;
use crate::watch::{Event, Options, Stop, Watch};

/// The exit code of a second Ctrl-C.
const KILLED: i32 = 130;

/// Builds, and builds again whenever an input changes, until Ctrl-C.
///
/// # Errors
/// There is no manifest, or the command line is wrong. A manifest that is wrong is waited for.
pub fn run(asked: &args::Watch, manifest: Option<&Path>, terminal: &Terminal) -> Result<ExitCode, Problems> {
    let path = locate::manifest(manifest)?;
    if !path.is_file() {
        let problem = Problem::error("files::unreadable", "this file cannot be read: it does not exist");
        return Err(problem.in_file(&path).help("name another one with `--manifest PATH`").into());
    }
    if let Some(jobs) = asked.jobs {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(jobs)).build_global();
        pool.map_err(|error| {
            Problem::error("cli::threads", format!("{jobs} threads cannot be started: {error}"))
        })?;
    }
    let options = Options {
        only: asked.characters.clone(),
        no_cache: asked.no_cache,
        poll: asked.poll,
        ..Options::default()
    };
    let watch = Watch::new(&path, options);
    end_with_signals(watch.stop())?;
    let exec = asked.exec.as_deref().map(|command| Exec::start(command, &path, terminal));
    if terminal.json {
        watch.run(&|event| print(&event, exec.as_ref(), terminal));
    } else {
        let screen = Mutex::new(Screen::new(terminal, exec.is_some()));
        watch.run(&|event| {
            screen.lock().unwrap_or_else(PoisonError::into_inner).show(event);
            after(&event, exec.as_ref());
        });
        screen.into_inner().unwrap_or_else(PoisonError::into_inner).end();
    }
    drop(exec);
    if terminal.json {
        terminal.out(&format!("{}\n", json!({ "reason": "watch-ended" })));
    }
    Ok(ExitCode::SUCCESS)
}

/// The first signal ends it, the second one at once.
fn end_with_signals(stop: Stop) -> Result<(), Problem> {
    let again = AtomicBool::new(false);
    let handler = move || {
        if again.swap(true, Ordering::Relaxed) {
            std::process::exit(KILLED);
        }
        stop.stop();
    };
    ctrlc::set_handler(handler)
        .map_err(|error| Problem::error("cli::signals", format!("signals cannot be waited for: {error}")))
}

fn after(event: &Event, exec: Option<&Exec>) {
    if let (Event::Published(change), Some(exec)) = (event, exec) {
        exec.run(change);
    }
}

/// One object a line.
fn print(event: &Event, exec: Option<&Exec>, terminal: &Terminal) {
    let lines: Vec<String> = objects(event).iter().map(|object| format!("{object}\n")).collect();
    terminal.out(&lines.concat());
    after(event, exec);
}

fn objects(event: &Event) -> Vec<Value> {
    let one = match event {
        Event::Build(event) => return messages::messages(event),
        Event::Changed { paths } => json!({ "reason": "watch-changed", "paths": paths }),
        Event::Unfinished { path, why } => {
            json!({ "reason": "watch-unfinished", "path": path, "message": why })
        }
        Event::Rescan => json!({ "reason": "watch-rescan" }),
        Event::Problem(problem) => render::json(problem),
        Event::Published(change) => json!({
            "reason": "watch-published",
            "out": change.out,
            "characters": change.characters,
            "files": change.files,
        }),
        Event::Waiting { files, folders, polling } => {
            let polling = polling.map(|interval| interval.as_secs_f64());
            json!({ "reason": "watch-waiting", "files": files, "folders": folders, "polling": polling })
        }
    };
    vec![one]
}

/// What people see: the builds, and between them one line that says what is waited for.
struct Screen<'a> {
    terminal: &'a Terminal,
    progress: Option<Progress<'a>>,
    status: ProgressBar,
    /// Warnings of the last build and of this one: what is said again is no news.
    told: [Vec<Problem>; 2],
    /// Whether the last line can be written over: nobody else writes there.
    is_ours: bool,
}

impl<'a> Screen<'a> {
    fn new(terminal: &'a Terminal, shared: bool) -> Self {
        let is_ours = terminal.interactive && !shared;
        Self { terminal, progress: None, status: ProgressBar::hidden(), told: Default::default(), is_ours }
    }

    fn show(&mut self, event: Event) {
        self.status.finish_and_clear();
        match event {
            Event::Build(event) => self.build(event),
            Event::Changed { paths } => self.line(&format!("{}\n", changed(paths))),
            Event::Unfinished { path, why } => {
                self.line(&format!("waiting for the rest of {}: {}\n", shown(path), plain(why)));
            }
            Event::Rescan => self.line("changes were missed: looking at all files\n"),
            Event::Problem(problem) => render::report(problem, self.terminal),
            Event::Published(_) => {}
            Event::Waiting { files, folders, polling } => {
                let files = counted(files as u64, "file", "files");
                let how = match polling {
                    Some(interval) => format!("looking every {} s", interval.as_secs_f64()),
                    None => format!("in {}", counted(folders as u64, "folder", "folders")),
                };
                self.status(&format!("watching {files}, {how}; Ctrl-C ends"));
            }
        }
    }

    fn build(&mut self, event: run::Event) {
        match event {
            run::Event::Started { .. } => self.told = [std::mem::take(&mut self.told[1]), Vec::new()],
            run::Event::Problem(problem) => {
                self.told[1].push(problem.clone());
                if self.told[0].contains(problem) {
                    return;
                }
            }
            _ => {}
        }
        let is_last = matches!(event, run::Event::Finished(_));
        self.progress.get_or_insert_with(|| Progress::new(self.terminal)).show(event);
        if is_last {
            self.progress = None;
        }
    }

    fn line(&self, text: &str) {
        if !self.terminal.quiet {
            self.terminal.err(text);
        }
    }

    fn status(&mut self, text: &str) {
        if !self.is_ours || self.terminal.quiet {
            self.line(&format!("{text}\n"));
            return;
        }
        self.status = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
            self.status.set_style(style);
        }
        self.status.set_message(Style::Dim.paint(text, self.terminal.color_err));
    }

    fn end(&self) {
        self.status.finish_and_clear();
    }
}

fn shown(path: &Path) -> String {
    plain(&path.display().to_string())
}

/// `changed: art/crab.glb and 2 more`
fn changed(paths: &[PathBuf]) -> String {
    match paths {
        [first] => format!("changed: {}", shown(first)),
        [first, others @ ..] => format!("changed: {} and {} more", shown(first), others.len()),
        [] => "changed".to_owned(),
    }
}
