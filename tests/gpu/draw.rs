//! The same in a draw: one point for each job, one pixel for each point.

use wgpu::{BufferUsages, ShaderStages, TextureFormat, TextureUsages};

use super::program::Calls;
use super::work::{Job, Work};

/// Width and height of the targets; the vertex shaders of `program` know it.
const SIZE: u32 = 1024;
const FORMAT: TextureFormat = TextureFormat::Rgba32Float;

const PIXEL: &str = "
struct Pixel {
    @location(0) first: vec4<f32>,
    @location(1) second: vec4<f32>,
}
@fragment fn pixel(@location(0) @interpolate(flat) first: vec3<f32>, @location(1) @interpolate(flat) second: vec3<f32>) -> Pixel {
    return Pixel(vec4<f32>(first, 0.0), vec4<f32>(second, 0.0));
}";

impl Work<'_> {
    /// Draws, and gives the pixels of both targets, one after the other.
    pub fn draw(&self, shader: &wgpu::ShaderModule, calls: &Calls, jobs: &[Job]) -> Vec<u8> {
        let device = &self.gpu.device;
        assert!(jobs.len() <= (SIZE * SIZE) as usize);
        let input = self.jobs(jobs);
        let (layout, group) = self.bind(calls, &input, None, ShaderStages::VERTEX);
        let pipeline = self.pipeline(shader, &layout);
        let targets = [self.target(), self.target()];
        let views = targets.each_ref().map(|target| target.create_view(&Default::default()));
        let attachments = views.each_ref().map(|view| {
            let ops = wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                store: wgpu::StoreOp::Store,
            };
            Some(wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops })
        });
        let mut encoder = device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &attachments,
            ..Default::default()
        });
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..jobs.len() as u32, 0..1);
        drop(pass);
        let rows = (jobs.len() as u32).div_ceil(SIZE);
        let output = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: u64::from(2 * rows * SIZE * 16),
            usage: BufferUsages::COPY_SRC | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        for (index, target) in targets.iter().enumerate() {
            let layout = wgpu::TexelCopyBufferLayout {
                offset: index as u64 * u64::from(rows * SIZE * 16),
                bytes_per_row: Some(SIZE * 16),
                rows_per_image: None,
            };
            let size = wgpu::Extent3d { width: SIZE, height: rows, depth_or_array_layers: 1 };
            let into = wgpu::TexelCopyBufferInfo { buffer: &output, layout };
            encoder.copy_texture_to_buffer(target.as_image_copy(), into, size);
        }
        self.gpu.queue.submit([encoder.finish()]);
        self.download(&output)
    }

    fn target(&self) -> wgpu::Texture {
        self.gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width: SIZE, height: SIZE, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMAT,
            usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::COPY_SRC,
            view_formats: &[],
        })
    }

    fn pipeline(&self, shader: &wgpu::ShaderModule, layout: &wgpu::PipelineLayout) -> wgpu::RenderPipeline {
        let device = &self.gpu.device;
        let pixel = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(PIXEL.into()),
        });
        device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: Some(layout),
            vertex: wgpu::VertexState {
                module: shader,
                entry_point: Some("MAIN"),
                compilation_options: Default::default(),
                buffers: &[],
            },
            primitive: wgpu::PrimitiveState {
                topology: wgpu::PrimitiveTopology::PointList,
                ..Default::default()
            },
            depth_stencil: None,
            multisample: Default::default(),
            fragment: Some(wgpu::FragmentState {
                module: &pixel,
                entry_point: Some("pixel"),
                compilation_options: Default::default(),
                targets: &[Some(FORMAT.into()), Some(FORMAT.into())],
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}
