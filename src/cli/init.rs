//! `vatpipe init`: models → a commented manifest.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::args::Init;
use super::inspect;
use super::locate::NAME;
use super::render;
use super::table::{counted, rate, seconds};
use super::terminal::{Terminal, is_unseen, plain};
use crate::files;
use crate::manifest::keys::{Key, Section};
use crate::manifest::{self, valid_character, valid_clip};
use crate::problem::{Place, Problem, Problems, Severity};
use crate::source::Source;

/// Folders in which nobody keeps models.
const SKIPPED: [&str; 2] = ["target", "node_modules"];
/// Folders below each other: deeper ones are somebody's cache.
const DEEPEST: usize = 16;

/// Writes a manifest for the models in its folder and below.
///
/// # Errors
/// There is a manifest already, there are no models, or the folder cannot be read or written.
pub fn run(init: &Init, manifest: Option<&Path>, terminal: &Terminal) -> Result<ExitCode, Problems> {
    let path = manifest.unwrap_or(Path::new(NAME));
    if path.exists() && !init.force {
        let problem = Problem::error("init::exists", "there is a manifest already").in_file(path);
        return Err(problem.help("edit it, or replace it with `vatpipe init --force`").into());
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut models = Vec::new();
    find(folder, Path::new(""), 0, &mut models)?;
    let mut found = Vec::new();
    for model in models {
        let file = folder.join(&model);
        match nameable(&model, &file).and_then(|()| inspect::read(&file)) {
            Ok(source) => found.push((model, source)),
            Err(problems) => problems.0.iter().for_each(|p| {
                render::report(&Problem { severity: Severity::Warning, ..p.clone() }, terminal)
            }),
        }
    }
    let (models, clip_files): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|(_, source)| source.triangle_count() > 0);
    if models.is_empty() {
        let here = if folder.as_os_str().is_empty() { "." } else { &folder.display().to_string() };
        let message = format!("there is no glTF model (.glb or .gltf) in {here} or below");
        let help = "put a model there, or write the manifest by hand: docs/manifest.md";
        return Err(Problem::error("init::no-models", message).help(help).into());
    }
    let text = write(&models, &clip_files);
    manifest::load(&text, path).map_err(wrong)?;
    files::write(path, text.as_bytes())?;
    let characters = counted(models.len() as u64, "character", "characters");
    if terminal.json {
        terminal.out(&format!("{}\n", serde_json::json!({ "reason": "manifest-written", "path": path })));
    } else if !terminal.quiet {
        terminal.out(&format!("wrote {} with {characters}; next: vatpipe build\n", path.display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether a manifest can name a model.
fn nameable(model: &Path, file: &Path) -> Result<(), Problems> {
    let why = match model.to_str() {
        None => Some("it is not UTF-8".to_owned()),
        Some(_) => {
            let text = format!("[characters.a]\nsource = {}\n", quoted(&slashed(model)));
            manifest::load(&text, file).err().map(|problems| problems.0[0].message.clone())
        }
    };
    let Some(why) = why else { return Ok(()) };
    let message = format!("no manifest can name this file, which is left out: {why}");
    Err(Problem::error("init::name", message).in_file(file).help("rename the file, or the folder").into())
}

/// What is wrong with a manifest that was never written: no place can be shown.
fn wrong(problems: Problems) -> Problems {
    let placeless = |problem: Problem| Problem { place: Place::Nowhere, ..problem };
    Problems(problems.0.into_iter().map(placeless).collect())
}

/// Model files in a folder and below, sorted, relative to `root`. What a build wrote is passed
/// over: a model with a `.vat.json` beside it.
fn find(root: &Path, below: &Path, depth: usize, models: &mut Vec<PathBuf>) -> Result<(), Problem> {
    let folder = root.join(below);
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
    let unreadable = |error: std::io::Error| {
        Problem::error("init::unreadable", format!("this folder cannot be read: {error}")).in_file(folder)
    };
    let mut entries =
        std::fs::read_dir(folder).map_err(unreadable)?.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    entries.sort_by_key(|entry| entry.file_name());
    for entry in entries {
        let name = entry.file_name();
        let (Some(text), Ok(kind)) = (name.to_str(), entry.file_type()) else { continue };
        if text.starts_with('.') {
            continue;
        }
        let path = below.join(&name);
        // Links are not followed: they may lead in circles.
        if kind.is_dir() && !SKIPPED.contains(&text) && depth < DEEPEST {
            find(root, &path, depth + 1, models)?;
        } else if kind.is_file() && is_model(&root.join(&path)) {
            models.push(path);
        }
    }
    Ok(())
}

fn is_model(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let known = ["glb", "gltf"].iter().any(|known| extension.eq_ignore_ascii_case(known));
    known && !path.with_extension("vat.json").exists()
}

/// The text of a manifest for these models. `clip_files` have clips and no geometry.
fn write(models: &[(PathBuf, Source)], clip_files: &[(PathBuf, Source)]) -> String {
    let mut text = String::from(
        "# What vatpipe bakes: `vatpipe build` reads this file. A line takes effect without its `#`.\n\
         # All keys: docs/manifest.md, or `vatpipe schema` for an editor.\n",
    );
    for section in [Section::Output, Section::Cache, Section::Defaults] {
        let _ = write!(text, "\n{}\n", section.header());
        section.keys().for_each(|key| text.push_str(&setting(key)));
    }
    let mut names: Vec<String> = Vec::new();
    for (path, source) in models {
        let name = character_name(path, &names);
        text.push_str(&character(&name, path, source));
        names.push(name);
    }
    for (path, source) in clip_files {
        text.push_str(&clip_file(names.first().map_or("NAME", String::as_str), path, source));
    }
    text
}

/// A key with its default, as a comment and a line: in force where there is a default worth
/// seeing, else as an example.
fn setting(key: &Key) -> String {
    let shown = ["dir", "targets", "fps", "format"].contains(&key.name);
    let comment = wrap(&key.doc.replace('`', ""), 96);
    match key.default {
        Some(default) if shown => format!("{comment}{} = {default}\n", key.name),
        Some(default) => format!("{comment}# {} = {default}\n", key.name),
        None => format!("{comment}# {} = {}\n", key.name, key.example),
    }
}

/// A text as comment lines of at most so many characters.
fn wrap(text: &str, width: usize) -> String {
    let mut lines = String::from("#");
    let mut used = 1;
    for word in text.split(' ') {
        let length = word.chars().count() + 1;
        if used + length > width {
            lines.push_str("\n#");
            used = 1;
        }
        lines.push(' ');
        lines.push_str(word);
        used += length;
    }
    lines + "\n"
}

/// A basic string of TOML: what would break the line or its order is escaped, as are quotes and backslashes.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            // All of them lie in the first 65,536 characters.
            c if is_unseen(c) => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// A key as TOML writes it: bare where it can be.
fn bare(name: &str) -> String {
    let is_bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if is_bare { name.to_owned() } else { quoted(name) }
}

/// A path with forward slashes.
fn slashed(path: &Path) -> String {
    let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

/// A name for the character of a file, legal and unlike the others.
fn character_name(path: &Path, taken: &[String]) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let legal = |c: char| if c.is_alphanumeric() || matches!(c, '_' | '-' | '.') { c } else { '_' };
    let mut name: String = stem.chars().map(legal).take(40).collect();
    name = name.trim_matches(|c| matches!(c, '.' | '_')).to_owned();
    while name.len() > 48 {
        name.pop();
    }
    let others: Vec<&str> = taken.iter().map(String::as_str).collect();
    if valid_character(&name, &others) {
        return name;
    }
    let base = if valid_character(&format!("{name}_2"), &[]) { name } else { "character".to_owned() };
    let numbered = (2..).map(|n| format!("{base}_{n}")).find(|name| valid_character(name, &others));
    numbered.unwrap_or(base)
}

fn character(name: &str, path: &Path, source: &Source) -> String {
    let mut text = format!(
        "\n# {}, {}, {}\n",
        counted(source.vertex_count() as u64, "vertex", "vertices"),
        counted(source.triangle_count() as u64, "triangle", "triangles"),
        counted(source.clips.len() as u64, "clip", "clips"),
    );
    if source.clips.is_empty() {
        text.push_str(
            "# It has no clip of its own: give it one with `source` in a clip's table, or remove it.\n",
        );
    }
    let _ = writeln!(text, "[characters.{}]", bare(name));
    let _ = writeln!(text, "source = {}", quoted(&slashed(path)));
    if source.clips.is_empty() {
        return text;
    }
    text.push_str("clips = \"all\"\n");
    if let Some(fps) = common_rate(source) {
        let _ = writeln!(text, "# fps = {fps}  # the rate of its keys");
    }
    for clip in &source.clips {
        let keys = inspect::key_rate(clip).map_or(String::new(), |fps| format!(", keys at {}", rate(fps)));
        let mut about = format!("{}{keys}", seconds(clip.duration));
        if clip.first_key > 0.0 {
            let _ = write!(about, ", first key at {}", seconds(clip.first_key));
        }
        let index = clip.index;
        if valid_clip(&clip.name) {
            let _ = writeln!(text, "# clip.{}.loop = true  # {about}", bare(&clip.name));
        } else if clip.name.is_empty() {
            let _ = writeln!(text, "# clip {index} has no name: {about}");
        } else {
            // No manifest can say its name.
            let shown: String = plain(&clip.name).chars().take(80).collect();
            let _ =
                writeln!(text, "# clip.clip_{index} = {{ from = {index}, loop = true }}  # {shown}: {about}");
        }
    }
    text
}

/// The rate of the keys of all clips, if it is one rate, a whole number, and not the default.
fn common_rate(source: &Source) -> Option<f64> {
    let mut rates = source.clips.iter().filter_map(inspect::key_rate);
    let first = rates.next()?;
    let plain = first.fract() == 0.0 && (1.0..=120.0).contains(&first) && first != 30.0;
    (plain && rates.all(|rate| rate == first)).then_some(first)
}

fn clip_file(character: &str, path: &Path, source: &Source) -> String {
    let count = counted(source.clips.len() as u64, "clip", "clips");
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let header = format!("characters.{}.clip.{}", bare(character), bare(&stem));
    let source_line = format!("# source = {}", quoted(&slashed(path)));
    format!(
        "\n# {count}, no geometry: for a character whose joints have the same names\n# [{header}]\n{source_line}\n# from = 0\n"
    )
}
