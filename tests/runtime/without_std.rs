//! The runtime alone is small, and needs no standard library.

use std::process::Command;

fn cargo(arguments: &[&str]) -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).args(["--offline", "--locked"]);
    let output = command.output().expect("cargo starts");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    assert!(output.status.success(), "{arguments:?}: {}", text(output.stderr));
    text(output.stdout)
}
const ALONE: [&str; 3] = ["--no-default-features", "--features", "runtime"];

/// Without `std` the crate is `no_std`: whatever names the standard library does not compile.
#[test]
fn it_compiles_alone() {
    cargo(&[&["check", "--quiet", "--lib"], &ALONE[..]].concat());
}

/// What a game that has only the runtime compiles with it.
#[test]
fn it_brings_few_crates() {
    let tree = cargo(
        &[&["tree", "--edges", "normal", "--prefix", "none", "--format", "{lib} {f}"], &ALONE[..]].concat(),
    );
    let mut crates: Vec<&str> = tree.lines().filter(|line| !line.is_empty()).collect();
    crates.sort_unstable();
    crates.dedup();
    assert!(crates.len() <= 16, "{crates:?}");
    let with_std: Vec<&&str> =
        crates.iter().filter(|line| line.split([' ', ',']).skip(1).any(|f| f == "std")).collect();
    assert!(with_std.is_empty(), "{with_std:?}");
}
