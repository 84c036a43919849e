//! One test for each way to play, with values known beforehand, in all languages on all devices.
//!
//! The models are points in a row at `(k, 0, 0)` that a clip of a second moves ten metres along an axis, ten frames a
//! second: at second `t` they are `10 t` metres further.

use serde_json::json;
use vatpipe::encode::Format;
use vatpipe::manifest::{FormatChoice, Recipe};
use vatpipe::metadata::Character as Metadata;

use super::decoder::{Playback, word};
use super::device;
use super::parity::metadata;
use super::part::{Part, job, parts};
use super::program::{Calls, LANGUAGES, Language, Stage};
use super::work::{Answer, Instance, Job, Work};
use crate::support::baking::{bake_with, exact, recipe};
use crate::support::loader::Character;
use crate::support::model::Model;

const SECOND: u32 = 4096;

/// A baked model, and the functions of its sheet.
struct Toy {
    character: Character,
    metadata: Metadata,
    part: Part,
}

/// Points in a row, and clips that move them ten metres along each of these directions.
fn row(points: usize, directions: &[[f32; 3]]) -> Model {
    let mut model = Model::new();
    let positions: Vec<[f32; 3]> = (0..points).map(|k| [k as f32, 0.0, 0.0]).collect();
    let indices: Vec<u16> = (0..points as u16 - 2).flat_map(|k| [k, k + 1, k + 2]).collect();
    let (position, indices) = (model.vec3(&positions), model.u16s("SCALAR", &indices));
    let mesh = model.mesh(json!([{ "attributes": { "POSITION": position }, "indices": indices }]));
    let node = model.node(json!({ "mesh": mesh }));
    for (index, direction) in directions.iter().enumerate() {
        let output = model.vec3(&[[0.0; 3], direction.map(|c| c * 10.0)]);
        let clip = model.clip(&format!("clip {index}"));
        model.channel(clip, node, "translation", &[0.0, 1.0], output, "LINEAR");
    }
    model
}

fn toy(model: &Model, looping: bool, twist: impl Fn(&mut Recipe)) -> Toy {
    let mut recipe = recipe("README.md", Vec::new());
    let mut settings = exact(10.0);
    settings.looping = looping;
    recipe.all_clips = Some(settings);
    recipe.mesh.share_columns = false;
    recipe.mesh.column_order = vatpipe::manifest::ColumnOrder::Authored;
    twist(&mut recipe);
    let character = bake_with(&recipe, &|_| model.glb());
    let metadata = metadata(&character);
    let part = parts(&metadata).remove(0);
    Toy { character, metadata, part }
}

