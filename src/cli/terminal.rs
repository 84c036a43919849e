//! Where words go: results to standard output, the rest to standard error, with colours where they
//! are wanted.

use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;

use super::args::{Color, Global, MessageFormat};

/// The first failure of standard output. Commands go on: what they write to files counts.
static LOST: OnceLock<io::Error> = OnceLock::new();

/// Why standard output does not have all that was printed, if it does not.
pub fn lost() -> Option<&'static io::Error> {
    LOST.get()
}

/// Takes note of a failure of standard output. Whoever reads it may stop reading (`vatpipe schema | head`): then
/// nobody misses the rest.
pub fn note_lost(written: io::Result<()>) {
    if let Err(error) = written
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        let _ = LOST.set(error);
    }
}

/// What standard output and standard error can show, and what the user wants there.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    /// One JSON object a line, on standard output, instead of words.
    pub json: bool,
    /// Problems only.
    pub quiet: bool,
    /// More detail.
    pub verbose: bool,
    /// Whether standard output gets colours.
    pub color_out: bool,
    /// Whether standard error gets colours.
    pub color_err: bool,
    /// Whether standard error is a terminal, for progress bars.
    pub interactive: bool,
}

impl Terminal {
    /// Looks at the streams and the environment.
    pub fn new(global: &Global) -> Self {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        let color = |is_terminal: bool| match global.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => is_terminal && !unwanted,
        };
        let interactive = std::io::stderr().is_terminal();
        Self {
            json: global.message_format == MessageFormat::Json,
            quiet: global.quiet,
            verbose: global.verbose,
            color_out: color(std::io::stdout().is_terminal()),
            color_err: color(interactive),
            interactive: interactive && std::env::var_os("TERM").is_none_or(|value| value != "dumb"),
        }
    }

    /// Prints a result. That it failed is asked of [`lost`], at the end.
    pub fn out(&self, text: &str) {
        let mut stdout = io::stdout().lock();
        note_lost(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()));
    }

    /// Prints progress or a problem.
    pub fn err(&self, text: &str) {
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }
}

/// How a piece of text looks where there are colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// What something is called.
    Bold,
    /// What matters less.
    Dim,
    /// It went well.
    Green,
    /// It did not.
    Red,
}

impl Style {
    /// The text in this style, if `color`, as SGR sequences (ECMA-48).
    pub fn paint(self, text: &str, color: bool) -> String {
        let code = match self {
            Style::Bold => "1",
            Style::Dim => "2",
            Style::Green => "1;32",
            Style::Red => "1;31",
        };
        if color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// A name from a file, fit for a line of a terminal: characters that could move the cursor, rename the window or show
/// text in another order than it has are written out.
pub fn plain(name: &str) -> String {
    let escape = |c: char| if is_unseen(c) { c.escape_default().to_string() } else { c.to_string() };
    name.chars().map(escape).collect()
}

/// Whether a character does something to others instead of being seen: control characters, line and paragraph
/// separators, and those that set the direction of text (Unicode Standard Annex 9, table 1 and `Bidi_Control`).
pub fn is_unseen(c: char) -> bool {
    let turns =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}
