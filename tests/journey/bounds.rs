//! Bounds hold all that is drawn, and not much more.

use vatpipe::encode::Format;
use vatpipe::manifest::{FormatChoice, Recipe};

use crate::support::baking::{bake, clip, exact, recipe};
use crate::support::loader::{Bounds, Character, Clip};

/// All clips of a model.
fn all(model: &str, clips: usize, fps: f64, format: Format, looping: bool) -> Character {
    let mut settings = exact(fps);
    (settings.format, settings.looping) = (FormatChoice::Fixed(format), looping);
    let recipe: Recipe = recipe(model, (0..clips).map(|index| clip(index, settings.clone())).collect());
    bake(&recipe)
}

/// The bounds of what a clip shows at frames and between, before its start and after its end.
fn drawn(character: &Character, clip: &Clip) -> Bounds {
    let track = character.positions(clip);
    let steps = track.frames * 7 + 3;
    let mut drawn = Bounds { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };
    for step in 0..=steps {
        let time = clip.duration * (step as f64 / (steps - 2) as f64 * 1.2 - 0.1);
        let moment = clip.moment(track, time);
        for vertex in 0..character.mesh.positions.len() {
            let p = character.position_at(track, vertex, moment);
            assert!(clip.bounds.holds(p), "{}: {p:?} at {time} is not in {:?}", clip.name, clip.bounds);
            assert!(character.bounds.holds(p), "{}: {p:?} at {time}", clip.name);
            drawn.min = [0, 1, 2].map(|i| drawn.min[i].min(p[i]));
            drawn.max = [0, 1, 2].map(|i| drawn.max[i].max(p[i]));
        }
    }
    for frame in 0..=track.frames {
        for vertex in 0..character.mesh.positions.len() {
            let p = character.position(track, vertex, frame);
            assert!(
                clip.bounds.holds(p),
                "{}: {p:?} in frame {frame} is not in {:?}",
                clip.name,
                clip.bounds
            );
            drawn.min = [0, 1, 2].map(|i| drawn.min[i].min(p[i]));
            drawn.max = [0, 1, 2].map(|i| drawn.max[i].max(p[i]));
        }
    }
    drawn
}

fn check(model: &str, clips: usize, fps: f64) {
    for (format, looping) in [(Format::Rgba32f, false), (Format::Rgba16ui, true), (Format::Rgba8, false)] {
        let character = all(model, clips, fps, format, looping);
        assert_eq!(character.clips.len(), clips);
        for clip in &character.clips {
            let drawn = drawn(&character, clip);
            for i in 0..3 {
                let slack = 1e-5 * (drawn.max[i] - drawn.min[i]) + 1e-6 * drawn.max[i].abs();
                let loose = (drawn.min[i] - clip.bounds.min[i]).max(clip.bounds.max[i] - drawn.max[i]);
                assert!(loose <= slack, "{model} {} {format}: {loose} too large along axis {i}", clip.name);
            }
        }
        for &rest in &character.mesh.positions {
            assert!(character.bounds.holds(rest), "{model}: {rest:?} at rest");
        }
    }
}

#[test]
fn skins() {
    check("Fox.glb", 3, 10.0);
    check("greenman.glb", 4, 10.0);
}

#[test]
fn rigid_parts() {
    check("kenney/character.glb", 4, 10.0);
    check("interpolation_test.gltf", 9, 10.0);
}

#[test]
fn morphs() {
    check("AnimatedMorphCube.glb", 1, 10.0);
    check("MorphStressTest.gltf", 3, 4.0);
}
