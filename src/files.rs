//! The only door to the file system: inputs read and recorded, outputs written whole or not at all.
//!
//! What can go wrong: a path leads out of the folder it may use (`..`, an absolute path, a link), is
//! no regular file (a folder, a pipe that never ends), is larger than we take, or cannot be written.

mod look;
mod write;

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::cache::digest::Digest;
use crate::cache::memo::{Seen, Stamp};
use crate::problem::{Problem, Result};

pub use look::{
    entries, folder_identity, glance, has_bytes, head, open_output, output_size, read_output, remove_output,
};
pub use write::{
    Prepared, append, as_any_file, is_temporary, prepare, replace, sync_folder, write, write_shortcut,
};

/// The largest input taken, bytes: a model of 100 million vertices is smaller.
pub const MAX_INPUT: u64 = 8 << 30;

/// Reads inputs and remembers which.
#[derive(Debug, Default)]
pub struct Inputs {
    memory: Option<BTreeMap<PathBuf, Arc<[u8]>>>,
    read: Mutex<BTreeMap<PathBuf, Option<Read>>>,
    warnings: Mutex<Vec<Problem>>,
}

/// A file that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// The digest of the bytes.
    pub digest: Digest,
    /// What the file system said of it, if that was the same before and after.
    pub seen: Option<Seen>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Inputs {
    /// Reads from the file system.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads from a table instead: for tests and tools that have the bytes already.
    pub fn in_memory(files: BTreeMap<PathBuf, Arc<[u8]>>) -> Self {
        Self { memory: Some(files), ..Self::default() }
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// It does not exist, is no regular file, is larger than [`MAX_INPUT`] or cannot be read, or is another
    /// than when it was read before: what was made of both would be fresh for ever.
    pub fn read(&self, path: &Path) -> Result<Arc<[u8]>> {
        if let Some(memory) = &self.memory {
            let found = memory.get(path).cloned();
            return found.ok_or_else(|| missing(path, "it does not exist"));
        }
        lock(&self.read).entry(path.to_owned()).or_insert(None);
        let before = Stamp::of(path);
        let metadata = std::fs::metadata(path).map_err(|e| unreadable(path, &e))?;
        if !metadata.is_file() {
            let what = if metadata.is_dir() { "it is a folder" } else { "it is no regular file" };
            return Err(missing(path, what));
        }
        if metadata.len() > MAX_INPUT {
            return Err(missing(
                path,
                &format!("it has {} bytes, and {MAX_INPUT} are the limit", metadata.len()),
            ));
        }
        if let Some(actual) = differs_in_case(path) {
            let message = format!(
                "the file is called `{actual}`: systems that tell upper from lower case will not find it"
            );
            lock(&self.warnings).push(Problem::warning("files::case", message).in_file(path));
        }
        let bytes: Arc<[u8]> = std::fs::read(path).map(Arc::from).map_err(|e| unreadable(path, &e))?;
        let digest = Digest::of(&bytes);
        let seen = before.ok().and_then(|before| Seen::now(path, before, digest));
        let before = lock(&self.read).insert(path.to_owned(), Some(Read { digest, seen }));
        if before.flatten().is_some_and(|before| before.digest != digest) {
            let message = "this file changed while it was being used";
            let help = "build again once whatever writes it is done";
            return Err(Problem::error("files::changed", message).in_file(path).help(help));
        }
        Ok(bytes)
    }

    /// The bytes that a URI in `file` refers to, which must lie in `root` or below (links
    /// followed); anywhere if there is no root. The URI is as written in the file.
    ///
    /// # Errors
    /// As [`Self::read`], and a URI that is no relative path or leads out of `root`.
    pub fn read_uri(&self, uri: &str, file: &Path, root: Option<&Path>) -> Result<Arc<[u8]>> {
        let relative = relative_path(uri, root.is_none()).map_err(|why| refused(uri, file, why))?;
        let path = file.parent().unwrap_or(Path::new("")).join(relative);
        if let Some(root) = root {
            // Before touching the target: what lies outside is not even looked at.
            let inside =
                normalized(&path).is_some_and(|p| normalized(root).is_some_and(|r| p.starts_with(r)));
            if !inside || (self.memory.is_none() && !real_path_is_inside(&path, root)) {
                return Err(refused(uri, file, OUTSIDE));
            }
        }
        self.read(&path).map_err(|problem| referred_to(problem, &path, file))
    }

    /// What was read so far, sorted; `None` for what could not be.
    pub fn recorded(&self) -> Vec<(PathBuf, Option<Read>)> {
        lock(&self.read).iter().map(|(path, read)| (path.clone(), *read)).collect()
    }

    /// Takes what was noticed while reading.
    pub fn take_warnings(&self) -> Vec<Problem> {
        std::mem::take(&mut lock(&self.warnings))
    }
}

/// The folder that the URIs of `file` may use: `project` if the file lies in it, else the file's
/// own.
pub fn root_for<'a>(file: &'a Path, project: &'a Path) -> &'a Path {
    let project_is_above = match (normalized(file), normalized(project)) {
        (Some(file), Some(project)) => file.starts_with(project),
        _ => false,
    };
    if project_is_above { project } else { file.parent().unwrap_or(Path::new("")) }
}

/// Absolute, with `.` and `..` resolved as text.
pub fn normalized(path: &Path) -> Option<PathBuf> {
    // The empty path is the current directory, as it is where paths are joined.
    let path = std::path::absolute(if path.as_os_str().is_empty() { Path::new(".") } else { path }).ok()?;
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    Some(out)
}

/// Whether a path stays in `root` with all links followed. A path that does not exist is judged by
/// its nearest folder that does.
fn real_path_is_inside(path: &Path, root: &Path) -> bool {
    let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
    let Ok(root) = root.canonicalize() else { return false };
    let existing = path.ancestors().find_map(|p| {
        let p = if p.as_os_str().is_empty() { Path::new(".") } else { p };
        p.canonicalize().ok()
    });
    existing.is_some_and(|real| real.starts_with(root))
}

/// A URI reference as a relative path, percent-decoded (RFC 3986).
fn relative_path(uri: &str, outside: bool) -> Result<PathBuf, &'static str> {
    let decoded = percent_encoding::percent_decode_str(uri).decode_utf8();
    let Ok(text) = decoded else { return Err("it is not UTF-8 once decoded") };
    if text.contains('\0') {
        return Err("it holds a zero byte");
    }
    if text.contains('\\') {
        return Err("it holds a backslash; folders in a URI are separated by `/`");
    }
    let scheme = text.split(['/', '?', '#']).next().is_some_and(|first| first.contains(':'));
    if scheme {
        return Err("it has a scheme or a drive; only relative paths and data URIs are read");
    }
    if text.starts_with('/') && !outside {
        return Err(ABSOLUTE);
    }
    Ok(PathBuf::from(&*text))
}

