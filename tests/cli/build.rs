//! `vatpipe build`

use super::{Folder, model, run_in};

const CRAB: &str = "[characters.crab]\nsource = \"art/crab.gltf\"\n";

fn crab() -> Folder {
    let folder = Folder::new();
    folder.write("art/crab.gltf", &model(&["Walk", "Run"])).write("vat.toml", CRAB);
    folder
}

#[test]
fn a_build_says_what_it_made() {
    let folder = crab();
    let run = folder.run(&["build"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let lines: Vec<&str> = run.out.lines().collect();
    assert!(lines[0].starts_with("crab  3 vertices in 3 columns, 1 triangle; "), "{}", run.out);
    assert!(lines[1].starts_with("  clip  length  frames    rate  plays  format"), "{}", run.out);
    assert!(lines[2].starts_with("  Walk  1.00 s      31  30 fps  once   rgba16ui"), "{}", run.out);
    assert!(lines[2].contains(" mm ") && lines[3].starts_with("  Run "), "{}", run.out);
    assert!(run.out.contains("crab_0_VAT.ktx2  position  rgba16ui  3 x 64"), "{}", run.out);
    assert!(
        run.out.lines().last().unwrap().starts_with("done 1 character, 2 clips baked, 0 fresh: "),
        "{}",
        run.out
    );
    // Standard error is no terminal here: lines, and no bar.
    assert!(run.err.contains("baked crab / Walk in "), "{}", run.err);
    assert!(!run.err.contains('\u{1b}') && !run.out.contains('\u{1b}') && !run.err.contains('\r'));
    for file in ["crab.glb", "crab_0_VAT.ktx2", "crab.vat.json"] {
        assert!(folder.path("assets/vat/crab").join(file).is_file(), "{file}");
    }
    assert!(folder.path("assets/vat/vat.rs").is_file());
}

#[test]
fn quiet_builds_print_problems_only() {
    let folder = crab();
    let run = folder.run(&["build", "-q", "--jobs", "1"]);
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "", ""));
    let verbose = crab().run(&["build", "-v"]);
    assert!(verbose.out.contains("encode rms") && verbose.out.contains("crab.vat.json"), "{}", verbose.out);
    assert_eq!(folder.run(&["build", "-q", "-v"]).code, 2);
}

