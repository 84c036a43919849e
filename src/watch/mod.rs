//! Build, then wait for an input to change, and build again: what `vatpipe watch` does.
//!
//! Input: a manifest, [`Options`]. Output: [`Event`]s, until [`Stop`]. What can go wrong: events are lost or never come
//! (a queue that is too small, network file systems, limits of the system), the build wakes itself (it reads inputs and
//! writes outputs beside them), a file is seen while it is being written.
//!
//! | file | |
//! |---|---|
//! | `eyes.rs` | what the system says of folders ([`Eyes`]): the only place that knows `notify` |
//! | `places.rs` | which files are inputs, and which folders are to be watched for them |
//! | `disk.rs` | file systems that do not tell of every change |
//! | `whole.rs` | whether a file is written to its end |
//! | `work.rs` | one build |
//! | `inputs.rs` | what is known of one input |
//! | `course.rs` | what happens when: all state is here, in one thread |
//!
//! # What wakes it
//!
//! Folders are watched, not files: a file that is replaced by another one is another file. An event is only a reason to
//! ask the file system for the [`Stamp`](crate::cache::memo::Stamp) of an input; if it is the one that the last build began
//! with, nothing happened. So neither reading inputs nor outputs, wherever they lie, nor any other file wakes it. All inputs
//! are asked for their stamps now and then (*sweep*), after lost events, and, where there are no events, often (*polling*).
//! A sweep never takes more than a hundredth of the time.
//!
//! # When it builds
//!
//! When every input that changed is whole: a GLB is as long as it says, a glTF document is JSON, its buffers are as long as
//! it says, a manifest is TOML, no text is empty. A file that is not, and is not written any further, is built as it is after
//! [`Times::patience`]: then the build says what is wrong with it, and the last good outputs stay.
//!
//! One build runs at a time. A change of an input abandons the characters that are made of it ([`Cancel`](crate::run::Cancel)),
//! the others go on, and the next build follows. After a build that changed something a second one looks whether something
//! changed within a tick of the file system's clock, and says nothing if all is fresh; it also notes what the next build needs
//! to look at changed files alone ([`run::at_a_glance`]).
//!
//! Between builds nothing is locked. The manifest is kept in memory until its file changes.

mod course;
mod disk;
mod eyes;
mod inputs;
mod places;
mod whole;
mod work;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use crate::problem::Problem;
use crate::run;

pub use eyes::{Eyes, Notices, Trouble};

/// What to watch, and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Characters; empty for all.
    pub only: Vec<String>,
    /// The folder of the cache; without one it is found as the manifest and the environment say.
    pub cache: Option<PathBuf>,
    /// Whether to do without a cache.
    pub no_cache: bool,
    /// Whether to ask for files again and again instead of waiting to be told.
    pub poll: bool,
    /// How long what takes.
    pub times: Times,
}

/// How long what takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Between two looks at all inputs, if changes are told.
    pub sweep: Duration,
    /// Between two looks at all inputs, if not.
    pub poll: Duration,
    /// How long a file that is not whole may stay as it is before it counts as broken.
    pub patience: Duration,
    /// How long a text (a manifest, a template) stays as it is before it is read.
    pub quiet: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            sweep: Duration::from_secs(2),
            poll: Duration::from_millis(500),
            patience: Duration::from_secs(2),
            quiet: Duration::from_millis(20),
        }
    }
}

/// What happened.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// Something in a build.
    Build(run::Event<'a>),
    /// Inputs changed, and are whole: a build follows.
    Changed {
        /// The inputs, sorted.
        paths: &'a [PathBuf],
    },
    /// An input changed, and is not whole yet.
    Unfinished {
        /// The input.
        path: &'a Path,
        /// Why, in half a sentence.
        why: &'a str,
    },
    /// Events were lost: all inputs are looked at.
    Rescan,
    /// The manifest is wrong (nothing is built until it changes), or the system cannot watch.
    Problem(&'a Problem),
    /// A build put files in place.
    Published(&'a Change),
    /// Nothing is left to do until an input changes.
    Waiting {
        /// Inputs.
        files: usize,
        /// Folders that are watched for them.
        folders: usize,
        /// How often all inputs are looked at, if changes are not told.
        polling: Option<Duration>,
    },
}

/// What a build put in place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The output folder.
    pub out: PathBuf,
    /// Names of characters, sorted.
    pub characters: Vec<String>,
    /// Files of these characters, and constants, sorted. Some may have the bytes that they had before.
    pub files: Vec<PathBuf>,
}

/// Tells the thread that watches what happened.
enum Message {
    Touched(Vec<PathBuf>),
    Lost,
    Failed(Trouble),
    Built(Option<Box<work::Done>>),
    Stop,
}

/// A manifest that is going to be watched.
pub struct Watch {
    manifest: PathBuf,
    options: Options,
    sender: Sender<Message>,
    receiver: Receiver<Message>,
}

/// Ends a [`Watch`].
#[derive(Clone, Debug)]
pub struct Stop(Sender<Message>);

impl Stop {
    /// Ends it: a build that goes on is abandoned first. Nothing happens if it has ended already.
    pub fn stop(&self) {
        let _ = self.0.send(Message::Stop);
    }
}

/// Starts to watch with the system's own means, or something in their place.
pub type Open<'a> = dyn FnMut(Notices) -> Result<Box<dyn Eyes>, Trouble> + 'a;

impl Watch {
    /// Nothing is read yet.
    pub fn new(manifest: &Path, options: Options) -> Self {
        let (sender, receiver) = channel();
        Self { manifest: manifest.to_owned(), options, sender, receiver }
    }

    /// What ends it, from any thread.
    pub fn stop(&self) -> Stop {
        Stop(self.sender.clone())
    }

    /// Builds, waits, and builds again, until it is ended. Whatever is wrong is an event.
    pub fn run(self, events: &(dyn Fn(Event) + Sync)) {
        self.run_with(&mut eyes::open, events);
    }

    /// The same with other eyes, for tests and for systems with better ones.
    pub fn run_with(self, open: &mut Open, events: &(dyn Fn(Event) + Sync)) {
        course::run(self, open, events);
    }
}
