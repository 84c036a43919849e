//! Every format and every way to store: within half a quantisation step of the exact bake, which
//! `reference` proves right.

use serde_json::Value;
use vatpipe::encode::Format;
use vatpipe::manifest::{ColumnOrder, Normals, Recipe};

use crate::support::baking::clip;
use crate::support::loader::{Bounds, Character, Direction};
use crate::support::variant::{Shot, Twist, half_step};

const FOX: Shot = Shot { model: "Fox.glb", clip: 1, fps: 30.0, looping: true };
const CYLINDER: Shot = Shot { model: "RiggedSimple.glb", clip: 0, fps: 10.0, looping: false };
const CUBE: Shot = Shot { model: "AnimatedMorphCube.glb", clip: 0, fps: 10.0, looping: true };
const WAVE: Shot = Shot { model: "MorphStressTest.gltf", clip: 2, fps: 30.0, looping: false };
const GREENMAN: Shot = Shot { model: "greenman.glb", clip: 1, fps: 10.0, looping: true };
const SHOTS: [Shot; 5] = [FOX, CYLINDER, CUBE, WAVE, GREENMAN];

/// Compares all frames of a clip with its exact bake: positions within half a step, the same directions.
fn compare(what: &str, exact: &Character, other: &Character, clip: usize) {
    assert_eq!(exact.mesh.positions, other.mesh.positions, "{what}");
    assert_eq!(exact.mesh.primitives, other.mesh.primitives, "{what}");
    let (clip_a, clip_b) = (&exact.clips[0], &other.clips[clip]);
    let (a, b) = (exact.positions(clip_a), other.positions(clip_b));
    let normals =
        exact.directions(clip_a, Direction::Normal).zip(other.directions(clip_b, Direction::Normal));
    assert_eq!((a.frames, clip_a.duration), (b.frames, clip_b.duration), "{what}");
    for vertex in 0..exact.mesh.positions.len() {
        // The last is the guard row.
        for frame in 0..=a.frames {
            let p = exact.position(a, vertex, frame);
            let q = other.position(b, vertex, frame);
            let allowed = half_step(other, b, vertex, frame);
            let near = (0..3).all(|i| (p[i] - q[i]).abs() <= allowed[i]);
            assert!(near, "{what}: vertex {vertex} frame {frame}: {p:?} {q:?}, not within {allowed:?}");
            if let Some((a, b)) = normals {
                // The two bytes are the same wherever they are stored.
                assert_eq!(exact.direction(a, vertex, frame), other.direction(b, vertex, frame), "{what}");
            }
        }
    }
}

/// Where normals are and what the textures hold.
fn holds(character: &Character) -> Vec<(&str, &str)> {
    character.sheets.iter().map(|s| (s.holds.as_str(), s.texture.format.as_str())).collect()
}

#[test]
fn every_format() {
    for shot in SHOTS {
        let exact = shot.exact();
        let has_normals = exact.mesh.normals.is_some();
        for format in [Format::Rgba16f, Format::Rgba16ui, Format::Rgba16, Format::Rgb10a2, Format::Rgba8] {
            let what = format!("{} in {format}", shot.model);
            let baked = shot.bake(format, |_| ());
            compare(&what, &exact, &baked, 0);
            let name = format.name();
            let expected = match (has_normals, format) {
                (false, _) => vec![("position", name)],
                (true, Format::Rgba16ui | Format::Rgba16) => vec![("position+normal", name)],
                (true, _) => vec![("position", name), ("normal", "rg8")],
            };
            assert_eq!(holds(&baked), expected, "{what}");
        }
    }
}

/// The range of a clip is no larger than its motion needs: else the step would be, too.
#[test]
fn ranges_are_tight() {
    for shot in SHOTS {
        let exact = shot.exact();
        for format in [Format::Rgba16f, Format::Rgba16ui, Format::Rgba8] {
            for twist in [(|r| relative(r, false)) as Twist, |r| relative(r, true)] {
                let baked = shot.bake(format, twist);
                let track = baked.positions(&baked.clips[0]);
                let needed = range(&exact, track.relative);
                for i in 0..3 {
                    let size = needed.max[i] - needed.min[i];
                    let slack =
                        1e-5 * size + 8.0 * f32::EPSILON * needed.max[i].abs().max(needed.min[i].abs());
                    let what = format!("{} {format}, relative {}", shot.model, track.relative);
                    assert!(
                        track.scale[i] <= size + slack,
                        "{what}, axis {i}: {} for {size}",
                        track.scale[i]
                    );
                }
            }
        }
    }
}

