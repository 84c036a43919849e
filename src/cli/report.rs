//! A baked character as a table.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::table::{Align, Table, bytes, count, counted, millimetres, rate, seconds, significant};
use super::terminal::{Style, Terminal, plain};
use crate::bake::label;
use crate::metadata::{Bounds, Character, Clip, MaxRms, Playback, Track};

/// What was made of a character: one row a clip, one row a sheet.
pub fn character(
    character: &Character,
    written: &[(PathBuf, u64)],
    took: f64,
    clip_seconds: &BTreeMap<String, f64>,
    terminal: &Terminal,
) -> String {
    let color = terminal.color_out;
    let triangles: u64 = character.lods.first().map_or(0, |lod| u64::from(lod.triangle_count));
    let mut text = format!(
        "{}  {} in {}, {}; {} in {}, {}\n",
        Style::Bold.paint(&plain(&character.name), color),
        counted(character.vertex_count.into(), "vertex", "vertices"),
        counted(character.column_count.into(), "column", "columns"),
        counted(triangles, "triangle", "triangles"),
        bytes(written.iter().map(|(_, bytes)| bytes).sum()),
        counted(written.len() as u64, "file", "files"),
        seconds(took),
    );
    if character.lods.len() > 1 {
        text.push_str(&lods(character, color));
    }
    text.push_str(&clips(character, clip_seconds, terminal));
    text.push_str(&sheets(character, written, color));
    if terminal.verbose {
        text.push_str(&files("files", written, terminal));
    } else {
        text.push('\n');
    }
    text
}

/// One row a level of detail.
fn lods(character: &Character, color: bool) -> String {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("level of detail", Left),
        ("triangles", Right),
        ("of all", Right),
        ("vertices", Right),
        ("columns", Right),
        ("off the surface", Right),
        ("of size", Right),
        ("rms", Right),
        ("on the GPU", Right),
    ]);
    let length = |units: f64| millimetres(character.axes.metres(units));
    for (level, lod) in (0..).zip(&character.lods) {
        let own = character.sheets.iter().filter(|sheet| sheet.lods.first() == Some(&level));
        let own: u64 = own.map(|sheet| sheet.bytes).sum();
        table.row([
            format!("LOD {level}"),
            count(lod.triangle_count.into()),
            format!("{} %", significant(100.0 * lod.ratio)),
            count(lod.vertex_count.into()),
            count(lod.column_count.into()),
            length(lod.error),
            of_size(lod.error, &character.bounds),
            length(lod.error_rms),
            // Of several levels that read the same sheets the first has them.
            if own > 0 { bytes(own) } else { "-".to_owned() },
        ]);
    }
    table.render("  ", color)
}

/// The tracks of a clip, for each set of levels of detail that share them; with the finest of these.
fn groups<'a>(character: &Character, clip: &'a Clip) -> Vec<(u32, Vec<&'a Track>)> {
    let mut groups: Vec<(u32, Vec<&Track>)> = Vec::new();
    for track in &clip.tracks {
        let sheet = character.sheets.get(track.sheet as usize);
        let lod = sheet.and_then(|sheet| sheet.lods.first().copied()).unwrap_or(0);
        match groups.iter_mut().find(|(known, _)| *known == lod) {
            Some((_, tracks)) => tracks.push(track),
            None => groups.push((lod, vec![track])),
        }
    }
    groups
}

