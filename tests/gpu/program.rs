//! Shaders that call the generated functions: in WGSL, and in HLSL and GLSL compiled to SPIR-V.

use std::borrow::Cow;
use std::path::Path;
use std::process::Command;

use vatpipe::codegen::generate;
use vatpipe::metadata::Character;
use wgpu::ShaderSource;

/// What a shader is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    Wgsl,
    Hlsl,
    Glsl,
}

pub const LANGUAGES: [Language; 3] = [Language::Wgsl, Language::Hlsl, Language::Glsl];

/// Where the functions are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Compute,
    /// Each job is a vertex, drawn as a point.
    Vertex,
}

/// Two expressions, each three floats, of the names `instance`, `now`, `column`, `rest`, `time`, `clip_number` and
/// `sheet_0`, `sheet_1`...: they read the same in all languages.
#[derive(Clone, Debug)]
pub struct Calls {
    pub first: String,
    pub second: String,
    /// The sheets that are bound, in the order of their names.
    pub sheets: Vec<usize>,
    /// Whether there is a sampler, `filtering`, and the sheets are bound to be filtered.
    pub filtering: bool,
}

/// The binding of the sampler.
pub const FILTERING: u32 = 9;

/// wgpu has no textures with a sampler inside: they are bound without, and what filters them is not called.
const APART: &str = "#extension GL_EXT_samplerless_texture_functions : require
#define sampler2D texture2D
#define usampler2D utexture2D
#define sampler2DArray texture2DArray
#define usampler2DArray utexture2DArray
#define textureLod(sheet, place, level) vec4(0.0)
";

/// The module of a stage: entry point `MAIN`.
pub fn module(
    language: Language,
    stage: Stage,
    character: &Character,
    calls: &Calls,
) -> ShaderSource<'static> {
    let library = library(language, character);
    match language {
        Language::Wgsl => ShaderSource::Wgsl(Cow::Owned(library + &wgsl(stage, character, calls))),
        Language::Hlsl => {
            ShaderSource::SpirV(Cow::Owned(spirv(&(library + &hlsl(stage, character, calls)), stage, "hlsl")))
        }
        Language::Glsl => {
            let text = format!("#version 450\n{APART}{library}{}", glsl(stage, character, calls));
            ShaderSource::SpirV(Cow::Owned(spirv(&text, stage, "glsl")))
        }
    }
}

/// What vatpipe generates for the character.
fn library(language: Language, character: &Character) -> String {
    let target = match language {
        Language::Wgsl => "wgsl",
        Language::Hlsl => "hlsl",
        Language::Glsl => "glsl",
    };
    let files = generate(std::slice::from_ref(character), &[target.to_owned()], &Default::default());
    files.unwrap_or_else(|problem| panic!("{problem}")).remove(0).text
}

/// Whether a sheet is read as integers, and whether it has layers.
fn kind(character: &Character, sheet: usize) -> (bool, bool) {
    let sheet = &character.sheets[sheet];
    (sheet.format.name() == "rgba16ui", sheet.layers > 1)
}

fn wgsl(stage: Stage, character: &Character, calls: &Calls) -> String {
    let sheets: String = (calls.sheets.iter().enumerate())
        .map(|(index, &sheet)| {
            let (integers, array) = kind(character, sheet);
            let array = if array { "_array" } else { "" };
            let of = if integers { "u32" } else { "f32" };
            format!("@group(0) @binding({}) var sheet_{index}: texture_2d{array}<{of}>;\n", index + 2)
        })
        .chain(calls.filtering.then(|| format!("@group(0) @binding({FILTERING}) var filtering: sampler;\n")))
        .collect();
    let names = "let instance = jobs[index].instance;
        let column = jobs[index].at.x;
        let now = jobs[index].at.y;
        let clip_number = jobs[index].at.z;
        let rest = jobs[index].rest.xyz;
        let time = jobs[index].rest.w;";
    let (first, second) = (&calls.first, &calls.second);
    let main = match stage {
        Stage::Compute => format!(
            "@group(0) @binding(1) var<storage, read_write> results: array<vec4<f32>>;
            @compute @workgroup_size(64) fn MAIN(@builtin(global_invocation_id) id: vec3<u32>) {{
                let index = id.x;
                {names}
                results[2u * index] = vec4<f32>({first}, 0.0);
                results[2u * index + 1u] = vec4<f32>({second}, 0.0);
            }}"
        ),
        Stage::Vertex => format!(
            "struct Point {{
                @builtin(position) place: vec4<f32>,
                @location(0) @interpolate(flat) first: vec3<f32>,
                @location(1) @interpolate(flat) second: vec3<f32>,
            }}
            @vertex fn MAIN(@builtin(vertex_index) index: u32) -> Point {{
                {names}
                let pixel = vec2<f32>(f32(index % 1024u), f32(index / 1024u)) + 0.5;
                let place = pixel / 512.0 * vec2<f32>(1.0, -1.0) + vec2<f32>(-1.0, 1.0);
                return Point(vec4<f32>(place, 0.5, 1.0), {first}, {second});
            }}"
        ),
    };
    format!(
        "struct Job {{ instance: VatInstance, at: vec4<u32>, rest: vec4<f32> }}
        @group(0) @binding(0) var<storage, read> jobs: array<Job>;
        {sheets}{main}"
    )
}

