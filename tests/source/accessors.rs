//! Accessors: layouts, types, and sizes that do not fit.

use serde_json::{Value, json};
use vatpipe::source::Source;

use super::{at, bad, bad_all, good, odd};
use crate::support::memory::peak;
use crate::support::model::{BYTE, Model, SHORT, UNSIGNED_BYTE, UNSIGNED_SHORT};
use crate::support::models::{morph_quad, moving_triangle, skinned_strip};

fn positions(source: &Source) -> &[[f32; 3]] {
    &source.geometries[0].positions
}

#[test]
fn strides_and_offsets() {
    let plain = good(&skinned_strip());
    let mut model = skinned_strip();
    for accessor in 0..model.json["accessors"].as_array().unwrap().len() {
        model.strided(accessor, 68);
    }
    let strided = good(&model);
    assert_eq!(format!("{strided:?}"), format!("{plain:?}"));
}

#[test]
fn a_stride_that_is_too_small() {
    let mut model = moving_triangle([1.0; 3]);
    model.set("/bufferViews/0/byteStride", json!(8));
    assert_eq!(at(&bad(&model)), ("source::accessor", "/accessors/0"));
    model.set("/bufferViews/0/byteStride", json!(0));
    assert_eq!(at(&bad(&model)), ("source::buffer", "/bufferViews/0"));
    model.set("/bufferViews/0/byteStride", json!(u64::MAX));
    assert_eq!(bad(&model).code, "source::accessor");
}

/// Case 50: count 100 over 12 bytes; case 52: counts whose product with the stride wraps around.
#[test]
fn counts_beyond_the_data() {
    let mut model = moving_triangle([1.0; 3]);
    model.set("/bufferViews/0/byteLength", json!(12));
    let problem = bad(&model);
    assert_eq!(at(&problem), ("source::accessor", "/accessors/0"));
    assert!(problem.message.contains("3 elements of 12 bytes") && problem.message.contains("has 12 bytes"));
    for (count, code) in
        [(100u64, "source::accessor"), (1 << 62, "source::limit"), (u64::MAX, "source::limit")]
    {
        model.set("/accessors/0/count", json!(count));
        let (problem, memory) = peak(|| bad(&model));
        assert_eq!(problem.code, code);
        assert!(memory < 1 << 20, "{memory}");
    }
    // The same for keys, which no limit on vertices stops.
    let mut model = moving_triangle([1.0; 3]);
    for count in [1u64 << 62, (1 << 62) + 1, 1 << 40, 100] {
        model.set("/accessors/1/count", json!(count));
        model.set("/accessors/2/count", json!(count));
        let (problem, memory) = peak(|| bad(&model));
        assert!(matches!(problem.code, "source::accessor" | "source::limit"));
        assert!(memory < 1 << 20, "{memory}");
    }
}

#[test]
fn offsets_beyond_the_data() {
    let mut model = moving_triangle([1.0; 3]);
    for offset in [1, u64::MAX, u64::MAX - 35] {
        model.set("/accessors/0/byteOffset", json!(offset));
        assert_eq!(at(&bad(&model)), ("source::accessor", "/accessors/0"));
    }
    model.remove("/accessors/0/byteOffset");
    for offset in [1 << 20, u64::MAX, u64::MAX - 35] {
        model.set("/bufferViews/0/byteOffset", json!(offset));
        assert_eq!(at(&bad(&model)), ("source::buffer", "/bufferViews/0"));
    }
}

#[test]
fn types_that_do_not_exist() {
    let mut model = moving_triangle([1.0; 3]);
    model.set("/accessors/0/componentType", json!(5130));
    assert_eq!(at(&bad(&model)), ("source::accessor", "/accessors/0/componentType"));
    model.set("/accessors/0/type", json!("VEC5"));
    assert_eq!(at(&bad(&model)), ("source::accessor", "/accessors/0/type"));
    model.set("/accessors/0/bufferView", json!(12));
    model.set("/accessors/0/type", json!("VEC3"));
    model.set("/accessors/0/componentType", json!(5126));
    assert_eq!(at(&bad(&model)), ("source::index", "/accessors/0/bufferView"));
}

