//! The command line, as clap sees it.

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};

use crate::manifest::Overrides;

/// Bakes vertex animation textures as part of a game's build.
#[derive(Debug, Parser)]
#[command(name = "vatpipe", version, about, max_term_width = 100, after_help = AFTER_HELP)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// What all commands take.
    #[command(flatten)]
    pub global: Global,
}

const AFTER_HELP: &str = "\
Results go to standard output, progress and problems to standard error.
Exit codes: 0 done, 1 a bake failed, a budget was exceeded or `--compare` found something worse, 2 the command line or the manifest is wrong,
3 `check` found outputs that are out of date, or `--locked` outputs that would change.";

/// Options of all commands.
#[derive(Clone, Debug, Args)]
pub struct Global {
    /// The manifest [default: vat.toml here, or in the nearest folder above]
    #[arg(long, global = true, value_name = "PATH")]
    pub manifest: Option<PathBuf>,
    /// How results and problems are printed; json is one object a line, on standard output
    #[arg(long, global = true, value_name = "FORMAT", value_enum, default_value_t)]
    pub message_format: MessageFormat,
    /// Print problems only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print more: files, root mean square errors, errors of normals
    #[arg(short, long, global = true, action = ArgAction::SetTrue)]
    pub verbose: bool,
    /// When to use colours; auto follows the terminal and NO_COLOR
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t)]
    pub color: Color,
}

/// How results and problems are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// Tables and sentences.
    #[default]
    Human,
    /// One JSON object a line.
    Json,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Bake the characters of the manifest
    Build(Build),
    /// Bake the characters of the manifest, and again whenever an input changes
    Watch(Watch),
    /// Say what is out of date, and write nothing
    Check(Check),
    /// Write a page with pictures: what is baked, what else could be, and how far off it is
    Report(Report),
    /// Draw a bake: a sheet of moments, or an animation
    Render(Render),
    /// Say why clips were baked, and what would be baked now
    Explain(Explain),
    /// Look after the cache of baked clips
    Cache(Cache),
    /// Show what a model file holds, and what it would take to bake it
    Inspect(Inspect),
    /// Write a commented vat.toml from the models under its folder
    Init(Init),
    /// Print the JSON Schema of vat.toml, for editors
    Schema,
    /// Print a completion script for a shell
    Completions(Completions),
}

/// `vatpipe build`
#[derive(Debug, Args)]
pub struct Build {
    /// The characters to bake [default: all]
    #[arg(value_name = "CHARACTER")]
    pub characters: Vec<String>,
    /// The number of threads [default: one for each core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Write what the outputs depend on, for make and ninja, if all is well
    #[arg(long, value_name = "PATH")]
    pub depfile: Option<PathBuf>,
    /// Neither take clips from the cache nor put any there
    #[arg(long)]
    pub no_cache: bool,
    /// What takes the place of what the manifest says
    #[command(flatten)]
    pub over: Over,
    /// Fail, with a list, if outputs would be others than those that are recorded in vat.published.json; for CI
    #[arg(long, conflicts_with = "plan")]
    pub locked: bool,
    /// Show for each clip what could be stored, its bytes and errors, and what a build would choose; write no output
    #[arg(long, conflicts_with_all = ["depfile", "figures", "compare"])]
    pub plan: bool,
    /// Write bytes, formats, rates and errors of all clips as JSON, if all is well
    #[arg(long, value_name = "FILE")]
    pub figures: Option<PathBuf>,
    /// Fail if anything is larger or less exact than in these figures of an earlier build
    #[arg(long, value_name = "FILE")]
    pub compare: Option<PathBuf>,
    /// By how much it may be so
    #[arg(long, value_name = "PERCENT", default_value = "5%", value_parser = percent, requires = "compare")]
    pub tolerance: f64,
}

/// What takes the place of what the manifest says.
#[derive(Clone, Debug, Default, Args)]
pub struct Over {
    /// Write all outputs, and what is noted of them, below this folder instead of the manifest's `dir`
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write constants for these targets instead of the manifest's `targets`; may be repeated
    #[arg(long = "target", value_name = "TARGET", value_delimiter = ',')]
    pub targets: Vec<String>,
    /// Use this value for a key of `[defaults]`, whatever the manifest says; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
    pub set: Vec<(String, String)>,
}

