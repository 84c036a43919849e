//! Watching: what wakes it, what does not, what it does then.
//!
//! Each test watches a project in this process and waits for events, never for a time; where nothing may happen, something
//! else is made to happen afterwards, and comes next.

mod abandon;
mod eyes;
mod program;
mod saves;
mod writers;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;
use vatpipe::run;
use vatpipe::watch::{Change, Event, Eyes, Notices, Options, Stop, Times, Trouble, Watch};

use crate::support::model::Model;

/// Longer than anything takes on a machine that is busy.
const LONG: Duration = Duration::from_secs(120);

/// An event, as far as tests ask.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    Changed(Vec<PathBuf>),
    Unfinished(PathBuf, String),
    Rescan,
    Problem(String, String),
    Published(Change),
    Waiting { files: usize, folders: usize, polling: Option<Duration> },
    Baked(String, String),
    Failed(String, Vec<String>),
    Abandoned(String),
    Finished { baked: usize, failed: usize, abandoned: usize },
}

impl Heard {
    fn of(event: &Event) -> Option<Self> {
        Some(match event {
            Event::Changed { paths } => Self::Changed(paths.to_vec()),
            Event::Unfinished { path, why } => Self::Unfinished(path.to_path_buf(), (*why).to_owned()),
            Event::Rescan => Self::Rescan,
            Event::Problem(problem) => {
                Self::Problem(problem.code.to_owned(), problem.help.clone().unwrap_or_default())
            }
            Event::Published(change) => Self::Published((*change).clone()),
            Event::Waiting { files, folders, polling } => {
                Self::Waiting { files: *files, folders: *folders, polling: *polling }
            }
            Event::Build(run::Event::ClipBaked { character, clip, .. }) => {
                Self::Baked((*character).to_owned(), clip.name.to_owned())
            }
            Event::Build(run::Event::CharacterFailed { name, problems }) => {
                Self::Failed((*name).to_owned(), problems.0.iter().map(|p| p.code.to_owned()).collect())
            }
            Event::Build(run::Event::CharacterAbandoned { name }) => Self::Abandoned((*name).to_owned()),
            Event::Build(run::Event::Finished(outcome)) => {
                Self::Finished { baked: outcome.baked, failed: outcome.failed, abandoned: outcome.abandoned }
            }
            Event::Build(_) => return None,
        })
    }

    fn is_waiting(&self) -> bool {
        matches!(self, Self::Waiting { .. })
    }

    fn is_published(&self) -> bool {
        matches!(self, Self::Published(_))
    }
}

/// Times at which nothing happens by itself.
pub fn patient() -> Options {
    let times = Times { sweep: LONG * 10, patience: LONG * 10, ..Times::default() };
    Options { times, ..Options::default() }
}

/// A project that is watched.
pub struct Watched {
    pub folder: Project,
    events: Receiver<Heard>,
    stop: Stop,
    thread: Option<JoinHandle<()>>,
}

/// Eyes that see nothing of themselves.
pub struct Blind {
    /// What `watch` answers.
    pub trouble: Option<Trouble>,
    pub watched: Arc<Mutex<Vec<PathBuf>>>,
}

impl Eyes for Blind {
    fn watch(&mut self, folder: &Path) -> Result<(), Trouble> {
        self.watched.lock().unwrap().push(folder.to_owned());
        self.trouble.clone().map_or(Ok(()), Err)
    }

    fn unwatch(&mut self, _: &Path) {}
}

/// Called with each event before it is told to the test.
pub type Hook = Box<dyn Fn(&Event) + Send + Sync>;

impl Watched {
    /// Watches with the system's eyes; the first build is over.
    pub fn start(folder: Project, options: Options) -> Self {
        let mut watched = Self::run(folder, options, Box::new(|_| {}), |watch, events| watch.run(events));
        watched.until(Heard::is_waiting);
        watched
    }

    /// Watches with eyes that tell nothing but what the test tells.
    pub fn with_blind_eyes(
        folder: Project,
        options: Options,
        trouble: Option<Trouble>,
        hook: Hook,
    ) -> (Self, Notices) {
        let (sender, receiver) = channel();
        let watched = Self::run(folder, options, hook, move |watch, events| {
            watch.run_with(
                &mut |notices| {
                    let _ = sender.send(notices);
                    Ok(Box::new(Blind { trouble: trouble.clone(), watched: Arc::default() }))
                },
                events,
            );
        });
        let notices = receiver.recv_timeout(LONG).expect("it opens its eyes");
        (watched, notices)
    }

    fn run(
        folder: Project,
        options: Options,
        hook: Hook,
        run: impl FnOnce(Watch, &(dyn Fn(Event) + Sync)) + Send + 'static,
    ) -> Self {
        let watch = Watch::new(&folder.path("vat.toml"), options);
        let stop = watch.stop();
        let (sender, events): (Sender<Heard>, _) = channel();
        let thread = std::thread::spawn(move || {
            run(watch, &move |event| {
                hook(&event);
                Heard::of(&event).into_iter().for_each(|heard| {
                    let _ = sender.send(heard);
                });
            });
        });
        Self { folder, events, stop, thread: Some(thread) }
    }

