//! What a build costs when little or nothing changed, as ratios taken in one run, because machines are shared and differ:
//!
//! - nothing to do over 1,000 characters and 10,000 clips, beside `ninja` with nothing to do on a build file with the same
//!   inputs and outputs;
//! - one clip of the 10,000 edited, beside nothing to do and the build of this clip alone in a project of its own;
//! - digests of large files, beside `b3sum`.
//!
//! `cargo bench --bench incremental`. Needs `ninja` and `b3sum` in the path, and leaves a row out without them. The project
//! is made in a temporary folder; `VATPIPE_BENCH_DIR` names one to keep.

#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const CHARACTERS: usize = 1_000;
const CLIPS: usize = 10;
const RUNS: usize = 15;

fn main() {
    let temporary = tempfile::tempdir().expect("a folder");
    let kept = std::env::var_os("VATPIPE_BENCH_DIR").map(PathBuf::from);
    let root = kept.unwrap_or_else(|| temporary.path().to_owned());
    let big = root.join("big");
    project(&big, CHARACTERS, CLIPS);
    let first = vatpipe(&root, &big);
    println!("first build of {} clips: {:.2} s", CHARACTERS * CLIPS, first.as_secs_f64());
    // Files younger than the clock can tell are read again: let them age, and see them once more.
    std::thread::sleep(Duration::from_millis(100));
    vatpipe(&root, &big);
    vatpipe(&root, &big);
    let nothing = nothing_to_do(&root, &big);
    one_clip(&root, &big, nothing);
    hashing(&root);
}

/// Runs the program in a project.
fn vatpipe(root: &Path, project: &Path) -> Duration {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vatpipe"));
    command.args(["build", "-q"]).current_dir(project).env("VATPIPE_CACHE_DIR", root.join("cache"));
    timed(&mut command).expect("vatpipe runs")
}

/// The time of a command that succeeds; `None` if there is no such program.
fn timed(command: &mut Command) -> Option<Duration> {
    let start = Instant::now();
    let status = command.stdout(Stdio::null()).status().ok()?;
    let time = start.elapsed();
    assert!(status.success(), "{command:?}");
    Some(time)
}

fn row(what: &str, time: Duration, beside: &str, other: Duration, limit: f64, ratio: f64) {
    let (time, other) = (time.as_secs_f64() * 1e3, other.as_secs_f64() * 1e3);
    println!("{what:<28} {time:>9.2} ms   {beside:<32} {other:>9.2} ms   {ratio:>5.2} (limit {limit})");
}

fn nothing_to_do(root: &Path, big: &Path) -> Duration {
    fs::write(big.join("build.ninja"), build_ninja(big)).expect("a file");
    let mut ninja = Command::new("ninja");
    ninja.current_dir(big);
    let has_ninja = timed(&mut ninja).is_some();
    let (mut ours, mut theirs) = (Duration::MAX, Duration::MAX);
    for _ in 0..RUNS {
        ours = ours.min(vatpipe(root, big));
        theirs = theirs.min(timed(&mut ninja).unwrap_or(Duration::MAX));
    }
    if has_ninja {
        let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
        row("nothing to do", ours, "ninja", theirs, 1.0, ratio);
    } else {
        println!("nothing to do: {:.2} ms; there is no ninja", ours.as_secs_f64() * 1e3);
    }
    ours
}

/// The whole process after an edit, beside nothing to do, and the whole process that builds one
/// clip in a project of its own with a store that does not have it.
fn one_clip(root: &Path, big: &Path, nothing: Duration) {
    let (mut edit, mut alone) = (Duration::MAX, Duration::MAX);
    let own = root.join("own");
    for run in 0..RUNS as u32 {
        let moved = 2.0 + run as f32;
        fs::write(big.join("models/c500.glb"), model(500, CLIPS, moved)).expect("a file");
        edit = edit.min(vatpipe(root, big));
        let _ = fs::remove_dir_all(&own);
        project(&own, 1, 1);
        fs::write(own.join("models/c0.glb"), model(0, 1, 100.0 + moved)).expect("a file");
        alone = alone.min(vatpipe(root, &own));
    }
    let allowed = nothing + alone.mul_f64(1.5);
    let ratio = edit.as_secs_f64() / allowed.as_secs_f64();
    println!("one clip alone, whole process: {:.2} ms", alone.as_secs_f64() * 1e3);
    row("one clip of all edited", edit, "nothing to do + 1.5 x alone", allowed, 1.0, ratio);
}