/// Where the file lies that a URI in `file` refers to, whether or not it may be read; `None` if it is no path.
pub fn beside(file: &Path, uri: &str) -> Option<PathBuf> {
    let relative = relative_path(uri, true).ok()?;
    Some(file.parent().unwrap_or(Path::new("")).join(relative))
}

const ABSOLUTE: &str = "it is an absolute path";
const OUTSIDE: &str = "it leads out of the folder that its inputs must be in";

/// What would be read elsewhere has no advice yet: whether it may be allowed depends on who asks.
fn refused(uri: &str, file: &Path, why: &str) -> Problem {
    let message = format!("the URI `{}` is not read: {why}", uri.escape_debug());
    let problem = Problem::error("files::outside", message).in_file(file);
    if why == ABSOLUTE || why == OUTSIDE {
        return problem;
    }
    problem.help("put the file beside the model, and name it there by a relative path")
}

fn missing(path: &Path, why: &str) -> Problem {
    Problem::error("files::unreadable", format!("this file cannot be read: {why}")).in_file(path)
}

fn unreadable(path: &Path, error: &io::Error) -> Problem {
    match error.kind() {
        io::ErrorKind::NotFound => {
            if let Ok(target) = std::fs::read_link(path) {
                return missing(path, &format!("it is a link to {}, which does not exist", target.display()));
            }
            let problem = missing(path, "it does not exist");
            match similar(path) {
                Some(name) => problem.help(format!("did you mean `{name}`?")),
                None => problem,
            }
        }
        _ => missing(path, &error.to_string()),
    }
}

/// The same problem with a file that another one names.
fn referred_to(problem: Problem, path: &Path, by: &Path) -> Problem {
    let said = format!("{} refers to it, relative to its own folder", by.display());
    let near = if path.symlink_metadata().is_ok() { None } else { similar(path) };
    problem.help(match near {
        Some(name) => format!("did you mean `{name}`? {said}"),
        None => said,
    })
}

