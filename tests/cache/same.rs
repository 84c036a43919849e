//! Same bytes: threads, order, cold or warm store, current directory.

use std::path::Path;

use vatpipe::run::Options;

use super::scene::Scene;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/characters/models");

/// A character whose clips are all the same one, and another like it.
fn twins() -> Scene {
    let scene = Scene::new();
    std::fs::copy(Path::new(EXAMPLES).join("kettle.glb"), scene.path("kettle.glb")).unwrap();
    let mut text = "[output]\ndir = \"out\"\n".to_owned();
    for character in ["a", "b", "c"] {
        text += &format!("[characters.{character}]\nsource = \"kettle.glb\"\n");
        for clip in 0..6 {
            text +=
                &format!("[characters.{character}.clip.c{clip}]\nfrom = \"Trot\"\nfps = {}\n", 20 + clip / 2);
        }
    }
    scene.write("vat.toml", text);
    scene
}

/// Who waits for a key must not be the one who makes it, however the pool shares out its work.
#[test]
fn clips_with_one_key_wait_for_each_other_without_end() {
    let scene = twins();
    let options = Options { cache: Some(scene.cache()), ..Options::default() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
    let built = pool.install(|| scene.build_with(&options));
    assert_eq!(built.outcome.failed, 0);
    // Each of three keys once, of 18 clips.
    assert_eq!((built.baked.len(), built.outcome.fresh), (3, 15));
}

/// The example characters, with the settings of the root manifest.
pub fn examples() -> Scene {
    let scene = Scene::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("vat.toml")).unwrap();
    scene.write("vat.toml", text.replace("\"assets/vat\"", "\"out\""));
    for name in ["dragon", "pennant", "kettle"] {
        let file = format!("examples/characters/models/{name}.glb");
        scene.write(&file, std::fs::read(root.join(&file)).unwrap());
    }
    scene
}

#[test]
fn threads_and_store_change_no_byte() {
    let mut seen = Vec::new();
    for threads in [1, 2, 7] {
        let scene = Scene::new();
        std::fs::copy(Path::new(EXAMPLES).join("kettle.glb"), scene.path("kettle.glb")).unwrap();
        scene.write("vat.toml", "[output]\ndir = \"out\"\n[defaults]\nfps = 8\n[characters.b]\nsource = \"kettle.glb\"\n[characters.a]\nsource = \"kettle.glb\"\nnormals = \"sheet\"\n");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let cached = Options { cache: Some(scene.cache()), ..Options::default() };
        for options in [Options::default(), cached.clone(), cached] {
            let built = pool.install(|| scene.build_with(&options));
            assert_eq!(
                (built.outcome.failed, built.codes.iter().any(|c| c.starts_with("cache"))),
                (0, false)
            );
            seen.push(scene.bytes());
            std::fs::remove_dir_all(scene.path("out")).unwrap();
        }
    }
    assert!(seen[0].contains_key("vat.published.json"));
    assert!(seen.iter().all(|bytes| *bytes == seen[0]));
}

/// The program, from different folders, with the manifest named in different ways.
#[test]
fn the_current_folder_changes_no_byte() {
    let scene = Scene::new();
    std::fs::create_dir_all(scene.path("art/deep")).unwrap();
    std::fs::copy(Path::new(EXAMPLES).join("pennant.glb"), scene.path("art/pennant.glb")).unwrap();
    let absolute = scene.path("art/pennant.glb");
    scene.write("art/vat.toml", format!("[output]\ndir = \"../out\"\n[defaults]\nfps = 4\n[characters.a]\nsource = \"pennant.glb\"\n[characters.b]\nsource = {absolute:?}\n"));
    let manifest = scene.path("art/vat.toml").into_os_string().into_string().unwrap();
    let mut seen = Vec::new();
    for (folder, manifest) in [
        ("art", "vat.toml"),
        ("art", "./vat.toml"),
        ("art/deep", "../vat.toml"),
        (".", "art/vat.toml"),
        (".", &manifest),
    ] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_vatpipe"))
            .current_dir(scene.path(folder))
            .args(["build", "-q", "--manifest", manifest])
            .env("VATPIPE_CACHE_DIR", scene.cache())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        seen.push(scene.bytes());
        std::fs::remove_dir_all(scene.path("out")).unwrap();
    }
    for bytes in &seen {
        let record = |bytes: &std::collections::BTreeMap<String, Vec<u8>>| {
            String::from_utf8(bytes["vat.published.json"].clone()).unwrap()
        };
        assert_eq!(record(bytes), record(&seen[0]));
        assert!(*bytes == seen[0]);
    }
}
