//! `vatpipe render`

use std::path::Path;
use std::process::ExitCode;

use serde_json::json;

use super::args::Render;
use super::build::{telling, with_threads};
use super::terminal::{Terminal, plain};
use super::{cache, locate, render};
use crate::numbers::{bytes, counted};
use crate::problem::{Problem, Problems, Result};
use crate::run::{self, Drawing, Drawn, Kind};

use crate::files;

/// Draws a character.
///
/// # Errors
/// The manifest or the command line is wrong, the character cannot be baked, or the picture cannot be written.
pub fn run(asked: &Render, manifest: Option<&Path>, terminal: &Terminal) -> Result<ExitCode, Problems> {
    let kind = kind(asked)?;
    let manifest = locate::load(manifest)?;
    let cache = cache::folder(Some(&manifest));
    let options = run::Options { cache, ..run::Options::default() };
    manifest.warnings.iter().for_each(|warning| render::report(warning, terminal));
    let drawing = Drawing { kind, heat: asked.heat, pixels: asked.size };
    let draw = |events: &(dyn Fn(run::Event) + Sync)| {
        run::draw(&manifest, &options, &asked.character, asked.clip.as_deref(), drawing, events)
    };
    let drawn = with_threads(asked.jobs, || telling(terminal, draw))??;
    files::write(&asked.output, &drawn.file)?;
    say(asked, &drawn, terminal);
    Ok(ExitCode::SUCCESS)
}

/// What the name of the file asks for.
fn kind(asked: &Render) -> Result<Kind> {
    let extension = asked.output.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "png" => Ok(Kind::Sheet { moments: asked.moments }),
        "apng" => Ok(Kind::Turntable),
        _ => Err(Problem::error("cli::picture", "the name of a picture ends in .png or .apng")
            .in_file(&asked.output)
            .help("a .png is a sheet with a row of moments for each clip, an .apng plays the clips while the model turns")),
    }
}

fn say(asked: &Render, drawn: &Drawn, terminal: &Terminal) {
    let Drawn { file, width, height, views, clips } = drawn;
    if terminal.json {
        let line = json!({
            "reason": "picture-written",
            "path": asked.output,
            "bytes": file.len(),
            "width": width,
            "height": height,
            "views": views,
            "character": asked.character,
            "clips": clips,
        });
        return terminal.out(&format!("{line}\n"));
    }
    if terminal.quiet {
        return;
    }
    let mut text = format!(
        "{}: {width} x {height} pixels, {}, {}\n",
        plain(&asked.output.display().to_string()),
        counted(*views as u64, "view", "views"),
        bytes(file.len() as u64),
    );
    let is_sheet = matches!(kind(asked), Ok(Kind::Sheet { .. }));
    for (index, clip) in clips.iter().enumerate() {
        let frames: Vec<String> = clip.frames.iter().map(u32::to_string).collect();
        let row = if is_sheet {
            format!("row {}: {}, frames {}", index + 1, plain(&clip.clip), frames.join(" "))
        } else {
            format!("{}, {}", plain(&clip.clip), counted(frames.len() as u64, "frame", "frames"))
        };
        let heat = if asked.heat {
            format!("; at most {:.3} mm off, bright is {:.3} mm", clip.worst * 1e3, clip.scale * 1e3)
        } else {
            String::new()
        };
        text.push_str(&format!("{row}{heat}\n"));
    }
    terminal.out(&text);
}
