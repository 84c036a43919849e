//! Jobs for a device, and what comes back.

use wgpu::util::DownloadBuffer;
use wgpu::{
    BindingType, BufferBindingType, BufferUsages, ShaderStages, TextureSampleType, TextureViewDimension,
};

use vatpipe::metadata::Character;

use super::device::Gpu;
use super::program::{Calls, FILTERING, Language, Stage, module};
use super::texture;
use crate::support::loader;

/// The eight words of an instance, `docs/shaders.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Instance {
    pub clip: u32,
    pub previous: u32,
    pub start: u32,
    pub previous_start: u32,
    pub speed: f32,
    pub phase: f32,
    pub fade_start: u32,
    pub fade_length: f32,
}

impl Instance {
    fn words(self) -> [u32; 8] {
        [
            self.clip,
            self.previous,
            self.start,
            self.previous_start,
            self.speed.to_bits(),
            self.phase.to_bits(),
            self.fade_start,
            self.fade_length.to_bits(),
        ]
    }
}

/// What one invocation works with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Job {
    pub instance: Instance,
    /// Ticks.
    pub now: u32,
    pub clip: u32,
    /// Seconds, for the functions that take them.
    pub time: f32,
    pub column: u32,
    pub rest: [f32; 3],
}

impl Job {
    fn words(&self) -> [u32; 16] {
        let mut words = [0; 16];
        words[..8].copy_from_slice(&self.instance.words());
        words[8..11].copy_from_slice(&[self.column, self.now, self.clip]);
        words[12..15].copy_from_slice(&self.rest.map(f32::to_bits));
        words[15] = self.time.to_bits();
        words
    }
}

/// What the two expressions of [`Calls`] gave.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    pub first: [f32; 3],
    pub second: [f32; 3],
}

/// A character on a device.
pub struct Work<'a> {
    pub gpu: &'a Gpu,
    pub character: &'a Character,
    textures: Vec<wgpu::Texture>,
}

impl<'a> Work<'a> {
    /// Uploads the sheets.
    pub fn new(gpu: &'a Gpu, character: &'a Character, loaded: &loader::Character) -> Self {
        let textures = loaded.sheets.iter().map(|sheet| texture::upload(gpu, &sheet.texture)).collect();
        Work { gpu, character, textures }
    }

