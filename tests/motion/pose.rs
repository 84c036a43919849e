use vatpipe::motion::rig::Options;
use vatpipe::motion::{Animation, Rig, deform, vertices};
use vatpipe::source::{Channel, Interpolation, Property};

use super::{assert_near, channel, triangle};

/// Where the corner (1, 0, 0) is at some times.
fn corner(channels: Vec<Channel>, times: &[f64]) -> Vec<[f32; 3]> {
    let source = triangle(channels);
    let options = Options { normals: false, tangents: false, share_columns: false };
    let rig = Rig::new(&source, &vertices::list(&source, false), options);
    let poses = Animation::new(&source, &rig, Some(&source.clips[0])).sample(times.iter().copied());
    let frames = deform(&rig, &poses);
    (0..times.len()).map(|f| frames.frame(f).positions.map(|plane| plane[0])).collect()
}

#[test]
fn values_hold_before_the_first_and_after_the_last_key() {
    let keys =
        channel(Property::Translation, Interpolation::Linear, &[1.0, 2.0], &[1.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
    let got = corner(vec![keys], &[0.0, 0.5, 1.0, 1.25, 2.0, 9.0]);
    let x: Vec<f32> = got.iter().map(|p| p[0]).collect();
    assert_eq!(x, [2.0, 2.0, 2.0, 2.25, 3.0, 3.0]);
}

#[test]
fn steps_take_the_new_value_on_the_key() {
    let scale = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
    let keys = channel(Property::Scale, Interpolation::Step, &[0.0, 0.4, 0.5], &scale);
    // 12.0 / 30.0 is a little below 0.4_f32.
    let got = corner(vec![keys], &[11.0 / 30.0, 12.0 / 30.0, 14.0 / 30.0, 15.0 / 30.0]);
    let x: Vec<f32> = got.iter().map(|p| p[0]).collect();
    assert_eq!(x, [1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn rotations_go_the_short_way() {
    let keys = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, -0.173648, -0.984808]];
    let keys = channel(Property::Rotation, Interpolation::Linear, &[0.0, 1.0], keys.as_flattened());
    let got = corner(vec![keys], &[0.5, 1.0]);
    assert_near(got[0], [0.984808, 0.173648, 0.0]);
    assert_near(got[1], [0.939693, 0.342020, 0.0]);
}

/// By hand, with p0 = 0, out-tangent 1, p1 = 1, in-tangent -2 over 2 seconds, at a quarter:
/// h00 = 0.84375, h10 = 0.140625, h01 = 0.15625, h11 = -0.046875, so 2 * 0.140625 + 0.15625 + 2 * 0.09375.
#[test]
fn cubic_splines_use_tangents_per_second() {
    let values = [
        [9.0, 9.0, 9.0],
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0], // in-tangent, value, out-tangent
        [-2.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [9.0, 9.0, 9.0],
    ];
    let keys = channel(Property::Translation, Interpolation::CubicSpline, &[0.0, 2.0], values.as_flattened());
    let got = corner(vec![keys], &[0.0, 0.5, 2.0]);
    assert_near(got[0], [1.0, 0.0, 0.0]);
    assert_near(got[1], [1.0 + 0.625, 0.0, 0.0]);
    assert_near(got[2], [2.0, 0.0, 0.0]);
}

#[test]
fn a_zero_scale_and_a_spline_through_nothing_give_finite_numbers() {
    let scale = channel(Property::Scale, Interpolation::Linear, &[0.0], &[0.0; 3]);
    let rotation = channel(Property::Rotation, Interpolation::CubicSpline, &[0.0, 1.0], &[0.0; 24]);
    assert_eq!(corner(vec![scale], &[0.0]), [[0.0; 3]]);
    assert_eq!(corner(vec![rotation], &[0.5]), [[1.0, 0.0, 0.0]]);
}
