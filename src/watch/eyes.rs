//! Folders → what changed in them, as the system tells it. The only place that knows `notify`.
//!
//! What can go wrong: the system's limits ([`Trouble::Limit`]), a folder that is gone, a queue that ran over.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;

use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{Config, ErrorKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::Message;
use crate::problem::Problem;

/// Something that watches folders, not what lies in folders below them, and tells [`Notices`].
pub trait Eyes {
    /// Watches a folder too. Its path is absolute, without links.
    ///
    /// # Errors
    /// It cannot be watched.
    fn watch(&mut self, folder: &Path) -> Result<(), Trouble>;

    /// Watches a folder no more. It may be gone.
    fn unwatch(&mut self, folder: &Path);
}

/// Where [`Eyes`] tell what they see.
#[derive(Clone, Debug)]
pub struct Notices(pub(super) Sender<Message>);

impl Notices {
    /// Something may have happened to these files: they were made, written, renamed, removed. Their paths begin with that
    /// of a folder as it was given.
    pub fn touched(&self, paths: Vec<PathBuf>) {
        let _ = self.0.send(Message::Touched(paths));
    }

    /// Events were lost.
    pub fn lost(&self) {
        let _ = self.0.send(Message::Lost);
    }

    /// Something cannot be seen.
    pub fn failed(&self, trouble: Trouble) {
        let _ = self.0.send(Message::Failed(trouble));
    }
}

/// Why a folder cannot be watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It is not there.
    Gone,
    /// The system watches no more folders for this user.
    Limit {
        /// What the system says.
        message: String,
        /// Which of its settings it is, as far as that is known.
        setting: Option<&'static str>,
    },
    /// Something else.
    Other(String),
}

impl Trouble {
    fn of(error: &notify::Error) -> Self {
        let message = error.to_string();
        match &error.kind {
            ErrorKind::MaxFilesWatch => Self::Limit { message, setting: Some(WATCHES) },
            ErrorKind::PathNotFound => Self::Gone,
            ErrorKind::Io(error) => Self::of_io(error, message),
            _ => Self::Other(message),
        }
    }

    fn of_io(error: &io::Error, message: String) -> Self {
        // inotify_add_watch(2), inotify_init(2): ENOSPC, EMFILE and ENFILE.
        match error.raw_os_error() {
            _ if error.kind() == io::ErrorKind::NotFound => Self::Gone,
            Some(28) if cfg!(target_os = "linux") => Self::Limit { message, setting: Some(WATCHES) },
            Some(23 | 24) if cfg!(target_os = "linux") => Self::Limit { message, setting: Some(INSTANCES) },
            _ => Self::Other(message),
        }
    }

    /// What to tell the user; `None` if it is nothing that he can change.
    pub(super) fn problem(&self) -> Option<Problem> {
        let (message, setting) = match self {
            Self::Gone => return None,
            Self::Limit { message, setting } => (message, *setting),
            Self::Other(message) => (message, None),
        };
        let message = format!(
            "the system does not tell of all changes ({message}): files are looked at again and again instead"
        );
        let problem = Problem::warning("watch::limit", message);
        let raise = |name| {
            format!(
                "raise the limit with `sudo sysctl {name}={}`, and in /etc/sysctl.d/ for good; or use `--poll`",
                if name == WATCHES { 524_288 } else { 512 }
            )
        };
        Some(setting.map_or_else(|| problem.clone(), |name| problem.clone().help(raise(name))))
    }
}

const WATCHES: &str = "fs.inotify.max_user_watches";
const INSTANCES: &str = "fs.inotify.max_user_instances";

struct System(RecommendedWatcher);

/// Opens the system's eyes.
pub(super) fn open(notices: Notices) -> Result<Box<dyn Eyes>, Trouble> {
    let tell = move |event: notify::Result<notify::Event>| match event {
        Ok(event) if event.need_rescan() => notices.lost(),
        Ok(event) if is_news(&event.kind) => notices.touched(event.paths),
        Ok(_) => {}
        Err(error) => notices.failed(Trouble::of(&error)),
    };
    let watcher = RecommendedWatcher::new(tell, Config::default()).map_err(|error| Trouble::of(&error))?;
    Ok(Box::new(System(watcher)))
}

/// Whether a file may have other bytes than before: that it was read is no news.
fn is_news(kind: &EventKind) -> bool {
    !matches!(kind, EventKind::Access(access) if *access != AccessKind::Close(AccessMode::Write))
}

impl Eyes for System {
    fn watch(&mut self, folder: &Path) -> Result<(), Trouble> {
        self.0.watch(folder, RecursiveMode::NonRecursive).map_err(|error| Trouble::of(&error))
    }

    fn unwatch(&mut self, folder: &Path) {
        // It may be gone, and the watch with it.
        let _ = self.0.unwatch(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_told_with_their_cure() {
        let watches = Trouble::of(&notify::Error::new(ErrorKind::MaxFilesWatch));
        let instances = Trouble::of(&notify::Error::io(io::Error::from_raw_os_error(24)));
        let help = |trouble: &Trouble| trouble.problem().unwrap().help.unwrap();
        assert!(help(&watches).contains("fs.inotify.max_user_watches=524288"));
        if cfg!(target_os = "linux") {
            assert!(help(&instances).contains("fs.inotify.max_user_instances=512"));
        }
        assert_eq!(Trouble::of(&notify::Error::path_not_found()).problem(), None);
    }

    #[test]
    fn reading_is_no_news() {
        use notify::event::{CreateKind, ModifyKind};
        let read = [AccessKind::Read, AccessKind::Open(AccessMode::Any), AccessKind::Close(AccessMode::Read)];
        assert!(!read.into_iter().any(|access| is_news(&EventKind::Access(access))));
        let written = EventKind::Access(AccessKind::Close(AccessMode::Write));
        let others =
            [EventKind::Any, EventKind::Create(CreateKind::File), EventKind::Modify(ModifyKind::Any)];
        assert!(others.iter().chain([&written]).all(is_news));
    }
}
