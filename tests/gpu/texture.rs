//! A sheet as a texture on a device.

use wgpu::{AstcBlock, AstcChannel, Features, TextureFormat};

use super::device::Gpu;
use crate::support::loader::Texture;

/// The format on a device, as `docs/format.md` names it by its Vulkan number.
pub fn format(name: &str) -> TextureFormat {
    let astc = |block| TextureFormat::Astc { block, channel: AstcChannel::Unorm };
    match name {
        "rgba32f" => TextureFormat::Rgba32Float,
        "rgba16f" => TextureFormat::Rgba16Float,
        "rgba16ui" => TextureFormat::Rgba16Uint,
        "rgba16" => TextureFormat::Rgba16Unorm,
        "rgb10a2" => TextureFormat::Rgb10a2Unorm,
        "rgba8" => TextureFormat::Rgba8Unorm,
        "rg8" => TextureFormat::Rg8Unorm,
        "bc7" => TextureFormat::Bc7RgbaUnorm,
        "bc6h" => TextureFormat::Bc6hRgbUfloat,
        "astc-4x4" => astc(AstcBlock::B4x4),
        "astc-5x5" => astc(AstcBlock::B5x5),
        "astc-6x6" => astc(AstcBlock::B6x6),
        "astc-8x8" => astc(AstcBlock::B8x8),
        other => panic!("no device reads {other}"),
    }
}

/// The features that a device lacks for a format.
pub fn lacks(gpu: &Gpu, name: &str) -> Features {
    format(name).required_features() - gpu.device.features()
}

/// The sheet on the device.
pub fn upload(gpu: &Gpu, sheet: &Texture) -> wgpu::Texture {
    let format = format(&sheet.format);
    let (block_width, block_height) = format.block_dimensions();
    let bytes = format.block_copy_size(None).expect("a format of colours");
    let size = wgpu::Extent3d {
        width: sheet.width as u32,
        height: sheet.height as u32,
        depth_or_array_layers: sheet.layers as u32,
    };
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let layout = wgpu::TexelCopyBufferLayout {
        offset: 0,
        bytes_per_row: Some(size.width / block_width * bytes),
        rows_per_image: Some(size.height / block_height),
    };
    gpu.queue.write_texture(texture.as_image_copy(), &sheet.data, layout, size);
    texture
}
