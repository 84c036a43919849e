//! Bakes in a game's `build.rs`, and gives the game constants that fit the textures.
//!
//! # In three steps
//!
//! 1. `vat.toml` beside the game's `Cargo.toml` says what to bake (`vatpipe init` writes one).
//! 2. The game builds with this crate, of whose features `script` is light, and enough.
//!
//!    ```toml
//!    [build-dependencies]
//!    vatpipe = { version = "0.1", default-features = false, features = ["script"] }
//!    ```
//!
//!    ```no_run
//!    // build.rs
//!    fn main() -> vatpipe::build_script::Result {
//!        vatpipe::build_script::build()
//!    }
//!    ```
//! 3. The game includes what is made. `VAT_RS` is set for it; editors understand this line.
//!
//!    ```ignore
//!    mod vat {
//!        include!(env!("VAT_RS"));
//!    }
//!
//!    let walk = vat::crab::Clip::Walk.info();
//!    let sheet = vat::file("crab", vat::crab::SHEETS[0].file).expect("it is embedded");
//!    let shader = vat::WGSL;
//!    ```
//!
//! `vat` then holds the constants of `vat.rs`, the text of each shader target as a constant (`WGSL`, `HLSL`), and, as
//! [`Textures`] says, the bytes of all files or the folder that they are in.
//!
//! # Who bakes
//!
//! Cargo compiles build scripts without optimisation, in release builds too. So the script looks first whether there is
//! anything to do, in this order:
//!
//! 1. What the last run left in `OUT_DIR` is up to date by the digests of all inputs, settings and outputs: nothing is done.
//! 2. What `vatpipe build` or `vatpipe watch` published in the manifest's own output folder is up to date: it is copied.
//! 3. Otherwise the program `vatpipe` bakes, into `OUT_DIR`. It must have the version of this crate, and is found by the variable
//!    `VATPIPE`, on the `PATH`, where `cargo install` puts programs, or compiled in release mode in the same target folder.
//!    Clips that anyone on this machine has baked before come from the cache.
//! 4. Without a program, and with the feature `bake`, the script bakes itself, and says how to have it optimised.
//!    Without the feature it fails, and says what to run.
//!
//! On docs.rs, and in a package that `cargo package` made, what was published in the manifest's output folder is used as it is if it is
//! whole: such a package need not hold the models, and who compiles it needs no program.
//!
//! # What cargo is told
//!
//! To run again if the manifest, a model, a buffer, a template, or anything in their folders changes; folders count so that
//! a file is seen that an older one replaces. The folder of the package itself, and folders that hold outputs, are not
//! named: they change with every build. So models are best kept in a folder of their own. Of variables `VATPIPE` and `DOCS_RS`
//! count. Everything is written below `OUT_DIR`, but for the cache.
//!
//! # What is compiled again
//!
//! When the script has run cargo compiles the package again, and all that depend on it, even if no byte is another. So
//! the line with `include!` is best put into a small package near the top: the game's binary, or one that nothing
//! depends on but the binary; libraries below it take clips and tracks as parameters. The bytes of textures are only
//! copied by the compiler, but large ones take the linker time: [`Textures::Files`] leaves them out while developing.

mod adopt;
#[cfg(feature = "bake")]
mod baking;
mod cargo;
mod include;
mod jobs;
mod script;
mod tool;
mod watched;

use std::fmt;
use std::path::PathBuf;

use crate::problem::{Problem, Problems};
use cargo::Cargo;
use script::Script;

/// The constants that are included.
const RUST: &str = "vat.rs";

/// What a build script's `main` returns.
pub type Result<T = (), E = Failure> = std::result::Result<T, E>;

/// Everything that is wrong. It is shown in words where `main` returns it.
#[derive(Clone, PartialEq, Eq)]
pub struct Failure(pub Problems);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.0.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{}", problem.message)?;
            if problem.place.file().is_some() {
                write!(f, "\n  at {}", problem.place)?;
            }
            if let Some(help) = &problem.help {
                write!(f, "\n  help: {help}")?;
            }
            write!(f, "\n  code: {}", problem.code)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Failure {
    /// The words of [`Display`](fmt::Display): this is how an error of `main` is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "vatpipe cannot give the game its textures\n\n{self}")
    }
}

impl std::error::Error for Failure {}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Self {
        Self(problems)
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self(problem.into())
    }
}

/// What the game gets beside constants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Textures {
    /// The bytes of all files: `vat::file("crab", "crab.glb")`. The program needs no other file, on any device. On docs.rs
    /// there are none.
    #[default]
    Embedded,
    /// The folder that they are in, below `OUT_DIR`: `vat::FOLDER`. It is there on this machine alone.
    Files,
    /// Nothing: the game reads what `vatpipe build` or `vatpipe watch` publishes in the manifest's output folder.
    Elsewhere,
}

