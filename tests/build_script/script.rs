//! What a script does and says, without cargo.

use std::fs;

use super::work::Script;
use super::{NOWHERE, Package, model};

#[test]
fn the_program_bakes_once() {
    let package = Package::new();
    let before = package.snapshot();
    let first = Script::new(&package, "embed").run().succeeded();
    assert_eq!(first.origin, "Program");
    let mut wanted =
        vec!["rerun-if-changed=art", "rerun-if-changed=art/it.gltf", "rerun-if-changed=vat.toml"];
    wanted.extend(["rerun-if-env-changed=VATPIPE", "rerun-if-env-changed=DOCS_RS"]);
    let include = format!("rustc-env=VAT_RS={}", first.out.join("vat.rs").display());
    wanted.push(&include);
    assert_eq!(first.lines, wanted, "no output, no missing path");
    let text = first.include();
    for part in [
        "vat_character! { it, ",
        "(\"it\", \"it.glb\") => Some(include_bytes!(\"vat/it/it.glb\"))",
        "pub const WGSL: &str",
    ] {
        assert!(text.contains(part), "{text}");
    }
    let again = Script::new(&package, "embed").with("VATPIPE", NOWHERE).run().succeeded();
    assert_eq!((again.origin.as_str(), again.lines), ("Fresh", first.lines));
    assert_eq!(package.snapshot(), before, "nothing is written but into OUT_DIR and the cache");
}

#[test]
fn a_changed_model_is_baked_and_a_forgotten_character_removed() {
    let package = Package::new();
    package.write("art/more.gltf", &model(&["a", "b"]));
    let two = "[characters.it]\nsource = \"art/it.gltf\"\n[characters.more]\nsource = \"art/more.gltf\"\n";
    package.write("vat.toml", two);
    let first = Script::new(&package, "embed").run().succeeded();
    assert!(
        first.include().contains("vat_character! { more, ") && first.out.join("vat/more/more.glb").exists()
    );
    package.write("art/it.gltf", &model(&["other"]));
    let changed = Script::new(&package, "embed").run().succeeded();
    assert_eq!(changed.origin, "Program");
    assert!(changed.include().contains("\"other\""));
    package.write("vat.toml", "[characters.it]\nsource = \"art/it.gltf\"\n");
    let fewer = Script::new(&package, "embed").run().succeeded();
    assert_eq!(fewer.origin, "Program");
    assert!(!fewer.include().contains("vat_character! { more, ") && !fewer.out.join("vat/more").exists());
}

#[test]
fn a_damaged_output_is_made_again() {
    let package = Package::new();
    let first = Script::new(&package, "embed").run().succeeded();
    let mesh = first.out.join("vat/it/it.glb");
    let bytes = fs::read(&mesh).unwrap();
    for damage in [None, Some(b"damaged".as_slice())] {
        match damage {
            None => fs::remove_file(&mesh).unwrap(),
            Some(damage) => fs::write(&mesh, damage).unwrap(),
        }
        let again = Script::new(&package, "embed").run().succeeded();
        assert_eq!((again.origin.as_str(), fs::read(&mesh).unwrap()), ("Program", bytes.clone()));
    }
}

#[test]
fn without_a_program_the_script_bakes_and_says_how_to_have_it_optimised() {
    let package = Package::new();
    let ran = Script::new(&package, "embed").with("VATPIPE", NOWHERE).run().succeeded();
    assert_eq!(ran.origin, "Script");
    let warning = ran.lines.iter().find(|line| line.starts_with("warning=")).unwrap();
    assert!(warning.contains("build-override") && warning.contains("opt-level = 3"), "{warning}");
    let program = Script::new(&package, "embed").run().succeeded();
    assert_eq!((program.origin.as_str(), program.include()), ("Fresh", ran.include()), "both make the same");
}

#[test]
fn a_program_and_a_script_make_the_same_files() {
    let (one, other) = (Package::new(), Package::new());
    let program = Script::new(&one, "named").run().succeeded();
    let script = Script::new(&other, "named").with("VATPIPE", NOWHERE).run().succeeded();
    assert!(
        program.lines.iter().any(|line| line.starts_with("rustc-env=FAR_AWAY_RS=")),
        "{:?}",
        program.lines
    );
    for file in ["far-away.rs", "far-away/vat.hlsl", "far-away/it/it.vat.json", "far-away/it/it_0_VAT.ktx2"] {
        let bytes = |ran: &super::work::Ran| fs::read(ran.out.join(file)).unwrap();
        assert_eq!(bytes(&program), bytes(&script), "{file}");
    }
}

