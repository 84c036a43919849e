//! Problems for people (the line of the file with a caret, through miette) and for machines.

use std::fmt;

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};
use serde_json::{Value, json};

use super::terminal::{Style, Terminal, plain};
use crate::problem::{Place, Problem, Severity};

/// A problem as miette wants it.
#[derive(Debug)]
struct Report<'a> {
    problem: &'a Problem,
    source: Option<NamedSource<String>>,
}

impl<'a> Report<'a> {
    fn new(problem: &'a Problem) -> Self {
        let source = match &problem.place {
            Place::Text { file, text, .. } => {
                Some(NamedSource::new(plain(&file.display().to_string()), text.to_string()))
            }
            _ => None,
        };
        Self { problem, source }
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem.place {
            Place::Nowhere | Place::Text { .. } => f.write_str(&plain(&self.problem.message)),
            place => write!(f, "{}: {}", plain(&place.to_string()), plain(&self.problem.message)),
        }
    }
}

impl std::error::Error for Report<'_> {}

impl Diagnostic for Report<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        // The words that tools search a log for, and people too.
        Some(Box::new(format!("{}: {}", severity(self.problem), self.problem.code)))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.problem.severity {
            Severity::Note => miette::Severity::Advice,
            Severity::Warning => miette::Severity::Warning,
            Severity::Error => miette::Severity::Error,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let help = self.problem.help.as_ref()?;
        Some(Box::new(plain(help)))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let Place::Text { text, span, .. } = &self.problem.place else { return None };
        let start = span.start.min(text.len());
        let length = span.end.clamp(start, text.len()) - start;
        Some(Box::new(std::iter::once(LabeledSpan::new(None, start, length))))
    }
}

/// A problem for people, with its line of the file and a caret, and an empty line after it. A note,
/// after which nothing need be done, is one line.
pub fn human(problem: &Problem, terminal: &Terminal) -> String {
    if problem.severity == Severity::Note {
        let note = Style::Bold.paint("note:", terminal.color_err);
        return format!("{note} {}\n", plain(&problem.to_string()));
    }
    let theme = match (terminal.interactive, terminal.color_err) {
        (true, true) => GraphicalTheme::unicode(),
        (true, false) => GraphicalTheme::unicode_nocolor(),
        (false, true) => GraphicalTheme { styles: miette::ThemeStyles::ansi(), ..GraphicalTheme::ascii() },
        (false, false) => GraphicalTheme::none(),
    };
    let handler = GraphicalReportHandler::new_themed(theme).with_links(false);
    // A log keeps its lines whole, to be searched.
    let handler = if terminal.interactive { handler } else { handler.with_wrap_lines(false) };
    let mut text = String::new();
    match handler.render_report(&mut text, &Report::new(problem)) {
        Ok(()) => text + "\n",
        Err(fmt::Error) => format!("{}: {}\n", severity(problem), plain(&problem.to_string())),
    }
}

fn severity(problem: &Problem) -> &'static str {
    match problem.severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

/// A problem for machines: an object with the reason `note`, `warning` or `error`.
pub fn json(problem: &Problem) -> Value {
    json!({
        "reason": severity(problem),
        "code": problem.code,
        "message": problem.message,
        "help": problem.help,
        "place": place(&problem.place),
    })
}

fn place(place: &Place) -> Value {
    let Some(file) = place.file() else { return Value::Null };
    let mut value = json!({ "file": file.display().to_string() });
    if let Place::Json { pointer, .. } = place {
        value["pointer"] = json!(pointer);
    }
    if let (Place::Text { span, .. }, Some((line, column))) = (place, place.line_column()) {
        value["line"] = json!(line);
        value["column"] = json!(column);
        value["span"] = json!([span.start, span.end]);
    }
    value
}

/// Prints a problem: in words to standard error, or as an object to standard output.
pub fn report(problem: &Problem, terminal: &Terminal) {
    if terminal.json {
        terminal.out(&format!("{}\n", json(problem)));
    } else {
        terminal.err(&human(problem, terminal));
    }
}
