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

/// Stands where pieces do, and in front of them; no text of a template or of metadata has it.
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
        let (mut texts, cut) = (BTreeMap::new(), cut(text));
        let has_pieces = cut.is_some();
        let Cut { around, piece } =
            cut.unwrap_or_else(|| Cut { around: text.to_owned(), piece: String::new() });
        texts.insert(AROUND.to_owned(), around);
        texts.insert(PIECE.to_owned(), piece);
        let environment = environment(&texts).map_err(|error| problem(&error, &texts))?;
        Ok(Self { target, file_name, text, has_pieces, environment })
    }

    fn render(
        &self,
        name: &str,
        characters: &[Names],
        pieces: &[context::CharacterContext],
    ) -> Result<String> {
        let context = PieceContext { target: self.target, file: self.file_name, characters, pieces };
        let failed = |error: Error| problem(&error, &BTreeMap::new());
        // Read when it is first asked for.
        let template = self.environment.get_template(name).map_err(failed)?;
        template.render(Serde(&context)).map_err(failed)
    }

    /// What stands in front of the pieces, and behind them.
    ///
    /// # Errors
    /// The template is wrong.
    pub fn around(&self, names: &[Names]) -> Result<(String, String)> {
        let text = self.render(AROUND, names, &[])?;
        let (front, behind) = if self.has_pieces {
            text.split_once(CUT).ok_or_else(|| wrong(self.file_name))?
        } else {
            (text.as_str(), "")
        };
        Ok((front.to_owned(), behind.to_owned()))
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
        let mut text = self.render(PIECE, &[], &[character])?;
        let at = text.find(CUT).ok_or_else(|| wrong(self.file_name))?;
        Ok(text.split_off(at + CUT.len_utf8()))
    }
}

/// The names of a template's parts.
const AROUND: &str = "vatpipe/around";
const PIECE: &str = "vatpipe/piece";

/// A template in parts.
struct Cut {
    /// All but the last loop over characters, with a mark in its place.
    around: String,
    /// What that loop may use, a mark, and the loop, over pieces. Macros and constants are defined up to where the last macro
    /// ends: what follows is text, and long.
    piece: String,
}

fn cut(text: &str) -> Option<Cut> {
    const LOOP: &str = "{% for character in characters %}";
    const END: &str = "{% endfor %}";
    const DEFINED: &str = "{% endmacro %}";
    let (front, rest) = text.rsplit_once(LOOP)?;
    let (body, behind) = rest.rsplit_once(END)?;
    // The line's end belongs to the tag, and is not written.
    let behind = behind.strip_prefix('\n').unwrap_or(behind);
    let defined = front.rfind(DEFINED).map_or("", |at| &front[..at + DEFINED.len()]);
    let piece = format!("{defined}{CUT}{{% for character in pieces %}}{body}{END}");
    Some(Cut { around: format!("{front}{CUT}{behind}"), piece })
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
