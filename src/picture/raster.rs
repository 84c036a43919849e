//! The rasteriser: a depth buffer, flat shading, four samples a pixel.

use glam::DVec3;

use super::{Camera, Image, Scene};

/// Samples along each edge of a pixel.
const SAMPLES: u32 = 2;

/// Draws a scene. Both sides of a triangle are lit, as a mirrored part is seen from behind.
pub fn draw(scene: &Scene, camera: &Camera, width: u32, height: u32) -> Image {
    let mut target = Target::new(width * SAMPLES, height * SAMPLES);
    let place = |v: u32| DVec3::from_array(scene.positions.map(|plane| f64::from(plane[v as usize])));
    for corners in scene.triangles {
        let points = corners.map(place);
        if points.iter().any(|point| !point.is_finite()) {
            continue;
        }
        let normal = (points[1] - points[0]).cross(points[2] - points[0]).normalize_or_zero();
        // Light comes from over the viewer's left shoulder; a rest of it from everywhere.
        let facing = normal.dot(camera.toward()).abs();
        let above = 0.5 + 0.5 * normal.y.abs();
        let light = (0.35 + 0.5 * facing + 0.15 * above) as f32;
        let colors = corners.map(|v| scene.colors[v as usize].map(|c| c * light));
        let seen = points.map(|p| camera.project(p, f64::from(target.width), f64::from(target.height)));
        target.triangle(seen, colors);
    }
    target.image(width, height)
}

/// Samples with their depth.
struct Target {
    width: u32,
    height: u32,
    depth: Vec<f64>,
    color: Vec<[f32; 3]>,
}

impl Target {
    fn new(width: u32, height: u32) -> Self {
        let samples = width as usize * height as usize;
        Self { width, height, depth: vec![f64::NEG_INFINITY; samples], color: vec![[0.0; 3]; samples] }
    }

    /// Fills the samples whose middle lies in a triangle, where nothing nearer is.
    fn triangle(&mut self, [a, b, c]: [DVec3; 3], colors: [[f32; 3]; 3]) {
        let area = edge(a, b, c);
        if area == 0.0 {
            return;
        }
        let (xs, ys) = ([a.x, b.x, c.x], [a.y, b.y, c.y]);
        for y in span(ys, self.height) {
            for x in span(xs, self.width) {
                let sample = DVec3::new(f64::from(x) + 0.5, f64::from(y) + 0.5, 0.0);
                let weights = [edge(b, c, sample), edge(c, a, sample), edge(a, b, sample)].map(|w| w / area);
                if weights.iter().any(|&w| w < 0.0) {
                    continue;
                }
                let depth = weights[0] * a.z + weights[1] * b.z + weights[2] * c.z;
                let at = y as usize * self.width as usize + x as usize;
                if depth > self.depth[at] {
                    self.depth[at] = depth;
                    let mix = |i: usize| (0..3).map(|k| weights[k] as f32 * colors[k][i]).sum();
                    self.color[at] = [mix(0), mix(1), mix(2)];
                }
            }
        }
    }

    /// Pixels from samples.
    fn image(&self, width: u32, height: u32) -> Image {
        let mut image = Image::new(width, height);
        for (pixel, out) in image.rgba.chunks_exact_mut(4).enumerate() {
            let (x, y) = (pixel as u32 % width * SAMPLES, pixel as u32 / width * SAMPLES);
            let samples = (0..SAMPLES * SAMPLES).map(|i| (x + i % SAMPLES, y + i / SAMPLES));
            let hit = samples.map(|(x, y)| y as usize * self.width as usize + x as usize);
            let hit: Vec<usize> = hit.filter(|&at| self.depth[at] > f64::NEG_INFINITY).collect();
            if hit.is_empty() {
                continue;
            }
            for (i, byte) in out[..3].iter_mut().enumerate() {
                let sum: f32 = hit.iter().map(|&at| self.color[at][i]).sum();
                *byte = (255.0 * sum / hit.len() as f32).round().clamp(0.0, 255.0) as u8;
            }
            out[3] = (255 * hit.len() as u32 / (SAMPLES * SAMPLES)) as u8;
        }
        image
    }
}

/// Twice the signed area of a triangle in the picture.
fn edge(a: DVec3, b: DVec3, c: DVec3) -> f64 {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
}

/// The samples along one axis that a triangle may touch.
fn span(along: [f64; 3], size: u32) -> std::ops::Range<u32> {
    let min = along.iter().copied().fold(f64::INFINITY, f64::min);
    let max = along.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Casting saturates: what lies outside of the picture is cut off.
    min.floor() as u32..(max.ceil() as u32).min(size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::Bounds;

    const BOX: Bounds = Bounds { min: [-1.0; 3], max: [1.0; 3] };
    const RED: [f32; 3] = [1.0, 0.0, 0.0];
    const GREEN: [f32; 3] = [0.0, 1.0, 0.0];

    fn pixel(image: &Image, x: u32, y: u32) -> [u8; 4] {
        let at = 4 * (y * image.width + x) as usize;
        image.rgba[at..at + 4].try_into().unwrap()
    }

    /// Two triangles over the same place, the red one nearer.
    fn two(order: [[u32; 3]; 2]) -> Image {
        let x = [-1.0, 1.0, 0.0, -1.0, 1.0, 0.0];
        let y = [-1.0, -1.0, 1.0, -1.0, -1.0, 1.0];
        let z = [0.5, 0.5, 0.5, -0.5, -0.5, -0.5];
        let colors = [RED, RED, RED, GREEN, GREEN, GREEN];
        let scene = Scene { positions: [&x, &y, &z], triangles: &order, colors: &colors };
        draw(&scene, &Camera::around(&BOX, 0.0, 0.0), 40, 40)
    }

    #[test]
    fn what_is_nearer_hides_what_is_behind_in_any_order() {
        let (front, back) = (two([[0, 1, 2], [3, 4, 5]]), two([[3, 4, 5], [0, 2, 1]]));
        assert_eq!(front, back);
        let [r, g, b, a] = pixel(&front, 20, 22);
        assert!(r > 200 && g == 0 && b == 0 && a == 255, "{r} {g} {b} {a}");
        assert_eq!(pixel(&front, 0, 0), [0; 4]);
    }

    #[test]
    fn the_picture_is_upright() {
        let image = two([[0, 1, 2], [3, 4, 5]]);
        let covered = |y: u32| (0..40).filter(|&x| pixel(&image, x, y)[3] > 0).count();
        assert!(covered(28) > covered(14) && covered(14) > 0, "{} {}", covered(28), covered(14));
    }

    #[test]
    fn what_is_not_finite_is_left_out() {
        let scene = Scene {
            positions: [&[0.0, f32::NAN, 1.0], &[0.0, 0.0, 1.0], &[0.0; 3]],
            triangles: &[[0, 1, 2], [0, 0, 0]],
            colors: &[RED; 3],
        };
        assert_eq!(draw(&scene, &Camera::around(&BOX, 0.0, 0.0), 8, 8), Image::new(8, 8));
    }
}
