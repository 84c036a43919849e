//! A game that cargo builds: its build script, its code, and how often the script ran.

use std::path::PathBuf;
use std::process::{Command, Output};

use super::{Package, said};

/// A game of one package.
pub struct Game(pub Package);

const CARGO_TOML: &str = r#"[package]
name = "NAME"
version = "0.1.0"
edition = "2024"

[build-dependencies]
vatpipe = { path = 'VATPIPE', default-features = false, features = ["script"] }

[workspace]
"#;

/// Notes each run of the script in a file.
const BUILD_RS: &str = r##"use std::io::Write;

fn main() -> vatpipe::build_script::Result {
    let mut log = std::fs::File::options().append(true).create(true).open(r#"LOG"#).unwrap();
    let built = vatpipe::build_script::Build::new().run()?;
    writeln!(log, "{:?}", built.origin).unwrap();
    Ok(())
}
"##;

/// The line of the guide, and use of all that it gives.
const MAIN_RS: &str = r#"#![deny(warnings)]

mod vat {
    include!(env!("VAT_RS"));
}

fn main() {
    for character in vat::CHARACTERS {
        let clips: Vec<&str> = character.clips.iter().map(|clip| clip.name).collect();
        let sheet = vat::file(character.name, character.sheets[0].file).map_or(0, |bytes| bytes.len());
        println!("{} {clips:?} {}", character.name, sheet > 0);
    }
    println!("{}", vat::WGSL.len() > 0);
}
"#;

impl Game {
    /// `name` is that of the package: games have one folder of compiled dependencies, in which each is known by it.
    pub fn new(name: &str) -> Self {
        let package = Package::new();
        let here = env!("CARGO_MANIFEST_DIR");
        package.write("Cargo.toml", &CARGO_TOML.replace("NAME", name).replace("VATPIPE", here));
        package.write("build.rs", &BUILD_RS.replace("LOG", package.beside("log").to_str().unwrap()));
        package.write("src/main.rs", MAIN_RS);
        // The versions that this crate is tested with, which are on this machine.
        std::fs::copy(PathBuf::from(here).join("Cargo.lock"), package.path("Cargo.lock")).unwrap();
        let game = Self(package);
        // Cargo does not tell games of one name in different folders apart: the last one of this name may have left something.
        let cleaned = game.cargo(&["clean", "-p", name], &[]);
        assert!(cleaned.status.success(), "{}", said(&cleaned));
        game
    }

    /// Runs cargo in it.
    pub fn cargo(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        let mut command = Command::new(env!("CARGO"));
        command.current_dir(self.0.folder()).args(arguments).arg("--offline");
        command.env("CARGO_TARGET_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/games"));
        command
            .env("VATPIPE_CACHE_DIR", self.0.beside("cache"))
            .env("VATPIPE", env!("CARGO_BIN_EXE_vatpipe"));
        // As from a shell: what cargo has set for this test is not meant for the game.
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            let other = name.starts_with("CARGO_")
                && !["CARGO_HOME", "CARGO_TARGET_DIR", "CARGO_NET_OFFLINE"].contains(&&*name);
            if other || name == "OUT_DIR" {
                command.env_remove(name);
            }
        }
        command.env("CARGO_TARGET_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/games"));
        command.env_remove("DOCS_RS").envs(variables.iter().copied()).output().unwrap()
    }

    /// Builds and runs it: what it prints.
    pub fn play(&self) -> String {
        let output = self.cargo(&["run", "-q"], &[]);
        assert!(output.status.success(), "{}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// How the outputs came to be there, for each run of the script since this was last asked.
    pub fn runs(&self) -> Vec<String> {
        let log = self.0.beside("log");
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        let _ = std::fs::remove_file(log);
        text.lines().map(str::to_owned).collect()
    }
}
