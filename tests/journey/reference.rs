//! Positions and normals of every clip that has a reference, in the exact format.

use crate::support::baking::{bake, clip, exact, recipe};
use crate::support::loader::Character;
use crate::support::reference::{self, Entry, Grid, Nearest, Reference, Trajectories, Triangle};

/// A part of the bounds' diagonal.
const TOLERANCE: f64 = 1e-5;

/// Degrees. Two bytes are a grid of steps of 1/127.5 over the octahedron, so a direction is at most half a step,
/// 1/255, from a grid point along both axes. On the face `a + b + c = 1`, whose middle is 1/sqrt(3) from the
/// origin, that is sqrt(1 + 1 + 4) / 255 * sqrt(3) = 0.01664 radians at worst; the rest is for `f32`.
const NORMAL: f64 = 0.954 + 0.01;

/// Clips with a frame a hair before the last key of a STEP channel. Key times are `f32`: 1.7083333730697632. The
/// reference's time is the decimal fraction in the file, 4e-8 s less, and there three.js still holds the value
/// before. The baker takes the new one (`cases.md` 38: on the key time the new value, with a tolerance).
const BEFORE_A_STEP: [(&str, usize); 2] = [("interpolation_test__03", 17), ("interpolation_test__06", 17)];

fn compare(entry: &Entry) {
    let base = &entry.base;
    let mut reference = reference::read(entry);
    let character = bake(&recipe(&entry.model, vec![clip(entry.clip, exact(entry.fps))]));
    let mut baked = Trajectories::of(&character, &character.clips[0]);
    check_times(entry, &reference, &character);
    if let Some((_, frame)) = BEFORE_A_STEP.iter().find(|(name, _)| name == base) {
        assert!(reference.is_before_a_step(*frame));
        reference.trajectories.leave_out(*frame);
        baked.leave_out(*frame);
    }

    let tolerance = TOLERANCE * reference.diagonal;
    let used = reference.used();
    let all = vec![true; baked.len()];
    let there = Nearest::find(&reference.trajectories, &used, &baked, &all, tolerance);
    let back = Nearest::find(&baked, &all, &reference.trajectories, &used, tolerance);
    assert!(there.missing.is_empty(), "{base}: reference vertices that were not baked: {:?}", there.missing);
    assert!(back.missing.is_empty(), "{base}: baked vertices not in the reference: {:?}", back.missing);
    let normals = reference.has_normals;
    assert_eq!(normals, !baked.normals.is_empty(), "{base}: normals where the model has them");
    let degrees = there.degrees.max(back.degrees);
    assert!(!normals || degrees < NORMAL, "{base}: normals {degrees} degrees apart");
}

fn check_times(entry: &Entry, reference: &Reference, character: &Character) {
    let clip = &character.clips[0];
    let track = character.positions(clip);
    assert_eq!((track.frames, reference.times.len()), (entry.frames, entry.frames), "{}", entry.base);
    for (frame, &time) in reference.times.iter().enumerate() {
        let found = clip.time(track, frame as f64);
        assert!((found - time).abs() < 1e-6, "{} frame {frame} at {found}, not {time}", entry.base);
    }
}

/// A triangle as the vertices of the reference that lie where its corners do, the smallest first, in their order.
type Corners = (Option<String>, [usize; 3]);

fn corners(name: &Option<String>, [a, b, c]: [usize; 3]) -> Corners {
    let first = a.min(b).min(c);
    let turned = [[a, b, c], [b, c, a], [c, a, b]].into_iter().filter(|t| t[0] == first).min();
    (name.clone(), turned.unwrap())
}

/// The same triangles, of the same materials, seen from the same side.
fn compare_triangles(entry: &Entry) {
    let reference = reference::read(entry);
    let character = bake(&recipe(&entry.model, vec![clip(entry.clip, exact(entry.fps))]));
    let baked = Trajectories::of(&character, &character.clips[0]);
    let tolerance = 1e-6 * reference.diagonal;
    let grid = Grid::new(&reference.trajectories, &reference.used(), tolerance);
    let named = |all: &Trajectories, vertex: usize| {
        let near = grid.near(all.position(vertex), tolerance);
        near.iter().map(|n| n.0).min().expect("a vertex that is not in the reference")
    };
    let triangle = |t: &Triangle| corners(&t.material, t.corners.map(|v| named(&reference.trajectories, v)));
    let mut expected: Vec<Corners> = reference.triangles.iter().map(triangle).collect();
    let mut found: Vec<Corners> = Vec::new();
    for (material, indices) in &character.mesh.primitives {
        let of = indices.as_chunks::<3>().0.iter();
        found.extend(of.map(|t| corners(material, t.map(|v| named(&baked, v as usize)))));
    }
    expected.sort();
    found.sort();
    assert_eq!(found.len(), expected.len(), "{}", entry.base);
    assert!(found == expected, "{}: other triangles", entry.base);
}

#[test]
fn triangles() {
    let mut last = String::new();
    for entry in reference::index() {
        if entry.model != last {
            compare_triangles(&entry);
        }
        last = entry.model;
    }
}

#[test]
fn every_clip() {
    let entries = reference::index();
    assert_eq!(entries.len(), 48);
    for entry in &entries {
        compare(entry);
    }
}

/// The frames of [`BEFORE_A_STEP`], with what three.js gives at the key itself
/// (`reference_three.mjs interpolation_test.gltf --clip 3 --times 1.7083333730697632`, and `--clip 6`).
#[test]
fn the_last_frame_has_the_last_step_key() {
    for (index, vertex) in [(3, [1.0, 2.3564124, 1.0]), (6, [-1.0, 7.0, 1.0])] {
        let character = bake(&recipe("interpolation_test.gltf", vec![clip(index, exact(10.0))]));
        let (clip, all) = (&character.clips[0], 0..character.mesh.positions.len());
        assert!(clip.step);
        let track = character.positions(clip);
        let near = |p: [f32; 3]| (0..3).all(|i| (p[i] - vertex[i]).abs() < 1e-5_f32);
        assert!(all.clone().any(|v| near(character.position(track, v, 17))), "{vertex:?}");
        assert!(!all.clone().any(|v| near(character.position(track, v, 16))), "{vertex:?}");
    }
}
