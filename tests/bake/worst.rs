//! Where the error is worst.

use serde_json::json;
use vatpipe::metadata::Worst;

use super::{chord_error, made, wheel};
use crate::support::model::Model;
use crate::support::models::triangle;

#[test]
fn the_worst_place_of_a_circle_is_its_outermost_corner() {
    let (baked, _) = made(&wheel(), "fps = 8\nformat = \"rgba32f\"\nclip.turn.loop = true");
    let metadata = baked.unwrap().metadata;
    let error = metadata.clips[0].tracks[0].error;
    let sample = error.sample.unwrap();
    assert!((sample.max - chord_error(8.0)).abs() < 1e-6, "{sample:?} {}", chord_error(8.0));
    let Worst { time, frame, column } = sample.worst.unwrap();
    assert_eq!(column, 2);
    assert!((time * 8.0 - frame).abs() < 1e-9, "{time} {frame}");
    let part = frame.fract();
    assert!((part - 0.4).abs() < 1e-9 || (part - 0.6).abs() < 1e-9, "{frame}");
    // Nothing is lost in floats: there is no worst place.
    assert_eq!((error.encode.unwrap().max, error.encode.unwrap().worst), (0.0, None));
}

/// A key at 0.33 s lies between frames 3 and 4 of ten a second. Of the moments that are measured 0.34 s is nearest:
/// there the point is at 1 - 0.01 / 0.67, and on the chord from 0.3 / 0.33 to 1 - 0.07 / 0.67 two fifths of the way.
#[test]
fn a_key_between_frames_is_found() {
    let mut model = Model::new();
    let mesh = triangle(&mut model);
    let node = model.node(json!({ "name": "thing", "mesh": mesh }));
    let output = model.vec3(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0; 3]]);
    let clip = model.clip("kink");
    model.channel(clip, node, "translation", &[0.0, 0.33, 1.0], output, "LINEAR");
    let (baked, _) = made(&model, "fps = 10\nformat = \"rgba32f\"");
    let sample = baked.unwrap().metadata.clips[0].tracks[0].error.sample.unwrap();
    let (before, after) = (0.3 / 0.33, 1.0 - 0.07 / 0.67);
    let expected = (1.0 - 0.01 / 0.67) - (before + 0.4 * (after - before));
    assert!((sample.max - expected).abs() < 1e-5, "{sample:?} {expected}");
    let worst = sample.worst.unwrap();
    assert!((worst.time - 0.34).abs() < 1e-6 && (worst.frame - 3.4).abs() < 1e-9, "{worst:?}");
}
