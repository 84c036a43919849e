//! `vatpipe schema`

use super::terminal::Terminal;
use crate::manifest;

/// Prints the JSON Schema of the manifest.
pub fn run(terminal: &Terminal) {
    terminal.out(&format!("{:#}\n", manifest::schema()));
}
