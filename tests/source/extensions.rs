//! Extensions: what is decoded, what is tolerated, what is refused.

use meshopt::EncodeExpMode;
use serde_json::json;

use super::{at, bad, bad_all, good, odd};
use crate::support::memory::peak;
use crate::support::model::Model;
use crate::support::models::{compressed_strip, morph_quad, moving_triangle, skinned_strip};

/// Case 29.
#[test]
fn draco() {
    let mut model = moving_triangle([1.0; 3]);
    model.json["extensionsRequired"] = json!(["KHR_draco_mesh_compression", "ACME_secret"]);
    let problems = bad_all(&model);
    let places: Vec<_> = problems.iter().map(at).collect();
    assert_eq!(
        places,
        [("source::extension", "/extensionsRequired/0"), ("source::extension", "/extensionsRequired/1")]
    );
    assert!(problems[0].to_string().starts_with("model.glb"));
    assert!(problems[0].message.contains("KHR_draco_mesh_compression"));
    assert!(problems[0].help.as_ref().unwrap().contains("gltf-transform"));
    assert!(problems[1].message.contains("ACME_secret"));
    // Only used, with an uncompressed copy; without one.
    model.json["extensionsUsed"] = model.json["extensionsRequired"].take();
    let draco = json!({ "KHR_draco_mesh_compression": { "bufferView": 0, "attributes": { "POSITION": 0 } } });
    model.set("/meshes/0/primitives/0/extensions", draco);
    assert_eq!(good(&model).warnings, []);
    model.remove("/accessors/0/bufferView");
    assert_eq!(at(&bad(&model)), ("source::extension", "/meshes/0/primitives/0"));
}

#[test]
fn harmless_ones_may_be_required() {
    let mut model = moving_triangle([1.0; 3]);
    model.json["extensionsRequired"] = json!([
        "KHR_texture_transform",
        "KHR_texture_basisu",
        "EXT_texture_webp",
        "KHR_materials_unlit",
        "KHR_materials_variants",
        "KHR_lights_punctual",
        "KHR_xmp_json_ld",
        "MSFT_texture_dds",
        "VRMC_vrm",
        "KHR_mesh_quantization",
        "EXT_mesh_gpu_instancing",
        "KHR_node_visibility"
    ]);
    assert_eq!(good(&model).warnings, []);
    model.json["extensionsRequired"] = json!([]);
    model.json["extensionsUsed"] = json!(["ACME_anything", 3]);
    assert_eq!(good(&model).warnings, []);
}

#[test]
fn instances_are_not_baked() {
    let mut model = moving_triangle([1.0; 3]);
    model.set("/nodes/0/extensions", json!({ "EXT_mesh_gpu_instancing": { "attributes": {} } }));
    let (source, codes) = odd(&model);
    assert_eq!((source.parts.len(), &codes[..]), (1, &["source::extension"][..]));
}

#[test]
fn meshopt_gives_back_the_same_model() {
    let plain = format!("{:?}", good(&skinned_strip()));
    let mut model = compressed_strip();
    let compressed = good(&model);
    // The triangle coder may start a triangle at another corner.
    let sorted = |text: &vatpipe::source::Source| {
        let mut source = text.clone();
        for triangle in source.geometries[0].primitives[0].indices.as_chunks_mut::<3>().0 {
            let least = (0..3).min_by_key(|&i| triangle[i]).unwrap();
            triangle.rotate_left(least);
        }
        format!("{source:?}")
    };
    assert_eq!(sorted(&compressed), sorted(&good(&skinned_strip())));
    // Under the name of the successor.
    let text = model.json.to_string().replace("EXT_meshopt_compression", "KHR_meshopt_compression");
    model.json = serde_json::from_str(&text).unwrap();
    assert_eq!(sorted(&good(&model)), sorted(&compressed));
    assert!(plain.contains("strip"));
}

/// The mode that keeps the order, and its 16 and 32 bits.
#[test]
fn meshopt_index_sequences() {
    let plain = format!("{:?}", good(&morph_quad()));
    let encoded = meshopt::encode_index_sequence(&[0, 1, 2, 2, 1, 3], 4).unwrap();
    for stride in [2, 4] {
        let mut model = morph_quad();
        let indices = if stride == 2 { model.u16s("SCALAR", &[9; 6]) } else { model.u32s("SCALAR", &[9; 6]) };
        model.set("/meshes/0/primitives/0/indices", json!(indices));
        model.compress(indices, "INDICES", "NONE", stride, &encoded);
        assert_eq!(format!("{:?}", good(&model)), plain);
    }
}

