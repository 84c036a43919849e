//! Every compiler that there is, over every function of the made-up characters, and of the examples and the corpus.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use naga::valid::{Capabilities, ValidationFlags, Validator};
use tempfile::TempDir;
use vatpipe::encode::Format;
use vatpipe::manifest::{ColumnOrder, FormatChoice, Recipe};
use vatpipe::metadata::Character;

use super::calls::{Language, shader};
use super::{sample, text};
use crate::support::baking::{self, exact};
use crate::support::node;

/// Runs a checker; a machine without it must not pass by accident.
pub fn run(program: impl AsRef<Path>, folder: &Path, arguments: &[&str]) -> String {
    let program = program.as_ref();
    let output = Command::new(program).current_dir(folder).args(arguments).output().unwrap_or_else(|error| {
        panic!("{} does not start: {error}; `tests/run` installs what the tests need", program.display())
    });
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} {arguments:?}: {said}", program.display());
    said
}

/// Each character of the examples and of the corpus, in formats, sheets and levels of detail of its own.
static REAL: LazyLock<Vec<Character>> = LazyLock::new(|| {
    let mut all = vec![
        baked("fox", "Fox.glb", Format::Rgba16ui, |_| ()),
        baked("robot", "RobotExpressive.glb", Format::Rgb10a2, |r| r.mesh.max_texture = 1024),
        baked("greenman", "greenman.glb", Format::Rgba8, |r| {
            r.all_clips.iter_mut().for_each(|clip| clip.residual = true);
        }),
        baked("knight", "Knight.glb", Format::Rgba16, |r| r.mesh.max_texture = 512),
        baked("cube", "AnimatedMorphCube.glb", Format::Rgba16f, |r| r.mesh.tangents = true),
        baked("stress", "MorphStressTest.gltf", Format::Rgba32f, |r| r.mesh.max_texture = 512),
        baked("skin", "SimpleSkin.gltf", Format::Rgba16ui, |_| ()),
        baked("simple", "RiggedSimple.glb", Format::Rgb10a2, |_| ()),
        baked("interpolation", "interpolation_test.gltf", Format::Rgba16ui, |r| r.mesh.max_texture = 256),
        baked("manta", "Manta_ray.glb", Format::Bc7, |_| ()),
        baked("kenney", "kenney/character.glb", Format::Astc4x4, |r| r.mesh.tangents = true),
    ];
    for name in ["dragon", "pennant", "kettle"] {
        all.push(baked(name, &format!("../../EXAMPLES/{name}.glb"), Format::Rgba16ui, |_| ()));
    }
    all
});

/// The metadata of all clips of a model, at a rate that makes it quick.
fn baked(name: &str, model: &str, format: Format, change: impl Fn(&mut Recipe)) -> Character {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/characters/models");
    let mut recipe = baking::recipe("README.md", Vec::new());
    recipe.source = match model.strip_prefix("../../EXAMPLES/") {
        Some(model) => Path::new(own).join(model),
        None => baking::corpus(model),
    };
    recipe.mesh.column_order = ColumnOrder::Authored;
    let mut settings = exact(1.0);
    settings.format = FormatChoice::Fixed(format);
    settings.looping = name != "fox";
    recipe.all_clips = Some(settings);
    change(&mut recipe);
    let json = baking::bake(&recipe).json;
    let mut character: Character = serde_json::from_value(json).expect("metadata");
    assert_eq!(character.layout, character.layout_hash(), "{name}");
    character.name = name.to_owned();
    character
}

/// The made-up characters alone and together, and the real ones.
fn sets() -> Vec<Vec<Character>> {
    let mut sets: Vec<Vec<Character>> = sample::all().into_iter().map(|character| vec![character]).collect();
    // Together, but for those whose names collide: what they are called depends on the others.
    sets.push([sample::crab(), sample::robot(), sample::mixed(), sample::ghost()].to_vec());
    sets.push(REAL.clone());
    sets
}

/// A folder with the shader of each set of characters, constants included, and the files' names.
fn written(language: Language, target: &str, prefix: &str, extension: &str) -> (TempDir, Vec<String>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |(i, set): (usize, &Vec<Character>)| {
        let name = format!("{i}.{extension}");
        let source = format!("{prefix}{}{}", text(set, target), shader(language, set));
        std::fs::write(folder.path().join(&name), source).expect("written");
        name
    };
    let names = sets().iter().enumerate().map(write).collect();
    (folder, names)
}

