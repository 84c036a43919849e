//! One build, in a thread of its own. Input: a [`Task`]. Output: [`Done`], told as a message.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Change, Event, Message, Options};
use crate::cache;
use crate::cache::gc::Limits;
use crate::cache::memo;
use crate::manifest::Manifest;
use crate::problem::Problems;
use crate::run::{self, Cancel, Outcome};

/// What is to be built.
pub(super) struct Task {
    pub(super) manifest: Arc<Manifest>,
    pub(super) cancel: Arc<Cancel>,
    /// Says nothing unless something is done, or something else is wrong than this.
    pub(super) quietly: Option<Failures>,
}

/// What was wrong with characters.
pub(super) type Failures = BTreeMap<String, Problems>;

/// What came of it.
pub(super) struct Done {
    pub(super) outcome: Outcome,
    pub(super) change: Change,
    pub(super) failures: Failures,
    /// When it began, nanoseconds since 1970.
    pub(super) began: i64,
}

/// Says that a build is over, also if it panicked.
struct Last<'s> {
    sender: &'s Sender<Message>,
    done: Option<Box<Done>>,
}

impl Drop for Last<'_> {
    fn drop(&mut self) {
        let _ = self.sender.send(Message::Built(self.done.take()));
    }
}

/// What is noted while a build goes on.
#[derive(Default)]
struct Notes {
    change: Change,
    failures: Failures,
    characters: usize,
    shown: bool,
}

/// Builds.
pub(super) fn build(
    task: &Task,
    options: &Options,
    sender: &Sender<Message>,
    events: &(dyn Fn(Event) + Sync),
) {
    let mut last = Last { sender, done: None };
    let began = memo::now();
    let notes = Mutex::new(Notes { shown: task.quietly.is_none(), ..Notes::default() });
    let tell = |event: run::Event| {
        let mut notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
        if notes.note(&event, task.quietly.as_ref()) {
            events(Event::Build(run::Event::Started { characters: notes.characters }));
        }
        if notes.shown {
            events(Event::Build(event));
        }
    };
    let outcome = run(task, options, &tell);
    let Notes { mut change, failures, .. } = notes.into_inner().unwrap_or_else(PoisonError::into_inner);
    change.out.clone_from(&task.manifest.output.dir);
    change.characters.sort();
    change.files.sort();
    last.done = Some(Box::new(Done { outcome, change, failures, began }));
}

fn run(task: &Task, options: &Options, tell: &(dyn Fn(run::Event) + Sync)) -> Outcome {
    let (manifest, cancel) = (&task.manifest, || Some(task.cancel.clone()));
    if options.only.is_empty()
        && !options.no_cache
        && let Some(outcome) =
            run::at_a_glance_until(&manifest.file, options.cache.as_deref(), cancel(), tell)
    {
        return outcome;
    }
    let found = || options.cache.clone().or_else(|| cache::folder::find(manifest.cache.dir.clone()));
    let limits = Limits::of(&manifest.cache);
    let build = run::Options {
        only: options.only.clone(),
        cache: if options.no_cache { None } else { found() },
        limits: Some(limits),
        cancel: cancel(),
        locked: false,
    };
    run::build(manifest, &build, tell)
}

impl Notes {
    /// Takes note; whether this is the first thing that is shown.
    fn note(&mut self, event: &run::Event, before: Option<&Failures>) -> bool {
        let was_shown = self.shown;
        match event {
            run::Event::Started { characters } => self.characters = *characters,
            run::Event::ClipBaked { .. } => self.shown = true,
            run::Event::CharacterPublished { character, files, .. } => {
                self.shown = true;
                self.change.characters.push(character.name.clone());
                self.change.files.extend(files.iter().map(|(path, _)| path.clone()));
            }
            run::Event::Constants { path, .. } => {
                self.shown = true;
                self.change.files.push(PathBuf::from(path));
            }
            run::Event::CharacterFailed { name, problems } => {
                self.shown |= before.is_none_or(|before| before.get(*name) != Some(problems));
                self.failures.insert((*name).to_owned(), (*problems).clone());
            }
            _ => {}
        }
        self.shown && !was_shown
    }
}
