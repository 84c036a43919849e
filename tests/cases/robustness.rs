//! Category R: robustness and security.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::project::{Project, Ran};
use crate::support::cases::{keys, same_names};
use crate::support::model::{Model, glb};
use crate::support::models::{compressed_strip, machine, morph_quad, moving_triangle, skinned_strip};

fn slide() -> Model {
    moving_triangle([1.0, 0.0, 0.0])
}

/// Builds `it` with the program, which must fail, name the file and these words, and leave nothing behind.
fn refuses(name: &str, file: &[u8], words: &[&str]) -> Ran {
    let project = Project::of_file(name, file, "");
    let ran = project.vatpipe(&["build"]);
    ran.refused(1, words);
    assert!(ran.err.contains(name), "{} does not name the file", ran.err);
    assert!(!project.path("out/it").exists(), "something is left behind");
    ran
}

/// Case 29: a compressed file ended in a cryptic error or a crash.
#[test]
fn case_29_extensions_that_we_do_not_know() {
    let mut draco = slide();
    draco.set("/extensionsRequired", json!(["KHR_draco_mesh_compression"]));
    draco.set("/extensionsUsed", json!(["KHR_draco_mesh_compression"]));
    let ran = refuses("it.glb", &draco.glb(), &["KHR_draco_mesh_compression"]);
    assert!(ran.err.contains("help:"), "what to do: {}", ran.err);
    // Used, but not required.
    draco.remove("/extensionsRequired");
    Project::of(&draco, "").baked();
    // Required, but nothing to us.
    let mut material = slide();
    material.set("/extensionsRequired", json!(["KHR_texture_transform"]));
    material.set("/extensionsUsed", json!(["KHR_texture_transform"]));
    Project::of(&material, "").baked();
}

/// Case 29: meshopt with a fallback buffer without data is decoded, and gives the files of the plain model.
#[test]
fn case_29_meshopt_is_decoded() {
    let [plain, compressed] = [skinned_strip(), compressed_strip()].map(|model| {
        let project = Project::of(&model, "");
        project.baked();
        project.files("out/it")
    });
    assert!(plain == compressed);
}

/// Case 50: counts, indices and joints beyond what is there crashed readers, or made wild geometry.
#[test]
fn case_50_indices_and_counts_outside() {
    let mut count = slide();
    let short = count.view(&[0; 12]);
    count.set("/accessors/0/bufferView", json!(short));
    count.set("/accessors/0/count", json!(100));
    refuses("it.glb", &count.glb(), &["#/accessors/0", "100", "12 bytes"]);

    let mut index = Model::new();
    let position = index.vec3(&[[0.0, 0.0, 0.0]; 24]);
    let indices = index.u8s("SCALAR", &[0, 1, 255]);
    let mesh = index.mesh(json!([{ "attributes": { "POSITION": position }, "indices": indices }]));
    index.node(json!({ "mesh": mesh }));
    refuses("it.glb", &index.glb(), &["#/", "255", "24"]);

    refuses("it.glb", &four_joints(1.0).glb(), &["#/", "9", "4"]);
    let built = Project::of(&four_joints(0.0), "").build();
    built.succeeded();
    let warned =
        built.problems.iter().any(|p| p.code == "source::skin" && p.message.contains("without weight"));
    assert!(warned, "{:#?}", built.problems);
}

