//! What is said of what goes wrong, and what is not.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{Folder, model};

/// A disk that is full is no success; that nobody reads on is no failure.
#[cfg(target_os = "linux")]
#[test]
fn results_that_are_lost() {
    for arguments in [&["schema"][..], &["completions", "bash"], &["--help"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output =
            Command::new(env!("CARGO_BIN_EXE_vatpipe")).args(arguments).stdout(Stdio::from(full)).output();
        let output = output.unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {err}");
        assert!(
            err.starts_with("error: standard output cannot be written: ") && err.lines().count() == 1,
            "{err}"
        );
    }
}

#[test]
fn problems_have_a_line_to_search_for() {
    let folder = Folder::new();
    for color in ["never", "always"] {
        let run = folder.run(&["inspect", "nothing.glb", "--color", color]);
        assert!(run.err.lines().next().unwrap().contains("error: files::unreadable"), "{}", run.err);
    }
    let plain = folder.run(&["inspect", "nothing.glb"]).err;
    assert!(plain.starts_with("error: files::unreadable\n"), "{plain}");
    assert!(!plain.contains("relative to the folder of the manifest"), "{plain}");
    let run = folder.run(&["build", "--manifest", "nothing.toml"]);
    assert!(run.code == 2 && !run.err.contains("relative to the folder"), "{}", run.err);
    folder.write("vat.toml", "[characters.a]\nsource = \"nothing.glb\"\n");
    let run = folder.run(&["build"]);
    assert!(run.code == 1 && run.err.contains("relative to the folder of the manifest"), "{}", run.err);
}

/// Names that Windows cannot have.
#[cfg(unix)]
#[test]
fn init_leaves_out_what_no_manifest_can_name() {
    let folder = Folder::new();
    folder.write("art/crab.gltf", &model(&["Walk"])).write("art/back\\slash.gltf", &model(&["Walk"]));
    let run = folder.run(&["init"]);
    assert_eq!((run.code, run.out.as_str()), (0, "wrote vat.toml with 1 character; next: vatpipe build\n"));
    assert!(
        run.err.starts_with("warning: init::name\n") && run.err.contains("back\\slash.gltf"),
        "{}",
        run.err
    );
    assert!(!run.err.contains("vat.toml"), "{}", run.err);
    assert_eq!(folder.run(&["build", "-q"]).code, 0);
}

/// Every comment that is an example is right once its `#` is gone, and nothing moves the cursor.
#[test]
fn odd_names_of_clips() {
    let folder = Folder::new();
    let names = ["Walk \"fast\" 'n' C:\\x", "right\u{202e}left", "line\nbreak \u{1b}[2J", "a\u{2028}b"];
    folder.write("crab.gltf", &model(&names));
    assert_eq!(folder.run(&["init"]).code, 0);
    let text = folder.read("vat.toml");
    let unseen = |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202e}' | '\u{2028}');
    assert!(!text.contains(unseen), "{text}");
    let is_clip = |line: &str| line.starts_with("# clip.") && line.contains(" = ");
    let uncomment = |line: &str| if is_clip(line) { line[2..].to_owned() } else { line.to_owned() };
    let all: Vec<String> = text.lines().map(uncomment).collect();
    let all = vatpipe::manifest::load(&all.join("\n"), &folder.path("vat.toml"));
    let all = all.unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    let clips: Vec<&str> = all.recipes[0].clips.iter().map(|clip| clip.name.as_str()).collect();
    assert_eq!(clips, [names[0], names[1], "clip_2", names[3]]);
    let run = folder.run(&["inspect", "crab.gltf"]);
    assert!(!run.out.contains(unseen), "{}", run.out);
    assert!(
        run.out.contains("right\\u{202e}left") && run.out.contains("line\\nbreak \\u{1b}[2J"),
        "{}",
        run.out
    );
}

/// Before anything is baked, at the line of the manifest or of the template.
#[test]
fn targets_that_cannot_be_written() {
    let folder = Folder::new();
    let text =
        "[output]\ntargets = [\"rust\", \"godot\"]\ntemplates = \"t\"\n[characters.a]\nsource = \"a.gltf\"\n";
    folder.write("a.gltf", &model(&["Walk"])).write("vat.toml", text).write("t/notes.md", "");
    let run = folder.run(&["build"]);
    assert_eq!((run.code, run.out.as_str()), (2, ""), "{}", run.err);
    assert!(
        run.err.starts_with("error: codegen::target\n") && run.err.contains("vat.toml:3:"),
        "{}",
        run.err
    );
    folder.write("t/vat.godot", "fine\n{% if %}\n");
    let run = folder.run(&["build"]);
    assert!(run.code == 2 && run.err.contains("t/vat.godot:2:"), "{}", run.err);
    assert!(!folder.path("assets").exists());
}

