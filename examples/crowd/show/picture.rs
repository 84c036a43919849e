//! A frame without a window, into a PNG file.

use std::fs::File;
use std::path::Path;
use std::sync::mpsc;

use wgpu::util::DownloadBuffer;
use wgpu::{BufferUsages, TextureFormat, TextureUsages};

use super::baked::Result;
use super::device::Gpu;
use super::draw::{Counts, Show};

/// The format of pictures without a window.
pub const FORMAT: TextureFormat = TextureFormat::Rgba8UnormSrgb;

/// Draws a moment, and gives the pixels, four bytes each, rows from the top.
pub fn pixels(gpu: &Gpu, show: &Show, size: (u32, u32), time: f64) -> Result<(Vec<u8>, Counts)> {
    let extent = wgpu::Extent3d { width: size.0, height: size.1, depth_or_array_layers: 1 };
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("picture"),
        size: extent,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: FORMAT,
        usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::COPY_SRC,
        view_formats: &[],
    });
    let counts = show.draw(gpu, &texture.create_view(&Default::default()), size, time);
    // Rows of a copy begin at multiples of 256 bytes.
    let row = (size.0 * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: u64::from(row) * u64::from(size.1),
        usage: BufferUsages::COPY_DST | BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    });
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: None };
    let into = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    encoder.copy_texture_to_buffer(texture.as_image_copy(), into, extent);
    gpu.queue.submit([encoder.finish()]);
    let (send, receive) = mpsc::channel();
    DownloadBuffer::read_buffer(&gpu.device, &gpu.queue, &buffer.slice(..), move |bytes| {
        // Nobody waits any more only where the wait has failed, which is reported.
        drop(send.send(bytes.map(|bytes| bytes.to_vec())));
    });
    gpu.device.poll(wgpu::PollType::wait_indefinitely())?;
    let bytes = receive.recv()??;
    let rows = bytes.chunks_exact(row as usize).flat_map(|bytes| &bytes[..size.0 as usize * 4]);
    Ok((rows.copied().collect(), counts))
}

/// Writes pixels as a PNG file without transparency.
pub fn write(path: &Path, pixels: &[u8], (width, height): (u32, u32)) -> Result<()> {
    let mut encoder = png::Encoder::new(File::create(path)?, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::High);
    let colours: Vec<u8> = pixels.as_chunks::<4>().0.iter().flat_map(|[r, g, b, _]| [*r, *g, *b]).collect();
    encoder.write_header()?.write_image_data(&colours)?;
    Ok(())
}
