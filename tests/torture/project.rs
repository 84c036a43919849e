//! A project of three characters, its edits, and what a clean build makes of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::model::Model;
use crate::support::random::Random;

const CHARACTERS: usize = 3;
const CLIPS: usize = 4;

/// Files by their path below the output folder.
pub type Files = BTreeMap<String, Vec<u8>>;

/// What the project says.
#[derive(Clone, Debug, PartialEq)]
struct State {
    /// Whether each character is there.
    there: [bool; CHARACTERS],
    /// Where each clip goes.
    to: [[f32; CLIPS]; CHARACTERS],
    fps: [u32; CHARACTERS],
    targets: usize,
}

/// The project, in a folder of its own, with its store beside it.
pub struct Project {
    folder: TempDir,
    state: State,
    /// What a clean build of the state makes; the files before the last edits as well.
    clean: Vec<(State, Files)>,
    /// How long a build takes.
    pub usual: Duration,
    /// How long one with nothing to do takes.
    pub glance: Duration,
}

/// What came of a process.
pub struct Finished {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Finished {
    /// The clips that it says it has baked.
    pub fn baked(&self) -> Vec<String> {
        let messages = self.out.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let baked = messages.filter(|message| message["reason"] == "clip-baked");
        baked.map(|message| format!("{} {}", message["character"], message["clip"]["name"])).collect()
    }
}

/// Waits for a process.
pub fn finish(child: Child) -> Finished {
    let output = child.wait_with_output().expect("an end");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    Finished { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

impl Project {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut to = [[1.0; CLIPS]; CHARACTERS];
        to.as_flattened_mut().iter_mut().enumerate().for_each(|(i, to)| *to += i as f32);
        let state = State { there: [true; CHARACTERS], to, fps: [15, 30, 24], targets: 3 };
        let project = Self {
            folder,
            state,
            clean: Vec::new(),
            usual: Duration::from_millis(50),
            glance: Duration::ZERO,
        };
        project.write();
        std::fs::create_dir_all(project.out().join("c0")).expect("a folder");
        FOREIGN.iter().for_each(|name| std::fs::write(project.out().join(name), name).expect("a file"));
        project
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub fn out(&self) -> PathBuf {
        self.root().join("assets/vat")
    }

    pub fn store(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    fn write(&self) {
        write(&self.root(), &self.state);
    }

    /// Changes something; sometimes back to what it was.
    pub fn edit(&mut self, random: &mut Random) {
        let mut below = |end: usize| (random.bits() % end as u64) as usize;
        let (character, clip) = (below(CHARACTERS), below(CLIPS));
        let state = &mut self.state;
        match below(8) {
            0 => state.fps[character] = [15, 24, 30][below(3)],
            1 => state.targets = 1 + below(3),
            // The first one stays: a manifest has at least one.
            2 => state.there[1 + below(CHARACTERS - 1)] ^= true,
            // The same clip as another: both have one key.
            3 => state.to[character] = state.to[below(CHARACTERS)],
            _ => state.to[character][clip] = below(6) as f32 - 2.5,
        }
        self.write();
    }

    /// Moves one clip of a character that is there.
    pub fn edit_clip(&mut self, random: &mut Random) {
        let mut below = |end: usize| (random.bits() % end as u64) as usize;
        let there: Vec<usize> = (0..CHARACTERS).filter(|&c| self.state.there[c]).collect();
        let (character, clip) = (there[below(there.len())], below(CLIPS));
        self.state.to[character][clip] = below(6) as f32 - 2.5;
        self.write();
    }

    /// Builds until a glance shows what changes: files are to be old enough for that.
    pub fn settle(&mut self) {
        self.build_well("before it is left alone");
        std::thread::sleep(Duration::from_millis(60));
        self.build_well("left alone");
        let ready = files(&self.store().join("v1/ready"));
        assert_eq!(ready.len(), 1, "what was seen is noted");
        let start = Instant::now();
        self.build_well("with nothing to do");
        self.glance = start.elapsed();
    }

    /// The program, building here, with its messages kept.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vatpipe"));
        command.arg("build").args(arguments);
        self.here(command)
    }

    /// The program where no file can be larger.
    pub fn limited(&self, kilobytes: u64) -> Command {
        let mut command = Command::new("bash");
        let script = format!("trap '' XFSZ; ulimit -f {kilobytes}; exec \"$0\" build");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_vatpipe")]);
        self.here(command)
    }

    fn here(&self, mut command: Command) -> Command {
        command.current_dir(self.root()).env("VATPIPE_CACHE_DIR", self.store()).env("NO_COLOR", "1");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The keys that the store has an entry for.
    pub fn known_keys(&self) -> BTreeSet<String> {
        files(&self.store().join("v1/entries")).into_keys().collect()
    }

    /// What the outputs are to be.
    fn expected(&mut self) -> Files {
        if let Some((_, files)) = self.clean.iter().find(|(state, _)| *state == self.state) {
            return files.clone();
        }
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), &self.state);
        let mut command = Command::new(env!("CARGO_BIN_EXE_vatpipe"));
        command.args(["build", "-q"]).current_dir(folder.path()).stderr(Stdio::piped());
        // No store at all: a file is in its place.
        let none = folder.path().join("none");
        std::fs::write(&none, "").expect("a file");
        let run = finish(command.env("VATPIPE_CACHE_DIR", none).spawn().expect("a process"));
        assert_eq!(run.code, 0, "{}", run.err);
        let mut made = files(&folder.path().join("assets/vat"));
        made.retain(|name, _| !name.starts_with(".vatpipe/"));
        made.extend(FOREIGN.map(|name| (name.to_owned(), name.as_bytes().to_vec())));
        self.clean.truncate(40);
        self.clean.insert(0, (self.state.clone(), made.clone()));
        made
    }

    /// Every file that may rightly be seen while the state is built: what is there, and what will be.
    pub fn expected_and_before(&mut self) -> Vec<Files> {
        vec![files(&self.out()), self.expected()]
    }

    /// A build that nothing disturbs, and a look at what it left.
    pub fn build_well(&mut self, when: &str) {
        let start = Instant::now();
        let run = finish(self.command(&[]).spawn().expect("a process"));
        self.usual = (self.usual + start.elapsed()) / 2;
        assert_eq!(run.code, 0, "{when}: {}", run.err);
        self.check(when);
    }

    /// The outputs are those of a clean build, what others made is there, nothing temporary is.
    pub fn check(&mut self, when: &str) {
        let (expected, mut found) = (self.expected(), files(&self.out()));
        let own: Vec<String> = found.keys().filter(|name| name.starts_with(".vatpipe/")).cloned().collect();
        for name in own {
            let known =
                [".vatpipe/.gitignore", ".vatpipe/lock", ".vatpipe/memo", ".vatpipe/pieces", ".vatpipe/why"];
            assert!(known.contains(&name.as_str()), "{when}: {name} is left");
            found.remove(&name);
        }
        let names = |files: &Files| files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&found), names(&expected), "{when}");
        for (name, bytes) in &expected {
            let difference = first_difference(&found[name], bytes);
            assert!(found[name] == *bytes, "{when}: {name} has other bytes than a clean build: {difference}");
        }
    }
}

