//! `vat.wgsl`: parsed and validated by naga, alone and under a shader that uses it.

use naga::valid::{Capabilities, ValidationFlags, Validator};

use super::{check_shader, sample, text};

/// Parses and validates; WebGPU has none of the capabilities beyond the default.
fn validate(source: &str) -> naga::Module {
    let module = naga::front::wgsl::parse_str(source)
        .unwrap_or_else(|error| panic!("{}", error.emit_to_string_with_path(source, "vat.wgsl")));
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    if let Err(error) = validator.validate(&module) {
        panic!("{}", error.emit_to_string_with_path(source, "vat.wgsl"));
    }
    module
}

#[test]
fn naga_accepts_it() {
    let source = text(&sample::all(), "wgsl");
    check_shader(&source);
    let module = validate(&source);
    assert!(module.global_variables.is_empty(), "no bindings, no sampler");
    assert!(source.contains("const LOOP_U8DD1_CLIP_WALK_CYCLE_2 = 11u;"));
}

#[test]
fn each_character_stands_alone() {
    for character in sample::all() {
        validate(&text(&[character], "wgsl"));
    }
    validate(&text(&[], "wgsl"));
}

/// Texture types follow format and layers, and every function can be called from an entry point.
#[test]
fn a_compute_shader_uses_it() {
    let main = "
        @group(0) @binding(0) var crab: texture_2d<u32>;
        @group(0) @binding(1) var robot: texture_2d_array<f32>;
        @group(0) @binding(2) var robot_normals: texture_2d<f32>;
        @group(0) @binding(3) var robot_tangents: texture_2d_array<f32>;
        @group(0) @binding(4) var mixed_b: texture_2d_array<f32>;
        @group(0) @binding(5) var mixed_c: texture_2d<f32>;
        @group(0) @binding(6) var<storage, read_write> result: array<vec4<f32>>;

        @compute @workgroup_size(64)
        fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            let clip = id.y;
            let rest = vec3<f32>(1.0, 2.0, 3.0);
            let a = crab_position(crab, clip, id.x, 0.25, rest);
            let b = crab_vertex(crab, CRAB_CLIP_WALK, id.x, 0.25, rest);
            let c = robot_position(robot, ROBOT_CLIP_IDLE, id.x, 0.25, rest);
            let d = robot_vertex(robot, robot_normals, clip, id.x, 0.25, rest);
            let e = robot_tangent(robot_tangents, clip, id.x, 0.25);
            let f = mixed_vertex_1(mixed_b, MIXED_CLIP_B, id.x, 0.25, rest);
            let g = mixed_vertex_2(mixed_c, MIXED_CLIP_C, id.x, 0.25, rest);
            let h = f32(mixed_position_sheet(clip, 0u));
            result[id.x] = e + vec4<f32>(a + b.position + c + d.position + f.normal + g.normal, h);
        }";
    validate(&(text(&sample::all(), "wgsl") + main));
}

/// What a sheet needs is said where the sheet is.
#[test]
fn formats_are_explained() {
    let source = text(&[sample::mixed()], "wgsl");
    let sheet = |number: usize| {
        let start = source.find(&format!("// Sheet {number},")).expect("the sheet");
        let end = source[start..].find("fn ").map_or(source.len(), |end| start + end);
        &source[start..end]
    };
    assert!(sheet(0).contains("Rgba16Uint, sample type Uint"));
    assert!(sheet(1).contains("Rgba32Float, sample type Float { filterable: false }"));
    assert!(sheet(2).contains("TEXTURE_FORMAT_16BIT_NORM"));
    assert!(!sheet(0).contains("TEXTURE_FORMAT_16BIT_NORM"));
    assert!(source.contains("KTX2 supercompression: none"));
}