#[test]
fn the_manifest_is_found_from_below() {
    let folder = crab();
    folder.write("src/deep/x.txt", "");
    let run = run_in(&folder.path("src/deep"), &["build", "-q"], &[]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(folder.path("assets/vat/crab/crab.glb").is_file());
    folder.write("other/my.toml", "[characters.b]\nsource = \"../art/crab.gltf\"\n");
    let run = folder.run(&["build", "-q", "--manifest", "other/my.toml"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(folder.path("other/assets/vat/b/b.glb").is_file());
}

#[test]
fn no_manifest_is_the_command_line_being_wrong() {
    let folder = Folder::new();
    let run = folder.run(&["build"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("there is no vat.toml") && run.err.contains("vatpipe init"), "{}", run.err);
    let run = folder.run(&["build", "--manifest", "vta.toml"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("vta.toml: this file cannot be read: it does not exist"), "{}", run.err);
}

#[test]
fn a_wrong_manifest_shows_the_line_and_a_caret() {
    let folder = Folder::new();
    folder.write("vat.toml", &format!("{CRAB}frame_rat = 30\nloop = 1\n"));
    let run = folder.run(&["build"]);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert!(run.err.contains("manifest::unknown-key"), "{}", run.err);
    assert!(run.err.contains("vat.toml:3:1") && run.err.contains("vat.toml:4:8"), "{}", run.err);
    let marks = run.err.lines().find(|line| line.contains("^^^^^^^^^")).expect("a caret");
    let source = run.err.lines().find(|line| line.contains("frame_rat = 30")).expect("the line");
    assert_eq!(marks.find('^'), source.find("frame_rat"), "{}", run.err);
    assert!(run.err.contains("help: did you mean `fps`?"), "{}", run.err);
    assert!(!folder.path("assets").exists());
}

#[test]
fn a_wrong_manifest_in_json() {
    let folder = Folder::new();
    folder.write("vat.toml", &format!("{CRAB}frame_rat = 30\n"));
    let (code, messages) = folder.json(&["build"]);
    assert_eq!((code, messages.len()), (2, 1));
    let error = &messages[0];
    assert_eq!((&error["reason"], &error["code"]), (&"error".into(), &"manifest::unknown-key".into()));
    let place = serde_json::json!({ "file": "vat.toml", "line": 3, "column": 1, "span": [43, 52] });
    assert_eq!(error["place"], place);
    assert!(error["help"].as_str().unwrap().contains("`fps`"));
}

/// Runner-up 3: one bad character of several. The others are written, and the exit code says so.
#[test]
fn a_failed_character_does_not_stop_the_others() {
    let folder = crab();
    let rest = "[characters.ghost]\nsource = \"art/ghost.glb\"\n\
                [characters.fish]\nsource = \"art/crab.gltf\"\nclip.Swim.loop = true\n\
                [characters.last]\nsource = \"art/crab.gltf\"\n";
    folder.write("vat.toml", &format!("{CRAB}{rest}"));
    let run = folder.run(&["build"]);
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.err.contains("art/ghost.glb") && run.err.contains("does not exist"), "{}", run.err);
    assert!(run.err.contains("vat.toml:7:6"), "{}", run.err);
    assert!(run.err.contains("ghost failed") && run.err.contains("fish failed"), "{}", run.err);
    assert!(run.err.ends_with("\n2 characters failed\n"), "{}", run.err);
    assert!(!run.out.contains("done"), "{}", run.out);
    assert!(folder.path("assets/vat/crab/crab.glb").is_file());
    assert!(folder.path("assets/vat/last/last.glb").is_file());
    assert!(!folder.path("assets/vat/ghost").exists());
    // Those asked for are right: so is the exit code.
    assert_eq!(folder.run(&["build", "crab", "last"]).code, 0);
}

#[test]
fn characters_are_chosen_by_name() {
    let folder = crab();
    folder.write("vat.toml", &format!("{CRAB}[characters.other]\nsource = \"art/crab.gltf\"\n"));
    assert_eq!(folder.run(&["build", "other"]).code, 0);
    assert!(folder.path("assets/vat/other").exists() && !folder.path("assets/vat/crab").exists());
    let run = folder.run(&["build", "crap"]);
    assert_eq!(run.code, 2);
    assert!(
        run.err.contains("no character \"crap\"") && run.err.contains("did you mean \"crab\"?"),
        "{}",
        run.err
    );
}

#[test]
fn a_build_in_json() {
    let folder = crab();
    folder.write("vat.toml", &format!("{CRAB}[characters.ghost]\nsource = \"art/ghost.glb\"\n"));
    let (code, messages) = folder.json(&["build"]);
    assert_eq!(code, 1);
    let mut reasons: Vec<&str> = messages.iter().map(|m| m["reason"].as_str().unwrap()).collect();
    assert_eq!((reasons[0], reasons[reasons.len() - 1]), ("build-started", "build-finished"));
    reasons.sort();
    let count = |reason: &str| reasons.iter().filter(|r| **r == reason).count();
    assert_eq!((count("clip-baked"), count("character-published"), count("character-failed")), (2, 1, 1));
    assert_eq!((count("error"), count("constants-written")), (1, 3));
    let find = |reason: &str| messages.iter().find(|m| m["reason"] == reason).unwrap();
    assert_eq!(find("error")["character"], "ghost");
    assert_eq!(find("clip-baked")["clip"]["tracks"][0]["frames"], 31);
    assert_eq!(find("character-published")["character"]["schema"], "vatpipe/character/1");
    let finished = find("build-finished");
    assert_eq!((&finished["success"], &finished["failed"]), (&false.into(), &1.into()));
}

#[test]
fn colours_are_for_those_who_want_them() {
    let folder = crab();
    let always = folder.run(&["build", "--color", "always"]);
    assert!(always.out.contains("\u{1b}[1mcrab\u{1b}[0m"), "{}", always.out);
    for (arguments, variables) in [
        (vec!["build"], vec![]),
        (vec!["build", "--color", "never"], vec![]),
        (vec!["build"], vec![("NO_COLOR", "1")]),
    ] {
        let run = run_in(folder.0.path(), &arguments, &variables);
        assert!(!run.out.contains('\u{1b}') && !run.err.contains('\u{1b}'), "{arguments:?}");
    }
    // Errors of the command line itself, too.
    let wrong = folder.run(&["biuld", "--color=always"]);
    assert!(wrong.code == 2 && wrong.err.contains('\u{1b}'), "{}", wrong.err);
    assert!(!folder.run(&["biuld"]).err.contains('\u{1b}'));
}
