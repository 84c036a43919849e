//! A command of the user, run after each change.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Instant;

use serde_json::json;

use super::render;
use super::terminal::Terminal;
use crate::problem::Problem;
use crate::watch::Change;

/// The longest list that goes into a variable, bytes: Linux takes 128 KiB (execve(2)), Windows less than that in all.
const MAX_LIST: usize = 24 << 10;

/// Runs the command for one change after the other; changes that come while it runs are told to the next run together.
pub struct Exec {
    changes: Option<Sender<Change>>,
    thread: Option<JoinHandle<()>>,
}

impl Exec {
    /// Waits for changes.
    pub fn start(command: &str, manifest: &Path, terminal: &Terminal) -> Self {
        let (changes, receiver) = channel();
        let (command, manifest, terminal) = (command.to_owned(), manifest.to_owned(), *terminal);
        let thread = std::thread::spawn(move || follow(&command, &manifest, &terminal, &receiver));
        Self { changes: Some(changes), thread: Some(thread) }
    }

    /// Runs it for a change, soon.
    pub fn run(&self, change: &Change) {
        if let Some(changes) = &self.changes {
            // The thread ends with this.
            let _ = changes.send(change.clone());
        }
    }
}

impl Drop for Exec {
    /// Waits until the last run is over.
    fn drop(&mut self) {
        self.changes = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn follow(command: &str, manifest: &Path, terminal: &Terminal, changes: &Receiver<Change>) {
    while let Ok(mut change) = changes.recv() {
        changes.try_iter().for_each(|more| join(&mut change, more));
        let start = Instant::now();
        let status = shell(command, manifest, &change, terminal).status();
        let seconds = start.elapsed().as_secs_f64();
        let (success, code) = match &status {
            Ok(status) => (status.success(), status.code()),
            Err(_) => (false, None),
        };
        if terminal.json {
            let reason = "watch-exec";
            let line = json!({ "reason": reason, "command": command, "success": success, "code": code, "seconds": seconds });
            terminal.out(&format!("{line}\n"));
        } else if !success {
            let how = status.map_or_else(|error| error.to_string(), |status| status.to_string());
            render::report(&Problem::warning("watch::exec", format!("`{command}` failed: {how}")), terminal);
        }
    }
}

fn join(change: &mut Change, more: Change) {
    change.characters.extend(more.characters);
    change.files.extend(more.files);
    change.characters.sort();
    change.characters.dedup();
    change.files.sort();
    change.files.dedup();
    change.out = more.out;
}

/// The command, with what changed in its environment.
fn shell(command: &str, manifest: &Path, change: &Change, terminal: &Terminal) -> Command {
    let mut shell = if cfg!(windows) { Command::new("cmd") } else { Command::new("sh") };
    shell.arg(if cfg!(windows) { "/C" } else { "-c" }).arg(command).stdin(Stdio::null());
    if terminal.json {
        // Standard output is for objects.
        shell.stdout(std::io::stderr());
    }
    let files = change.files.iter().map(|file| file.display().to_string());
    shell.env("VATPIPE_CHARACTERS", list(change.characters.iter().cloned()));
    shell.env("VATPIPE_FILES", list(files));
    shell.env("VATPIPE_OUT", absolute(&change.out)).env("VATPIPE_MANIFEST", absolute(manifest));
    shell
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// One a line; nothing if that is too long.
fn list(lines: impl Iterator<Item = String>) -> String {
    let text = lines.collect::<Vec<_>>().join("\n");
    if text.len() > MAX_LIST { String::new() } else { text }
}
