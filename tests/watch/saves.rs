//! Saves of whole files: each is noticed, once.

use std::fs;
use std::time::{Duration, SystemTime};

use super::{Heard, Project, Watched, baked, changed, failures, model, patient};

/// Cases 13 and 14: a file that is replaced is still watched.
#[test]
fn every_atomic_save_is_one_bake() {
    let mut watched = Watched::start(Project::new(), patient());
    for save in 0..3 {
        watched.folder.put("art/a.glb", &model(2, 10.0 + save as f32).glb());
        let round = watched.round();
        assert_eq!(
            (baked(&round), changed(&round)),
            (vec!["a.clip1".to_owned()], vec![vec!["a.glb".to_owned()]])
        );
    }
    // Deleted, and there again.
    fs::remove_file(watched.path("art/a.glb")).unwrap();
    let unfinished = watched.until(|heard| matches!(heard, Heard::Unfinished(..)));
    assert_eq!(unfinished.len(), 1, "{unfinished:?}");
    fs::write(watched.path("art/a.glb"), model(2, 20.0).glb()).unwrap();
    let round = watched.round();
    assert_eq!((baked(&round), failures(&round)), (vec!["a.clip1".to_owned()], 0));
    // The folder too.
    fs::rename(watched.path("art"), watched.path("old")).unwrap();
    watched.until(|heard| matches!(heard, Heard::Unfinished(..)));
    fs::create_dir(watched.path("art")).unwrap();
    watched.folder.put("art/b.glb", &model(2, 2.0).glb());
    watched.folder.put("art/a.glb", &model(2, 21.0).glb());
    let round = watched.round();
    assert_eq!((baked(&round), failures(&round)), (vec!["a.clip1".to_owned()], 0));
}

/// A file that is replaced by an older one, times and all, is another file (case 36).
#[test]
fn an_older_file_is_a_change() {
    let mut watched = Watched::start(Project::new(), patient());
    let old = watched.path("art/old.glb");
    fs::write(&old, model(2, 5.0).glb()).unwrap();
    let long_ago = SystemTime::now() - Duration::from_secs(1_000_000);
    fs::File::options().append(true).open(&old).unwrap().set_modified(long_ago).unwrap();
    fs::rename(&old, watched.path("art/a.glb")).unwrap();
    assert_eq!(baked(&watched.round()), ["a.clip1"]);
    // The same bytes once more: looked at, and nothing is baked or written.
    let before = watched.folder.outputs();
    fs::write(watched.path("art/a.glb"), model(2, 5.0).glb()).unwrap();
    let round = watched.round();
    assert_eq!((changed(&round).len(), baked(&round).len()), (1, 0));
    assert!(!round.iter().any(Heard::is_published) && before == watched.folder.outputs());
}

#[test]
fn a_manifest_that_is_edited_brings_new_characters() {
    let project = Project::new();
    project.put("art/c.glb", &model(1, 3.0).glb());
    let mut watched = Watched::start(project, patient());
    watched.folder.manifest("out", &["a", "b", "c"]);
    let round = watched.round();
    assert_eq!(
        (baked(&round), changed(&round)),
        (vec!["c.clip0".to_owned()], vec![vec!["vat.toml".to_owned()]])
    );
    assert!(watched.path("out/c/c.vat.json").exists());
    // It is watched from now on, and one that is gone is not.
    watched.folder.put("art/c.glb", &model(1, 4.0).glb());
    assert_eq!(baked(&watched.round()), ["c.clip0"]);
    watched.folder.manifest("out", &["b", "c"]);
    watched.round();
    assert!(!watched.path("out/a").exists());
    watched.folder.put("art/a.glb", &model(2, 50.0).glb());
    watched.folder.put("art/c.glb", &model(1, 5.0).glb());
    let round = watched.round();
    assert_eq!(changed(&round), [["c.glb"]]);
}

/// A manifest that is wrong, or an empty one, is told once; the last outputs stay.
#[test]
fn a_manifest_that_is_wrong_is_waited_for() {
    let mut watched = Watched::start(Project::new(), patient());
    let (before, text) = (watched.folder.outputs(), fs::read_to_string(watched.path("vat.toml")).unwrap());
    watched.folder.put("vat.toml", text.replace("source", "sauce").as_bytes());
    let round = watched.round();
    let problems: Vec<&Heard> = round.iter().filter(|heard| matches!(heard, Heard::Problem(..))).collect();
    assert!(!problems.is_empty() && baked(&round).is_empty(), "{round:?}");
    assert_eq!(watched.folder.outputs(), before);
    watched.folder.put("vat.toml", text.replace("fps = 10", "fps = 20").as_bytes());
    // One of the two clips is the same in both.
    assert_eq!(baked(&watched.round()).len(), 3);
    assert_ne!(watched.folder.outputs(), before);
}

