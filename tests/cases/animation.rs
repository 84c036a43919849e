//! Category A: animation and skinning.

use serde_json::json;

use super::play::Player;
use super::project::Project;
use crate::support::cases::{
    armature_scale, keys, late_first_key, opposite_signs, quantized_rotation, same_names, spin, step_scale,
    zero_scale,
};
use crate::support::loader::{Character, Direction};
use crate::support::model::Model;
use crate::support::models::{morph_quad, moving_triangle, skinned_strip, triangle};

const EXACT: &str = "format = \"rgba32f\"\n";

fn baked(model: &Model, lines: &str) -> Character {
    Project::of(model, &format!("{EXACT}{lines}")).baked()
}

/// Where vertex 0 is in every row of a clip.
fn rows(character: &Character, clip: usize) -> Vec<[f32; 3]> {
    let track = character.positions(&character.clips[clip]);
    (0..track.frames).map(|frame| character.position(track, 0, frame)).collect()
}

#[track_caller]
fn near(found: [f32; 3], right: [f32; 3]) {
    assert!((0..3).all(|i| (found[i] - right[i]).abs() <= 1e-5), "{found:?} is not {right:?}");
}

/// The angle of a point about Z, degrees.
fn about_z([x, y, _]: [f32; 3]) -> f64 {
    libm::atan2(f64::from(y), f64::from(x)).to_degrees()
}

/// Case 1: a character in centimetres came out 100 times too big, as the armature above the joints was left out.
#[test]
fn case_1_an_armature_scaled_above_the_joints() {
    let mut outputs = Vec::new();
    for skeleton in [json!(null), json!(1), json!(0)] {
        let project = Project::of(&armature_scale(skeleton), EXACT);
        let rows = rows(&project.baked(), 0);
        near(rows[0], [0.0, 1.0, 0.0]);
        near(rows[rows.len() - 1], [0.0, 1.5, 0.0]);
        outputs.push((project.files("out/it"), project.files("out")));
    }
    assert!(outputs.windows(2).all(|pair| pair[0] == pair[1]), "`skin.skeleton` changes the outputs");
}

/// Case 3: a clip that starts late flashed the rest pose, or waited before each loop.
#[test]
fn case_3_a_first_key_after_the_start() {
    let x = |rows: Vec<[f32; 3]>| rows.iter().map(|p| p[0]).collect::<Vec<_>>();
    let held = x(rows(&baked(&late_first_key(), "fps = 10"), 0));
    assert_eq!(held.len(), 21);
    assert!(held[..=10].iter().all(|&x| x == 1.0), "{held:?}");
    assert_eq!(held[20], 2.0);
    let trimmed = x(rows(&baked(&late_first_key(), "fps = 10\ntrim = true"), 0));
    assert_eq!((trimmed.len(), trimmed[0], trimmed[10]), (11, 1.0, 2.0));
}

/// Case 3: of two channels that start at different times, both are shifted by the same.
#[test]
fn case_3_trimming_keeps_channels_together() {
    let mut model = Model::new();
    let mesh = triangle(&mut model);
    let node = model.node(json!({ "mesh": mesh }));
    let clip = model.clip("late");
    let places = model.vec3(&[[0.0; 3], [1.0, 0.0, 0.0]]);
    model.channel(clip, node, "translation", &[0.5, 1.5], places, "LINEAR");
    let sizes = model.vec3(&[[1.0; 3], [3.0; 3]]);
    model.channel(clip, node, "scale", &[1.0, 2.0], sizes, "LINEAR");
    let character = baked(&model, "fps = 10\ntrim = true");
    let track = character.positions(&character.clips[0]);
    assert_eq!((track.frames, character.clips[0].duration), (16, 1.5));
    // Vertex 1 is at (1,0,0): x is the translation plus the scale.
    for frame in 0..16 {
        let t = 0.5 + frame as f32 / 10.0;
        let x = (t - 0.5).min(1.0) + 1.0 + 2.0 * (t - 1.0).clamp(0.0, 1.0);
        near(character.position(track, 1, frame), [x, 0.0, 0.0]);
    }
}

