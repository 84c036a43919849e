//! `vatpipe check`, `vatpipe explain`

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::{Value, json};

use super::{Folder, model};

const MANIFEST: &str =
    "[characters.crab]\nsource = \"art/crab.gltf\"\nclips = \"all\"\nclip.Walk.loop = true\n";

fn crab() -> Folder {
    let folder = Folder::new();
    folder.write("art/crab.gltf", &model(&["Walk", "Run"])).write("vat.toml", MANIFEST);
    folder
}

fn built() -> Folder {
    let folder = crab();
    assert_eq!(folder.run(&["build", "-q"]).code, 0);
    folder
}

/// All files below a folder, with what a write would change.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, (SystemTime, Vec<u8>)> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let time = path.metadata().unwrap().modified().unwrap();
                files.insert(path.clone(), (time, std::fs::read(&path).unwrap()));
            }
        }
    }
    files
}

/// Checks, which changes nothing; then what it says is true: a build makes it fresh.
fn check(folder: &Folder) -> (i32, String) {
    let before = snapshot(folder.0.path());
    let run = folder.run(&["check"]);
    assert_eq!(run.err, "");
    assert!(snapshot(folder.0.path()) == before, "check wrote something");
    (run.code, run.out)
}

fn stale(folder: &Folder, says: &[&str]) {
    let (code, out) = check(folder);
    assert_eq!(code, 3, "{out}");
    says.iter().for_each(|says| assert!(out.contains(says), "{says}: {out}"));
    assert_eq!(folder.run(&["build", "-q"]).code, 0);
    assert_eq!(check(folder), (0, "fresh 1 character\n".to_owned()));
}

#[test]
fn nothing_was_published() {
    stale(
        &crab(),
        &["crab: not published", "clip Walk would be baked: it is new", "constants: output vat.rs"],
    );
}

#[test]
fn outputs_that_are_gone_or_changed() {
    let folder = built();
    std::fs::remove_file(folder.path("assets/vat/crab/crab.glb")).unwrap();
    folder.write("assets/vat/crab/crab.vat.json", "{}").write("assets/vat/vat.rs", "");
    let says = [
        "crab: output crab.glb is missing",
        "crab: output crab.vat.json changed since it was published",
        "constants: output vat.rs changed since it was published",
    ];
    stale(&folder, &says);
}

#[test]
fn the_memo_is_not_believed() {
    let folder = built();
    let path = folder.path("assets/vat/crab/crab.glb");
    let time = path.metadata().unwrap().modified().unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    // The same file of the same size and time, as a failing disk leaves it.
    std::fs::write(&path, bytes).unwrap();
    std::fs::File::options().append(true).open(&path).unwrap().set_modified(time).unwrap();
    let (code, out) = check(&folder);
    assert_eq!((code, out.as_str()), (3, "crab: output crab.glb changed since it was published\n"));
}

#[test]
fn settings_and_inputs_that_changed() {
    let folder = built();
    folder.write("vat.toml", &format!("{MANIFEST}clip.Run.fps = 24\n"));
    stale(&folder, &["crab: the manifest or", "clip Run would be baked: fps changed from 30 to 24\n"]);
    folder.write("vat.toml", &format!("{MANIFEST}clip.Run.fps = 24\nmax_texture = 4096\n"));
    assert_eq!(check(&folder).0, 0, "a setting that decides nothing here");
    folder.write("vat.toml", MANIFEST).write("art/crab.gltf", &model(&["Walk"]));
    stale(&folder, &["crab: input art/crab.gltf changed"]);
}

/// Saved again in another layout: a build would write the same bytes, so nothing is out of date.
#[test]
fn an_input_that_says_the_same() {
    let folder = built();
    let value: Value = serde_json::from_str(&folder.read("art/crab.gltf")).unwrap();
    folder.write("art/crab.gltf", &format!("{value:#}"));
    assert_eq!(check(&folder).0, 0);
    // Not even with an empty cache.
    assert_eq!(folder.run(&["cache", "clear", "-q"]).code, 0);
    assert_eq!(check(&folder).0, 0);
}

