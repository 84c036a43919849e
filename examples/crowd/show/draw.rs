//! A frame: the shadow maps, then the picture.

use vatpipe::metadata::Character;
use wgpu::{
    LoadOp, Operations, RenderPass, RenderPassColorAttachment, RenderPassDepthStencilAttachment, StoreOp,
    TextureFormat, TextureUsages, TextureView,
};

use super::acts::TICKS;
use super::baked::Baked;
use super::cull::{self, Draw, Lists};
use super::device::Gpu;
use super::scene::{self, Actor};
use super::stage::{DEPTH, Puppet, SAMPLES, Stage};
use super::view::Views;

/// A crowd, ready to be drawn.
pub struct Show {
    characters: Vec<Character>,
    actors: Vec<Actor>,
    stage: Stage,
    format: TextureFormat,
    /// Whether the sun throws shadows.
    pub shadows: bool,
}

/// What a frame took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Instances in the picture, of so many in all.
    pub seen: usize,
    pub actors: usize,
    pub triangles: usize,
    /// Draw calls of the picture, and of the shadow maps.
    pub draws: usize,
    pub shadow_draws: usize,
}

impl Show {
    /// At most `count` actors, for pictures of a format.
    pub fn new(gpu: &Gpu, baked: &Baked, count: usize, format: TextureFormat) -> Show {
        let characters: Vec<Character> = baked.models.iter().map(|model| model.metadata.clone()).collect();
        let actors = scene::populate(&characters.iter().collect::<Vec<_>>(), count);
        let stage = Stage::new(gpu, baked, actors.len(), format);
        Show { characters, actors, stage, format, shadows: true }
    }

    /// Draws the moment `time`, in seconds, into a picture.
    pub fn draw(&self, gpu: &Gpu, picture: &TextureView, size: (u32, u32), time: f64) -> Counts {
        let now = (time * TICKS) as u64;
        let views = Views::at(time, size);
        let lists = cull::lists(&self.actors, &self.characters.iter().collect::<Vec<_>>(), &views, now);
        gpu.queue.write_buffer(&self.stage.actors, 0, &lists.bytes);
        let all = [&views.camera].into_iter().chain(&views.shadows);
        for (pass, view) in self.stage.passes.iter().zip(all) {
            gpu.queue.write_buffer(&pass.view, 0, &views.bytes(view, now as u32, time, self.shadows));
        }
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        for (map, target) in self.stage.shadow_maps.iter().enumerate() {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("shadow map"),
                depth_stencil_attachment: Some(depth(target, StoreOp::Store)),
                ..Default::default()
            });
            pass.set_bind_group(0, &self.stage.passes[map + 1].group, &[]);
            self.actors(&mut pass, &lists.passes[map + 1], |puppet| &puppet.cast);
        }
        self.picture(&mut encoder, gpu, picture, size, &lists);
        gpu.queue.submit([encoder.finish()]);
        self.counts(&lists)
    }

    fn picture(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        gpu: &Gpu,
        picture: &TextureView,
        size: (u32, u32),
        lists: &Lists,
    ) {
        let (colour, far) = (target(gpu, size, self.format), target(gpu, size, DEPTH));
        let colour = RenderPassColorAttachment {
            view: &colour,
            depth_slice: None,
            resolve_target: Some(picture),
            ops: Operations { load: LoadOp::Clear(wgpu::Color::BLACK), store: StoreOp::Discard },
        };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("picture"),
            color_attachments: &[Some(colour)],
            depth_stencil_attachment: Some(depth(&far, StoreOp::Discard)),
            ..Default::default()
        });
        pass.set_bind_group(0, &self.stage.passes[0].group, &[]);
        pass.set_bind_group(2, &self.stage.shadows, &[]);
        self.actors(&mut pass, &lists.passes[0], |puppet| &puppet.appear);
        pass.set_pipeline(&self.stage.ground);
        pass.draw(0..4, 0..1);
        pass.set_pipeline(&self.stage.sky);
        pass.draw(0..3, 0..1);
    }

    /// One draw call for each character and level of detail.
    fn actors(&self, pass: &mut RenderPass, draws: &[Draw], pipeline: fn(&Puppet) -> &wgpu::RenderPipeline) {
        for draw in draws {
            let puppet = &self.stage.puppets[draw.character];
            pass.set_pipeline(pipeline(puppet));
            pass.set_bind_group(1, &puppet.sheet, &[]);
            pass.set_vertex_buffer(0, puppet.vertices.slice(..));
            pass.set_index_buffer(puppet.indices.slice(..), wgpu::IndexFormat::Uint32);
            pass.draw_indexed(puppet.levels[draw.level].clone(), 0, draw.actors.clone());
        }
    }

    fn counts(&self, lists: &Lists) -> Counts {
        let triangles =
            |draw: &Draw| draw.actors.len() * self.stage.puppets[draw.character].levels[draw.level].len() / 3;
        let picture = &lists.passes[0];
        Counts {
            seen: picture.iter().map(|draw| draw.actors.len()).sum(),
            actors: self.actors.len(),
            triangles: picture.iter().map(triangles).sum(),
            draws: picture.len(),
            shadow_draws: lists.passes[1..].iter().map(Vec::len).sum(),
        }
    }
}

fn depth(view: &TextureView, store: StoreOp) -> RenderPassDepthStencilAttachment<'_> {
    let depth_ops = Some(Operations { load: LoadOp::Clear(1.0), store });
    RenderPassDepthStencilAttachment { view, depth_ops, stencil_ops: None }
}

/// A texture of several samples a pixel.
fn target(gpu: &Gpu, (width, height): (u32, u32), format: TextureFormat) -> TextureView {
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: SAMPLES,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: TextureUsages::RENDER_ATTACHMENT,
        view_formats: &[],
    });
    texture.create_view(&Default::default())
}
