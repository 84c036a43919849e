//! What is wrong, said so that somebody can act on it: what, where, and what to do.
//!
//! Every stage reports through [`Problem`]; a stage that can find several at once returns
//! [`Problems`]. A warning is a `Problem` too, with [`Severity::Warning`]: it travels beside a
//! result instead of replacing it. Nothing here knows about terminals.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Whether the build can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing, nothing to do: what was chosen for the user, for example.
    Note,
    /// The result is usable but probably not what was meant.
    Warning,
    /// There is no result.
    Error,
}

/// Where a problem lies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// Nowhere in particular (the command line, the machine).
    #[default]
    Nowhere,
    /// A file as a whole.
    File(PathBuf),
    /// An element of a JSON document, as an RFC 6901 pointer such as `/accessors/3/count`.
    Json {
        /// The file that holds the document.
        file: PathBuf,
        /// The pointer.
        pointer: String,
    },
    /// A range of a text file.
    Text {
        /// The file.
        file: PathBuf,
        /// Its whole text, for showing the line.
        text: Arc<str>,
        /// Byte offsets into the text.
        span: std::ops::Range<usize>,
    },
}

impl Place {
    /// The file this place is in.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Place::Nowhere => None,
            Place::File(file) | Place::Json { file, .. } | Place::Text { file, .. } => Some(file),
        }
    }

    /// Line and column, both from 1, of a place in a text; columns count characters.
    pub fn line_column(&self) -> Option<(usize, usize)> {
        let Place::Text { text, span, .. } = self else { return None };
        let mut start = span.start.min(text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let before = &text[..start];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        Some((before.matches('\n').count() + 1, before[line_start..].chars().count() + 1))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Nowhere => Ok(()),
            Place::File(file) => write!(f, "{}", file.display()),
            Place::Json { file, pointer } if pointer.is_empty() => write!(f, "{}", file.display()),
            Place::Json { file, pointer } => write!(f, "{}#{pointer}", file.display()),
            Place::Text { file, .. } => match self.line_column() {
                Some((line, column)) => write!(f, "{}:{line}:{column}", file.display()),
                None => write!(f, "{}", file.display()),
            },
        }
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Whether the build can go on.
    pub severity: Severity,
    /// A stable name for tests, documentation and machine readers: `room::what`, such as
    /// `source::extension`.
    pub code: &'static str,
    /// What is wrong and why, in a sentence without a full stop, naming the numbers involved.
    pub message: String,
    /// Where.
    pub place: Place,
    /// What to do about it.
    pub help: Option<String>,
}

/// Short for a result that fails with one [`Problem`].
pub type Result<T, E = Problem> = std::result::Result<T, E>;

impl Problem {
    /// An error.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, code, message: message.into(), place: Place::Nowhere, help: None }
    }

    /// A warning.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message) }
    }

    /// A note.
    pub fn note(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Note, ..Self::error(code, message) }
    }

    /// The same problem at a place.
    pub fn at(mut self, place: Place) -> Self {
        self.place = place;
        self
    }

    /// The same problem at a file, unless it already has a place.
    pub fn in_file(mut self, file: &Path) -> Self {
        if self.place == Place::Nowhere {
            self.place = Place::File(file.to_owned());
        }
        self
    }

    /// The same problem with advice.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Problem {
    /// One line: place, message and, in brackets, the advice.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place != Place::Nowhere {
            write!(f, "{}: ", self.place)?;
        }
        write!(f, "{}", self.message)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Problem {}

/// One or more problems, all found in one go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Problems(vec![problem])
    }
}
