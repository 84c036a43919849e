//! Studies → what the template shows → the page.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde::Serialize;

use super::chart::{self, Chart, Datum};
use super::{ClipStudy, Study};
use crate::axes::Axes;
use crate::bake::{Candidate, Choice};
use crate::encode::Format;
use crate::encode::platforms::{Platform, Support};
use crate::metadata::{Character, Clip, MaxRms, Playback, Sheet, Track};
use crate::numbers::{bytes, count, counted, millimetres, rate, seconds, significant};
use crate::picture;
use crate::problem::{Problem, Result};

const TEMPLATE: &str = include_str!("../../templates/report.html");

/// Renders the page.
pub fn render(studies: &[Study]) -> Result<String> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let template = environment.template_from_named_str("report.html", TEMPLATE).map_err(|e| wrong(&e))?;
    let characters: Vec<CharacterPage> = studies.iter().enumerate().map(|(i, s)| character(i, s)).collect();
    let total = Total {
        characters: counted(studies.len() as u64, "character", "characters"),
        clips: counted(studies.iter().map(|s| s.clips.len() as u64).sum(), "clip", "clips"),
        gpu: bytes(studies.iter().map(|s| gpu(&s.character)).sum()),
        disk: bytes(studies.iter().map(disk).sum()),
    };
    let page = Page { version: env!("CARGO_PKG_VERSION"), total, characters, scale: scale() };
    template.render(Serde(&page)).map_err(|error| wrong(&error))
}

fn wrong(error: &minijinja::Error) -> Problem {
    Problem::error("report::template", format!("the report cannot be made: {error:#}"))
}

#[derive(Serialize)]
struct Page {
    version: &'static str,
    total: Total,
    characters: Vec<CharacterPage>,
    scale: String,
}

#[derive(Serialize)]
struct Total {
    characters: String,
    clips: String,
    gpu: String,
    disk: String,
}

#[derive(Serialize)]
struct CharacterPage {
    anchor: String,
    name: String,
    vertices: String,
    columns: String,
    triangles: String,
    gpu: String,
    disk: String,
    size: String,
    chart: Option<Chart>,
    shares: Vec<Bar>,
    disk_shares: Vec<Bar>,
    lods: Vec<LodRow>,
    platforms: Vec<PlatformRow>,
    clips: Vec<ClipPage>,
}

#[derive(Serialize)]
struct Bar {
    label: String,
    value: String,
    percent: f64,
}

#[derive(Serialize)]
struct LodRow {
    index: usize,
    triangles: String,
    vertices: String,
    ratio: String,
    error: String,
    textures: String,
}

#[derive(Serialize)]
struct PlatformRow {
    name: String,
    bytes: String,
}

#[derive(Serialize)]
struct ClipPage {
    name: String,
    length: String,
    plays: &'static str,
    seam: String,
    worst: String,
    rows: Vec<TrackRow>,
    over_time: Chart,
    chart: Option<Chart>,
    strip: String,
    captions: Vec<String>,
    scale: String,
}

/// What one set of levels of detail reads of a clip.
#[derive(Serialize)]
struct TrackRow {
    levels: String,
    frames: String,
    rate: String,
    format: String,
    bytes: String,
    encode: String,
    sample: String,
    share: String,
    normal: String,
    budget: String,
    /// `kept`, `over` or nothing.
    state: &'static str,
}

/// The size of a chart, in the units of its picture.
const CHART: [f64; 2] = [420.0, 250.0];
const STRIP_CHART: [f64; 2] = [420.0, 170.0];

fn character(index: usize, study: &Study) -> CharacterPage {
    let Study { character, files, clips } = study;
    let length = lengths(character.axes);
    let lods = character.lods.iter().enumerate().map(|(level, lod)| LodRow {
        index: level,
        triangles: count(lod.triangle_count.into()),
        vertices: count(lod.vertex_count.into()),
        ratio: percent(lod.ratio),
        error: length(lod.error),
        textures: bytes(
            character.sheets.iter().filter(|s| s.lods.contains(&(level as u32))).map(|s| s.bytes).sum(),
        ),
    });
    CharacterPage {
        anchor: format!("character-{index}"),
        name: character.name.clone(),
        vertices: counted(character.vertex_count.into(), "vertex", "vertices"),
        columns: counted(character.column_count.into(), "column", "columns"),
        triangles: counted(
            character.lods.first().map_or(0, |lod| lod.triangle_count.into()),
            "triangle",
            "triangles",
        ),
        gpu: bytes(gpu(character)),
        disk: bytes(disk(study)),
        size: format!("{} m", significant(character.axes.metres(character.bounds.diagonal()))),
        chart: together(clips, character.axes),
        shares: shares(character.clips.iter().map(|c| (c.name.clone(), clip_bytes(character, c)))),
        disk_shares: shares(files.iter().cloned()),
        lods: lods.collect(),
        platforms: Platform::ALL.into_iter().map(|of| platform(character, of)).collect(),
        clips: character.clips.iter().zip(clips).map(|(c, study)| clip(character, c, study)).collect(),
    }
}

