//! The script alone: this program runs itself as one.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output};

use vatpipe::build_script::Build;

use super::{Package, said};

/// Names what the script is to do; tests of this program that are not run as a script do nothing.
const VARIABLE: &str = "VATPIPE_TEST_SCRIPT";

/// The script. It does what the variable names, as a `build.rs` would.
#[test]
fn the_script_itself() {
    let Ok(what) = std::env::var(VARIABLE) else { return };
    // The name of this test stands before what it prints.
    let (mut out, mut err) = (std::io::stdout(), std::io::stderr());
    writeln!(out).unwrap();
    let build = match what.as_str() {
        "embed" => Build::new(),
        "files" => Build::new().files(),
        "elsewhere" => Build::new().constants_only(),
        "quiet" => Build::new().quiet(true),
        "named" => Build::new().name("far-away").target("hlsl"),
        "profiles" => Build::new()
            .debug(|build| build.set("fps", "5"))
            .release(|build| build.set("fps", "20"))
            .feature("low-rate", |build| build.set("fps", "2")),
        "manifest" => Build::new().manifest("art/other.toml"),
        "wrong" => Build::new().set("fsp", "5"),
        other => panic!("no script {other}"),
    };
    match build.run() {
        Ok(built) => writeln!(out, "origin {:?}", built.origin).unwrap(),
        Err(failure) => {
            writeln!(err, "Error: {failure:?}").unwrap();
            std::process::exit(3);
        }
    }
}

/// How a script is called.
pub struct Script<'a> {
    package: &'a Package,
    what: &'a str,
    folder: PathBuf,
    variables: Vec<(&'a str, PathBuf)>,
}

/// What a script said.
pub struct Ran {
    pub ok: bool,
    pub origin: String,
    /// What it told cargo.
    pub lines: Vec<String>,
    pub err: String,
    pub out: PathBuf,
}

impl<'a> Script<'a> {
    /// With the program of this build.
    pub fn new(package: &'a Package, what: &'a str) -> Self {
        let program = PathBuf::from(env!("CARGO_BIN_EXE_vatpipe"));
        Self { package, what, folder: package.folder(), variables: vec![("VATPIPE", program)] }
    }

    /// Of a package in a folder of the package.
    pub fn in_folder(mut self, folder: &str) -> Self {
        self.folder = self.package.path(folder);
        self
    }

    pub fn with(mut self, name: &'a str, value: impl Into<PathBuf>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// Runs it as cargo would.
    pub fn run(self) -> Ran {
        let out = self.package.beside("out");
        std::fs::create_dir_all(&out).unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "build_script::work::the_script_itself", "--nocapture", "--test-threads=1"]);
        command.current_dir(&self.folder).env(VARIABLE, self.what);
        command.env("CARGO_MANIFEST_DIR", &self.folder).env("OUT_DIR", &out);
        command.env("VATPIPE_CACHE_DIR", self.package.beside("cache"));
        command.env("NUM_JOBS", "2").env("PROFILE", "debug").env("HOST", "a-b-c").env("TARGET", "a-b-c");
        command.env_remove("DOCS_RS").env_remove("CARGO_MAKEFLAGS").envs(self.variables);
        let output: Output = command.output().unwrap();
        let text = String::from_utf8(output.stdout.clone()).unwrap();
        let line = |start: &str| text.lines().find_map(|line| line.strip_prefix(start)).unwrap_or_default();
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 3)), "{}", said(&output));
        Ran {
            ok: code == Some(0),
            origin: line("origin ").to_owned(),
            lines: text.lines().filter_map(|line| line.strip_prefix("cargo::")).map(str::to_owned).collect(),
            err: String::from_utf8(output.stderr).unwrap(),
            out,
        }
    }
}

impl Ran {
    pub fn succeeded(self) -> Self {
        assert!(self.ok, "{}", self.err);
        self
    }

    pub fn include(&self) -> String {
        std::fs::read_to_string(self.out.join("vat.rs")).unwrap()
    }
}
