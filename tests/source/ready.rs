//! The ready-made models of the tests, and the inputs of the user cases.

use glam::{DMat4, DQuat};
use serde_json::json;
use vatpipe::source::{Interpolation, Property, Transform};

use super::good;
use crate::support::model::Model;
use crate::support::{cases, models};

#[test]
fn all_read_without_a_warning() {
    let all: Vec<Model> = vec![
        models::moving_triangle([1.0, 0.0, 0.0]),
        models::skinned_strip(),
        models::morph_quad(),
        models::machine(),
        models::compressed_strip(),
        cases::armature_scale(json!(null)),
        cases::two_materials(false),
        cases::two_materials(true),
        cases::late_first_key(),
        cases::spin(),
        cases::opposite_signs(),
        cases::moving_quad(),
        cases::keys(&[0.0, 0.5], &[0.0, 5.0]),
        cases::same_names(),
        cases::step_scale(),
        cases::quantized_rotation(),
        cases::mirrored(),
        cases::six_primitives(),
        cases::zero_scale(),
    ];
    for model in &all {
        let source = good(model);
        assert_eq!(source.warnings, []);
    }
}

#[test]
fn armature_scale_does_not_depend_on_skeleton() {
    let plain = good(&cases::armature_scale(json!(null)));
    let names: Vec<_> = plain.nodes.iter().map(|n| (n.name.as_str(), n.parent)).collect();
    assert_eq!(names, [("Armature", None), ("J", Some(0)), ("body", Some(0))]);
    assert_eq!(plain.skins[0].joints, [1]);
    assert_eq!(plain.skins[0].inverse_bind[0], DMat4::from_scale(glam::DVec3::splat(100.0)));
    let Transform::Trs { scale, .. } = plain.nodes[0].rest else { panic!() };
    assert_eq!(scale, glam::DVec3::splat(0.01));
    for skeleton in [json!(0), json!(1)] {
        let other = good(&cases::armature_scale(skeleton));
        assert_eq!(format!("{other:?}"), format!("{plain:?}"));
    }
}

#[test]
fn two_materials_keep_their_ranges() {
    for apart in [false, true] {
        let source = good(&cases::two_materials(apart));
        assert_eq!((source.geometries.len(), source.parts.len(), source.vertex_count()), (2, 2, 7));
        let counts: Vec<_> = source.geometries.iter().map(|g| g.positions.len()).collect();
        assert_eq!(counts, [3, 4]);
        let materials: Vec<_> = source.geometries.iter().map(|g| g.primitives[0].material).collect();
        assert_eq!(materials, [Some(0), Some(1)]);
        assert!(source.parts.iter().all(|part| part.skin == Some(0)));
    }
}

#[test]
fn keys_of_either_sign_stay_as_they_are() {
    let source = good(&cases::opposite_signs());
    let channel = &source.clips[0].channels[0];
    assert_eq!((channel.property, channel.interpolation), (Property::Rotation, Interpolation::Linear));
    let [z, w] = [channel.values[6], channel.values[7]];
    assert!((z + 0.173648).abs() < 1e-6 && (w + 0.984808).abs() < 1e-6, "{z} {w}");
}

#[test]
fn clips_may_share_a_name() {
    let source = good(&cases::same_names());
    let clips: Vec<_> = source.clips.iter().map(|clip| (clip.index, clip.name.as_str())).collect();
    assert_eq!(clips, [(0, "UpAndDown"), (1, "UpAndDown"), (2, "")]);
}

#[test]
fn a_late_first_key_is_told() {
    let source = good(&cases::late_first_key());
    assert_eq!((source.clips[0].first_key, source.clips[0].duration), (1.0, 2.0));
}

#[test]
fn quantized_strided_rotation() {
    let source = good(&cases::quantized_rotation());
    let values = &source.clips[0].channels[0].values;
    let [first, second] = [0, 4].map(|at| {
        let key: [f32; 4] = values[at..at + 4].try_into().unwrap();
        DQuat::from_array(key.map(f64::from))
    });
    let half = std::f64::consts::FRAC_1_SQRT_2;
    assert!((first - DQuat::from_xyzw(0.0, 0.0, half, half)).length() < 1e-6);
    assert_eq!(second, DQuat::from_xyzw(-1.0, 0.0, 0.0, 0.0));
}

#[test]
fn primitives_over_the_same_accessors_share_vertices() {
    let source = good(&cases::six_primitives());
    assert_eq!((source.vertex_count(), source.triangle_count()), (24, 12));
    assert_eq!((source.geometries.len(), source.parts.len()), (1, 1));
    let materials: Vec<_> = source.geometries[0].primitives.iter().map(|p| p.material).collect();
    assert_eq!(materials, [0, 1, 2, 3, 4, 5].map(Some));
}