/// Filters: what comes out is close to what went in.
#[test]
fn meshopt_filters() {
    let normals: Vec<[f32; 4]> =
        vec![[0.0, 0.0, 1.0, 0.0], [0.6, 0.0, -0.8, 0.0], [-0.36, 0.48, -0.8, 0.0], [0.0, -1.0, 0.0, 0.0]];
    for bits in [8, 16] {
        let mut model = morph_quad();
        model.json["extensionsUsed"] = json!(["KHR_mesh_quantization"]);
        let (accessor, stride, encoded) = if bits == 8 {
            let filtered = meshopt::encode_filter_oct::<i8>(&normals, 8);
            (model.i8s("VEC3", &[0; 12]), 4, meshopt::encode_vertex_buffer(&filtered).unwrap())
        } else {
            let filtered = meshopt::encode_filter_oct::<i16>(&normals, 16);
            (model.i16s("VEC3", &[0; 12]), 8, meshopt::encode_vertex_buffer(&filtered).unwrap())
        };
        let accessor = model.normalized(accessor);
        model.set("/meshes/0/primitives/0/attributes/NORMAL", json!(accessor));
        model.compress(accessor, "ATTRIBUTES", "OCTAHEDRAL", stride, &encoded);
        model.json["extensionsUsed"] = json!(["EXT_meshopt_compression", "KHR_mesh_quantization"]);
        let source = good(&model);
        assert_eq!(source.warnings, []);
        let tolerance = if bits == 8 { 0.02 } else { 1e-4 };
        for (found, wanted) in source.geometries[0].normals.as_ref().unwrap().iter().zip(&normals) {
            let off = found.iter().zip(wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(off < tolerance, "{found:?} {wanted:?}");
        }
    }
}

#[test]
fn meshopt_exponents_and_quaternions() {
    let positions = [[0.0, 0.5, 100.0f32], [1.0, -2.0, 1e-3], [0.1, 0.2, 0.3], [7.0, 8.0, -9.0]];
    let filtered = meshopt::encode_filter_exp(&positions, 24, EncodeExpMode::Separate);
    let encoded = meshopt::encode_vertex_buffer(&filtered).unwrap();
    let mut model = morph_quad();
    let accessor = model.vec3(&[[0.0; 3]; 4]);
    model.set("/meshes/0/primitives/0/attributes/POSITION", json!(accessor));
    model.compress(accessor, "ATTRIBUTES", "EXPONENTIAL", 12, &encoded);
    for (found, wanted) in good(&model).geometries[0].positions.iter().zip(&positions) {
        for (a, b) in found.iter().zip(wanted) {
            assert!((a - b).abs() <= b.abs() * 1e-6, "{a} {b}");
        }
    }
    let rotations = [[0.5, 0.5, 0.5, 0.5f32], [0.0, -0.6, 0.0, 0.8], [1.0, 0.0, 0.0, 0.0]];
    let filtered = meshopt::encode_filter_quat(&rotations, 16);
    let encoded = meshopt::encode_vertex_buffer(&filtered).unwrap();
    let mut model = moving_triangle([1.0; 3]);
    let accessor = model.i16s("VEC4", &[0; 12]);
    let accessor = model.normalized(accessor);
    model.channel(0, 0, "rotation", &[0.0, 1.0, 2.0], accessor, "LINEAR");
    model.compress(accessor, "ATTRIBUTES", "QUATERNION", 8, &encoded);
    let source = good(&model);
    for (found, wanted) in source.clips[0].channels[1].values.as_chunks::<4>().0.iter().zip(&rotations) {
        let dot: f32 = found.iter().zip(wanted).map(|(a, b)| a * b).sum();
        assert!(dot.abs() > 0.999_999, "{found:?} {wanted:?}");
    }
}

/// The 23rd bytes of compressed vertices of 256 bytes: every stride is decoded.
#[test]
fn meshopt_wide_vertices() {
    let vertex = |i: u8| std::array::from_fn::<u8, 256, _>(|b| if b == 9 { i } else { 0 });
    let encoded = meshopt::encode_vertex_buffer(&[vertex(0), vertex(64), vertex(128)]).unwrap();
    let mut model: Model = moving_triangle([1.0; 3]);
    model.json["extensionsUsed"] = json!(["KHR_mesh_quantization"]);
    let accessor = model.u8s("VEC3", &[0; 9]);
    model.set("/meshes/0/primitives/0/attributes/POSITION", json!(accessor));
    model.json["accessors"][accessor]["byteOffset"] = json!(8);
    model.compress(accessor, "ATTRIBUTES", "NONE", 256, &encoded);
    let source = odd(&model).0;
    assert_eq!(source.geometries[0].positions, [0.0, 64.0, 128.0].map(|y| [0.0, y, 0.0]));
}

#[test]
fn meshopt_data_that_is_wrong() {
    let view = {
        let model = compressed_strip();
        let position = model.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"].as_u64().unwrap();
        model.json["accessors"][position as usize]["bufferView"].as_u64().unwrap()
    };
    let pointer = format!("/bufferViews/{view}/extensions/EXT_meshopt_compression");
    for (key, value) in [
        ("mode", json!("FANCY")),
        ("filter", json!("FANCY")),
        ("filter", json!("OCTAHEDRAL")),
        ("byteStride", json!(13)),
        ("byteStride", json!(1024)),
        ("byteStride", json!(16)),
        ("count", json!(11)),
        ("count", json!(u64::MAX)),
        ("count", json!(4_000_000_000u64)),
        ("byteLength", json!(3)),
        ("byteOffset", json!(0)),
    ] {
        let mut model = compressed_strip();
        model.set(&format!("{pointer}/{key}"), value.clone());
        let (problems, memory) = peak(|| bad_all(&model));
        assert!(
            matches!(problems[0].code, "source::meshopt" | "source::limit"),
            "{key} {value}: {problems:?}"
        );
        assert_eq!(at(&problems[0]).1, pointer, "{key} {value}");
        assert!(memory < 4 << 20, "{memory}");
    }
}
