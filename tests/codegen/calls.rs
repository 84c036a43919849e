//! Shaders that call every function which a character has, by its metadata: names and parameters as `docs/shaders.md` says.

use std::fmt::Write;

use vatpipe::codegen::pieces;
use vatpipe::encode::{Format, Kind};
use vatpipe::metadata::{Character, Clip, Holds, Sheet};

/// A language, and where its shaders run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Wgsl,
    Hlsl,
    /// For Vulkan: resources have bindings.
    Glsl,
    /// GLSL ES 3.00, or OpenGL: resources have names.
    OpenGl,
}

use Language::{Glsl, Hlsl, OpenGl, Wgsl};

/// What a function takes beside textures.
enum Takes {
    /// A clip and seconds.
    Clip,
    /// An instance and ticks.
    Instance,
    /// The layout that was found.
    Layout,
}

/// A function of a character.
struct Call {
    name: String,
    /// Sheets, by number.
    sheets: Vec<usize>,
    filtered: bool,
    takes: Takes,
    rest: bool,
    /// `.xyz` and so on: what makes a vector of three of the result.
    values: &'static [&'static str],
}

const VERTEX: &[&str] = &[".position", ".normal"];
const THREE: &[&str] = &[""];
const FOUR: &[&str] = &[".xyz"];

fn role(holds: Holds) -> &'static str {
    match holds {
        Holds::PositionNormal | Holds::Position => "position",
        Holds::Residual => "residual",
        Holds::Normal => "normal",
        Holds::Tangent => "tangent",
    }
}

/// The sheets of a kind that have clips, and levels of detail, of another sheet.
fn beside(character: &Character, sheet: usize, holds: Holds) -> Vec<usize> {
    let has = |clip: &Clip, i: usize| clip.tracks.iter().any(|track| track.sheet as usize == i);
    let lods = &character.sheets[sheet].lods;
    (0..character.sheets.len())
        .filter(|&i| character.sheets[i].holds == holds)
        .filter(|&i| character.sheets[i].lods.iter().any(|lod| lods.contains(lod)))
        .filter(|&i| character.clips.iter().any(|clip| has(clip, i) && has(clip, sheet)))
        .collect()
}

fn calls(character: &Character) -> Vec<Call> {
    let snake = &pieces::names(&[&character.name])[0].snake;
    let mut calls = Vec::new();
    for (i, sheet) in character.sheets.iter().enumerate() {
        if !character.clips.iter().any(|clip| clip.tracks.iter().any(|track| track.sheet as usize == i)) {
            continue;
        }
        let role_name = role(sheet.holds);
        let kin = character.sheets.iter().filter(|other| role(other.holds) == role_name).count();
        let suffix = if kin > 1 { format!("_{i}") } else { String::new() };
        let mut add = |name: String, sheets: Vec<usize>, takes: Takes, values: &'static [&'static str]| {
            let rest = role_name == "position" && !matches!(takes, Takes::Layout);
            let filtered = name.contains("_filtered");
            calls.push(Call { name: format!("{name}{suffix}"), sheets, filtered, takes, rest, values });
        };
        let values = if role_name == "tangent" { FOUR } else { THREE };
        add(format!("{snake}_{role_name}"), vec![i], Takes::Clip, values);
        if role_name != "position" {
            add(format!("{snake}_instance_{role_name}"), vec![i], Takes::Instance, values);
            continue;
        }
        let mut sheets = vec![i];
        sheets.extend(
            Some(beside(character, i, Holds::Residual)).filter(|r| r.len() == 1).into_iter().flatten(),
        );
        add(format!("{snake}_instance_position"), sheets.clone(), Takes::Instance, THREE);
        let packed = sheet.holds == Holds::PositionNormal;
        let normals = Some(beside(character, i, Holds::Normal)).filter(|n| n.len() == 1 && !packed);
        let normals = normals.unwrap_or_default();
        if packed || !normals.is_empty() {
            add(format!("{snake}_vertex"), [&[i], &*normals].concat(), Takes::Clip, VERTEX);
        }
        sheets.extend(normals);
        add(format!("{snake}_instance"), sheets, Takes::Instance, VERTEX);
        add(format!("{snake}_debug"), vec![i], Takes::Layout, FOUR);
        if sheet.format.kind() != Kind::Uint && sheet.format != Format::Rgba32f {
            add(format!("{snake}_position_filtered"), vec![i], Takes::Clip, THREE);
            add(format!("{snake}_instance_position_filtered"), vec![i], Takes::Instance, THREE);
        }
    }
    calls
}

/// The type of a sheet's texture.
fn texture(language: Language, sheet: &Sheet) -> String {
    let (uint, array) = (sheet.format.kind() == Kind::Uint, sheet.layers > 1);
    match language {
        Wgsl => {
            format!("texture_2d{}<{}>", if array { "_array" } else { "" }, if uint { "u32" } else { "f32" })
        }
        Hlsl => {
            let value = if uint { "uint4" } else { "float4" };
            format!("Texture2D{}<{value}>", if array { "Array" } else { "" })
        }
        Glsl | OpenGl => {
            format!("{}sampler2D{}", if uint { "u" } else { "" }, if array { "Array" } else { "" })
        }
    }
}

