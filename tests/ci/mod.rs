//! The recipe of docs/ci.md, played by a script.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::model::Model;

/// A point that each clip takes somewhere.
fn model(to: f32) -> Vec<u8> {
    let mut model = Model::new();
    let position = model.vec3(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let mesh = model.mesh(json!([{ "attributes": { "POSITION": position } }]));
    let node = model.node(json!({ "name": "body", "mesh": mesh }));
    for (index, to) in [1.0, to].into_iter().enumerate() {
        let clip = model.clip(&format!("clip{index}"));
        let way = model.vec3(&[[0.0; 3], [to, 1.0, 0.0]]);
        model.channel(clip, node, "translation", &[0.0, 1.0], way, "LINEAR");
    }
    model.glb()
}

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_recipe_does_what_its_page_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("art")).unwrap();
    std::fs::write(path("art/a.glb"), model(2.0)).unwrap();
    std::fs::write(path("edited.glb"), model(3.0)).unwrap();
    let manifest =
        "[output]\ndir = \"out\"\ntargets = [\"rust\"]\n[characters.a]\nsource = \"art/a.glb\"\nfps = 10\n";
    std::fs::write(path("vat.toml"), manifest).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ci/play");
    let played = Command::new(script)
        .arg(env!("CARGO_BIN_EXE_vatpipe"))
        .args([folder.path(), &path("edited.glb")])
        .output()
        .unwrap();
    assert!(played.status.success(), "{}", String::from_utf8_lossy(&played.stderr));

    let code = |name: &str| std::fs::read_to_string(path(&format!("{name}.code"))).unwrap().trim().to_owned();
    let said = |name: &str| lines(&path(&format!("{name}.jsonl")));
    let baked = |name: &str| {
        let all = said(name);
        let baked = all.iter().filter(|line| line["reason"] == "clip-baked");
        let mut names: Vec<String> =
            baked.map(|line| line["clip"]["name"].as_str().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    for (name, clips) in [("cold", &["clip0", "clip1"][..]), ("warm", &[]), ("edited", &["clip1"])] {
        assert_eq!(
            (code(name).as_str(), baked(name)),
            ("0", clips.iter().map(|c| (*c).to_owned()).collect()),
            "{name}"
        );
        let checked = lines(&path(&format!("{name}.check.jsonl")));
        assert_eq!(checked.last().unwrap()["fresh"], true, "{name}");
        assert!(path(&format!("{name}.figures.json")).exists());
    }
    for (name, cause) in [("stale", "recipe-changed"), ("unrecorded", "not-published")] {
        assert_eq!((code(name).as_str(), baked(name).len()), ("3", 0), "{name}");
        let all = said(name);
        let listed =
            all.iter().find(|line| line["reason"] == "out-of-date" && line["character"] == "a").unwrap();
        assert_eq!(listed["causes"][0]["cause"], cause, "{name}: {listed}");
        assert_eq!(all.last().unwrap()["reason"], "check-finished");
    }
    // Nothing was written.
    assert!(!path("clone/out").exists());
}
