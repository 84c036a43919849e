//! From where a picture is taken.

use glam::DVec3;

use crate::metadata::Bounds;

/// A parallel projection: lengths can be compared all over a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Unit vectors: to the right, up, and toward the viewer.
    axes: [DVec3; 3],
    /// The point in the middle of the picture.
    center: DVec3,
    /// Model units from the middle to the nearer edge.
    reach: f64,
}

impl Camera {
    /// Looks at a box so that all of it is seen, and little else. `yaw` turns it about the vertical, 0
    /// looking along -Z (at the front of a glTF model); `pitch` lifts it. Degrees.
    pub fn around(bounds: &Bounds, yaw: f64, pitch: f64) -> Self {
        let [min, max] = [bounds.min, bounds.max].map(|v| DVec3::from_array(v.map(f64::from)));
        let (yaw, pitch) = (yaw.to_radians(), pitch.to_radians());
        let (sin_yaw, cos_yaw) = (libm::sin(yaw), libm::cos(yaw));
        let (sin_pitch, cos_pitch) = (libm::sin(pitch), libm::cos(pitch));
        let right = DVec3::new(cos_yaw, 0.0, -sin_yaw);
        let toward = DVec3::new(sin_yaw * cos_pitch, sin_pitch, cos_yaw * cos_pitch);
        let axes = [right, toward.cross(right), toward];
        // The corner that is farthest along an axis is as far as the sum of what each edge adds.
        let half = (max - min) * 0.5;
        let along = |axis: DVec3| axis.abs().dot(half);
        let reach = along(axes[0]).max(along(axes[1])) * 1.02;
        let reach = if reach > 0.0 && reach.is_finite() { reach } else { 1.0 };
        Self { axes, center: (min + max) * 0.5, reach }
    }

    /// From as near as these points allow, all of them still seen.
    #[must_use]
    pub fn close_to(self, points: impl Iterator<Item = DVec3>) -> Self {
        let off = |point: DVec3| {
            let [x, y, _] = self.axes.map(|axis| axis.dot(point - self.center).abs());
            x.max(y)
        };
        let reach = points.filter(|point| point.is_finite()).map(off).fold(0.0, f64::max) * 1.06;
        if reach > 0.0 { Self { reach, ..self } } else { self }
    }

    /// From as far away as another one.
    #[must_use]
    pub fn as_far_as(self, other: Self) -> Self {
        Self { reach: other.reach, ..self }
    }

    /// The one of both that is farther away.
    #[must_use]
    pub fn farther(self, other: Self) -> Self {
        if other.reach > self.reach { other } else { self }
    }

    /// Toward the viewer.
    pub fn toward(&self) -> DVec3 {
        self.axes[2]
    }

    /// Where a point is in a picture so many pixels wide and high: x to the right, y down, z nearer to the viewer.
    pub fn project(&self, point: DVec3, width: f64, height: f64) -> DVec3 {
        let [x, y, z] = self.axes.map(|axis| axis.dot(point - self.center));
        let scale = 0.5 * width.min(height) / self.reach;
        DVec3::new(0.5 * width + x * scale, 0.5 * height - y * scale, z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: Bounds = Bounds { min: [-1.0, 0.0, -1.0], max: [1.0, 2.0, 1.0] };

    #[test]
    fn the_front_is_seen_upright() {
        let camera = Camera::around(&BOX, 0.0, 0.0);
        let middle = camera.project(DVec3::new(0.0, 1.0, 0.0), 100.0, 100.0);
        assert_eq!(middle, DVec3::new(50.0, 50.0, 0.0));
        let above = camera.project(DVec3::new(0.5, 2.0, 0.5), 100.0, 100.0);
        assert!(above.x > 50.0 && above.y < 50.0 && above.z > 0.0, "{above}");
    }

    #[test]
    fn the_camera_comes_close() {
        let far = Camera::around(&BOX, 0.0, 0.0);
        let near = far.close_to([DVec3::new(0.5, 1.0, 9.0), DVec3::new(0.0, 1.2, 0.0)].into_iter());
        let seen = near.project(DVec3::new(0.5, 1.0, 0.0), 100.0, 100.0);
        assert!((seen.x - 97.17).abs() < 0.01, "{seen}");
        assert_eq!((near.farther(far), near.as_far_as(far)), (far, far));
        assert_eq!(far.close_to(std::iter::empty()), far);
    }

    #[test]
    fn all_of_the_box_is_seen_from_everywhere() {
        for yaw in 0..12 {
            for pitch in [-60.0, 0.0, 25.0, 90.0] {
                let camera = Camera::around(&BOX, f64::from(yaw) * 30.0, pitch);
                for corner in 0..8 {
                    let pick =
                        |axis: usize| if corner >> axis & 1 == 1 { BOX.max[axis] } else { BOX.min[axis] };
                    let point = DVec3::from_array([0, 1, 2].map(|axis| f64::from(pick(axis))));
                    let seen = camera.project(point, 64.0, 48.0);
                    assert!(
                        (0.0..=64.0).contains(&seen.x) && (-1e-9..=48.000001).contains(&seen.y),
                        "{seen}"
                    );
                }
            }
        }
    }
}
