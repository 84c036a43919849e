//! Outputs never replace inputs.

use std::fs;

use tempfile::TempDir;
use vatpipe::run::{self, Event, Options};

use crate::cli::model;

/// Builds a manifest over files, and says which problems there were.
fn build(folder: &TempDir, text: &str) -> Vec<&'static str> {
    let manifest = vatpipe::manifest::load(text, &folder.path().join("vat.toml")).unwrap();
    let mut codes = Vec::new();
    let sink = run::serialised(|event| match event {
        Event::CharacterFailed { problems, .. } => codes.extend(problems.0.iter().map(|p| p.code)),
        Event::Problem(problem) => codes.push(problem.code),
        _ => {}
    });
    let outcome = run::build(&manifest, &Options::default(), &sink);
    drop(sink);
    assert_eq!(outcome.failed > 0, !codes.is_empty(), "{codes:?}");
    codes
}

/// Art beside outputs: the mesh of `crab` would be written over the model that it is made of.
#[test]
fn a_source_is_never_replaced_by_its_own_mesh() {
    let refused: &[&str] = &["files::overwrites-input"];
    for (dir, source, character, expected) in [
        ("assets", "assets/crab/crab.glb", "crab", refused),
        (".", "art/art.glb", "art", refused),
        ("assets", "assets/crab/other.glb", "crab", &[]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(source);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, model(&["Walk"])).unwrap();
        let text = format!("[output]\ndir = \"{dir}\"\n[characters.{character}]\nsource = \"{source}\"\n");
        assert_eq!(build(&folder, &text), expected, "{source}");
        assert_eq!(fs::read(&path).unwrap(), model(&["Walk"]).into_bytes(), "{source}");
    }
}

#[test]
fn another_characters_source_is_an_input_too() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("out/b")).unwrap();
    fs::write(folder.path().join("a.glb"), model(&["Walk"])).unwrap();
    fs::write(folder.path().join("out/b/b.glb"), model(&["Run"])).unwrap();
    let text = "[output]\ndir = \"out\"\n[characters.b]\nsource = \"a.glb\"\n[characters.c]\nsource = \"out/b/b.glb\"\n";
    assert_eq!(build(&folder, text), ["files::overwrites-input"]);
    assert_eq!(fs::read(folder.path().join("out/b/b.glb")).unwrap(), model(&["Run"]).into_bytes());
}

#[test]
fn a_template_is_never_replaced_by_what_it_makes() {
    let folder = tempfile::tempdir().unwrap();
    let template = folder.path().join("tpl/vat.foo");
    fs::create_dir_all(template.parent().unwrap()).unwrap();
    fs::write(&template, "X {{ characters|length }}").unwrap();
    fs::write(folder.path().join("a.glb"), model(&["Walk"])).unwrap();
    let text = "[output]\ndir = \"tpl\"\ntemplates = \"tpl\"\ntargets = [\"foo\"]\n[characters.a]\nsource = \"a.glb\"\n";
    assert_eq!(build(&folder, text), ["files::overwrites-input"]);
    assert_eq!(fs::read_to_string(&template).unwrap(), "X {{ characters|length }}");
}