fn clips(character: &Character, clip_seconds: &BTreeMap<String, f64>, terminal: &Terminal) -> String {
    use Align::{Left, Right};
    let mut columns = vec![
        ("clip", Left),
        ("length", Right),
        ("frames", Right),
        ("rate", Right),
        ("plays", Left),
        ("format", Left),
        ("bytes", Right),
        ("encode error", Right),
        ("sample error", Right),
        ("of size", Right),
        ("time", Right),
    ];
    if terminal.verbose {
        columns.extend([("encode rms", Right), ("sample rms", Right), ("normals", Right), ("stores", Left)]);
    }
    let mut table = Table::new(&columns);
    let length = |units: f64| millimetres(character.axes.metres(units));
    let rows =
        character.clips.iter().flat_map(|clip| groups(character, clip).into_iter().map(move |g| (clip, g)));
    for (clip, (lod, tracks)) in rows {
        let positions = tracks.iter().find(|track| track.error.sample.is_some()).or(tracks.first());
        let Some(&track) = positions else { continue };
        let name = label(&clip.name, lod);
        let format = character.sheets.get(track.sheet as usize).map(|sheet| sheet.format.name());
        let plays = match (clip.looping, clip.interpolation) {
            (true, Playback::Linear) => "in a loop",
            (false, Playback::Linear) => "once",
            (true, Playback::Step) => "in a loop, stepped",
            (false, Playback::Step) => "once, stepped",
        };
        let mut row = vec![
            name.clone(),
            seconds(clip.duration),
            count(track.frames.into()),
            rate(track.fps),
            plays.to_owned(),
            format.unwrap_or_default().to_owned(),
            bytes(tracks.iter().map(|track| character.track_bytes(track)).sum()),
            error(track.error.encode, |e| length(e.max)),
            error(track.error.sample, |e| length(e.max)),
            error(track.error.sample, |e| of_size(e.max, &clip.bounds)),
            clip_seconds.get(&name).map_or(String::new(), |took| seconds(*took)),
        ];
        if terminal.verbose {
            row.push(error(track.error.encode, |e| length(e.rms)));
            row.push(error(track.error.sample, |e| length(e.rms)));
            let normals = tracks.iter().find_map(|track| track.error.normal_deg);
            row.push(error(normals, |e| format!("{} deg", significant(e.max))));
            row.push(if track.relative { "offsets" } else { "positions" }.to_owned());
        }
        table.row(row);
    }
    table.render("  ", terminal.color_out)
}

/// A length as a share of the diagonal of bounds: what millimetres say of a model that is not in
/// metres.
fn of_size(length: f64, bounds: &Bounds) -> String {
    let edges = (0..3).map(|axis| f64::from(bounds.max[axis]) - f64::from(bounds.min[axis]));
    let share = 100.0 * length / edges.map(|edge| edge * edge).sum::<f64>().sqrt();
    match share {
        _ if !share.is_finite() => "-".to_owned(), // The clip stands still in one point.
        _ if share < 1e-4 => "0 %".to_owned(),
        _ => format!("{} %", significant(share)),
    }
}

fn error(error: Option<MaxRms>, show: impl Fn(MaxRms) -> String) -> String {
    error.map_or_else(|| "-".to_owned(), show)
}

fn sheets(character: &Character, written: &[(PathBuf, u64)], color: bool) -> String {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("sheet", Left),
        ("holds", Left),
        ("format", Left),
        ("size", Left),
        ("on the GPU", Right),
        ("on disk", Right),
    ]);
    for sheet in &character.sheets {
        let layers = if sheet.layers > 1 { format!(" x {} layers", sheet.layers) } else { String::new() };
        let on_disk =
            written.iter().find(|(path, _)| path.file_name().is_some_and(|n| n == sheet.file.as_str()));
        let holds = serde_json::to_value(sheet.holds).ok();
        table.row([
            sheet.file.clone(),
            holds.as_ref().and_then(|holds| holds.as_str()).unwrap_or_default().to_owned(),
            sheet.format.name().to_owned(),
            format!("{} x {}{layers}", sheet.width, sheet.height),
            bytes(sheet.bytes),
            on_disk.map_or_else(String::new, |(_, size)| bytes(*size)),
        ]);
    }
    table.render("  ", color)
}

/// Files and their sizes, and an empty line.
pub fn files(what: &str, written: &[(PathBuf, u64)], terminal: &Terminal) -> String {
    if written.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&[(what, Align::Left), ("on disk", Align::Right)]);
    for (path, size) in written {
        table.row([path.display().to_string(), bytes(*size)]);
    }
    table.render("  ", terminal.color_out) + "\n"
}
