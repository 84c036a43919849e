//! What a budget chooses, and what is said where none can be kept.

use vatpipe::bake::{Candidate, RATES};
use vatpipe::encode::Format;
use vatpipe::problem::Problem;

use super::{chord_error, made, wheel};
use crate::support::models::{machine, morph_quad, moving_triangle, skinned_strip};

/// The one clip's candidates, and the one that was taken.
fn chosen(model: &crate::support::model::Model, lines: &str) -> (Vec<Candidate>, Candidate) {
    let (baked, choices) = made(model, lines);
    let metadata = baked.unwrap_or_else(|problems| panic!("{problems}")).metadata;
    let [choice] = choices.as_slice() else { panic!("one clip") };
    let taken = *choice.baked().unwrap();
    assert!(taken.passes, "{taken:?}");
    let track = &metadata.clips[0].tracks[0];
    assert_eq!((track.frames, track.fps), (taken.frames, taken.fps));
    assert_eq!(Some(metadata.sheets[track.sheet as usize].format), taken.format);
    assert_eq!(metadata.clips[0].tracks.iter().map(|t| metadata.track_bytes(t)).sum::<u64>(), taken.bytes);
    (choice.candidates.clone(), taken)
}

fn failed(model: &crate::support::model::Model, lines: &str) -> Problem {
    let (baked, choices) = made(model, lines);
    assert_eq!(choices.len(), 1, "it is baked all the same");
    let problems = baked.expect_err("over the budget").0;
    let [problem] = problems.as_slice() else { panic!("one problem: {problems:?}") };
    problem.clone()
}

/// Chords under an arc: the lowest rate of the list whose chords are near enough.
#[test]
fn the_rate_is_the_lowest_that_passes() {
    for (budget, expected) in [("20cm", 5.0), ("5cm", 10.0), ("3cm", 15.0), ("2mm", 50.0)] {
        let metres = match budget.strip_suffix("cm") {
            Some(number) => number.parse::<f64>().unwrap() / 100.0,
            None => 0.002,
        };
        let lowest = RATES.into_iter().find(|fps| *fps >= 1.0 && chord_error(*fps) <= metres);
        assert_eq!(lowest, Some(expected), "{budget}");
        let lines =
            format!("fps = \"auto\"\nformat = \"rgba32f\"\nmax_error = \"{budget}\"\nclip.turn.loop = true");
        let (candidates, taken) = chosen(&wheel(), &lines);
        assert_eq!((taken.asked_fps, taken.frames), (expected, expected as u32), "{budget}");
        assert!((taken.sample - chord_error(expected)).abs() < 1e-6, "{taken:?}");
        // Rates that are too low by themselves were not stored in any format.
        let lower: Vec<&Candidate> = candidates.iter().filter(|c| c.fps < expected).collect();
        assert!(lower.len() >= 4 && lower.iter().all(|c| c.format.is_none() && !c.passes), "{candidates:?}");
        for low in lower.iter().filter(|c| c.frames > 1) {
            assert!((low.sample - chord_error(f64::from(low.frames))).abs() < 1e-6, "{low:?}");
        }
    }
}

#[test]
fn the_cap_is_the_last_rate_that_is_tried() {
    let lines = "fps = \"auto\"\nformat = \"rgba32f\"\nmax_error = \"2cm\"\nclip.turn.loop = true";
    assert!(chord_error(16.0) < 0.02 && chord_error(15.0) > 0.02);
    let (_, taken) = chosen(&wheel(), &format!("max_fps = 16\n{lines}"));
    assert_eq!(taken.asked_fps, 16.0);
    assert_eq!(chosen(&wheel(), lines).1.asked_fps, 18.0);
}

/// A straight line at constant speed: no rate is too low, and what is off is rounding alone. Steps over 2 m in x and
/// 1 m in y are half of 2/1023 and 1/1023 at most in 10 bits, and so on.
#[test]
fn the_format_is_the_smallest_that_passes() {
    let model = moving_triangle([0.9137, 0.0, 0.0]);
    let step = |bits: i32| {
        let codes = f64::from(2i32.pow(bits as u32) - 1);
        libm::hypot(1.9137 / codes, 1.0 / codes) / 2.0
    };
    let choose = |budget: f64| {
        let lines = format!(
            "fps = 30\nformat = \"auto\"\nmax_error = \"{:.6}mm\"\nrelative = false",
            budget * 1000.0
        );
        chosen(&model, &lines)
    };
    let (candidates, taken) = choose(step(10) * 1.01);
    assert_eq!((taken.format, candidates.len()), (Some(Format::Rgb10a2), 1), "{candidates:?}");
    assert_eq!(taken.bytes, 3 * 32 * 4);
    let (candidates, taken) = choose(step(16) * 1.01);
    let tried: Vec<_> = candidates.iter().map(|c| c.format.unwrap()).collect();
    assert_eq!(tried, [Format::Rgb10a2, Format::Rgba8, Format::Rgba16ui]);
    assert_eq!(taken.format, Some(Format::Rgba16ui));
    for (candidate, bits) in candidates.iter().zip([10, 8, 16]) {
        assert!(
            candidate.encode <= step(bits) * 1.001 && candidate.encode > step(bits) * 0.5,
            "{candidate:?}"
        );
    }
    assert_eq!(choose(step(16) * 0.1).1.format, Some(Format::Rgba32f));
}

