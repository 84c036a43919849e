//! `vatpipe cache`, `[cache]`, `--depfile`, messages of what is cached

use serde_json::json;

use super::{Folder, model, run_in};

const MANIFEST: &str = "[characters.crab]\nsource = \"art/crab one.gltf\"\n";

fn built() -> Folder {
    let folder = Folder::new();
    folder.write("art/crab one.gltf", &model(&["Walk"])).write("vat.toml", MANIFEST);
    assert_eq!(folder.run(&["build", "-q"]).code, 0);
    folder
}

#[test]
fn a_cache_is_looked_after() {
    let folder = built();
    let stats = folder.run(&["cache", "stats"]);
    assert_eq!((stats.code, stats.err.as_str()), (0, ""));
    assert!(stats.out.contains("1 clip, 1 blob, ") && stats.out.contains("assets/vat"), "{}", stats.out);
    assert_eq!(folder.run(&["cache", "gc"]).out, "removed 0 clips, 0 blobs, 0 B\n");
    assert!(folder.run(&["cache", "verify"]).out.ends_with(": all sound\n"));
    let (code, messages) = folder.json(&["cache", "verify"]);
    assert_eq!(
        (code, &messages[0]["reason"], &messages[0]["files"]),
        (0, &json!("cache-verified"), &json!(2))
    );
    let (_, messages) = folder.json(&["cache", "stats"]);
    assert_eq!((&messages[0]["entries"], &messages[0]["projects"][0]["clips"]), (&json!(1), &json!(1)));
    let (code, messages) = folder.json(&["cache", "clear"]);
    assert_eq!(
        (code, &messages[0]["reason"], &messages[0]["entries"]),
        (0, &json!("cache-cleared"), &json!(1))
    );
    assert_eq!(folder.json(&["cache", "gc"]).1[0]["reason"], "cache-collected");
    // No manifest is needed.
    assert_eq!(Folder::new().run(&["cache", "stats"]).code, 0);
}

#[test]
fn a_damaged_cache_is_an_exit_code() {
    let folder = built();
    let blobs = folder.path(".cache/v1/blobs");
    let blob = std::fs::read_dir(blobs).unwrap().next().unwrap().unwrap().path();
    let blob = std::fs::read_dir(blob).unwrap().next().unwrap().unwrap().path();
    std::fs::write(&blob, "x").unwrap();
    let run = folder.run(&["cache", "verify"]);
    assert_eq!(run.code, 1);
    assert!(run.out.ends_with(": 2 damaged, and removed\n"), "{}", run.out);
}

#[test]
fn a_cache_in_use_is_left_alone() {
    let folder = built();
    let using = vatpipe::cache::gc::using(&folder.path(".cache/v1"), &|_| {}).unwrap();
    for command in ["gc", "clear"] {
        let run = folder.run(&["cache", command]);
        assert_eq!((run.code, run.out.as_str()), (1, ""));
        assert!(run.err.contains("in use by another process"), "{}", run.err);
    }
    drop(using);
    assert_eq!(folder.run(&["cache", "clear"]).out.split(", ").next(), Some("removed 1 clip"));
}

#[test]
fn the_manifest_names_the_cache() {
    let folder = built();
    folder.write("vat.toml", &format!("[cache]\ndir = \"mine\"\nmax_size = \"2GiB\"\n{MANIFEST}"));
    std::fs::remove_dir_all(folder.path("assets")).unwrap();
    let none = &[("VATPIPE_CACHE_DIR", "")];
    let run = run_in(folder.0.path(), &["build", "--message-format", "json"], none);
    assert!(run.out.contains("\"baked\":1,\"fresh\":0"), "{}", run.out);
    assert!(folder.path("mine/v1/entries").is_dir());
    // The variable comes first.
    std::fs::remove_dir_all(folder.path("assets")).unwrap();
    std::fs::remove_dir_all(folder.path("mine")).unwrap();
    let (_, messages) = folder.json(&["build"]);
    assert_eq!(messages.last().unwrap()["fresh"], 1);
    assert!(!folder.path("mine").exists());
    // And no cache before both.
    std::fs::remove_dir_all(folder.path("assets")).unwrap();
    let (_, messages) = folder.json(&["build", "--no-cache"]);
    assert_eq!(messages.last().unwrap()["baked"], 1);
}

