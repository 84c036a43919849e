//! Category E: constants and engines.

use serde_json::json;

use super::play::{Player, rust_program};
use super::project::Project;
use crate::support::cases::{moving_quad, spin};
use crate::support::loader::{Bounds, Direction};
use crate::support::model::Model;
use crate::support::models::{moving_triangle, skinned_strip};

/// Names from case 8, and one that tries to leave its literal.
const NAMES: [&str; 13] = [
    "Walk Cycle",
    "Armature|Run",
    "a/b\\c",
    "mixamo.com",
    "2_Attack",
    "loop",
    "sampler",
    "packed",
    "a__b",
    "\u{8dd1}",
    "say \"hi\"\n*/ fn evil() {} //",
    "Walk_Cycle",
    "",
];

/// A triangle with a clip of each name.
fn named(names: &[&str]) -> Model {
    let mut model = moving_triangle([1.0, 0.0, 0.0]);
    model.remove("/animations/0");
    for (i, name) in names.iter().enumerate() {
        let output = model.vec3(&[[0.0; 3], [i as f32, 0.0, 0.0]]);
        let clip = model.clip(name);
        model.channel(clip, 0, "translation", &[0.0, 1.0], output, "LINEAR");
        if name.is_empty() {
            model.json["animations"][clip].as_object_mut().unwrap().remove("name");
        }
    }
    model
}

/// The words of a source, without its comments.
fn words(text: &str) -> Vec<String> {
    let code = text.lines().map(|line| line.split("//").next().unwrap());
    let words = code.flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || c == '_')));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Case 8: names that artists typed made code that does not compile, in one language or in another.
#[test]
fn case_8_clip_names_that_are_no_identifiers() {
    let project = Project::of(&named(&NAMES), "clips = \"all\"");
    let built = project.build();
    built.succeeded();
    assert!(built.problems.iter().any(|p| p.message.contains("Walk_Cycle")), "the clash is reported");
    let character = project.character("it");
    let found: Vec<&str> = character.clips.iter().map(|clip| clip.name.as_str()).collect();
    let mut expected = NAMES;
    expected[12] = "clip";
    assert_eq!(found, expected);

    let main = format!(
        "fn main() {{ for (i, name) in {expected:?}.iter().enumerate() {{ \
         let clip = vat::it::Clip::from_name(name).unwrap(); \
         assert_eq!((clip as usize, clip.name()), (i, *name)); }} }}"
    );
    rust_program(&project, &main);

    let wgsl = project.text("out/vat.wgsl");
    let module =
        naga::front::wgsl::parse_str(&wgsl).unwrap_or_else(|e| panic!("{}", e.emit_to_string(&wgsl)));
    validate(&module);
    for file in ["out/vat.wgsl", "out/vat.hlsl"] {
        for word in words(&project.text(file)) {
            assert!(!word.contains("__") && !word.starts_with("gl_") && word.is_ascii(), "{file}: {word}");
        }
        assert!(!words(&project.text(file)).contains(&"evil".to_owned()));
    }
    // Legal as they are: ASCII, no digit first, unique.
    let mut idents: Vec<&str> =
        character.json["clips"].as_array().unwrap().iter().map(|c| c["ident"].as_str().unwrap()).collect();
    assert_eq!((idents[0], idents[11]), ("WALK_CYCLE", "WALK_CYCLE_2"));
    assert!(idents.iter().all(|i| i.starts_with(|c: char| c.is_ascii_uppercase()) && !i.contains("__")));
    idents.sort_unstable();
    idents.dedup();
    assert_eq!(idents.len(), NAMES.len());
}

fn validate(module: &naga::Module) {
    let mut validator =
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty());
    validator.validate(module).unwrap_or_else(|e| panic!("{e:?}"));
}

/// Case 10: a crowd vanished at the edge of the screen, as it was culled with the box of its rest pose.
#[test]
fn case_10_bounds_hold_the_motion() {
    for (format, step) in [("rgba32f", 1e-5), ("rgba16ui", 1e-4), ("rgba16f", 2e-3), ("rgba8", 0.025)] {
        let project = Project::of(&moving_quad(), &format!("fps = 10\nformat = \"{format}\""));
        let character = project.baked();
        let [right, down] = [0, 1].map(|clip| character.clips[clip].bounds);
        let near = |bounds: Bounds, min: [f32; 3], max: [f32; 3]| {
            let off = |a: [f32; 3], b: [f32; 3]| (0..3).all(|i| (a[i] - b[i]).abs() <= step);
            assert!(off(bounds.min, min) && off(bounds.max, max), "{format}: {bounds:?}");
        };
        near(right, [0.0; 3], [6.0, 1.0, 0.0]);
        near(down, [0.0, -3.0, 0.0], [1.0, 1.0, 0.0]);
        near(character.bounds, [0.0, -3.0, 0.0], [6.0, 1.0, 0.0]);
        for clip in &character.clips {
            let track = character.positions(clip);
            for vertex in 0..character.mesh.positions.len() {
                assert!(character.bounds.holds(character.mesh.positions[vertex]), "the rest pose");
                for step in 0..=200 {
                    let moment = clip.moment(track, f64::from(step) / 200.0);
                    let p = character.position_at(track, vertex, moment);
                    assert!(clip.bounds.holds(p) && character.bounds.holds(p), "{format}: {p:?}");
                }
                assert!(clip.bounds.holds(character.position(track, vertex, track.frames)), "the guard");
            }
        }
        assert!(project.text("out/vat.rs").contains("pub const BOUNDS: Bounds"));
        assert!(project.text("out/vat.wgsl").contains("Cull with `NAME_BOUNDS_MIN`"));
    }
}