/// Case 5: a walk hitched at each turn, as the pose at the end was stored beside its copy at the start.
#[test]
fn case_5_the_seam_of_a_loop() {
    let looping = baked(&spin(), "fps = 10\nloop = true");
    let rows_of_loop = rows(&looping, 0);
    assert_eq!(rows_of_loop.len(), 10);
    for (row, &here) in rows_of_loop.iter().enumerate() {
        let next = rows_of_loop[(row + 1) % 10];
        let step = (about_z(next) - about_z(here)).rem_euclid(360.0);
        assert!((step - 36.0).abs() < 1e-3, "row {row}: {step} degrees");
    }
    let once = baked(&spin(), "fps = 10\nloop = false");
    let rows_once = rows(&once, 0);
    assert_eq!(rows_once.len(), 11);
    near(rows_once[10], rows_once[0]);
    assert_eq!((looping.clips[0].duration, once.clips[0].duration), (1.0, 1.0));
}

/// Case 9: a limb whipped through the body for a frame, as the long way was taken between q and -q.
#[test]
fn case_9_rotation_keys_of_opposite_sign() {
    let character = baked(&opposite_signs(), "fps = 2");
    near(rows(&character, 0)[1], [0.984808, 0.173648, 0.0]);
}

/// Case 9: equal keys, and keys that are nearly equal, divided by the sine of nothing.
#[test]
fn case_9_keys_that_are_nearly_equal() {
    for second in
        [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, -1.0], [0.0, 0.0, 1e-7, 1.0], [1e-30, 0.0, 0.0, -1.0]]
    {
        let mut model = spin();
        model.remove("/animations/0");
        let output = model.vec4(&[[0.0, 0.0, 0.0, 1.0], second]);
        let clip = model.clip("still");
        model.channel(clip, 0, "rotation", &[0.0, 1.0], output, "LINEAR");
        for row in rows(&baked(&model, "fps = 7"), 0) {
            near(row, [1.0, 0.0, 0.0]);
        }
    }
}

/// Case 17: the last row snapped to the start, there was a frame too many or too few, or a division by zero.
#[test]
fn case_17_the_sample_at_the_very_end() {
    let of = |times: &[f32], x: &[f32], fps: u32| {
        let character = baked(&keys(times, x), &format!("fps = {fps}"));
        let rows: Vec<f32> = rows(&character, 0).iter().map(|p| p[0]).collect();
        (rows, character)
    };
    let (rows, character) = of(&[0.0, 0.5], &[0.0, 5.0], 60);
    assert_eq!((rows.len(), rows[30], character.clips[0].duration), (31, 5.0, 0.5));
    let (rows, character) = of(&[0.0, 0.499_999_97], &[0.0, 5.0], 60);
    assert_eq!((rows.len(), rows[30]), (31, 5.0));
    assert_eq!(character.clips[0].duration, f64::from(0.499_999_97f32));
    // Five intervals and a bit: 0.51 s is cut into five, and the rate says so.
    let (rows, character) = of(&[0.0, 0.51], &[0.0, 5.0], 10);
    assert_eq!((rows.len(), rows[5]), (6, 5.0));
    assert!(rows.iter().all(|&x| x <= 5.0));
    let clip = &character.clips[0];
    assert_eq!(clip.duration, f64::from(0.51f32));
    assert!((clip.tracks[0].fps - 5.0 / 0.51).abs() < 1e-6);
    let (rows, character) = of(&[0.0], &[3.0], 60);
    assert_eq!(rows, [3.0]);
    assert!(character.clips[0].tracks[0].fps.is_finite());
    let (rows, character) = of(&[2.0], &[3.0], 60);
    assert!(rows.iter().all(|&x| x == 3.0) && character.clips[0].tracks[0].fps.is_finite());
}

/// Case 33: of two clips of one name only one was there, and which one nobody could say.
#[test]
fn case_33_two_clips_of_one_name() {
    let mut seen = Vec::new();
    for threads in [1, 3] {
        let project = Project::of(&same_names(), &format!("{EXACT}clips = \"all\""));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| project.build().succeeded());
        let character = project.character("it");
        let names: Vec<_> = character.clips.iter().map(|clip| clip.name.clone()).collect();
        let ends: Vec<_> = (0..3).map(|clip| rows(&character, clip).last().unwrap()[0]).collect();
        assert_eq!(ends, [1.0, 2.0, 3.0]);
        seen.push(names);
    }
    assert_eq!(seen[0], ["UpAndDown", "UpAndDown_2", "clip"]);
    assert_eq!(seen[0], seen[1]);
}

