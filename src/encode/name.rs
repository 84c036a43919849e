//! Names of formats → formats.

use std::str::FromStr;

use super::Format;
use crate::problem::Problem;

impl FromStr for Format {
    type Err = Problem;

    /// The format of that name.
    ///
    /// # Errors
    /// `encode::format` for anything else; the advice names the nearest format, and all of them.
    fn from_str(text: &str) -> Result<Self, Problem> {
        if let Some(format) = Self::all().iter().copied().find(|f| f.name() == text) {
            return Ok(format);
        }
        let names = Self::all().iter().map(|format| format.name()).collect::<Vec<_>>().join(", ");
        // `RGBA16UI` and `rgba16_ui` are typing habits, not other names.
        let plain: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
        let plain = plain.to_ascii_lowercase();
        let distance = |f: &Format| strsim::damerau_levenshtein(&plain, f.name());
        // Among equally near ones the default, `rgba16ui`.
        let nearest = Self::all().iter().copied().min_by_key(|f| (distance(f), *f != Format::Rgba16ui));
        let nearest = nearest.filter(|f| distance(f) <= 3);
        let help = match nearest {
            Some(format) => format!("did you mean `{format}`? The formats are {names}"),
            None => format!("the formats are {names}"),
        };
        Err(Problem::error("encode::format", format!("`{text}` is not a texel format")).help(help))
    }
}
