//! Build scripts: games that cargo really builds, and the script alone where cargo has no say.

mod game;
mod reruns;
mod script;
mod shipped;
mod work;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;
use vatpipe::cache::digest::Digest;

pub use crate::cli::model;

/// A name with a space, quotes and letters that are not ASCII.
const ODD: &str = "my \"gäme\" 'ß";

/// A path of no program: whatever is installed on this machine is not found then.
const NOWHERE: &str = "/nowhere/vatpipe";

/// A package of a game, its models and its manifest, in a folder with an odd name; beside it is the folder of the cache.
struct Package(TempDir);

impl Package {
    /// With the character `it`, which has the clip `go`.
    fn new() -> Self {
        let package = Self(tempfile::tempdir().unwrap());
        package.write("art/it.gltf", &model(&["go"]));
        package.write("vat.toml", "[characters.it]\nsource = \"art/it.gltf\"\n");
        package
    }

    fn folder(&self) -> PathBuf {
        self.0.path().join(ODD)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// A path outside the package.
    fn beside(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Runs `vatpipe` in it.
    fn vatpipe(&self, arguments: &[&str]) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vatpipe"));
        command.current_dir(self.folder()).args(arguments).env("VATPIPE_CACHE_DIR", self.beside("cache"));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
    }

    /// All files below it, with digests and times of modification. Cargo writes its lock file itself.
    fn snapshot(&self) -> Vec<(PathBuf, Digest, SystemTime)> {
        snapshot(&self.folder())
    }
}

fn snapshot(folder: &Path) -> Vec<(PathBuf, Digest, SystemTime)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(snapshot(&path));
        } else if path.file_name() != Some("Cargo.lock".as_ref()) {
            let modified = path.metadata().unwrap().modified().unwrap();
            all.push((path.clone(), Digest::of(&std::fs::read(&path).unwrap()), modified));
        }
    }
    all.sort();
    all
}

/// Both outputs of a program, for messages.
fn said(output: &Output) -> String {
    format!("{}\n{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Gives a file a time of modification so far from now: cargo looks at nothing else.
fn set_age(path: &Path, age: Duration) {
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - age).unwrap();
}
