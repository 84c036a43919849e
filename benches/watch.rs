//! From a save to published outputs, part by part: a character of 5,000 vertices with a clip of one second is edited again
//! and again while it is watched.
//!
//! | part | from, to |
//! |---|---|
//! | event | the file is in place, the system tells of it |
//! | settling | it is known to be whole, and a build is asked for |
//! | plan | what is fresh is known, the model is read, the clip's key is made |
//! | bake | the clip is sampled, deformed, encoded, measured |
//! | publish | the character's files are put together, on the disk and in place |
//! | finish | constants and the record are in place |
//!
//! `cargo bench --bench watch --no-default-features --features watch`. Machines are shared and differ.

#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use notify::{RecursiveMode, Watcher};
use serde_json::{Value, json};
use vatpipe::run;
use vatpipe::watch::{Event, Options, Watch};

const VERTICES: usize = 5_000;
const JOINTS: usize = 24;
const SAVES: usize = 25;

/// Moments of one round.
#[derive(Debug)]
enum Moment {
    Told,
    Changed,
    Baked(Duration),
    Published,
    Finished,
    Waiting,
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let art = folder.path().join("art");
    std::fs::create_dir(&art).expect("a folder");
    let manifest = folder.path().join("vat.toml");
    let text = "[output]\ndir = \"out\"\ntargets = [\"rust\", \"wgsl\"]\n[cache]\ndir = \"cache\"\n[characters.a]\nsource = \"art/a.glb\"\nfps = 30\n";
    std::fs::write(&manifest, text).expect("a file");
    save(&art, 0);
    let (sender, moments) = channel();
    let told = sender.clone();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if event.is_ok_and(|event| event.kind.is_modify() || event.kind.is_create()) {
            let _ = told.send((Instant::now(), Moment::Told));
        }
    })
    .expect("a watcher");
    let watch = Watch::new(&manifest, Options::default());
    let stop = watch.stop();
    let thread = std::thread::spawn(move || {
        watch.run(&move |event| {
            let moment = match event {
                Event::Changed { .. } => Moment::Changed,
                Event::Build(run::Event::ClipBaked { seconds, .. }) => {
                    Moment::Baked(Duration::from_secs_f64(seconds))
                }
                Event::Build(run::Event::CharacterPublished { .. }) => Moment::Published,
                Event::Build(run::Event::Finished(_)) => Moment::Finished,
                Event::Waiting { .. } => Moment::Waiting,
                _ => return,
            };
            let _ = sender.send((Instant::now(), moment));
        });
    });
    wait(&moments);
    watcher.watch(&art, RecursiveMode::NonRecursive).expect("a watch");
    let rounds: Vec<[Duration; PARTS]> = (1..=SAVES)
        .map(|count| {
            // The quiet build after the last one is over by then.
            std::thread::sleep(Duration::from_millis(400));
            while moments.try_recv().is_ok() {}
            let start = save(&art, count);
            parts(start, &moments)
        })
        .collect();
    stop.stop();
    thread.join().expect("an end");
    print(&rounds);
}

const PARTS: usize = 6;

fn wait(moments: &Receiver<(Instant, Moment)>) {
    while !matches!(moments.recv().expect("a moment").1, Moment::Waiting) {}
}

/// What each part of a round took.
fn parts(start: Instant, moments: &Receiver<(Instant, Moment)>) -> [Duration; PARTS] {
    let mut at = [None; PARTS];
    let mut bake = Duration::ZERO;
    loop {
        let (now, moment) = moments.recv_timeout(Duration::from_secs(60)).expect("a moment");
        let part = match moment {
            Moment::Told => 0,
            Moment::Changed => 1,
            Moment::Baked(took) => {
                bake = took;
                3
            }
            Moment::Published => 4,
            Moment::Finished => 5,
            Moment::Waiting => break,
        };
        at[part].get_or_insert(now);
    }
    at[2] = at[3].map(|baked| baked - bake);
    let mut last = start;
    at.map(|now| {
        let now = now.expect("all parts").max(last);
        let took = now - last;
        last = now;
        took
    })
}

fn print(rounds: &[[Duration; PARTS]]) {
    let spread = |mut all: Vec<f64>| {
        all.sort_by(f64::total_cmp);
        (all[0], all[all.len() / 2], all[all.len() - 1])
    };
    let ms = |duration: Duration| duration.as_secs_f64() * 1e3;
    println!(
        "{:<18} {:>10} {:>10} {:>10}",
        format!("{} saves", rounds.len()),
        "best ms",
        "median ms",
        "worst ms"
    );
    let row = |name: &str, all: Vec<f64>| {
        let (best, middle, worst) = spread(all);
        println!("{name:<18} {best:>10.2} {middle:>10.2} {worst:>10.2}");
    };
    for (index, name) in ["event", "settling", "plan", "bake", "publish", "finish"].into_iter().enumerate() {
        row(name, rounds.iter().map(|round| ms(round[index])).collect());
    }
    let whole = |round: &[Duration; PARTS]| round.iter().sum::<Duration>();
    row("all", rounds.iter().map(|round| ms(whole(round))).collect());
    row("all but the bake", rounds.iter().map(|round| ms(whole(round) - round[3])).collect());
}