    /// Runs the calls over all jobs.
    pub fn run(&self, language: Language, stage: Stage, calls: &Calls, jobs: &[Job]) -> Vec<Answer> {
        let shader = module(language, stage, self.character, calls);
        let shader = self
            .gpu
            .device
            .create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source: shader });
        let bytes = match stage {
            Stage::Compute => self.compute(&shader, calls, jobs),
            Stage::Vertex => self.draw(&shader, calls, jobs),
        };
        let floats: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        match stage {
            Stage::Compute => {
                let answers = floats.as_chunks::<8>().0.iter();
                answers
                    .take(jobs.len())
                    .map(|f| Answer { first: [f[0], f[1], f[2]], second: [f[4], f[5], f[6]] })
                    .collect()
            }
            Stage::Vertex => {
                let pixels = floats.as_chunks::<4>().0;
                let (first, second) = pixels.split_at(pixels.len() / 2);
                let xyz = |v: &[f32; 4]| [v[0], v[1], v[2]];
                let answers = first.iter().zip(second);
                answers.take(jobs.len()).map(|(a, b)| Answer { first: xyz(a), second: xyz(b) }).collect()
            }
        }
    }

    fn buffer(&self, bytes: &[u8], usage: BufferUsages) -> wgpu::Buffer {
        let descriptor = wgpu::util::BufferInitDescriptor { label: None, contents: bytes, usage };
        wgpu::util::DeviceExt::create_buffer_init(&self.gpu.device, &descriptor)
    }

    /// Jobs as the shader reads them, whole workgroups of them.
    pub fn jobs(&self, jobs: &[Job]) -> wgpu::Buffer {
        let mut bytes: Vec<u8> = jobs.iter().flat_map(|job| job.words()).flat_map(u32::to_le_bytes).collect();
        bytes.resize(bytes.len().next_multiple_of(64 * 64), 0);
        self.buffer(&bytes, BufferUsages::STORAGE)
    }

    fn compute(&self, shader: &wgpu::ShaderModule, calls: &Calls, jobs: &[Job]) -> Vec<u8> {
        let device = &self.gpu.device;
        let input = self.jobs(jobs);
        let groups = jobs.len().div_ceil(64) as u32;
        assert!(groups <= 65535);
        let output = self
            .buffer(&vec![0xff; groups as usize * 64 * 32], BufferUsages::STORAGE | BufferUsages::COPY_SRC);
        let (layout, group) = self.bind(calls, &input, Some(&output), ShaderStages::COMPUTE);
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&layout),
            module: shader,
            entry_point: Some("MAIN"),
            compilation_options: Default::default(),
            cache: None,
        });
        let mut encoder = device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(groups, 1, 1);
        drop(pass);
        self.gpu.queue.submit([encoder.finish()]);
        self.download(&output)
    }

    /// The layout of the bindings, and the bindings.
    pub fn bind(
        &self,
        calls: &Calls,
        input: &wgpu::Buffer,
        output: Option<&wgpu::Buffer>,
        visibility: ShaderStages,
    ) -> (wgpu::PipelineLayout, wgpu::BindGroup) {
        let device = &self.gpu.device;
        let storage = |read_only| BindingType::Buffer {
            ty: BufferBindingType::Storage { read_only },
            has_dynamic_offset: false,
            min_binding_size: None,
        };
        let views: Vec<wgpu::TextureView> =
            calls.sheets.iter().map(|&sheet| self.textures[sheet].create_view(&Default::default())).collect();
        let mut bindings = vec![(0, storage(true), input.as_entire_binding())];
        bindings.extend(output.map(|output| (1, storage(false), output.as_entire_binding())));
        for ((index, view), &sheet) in views.iter().enumerate().zip(&calls.sheets) {
            let array = self.character.sheets[sheet].layers > 1;
            let ty = BindingType::Texture {
                sample_type: match self.textures[sheet].format() {
                    wgpu::TextureFormat::Rgba16Uint => TextureSampleType::Uint,
                    _ => TextureSampleType::Float { filterable: calls.filtering },
                },
                view_dimension: if array { TextureViewDimension::D2Array } else { TextureViewDimension::D2 },
                multisampled: false,
            };
            bindings.push((index as u32 + 2, ty, wgpu::BindingResource::TextureView(view)));
        }
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
            min_filter: wgpu::FilterMode::Linear,
            mag_filter: wgpu::FilterMode::Linear,
            ..Default::default()
        });
        if calls.filtering {
            let ty = BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
            bindings.push((FILTERING, ty, wgpu::BindingResource::Sampler(&sampler)));
        }
        let entries: Vec<_> = bindings
            .iter()
            .map(|&(binding, ty, _)| wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None })
            .collect();
        let layout = device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
        let entries: Vec<_> = bindings
            .into_iter()
            .map(|(binding, _, resource)| wgpu::BindGroupEntry { binding, resource })
            .collect();
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &layout,
            entries: &entries,
        });
        let layouts = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            bind_group_layouts: &[Some(&layout)],
            ..Default::default()
        });
        (layouts, group)
    }

    pub fn download(&self, buffer: &wgpu::Buffer) -> Vec<u8> {
        let (send, receive) = std::sync::mpsc::channel();
        DownloadBuffer::read_buffer(&self.gpu.device, &self.gpu.queue, &buffer.slice(..), move |result| {
            send.send(result.map(|bytes| bytes.to_vec())).unwrap();
        });
        self.gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        receive.recv().unwrap().unwrap()
    }
}
