//! What the order of columns does for formats in blocks and for compressed files, on real characters.
//!
//! `cargo bench --bench columns [MODEL]`. Orders: as authored; by made-up poses, which is what a build does; and by the true
//! motion of the clips, which a build cannot use, as one more clip would then change all others. For `astc-4x4` worst and RMS
//! error over the first clips in percent of their bounds' diagonal, and for three formats the size that Zstandard makes of
//! the texels, in percent of the authored order's.

#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use std::path::{Path, PathBuf};
use std::time::Instant;

use vatpipe::bake::ClipJob;
use vatpipe::encode::{Format, Quality};
use vatpipe::manifest::{Budget, ClipSettings, FormatChoice, Rate};
use vatpipe::metadata::Holds;
use vatpipe::motion::rig::Options;
use vatpipe::motion::{self, Animation, ChosenClip, Frames, Rig, Timeline, order, probe};
use vatpipe::problem::Place;
use vatpipe::source::{self, Source};

/// Clips of a character that are baked.
const CLIPS: usize = 3;

fn main() {
    println!(
        "{:<16} {:<22} {:>7} {:>7} | zstd 3 and 19, percent of authored: {:>12} {:>12} {:>12}",
        "model, columns", "order", "astc %", "rms %", "rgba16ui", "rgb10a2", "astc-4x4"
    );
    for path in models() {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if std::env::args().nth(1).is_some_and(|only| !only.starts_with('-') && only != name) {
            continue;
        }
        if let Some(source) = read(&path) {
            bench(&name, &source);
        }
    }
}

fn models() -> Vec<PathBuf> {
    let mut models = Vec::new();
    for folder in ["examples/characters/models", "../shared/corpus"] {
        let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(|e| Some(e.ok()?.path()));
        let mut here: Vec<PathBuf> =
            entries.filter(|p| p.extension().is_some_and(|e| e == "glb" || e == "gltf")).collect();
        here.sort();
        models.extend(here);
    }
    models
}

fn read(path: &Path) -> Option<Source> {
    let bytes = std::fs::read(path).ok()?;
    let folder = path.parent()?.to_path_buf();
    let resolve = &mut |uri: &str| Ok(std::fs::read(folder.join(uri)).unwrap_or_default());
    source::read(&bytes, path, &source::Options::default(), resolve).ok()
}

fn bench(name: &str, source: &Source) {
    let vertices = motion::vertices::list(source, false);
    let rig = Rig::new(source, &vertices, Options { normals: false, tangents: false, share_columns: true });
    if rig.columns < 200 || source.clips.is_empty() {
        return;
    }
    let none = vec![0; rig.columns];
    let probes = |count: usize| motion::deform(&rig, &probe::poses(source, &rig, count));
    let truth = truth(source, &rig);
    let start = Instant::now();
    let own = order::by_motion(&order::offsets(probes(16)), &none);
    let seconds = start.elapsed().as_secs_f64();
    let orders = [
        ("authored", (0..rig.columns as u32).collect()),
        ("4 poses", order::by_motion(&probes(4), &none)),
        ("16 poses", order::by_motion(&probes(16), &none)),
        ("16 poses, offsets: ours", own),
        ("64 poses", order::by_motion(&probes(64), &none)),
        ("true motion", order::by_motion(&truth, &none)),
        ("true motion, offsets", order::by_motion(&order::offsets(truth.clone()), &none)),
    ];
    let mut first: Option<[[usize; 2]; 3]> = None;
    for (what, order) in &orders {
        let (max, rms, sizes) = measure(source, &rig.reordered(order));
        let base = *first.get_or_insert(sizes);
        let percent = |f: usize, l: usize| 100.0 * sizes[f][l] as f64 / base[f][l] as f64;
        let cells = [0, 1, 2].map(|f| format!("{:>5.1} {:>5.1}", percent(f, 0), percent(f, 1)));
        println!("{name:<10} {:>5} {what:<22} {max:>7.3} {rms:>7.4} | {}", rig.columns, cells.join("  "));
    }
    println!("    ordered in {seconds:.2} s");
}

/// The first clips at ten frames a second.
fn truth(source: &Source, rig: &Rig) -> Frames {
    let mut all = Frames { columns: rig.columns, ..Frames::default() };
    for clip in source.clips.iter().take(CLIPS) {
        let timeline = Timeline::new(0.0, clip.duration, 10.0, false);
        let frames = motion::deform(rig, &Animation::new(source, rig, Some(clip)).sample(timeline.times()));
        all.frames += frames.frames;
        all.data.extend(frames.data);
    }
    all
}

/// Worst and RMS error in percent, and the sizes by format and level.
fn measure(source: &Source, rig: &Rig) -> (f64, f64, [[usize; 2]; 3]) {
    let rest = motion::deform(rig, &Animation::new(source, rig, None).sample([0.0]));
    let (mut max, mut squares, mut sizes) = (0.0f64, 0.0, [[0; 2]; 3]);
    let count = source.clips.len().min(CLIPS);
    for clip in source.clips.iter().take(CLIPS) {
        for (f, format) in [Format::Rgba16ui, Format::Rgb10a2, Format::Astc4x4].into_iter().enumerate() {
            let chosen = chosen(clip, format);
            let holds = vec![(Holds::Position, format)];
            let job = ClipJob {
                source,
                rig,
                rest: rest.frame(0),
                chosen: &chosen,
                lod: 0,
                timeline: chosen.timeline,
                holds: &holds,
                formats: &[],
                max_texture: 8192,
            };
            let baked = job.bake().expect("a clip");
            for (l, level) in [3, 19].into_iter().enumerate() {
                sizes[f][l] += zstd::bulk::compress(&baked.tracks[0].bytes, level).expect("bytes").len();
            }
            if let (Format::Astc4x4, Some(error)) = (format, baked.tracks[0].error.encode) {
                let edges =
                    [0, 1, 2].map(|i| f64::from(baked.bounds.max[i]) - f64::from(baked.bounds.min[i]));
                let size = edges.iter().map(|e| e * e).sum::<f64>().sqrt();
                max = max.max(100.0 * error.max / size);
                squares += (100.0 * error.rms / size) * (100.0 * error.rms / size);
            }
        }
    }
    (max, (squares / count as f64).sqrt(), sizes)
}

fn chosen(clip: &source::Clip, format: Format) -> ChosenClip {
    let settings = ClipSettings {
        fps: Rate::Fixed(30.0),
        looping: false,
        loop_said: true,
        trim: false,
        range: None,
        format: FormatChoice::Fixed(format),
        relative: None,
        quality: Quality::Medium,
        residual: false,
        budget: Budget::default(),
    };
    ChosenClip {
        name: clip.name.clone(),
        clip: clip.clone(),
        timeline: Timeline::new(0.0, clip.duration, 30.0, false),
        step: false,
        settings,
        place: Place::Nowhere,
    }
}