/// What a platform makes of the textures.
fn platform(character: &Character, platform: Platform) -> PlatformRow {
    let mut needs: Vec<&str> = Vec::new();
    let mut lacks = None;
    for sheet in &character.sheets {
        match platform.support(sheet.format) {
            Support::Yes => {}
            Support::With(what) if needs.contains(&what) => {}
            Support::With(what) => needs.push(what),
            Support::No(why) => lacks = Some(format!("no {}: {why}", sheet.format)),
        }
    }
    let total = bytes(gpu(character));
    let bytes = match (lacks, needs.is_empty()) {
        (Some(lacks), _) => lacks,
        (None, true) => total,
        (None, false) => format!("{total}; needs {}", needs.join(", ")),
    };
    PlatformRow { name: platform.name().to_owned(), bytes }
}

fn clip(character: &Character, clip: &Clip, study: &ClipStudy) -> ClipPage {
    let worst = study.moments.iter().max_by(|a, b| a[1].total_cmp(&b[1]));
    let limit = study.choices.first().and_then(|choice| choice.baked()).and_then(|c| c.max_error);
    let length = lengths(character.axes);
    let seconds_of = |t: f64| format!("{} s", significant(t));
    ClipPage {
        name: clip.name.clone(),
        length: seconds(clip.duration),
        plays: match (clip.looping, clip.interpolation) {
            (true, Playback::Linear) => "Plays in a loop",
            (false, Playback::Linear) => "Plays once",
            (true, Playback::Step) => "Plays in a loop, stepped",
            (false, Playback::Step) => "Plays once, stepped",
        },
        // Where a clip that plays once ends is its own affair.
        seam: if clip.looping { length(study.seam) } else { "-".to_owned() },
        worst: worst.map_or_else(String::new, |[time, error]| {
            format!(
                "The largest error, {}, is in the interval that starts at {}.",
                length(*error),
                seconds_of(*time)
            )
        }),
        rows: positions(character, clip)
            .enumerate()
            .map(|(group, (sheet, track))| row(character, clip, sheet, track, study.choices.get(group)))
            .collect(),
        over_time: chart::over_time(&study.moments, limit, STRIP_CHART, seconds_of, length),
        chart: study
            .choices
            .first()
            .and_then(|choice| candidates(&choice.candidates, choice.baked, character.axes)),
        strip: STANDARD.encode(&study.strip),
        captions: study.captions.clone(),
        scale: length(study.scale),
    }
}

fn row(
    character: &Character,
    clip: &Clip,
    sheet: &Sheet,
    track: &Track,
    choice: Option<&Choice>,
) -> TrackRow {
    let same = |t: &&Track| sheet_of(character, t).is_some_and(|other| other.lods == sheet.lods);
    let together: Vec<&Track> = clip.tracks.iter().filter(same).collect();
    let normals = together.iter().find_map(|track| track.error.normal_deg);
    let all = sheet.lods.len() == character.lods.len();
    let levels: Vec<String> = sheet.lods.iter().map(u32::to_string).collect();
    let baked = choice.and_then(Choice::baked);
    let limit = baked.and_then(|candidate| candidate.max_error);
    let length = lengths(character.axes);
    let say = |error: Option<MaxRms>, how: &dyn Fn(f64) -> String| {
        error.map_or_else(|| "-".to_owned(), |e| how(e.max))
    };
    TrackRow {
        levels: if all { String::new() } else { format!(" levels {}", levels.join(", ")) },
        frames: count(track.frames.into()),
        rate: rate(track.fps),
        format: sheet.format.name().to_owned(),
        bytes: bytes(together.iter().map(|track| character.track_bytes(track)).sum()),
        encode: say(track.error.encode, &length),
        sample: say(track.error.sample, &length),
        share: track.error.sample.map_or_else(String::new, |e| percent(e.max / clip.bounds.diagonal())),
        normal: say(normals, &|degrees| format!("{}\u{b0}", significant(degrees))),
        budget: limit.map_or_else(|| "-".to_owned(), length),
        state: match (limit, baked) {
            (Some(_), Some(candidate)) if candidate.passes => "kept",
            (Some(_), Some(_)) => "over",
            _ => "",
        },
    }
}

/// The tracks that hold positions, one a set of levels of detail.
fn positions<'a>(character: &'a Character, clip: &'a Clip) -> impl Iterator<Item = (&'a Sheet, &'a Track)> {
    let with_sheet = clip.tracks.iter().filter_map(|track| Some((sheet_of(character, track)?, track)));
    with_sheet.filter(|(_, track)| track.error.sample.is_some())
}

