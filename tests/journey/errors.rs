//! The errors and bounds in the metadata, against what an independent reader finds in the files.

use vatpipe::encode::Format;

use crate::support::loader::{Character, Clip, Direction, Moment, Track};
use crate::support::reference::degrees;
use crate::support::variant::{Shot, Twist};

const RUN: Shot = Shot { model: "Fox.glb", clip: 2, fps: 10.0, looping: false };
const WALK: Shot = Shot { model: "Fox.glb", clip: 1, fps: 10.0, looping: true };
const DANCE: Shot = Shot { model: "RobotExpressive.glb", clip: 0, fps: 4.0, looping: false };
const SPLINE: Shot = Shot { model: "interpolation_test.gltf", clip: 4, fps: 10.0, looping: false };
const STEP: Shot = Shot { model: "interpolation_test.gltf", clip: 3, fps: 10.0, looping: false };
const WAVE: Shot = Shot { model: "MorphStressTest.gltf", clip: 2, fps: 10.0, looping: true };
const GREENMAN: Shot = Shot { model: "greenman.glb", clip: 2, fps: 10.0, looping: true };

/// The largest and the root mean square of some errors.
#[derive(Clone, Copy, Debug, Default)]
struct Error {
    max: f64,
    sum: f64,
    count: usize,
}

impl Error {
    fn add(&mut self, error: f64) {
        self.max = self.max.max(error);
        self.sum += error * error;
        self.count += 1;
    }

    fn rms(&self) -> f64 {
        (self.sum / self.count as f64).sqrt()
    }

    /// Compares with an entry of `error` in the metadata.
    fn assert_is(&self, what: &str, track: &Track, entry: &str, tolerance: f64) {
        for (name, found) in [("max", self.max), ("rms", self.rms())] {
            let said = track.error[entry][name].as_f64().unwrap();
            let near = (said - found).abs() <= tolerance + 1e-3 * found;
            assert!(near, "{what}: {entry}.{name} is {found}, and the metadata says {said}");
        }
    }
}

fn distance(a: [f32; 3], b: [f32; 3]) -> f64 {
    let off = [0, 1, 2].map(|i| f64::from(a[i]) - f64::from(b[i]));
    off.iter().map(|c| c * c).sum::<f64>().sqrt()
}

/// One vertex of each column.
fn columns(character: &Character) -> Vec<usize> {
    let mut vertices = vec![usize::MAX; character.column_count];
    for (vertex, &column) in character.mesh.columns.iter().enumerate().rev() {
        vertices[column] = vertex;
    }
    vertices
}

/// The moments at which errors are measured, with the frame of a bake at five times the rate that they are:
/// frames, and four moments inside each interval.
fn moments(clip: &Clip, track: &Track) -> Vec<(Moment, usize)> {
    let intervals = if clip.looping { track.frames } else { track.frames - 1 };
    let end = if clip.looping { 0 } else { 1 };
    let moment = |dense: usize| {
        let time = clip.time(track, dense as f64 / 5.0);
        let blend = if clip.step { 0.0 } else { (dense % 5) as f32 / 5.0 };
        let found = clip.moment(track, time + 1e-9);
        // What the document says of time has to lead to the same place.
        assert!(found.frame == dense / 5 && (found.blend - blend).abs() < 1e-5, "{found:?} {dense}");
        (Moment { frame: dense / 5, blend }, dense)
    };
    (0..intervals * 5 + end).map(moment).collect()
}

fn check(shot: Shot, format: Format, twist: Twist) {
    let baked = shot.bake(format, twist);
    let clip = &baked.clips[0];
    let track = baked.positions(clip);
    let dense = shot.dense(track);
    let truth = dense.positions(&dense.clips[0]);
    assert_eq!(dense.mesh.positions, baked.mesh.positions);
    let (mut encode, mut sample) = (Error::default(), Error::default());
    let vertices = columns(&baked);
    for (moment, at) in moments(clip, track) {
        for &vertex in &vertices {
            let error = distance(baked.position_at(track, vertex, moment), dense.position(truth, vertex, at));
            sample.add(error);
            if at % 5 == 0 {
                encode.add(error);
            }
        }
    }
    let what = format!("{} {} in {format}", shot.model, clip.name);
    // The truth here is in `f32`, and so is the decoder.
    let size = distance(baked.bounds.min, baked.bounds.max);
    encode.assert_is(&what, track, "encode", 4e-7 * size);
    sample.assert_is(&what, track, "sample", 4e-7 * size);
    check_normals(&what, &baked, &dense, &vertices);
}

/// Normals are known from two bytes only: within twice the error of that.
fn check_normals(what: &str, baked: &Character, dense: &Character, vertices: &[usize]) {
    let clip = &baked.clips[0];
    let Some(track) = baked.directions(clip, Direction::Normal) else { return };
    let truth = dense.directions(&dense.clips[0], Direction::Normal).unwrap();
    let mut error = Error::default();
    for (moment, at) in moments(clip, track) {
        for &vertex in vertices {
            let (normal, _) = dense.direction(truth, vertex, at);
            error.add(degrees(baked.direction_at(track, vertex, moment), normal));
        }
    }
    let said = track.error["normal_deg"]["max"].as_f64().unwrap();
    assert!((said - error.max).abs() < 1.0, "{what}: {said} degrees, and about {} are found", error.max);
}

#[test]
fn errors_are_as_measured() {
    for shot in [RUN, WALK, SPLINE, STEP, WAVE, GREENMAN] {
        for format in [Format::Rgba32f, Format::Rgba16f, Format::Rgba16ui, Format::Rgb10a2, Format::Rgba8] {
            check(shot, format, |_| ());
        }
        check(shot, Format::Rgb10a2, |r| r.clips[0].settings.relative = Some(true));
        check(shot, Format::Rgba8, |r| r.clips[0].settings.relative = Some(false));
    }
    check(DANCE, Format::Rgba16ui, |_| ());
}

/// `sample.max` from three.js alone: true positions at the frames and at fifths between them
/// (`reference_three.mjs MODEL --clip N --times ...`), blended linearly, against the true positions there.
#[test]
fn sample_errors_of_three_js() {
    let expected = [
        (RUN, 6.532_019_451),
        (WALK, 10.434_948_791),
        (DANCE, 0.951_891_213_7),
        (SPLINE, 0.065_576_922_7),
        (WAVE, 0.029_396_662_2),
    ];
    for (shot, expected) in expected {
        let baked = shot.exact();
        let said = baked.clips[0].tracks[0].error["sample"]["max"].as_f64().unwrap();
        assert!((said - expected).abs() < 1e-5 * expected, "{}: {said}, not {expected}", shot.model);
    }
}
