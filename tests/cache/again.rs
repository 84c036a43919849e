//! There and back, failures beside good characters, files that are not ours.

use std::fs;

use vatpipe::cache::digest::Digest;
use vatpipe::cache::reason::Reason;
use vatpipe::run::Options;

use super::actor::{Actor, other};
use super::scene::Scene;

fn scene() -> Scene {
    let scene = Scene::new();
    scene.write("other.glb", other(1.0));
    scene.write("actor.glb", Actor::new().model().glb());
    scene.write("vat.toml", manifest(&["actor", "other"], "\"rust\""));
    scene
}

fn manifest(characters: &[&str], targets: &str) -> String {
    let mut text = format!(
        "[output]\ndir = \"out\"\ntargets = [{targets}]\ntemplates = \"templates\"\n[defaults]\nfps = 5\n"
    );
    characters.iter().for_each(|name| text += &format!("[characters.{name}]\nsource = \"{name}.glb\"\n"));
    text
}

/// A scene that was built, with its bytes.
fn built() -> (Scene, std::collections::BTreeMap<String, Vec<u8>>) {
    let scene = scene();
    fs::create_dir(scene.path("templates")).unwrap();
    let first = scene.build();
    assert_eq!((first.baked.len(), first.outcome.failed), (11, 0), "{:?}", first.codes);
    let bytes = scene.bytes();
    (scene, bytes)
}

#[test]
fn there_and_back_is_baked_once() {
    let (scene, first) = built();
    scene.write("other.glb", other(2.0));
    assert_eq!(scene.build().baked.len(), 1);
    scene.write("other.glb", other(1.0));
    assert_eq!(scene.build().baked.len(), 0);
    assert!(scene.bytes() == first);
    scene.write("other.glb", other(2.0));
    assert_eq!(scene.build().baked.len(), 0);
}

#[test]
fn a_damaged_blob_is_baked_again() {
    let (scene, first) = built();
    let blobs = scene.stored("blobs");
    let mut bytes = fs::read(&blobs[0]).unwrap();
    bytes[3] ^= 1;
    fs::write(&blobs[0], bytes).unwrap();
    fs::remove_dir_all(scene.path("out")).unwrap();
    let again = scene.build();
    assert_eq!(again.baked.into_values().collect::<Vec<_>>(), [[Reason::New]], "nothing is known of it here");
    assert!(scene.bytes() == first);
}

#[test]
fn a_failure_keeps_the_last_good_outputs_and_is_not_remembered() {
    let (scene, first) = built();
    scene.write("other.glb", b"glTF, or not");
    for _ in 0..2 {
        let failed = scene.build();
        assert_eq!((failed.outcome.failed, failed.outcome.characters), (1, 1));
        assert_eq!((failed.baked.len(), failed.untouched), (0, vec!["actor".to_owned()]));
        assert!(scene.bytes() == first);
    }
    let mut actor = Actor::new();
    actor.clips[2].1 = 90.0;
    scene.write("actor.glb", actor.model().glb());
    let beside = scene.build();
    assert_eq!(
        (beside.outcome.failed, beside.baked.into_keys().collect::<Vec<_>>()),
        (1, vec!["actor.c2".to_owned()])
    );
    scene.write("other.glb", other(1.0));
    let mended = scene.build();
    assert_eq!((mended.outcome.failed, mended.baked.len(), mended.untouched.len()), (0, 0, 2));
}

#[test]
fn a_wrong_template_keeps_the_constants_and_no_character_is_made_again() {
    let (scene, first) = built();
    scene.write("vat.toml", manifest(&["actor", "other"], "\"rust\", \"txt\""));
    scene.write("templates/vat.txt", "{% for %}");
    scene.write("other.glb", other(2.0));
    let failed = scene.build();
    assert_eq!((failed.outcome.failed, failed.baked.len()), (1, 1));
    assert_eq!(scene.bytes()["vat.rs"], first["vat.rs"]);
    let again = scene.build_with(&Options::default());
    assert_eq!((again.outcome.failed, again.baked.len(), again.untouched.len()), (1, 0, 2));
    scene.write("templates/vat.txt", "so");
    let mended = scene.build_with(&Options::default());
    assert_eq!((mended.outcome.failed, mended.baked.len()), (0, 0));
    assert_eq!(scene.bytes()["vat.txt"], b"so");
    assert_ne!(scene.bytes()["vat.rs"], first["vat.rs"]);
}

