//! Category T: textures and KTX2.

use super::project::Project;
use crate::support::loader::Character;
use crate::support::model::Model;
use crate::support::models::{moving_triangle, skinned_strip, triangle};
use serde_json::json;

/// The first texture of a project, as it lies there.
fn ktx2(project: &Project) -> Vec<u8> {
    std::fs::read(project.path("out/it/it_0_VAT.ktx2")).unwrap()
}

fn word(file: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(file[at..][..4].try_into().unwrap())
}

fn long(file: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(file[at..][..8].try_into().unwrap())
}

/// The data format descriptor as words, its length first.
fn descriptor(file: &[u8]) -> Vec<u32> {
    let (at, len) = (word(file, 48) as usize, word(file, 52) as usize);
    (0..len / 4).map(|i| word(file, at + i * 4)).collect()
}

/// Half a step of a format over a range, and a hair for the arithmetic.
fn half_step(format: &str, range: f32) -> f32 {
    let codes = match format {
        "rgba16ui" | "rgba16" => 65535.0,
        "rgb10a2" => 1023.0,
        "rgba8" => 255.0,
        // Eleven bits of significand over -1 to 1.
        "rgba16f" => 2048.0,
        _ => 1e7,
    };
    range * (0.5 / codes + 1e-6)
}

/// Every row within half a step of a format, of the exact one.
fn assert_close(exact: &Character, found: &Character, format: &str) {
    for (a, b) in exact.clips.iter().zip(&found.clips) {
        let (a, b) = (exact.positions(a), found.positions(b));
        for (vertex, frame) in
            (0..exact.mesh.positions.len()).flat_map(|v| (0..=a.frames).map(move |f| (v, f)))
        {
            let (right, p) = (exact.position(a, vertex, frame), found.position(b, vertex, frame));
            for axis in 0..3 {
                let allowed = half_step(format, b.scale[axis].abs()) + right[axis].abs() * 1e-6;
                let off = (right[axis] - p[axis]).abs();
                assert!(off <= allowed, "{format}, vertex {vertex}, row {frame}: {off} > {allowed}");
            }
        }
    }
}

/// Case 4: a texture taken for a colour (gamma, lossy blocks, mip levels) exploded or hardly moved.
#[test]
fn case_4_textures_are_data() {
    let exact = Project::of(&skinned_strip(), "fps = 8\nformat = \"rgba32f\"").baked();
    let formats =
        [("rgba32f", 109), ("rgba16f", 97), ("rgba16ui", 95), ("rgba16", 91), ("rgb10a2", 64), ("rgba8", 37)];
    for (format, vk_format) in formats {
        let project = Project::of(&skinned_strip(), &format!("fps = 8\nformat = \"{format}\""));
        assert_close(&exact, &project.baked(), format);
        let file = ktx2(&project);
        assert_eq!((word(&file, 12), word(&file, 40)), (vk_format, 1), "{format}: vkFormat, levelCount");
        // Transfer function: linear is 1.
        assert_eq!(descriptor(&file)[3] >> 16 & 255, 1, "{format}");
    }
    let project = Project::of(&skinned_strip(), "");
    project.build().succeeded();
    for file in ["out/vat.rs", "out/vat.wgsl", "out/vat.hlsl"] {
        let text = project.text(file).to_lowercase();
        for words in ["nearest", "clamp", "one mip level", "never srgb"] {
            assert!(text.contains(words), "{file} does not say {words:?}");
        }
    }
}

/// Case 4: an sRGB format is an error of the manifest.
#[test]
fn case_4_srgb_is_refused() {
    for format in ["rgba8-srgb", "rgba8_srgb", "R8G8B8A8_SRGB", "srgb8a8"] {
        let project = Project::of(&skinned_strip(), &format!("format = \"{format}\""));
        project.vatpipe(&["build"]).refused(2, &["vat.toml", format]);
        assert!(project.files("out").is_empty());
    }
}

/// A quad of one key: 4 columns, a frame and its guard.
fn four_by_two() -> Model {
    let mut model = Model::new();
    let position = model.vec3(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]);
    let indices = model.u8s("SCALAR", &[0, 1, 2, 2, 1, 3]);
    let mesh = model.mesh(json!([{ "attributes": { "POSITION": position }, "indices": indices }]));
    let node = model.node(json!({ "mesh": mesh }));
    let output = model.vec3(&[[0.5, 0.0, 0.0]]);
    let clip = model.clip("pose");
    model.channel(clip, node, "translation", &[0.0], output, "LINEAR");
    model
}