/// The name in the same folder that looks most like this one.
fn similar(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    let entries = std::fs::read_dir(parent_of(path)).ok()?;
    let names = entries.filter_map(|e| Some(e.ok()?.file_name().to_string_lossy().into_owned()));
    let scored = names.map(|n| (strsim::jaro_winkler(&n.to_lowercase(), &name), n));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(&a.1)))?;
    (best.0 > 0.85).then_some(best.1)
}

/// The true name of a file that was found although its name differs in case.
fn differs_in_case(path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_str()?;
    // A folder that tells them apart has no such file, or another one; and it may be long.
    let other =
        |name: char| if name.is_lowercase() { name.to_ascii_uppercase() } else { name.to_ascii_lowercase() };
    let turned: String = wanted.chars().map(other).collect();
    if turned != wanted && std::fs::metadata(path.with_file_name(turned)).is_err() {
        return None;
    }
    let mut found = None;
    for entry in std::fs::read_dir(parent_of(path)).ok()? {
        let name = entry.ok()?.file_name().into_string().ok()?;
        if name == wanted {
            return None;
        }
        if name.to_lowercase() == wanted.to_lowercase() {
            found = Some(name);
        }
    }
    found
}

fn parent_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// The text of a file, such as the manifest.
///
/// # Errors
/// As [`Inputs::read`], and text that is not UTF-8.
pub fn read_text(inputs: &Inputs, path: &Path) -> Result<String> {
    let bytes = inputs.read(path)?;
    String::from_utf8(bytes.to_vec()).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        Problem::error("files::text", format!("this file is not UTF-8 text: byte {at} is not")).in_file(path)
    })
}

/// How deep folders of templates may lie within each other.
const TEMPLATE_DEPTH: usize = 4;

/// The template files in a folder, and in those folders in it that are targets, by name: those of folders with these in front, parted by `/`. What
/// has a name that begins with a dot is passed over.
///
/// # Errors
/// The folder or a file in it cannot be read.
pub fn read_templates(
    inputs: &Inputs,
    folder: &Path,
    targets: &[String],
) -> Result<BTreeMap<String, String>> {
    let mut templates = BTreeMap::new();
    // Other folders beside templates may be anything, that of the outputs for instance.
    let is_target = |name: &str| targets.iter().any(|target| target == name);
    read_templates_in(inputs, folder, "", TEMPLATE_DEPTH, &is_target, &mut templates)?;
    Ok(templates)
}

fn read_templates_in(
    inputs: &Inputs,
    folder: &Path,
    before: &str,
    depth: usize,
    goes_into: &dyn Fn(&str) -> bool,
    templates: &mut BTreeMap<String, String>,
) -> Result<()> {
    for entry in std::fs::read_dir(folder).map_err(|e| unreadable(folder, &e))? {
        let path = entry.map_err(|e| unreadable(folder, &e))?.path();
        let Some(name) = path.file_name().and_then(|n| n.to_str()).filter(|n| !n.starts_with('.')) else {
            continue;
        };
        if path.is_file() {
            templates.insert(format!("{before}{name}"), read_text(inputs, &path)?);
        } else if path.is_dir() && depth > 0 && goes_into(name) {
            let before = format!("{before}{name}/");
            read_templates_in(inputs, &path, &before, depth - 1, &|_| true, templates)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Case 52: a pipe in place of a file must not be waited for.
    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [pipe.as_path(), folder.path(), Path::new("nowhere")] {
            assert!(read_output(path).is_err() && glance(path).is_none(), "{}", path.display());
        }
        let text = folder.path().join("text");
        std::fs::write(&text, "a = 1").unwrap();
        assert_eq!(glance(&text).as_deref(), Some("a = 1"));
        std::fs::write(&text, [0xff]).unwrap();
        assert_eq!(glance(&text), None);
    }

    #[test]
    fn a_file_that_changes_while_it_is_used_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shared.bin");
        std::fs::write(&path, "one").unwrap();
        let inputs = Inputs::new();
        assert_eq!(&*inputs.read(&path).unwrap(), b"one");
        assert_eq!(&*inputs.read(&path).unwrap(), b"one");
        std::fs::write(&path, "two").unwrap();
        assert_eq!(inputs.read(&path).unwrap_err().code, "files::changed");
    }
}
