//! Why clips were baked the last time: `<out>/.vatpipe/why`, of this machine alone. A line for each character:
//! its name, a colon, an object of its clips; so that a build reads and writes only lines of what it made.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::publish::OWN_FOLDER;
use super::reason::Reason;
use crate::bake::Origin;
use crate::files;

/// The last time that a clip was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Last {
    /// Whether it was baked, or the cache had it.
    pub origin: Origin,
    /// What had changed.
    pub because: Vec<Reason>,
}

/// Of each character, by name, of each clip, by name.
pub type Whys = BTreeMap<String, BTreeMap<String, Last>>;

/// Where it is kept.
pub fn path(out: &Path) -> PathBuf {
    out.join(OWN_FOLDER).join("why")
}

/// Reads it; of what is not there or cannot be understood, nothing.
pub fn read(out: &Path) -> Whys {
    let text = std::fs::read_to_string(path(out)).unwrap_or_default();
    text.lines().filter_map(|line| split(line).and_then(|(name, rest)| Some((name, parse(rest)?)))).collect()
}

/// The name of a character, and the text of its clips.
fn split(line: &str) -> Option<(String, &str)> {
    let mut names = serde_json::Deserializer::from_str(line).into_iter::<String>();
    let name = names.next()?.ok()?;
    Some((name, line[names.byte_offset()..].strip_prefix(':')?))
}

fn parse(clips: &str) -> Option<BTreeMap<String, Last>> {
    serde_json::from_str(clips).ok()
}

/// Notes what was made. Of clips that are as they were, what was known is kept, and of characters that `keeps` names.
pub fn keep(out: &Path, made: &BTreeMap<&str, &BTreeMap<String, Last>>, keeps: impl Fn(&str) -> bool) {
    let text = std::fs::read_to_string(path(out)).unwrap_or_default();
    let (mut kept, mut before) = (String::with_capacity(text.len() + 1024), Whys::new());
    for line in text.lines() {
        let Some((name, rest)) = split(line) else { continue };
        if made.contains_key(name.as_str()) {
            before.insert(name, parse(rest).unwrap_or_default());
        } else if keeps(&name) {
            kept += line;
            kept += "\n";
        }
    }
    for (name, clips) in made {
        let mut before = before.remove(*name).unwrap_or_default();
        let clip = |(clip, new): (&String, &Last)| {
            let same = new.origin == Origin::Cached && new.because.is_empty();
            let last = before.remove(clip).filter(|_| same).unwrap_or_else(|| new.clone());
            (clip.clone(), last)
        };
        let clips: BTreeMap<String, Last> = clips.iter().map(clip).collect();
        let texts = (serde_json::to_string(name), serde_json::to_string(&clips));
        if let (Ok(name), Ok(clips)) = texts {
            kept += &format!("{name}:{clips}\n");
        }
    }
    // As the memo: without it less can be told, and nothing is wrong.
    let _ = files::write_shortcut(&path(out), kept.as_bytes());
}
