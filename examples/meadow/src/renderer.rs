//! Meadow, characters and their shadows: what lies on the device, and how a frame is drawn.

use glam::Vec3;
use glam::camera::rh::proj::directx::perspective;
use glam::camera::rh::view::look_at_mat4;
use vatpipe::runtime::{Character, SampleType, ticks};
use wgpu::util::{BufferInitDescriptor, DeviceExt};
use wgpu::{
    BindGroupLayout, Buffer, BufferUsages, Device, RenderPass, RenderPipeline, TextureFormat, TextureView,
};

use crate::Result;
use crate::cast::Cast;
use crate::crowd::{self, INSTANCE_BYTES};
use crate::gpu::Gpu;

const DEPTH: TextureFormat = TextureFormat::Depth32Float;
const SAMPLES: u32 = 4;
/// Rest position, column, and the colour of the material.
const VERTEX_BYTES: usize = 20;
/// The camera's matrix and place, and the time.
const VIEW_BYTES: usize = 80;
/// The colour of the sky, as in the shader.
const SKY: wgpu::Color = wgpu::Color { r: 0.62, g: 0.77, b: 0.92, a: 1.0 };

/// All that is drawn with.
pub struct Renderer {
    format: TextureFormat,
    view: Buffer,
    view_layout: BindGroupLayout,
    view_group: wgpu::BindGroup,
    ground: RenderPipeline,
    puppets: Vec<Puppet>,
}

/// A character on the device.
struct Puppet {
    draw: RenderPipeline,
    shadow: RenderPipeline,
    sheet: wgpu::BindGroup,
    vertices: Buffer,
    indices: Buffer,
    index_count: u32,
}

impl Renderer {
    /// For pictures of a format.
    pub fn new(gpu: &Gpu, cast: &Cast, format: TextureFormat) -> Result<Self> {
        let device = &gpu.device;
        let buffer = wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: false,
            min_binding_size: None,
        };
        let view_layout = layout(device, wgpu::ShaderStages::VERTEX_FRAGMENT, buffer);
        let view = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("view"),
            size: VIEW_BYTES as u64,
            usage: BufferUsages::UNIFORM | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let view_group = bind(device, &view_layout, view.as_entire_binding());
        let module =
            shader(device, "meadow", format!("{}{NOBODY}{}", cast.wgsl, include_str!("meadow.wgsl")));
        let ground = pipeline(device, &module, format, ["ground", "unlit"], &[Some(&view_layout)], false);
        let mut renderer = Self { format, view, view_layout, view_group, ground, puppets: Vec::new() };
        renderer.replace(gpu, cast)?;
        Ok(renderer)
    }

    /// Takes the characters and their shader functions anew.
    pub fn replace(&mut self, gpu: &Gpu, cast: &Cast) -> Result<()> {
        let puppets = cast.characters.iter().map(|character| self.puppet(gpu, character, &cast.wgsl));
        self.puppets = puppets.collect::<Result<_>>()?;
        Ok(())
    }

    fn puppet(&self, gpu: &Gpu, character: &Character, wgsl: &str) -> Result<Puppet> {
        let device = &gpu.device;
        let name = &character.metadata().name;
        let (texture, sample_type) = upload(gpu, character)?;
        let texels = if sample_type == SampleType::Uint { "u32" } else { "f32" };
        // The only lines that are another character's: which texture there is, and which function reads it.
        let animate = format!(
            "@group(1) @binding(0) var sheet: texture_2d<{texels}>;
            fn animate(state: VatInstance, column: u32, now: u32, rest: vec3f) -> VatVertex {{
                return {name}_instance(sheet, state, column, now, rest);
            }}\n"
        );
        let module = shader(device, name, format!("{wgsl}{animate}{}", include_str!("meadow.wgsl")));
        let sample_type = match sample_type {
            SampleType::Uint => wgpu::TextureSampleType::Uint,
            SampleType::UnfilterableFloat => wgpu::TextureSampleType::Float { filterable: false },
        };
        let view_dimension = wgpu::TextureViewDimension::D2;
        let kind = wgpu::BindingType::Texture { sample_type, view_dimension, multisampled: false };
        let sheets = layout(device, wgpu::ShaderStages::VERTEX, kind);
        let groups = [Some(&self.view_layout), Some(&sheets)];
        let view = texture.create_view(&Default::default());
        let (vertices, indices) = mesh(character);
        let buffer = |contents, usage| {
            device.create_buffer_init(&BufferInitDescriptor { label: Some(name), contents, usage })
        };
        Ok(Puppet {
            draw: pipeline(device, &module, self.format, ["character", "lit"], &groups, true),
            shadow: pipeline(device, &module, self.format, ["shadow", "unlit"], &groups, true),
            sheet: bind(device, &sheets, wgpu::BindingResource::TextureView(&view)),
            vertices: buffer(&vertices, BufferUsages::VERTEX),
            index_count: indices.len() as u32 / 4,
            indices: buffer(&indices, BufferUsages::INDEX),
        })
    }

    /// Draws a moment, in seconds.
    pub fn draw(&self, gpu: &Gpu, cast: &Cast, picture: &TextureView, size: (u32, u32), time: f64) {
        let eye = Vec3::new(0.0, 2.8, -6.0);
        let look = look_at_mat4(eye, Vec3::new(0.4, 0.3, 4.0), Vec3::Y);
        let matrix = perspective(0.7, size.0 as f32 / size.1 as f32, 0.1, 500.0) * look;
        let numbers = matrix.to_cols_array().into_iter().chain(eye.to_array()).map(f32::to_ne_bytes);
        let view: Vec<u8> = numbers.chain([ticks(time).to_ne_bytes()]).flatten().collect();
        gpu.queue.write_buffer(&self.view, 0, &view);
        let [colour, depth] = [self.format, DEPTH].map(|format| target(&gpu.device, size, format));
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let mut pass = begin(&mut encoder, &colour, picture, &depth);
        pass.set_bind_group(0, &self.view_group, &[]);
        pass.set_pipeline(&self.ground);
        pass.draw(0..4, 0..1);
        for (kind, (puppet, character)) in self.puppets.iter().zip(&cast.characters).enumerate() {
            puppet.draw(&gpu.device, &mut pass, &crowd::instances(kind, character, time));
        }
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
    }
}

