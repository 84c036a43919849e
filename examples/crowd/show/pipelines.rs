//! Shaders and pipelines. A character's shader is the generated WGSL, one line that names its functions, and ours.

use wgpu::{
    BindGroupLayout, CompareFunction, DepthBiasState, DepthStencilState, Device, MultisampleState,
    PipelineLayout, PrimitiveState, RenderPipeline, ShaderModule, TextureFormat, VertexFormat,
};

use super::bindings::Layouts;
use super::mesh::VERTEX_BYTES;
use super::stage::{DEPTH, SAMPLES};

const LIGHT: &str = include_str!("light.wgsl");
const SHADE: &str = include_str!("shade.wgsl");
const ACTOR: &str = include_str!("actor.wgsl");
const WORLD: &str = include_str!("world.wgsl");

/// Makes the shaders.
pub struct Modules;

impl Modules {
    /// Ground and sky.
    pub fn world(device: &Device) -> ShaderModule {
        module(device, "world", format!("{LIGHT}{SHADE}{WORLD}"))
    }

    /// A character: only the name of the generated function is its own.
    pub fn actor(device: &Device, wgsl: &str, name: &str) -> ShaderModule {
        let animate = format!(
            "@group(1) @binding(0) var sheet: texture_2d<u32>;
            fn animate(state: VatInstance, column: u32, now: u32, rest: vec3<f32>) -> VatVertex {{
                return {name}_instance(sheet, state, column, now, rest);
            }}\n"
        );
        module(device, name, format!("{wgsl}{LIGHT}{SHADE}{animate}{ACTOR}"))
    }
}

fn module(device: &Device, label: &str, text: String) -> ShaderModule {
    let source = wgpu::ShaderSource::Wgsl(text.into());
    device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(label), source })
}

/// The floats of a vertex, as `mesh` packs them.
const ATTRIBUTES: [wgpu::VertexAttribute; 4] = wgpu::vertex_attr_array![
    0 => Float32x3, 1 => Float32, 2 => Float32x3, 3 => Unorm8x4
];
const _: () = assert!(VERTEX_BYTES == 32 && VertexFormat::Unorm8x4.size() == 4);

/// What pipelines draw into.
pub struct Target<'a> {
    pub format: TextureFormat,
    pub layouts: &'a Layouts,
}

/// How one pipeline differs from the others.
struct Plan<'a> {
    module: &'a ShaderModule,
    vertex: &'a str,
    /// Without one only depth is written.
    fragment: Option<&'a str>,
    /// Whether it reads vertices.
    mesh: bool,
    groups: &'a [Option<&'a BindGroupLayout>],
    depth: DepthStencilState,
}

fn depth(compare: CompareFunction, write: bool, bias: DepthBiasState) -> DepthStencilState {
    DepthStencilState {
        format: DEPTH,
        depth_write_enabled: Some(write),
        depth_compare: Some(compare),
        stencil: Default::default(),
        bias,
    }
}

impl Target<'_> {
    /// A character in the picture.
    pub fn appear(&self, device: &Device, module: &ShaderModule) -> RenderPipeline {
        let Layouts { pass, sheet, shadows } = self.layouts;
        let groups = [Some(pass), Some(sheet), Some(shadows)];
        let depth = depth(CompareFunction::Less, true, DepthBiasState::default());
        let fragment = Some("look");
        self.pipeline(
            device,
            &Plan { module, vertex: "in_picture", fragment, mesh: true, groups: &groups, depth },
        )
    }

    /// A character in a shadow map.
    pub fn cast(&self, device: &Device, module: &ShaderModule) -> RenderPipeline {
        let groups = [Some(&self.layouts.pass), Some(&self.layouts.sheet)];
        let bias = DepthBiasState { constant: 2, slope_scale: 1.5, clamp: 0.0 };
        let depth = depth(CompareFunction::Less, true, bias);
        self.pipeline(
            device,
            &Plan { module, vertex: "in_shadow", fragment: None, mesh: true, groups: &groups, depth },
        )
    }

    pub fn ground(&self, device: &Device, module: &ShaderModule) -> RenderPipeline {
        let Layouts { pass, shadows, .. } = self.layouts;
        let groups = [Some(pass), None, Some(shadows)];
        let depth = depth(CompareFunction::Less, true, DepthBiasState::default());
        let fragment = Some("ground");
        self.pipeline(
            device,
            &Plan { module, vertex: "plain", fragment, mesh: false, groups: &groups, depth },
        )
    }

    /// Behind everything.
    pub fn sky(&self, device: &Device, module: &ShaderModule) -> RenderPipeline {
        let groups = [Some(&self.layouts.pass)];
        let depth = depth(CompareFunction::LessEqual, false, DepthBiasState::default());
        let fragment = Some("sky");
        self.pipeline(device, &Plan { module, vertex: "dome", fragment, mesh: false, groups: &groups, depth })
    }

    fn pipeline(&self, device: &Device, plan: &Plan) -> RenderPipeline {
        let layout: PipelineLayout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            bind_group_layouts: plan.groups,
            ..Default::default()
        });
        let vertices = [Some(wgpu::VertexBufferLayout {
            array_stride: VERTEX_BYTES as u64,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &ATTRIBUTES,
        })];
        let targets = [Some(self.format.into())];
        device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(plan.vertex),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: plan.module,
                entry_point: Some(plan.vertex),
                compilation_options: Default::default(),
                buffers: if plan.mesh { &vertices } else { &[] },
            },
            primitive: PrimitiveState {
                topology: match plan.mesh {
                    true => wgpu::PrimitiveTopology::TriangleList,
                    false => wgpu::PrimitiveTopology::TriangleStrip,
                },
                cull_mode: plan.mesh.then_some(wgpu::Face::Back),
                ..Default::default()
            },
            depth_stencil: Some(plan.depth.clone()),
            multisample: MultisampleState {
                count: if plan.fragment.is_some() { SAMPLES } else { 1 },
                ..Default::default()
            },
            fragment: plan.fragment.map(|entry_point| wgpu::FragmentState {
                module: plan.module,
                entry_point: Some(entry_point),
                compilation_options: Default::default(),
                targets: &targets,
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}
