//! Why a clip is baked, in words: what follows from something else is not said twice.

use vatpipe::bake::Origin;
use vatpipe::cache::digest::Digest;
use vatpipe::cache::key::ClipKey;
use vatpipe::cache::reason::{Known, Reason, reasons};
use vatpipe::encode::Format;
use vatpipe::layout::Shape;
use vatpipe::metadata::Holds;

fn key() -> ClipKey {
    let digest = Digest::of(b"the same");
    ClipKey {
        axes: vatpipe::axes::Axes::Gltf,
        version: 1,
        mesh: digest,
        skeleton: digest,
        motion: digest,
        start: 0.0,
        duration: 1.0,
        frames: 31,
        fps: 30.0,
        looping: false,
        step: false,
        relative: None,
        holds: vec![(Holds::Position, Format::Rgba16ui)],
        quality: None,
        shapes: vec![Shape { width: 3, bands: 1 }],
        request: None,
    }
}

fn said(change: impl FnOnce(&mut ClipKey)) -> Vec<String> {
    let (old, mut new) = (key(), key());
    change(&mut new);
    let joints = ["hip".to_owned()];
    let known = |key| Known { key, joints: &joints };
    reasons(Some(known(&old)), known(&new)).iter().map(|reason| reason.to_string()).collect()
}

#[test]
fn a_rate_is_one_reason() {
    let rate = said(|key| {
        key.fps = 24.0;
        key.frames = 25;
    });
    assert_eq!(rate, ["fps changed from 30 to 24"]);
    let range = said(|key| {
        key.start = 0.2;
        key.duration = 0.5;
        key.frames = 16;
    });
    assert_eq!(range, ["start changed from 0 s to 0.2 s", "duration changed from 1 s to 0.5 s"]);
}

#[test]
fn numbers_are_short_unless_that_hides_the_change() {
    assert_eq!(said(|key| key.fps = 29.970029970029973), ["fps changed from 30 to 29.97"]);
    assert_eq!(said(|key| key.fps = 30.000000000000004), ["fps changed from 30 to 30.000000000000004"]);
}

#[test]
fn loops_and_shapes() {
    let looping = said(|key| {
        key.looping = true;
        key.frames = 30;
    });
    assert_eq!(looping, ["loop changed from false to true"]);
    assert_eq!(said(|key| key.shapes[0].bands = 2), ["bands changed from 1 to 2"]);
    let mesh = said(|key| {
        key.mesh = Digest::of(b"another");
        key.shapes[0].width = 4;
    });
    assert_eq!(mesh.len(), 1, "{mesh:?}");
    assert!(mesh[0].starts_with("the mesh changed ("), "{mesh:?}");
    assert_eq!(said(|_| {}), [Reason::EntryMissing.to_string()]);
}

#[test]
fn origins_are_words_in_json() {
    assert_eq!(serde_json::to_string(&Origin::Cached).unwrap(), "\"cached\"");
}
