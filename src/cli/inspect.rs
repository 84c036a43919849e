//! `vatpipe inspect`: what a model file holds, and what it would take to bake it.

use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};

use super::args::Inspect;
use super::render;
use super::table::{Align, Table, bytes, count, counted, rate, seconds};
use super::terminal::{Style, Terminal, plain};
use crate::encode::Format;
use crate::files::{Inputs, root_for};
use crate::layout::{ClipRequest, GroupRequest, Request, TrackRequest, arrange};
use crate::manifest::FORMATS;
use crate::metadata::Holds;
use crate::motion::{Rig, Timeline, rig, vertices};
use crate::problem::{Problem, Problems};
use crate::source::{self, Clip, Source};

/// The width and height limit that memory is estimated for: the manifest's default.
const MAX_TEXTURE: u32 = 8192;

/// Shows what a file holds.
///
/// # Errors
/// The file cannot be read.
pub fn run(inspect: &Inspect, terminal: &Terminal) -> Result<ExitCode, Problems> {
    let source = read(&inspect.file)?;
    let bake = Bake::of(&source, inspect.fps);
    if terminal.json {
        terminal.out(&format!("{}\n", as_json(&inspect.file, &source, &bake)));
    } else {
        terminal.out(&as_text(&inspect.file, &source, &bake, terminal));
    }
    let empty = (source.triangle_count() == 0).then(|| no_triangles(&inspect.file));
    source
        .warnings
        .iter()
        .chain(&bake.warnings)
        .chain(&empty)
        .for_each(|problem| render::report(problem, terminal));
    Ok(ExitCode::SUCCESS)
}

fn no_triangles(file: &Path) -> Problem {
    let message = "the file draws no triangles: it cannot be baked as a character";
    let help = "its clips can be: name the file with `source` in a clip's table";
    Problem::warning("inspect::no-triangles", message).in_file(file).help(help)
}

/// Reads a model file as a build does; files without geometry too, since clips may come from them.
pub fn read(file: &Path) -> Result<Source, Problems> {
    let inputs = Inputs::new();
    let root = root_for(file, Path::new(""));
    let options = source::Options { need_triangles: false, ..source::Options::default() };
    let bytes = inputs.read(file)?;
    let mut source = source::read(&bytes, file, &options, &mut |uri| {
        let read = inputs.read_uri(uri, file, Some(root)).map(|bytes| bytes.to_vec());
        read.map_err(|problem| match &problem.help {
            None if problem.code == "files::outside" => problem.help("put the buffer beside the model"),
            _ => problem,
        })
    })?;
    source.warnings.extend(inputs.take_warnings());
    Ok(source)
}

/// What a bake with default settings would make.
struct Bake {
    fps: f64,
    columns: usize,
    normals: bool,
    joints: usize,
    /// For each clip its frames, and its bytes in each of [`FORMATS`].
    clips: Vec<(u32, Vec<u64>)>,
    warnings: Vec<Problem>,
}

impl Bake {
    fn of(source: &Source, fps: f64) -> Self {
        let normals = source.parts.iter().any(|part| source.geometries[part.geometry].normals.is_some());
        let list = vertices::list(source, normals);
        let options = rig::Options { normals, tangents: false, share_columns: true };
        let columns = Rig::new(source, &list, options).columns;
        let mut bake =
            Self { fps, columns, normals, joints: joints(source), clips: Vec::new(), warnings: Vec::new() };
        for clip in &source.clips {
            bake.add(clip);
        }
        bake
    }

    fn add(&mut self, clip: &Clip) {
        let frames = Timeline::new(0.0, clip.duration, self.fps, false).frames;
        let sizes = FORMATS.map(|named| self.bytes(clip, frames, named.format));
        let fits = sizes.iter().cloned().collect::<Result<Vec<u64>, Problem>>();
        match fits {
            Ok(sizes) => self.clips.push((frames, sizes)),
            Err(problem) => {
                self.warnings.push(Problem { severity: crate::problem::Severity::Warning, ..problem });
                self.clips.push((frames, Vec::new()));
            }
        }
    }

