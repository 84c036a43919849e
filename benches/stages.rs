//! What each stage costs, in nanoseconds per column and frame, beside a bare skinning kernel over the same arrays in the
//! same run: the ratios are what counts, as machines are shared and differ.
//!
//! `cargo bench --bench stages`. One thread, the best of several runs. The characters are the project's own and a
//! synthetic one of 5,000 vertices with four influences each.

#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use glam::{DMat4, DQuat, DVec3};
use vatpipe::container::ktx2;
use vatpipe::encode::{self, Format};
use vatpipe::measure;
use vatpipe::motion::rig::Options;
use vatpipe::motion::{self, Animation, Poses, Rig, Timeline};
use vatpipe::source::{
    self, Channel, Clip, Geometry, Influence, Interpolation, Node, Part, Primitive, Property, Skin, Source,
    Transform,
};
use vatpipe::texels::{self, Block, Decoding};

const RUNS: usize = 7;

fn main() {
    // Stages run in parallel by themselves; what a stage costs is seen on one thread.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    println!("nanoseconds per column and frame, one thread, best of {RUNS}; (x.xx) = times the bare kernel");
    println!(
        "{:<22} {:>7} {:>6} | {:>6} {:>14} {:>14} {:>14} {:>14} {:>14}",
        "clip", "columns", "frames", "bare", "sample", "deform", "encode", "measure", "write"
    );
    pool.install(|| {
        for (name, source, clip) in subjects() {
            bench(&name, &source, clip);
        }
    });
}

fn subjects() -> Vec<(String, Source, usize)> {
    let mut subjects = vec![("synthetic".to_owned(), synthetic(5_000, 30), 0)];
    let folder = Path::new("examples/characters/models");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .map(|entries| entries.filter_map(|e| Some(e.ok()?.path())).collect())
        .unwrap_or_default();
    files.sort();
    for path in files {
        let bytes = std::fs::read(&path).expect("an example character");
        let read = source::read(&bytes, &path, &source::Options::default(), &mut |uri| panic!("{uri}"));
        let source = read.expect("an example character");
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        subjects.push((format!("{name}/{}", source.clips[0].name), source, 0));
    }
    subjects
}

fn bench(name: &str, source: &Source, clip: usize) {
    let clip = &source.clips[clip];
    let vertices = motion::vertices::list(source, false);
    let normals = source.geometries.iter().all(|g| g.normals.is_some());
    let rig = Rig::new(source, &vertices, Options { normals, tangents: false, share_columns: true });
    let timeline = Timeline::new(0.0, clip.duration, 30.0, false);
    let animation = Animation::new(source, &rig, Some(clip));
    let per = 1e9 / (rig.columns as f64 * f64::from(timeline.frames));

    let (sample, poses) = best(|| animation.sample(timeline.times()));
    let (deform, frames) = best(|| motion::deform(&rig, &poses));
    let (bare, _) = best(|| bare_skinning(&rig, &poses));
    let rest_frames = motion::deform(&rig, &Animation::new(source, &rig, None).sample([0.0]));
    let block = Block {
        width: rig.columns as u32,
        bands: 1,
        band_rows: timeline.frames + 1,
        frames: timeline.frames,
        looping: false,
    };
    let format = Format::Rgba16ui;
    let (quantise, (bytes, decoding)) = best(|| {
        let decoding = Decoding::over(&frames, None, format);
        let texels = texels::positions(&frames, rest_frames.frame(0), &block, &decoding, normals);
        let mut bytes = Vec::new();
        let planes = [0, 1, 2].map(|axis| texels.planes[axis].as_slice());
        encode::encode(format, planes, texels.packed.as_deref(), &mut bytes);
        (bytes, decoding)
    });
    let encoded = measure::Encoded { format, block, bytes: &bytes, texels: None, decoding: &decoding };
    let tracks = measure::Tracks {
        positions: encoded,
        residual: None,
        packed: normals,
        normals: None,
        tangents: None,
    };
    let (measured, _) = best(|| {
        let decoded = measure::decoded(&rig, rest_frames.frame(0), &tracks);
        measure::over_time(measure::Played {
            rig: &rig,
            animation: &animation,
            timeline: &timeline,
            step: false,
            truth: &frames,
            decoded: &decoded,
        })
    });
    let image =
        ktx2::Image { format, width: block.width, height: block.band_rows, layers: 1, data: bytes.clone() };
    let (write, _) = best(|| ktx2::write(&image, &[], None));

    let cell = |seconds: f64| format!("{:>6.2} {:>7}", seconds * per, format!("({:.2})", seconds / bare));
    println!(
        "{name:<22} {:>7} {:>6} | {:>6.2} {} {} {} {} {}",
        rig.columns,
        timeline.frames,
        bare * per,
        cell(sample),
        cell(deform),
        cell(quantise),
        cell(measured),
        cell(write)
    );
}

