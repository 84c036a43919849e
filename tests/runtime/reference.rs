//! Positions and normals of the runtime against those that three.js computed, in every format that is stored texel by
//! texel.

use vatpipe::encode::Format;
use vatpipe::manifest::FormatChoice;
use vatpipe::runtime::Character;

use super::both;
use crate::support::baking::{clip, exact, recipe};
use crate::support::reference::{self, Entry, Nearest, Trajectories};

/// A part of the bounds' diagonal: what the exact format keeps.
const TOLERANCE: f64 = 1e-5;

/// Degrees: half a step of two bytes, as in the journey's test.
const NORMAL: f64 = 0.954 + 0.01;

/// One clip of each kind of motion.
const BASES: [&str; 7] = [
    "Fox__01",
    "SimpleSkin__00",
    "RiggedSimple__00",
    "AnimatedMorphCube__00",
    "interpolation_test__08",
    "greenman__01",
    "character__02",
];

/// All vertices at all frames, as the runtime gives them.
fn trajectories(character: &Character) -> Trajectories {
    let motion = character.motion(0, 0).unwrap();
    let info = motion.clip();
    let track = &info.tracks[0];
    let steps = if info.looping { track.frames } else { track.frames - 1 };
    let time = |frame: u32| f64::from(frame) * info.duration / f64::from(steps.max(1));
    let poses: Vec<_> = (0..track.frames).map(|frame| motion.at(time(frame))).collect();
    let vertices = 0..character.vertex_count(0);
    let all: Vec<_> = vertices.flat_map(|v| poses.iter().map(move |pose| pose.vertex(v).unwrap())).collect();
    let has_normals = all.iter().any(|vertex| vertex.normal != [0.0; 3]);
    Trajectories {
        frames: track.frames as usize,
        positions: all.iter().map(|vertex| vertex.position).collect(),
        normals: if has_normals { all.iter().map(|vertex| vertex.normal).collect() } else { Vec::new() },
    }
}

/// The largest distance that half a step of the format leaves along an axis, model units.
fn half_step(character: &Character, format: Format) -> f64 {
    let track = &character.metadata().clips[0].tracks[0];
    let scale = track.scale.into_iter().fold(0.0, f32::max);
    let step = match format {
        Format::Rgba32f => 0.0,
        // From -1 to 1, in eleven bits.
        Format::Rgba16f => 1.0 / 2048.0,
        _ => format.step().unwrap(),
    };
    f64::from(scale) * step / 2.0
}

fn compare(entry: &Entry, format: Format) {
    let mut settings = exact(entry.fps);
    settings.format = FormatChoice::Fixed(format);
    let (character, _) = both(&recipe(&entry.model, vec![clip(entry.clip, settings)]));
    let reference = reference::read(entry);
    let found = trajectories(&character);
    let what = format!("{} in {format}", entry.base);
    assert_eq!(found.frames, entry.frames, "{what}");
    let tolerance = TOLERANCE * reference.diagonal + half_step(&character, format);
    let (used, all) = (reference.used(), vec![true; found.len()]);
    let there = Nearest::find(&reference.trajectories, &used, &found, &all, tolerance);
    let back = Nearest::find(&found, &all, &reference.trajectories, &used, tolerance);
    assert!(there.missing.is_empty(), "{what}: reference vertices that are not there: {:?}", there.missing);
    assert!(back.missing.is_empty(), "{what}: vertices that are not in the reference: {:?}", back.missing);
    assert_eq!(reference.has_normals, !found.normals.is_empty(), "{what}");
    let degrees = there.degrees.max(back.degrees);
    assert!(!reference.has_normals || degrees < NORMAL, "{what}: normals {degrees} degrees apart");
}

#[test]
fn every_format() {
    let entries = reference::index();
    let formats: Vec<_> = Format::all().iter().filter(|f| !f.is_block() && f.holds_positions()).collect();
    assert_eq!(formats.len(), 6);
    for base in BASES {
        let entry = entries.iter().find(|entry| entry.base == base);
        let entry = entry.unwrap_or_else(|| panic!("no reference {base}"));
        formats.iter().for_each(|&&format| compare(entry, format));
    }
}
