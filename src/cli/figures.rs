//! `vatpipe build --figures` and `--compare`: what is published in numbers, and against earlier ones.

use std::path::Path;

use serde_json::json;

use super::args::Build;
use super::terminal::{Style, Terminal, plain};
use super::{cache, locate};
use crate::figures::{self, Figures, Regression};
use crate::files;
use crate::numbers::{bytes, counted, millimetres, significant};
use crate::problem::{Problem, Problems, Result};

/// Reads the figures of an earlier build.
///
/// # Errors
/// They cannot be read, or are none.
pub fn read(path: &Path) -> Result<Figures> {
    let text = files::read_output(path).map_err(|error| {
        let message = format!("these figures cannot be read: {error}");
        let help = "write them with `vatpipe build --figures FILE`";
        Problem::error("figures::read", message).in_file(path).help(help)
    })?;
    Figures::from_json(&text, path)
}

/// Writes and compares the figures of what is published, as it was asked for. True if something is worse.
///
/// # Errors
/// What is published cannot be read, or the file not be written.
pub fn after(
    build: &Build,
    manifest: &Path,
    old: Option<&Figures>,
    terminal: &Terminal,
) -> Result<bool, Problems> {
    if build.figures.is_none() && old.is_none() {
        return Ok(false);
    }
    let manifest = locate::load_with(Some(manifest), &build.over.overrides())?;
    let cache = cache::folder(Some(&manifest)).filter(|_| !build.no_cache);
    let new = figures::published(&manifest, &build.characters, cache.as_deref())?;
    if let Some(file) = &build.figures {
        files::write(file, new.to_json().as_bytes())?;
    }
    let Some(old) = old else { return Ok(false) };
    let worse = figures::compare(old, &new, build.tolerance);
    if terminal.json {
        let line = |worse: &Regression| {
            let mut line = json!(worse);
            line["reason"] = json!("regression");
            format!("{line}\n")
        };
        terminal.out(&worse.iter().map(line).collect::<String>());
    } else if !worse.is_empty() {
        terminal.err(&words(&worse, build.tolerance, terminal));
    }
    Ok(!worse.is_empty())
}

fn words(worse: &[Regression], tolerance: f64, terminal: &Terminal) -> String {
    let mut text = String::new();
    for Regression { character, clip, figure, old, new } in worse {
        let of = [character, clip].into_iter().flatten().map(|name| plain(name)).collect::<Vec<_>>();
        let of = if of.is_empty() { "all characters".to_owned() } else { of.join(" / ") };
        let shown = |number: f64| match *figure {
            "gpu_bytes" | "file_bytes" => bytes(number as u64),
            "encode" | "sample" => millimetres(number),
            _ => format!("{} degrees", significant(number)),
        };
        let what = match *figure {
            "gpu_bytes" => "memory on the GPU",
            "file_bytes" => "size of the files",
            "encode" => "error at the frames",
            "sample" => "error at and between the frames",
            "normal_deg" => "error of normals",
            _ => "error of tangents",
        };
        let name = Style::Bold.paint(&of, terminal.color_err);
        text += &format!("{name}: {what} grew from {} to {}\n", shown(*old), shown(*new));
    }
    let count = counted(worse.len() as u64, "figure is", "figures are");
    let failed = format!("{count} worse than before by more than {} %", significant(tolerance * 100.0));
    text + &format!("{}\n", Style::Red.paint(&failed, terminal.color_err))
}
