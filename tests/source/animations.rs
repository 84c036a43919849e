//! Animations.

use serde_json::{Value, json};
use vatpipe::source::{Interpolation, Limits, Options, Property};

use super::{at, bad, good, odd};
use crate::support::cases::keys;
use crate::support::model::Model;
use crate::support::models::{IDENTITY, machine, moving_triangle};

#[test]
fn clips_and_channels() {
    let source = good(&machine());
    let clip = &source.clips[0];
    assert_eq!((clip.name.as_str(), clip.duration, clip.first_key), ("work", 2.0, 0.0));
    let channels: Vec<_> =
        clip.channels.iter().map(|c| (c.node, c.property, c.interpolation, c.width)).collect();
    assert_eq!(
        channels,
        [
            (0, Property::Translation, Interpolation::Step, 3),
            (1, Property::Rotation, Interpolation::Linear, 4)
        ]
    );
    assert_eq!(clip.channels[0].times, [0.0, 1.0, 2.0]);
}

#[test]
fn interpolation_defaults_to_linear() {
    let mut model = moving_triangle([1.0; 3]);
    model.remove("/animations/0/samplers/0/interpolation");
    assert_eq!(good(&model).clips[0].channels[0].interpolation, Interpolation::Linear);
    model.set("/animations/0/samplers/0/interpolation", json!("SMOOTH"));
    assert_eq!(at(&bad(&model)), ("source::animation", "/animations/0/samplers/0"));
}

/// Values of splines, and their tangents, are left alone; other rotations are made unit quaternions.
#[test]
fn cubic_splines() {
    let mut model = moving_triangle([1.0; 3]);
    let output = model.vec4(&[[0.0, 0.0, 3.0, 4.0]; 6]);
    model.channel(0, 0, "rotation", &[0.0, 1.0], output, "CUBICSPLINE");
    let linear = model.vec4(&[[0.0, 0.0, 3.0, 4.0], [0.0; 4]]);
    let clip = model.clip("linear");
    model.channel(clip, 0, "rotation", &[0.0, 1.0], linear, "LINEAR");
    let (source, codes) = odd(&model);
    assert_eq!(source.clips[0].channels[1].values, [0.0, 0.0, 3.0, 4.0].repeat(6));
    assert_eq!(source.clips[1].channels[0].values, [[0.0, 0.0, 0.6, 0.8], IDENTITY].concat());
    assert_eq!(codes, ["source::animation"]);
}

/// Case 42, the rest: integer types, and which properties may have them.
#[test]
fn normalised_integers() {
    let quarter: [fn(&mut Model) -> usize; 4] = [
        |model| model.i8s("VEC4", &[0, 0, 90, 90, 0, 0, -128, 0]),
        |model| model.u8s("VEC4", &[0, 0, 180, 180, 0, 0, 0, 255]),
        |model| model.i16s("VEC4", &[0, 0, 23170, 23170, 0, 0, -32768, 0]),
        |model| model.u16s("VEC4", &[0, 0, 46340, 46340, 0, 0, 0, 65535]),
    ];
    for output in quarter {
        let mut model = moving_triangle([1.0; 3]);
        let output = output(&mut model);
        let output = model.normalized(output);
        model.channel(0, 0, "rotation", &[0.0, 1.0], output, "LINEAR");
        let source = good(&model);
        let values = &source.clips[0].channels[1].values;
        assert_eq!((values[0], values[1]), (0.0, 0.0));
        assert!((values[2] - 0.70710677).abs() < 1e-6 && (values[3] - 0.70710677).abs() < 1e-6);
        assert_eq!(values[6..8].iter().map(|v| v.abs()).sum::<f32>(), 1.0);
        // Without the flag the numbers mean nothing else.
        model.remove(&format!("/accessors/{output}/normalized"));
        assert_eq!(odd(&model).1, ["source::accessor"]);
    }
    for path in ["translation", "scale"] {
        let mut model = moving_triangle([1.0; 3]);
        let output = model.i16s("VEC3", &[0; 6]);
        let output = model.normalized(output);
        let clip = model.clip("integers");
        model.channel(clip, 0, path, &[0.0, 1.0], output, "LINEAR");
        let problem = bad(&model);
        assert_eq!(problem.code, "source::accessor");
        assert!(problem.message.contains("SHORT"), "{problem}");
    }
}