/// Case 33: a name that several clips have chose the first of them without a word.
#[test]
fn case_33_an_ambiguous_choice() {
    let ran = Project::of(&same_names(), "clips = [\"UpAndDown\"]").vatpipe(&["build"]);
    ran.refused(1, &["UpAndDown", "0, 1"]);
    let chosen = baked(&same_names(), "clips = [1]");
    assert_eq!(rows(&chosen, 0).last().unwrap()[0], 2.0);
}

/// Case 38: an on-off scale got values in between that nobody had authored.
#[test]
fn case_38_keys_in_steps() {
    let project = Project::of(&step_scale(), &format!("{EXACT}fps = 30"));
    let character = project.baked();
    let track = character.positions(&character.clips[0]);
    // Vertex 1 is at (1,0,0): x is the scale.
    let scales: Vec<f32> = (0..track.frames).map(|frame| character.position(track, 1, frame)[0]).collect();
    assert_eq!(scales.len(), 16);
    assert!(scales.iter().all(|&scale| scale == 0.0 || scale == 1.0), "{scales:?}");
    assert_eq!((scales[11], scales[12], scales[15]), (1.0, 0.0, 1.0));
    assert!(character.clips[0].step);
    // Played back, too: half way between the rows of 1 and 0.
    let player = Player::new(&project);
    assert_eq!(player.position(0, 1, 11.5 / 30.0)[0], 1.0);
    // One channel that is not in steps, and frames are blended again.
    let mut mixed = step_scale();
    let output = mixed.vec3(&[[0.0; 3], [1.0, 0.0, 0.0]]);
    mixed.channel(0, 0, "translation", &[0.0, 0.5], output, "LINEAR");
    assert!(!baked(&mixed, "fps = 30").clips[0].step);
}

/// Case 42: limbs of optimised files spun, as normalised integers were not converted and strides ignored.
#[test]
fn case_42_quantised_and_strided_rotations() {
    let rows = rows(&baked(&quantized_rotation(), "fps = 1"), 0);
    assert!((about_z(rows[0]) - 90.0).abs() < 0.01, "{:?}", rows[0]);
    // (-1,0,0,0) is half a turn about X: (1,0,0) stays.
    near(rows[1], [1.0, 0.0, 0.0]);
}

/// Case 42: integers for translations, which the specification does not know, were read as metres.
#[test]
fn case_42_integer_translations() {
    let mut model = moving_triangle([1.0, 0.0, 0.0]);
    let output = model.i16s("VEC3", &[0, 0, 0, 1, 0, 0]);
    let output = model.normalized(output);
    model.set("/animations/0/samplers/0/output", json!(output));
    let project = Project::of(&model, "");
    project.vatpipe(&["build"]).refused(1, &["it.glb", "translation"]);
    assert!(project.files("out/it").is_empty());
}

/// Runner-up 10: a channel without a target node stopped the import.
#[test]
fn runner_up_10_a_channel_without_a_node() {
    let mut model = moving_triangle([1.0, 0.0, 0.0]);
    let extra = json!({ "sampler": 0, "target": { "path": "translation" } });
    model.json["animations"][0]["channels"].as_array_mut().unwrap().insert(0, extra);
    assert_eq!(rows(&baked(&model, ""), 0).last().unwrap()[0], 1.0);
}

/// Runner-up 11: joint indices of 8 bits were read as ones of 16.
#[test]
fn runner_up_11_joint_indices_of_either_size() {
    let mut wide = skinned_strip();
    let joints: Vec<u16> = (0..10).flat_map(|_| [0, 1, 0, 0]).collect();
    let joints = wide.u16s("VEC4", &joints);
    wide.set("/meshes/0/primitives/0/attributes/JOINTS_0", json!(joints));
    let [narrow, wide] = [skinned_strip(), wide].map(|model| {
        let project = Project::of(&model, "");
        project.baked();
        project.files("out/it")
    });
    assert!(narrow == wide);
}

