//! Formats in blocks, with and without residual sheets: what other decoders see is as far from the exact bake as
//! the metadata says.

use vatpipe::encode::{Format, Quality};

use crate::support::loader::Character;
use crate::support::variant::Shot;

const FOX: Shot = Shot { model: "Fox.glb", clip: 1, fps: 30.0, looping: true };
const GREENMAN: Shot = Shot { model: "greenman.glb", clip: 1, fps: 10.0, looping: true };
const ROBOT: Shot = Shot { model: "RobotExpressive.glb", clip: 10, fps: 10.0, looping: true };
const SHOTS: [Shot; 3] = [FOX, GREENMAN, ROBOT];

/// Those that have another decoder for Rust; `tests/tools/check_blocks.py` checks all.
const FORMATS: [Format; 7] = [
    Format::Bc7,
    Format::Bc6h,
    Format::Astc4x4,
    Format::Astc5x5,
    Format::Astc6x6,
    Format::Astc8x8,
    Format::Uastc,
];

/// The largest and the root mean square distance over all vertices and frames, and the scale of a texel.
fn distances(exact: &Character, other: &Character) -> (f64, f64, f64) {
    let (a, b) = (exact.positions(&exact.clips[0]), other.positions(&other.clips[0]));
    assert_eq!((a.frames, exact.mesh.columns.len()), (b.frames, other.mesh.columns.len()));
    let (mut most, mut sum, mut count) = (0.0f64, 0.0f64, 0u32);
    // Once a column, as the metadata counts.
    let mut first: Vec<Option<usize>> = vec![None; other.column_count];
    (0..other.mesh.columns.len()).for_each(|vertex| {
        first[other.mesh.columns[vertex]].get_or_insert(vertex);
    });
    for vertex in first.into_iter().flatten() {
        for frame in 0..a.frames {
            let (p, q) = (exact.position(a, vertex, frame), other.position(b, vertex, frame));
            let square: f64 = (0..3).map(|i| square(p[i] - q[i])).sum();
            most = most.max(square.sqrt());
            sum += square;
            count += 1;
        }
    }
    let scale = b.scale.iter().map(|s| square(*s)).sum::<f64>().sqrt();
    (most, (sum / f64::from(count)).sqrt(), scale)
}

/// A decoder that gives bytes is off by half a code, and by one more where it rounds what it interpolates.
#[test]
fn other_decoders_see_the_measured_error() {
    for shot in SHOTS {
        let exact = shot.exact();
        for format in FORMATS {
            let baked = shot.bake(format, |recipe| recipe.clips[0].settings.quality = Quality::Fast);
            let (most, rms, scale) = distances(&exact, &baked);
            let error = &baked.positions(&baked.clips[0]).error["encode"];
            let said = |key: &str| error[key].as_f64().unwrap();
            let what = format!("{} in {format}: {most} and {rms}, not {error}", shot.model);
            let slack = if format == Format::Bc6h { 1e-5 } else { 1.0 / 255.0 } * scale;
            assert!((most - said("max")).abs() <= slack, "{what}");
            assert!((rms - said("rms")).abs() <= 0.25 * slack, "{what}");
            assert!(said("max") > 0.0 && said("max") < 0.25 * scale, "{what}");
        }
    }
}

/// The guard row is measured with the rest, and reads as well as any other.
#[test]
fn the_guard_row_is_as_good_as_the_frames() {
    let exact = FOX.exact();
    let baked = FOX.bake(Format::Astc6x6, |_| ());
    let (a, b) = (exact.positions(&exact.clips[0]), baked.positions(&baked.clips[0]));
    let error = b.error["sample"]["max"].as_f64().unwrap();
    for vertex in 0..exact.mesh.columns.len() {
        let (p, q) = (exact.position(a, vertex, 0), baked.position(b, vertex, b.frames));
        let square: f64 = (0..3).map(|i| square(p[i] - q[i])).sum();
        assert!(square.sqrt() <= 1.5 * error, "vertex {vertex}: {} of {error}", square.sqrt());
    }
}

#[test]
fn a_residual_sheet_takes_most_of_the_error_away() {
    for (format, part) in [
        (Format::Astc4x4, 0.6),
        (Format::Bc7, 0.6),
        (Format::Rgba8, 0.02),
        (Format::Rgb10a2, 0.01),
        (Format::Rgba16f, 0.1),
    ] {
        let exact = FOX.exact();
        let one = FOX.bake(format, |_| ());
        let two = FOX.bake(format, |recipe| recipe.clips[0].settings.residual = true);
        let holds: Vec<&str> = two.sheets.iter().map(|sheet| sheet.holds.as_str()).collect();
        assert_eq!(holds, ["position", "residual"], "{format}");
        let ((before, ..), (after, ..)) = (distances(&exact, &one), distances(&exact, &two));
        assert!(after < part * before, "{format}: {after} of {before}");
        let error = &two.positions(&two.clips[0]).error["encode"]["max"];
        let slack = if format.is_block() { 0.3 * after } else { 1e-3 * after + 1e-5 };
        assert!((after - error.as_f64().unwrap()).abs() <= slack, "{format}: {after}, not {error}");
    }
}

fn square(v: f32) -> f64 {
    f64::from(v) * f64::from(v)
}
