//! What levels of detail cost and how far they are from the source in motion, on real characters.
//!
//! `cargo bench --bench lods`. The characters are the project's own and those of the corpus beside the repository,
//! where it is. Errors are in percent of the longest edge of the box around the model at rest.

#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use std::path::{Path, PathBuf};
use std::time::Instant;

use vatpipe::lod::{self, Surface, Target, Wanted};
use vatpipe::motion::{self, Frames, Timeline};
use vatpipe::source::{self, Source};

const RATIOS: [f64; 4] = [0.5, 0.25, 0.1, 0.03];

fn main() {
    println!(
        "{:<18} {:>6} {:>6} | ratio asked and reached, error max and rms in percent, liberty, seconds",
        "model", "places", "tris"
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
    for folder in ["examples/characters/models", "../shared/corpus", "../shared/corpus/kenney"] {
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
    let start = Instant::now();
    let flat = source.geometries.iter().any(|g| g.normals.is_none());
    let vertices = motion::vertices::list(source, flat);
    let surface = Surface::new(source, &vertices);
    let frames: Vec<Frames> = source.clips.iter().map(|clip| moments(source, &surface, clip)).collect();
    let size = size(&surface);
    print!("{name:<18} {:>6} {:>6}", surface.rig.columns, lod::count(&surface.primitives));
    println!(" | surface {:.2} s", start.elapsed().as_secs_f64());
    let ratios = RATIOS.map(|ratio| Wanted { target: Target::Ratio(ratio), own: false });
    let start = Instant::now();
    let (steps, _) = lod::levels(&surface, &ratios, &|_, _| Vec::new());
    let seconds = start.elapsed().as_secs_f64();
    let source_count = lod::count(&surface.primitives) as f64;
    for step in &steps {
        let start = Instant::now();
        let errors: Vec<_> =
            frames.iter().map(|f| lod::error::distances(&surface, &step.primitives, f)).collect();
        let max = errors.iter().map(|e| e.max).fold(0.0, f64::max);
        let rms = (errors.iter().map(|e| e.rms * e.rms).sum::<f64>() / errors.len().max(1) as f64).sqrt();
        println!(
            "    {:>5.3} {:>5.3} {:>7.3} {:>7.4} {:?} ({:.2} s)",
            RATIOS[step.wanted],
            lod::count(&step.primitives) as f64 / source_count,
            100.0 * max / size,
            100.0 * rms / size,
            step.liberty,
            start.elapsed().as_secs_f64()
        );
    }
    println!("    simplified in {seconds:.2} s");
}

fn moments(source: &Source, surface: &Surface, clip: &source::Clip) -> Frames {
    let timeline = Timeline::new(0.0, clip.duration, 30.0, false);
    lod::error::moments(source, surface, clip, &timeline)
}

fn size(surface: &Surface) -> f64 {
    let edges = surface.rest().map(|plane| {
        let max = plane.iter().fold(f32::NEG_INFINITY, |a, &b| a.max(b));
        f64::from(max) - f64::from(plane.iter().fold(f32::INFINITY, |a, &b| a.min(b)))
    });
    edges.into_iter().fold(0.0, f64::max)
}
