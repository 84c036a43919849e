//! `vatpipe completions`

use clap::CommandFactory;

use super::args::{Cli, Completions};
use super::terminal::Terminal;

/// Prints a script that completes `vatpipe`'s arguments in a shell.
pub fn run(completions: &Completions, terminal: &Terminal) {
    let mut script = Vec::new();
    clap_complete::generate(completions.shell, &mut Cli::command(), "vatpipe", &mut script);
    terminal.out(&String::from_utf8_lossy(&script));
}
