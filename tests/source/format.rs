//! What a file is, before what is in it.

use std::path::Path;

use serde_json::json;
use vatpipe::problem::{Place, Problem};
use vatpipe::source::{self, Options};

use super::{at, bad, good};
use crate::support::model::{self, Model};
use crate::support::models::{machine, moving_triangle};

fn refused(bytes: &[u8]) -> Problem {
    let error = model::read(bytes, &Options::default()).unwrap_err();
    assert_eq!(error.0.len(), 1);
    assert_eq!(error.0[0].place.file(), Some(Path::new("model.glb")));
    error.0.into_iter().next().unwrap()
}

#[test]
fn other_formats_are_named() {
    let cases: [(&[u8], &str); 8] = [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", "Git LFS"),
        (b"Kaydara FBX Binary  \0\x1a\0", "FBX"),
        (b"; FBX 7.4.0 project file\n", "FBX"),
        (b"BLENDER-v300", "Blender"),
        (b"<!DOCTYPE html><html>404</html>", "HTML"),
        (b"PK\x03\x04zip", "ZIP"),
        (b"", "empty"),
        (b"\x89PNG\r\n", "no glTF"),
    ];
    for (bytes, word) in cases {
        let problem = refused(bytes);
        assert_eq!(problem.code, "source::format");
        assert!(problem.message.contains(word), "{problem}");
        assert!(problem.help.is_some(), "{problem}");
    }
    assert!(refused(cases[0].0).help.unwrap().contains("git lfs pull"));
}

#[test]
fn versions() {
    let mut model = moving_triangle([1.0; 3]);
    model.set("/asset/version", json!("1.0"));
    assert_eq!(bad(&model).code, "source::format");
    model.set("/asset/version", json!("2.1"));
    good(&model);
    model.set("/asset/minVersion", json!("2.1"));
    assert_eq!(bad(&model).code, "source::format");
    model.set("/asset", json!({}));
    assert!(bad(&model).message.contains("asset.version"));
    let mut old = moving_triangle([1.0; 3]).glb();
    old[4] = 1;
    assert_eq!(refused(&old).code, "source::container");
}

#[test]
fn damaged_containers() {
    let glb = moving_triangle([1.0; 3]).glb();
    let half = refused(&glb[..glb.len() / 2]);
    assert_eq!(half.code, "source::container");
    assert!(half.message.contains(&glb.len().to_string()), "{half}");
    let mut chunk = glb.clone();
    chunk[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(refused(&chunk).message.contains("4294967295 bytes"));
    let mut kind = glb.clone();
    kind[16] = b'X';
    assert!(refused(&kind).message.contains("not JSON"));
    let mut longer = glb;
    longer.extend(b"rubbish after the end");
    model::read(&longer, &Options::default()).unwrap();
}

#[test]
fn damaged_json() {
    let text = |text: &[u8]| refused(&model::glb(text, &[]));
    assert_eq!(text(b"{\"asset\":").code, "source::json");
    assert!(text(b"{\"asset\":\"\xFF\"}").message.contains("UTF-8 at byte 10"));
    let deep = [b"{\"a\":".to_vec(), vec![b'['; 100_000]].concat();
    assert_eq!(text(&deep).code, "source::json");
    assert_eq!(text(b"{\"asset\":{\"version\":\"2.0\"},\"x\":1e999}").code, "source::json");
    assert!(text(b"[]").message.contains("asset.version"));
}

#[test]
fn json_pointers_say_where() {
    let mut model = moving_triangle([1.0; 3]);
    model.set("/nodes/0/mesh", json!("first"));
    assert_eq!(at(&bad(&model)), ("source::json", "/nodes/0/mesh"));
    model.set("/nodes/0/mesh", json!(-1));
    assert_eq!(at(&bad(&model)), ("source::json", "/nodes/0/mesh"));
    model.set("/nodes/0/mesh", json!(7));
    let problem = bad(&model);
    assert_eq!(at(&problem), ("source::index", "/nodes/0/mesh"));
    assert!(problem.message.contains('7') && problem.message.contains("1 entries"), "{problem}");
    model.set("/nodes/0/mesh", json!(0.0));
    good(&model);
    model.set("/nodes/0/mesh", json!(null));
    assert_eq!(bad(&model).code, "source::empty");
}

#[test]
fn nothing_to_draw() {
    let mut model = moving_triangle([1.0; 3]);
    model.remove("/nodes/0/mesh");
    let problem = bad(&model);
    assert_eq!(problem.code, "source::empty");
    assert_eq!(problem.place, Place::File("model.glb".into()));
    // Opened for its clips alone.
    let options = Options { need_triangles: false, ..Options::default() };
    let source = model.read_with(&options).unwrap();
    assert_eq!((source.clips.len(), source.clips[0].channels.len()), (1, 1));
}

#[test]
fn all_problems_at_once() {
    let mut model = machine();
    model.set("/nodes/0/translation", json!([1, 2]));
    model.set("/nodes/1/scale", json!("big"));
    model.set("/accessors/0/count", json!(100));
    let problems = super::bad_all(&model);
    let mut places: Vec<_> = problems.iter().map(at).collect();
    places.sort();
    assert_eq!(
        places,
        [
            ("source::accessor", "/accessors/0"),
            ("source::json", "/nodes/0"),
            ("source::json", "/nodes/1/scale")
        ]
    );
}

#[test]
fn a_byte_order_mark_is_no_fault() {
    let text = [b"\xEF\xBB\xBF".to_vec(), Model::external(&Model::new(), "a.bin")].concat();
    let options = Options { need_triangles: false, ..Options::default() };
    source::read(&text, Path::new("a.gltf"), &options, &mut |_| panic!()).unwrap();
}
