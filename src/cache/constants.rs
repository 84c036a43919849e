//! Constants out of the last constants: the pieces of characters that did not change are copied.
//!
//! `<out>/.vatpipe/pieces` says where in each generated file the piece of a character lies, and of what it was made. It is
//! believed only if it is whole, and the file has the digest that it had; like the memo it can be thrown away.

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
pub struct Made {
    /// Its name.
    pub name: String,
    /// All of it.
    pub bytes: Vec<u8>,
    /// Their digest.
    pub digest: Digest,
}

/// The last constants. Whenever they were read: the text of a piece follows from what it was made of.
#[derive(Default)]
pub struct Last(BTreeMap<String, LastFile>);

/// A generated file, and its pieces by the names of characters.
struct LastFile {
    template: Digest,
    text: Vec<u8>,
    pieces: BTreeMap<String, Piece>,
}

/// Where the piece of a character lies, and what it was made of.
struct Piece {
    /// The digest of its metadata.
    metadata: Digest,
    /// The forms of its name.
    forms: [String; 3],
    range: Range<usize>,
}

fn path(out: &Path) -> PathBuf {
    out.join(OWN_FOLDER).join("pieces")
}

/// What enters beside templates: another version of the program trusts nothing.
fn version() -> String {
    format!("vatpipe {} pieces 2", env!("CARGO_PKG_VERSION"))
}

impl Last {
    /// Reads them; of what is not there, or not as it was, nothing.
    pub fn read(out: &Path) -> Self {
        let body = std::fs::read(path(out)).ok().and_then(unseal);
        let index = body.and_then(|body| Self::decode(&mut Reader(&body)));
        let read = |(name, digest, file): (String, Digest, LastFile)| {
            let text = std::fs::read(out.join(&name)).ok()?;
            (Digest::of_many(&text) == digest).then_some((name, LastFile { text, ..file }))
        };
        Self(index.unwrap_or_default().into_par_iter().filter_map(read).collect())
    }

    fn decode(reader: &mut Reader) -> Option<Vec<(String, Digest, LastFile)>> {
        if reader.text()? != version() {
            return None;
        }
        let file = |reader: &mut Reader| {
            let (name, digest, template) = (reader.text()?.to_owned(), reader.digest()?, reader.digest()?);
            let pieces =
                (0..reader.count()?).map(|_| Some((reader.text()?.to_owned(), Piece::decode(reader)?)));
            let pieces = pieces.collect::<Option<_>>()?;
            Some((name, digest, LastFile { template, text: Vec::new(), pieces }))
        };
        (0..reader.count()?).map(|_| file(reader)).collect()
    }

    /// The text of a piece, if the last one was made of the same.
    fn piece(&self, template: &Template, key: Digest, wanted: &Wanted, names: &Names) -> Option<&[u8]> {
        let file = self.0.get(template.file_name).filter(|file| file.template == key)?;
        let piece = file.pieces.get(wanted.name)?;
        let same = piece.metadata == wanted.digest && piece.forms.iter().eq(forms(names));
        file.text.get(piece.range.clone()).filter(|_| same)
    }
}

fn forms(names: &Names) -> [&String; 3] {
    [&names.ident, &names.snake, &names.camel]
}

impl Piece {
    fn encode(body: &mut Vec<u8>, wanted: &Wanted, names: &Names, range: &Range<usize>) {
        bytes::text(body, wanted.name);
        bytes::digest(body, wanted.digest);
        forms(names).iter().for_each(|form| bytes::text(body, form));
        bytes::number(body, range.start as u64);
        bytes::number(body, range.end as u64);
    }

    fn decode(reader: &mut Reader) -> Option<Self> {
        let metadata = reader.digest()?;
        let mut form = || reader.text().map(str::to_owned);
        let forms = [form()?, form()?, form()?];
        let mut end = || reader.number().and_then(|end| usize::try_from(end).ok());
        Some(Self { metadata, forms, range: end()?..end()? })
    }
}

/// The files of built-in targets; `None` where some metadata cannot be loaded. Notes where their pieces lie.
///
/// # Errors
/// Metadata would become wrong code.
pub fn generate(
    out: &Path,
    last: &Last,
    targets: &[String],
    wanted: &[Wanted],
    load: &Load,
) -> Result<Option<Vec<Made>>> {
    let all: Vec<&str> = wanted.iter().map(|wanted| wanted.name).collect();
    let names = names(&all);
    let made: Vec<_> = targets
        .par_iter()
        .map(|target| {
            let Some(template) = Template::new(target)? else { return Ok(None) };
            file(&template, last, wanted, &names, load)
        })
        .collect::<Result<_>>()?;
    let Some(made) = made.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
    let mut body = Vec::new();
    bytes::text(&mut body, &version());
    bytes::number(&mut body, made.len() as u64);
    made.iter().for_each(|(_, index)| body.extend(index));
    // Without it the next build renders more.
    let _ = files::write_shortcut(&path(out), &sealed(&body));
    Ok(Some(made.into_iter().map(|(made, _)| made).collect()))
}

/// A file, and its part of the index.
fn file(
    template: &Template,
    last: &Last,
    wanted: &[Wanted],
    names: &[Names],
    load: &Load,
) -> Result<Option<(Made, Vec<u8>)>> {
    let key = Digest::of(template.text.as_bytes());
    let piece = |(wanted, names): (&Wanted, &Names)| match last.piece(template, key, wanted, names) {
        Some(text) => Ok(Some(std::borrow::Cow::Borrowed(text))),
        None => {
            let piece = load(wanted).map(|metadata| template.piece(&metadata, names)).transpose()?;
            Ok(piece.map(|text| text.into_bytes().into()))
        }
    };
    let all = wanted.par_iter().zip(names).map(piece).collect::<Result<Option<Vec<_>>>>()?;
    let Some(all) = all else { return Ok(None) };
    let (front, behind) = template.around(names)?;
    let pieces: usize = all.iter().map(|piece| piece.len()).sum();
    let mut text = Vec::with_capacity(front.len() + pieces + behind.len());
    text.extend(front.into_bytes());
    let mut index = Vec::new();
    for ((piece, wanted), names) in all.iter().zip(wanted).zip(names) {
        let start = text.len();
        text.extend_from_slice(piece);
        Piece::encode(&mut index, wanted, names, &(start..text.len()));
    }
    text.extend(behind.into_bytes());
    let made = Made { name: template.file_name.to_owned(), digest: Digest::of_many(&text), bytes: text };
    let mut head = Vec::new();
    bytes::text(&mut head, &made.name);
    bytes::digest(&mut head, made.digest);
    bytes::digest(&mut head, key);
    bytes::number(&mut head, wanted.len() as u64);
    head.extend(index);
    Ok(Some((made, head)))
}
