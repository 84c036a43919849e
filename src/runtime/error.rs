//! What is wrong with a file, or with a question. The crate's `problem` names paths of the standard library, which
//! this module does without.

use alloc::string::String;
use core::fmt;

/// Why a file cannot be used, or a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// A stable name, such as `runtime::layout`.
    pub code: &'static str,
    /// What is wrong and why, in a sentence without a full stop.
    pub message: String,
    /// The file it is about; empty where it is about none.
    pub file: String,
    /// What to do about it; empty where there is nothing to say.
    pub help: &'static str,
}

/// Short for a result that fails with one [`Error`].
pub type Result<T> = core::result::Result<T, Error>;

impl Error {
    /// An error of that code.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), file: String::new(), help: "" }
    }

    /// The same, about a file, unless it is about one already.
    pub fn in_file(mut self, file: &str) -> Self {
        if self.file.is_empty() {
            self.file = file.into();
        }
        self
    }

    /// The same with advice.
    pub fn help(mut self, help: &'static str) -> Self {
        self.help = help;
        self
    }
}

impl fmt::Display for Error {
    /// One line: file, message and, in brackets, the advice.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.is_empty() {
            write!(f, "{}: ", self.file)?;
        }
        write!(f, "{}", self.message)?;
        match self.help {
            "" => Ok(()),
            help => write!(f, " ({help})"),
        }
    }
}

impl core::error::Error for Error {}
