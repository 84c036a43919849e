//! `vat.rs`: compiled by rustc with every warning an error, and run.

use std::path::Path;
use std::process::{Command, Output};

use super::{sample, text};

fn rustc(folder: &Path, arguments: &[&str]) -> Output {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).current_dir(folder).args(["-D", "warnings"]).args(arguments).output();
    let output = output.expect("rustc starts");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

/// A folder that holds the generated file and `main` as `name`.
fn folder(name: &str, main: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    write("vat.rs", &text(&sample::all(), "rust"));
    write(name, main);
    folder
}

#[test]
fn it_compiles_as_a_module_without_std() {
    let main = "//! Docs.\n#![no_std]\n#![deny(missing_docs, missing_debug_implementations)]\n/// Docs.\npub mod vat;\n";
    let folder = folder("main.rs", main);
    for edition in ["2021", "2024"] {
        let arguments = ["--edition", edition, "--crate-type", "lib", "--emit", "metadata", "main.rs"];
        rustc(folder.path(), &arguments);
    }
}

#[test]
fn it_compiles_without_characters() {
    let folder = folder("main.rs", "mod vat;\nfn main() {}\n");
    std::fs::write(folder.path().join("vat.rs"), text(&[], "rust")).expect("written");
    rustc(folder.path(), &["--edition", "2024", "--emit", "metadata", "main.rs"]);
}

#[test]
fn it_compiles_when_included_and_unused() {
    // A private module of a program that uses nothing of it, and the root of another one.
    let module = "mod vat {\n    include!(\"vat.rs\");\n}\nfn main() {}\n";
    let root = "include!(\"vat.rs\");\nfn main() {}\n";
    let folder = folder("module.rs", module);
    std::fs::write(folder.path().join("root.rs"), root).expect("written");
    for (edition, main) in [("2021", "module.rs"), ("2024", "module.rs"), ("2024", "root.rs")] {
        rustc(folder.path(), &["--edition", edition, "--crate-type", "bin", "--emit", "metadata", main]);
    }
}

#[test]
fn it_runs() {
    let folder = folder("main.rs", include_str!("program.rs"));
    let names = format!("const NAMES: &[&str] = &{:?};", sample::NASTY_NAMES);
    std::fs::write(folder.path().join("names.rs"), names).expect("written");
    rustc(folder.path(), &["--edition", "2021", "-o", "program", "main.rs"]);
    let run = Command::new(folder.path().join("program")).output().expect("the program starts");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(run.stdout, b"done\n");
}

#[test]
fn rustfmt_leaves_it_alone() {
    let folder = folder("main.rs", "mod vat;\nfn main() {}\n");
    for configuration in ["max_width=100", "max_width=60,hard_tabs=true"] {
        let mut rustfmt = Command::new("rustfmt");
        rustfmt.args(["--check", "--edition", "2024", "--config", configuration]);
        let output = rustfmt.arg(folder.path().join("vat.rs")).output().expect("rustfmt starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn it_is_ascii_and_the_same_every_time() {
    let first = text(&sample::all(), "rust");
    assert!(first.is_ascii() && first.lines().all(|line| !line.ends_with(' ')));
    assert_eq!(first, text(&sample::all(), "rust"));
}
