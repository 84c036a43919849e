//! A project of a user: models and a `vat.toml` in a folder of their own, built through the library or with
//! the program.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use vatpipe::manifest::{self, Manifest};
use vatpipe::problem::{Problem, Problems, Severity};
use vatpipe::run::{self, Event, Outcome};

use crate::support::loader::{self, Character};
use crate::support::model::Model;

/// Far more than any of these builds takes on a slow machine; what hangs is found by it.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Project {
    folder: TempDir,
}

/// What a build through the library said.
pub struct Built {
    pub outcome: Outcome,
    pub problems: Vec<Problem>,
}

/// What the program said.
pub struct Ran {
    pub status: ExitStatus,
    pub out: String,
    pub err: String,
}

impl Project {
    /// An empty folder.
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// The character `it` from a model, with these lines in its table (and tables below it).
    pub fn of(model: &Model, lines: &str) -> Self {
        Self::of_file("it.glb", &model.glb(), lines)
    }

    /// The character `it` from a file.
    pub fn of_file(name: &str, file: &[u8], lines: &str) -> Self {
        let project = Self::new();
        project.write(name, file);
        project.manifest(&format!("[characters.it]\nsource = \"{name}\"\n{lines}\n"));
        project
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// Writes `vat.toml`; outputs go to `out`.
    pub fn manifest(&self, characters: &str) {
        self.write("vat.toml", format!("[output]\ndir = \"out\"\n{characters}").as_bytes());
    }

    pub fn load(&self) -> Result<Manifest, Problems> {
        let path = self.path("vat.toml");
        manifest::load(&std::fs::read_to_string(&path).unwrap(), &path)
    }

    /// Builds through the library.
    pub fn build(&self) -> Built {
        let manifest = self.load().unwrap_or_else(|e| panic!("{e}"));
        let mut problems = Vec::new();
        let events = run::serialised(|event| match event {
            Event::Problem(problem) => problems.push(problem.clone()),
            Event::CharacterFailed { problems: all, .. } => problems.extend(all.0.iter().cloned()),
            _ => {}
        });
        let outcome = run::build(&manifest, &run::Options::default(), &events);
        drop(events);
        Built { outcome, problems }
    }

    /// Builds something that is right, and loads `it`.
    pub fn baked(&self) -> Character {
        self.build().succeeded();
        self.character("it")
    }

    /// Loads a character from the files in its folder, and nothing else.
    pub fn character(&self, name: &str) -> Character {
        loader::load(name, &self.files(&format!("out/{name}")))
    }

    /// Names and bytes of the files in a folder, sorted.
    pub fn files(&self, folder: &str) -> Vec<(String, Vec<u8>)> {
        files(&self.path(folder))
    }

    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// Runs the program in the folder.
    pub fn vatpipe(&self, arguments: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vatpipe"));
        command.args(arguments);
        self.run(command)
    }

    /// Runs a command in the folder; one that takes too long fails the test.
    pub fn run(&self, mut command: Command) -> Ran {
        command.current_dir(self.folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let read = |mut pipe: Box<dyn Read + Send>| {
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                pipe.read_to_end(&mut bytes).unwrap();
                String::from_utf8_lossy(&bytes).into_owned()
            })
        };
        let out = read(Box::new(child.stdout.take().unwrap()));
        let err = read(Box::new(child.stderr.take().unwrap()));
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if start.elapsed() > PATIENCE {
                child.kill().unwrap();
                panic!("{command:?} hangs");
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        Ran { status, out: out.join().unwrap(), err: err.join().unwrap() }
    }
}

/// Names and bytes of the files in a folder, sorted; none if there is no folder. Not the record of what
/// they were made of, which says what the inputs' bytes were.
pub fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    let paths = paths.filter(|path| !path.ends_with(vatpipe::cache::published::FILE));
    let mut files: Vec<_> = paths.map(|path| (name(&path), std::fs::read(&path).unwrap())).collect();
    files.sort();
    files
}

impl Built {
    /// Fails the test unless all went well.
    pub fn succeeded(&self) {
        let errors: Vec<_> = self.problems.iter().filter(|p| p.severity == Severity::Error).collect();
        assert!(errors.is_empty() && self.outcome.failed == 0, "{errors:#?}");
    }
}

impl Ran {
    /// Fails the test unless the program said no with this exit code (and did not crash), and all of these
    /// words.
    pub fn refused(&self, code: i32, words: &[&str]) {
        assert_eq!(self.status.code(), Some(code), "{:?}\n{}{}", self.status, self.out, self.err);
        for word in words {
            assert!(self.err.contains(word), "no {word:?} in {}", self.err);
        }
    }

    pub fn succeeded(&self) {
        assert_eq!(self.status.code(), Some(0), "{}{}", self.out, self.err);
    }
}
