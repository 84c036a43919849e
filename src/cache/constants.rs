//! Constants out of the last constants: the pieces of characters that did not change are copied.
//!
//! `<out>/.vatpipe/pieces` says where in each generated file the piece of a character lies, and of what it was made. It is
//! believed only if it is whole, and the file has the digest that it had; like the memo it can be thrown away.

use std::collections::BTreeMap;
use std::path::Path;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::digest::{Digest, Fields};
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

/// A generated file.
#[derive(Debug, Serialize, Deserialize)]
struct Made {
    /// Its digest.
    digest: Digest,
    /// What the pieces were made of, where they begin and how long they are.
    pieces: Vec<(Digest, usize, usize)>,
}

/// The name of a file and its bytes.
type File = (String, Vec<u8>);

type Index = BTreeMap<String, Made>;

/// The files of built-in targets; `None` where some metadata cannot be loaded. Notes where their pieces lie.
///
/// # Errors
/// Metadata would become wrong code.
pub fn generate(out: &Path, targets: &[String], wanted: &[Wanted], load: &Load) -> Result<Option<Vec<File>>> {
    let kept = std::fs::read(path(out)).ok().and_then(unseal);
    let kept: Index = kept.and_then(|body| serde_json::from_slice(&body).ok()).unwrap_or_default();
    let all: Vec<&str> = wanted.iter().map(|wanted| wanted.name).collect();
    let names = names(&all);
    let made: Vec<_> = targets
        .par_iter()
        .map(|target| {
            let Some(template) = Template::new(target)? else { return Ok(None) };
            let old = Old::read(out, template.file_name, &kept);
            file(&template, &old, wanted, &names, load)
        })
        .collect::<Result<_>>()?;
    let Some(made) = made.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
    let (files, index): (Vec<_>, Vec<_>) = made.into_iter().unzip();
    let index: Index = files.iter().map(|(name, _): &(String, Vec<u8>)| name.clone()).zip(index).collect();
    if let Ok(body) = serde_json::to_vec(&index) {
        // Without it the next build renders more.
        let _ = files::write_shortcut(&path(out), &sealed(&body));
    }
    Ok(Some(files))
}

fn path(out: &Path) -> std::path::PathBuf {
    out.join(OWN_FOLDER).join("pieces")
}

/// The last file, and its pieces.
#[derive(Default)]
struct Old<'a> {
    text: String,
    pieces: BTreeMap<Digest, &'a (Digest, usize, usize)>,
}

impl<'a> Old<'a> {
    fn read(out: &Path, file: &str, kept: &'a Index) -> Self {
        let read = || {
            let made = kept.get(file)?;
            let bytes = std::fs::read(out.join(file)).ok()?;
            let text =
                String::from_utf8(bytes).ok().filter(|text| Digest::of(text.as_bytes()) == made.digest)?;
            Some(Self { text, pieces: made.pieces.iter().map(|piece| (piece.0, piece)).collect() })
        };
        read().unwrap_or_default()
    }

    fn piece(&self, key: Digest) -> Option<&str> {
        let (_, start, len) = **self.pieces.get(&key)?;
        self.text.get(start..start.checked_add(len)?)
    }
}

/// What decides the text of a piece.
fn key(template: Digest, wanted: &Wanted, names: &Names) -> Digest {
    let mut fields = Fields::new("vatpipe 2026 piece v1");
    fields.text(env!("CARGO_PKG_VERSION")).digest(template).digest(wanted.digest);
    fields.text(&names.name).text(&names.ident).text(&names.snake).text(&names.camel).finish()
}

fn file(
    template: &Template,
    old: &Old,
    wanted: &[Wanted],
    names: &[Names],
    load: &Load,
) -> Result<Option<(File, Made)>> {
    let text = Digest::of(template.text.as_bytes());
    let piece = |(wanted, names): (&Wanted, &Names)| {
        let key = key(text, wanted, names);
        let text = match old.piece(key) {
            Some(text) => Some(std::borrow::Cow::Borrowed(text)),
            None => {
                load(wanted).map(|metadata| template.piece(&metadata, names).map(Into::into)).transpose()?
            }
        };
        Ok(text.map(|text| (key, text)))
    };
    let all = wanted.par_iter().zip(names).map(piece).collect::<Result<Option<Vec<_>>>>()?;
    let Some(all) = all else { return Ok(None) };
    let (mut text, behind) = template.around(names)?;
    let mut pieces = Vec::new();
    for (key, piece) in all {
        pieces.push((key, text.len(), piece.len()));
        text += &piece;
    }
    text += &behind;
    let made = Made { digest: Digest::of(text.as_bytes()), pieces };
    Ok(Some(((template.file_name.to_owned(), text.into_bytes()), made)))
}
