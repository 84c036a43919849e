//! The parts of a manifest that concern some characters.
//!
//! A manifest of thousands of characters takes long to read. Where its text is one that was read before, the tables of
//! characters that are fresh are blanked, so that what is left stands where it stood. Tables are found by their first lines
//! alone; where that is wrong (a line within a text can look like one), the result differs from what was read then, and
//! the manifest is read as a whole.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use crate::cache::digest::Digest;
use crate::cache::published::recipe_digest;
use crate::cache::ready::{Found, Ready};
use crate::manifest::{self, Manifest};
use crate::problem::Place;

/// The manifest with the changed characters alone; `None` if it is not as it was.
pub(super) fn manifest(found: &Found, file: &Path) -> Option<Manifest> {
    let Found { ready, text, changed, .. } = found;
    let names: BTreeSet<&str> = changed.iter().map(|&index| ready.characters[index].name.as_str()).collect();
    let mut manifest = manifest::load(&blanked(text, &names), file).ok()?;
    let text: Arc<str> = text.as_str().into();
    manifest.digest = Digest::of(text.as_bytes());
    whole(&mut manifest.output.place, &text);
    for recipe in &mut manifest.recipes {
        whole(&mut recipe.place, &text);
        recipe.clips.iter_mut().for_each(|clip| whole(&mut clip.place, &text));
    }
    is_as_it_was(&manifest, ready, changed).then_some(manifest)
}

/// What a manifest says of the folder of the cache, as far as that is known without reading all of it.
pub(super) fn cache_dir(text: &str) -> Option<String> {
    let mut tables = String::new();
    let mut wanted = true;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with('[') {
            wanted = line.trim_start().starts_with("[cache]");
        }
        if wanted {
            tables += line;
        }
    }
    let tables: toml::Table = toml::from_str(&tables).ok()?;
    Some(tables.get("cache")?.get("dir")?.as_str()?.to_owned())
}

/// Messages show the whole text.
fn whole(place: &mut Place, all: &Arc<str>) {
    if let Place::Text { text, .. } = place {
        *text = all.clone();
    }
}

fn is_as_it_was(manifest: &Manifest, ready: &Ready, changed: &BTreeSet<usize>) -> bool {
    let then =
        changed.iter().map(|&index| (ready.characters[index].name.as_str(), ready.characters[index].recipe));
    let now = manifest.recipes.iter().map(|r| (r.character.as_str(), recipe_digest(r, &manifest.folder)));
    manifest.output.dir == ready.out && manifest.warnings.is_empty() && now.eq(then)
}

/// The text with the tables of all other characters blanked, byte for byte.
fn blanked(text: &str, names: &BTreeSet<&str>) -> String {
    let mut kept = String::with_capacity(text.len());
    let (mut hidden, mut blanks) = (false, 0);
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with('[') {
            hidden = character(line).is_some_and(|name| !names.contains(name));
        }
        if hidden {
            blanks += line.len();
        } else {
            kept += &" ".repeat(std::mem::take(&mut blanks));
            kept += line;
        }
    }
    kept + &" ".repeat(blanks)
}

/// The character that the first line of a table speaks of.
fn character(line: &str) -> Option<&str> {
    let name = line.trim_start().strip_prefix("[characters.")?;
    match name.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"').map(|(name, _)| name),
        None => name.split(['.', ']']).next(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[defaults]\nfps = 5\n[characters.a]\nsource = \"a.glb\"\n[characters.\"b c\".clip.x]\nfps = 3\n\
                        [characters.d] # ü\nsource = \"d.glb\"\n[characters.a.clip.y]\nloop = true\n[output]\ndir = \"o\"\n";

    #[test]
    fn the_folder_of_the_cache_is_found() {
        for (text, dir) in [
            ("[cache]\ndir = \"c\" # mine\n[characters.a]\nsource = \"a.glb\"", Some("c")),
            ("cache.dir = \"c\"\n[output]\ndir = \"o\"", Some("c")),
            ("[characters.a]\nsource = \"a.glb\"\n [cache] # ours\nmax_size = 3\ndir = 'd e'", Some("d e")),
            ("[output]\ndir = \"o\"\n[cache]\nmax_size = 3", None),
            ("[output]\ndir = \"o\"", None),
            ("[cache", None),
        ] {
            assert_eq!(cache_dir(text).as_deref(), dir, "{text}");
        }
    }

    #[test]
    fn what_is_left_stands_where_it_stood() {
        for name in ["a", "b c", "d"] {
            let left = blanked(TEXT, &BTreeSet::from([name]));
            assert_eq!(left.len(), TEXT.len());
            assert!(left.bytes().zip(TEXT.bytes()).all(|(left, all)| left == b' ' || left == all));
            let words: Vec<&str> =
                TEXT.split_inclusive('\n').filter(|line| left.contains(line.trim())).collect();
            let of = |line: &&str| character(line).is_none_or(|character| character == name);
            let tables = TEXT.split_inclusive('\n').filter(|line| line.starts_with('[')).filter(of);
            assert!(tables.into_iter().all(|table| words.contains(&table)), "{left}");
            assert!(left.contains("fps = 5") && left.contains("dir = \"o\""));
            assert_eq!(left.contains("loop = true"), name == "a");
            assert_eq!(left.contains("fps = 3"), name == "b c");
        }
    }
}
