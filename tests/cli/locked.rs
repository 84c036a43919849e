//! `build --locked`: outputs as they are recorded, or none.

use std::fs;

use serde_json::json;

use super::{Folder, model};

const MANIFEST: &str =
    "[output]\ndir = \"out\"\ntargets = [\"rust\"]\n[characters.hero]\nsource = \"hero.gltf\"\nfps = 10\n";

/// A project that was built once.
fn project() -> Folder {
    let folder = Folder::new();
    folder.write("vat.toml", MANIFEST).write("hero.gltf", &model(&["Walk", "Run"]));
    assert_eq!(folder.run(&["build"]).code, 0);
    folder
}

const HERO: &str = "out/hero/hero_0_VAT.ktx2";

#[test]
fn what_is_recorded_is_made_with_and_without_a_cache() {
    let folder = project();
    let whole = fs::read(folder.path(HERO)).unwrap();
    assert_eq!(folder.run(&["build", "--locked"]).code, 0, "all is there");
    for flags in [&["build", "--locked"][..], &["build", "--locked", "--no-cache"]] {
        fs::remove_dir_all(folder.path("out/hero")).unwrap();
        fs::remove_file(folder.path("out/vat.rs")).unwrap();
        let run = folder.run(flags);
        assert_eq!(run.code, 0, "{}", run.err);
        assert_eq!(fs::read(folder.path(HERO)).unwrap(), whole);
        assert!(folder.path("out/vat.rs").exists());
    }
    // As in a fresh clone: what is noted there stays out of version control.
    fs::remove_dir_all(folder.path("out/.vatpipe")).unwrap();
    assert_eq!(folder.run(&["build", "--locked"]).code, 0);
    assert_eq!(folder.read("out/.vatpipe/.gitignore"), "*\n");
    // A model that was saved again and says the same.
    let text = folder.read("hero.gltf") + " ";
    folder.write("hero.gltf", &text);
    fs::remove_dir_all(folder.path("out/hero")).unwrap();
    let run = folder.run(&["build", "--locked"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
}

#[test]
fn what_would_be_other_outputs_is_listed_and_nothing_is_written() {
    let causes = |folder: &Folder| {
        let before = fs::read(folder.path("out/vat.published.json")).ok();
        let (code, lines) = folder.json(&["build", "--locked"]);
        assert_eq!(code, 3, "{lines:?}");
        assert_eq!(fs::read(folder.path("out/vat.published.json")).ok(), before);
        let listed = lines.iter().filter(|line| line["reason"] == "out-of-date");
        listed.map(|line| (line["character"].clone(), line["causes"][0]["cause"].clone())).collect::<Vec<_>>()
    };
    let with = |cause: &str| vec![(json!("hero"), json!(cause))];
    let folder = project();
    folder.write("hero.gltf", &model(&["Walk", "Jump"]));
    assert_eq!(causes(&folder)[0], with("input-changed")[0]);
    let folder = project();
    folder.write("vat.toml", &MANIFEST.replace("10", "20"));
    assert_eq!(causes(&folder)[0], with("recipe-changed")[0]);
    let folder = project();
    folder.write("vat.toml", &MANIFEST.replace("\"rust\"", "\"rust\", \"wgsl\""));
    assert_eq!(causes(&folder), [(json!(null), json!("output-differs"))]);
    // Somebody changed an output by hand.
    let folder = project();
    fs::write(folder.path(HERO), "not this").unwrap();
    assert_eq!(causes(&folder), with("output-changed"));
    assert_eq!(fs::read(folder.path(HERO)).unwrap(), b"not this");
    // Nothing is recorded.
    let folder = project();
    fs::remove_dir_all(folder.path("out")).unwrap();
    assert_eq!(causes(&folder)[0], with("not-published")[0]);
    assert!(!folder.path("out").exists());
    // A character is gone from the manifest.
    let folder = project();
    folder.write("vat.toml", &MANIFEST.replace("characters.hero", "characters.other"));
    assert!(causes(&folder).contains(&with("orphan")[0]));
}