#[test]
fn messages_say_what_was_baked_and_what_was_not() {
    let folder = built();
    let (_, messages) = folder.json(&["build"]);
    let find = |reason: &str| messages.iter().find(|m| m["reason"] == reason);
    assert_eq!(
        find("clip-fresh").unwrap(),
        &json!({ "reason": "clip-fresh", "character": "crab", "clip": "Walk" })
    );
    assert!(find("character-fresh").is_some() && find("clip-baked").is_none());
    let finished = find("build-finished").unwrap();
    assert_eq!(
        (&finished["baked"], &finished["fresh"], &finished["bytes"]),
        (&json!(0), &json!(1), &json!(0))
    );
}

/// A clip beyond the range of 32-bit floats: it is named, its character fails, nothing of it stays.
#[test]
fn a_clip_that_fails_is_named() {
    let folder = built();
    let mut far: serde_json::Value = serde_json::from_str(&model(&["Walk", "Run"])).unwrap();
    far["nodes"][0]["matrix"] = json!(null);
    far["nodes"] = json!([{ "name": "root", "children": [1], "scale": [3e38, 3e38, 3e38] }, { "name": "body", "mesh": 0, "scale": [1e38, 1e38, 1e38] }]);
    for animation in far["animations"].as_array_mut().unwrap() {
        animation["channels"][0]["target"]["node"] = json!(1);
    }
    folder.write("art/crab one.gltf", &far.to_string());
    let before = folder.read("assets/vat/crab/crab.vat.json");
    let (code, messages) = folder.json(&["build"]);
    assert_eq!(code, 1, "{messages:?}");
    let failed: Vec<_> = messages.iter().filter(|m| m["reason"] == "clip-failed").collect();
    assert_eq!((failed.len(), &failed[0]["character"]), (2, &json!("crab")), "{messages:?}");
    assert!(messages.iter().any(|m| m["reason"] == "character-failed"));
    assert_eq!(folder.read("assets/vat/crab/crab.vat.json"), before);
}

#[test]
fn depfiles() {
    let folder = built();
    let run = folder.run(&["build", "-q", "--depfile", "out/vat.d"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let text = folder.read("out/vat.d");
    let (outputs, inputs) = text.split_once(": ").unwrap();
    let words =
        |text: &str| text.replace("\\\n", "").split("  ").map(|w| w.trim().to_owned()).collect::<Vec<_>>();
    let outputs = words(outputs);
    for file in ["crab/crab.glb", "crab/crab.vat.json", "vat.rs", "vat.published.json"] {
        assert!(outputs.contains(&format!("assets/vat/{file}")), "{file}: {text}");
    }
    assert_eq!(words(inputs), ["", "vat.toml", "art/crab\\ one.gltf"]);
    // Make reads it: nothing to do while all are there and in order; something once an input is gone.
    let make = |folder: &Folder| {
        folder.write("Makefile", "all: assets/vat/vat.published.json\nassets/vat/vat.published.json:\n\ttouch $@\n-include out/vat.d\n");
        std::process::Command::new("make").current_dir(folder.0.path()).arg("-q").status()
    };
    if let Ok(status) = make(&folder) {
        assert_eq!(status.code(), Some(0), "{text}");
        std::fs::remove_file(folder.path("art/crab one.gltf")).unwrap();
        assert_eq!(make(&folder).unwrap().code(), Some(2));
    }
    // A build that fails says nothing of what depends on what.
    let failed = folder.run(&["build", "-q", "--depfile", "out/other.d"]);
    assert_eq!((failed.code, folder.path("out/other.d").exists()), (1, false));
}
