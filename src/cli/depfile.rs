//! `vatpipe build --depfile`: what the outputs depend on, as make and ninja read it.

use std::path::Path;

use crate::files;
use crate::problem::Result;
use crate::run::Outcome;

/// Writes the file: all outputs, a colon, all inputs.
///
/// # Errors
/// It cannot be written.
pub fn write(file: &Path, outcome: &Outcome, manifest: &Path) -> Result<()> {
    let outputs: Vec<String> = outcome.outputs.iter().map(|path| escaped(path)).collect();
    let inputs = std::iter::once(manifest).chain(outcome.inputs.iter().map(|path| path.as_path()));
    let inputs: Vec<String> = inputs.map(escaped).collect();
    let text = format!("{}: \\\n  {}\n", outputs.join(" \\\n  "), inputs.join(" \\\n  "));
    files::write(file, text.as_bytes())?;
    Ok(())
}

/// A path in a rule: `$` twice, a backslash before a space or `#`, and backslashes before those
/// twice (the GNU make manual, "Rule Syntax" and "Types of prerequisites"; ninja's
/// `depfile_parser`).
fn escaped(path: &Path) -> String {
    let mut text = String::new();
    let mut backslashes = 0;
    for c in path.to_string_lossy().chars() {
        match c {
            '$' => text.push('$'),
            ' ' | '\t' | '#' => text.extend(std::iter::repeat_n('\\', backslashes + 1)),
            _ => {}
        }
        backslashes = if c == '\\' { backslashes + 1 } else { 0 };
        text.push(c);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rules_would_understand_otherwise_is_escaped() {
        for (path, rule) in [
            ("art/crab.glb", "art/crab.glb"),
            ("a b#c", r"a\ b\#c"),
            ("price $5", r"price\ $$5"),
            (r"odd\ name", r"odd\\\ name"),
            (r"C:\art\crab.glb", r"C:\art\crab.glb"),
        ] {
            assert_eq!(escaped(Path::new(path)), rule);
        }
    }
}