#[test]
fn a_cache_that_cannot_be_written_is_done_without() {
    let package = Package::new();
    fs::write(package.beside("file"), "").unwrap();
    let cache = package.beside("file").join("cache");
    let ran = Script::new(&package, "embed").with("VATPIPE_CACHE_DIR", &cache).run().succeeded();
    assert_eq!(ran.origin, "Program");
    assert!(ran.lines.iter().any(|line| line.contains("cannot be used")), "{:?}", ran.lines);
    package.write("art/it.gltf", &model(&["other"]));
    let quiet = Script::new(&package, "quiet").with("VATPIPE_CACHE_DIR", &cache).run().succeeded();
    assert!(quiet.lines.iter().all(|line| !line.starts_with("warning=")), "{:?}", quiet.lines);
}

#[test]
fn files_and_constants_alone() {
    let package = Package::new();
    let ran = Script::new(&package, "files").run().succeeded();
    let text = ran.include();
    assert!(
        text.contains("concat!(env!(\"OUT_DIR\"), \"/vat\")") && !text.contains("include_bytes"),
        "{text}"
    );
    assert!(!ran.lines.iter().any(|line| line.starts_with("warning=")), "{:?}", ran.lines);
    let ran = Script::new(&package, "files").with("TARGET", "wasm32-unknown-unknown").run().succeeded();
    assert!(
        ran.lines.iter().any(|line| line.contains("warning=the game is compiled for wasm32")),
        "{:?}",
        ran.lines
    );
    let text = Script::new(&package, "elsewhere").run().succeeded().include();
    assert!(!text.contains("FOLDER") && !text.contains("include_bytes"));
}

#[test]
fn settings_follow_the_profile_and_features() {
    let package = Package::new();
    let frames = |profile: &str, features: &[&'static str]| {
        let script = Script::new(&package, "profiles").with("PROFILE", profile);
        let script = features.iter().fold(script, |script, feature| script.with(feature, "1"));
        let text = script.run().succeeded().include();
        // Of a track the numbers are: sheet, width, layer, first row, rows of a band, frames.
        let clip = text.lines().find(|line| line.trim_start().starts_with("clip ")).unwrap();
        let track = clip.split_once("track(").unwrap().1;
        track.split(", ").nth(5).unwrap().parse::<u32>().unwrap()
    };
    // A second that does not loop has a frame at both ends.
    assert_eq!([frames("debug", &[]), frames("release", &[])], [6, 21]);
    assert_eq!(frames("release", &["CARGO_FEATURE_LOW_RATE"]), 3);
}

#[test]
fn what_is_wrong_is_said_in_words() {
    let package = Package::new();
    let fails = |script: Script, parts: &[&str]| {
        let ran = script.run();
        assert!(!ran.ok && ran.lines.is_empty(), "{:?}", ran.lines);
        parts.iter().for_each(|part| assert!(ran.err.contains(part), "{part}: {}", ran.err));
    };
    fails(Script::new(&package, "wrong"), &["there is no setting `fsp`", "did you mean `fps`?"]);
    fails(Script::new(&package, "manifest"), &["art/other.toml", "it does not exist"]);
    package.write("vat.toml", "[characters.it]\nsource = \"art/if.gltf\"\n");
    fails(
        Script::new(&package, "embed"),
        &["art/if.gltf", "did you mean `it.gltf`?", "code: files::unreadable"],
    );
    package.write("vat.toml", "[characters.it]\nsource = \"art/it.gltf\"\nfsp = 3\n");
    fails(Script::new(&package, "embed"), &["vat.toml:3:1", "manifest::unknown-key"]);
    fs::remove_file(package.path("vat.toml")).unwrap();
    package.write("Cargo.lock", "");
    fails(Script::new(&package, "embed"), &["there is no vat.toml", "vatpipe init"]);
}

/// Another version, something else, nothing.
#[cfg(unix)]
#[test]
fn a_program_of_another_version_is_not_taken() {
    use std::os::unix::fs::PermissionsExt;
    let package = Package::new();
    for (text, origin) in [("echo vatpipe 0.0.1", "Script"), ("echo hello", "Fresh"), ("exit 1", "Fresh")] {
        let program = package.beside("program");
        fs::write(&program, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let ran = Script::new(&package, "embed").with("VATPIPE", &program).run().succeeded();
        assert_eq!(ran.origin, origin, "{text}");
    }
}

/// The script of a member finds the manifest of its workspace.
#[test]
fn a_manifest_above_is_found_up_to_the_workspace() {
    let package = Package::new();
    package.write("Cargo.lock", "");
    package.write("member/src/lib.rs", "");
    let member = Script::new(&package, "embed").in_folder("member").run().succeeded();
    let wanted =
        ["rerun-if-changed=../art", "rerun-if-changed=../art/it.gltf", "rerun-if-changed=../vat.toml"];
    assert_eq!(member.lines[..3], wanted);
}