/// A model that refers to a file instead of holding its data.
fn referring(uri: &str) -> String {
    let mut model: Value = serde_json::from_str(&model(&["Walk"])).unwrap();
    model["buffers"][0]["uri"] = json!(uri);
    model.to_string()
}

#[test]
fn advice_is_what_helps() {
    let folder = Folder::new();
    let both = |uri: &str| {
        folder.write("a.gltf", &referring(uri)).write("vat.toml", "[characters.a]\nsource = \"a.gltf\"\n");
        let (build, inspect) = (folder.run(&["build"]), folder.run(&["inspect", "a.gltf"]));
        assert_eq!((build.code, inspect.code), (1, 2), "{uri}");
        [build.err, inspect.err].map(|err| {
            assert!(err.contains("files::outside"), "{uri}: {err}");
            err.contains("allow_outside")
        })
    };
    assert_eq!(both("http://example.org/a.bin"), [false, false]);
    assert_eq!(both("file:///a.bin"), [false, false]);
    assert_eq!(both("../a.bin"), [true, false]);
}

#[cfg(unix)]
#[test]
fn links_to_nothing() {
    let folder = Folder::new();
    std::os::unix::fs::symlink("gone.glb", folder.path("crab.glb")).unwrap();
    folder.write("vat.toml", "[characters.a]\nsource = \"crab.glb\"\n");
    let run = folder.run(&["build"]);
    assert!(run.err.contains("it is a link to gone.glb, which does not exist"), "{}", run.err);
    assert!(!run.err.contains("did you mean") && !run.err.contains("relative to"), "{}", run.err);
}

#[test]
fn scenes_that_are_not_there() {
    let folder = Folder::new();
    folder.write("a.gltf", &model(&["Walk"]).replace("\"nodes\":[0]", "\"name\":\"Scene\",\"nodes\":[0]"));
    folder.write("vat.toml", "[characters.a]\nsource = \"a.gltf\"\nscene = \"nope\"\n");
    let run = folder.run(&["build"]);
    assert!(run.err.contains("a.gltf: there is no scene `nope`") && !run.err.contains('#'), "{}", run.err);
    assert!(run.err.contains("the file has 1 scene: 0 `Scene`"), "{}", run.err);
    assert!(run.err.contains("vat.toml:1:"), "{}", run.err);
}

#[test]
fn lines_are_no_character() {
    let folder = Folder::new();
    folder.write("a.gltf", &model(&["Walk"]).replace("\"primitives\":[{", "\"primitives\":[{\"mode\":1,"));
    let run = folder.run(&["inspect", "a.gltf"]);
    assert!(run.code == 0 && run.err.contains("warning: inspect::no-triangles\n"), "{}", run.err);
    assert!(run.err.contains("cannot be baked"), "{}", run.err);
}

#[test]
fn what_failed_is_counted_apart() {
    let folder = Folder::new();
    let text = "[characters.a]\nsource = \"a.gltf\"\n[characters.b]\nsource = \"b.gltf\"\n";
    folder.write("a.gltf", &model(&["Walk"])).write("vat.toml", text).write("assets/vat/vat.rs/x", "");
    let run = folder.run(&["build"]);
    assert_eq!(run.code, 1);
    assert!(run.err.ends_with("\n1 character failed, and the constants\n"), "{}", run.err);
    let folder = Folder::new();
    folder.write("a.gltf", &model(&["Walk"])).write("vat.toml", "[characters.a]\nsource = \"a.gltf\"\n");
    folder.write("assets/vat/vat.rs/x", "");
    let (code, messages) = folder.json(&["build"]);
    let finished = messages.last().unwrap();
    assert_eq!((code, &finished["failed"], &finished["constants_failed"]), (1, &json!(1), &json!(true)));
    assert_eq!((&finished["success"], &finished["characters"]), (&json!(false), &json!(1)));
}
