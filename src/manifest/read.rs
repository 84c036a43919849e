//! TOML text → tables whose keys are known and whose values are right, and everything else as a
//! problem with its place.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::{KEYS, Key, Kind, Section};
use super::suggest::{listed, nearest};
use super::values::{self, Value};
use crate::problem::{Place, Problem};

/// Collects problems, and knows the text they are about.
pub struct Reader {
    file: Arc<Path>,
    text: Arc<str>,
    faults: Vec<values::Fault>,
    /// Keys whose value is wrong somewhere.
    wrong: BTreeSet<&'static str>,
}

/// The values of one table.
#[derive(Debug, Default)]
pub struct Table {
    values: BTreeMap<&'static str, (Value, Range<usize>)>,
}

impl Table {
    /// The value of a key, if it was given and is right.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.values.get(key).map(|(value, _)| value)
    }

    /// Where the value of a key is written.
    pub fn span(&self, key: &str) -> Option<Range<usize>> {
        self.values.get(key).map(|(_, span)| span.clone())
    }

    /// Takes over the values of another table. They have no place in the text.
    pub fn take(&mut self, other: Table) {
        self.values.extend(other.values.into_iter().map(|(key, (value, _))| (key, (value, 0..0))));
    }

    /// The defaults of all keys that have one.
    pub fn built_in() -> Table {
        let mut table = Table::default();
        for key in KEYS {
            let toml = key.default.and_then(|text| DeValue::parse(text).ok());
            if let Some(value) = toml.and_then(|toml| values::read(key, &toml).ok()) {
                table.values.insert(key.name, (value, 0..0));
            }
        }
        table
    }
}

/// A table that the user named.
pub struct Named<'t, 'i> {
    /// Its name.
    pub name: &'t str,
    /// Where the name is written.
    pub span: Range<usize>,
    /// What is in it.
    pub table: &'t DeTable<'i>,
}

impl Reader {
    /// A reader without problems so far.
    pub fn new(text: &str, file: &Path) -> Self {
        Self { file: file.into(), text: text.into(), faults: Vec::new(), wrong: BTreeSet::new() }
    }

    /// A place in the text.
    pub fn place(&self, span: Range<usize>) -> Place {
        Place::Text { file: self.file.to_path_buf(), text: self.text.clone(), span }
    }

    /// Notes a problem.
    pub fn fault(&mut self, problem: Problem, span: Range<usize>) {
        self.faults.push((problem, span));
    }

    /// Notes a problem, unless one with the same code is noted for that place.
    pub fn fault_once(&mut self, problem: Problem, span: Range<usize>) {
        if !self.faults.iter().any(|(other, at)| other.code == problem.code && *at == span) {
            self.fault(problem, span);
        }
    }

    /// Whether a key has a wrong value somewhere: what follows from that is no news.
    pub fn is_wrong(&self, key: &str) -> bool {
        self.wrong.contains(key)
    }

    /// All problems, in the order of the text.
    pub fn into_problems(self) -> Vec<Problem> {
        let mut faults = self.faults;
        faults.sort_by_key(|(_, span)| (span.start, span.end));
        let place = |span| Place::Text { file: self.file.to_path_buf(), text: self.text.clone(), span };
        faults.into_iter().map(|(problem, span)| problem.at(place(span))).collect()
    }

    /// The values of a table of a section. What is wrong is noted and left out.
    pub fn table(&mut self, toml: &DeTable, section: Section) -> Table {
        let mut table = Table::default();
        for (name, value) in toml {
            let Some(key) = section.keys().find(|key| key.name == name.get_ref()) else {
                self.fault(unknown_key(name.get_ref(), section), name.span());
                continue;
            };
            if matches!(key.kind, Kind::Table(_) | Kind::Tables(_)) && value.get_ref().is_table() {
                continue;
            }
            // Read by whoever knows what the list is of.
            if matches!(key.kind, Kind::List(_)) && value.get_ref().is_array() {
                continue;
            }
            match values::read(key, value) {
                Ok(read) => drop(table.values.insert(key.name, (read, value.span()))),
                Err(fault) => {
                    self.wrong.insert(key.name);
                    self.faults.push(*fault);
                }
            }
        }
        table
    }

    /// The tables under a key of [`Kind::Tables`], in the order of the text.
    pub fn named<'t, 'i>(&mut self, toml: &'t DeTable<'i>, key: &Key) -> Vec<Named<'t, 'i>> {
        let Some(tables) = toml.get(key.name).and_then(|value| value.get_ref().as_table()) else {
            return Vec::new();
        };
        let mut named = Vec::new();
        for (name, value) in tables {
            match value.get_ref() {
                DeValue::Table(table) => {
                    named.push(Named { name: name.get_ref(), span: name.span(), table });
                }
                _ => self.fault(not_a_table(name, key), value.span()),
            }
        }
        named
    }
}

/// `[characters] source = "crab.glb"`, with the character's name forgotten.
fn not_a_table(name: &Spanned<toml::de::DeString>, key: &Key) -> Problem {
    let name = name.get_ref();
    let Kind::Tables(section) = key.kind else { return Problem::error("manifest::type", "not a table") };
    let message = format!("`{name}` in `{}` must be a table", key.name);
    let forgotten = section.keys().any(|known| known.name == name);
    let help = if forgotten {
        format!("`{name}` belongs in a table of its own, `{}`", section.header())
    } else {
        format!("write one table for each, `{}`", section.header())
    };
    Problem::error("manifest::type", message).help(help)
}

fn unknown_key(name: &str, section: Section) -> Problem {
    let place = if section == Section::Root { String::new() } else { format!(" in `{}`", section.header()) };
    let problem = Problem::error("manifest::unknown-key", format!("there is no key `{name}`{place}"));
    let elsewhere: Vec<&str> =
        Section::ALL.iter().filter(|s| s.keys().any(|k| k.name == name)).map(|s| s.header()).collect();
    if !elsewhere.is_empty() {
        return problem.help(format!("`{name}` belongs in {}", listed(elsewhere)));
    }
    // Exact words of other tools first: `rate` is nearer to `range` than to `frame_rate`.
    let synonym = section.keys().find(|key| key.synonyms.contains(&name));
    let words = section.keys().flat_map(|key| std::iter::once(key.name).chain(key.synonyms.iter().copied()));
    let meant = synonym.or_else(|| {
        let near = nearest(name, words)?;
        section.keys().find(|key| key.name == near || key.synonyms.contains(&near))
    });
    match meant {
        Some(key) => problem.help(format!("did you mean `{}`? {}", key.name, first_sentence(key.doc))),
        None => problem.help(format!("the keys here are {}", listed(section.keys().map(|key| key.name)))),
    }
}

/// The first sentence of a text, without its full stop.
fn first_sentence(text: &str) -> &str {
    text.split(". ").next().unwrap_or(text).trim_end_matches('.')
}