#[test]
fn a_sheet_of_normals_counts() {
    let (candidates, taken) =
        chosen(&skinned_strip(), "fps = 10\nformat = \"auto\"\nmax_error = \"1m\"\nmax_normal_error = 170");
    // Ten columns, eleven frames and a guard row.
    assert_eq!((taken.format, taken.bytes), (Some(Format::Rgb10a2), 10 * 12 * (4 + 2)), "{candidates:?}");
    let (_, exact) = chosen(&skinned_strip(), "fps = 30\nformat = \"rgba16ui\"\nmax_error = \"1m\"");
    assert_eq!(exact.bytes, 10 * 32 * 8);
}

/// Rate and format together: the fewest bytes, not the lowest rate first.
#[test]
fn both_are_chosen_by_bytes() {
    let lines = "fps = \"auto\"\nformat = \"auto\"\nmax_error = \"5cm\"\nclip.turn.loop = true";
    let (candidates, taken) = chosen(&wheel(), lines);
    assert_eq!((taken.asked_fps, taken.format), (10.0, Some(Format::Rgb10a2)));
    for other in candidates.iter().filter(|c| c.passes) {
        assert!(other.bytes >= taken.bytes, "{other:?}");
    }
    // 4.74 cm of 10 frames leave no room for 8 bits beside it.
    let tight = format!("{:.4}cm", 100.0 * chord_error(10.0) + 0.01);
    let (_, taken) = chosen(&wheel(), &lines.replace("5cm", &tight));
    let bytes = |fps: f64, texel: f64| (fps + 1.0) * texel;
    assert!(taken.format != Some(Format::Rgba8));
    let (fps, texel) = (taken.asked_fps, taken.format.unwrap().bytes_per_block() as f64);
    assert!(bytes(fps, texel) <= bytes(12.0, 4.0), "{taken:?}");
}

#[test]
fn a_share_of_the_bounds_is_of_their_diagonal() {
    let lines = "fps = \"auto\"\nformat = \"rgba32f\"\nmax_error = \"1%\"\nclip.turn.loop = true";
    let (_, taken) = chosen(&wheel(), lines);
    let diagonal = taken.max_error.unwrap() * 100.0;
    // The corner goes round: two metres in x and y, a little less where no frame is outermost.
    assert!(diagonal > 2.7 && diagonal < 2.83, "{taken:?}");
    assert!(chord_error(taken.asked_fps) <= diagonal / 100.0);
    assert!(chord_error(12.0) > diagonal / 100.0 && taken.asked_fps == 15.0, "{taken:?}");
}

#[test]
fn over_the_budget_is_a_failure_that_says_what_would_do() {
    let asked = "clip.turn.loop = true\nmax_error = \"5cm\"";
    let problem = failed(&wheel(), &format!("{asked}\nfps = 4\nformat = \"rgba32f\""));
    assert_eq!(problem.code, "budget::position");
    let off = chord_error(4.0) * 1000.0;
    let said =
        format!("clip `turn` is {off:.0} mm off, {:.0} mm more than `max_error` allows (50 mm)", off - 50.0);
    assert!(problem.message.starts_with(&said), "{problem}\n{said}");
    assert!(problem.message.contains("at vertex 2, at rest at (0, 1, 0) m"), "{problem}");
    assert!(problem.message.contains("s into it (between frames "), "{problem}");
    assert_eq!(problem.place.line_column(), Some((3, 6)));
    let help = problem.help.unwrap();
    assert!(help.starts_with("`fps = 10` and `format = \"rgb10a2\"` would do, with 4"), "{help}");
    // What it says is so.
    let (_, taken) = chosen(&wheel(), &format!("{asked}\nfps = 10\nformat = \"rgb10a2\""));
    assert!(taken.passes);
    // The rate is free: only the format is to be named.
    let problem = failed(
        &wheel(),
        "clip.turn.loop = true\nmax_error = \"1mm\"\nfps = \"auto\"\nmax_fps = 120\nformat = \"rgba8\"",
    );
    let help = problem.help.unwrap();
    assert!(help.starts_with("`format = \"rgba16ui\"` would do"), "{help}");
    chosen(
        &wheel(),
        "clip.turn.loop = true\nmax_error = \"1mm\"\nfps = \"auto\"\nmax_fps = 120\nformat = \"rgba16ui\"",
    );
}

#[test]
fn what_no_setting_keeps_says_so() {
    let problem =
        failed(&wheel(), "clip.turn.loop = true\nmax_error = \"0.1mm\"\nfps = \"auto\"\nformat = \"auto\"");
    assert!(problem.message.contains("stored as rgba16ui at 60 fps"), "{problem}");
    let help = problem.help.unwrap();
    assert!(
        help.starts_with("no format and no rate up to 120 fps would do; `fps = 120` comes nearest"),
        "{help}"
    );
    assert!(help.ends_with("raise `max_error`"), "{help}");
    // Part of the machine leaps, and frames are blended.
    let (baked, _) = made(&machine(), "fps = \"auto\"\nformat = \"auto\"\nmax_error = \"1mm\"");
    let problems = baked.expect_err("it leaps").0;
    assert!(problems[0].help.as_ref().unwrap().contains("comes nearest"), "{problems:?}");
}

#[test]
fn normals_have_a_budget_of_their_own() {
    // From (0, 0, 1) to (1, 0, 1) in 2 s: 0.8 s on, the chord of the directions has made 17.8 of 21.8 degrees.
    let fixed = "format = \"rgba16ui\"\nfps = 0.5\nmax_error = \"10m\"";
    let problem = failed(&morph_quad(), &format!("{fixed}\nmax_normal_error = 1.5"));
    assert_eq!(problem.code, "budget::normal");
    assert!(problem.message.contains("has a normal that is "), "{problem}");
    assert!(problem.message.contains("more than `max_normal_error` allows (1.5 degrees)"), "{problem}");
    assert!(problem.help.unwrap().contains("would do"));
}
