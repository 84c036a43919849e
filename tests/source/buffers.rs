//! Where buffers come from.

use std::path::Path;

use serde_json::json;
use vatpipe::problem::{Place, Problem, Problems};
use vatpipe::source::{self, Options, Source};

use super::{at, bad, good};
use crate::support::memory::peak;
use crate::support::model::{self, Model};
use crate::support::models::{machine, morph_quad, moving_triangle, skinned_strip};

/// Reads a `.gltf` whose buffers are all `data`; returns the URIs that were asked for.
fn external(bytes: &[u8], data: &[u8]) -> (Result<Source, Problems>, Vec<String>) {
    let mut asked = Vec::new();
    let source = source::read(bytes, Path::new("a.gltf"), &Options::default(), &mut |uri| {
        asked.push(uri.to_owned());
        Ok(data.to_vec())
    });
    (source, asked)
}

#[test]
fn three_packagings_are_the_same() {
    for model in [skinned_strip(), morph_quad(), machine()] {
        let glb = format!("{:?}", good(&model));
        let embedded = model::read(&model.embedded(), &Options::default()).unwrap();
        assert_eq!(format!("{embedded:?}"), glb);
        let (read, asked) = external(&model.external("my%20data.bin"), &model.bin);
        assert_eq!(format!("{:?}", read.unwrap()), glb);
        // As written: who opens it decodes it.
        assert_eq!(asked, ["my%20data.bin"]);
    }
}

#[test]
fn data_uris() {
    let with = |uri: &str| {
        let mut model = moving_triangle([1.0; 3]);
        model.json["buffers"] = json!([{ "byteLength": model.bin.len(), "uri": uri }]);
        model
    };
    let model = moving_triangle([1.0; 3]);
    let text = String::from_utf8(model.embedded()).unwrap();
    let base64 = text.split("base64,").nth(1).unwrap().split('"').next().unwrap();
    for head in ["data:;base64,", "DATA:application/gltf-buffer;BASE64,", "data:x/y;charset=z;base64,"] {
        good(&with(&format!("{head}{base64}")));
    }
    good(&with(&format!("data:;base64,{}", base64.trim_end_matches('='))));
    let percent: String = model.bin.iter().map(|byte| format!("%{byte:02X}")).collect();
    good(&with(&format!("data:application/octet-stream,{percent}")));
    assert_eq!(at(&bad(&with("data:;base64"))), ("source::uri", "/buffers/0"));
    assert_eq!(at(&bad(&with("data:;base64,not base64!"))), ("source::uri", "/buffers/0"));
    assert_eq!(bad(&with("data:,short")).code, "source::buffer");
}

/// Case 52: 2^64-1 bytes, in 16 bytes of base64.
#[test]
fn a_length_that_is_not_there() {
    let mut model = moving_triangle([1.0; 3]);
    for length in [u64::MAX, 1 << 40] {
        model.json["buffers"] =
            json!([{ "byteLength": length, "uri": "data:;base64,AAAAAAAAAAAAAAAAAAAAAA==" }]);
        let (problem, memory) = peak(|| bad(&model));
        assert_eq!(at(&problem), ("source::buffer", "/buffers/0"));
        assert!(memory < 1 << 20, "{memory}");
    }
}

#[test]
fn longer_is_fine_and_shorter_is_not() {
    let model = moving_triangle([1.0; 3]);
    let text = model.external("a.bin");
    let longer = [model.bin.clone(), vec![0; 100]].concat();
    external(&text, &longer).0.unwrap();
    let problem = external(&text, &model.bin[1..]).0.unwrap_err().0.remove(0);
    assert_eq!(at(&problem), ("source::buffer", "/buffers/0"));
    assert!(problem.message.contains(&(model.bin.len() - 1).to_string()), "{problem}");
    // Bytes past `byteLength` are not the buffer's.
    let mut model = moving_triangle([1.0; 3]);
    model.json["buffers"] = json!([{ "byteLength": 12 }]);
    assert_eq!(super::bad_all(&model)[0].code, "source::buffer");
}

#[test]
fn no_bytes_at_all() {
    let mut model = moving_triangle([1.0; 3]);
    model.json["buffers"] = json!([{ "byteLength": 100 }]);
    let text = serde_json::to_vec(&model.json).unwrap();
    let problem = model::read(&text, &Options::default()).unwrap_err().0.remove(0);
    assert_eq!(at(&problem), ("source::buffer", "/buffers/0"));
    model.json["buffers"] = json!([{ "byteLength": 4 }, { "byteLength": 100 }]);
    model.set("/bufferViews/0/buffer", json!(1));
    assert!(super::bad_all(&model).iter().any(|p| at(p) == ("source::buffer", "/buffers/1")));
    model.remove("/buffers");
    model.json["buffers"] = json!([]);
    assert_eq!(at(&super::bad_all(&model)[0]).0, "source::index");
}

/// A buffer that cannot be read is asked for once and reported once, at its place or with its own.
#[test]
fn a_buffer_that_cannot_be_read() {
    let text = machine().external("gone.bin");
    for place in [Place::Nowhere, Place::File("gone.bin".into())] {
        let mut asked = 0;
        let problems = source::read(&text, Path::new("a.gltf"), &Options::default(), &mut |_| {
            asked += 1;
            Err(Problem::error("files::missing", "there is no such file").at(place.clone()))
        });
        let problems = problems.unwrap_err().0;
        assert_eq!((asked, problems.len(), problems[0].code), (1, 1, "files::missing"));
        let expected = match place {
            Place::Nowhere => Place::Json { file: "a.gltf".into(), pointer: "/buffers/0".into() },
            place => place,
        };
        assert_eq!(problems[0].place, expected);
    }
}

/// Buffers of images are not opened, even where they are missing.
#[test]
fn only_what_is_needed_is_opened() {
    let mut model: Model = moving_triangle([1.0; 3]);
    model.json["buffers"] = json!([
        { "byteLength": model.bin.len(), "uri": "mesh.bin" }, { "byteLength": 99, "uri": "images.bin" }
    ]);
    let view = json!({ "buffer": 1, "byteLength": 99 });
    let view = model.add("bufferViews", view);
    model.json["images"] = json!([{ "bufferView": view, "mimeType": "image/png" }, { "uri": "b.png" }]);
    let (read, asked) = external(&serde_json::to_vec(&model.json).unwrap(), &model.bin);
    read.unwrap();
    assert_eq!(asked, ["mesh.bin"]);
}