/// What is whole and wrong is told; the last good outputs stay, and the next save is built.
#[test]
fn a_broken_save_is_told_and_the_next_one_is_built() {
    let mut watched = Watched::start(Project::new(), patient());
    let before = watched.folder.outputs();
    let mut broken = model(2, 3.0);
    broken.set("/accessors/0/count", serde_json::json!(1_000_000));
    watched.folder.put("art/a.glb", &broken.glb());
    let round = watched.round();
    assert_eq!((failures(&round), baked(&round).len()), (1, 0), "{round:?}");
    assert_eq!(watched.folder.outputs(), before);
    // Another character meanwhile; the broken one is told again.
    watched.folder.put("art/b.glb", &model(2, 7.0).glb());
    let round = watched.round();
    assert_eq!((failures(&round), baked(&round)), (1, vec!["b.clip1".to_owned()]), "{round:?}");
    watched.folder.put("art/a.glb", &model(2, 3.0).glb());
    let round = watched.round();
    assert_eq!((failures(&round), baked(&round)), (0, vec!["a.clip1".to_owned()]), "{round:?}");
}

/// What is cut short and stays so is a broken save as well.
#[test]
fn patience_has_an_end() {
    let mut options = patient();
    options.times.patience = Duration::from_millis(500);
    let mut watched = Watched::start(Project::new(), options);
    let before = watched.folder.outputs();
    let whole = model(2, 3.0).glb();
    watched.folder.put("art/a.glb", &whole[..whole.len() / 2]);
    let round = watched.round();
    assert!(matches!(&round[0], Heard::Unfinished(_, why) if why.contains(" of ")), "{round:?}");
    assert_eq!(failures(&round), 1, "{round:?}");
    assert_eq!(watched.folder.outputs(), before);
    fs::remove_file(watched.path("art/a.glb")).unwrap();
    assert_eq!(failures(&watched.round()), 1);
    assert_eq!(watched.folder.outputs(), before);
    watched.folder.put("art/a.glb", &whole);
    assert_eq!((baked(&watched.round()).len(), failures(&[])), (1, 0));
}

/// Outputs beside inputs, in the folder that is watched, and reading: neither wakes it.
#[test]
fn its_own_outputs_and_its_own_reading_do_not_wake_it() {
    let project = Project::new();
    for name in ["a", "b"] {
        fs::rename(project.path(&format!("art/{name}.glb")), project.path(&format!("{name}.glb"))).unwrap();
    }
    let text = fs::read_to_string(project.path("vat.toml")).unwrap();
    project.put("vat.toml", text.replace("art/", "").replace("\"out\"", "\".\"").as_bytes());
    let mut watched = Watched::start(project, patient());
    assert!(watched.path("vat.published.json").exists() && watched.path("vat.rs").exists());
    for to in [3.0, 4.0, 5.0] {
        for name in ["a.glb", "b.glb", "vat.toml", "vat.rs"] {
            fs::read(watched.path(name)).unwrap();
        }
        fs::write(watched.path("other.glb"), "no input").unwrap();
        watched.folder.put("a.glb", &model(2, to).glb());
        let round = watched.round();
        assert_eq!((changed(&round), baked(&round).len()), (vec![vec!["a.glb".to_owned()]], 1), "{round:?}");
    }
}

#[test]
fn templates_that_come_change_and_go_are_noticed() {
    let project = Project::new();
    let text = fs::read_to_string(project.path("vat.toml")).unwrap();
    let with = "targets = [\"rust\", \"list\"]\ntemplates = \"templates\"";
    project.put("vat.toml", text.replace("targets = [\"rust\"]", with).as_bytes());
    project.put("templates/vat.list", b"{% for c in characters %}{{ c.name }} {% endfor %}");
    let mut watched = Watched::start(project, patient());
    let made = |watched: &Watched, name: &str| fs::read_to_string(watched.path(name)).unwrap();
    assert_eq!(made(&watched, "out/vat.list").trim(), "a b");
    watched.folder.put("templates/vat.list", b"all: {% for c in characters %}{{ c.name }} {% endfor %}");
    let round = watched.round();
    assert_eq!((changed(&round), baked(&round).len()), (vec![vec!["vat.list".to_owned()]], 0));
    assert_eq!(made(&watched, "out/vat.list").trim(), "all: a b");
    // One of its own in place of what is built in.
    watched.folder.put("templates/vat.rs", b"// mine\n");
    let round = watched.round();
    assert_eq!(
        (changed(&round), made(&watched, "out/vat.rs").trim()),
        (vec![vec!["vat.rs".to_owned()]], "// mine")
    );
    // It goes, and so does what nobody can make any more.
    watched.folder.put("vat.toml", text.as_bytes());
    watched.round();
    assert!(!watched.path("out/vat.list").exists());
    assert_ne!(made(&watched, "out/vat.rs").trim(), "// mine");
}

/// What is missing at the start may be a template.
#[test]
fn a_template_that_is_missing_is_waited_for() {
    let project = Project::new();
    let text = fs::read_to_string(project.path("vat.toml")).unwrap();
    let with = "targets = [\"rust\", \"list\"]\ntemplates = \"templates\"";
    project.put("vat.toml", text.replace("targets = [\"rust\"]", with).as_bytes());
    fs::create_dir(project.path("templates")).unwrap();
    let mut watched = Watched::start(project, patient());
    assert!(!watched.path("out").exists());
    watched.folder.put("templates/vat.list", b"{% for c in characters %}{{ c.name }} {% endfor %}");
    let round = watched.round();
    assert!(!baked(&round).is_empty(), "{round:?}");
    assert_eq!(fs::read_to_string(watched.path("out/vat.list")).unwrap().trim(), "a b");
}