/// A triangle of four joints whose last vertex has joint 9 in its second slot, with this weight.
fn four_joints(weight: f32) -> Model {
    let mut model = slide();
    let joints = model.u8s("VEC4", &[0, 0, 0, 0, 1, 0, 0, 0, 2, 9, 0, 0]);
    let weights = model.vec4(&[[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [1.0, weight, 0.0, 0.0]]);
    model.set("/meshes/0/primitives/0/attributes/JOINTS_0", json!(joints));
    model.set("/meshes/0/primitives/0/attributes/WEIGHTS_0", json!(weights));
    let bones: Vec<usize> = (0..4).map(|_| model.node(json!({}))).collect();
    model.add("skins", json!({ "joints": bones }));
    model.set("/nodes/0/skin", json!(0));
    model
}

/// Case 50: half a file, and a name that is no UTF-8.
#[test]
fn case_50_damaged_files() {
    let whole = slide().glb();
    refuses("it.glb", &whole[..whole.len() / 2], &[]);
    let mut model = slide();
    model.set("/nodes/0/name", json!("thing"));
    let mut text = serde_json::to_vec(&{
        let mut document = model.json.clone();
        document["buffers"] = json!([{ "byteLength": model.bin.len() }]);
        document
    })
    .unwrap();
    let at = text.windows(5).position(|w| w == b"thing").unwrap();
    text[at] = 0xFF;
    refuses("it.glb", &glb(&text, &model.bin), &["UTF-8"]);
}

/// Case 50 and runner-up 3: one bad model of three stopped the others, or the exit code said that all was well.
#[test]
fn case_50_a_batch_goes_on() {
    let project = Project::new();
    project.write("good.glb", &slide().glb());
    let mut bad = slide();
    bad.set("/accessors/0/count", json!(100));
    project.write("bad.glb", &bad.glb());
    project.manifest(
        "[characters.first]\nsource = \"good.glb\"\n[characters.bad]\nsource = \"bad.glb\"\n\
         [characters.last]\nsource = \"good.glb\"\n",
    );
    project.vatpipe(&["build"]).refused(1, &["bad.glb#/accessors/0"]);
    project.character("first");
    project.character("last");
    assert!(!project.path("out/bad").exists());
    assert!(project.text("out/vat.rs").contains("vat_character! { last, "));
}

/// Runner-up 3: a bad clip among three fails the build, and the character keeps its last good files.
#[test]
fn runner_up_3_one_bad_clip_of_three() {
    let project = Project::of(&same_names(), "clips = [0, 1, 2]");
    project.vatpipe(&["build"]).succeeded();
    let before = project.files("out/it");
    project.manifest("[characters.it]\nsource = \"it.glb\"\nclips = [0, 7, 2]\n");
    project.vatpipe(&["build"]).refused(1, &["vat.toml", "7"]);
    assert!(before == project.files("out/it"));
}

/// A project in `game`, whose model asks for a buffer; outside lies `secret.bin`.
fn asking(uri: &str, lines: &str) -> (Project, Model) {
    let model = slide();
    let project = Project::new();
    project.write("game/it.gltf", &model.external(uri));
    let manifest = format!("[output]\ndir = \"out\"\n[characters.it]\nsource = \"it.gltf\"\n{lines}\n");
    project.write("game/vat.toml", manifest.as_bytes());
    (project, model)
}

const BUILD: [&str; 3] = ["build", "--manifest", "game/vat.toml"];

/// Case 51: a file from someone else read private files into the output.
#[cfg(unix)]
#[test]
fn case_51_a_uri_may_not_lead_out() {
    let uris = [
        "../secret.bin",
        "%2e%2e/secret.bin",
        "/etc/hostname",
        "file:///etc/hostname",
        "C:\\x",
        "a/../../secret.bin",
    ];
    for uri in uris {
        let (project, _) = asking(uri, "");
        // Whoever opens it waits for ever.
        assert!(Command::new("mkfifo").arg(project.path("secret.bin")).status().unwrap().success());
        let ran = project.vatpipe(&BUILD);
        ran.refused(1, &["files::outside", "it.gltf"]);
        assert!(!project.path("game/out/it").exists());
    }
}

/// Case 51: a link out of the folder.
#[cfg(unix)]
#[test]
fn case_51_a_link_may_not_lead_out() {
    for (uri, link, to) in
        [("data.bin", "game/data.bin", "../secret.bin"), ("data/secret.bin", "game/data", "..")]
    {
        let (project, model) = asking(uri, "");
        project.write("secret.bin", &model.bin);
        std::os::unix::fs::symlink(to, project.path(link)).unwrap();
        project.vatpipe(&BUILD).refused(1, &["files::outside", "it.gltf"]);
        assert!(!project.path("game/out/it").exists());
    }
}

/// Case 51: who trusts the file says so.
#[test]
fn case_51_unless_it_is_allowed() {
    let (project, model) = asking("../secret.bin", "allow_outside = true");
    project.write("secret.bin", &model.bin);
    project.vatpipe(&BUILD).succeeded();
    assert!(project.path("game/out/it/it.vat.json").exists());
}

/// All files below a folder.
fn tree(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        found.insert(path.display().to_string());
        if path.is_dir() {
            found.extend(tree(&path));
        }
    }
    found
}

/// Case 51: names became paths of outputs.
#[test]
fn case_51_names_are_no_paths() {
    let (project, _) = asking("unused", "");
    let mut model = slide();
    model.set("/animations/0/name", json!("../../evil"));
    project.write("game/it.gltf", &model.embedded());
    project.vatpipe(&BUILD).succeeded();
    let files = tree(&project.path("."));
    assert!(!files.iter().any(|file| file.contains("evil")), "{files:?}");
    assert!(project.text("game/out/it/it.vat.json").contains("../../evil"));
    for name in ["../evil", "/evil", "..", "a/b"] {
        project.write("game/vat.toml", format!("[characters.\"{name}\"]\nsource = \"it.gltf\"\n").as_bytes());
        let before = tree(&project.path("."));
        project.vatpipe(&BUILD).refused(2, &["manifest::name"]);
        assert_eq!(before, tree(&project.path(".")));
    }
}