/// Seconds of the fastest of several runs, and a result.
fn best<T>(mut run: impl FnMut() -> T) -> (f64, T) {
    let mut timed = || {
        let start = Instant::now();
        let result = black_box(run());
        (start.elapsed().as_secs_f64(), result)
    };
    let first = timed();
    (1..RUNS).map(|_| timed()).fold(first, |a, b| if b.0 < a.0 { b } else { a })
}

/// Linear blend skinning of positions and nothing else: no morphs, no normals, no checks.
fn bare_skinning(rig: &Rig, poses: &Poses) -> Vec<f32> {
    let n = rig.columns;
    let mut out = vec![0.0; poses.frames * 3 * n];
    for (frame, out) in out.chunks_exact_mut(3 * n).enumerate() {
        let (joints, _) = poses.frame(frame);
        for c in 0..n {
            let mut m = [0.0; 12];
            for &(joint, weight) in
                &rig.influences[rig.influence_start[c] as usize..rig.influence_start[c + 1] as usize]
            {
                for (sum, v) in m.iter_mut().zip(&joints[joint as usize]) {
                    *sum += weight * v;
                }
            }
            let [x, y, z] = [rig.positions[0][c], rig.positions[1][c], rig.positions[2][c]];
            for (axis, row) in m.chunks_exact(4).enumerate() {
                out[axis * n + c] = row[0] * x + row[1] * y + row[2] * z + row[3];
            }
        }
    }
    out
}

/// A tube of `vertices` around a chain of `joints`, four influences a vertex, that sways for two seconds.
fn synthetic(vertices: usize, joints: usize) -> Source {
    let node = |index: usize| Node {
        name: format!("joint{index}"),
        parent: index.checked_sub(1),
        rest: Transform::Trs {
            translation: DVec3::new(0.0, if index == 0 { 0.0 } else { 0.1 }, 0.0),
            rotation: DQuat::IDENTITY,
            scale: DVec3::ONE,
        },
        weights: Vec::new(),
        index,
    };
    let mut geometry = Geometry { influence_start: vec![0], ..Geometry::default() };
    let mut normals = Vec::new();
    for v in 0..vertices {
        // A square tube is as good as a round one, and needs no sine.
        let corner = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]][v % 4];
        let height = v as f32 / vertices as f32 * (joints - 4) as f32 * 0.1;
        geometry.positions.push([corner[0] * 0.2, height, corner[1] * 0.2]);
        normals.push([corner[0], 0.0, corner[1]]);
        let first = (height * 10.0) as u32;
        for (i, weight) in [0.4, 0.3, 0.2, 0.1].into_iter().enumerate() {
            geometry.influences.push(Influence { joint: first + i as u32, weight });
        }
        geometry.influence_start.push(geometry.influences.len() as u32);
    }
    geometry.normals = Some(normals);
    let indices = (0..vertices as u32 - 2).flat_map(|v| [v, v + 1, v + 2]).collect();
    geometry.primitives.push(Primitive { indices, material: None });
    let inverse_bind =
        (0..joints).map(|j| DMat4::from_translation(DVec3::new(0.0, -0.1 * j as f64, 0.0))).collect();
    let sway = |node: usize| Channel {
        node,
        property: Property::Rotation,
        interpolation: Interpolation::Linear,
        times: vec![0.0, 0.5, 1.0, 1.5, 2.0],
        values: [0.0, 0.05, 0.0, -0.05, 0.0]
            .iter()
            .flat_map(|s: &f32| [0.0, 0.0, *s, (1.0 - s * s).sqrt()])
            .collect(),
        width: 4,
    };
    let clip = Clip {
        index: 0,
        name: "Sway".into(),
        duration: 2.0,
        first_key: 0.0,
        channels: (0..joints).map(sway).collect(),
    };
    Source {
        nodes: (0..joints).map(node).collect(),
        skins: vec![Skin { joints: (0..joints).collect(), inverse_bind }],
        geometries: vec![geometry],
        parts: vec![Part { node: 0, geometry: 0, skin: Some(0) }],
        clips: vec![clip],
        ..Source::default()
    }
}