/// Three points, and clips along x and y; every frame is exact.
fn slide(looping: bool) -> Toy {
    toy(&row(3, &[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), looping, |_| ())
}

fn near(a: [f32; 3], b: [f32; 3], allowed: f32) -> bool {
    (0..3).all(|i| (a[i] - b[i]).abs() <= allowed)
}

impl Toy {
    /// Runs on every device, in every language; a compute shader and a draw.
    fn run(&self, languages: &[Language], calls: &Calls, jobs: &[Job], check: impl Fn(&str, usize, &Answer)) {
        for gpu in device::all() {
            let work = Work::new(gpu, &self.metadata, &self.character);
            for &language in languages {
                for stage in [Stage::Compute, Stage::Vertex] {
                    let what = format!("{} {language:?} {stage:?}", gpu.name);
                    let answers = work.run(language, stage, calls, jobs);
                    answers.iter().enumerate().for_each(|(index, answer)| check(&what, index, answer));
                }
            }
        }
    }

    /// Positions of instances of a vertex at ticks are these, to a ten thousandth of a millimetre a metre.
    fn plays(&self, vertex: usize, cases: &[(Instance, u32, [f32; 3])]) {
        let jobs: Vec<Job> =
            cases.iter().map(|&(instance, now, _)| job(&self.character, instance, now, vertex)).collect();
        self.run(&LANGUAGES, &self.part.instance, &jobs, |what, index, answer| {
            let (instance, now, right) = cases[index];
            assert!(
                near(answer.first, right, 2e-5),
                "{what}: {:?}, not {right:?}: {instance:?} at {now}",
                answer.first
            );
        });
    }
}

/// A fresh instance that plays a clip from tick 0.
fn fresh(clip: usize, playback: Playback) -> Instance {
    let word = word(clip, playback);
    Instance { clip: word, previous: word, speed: 1.0, ..Instance::default() }
}

fn along_x(seconds: &[(f64, f32)], playback: Playback) -> Vec<(Instance, u32, [f32; 3])> {
    let case = |&(seconds, x): &(f64, f32)| {
        (fresh(0, playback), (seconds * f64::from(SECOND)).floor() as i64 as u32, [x, 0.0, 0.0])
    };
    seconds.iter().map(case).collect()
}

/// Ten frames, 0 to 9 metres; after the last comes the first.
#[test]
fn the_seam_of_a_loop() {
    let toy = slide(true);
    // 0.9 s is frame 9; 3891 ticks are 0.949951 s, frame 9 and 0.4995 of the way back to 0.
    let times =
        [(0.0, 0.0), (0.25, 2.5), (0.875, 8.75), (0.9375, 9.0 - 9.0 * 0.375), (1.0, 0.0), (1.25, 2.5)];
    toy.plays(0, &along_x(&times, Playback::AsBaked));
    toy.plays(0, &along_x(&times, Playback::Loop));
    let before = [(-0.0625, 9.0 - 9.0 * 0.375), (-0.75, 2.5), (-1.0, 0.0), (-7.75, 2.5)];
    toy.plays(0, &along_x(&before, Playback::AsBaked));
}

/// Eleven frames, 0 to 10 metres; the ends hold.
#[test]
fn the_first_and_the_last_frame() {
    let times =
        [(-5.0, 0.0), (0.0, 0.0), (0.25, 2.5), (0.9375, 9.375), (1.0, 10.0), (1.5, 10.0), (400_000.0, 10.0)];
    slide(false).plays(0, &along_x(&times, Playback::AsBaked));
    slide(false).plays(0, &along_x(&times, Playback::Once));
    // A clip baked as a loop ends in the row after its last frame, which is its first.
    slide(true).plays(0, &along_x(&[(-1.0, 0.0), (0.25, 2.5), (2.0, 0.0)], Playback::Once));
}

#[test]
fn ping_pong_turns_at_the_end() {
    let times = [
        (0.0, 0.0),
        (0.75, 7.5),
        (1.0, 10.0),
        (1.25, 7.5),
        (1.75, 2.5),
        (2.0, 0.0),
        (2.25, 2.5),
        (-0.25, 2.5),
    ];
    slide(false).plays(0, &along_x(&times, Playback::PingPong));
}

#[test]
fn speed_and_phase() {
    let play = |speed, phase| Instance { speed, phase, ..fresh(0, Playback::Loop) };
    slide(true).plays(
        0,
        &[
            (play(2.0, 0.0), SECOND / 8, [2.5, 0.0, 0.0]),
            (play(-1.0, 0.0), SECOND / 4, [7.5, 0.0, 0.0]),
            (play(0.0, 0.25), SECOND * 77, [2.5, 0.0, 0.0]),
            (play(1.0, 0.5), SECOND / 4, [7.5, 0.0, 0.0]),
            (play(-0.5, 0.5), SECOND / 2, [2.5, 0.0, 0.0]),
        ],
    );
    slide(false)
        .plays(0, &[(Instance { phase: 0.5, ..fresh(0, Playback::Once) }, SECOND / 4, [7.5, 0.0, 0.0])]);
}

/// From 4 metres along x to 2 along y: half of each in the middle.
#[test]
fn the_midpoint_of_a_fade() {
    let now = 20 * SECOND;
    let fade = |fade_start: u32, fade_length: f32| Instance {
        clip: word(1, Playback::AsBaked),
        previous: word(0, Playback::AsBaked),
        start: now - SECOND / 4,
        previous_start: now - 3 * SECOND / 4,
        speed: 1.0,
        phase: 0.0,
        fade_start,
        fade_length,
    };
    slide(true).plays(
        0,
        &[
            (fade(now - SECOND / 8, 0.25), now, [3.75, 1.25, 0.0]),
            (fade(now - SECOND / 16, 0.25), now, [7.5 * 0.75, 2.5 * 0.25, 0.0]),
            (fade(now - SECOND, 0.25), now, [0.0, 2.5, 0.0]),
            (fade(now, 0.25), now, [7.5, 0.0, 0.0]),
            // Not begun yet, and cuts.
            (fade(now + 1, 0.25), now, [7.5, 0.0, 0.0]),
            (fade(now, 0.0), now, [0.0, 2.5, 0.0]),
            (fade(now + 1, 0.0), now, [7.5, 0.0, 0.0]),
        ],
    );
}

/// Days later, and across the end of the counter.
#[test]
fn very_large_times() {
    let toy = slide(true);
    let days = [(500_000.25, 2.5), (524_287.75, 7.5), (-500_000.75, 2.5), (-524_287.5, 5.0)];
    toy.plays(0, &along_x(&days, Playback::Loop));
    let start = 0_u32.wrapping_sub(SECOND / 4);
    let end = Instance { start, previous_start: start, fade_start: start, ..fresh(0, Playback::Loop) };
    toy.plays(0, &[(end, SECOND / 4, [5.0, 0.0, 0.0]), (end, u32::MAX - SECOND / 8 + 1, [1.25, 0.0, 0.0])]);
}

/// 600 points in bands of at most 256: the first and the last column, and both sides of each border.
#[test]
fn borders_of_bands() {
    let toy = toy(&row(600, &[[0.0, 1.0, 0.0]]), true, |recipe| recipe.mesh.max_texture = 256);
    let width = toy.character.sheets[0].texture.width;
    assert!(width <= 256);
    for column in [0, width - 1, width, 2 * width - 1, 2 * width, 599] {
        let at = |y| [column as f32, y, 0.0];
        let play = fresh(0, Playback::AsBaked);
        toy.plays(
            column,
            &[(play, 0, at(0.0)), (play, SECOND / 4, at(2.5)), (play, 15 * SECOND / 16, at(5.625))],
        );
    }
}

/// Eight clips of 600 points that do not fit into one layer of 256 rows, each faster than the one before.
#[test]
fn borders_of_layers() {
    let directions: Vec<[f32; 3]> = (1..=8).map(|speed| [0.0, speed as f32, 0.0]).collect();
    let toy = toy(&row(600, &directions), true, |recipe| recipe.mesh.max_texture = 256);
    let layers: Vec<u32> = toy.metadata.clips.iter().map(|clip| clip.tracks[0].layer).collect();
    assert!(layers.contains(&0) && layers.contains(&1), "{layers:?}");
    for column in [0, toy.character.sheets[0].texture.width, 599] {
        let case = |clip: usize| {
            let y = (clip + 1) as f32;
            let at = |share: f32| [column as f32, share * y, 0.0];
            let play = fresh(clip, Playback::AsBaked);
            [(play, SECOND / 4, at(2.5)), (play, 15 * SECOND / 16, at(5.625))]
        };
        toy.plays(column, &(0..8).flat_map(case).collect::<Vec<_>>());
    }
}

/// One fetch instead of two: right to 1/256 of the step between frames. GLSL has the sampler in the texture, which wgpu
/// does not pass on.
#[test]
fn filtered_in_time() {
    for format in [Format::Rgba16f, Format::Rgba8, Format::Rgb10a2] {
        let toy = toy(&row(3, &[[1.0, 0.5, 0.0]]), true, |recipe| {
            recipe.all_clips.as_mut().unwrap().format = FormatChoice::Fixed(format);
        });
        let calls = Calls {
            first: "it_position_filtered(sheet_0, filtering, clip_number, column, time, rest)".to_owned(),
            second: "it_instance_position_filtered(sheet_0, filtering, instance, column, now, rest)"
                .to_owned(),
            sheets: vec![0],
            filtering: true,
        };
        let jobs: Vec<Job> = (0..400)
            .map(|i| {
                let now = i * 17;
                let instance = fresh(0, Playback::AsBaked);
                Job { time: now as f32 / SECOND as f32, ..job(&toy.character, instance, now, i as usize % 3) }
            })
            .collect();
        toy.run(&[Language::Wgsl, Language::Hlsl], &calls, &jobs, |what, index, answer| {
            let at = jobs[index].time.fract() * 10.0;
            let x = if at < 9.0 { at } else { 9.0 - (at - 9.0) * 9.0 };
            let vertex = jobs[index].rest[0];
            let right = [x + vertex, x / 2.0, 0.0];
            // A step is a metre, the one back nine; and what the format rounds, of twelve metres.
            let step = if at < 9.0 { 1.0 } else { 9.0 };
            let rounding = match format {
                Format::Rgba16f => 12.0 / 2048.0,
                Format::Rgb10a2 => 12.0 / 1023.0,
                _ => 12.0 / 255.0,
            };
            for (name, found) in [("seconds", answer.first), ("instance", answer.second)] {
                let allowed = step / 256.0 + rounding;
                assert!(
                    near(found, right, allowed),
                    "{what} {format} {name}: {found:?}, not {right:?} at {at}"
                );
            }
        });
    }
}

/// Nothing where the texture fits; magenta where its layout or its size is another's.
#[test]
fn the_colour_of_a_wrong_texture() {
    let toy = slide(true);
    let layout = toy.metadata.layout;
    let debug = |found: u32| {
        let call = format!("it_debug(sheet_0, {found}u)");
        Calls {
            first: format!("{call}.xyz"),
            second: format!("{call}.www"),
            sheets: vec![0],
            filtering: false,
        }
    };
    let jobs = [job(&toy.character, fresh(0, Playback::AsBaked), 0, 0)];
    toy.run(&LANGUAGES, &debug(layout), &jobs, |what, _, answer| {
        assert_eq!((answer.first, answer.second), ([0.0; 3], [0.0; 3]), "{what}");
    });
    let magenta = ([1.0, 0.0, 1.0], [1.0; 3]);
    toy.run(&LANGUAGES, &debug(layout ^ 1), &jobs, |what, _, answer| {
        assert_eq!((answer.first, answer.second), magenta, "{what}");
    });
    // The texture of another bake.
    let other = self::toy(&row(3, &[[1.0, 0.0, 0.0]]), true, |_| ());
    assert_ne!(other.metadata.layout, layout);
    let mixed = Toy { character: other.character, metadata: toy.metadata.clone(), part: other.part };
    mixed.run(&LANGUAGES, &debug(layout), &jobs, |what, _, answer| {
        assert_eq!((answer.first, answer.second), magenta, "{what}");
    });
}
