//! `inspect`, `init`, `schema`, `completions`, and arguments that are wrong.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{Folder, model};

#[test]
fn arguments_that_are_wrong() {
    let folder = Folder::new();
    for (arguments, says) in [
        (&[][..], "Usage: vatpipe"),
        (&["biuld"], "build"),
        (&["build", "--jobs", "0"], "0 is not in 1..=1024"),
        (&["build", "--message-format", "xml"], "human"),
        (&["inspect"], "<FILE>"),
        (&["inspect", "x.glb", "--fps", "0"], "a number above 0"),
        (&["completions", "tcsh"], "bash"),
    ] {
        let run = folder.run(arguments);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{arguments:?}");
        assert!(run.err.contains(says), "{arguments:?}: {}", run.err);
    }
    for arguments in [&["--help"][..], &["--version"], &["help", "build"], &["build", "--help"]] {
        let run = folder.run(arguments);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{arguments:?}");
        assert!(run.out.contains("vatpipe"), "{arguments:?}");
    }
    assert!(folder.run(&["--help"]).out.contains("3 `check` found outputs that are out of date"));
}

#[test]
fn inspect_shows_what_a_file_holds() {
    let folder = Folder::new();
    folder.write("crab.gltf", &model(&["Walk", ""]));
    let run = folder.run(&["inspect", "crab.gltf"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let first = run.out.lines().next().unwrap();
    let says =
        "crab.gltf  1 triangle, 3 vertices in 3 columns; 0 joints, 0 morph targets, 0 materials, 2 clips";
    assert_eq!(first, says);
    assert!(run.out.contains("  body         3          1  its node"), "{}", run.out);
    assert!(run.out.contains("  0  Walk          1.00 s     0.00 s   10 fps  1 move"), "{}", run.out);
    assert!(run.out.contains("  1  (unnamed, 1)  1.00 s"), "{}", run.out);
    // 3 columns, 31 frames and a guard row, 8 bytes: 768.
    assert!(run.out.contains("  Walk              31     768 B    768 B"), "{}", run.out);
    assert!(!run.out.contains('\u{1b}'));
}

#[test]
fn inspect_in_json() {
    let folder = Folder::new();
    folder.write("crab.gltf", &model(&["Walk"]));
    let (code, messages) = folder.json(&["inspect", "crab.gltf", "--fps", "10"]);
    assert_eq!((code, messages.len()), (0, 1));
    let shown = &messages[0];
    assert_eq!(
        (&shown["reason"], &shown["columns"], &shown["fps"]),
        (&json!("inspected"), &json!(3), &json!(10.0))
    );
    let clip = &shown["clips"][0];
    assert_eq!(
        (&clip["name"], &clip["frames"], &clip["key_rate"]),
        (&json!("Walk"), &json!(11), &json!(10.0))
    );
    assert_eq!((&clip["bytes"]["rgba16ui"], &clip["bytes"]["rgba32f"]), (&json!(288), &json!(576)));
    assert_eq!(shown["bytes"]["rgba8"], 144);
    assert_eq!(shown["parts"][0]["node"], "body");
}

#[test]
fn inspect_of_what_is_no_model() {
    let folder = Folder::new();
    folder.write("lfs.glb", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n");
    let run = folder.run(&["inspect", "lfs.glb"]);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert!(run.err.contains("lfs.glb") && run.err.contains("LFS"), "{}", run.err);
    assert_eq!(folder.run(&["inspect", "nothing.glb"]).code, 2);
}

#[test]
fn init_writes_what_builds() {
    let folder = Folder::new();
    folder
        .write("art/crab.gltf", &model(&["Walk", "Armature|Run \"fast\"", ""]))
        .write("art/sub/my.crab (final).gltf", &model(&["Walk"]))
        .write("art/sub/CRAB.gltf", &model(&[]))
        .write("art/sub/con.gltf", &model(&["Walk"]))
        .write("art/broken.glb", "glTF")
        .write(".hidden/a.gltf", &model(&[]))
        .write("target/a.gltf", &model(&[]))
        .write("node_modules/x/a.gltf", &model(&[]))
        .write("assets/vat/a/a.gltf", &model(&[]))
        .write("assets/vat/a/a.vat.json", "{}");
    let run = folder.run(&["init"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(run.out, "wrote vat.toml with 4 characters; next: vatpipe build\n");
    assert!(run.err.contains("art/broken.glb"), "{}", run.err);
    let text = folder.read("vat.toml");
    let manifest = vatpipe::manifest::load(&text, &folder.path("vat.toml")).unwrap();
    let names: Vec<&str> = manifest.recipes.iter().map(|recipe| recipe.character.as_str()).collect();
    assert_eq!(names, ["crab", "CRAB_2", "con_2", "my.crab__final"]);
    assert!(text.contains("# clip.Walk.loop = true  # 1.00 s, keys at 10 fps"), "{text}");
    assert!(text.contains("clips = \"all\"\n# fps = 10  # the rate of its keys"), "{text}");
    // Every comment that is an example is right once its `#` is gone.
    let is_example =
        |line: &str| line.starts_with("# ") && line.split('#').nth(1).is_some_and(|l| l.contains(" = "));
    let all: Vec<&str> = text.lines().map(|l| if is_example(l) { &l[2..] } else { l }).collect();
    let all = vatpipe::manifest::load(&all.join("\n"), &folder.path("vat.toml"));
    let all = all.unwrap_or_else(|problems| panic!("{problems}"));
    let clips: Vec<&str> = all.recipes[0].clips.iter().map(|clip| clip.name.as_str()).collect();
    assert_eq!(clips, ["Walk", "Armature|Run \"fast\""]);
    // The model without clips fails, and says why; the others are baked.
    let run = folder.run(&["build"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("CRAB_2 failed") && run.err.ends_with("\n1 character failed\n"), "{}", run.err);
}

#[test]
fn init_replaces_nothing_unasked() {
    let folder = Folder::new();
    folder.write("crab.gltf", &model(&["Walk"])).write("vat.toml", "# mine\n");
    let run = folder.run(&["init"]);
    assert_eq!((run.code, folder.read("vat.toml").as_str()), (2, "# mine\n"));
    assert!(run.err.contains("there is a manifest already") && run.err.contains("--force"), "{}", run.err);
    assert_eq!(folder.run(&["init", "--force"]).code, 0);
    assert!(folder.read("vat.toml").contains("[characters.crab]"));
    let elsewhere = folder.json(&["init", "--manifest", "sub/vat.toml"]);
    assert_eq!((elsewhere.0, &elsewhere.1[0]["code"]), (2, &json!("init::unreadable")));
}

#[test]
fn init_without_models() {
    let run = Folder::new().run(&["init"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("there is no glTF model"), "{}", run.err);
}

#[test]
fn the_schema_is_printed() {
    let run = Folder::new().run(&["schema"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert_eq!(serde_json::from_str::<Value>(&run.out).unwrap(), vatpipe::manifest::schema());
}

#[test]
fn completions_are_printed() {
    let folder = Folder::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = folder.run(&["completions", shell]);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{shell}");
        assert!(run.out.contains("inspect") && run.out.contains("message-format"), "{shell}");
    }
}

/// `vatpipe schema | head -0`: nobody reads, and nothing goes wrong.
#[test]
fn a_reader_may_stop_reading() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_vatpipe"))
        .args(["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}
