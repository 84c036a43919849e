//! What stays on the device from frame to frame: pipelines, meshes, sheets, shadow maps.

use wgpu::util::{BufferInitDescriptor, DeviceExt};
use wgpu::{
    BindGroup, BindGroupLayout, Buffer, BufferUsages, Device, RenderPipeline, TextureFormat, TextureUsages,
    TextureView,
};

use super::baked::{Baked, Model};
use super::bindings::{Layouts, Pass};
use super::cull::ACTOR_BYTES;
use super::device::Gpu;
use super::pipelines::{Modules, Target};
use super::view::{CASCADES, SHADOW_SIZE};

/// The format of shadow maps and depth.
pub const DEPTH: TextureFormat = TextureFormat::Depth32Float;
/// Samples of a pixel.
pub const SAMPLES: u32 = 4;

/// A character on the device.
pub struct Puppet {
    /// For the picture and for shadow maps.
    pub appear: RenderPipeline,
    pub cast: RenderPipeline,
    pub sheet: BindGroup,
    pub vertices: Buffer,
    pub indices: Buffer,
    /// Where the indices of each level of detail are.
    pub levels: Vec<std::ops::Range<u32>>,
}

/// Everything that is drawn with.
pub struct Stage {
    pub puppets: Vec<Puppet>,
    pub ground: RenderPipeline,
    pub sky: RenderPipeline,
    /// A view of each shadow map, to draw into.
    pub shadow_maps: [TextureView; CASCADES],
    /// All shadow maps, to read.
    pub shadows: BindGroup,
    /// The actors of all passes.
    pub actors: Buffer,
    /// The camera's view and actors, and those of the shadow maps.
    pub passes: Vec<Pass>,
}

impl Stage {
    /// For at most so many actors, drawn into pictures of a format.
    pub fn new(gpu: &Gpu, baked: &Baked, actors: usize, format: TextureFormat) -> Stage {
        let device = &gpu.device;
        let layouts = Layouts::new(device);
        let target = Target { format, layouts: &layouts };
        let world = Modules::world(device);
        let puppets = baked.models.iter().map(|model| puppet(gpu, model, &baked.wgsl, &target)).collect();
        let maps = shadow_maps(device);
        let size = (actors.max(1) * (1 + CASCADES) * ACTOR_BYTES) as u64;
        let actors = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("actors"),
            size,
            usage: BufferUsages::STORAGE | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Stage {
            puppets,
            ground: target.ground(device, &world),
            sky: target.sky(device, &world),
            shadows: layouts.bind_shadows(device, &maps),
            shadow_maps: [0, 1, 2].map(|layer| one_layer(&maps, layer)),
            passes: (0..=CASCADES).map(|_| layouts.pass(device, &actors)).collect(),
            actors,
        }
    }
}

fn puppet(gpu: &Gpu, model: &Model, wgsl: &str, target: &Target) -> Puppet {
    let device = &gpu.device;
    let module = Modules::actor(device, wgsl, &model.metadata.name);
    let buffer = |contents: &[u8], usage| {
        device.create_buffer_init(&BufferInitDescriptor {
            label: Some(&model.metadata.name),
            contents,
            usage,
        })
    };
    let indices: Vec<u8> = model.mesh.indices.iter().flat_map(|index| index.to_le_bytes()).collect();
    Puppet {
        appear: target.appear(device, &module),
        cast: target.cast(device, &module),
        sheet: sheet(gpu, model, &target.layouts.sheet),
        vertices: buffer(&model.mesh.vertices, BufferUsages::VERTEX),
        indices: buffer(&indices, BufferUsages::INDEX),
        levels: model.mesh.levels.clone(),
    }
}

/// The sheet as it is in the file: one mip level, read texel by texel, without a sampler.
fn sheet(gpu: &Gpu, model: &Model, layout: &BindGroupLayout) -> BindGroup {
    let sheet = &model.metadata.sheets[0];
    let size = wgpu::Extent3d { width: sheet.width, height: sheet.height, depth_or_array_layers: 1 };
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some(&sheet.file),
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: TextureFormat::Rgba16Uint,
        usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let rows = wgpu::TexelCopyBufferLayout {
        offset: 0,
        bytes_per_row: Some(sheet.width * 8),
        rows_per_image: Some(sheet.height),
    };
    gpu.queue.write_texture(texture.as_image_copy(), &model.texels, rows, size);
    let view = texture.create_view(&Default::default());
    let entries = [wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(&view) }];
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}

fn shadow_maps(device: &Device) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some("shadow maps"),
        size: wgpu::Extent3d {
            width: SHADOW_SIZE,
            height: SHADOW_SIZE,
            depth_or_array_layers: CASCADES as u32,
        },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: DEPTH,
        usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    })
}

fn one_layer(maps: &wgpu::Texture, layer: u32) -> TextureView {
    maps.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(wgpu::TextureViewDimension::D2),
        base_array_layer: layer,
        array_layer_count: Some(1),
        ..Default::default()
    })
}