/// How the outputs came to be where they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// They were up to date.
    Fresh,
    /// They were published in the manifest's output folder, and copied.
    Published,
    /// The program baked them, or took them from the cache.
    Program,
    /// The build script did.
    Script,
}

/// What was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// The file to include; the variable `VAT_RS` names it too.
    pub include: PathBuf,
    /// The folder with the files of the characters, the constants, and shaders.
    pub folder: PathBuf,
    /// The files that they were made of, sorted, the manifest and templates among them.
    pub inputs: Vec<PathBuf>,
    /// How they came to be there.
    pub origin: Origin,
}

/// Bakes what `vat.toml` says, and embeds it: [`Build::new`]`().run()`.
///
/// # Errors
/// As [`Build::run`].
pub fn build() -> Result {
    Build::new().run().map(|_| ())
}

/// What to build, and how.
///
/// ```no_run
/// use vatpipe::build_script::{Build, Result};
///
/// fn main() -> Result {
///     Build::new()
///         .manifest("art/vat.toml")
///         .debug(|build| build.files().set("quality", "fast"))
///         .feature("hd", |build| build.set("max_texture", "8192"))
///         .run()?;
///     Ok(())
/// }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Build {
    manifest: Option<PathBuf>,
    name: Option<String>,
    textures: Textures,
    targets: Vec<String>,
    set: Vec<(String, String)>,
    quiet: bool,
}

impl Build {
    /// What [`build()`] does.
    pub fn new() -> Self {
        Self::default()
    }

    /// The manifest, relative to the folder of the package. Without it: `vat.toml` there, or in the nearest folder above up to
    /// that of the workspace.
    pub fn manifest(mut self, path: impl Into<PathBuf>) -> Self {
        self.manifest = Some(path.into());
        self
    }

    /// What it is called, for a build script with several manifests: `enemies` makes `enemies.rs` and the folder
    /// `enemies` in `OUT_DIR`, and the variable `ENEMIES_RS`. Without it: `vat`.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// What the game gets beside constants.
    pub fn textures(mut self, textures: Textures) -> Self {
        self.textures = textures;
        self
    }

    /// [`Textures::Embedded`], as it is without saying so.
    pub fn embed(self) -> Self {
        self.textures(Textures::Embedded)
    }

    /// [`Textures::Files`].
    pub fn files(self) -> Self {
        self.textures(Textures::Files)
    }

    /// [`Textures::Elsewhere`].
    pub fn constants_only(self) -> Self {
        self.textures(Textures::Elsewhere)
    }

    /// One more target of constants beside those of the manifest and `rust`.
    pub fn target(mut self, target: impl Into<String>) -> Self {
        self.targets.push(target.into());
        self
    }

    /// A value for a key of `[defaults]`, in place of what any table of the manifest says of clips and meshes (levels of
    /// detail keep settings of their own): `set("quality", "fast")`, `set("fps", "15")`. What the game finds published in the
    /// manifest's output folder was made without it, so it is baked for this build alone.
    pub fn set(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.set.push((key.into(), value.into()));
        self
    }

    /// Changes for debug builds: those of the profile `dev` and profiles that inherit it.
    pub fn debug(self, change: impl FnOnce(Self) -> Self) -> Self {
        if cargo::text("PROFILE").as_deref() == Some("debug") { change(self) } else { self }
    }

    /// Changes for release builds: those of the profile `release` and profiles that inherit it.
    pub fn release(self, change: impl FnOnce(Self) -> Self) -> Self {
        if cargo::text("PROFILE").as_deref() == Some("release") { change(self) } else { self }
    }

    /// Changes for builds with a feature of the game.
    pub fn feature(self, name: &str, change: impl FnOnce(Self) -> Self) -> Self {
        let variable = format!("CARGO_FEATURE_{}", name.to_uppercase().replace('-', "_"));
        if std::env::var_os(variable).is_some() { change(self) } else { self }
    }

    /// Whether warnings are left out. Without it they are `cargo::warning` lines.
    pub fn quiet(mut self, quiet: bool) -> Self {
        self.quiet = quiet;
        self
    }

    /// Does it.
    ///
    /// # Errors
    /// The manifest or a model is wrong, a budget is exceeded, `OUT_DIR` cannot be written, there is nobody to bake
    /// (`build-script::no-program`), or no cargo has called (`build-script::not-cargo`).
    pub fn run(self) -> Result<Built> {
        let cargo = Cargo::ask()?;
        let (built, lines) = Script::new(&self, &cargo)?.run()?;
        lines.say()?;
        Ok(built)
    }
}
