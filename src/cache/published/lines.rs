//! The lines of a record's characters, and runs of them.
//!
//! Lines are short, and short texts are digested slowly; so lines are digested sixteen at a time, and alone when asked for.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::super::digest::Digest;
use super::super::publish::{OWN_FOLDER, is_plain};
use super::Character;

/// How many lines are digested together.
pub(super) const RUN: usize = 16;

/// What stands between two lines.
pub(super) const BETWEEN: &str = ",\n";

/// The line of a character: its name, a colon, an object.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// The text that it lies in, and where.
    pub(super) text: Arc<String>,
    pub(super) range: Range<usize>,
    digest: OnceLock<Digest>,
    read: OnceLock<Option<Arc<Character>>>,
}

impl Line {
    pub(super) fn new(text: &Arc<String>, range: Range<usize>) -> Self {
        Self { text: text.clone(), range, digest: OnceLock::new(), read: OnceLock::new() }
    }

    /// One that says this.
    pub(super) fn of(text: &Arc<String>, range: Range<usize>, character: Character) -> Self {
        Self { read: OnceLock::from(Some(Arc::new(character))), ..Self::new(text, range) }
    }

    fn text(&self) -> &str {
        &self.text[self.range.clone()]
    }

    pub(super) fn digest(&self) -> Digest {
        *self.digest.get_or_init(|| Digest::of(self.text().as_bytes()))
    }

    /// Whether both say the same.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        (Arc::ptr_eq(&self.text, &other.text) && self.range == other.range) || self.text() == other.text()
    }

    /// Whether it lies right behind another one.
    pub(super) fn follows(&self, before: &Self) -> bool {
        Arc::ptr_eq(&self.text, &before.text) && before.range.end + BETWEEN.len() == self.range.start
    }

    /// Its name, and where the rest begins.
    pub(super) fn name(&self) -> Option<(String, usize)> {
        let mut names = serde_json::Deserializer::from_str(self.text()).into_iter::<String>();
        let name = names.next()?.ok()?;
        Some((name, names.byte_offset()))
    }

    /// What it says, if all outputs lie where outputs can lie: the file may come from a stranger's checkout, and what it
    /// names may be removed.
    pub(super) fn said(&self) -> Option<&Character> {
        self.read.get_or_init(|| self.read()).as_deref()
    }

    fn read(&self) -> Option<Arc<Character>> {
        let (name, at) = self.name()?;
        let character: Character = serde_json::from_str(self.text()[at..].strip_prefix(':')?).ok()?;
        let sound =
            is_plain(&name) && name != OWN_FOLDER && character.outputs.keys().all(|name| is_plain(name));
        sound.then(|| Arc::new(character))
    }
}

/// Lines that follow each other, [`RUN`] at a time, the last ones fewer, and their digests.
#[derive(Debug, Default)]
pub(super) struct Runs(Vec<(Place, Digest)>);

/// The text that a run lies in as a whole, and where; `None` if it is of several.
type Place = Option<(Arc<String>, Range<usize>)>;

impl Runs {
    /// The runs of lines. Those that are `known` are not digested again.
    pub(super) fn of(lines: &[&Line], known: &Self) -> Self {
        let run = |(index, lines): (usize, &[&Line])| {
            let place = place(lines);
            let known = known.0.get(index).filter(|(known, _)| is_at(&place, known));
            let digest = known.map_or_else(|| digest(lines, &place), |(_, digest)| *digest);
            (place, digest)
        };
        Self(lines.chunks(RUN).enumerate().map(run).collect())
    }

    pub(super) fn digests(&self) -> impl Iterator<Item = Digest> {
        self.0.iter().map(|(_, digest)| *digest)
    }
}

fn place(lines: &[&Line]) -> Place {
    let (first, last) = (lines.first()?, lines.last()?);
    let is_one = lines.windows(2).all(|two| two[1].follows(two[0]));
    is_one.then(|| (first.text.clone(), first.range.start..last.range.end))
}

fn is_at(place: &Place, other: &Place) -> bool {
    match (place, other) {
        (Some((text, range)), Some((other, at))) => Arc::ptr_eq(text, other) && range == at,
        _ => false,
    }
}

fn digest(lines: &[&Line], place: &Place) -> Digest {
    match place {
        Some((text, range)) => Digest::of(text[range.clone()].as_bytes()),
        None => Digest::of(lines.iter().map(|line| line.text()).collect::<Vec<_>>().join(BETWEEN).as_bytes()),
    }
}
