//! The `vatpipe` program: where it is, whether it is the right one, and what it says.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use serde_json::Value;

use super::cargo::variable;
use crate::cache::warnings::code;
use crate::manifest::Overrides;
use crate::problem::{Place, Problem, Problems, Result, Severity};

/// The variable that names the program.
pub const VARIABLE: &str = "VATPIPE";

/// A program of our version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool(PathBuf);

/// Finds a program of our version: the one that `VATPIPE` names, or else on the `PATH`, where `cargo install` puts programs,
/// beside cargo, or among what was compiled into the same target folder. `out` is cargo's `OUT_DIR`.
///
/// # Errors
/// `build-script::no-program`: what was looked at, and what to do. `why` says what it is needed for.
pub fn find(out: &Path, why: &str) -> Result<Tool> {
    let mut seen = Vec::new();
    let candidates = match variable(VARIABLE) {
        Some(named) => vec![PathBuf::from(named)],
        None => candidates(out),
    };
    for path in candidates {
        match version(&path) {
            Some(Ok(version)) if version == env!("CARGO_PKG_VERSION") => return Ok(Tool(path)),
            Some(Ok(version)) => seen.push(format!("{} is version {version}", path.display())),
            Some(Err(wrong)) => seen.push(format!("{}: {wrong}", path.display())),
            None if variable(VARIABLE).is_some() => {
                seen.push(format!("{VARIABLE} names {}, which is not there", path.display()));
            }
            None => {}
        }
    }
    Err(missing(why, &seen))
}

fn missing(why: &str, seen: &[String]) -> Problem {
    let version = env!("CARGO_PKG_VERSION");
    let mut message = format!("{why}, and there is no program `vatpipe` of version {version} to bake with");
    if !seen.is_empty() {
        message += &format!(": {}", seen.join("; "));
    }
    let help = format!(
        "install it with `cargo install vatpipe --version {version} --locked`, or name one with the variable {VARIABLE}; \
         or let the build script bake: `vatpipe = {{ version = \"{version}\", default-features = false, features = [\"bake\"] }}` \
         in [build-dependencies]"
    );
    Problem::error("build-script::no-program", message).help(help)
}

fn candidates(out: &Path) -> Vec<PathBuf> {
    let name = format!("vatpipe{}", std::env::consts::EXE_SUFFIX);
    let mut folders: Vec<PathBuf> =
        variable("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
    let home = variable("HOME").or_else(|| variable("USERPROFILE"));
    let cargo_home = variable("CARGO_HOME").map(PathBuf::from);
    folders.extend(
        cargo_home.or_else(|| home.map(|home| Path::new(&home).join(".cargo"))).map(|home| home.join("bin")),
    );
    folders.extend(variable("CARGO").and_then(|cargo| Some(Path::new(&cargo).parent()?.to_owned())));
    // Every folder of targets has this file (https://bford.info/cachedir/).
    let target = out.ancestors().find(|folder| folder.join("CACHEDIR.TAG").is_file());
    folders.extend(target.map(|target| target.join("release")));
    folders.into_iter().map(|folder| folder.join(&name)).filter(|path| path.is_file()).collect()
}

/// The version that a program says it has; `None` if there is no such program.
fn version(path: &Path) -> Option<Result<String, String>> {
    let output = Command::new(path).arg("--version").stdin(Stdio::null()).output();
    match output {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => Some(Err(error.to_string())),
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let version = text.trim().strip_prefix("vatpipe ").map(str::to_owned);
            Some(version.ok_or_else(|| "it is no vatpipe".to_owned()))
        }
    }
}

impl Tool {
    /// Bakes. What the program warns of.
    ///
    /// # Errors
    /// What the program says, or that it cannot be run.
    pub fn bake(
        &self,
        manifest: &Path,
        overrides: &Overrides,
        threads: usize,
    ) -> Result<Vec<Problem>, Problems> {
        let mut command = Command::new(&self.0);
        command.arg("build").arg("--manifest").arg(manifest);
        command.args(["--message-format", "json", "--jobs", &threads.clamp(1, 1024).to_string()]);
        let Overrides { out, targets, set } = overrides;
        out.iter().for_each(|out| {
            command.arg("--out").arg(out);
        });
        targets.iter().for_each(|target| {
            command.args(["--target", target]);
        });
        set.iter().for_each(|(key, value)| {
            command.args(["--set", &format!("{key}={value}")]);
        });
        let output = command.stdin(Stdio::null()).output().map_err(|error| {
            Problem::error("build-script::program", format!("the program cannot be run: {error}"))
                .in_file(&self.0)
        })?;
        let said = String::from_utf8_lossy(&output.stdout);
        let (errors, warnings): (Vec<Problem>, Vec<Problem>) =
            said.lines().filter_map(problem).partition(|problem| problem.severity == Severity::Error);
        if output.status.success() {
            return Ok(warnings);
        }
        if !errors.is_empty() {
            return Err(Problems(errors));
        }
        let message = format!(
            "the program failed ({}): {}",
            output.status,
            String::from_utf8_lossy(&output.stderr).trim()
        );
        Err(Problem::error("build-script::program", message).in_file(&self.0).into())
    }
}

/// A problem out of a message of `--message-format json`.
fn problem(line: &str) -> Option<Problem> {
    let message: Value = serde_json::from_str(line).ok()?;
    let text = |key: &str| message.get(key).and_then(Value::as_str);
    let severity = match text("reason")? {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => return None,
    };
    let (code, help) = (code(text("code")?), text("help").map(str::to_owned));
    let place = message.get("place").and_then(place).unwrap_or_default();
    Some(Problem { severity, code, message: text("message")?.to_owned(), place, help })
}

fn place(place: &Value) -> Option<Place> {
    let file = PathBuf::from(place.get("file")?.as_str()?);
    if let Some(pointer) = place.get("pointer").and_then(Value::as_str) {
        return Some(Place::Json { file, pointer: pointer.to_owned() });
    }
    let span = |index: usize| Some(place.get("span")?.get(index)?.as_u64()? as usize);
    let text = crate::files::glance(&file);
    Some(match (span(0), span(1), text) {
        (Some(start), Some(end), Some(text)) => Place::Text { file, text: Arc::from(text), span: start..end },
        _ => Place::File(file),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_read_from_messages() {
        let line = r#"{"reason":"error","code":"files::unreadable","message":"m","help":"h","place":{"file":"a.glb"}}"#;
        let wanted = Problem::error("files::unreadable", "m").help("h").in_file(Path::new("a.glb"));
        assert_eq!(problem(line), Some(wanted));
        let line = r#"{"reason":"warning","code":"x::y","message":"m","help":null,"place":{"file":"a","pointer":"/b"}}"#;
        assert_eq!(problem(line).unwrap().to_string(), "a#/b: m");
        assert_eq!(problem(r#"{"reason":"build-started","characters":1}"#), None);
        assert_eq!(problem("no json"), None);
    }

    #[test]
    fn a_missing_program_says_what_to_run() {
        let text = missing("x is not baked", &["/a/vatpipe is version 9.0.0".to_owned()]).to_string();
        for part in [
            "x is not baked",
            "/a/vatpipe is version 9.0.0",
            "cargo install vatpipe --version",
            "features = [\"bake\"]",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }
}