#[test]
fn files_of_others_stay() {
    let (scene, _) = built();
    scene.write("out/other/notes.txt", "mine");
    scene.write("out/other/other.glb", "changed by hand");
    scene.write("out/mine.rs", "mine");
    scene.write("vat.toml", manifest(&["actor"], ""));
    let built = scene.build();
    assert_eq!(built.outcome.failed, 0);
    let left: Vec<String> = scene.files().into_keys().filter(|name| !name.starts_with("actor/")).collect();
    assert_eq!(left, ["mine.rs", "other/notes.txt", "other/other.glb", "vat.published.json"]);
    scene.write("vat.toml", manifest(&["actor", "other"], "\"rust\""));
    assert_eq!(scene.build().baked.len(), 0);
    assert_eq!(scene.bytes()["other/notes.txt"], b"mine");
}

#[test]
fn a_part_of_the_characters_leaves_the_others() {
    let (scene, first) = built();
    scene.write("vat.toml", manifest(&["actor"], "\"rust\""));
    let only = Options { only: vec!["actor".to_owned()], cache: Some(scene.cache()), ..Options::default() };
    scene.build_with(&only);
    assert_eq!(scene.bytes()["other/other.glb"], first["other/other.glb"]);
    scene.build();
    assert!(!scene.path("out/other").exists());
}

#[test]
fn a_cache_that_cannot_be_used_costs_one_warning() {
    let scene = scene();
    fs::create_dir(scene.path("templates")).unwrap();
    fs::write(scene.cache(), "a file").unwrap();
    let built = scene.build();
    assert_eq!((built.baked.len(), built.outcome.failed), (11, 0));
    assert_eq!(built.codes.iter().filter(|code| code.starts_with("cache::")).count(), 1, "{:?}", built.codes);
    let again = scene.build();
    assert_eq!((again.baked.len(), again.written.len()), (0, 0));
}

/// A record of outputs from a stranger's checkout can have nothing removed that lies elsewhere.
#[test]
fn a_hostile_record_removes_nothing() {
    for place in ["outputs", "character", "constants"] {
        let (scene, first) = built();
        scene.write("victim", "mine");
        scene.write("out/vat.published.json", hostile(&scene, place));
        let built = scene.build();
        assert_eq!((built.outcome.failed, built.baked.len()), (0, 0), "{place}: {:?}", built.codes);
        assert_eq!(fs::read(scene.path("victim")).unwrap(), b"mine", "{place}");
        assert!(scene.bytes() == first, "{place}");
    }
}

fn hostile(scene: &Scene, place: &str) -> Vec<u8> {
    let text = fs::read(scene.path("out/vat.published.json")).unwrap();
    let mut record: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let digest = serde_json::json!(Digest::of(b"mine"));
    match place {
        "outputs" => {
            record["characters"]["other"]["outputs"]["../../victim"] = digest;
            record["characters"]["other"]["recipe"] = serde_json::json!(Digest::of(b""));
        }
        "character" => {
            let mut other = record["characters"]["other"].clone();
            other["outputs"] = serde_json::json!({ "victim": digest });
            record["characters"][".."] = other;
        }
        _ => {
            record["constants"]["outputs"]["../victim"] = digest;
            record["constants"]["key"] = serde_json::Value::Null;
        }
    }
    serde_json::to_vec(&record).unwrap()
}

