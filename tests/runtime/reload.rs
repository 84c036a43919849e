//! What a running program sees of builds: whole changes, nothing in between, nothing twice.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;
use vatpipe::manifest;
use vatpipe::run::{self, Options};
use vatpipe::runtime::{Changes, Character, Reload};

use crate::support::models::moving_triangle;

/// A project of two characters, `ant` and `bee`.
struct Project(TempDir);

impl Project {
    fn new() -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        project.model("ant", 1.0);
        project.model("bee", 2.0);
        project.manifest(10);
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn model(&self, name: &str, to: f32) {
        fs::write(self.path(&format!("{name}.glb")), moving_triangle([to, 0.0, 0.0]).glb()).unwrap();
    }

    fn manifest(&self, fps: u32) {
        let text = format!(
            "[output]\ndir = 'out'\ntargets = ['wgsl']\n[defaults]\nfps = {fps}\n[characters.ant]\nsource = 'ant.glb'\n[characters.bee]\nsource = 'bee.glb'\n"
        );
        fs::write(self.path("vat.toml"), text).unwrap();
    }

    fn build(&self) {
        let path = self.path("vat.toml");
        let manifest = manifest::load(&fs::read_to_string(&path).unwrap(), &path).unwrap();
        let options = Options { cache: Some(self.path("cache")), ..Options::default() };
        assert_eq!(run::build(&manifest, &options, &|_| ()).failed, 0);
    }

    fn reload(&self, wanted: &[&str]) -> Reload {
        Reload::new(&self.path("out"), wanted)
    }
}

fn names(changes: &Changes) -> Vec<&str> {
    changes.characters.iter().map(|character| character.metadata().name.as_str()).collect()
}

/// Where vertex 0, which is at the origin at rest, is at the end.
fn end(character: &Character) -> f32 {
    let motion = character.motion(0, 0).unwrap();
    let positions = motion.at(motion.clip().duration).positions().map(|p| p[0]);
    positions.fold(f32::INFINITY, f32::min)
}

#[test]
fn what_a_build_changed() {
    let project = Project::new();
    let mut reload = project.reload(&[]);
    assert!(reload.poll().unwrap().is_none(), "nothing is built");
    project.build();
    let first = reload.poll().unwrap().unwrap();
    assert_eq!(names(&first), ["ant", "bee"]);
    assert!(String::from_utf8_lossy(&first.constants["vat.wgsl"]).contains("ANT_CLIP"));
    assert!(reload.poll().unwrap().is_none(), "nothing is new");
    project.build();
    assert!(reload.poll().unwrap().is_none(), "the build changed nothing");

    project.model("bee", 3.0);
    project.build();
    let second = reload.poll().unwrap().unwrap();
    assert_eq!(names(&second), ["bee"]);
    assert!((end(&second.characters[0]) - 3.0).abs() < 1e-3);
    assert!(reload.poll().unwrap().is_none());

    project.manifest(20);
    project.build();
    let third = reload.poll().unwrap().unwrap();
    assert_eq!(names(&third), ["ant", "bee"]);
    assert!(third.constants.contains_key("vat.wgsl"));
    assert_ne!(third.characters[1].metadata().layout, second.characters[0].metadata().layout);
    assert!(third.characters[1].check_layout(second.characters[0].metadata().layout).is_err());
}

#[test]
fn only_what_is_wanted() {
    let project = Project::new();
    project.build();
    let mut reload = project.reload(&["bee"]);
    assert_eq!(names(&reload.poll().unwrap().unwrap()), ["bee"]);
    project.model("ant", 5.0);
    project.build();
    // The constants are everybody's.
    let changes = reload.poll().unwrap();
    assert!(changes.is_none_or(|changes| changes.characters.is_empty()));
}

/// Each moment of a build that replaces files one by one: either nothing, or all of the old, or all of the new.
#[test]
fn never_half_a_set() {
    let project = Project::new();
    project.build();
    let old = files(&project);
    project.model("ant", 4.0);
    project.manifest(15);
    project.build();
    let new = files(&project);
    let changed: Vec<&String> = new.keys().filter(|name| new[*name] != old[*name]).collect();
    assert!(changed.len() > 4, "{changed:?}");
    let put = |name: &str, bytes: &[u8]| {
        let path = project.path("out").join(name);
        fs::write(path.with_extension("new"), bytes).unwrap();
        fs::rename(path.with_extension("new"), path).unwrap();
    };
    old.iter().for_each(|(name, bytes)| put(name, bytes));
    let mut late = project.reload(&[]);
    let mut running = project.reload(&[]);
    assert_eq!(names(&running.poll().unwrap().unwrap()), ["ant", "bee"]);
    let record = "vat.published.json";
    for name in changed.iter().filter(|name| **name != record) {
        put(name, &new[*name]);
        assert!(running.poll().unwrap().is_none(), "{name}");
        assert!(late.poll().unwrap().is_none(), "{name}: the record names other files");
    }
    put(record, &new[record]);
    for mut reload in [running, late] {
        let changes = reload.poll().unwrap().unwrap();
        assert_eq!(names(&changes), ["ant", "bee"]);
        assert!((end(&changes.characters[0]) - 4.0).abs() < 1e-3);
    }
}

fn files(project: &Project) -> std::collections::BTreeMap<String, Vec<u8>> {
    let mut files = std::collections::BTreeMap::new();
    for folder in ["", "ant", "bee"] {
        for entry in fs::read_dir(project.path("out").join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(project.path("out")).unwrap().to_str().unwrap().replace('\\', "/");
            if path.is_file() {
                files.insert(name, fs::read(path).unwrap());
            }
        }
    }
    files
}

/// A record that is not JSON, or of another time, is no news; a character that is broken is said once.
#[test]
fn records_that_cannot_be_read() {
    let project = Project::new();
    project.build();
    let record = project.path("out/vat.published.json");
    let right = fs::read_to_string(&record).unwrap();
    let mut reload = project.reload(&[]);
    let elsewhere = right.replace("ant.glb", "../ant/ant.glb");
    for text in ["", "{", "[]", &right.replace("published/1", "published/9"), &elsewhere] {
        fs::write(&record, text).unwrap();
        assert!(reload.poll().unwrap().is_none(), "{text}");
    }
    // A character that this version cannot read, and a record that says it is so.
    let path = project.path("out/ant/ant.vat.json");
    let broken = fs::read_to_string(&path).unwrap().replace("character/1", "character/2");
    let digest = |text: &str| blake3::hash(text.as_bytes()).to_hex().to_string();
    let text = right.replace(&digest(&fs::read_to_string(&path).unwrap()), &digest(&broken));
    fs::write(&path, &broken).unwrap();
    fs::write(&record, text).unwrap();
    let error = reload.poll().unwrap_err();
    assert_eq!((error.code, error.file.as_str()), ("runtime::schema", "ant.vat.json"));
    assert!(reload.poll().unwrap().is_none(), "once is enough");
    project.model("ant", 7.0);
    project.build();
    assert_eq!(names(&reload.poll().unwrap().unwrap()), ["ant", "bee"]);
}

#[test]
fn a_character_from_its_folder() {
    let project = Project::new();
    let missing = Character::open(&project.path("out"), "ant").unwrap_err();
    assert!(missing.code == "runtime::file" && missing.to_string().contains("vatpipe build"), "{missing}");
    project.build();
    let ant = Character::open(&project.path("out"), "ant").unwrap();
    assert!((end(&ant) - 1.0).abs() < 1e-3);
    assert_eq!(ant.clip("move"), ant.clip("MOVE"));
    assert_eq!(ant.clip("fly"), None);
}
