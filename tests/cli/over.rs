//! `--out`, `--target` and `--set`: another build of the same manifest.

use std::path::Path;

use serde_json::{Value, json};

use super::{Folder, model};

const MANIFEST: &str =
    "[characters.it]\nsource = \"it.gltf\"\n[characters.it.clip.go]\nfps = 10\nquality = \"thorough\"\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("it.gltf", &model(&["go"])).write("vat.toml", MANIFEST);
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn frames(folder: &Folder, out: &str) -> Value {
    let text = folder.read(&format!("{out}/it/it.vat.json"));
    serde_json::from_str::<Value>(&text).unwrap()["clips"][0]["tracks"][0]["frames"].clone()
}

#[test]
fn everything_lies_below_another_folder() {
    let folder = folder();
    let other = ["build", "-q", "--out", "deep/out", "--target", "rust,hlsl", "--set", "fps=5"];
    assert_eq!(folder.run(&other).code, 0);
    assert_eq!(names(&folder.path("")), [".cache", "deep", "it.gltf", "vat.toml"]);
    assert_eq!(
        names(&folder.path("deep/out")),
        [".vatpipe", "it", "vat.hlsl", "vat.published.json", "vat.rs"]
    );
    assert_eq!(frames(&folder, "deep/out"), json!(6), "five frames a second, though the clip says ten");
    let check = |more: &[&str]| folder.run(&[&["check", "-q"], more].concat()).code;
    assert_eq!(check(&other[2..]), 0);
    assert_eq!([check(&[]), check(&["--out", "deep/out"])], [3, 3], "that is another build");
}

/// What a build with nothing to do has seen is of the manifest as it is.
#[test]
fn builds_of_one_manifest_do_not_take_each_other_for_their_own() {
    let folder = folder();
    let other = ["build", "-q", "--out", "other"];
    for _ in 0..3 {
        assert_eq!([folder.run(&other).code, folder.run(&["build", "-q"]).code], [0, 0]);
    }
    std::fs::remove_file(folder.path("assets/vat/it/it.glb")).unwrap();
    assert_eq!([folder.run(&other).code, folder.run(&["build", "-q"]).code], [0, 0]);
    assert!(folder.path("assets/vat/it/it.glb").exists());
}

#[test]
fn what_cannot_be_is_said() {
    let folder = folder();
    for (arguments, code, part) in [
        (&["--target", "wgls"][..], "codegen::", "wgls"),
        (&["--set", "qualty=fast"], "manifest::unknown-key", "did you mean `quality`?"),
        (&["--set", "quality=fastest of all"], "manifest::", "quality"),
        (&["--set", "fps=0"], "manifest::range", "fps"),
        (&["--set", "lods=[]"], "manifest::unknown-key", "there is no setting `lods`"),
        (&["--set", "fps=auto"], "manifest::budget", "max_error"),
    ] {
        let run = folder.run(&[&["build", "--out", "out"], arguments].concat());
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.err);
        assert!(run.err.contains(code) && run.err.contains(part), "{arguments:?}: {}", run.err);
    }
    let run = folder.run(&["build", "--set", "fps"]);
    assert!(run.code == 2 && run.err.contains("KEY=VALUE"), "{}", run.err);
}