/// Case 35: strict readers refused files with an incomplete data format descriptor, others guessed.
#[test]
fn case_35_the_data_format_descriptor() {
    let samples = |bits: u32, flags: u32, lower: u32, upper: u32| -> Vec<u32> {
        let one = |(i, channel): (u32, u32)| {
            [(flags | channel) << 24 | (bits - 1) << 16 | (i * bits), 0, lower, upper]
        };
        [0, 1, 2, 15].into_iter().enumerate().flat_map(|(i, c)| one((i as u32, c))).collect()
    };
    let (one, minus_one) = (1.0f32.to_bits(), (-1.0f32).to_bits());
    let cases = [
        ("rgba16", 2, 8, samples(16, 0, 0, 65535)),
        ("rgba32f", 4, 16, samples(32, 0xC0, minus_one, one)),
        ("rgba16f", 2, 8, samples(16, 0xC0, minus_one, one)),
    ];
    for (format, type_size, bytes, samples) in cases {
        let project = Project::of(&four_by_two(), &format!("format = \"{format}\""));
        project.baked();
        let file = ktx2(&project);
        assert_eq!((word(&file, 20), word(&file, 24), word(&file, 16)), (4, 2, type_size), "{format}");
        let words = descriptor(&file);
        // Total length; vendor and type; version 2 and the block's length; RGBSDA, BT.709, linear; 1x1 texels.
        assert_eq!(words[..5], [92, 0, 88 << 16 | 2, 0x0001_0101, 0], "{format}");
        assert_eq!(words[5..7], [bytes, 0], "{format}: bytesPlane0 to bytesPlane7");
        assert_eq!(words[7..], samples, "{format}");
    }
}

/// Case 39: loaders without a Zstandard decoder could not read the file; others wanted nothing else.
#[test]
fn case_39_supercompression_is_a_choice() {
    let [plain, zstd] = ["", "zstd = 19"].map(|lines| {
        let project = Project::of(&skinned_strip(), lines);
        project.baked();
        project
    });
    let (a, b) = (ktx2(&plain), ktx2(&zstd));
    assert_eq!((word(&a, 44), word(&b, 44)), (0, 2), "supercompressionScheme");
    // The level index: offset, length, uncompressed length.
    let level = |file: &[u8]| (long(file, 80) as usize, long(file, 88) as usize, long(file, 96) as usize);
    let ((offset, len, whole), (zstd_offset, zstd_len, zstd_whole)) = (level(&a), level(&b));
    assert_eq!((len, whole), (zstd_whole, zstd_whole));
    let inflated = zstd::bulk::decompress(&b[zstd_offset..][..zstd_len], whole).unwrap();
    assert!(inflated == a[offset..][..len]);
    for (project, word) in [(&plain, "None"), (&zstd, "Zstd")] {
        let rust = project.text("out/vat.rs");
        assert!(rust.contains(&format!("Supercompression::{word}, ")));
        let wgsl = project.text("out/vat.wgsl");
        assert!(wgsl.contains(&format!("KTX2 supercompression: {}.", word.to_lowercase())));
    }
}

/// Runner-up 16: array layers were taken for mip levels or faces, in another order.
#[test]
fn runner_up_16_layers() {
    let mut model = moving_triangle([1.0, 0.0, 0.0]);
    for to in [2.0, 3.0] {
        let output = model.vec3(&[[0.0; 3], [to, 0.0, 0.0]]);
        let clip = model.clip("on");
        model.channel(clip, 0, "translation", &[0.0, 1.0], output, "LINEAR");
    }
    let project = Project::of(
        &model,
        "fps = 200\nmax_texture = 256\nformat = \"rgba32f\"\ncolumn_order = \"authored\"",
    );
    let character = project.baked();
    let file = ktx2(&project);
    // layerCount, faceCount, levelCount.
    assert_eq!((word(&file, 32), word(&file, 36), word(&file, 40)), (3, 1, 1));
    let (width, height) = (word(&file, 20) as usize, word(&file, 24) as usize);
    let data = &file[long(&file, 80) as usize..];
    for (layer, clip) in character.clips.iter().enumerate() {
        assert_eq!(character.positions(clip).layer, layer);
        // The last frame of column 0: layer after layer, rows from the top.
        let texel = (layer * height + clip.tracks[0].first_row + 200) * width;
        let x = f32::from_le_bytes(data[texel * 16..][..4].try_into().unwrap());
        assert_eq!(x, (layer + 1) as f32);
    }
    let single = Project::of(&moving_triangle([1.0, 0.0, 0.0]), "");
    single.baked();
    assert_eq!(word(&ktx2(&single), 32), 0);
}

/// Case 4, the input: two vertices would do.
#[test]
fn case_4_the_smallest_clip() {
    let mut model = Model::new();
    let mesh = triangle(&mut model);
    let node = model.node(json!({ "mesh": mesh }));
    let output = model.vec3(&[[0.0; 3], [0.01, 0.0, -0.02]]);
    let clip = model.clip("hardly");
    model.channel(clip, node, "translation", &[0.0, 1.0], output, "LINEAR");
    let exact = Project::of(&model, "fps = 2\nformat = \"rgba32f\"").baked();
    for format in ["rgba16ui", "rgb10a2", "rgba8"] {
        let found = Project::of(&model, &format!("fps = 2\nformat = \"{format}\"")).baked();
        assert_close(&exact, &found, format);
    }
}
