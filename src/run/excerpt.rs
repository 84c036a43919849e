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
    let manifest = Excerpt::of(text, &names).load(text, file)?;
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

    /// What it says, at its places in the whole text.
    fn load(&self, all: &str, file: &Path) -> Option<Manifest> {
        let mut manifest = manifest::load(&self.text, file).ok()?;
        manifest.digest = Digest::of(all.as_bytes());
        let all: Arc<str> = all.into();
        self.whole(&mut manifest.output.place, &all);
        for recipe in &mut manifest.recipes {
            let lods = recipe.lods.iter_mut().map(|lod| &mut lod.place);
            let clips = recipe.clips.iter_mut().map(|clip| &mut clip.place);
            lods.chain(clips).chain([&mut recipe.place]).for_each(|place| self.whole(place, &all));
        }
        Some(manifest)
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

    /// Whatever is said of a character is the same as in the whole, places included.
    #[test]
    fn what_is_left_says_what_the_whole_says() {
        let text = "[defaults]\nfps = 5\n[characters.a]\nsource = \"a.glb\"\nlods = [{ ratio = 0.5 }, { triangles = 9 }]\n\
                    [characters.\"b c\"]\nsource = \"ü.glb\"\n[characters.\"b c\".clip.x]\nfps = 3\n\
                    [characters.d] # ü\nsource = \"d.glb\"\nlods = [{ ratio = 0.25 }]\nclip.w.loop = false\n\
                    [characters.a.clip.y]\nloop = true\n[output]\ndir = \"o\"\n";
        let file = Path::new("vat.toml");
        let whole = manifest::load(text, file).unwrap_or_else(|problems| panic!("{problems}"));
        for names in [&["a"][..], &["b c"], &["d"], &["a", "d"], &[]] {
            let excerpt = Excerpt::of(text, &names.iter().copied().collect());
            let Some(left) = excerpt.load(text, file) else {
                assert!(names.is_empty(), "a manifest has a character");
                continue;
            };
            let wanted = whole.recipes.iter().filter(|recipe| names.contains(&recipe.character.as_str()));
            assert_eq!(left.recipes, wanted.cloned().collect::<Vec<_>>(), "{names:?}");
            assert_eq!((left.output.place, left.digest), (whole.output.place.clone(), whole.digest));
            assert_eq!(excerpt.text.contains("lods"), names.contains(&"a") || names.contains(&"d"));
        }
    }
}
