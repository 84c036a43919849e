//! Builds that look only at characters with files that changed end as builds that look at all of them.

use std::fs;

use serde_json::json;
use vatpipe::run::Options;

use super::actor::{Actor, other};
use super::scene::Scene;
use crate::support::model::Model;

const CHARACTERS: [&str; 4] = ["actor", "bent", "other", "third"];

fn scene() -> Scene {
    let scene = Scene::new();
    scene.write("actor.glb", Actor::new().model().glb());
    scene.write("bent.glb", bent(0.25, 0.0));
    scene.write("other.glb", other(1.0));
    scene.write("third.glb", other(4.0));
    let mut text = "[output]\ndir = \"out\"\n[defaults]\nfps = 5\nloop = false\n".to_owned();
    for name in CHARACTERS {
        text += &format!("[characters.{name}]\nsource = \"{name}.glb\"\n");
    }
    scene.write("vat.toml", text);
    assert_eq!(scene.build().outcome.failed, 0);
    scene.settle();
    scene
}

/// The bytes of a build of the same project that was never built before.
fn clean(scene: &Scene) -> std::collections::BTreeMap<String, Vec<u8>> {
    let clean = Scene::new();
    for name in ["vat.toml", "actor.glb", "bent.glb", "other.glb", "third.glb"] {
        clean.write(name, fs::read(scene.path(name)).unwrap());
    }
    clean.build_with(&Options::default());
    clean.bytes()
}