/// The first line that two texts do not share, of both.
fn first_difference(found: &[u8], expected: &[u8]) -> String {
    let (found, expected) = (String::from_utf8_lossy(found), String::from_utf8_lossy(expected));
    let pair = found.lines().zip(expected.lines()).enumerate().find(|(_, (a, b))| a != b);
    pair.map_or_else(String::new, |(line, (a, b))| format!("line {}: {a} instead of {b}", line + 1))
}

/// Files that are none of the tool's business.
const FOREIGN: [&str; 2] = ["notes.txt", "c0/mine.png"];

/// All files below a folder.
pub fn files(folder: &Path) -> Files {
    let mut found = Files::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if let (Ok(name), Ok(bytes)) = (path.strip_prefix(folder), std::fs::read(&path)) {
                found.insert(name.to_string_lossy().into_owned(), bytes);
            }
        }
    }
    found
}

fn write(root: &Path, state: &State) {
    std::fs::create_dir_all(root.join("art")).expect("a folder");
    let mut manifest = format!("[output]\ntargets = {}\n", json!(["rust", "wgsl", "hlsl"][..state.targets]));
    for character in (0..CHARACTERS).filter(|&c| state.there[c]) {
        let fps = state.fps[character];
        manifest += &format!("[characters.c{character}]\nsource = \"art/{character}.glb\"\nfps = {fps}\n");
        manifest += "clip.clip0.loop = true\n";
    }
    for (character, to) in state.to.iter().enumerate() {
        put(&root.join(format!("art/{character}.glb")), &model(to));
    }
    put(&root.join("vat.toml"), manifest.as_bytes());
}

/// Writes a file as an editor does that replaces it; one with these bytes is left alone.
fn put(path: &Path, bytes: &[u8]) {
    if std::fs::read(path).is_ok_and(|old| old == bytes) {
        return;
    }
    let aside = path.with_extension("new");
    std::fs::write(&aside, bytes).and_then(|()| std::fs::rename(&aside, path)).expect("a file");
}

/// A fan of triangles that each clip takes somewhere within two seconds.
fn model(to: &[f32]) -> Vec<u8> {
    let mut model = Model::new();
    let corners: Vec<[f32; 3]> =
        (0..300).map(|i| [i as f32 % 7.0, i as f32 % 11.0, i as f32 % 5.0]).collect();
    let position = model.vec3(&corners);
    let mesh = model.mesh(json!([{ "attributes": { "POSITION": position } }]));
    let node = model.node(json!({ "name": "body", "mesh": mesh }));
    for (index, &to) in to.iter().enumerate() {
        let clip = model.clip(&format!("clip{index}"));
        let way = model.vec3(&[[0.0; 3], [to, 1.0, index as f32], [to, 0.0, 0.0]]);
        model.channel(clip, node, "translation", &[0.0, 1.5, 2.0], way, "LINEAR");
    }
    model.glb()
}
