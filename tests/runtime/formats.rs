//! Positions, normals and tangents of every format that is stored texel by texel, at and between frames, against the
//! loader that the tests have of their own.

use vatpipe::encode::Format;
use vatpipe::manifest::{Normals, Recipe};
use vatpipe::runtime::{Character, Vertex};

use super::{apart, both};
use crate::support::baking::{clip, corpus, exact, recipe};
use crate::support::loader::{self, Direction};
use crate::support::random::Random;
use crate::support::variant::{Shot, Twist};

const FOX: Shot = Shot { model: "Fox.glb", clip: 1, fps: 30.0, looping: true };
const CYLINDER: Shot = Shot { model: "RiggedSimple.glb", clip: 0, fps: 10.0, looping: false };
const CUBE: Shot = Shot { model: "AnimatedMorphCube.glb", clip: 0, fps: 10.0, looping: true };
const STEPS: Shot = Shot { model: "interpolation_test.gltf", clip: 3, fps: 10.0, looping: false };

/// Times before, in, between, and after the frames.
fn times(duration: f64, frames: usize) -> Vec<f64> {
    let mut random = Random(7);
    let mut times = vec![-0.3 * duration, 0.0, duration, 1.7 * duration, 3600.0 * duration];
    times.extend((0..frames).map(|i| (i as f64 + f64::from(random.unit())) * duration / frames as f64));
    times
}

/// Every vertex at many moments.
fn compare(what: &str, found: &Character, expected: &loader::Character) {
    for (number, clip) in (0_u32..).zip(&expected.clips) {
        let motion = found.motion(number, 0).unwrap();
        let track = expected.positions(clip);
        let normals = expected.directions(clip, Direction::Normal);
        let tangents = expected.directions(clip, Direction::Tangent);
        let size = (0..3).map(|i| clip.bounds.max[i] - clip.bounds.min[i]).fold(0.0, f32::max);
        for time in times(clip.duration, track.frames) {
            let pose = motion.at(time);
            let moment = clip.moment(track, time);
            for vertex in 0..expected.mesh.positions.len() {
                let Vertex { position, normal, tangent } = pose.vertex(vertex as u32).unwrap();
                let right = expected.position_at(track, vertex, moment);
                assert!(
                    apart(position, right) <= 2e-6 * size,
                    "{what} {vertex} at {time}: {position:?} {right:?}"
                );
                assert_eq!(Some(position), pose.position(vertex as u32), "{what}");
                let directions = [(normals, normal), (tangents, [tangent[0], tangent[1], tangent[2]])];
                for (track, direction) in directions {
                    let right = track.map_or([0.0; 3], |track| expected.direction_at(track, vertex, moment));
                    assert!(
                        apart(direction, right) < 1e-5,
                        "{what} {vertex} at {time}: {direction:?} {right:?}"
                    );
                }
                let handedness =
                    tangents.map_or(0.0, |track| expected.direction(track, vertex, moment.frame).1);
                assert_eq!(tangent[3], handedness, "{what}");
            }
        }
    }
}

fn every_format(twist: Twist) {
    for shot in [FOX, CYLINDER, CUBE, STEPS] {
        for &format in Format::all().iter().filter(|format| !format.is_block() && format.holds_positions()) {
            let mut recipe = shot.recipe();
            recipe.clips[0].settings.format = vatpipe::manifest::FormatChoice::Fixed(format);
            twist(&mut recipe);
            let (found, expected) = both(&recipe);
            compare(&format!("{} in {format}", shot.model), &found, &expected);
        }
    }
}

#[test]
fn as_they_come() {
    every_format(|_| ());
}

#[test]
fn relative_and_compressed() {
    every_format(|recipe| {
        recipe.clips[0].settings.relative = Some(true);
        recipe.mesh.zstd = Some(3);
    });
}

#[test]
fn several_bands_layers_and_normals_of_their_own() {
    every_format(|recipe| {
        recipe.mesh.max_texture = 256;
        recipe.mesh.normals = Some(Normals::Sheet);
    });
}

#[test]
fn tangents_and_residuals() {
    for model in ["AnimatedMorphCube.glb", "Fox.glb"] {
        let mut settings = exact(12.0);
        settings.format = vatpipe::manifest::FormatChoice::Fixed(Format::Rgba8);
        settings.residual = true;
        let mut recipe = recipe(model, vec![clip(0, settings)]);
        recipe.mesh.tangents = model == "AnimatedMorphCube.glb";
        let (found, expected) = both(&recipe);
        compare(model, &found, &expected);
    }
}

/// Every level of detail reads its own sheet.
#[test]
fn levels_of_detail() {
    let text = format!(
        "[characters.fox]\nsource = '{}'\nallow_outside = true\nlods = [{{ ratio = 1.0 }}, {{ ratio = 0.3, fps = 10, format = 'rgba8' }}]\n[characters.fox.clip.Walk]\nloop = true\n",
        corpus("Fox.glb").display()
    );
    let manifest = vatpipe::manifest::load(&text, "vat.toml".as_ref()).unwrap();
    let (found, _) = both(&manifest.recipes[0]);
    let walk = found.clip("Walk").unwrap();
    let mesh = found.mesh();
    assert_eq!(mesh.lods.len(), 2);
    let (near, far) = (found.motion(walk, 0).unwrap().at(0.2), found.motion(walk, 1).unwrap().at(0.2));
    let count = found.vertex_count(1);
    assert!(count < found.vertex_count(0) && far.positions().count() == count as usize);
    let size = near.bounds().diagonal() as f32;
    for (vertex, position) in (0..).zip(far.positions()) {
        assert!(apart(position, near.position(vertex).unwrap()) < 0.03 * size, "vertex {vertex}");
    }
    assert_eq!(far.position(count), None);
    assert_eq!(found.motion(walk, 2).unwrap_err().code, "runtime::clip");
}

/// The bounds of a clip hold those of every moment.
#[test]
fn bounds() {
    let (found, _) = both(&FOX.recipe());
    let motion = found.motion(0, 0).unwrap();
    for time in times(motion.clip().duration, 20) {
        let (now, all) = (motion.at(time).bounds(), motion.clip().bounds);
        assert!((0..3).all(|i| all.min[i] <= now.min[i] && now.max[i] <= all.max[i]), "{now:?} in {all:?}");
    }
}

/// Formats in blocks are refused with the way out; everything else of them is there.
#[test]
fn blocks() {
    let mut recipe: Recipe = CYLINDER.recipe();
    recipe.clips[0].settings.format = vatpipe::manifest::FormatChoice::Fixed(Format::Bc7);
    let (found, expected) = both(&recipe);
    let error = found.motion(0, 0).unwrap_err();
    assert_eq!(error.code, "runtime::format");
    assert!(error.to_string().contains("`bc7`"), "{error}");
    assert_eq!(found.sheets()[0].data, expected.sheets[0].texture.data);
    assert_eq!(found.clip_info(0).unwrap().bounds.max, expected.clips[0].bounds.max);
}
