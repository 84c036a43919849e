//! Images → PNG files.

use png::{BitDepth, ColorType, Encoder, EncodingError};

use super::Image;
use crate::problem::{Problem, Result};

/// A PNG file.
///
/// # Errors
/// An image without pixels, which a PNG file cannot hold.
pub fn still(image: &Image) -> Result<Vec<u8>> {
    animation(std::slice::from_ref(image), 1.0)
}

/// An animated PNG file that repeats for ever; all images are as large as the first. Readers that know nothing of
/// animation show the first. At most 65,535 images (the file's own limit), at `fps` a second.
///
/// # Errors
/// No image, or images without pixels or of different sizes.
pub fn animation(images: &[Image], fps: f64) -> Result<Vec<u8>> {
    let Some(first) = images.first() else { return Err(wrong("there is no image")) };
    if images.iter().any(|image| (image.width, image.height) != (first.width, first.height)) {
        return Err(wrong("the images are not of one size"));
    }
    let mut file = Vec::new();
    write(&mut file, first, images, fps).map_err(|error| wrong(&error.to_string()))?;
    Ok(file)
}

fn write(file: &mut Vec<u8>, first: &Image, images: &[Image], fps: f64) -> Result<(), EncodingError> {
    let mut encoder = Encoder::new(file, first.width, first.height);
    encoder.set_color(ColorType::Rgba);
    encoder.set_depth(BitDepth::Eight);
    if images.len() > 1 {
        encoder.set_animated(images.len() as u32, 0)?;
        // A hundredth of a frame's rate is as fine as the file's fraction of 16-bit numbers needs to be.
        encoder.set_frame_delay(100, (fps * 100.0).round().clamp(1.0, 65535.0) as u16)?;
    }
    let mut writer = encoder.write_header()?;
    images.iter().try_for_each(|image| writer.write_image_data(&image.rgba))?;
    writer.finish()
}

fn wrong(what: &str) -> Problem {
    Problem::error("picture::png", format!("the picture cannot be written: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let image = Image { width: 2, height: 1, rgba: vec![1, 2, 3, 255, 4, 5, 6, 0] };
        let file = still(&image).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height, &pixels[..]), (2, 1, &image.rgba[..]));
    }

    #[test]
    fn animations_hold_all_images() {
        let image = |v| Image { width: 1, height: 1, rgba: vec![v; 4] };
        let file = animation(&[image(1), image(2), image(3)], 12.5).unwrap();
        let reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        let info = reader.info();
        assert_eq!(info.animation_control.unwrap().num_frames, 3);
        let control = info.frame_control.unwrap();
        assert_eq!((control.delay_num, control.delay_den), (100, 1250));
    }

    #[test]
    fn images_that_no_file_holds_are_refused() {
        assert!(still(&Image::new(0, 0)).is_err());
        assert!(animation(&[], 1.0).is_err());
        assert!(animation(&[Image::new(1, 1), Image::new(2, 1)], 1.0).is_err());
    }
}