/// Builds with the program, allowed less than 100 MB of address space, so that less is resident.
fn within_100_mb(project: &Project) -> Ran {
    if !cfg!(target_os = "linux") {
        return project.vatpipe(&["build"]);
    }
    let mut command = Command::new("sh");
    let script = "ulimit -v 97000 && exec \"$0\" build --jobs 2";
    command.args(["-c", script, env!("CARGO_BIN_EXE_vatpipe")]).env("MALLOC_ARENA_MAX", "1");
    project.run(command)
}

/// Case 52: tiny files asked for exabytes.
#[test]
fn case_52_counts_and_lengths() {
    let mut documents: Vec<(Value, Vec<u8>)> = Vec::new();
    let mut change = |pointer: &str, value: Value, stride: bool| {
        let mut model = keys(&[0.0, 1.0], &[0.0, 1.0]);
        model.set(pointer, value);
        if stride {
            model.set("/bufferViews/0/byteStride", json!(4));
        }
        model.json["buffers"] = json!([{ "byteLength": model.bin.len() }]);
        documents.push((model.json, model.bin));
    };
    let absurd = [json!(1u64 << 62), json!((1u64 << 62) / 3 + 1), json!(u64::MAX), json!(u32::MAX)];
    for count in absurd {
        for accessor in 0..3 {
            change(&format!("/accessors/{accessor}/count"), count.clone(), false);
        }
        change("/accessors/0/count", count.clone(), true);
        change("/bufferViews/0/byteLength", count.clone(), false);
        change("/accessors/0/byteOffset", count, false);
    }
    for (document, bin) in documents {
        let project = Project::of_file("it.glb", &glb(&serde_json::to_vec(&document).unwrap(), &bin), "");
        within_100_mb(&project).refused(1, &["it.glb#/"]);
        assert!(!project.path("out/it").exists());
    }
    let mut data = slide();
    data.json["buffers"] = json!([{
        "byteLength": u64::MAX, "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAAAAAA=="
    }]);
    let project = Project::of_file("it.gltf", &serde_json::to_vec(&data.json).unwrap(), "");
    within_100_mb(&project).refused(1, &["it.gltf#/buffers/0"]);
}

/// Case 52: times that are none, or far too late.
#[test]
fn case_52_times() {
    for times in
        [[0.0, 1e30], [0.0, f32::NAN], [f32::NAN, 1.0], [-1.0, 1.0], [1.0, 0.5], [0.0, f32::INFINITY]]
    {
        let project = Project::of(&keys(&times, &[0.0, 1.0]), "");
        within_100_mb(&project).refused(1, &["it.glb"]);
        assert!(!project.path("out/it").exists(), "{times:?}");
    }
    // Each by itself is fine, together they are 3.6 million frames.
    let project = Project::of(&keys(&[0.0, 3600.0], &[0.0, 1.0]), "fps = 1000");
    within_100_mb(&project).refused(1, &["3600001 frames", "8192"]);
    for fps in ["0", "1e9", "-1", "nan", "inf", "1001"] {
        let project = Project::of(&slide(), &format!("fps = {fps}"));
        within_100_mb(&project).refused(2, &["vat.toml", "fps"]);
        assert!(!project.path("out").exists());
    }
}

/// Case 52: a folder, or a pipe that never ends, in the place of a file.
#[cfg(unix)]
#[test]
fn case_52_what_is_no_file() {
    let project = Project::of_file("it.gltf", &slide().external("data.bin"), "");
    std::fs::create_dir(project.path("data.bin")).unwrap();
    within_100_mb(&project).refused(1, &["data.bin", "it is a folder", "it.gltf"]);
    std::fs::remove_dir(project.path("data.bin")).unwrap();
    let fifo =
        |name: &str| assert!(Command::new("mkfifo").arg(project.path(name)).status().unwrap().success());
    fifo("data.bin");
    within_100_mb(&project).refused(1, &["data.bin", "no regular file", "it.gltf"]);
    // The model itself, too.
    std::fs::remove_file(project.path("it.gltf")).unwrap();
    fifo("it.gltf");
    within_100_mb(&project).refused(1, &["it.gltf", "no regular file"]);
    std::fs::remove_file(project.path("it.gltf")).unwrap();
    std::fs::create_dir(project.path("it.gltf")).unwrap();
    within_100_mb(&project).refused(1, &["it.gltf", "it is a folder"]);
}

