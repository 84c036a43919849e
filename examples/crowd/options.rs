//! The command line.

use std::path::PathBuf;

/// What `--help` says.
pub const USAGE: &str = "\
usage: crowd [--headless FILE.png] [--size WIDTHxHEIGHT] [--time SECONDS] [--count N] [--no-shadows]

  --headless FILE.png   draw one picture into a file, and open no window
  --size WIDTHxHEIGHT   pixels of the picture or the window (default 1280x720)
  --time SECONDS        the moment of the picture, or at which the window begins (default 22.5)
  --count N             at most so many characters (default 7000)
  --no-shadows          without shadow maps
";

/// What was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    pub headless: Option<PathBuf>,
    pub size: (u32, u32),
    /// Seconds.
    pub time: f64,
    pub count: usize,
    pub shadows: bool,
}

/// Reads arguments; `None` where help was asked for.
pub fn read(arguments: impl Iterator<Item = String>) -> Result<Option<Options>, String> {
    let mut options = Options { headless: None, size: (1280, 720), time: 22.5, count: 7000, shadows: true };
    let mut arguments = arguments;
    while let Some(name) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{name} wants a value"));
        match name.as_str() {
            "--headless" => options.headless = Some(PathBuf::from(value()?)),
            "--size" => options.size = size(&value()?)?,
            "--time" => options.time = number(&name, &value()?)?,
            "--count" => options.count = number(&name, &value()?)?,
            "--no-shadows" => options.shadows = false,
            "--help" | "-h" => return Ok(None),
            other => return Err(format!("there is no option {other}")),
        }
    }
    if !(0.0..1e6).contains(&options.time) {
        return Err("--time wants seconds from 0 to a million".to_owned());
    }
    Ok(Some(options))
}

fn number<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{name} wants a number, not \"{text}\""))
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let wrong = || format!("--size wants something like 1280x720, not \"{text}\"");
    let (width, height) = text.split_once('x').ok_or_else(wrong)?;
    let side = |text: &str| text.parse().ok().filter(|side| (16..=8192).contains(side)).ok_or_else(wrong);
    Ok((side(width)?, side(height)?))
}
