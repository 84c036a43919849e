//! The camera, the sun, and the matrices of both.

use glam::camera::rh::proj::directx;
use glam::camera::rh::view::look_to_mat4;
use glam::{Mat4, Vec3, Vec4};

/// Shadow maps, each over a longer stretch before the camera than the one before.
pub const CASCADES: usize = 3;
/// Where the stretches end, metres before the camera.
const REACH: [f32; CASCADES] = [11.0, 32.0, 100.0];
/// Texels of a shadow map along each side.
pub const SHADOW_SIZE: u32 = 2048;
/// How far above the ground something may throw a shadow from, metres towards the sun.
const CASTERS: f32 = 12.0;

/// A way of looking at the scene.
pub struct View {
    /// World to clip space.
    pub matrix: Mat4,
    /// Planes of what is seen, pointing inwards.
    pub planes: [Vec4; 6],
}

impl View {
    /// Planes of a matrix (Gribb and Hartmann 2001), depth 0 to 1.
    fn new(matrix: Mat4) -> View {
        let rows = [matrix.row(0), matrix.row(1), matrix.row(2), matrix.row(3)];
        let [x, y, z, w] = rows;
        let planes = [w + x, w - x, w + y, w - y, z, w - z];
        View { matrix, planes }
    }

    /// Whether a box is at least partly on the inner side of every plane.
    pub fn sees(&self, centre: Vec3, extent: Vec3) -> bool {
        self.planes.iter().all(|plane| {
            let normal = plane.truncate();
            normal.dot(centre) + plane.w + normal.abs().dot(extent) >= 0.0
        })
    }
}

/// What the camera and the sun see.
pub struct Views {
    pub camera: View,
    pub shadows: [View; CASCADES],
    /// Metres that a texel of each shadow map covers.
    pub texel: [f32; CASCADES],
    pub eye: Vec3,
    pub forward: Vec3,
    /// Towards the sun.
    pub sun: Vec3,
    /// Pixels that a metre takes, a metre away.
    pub scale: f32,
}

impl Views {
    /// The views at a time in seconds, for a picture of that many pixels. The camera sways a little.
    pub fn at(time: f64, (width, height): (u32, u32)) -> Views {
        let sway = libm::sin(time * 0.21) as f32;
        let eye = Vec3::new(0.4 + 0.5 * sway, 2.55 + 0.15 * libm::sin(time * 0.13) as f32, -7.6);
        let target = Vec3::new(0.9 + 0.2 * sway, 0.55, 6.0);
        let forward = (target - eye).normalize();
        let (field, aspect) = (0.72_f32, width as f32 / height as f32);
        let look = look_to_mat4(eye, forward, Vec3::Y);
        let camera = directx::perspective(field, aspect, 0.3, 600.0) * look;
        let sun = Vec3::new(0.62, 0.62, 0.30).normalize();
        let near = [0.3, REACH[0] * 0.9, REACH[1] * 0.9];
        let shadow = |i: usize| {
            let slice = directx::perspective(field, aspect, near[i], REACH[i]) * look;
            shadow(slice.inverse(), sun)
        };
        let shadows = [shadow(0), shadow(1), shadow(2)];
        Views {
            camera: View::new(camera),
            texel: shadows.each_ref().map(|(_, texel)| *texel),
            shadows: shadows.map(|(view, _)| view),
            eye,
            forward,
            sun,
            scale: height as f32 / (2.0 * libm::tanf(field / 2.0)),
        }
    }

    /// The bytes of `View` in `light.wgsl`, for one of the views. `now` is the time in ticks.
    pub fn bytes(&self, view: &View, now: u32, time: f64, shadows: bool) -> Vec<u8> {
        let matrices = [view.matrix, view.matrix.inverse()].into_iter();
        let matrices = matrices.chain(self.shadows.iter().map(|shadow| shadow.matrix));
        let mut floats: Vec<f32> = matrices.flat_map(|matrix| matrix.to_cols_array()).collect();
        floats.extend(self.eye.extend(time as f32).to_array());
        floats.extend(self.forward.extend(f32::from(u8::from(shadows))).to_array());
        floats.extend(self.sun.extend(1.0 / SHADOW_SIZE as f32).to_array());
        floats.extend(REACH.into_iter().chain([0.0]));
        floats.extend(self.texel.into_iter().chain([0.0]));
        let words = floats.into_iter().map(f32::to_bits).chain([now, 0, 0, 0]);
        words.flat_map(u32::to_le_bytes).collect()
    }
}

/// The sun's view of a part of what the camera sees, and the metres of a texel. It moves in whole texels, so that
/// edges do not crawl.
fn shadow(slice: Mat4, sun: Vec3) -> (View, f32) {
    let corner = |i: u32| {
        let side = |bit: u32| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
        slice.project_point3(Vec3::new(side(0), side(1), (side(2) + 1.0) / 2.0))
    };
    let corners: Vec<Vec3> = (0..8).map(corner).collect();
    let centre = corners.iter().sum::<Vec3>() / 8.0;
    let radius = corners.iter().fold(0.0_f32, |most, corner| most.max(corner.distance(centre)));
    let radius = libm::ceilf(radius * 4.0) / 4.0;
    let texel = 2.0 * radius / SHADOW_SIZE as f32;
    let turn = look_to_mat4(Vec3::ZERO, -sun, Vec3::Y);
    let seen = turn.transform_point3(centre);
    let (x, y) = (libm::floorf(seen.x / texel) * texel, libm::floorf(seen.y / texel) * texel);
    let (near, far) = (-seen.z - radius - CASTERS, -seen.z + radius);
    let flat = directx::orthographic(x - radius, x + radius, y - radius, y + radius, near, far);
    (View::new(flat * turn), texel)
}
