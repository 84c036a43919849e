//! The built-in templates, a character at a time: text in front, one piece for each character, text behind.
//!
//! A piece depends on its character alone, and on the forms of its name. So pieces are made at once on all cores, and those
//! of unchanged characters are taken from the last file ([`crate::cache::constants`]). Users' templates may relate
//! characters to each other as they like, and are rendered as a whole.
//!
//! A built-in template is cut at its last loop over all characters; a test compares the result with the template rendered
//! as a whole. One without such a loop is all front.

use std::collections::BTreeMap;

use minijinja::value::Serde;
use minijinja::{Environment, Error};
use rayon::prelude::*;

use super::context::{self, PieceContext};
pub use super::context::{Names, names};
use super::{BUILT_IN, BuiltIn, Generated, environment, problem};
use crate::metadata::Character;
use crate::problem::{Problem, Result};

/// Stands where the piece begins and ends; no text of a template or of metadata has it.
const CUT: char = '\u{1}';

/// Whether all of this is made of built-in templates.
pub fn are_possible(targets: &[String], templates: &BTreeMap<String, String>) -> bool {
    templates.is_empty() && targets.iter().all(|target| BUILT_IN.iter().any(|(name, ..)| name == target))
}

/// The built-in templates of these targets.
pub fn of_targets(targets: &[String]) -> Vec<&'static BuiltIn> {
    targets.iter().flat_map(|target| BUILT_IN.iter().filter(move |(name, ..)| name == target)).collect()
}

/// A built-in template.
#[derive(Debug)]
pub struct Template {
    /// The name of the target.
    pub target: &'static str,
    /// The name of the file that is made.
    pub file_name: &'static str,
    /// Its text.
    pub text: &'static str,
    /// Whether characters have pieces in it.
    pub has_pieces: bool,
    environment: Environment<'static>,
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// It is none: a fault of ours.
    pub fn new(&(target, file_name, text): &BuiltIn) -> Result<Self> {
        let mut texts = BTreeMap::new();
        let cut = cut(text);
        let has_pieces = cut.is_some();
        texts.insert(
            format!("vatpipe/pieces/{file_name}"),
            cut.unwrap_or_else(|| format!("{text}{CUT}{CUT}")),
        );
        let environment = environment(&texts).map_err(|error| problem(&error, &texts))?;
        Ok(Self { target, file_name, text, has_pieces, environment })
    }

    fn render(&self, characters: &[Names], pieces: &[context::CharacterContext]) -> Result<[String; 3]> {
        let context = PieceContext { target: self.target, file: self.file_name, characters, pieces };
        let failed = |error: Error| problem(&error, &BTreeMap::new());
        let name = format!("vatpipe/pieces/{}", self.file_name);
        let template = self.environment.get_template(&name).map_err(failed)?;
        let text = template.render(Serde(&context)).map_err(failed)?;
        let mut parts = text.split(CUT).map(str::to_owned);
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(front), Some(piece), Some(behind), None) => Ok([front, piece, behind]),
            _ => Err(wrong(self.file_name)),
        }
    }

    /// What stands in front of the pieces, and behind them.
    ///
    /// # Errors
    /// The template is wrong.
    pub fn around(&self, names: &[Names]) -> Result<(String, String)> {
        let [front, _, behind] = self.render(names, &[])?;
        Ok((front, behind))
    }

    /// The piece of a character.
    ///
    /// # Errors
    /// The template is wrong, or the metadata would become wrong code.
    pub fn piece(&self, metadata: &Character, names: &Names) -> Result<String> {
        let character = context::character(metadata, names.clone())?;
        if !self.has_pieces {
            return Ok(String::new());
        }
        let [_, piece, _] = self.render(&[], &[character])?;
        Ok(piece)
    }
}

/// The text of a template with marks around its last loop over characters, which becomes one over pieces.
fn cut(text: &str) -> Option<String> {
    const LOOP: &str = "{% for character in characters %}";
    const END: &str = "{% endfor %}";
    let (front, rest) = text.rsplit_once(LOOP)?;
    let (body, behind) = rest.rsplit_once(END)?;
    // The line's end belongs to the tag, and is not written.
    let (newline, behind) = behind.split_at(usize::from(behind.starts_with('\n')));
    Some(format!("{front}{CUT}{{% for character in pieces %}}{body}{END}{newline}{CUT}{behind}"))
}

fn wrong(file_name: &str) -> Problem {
    Problem::error("codegen::template", format!("the built-in template \"{file_name}\" cannot be cut"))
        .help("this is a fault of vatpipe: please report it")
}

/// The files of built-in targets.
pub(super) fn generate(characters: &[Character], targets: &[String]) -> Result<Vec<Generated>> {
    let all: Vec<&str> = characters.iter().map(|character| character.name.as_str()).collect();
    let names = names(&all);
    let mut files = Vec::new();
    for built_in in of_targets(targets) {
        let template = Template::new(built_in)?;
        let (front, behind) = template.around(&names)?;
        let pieces =
            characters.par_iter().zip(&names).map(|(metadata, names)| template.piece(metadata, names));
        let text = front + &pieces.collect::<Result<Vec<String>>>()?.concat() + &behind;
        files.push(Generated { file_name: template.file_name.to_owned(), text });
    }
    Ok(files)
}