impl Puppet {
    /// One draw call for all instances, and one for their shadows.
    fn draw(&self, device: &Device, pass: &mut RenderPass, instances: &[u8]) {
        let usage = BufferUsages::VERTEX;
        let count = (instances.len() / INSTANCE_BYTES) as u32;
        let instances =
            device.create_buffer_init(&BufferInitDescriptor { label: None, contents: instances, usage });
        pass.set_bind_group(1, &self.sheet, &[]);
        pass.set_vertex_buffer(0, self.vertices.slice(..));
        pass.set_vertex_buffer(1, instances.slice(..));
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        for pipeline in [&self.shadow, &self.draw] {
            pass.set_pipeline(pipeline);
            pass.draw_indexed(0..self.index_count, 0, 0..count);
        }
    }
}

/// The ground's shader has the same text, and no character.
const NOBODY: &str = "fn animate(state: VatInstance, column: u32, now: u32, rest: vec3f) -> VatVertex {
    return VatVertex(rest, rest);
}\n";

/// The sheet as it is in the file: one mip level, read texel by texel, without a sampler.
fn upload(gpu: &Gpu, character: &Character) -> Result<(wgpu::Texture, SampleType)> {
    let [sheet] = character.sheets() else { return Err("this game draws characters of one sheet".into()) };
    let upload = sheet.upload();
    let format = match upload.wgpu_format {
        Some("Rgba16Uint") => TextureFormat::Rgba16Uint,
        Some("Rgba16Float") => TextureFormat::Rgba16Float,
        Some("Rgba32Float") => TextureFormat::Rgba32Float,
        other => return Err(format!("this game has no textures of {other:?}").into()),
    };
    let [width, height, depth_or_array_layers] = upload.size;
    let descriptor = wgpu::TextureDescriptor {
        label: Some(&character.metadata().name),
        size: wgpu::Extent3d { width, height, depth_or_array_layers },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    };
    let order = wgpu::util::TextureDataOrder::LayerMajor;
    let texture = gpu.device.create_texture_with_data(&gpu.queue, &descriptor, order, upload.data);
    Ok((texture, upload.sample_type))
}