#[test]
fn naga() {
    for set in sets() {
        let source = text(&set, "wgsl") + &shader(Language::Wgsl, &set);
        let module = naga::front::wgsl::parse_str(&source)
            .unwrap_or_else(|error| panic!("{}", error.emit_to_string_with_path(&source, "vat.wgsl")));
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
        if let Err(error) = validator.validate(&module) {
            panic!("{}", error.emit_to_string_with_path(&source, "vat.wgsl"));
        }
        let mut layouter = naga::proc::Layouter::default();
        layouter.update(module.to_ctx()).expect("sizes");
        let named = |name: &str| module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some(name));
        let (instance, _) = named("VatInstance").expect("the instance");
        assert_eq!(layouter[instance].size, 32, "as `Instance` in vat.rs, which asserts it");
    }
}

#[test]
fn tint() {
    let (folder, names) = written(Language::Wgsl, "wgsl", "", "wgsl");
    let files: Vec<PathBuf> = names.iter().map(|name| folder.path().join(name)).collect();
    node::check_wgsl(&files);
}

#[test]
fn glslang_hlsl() {
    let (folder, names) = written(Language::Hlsl, "hlsl", "", "hlsl");
    let folder = folder.path();
    for name in names {
        let main = ["-D", "-V", "--auto-map-bindings", "-S", "vert", "-e", "MAIN", &name, "-o", "m.spv"];
        run("glslangValidator", folder, &main);
        run("spirv-val", folder, &["m.spv"]);
        let said = run("spirv-dis", folder, &["m.spv"]);
        assert!(said.contains("VatInstance ArrayStride 32"), "as `Instance` in vat.rs, which asserts it");
        run("glslangValidator", folder, &["-D", "-V", "-S", "frag", "-e", "FLAT", &name, "-o", "f.spv"]);
        run("spirv-val", folder, &["f.spv"]);
    }
}

#[test]
fn glslang_glsl() {
    for (language, version) in [
        (Language::Glsl, "#version 450\n"),
        (Language::OpenGl, "#version 450\n"),
        (Language::OpenGl, "#version 330 core\n"),
        (Language::OpenGl, "#version 300 es\n"),
        (Language::OpenGl, "#version 320 es\n"),
    ] {
        let (folder, names) = written(language, "glsl", version, "vert");
        for name in names {
            if language == Language::Glsl {
                run("glslangValidator", folder.path(), &["--target-env", "vulkan1.1", &name, "-o", "m.spv"]);
                run("spirv-val", folder.path(), &["--target-env", "vulkan1.1", "m.spv"]);
            } else {
                run("glslangValidator", folder.path(), &[&name]);
            }
        }
    }
}

#[test]
fn flat_normals_in_glsl() {
    let source = "#define VAT_FRAGMENT\n".to_owned() + &text(&[], "glsl") + FLAT;
    let folder = tempfile::tempdir().expect("a temporary folder");
    for version in ["300 es", "330 core", "450"] {
        let text = format!("#version {version}\n{source}");
        std::fs::write(folder.path().join("m.frag"), text).expect("written");
        run("glslangValidator", folder.path(), &["m.frag"]);
    }
}

const FLAT: &str = "
in highp vec3 position;
out highp vec4 colour;
void main() { colour = vec4(vat_flat_normal(position, -position), 1.0); }
";

/// Another compiler of HLSL and of GLSL; what it writes is validated too.
#[test]
fn slang() {
    let slang = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tools/slang/slangtorch/bin/slangc");
    let hlsl = written(Language::Hlsl, "hlsl", "", "hlsl");
    let glsl = written(Language::Glsl, "glsl", "#version 450\n", "vert");
    for ((folder, names), entry, language) in [(hlsl, "MAIN", "hlsl"), (glsl, "main", "glsl")] {
        for name in names {
            // Unoptimised: its optimiser is a library that the package does not have.
            let arguments = ["-lang", language, "-allow-glsl", "-O0", "-target", "spirv", "-stage", "vertex"];
            run(&slang, folder.path(), &[&arguments[..], &["-entry", entry, &name, "-o", "m.spv"]].concat());
            forget_language(&folder.path().join("m.spv"));
            run("spirv-val", folder.path(), &["--target-env", "vulkan1.3", "m.spv"]);
        }
    }
}

/// Takes the source language out of SPIR-V (`OpSource`, opcode 3): Debian's validator does not know the number of Slang.
fn forget_language(path: &Path) {
    let bytes = std::fs::read(path).expect("SPIR-V");
    let mut words: Vec<u32> =
        bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let mut at = 5;
    while at < words.len() {
        let (opcode, length) = (words[at] & 0xffff, words[at] >> 16);
        if opcode == 3 {
            words[at + 1] = 0;
        }
        at += length as usize;
    }
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(path, bytes).expect("written");
}
