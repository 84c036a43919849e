//! The program: commands, exit codes, messages.

mod budget;
mod build;
mod cache;
mod check;
mod commands;
mod locked;
mod over;
mod picture;
mod words;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use base64::Engine;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder to run the program in.
struct Folder(TempDir);

/// What a run of the program left.
struct Run {
    code: i32,
    out: String,
    err: String,
}

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file, and the folders that it lies in.
    fn write(&self, name: &str, text: &str) -> &Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Runs the program here.
    fn run(&self, arguments: &[&str]) -> Run {
        run_in(self.0.path(), arguments, &[])
    }

    /// Runs it with JSON messages.
    fn json(&self, arguments: &[&str]) -> (i32, Vec<Value>) {
        let run = self.run(&[arguments, &["--message-format", "json"]].concat());
        assert_eq!(run.err, "", "JSON messages leave standard error alone");
        (run.code, run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
    }
}

fn run_in(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vatpipe"));
    command.current_dir(folder).args(arguments).env_remove("NO_COLOR");
    // Each folder has a cache of its own.
    command.env("VATPIPE_CACHE_DIR", folder.join(".cache")).envs(variables.iter().copied());
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { code: status.code().expect("an exit code"), out: text(stdout), err: text(stderr) }
}

/// A triangle that moves 1 m along x in 1 s, once for each name, every second time backwards; keys every 0.1 s.
pub fn model(clips: &[&str]) -> String {
    let mut numbers: Vec<f32> = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let times: Vec<f32> = (0..=10).map(|i| i as f32 / 10.0).collect();
    numbers.extend(&times);
    numbers.extend(times.iter().flat_map(|t| [*t, 0.0, 0.0]));
    numbers.extend(times.iter().flat_map(|t| [1.0 - *t, 0.0, 0.0]));
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let data = base64::engine::general_purpose::STANDARD.encode(&bytes);
    let animation = |(index, name): (usize, &&str)| {
        json!({
            "name": name,
            "samplers": [{ "input": 1, "output": 2 + index % 2 }],
            "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }],
        })
    };
    json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "name": "body", "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "animations": clips.iter().enumerate().map(animation).collect::<Vec<_>>(),
        "buffers": [{ "byteLength": bytes.len(), "uri": format!("data:application/octet-stream;base64,{data}") }],
        "bufferViews": [
            { "buffer": 0, "byteLength": 36 },
            { "buffer": 0, "byteOffset": 36, "byteLength": 44 },
            { "buffer": 0, "byteOffset": 80, "byteLength": 132 },
            { "buffer": 0, "byteOffset": 212, "byteLength": 132 },
        ],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0] },
            { "bufferView": 1, "componentType": 5126, "count": 11, "type": "SCALAR", "min": [0], "max": [1] },
            { "bufferView": 2, "componentType": 5126, "count": 11, "type": "VEC3" },
            { "bufferView": 3, "componentType": 5126, "count": 11, "type": "VEC3" },
        ],
    })
    .to_string()
}