/// Runner-up 1: outputs differed from run to run.
#[test]
fn runner_up_1_twenty_bakes() {
    let project = Project::new();
    let mut characters = String::new();
    for (name, model) in
        [("strip", skinned_strip()), ("face", morph_quad()), ("machine", machine()), ("names", same_names())]
    {
        project.write(&format!("{name}.glb"), &model.glb());
        characters += &format!("[characters.{name}]\nsource = \"{name}.glb\"\n");
    }
    project.manifest(&characters);
    let mut first = None;
    for bake in 0..20 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads([1, 2, 3, 5, 8][bake % 5]).build().unwrap();
        pool.install(|| project.build().succeeded());
        let folders = ["out", "out/strip", "out/face", "out/machine", "out/names"];
        let files: Vec<_> = folders.iter().map(|folder| project.files(folder)).collect();
        assert_eq!(files.iter().map(Vec::len).sum::<usize>(), 15);
        assert!(*first.get_or_insert_with(|| files.clone()) == files, "bake {bake} differs");
        std::fs::remove_dir_all(project.path("out")).unwrap();
    }
}

/// Runner-up 4: a Git LFS pointer in the place of the model was a parse error.
#[test]
fn runner_up_4_a_git_lfs_pointer() {
    let pointer = b"version https://git-lfs.github.com/spec/v1\n\
        oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";
    refuses("it.glb", pointer, &["LFS", "git lfs pull"]);
}

/// Runner-up 7: a node that is its own ancestor hung the tool, and a deep tree overflowed its stack.
#[test]
fn runner_up_7_cycles_and_depth() {
    let mut cycle = slide();
    cycle.set("/nodes/0/children", json!([0]));
    refuses("it.glb", &cycle.glb(), &["#/nodes"]);
    let mut chain = slide();
    chain.set("/scenes/0/nodes", json!([100_000]));
    let nodes = chain.json["nodes"].as_array_mut().unwrap();
    for child in 0..100_000 {
        nodes.push(json!({ "children": [child] }));
    }
    let project = Project::of(&chain, "fps = 2");
    project.vatpipe(&["build", "--jobs", "2"]).succeeded();
    let character = project.character("it");
    assert_eq!(character.position(character.positions(&character.clips[0]), 0, 2), [1.0, 0.0, 0.0]);
}

/// Runner-up 8: a missing or odd image stopped a bake that needs none.
#[test]
fn runner_up_8_images_are_not_opened() {
    let images = [
        ("gone.png", None, json!({ "source": 0 })),
        (
            "gone.webp",
            Some("EXT_texture_webp"),
            json!({ "extensions": { "EXT_texture_webp": { "source": 0 } } }),
        ),
        (
            "gone.ktx2",
            Some("KHR_texture_basisu"),
            json!({ "extensions": { "KHR_texture_basisu": { "source": 0 } } }),
        ),
        ("../../gone.png", None, json!({ "source": 0 })),
    ];
    for (uri, extension, texture) in images {
        let mut model = slide();
        model.add("images", json!({ "uri": uri }));
        model.add("textures", texture);
        model.add("materials", json!({ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }));
        model.set("/meshes/0/primitives/0/material", json!(0));
        if let Some(extension) = extension {
            model.set("/extensionsUsed", json!([extension]));
            model.set("/extensionsRequired", json!([extension]));
        }
        let project = Project::of_file("it.gltf", &without_fallback(&model), "");
        project.baked();
    }
}

/// The file with its buffer in a data URI, and no other buffer.
fn without_fallback(model: &Model) -> Vec<u8> {
    let mut plain = model.clone();
    plain.json["extensionsRequired"] = Value::Null;
    let mut document: Value = serde_json::from_slice(&plain.embedded()).unwrap();
    match model.json["extensionsRequired"].clone() {
        Value::Null => drop(document.as_object_mut().unwrap().remove("extensionsRequired")),
        required => document["extensionsRequired"] = required,
    }
    serde_json::to_vec(&document).unwrap()
}

/// Runner-up 9: a misspelt key was ignored without a word.
#[test]
fn runner_up_9_a_misspelt_key() {
    let project = Project::of(&slide(), "frame_rat = 30");
    project.vatpipe(&["build"]).refused(2, &["vat.toml:5:1", "`frame_rat`", "did you mean `fps`?"]);
    assert!(!project.path("out").exists());
}

/// Runner-up 21: a name in the wrong case worked on Windows, and not in CI.
#[cfg(target_os = "linux")]
#[test]
fn runner_up_21_names_in_another_case() {
    let project = Project::new();
    project.write("Hero.GLB", &slide().glb());
    project.manifest("[characters.it]\nsource = \"hero.glb\"\n");
    project.vatpipe(&["build"]).refused(1, &["hero.glb", "Hero.GLB"]);
    let buffer = Project::of_file("it.gltf", &slide().external("hero.bin"), "");
    buffer.write("Hero.bin", &slide().bin);
    buffer.vatpipe(&["build"]).refused(1, &["hero.bin", "did you mean `Hero.bin`?", "it.gltf"]);
}
