//! What was published: `<out>/vat.published.json`.
//!
//! It holds no time and no path of this machine, so it may be committed beside the outputs, and a
//! fresh checkout knows what they were made of.

use std::collections::BTreeMap;
use std::path::Path;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::digest::{Digest, Fields};
use super::key::{BAKE_VERSION, ClipKey};
use super::publish::{OWN_FOLDER, is_plain};
use crate::files;
use crate::manifest::{
    Budget, ClipRecipe, ClipSettings, FormatChoice, Length, MeshSettings, Normals, Rate, Recipe, Selector,
};

/// The schema of [`Published`].
pub const SCHEMA: &str = "vatpipe/published/1";

/// The name of the file in the output folder.
pub const FILE: &str = "vat.published.json";

/// Everything that was published to an output folder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// [`SCHEMA`].
    pub schema: String,
    /// The characters, by name.
    pub characters: BTreeMap<String, Character>,
    /// The constants of all characters together.
    pub constants: Constants,
}

/// A published character.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Character {
    /// The digest of all that the manifest says of it, and of the bake version.
    pub recipe: Digest,
    /// The files that it was made of, by path relative to the manifest's folder (absolute where they
    /// lie elsewhere), with `/`.
    pub inputs: BTreeMap<String, Digest>,
    /// The names of the joints that move it.
    pub joints: Vec<String>,
    /// The clips, in order.
    pub clips: Vec<Clip>,
    /// Its files, by name.
    pub outputs: BTreeMap<String, Digest>,
}

/// A published clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clip {
    /// Its name.
    pub name: String,
    /// What decided its bytes.
    pub key: ClipKey,
}

/// The published constants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Constants {
    /// The digest of what they were made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Digest>,
    /// The files, by name.
    pub outputs: BTreeMap<String, Digest>,
}

/// The text is a line for each character, so that differences and merges show what they are about, and the digest of all
/// lines before it at the end: what was merged by hand, or is damaged, is not believed in part.
impl Published {
    /// Reads what was published; nothing if there is no such file or it is not as it was written.
    pub fn read(out: &Path) -> Self {
        let text = std::fs::read_to_string(out.join(FILE)).ok();
        text.and_then(|text| Self::from_json(&text))
            .filter(Self::is_sound)
            .unwrap_or_else(|| Self { schema: SCHEMA.to_owned(), ..Self::default() })
    }

    fn from_json(text: &str) -> Option<Self> {
        // A checkout may have given lines another end.
        let lf = text.contains('\r').then(|| text.replace("\r\n", "\n"));
        let text = lf.as_deref().unwrap_or(text);
        let body = text.get(..text.len().checked_sub(digest_line("").len())?)?;
        let lines: Vec<&str> = body.lines().collect();
        let [_, schema, _, characters @ .., _, constants] = lines.as_slice() else { return None };
        if *schema != schema_line() || text.get(body.len()..)? != digest_line(body) {
            return None;
        }
        let characters = characters.par_iter().map(|line| member(line)).collect::<Option<_>>()?;
        let (_, constants) = member(constants)?;
        Some(Self { schema: SCHEMA.to_owned(), characters, constants })
    }

    /// Whether all outputs lie where outputs can lie. The file may come from a stranger's checkout, and
    /// what it names may be removed.
    fn is_sound(&self) -> bool {
        let characters = self.characters.iter();
        characters.clone().all(|(name, _)| is_plain(name) && name != OWN_FOLDER)
            && characters.flat_map(|(_, c)| c.outputs.keys()).all(|name| is_plain(name))
            && self.constants.outputs.keys().all(|name| is_plain(name))
    }

    /// The text of the file.
    pub fn to_json(&self) -> Vec<u8> {
        let line = |(name, character)| [json(&name), ":".to_owned(), json(&character)].concat();
        let lines: Vec<String> = self.characters.par_iter().map(line).collect();
        let (schema, constants) = (schema_line(), json(&self.constants));
        let characters = lines.join(",\n") + if lines.is_empty() { "" } else { "\n" };
        let mut text =
            format!("{{\n{schema}\n\"characters\":{{\n{characters}}},\n\"constants\":{constants},\n");
        text += &digest_line(&text);
        text.into_bytes()
    }
}

fn json(value: &impl Serialize) -> String {
    // Texts, numbers and lists: serialising cannot fail.
    serde_json::to_string(value).unwrap_or_default()
}

fn schema_line() -> String {
    format!("\"schema\":\"{SCHEMA}\",")
}

/// The end of the file. It is as long whatever the body is.
fn digest_line(body: &str) -> String {
    format!("\"digest\":\"{}\"\n}}\n", Digest::of(body.as_bytes()))
}

/// A line with one member of an object.
fn member<T: serde::de::DeserializeOwned>(line: &str) -> Option<(String, T)> {
    let object = format!("{{{}}}", line.strip_suffix(',').unwrap_or(line));
    serde_json::from_str::<BTreeMap<String, T>>(&object).ok()?.pop_first()
}

