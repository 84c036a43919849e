//! The checkers of `tests/tools`: other people's readers, which run in Node.js.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Runs `check_ktx2.mjs` (ktx-parse: read, write back, compare) over files; returns its entry for each,
/// in their order. Fails the test if there is a problem with any.
pub fn check_ktx2(files: &[PathBuf]) -> Vec<Value> {
    check("check_ktx2.mjs", files)
}

/// Runs `check_glb.mjs` (the Khronos glTF validator) over files; returns its entry for each, in their
/// order. Fails the test if there is an error or a warning for any.
pub fn check_glb(files: &[PathBuf]) -> Vec<Value> {
    check("check_glb.mjs", files)
}

/// Runs `check_page.mjs` (headless Chromium) over HTML files; returns its entry for each, in their order. Fails the test
/// if there is a problem with any.
pub fn check_page(files: &[PathBuf]) -> Vec<Value> {
    check("check_page.mjs", files)
}

/// Runs `check_wgsl.mjs` (Tint, in headless Chromium) over WGSL files; returns its entry for each, in their order. Fails
/// the test if the compiler has anything to say of one.
pub fn check_wgsl(files: &[PathBuf]) -> Vec<Value> {
    check("check_wgsl.mjs", files)
}

fn check(script: &str, files: &[PathBuf]) -> Vec<Value> {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tools");
    assert!(
        tools.join("node_modules").is_dir(),
        "the checkers in tests/tools are not installed: run tests/run, which installs them and runs the tests"
    );
    let output = Command::new("node").arg(tools.join(script)).args(files).output();
    let output = output.unwrap_or_else(|e| panic!("cannot run node ({e}): run tests/run, which installs it"));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| {
        panic!("{script} printed no JSON ({e}): {}", String::from_utf8_lossy(&output.stderr))
    });
    let entries = report["files"].as_array().expect("a list of files").clone();
    assert_eq!(entries.len(), files.len());
    for entry in &entries {
        assert_eq!(entry["problems"], Value::Array(Vec::new()), "{script}: {}", entry["file"]);
    }
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    entries
}
