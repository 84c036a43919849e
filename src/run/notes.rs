//! What is noted of clips while they are made: their keys, and why they were made.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, OnceLock};

use crate::bake::{self, ClipJob};
use crate::cache::key::{ClipKey, used_joints};
use crate::cache::published;
use crate::cache::reason::{Known, Reason, reasons};
use crate::cache::why::Last;
use crate::metadata;

/// What is noted of a clip while it is made.
pub(super) struct Note {
    pub(super) key: ClipKey,
    pub(super) last: Last,
}

/// Notes by the names of clips.
pub(super) type Notes = Mutex<BTreeMap<String, Note>>;

fn joint_names(job: &ClipJob) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut used = used_joints(job.rig);
    used.sort_unstable();
    for joint in used {
        let name = &job.source.nodes[job.rig.joints[joint as usize].node].name;
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

pub(super) fn in_order(
    metadata: &metadata::Character,
    notes: &BTreeMap<String, Note>,
) -> Vec<published::Clip> {
    // The finest of the levels of detail that share sheets stands for them.
    let lods: BTreeSet<u32> =
        metadata.sheets.iter().filter_map(|sheet| sheet.lods.first().copied()).collect();
    let names = metadata.clips.iter().flat_map(|clip| lods.iter().map(|&lod| bake::label(&clip.name, lod)));
    let clip = |name: String| Some(published::Clip { key: notes.get(&name)?.key.clone(), name });
    names.filter_map(clip).collect()
}

/// The names of the joints that move a character, which are those of its finest level of detail. Of
/// coarser ones a joint that moves nothing any more is no news.
pub(super) fn known_joints(
    job: &ClipJob,
    old: Option<&published::Character>,
    all: &OnceLock<Vec<String>>,
) -> Vec<String> {
    if job.lod == 0 {
        return all.get_or_init(|| joint_names(job)).clone();
    }
    old.map_or(Vec::new(), |old| old.joints.clone())
}

/// What changed of a clip since it was published.
pub(super) fn changes(clip: &str, new: Known, old: Option<&published::Character>) -> Vec<Reason> {
    let before = old.and_then(|old| {
        let key = &old.clips.iter().find(|c| c.name == clip)?.key;
        Some(Known { key, joints: &old.joints })
    });
    let mut changes = reasons(before, new);
    changes.retain(|reason| *reason != Reason::EntryMissing);
    changes
}

/// Why a clip has to be baked that the store does not have.
pub(super) fn why(
    clip: &str,
    new: Known,
    old: Option<&published::Character>,
    fault: Option<Reason>,
    has_store: bool,
) -> Vec<Reason> {
    let changes = changes(clip, new, old);
    if !changes.is_empty() {
        return changes;
    }
    vec![fault.unwrap_or(if has_store { Reason::EntryMissing } else { Reason::NoStore })]
}
