//! Bytes that change only together with the bake version.

use std::fmt::Write as _;
use std::path::Path;

use vatpipe::cache::digest::Digest;
use vatpipe::cache::key::BAKE_VERSION;
use vatpipe::run::Options;

use super::same::examples;
use super::scene::Scene;
use crate::support::models::{machine, morph_quad, skinned_strip};

const HELP: &str = "
Bakes give other bytes than before. If that is meant, whoever has cached clips must not go on with the old ones:
raise `BAKE_VERSION` in src/cache/key.rs (once between releases is enough), say so in CHANGELOG.md, and run
    VATPIPE_WRITE_GOLDEN=1 cargo test --test vatpipe golden
If it is not meant, the change that did it is a mistake.
";

/// Small models in all formats and ways of storing.
fn small() -> Scene {
    let scene = Scene::new();
    scene.write("strip.glb", skinned_strip().glb());
    scene.write("quad.glb", morph_quad().glb());
    scene.write("machine.glb", machine().glb());
    let mut text = "[output]\ndir = \"out\"\n[defaults]\nfps = 12\n".to_owned();
    for model in ["strip", "quad", "machine"] {
        for format in ["rgba32f", "rgba16f", "rgba16ui", "rgba16", "rgb10a2", "rgba8"] {
            text +=
                &format!("[characters.{model}-{format}]\nsource = \"{model}.glb\"\nformat = \"{format}\"\n");
        }
        text += &format!(
            "[characters.{model}-sheet]\nsource = \"{model}.glb\"\nnormals = \"sheet\"\nloop = true\nshare_columns = false\n"
        );
        text += &format!(
            "[characters.{model}-none]\nsource = \"{model}.glb\"\nnormals = \"none\"\nrelative = true\n"
        );
    }
    scene.write("vat.toml", text);
    scene
}

/// What the blocks and all that describes them come to. The record and constants carry versions and the wording of
/// templates: they are made anew whenever those change.
fn digests(scene: &Scene) -> String {
    let built = scene.build_with(&Options::default());
    assert_eq!(built.outcome.failed, 0, "{:?}", built.codes);
    let mut text = String::new();
    for (name, bytes) in scene.bytes().iter().filter(|(name, _)| name.contains('/')) {
        writeln!(text, "{}  {name}", Digest::of(bytes)).unwrap();
    }
    text
}

#[test]
fn golden_bytes_change_only_with_the_bake_version() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cache/golden.txt");
    let now = format!("bake version {BAKE_VERSION}\n{}{}", digests(&examples()), digests(&small()));
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    if now == golden {
        return;
    }
    let raised = golden.lines().next() != now.lines().next();
    if std::env::var_os("VATPIPE_WRITE_GOLDEN").is_some() {
        let grown = golden.lines().all(|line| now.lines().any(|other| other == line));
        assert!(raised || grown, "{HELP}\nThe bake version is still {BAKE_VERSION}.");
        std::fs::write(&path, now).unwrap();
        return;
    }
    let known: Vec<&str> = golden.lines().collect();
    let others: Vec<&str> = now.lines().filter(|line| !known.contains(line)).collect();
    panic!("{HELP}\n{} of {} differ:\n{}", others.len(), known.len(), others.join("\n"));
}
