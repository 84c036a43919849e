//! Budgets: failures, plans, figures, comparisons.

use serde_json::Value;

use super::{Folder, model};

const CRAB: &str = "[output]\ntargets = []\n[characters.crab]\nsource = \"art/crab.gltf\"\n";

fn crab(settings: &str) -> Folder {
    let folder = Folder::new();
    folder.write("art/crab.gltf", &model(&["Walk", "Run"])).write("vat.toml", &format!("{CRAB}{settings}"));
    folder
}

/// The values of keys like `` `format = "rgba16ui"` `` in a text, as lines of a manifest.
fn settings(text: &str) -> String {
    let (set, _) = text.split_once(" would do").expect("something that would do");
    let set = &set[set.rfind("help: ").map_or(0, |at| at + 6)..];
    set.split('`').filter(|part| part.contains(" = ")).map(|part| format!("{part}\n")).collect()
}

#[test]
fn over_the_budget_keeps_the_last_outputs_and_names_what_would_do() {
    let folder = crab("format = \"rgba8\"\n");
    assert_eq!(folder.run(&["build", "-q"]).code, 0);
    let before = folder.read("assets/vat/crab/crab.vat.json");
    // A clip that moves 1 m in ten straight pieces is exact at 10 fps: the error is that of 8 bits over 2 m.
    folder.write("vat.toml", &format!("{CRAB}format = \"rgba8\"\nfps = 20\nmax_error = \"0.1mm\"\n"));
    let run = folder.run(&["build"]);
    assert_eq!(run.code, 1, "{}", run.out);
    assert!(run.err.contains("budget::position") && run.err.contains("clip `Walk` is "), "{}", run.err);
    assert!(run.err.contains("more than `max_error` allows (0.1 mm)"), "{}", run.err);
    assert!(run.err.contains("stored as rgba8 at 20 fps"), "{}", run.err);
    assert!(run.err.contains("crab failed; its last outputs"), "{}", run.err);
    assert_eq!(folder.read("assets/vat/crab/crab.vat.json"), before);
    // A second time it is known: nothing is baked.
    let (code, messages) = folder.json(&["build"]);
    let reasons: Vec<&str> = messages.iter().map(|m| m["reason"].as_str().unwrap()).collect();
    assert_eq!(code, 1);
    assert!(reasons.contains(&"clip-failed") && !reasons.contains(&"clip-baked"), "{reasons:?}");
    // What it names passes.
    let set = settings(&run.err);
    assert!(set.contains("format = \"rgba16ui\""), "{set}");
    let set = if set.contains("fps") { set } else { format!("{set}fps = 20\n") };
    folder.write("vat.toml", &format!("{CRAB}{set}max_error = \"0.1mm\"\n"));
    let run = folder.run(&["build"]);
    assert_eq!(run.code, 0, "{}", run.err);
}