/// What positions, or their offsets from the rest position, take up.
fn range(exact: &Character, relative: bool) -> Bounds {
    let track = exact.positions(&exact.clips[0]);
    let mut range = Bounds { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };
    for vertex in 0..exact.mesh.positions.len() {
        for frame in 0..track.frames {
            let p = exact.position(track, vertex, frame);
            let rest = exact.mesh.positions[vertex];
            let p = [0, 1, 2].map(|i| if relative { p[i] - rest[i] } else { p[i] });
            range.min = [0, 1, 2].map(|i| range.min[i].min(p[i]));
            range.max = [0, 1, 2].map(|i| range.max[i].max(p[i]));
        }
    }
    range
}

fn relative(recipe: &mut Recipe, on: bool) {
    recipe.clips[0].settings.relative = Some(on);
}

#[test]
fn absolute_and_relative() {
    for shot in SHOTS {
        let exact = shot.exact();
        for format in [Format::Rgba32f, Format::Rgba16f, Format::Rgba16ui, Format::Rgb10a2] {
            for (on, twist) in [(false, (|r| relative(r, false)) as Twist), (true, |r| relative(r, true))] {
                let baked = shot.bake(format, twist);
                assert_eq!(baked.clips[0].tracks[0].relative, on);
                compare(&format!("{} {format}, relative {on}", shot.model), &exact, &baked, 0);
            }
        }
    }
}

#[test]
fn zstd() {
    for shot in [FOX, CUBE] {
        let plain = shot.bake(Format::Rgb10a2, |_| ());
        let baked = shot.bake(Format::Rgb10a2, |r| r.mesh.zstd = Some(5));
        assert!(baked.sheets.iter().all(|s| s.texture.zstd));
        for (a, b) in plain.sheets.iter().zip(&baked.sheets) {
            assert_eq!(a.texture.data, b.texture.data, "{}", shot.model);
        }
    }
}

#[test]
fn normals_in_a_sheet_or_nowhere() {
    for shot in [CYLINDER, CUBE, WAVE, GREENMAN] {
        let exact = shot.exact();
        let sheet = shot.bake(Format::Rgba16ui, |r| r.mesh.normals = Some(Normals::Sheet));
        assert_eq!(holds(&sheet), [("position", "rgba16ui"), ("normal", "rg8")]);
        compare(shot.model, &exact, &sheet, 0);
        let none = shot.bake(Format::Rgba16ui, |r| r.mesh.normals = Some(Normals::None));
        assert_eq!(holds(&none), [("position", "rgba16ui")]);
        assert!(none.column_count <= exact.column_count);
        compare(shot.model, &exact, &none, 0);
    }
}

/// Every vertex has a column of its own, in order.
#[test]
fn columns_not_shared() {
    for shot in SHOTS {
        let exact = shot.exact();
        let baked = shot.bake(Format::Rgba16ui, |r| {
            r.mesh.share_columns = false;
            r.mesh.column_order = ColumnOrder::Authored;
        });
        let vertices = baked.mesh.positions.len();
        assert_eq!(baked.mesh.columns, (0..vertices).collect::<Vec<_>>(), "{}", shot.model);
        compare(shot.model, &exact, &baked, 0);
    }
}

/// Columns in several bands, clips in several layers.
#[test]
fn small_textures() {
    let small: Twist = |r| r.mesh.max_texture = 256;
    for shot in [FOX, Shot { fps: 12.0, ..WAVE }] {
        let exact = shot.exact();
        let baked = shot.bake(Format::Rgba16ui, small);
        assert!(baked.column_count > 256 && baked.sheets[0].texture.width <= 256, "{}", shot.model);
        compare(shot.model, &exact, &baked, 0);
    }
    let baked = FOX.bake(Format::Rgba16ui, |r| {
        r.mesh.max_texture = 256;
        let settings = r.clips[0].settings.clone();
        r.clips = (0..3).map(|index| clip(index, settings.clone())).collect();
    });
    let texture = &baked.sheets[0].texture;
    assert!(baked.sheets.len() == 1 && texture.layers > 1 && texture.height <= 256);
    for index in 0..3 {
        let exact = Shot { clip: index, ..FOX }.exact();
        compare(&format!("clip {index}"), &exact, &baked, index);
    }
}

#[test]
fn metadata_follow_their_schema() {
    let schema: Value = serde_json::from_str(include_str!("../../docs/vat.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let bakes = [
        FOX.bake(Format::Rgb10a2, |r| r.mesh.zstd = Some(1)),
        CUBE.bake(Format::Rgba8, |r| r.mesh.tangents = true),
        GREENMAN.exact(),
        Shot { model: "interpolation_test.gltf", clip: 3, fps: 10.0, looping: false }.exact(),
    ];
    for character in bakes {
        let errors: Vec<String> = validator.iter_errors(&character.json).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
}