/// Saves another version of the model as an editor does; when it is in place.
fn save(art: &Path, count: usize) -> Instant {
    let aside = art.join("a.new");
    std::fs::write(&aside, model(1.0 + count as f32 * 0.01)).expect("a file");
    let start = Instant::now();
    std::fs::rename(aside, art.join("a.glb")).expect("a file");
    start
}

/// A tube with a chain of joints, four of which move each vertex; the clip bends it.
fn model(bend: f32) -> Vec<u8> {
    let mut bin = Bin::default();
    let corner = |v: usize| [[1.0_f32, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]][v % 4];
    let height = |v: usize| v as f32 / VERTICES as f32 * (JOINTS - 4) as f32 * 0.1;
    let all = || 0..VERTICES;
    let position =
        bin.floats("VEC3", all().flat_map(|v| [corner(v)[0] * 0.2, height(v), corner(v)[1] * 0.2]));
    let normal = bin.floats("VEC3", all().flat_map(|v| [corner(v)[0], 0.0, corner(v)[1]]));
    let weights = bin.floats("VEC4", all().flat_map(|_| [0.4, 0.3, 0.2, 0.1]));
    let joints =
        all().flat_map(|v| (0..4).map(move |i| ((height(v) * 10.0) as u8 + i).min(JOINTS as u8 - 1)));
    let joints = bin.accessor("VEC4", 5121, VERTICES, joints.collect());
    let indices = (0..VERTICES as u32 - 2).flat_map(|v| [v, v + 1, v + 2]);
    let indices =
        bin.accessor("SCALAR", 5125, 3 * (VERTICES - 2), indices.flat_map(u32::to_le_bytes).collect());
    let inverse = (0..JOINTS).flat_map(|j| {
        let mut matrix = [0.0_f32; 16];
        [0, 5, 10, 15].into_iter().for_each(|i| matrix[i] = 1.0);
        matrix[13] = -0.1 * j as f32;
        matrix
    });
    let inverse = bin.floats("MAT4", inverse);
    let times = bin.floats("SCALAR", (0..=10).map(|i| i as f32 / 10.0));
    let turns = bin.floats(
        "VEC4",
        (0..=10).flat_map(|i| {
            // Small turns: the quaternion is as good as normal.
            let half = bend * 0.02 * (5.0 - (i as f32 - 5.0).abs());
            [half, 0.0, 0.0, (1.0 - half * half).sqrt()]
        }),
    );
    let mut nodes: Vec<Value> = (0..JOINTS)
        .map(|j| json!({ "name": format!("joint{j}"), "translation": [0.0, if j == 0 { 0.0 } else { 0.1 }, 0.0] }))
        .collect();
    (0..JOINTS - 1).for_each(|j| nodes[j]["children"] = json!([j + 1]));
    nodes.push(json!({ "name": "body", "mesh": 0, "skin": 0 }));
    let channel = |j: usize| json!({ "sampler": 0, "target": { "node": j, "path": "rotation" } });
    let document = json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0, JOINTS] }], "nodes": nodes,
        "meshes": [{ "primitives": [{ "indices": indices, "attributes":
            { "POSITION": position, "NORMAL": normal, "JOINTS_0": joints, "WEIGHTS_0": weights } }] }],
        "skins": [{ "joints": (0..JOINTS).collect::<Vec<_>>(), "inverseBindMatrices": inverse }],
        "animations": [{ "name": "bend", "samplers": [{ "input": times, "output": turns }],
            "channels": (0..JOINTS).map(channel).collect::<Vec<_>>() }],
        "buffers": [{ "byteLength": bin.bytes.len() }], "bufferViews": bin.views, "accessors": bin.accessors,
    });
    glb(document.to_string().into_bytes(), bin.bytes)
}

#[derive(Default)]
struct Bin {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Bin {
    fn floats(&mut self, kind: &str, values: impl Iterator<Item = f32>) -> usize {
        let bytes: Vec<u8> = values.flat_map(f32::to_le_bytes).collect();
        let width = match kind {
            "SCALAR" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        self.accessor(kind, 5126, bytes.len() / 4 / width, bytes)
    }

    fn accessor(&mut self, kind: &str, component: u32, count: usize, bytes: Vec<u8>) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.push(json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() }));
        self.bytes.extend(bytes);
        let view = self.views.len() - 1;
        self.accessors
            .push(json!({ "bufferView": view, "componentType": component, "count": count, "type": kind }));
        view
    }
}

fn glb(mut json: Vec<u8>, mut bin: Vec<u8>) -> Vec<u8> {
    json.resize(json.len().next_multiple_of(4), b' ');
    bin.resize(bin.len().next_multiple_of(4), 0);
    let word = |n: usize| (n as u32).to_le_bytes();
    let head =
        [*b"glTF", word(2), word(12 + 8 + json.len() + 8 + bin.len()), word(json.len()), *b"JSON"].concat();
    [head, json, [word(bin.len()), *b"BIN\0"].concat(), bin].concat()
}
