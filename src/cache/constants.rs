//! Constants out of the last constants: the pieces of characters that did not change are copied.
//!
//! `<out>/.vatpipe/pieces` says where in each generated file the piece of a character ends, and of what it was made. It is
//! believed only if it is whole, and the file has the digest that it had; like the memo it can be thrown away.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::bytes::{self, Reader};
use super::digest::Digest;
use super::publish::{OWN_FOLDER, Output};
use super::splice::{OldFile, Part, Spliced, splice};
use super::store::{sealed, unseal};
use crate::codegen::BuiltIn;
use crate::codegen::pieces::{Names, Template, names, of_targets};
use crate::files;
use crate::metadata;
use crate::problem::Result;

/// A character whose constants are wanted.
pub struct Wanted<'a> {
    /// Its name.
    pub name: &'a str,
    /// The digest of its metadata's text.
    pub digest: Digest,
}

/// Reads the metadata of a character; `None` if it is not that of the digest.
pub type Load<'a> = dyn Fn(&Wanted) -> Option<metadata::Character> + Sync + 'a;

/// A file that was made.
#[derive(Debug)]
pub struct Made {
    /// Its name.
    pub name: &'static str,
    /// The digest of its bytes.
    pub digest: Digest,
    /// Its length, bytes.
    pub len: u64,
    /// Whether it is written aside, to take the place of another one; else that has these bytes already.
    pub is_new: bool,
    /// The one that it takes the place of, if it was read.
    pub old: Option<OldFile>,
    template: Digest,
    ends: Vec<u64>,
}

/// The last constants. Whenever this was read: the text of a piece follows from what it was made of.
#[derive(Debug, Default)]
pub struct Last {
    /// Characters, in order.
    names: Vec<Names>,
    /// The digests of their metadata.
    metadata: Vec<Digest>,
    files: BTreeMap<String, LastFile>,
}

/// A generated file.
#[derive(Debug)]
struct LastFile {
    digest: Digest,
    /// Of its template.
    template: Digest,
    len: u64,
    /// Where the text in front of pieces ends, and each piece; nothing if it has none.
    ends: Vec<u64>,
}

fn path(out: &Path) -> PathBuf {
    out.join(OWN_FOLDER).join("pieces")
}

/// What enters beside templates: another version of the program trusts nothing.
fn version() -> String {
    format!("vatpipe {} pieces 4", env!("CARGO_PKG_VERSION"))
}

impl Last {
    /// Reads them; nothing of what is not as it was written.
    pub fn read(out: &Path) -> Self {
        let body = files::read_output(&path(out)).ok().and_then(unseal);
        body.and_then(|body| Self::decode(&mut Reader(&body))).unwrap_or_default()
    }

    fn decode(reader: &mut Reader) -> Option<Self> {
        if reader.text()? != version() {
            return None;
        }
        let mut last = Self::default();
        for _ in 0..reader.count()? {
            let mut form = || reader.text().map(str::to_owned);
            last.names.push(Names { name: form()?, ident: form()?, snake: form()?, camel: form()? });
            last.metadata.push(reader.digest()?);
        }
        for _ in 0..reader.count()? {
            let (name, digest, template) = (reader.text()?.to_owned(), reader.digest()?, reader.digest()?);
            let len = reader.number()?;
            let ends = (0..reader.count()?).map(|_| reader.number()).collect::<Option<Vec<_>>>()?;
            if !ends.is_sorted() || ends.last().is_some_and(|last| *last > len) {
                return None;
            }
            last.files.insert(name, LastFile { digest, template, len, ends });
        }
        Some(last)
    }

    /// The file of a template, if it was made of the same.
    fn file(&self, template: &Template, key: Digest) -> Option<&LastFile> {
        let file = self.files.get(template.file_name).filter(|file| file.template == key)?;
        (file.ends.len() == self.names.len() + 1).then_some(file)
    }
}

