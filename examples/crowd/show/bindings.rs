//! What shaders see, group by group: 0 the view and the actors, 1 a character's sheet, 2 the shadow maps.

use wgpu::{
    BindGroup, BindGroupEntry, BindGroupLayout, BindGroupLayoutEntry, BindingType, Buffer, BufferBindingType,
    BufferUsages, Device, SamplerBindingType, ShaderStages, TextureSampleType, TextureViewDimension,
};

/// Bytes of `View` in `light.wgsl`.
const VIEW_BYTES: u64 = 416;

/// The layouts of the groups.
pub struct Layouts {
    pub pass: BindGroupLayout,
    pub sheet: BindGroupLayout,
    pub shadows: BindGroupLayout,
}

/// What one pass sees with.
pub struct Pass {
    pub view: Buffer,
    pub group: BindGroup,
}

fn buffer(ty: BufferBindingType) -> BindingType {
    BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None }
}

fn texture(sample_type: TextureSampleType, view_dimension: TextureViewDimension) -> BindingType {
    BindingType::Texture { sample_type, view_dimension, multisampled: false }
}

fn layout(device: &Device, label: &str, visibility: ShaderStages, types: &[BindingType]) -> BindGroupLayout {
    let entry = |(binding, ty): (usize, &BindingType)| BindGroupLayoutEntry {
        binding: binding as u32,
        visibility,
        ty: *ty,
        count: None,
    };
    let entries: Vec<_> = types.iter().enumerate().map(entry).collect();
    device
        .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries: &entries })
}

impl Layouts {
    pub fn new(device: &Device) -> Layouts {
        let pass =
            [buffer(BufferBindingType::Uniform), buffer(BufferBindingType::Storage { read_only: true })];
        // `rgba16ui`: 16-bit integers, which no sampler filters.
        let sheet = [texture(TextureSampleType::Uint, TextureViewDimension::D2)];
        let shadows = [
            texture(TextureSampleType::Depth, TextureViewDimension::D2Array),
            BindingType::Sampler(SamplerBindingType::Comparison),
        ];
        Layouts {
            pass: layout(device, "pass", ShaderStages::VERTEX_FRAGMENT, &pass),
            sheet: layout(device, "sheet", ShaderStages::VERTEX, &sheet),
            shadows: layout(device, "shadows", ShaderStages::FRAGMENT, &shadows),
        }
    }

    /// A view of its own, and the actors of all.
    pub fn pass(&self, device: &Device, actors: &Buffer) -> Pass {
        let view = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("view"),
            size: VIEW_BYTES,
            usage: BufferUsages::UNIFORM | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let entries = [
            BindGroupEntry { binding: 0, resource: view.as_entire_binding() },
            BindGroupEntry { binding: 1, resource: actors.as_entire_binding() },
        ];
        let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &self.pass, entries: &entries };
        let group = device.create_bind_group(&descriptor);
        Pass { view, group }
    }

    /// The shadow maps, with a sampler that compares.
    pub fn bind_shadows(&self, device: &Device, maps: &wgpu::Texture) -> BindGroup {
        let view = maps.create_view(&wgpu::TextureViewDescriptor {
            dimension: Some(TextureViewDimension::D2Array),
            ..Default::default()
        });
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            compare: Some(wgpu::CompareFunction::LessEqual),
            ..Default::default()
        });
        let entries = [
            BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(&view) },
            BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Sampler(&sampler) },
        ];
        let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &self.shadows, entries: &entries };
        device.create_bind_group(&descriptor)
    }
}
