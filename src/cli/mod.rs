//! The `vatpipe` program: [`args`](self) → one function a command → an exit code.
//!
//! Results go to standard output: tables, the schema, a completion script, and with
//! `--message-format json` everything, one object a line (`docs/cli.md` lists them). Progress and
//! problems go to standard error: bars where that is a terminal, plain lines elsewhere. No command
//! does the work itself; this room turns words into calls, and events and problems into words.

mod args;
mod build;
mod cache;
mod check;
mod completions;
mod depfile;
mod draw;
mod exec;
mod explain;
mod figures;
mod init;
mod inspect;
mod locate;
mod messages;
mod page;
mod plan;
mod progress;
mod render;
mod report;
mod schema;
mod table;
mod terminal;
mod watch;

use std::io::Write;
use std::process::ExitCode;

use clap::{ColorChoice, CommandFactory, FromArgMatches};

use args::{Cli, Command};
use terminal::Terminal;

use crate::problem::Problems;

/// A bake failed.
const FAILED: u8 = 1;
/// The command line or the manifest is wrong.
const WRONG: u8 = 2;
/// Outputs are out of date.
const OUT_OF_DATE: u8 = 3;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().collect();
    let parsed = Cli::command()
        .color(color(&arguments))
        .try_get_matches_from(arguments)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => {
            let printed = error.print();
            if !error.use_stderr() {
                terminal::note_lost(printed);
            }
            return code(ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(WRONG)));
        }
    };
    let terminal = Terminal::new(&cli.global);
    let manifest = cli.global.manifest.as_deref();
    let done = match &cli.command {
        Command::Build(build) => build::run(build, manifest, &terminal),
        Command::Watch(watch) => watch::run(watch, manifest, &terminal),
        Command::Check(check) => check::run(check, manifest, &terminal),
        Command::Report(report) => page::run(report, manifest, &terminal),
        Command::Render(asked) => draw::run(asked, manifest, &terminal),
        Command::Explain(explain) => explain::run(explain, manifest, &terminal),
        Command::Cache(cache) => cache::run(cache.command, manifest, &terminal),
        Command::Inspect(inspect) => inspect::run(inspect, &terminal),
        Command::Init(init) => init::run(init, manifest, &terminal),
        Command::Schema => {
            schema::run(&terminal);
            Ok(ExitCode::SUCCESS)
        }
        Command::Completions(completions) => {
            completions::run(completions, &terminal);
            Ok(ExitCode::SUCCESS)
        }
    };
    code(done.unwrap_or_else(|problems: Problems| {
        problems.0.iter().for_each(|problem| render::report(problem, &terminal));
        ExitCode::from(WRONG)
    }))
}

/// The exit code: not that of success if a result was lost on its way to standard output.
fn code(code: ExitCode) -> ExitCode {
    let Some(error) = terminal::lost() else { return code };
    // Where standard error is gone too, the exit code is all that is left to say.
    let _ = writeln!(std::io::stderr().lock(), "error: standard output cannot be written: {error}");
    if code == ExitCode::SUCCESS { ExitCode::from(FAILED) } else { code }
}

/// The colours of clap's own messages, which it prints before our arguments are known.
fn color(arguments: &[std::ffi::OsString]) -> ColorChoice {
    let arguments: Vec<_> = arguments.iter().map(|argument| argument.to_string_lossy()).collect();
    let says = |when: &str| {
        let joined = format!("--color={when}");
        let apart = |pair: &[std::borrow::Cow<str>]| pair[0] == "--color" && pair[1] == when;
        arguments.iter().any(|argument| *argument == joined) || arguments.windows(2).any(apart)
    };
    match (says("always"), says("never")) {
        (true, false) => ColorChoice::Always,
        (false, true) => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
}
