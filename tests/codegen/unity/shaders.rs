//! All passes of all shaders, and Shader Graph's functions, by glslang and by Slang.

use std::path::Path;
use std::process::Command;

use super::{root, run, written};

/// A pass of a ShaderLab file: its name, and the program without Unity's pragmas.
fn passes(file: &str) -> Vec<(String, String)> {
    let blocks = file.split("HLSLPROGRAM\n").zip(file.split("HLSLPROGRAM\n").skip(1));
    let pass = |(before, block): (&str, &str)| {
        let name = before.rsplit("Name \"").next().unwrap().split('"').next().unwrap().to_owned();
        let program = block.split("ENDHLSL").next().unwrap();
        let lines: Vec<&str> =
            program.lines().filter(|line| !line.trim_start().starts_with("#pragma")).collect();
        (name, lines.join("\n") + "\n")
    };
    blocks.map(pass).collect()
}

const SHADERS: [(&str, &[&str]); 3] = [
    ("VatBuiltIn.shader", &["Forward", "ShadowCaster", "MotionVectors"]),
    ("VatUrp.shader", &["Forward", "ShadowCaster", "DepthOnly", "DepthNormals", "MotionVectors"]),
    ("VatHdrp.shader", &["Forward", "ShadowCaster", "DepthForwardOnly", "MotionVectors"]),
];

/// Every pass of every file, and what is defined before it in one variant.
fn programs(folder: &Path, variants: &[&[&str]]) -> Vec<(String, String)> {
    let mut programs = Vec::new();
    for (file, names) in SHADERS {
        let passes = passes(&std::fs::read_to_string(folder.join("unity").join(file)).unwrap());
        assert_eq!(passes.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), names, "{file}");
        for (name, program) in passes {
            assert!(program.contains("vat_unity_world"), "{file} {name}: all passes call the same function");
            for defines in variants {
                let lines: String = defines.iter().map(|define| format!("#define {define} 1\n")).collect();
                programs.push((format!("{file} {name} {defines:?}"), lines + &program));
            }
        }
    }
    programs
}

fn glslang(folder: &Path, source: &str, stage: &str, entry: &str) {
    std::fs::write(folder.join("it.hlsl"), source).unwrap();
    let stand_ins = format!("-I{}", root("tests/codegen/unity").display());
    let arguments = ["-D", "-V", "--auto-map-bindings", "--auto-map-locations", "-Iunity", &stand_ins];
    let rest = ["-S", stage, "-e", entry, "it.hlsl", "-o", "it.spv"];
    run(Command::new("glslangValidator").current_dir(folder).args(arguments).args(rest));
    run(Command::new("spirv-val").current_dir(folder).arg("it.spv"));
}

fn slang(folder: &Path, source: &str, entries: &[(&str, &str)]) {
    std::fs::write(folder.join("it.hlsl"), source).unwrap();
    let mut command = Command::new(root("tests/tools/slang/slangtorch/bin/slangc"));
    command.current_dir(folder).args([
        "-O0",
        "-warnings-disable",
        "39019,41017",
        "it.hlsl",
        "-I",
        "unity",
        "-I",
    ]);
    command.arg(root("tests/codegen/unity")).args(["-target", "spirv", "-profile", "sm_6_0", "-o", "it.spv"]);
    for (entry, stage) in entries {
        command.args(["-entry", entry, "-stage", stage]);
    }
    assert_eq!(run(&mut command), "", "{source}");
}

#[test]
fn glslang_accepts_all_passes() {
    let folder = written(&[]);
    let variants: [&[&str]; 3] = [
        &[],
        &["INSTANCING_ON", "VAT_ARRAY", "_CASTING_PUNCTUAL_LIGHT_SHADOW", "_GBUFFER_NORMALS_OCT"],
        &["VAT_INDIRECT", "WRITE_MSAA_DEPTH"],
    ];
    for (_, program) in programs(folder.path(), &variants) {
        glslang(folder.path(), &program, "vert", "vert");
        glslang(folder.path(), &program, "frag", "frag");
    }
}

#[test]
fn slang_accepts_all_passes() {
    let folder = written(&[]);
    let variants: [&[&str]; 2] = [&[], &["VAT_ARRAY", "VAT_INDIRECT"]];
    for (index, (_, program)) in programs(folder.path(), &variants).iter().enumerate() {
        // Each pass in one variant: the compiler takes its time.
        if index / 2 % 2 == index % 2 {
            slang(folder.path(), program, &[("vert", "vertex"), ("frag", "fragment")]);
        }
    }
}

#[test]
fn shader_graph_finds_its_functions() {
    let folder = written(&[]);
    let main = "
#include \"Packages/com.unity.render-pipelines.universal/ShaderLibrary/Core.hlsl\"
#include \"VatGraph.hlsl\"
float4 main(float3 rest : POSITION, float4 axis : TANGENT, float2 column : TEXCOORD3) : SV_Position
{
    float3 a, b, c, d, e;
    half3 f, g, h, i, j;
    VatVertex_float(rest, column, _TimeParameters.x, a, b);
    VatTangent_float(axis, column, _TimeParameters.x, c);
    VatClip_float(rest, column, 1.0, 2.0, d, e);
    VatVertex_half((half3)rest, (half2)column, (half)_TimeParameters.x, f, g);
    VatTangent_half((half4)axis, (half2)column, (half)_TimeParameters.x, h);
    VatClip_half((half3)rest, (half2)column, (half)1.0, (half)2.0, i, j);
    return float4(a + b + c + d + e + f + g + h + i + j, 1.0);
}
";
    for define in
        ["", "#define INSTANCING_ON 1\n", "#define VAT_INDIRECT 1\n", "#define SHADERGRAPH_PREVIEW 1\n"]
    {
        glslang(folder.path(), &format!("{define}{main}"), "vert", "main");
    }
    slang(folder.path(), main, &[("main", "vertex")]);
}
