//! A texture as a graphics API wants it described.

use super::Texture;
use crate::encode::{Format, Kind};

/// All that `wgpu`, WebGPU or Vulkan ask when a texture is made and filled, in their words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Upload<'a> {
    /// The variant of `wgpu::TextureFormat`, such as `Rgba16Uint`; `None` for `uastc`, which a loader transcodes first.
    pub wgpu_format: Option<&'static str>,
    /// The flag of `wgpu::Features` without which a device has no such texture.
    pub wgpu_feature: Option<&'static str>,
    /// The `VkFormat`; 0 for `uastc`.
    pub vk_format: u32,
    /// How a shader reads it, for the layout of a bind group.
    pub sample_type: SampleType,
    /// Whether the view is an array: `texture_2d_array` in WGSL.
    pub array: bool,
    /// Width, height and layers of the texture, in texels; in formats of blocks whole blocks, as `wgpu` asks.
    pub size: [u32; 3],
    /// Width and height of a block, in texels; 1 and 1 where texels are stored one by one.
    pub block: [u32; 2],
    /// Bytes of a block or texel.
    pub bytes_per_block: u32,
    /// Bytes from one row of blocks to the next: `bytes_per_row` of `wgpu::TexelCopyBufferLayout`.
    pub bytes_per_row: u32,
    /// Rows of blocks in a layer: `rows_per_image`.
    pub rows_per_image: u32,
    /// All of it, layer after layer.
    pub data: &'a [u8],
}

/// How a shader reads a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleType {
    /// Unsigned integers: `TextureSampleType::Uint`.
    Uint,
    /// Floats, texel by texel: `TextureSampleType::Float { filterable: false }`.
    UnfilterableFloat,
}

impl Texture {
    /// The texture, described for an upload.
    pub fn upload(&self) -> Upload<'_> {
        let (across, down) = self.format.block_size();
        let bytes_per_block = self.format.bytes_per_block() as u32;
        let (blocks, rows) = (self.width.div_ceil(across), self.height.div_ceil(down));
        Upload {
            wgpu_format: self.format.wgpu_name(),
            wgpu_feature: self.format.wgpu_feature(),
            vk_format: self.format.vk_format(),
            sample_type: sample_type(self.format),
            array: self.layers > 1,
            size: [blocks.saturating_mul(across), rows.saturating_mul(down), self.layers],
            block: [across, down],
            bytes_per_block,
            bytes_per_row: blocks.saturating_mul(bytes_per_block),
            rows_per_image: rows,
            data: &self.data,
        }
    }
}

impl<'a> Upload<'a> {
    /// The bytes of one layer, for an API that takes layers one by one.
    pub fn layer(&self, layer: u32) -> Option<&'a [u8]> {
        let size = self.data.len() / self.size[2].max(1) as usize;
        self.data.chunks(size.max(1)).nth(layer as usize)
    }
}

fn sample_type(format: Format) -> SampleType {
    match format.kind() {
        Kind::Uint => SampleType::Uint,
        Kind::Unorm | Kind::Float => SampleType::UnfilterableFloat,
    }
}
