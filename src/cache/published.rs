//! What was published: `<out>/vat.published.json`.
//!
//! It holds no time and no path of this machine, so it may be committed beside the outputs, and a
//! fresh checkout knows what they were made of.

mod clips;
mod lines;
mod recipe;

use std::borrow::Cow;
use std::collections::BTreeMap;
#[cfg(feature = "bake")]
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

#[cfg(feature = "bake")]
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use self::lines::{BETWEEN, Line, Runs};
pub(super) use self::recipe::budget_fields;
pub use self::recipe::recipe_digest;
use super::digest::{Digest, Fields};
use super::key::ClipKey;
use super::publish::is_inside;
use super::warnings::Warning;
use crate::files;

/// The schema of [`Published`].
pub const SCHEMA: &str = "vatpipe/published/1";

/// The name of the file in the output folder.
pub const FILE: &str = "vat.published.json";

/// Everything that was published to an output folder. What is said of a character is read when it is asked for.
#[derive(Clone, Debug, Default)]
pub struct Published {
    /// Shared by copies until one is changed.
    characters: Arc<BTreeMap<String, Line>>,
    /// Those of the file that was read.
    runs: Arc<Runs>,
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
    #[serde(with = "clips")]
    pub clips: Vec<Clip>,
    /// Its files, by name.
    pub outputs: BTreeMap<String, Digest>,
    /// What was noticed, to be said again while it is fresh.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
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

/// The text is a line for each character, so that differences and merges show what they are about, and at the end the digest
/// of the digests of runs of lines: what was merged by hand, or is damaged, is not believed in part. A character that changed
/// needs its own run to be digested.
impl Published {
    /// Reads what was published; nothing if there is no such file or it is not as it was written.
    pub fn read(out: &Path) -> Self {
        let text = std::fs::read_to_string(out.join(FILE)).ok();
        text.and_then(Self::from_json).unwrap_or_default()
    }

    fn from_json(text: String) -> Option<Self> {
        let head = head();
        // A checkout may have given lines another end.
        let text: Arc<String> =
            if text.starts_with(&*head) { text } else { text.replace("\r\n", "\n") }.into();
        let rest = text.strip_prefix(&*head)?;
        // From the end: what may be long is gone through once.
        let (rest, digest) = last_line(rest.strip_suffix("}\n")?)?;
        let (rest, constants) = last_line(rest)?;
        let lines = rest.strip_suffix(BEHIND)?;
        let lines = lines_in(lines, head.len())?;
        let lines: Vec<Line> = lines.into_iter().map(|range| Line::new(&text, range)).collect();
        let runs = Runs::of(&lines.iter().collect::<Vec<_>>(), &Runs::default());
        if digest != digest_line(&runs, constants) {
            return None;
        }
        let constants: Constants =
            serde_json::from_str(constants.strip_prefix("\"constants\":")?.strip_suffix(',')?).ok()?;
        let characters: BTreeMap<_, _> =
            lines.into_iter().map(|line| Some((line.name()?.0, line))).collect::<Option<_>>()?;
        let is_sound = constants.outputs.keys().all(|name| is_inside(name));
        is_sound.then(|| Self { characters: characters.into(), runs: runs.into(), constants })
    }

    /// The text of the file.
    pub fn to_json(&self) -> Vec<u8> {
        self.parts().concat()
    }

    /// The text of the file in parts.
    pub fn parts(&self) -> Vec<Cow<'_, [u8]>> {
        let mut parts = self.lines();
        parts.push(self.behind().into());
        parts
    }

