//! Garbage collection, verification, statistics.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;
use vatpipe::cache::digest::Digest;
use vatpipe::cache::gc::{self, Limits};
use vatpipe::cache::published::Published;
use vatpipe::cache::store::{Lookup, Store};
use vatpipe::run::{self, Options, Outcome};

use crate::cli::model;

const HOUR: u64 = 3600;
const DAY: u64 = 24 * HOUR;

/// A project of two clips with keys of their own, and a cache.
struct Project(TempDir);

impl Project {
    fn new() -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        fs::write(project.path("crab.gltf"), model(&["Walk", "Run"])).unwrap();
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn root(&self) -> PathBuf {
        self.path("cache/v1")
    }

    fn build_with(&self, limits: Option<Limits>) -> Outcome {
        let text = "[characters.crab]\nsource = \"crab.gltf\"\nclips = \"all\"\nclip.Walk.loop = true\n";
        let manifest = vatpipe::manifest::load(text, &self.path("vat.toml")).unwrap();
        let options = Options { cache: Some(self.path("cache")), limits, ..Options::default() };
        let outcome = run::build(&manifest, &options, &|_| {});
        assert_eq!(outcome.failed, 0);
        outcome
    }

    fn build(&self) -> Outcome {
        self.build_with(None)
    }

    /// All files of a kind.
    fn files(&self, kind: &str) -> Vec<PathBuf> {
        let folders = fs::read_dir(self.root().join(kind)).unwrap().map(|folder| folder.unwrap().path());
        let mut files: Vec<PathBuf> =
            folders.flat_map(|f| fs::read_dir(f).unwrap().map(|file| file.unwrap().path())).collect();
        files.sort();
        files
    }

    /// Makes the whole store so many seconds old.
    fn age(&self, seconds: u64) {
        ["entries", "blobs"].iter().flat_map(|kind| self.files(kind)).for_each(|file| age(&file, seconds));
    }

    /// Publishes nothing any more.
    fn die(&self) {
        fs::remove_dir_all(self.path("assets")).unwrap();
    }
}

fn age(file: &Path, seconds: u64) {
    let time = SystemTime::now() - Duration::from_secs(seconds);
    File::options().append(true).open(file).unwrap().set_modified(time).unwrap();
}

#[test]
fn what_a_live_project_has_published_stays() {
    let project = Project::new();
    assert_eq!(project.build().baked, 2);
    project.age(365 * DAY);
    let tiny = Limits { max_bytes: 1, max_age: Duration::from_secs(1) };
    let removed = gc::collect(&project.root(), tiny).unwrap().unwrap();
    assert_eq!((removed.entries, removed.blobs), (0, 0));
    let stats = gc::stats(&project.root());
    assert_eq!((stats.entries, stats.projects.len()), (2, 1));
    assert_eq!((stats.projects[0].clips, stats.projects[0].entries), (2, 2));
    assert_eq!((stats.projects[0].bytes, stats.oldest.unwrap() / DAY), (stats.bytes, 365));
    // The project goes, and with it the reason to keep its clips.
    project.die();
    let removed = gc::collect(&project.root(), Limits::default()).unwrap().unwrap();
    assert_eq!((removed.entries, removed.blobs), (stats.entries, stats.blobs));
    assert_eq!(removed.bytes, stats.bytes);
    assert_eq!(gc::stats(&project.root()), gc::Stats::default());
    assert_eq!(project.build().baked, 2);
}

#[test]
fn the_oldest_go_first_and_three_quarters_stay() {
    let project = Project::new();
    project.build();
    let published = Published::read(&project.path("assets/vat"));
    project.die();
    project.age(2 * HOUR);
    let key = published.get("crab").unwrap().clips[0].key.digest().to_string();
    let oldest = project.root().join("entries").join(&key[..2]).join(&key);
    age(&oldest, 3 * HOUR);
    let bytes = gc::stats(&project.root()).bytes;
    let exactly = Limits { max_bytes: bytes, ..Limits::default() };
    assert_eq!(gc::collect(&project.root(), exactly).unwrap().unwrap().entries, 0);
    let less = Limits { max_bytes: bytes - 1, ..Limits::default() };
    assert_eq!(gc::collect(&project.root(), less).unwrap().unwrap().entries, 1);
    assert!(!oldest.exists());
    assert!(gc::stats(&project.root()).bytes <= (bytes - 1) / 4 * 3);
    // What is left is whole: the other clip need not be baked.
    let outcome = project.build();
    assert_eq!((outcome.baked, outcome.fresh), (1, 1));
}