/// The digest of all that the manifest says of a character: equal for two recipes that ask for the
/// same bytes. Paths count as text relative to `folder`, so that moving a project changes nothing.
pub fn recipe_digest(recipe: &Recipe, folder: &Path) -> Digest {
    // Taken apart by name, so that a new setting is not forgotten.
    let Recipe { character, source, scene, mesh, all_clips, clips, platforms, place: _ } = recipe;
    let mut fields = Fields::new("vatpipe 2026 recipe v1");
    fields.number(BAKE_VERSION.into()).text(env!("CARGO_PKG_VERSION"));
    fields.text(character).text(&relative(source, folder));
    selector(&mut fields, scene.as_ref());
    fields.number(platforms.len() as u64);
    platforms.iter().for_each(|platform| {
        fields.text(platform.name());
    });
    let MeshSettings { normals, tangents, share_columns, max_texture, zstd, allow_outside } = mesh;
    fields.number(match normals {
        None => 0,
        Some(Normals::Packed) => 1,
        Some(Normals::Sheet) => 2,
        Some(Normals::None) => 3,
    });
    fields.flag(*tangents).flag(*share_columns).number((*max_texture).into());
    fields.number(zstd.map_or(0, |level| level as u64)).flag(*allow_outside);
    fields.flag(all_clips.is_some());
    all_clips.iter().for_each(|clip| settings(&mut fields, clip));
    fields.number(clips.len() as u64);
    for ClipRecipe { name, from, source, settings: clip, place: _ } in clips {
        fields.text(name).flag(source.is_some());
        source.iter().for_each(|source| {
            fields.text(&relative(source, folder));
        });
        selector(&mut fields, from.as_ref());
        settings(&mut fields, clip);
    }
    fields.finish()
}

fn selector(fields: &mut Fields, selector: Option<&Selector>) {
    match selector {
        None => fields.number(0),
        Some(Selector::Name(name)) => fields.number(1).text(name),
        Some(Selector::Index(index)) => fields.number(2).number(*index as u64),
    };
}

fn settings(fields: &mut Fields, settings: &ClipSettings) {
    let ClipSettings { fps, looping, loop_said, trim, range, format, quality, residual, relative, budget } =
        settings;
    match fps {
        Rate::Fixed(fps) => fields.number(0).float(*fps),
        Rate::Auto { cap } => fields.number(1).float(*cap),
    };
    fields.flag(*looping).flag(*loop_said).flag(*trim).flag(range.is_some());
    let (start, end) = range.unwrap_or_default();
    fields.float(start).float(end).text(match format {
        FormatChoice::Fixed(format) => format.name(),
        FormatChoice::Auto => "auto",
    });
    fields.text(quality.name()).flag(*residual);
    budget_fields(fields, budget);
    fields.number(match relative {
        None => 0,
        Some(false) => 1,
        Some(true) => 2,
    });
}

/// A budget, for a digest.
pub(super) fn budget_fields(fields: &mut Fields, budget: &Budget) {
    let Budget { max_error, max_normal_error } = budget;
    match max_error {
        None => fields.number(0),
        Some(Length::Units(units)) => fields.number(1).float(*units),
        Some(Length::OfBounds(share)) => fields.number(2).float(*share),
    };
    fields.flag(max_normal_error.is_some()).float(max_normal_error.unwrap_or_default());
}

/// A path as it is remembered: relative to the manifest's folder where it lies below it, with `/`.
pub fn relative(path: &Path, folder: &Path) -> String {
    // One of them may be absolute and the other not, depending on where the build was started.
    let mixed = path.is_absolute() != folder.is_absolute();
    let plain = |path: &Path| files::normalized(path).filter(|_| mixed).unwrap_or_else(|| path.to_owned());
    let (whole, folder) = (plain(path), plain(folder));
    let below = whole.strip_prefix(&folder).unwrap_or(path);
    let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/").replacen("//", "/", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_remembered_without_the_folder() {
        let of = |path: &str, folder: &str| relative(Path::new(path), Path::new(folder));
        assert_eq!(of("a/b.glb", ""), "a/b.glb");
        assert_eq!(of("art/a/b.glb", "art"), "a/b.glb");
        assert_eq!(of("/x/art/b.glb", "/x/art"), "b.glb");
        assert_eq!(of("../b.glb", ""), "../b.glb");
        assert_eq!(of("/x/art/../b.glb", "/x/art"), "../b.glb");
        assert_eq!(of("/else/b.glb", "/x/art"), "/else/b.glb");
    }

    #[test]
    fn an_absolute_path_below_the_folder_is_the_same_from_everywhere() {
        let here = std::env::current_dir().unwrap();
        let path = here.join("src/a.glb");
        for folder in ["src", "./src", "tests/../src"] {
            assert_eq!(relative(&path, Path::new(folder)), "a.glb", "{folder}");
        }
        assert_eq!(relative(&path, Path::new("")), "src/a.glb");
    }

    #[test]
    fn a_record_that_leads_elsewhere_is_no_record() {
        let folder = tempfile::tempdir().unwrap();
        let read = |record: &[u8]| {
            std::fs::write(folder.path().join(FILE), record).unwrap();
            Published::read(folder.path())
        };
        let digest = Digest::of(b"");
        let file = |name: &str| BTreeMap::from([(name.to_owned(), digest)]);
        let record = |name: &str, output: &str, constant: &str| {
            let character = Character {
                recipe: digest,
                inputs: BTreeMap::new(),
                joints: Vec::new(),
                clips: Vec::new(),
                outputs: file(output),
            };
            let characters = BTreeMap::from([(name.to_owned(), character)]);
            let constants = Constants { key: None, outputs: file(constant) };
            Published { schema: SCHEMA.to_owned(), characters, constants }.to_json()
        };
        assert_eq!(read(&record("a", "b", "c")).characters.len(), 1);
        for [name, file, constant] in
            [["..", "b", "c"], [OWN_FOLDER, "b", "c"], ["a", "../b", "c"], ["a", "b", "/c"]]
        {
            let nothing = read(&record(name, file, constant));
            assert!(
                nothing.characters.is_empty() && nothing.constants.outputs.is_empty(),
                "{name} {file} {constant}"
            );
        }
        let whole = record("a", "b", "c");
        assert!(read(&whole[..whole.len() - 1]).characters.is_empty());
        assert!(read(b"{").characters.is_empty());
    }
}
