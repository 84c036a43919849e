//! Why clips were baked the last time: `<out>/.vatpipe/why`, of this machine alone.
//!
//! A line for each character that was made: its name, a colon, an object of its clips. Later lines count; a clip of which
//! one says that it was as it had been keeps what was known of it. A build that made one character adds a line, until the
//! file has grown as long as the record of what was published; others write it anew, with a line for each character.

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
pub type Whys = BTreeMap<String, Clips>;

/// Where it is kept.
pub fn path(out: &Path) -> PathBuf {
    out.join(OWN_FOLDER).join("why")
}

type Clips = BTreeMap<String, Last>;

/// Reads it; of what is not there or cannot be understood, nothing.
pub fn read(out: &Path) -> Whys {
    let text = std::fs::read_to_string(path(out)).unwrap_or_default();
    let mut all = Whys::new();
    for (name, clips) in text.lines().filter_map(split) {
        let Some(clips) = parse(clips) else { continue };
        let before = all.remove(&name).unwrap_or_default();
        all.insert(name, merged(before, clips));
    }
    all
}

/// What is known after clips were made.
fn merged(mut before: Clips, made: Clips) -> Clips {
    let clip = |(clip, new): (String, Last)| {
        let same = new.origin == Origin::Cached && new.because.is_empty();
        let last = before.remove(&clip).filter(|_| same).unwrap_or(new);
        (clip, last)
    };
    made.into_iter().map(clip).collect()
}

/// The name of a character, and the text of its clips.
fn split(line: &str) -> Option<(String, &str)> {
    let mut names = serde_json::Deserializer::from_str(line).into_iter::<String>();
    let name = names.next()?.ok()?;
    Some((name, line[names.byte_offset()..].strip_prefix(':')?))
}

fn parse(clips: &str) -> Option<Clips> {
    serde_json::from_str(clips).ok()
}

fn line(name: &str, clips: &Clips) -> String {
    match (serde_json::to_string(name), serde_json::to_string(clips)) {
        (Ok(name), Ok(clips)) => format!("{name}:{clips}\n"),
        _ => String::new(),
    }
}

/// Notes what was made. Where the file is written anew, characters are left out that `keeps` does not name; `room` is how
/// long it may become before that, bytes.
pub fn keep(out: &Path, made: &BTreeMap<&str, &Clips>, room: u64, keeps: impl Fn(&str) -> bool) {
    let path = path(out);
    // As the memo: without it less can be told, and nothing is wrong.
    let _ = match made.iter().next() {
        Some((name, clips)) if made.len() == 1 && files::append(&path, &line(name, clips), room) => Ok(()),
        _ => files::write_shortcut(&path, anew(&path, made, keeps).as_bytes()),
    };
}

/// The text, with a line for each character.
fn anew(path: &Path, made: &BTreeMap<&str, &Clips>, keeps: impl Fn(&str) -> bool) -> String {
    let old = std::fs::read_to_string(path).unwrap_or_default();
    let mut all: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (name, clips) in old.lines().filter_map(split) {
        all.entry(name).or_default().push(clips);
    }
    made.keys().for_each(|name| {
        all.entry((*name).to_owned()).or_default();
    });
    let mut text = String::with_capacity(old.len() + 1024);
    for (name, lines) in &all {
        let new = made.get(name.as_str());
        match (new, lines.as_slice()) {
            (None, _) if !keeps(name) => {}
            (None, [only]) => text += &format!("{}:{only}\n", serde_json::json!(name)),
            _ => {
                let known = lines.iter().filter_map(|clips| parse(clips));
                let clips = known.chain(new.map(|clips| (*clips).clone())).fold(Clips::new(), merged);
                text += &line(name, &clips);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clips(all: &[(&str, Origin, &[Reason])]) -> Clips {
        let last = |origin: Origin, because: &[Reason]| Last { origin, because: because.to_vec() };
        all.iter().map(|(clip, origin, because)| ((*clip).to_owned(), last(*origin, because))).collect()
    }

    /// What is told is the same whether lines are added or the file is written anew.
    #[test]
    fn later_lines_count() {
        let missing = [Reason::EntryMissing];
        let (first, fresh) =
            (clips(&[("a", Origin::Baked, &missing), ("b", Origin::Baked, &missing)]), &[][..]);
        let second = clips(&[("a", Origin::Cached, fresh), ("c", Origin::Cached, &[Reason::NoStore])]);
        let wanted = clips(&[("a", Origin::Baked, &missing), ("c", Origin::Cached, &[Reason::NoStore])]);
        for room in [0, 1 << 20] {
            let folder = tempfile::tempdir().unwrap();
            let out = folder.path();
            keep(out, &BTreeMap::from([("x", &first), ("y \"", &first)]), room, |_| true);
            keep(out, &BTreeMap::from([("x", &second)]), room, |_| true);
            assert_eq!(
                read(out),
                Whys::from([("x".to_owned(), wanted.clone()), ("y \"".to_owned(), first.clone())])
            );
            let lines = std::fs::read_to_string(path(out)).unwrap().lines().filter(|l| !l.is_empty()).count();
            assert_eq!(lines, if room == 0 { 2 } else { 3 });
            // What a killed process began to write is passed over.
            let torn = files::append(&path(out), "\"y", 1 << 20);
            keep(out, &BTreeMap::from([("z", &first)]), 1 << 20, |_| true);
            assert!(torn && read(out).len() == 3);
            keep(out, &BTreeMap::new(), room, |name| name == "x");
            assert_eq!(read(out), Whys::from([("x".to_owned(), wanted.clone())]));
            assert_eq!(std::fs::read_to_string(path(out)).unwrap().lines().count(), 1);
        }
    }
}