fn line(language: Language, call: &Call, character: usize) -> String {
    let mut arguments: Vec<String> =
        call.sheets.iter().map(|sheet| format!("sheet_{character}_{sheet}")).collect();
    if call.filtered && matches!(language, Wgsl | Hlsl) {
        arguments.push("linear_filter".to_owned());
    }
    let others: &[&str] = match call.takes {
        Takes::Clip => &["instance.clip", "column", "time"],
        Takes::Instance => &["instance", "column", "now"],
        Takes::Layout => &["now"],
    };
    arguments.extend(others.iter().map(|&other| other.to_owned()));
    if call.rest {
        arguments.push("rest".to_owned());
    }
    let call_text = format!("{}({})", call.name, arguments.join(", "));
    call.values.iter().map(|value| format!("    sum += {call_text}{value};\n")).collect()
}

/// What all characters share.
fn shared(language: Language) -> String {
    let text = "
    {vertex} shared_vertex = vat_mix(vat_vertex_of(sum, rest), vat_vertex_of(rest, sum), vat_distance_weight(time, 1.0, 2.0) + vat_fade(instance, now));
    {vertex} placed = vat_place(model, vat_relative_origin(rest, sum, sum, rest), shared_vertex);
    sum += placed.position + placed.normal + vat_fade(vat_only_current(instance), now) * rest + vat_fade(vat_only_previous(instance), now) * rest;\n";
    match language {
        Wgsl => text.replace("{vertex} ", "let ").replace("vat_vertex_of(", "VatVertex("),
        _ => text.replace("{vertex}", "VatVertex").replace("vat_vertex_of(", "vat_vertex("),
    }
}

/// A vertex shader `MAIN` (`main` in GLSL) that calls all functions of all characters, whose constants stand before it.
pub fn shader(language: Language, characters: &[Character]) -> String {
    let mut head = String::new();
    let mut body = String::new();
    let mut binding = 4;
    for (c, character) in characters.iter().enumerate() {
        for (i, sheet) in character.sheets.iter().enumerate() {
            let (ty, name) = (texture(language, sheet), format!("sheet_{c}_{i}"));
            let _ = match language {
                Wgsl => writeln!(head, "@group(0) @binding({binding}) var {name}: {ty};"),
                Hlsl => writeln!(head, "{ty} {name};"),
                Glsl => writeln!(head, "layout(set = 0, binding = {binding}) uniform {ty} {name};"),
                OpenGl => writeln!(head, "uniform {ty} {name};"),
            };
            binding += 1;
        }
        calls(character).iter().for_each(|call| body += &line(language, call, c));
    }
    body += &shared(language);
    head + &MAINS.iter().find(|(l, _)| *l == language).map_or("", |(_, main)| main).replace("BODY", &body)
}

const MAINS: [(Language, &str); 4] = [
    (
        Wgsl,
        "@group(0) @binding(0) var linear_filter: sampler;
@group(0) @binding(1) var<storage, read> instances: array<VatInstance>;
@vertex
fn MAIN(@location(0) rest: vec3f, @location(1) column_of_mesh: f32, @location(2) low: vec4<u32>, @location(3) high: vec4<u32>, @builtin(instance_index) id: u32) -> @builtin(position) vec4f {
    let column = u32(column_of_mesh);
    var instance = instances[id];
    if id > 7u { instance = vat_unpack_instance(low, high); }
    let now = low.x + VAT_TICKS_PER_SECOND;
    let time = f32(now);
    let model = mat3x3<f32>(rest, rest.yzx, rest.zxy);
    var sum = vec3f();
BODY    return vec4f(sum, 1.0);
}
@fragment
fn FLAT(@location(0) position: vec3f) -> @location(0) vec4f {
    return vec4f(vat_flat_normal(position, vec3f(1.0) - position), 1.0);
}
",
    ),
    (
        Hlsl,
        "SamplerState linear_filter;
StructuredBuffer<VatInstance> instances;
float4 MAIN(float3 rest : POSITION, float column_of_mesh : COLUMN, uint4 low : LOW, uint4 high : HIGH, uint id : ID) : SV_Position
{
    uint column = (uint)column_of_mesh;
    VatInstance instance = instances[id];
    if (id > 7u) { instance = vat_unpack_instance(low, high); }
    uint now = low.x + VAT_TICKS_PER_SECOND;
    float time = (float)now;
    float3x3 model = float3x3(rest, rest.yzx, rest.zxy);
    float3 sum = float3(0.0, 0.0, 0.0);
BODY    return float4(sum, 1.0);
}
float4 FLAT(float3 position : POSITION) : SV_Target
{
    return float4(vat_flat_normal(position, float3(1.0, 1.0, 1.0) - position), 1.0);
}
",
    ),
    (
        Glsl,
        "layout(location = 0) in vec3 rest;
layout(location = 1) in float column_of_mesh;
layout(location = 2) in uvec4 low;
layout(location = 3) in uvec4 high;
layout(set = 0, binding = 1, std430) readonly buffer Instances { VatInstance instances[]; };
void main()
{
    uint column = uint(column_of_mesh);
    VatInstance instance = instances[gl_InstanceIndex];
    if (low.x > 7u) { instance = vat_unpack_instance(low, high); }
    uint now = low.x + VAT_TICKS_PER_SECOND;
    float time = float(now);
    mat3 model = mat3(rest, rest.yzx, rest.zxy);
    vec3 sum = vec3(0.0);
BODY    gl_Position = vec4(sum, 1.0);
}
",
    ),
    (
        OpenGl,
        "in vec3 rest;
in float column_of_mesh;
in uvec4 low;
in uvec4 high;
void main()
{
    uint column = uint(column_of_mesh);
    VatInstance instance = vat_unpack_instance(low, high);
    uint now = low.x + VAT_TICKS_PER_SECOND;
    float time = float(now);
    mat3 model = mat3(rest, rest.yzx, rest.zxy);
    vec3 sum = vec3(0.0);
BODY    gl_Position = vec4(sum, 1.0);
}
",
    ),
];
