//! `vatpipe cache`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;
use serde_json::{Value, json};

use super::args::CacheCommand;
use super::table::{Align, Table, bytes, count, counted};
use super::terminal::Terminal;
use super::{FAILED, locate};
use crate::cache::gc::{self, Limits, Removed, Stats};
use crate::cache::store::Store;
use crate::manifest::Manifest;
use crate::problem::{Problem, Problems};

/// The folder of the cache, whatever names it.
pub fn folder(manifest: Option<&Manifest>) -> Option<PathBuf> {
    crate::cache::folder::find(manifest.and_then(|manifest| manifest.cache.dir.clone()))
}

/// What the cache may hold.
pub fn limits(manifest: Option<&Manifest>) -> Limits {
    manifest.map_or_else(Limits::default, |manifest| Limits::of(&manifest.cache))
}

/// Looks after the cache.
///
/// # Errors
/// The manifest is wrong, or there is no cache. That it is busy or was damaged is in the exit code.
pub fn run(command: CacheCommand, asked: Option<&Path>, terminal: &Terminal) -> Result<ExitCode, Problems> {
    // The cache is the user's, not the project's: it is looked after anywhere.
    let manifest = match (asked, locate::manifest(asked)) {
        (None, Err(_)) => None,
        (_, path) => Some(locate::load(Some(&path?))?),
    };
    let none = || {
        let message = "there is no cache: this user has no cache folder";
        Problem::error("cache::none", message).help("name one with `VATPIPE_CACHE_DIR`")
    };
    let folder = folder(manifest.as_ref()).ok_or_else(none)?;
    let unusable = |error: std::io::Error| {
        let message = format!("the cache in {} cannot be used: {error}", folder.display());
        Problem::error("cache::unusable", message).help("name another folder with `VATPIPE_CACHE_DIR`")
    };
    let root = match command {
        CacheCommand::Stats => Store::to_read(&folder).root().to_owned(),
        _ => Store::open(&folder).map_err(unusable)?.root().to_owned(),
    };
    match command {
        CacheCommand::Stats => {
            stats(&folder, &gc::stats(&root), terminal);
            Ok(ExitCode::SUCCESS)
        }
        CacheCommand::Gc => {
            let done = gc::collect(&root, limits(manifest.as_ref())).map_err(unusable)?;
            removed("cache-collected", done, &folder, terminal)
        }
        CacheCommand::Clear => {
            let done = gc::clear(&root).map_err(unusable)?;
            removed("cache-cleared", done, &folder, terminal)
        }
        CacheCommand::Verify => Ok(verify(&root, &folder, terminal)),
    }
}

/// An object with a reason, the folder, and what a value says.
fn object(reason: &str, folder: &Path, value: impl Serialize) -> String {
    let mut object = json!({ "reason": reason, "dir": folder });
    if let (Value::Object(object), Ok(Value::Object(more))) = (&mut object, serde_json::to_value(value)) {
        object.extend(more);
    }
    format!("{object}\n")
}

fn stats(folder: &Path, stats: &Stats, terminal: &Terminal) {
    if terminal.json {
        return terminal.out(&object("cache-stats", folder, stats));
    }
    let mut text = format!(
        "{}  {}, {}, {}\n",
        folder.display(),
        counted(stats.entries, "clip", "clips"),
        counted(stats.blobs, "blob", "blobs"),
        bytes(stats.bytes),
    );
    if let Some(oldest) = stats.oldest {
        text.push_str(&format!("  not used for longest: {}\n", age(oldest)));
    }
    if !stats.projects.is_empty() {
        let (left, right) = (Align::Left, Align::Right);
        let mut table = Table::new(&[("project", left), ("clips", right), ("here", right), ("bytes", right)]);
        for project in &stats.projects {
            let out = project.out.display().to_string();
            table.row([out, count(project.clips), count(project.entries), bytes(project.bytes)]);
        }
        text.push_str(&table.render("  ", terminal.color_out));
    }
    terminal.out(&text);
}

/// `3 days`, `2 hours`, `just now`
fn age(seconds: u64) -> String {
    match (seconds / 86_400, seconds / 3600) {
        (0, 0) => "less than an hour".to_owned(),
        (0, hours) => counted(hours, "hour", "hours"),
        (days, _) => counted(days, "day", "days"),
    }
}

fn removed(
    reason: &str,
    removed: Option<Removed>,
    folder: &Path,
    terminal: &Terminal,
) -> Result<ExitCode, Problems> {
    let Some(removed) = removed else {
        let message = format!("the cache in {} is in use by another process", folder.display());
        let problem = Problem::error("cache::busy", message).help("try again once its build has ended");
        super::render::report(&problem, terminal);
        return Ok(ExitCode::from(FAILED));
    };
    if terminal.json {
        terminal.out(&object(reason, folder, removed));
    } else if !terminal.quiet {
        let clips = counted(removed.entries, "clip", "clips");
        let blobs = counted(removed.blobs, "blob", "blobs");
        terminal.out(&format!("removed {clips}, {blobs}, {}\n", bytes(removed.bytes)));
    }
    Ok(ExitCode::SUCCESS)
}

fn verify(root: &Path, folder: &Path, terminal: &Terminal) -> ExitCode {
    let verified = gc::verify(root);
    if terminal.json {
        terminal.out(&object("cache-verified", folder, verified));
    } else if !terminal.quiet || verified.damaged > 0 {
        let files = counted(verified.files, "file", "files");
        let damaged = match verified.damaged {
            0 => "all sound".to_owned(),
            number => format!("{number} damaged, and removed"),
        };
        terminal.out(&format!("{files}, {}: {damaged}\n", bytes(verified.bytes)));
    }
    if verified.damaged == 0 { ExitCode::SUCCESS } else { ExitCode::from(FAILED) }
}