    /// Bytes on the GPU of a clip in a format, with its normals.
    fn bytes(&self, clip: &Clip, frames: u32, format: Format) -> Result<u64, Problem> {
        let holds = match (self.normals, format.has_packed_normal()) {
            (false, _) => vec![(Holds::Position, format)],
            (true, true) => vec![(Holds::PositionNormal, format)],
            (true, false) => vec![(Holds::Position, format), (Holds::Normal, Format::Rg8)],
        };
        let track = |(holds, format)| TrackRequest { group: 0, holds, format, frames };
        let clips = vec![ClipRequest { name: name(clip), tracks: holds.into_iter().map(track).collect() }];
        let groups = vec![GroupRequest { columns: self.columns as u32 }];
        let layout = arrange(&Request { max_texture: MAX_TEXTURE, groups, clips })?;
        Ok(layout.sheets.iter().map(|sheet| sheet.bytes() as u64).sum())
    }

    /// Bytes of all clips in a format; `None` if one does not fit.
    fn total(&self, format: usize) -> Option<u64> {
        self.clips.iter().map(|(_, sizes)| sizes.get(format)).sum()
    }
}

/// Joints of all skins, each node once.
fn joints(source: &Source) -> usize {
    let joints = source.skins.iter().flat_map(|skin| skin.joints.iter());
    joints.collect::<std::collections::BTreeSet<_>>().len()
}

/// A clip's name, or its position where it has none.
pub fn name(clip: &Clip) -> String {
    if clip.name.is_empty() { format!("(unnamed, {})", clip.index) } else { clip.name.clone() }
}

/// The rate of a clip's keys: one over the median time between neighbouring keys of a channel.
/// `None` without such a pair.
pub fn key_rate(clip: &Clip) -> Option<f64> {
    let pairs = clip.channels.iter().flat_map(|channel| channel.times.windows(2));
    let mut steps: Vec<f64> = pairs.map(|pair| f64::from(pair[1]) - f64::from(pair[0])).collect();
    steps.sort_by(f64::total_cmp);
    let median = steps.get(steps.len() / 2).copied().filter(|step| *step > 0.0)?;
    // Keys are 32-bit floats: 0.033333 is a 30th.
    let rate = 1.0 / median;
    Some(if (rate - rate.round()).abs() < 0.02 { rate.round() } else { rate })
}

/// Properties that a clip moves, in words: `rotation 23, translation 1`.
fn channels(clip: &Clip) -> String {
    use crate::source::Property::{Rotation, Scale, Translation, Weights};
    let kinds = [(Translation, "move"), (Rotation, "rotate"), (Scale, "scale"), (Weights, "morph")];
    let counts = kinds.map(|(property, word)| {
        (clip.channels.iter().filter(|channel| channel.property == property).count(), word)
    });
    let words: Vec<String> =
        counts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    if words.is_empty() { "none".into() } else { words.join(", ") }
}

fn as_text(file: &Path, source: &Source, bake: &Bake, terminal: &Terminal) -> String {
    let color = terminal.color_out;
    let n = |count: usize| count as u64;
    let targets: usize = source.parts.iter().map(|part| source.geometries[part.geometry].morphs.len()).sum();
    let mut text = format!(
        "{}  {}, {} in {}; {}, {}, {}, {}\n\n",
        Style::Bold.paint(&plain(&file.display().to_string()), color),
        counted(n(source.triangle_count()), "triangle", "triangles"),
        counted(n(source.vertex_count()), "vertex", "vertices"),
        counted(n(bake.columns), "column", "columns"),
        counted(n(bake.joints), "joint", "joints"),
        counted(n(targets), "morph target", "morph targets"),
        counted(n(source.materials.len()), "material", "materials"),
        counted(n(source.clips.len()), "clip", "clips"),
    );
    text.push_str(&parts(source).render("  ", color));
    if !source.clips.is_empty() {
        text.push_str(&format!("\n{}\n", clips(source).render("  ", color).trim_end()));
        text.push_str(&memory(source, bake, color));
    }
    text
}

fn parts(source: &Source) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("part", Left),
        ("vertices", Right),
        ("triangles", Right),
        ("moved by", Left),
        ("morph targets", Right),
        ("normals", Left),
        ("tangents", Left),
        ("UV sets", Right),
        ("materials", Left),
    ]);
    let yes = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    for part in &source.parts {
        let geometry = &source.geometries[part.geometry];
        let triangles: usize = geometry.primitives.iter().map(|p| p.indices.len() / 3).sum();
        let node = &source.nodes[part.node];
        table.row([
            if node.name.is_empty() { format!("node {}", node.index) } else { node.name.clone() },
            count(geometry.positions.len() as u64),
            count(triangles as u64),
            match part.skin {
                Some(skin) => counted(source.skins[skin].joints.len() as u64, "joint", "joints"),
                None => "its node".to_owned(),
            },
            count(geometry.morphs.len() as u64),
            yes(geometry.normals.is_some()),
            yes(geometry.tangents.is_some()),
            count(geometry.uvs.len() as u64),
            materials(source, geometry).join(", "),
        ]);
    }
    table
}

