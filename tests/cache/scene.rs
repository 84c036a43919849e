//! A project with a cache, built again after each edit.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tempfile::TempDir;
use vatpipe::cache::reason::Reason;
use vatpipe::manifest;
use vatpipe::run::{self, Event, Options, Outcome};

/// What a file is, and when it was written.
pub type Files = BTreeMap<String, (Vec<u8>, SystemTime)>;

/// A folder with a project in `project`, and a store in `cache`.
pub struct Scene {
    home: TempDir,
    /// The project's folder: it may move.
    pub root: PathBuf,
    /// The output folder in it.
    pub out: String,
}

/// What a build did.
pub struct Built {
    /// What was baked, as `character.clip`, and why.
    pub baked: BTreeMap<String, Vec<Reason>>,
    /// Files written or removed in the output folder, but for the tool's own folder.
    pub written: BTreeSet<String>,
    /// Codes of all problems.
    pub codes: Vec<String>,
    /// Characters of which nothing was read.
    pub untouched: Vec<String>,
    pub outcome: Outcome,
}

impl Scene {
    pub fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("project");
        fs::create_dir(&root).unwrap();
        Self { home, root, out: "out".to_owned() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub fn cache(&self) -> PathBuf {
        self.home.path().join("cache")
    }

    /// Moves the project elsewhere.
    pub fn moved(&mut self) {
        let to = self.home.path().join("elsewhere/deep");
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::rename(&self.root, &to).unwrap();
        self.root = to;
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Builds with the store.
    pub fn build(&self) -> Built {
        self.build_with(&Options { cache: Some(self.cache()), ..Options::default() })
    }

    pub fn build_with(&self, options: &Options) -> Built {
        let path = self.path("vat.toml");
        let manifest = manifest::load(&fs::read_to_string(&path).unwrap(), &path);
        let manifest = manifest.unwrap_or_else(|problems| panic!("{problems}"));
        let before = self.files();
        let (mut baked, mut codes, mut untouched) = (BTreeMap::new(), Vec::new(), Vec::new());
        let events = run::serialised(|event| match event {
            Event::ClipBaked { character, clip, reasons, .. } => {
                let again = baked.insert(format!("{character}.{}", clip.name), reasons.to_vec());
                assert!(again.is_none(), "{character}.{} was baked twice", clip.name);
            }
            Event::CharacterFresh { name, .. } => untouched.push(name.to_owned()),
            Event::Problem(problem) => codes.push(problem.code.to_owned()),
            Event::CharacterFailed { problems, .. } => {
                codes.extend(problems.0.iter().map(|problem| problem.code.to_owned()));
            }
            _ => {}
        });
        // As the program does.
        let glance = options.cache.as_ref().filter(|_| options.only.is_empty());
        let glance = glance.and_then(|cache| run::at_a_glance(&path, Some(cache), &events));
        let outcome = glance.unwrap_or_else(|| run::build(&manifest, options, &events));
        drop(events);
        let after = self.files();
        let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        let changed = names.into_iter().filter(|name| before.get(*name) != after.get(*name));
        let written = changed.cloned().collect();
        untouched.sort();
        Built { baked, written, codes, untouched, outcome }
    }

    /// The output folder's files but for the tool's own folder, by path with `/`.
    pub fn files(&self) -> Files {
        let mut files = Files::new();
        collect(&self.path(&self.out), "", &mut files);
        files
    }

    /// The same without times.
    pub fn bytes(&self) -> BTreeMap<String, Vec<u8>> {
        self.files().into_iter().map(|(name, (bytes, _))| (name, bytes)).collect()
    }

    /// The files of one kind in the store.
    pub fn stored(&self, kind: &str) -> Vec<PathBuf> {
        let mut files = Files::new();
        let folder = self.cache().join("v1").join(kind);
        collect(&folder, "", &mut files);
        files.into_keys().map(|name| folder.join(name)).collect()
    }
}

fn collect(folder: &Path, below: &str, files: &mut Files) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = entry.path();
        if path.is_dir() && name != ".vatpipe" {
            collect(&path, &format!("{below}{name}/"), files);
        } else if path.is_file() {
            let time = entry.metadata().unwrap().modified().unwrap();
            files.insert(format!("{below}{name}"), (fs::read(&path).unwrap(), time));
        }
    }
}