fn sheet_of<'a>(character: &'a Character, track: &Track) -> Option<&'a Sheet> {
    character.sheets.get(track.sheet as usize)
}

/// All rates and formats that were measured of a clip.
fn candidates(candidates: &[Candidate], baked: usize, axes: Axes) -> Option<Chart> {
    let datum = |(index, candidate): (usize, &Candidate)| {
        let format = candidate.format?;
        let kind = if index == baked {
            "chosen"
        } else if candidate.passes {
            "passes"
        } else {
            "fails"
        };
        Some(named(candidate.bytes, candidate.sample, kind, format, candidate.asked_fps, axes))
    };
    let limit = candidates.get(baked).and_then(|candidate| candidate.max_error);
    scatter(candidates.iter().enumerate().filter_map(datum).collect(), limit, axes)
}

fn named(size: u64, error: f64, kind: &'static str, format: Format, fps: f64, axes: Axes) -> Datum {
    let label = format!("{format} at {}: {}, {}", rate(fps), bytes(size), lengths(axes)(error));
    Datum { x: size as f64, y: error, kind, label }
}

/// What is taken is drawn last, over what lies in the same place.
fn scatter(mut data: Vec<Datum>, limit: Option<f64>, axes: Axes) -> Option<Chart> {
    data.sort_by_key(|datum| datum.kind == "chosen");
    let say_bytes = |value: f64| bytes(value as u64);
    (data.len() > 1).then(|| chart::scatter(&data, limit, CHART, say_bytes, lengths(axes)))
}

/// All clips of a character at each rate and format that was measured of all of them, and as they are.
fn together(clips: &[ClipStudy], axes: Axes) -> Option<Chart> {
    let choices: Vec<&Choice> = clips.iter().filter_map(|clip| clip.choices.first()).collect();
    let mut sums: BTreeMap<(Format, u64), (usize, u64, f64, bool)> = BTreeMap::new();
    for candidate in choices.iter().flat_map(|choice| &choice.candidates) {
        let Some(format) = candidate.format else { continue };
        let sum = sums.entry((format, candidate.asked_fps.to_bits())).or_insert((0, 0, 0.0, true));
        *sum = (sum.0 + 1, sum.1 + candidate.bytes, sum.2.max(candidate.sample), sum.3 && candidate.passes);
    }
    let complete = sums.into_iter().filter(|(_, (clips, ..))| *clips == choices.len());
    let mut data: Vec<Datum> = complete
        .map(|((format, fps), (_, size, error, passes))| {
            named(size, error, if passes { "passes" } else { "fails" }, format, f64::from_bits(fps), axes)
        })
        .collect();
    let baked: Vec<&Candidate> = choices.iter().filter_map(|choice| choice.baked()).collect();
    let (size, error) = baked.iter().fold((0, 0.0), |(size, error): (u64, f64), candidate| {
        (size + candidate.bytes, error.max(candidate.sample))
    });
    let label = format!("taken: {}, {}", bytes(size), lengths(axes)(error));
    data.push(Datum { x: size as f64, y: error, kind: "chosen", label });
    let limits: Option<Vec<f64>> = baked.iter().map(|candidate| candidate.max_error).collect();
    let limit = limits.and_then(|limits| limits.into_iter().reduce(f64::min));
    scatter(data, limit, axes)
}

/// How lengths in model units are said.
fn lengths(axes: Axes) -> impl Fn(f64) -> String + Copy {
    move |units| millimetres(axes.metres(units))
}

fn shares(parts: impl Iterator<Item = (String, u64)>) -> Vec<Bar> {
    let mut parts: Vec<(String, u64)> = parts.collect();
    parts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let most = parts.first().map_or(1, |(_, most)| *most).max(1);
    let bar = |(label, size): (String, u64)| Bar {
        label,
        value: bytes(size),
        percent: (1000.0 * size as f64 / most as f64).round() / 10.0,
    };
    parts.into_iter().map(bar).collect()
}

fn gpu(character: &Character) -> u64 {
    character.sheets.iter().map(|sheet| sheet.bytes).sum()
}

fn disk(study: &Study) -> u64 {
    study.files.iter().map(|(_, size)| size).sum()
}

fn clip_bytes(character: &Character, clip: &Clip) -> u64 {
    clip.tracks.iter().map(|track| character.track_bytes(track)).sum()
}

fn percent(share: f64) -> String {
    if share.is_finite() { format!("{} %", significant(100.0 * share)) } else { "-".to_owned() }
}

/// The scale of colours, as stops of a gradient.
fn scale() -> String {
    let stop = |i: u8| {
        let [r, g, b] = picture::heat(f32::from(i) / 8.0).map(|c| (c * 255.0).round() as u8);
        format!("rgb({r} {g} {b})")
    };
    (0..=8).map(stop).collect::<Vec<_>>().join(",")
}