/// `KHR_mesh_quantization`: every type it adds to positions.
#[test]
fn quantised_positions() {
    let forms: [(u32, bool, &[u8], f32); 6] = [
        (BYTE, false, &[0x81], -127.0),
        (BYTE, true, &[0x80], -1.0),
        (UNSIGNED_BYTE, false, &[200], 200.0),
        (UNSIGNED_BYTE, true, &[51], 0.2),
        (SHORT, false, &[0, 0x80], -32768.0),
        (UNSIGNED_SHORT, true, &[0xFF, 0xFF], 1.0),
    ];
    for (component, normalized, one, value) in forms {
        let mut model = moving_triangle([1.0; 3]);
        model.json["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
        model.json["extensionsUsed"] = json!(["KHR_mesh_quantization"]);
        let accessor = model.accessor("VEC3", component, &one.repeat(9));
        model.json["accessors"][accessor]["normalized"] = json!(normalized);
        let accessor = model.strided(accessor, 8);
        model.set("/meshes/0/primitives/0/attributes/POSITION", json!(accessor));
        let source = good(&model);
        assert_eq!((positions(&source), &source.warnings[..]), (&[[value; 3]; 3][..], &[][..]));
    }
}

#[test]
fn quantised_normals_tangents_and_uvs() {
    let mut model = moving_triangle([1.0; 3]);
    model.json["extensionsUsed"] = json!(["KHR_mesh_quantization"]);
    let normal = model.i8s("VEC3", &[0, 0, 127].repeat(3));
    let normal = model.normalized(normal);
    let tangent = model.i16s("VEC4", &[32767, 0, 0, -32768].repeat(3));
    let tangent = model.normalized(tangent);
    let uv = model.i16s("VEC2", &[-5, 300].repeat(3));
    for (name, accessor) in [("NORMAL", normal), ("TANGENT", tangent), ("TEXCOORD_0", uv)] {
        model.set(&format!("/meshes/0/primitives/0/attributes/{name}"), json!(accessor));
    }
    let source = good(&model);
    let geometry = &source.geometries[0];
    assert_eq!(source.warnings, []);
    assert_eq!(geometry.normals, Some(vec![[0.0, 0.0, 1.0]; 3]));
    assert_eq!(geometry.tangents, Some(vec![[1.0, 0.0, 0.0, -1.0]; 3]));
    assert_eq!(geometry.uvs, [vec![[-5.0, 300.0]; 3]]);
}

#[test]
fn quantised_without_saying_so() {
    let mut model = moving_triangle([1.0; 3]);
    let accessor = model.u8s("VEC3", &[0, 0, 0, 1, 0, 0, 0, 1, 0]);
    model.set("/meshes/0/primitives/0/attributes/POSITION", json!(accessor));
    let (source, codes) = odd(&model);
    assert_eq!((positions(&source)[1], &codes[..]), ([1.0, 0.0, 0.0], &["source::accessor"][..]));
}

fn sparse() -> Model {
    let mut model = moving_triangle([1.0; 3]);
    let accessor = model.sparse("VEC3", Some(0), 3, &[0, 2], &[9.0, 9.0, 9.0, 8.0, 8.0, 8.0]);
    model.set("/meshes/0/primitives/0/attributes/POSITION", json!(accessor));
    model
}

#[test]
fn sparse_accessors() {
    let source = good(&sparse());
    assert_eq!(positions(&source), [[9.0; 3], [1.0, 0.0, 0.0], [8.0; 3]]);
    let accessor = "/accessors/3/sparse";
    let wrong = |key: &str, value: Value| {
        let mut model = sparse();
        model.set(&format!("{accessor}/{key}"), value);
        let problem = bad(&model);
        let (code, place) = at(&problem);
        (code, place.trim_start_matches(accessor).to_owned())
    };
    assert_eq!(wrong("count", json!(4)), ("source::index", "/count".into()));
    assert_eq!(wrong("count", json!(3)), ("source::accessor", "/indices".into()));
    assert_eq!(wrong("values/byteOffset", json!(4)), ("source::accessor", "/values".into()));
    assert_eq!(wrong("values/bufferView", json!(99)), ("source::index", "/values/bufferView".into()));
    assert_eq!(wrong("indices/byteOffset", json!(u64::MAX)), ("source::accessor", "/indices".into()));
    assert_eq!(wrong("indices/componentType", json!(5126)), ("source::accessor", "/indices".into()));
    assert_eq!(wrong("values", json!(null)), ("source::json", String::new()));
    let mut model = sparse();
    let past = model.u16s("SCALAR", &[0, 3]);
    let view = model.json["accessors"][past]["bufferView"].clone();
    model.set(&format!("{accessor}/indices/bufferView"), view);
    assert_eq!(bad(&model).code, "source::index");
}

/// What shares one accessor a hundred thousand times is counted as often.
#[test]
fn sharing_is_bounded() {
    let mut model = morph_quad();
    let vertices = 50_000;
    let zeros = json!({ "componentType": 5126, "count": vertices, "type": "VEC3" });
    let base = model.add("accessors", zeros);
    let delta = model.sparse("VEC3", None, vertices, &[1], &[1.0; 3]);
    let target = json!({ "POSITION": delta });
    model.set("/meshes/0/primitives/0/attributes", json!({ "POSITION": base }));
    model.remove("/meshes/0/primitives/0/indices");
    model.set("/meshes/0/primitives/0/targets", json!(vec![target; 100_000]));
    model.remove("/animations");
    let bytes = model.glb();
    let (problems, memory) = peak(|| bad_all(&model));
    assert!(problems.iter().all(|p| p.code == "source::limit"), "{problems:?}");
    assert!(memory < (128 << 20) + 64 * bytes.len(), "{memory} for {}", bytes.len());
}
