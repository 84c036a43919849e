//! The `vatpipe` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    vatpipe::cli::main()
}