/// A character that goes one step, back to `way` of it, and home; `u` is a texture coordinate.
fn bent(way: f32, u: f32) -> Vec<u8> {
    let mut model = Model::new();
    let position = model.vec3(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let texcoord = model.vec2(&[[u, 0.0], [0.5, 0.5], [0.0, 1.0]]);
    let attributes = json!({ "POSITION": position, "TEXCOORD_0": texcoord });
    let mesh = model.mesh(json!([{ "attributes": attributes }]));
    let node = model.node(json!({ "name": "body", "mesh": mesh }));
    let clip = model.clip("bend");
    let steps = model.vec3(&[[0.0; 3], [1.0, 0.0, 0.0], [way, 0.0, 0.0], [0.0; 3]]);
    model.channel(clip, node, "translation", &[0.0, 0.4, 0.6, 1.0], steps, "LINEAR");
    model.glb()
}

fn flip(scene: &Scene, name: &str) {
    let mut bytes = fs::read(scene.path(name)).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    scene.write(name, bytes);
}

/// A change, the clips baked then, the characters that are not fresh then, and whether a glance is enough.
type Row = (&'static str, fn(&Scene), usize, &'static str, bool);

const ROWS: [Row; 17] = [
    ("nothing", |_| (), 0, "", true),
    ("a clip", |s| s.write("other.glb", other(2.0)), 1, "other", true),
    (
        "two models",
        |s| {
            s.write("other.glb", other(2.0));
            s.write("third.glb", other(5.0));
        },
        2,
        "other third",
        true,
    ),
    ("a clip moves otherwise within its bounds", |s| s.write("bent.glb", bent(0.75, 0.0)), 1, "bent", true),
    ("a texture coordinate", |s| s.write("bent.glb", bent(0.25, 1.0)), 0, "bent", true),
    ("a model is touched", |s| s.write("other.glb", other(1.0)), 0, "", true),
    ("a sheet is gone", |s| fs::remove_file(s.path("out/other/other.vat.json")).unwrap(), 0, "other", true),
    ("a folder is gone", |s| fs::remove_dir_all(s.path("out/actor")).unwrap(), 0, "actor", true),
    ("an output is damaged", |s| flip(s, "out/third/third.glb"), 0, "third", true),
    ("constants are gone", |s| fs::remove_file(s.path("out/vat.rs")).unwrap(), 0, "", true),
    ("constants are damaged", |s| flip(s, "out/vat.wgsl"), 0, "", true),
    (
        "constants are damaged, and a clip changes",
        |s| {
            flip(s, "out/vat.rs");
            s.write("other.glb", other(2.0));
        },
        1,
        "other",
        true,
    ),
    (
        "pieces are gone, and a clip changes",
        |s| {
            fs::remove_file(s.path("out/.vatpipe/pieces")).unwrap();
            s.write("other.glb", other(2.0));
        },
        1,
        "other",
        true,
    ),
    (
        "pieces are damaged, and a clip changes",
        |s| {
            flip(s, "out/.vatpipe/pieces");
            s.write("other.glb", other(2.0));
        },
        1,
        "other",
        true,
    ),
    (
        "the record is gone",
        |s| fs::remove_file(s.path("out/vat.published.json")).unwrap(),
        0,
        "actor bent other third",
        false,
    ),
    (
        "the record is damaged, and a clip changes",
        |s| {
            flip(s, "out/vat.published.json");
            s.write("other.glb", other(2.0));
        },
        1,
        "actor bent other third",
        false,
    ),
    (
        "the manifest",
        |s| {
            let text = fs::read_to_string(s.path("vat.toml")).unwrap();
            s.write("vat.toml", text.replace("fps = 5", "fps = 6"));
        },
        11 + 2,
        "actor bent other third",
        false,
    ),
];

#[test]
fn a_glance_ends_as_a_look_at_everything() {
    for (what, edit, baked, changed, glanced) in ROWS {
        let scene = scene();
        edit(&scene);
        let built = scene.build();
        assert_eq!((built.baked.len(), built.glanced, built.outcome.failed), (baked, glanced, 0), "{what}");
        let untouched: Vec<&str> = CHARACTERS.into_iter().filter(|name| !changed.contains(name)).collect();
        assert_eq!(built.untouched, untouched, "{what}");
        assert_eq!(built.outcome.characters, 4, "{what}");
        let inputs: Vec<_> = built.outcome.inputs.iter().filter_map(|path| path.file_name()).collect();
        assert_eq!(inputs, ["actor.glb", "bent.glb", "other.glb", "third.glb"], "{what}");
        assert!(
            built.outcome.outputs.iter().all(|path| path.is_file())
                && built.outcome.outputs.is_sorted_by_key(|path| path.as_os_str()),
            "{what}"
        );
        let files = scene.bytes();
        assert_eq!(built.outcome.outputs.len(), files.len(), "{what}");
        assert!(files == clean(&scene), "{what}");
        let again = scene.build();
        assert_eq!((again.baked.len(), again.written.len(), again.untouched.len()), (0, 0, 4), "{what}");
        scene.settle();
        let at_last = scene.build();
        assert_eq!((at_last.glanced, at_last.written.len()), (true, 0), "{what}");
    }
}

/// Edits in a row, faster than the clock can tell, all at a glance.
#[test]
fn edits_follow_each_other() {
    let scene = scene();
    for to in [2.0, 3.0, 2.0, 1.0, 7.5] {
        scene.write("other.glb", other(to));
        assert!(scene.build().glanced);
        assert!(scene.bytes() == clean(&scene), "{to}");
    }
}

/// Nobody waits for the one thread that there is.
#[test]
fn one_thread_is_enough() {
    let scene = scene();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for to in [2.0, 3.0] {
        scene.write("other.glb", other(to));
        assert!(pool.install(|| scene.build()).glanced);
        assert!(scene.bytes() == clean(&scene), "{to}");
    }
}

#[test]
fn a_failure_at_a_glance_keeps_the_last_outputs() {
    let scene = scene();
    let first = scene.bytes();
    scene.write("other.glb", "no model");
    for _ in 0..2 {
        let failed = scene.build();
        assert_eq!((failed.glanced, failed.outcome.failed, failed.outcome.characters), (true, 1, 3));
        assert!(scene.bytes() == first);
    }
    scene.write("other.glb", other(2.0));
    assert_eq!(scene.build().baked.len(), 1);
    assert!(scene.bytes() == clean(&scene));
}

/// As a compiler does: while nothing is done about it, a warning is there each time.
#[test]
fn warnings_are_repeated() {
    let scene = scene();
    let text = fs::read_to_string(scene.path("vat.toml")).unwrap();
    scene.write("vat.toml", text.replace("source = \"third.glb\"", "source = \"third.glb\"\nloop = true"));
    let first = scene.build();
    assert!(first.codes.contains(&"bake::torn-loop".to_owned()), "{:?}", first.codes);
    let again = scene.build();
    assert_eq!((&again.codes, again.untouched.len()), (&first.codes, 4));
    scene.settle();
    let glance = scene.build();
    assert_eq!((&glance.codes, glance.glanced, glance.untouched.len()), (&first.codes, true, 4));
    // A checkout has the record alone.
    fs::remove_dir_all(scene.path("out/.vatpipe")).unwrap();
    fs::remove_dir_all(scene.cache()).unwrap();
    assert_eq!(scene.build().codes, first.codes);
}

/// Something in the way of constants costs no character, and is named.
#[test]
fn constants_that_cannot_be_written_cost_no_character() {
    let scene = scene();
    fs::remove_file(scene.path("out/vat.wgsl")).unwrap();
    fs::create_dir(scene.path("out/vat.wgsl")).unwrap();
    let old = fs::read(scene.path("out/vat.rs")).unwrap();
    scene.write("other.glb", other(2.0));
    let failed = scene.build();
    assert_eq!((failed.outcome.failed, failed.baked.len()), (1, 1), "{:?}", failed.codes);
    assert!(failed.codes.contains(&"files::unwritable".to_owned()), "{:?}", failed.codes);
    assert!(fs::read(scene.path("out/vat.rs")).unwrap() == old, "all constants or none");
    let again = scene.build();
    assert_eq!((again.outcome.failed, again.baked.len(), again.untouched.len()), (1, 0, 4));
    fs::remove_dir(scene.path("out/vat.wgsl")).unwrap();
    assert_eq!(scene.build().outcome.failed, 0);
    assert!(scene.bytes() == clean(&scene));
}

#[test]
fn a_part_of_the_characters_leaves_what_is_known_of_the_others() {
    let scene = scene();
    scene.write("other.glb", other(2.0));
    let only = Options { only: vec!["other".to_owned()], cache: Some(scene.cache()), ..Options::default() };
    assert_eq!(scene.build_with(&only).baked.len(), 1);
    let memo = fs::read(scene.path("out/.vatpipe/memo")).unwrap();
    let knows = |name: &str| memo.windows(name.len()).any(|window| window == name.as_bytes());
    assert!(knows("other.glb") && knows("third.glb") && knows("actor.vat.json"));
}

/// What is made early is made again, or not at all, where it turns out not to be wanted: constants that are the same bytes
/// are left untouched, and nothing is left behind.
#[test]
fn constants_that_say_the_same_are_left_alone() {
    for (model, metadata) in [(bent(0.75, 0.0), true), (bent(0.25, 1.0), false)] {
        let scene = scene();
        let old = fs::read(scene.path("out/bent/bent.vat.json")).unwrap();
        scene.write("bent.glb", model);
        let built = scene.build();
        assert!(built.glanced && built.outcome.failed == 0);
        assert_eq!(fs::read(scene.path("out/bent/bent.vat.json")).unwrap() != old, metadata);
        let is_of_constants = |name: &&String| name.starts_with("vat.") && !name.ends_with(".json");
        assert_eq!(built.written.iter().find(is_of_constants), None, "{:?}", built.written);
        assert!(fs::read_dir(scene.path("out/.vatpipe/stage")).unwrap().next().is_none());
        assert!(scene.bytes() == clean(&scene));
    }
}