    /// All events up to one that is waited for, and that one.
    pub fn until(&mut self, is_it: impl Fn(&Heard) -> bool) -> Vec<Heard> {
        let mut all = Vec::new();
        loop {
            let heard =
                self.events.recv_timeout(LONG).unwrap_or_else(|_| panic!("nothing came after {all:#?}"));
            let done = is_it(&heard);
            all.push(heard);
            if done {
                return all;
            }
        }
    }

    /// The events of one round: up to the next time that it waits.
    pub fn round(&mut self) -> Vec<Heard> {
        self.until(Heard::is_waiting)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path(name)
    }

    /// Ends it.
    pub fn end(mut self) -> Project {
        self.stop.stop();
        self.thread.take().unwrap().join().unwrap();
        std::mem::replace(&mut self.folder, Project::empty())
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What came of a round.
pub fn baked(heard: &[Heard]) -> Vec<String> {
    let name = |heard: &Heard| match heard {
        Heard::Baked(character, clip) => Some(format!("{character}.{clip}")),
        _ => None,
    };
    let mut all: Vec<String> = heard.iter().filter_map(name).collect();
    all.sort();
    all
}

/// The files that were said to have changed, by their names, one list for each time.
pub fn changed(heard: &[Heard]) -> Vec<Vec<String>> {
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    let of = |heard: &Heard| match heard {
        Heard::Changed(paths) => Some(paths.iter().map(name).collect()),
        _ => None,
    };
    heard.iter().filter_map(of).collect()
}

pub fn failures(heard: &[Heard]) -> usize {
    heard.iter().filter(|heard| matches!(heard, Heard::Failed(..))).count()
}

/// A folder with a project.
pub struct Project(TempDir);

impl Project {
    pub fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Two characters of two clips each, and outputs elsewhere.
    pub fn new() -> Self {
        let project = Self::empty();
        project.manifest("out", &["a", "b"]);
        project.put("art/a.glb", &model(2, 1.0).glb());
        project.put("art/b.glb", &model(2, 2.0).glb());
        project
    }

    /// Writes a manifest that names these characters.
    pub fn manifest(&self, out: &str, characters: &[&str]) {
        let mut text = format!("[output]\ndir = \"{out}\"\ntargets = [\"rust\"]\n[cache]\ndir = \"cache\"\n");
        for name in characters {
            text += &format!("[characters.{name}]\nsource = \"art/{name}.glb\"\nfps = 10\n");
        }
        self.put("vat.toml", text.as_bytes());
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file as an editor does that replaces it.
    pub fn put(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let aside = path.with_extension("part");
        std::fs::write(&aside, bytes).and_then(|()| std::fs::rename(&aside, path)).unwrap();
    }

    /// All outputs, without the tool's own notes.
    pub fn outputs(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.path("out")];
        while let Some(next) = folders.pop() {
            for entry in std::fs::read_dir(&next).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() && !path.ends_with(".vatpipe") {
                    folders.push(path);
                } else if path.is_file() {
                    found.insert(path.clone(), std::fs::read(&path).unwrap());
                }
            }
        }
        found
    }

    /// Files that only a build that goes on may have.
    pub fn leftovers(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.0.path().to_owned()];
        while let Some(next) = folders.pop() {
            for entry in std::fs::read_dir(&next).into_iter().flatten().flatten() {
                let path = entry.path();
                let text = path.to_string_lossy();
                let is_left = [".vatpipe/stage", ".vatpipe/commit", ".tmp"].iter().any(|part| {
                    text.strip_prefix(&*self.0.path().to_string_lossy())
                        .is_some_and(|below| below.contains(part))
                });
                if path.is_dir() {
                    folders.push(path);
                } else if is_left {
                    found.push(path);
                }
            }
        }
        found
    }
}

/// A triangle that each clip takes somewhere within a second.
pub fn model(clips: usize, to: f32) -> Model {
    let mut model = Model::new();
    let corners: Vec<[f32; 3]> =
        (0..300).map(|i| [i as f32 % 7.0, i as f32 % 11.0, i as f32 % 5.0]).collect();
    let position = model.vec3(&corners);
    let mesh = model.mesh(json!([{ "attributes": { "POSITION": position } }]));
    let node = model.node(json!({ "name": "body", "mesh": mesh }));
    for index in 0..clips {
        let clip = model.clip(&format!("clip{index}"));
        // The last clip alone is another one for another `to`.
        let end = if index + 1 == clips { to } else { index as f32 };
        let way = model.vec3(&[[0.0; 3], [end, 1.0, 0.0]]);
        model.channel(clip, node, "translation", &[0.0, 1.0], way, "LINEAR");
    }
    model
}