#[test]
fn what_is_gone() {
    let folder = built();
    let (name, moved) = (folder.path("art/crab.gltf"), folder.path("art/moved.gltf"));
    std::fs::rename(&name, &moved).unwrap();
    let (code, out) = check(&folder);
    assert_eq!((code, out.as_str()), (3, "crab: input art/crab.gltf is missing\n"));
    std::fs::rename(&moved, &name).unwrap();
    folder.write("vat.toml", &MANIFEST.replace("characters.crab", "characters.fish"));
    stale(&folder, &["fish: not published", "crab: published, and not in the manifest any more"]);
    assert!(!folder.path("assets/vat/crab").exists());
    // Targets and templates.
    let fish = folder.read("vat.toml");
    folder.write("vat.toml", &format!("[output]\ntargets = [\"wgsl\"]\n{fish}"));
    stale(&folder, &["constants: output vat.rs is not wanted any more"]);
}

#[test]
fn what_would_fail_is_said() {
    let folder = built();
    folder.write("art/crab.gltf", "{}");
    let run = folder.run(&["check"]);
    assert_eq!(run.code, 1, "{}", run.out);
    assert!(run.err.contains("art/crab.gltf") && run.out.contains("input art/crab.gltf changed"));
    assert_eq!(folder.run(&["check", "crap"]).code, 2);
}

#[cfg(unix)]
#[test]
fn a_checkout_that_cannot_be_written() {
    use std::os::unix::fs::PermissionsExt;
    let folder = built();
    let set = |mode: u32| {
        for path in ["assets/vat/.vatpipe", "assets/vat/crab", "assets/vat", "assets", "art", "."] {
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(folder.path(path), permissions).unwrap();
        }
    };
    set(0o555);
    let (code, out) = check(&folder);
    set(0o755);
    assert_eq!((code, out.as_str()), (0, "fresh 1 character\n"));
}

#[test]
fn checks_in_json() {
    let folder = built();
    folder.write("vat.toml", &format!("{MANIFEST}clip.Run.fps = 24\n"));
    let (code, messages) = folder.json(&["check"]);
    assert_eq!((code, messages.len()), (3, 2));
    let because = json!([{ "reason": "option", "option": "fps", "old": "30", "new": "24" }]);
    let clips = json!([{ "clip": "Run", "bake": true, "because": because }]);
    let right = json!({ "reason": "out-of-date", "character": "crab", "causes": [{ "cause": "recipe-changed" }], "clips": clips });
    assert_eq!(messages[0], right);
    assert_eq!((&messages[1]["fresh"], &messages[1]["out_of_date"]), (&json!(false), &json!(1)));
}

#[test]
fn explanations() {
    let folder = built();
    let run = folder.run(&["explain"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let right = "crab\n  Walk  as it was published\n    was baked: it is new\n  Run  as it was published\n    was baked: it is new\n";
    assert_eq!(run.out, right);
    folder.write("vat.toml", &format!("{MANIFEST}clip.Run.fps = 24\n"));
    let run = folder.run(&["explain", "crab.Run"]);
    assert!(run.out.contains("  Run  would be baked: fps changed from 30 to 24\n    was baked: it is new\n"));
    assert!(!run.out.contains("Walk"), "{}", run.out);
    let built = folder.run(&["build", "-v"]);
    assert!(built.err.contains("because fps changed from 30 to 24\n"), "{}", built.err);
    let (code, messages) = folder.json(&["explain", "crab"]);
    assert_eq!((code, messages.len()), (0, 3));
    let run = messages.iter().find(|message| message["clip"] == "Run").unwrap();
    assert_eq!((&run["bake"], &run["last"]["origin"]), (&json!(false), &json!("baked")));
    assert_eq!(run["last"]["because"][0]["old"], "30");
    // The other one was not baked then: what is known of it stays.
    let walk = messages.iter().find(|message| message["clip"] == "Walk").unwrap();
    assert_eq!(walk["last"]["because"][0]["reason"], "new");
}

#[test]
fn explanations_of_nothing() {
    let folder = built();
    let run = folder.run(&["explain", "crap.Run"]);
    assert!(run.code == 2 && run.err.contains("did you mean \"crab\"?"), "{}", run.err);
    let run = folder.run(&["explain", "crab.Rum"]);
    assert!(run.code == 2 && run.err.contains("did you mean \"Run\"?"), "{}", run.err);
}
