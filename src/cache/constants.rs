//! Constants out of the last constants: the pieces of characters that did not change are copied.
//!
//! `<out>/.vatpipe/pieces` says where in each generated file the piece of a character lies, and of what it was made. It is
//! believed only if it is whole, and the file has the digest that it had; like the memo it can be thrown away.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::bytes::{self, Reader};
use super::digest::Digest;
use super::publish::OWN_FOLDER;
use super::store::{sealed, unseal};
use crate::codegen::pieces::{Names, Template, names};
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
pub struct Made<'a> {
    /// Its name.
    pub name: &'static str,
    /// Its bytes: what is as it was is not copied.
    pub parts: Vec<Cow<'a, [u8]>>,
    /// Their digest.
    pub digest: Digest,
    /// The digest of its template, and where the pieces of characters lie; nowhere if it has none.
    template: Digest,
    pieces: Vec<Range<usize>>,
}

/// The last constants. Whenever they were read: the text of a piece follows from what it was made of.
#[derive(Debug, Default)]
pub struct Last {
    characters: BTreeMap<String, LastCharacter>,
    files: BTreeMap<String, LastFile>,
}

/// What the pieces of a character were made of.
#[derive(Debug)]
struct LastCharacter {
    /// Its place in lists of pieces.
    index: usize,
    /// The digest of its metadata.
    metadata: Digest,
    /// The forms of its name.
    forms: [String; 3],
}

/// A generated file, and its pieces.
#[derive(Debug)]
struct LastFile {
    digest: Digest,
    template: Digest,
    text: Vec<u8>,
    pieces: Vec<Range<usize>>,
}

fn path(out: &Path) -> PathBuf {
    out.join(OWN_FOLDER).join("pieces")
}

/// What enters beside templates: another version of the program trusts nothing.
fn version() -> String {
    format!("vatpipe {} pieces 3", env!("CARGO_PKG_VERSION"))
}

impl Last {
    /// Reads them; of what is not there, or not as it was, nothing.
    pub fn read(out: &Path) -> Self {
        let body = std::fs::read(path(out)).ok().and_then(unseal);
        let Some(mut last) = body.and_then(|body| Self::decode(&mut Reader(&body))) else {
            return Self::default();
        };
        let read = |(name, file): (String, LastFile)| {
            let text = std::fs::read(out.join(&name)).ok()?;
            (Digest::of_many(&text) == file.digest).then_some((name, LastFile { text, ..file }))
        };
        last.files = last.files.into_par_iter().filter_map(read).collect();
        last
    }

    fn decode(reader: &mut Reader) -> Option<Self> {
        if reader.text()? != version() {
            return None;
        }
        let character = |index: usize, reader: &mut Reader| {
            let (name, metadata) = (reader.text()?.to_owned(), reader.digest()?);
            let mut form = || reader.text().map(str::to_owned);
            Some((name, LastCharacter { index, metadata, forms: [form()?, form()?, form()?] }))
        };
        let count = reader.count()?;
        let characters = (0..count).map(|index| character(index, reader)).collect::<Option<_>>()?;
        let file = |reader: &mut Reader| {
            let (name, digest, template) = (reader.text()?.to_owned(), reader.digest()?, reader.digest()?);
            let mut end = || reader.number().and_then(|end| usize::try_from(end).ok());
            let has_pieces = end()? == 1;
            let pieces = if has_pieces { count } else { 0 };
            let pieces = (0..pieces).map(|_| Some(end()?..end()?)).collect::<Option<_>>()?;
            Some((name, LastFile { digest, template, text: Vec::new(), pieces }))
        };
        let files = (0..reader.count()?).map(|_| file(reader)).collect::<Option<_>>()?;
        Some(Self { characters, files })
    }

    /// The digest of a file, as it was read.
    pub fn digest(&self, name: &str) -> Option<Digest> {
        self.files.get(name).map(|file| file.digest)
    }

    /// The file of a template, if it was made of the same.
    fn file(&self, template: &Template, key: Digest) -> Option<&LastFile> {
        self.files.get(template.file_name).filter(|file| file.template == key)
    }

    /// The place of the pieces of a character, if they were made of the same.
    fn place(&self, wanted: &Wanted, names: &Names) -> Option<usize> {
        let last = self.characters.get(wanted.name)?;
        (last.metadata == wanted.digest && last.forms.iter().eq(forms(names))).then_some(last.index)
    }
}

fn forms(names: &Names) -> [&String; 3] {
    [&names.ident, &names.snake, &names.camel]
}