#[test]
fn a_use_makes_an_entry_young() {
    let project = Project::new();
    project.build();
    project.die();
    project.age(100 * DAY);
    assert_eq!(project.build().baked, 0);
    project.die();
    assert_eq!(gc::collect(&project.root(), Limits::default()).unwrap().unwrap().entries, 0);
}

#[test]
fn what_is_on_its_way_is_left_alone() {
    let project = Project::new();
    project.build();
    let store = Store::open(&project.path("cache")).unwrap();
    let young = store.put_blob(b"young").unwrap();
    let old = store.put_blob(b"old").unwrap();
    let file = |folder: &str, name: &str, seconds: u64| {
        let path = project.root().join(folder).join(name);
        fs::write(&path, "x").unwrap();
        age(&path, seconds);
        path
    };
    age(project.files("blobs").iter().find(|path| path.ends_with(old.to_string())).unwrap(), 2 * HOUR);
    let (new, left) = (file("tmp", "new", 0), file("tmp", "left", 2 * HOUR));
    let (lock, held) = (file("locks", "lock", 2 * DAY), file("locks", "held", 2 * DAY));
    let hold = File::open(&held).unwrap();
    hold.lock().unwrap();
    let removed = gc::collect(&project.root(), Limits::default()).unwrap().unwrap();
    assert_eq!((removed.entries, removed.blobs), (0, 1));
    assert_eq!((store.blob(old), store.blob(young)), (Lookup::Missing, Lookup::Found(b"young".to_vec())));
    assert_eq!([new, left, lock, held].map(|path| path.exists()), [true, false, false, true]);
}

#[test]
fn others_are_not_disturbed() {
    let project = Project::new();
    project.build();
    let using = gc::using(&project.root(), &|_| {}).unwrap();
    assert_eq!(gc::collect(&project.root(), Limits::default()).unwrap(), None);
    assert_eq!(gc::clear(&project.root()).unwrap(), None);
    // Builds share it.
    project.die();
    assert_eq!(project.build().baked, 0);
    drop(using);
    assert_eq!(gc::clear(&project.root()).unwrap().unwrap().entries, 2);
    project.die();
    assert_eq!(project.build().baked, 2);
}

#[test]
fn builds_collect_once_a_day() {
    let project = Project::new();
    let tiny = Limits { max_bytes: 1, max_age: Duration::from_secs(1) };
    project.build_with(Some(tiny));
    let store = Store::open(&project.path("cache")).unwrap();
    let blob = store.put_blob(b"of no use").unwrap();
    let path = project.files("blobs").into_iter().find(|path| path.ends_with(blob.to_string())).unwrap();
    age(&path, DAY);
    project.build_with(Some(tiny));
    assert!(path.exists(), "the store was looked at today");
    age(&project.root().join("last-gc"), 25 * HOUR);
    project.build_with(Some(tiny));
    assert!(!path.exists());
    assert_eq!(gc::stats(&project.root()).entries, 2);
}

#[test]
fn damage_is_found_and_removed() {
    let project = Project::new();
    project.build();
    let sound = gc::verify(&project.root());
    assert_eq!((sound.files, sound.damaged), (4, 0));
    let blob = project.files("blobs").remove(0);
    let mut bytes = fs::read(&blob).unwrap();
    bytes[5] ^= 1;
    fs::write(&blob, bytes).unwrap();
    // Looking is not touching.
    let digest: Digest = blob.file_name().unwrap().to_str().unwrap().parse().unwrap();
    assert_eq!(Store::to_read(&project.path("cache")).blob(digest), Lookup::Damaged);
    assert!(blob.exists());
    // The blob, and the entry that names it.
    assert_eq!(gc::verify(&project.root()).damaged, 2);
    assert!(!blob.exists());
    assert_eq!(gc::verify(&project.root()).damaged, 0);
    project.die();
    assert_eq!(project.build().baked, 1);
}