/// Files that were made, and where everything lies in them.
pub struct Generated {
    /// The files.
    pub made: Vec<Made>,
    /// To be kept.
    pub index: Index,
}

/// Where everything lies.
pub struct Index(Vec<u8>);

impl Index {
    /// Keeps it for the next build.
    pub fn keep(self, out: &Path) {
        // Without it that renders more.
        let _ = files::write_shortcut(&path(out), &sealed(&self.0));
    }
}

fn index(wanted: &[Wanted], names: &[Names], made: &[Made]) -> Index {
    let mut body = Vec::new();
    bytes::text(&mut body, &version());
    bytes::number(&mut body, wanted.len() as u64);
    for (wanted, Names { name, ident, snake, camel }) in wanted.iter().zip(names) {
        [name, ident, snake, camel].iter().for_each(|form| bytes::text(&mut body, form));
        bytes::digest(&mut body, wanted.digest);
    }
    bytes::number(&mut body, made.len() as u64);
    for Made { name, digest, template, len, ends, .. } in made {
        bytes::text(&mut body, name);
        bytes::digest(&mut body, *digest);
        bytes::digest(&mut body, *template);
        bytes::number(&mut body, *len);
        bytes::number(&mut body, ends.len() as u64);
        ends.iter().for_each(|end| bytes::number(&mut body, *end));
    }
    Index(body)
}

/// The characters that are wanted, beside those of the last constants.
struct Characters<'a> {
    last: &'a Last,
    wanted: &'a [Wanted<'a>],
    names: Cow<'a, [Names]>,
    /// The place of each among the last ones, if its pieces are the same.
    places: Vec<Option<usize>>,
    load: &'a Load<'a>,
}