fn materials(source: &Source, geometry: &source::Geometry) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for primitive in &geometry.primitives {
        let name = match primitive.material {
            Some(material) if source.materials[material].name.is_empty() => format!("(unnamed, {material})"),
            Some(material) => source.materials[material].name.clone(),
            None => "(default)".to_owned(),
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn clips(source: &Source) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("", Right),
        ("clip", Left),
        ("length", Right),
        ("first key", Right),
        ("keys at", Right),
        ("channels", Left),
    ]);
    for clip in &source.clips {
        table.row([
            clip.index.to_string(),
            name(clip),
            seconds(clip.duration),
            seconds(clip.first_key),
            key_rate(clip).map_or_else(|| "-".to_owned(), rate),
            channels(clip),
        ]);
    }
    table
}

fn memory(source: &Source, bake: &Bake, color: bool) -> String {
    let normals = if bake.normals { "with normals" } else { "without normals" };
    let mut columns = vec![("clip", Align::Left), ("frames", Align::Right)];
    columns.extend(FORMATS.iter().map(|format| (format.name, Align::Right)));
    let mut table = Table::new(&columns);
    let size = |size: Option<u64>| size.map_or_else(|| "-".to_owned(), bytes);
    for (clip, (frames, sizes)) in source.clips.iter().zip(&bake.clips) {
        let sizes = (0..FORMATS.len()).map(|format| size(sizes.get(format).copied()));
        table.row([name(clip), count((*frames).into())].into_iter().chain(sizes));
    }
    let frames: u64 = bake.clips.iter().map(|(frames, _)| u64::from(*frames)).sum();
    let totals = (0..FORMATS.len()).map(|format| size(bake.total(format)));
    table.row(["all".to_owned(), count(frames)].into_iter().chain(totals));
    format!("\n  On the GPU at {}, {normals}:\n{}", rate(bake.fps), table.render("  ", color))
}

fn as_json(file: &Path, source: &Source, bake: &Bake) -> Value {
    let clip = |(clip, (frames, sizes)): (&Clip, &(u32, Vec<u64>))| {
        json!({
            "index": clip.index,
            "name": clip.name,
            "duration": clip.duration,
            "first_key": clip.first_key,
            "key_rate": key_rate(clip),
            "channels": clip.channels.len(),
            "frames": frames,
            "bytes": by_format(|format| sizes.get(format).copied()),
        })
    };
    let clips: Vec<Value> = source.clips.iter().zip(&bake.clips).map(clip).collect();
    json!({
        "reason": "inspected",
        "file": file,
        "vertices": source.vertex_count(),
        "triangles": source.triangle_count(),
        "columns": bake.columns,
        "joints": bake.joints,
        "materials": source.materials.iter().map(|material| &material.name).collect::<Vec<_>>(),
        "parts": source.parts.iter().map(|part| part_json(source, part)).collect::<Vec<_>>(),
        "fps": bake.fps,
        "clips": clips,
        "bytes": by_format(|format| bake.total(format)),
    })
}

fn by_format(size: impl Fn(usize) -> Option<u64>) -> Value {
    let sizes = FORMATS.iter().enumerate().map(|(i, format)| (format.name.to_owned(), json!(size(i))));
    Value::Object(sizes.collect())
}

fn part_json(source: &Source, part: &source::Part) -> Value {
    let geometry = &source.geometries[part.geometry];
    json!({
        "node": source.nodes[part.node].name,
        "vertices": geometry.positions.len(),
        "triangles": geometry.primitives.iter().map(|p| p.indices.len() / 3).sum::<usize>(),
        "joints": part.skin.map(|skin| source.skins[skin].joints.len()),
        "morph_targets": geometry.morphs.iter().map(|morph| &morph.name).collect::<Vec<_>>(),
        "normals": geometry.normals.is_some(),
        "tangents": geometry.tangents.is_some(),
        "uv_sets": geometry.uvs.len(),
        "materials": materials(source, geometry),
    })
}
