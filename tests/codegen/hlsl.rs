//! `vat.hlsl`: compiled by glslang to SPIR-V, and that validated.

use std::path::Path;
use std::process::Command;

use super::{check_shader, sample, text};

/// Runs a checker; a machine without it must not pass by accident.
fn run(program: &str, folder: &Path, arguments: &[&str]) {
    let output = Command::new(program).current_dir(folder).args(arguments).output().unwrap_or_else(|error| {
        panic!("{program} does not start: {error}; `tests/run` installs what the tests need")
    });
    assert!(
        output.status.success(),
        "{program}: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

fn compile(source: &str, main: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    write("vat.hlsl", source);
    // Twice: the guard keeps the second from declaring anything.
    write("main.hlsl", &format!("#include \"vat.hlsl\"\n#include \"vat.hlsl\"\n{main}"));
    let arguments = ["-D", "-V", "-I.", "-S", "vert", "-e", "MAIN", "main.hlsl", "-o", "main.spv"];
    run("glslangValidator", folder.path(), &arguments);
    run("spirv-val", folder.path(), &["main.spv"]);
}

#[test]
fn glslang_accepts_it() {
    let source = text(&sample::all(), "hlsl");
    check_shader(&source);
    let main = "
        Texture2D<uint4> crab : register(t0);
        Texture2DArray<float4> robot : register(t1);
        Texture2D<float4> robot_normals : register(t2);
        Texture2DArray<float4> robot_tangents : register(t3);
        Texture2DArray<float4> mixed_b : register(t4);
        Texture2D<float4> mixed_c : register(t5);

        float4 MAIN(float3 rest : POSITION, float column_of_mesh : COLUMN, uint clip_number : CLIP, float time : TIME) : SV_Position
        {
            uint column = (uint)column_of_mesh;
            float3 a = crab_position(crab, clip_number, column, time, rest);
            VatVertex b = crab_vertex(crab, CRAB_CLIP_WALK, column, time, rest);
            float3 c = robot_position(robot, ROBOT_CLIP_IDLE, column, time, rest);
            VatVertex d = robot_vertex(robot, robot_normals, clip_number, column, time, rest);
            float4 e = robot_tangent(robot_tangents, clip_number, column, time);
            VatVertex f = mixed_vertex_1(mixed_b, MIXED_CLIP_B, column, time, rest);
            VatVertex g = mixed_vertex_2(mixed_c, MIXED_CLIP_C, column, time, rest);
            float h = (float)mixed_position_sheet(clip_number, 0u);
            return e + float4(a + b.position + c + d.position + f.normal + g.normal, h);
        }";
    compile(&source, main);
}

#[test]
fn each_character_stands_alone() {
    let main = "float4 MAIN(float3 rest : POSITION) : SV_Position { return float4(rest, 1.0); }";
    for character in [sample::crab(), sample::robot(), sample::mixed(), sample::nasty()] {
        compile(&text(&[character], "hlsl"), main);
    }
    compile(&text(&[], "hlsl"), main);
}