    /// The text of the file up to what is said of constants, in parts: lines that lie beside each other in the file that was
    /// read are one.
    pub fn lines(&self) -> Vec<Cow<'_, [u8]>> {
        let mut parts = vec![head()];
        // What is not added yet.
        let mut run: Option<(&Arc<String>, Range<usize>)> = None;
        for line in self.characters.values() {
            run = match run {
                Some((text, range))
                    if Arc::ptr_eq(text, &line.text) && range.end + BETWEEN.len() == line.range.start =>
                {
                    Some((text, range.start..line.range.end))
                }
                before => {
                    parts.extend(before.map(|(text, range)| Cow::from(&text[range])));
                    parts.extend((parts.len() > 1).then_some(Cow::from(BETWEEN)));
                    Some((&line.text, line.range.clone()))
                }
            };
        }
        parts.extend(run.map(|(text, range)| Cow::from(&text[range])));
        let bytes = |part| match part {
            Cow::Borrowed(text) => Cow::Borrowed(str::as_bytes(text)),
            Cow::Owned(text) => Cow::Owned(String::into_bytes(text)),
        };
        parts.into_iter().map(bytes).collect()
    }

    /// The rest of the text of the file.
    pub fn behind(&self) -> Vec<u8> {
        let constants = format!("\"constants\":{},", json(&self.constants));
        let digest = digest_line(&self.runs(), &constants);
        let newline = if self.characters.is_empty() { "" } else { "\n" };
        format!("{newline}{BEHIND}{constants}\n{digest}\n}}\n").into_bytes()
    }

    /// The names of all characters, sorted.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.characters.keys()
    }

    /// What is said of a character.
    pub fn get(&self, name: &str) -> Option<&Character> {
        self.characters.get(name)?.said()
    }

    /// Whether anything is said of a character.
    pub fn has(&self, name: &str) -> bool {
        self.characters.contains_key(name)
    }

    /// The digest of what is said of a character.
    pub fn digest(&self, name: &str) -> Option<Digest> {
        self.characters.get(name).map(Line::digest)
    }

    fn runs(&self) -> Runs {
        Runs::of(&self.characters.values().collect::<Vec<_>>(), &self.runs)
    }

    /// Digests of runs of characters, which are the same if all that is said of all of them is, and their order.
    #[cfg(feature = "bake")]
    pub fn run_digests(&self) -> Vec<Digest> {
        self.runs().digests().collect()
    }

    /// The names of characters in runs that have the same digest as then, at the same place; there may be more of which
    /// the same is said.
    #[cfg(feature = "bake")]
    pub fn in_same_runs(&self, then: &[Digest]) -> BTreeSet<&str> {
        let names: Vec<&String> = self.characters.keys().collect();
        let same = names.chunks(lines::RUN).zip(self.run_digests()).zip(then);
        let same = same.filter(|((_, now), then)| now == *then);
        same.flat_map(|((names, _), _)| names.iter().map(|name| name.as_str())).collect()
    }

    /// All that is said.
    #[cfg(feature = "bake")]
    pub fn all(&self) -> Vec<(&str, &Character)> {
        let all: Vec<&String> = self.characters.keys().collect();
        all.into_par_iter().filter_map(|name| Some((name.as_str(), self.get(name)?))).collect()
    }

    /// Whether both have the same text.
    pub fn is_same(&self, other: &Self) -> bool {
        let same =
            |((a, line), (b, other)): ((&String, &Line), (&String, &Line))| a == b && line.is_same(other);
        self.constants == other.constants
            && self.characters.len() == other.characters.len()
            && self.characters.iter().zip(&*other.characters).all(same)
    }

    /// Says something of a character.
    pub fn insert(&mut self, name: &str, character: Character) {
        let text: Arc<String> = [json(&name), ":".to_owned(), json(&character)].concat().into();
        let range = 0..text.len();
        let line = Line::of(&text, range, character);
        Arc::make_mut(&mut self.characters).insert(name.to_owned(), line);
    }

    /// Takes over what another record says of a character.
    pub fn take(&mut self, name: &str, other: &Self) {
        let Some(line) = other.characters.get(name) else { return };
        if !self.characters.get(name).is_some_and(|known| known.is_same(line)) {
            Arc::make_mut(&mut self.characters).insert(name.to_owned(), line.clone());
        }
    }

    /// Forgets a character.
    pub fn remove(&mut self, name: &str) {
        if self.characters.contains_key(name) {
            Arc::make_mut(&mut self.characters).remove(name);
        }
    }
}

/// What stands behind the lines of characters.
const BEHIND: &str = "},\n";

fn head() -> Cow<'static, str> {
    format!("{{\n\"schema\":\"{SCHEMA}\",\n\"characters\":{{\n").into()
}

/// The text before the last line, and that line without its end.
fn last_line(text: &str) -> Option<(&str, &str)> {
    let line = text.strip_suffix('\n')?;
    let at = line.rfind('\n').map_or(0, |at| at + 1);
    Some((&text[..at], &line[at..]))
}

