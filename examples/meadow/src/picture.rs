//! Pictures into PNG files, without a window: for tests and for CI.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use wgpu::util::DownloadBuffer;
use wgpu::{BufferUsages, TextureFormat, TextureUsages};

use crate::Result;
use crate::cast::Cast;
use crate::gpu::{self, Gpu};
use crate::renderer::Renderer;

const FORMAT: TextureFormat = TextureFormat::Rgba8UnormSrgb;

/// Draws a moment into a file; and, if `then` is given, once more as soon as a build has changed something.
pub fn take(file: &Path, then: Option<&Path>, mut cast: Cast, size: (u32, u32), time: f64) -> Result<()> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let gpu = gpu::open(&instance, None)?;
    // What a build has published already comes first.
    cast.refresh()?;
    let mut renderer = Renderer::new(&gpu, &cast, FORMAT)?;
    draw(file, &gpu, &renderer, &cast, size, time)?;
    let Some(then) = then else { return Ok(()) };
    let mut names = Vec::new();
    while names.is_empty() {
        std::thread::sleep(Duration::from_millis(20));
        names = cast.refresh()?;
    }
    say(&format!("new: {}\n", names.join(", ")))?;
    renderer.replace(&gpu, &cast)?;
    draw(then, &gpu, &renderer, &cast, size, time)
}

fn draw(file: &Path, gpu: &Gpu, renderer: &Renderer, cast: &Cast, size: (u32, u32), time: f64) -> Result<()> {
    write(file, &pixels(gpu, renderer, cast, size, time)?, size)?;
    say(&format!("{} on {}\n", file.display(), gpu.adapter.get_info().name))
}

/// Four bytes a pixel, rows from the top.
fn pixels(gpu: &Gpu, renderer: &Renderer, cast: &Cast, size: (u32, u32), time: f64) -> Result<Vec<u8>> {
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
    renderer.draw(gpu, cast, &texture.create_view(&Default::default()), size, time);
    // Rows of a copy begin at multiples of 256 bytes.
    let row = (size.0 * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: u64::from(row) * u64::from(size.1),
        usage: BufferUsages::COPY_DST | BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    });
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: None };
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    let into = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
    encoder.copy_texture_to_buffer(texture.as_image_copy(), into, extent);
    gpu.queue.submit([encoder.finish()]);
    let (send, receive) = mpsc::channel();
    DownloadBuffer::read_buffer(&gpu.device, &gpu.queue, &buffer.slice(..), move |bytes| {
        // Nobody waits any more only where the wait has failed, which is reported.
        drop(send.send(bytes.map(|bytes| bytes.to_vec())));
    });
    gpu.device.poll(wgpu::PollType::wait_indefinitely())?;
    let bytes = receive.recv()??;
    Ok(bytes.chunks_exact(row as usize).flat_map(|row| &row[..size.0 as usize * 4]).copied().collect())
}

fn write(path: &Path, pixels: &[u8], (width, height): (u32, u32)) -> Result<()> {
    let mut encoder = png::Encoder::new(File::create(path)?, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.write_header()?.write_image_data(pixels)?;
    Ok(())
}

/// To standard output, at once; a reader who has gone away is no fault.
pub fn say(text: &str) -> Result<()> {
    let mut out = std::io::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}