/// Where everything lies.
fn index(wanted: &[Wanted], names: &[Names], made: &[Made]) -> Vec<u8> {
    let mut body = Vec::new();
    bytes::text(&mut body, &version());
    bytes::number(&mut body, wanted.len() as u64);
    for (wanted, names) in wanted.iter().zip(names) {
        bytes::text(&mut body, wanted.name);
        bytes::digest(&mut body, wanted.digest);
        forms(names).iter().for_each(|form| bytes::text(&mut body, form));
    }
    bytes::number(&mut body, made.len() as u64);
    for Made { name, digest, template, pieces, .. } in made {
        bytes::text(&mut body, name);
        bytes::digest(&mut body, *digest);
        bytes::digest(&mut body, *template);
        bytes::number(&mut body, u64::from(!pieces.is_empty()));
        pieces
            .iter()
            .flat_map(|range| [range.start, range.end])
            .for_each(|end| bytes::number(&mut body, end as u64));
    }
    body
}

/// A text that is put together.
#[derive(Default)]
struct Parts<'a> {
    parts: Vec<Cow<'a, [u8]>>,
    len: usize,
    /// The last text, and a range of it that is to be added.
    run: Option<(&'a [u8], Range<usize>)>,
}

impl<'a> Parts<'a> {
    fn add(&mut self, text: String) {
        self.end();
        self.len += text.len();
        self.parts.push(Cow::Owned(text.into_bytes()));
    }

    fn copy(&mut self, text: &'a [u8], range: Range<usize>) {
        self.len += range.len();
        match &mut self.run {
            Some((_, run)) if run.end == range.start => run.end = range.end,
            _ => {
                self.end();
                self.run = Some((text, range));
            }
        }
    }

    fn end(&mut self) {
        self.parts.extend(self.run.take().map(|(text, range)| Cow::Borrowed(&text[range])));
    }
}

/// The files of built-in targets; `None` where some metadata cannot be loaded. Notes where their pieces lie.
///
/// # Errors
/// Metadata would become wrong code.
pub fn generate<'a>(
    out: &Path,
    last: &'a Last,
    targets: &[String],
    wanted: &[Wanted],
    load: &Load,
) -> Result<Option<Vec<Made<'a>>>> {
    let all: Vec<&str> = wanted.iter().map(|wanted| wanted.name).collect();
    let names = names(&all);
    let places: Vec<Option<usize>> =
        wanted.iter().zip(&names).map(|(wanted, names)| last.place(wanted, names)).collect();
    let templates = targets.iter().map(|target| Template::all(target)).collect::<Result<Vec<_>>>()?;
    let templates: Vec<Template> = templates.into_iter().flatten().collect();
    let made: Vec<_> = templates
        .par_iter()
        .map(|template| file(template, last, wanted, &names, &places, load))
        .collect::<Result<_>>()?;
    let Some(made) = made.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
    // Without it the next build renders more.
    let _ = files::write_shortcut(&path(out), &sealed(&index(wanted, &names, &made)));
    Ok(Some(made))
}

fn file<'a>(
    template: &Template,
    last: &'a Last,
    wanted: &[Wanted],
    names: &[Names],
    places: &[Option<usize>],
    load: &Load,
) -> Result<Option<Made<'a>>> {
    let key = Digest::of(template.text.as_bytes());
    if !template.has_pieces {
        let (front, behind) = template.around(names)?;
        let parts = vec![Cow::Owned((front + &behind).into_bytes())];
        let (name, digest) = (template.file_name, Digest::of_parts(&parts));
        return Ok(Some(Made { name, parts, digest, template: key, pieces: Vec::new() }));
    }
    let old = last.file(template, key);
    let old_piece = |place: Option<usize>| {
        let (old, place) = (old?, place?);
        old.pieces
            .get(place)
            .filter(|range| old.text.get((*range).clone()).is_some())
            .map(|range| (old, range))
    };
    let new = |((wanted, names), place): ((&Wanted, &Names), &Option<usize>)| match old_piece(*place) {
        Some(_) => Ok(Some(None)),
        None => load(wanted).map(|metadata| template.piece(&metadata, names).map(Some)).transpose(),
    };
    let all = wanted.par_iter().zip(names).zip(places).with_min_len(64);
    let Some(new) = all.map(new).collect::<Result<Option<Vec<Option<String>>>>>()? else { return Ok(None) };
    let (front, behind) = template.around(names)?;
    let (mut text, mut pieces) = (Parts::default(), Vec::new());
    text.add(front);
    for (new, place) in new.into_iter().zip(places) {
        let start = text.len;
        match (new, old_piece(*place)) {
            (Some(new), _) => text.add(new),
            (None, Some((old, range))) => text.copy(&old.text, range.clone()),
            (None, None) => return Ok(None),
        }
        pieces.push(start..text.len);
    }
    text.add(behind);
    let digest = Digest::of_parts(&text.parts);
    Ok(Some(Made { name: template.file_name, parts: text.parts, digest, template: key, pieces }))
}