impl<'a> Characters<'a> {
    fn new(last: &'a Last, wanted: &'a [Wanted<'a>], load: &'a Load<'a>) -> Self {
        let all: Vec<&str> = wanted.iter().map(|wanted| wanted.name).collect();
        // The forms of names follow from all of them.
        let same = last.names.iter().map(|names| names.name.as_str()).eq(all.iter().copied());
        let names = if same { Cow::from(&last.names) } else { Cow::from(names(&all)) };
        let by_name: BTreeMap<&str, usize> = if same {
            BTreeMap::new()
        } else {
            last.names.iter().enumerate().map(|(place, names)| (names.name.as_str(), place)).collect()
        };
        let place = |(index, wanted): (usize, &Wanted)| {
            let place = if same { index } else { *by_name.get(wanted.name)? };
            (last.metadata[place] == wanted.digest && last.names[place] == names[index]).then_some(place)
        };
        let places = wanted.iter().enumerate().map(place).collect();
        Self { last, wanted, names, places, load }
    }

    /// Whether what stands around pieces is the same.
    fn are_the_same(&self) -> bool {
        matches!(self.names, Cow::Borrowed(_))
    }

    /// The pieces that are not in the old file; `None` where some metadata cannot be loaded.
    fn pieces(&self, template: &Template, old: Option<&LastFile>) -> Result<Option<Vec<Option<String>>>> {
        let piece = |((wanted, names), place): ((&Wanted, &Names), &Option<usize>)| {
            if old.is_some() && place.is_some() {
                return Ok(Some(None));
            }
            (self.load)(wanted).map(|metadata| template.piece(&metadata, names).map(Some)).transpose()
        };
        let all = self.wanted.par_iter().zip(&*self.names).zip(&self.places).with_min_len(64);
        all.map(piece).collect()
    }
}

/// What a file is made of, and where its pieces end.
#[derive(Default)]
struct Plan {
    parts: Vec<Part>,
    len: u64,
    ends: Vec<u64>,
}

impl Plan {
    fn add(&mut self, part: Part) {
        self.len += part.size();
        match (self.parts.last_mut(), part) {
            (Some(Part::Old(run)), Part::Old(range)) if run.end == range.start => run.end = range.end,
            (_, part) => self.parts.push(part),
        }
    }
}

/// The files of built-in targets, written aside where they are new; `None` where some metadata cannot be loaded.
///
/// # Errors
/// Metadata would become wrong code, or a file cannot be written.
pub fn generate(
    out: &Path,
    output: &Output,
    last: &Last,
    targets: &[String],
    wanted: &[Wanted],
    load: &Load,
) -> Result<Option<Generated>> {
    let characters = Characters::new(last, wanted, load);
    let file = |built_in: &BuiltIn| file(&Template::new(built_in)?, &characters, out, output);
    let made: Vec<_> = of_targets(targets).into_par_iter().map(file).collect::<Result<_>>()?;
    let Some(made) = made.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
    let index = index(wanted, &characters.names, &made);
    Ok(Some(Generated { made, index }))
}

/// A file, as far as that goes out of the old one.
fn file(template: &Template, characters: &Characters, out: &Path, output: &Output) -> Result<Option<Made>> {
    let key = Digest::of(template.text.as_bytes());
    if let Some(old) = characters.last.file(template, key) {
        let Some(plan) = plan(template, characters, Some(old))? else { return Ok(None) };
        if let Some(Spliced { digest, old: file }) = spliced(template, old, &plan, out, output)? {
            let is_new = digest != old.digest;
            let Plan { len, ends, .. } = plan;
            let name = template.file_name;
            return Ok(Some(Made { name, digest, len, is_new, old: Some(file), template: key, ends }));
        }
    }
    let Some(Plan { parts, len, ends }) = plan(template, characters, None)? else { return Ok(None) };
    let parts: Vec<&[u8]> = parts.iter().filter_map(Part::text).collect();
    let (name, digest) = (template.file_name, Digest::of_parts(&parts));
    let is_new = !files::has_bytes(&out.join(name), &parts);
    if is_new {
        output.stage_top(name, &parts)?;
    }
    Ok(Some(Made { name, digest, len, is_new, old: None, template: key, ends }))
}

/// Writes a file aside; `None` if the old one is not what it was.
fn spliced(
    template: &Template,
    old: &LastFile,
    plan: &Plan,
    out: &Path,
    output: &Output,
) -> Result<Option<Spliced>> {
    let mut new = output.begin_top(template.file_name)?;
    new.reserve(plan.len);
    let spliced = splice(&out.join(template.file_name), old.digest, &plan.parts, &mut new)?;
    if spliced.as_ref().is_some_and(|spliced| spliced.digest != old.digest) {
        new.place()?;
    }
    Ok(spliced)
}

/// What is taken from the old file, and what is made; `None` where some metadata cannot be loaded.
fn plan(template: &Template, characters: &Characters, old: Option<&LastFile>) -> Result<Option<Plan>> {
    let mut plan = Plan::default();
    if !template.has_pieces {
        let (front, behind) = template.around(&characters.names)?;
        plan.add(Part::Text(front + &behind));
        return Ok(Some(plan));
    }
    let Some(new) = characters.pieces(template, old)? else { return Ok(None) };
    let (front, behind) = match old.filter(|_| characters.are_the_same()) {
        Some(LastFile { len, ends, .. }) => {
            let last = ends.last().copied().unwrap_or_default();
            (Part::Old(0..ends[0]), Part::Old(last..*len))
        }
        None => {
            let (front, behind) = template.around(&characters.names)?;
            (Part::Text(front), Part::Text(behind))
        }
    };
    plan.add(front);
    for (new, place) in new.into_iter().zip(&characters.places) {
        plan.ends.push(plan.len);
        plan.add(match (new, old, place) {
            (Some(new), ..) => Part::Text(new),
            (None, Some(old), Some(place)) => Part::Old(old.ends[*place]..old.ends[place + 1]),
            (None, ..) => return Ok(None),
        });
    }
    plan.ends.push(plan.len);
    plan.add(behind);
    Ok(Some(plan))
}