/// Runner-up 20: playback ran at another rate than was baked.
#[test]
fn runner_up_20_the_rate_is_that_of_the_manifest() {
    let project = Project::of(&moving_triangle([1.0, 0.0, 0.0]), "fps = 24");
    let character = project.baked();
    assert_eq!((character.clips[0].tracks[0].frames, character.clips[0].tracks[0].fps), (25, 24.0));
    let rust = project.text("out/vat.rs");
    assert_eq!(rust.matches(" 24.0,").count(), 1, "stored once");
    assert!(rust.contains("time * self.fps"));
    assert_eq!(project.text("out/vat.wgsl").matches("24.0").count(), 1, "stored once");
    // Row 6 of 24 a second is a quarter of a second.
    assert!((Player::new(&project).position(0, 0, 0.25)[0] - 0.25).abs() < 1e-4);
}

/// Runner-up 22: a joint scaled to nothing made NaN of normals and positions.
#[test]
fn runner_up_22_scales_of_zero() {
    let mut joint = skinned_strip();
    let output = joint.vec3(&[[1.0; 3], [0.0; 3], [1.0, 0.0, 1.0]]);
    joint.channel(0, 2, "scale", &[0.0, 0.5, 1.0], output, "LINEAR");
    for model in [zero_scale(), joint] {
        for format in ["rgba32f", "rgba16ui", "rgba16f"] {
            let character = Project::of(&model, &format!("format = \"{format}\"\nfps = 4")).baked();
            let clip = &character.clips[0];
            let (positions, normals) =
                (character.positions(clip), character.directions(clip, Direction::Normal).unwrap());
            for (vertex, frame) in (0..3).flat_map(|v| (0..=positions.frames).map(move |f| (v, f))) {
                let position = character.position(positions, vertex, frame);
                let (normal, _) = character.direction(normals, vertex, frame);
                assert!(position.iter().chain(&normal).all(|v| v.is_finite()), "{position:?} {normal:?}");
            }
        }
    }
}

/// Runner-up 22: NaN in a track went into the texture.
#[test]
fn runner_up_22_not_a_number_in_a_track() {
    let project = Project::of(&keys(&[0.0, 1.0], &[0.0, f32::NAN]), "");
    project.vatpipe(&["build"]).refused(1, &["it.glb#/accessors/1", "NaN"]);
    assert!(project.files("out/it").is_empty());
}

/// Runner-up 24: of several clips only the first was baked.
#[test]
fn runner_up_24_all_clips_without_gaps() {
    let character = baked(&same_names(), "clips = \"all\"\nfps = 10");
    let mut next = 0;
    for (index, clip) in character.clips.iter().enumerate() {
        let track = character.positions(clip);
        assert_eq!((track.sheet, track.first_row, track.frames), (0, next, 11), "clip {index}");
        next += track.band_rows;
    }
    assert_eq!((character.clips.len(), next), (3, character.sheets[0].texture.height));
}

/// Runner-up 25: the first row was blank, or the pose of another frame.
#[test]
fn runner_up_25_the_first_row_is_the_pose_at_the_start() {
    let mut model = keys(&[0.0, 1.0], &[5.0, 6.0]);
    model.set("/nodes/0/translation", json!([9, 9, 9]));
    let character = baked(&model, "fps = 1");
    let track = character.positions(&character.clips[0]);
    assert_eq!((track.first_row, track.frames, character.column_count), (0, 2, 3));
    for (vertex, corner) in [[5.0, 0.0, 0.0], [6.0, 0.0, 0.0], [5.0, 1.0, 0.0]].into_iter().enumerate() {
        near(character.position(track, vertex, 0), corner);
        near(character.position(track, vertex, 1), [corner[0] + 1.0, corner[1], corner[2]]);
    }
    // Morph weights, too: 0 and 0 at the start, whatever the defaults.
    let morph = baked(&morph_quad(), "fps = 1");
    let track = morph.positions(&morph.clips[0]);
    near(morph.position(track, 3, 0), [1.0, 1.0, 0.0]);
    near(morph.position(track, 3, 1), [1.5, 2.0, 0.0]);
}
