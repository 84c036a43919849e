//! An example game: a crowd on a meadow. Its README says how to run it.

mod cast;
mod crowd;
mod gpu;
mod picture;
mod renderer;
mod window;

/// What the build script made of `vat.toml`: constants, shaders, and the bytes of all files.
mod vat {
    include!(env!("VAT_RS"));
}

use std::path::PathBuf;

/// What can go wrong, for whoever reads it.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const USAGE: &str = "\
usage: meadow [--watch FOLDER] [--headless FILE.png [--then FILE.png]] [--size WIDTHxHEIGHT] [--time SECONDS]

  --watch FOLDER        take characters anew whenever a build changes them there (in debug builds by itself:
                        the folder assets/vat of this example)
  --headless FILE.png   draw one picture, and open no window
  --then FILE.png       wait until a build changes something, and draw another one
  --size WIDTHxHEIGHT   pixels (default 1280x720)
  --time SECONDS        when the picture is taken, or the window opens (default 30)
";

struct Options {
    watch: Option<PathBuf>,
    headless: Option<PathBuf>,
    then: Option<PathBuf>,
    size: (u32, u32),
    time: f64,
}

fn main() -> Result<()> {
    let Some(options) = options(std::env::args().skip(1))? else { return picture::say(USAGE) };
    let cast = cast::Cast::load(options.watch.as_deref())?;
    match &options.headless {
        Some(file) => picture::take(file, options.then.as_deref(), cast, options.size, options.time),
        None => window::open(cast, options.size, options.time),
    }
}

/// Reads the command line; `None` where help was asked for.
fn options(mut arguments: impl Iterator<Item = String>) -> Result<Option<Options>> {
    let outputs = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/vat");
    let watch = cfg!(debug_assertions).then(|| PathBuf::from(outputs));
    let mut options = Options { watch, headless: None, then: None, size: (1280, 720), time: 30.0 };
    while let Some(name) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{name} wants a value\n{USAGE}"));
        match name.as_str() {
            "--watch" => options.watch = Some(value()?.into()),
            "--headless" => options.headless = Some(value()?.into()),
            "--then" => options.then = Some(value()?.into()),
            "--size" => options.size = size(&value()?).ok_or("--size wants something like 1280x720")?,
            "--time" => options.time = value()?.parse()?,
            "--help" | "-h" => return Ok(None),
            other => return Err(format!("there is no option {other}\n{USAGE}").into()),
        }
    }
    Ok(Some(options))
}

fn size(text: &str) -> Option<(u32, u32)> {
    let (width, height) = text.split_once('x')?;
    let side = |text: &str| text.parse().ok().filter(|side| (16..=8192).contains(side));
    Some((side(width)?, side(height)?))
}