/// Files are hashed one after the other or many at once: both ways beside `b3sum`, which maps files and uses all cores.
fn hashing(root: &Path) {
    use rayon::prelude::*;
    use vatpipe::cache::memo::Memo;
    let files: Vec<PathBuf> = (0..4).map(|i| root.join(format!("large{i}.bin"))).collect();
    for (seed, file) in files.iter().enumerate() {
        let bytes: Vec<u8> = (0..64 << 20_u32)
            .map(|i: u32| (i.wrapping_mul(2_654_435_761) >> 13) as u8 ^ seed as u8)
            .collect();
        fs::write(file, bytes).expect("a file");
    }
    let mut b3sum = Command::new("b3sum");
    b3sum.args(&files);
    let (mut ours, mut theirs) = (Duration::MAX, Duration::MAX);
    for _ in 0..5 {
        let memo = Memo::default();
        let start = Instant::now();
        let digests: Vec<_> = files.par_iter().map(|file| memo.digest(file).expect("a digest")).collect();
        ours = ours.min(start.elapsed());
        std::hint::black_box(digests);
        let Some(time) = timed(&mut b3sum) else { return println!("hashing: there is no b3sum") };
        theirs = theirs.min(time);
    }
    let speed = theirs.as_secs_f64() / ours.as_secs_f64();
    row("hashing 256 MiB (speed)", ours, "b3sum", theirs, 0.5, speed);
    files.iter().for_each(|file| drop(fs::remove_file(file)));
}

/// A manifest of more than one line a clip, and a model for each character. None draws a warning, which would be repeated.
fn project(folder: &Path, characters: usize, clips: usize) {
    fs::create_dir_all(folder.join("models")).expect("a folder");
    let mut manifest = String::new();
    for c in 0..characters {
        let _ = writeln!(manifest, "[characters.c{c}]\nsource = \"models/c{c}.glb\"\nfps = 15");
        for clip in 0..clips {
            let _ = writeln!(manifest, "clip.clip{clip}.loop = false");
        }
        fs::write(folder.join(format!("models/c{c}.glb")), model(c, clips, 1.0)).expect("a file");
    }
    fs::write(folder.join("vat.toml"), manifest).expect("a file");
}

/// A triangle that clips take somewhere within a second; `last` is where the last one goes.
fn model(character: usize, clips: usize, last: f32) -> Vec<u8> {
    let mut numbers: Vec<f32> =
        vec![0.0, 0.0, 0.0, 1.0 + character as f32, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0];
    for clip in 0..clips {
        let to = if clip + 1 == clips { last } else { 1.0 + clip as f32 };
        numbers.extend([0.0, 0.0, 0.0, to, 0.0, to]);
    }
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let accessor = |view: usize, count: usize, kind: &str| json!({ "bufferView": view, "componentType": 5126, "count": count, "type": kind });
    let mut views = vec![
        json!({ "buffer": 0, "byteLength": 36 }),
        json!({ "buffer": 0, "byteOffset": 36, "byteLength": 8 }),
    ];
    let mut accessors = vec![accessor(0, 3, "VEC3"), accessor(1, 2, "SCALAR")];
    let mut animations: Vec<Value> = Vec::new();
    for clip in 0..clips {
        views.push(json!({ "buffer": 0, "byteOffset": 44 + 24 * clip, "byteLength": 24 }));
        accessors.push(accessor(2 + clip, 2, "VEC3"));
        animations.push(json!({
            "name": format!("clip{clip}"),
            "samplers": [{ "input": 1, "output": 2 + clip }],
            "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }],
        }));
    }
    accessors[0]["min"] = json!([0, 0, 0]);
    accessors[0]["max"] = json!([1 + character, 1, 0]);
    accessors[1]["min"] = json!([0]);
    accessors[1]["max"] = json!([1]);
    let document = json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }],
        "nodes": [{ "name": "body", "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "buffers": [{ "byteLength": bytes.len() }],
        "bufferViews": views, "accessors": accessors, "animations": animations,
    });
    glb(document.to_string().as_bytes(), &bytes)
}

fn glb(json: &[u8], bin: &[u8]) -> Vec<u8> {
    let mut file = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    let chunks: [(&[u8; 4], &[u8], u8); 2] = [(b"JSON", json, b' '), (b"BIN\0", bin, 0)];
    for (kind, data, padding) in chunks {
        let size = data.len().next_multiple_of(4);
        file.extend((size as u32).to_le_bytes());
        file.extend(kind);
        file.extend(data);
        file.resize(file.len() + size - data.len(), padding);
    }
    let len = file.len() as u32;
    file[8..12].copy_from_slice(&len.to_le_bytes());
    file
}

/// A build file with the inputs and outputs that are there; its commands only touch them.
fn build_ninja(big: &Path) -> String {
    let out = big.join("assets/vat");
    let mut text = "rule bake\n  command = touch $out\n".to_owned();
    for c in 0..CHARACTERS {
        let mut outputs = String::new();
        let mut names: Vec<_> =
            fs::read_dir(out.join(format!("c{c}"))).expect("outputs").flatten().map(|e| e.path()).collect();
        names.sort();
        for path in names {
            let _ = write!(outputs, " ninja-out/{}", path.strip_prefix(&out).expect("below").display());
        }
        let _ = writeln!(text, "build{outputs}: bake models/c{c}.glb | vat.toml");
    }
    let inputs: Vec<String> = (0..CHARACTERS).map(|c| format!("models/c{c}.glb")).collect();
    let _ = writeln!(
        text,
        "build ninja-out/vat.rs ninja-out/vat.wgsl ninja-out/vat.hlsl: bake {}",
        inputs.join(" ")
    );
    text
}