/// Case 11: generated shaders address by the vertex attribute, never by a built-in index.
#[test]
fn case_11_no_built_in_vertex_index() {
    let project = Project::of(&skinned_strip(), "");
    project.baked();
    for file in ["out/vat.wgsl", "out/vat.hlsl"] {
        let text = project.text(file);
        let lower = text.to_lowercase();
        assert!(!lower.contains("vertex_index") && !lower.contains("sv_vertexid"), "{file}");
        assert!(text.contains("_VAT_COLUMN") && text.contains("column"), "{file}");
    }
}

/// Two clips of four rows: `A` stands at x = 0, `B` at x = 100. Vertices face +Z, -X and +Y.
fn stacked() -> Model {
    let mut model = moving_triangle([0.0; 3]);
    let normals = model.vec3(&[[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    model.set("/meshes/0/primitives/0/attributes/NORMAL", json!(normals));
    model.set("/animations/0/name", json!("A"));
    let output = model.vec3(&[[100.0, 0.0, 0.0]; 2]);
    let clip = model.clip("B");
    model.channel(clip, 0, "translation", &[0.0, 1.0], output, "LINEAR");
    model
}

/// Case 19: playback drifted by half a texel, mixed in the next clip, or read normals from positions.
#[test]
fn case_19_texels_and_rows_of_the_clip() {
    // Four rows either way: four a second and looping, three a second and not.
    for lines in ["fps = 4\nloop = true", "fps = 3"] {
        let project = Project::of(&stacked(), lines);
        let character = project.baked();
        let track = character.positions(&character.clips[0]);
        assert_eq!((track.frames, character.positions(&character.clips[1]).first_row), (4, track.band_rows));
        let after = 3.5 / track.fps;
        let player = Player::new(&project);
        for (vertex, corner) in [(0, [0.0, 0.0, 0.0]), (2, [0.0, 1.0, 0.0])] {
            for (clip, x) in [(0, 0.0), (1, 100.0)] {
                let found = player.position(clip, vertex, after);
                assert_eq!(found, [x, corner[1], corner[2]], "{lines}, clip {clip}, vertex {vertex}");
            }
        }
    }
}

/// Case 19: normals, packed and in a sheet of their own, are those of the vertex in every row.
#[test]
fn case_19_normals_lie_where_they_are_read() {
    let faces = [[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    for lines in ["", "normals = \"sheet\"", "format = \"rgba32f\"", "format = \"rgb10a2\""] {
        let character = Project::of(&stacked(), &format!("fps = 4\nloop = true\n{lines}")).baked();
        for clip in &character.clips {
            let track = character.directions(clip, Direction::Normal).unwrap();
            for (vertex, row) in (0..3).flat_map(|v| (0..=track.frames).map(move |f| (v, f))) {
                let (normal, _) = character.direction(track, vertex, row);
                let right = faces[vertex];
                let cosine: f32 = (0..3).map(|i| normal[i] * right[i]).sum();
                assert!(cosine > 0.999, "{lines}: vertex {vertex}, row {row}: {normal:?}");
            }
        }
    }
}

/// Case 20: a 16-bit normalised texture was a validation error where the device lacks the feature.
#[test]
fn case_20_the_feature_that_a_format_needs() {
    let constants = |format: &str| {
        let project = Project::of(&skinned_strip(), format);
        project.baked();
        (project.text("out/vat.rs"), project.text("out/vat.wgsl"))
    };
    // The default is everywhere.
    let (rust, wgsl) = constants("");
    let line = "\"rgba16ui\", 95, \"Rgba16Uint\", None, None, [1, 1], SampleType::Uint,";
    assert!(rust.contains(line), "{rust}");
    assert!(!wgsl.contains("TEXTURE_FORMAT_16BIT_NORM"));
    let (rust, wgsl) = constants("format = \"rgba16\"");
    let line = "\"rgba16\", 91, \"Rgba16Unorm\", Some(\"TEXTURE_FORMAT_16BIT_NORM\"),";
    assert!(rust.contains(line), "{rust}");
    assert!(wgsl.contains("Needs the feature TEXTURE_FORMAT_16BIT_NORM"));
}

/// The numbers of the only track in a generated shader: rows, rate, duration, turns, flags, then bias and scale.
fn wgsl_track(text: &str) -> Vec<f64> {
    let from = text.find("case 0: { return VatTrack(").expect("a track") + "case 0: ".len();
    let track = &text[from..from + text[from..].find(';').unwrap()];
    let number = |word: &str| word.trim_end_matches('u').parse::<f64>().ok();
    track.split(['(', ')', ',', ' ', '\n']).filter_map(number).collect()
}

/// Case 25: 32-bit floats cannot be filtered, and a sampler is refused even where it takes the nearest.
#[test]
fn case_25_floats_are_loaded_not_sampled() {
    let project = Project::of(&skinned_strip(), "fps = 1\nformat = \"rgba32f\"\nnormals = \"none\"");
    let character = project.baked();
    let wgsl = project.text("out/vat.wgsl");
    let module =
        naga::front::wgsl::parse_str(&wgsl).unwrap_or_else(|e| panic!("{}", e.emit_to_string(&wgsl)));
    validate(&module);
    assert!(module.global_variables.is_empty(), "no bindings, so no sampler");
    let sampler = |ty: &naga::Type| matches!(ty.inner, naga::TypeInner::Sampler { .. });
    assert!(!module.types.iter().any(|(_, ty)| sampler(ty)));
    assert!(!wgsl.contains("textureSample") && wgsl.contains("textureLoad"));
    assert!(wgsl.contains("sample type Float { filterable: false }"));
    assert!(project.text("out/vat.rs").contains("SampleType::UnfilterableFloat, "));

    // A quarter of the way from row 0 to row 1: the loader's blend, the constants', and the shader's formula.
    let clip = &character.clips[0];
    let track = character.positions(clip);
    let numbers = wgsl_track(&wgsl);
    assert_eq!(numbers[..6], [0.0, 3.0, 0.0, 2.0, 1.0, 1.0], "first row, rows, layer, frames, rate, seconds");
    let (bias, scale) = (&numbers[8..11], &numbers[11..14]);
    let player = Player::new(&project);
    for vertex in 0..character.mesh.positions.len() {
        let right = character.position_at(track, vertex, clip.moment(track, 0.25));
        let played = player.position(0, vertex, 0.25);
        let column = character.mesh.columns[vertex];
        let [here, next] = [0, 1].map(|row| character.sheets[0].texture.texel(column, row, 0).v);
        let blended = [0, 1, 2].map(|i| here[i] + (next[i] - here[i]) * 0.25);
        for i in 0..3 {
            let shader = bias[i] as f32 + scale[i] as f32 * blended[i];
            assert!((played[i] - right[i]).abs() < 1e-6 && (shader - right[i]).abs() < 1e-6);
        }
    }
}

/// Runner-up 17: which row is the first frame was left to guessing.
#[test]
fn runner_up_17_row_0_is_frame_0() {
    let project = Project::of(&skinned_strip(), "");
    // The loader checks that the file's orientation says so: `rd`, rows from the top.
    project.baked();
    for file in ["out/vat.rs", "out/vat.wgsl", "out/vat.hlsl"] {
        assert!(project.text(file).contains("row 0 of a track is frame 0 of its clip"), "{file}");
    }
}

/// Runner-up 19: after hours of play 32-bit seconds had lost the digits that tell frames apart.
#[test]
fn runner_up_19_time_is_wrapped_within_the_clip() {
    let project = Project::of(&spin(), "fps = 10\nloop = true\nformat = \"rgba32f\"");
    project.baked();
    let player = Player::new(&project);
    let early = player.position(0, 0, 0.37);
    for hours in [1.0, 100.0, 100_000.0] {
        let late = player.position(0, 0, 3600.0 * hours + 0.37);
        assert!((0..3).all(|i| (early[i] - late[i]).abs() < 1e-4), "{hours} hours: {early:?} and {late:?}");
    }
    let main = "fn main() { let spin = vat::it::Clip::Spin.info(); \
                println!(\"{:?} {:?}\", spin.wrap(360000.37), spin.wrap(-0.25)); }";
    let wrapped: Vec<f32> =
        rust_program(&project, main).split_whitespace().map(|n| n.parse().unwrap()).collect();
    assert!((wrapped[0] - 0.37).abs() < 1e-6 && wrapped[1] == 0.75, "{wrapped:?}");
    let wgsl = project.text("out/vat.wgsl");
    assert!(wgsl.contains("let turns = time / track.duration;") && wgsl.contains("turns - floor(turns)"));
}