fn hlsl(stage: Stage, character: &Character, calls: &Calls) -> String {
    let sheets: String = (calls.sheets.iter().enumerate())
        .map(|(index, &sheet)| {
            let (integers, array) = kind(character, sheet);
            let array = if array { "Array" } else { "" };
            let of = if integers { "uint4" } else { "float4" };
            format!("[[vk::binding({}, 0)]] Texture2D{array}<{of}> sheet_{index};\n", index + 2)
        })
        .chain(calls.filtering.then(|| format!("[[vk::binding({FILTERING}, 0)]] SamplerState filtering;\n")))
        .collect();
    let names = "VatInstance instance = jobs[index].instance;
        uint column = jobs[index].at.x;
        uint now = jobs[index].at.y;
        uint clip_number = jobs[index].at.z;
        float3 rest = jobs[index].rest.xyz;
        float time = jobs[index].rest.w;";
    let (first, second) = (&calls.first, &calls.second);
    let main = match stage {
        Stage::Compute => format!(
            "[[vk::binding(1, 0)]] RWStructuredBuffer<float4> results;
            [numthreads(64, 1, 1)] void MAIN(uint3 id : SV_DispatchThreadID)
            {{
                uint index = id.x;
                {names}
                results[2u * index] = float4({first}, 0.0);
                results[2u * index + 1u] = float4({second}, 0.0);
            }}"
        ),
        Stage::Vertex => format!(
            "void MAIN(uint index : SV_VertexID, out nointerpolation float3 first : FIRST,
                out nointerpolation float3 second : SECOND, out float4 place : SV_Position)
            {{
                {names}
                float2 pixel = float2((float)(index % 1024u), (float)(index / 1024u)) + 0.5;
                place = float4(pixel / 512.0 * float2(1.0, -1.0) + float2(-1.0, 1.0), 0.5, 1.0);
                first = {first};
                second = {second};
            }}"
        ),
    };
    format!(
        "struct Job {{ VatInstance instance; uint4 at; float4 rest; }};
        [[vk::binding(0, 0)]] StructuredBuffer<Job> jobs;
        {sheets}{main}"
    )
}

fn glsl(stage: Stage, character: &Character, calls: &Calls) -> String {
    let sheets: String = (calls.sheets.iter().enumerate())
        .map(|(index, &sheet)| {
            let (integers, array) = kind(character, sheet);
            let array = if array { "Array" } else { "" };
            let of = if integers { "u" } else { "" };
            format!("layout(set = 0, binding = {}) uniform {of}sampler2D{array} sheet_{index};\n", index + 2)
        })
        .collect();
    let names = "VatInstance instance = jobs[index].instance;
        uint column = jobs[index].at.x;
        uint now = jobs[index].at.y;
        uint clip_number = jobs[index].at.z;
        vec3 rest = jobs[index].rest.xyz;
        float time = jobs[index].rest.w;";
    let (first, second) = (&calls.first, &calls.second);
    let main = match stage {
        Stage::Compute => format!(
            "layout(local_size_x = 64) in;
            layout(set = 0, binding = 1, std430) buffer Results {{ vec4 results[]; }};
            void main()
            {{
                uint index = gl_GlobalInvocationID.x;
                {names}
                results[2u * index] = vec4({first}, 0.0);
                results[2u * index + 1u] = vec4({second}, 0.0);
            }}"
        ),
        Stage::Vertex => format!(
            "layout(location = 0) flat out vec3 first;
            layout(location = 1) flat out vec3 second;
            void main()
            {{
                uint index = uint(gl_VertexIndex);
                {names}
                vec2 pixel = vec2(float(index % 1024u), float(index / 1024u)) + 0.5;
                gl_Position = vec4(pixel / 512.0 * vec2(1.0, -1.0) + vec2(-1.0, 1.0), 0.5, 1.0);
                first = {first};
                second = {second};
            }}"
        ),
    };
    format!(
        "struct Job {{ VatInstance instance; uvec4 at; vec4 rest; }};
        layout(set = 0, binding = 0, std430) readonly buffer Jobs {{ Job jobs[]; }};
        {sheets}{main}"
    )
}

/// Compiled by glslang, and the result validated.
fn spirv(text: &str, stage: Stage, language: &str) -> Vec<u32> {
    let folder = tempfile::tempdir().unwrap();
    let source = format!("main.{language}");
    std::fs::write(folder.path().join(&source), text).unwrap();
    let stage = if stage == Stage::Compute { "comp" } else { "vert" };
    let mut arguments = vec!["-V", "-S", stage, &source, "-o", "main.spv"];
    if language == "hlsl" {
        arguments.extend(["-D", "-e", "MAIN"]);
    } else {
        arguments.extend(["--source-entrypoint", "main", "-e", "MAIN"]);
    }
    run("glslangValidator", folder.path(), &arguments);
    run("spirv-val", folder.path(), &["main.spv"]);
    let bytes = std::fs::read(folder.path().join("main.spv")).unwrap();
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// A machine without the program must not pass by accident.
fn run(program: &str, folder: &Path, arguments: &[&str]) {
    let output = Command::new(program).current_dir(folder).args(arguments).output().unwrap_or_else(|error| {
        panic!("{program} does not start: {error}; `tests/run` installs what the tests need")
    });
    let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{program}: {}{}", said[0], said[1]);
}