#[test]
fn what_is_to_be_decided_needs_a_budget() {
    let run = crab("format = \"auto\"\n").run(&["build"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("manifest::budget") && run.err.contains("max_error = \"1mm\""), "{}", run.err);
}

#[test]
fn a_plan_writes_no_output_and_is_what_a_build_takes() {
    let folder = crab("format = \"auto\"\nfps = \"auto\"\nmax_error = \"1.5mm\"\n");
    let run = folder.run(&["build", "--plan"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(!folder.path("assets").exists());
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines[0], "crab");
    assert_eq!(lines[1], "  Walk, 1.00 s once, at most 1.50 mm off");
    assert!(lines[2].contains("rate  frames  format"), "{}", run.out);
    assert_eq!(lines.iter().filter(|line| line.starts_with("    > ")).count(), 2, "{}", run.out);
    assert!(lines.last().unwrap().starts_with("2 clips, "), "{}", run.out);
    // Again, in JSON: the same, out of the cache.
    let (code, messages) = folder.json(&["build", "--plan"]);
    assert_eq!(code, 0);
    let [walk, run, finished] = messages.as_slice() else { panic!("{messages:?}") };
    assert_eq!((walk["reason"].as_str(), walk["clip"].as_str()), (Some("clip-plan"), Some("Walk")));
    let chosen = &walk["candidates"][walk["chosen"].as_u64().unwrap() as usize];
    assert_eq!((chosen["passes"].as_bool(), chosen["format"].as_str()), (Some(true), Some("rgb10a2")));
    assert_eq!((&finished["reason"], &finished["success"]), (&"plan-finished".into(), &true.into()));
    let total = [walk, run]
        .map(|clip| clip["candidates"][clip["chosen"].as_u64().unwrap() as usize]["bytes"].as_u64());
    assert_eq!(finished["gpu_bytes"].as_u64(), total.into_iter().sum());
    // A build finds all of it in the cache, and takes what was planned.
    let (code, messages) = folder.json(&["build"]);
    assert_eq!(code, 0);
    assert!(messages.iter().all(|message| message["reason"] != "clip-baked"), "{messages:?}");
    let metadata: Value = serde_json::from_str(&folder.read("assets/vat/crab/crab.vat.json")).unwrap();
    assert_eq!(metadata["clips"][0]["tracks"][0]["fps"], chosen["fps"]);
    assert_eq!(metadata["clips"][0]["tracks"][0]["error"]["sample"]["max"], chosen["sample"]);
    // What a build would fail at, a plan fails at; the table is there all the same.
    folder.write(
        "vat.toml",
        &format!("{CRAB}format = \"rgba8\"\nmax_error = \"1um\"\n").replace("1um", "0.1mm"),
    );
    let run = folder.run(&["build", "--plan"]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("1 character would fail") && run.out.contains("  over"), "{}", run.out);
    assert!(run.err.contains("budget::position"), "{}", run.err);
    assert_eq!(folder.run(&["build", "--plan", "--figures", "f.json"]).code, 2);
}

#[test]
fn figures_are_of_what_is_published() {
    let folder = crab("format = \"auto\"\nmax_error = \"1.5mm\"\n");
    let run = folder.run(&["build", "-q", "--figures", "figures.json"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let text = folder.read("figures.json");
    let figures: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(figures["schema"], "vatpipe/figures/1");
    let crab = &figures["characters"][0];
    let clip = &crab["clips"][0];
    assert_eq!((crab["name"].as_str(), clip["name"].as_str()), (Some("crab"), Some("Walk")));
    // Three columns, 31 frames and a guard row, four bytes a texel.
    assert_eq!(
        (clip["gpu_bytes"].as_u64(), crab["gpu_bytes"].as_u64()),
        (Some(3 * 32 * 4), Some(3 * 64 * 4))
    );
    let track = &clip["tracks"][0];
    assert_eq!((track["format"].as_str(), track["frames"].as_u64()), (Some("rgb10a2"), Some(31)));
    assert!(track["error"]["sample"]["worst"]["column"].is_u64(), "{track}");
    assert_eq!(clip["candidates"][0]["format"], "rgb10a2");
    let sizes = ["crab.glb", "crab.vat.json", "crab_0_VAT.ktx2"]
        .map(|file| std::fs::metadata(folder.path("assets/vat/crab").join(file)).unwrap().len());
    assert_eq!(crab["file_bytes"].as_u64(), Some(sizes.iter().sum()));
    assert_eq!(figures["file_bytes"], crab["file_bytes"]);
    // With nothing to do they are the same.
    assert_eq!(folder.run(&["build", "-q", "--figures", "again.json"]).code, 0);
    assert_eq!(folder.read("again.json"), text);
    // Of a build that fails there are none.
    folder.write("vat.toml", &format!("{CRAB}format = \"rgba8\"\nmax_error = \"0.1mm\"\n"));
    assert_eq!(folder.run(&["build", "-q", "--figures", "none.json"]).code, 1);
    assert!(!folder.path("none.json").exists());
}

#[test]
fn what_is_worse_than_before_fails() {
    let folder = crab("format = \"rgb10a2\"\n");
    assert_eq!(folder.run(&["build", "-q", "--figures", "old.json"]).code, 0);
    let same = folder.run(&["build", "-q", "--compare", "old.json", "--tolerance", "0%"]);
    assert_eq!((same.code, same.err.as_str()), (0, ""));
    folder.write("vat.toml", &format!("{CRAB}format = \"rgba8\"\n"));
    let run = folder.run(&["build", "-q", "--compare", "old.json", "--figures", "new.json"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("crab / Walk: error at and between the frames grew from "), "{}", run.err);
    assert!(run.err.contains("worse than before by more than 5.00 %"), "{}", run.err);
    assert!(folder.path("new.json").is_file());
    let (code, messages) = folder.json(&["build", "--compare", "old.json"]);
    assert_eq!(code, 1);
    let worse: Vec<&Value> = messages.iter().filter(|m| m["reason"] == "regression").collect();
    assert!(worse.iter().any(|m| m["clip"] == "Run" && m["figure"] == "encode"), "{messages:?}");
    assert!(worse.iter().all(|m| m["figure"] != "gpu_bytes"), "{messages:?}");
    // Four times worse is within 1000 %.
    assert_eq!(folder.run(&["build", "-q", "--compare", "old.json", "--tolerance", "1000%"]).code, 0);
    folder.write("vat.toml", &format!("{CRAB}format = \"rgba32f\"\n"));
    let run = folder.run(&["build", "-q", "--compare", "old.json"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("all characters: memory on the GPU grew from 768 B to 3.07 kB"), "{}", run.err);
    folder.write("other.json", "{}");
    for (arguments, says) in [
        (vec!["--compare", "nothing.json"], "cannot be read"),
        (vec!["--compare", "other.json"], "no figures"),
        (vec!["--compare", "old.json", "--tolerance", "5"], "per cent"),
        (vec!["--tolerance", "5%"], "--compare"),
    ] {
        let run = folder.run(&[vec!["build"], arguments].concat());
        assert_eq!(run.code, 2, "{}", run.err);
        assert!(run.err.contains(says), "{}", run.err);
    }
}