/// Where the lines of a text lie, without the commas between them; `start` is where the text begins.
fn lines_in(text: &str, start: usize) -> Option<Vec<Range<usize>>> {
    let mut ranges = Vec::new();
    let mut at = start;
    let mut lines = text.split_terminator('\n').peekable();
    while let Some(line) = lines.next() {
        let kept = if lines.peek().is_some() { line.strip_suffix(',')? } else { line };
        ranges.push(at..at + kept.len());
        at += line.len() + 1;
    }
    (text.is_empty() || text.ends_with('\n')).then_some(ranges)
}

fn json(value: &impl Serialize) -> String {
    // Texts, numbers and lists: serialising cannot fail.
    serde_json::to_string(value).unwrap_or_default()
}

/// The last line but one of the file.
fn digest_line(runs: &Runs, constants: &str) -> String {
    let mut fields = Fields::new("vatpipe 2026 record v2");
    runs.digests().for_each(|digest| {
        fields.digest(digest);
    });
    format!("\"digest\":\"{}\"", fields.text(SCHEMA).text(constants).finish())
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
    use super::super::publish::OWN_FOLDER;
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
                warnings: Vec::new(),
            };
            let constants = Constants { key: None, outputs: file(constant) };
            let mut record = Published { constants, ..Published::default() };
            record.insert(name, character);
            record.to_json()
        };
        assert_eq!(read(&record("a", "b", "c")).all().len(), 1);
        for [name, file, constant] in
            [["..", "b", "c"], [OWN_FOLDER, "b", "c"], ["a", "../b", "c"], ["a", "b", "/c"]]
        {
            let nothing = read(&record(name, file, constant));
            let constants = nothing.constants.outputs.keys().all(|name| name == "c");
            assert!(nothing.all().is_empty() && constants, "{name} {file} {constant}");
        }
        assert!(read(b"{").names().next().is_none());
    }

    fn three() -> Published {
        let character = |recipe: &str| Character {
            recipe: Digest::of(recipe.as_bytes()),
            inputs: BTreeMap::from([(format!("{recipe}.glb"), Digest::of(b"glb"))]),
            joints: vec!["hip".to_owned()],
            clips: Vec::new(),
            outputs: BTreeMap::from([(format!("{recipe}.ktx2"), Digest::of(b"ktx2"))]),
            warnings: Vec::new(),
        };
        let mut record = Published::default();
        ["b", "a \"quoted\"", "c"].iter().for_each(|name| record.insert(name, character(name)));
        record.constants.outputs.insert("vat.rs".to_owned(), Digest::of(b"rs"));
        record
    }

    #[test]
    fn a_record_is_read_again_and_lines_are_kept() {
        let mut record = three();
        let text = record.to_json();
        let again = Published::from_json(String::from_utf8(text.clone()).unwrap()).unwrap();
        assert_eq!(again.all(), record.all());
        assert_eq!((again.to_json(), &again.constants), (text.clone(), &record.constants));
        record.remove("b");
        record.take("b", &again);
        assert_eq!(record.to_json(), text);
        let crlf = String::from_utf8(text).unwrap().replace('\n', "\r\n");
        assert_eq!(Published::from_json(crlf).unwrap().all(), again.all());
        let nothing = String::from_utf8(Published::default().to_json()).unwrap();
        assert!(Published::from_json(nothing).unwrap().all().is_empty());
    }

    /// Every byte and every length of the file, and lines in another order.
    #[test]
    fn damage_of_any_kind_makes_it_unknown() {
        let whole = String::from_utf8(three().to_json()).unwrap();
        let mut broken: Vec<Vec<u8>> = (0..whole.len()).map(|len| whole.as_bytes()[..len].to_vec()).collect();
        broken.extend((0..whole.len()).map(|at| {
            let mut bytes = whole.clone().into_bytes();
            bytes[at] ^= 1;
            bytes
        }));
        let mut lines: Vec<&str> = whole.lines().collect();
        lines.swap(3, 4);
        broken.push((lines.join("\n") + "\n").into_bytes());
        for bytes in broken.into_iter().filter_map(|bytes| String::from_utf8(bytes).ok()) {
            assert!(Published::from_json(bytes.clone()).is_none(), "{bytes}");
        }
    }
}