/// Vertices and indices of the finest level of detail. Materials become colours of vertices: one draw call.
fn mesh(character: &Character) -> (Vec<u8>, Vec<u8>) {
    let mesh = character.mesh();
    let mut vertices = Vec::with_capacity(mesh.positions.len() * VERTEX_BYTES);
    for (position, column) in mesh.positions.iter().zip(&mesh.columns) {
        let numbers = position.iter().copied().chain([*column as f32]);
        vertices.extend(numbers.flat_map(f32::to_ne_bytes).chain([255; 4]));
    }
    let mut indices = Vec::new();
    for primitive in &mesh.lods[0].primitives {
        let material = primitive.material.map(|material| &mesh.materials[material as usize]);
        let colour = material.map_or([255; 4], |m| m.base_color.map(|channel| (channel * 255.0 + 0.5) as u8));
        for &index in &primitive.indices {
            vertices[index as usize * VERTEX_BYTES + 16..][..4].copy_from_slice(&colour);
            indices.extend(index.to_ne_bytes());
        }
    }
    (vertices, indices)
}

fn shader(device: &Device, label: &str, text: String) -> wgpu::ShaderModule {
    let source = wgpu::ShaderSource::Wgsl(text.into());
    device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(label), source })
}

fn layout(device: &Device, visibility: wgpu::ShaderStages, ty: wgpu::BindingType) -> BindGroupLayout {
    let entries = [wgpu::BindGroupLayoutEntry { binding: 0, visibility, ty, count: None }];
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries })
}

fn bind(device: &Device, layout: &BindGroupLayout, resource: wgpu::BindingResource) -> wgpu::BindGroup {
    let entries = [wgpu::BindGroupEntry { binding: 0, resource }];
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}

fn pipeline(
    device: &Device,
    module: &wgpu::ShaderModule,
    format: TextureFormat,
    [vertex, fragment]: [&str; 2],
    groups: &[Option<&BindGroupLayout>],
    has_mesh: bool,
) -> RenderPipeline {
    let vertices = wgpu::VertexBufferLayout {
        array_stride: VERTEX_BYTES as u64,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32, 2 => Unorm8x4],
    };
    let instances = wgpu::VertexBufferLayout {
        array_stride: INSTANCE_BYTES as u64,
        step_mode: wgpu::VertexStepMode::Instance,
        attributes: &wgpu::vertex_attr_array![3 => Uint32x4, 4 => Uint32x4, 5 => Float32x4, 6 => Float32x2],
    };
    let buffers = [Some(vertices), Some(instances)];
    let topology =
        if has_mesh { wgpu::PrimitiveTopology::TriangleList } else { wgpu::PrimitiveTopology::TriangleStrip };
    let descriptor = wgpu::PipelineLayoutDescriptor { bind_group_layouts: groups, ..Default::default() };
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(vertex),
        layout: Some(&device.create_pipeline_layout(&descriptor)),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some(vertex),
            compilation_options: Default::default(),
            buffers: if has_mesh { &buffers } else { &[] },
        },
        primitive: wgpu::PrimitiveState { topology, ..Default::default() },
        depth_stencil: Some(wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Less),
            stencil: Default::default(),
            bias: Default::default(),
        }),
        multisample: wgpu::MultisampleState { count: SAMPLES, ..Default::default() },
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some(fragment),
            compilation_options: Default::default(),
            targets: &[Some(format.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}

fn target(device: &Device, (width, height): (u32, u32), format: TextureFormat) -> TextureView {
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: SAMPLES,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
        view_formats: &[],
    });
    texture.create_view(&Default::default())
}

fn begin<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    colour: &TextureView,
    picture: &TextureView,
    depth: &TextureView,
) -> RenderPass<'a> {
    let colour = wgpu::RenderPassColorAttachment {
        view: colour,
        depth_slice: None,
        resolve_target: Some(picture),
        ops: wgpu::Operations { load: wgpu::LoadOp::Clear(SKY), store: wgpu::StoreOp::Discard },
    };
    let depth_ops = wgpu::Operations { load: wgpu::LoadOp::Clear(1.0), store: wgpu::StoreOp::Discard };
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        color_attachments: &[Some(colour)],
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: depth,
            depth_ops: Some(depth_ops),
            stencil_ops: None,
        }),
        ..Default::default()
    })
}
