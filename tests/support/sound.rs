//! What every `Source` promises (module docs of `vatpipe::source`), asserted.

use vatpipe::source::{Channel, Geometry, Interpolation, Source, Transform};

/// Panics unless every index is in range, every number finite and every list as long as its neighbours.
pub fn assert_sound(source: &Source) {
    for (i, node) in source.nodes.iter().enumerate() {
        assert!(node.parent.is_none_or(|parent| parent < i), "parents come first");
        let finite = match node.rest {
            Transform::Trs { translation, rotation, scale } => {
                assert!((rotation.length() - 1.0).abs() < 1e-9);
                translation.is_finite() && scale.is_finite()
            }
            Transform::Matrix(matrix) => matrix.is_finite(),
        };
        assert!(finite && node.weights.iter().all(|w| w.is_finite()));
    }
    for skin in &source.skins {
        assert_eq!(skin.joints.len(), skin.inverse_bind.len());
        assert!(skin.joints.iter().all(|&joint| joint < source.nodes.len()));
        assert!(skin.inverse_bind.iter().all(|matrix| matrix.is_finite()));
    }
    for geometry in &source.geometries {
        assert_geometry(geometry, source.materials.len());
    }
    for part in &source.parts {
        let geometry = &source.geometries[part.geometry];
        assert_eq!(source.nodes[part.node].weights.len(), geometry.morphs.len());
        if let Some(skin) = part.skin {
            let joints = source.skins[skin].joints.len();
            assert_eq!(geometry.influence_start.len(), geometry.positions.len() + 1);
            assert!(geometry.influences.iter().all(|i| (i.joint as usize) < joints));
        }
    }
    for clip in &source.clips {
        assert!(0.0 <= clip.first_key && clip.first_key <= clip.duration && clip.duration.is_finite());
        for (i, channel) in clip.channels.iter().enumerate() {
            let same = |c: &&Channel| (c.node, c.property) == (channel.node, channel.property);
            assert_eq!(clip.channels[i..].iter().filter(same).count(), 1);
            assert!(channel.node < source.nodes.len());
            assert_channel(channel, clip.duration);
        }
    }
}

fn assert_geometry(geometry: &Geometry, materials: usize) {
    let count = geometry.positions.len();
    let mut lists = vec![geometry.positions.as_flattened()];
    let mut lens = vec![count];
    if let Some(normals) = &geometry.normals {
        lens.push(normals.len());
        lists.push(normals.as_flattened());
    }
    if let Some(tangents) = &geometry.tangents {
        assert!(geometry.normals.is_some());
        lens.push(tangents.len());
        lists.push(tangents.as_flattened());
    }
    for uvs in &geometry.uvs {
        lens.push(uvs.len());
        lists.push(uvs.as_flattened());
    }
    for colors in &geometry.colors {
        lens.push(colors.len());
        lists.push(colors.as_flattened());
    }
    for morph in &geometry.morphs {
        for deltas in [&morph.positions, &morph.normals, &morph.tangents].into_iter().flatten() {
            lens.push(deltas.len());
            lists.push(deltas.as_flattened());
        }
    }
    assert!(lens.iter().all(|&len| len == count), "{lens:?}");
    assert!(lists.iter().all(|list| list.iter().all(|v| v.is_finite())));
    let mut used = vec![false; count];
    for primitive in &geometry.primitives {
        assert!(!primitive.indices.is_empty() && primitive.indices.len() % 3 == 0);
        assert!(primitive.material.is_none_or(|material| material < materials));
        primitive.indices.iter().for_each(|&i| used[i as usize] = true);
    }
    assert!(used.iter().all(|&used| used), "every vertex is drawn");
    assert_influences(geometry);
}

fn assert_influences(geometry: &Geometry) {
    if geometry.influence_start.is_empty() {
        return assert!(geometry.influences.is_empty());
    }
    assert_eq!(geometry.influence_start[0], 0);
    assert_eq!(geometry.influence_start[geometry.positions.len()] as usize, geometry.influences.len());
    for range in geometry.influence_start.windows(2) {
        let influences = &geometry.influences[range[0] as usize..range[1] as usize];
        let sum: f64 = influences.iter().map(|i| f64::from(i.weight)).sum();
        assert!((sum - 1.0).abs() < 1e-6, "{sum}");
        assert!(influences.iter().all(|i| i.weight > 0.0));
        assert!(influences.windows(2).all(|pair| pair[0].joint < pair[1].joint));
    }
}

fn assert_channel(channel: &Channel, duration: f64) {
    let a_key = if channel.interpolation == Interpolation::CubicSpline { 3 } else { 1 };
    assert!(channel.width > 0 && !channel.times.is_empty());
    assert_eq!(channel.values.len(), channel.times.len() * channel.width * a_key);
    assert!(channel.times[0] >= 0.0 && channel.times.windows(2).all(|pair| pair[0] < pair[1]));
    assert!(channel.times.iter().all(|&t| f64::from(t) <= duration));
    assert!(channel.values.iter().all(|v| v.is_finite()));
}
