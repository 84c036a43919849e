//! Triangles → pixels, on the processor: pictures for reports and reviews, on machines without a GPU.
//!
//! Input: positions, triangles, a colour a vertex, a [`Camera`]. Output: an [`Image`], transparent where nothing is, as
//! it lies in a PNG file. What can go wrong: nothing to see (an empty image, not an error), positions that are not finite
//! (their triangles are left out), a model without extent (drawn as one point in the middle).

mod camera;
mod heat;
mod png;
mod raster;

pub use camera::Camera;
pub use heat::heat;
pub use png::{animation, still};
pub use raster::draw;

/// Pixels, row after row from the top: red, green, blue, alpha, 0 to 255 (sRGB, alpha not multiplied in).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// `4 * width * height` bytes.
    pub rgba: Vec<u8>,
}

/// A mesh at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// Planes x, y, z over vertices, model units.
    pub positions: [&'a [f32]; 3],
    /// Corners.
    pub triangles: &'a [[u32; 3]],
    /// Red, green, blue of each vertex, 0 to 1.
    pub colors: &'a [[f32; 3]],
}

impl Image {
    /// Nothing yet.
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height, rgba: vec![0; 4 * width as usize * height as usize] }
    }

    /// Images of one height side by side.
    pub fn row(images: &[Image]) -> Self {
        let height = images.iter().map(|image| image.height).max().unwrap_or(0);
        let mut row = Self::new(images.iter().map(|image| image.width).sum(), height);
        let mut left = 0;
        for image in images {
            let bytes = 4 * image.width as usize;
            for (y, line) in image.rgba.chunks_exact(bytes.max(1)).enumerate() {
                let first = 4 * (y * row.width as usize + left);
                row.rgba[first..first + bytes].copy_from_slice(line);
            }
            left += image.width as usize;
        }
        row
    }

    /// Images below each other, from the left.
    pub fn column(images: &[Image]) -> Self {
        let width = images.iter().map(|image| image.width).max().unwrap_or(0);
        let mut column = Self::new(width, images.iter().map(|image| image.height).sum());
        let mut lines = column.rgba.chunks_exact_mut(4 * width.max(1) as usize);
        for image in images {
            let bytes = 4 * image.width as usize;
            for (line, into) in image.rgba.chunks_exact(bytes.max(1)).zip(&mut lines) {
                into[..bytes].copy_from_slice(line);
            }
        }
        column
    }

    /// The same in front of a colour that fills it.
    #[must_use]
    pub fn on(mut self, paper: [u8; 3]) -> Self {
        for pixel in self.rgba.as_chunks_mut::<4>().0 {
            let alpha = u32::from(pixel[3]);
            for (value, behind) in pixel.iter_mut().zip(paper) {
                *value = ((u32::from(*value) * alpha + u32::from(behind) * (255 - alpha) + 127) / 255) as u8;
            }
            pixel[3] = 255;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_stand_side_by_side() {
        let one = Image { width: 1, height: 2, rgba: vec![1, 1, 1, 1, 2, 2, 2, 2] };
        let two = Image { width: 1, height: 2, rgba: vec![3, 3, 3, 3, 4, 4, 4, 4] };
        let row = Image::row(&[one, two]);
        assert_eq!((row.width, row.height), (2, 2));
        assert_eq!(row.rgba, [1, 1, 1, 1, 3, 3, 3, 3, 2, 2, 2, 2, 4, 4, 4, 4]);
        assert_eq!(Image::row(&[]), Image::new(0, 0));
    }

    #[test]
    fn images_stand_below_each_other_on_paper() {
        let one = Image { width: 1, height: 1, rgba: vec![1, 1, 1, 255] };
        let two = Image { width: 2, height: 1, rgba: vec![200, 0, 0, 0, 100, 200, 0, 51] };
        let column = Image::column(&[one, two]);
        assert_eq!((column.width, column.height), (2, 2));
        let rgba = column.on([10, 10, 10]).rgba;
        assert_eq!(rgba, [1, 1, 1, 255, 10, 10, 10, 255, 10, 10, 10, 255, 28, 48, 8, 255]);
        assert_eq!(Image::column(&[]), Image::new(0, 0));
    }
}
