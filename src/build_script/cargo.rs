//! What cargo tells a build script, and what a build script tells cargo.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::problem::{Problem, Result};

/// The file that every package has that was made by `cargo package`.
const PACKAGED: &str = "Cargo.toml.orig";

/// What cargo tells a build script.
#[derive(Clone, Debug)]
pub struct Cargo {
    /// The folder of the package, which is the current one.
    pub package: PathBuf,
    /// Where a build script may write.
    pub out: PathBuf,
    /// How many jobs cargo runs at most.
    pub jobs: usize,
    /// Whether docs.rs is building documentation.
    pub docs_rs: bool,
    /// Whether the package was made by `cargo package`, and may lack what its author has.
    pub is_packaged: bool,
    /// The machine that the game will run on, if it is not of the kind of this one.
    pub other_target: Option<String>,
}

/// A variable, if it is not empty.
pub fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// A variable of text.
pub fn text(name: &str) -> Option<String> {
    variable(name)?.into_string().ok()
}

impl Cargo {
    /// Reads the variables that cargo sets.
    ///
    /// # Errors
    /// `build-script::not-cargo`: they are not there.
    pub fn ask() -> Result<Self> {
        let path = |name: &str| {
            variable(name).map(PathBuf::from).ok_or_else(|| {
                let message = format!("`{name}` is not set: this is no build script that cargo runs");
                Problem::error("build-script::not-cargo", message).help("call it from `build.rs`")
            })
        };
        let package = path("CARGO_MANIFEST_DIR")?;
        Ok(Self {
            is_packaged: package.join(PACKAGED).is_file(),
            package,
            out: path("OUT_DIR")?,
            jobs: text("NUM_JOBS").and_then(|jobs| jobs.parse().ok()).unwrap_or(1).max(1),
            docs_rs: variable("DOCS_RS").is_some(),
            other_target: text("TARGET").filter(|target| Some(target) != text("HOST").as_ref()),
        })
    }
}

/// What is said to cargo, all at the end: a build script that fails says nothing, and is run again.
#[derive(Debug, Default)]
pub struct Lines(String);

impl Lines {
    /// Run again if this file, or anything in this folder, changes.
    ///
    /// # Errors
    /// `build-script::path`: cargo cannot be told of it.
    pub fn rerun_if_changed(&mut self, path: &Path, package: &Path) -> Result<()> {
        // Cargo takes both; a path below the package stays right where the package is moved to.
        let path = path.strip_prefix(package).unwrap_or(path);
        self.line("rerun-if-changed", plain(path)?);
        Ok(())
    }

    /// Run again if this variable changes.
    pub fn rerun_if_env_changed(&mut self, name: &str) {
        self.line("rerun-if-env-changed", name);
    }

    /// Compile the package with this variable.
    ///
    /// # Errors
    /// As [`Self::rerun_if_changed`].
    pub fn rustc_env(&mut self, name: &str, path: &Path) -> Result<()> {
        let value = format!("{name}={}", plain(path)?);
        self.line("rustc-env", &value);
        Ok(())
    }

    /// Show this to the user.
    pub fn warning(&mut self, text: &str) {
        text.lines().for_each(|line| self.line("warning", line));
    }

    fn line(&mut self, what: &str, value: &str) {
        // Writing to a text does not fail.
        let _ = writeln!(self.0, "cargo::{what}={value}");
    }

    /// Says it.
    ///
    /// # Errors
    /// `build-script::output`: cargo does not listen.
    pub fn say(&self) -> Result<()> {
        let mut out = std::io::stdout().lock();
        out.write_all(self.0.as_bytes()).and_then(|()| out.flush()).map_err(|error| {
            Problem::error("build-script::output", format!("standard output cannot be written: {error}"))
        })
    }
}

/// A path as a line can hold it.
fn plain(path: &Path) -> Result<&str> {
    let fits = |text: &&str| !text.contains(['\n', '\r']);
    path.to_str().filter(fits).ok_or_else(|| {
        let message = "cargo cannot be told of this path: it holds a line break, or is not Unicode";
        Problem::error("build-script::path", message).in_file(path).help("rename the file or folder")
    })
}
