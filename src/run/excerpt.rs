//! The parts of a manifest that concern some characters.
//!
//! A manifest of thousands of characters takes long to read. Where its text is one that was read before, the tables of
//! characters that are fresh are left out, and messages speak of places in the whole text. Tables are found by their first lines
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
    let excerpt = Excerpt::of(text, &names);
    let mut manifest = manifest::load(&excerpt.text, file).ok()?;
    manifest.digest = Digest::of(text.as_bytes());
    let text: Arc<str> = text.as_str().into();
    let whole = |place: &mut Place| excerpt.whole(place, &text);
    whole(&mut manifest.output.place);
    for recipe in &mut manifest.recipes {
        whole(&mut recipe.place);
        recipe.lods.iter_mut().for_each(|lod| whole(&mut lod.place));
        recipe.clips.iter_mut().for_each(|clip| whole(&mut clip.place));
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

fn is_as_it_was(manifest: &Manifest, ready: &Ready, changed: &BTreeSet<usize>) -> bool {
    let then =
        changed.iter().map(|&index| (ready.characters[index].name.as_str(), ready.characters[index].recipe));
    let now = manifest.recipes.iter().map(|r| (r.character.as_str(), recipe_digest(r, &manifest.folder)));
    manifest.output.dir == ready.out && manifest.warnings.is_empty() && now.eq(then)
}

/// A text without the tables of some characters.
struct Excerpt {
    text: String,
    /// Where it goes on after something was left out, and where that stands in the whole text.
    places: Vec<(usize, usize)>,
}

impl Excerpt {
    /// The text without the tables of all other characters.
    fn of(text: &str, names: &BTreeSet<&str>) -> Self {
        let mut excerpt = Self { text: String::new(), places: Vec::new() };
        let (mut hidden, mut was_hidden, mut at) = (false, true, 0);
        for line in text.split_inclusive('\n') {
            if line.trim_start().starts_with('[') {
                hidden = character(line).is_some_and(|name| !names.contains(name));
            }
            if !hidden {
                if was_hidden {
                    excerpt.places.push((excerpt.text.len(), at));
                }
                excerpt.text += line;
            }
            was_hidden = hidden;
            at += line.len();
        }
        excerpt
    }

    /// Messages show the whole text.
    fn whole(&self, place: &mut Place, all: &Arc<str>) {
        if let Place::Text { text, span, .. } = place {
            *text = all.clone();
            let after = self.places.partition_point(|(at, _)| *at <= span.start);
            if let Some((at, whole)) = after.checked_sub(1).and_then(|last| self.places.get(last)) {
                *span = span.start - at + whole..span.end - at + whole;
            }
        }
    }
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
    fn places_in_what_is_left_are_those_in_the_whole() {
        let all: Arc<str> = TEXT.into();
        for name in ["a", "b c", "d"] {
            let excerpt = Excerpt::of(TEXT, &BTreeSet::from([name]));
            for line in excerpt.text.lines() {
                let start = excerpt.text.find(line).unwrap();
                let span = start..start + line.len();
                let mut place = Place::Text { file: "vat.toml".into(), text: "".into(), span };
                excerpt.whole(&mut place, &all);
                let Place::Text { text, span, .. } = place else { unreachable!() };
                assert_eq!(&text[span.clone()], line, "{name}");
                assert!(span.start == 0 || TEXT.as_bytes()[span.start - 1] == b'\n');
            }
            assert!(excerpt.text.contains("fps = 5") && excerpt.text.contains("dir = \"o\""));
            assert_eq!(excerpt.text.contains("loop = true"), name == "a");
            assert_eq!(excerpt.text.contains("fps = 3"), name == "b c");
        }
    }
}