impl Over {
    /// As a manifest is read with it.
    pub fn overrides(&self) -> Overrides {
        let Self { out, targets, set } = self.clone();
        Overrides { out, targets, set }
    }
}

/// `vatpipe watch`
#[derive(Debug, Args)]
pub struct Watch {
    /// The characters to bake [default: all]
    #[arg(value_name = "CHARACTER")]
    pub characters: Vec<String>,
    /// A command of the shell to run after each change of outputs
    #[arg(long, value_name = "COMMAND")]
    pub exec: Option<String>,
    /// Look at all files again and again, where the system does not tell of changes
    #[arg(long)]
    pub poll: bool,
    /// The number of threads [default: one for each core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Neither take clips from the cache nor put any there
    #[arg(long)]
    pub no_cache: bool,
}

/// `vatpipe check`
#[derive(Debug, Args)]
pub struct Check {
    /// The characters to look at [default: all]
    #[arg(value_name = "CHARACTER")]
    pub characters: Vec<String>,
    /// What takes the place of what the manifest says
    #[command(flatten)]
    pub over: Over,
}

/// `vatpipe report`
#[derive(Debug, Args)]
pub struct Report {
    /// The characters to show [default: all]
    #[arg(value_name = "CHARACTER")]
    pub characters: Vec<String>,
    /// The page: one HTML file that needs nothing else
    #[arg(short, long, value_name = "FILE", default_value = "vatpipe-report.html")]
    pub output: PathBuf,
    /// The number of threads [default: one for each core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
}

/// `vatpipe render`
#[derive(Debug, Args)]
pub struct Render {
    /// The character to draw
    #[arg(value_name = "CHARACTER")]
    pub character: String,
    /// One of its clips [default: all]
    #[arg(value_name = "CLIP")]
    pub clip: Option<String>,
    /// The picture: .png for a row of moments a clip, .apng for an animation while the model turns
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Show as colours how far the bake is from the true motion: bright is the budget, or the largest error without one
    #[arg(long)]
    pub heat: bool,
    /// Width and height of a view, pixels
    #[arg(long, value_name = "PIXELS", default_value = "256", value_parser = clap::value_parser!(u32).range(16..=4096))]
    pub size: u32,
    /// Moments in a row of a sheet, and the one with the largest error
    #[arg(long, value_name = "N", default_value = "6", value_parser = clap::value_parser!(u32).range(2..=64))]
    pub moments: u32,
    /// The number of threads [default: one for each core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
}

/// `vatpipe explain`
#[derive(Debug, Args)]
pub struct Explain {
    /// A character, or one of its clips [default: all]
    #[arg(value_name = "CHARACTER[.CLIP]")]
    pub what: Option<String>,
}

/// `vatpipe cache`
#[derive(Debug, Args)]
pub struct Cache {
    /// What to do.
    #[command(subcommand)]
    pub command: CacheCommand,
}

/// `vatpipe cache`
#[derive(Clone, Copy, Debug, Subcommand)]
pub enum CacheCommand {
    /// Show what it holds
    Stats,
    /// Remove what is too old or too much, as builds do once a day
    Gc,
    /// Read all of it, and remove what is damaged
    Verify,
    /// Remove everything
    Clear,
}

/// `vatpipe inspect`
#[derive(Debug, Args)]
pub struct Inspect {
    /// A glTF file, .glb or .gltf
    pub file: PathBuf,
    /// Frames per second that memory is estimated for
    #[arg(long, value_name = "RATE", default_value = "30", value_parser = fps)]
    pub fps: f64,
}

/// `vatpipe init`
#[derive(Debug, Args)]
pub struct Init {
    /// Replace a manifest that is there already
    #[arg(long)]
    pub force: bool,
}

/// `vatpipe completions`
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    pub shell: clap_complete::Shell,
}

fn setting(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write it as KEY=VALUE, such as quality=fast")?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

/// A share, written in per cent.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').and_then(|number| number.trim_end().parse::<f64>().ok());
    let number = number.filter(|number| (0.0..=1000.0).contains(number));
    number.map(|number| number / 100.0).ok_or_else(|| "write it in per cent, such as 5%".to_owned())
}

fn fps(text: &str) -> Result<f64, String> {
    let rate = text.parse::<f64>().ok().filter(|rate| *rate > 0.0 && *rate <= 1000.0);
    rate.ok_or_else(|| "a rate is a number above 0 and at most 1000".to_owned())
}