/// So can a commit record, which a killed build leaves behind.
#[test]
fn a_hostile_commit_moves_and_removes_nothing() {
    let (scene, first) = built();
    scene.write("victim", "mine");
    scene.write("out/other/orphan", "changed since");
    scene.write("out/.vatpipe/stage/constants/evil", "evil");
    let digest = Digest::of(b"mine");
    let commits = [
        format!(r#"{{"folder":"","moves":[],"removes":{{"../victim":"{digest}"}}}}"#),
        format!(r#"{{"folder":"..","moves":[],"removes":{{"victim":"{digest}"}}}}"#),
        r#"{"folder":"","moves":["../evil","..","a/b"],"removes":{}}"#.to_owned(),
        format!(r#"{{"folder":"other","moves":[],"removes":{{"orphan":"{digest}"}}}}"#),
        "{".to_owned(),
    ];
    for (number, commit) in commits.iter().enumerate() {
        scene.write(&format!("out/.vatpipe/commit/{number}.json"), commit);
    }
    scene.write("out/vat.rs", "damaged, so that there is something to do");
    assert_eq!(scene.build().outcome.failed, 0);
    assert_eq!(fs::read(scene.path("victim")).unwrap(), b"mine");
    assert!(!scene.path("evil").exists() && !scene.path("out/a").exists());
    assert_eq!(fs::read(scene.path("out/other/orphan")).unwrap(), b"changed since");
    fs::remove_file(scene.path("out/other/orphan")).unwrap();
    assert!(scene.bytes() == first);
    assert_eq!(fs::read_dir(scene.path("out/.vatpipe/commit")).unwrap().count(), 0);
}

#[test]
fn records_that_cannot_be_understood_are_no_records() {
    for text in [
        "",
        "{",
        "[]",
        "{\"schema\":\"vatpipe/published/99\",\"characters\":{},\"constants\":{\"outputs\":{}}}",
    ] {
        let (scene, first) = built();
        scene.write("out/vat.published.json", text);
        scene.write("out/.vatpipe/memo", text);
        let built = scene.build();
        assert_eq!((built.outcome.failed, built.baked.len()), (0, 0), "{text}");
        assert!(scene.bytes() == first, "{text}");
    }
}

/// Constants that are put together from the last ones, after each of many edits, are those of a project that was never
/// built before.
#[test]
fn constants_of_pieces_are_those_of_a_clean_build() {
    let (scene, _) = built();
    let steps: [(&[&str], &str, f32); 8] = [
        (&["actor", "other"], "\"wgsl\", \"hlsl\", \"rust\"", 1.0),
        (&["other", "actor"], "\"wgsl\", \"hlsl\", \"rust\"", 1.0),
        (&["other", "actor"], "\"wgsl\", \"hlsl\", \"rust\"", 3.5),
        (&["other", "actor", "Other"], "\"wgsl\", \"rust\"", 3.5),
        (&["Other", "actor", "other"], "\"wgsl\", \"rust\"", 123.25),
        (&["actor"], "\"wgsl\", \"rust\"", 123.25),
        (&["actor", "a.b", "a-b"], "\"hlsl\"", 2.0),
        (&["a-b", "actor", "a.b"], "\"hlsl\", \"rust\"", 2.0),
    ];
    for (characters, targets, to) in steps {
        let mut text = format!("[output]\ndir = \"out\"\ntargets = [{targets}]\n[defaults]\nfps = 5\n");
        for name in characters {
            let source = if *name == "actor" { "actor" } else { "other" };
            text += &format!("[characters.\"{name}\"]\nsource = \"{source}.glb\"\n");
        }
        let clean = Scene::new();
        for scene in [&scene, &clean] {
            scene.write("vat.toml", &text);
            scene.write("other.glb", other(to));
            scene.write("actor.glb", Actor::new().model().glb());
            assert_eq!(scene.build().outcome.failed, 0, "{text}");
        }
        let constants = |scene: &Scene| {
            let mut bytes = scene.bytes();
            bytes.retain(|name, _| name.starts_with("vat."));
            bytes
        };
        assert!(constants(&scene) == constants(&clean), "{text}");
    }
}