/// Case 52: key times that are none.
#[test]
fn key_times() {
    let code = |times: &[f32]| {
        let problem = bad(&keys(times, &vec![0.0; times.len()]));
        assert_eq!(at(&problem).1, "/accessors/2", "{problem}");
        problem.code
    };
    assert_eq!(code(&[0.0, f32::NAN]), "source::finite");
    assert_eq!(code(&[0.0, f32::INFINITY]), "source::finite");
    assert_eq!(code(&[-1.0, 0.0]), "source::animation");
    assert_eq!(code(&[0.0, 1.0, 0.5]), "source::animation");
    let (source, codes) = odd(&keys(&[0.0, 1e30], &[0.0, 1.0]));
    assert_eq!((codes, source.clips[0].duration), (vec!["source::limit"], f64::from(1e30f32)));
    let limits = Limits { duration: f64::INFINITY, ..Limits::default() };
    let long = keys(&[0.0, 1e30], &[0.0, 1.0]).read_with(&Options { limits, ..Options::default() }).unwrap();
    assert_eq!(long.clips[0].duration, f64::from(1e30f32));
}

/// A jump, as some exporters write it: two keys at one time. Nearly there is the old value, there the new.
#[test]
fn keys_at_the_same_time() {
    let (source, codes) = odd(&keys(&[0.0, 1.0, 1.0, 2.0], &[0.0, 1.0, 5.0, 6.0]));
    assert_eq!(codes, ["source::animation"]);
    assert_eq!(source.clips[0].channels[0].times, [0.0, 1.0f32.next_down(), 1.0, 2.0]);
    let (source, _) = odd(&keys(&[0.0, 0.0, 0.0], &[0.0, 1.0, 5.0]));
    let tiny = f32::from_bits(1);
    assert_eq!(source.clips[0].channels[0].times, [0.0, tiny, tiny.next_up()]);
}

/// Case 17 (d): one key is a clip without length.
#[test]
fn one_key() {
    let source = good(&keys(&[0.0], &[3.0]));
    assert_eq!((source.clips[0].duration, source.clips[0].channels[0].values[0]), (0.0, 3.0));
}

/// Runner-up 10: without a node; and paths of extensions; and a node that is not baked.
#[test]
fn channels_that_move_nothing() {
    let mut model = machine();
    model.remove("/animations/0/channels/0/target/node");
    model.set("/animations/0/channels/1/target", json!({ "path": "pointer" }));
    let (source, codes) = odd(&model);
    assert_eq!((source.clips[0].channels.len(), &codes[..]), (0, &["source::animation"][..]));
    assert_eq!(source.clips[0].duration, 2.0);
    let mut model = moving_triangle([1.0; 3]);
    let other = model.add("nodes", json!({ "name": "elsewhere" }));
    let output = model.vec3(&[[0.0; 3], [1.0; 3]]);
    model.channel(0, other, "translation", &[0.0, 9.0], output, "LINEAR");
    let source = good(&model);
    assert_eq!((source.clips[0].channels.len(), source.clips[0].duration), (1, 9.0));
}

#[test]
fn the_first_of_two_channels_counts() {
    let mut model = moving_triangle([1.0; 3]);
    let output = model.vec3(&[[5.0; 3]; 2]);
    model.channel(0, 0, "translation", &[0.0, 4.0], output, "LINEAR");
    let (source, codes) = odd(&model);
    assert_eq!(codes, ["source::animation"]);
    assert_eq!((source.clips[0].channels.len(), source.clips[0].channels[0].values[3]), (1, 1.0));
}

#[test]
fn indices_and_counts() {
    let wrong = |pointer: &str, value: Value| {
        let mut model = moving_triangle([1.0; 3]);
        model.set(pointer, value);
        let problem = bad(&model);
        let (code, place) = at(&problem);
        (code, place.to_owned())
    };
    let sampler = "/animations/0/samplers/0";
    assert_eq!(wrong("/animations/0/channels/0/sampler", json!(1)).0, "source::index");
    assert_eq!(wrong("/animations/0/channels/0/target/node", json!(1)).0, "source::index");
    assert_eq!(wrong(&format!("{sampler}/input"), json!(99)).1, format!("{sampler}/input"));
    assert_eq!(wrong(&format!("{sampler}/output"), json!(99)).1, format!("{sampler}/output"));
    assert_eq!(wrong(&format!("{sampler}/output"), json!(0)).0, "source::animation");
    assert_eq!(wrong("/animations/0/channels/0/target", json!({})).0, "source::json");
    assert_eq!(wrong("/animations/0/channels", json!("none")).0, "source::json");
}

#[test]
fn values_must_be_numbers() {
    let problem = bad(&keys(&[0.0, 1.0], &[0.0, f32::NEG_INFINITY]));
    assert_eq!(at(&problem), ("source::finite", "/accessors/1"));
}

#[test]
fn no_keys() {
    let mut model = moving_triangle([1.0; 3]);
    let input = model.json["animations"][0]["samplers"][0]["input"].as_u64().unwrap();
    model.set(&format!("/accessors/{input}/count"), json!(0));
    let (source, codes) = odd(&model);
    assert_eq!((source.clips[0].channels.len(), source.clips[0].duration), (0, 0.0));
    assert_eq!((source.clips[0].first_key, &codes[..]), (0.0, &["source::animation"][..]));
}
