//! What the store forgets, and what it holds.
//!
//! Builds hold a shared lock on `<cache>/v1/use`; a collection takes it alone, and is skipped where
//! it cannot. Entries go by age, then, where the store is too large, those that were not used for
//! longest, until three quarters of the limit are left. What a live project has published
//! ([`projects`]) stays. A blob goes when no entry names it any more and it is older than an hour: a
//! build that is no part of this scheme (a file system without locks) may be about to name it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rayon::prelude::*;
use serde::Serialize;

use super::clips;
use super::digest::Digest;
use super::projects;
use super::store;

/// How much the store may hold, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of blobs and entries.
    pub max_bytes: u64,
    /// Since an entry was used.
    pub max_age: Duration,
}

impl Default for Limits {
    /// 10 GiB, 90 days.
    fn default() -> Self {
        Self { max_bytes: 10 << 30, max_age: Duration::from_secs(90 * DAY) }
    }
}

impl Limits {
    /// As a manifest says.
    pub fn of(cache: &crate::manifest::Cache) -> Self {
        Self { max_bytes: cache.max_size, max_age: Duration::from_secs(cache.max_age) }
    }
}

const DAY: u64 = 86_400;
/// Files on their way, and blobs that nothing names yet, are left alone for so long.
const YOUNG: Duration = Duration::from_secs(3600);
/// Locks that nobody holds stay for so long.
const OLD_LOCK: Duration = Duration::from_secs(DAY);

/// What was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Removed {
    /// Entries: clips that the store knows no more.
    pub entries: u64,
    /// Blobs.
    pub blobs: u64,
    /// Bytes of both, and of what else was swept.
    pub bytes: u64,
}

/// What a store holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Stats {
    /// Entries: clips.
    pub entries: u64,
    /// Blobs: tracks of clips.
    pub blobs: u64,
    /// Bytes of both.
    pub bytes: u64,
    /// Seconds since the entry was used that was not used for longest.
    pub oldest: Option<u64>,
    /// The projects of this machine that use it.
    pub projects: Vec<ProjectStats>,
}

/// What a store holds of a project.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProjectStats {
    /// Its output folder.
    pub out: PathBuf,
    /// Clips that it has published.
    pub clips: u64,
    /// Those of them that the store has.
    pub entries: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// What a check of all files found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// Entries and blobs looked at.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Files that were not what they should be, or named blobs that are not there: they are gone.
    pub damaged: u64,
}

/// A file of the store.
#[derive(Clone, Debug)]
struct Item {
    digest: Digest,
    path: PathBuf,
    bytes: u64,
    /// When it was used (entries) or written (blobs) last.
    time: SystemTime,
}

struct Entry {
    item: Item,
    blobs: Vec<Digest>,
}

fn lock_path(root: &Path) -> PathBuf {
    root.join("use")
}

fn open_lock(root: &Path) -> io::Result<File> {
    File::options().read(true).write(true).create(true).truncate(false).open(lock_path(root))
}

/// Keeps the garbage collector out until dropped.
#[derive(Debug)]
pub struct Use(#[expect(dead_code, reason = "held, not read")] File);

/// Held while a store is used; `waiting` is told where a collection is under way. `None` where
/// there are no locks.
pub fn using(root: &Path, waiting: &dyn Fn(&str)) -> Option<Use> {
    let file = open_lock(root).ok()?;
    match file.try_lock_shared() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => {
            waiting("the garbage collection of the cache");
            file.lock_shared().ok()?;
        }
        Err(fs::TryLockError::Error(_)) => return None,
    }
    Some(Use(file))
}

/// The store for this process alone, or `None` while others use it.
fn alone(root: &Path) -> io::Result<Option<File>> {
    let file = open_lock(root)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(fs::TryLockError::WouldBlock) => Ok(None),
        Err(fs::TryLockError::Error(error)) => Err(error),
    }
}

/// The files below `<root>/<kind>` whose names are digests, oldest first.
fn items(root: &Path, kind: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let folders = fs::read_dir(root.join(kind)).into_iter().flatten().flatten();
    for file in folders.filter_map(|folder| fs::read_dir(folder.path()).ok()).flatten().flatten() {
        let Some(digest) = file.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let Ok(metadata) = file.metadata() else { continue };
        let time = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        items.push(Item { digest, path: file.path(), bytes: metadata.len(), time });
    }
    items.sort_by_key(|item| (item.time, item.digest));
    items
}

/// All entries; those that are damaged name nothing.
fn entries(root: &Path) -> Vec<Entry> {
    let read = |item: Item| {
        let body = fs::read(&item.path).ok();
        let blobs = body.and_then(|text| clips::blobs_of(store::entry_body(&text)?));
        Entry { item, blobs: blobs.unwrap_or_default() }
    };
    items(root, "entries").into_par_iter().map(read).collect()
}

/// How long ago; nothing for times to come.
fn age(time: SystemTime, now: SystemTime) -> Duration {
    now.duration_since(time).unwrap_or_default()
}

/// Collects if the last time is a day ago. Never fails a build.
pub fn daily(root: &Path, limits: Limits) {
    let stamp = root.join("last-gc");
    let now = SystemTime::now();
    let last = fs::metadata(&stamp).and_then(|metadata| metadata.modified());
    if last.as_ref().is_ok_and(|last| age(*last, now) < Duration::from_secs(DAY)) {
        return;
    }
    // First, so that of several builds that end at once, few go on. A new store has nothing old.
    if fs::write(&stamp, "").is_ok() && last.is_ok() {
        let _ = collect(root, limits);
    }
}

/// Removes what is too old, or too much; `None` if others use the store.
///
/// # Errors
/// The store cannot be locked.
pub fn collect(root: &Path, limits: Limits) -> io::Result<Option<Removed>> {
    let Some(_alone) = alone(root)? else { return Ok(None) };
    let now = SystemTime::now();
    let mut removed = Removed::default();
    let kept: BTreeSet<Digest> = projects::live(root).into_iter().flat_map(|project| project.keys).collect();
    let blobs = items(root, "blobs");
    let entries = entries(root);
    let gone = choose(&entries, &blobs, &kept, limits, now);
    for (entry, _) in entries.iter().zip(&gone).filter(|(_, gone)| **gone) {
        removed.entries += remove(&entry.item.path, entry.item.bytes, &mut removed.bytes);
    }
    let stay = entries.iter().zip(&gone).filter(|(_, gone)| !**gone);
    let named: BTreeSet<Digest> = stay.flat_map(|(entry, _)| entry.blobs.iter().copied()).collect();
    for blob in blobs.iter().filter(|blob| !named.contains(&blob.digest) && age(blob.time, now) > YOUNG) {
        removed.blobs += remove(&blob.path, blob.bytes, &mut removed.bytes);
    }
    sweep(root, limits, now, &mut removed.bytes);
    Ok(Some(removed))
}

/// Which entries go. A blob that several name counts once, and is free when the last of them goes.
fn choose(
    entries: &[Entry],
    blobs: &[Item],
    kept: &BTreeSet<Digest>,
    limits: Limits,
    now: SystemTime,
) -> Vec<bool> {
    let sizes: BTreeMap<Digest, u64> = blobs.iter().map(|blob| (blob.digest, blob.bytes)).collect();
    let mut uses: BTreeMap<Digest, u64> = BTreeMap::new();
    for blob in entries.iter().flat_map(|entry| &entry.blobs) {
        *uses.entry(*blob).or_default() += 1;
    }
    let size = |digest: &Digest| sizes.get(digest).copied().unwrap_or(0);
    let mut total: u64 = uses.keys().map(size).sum();
    total += entries.iter().map(|entry| entry.item.bytes).sum::<u64>();
    let low = limits.max_bytes / 4 * 3;
    let full = |total: u64, shrinking: bool| total > if shrinking { low } else { limits.max_bytes };
    let mut gone = vec![false; entries.len()];
    let mut shrinking = false;
    // By age first, so that what is too old does not count against the rest.
    for by_age in [true, false] {
        for (entry, gone) in entries.iter().zip(&mut gone) {
            let old = age(entry.item.time, now) > limits.max_age;
            let goes = if by_age { old } else { full(total, shrinking) };
            if *gone || !goes || kept.contains(&entry.item.digest) {
                continue;
            }
            *gone = true;
            shrinking |= !by_age;
            total -= entry.item.bytes;
            for blob in &entry.blobs {
                let left = uses.entry(*blob).or_insert(1);
                *left -= 1;
                total -= if *left == 0 { size(blob) } else { 0 };
            }
        }
    }
    gone
}

/// Removes a file; 1 if it is gone.
fn remove(path: &Path, bytes: u64, freed: &mut u64) -> u64 {
    let done = fs::remove_file(path).is_ok();
    *freed += if done { bytes } else { 0 };
    done.into()
}

/// Files that a killed process left, locks that nobody holds, and what was noted of projects that were not built for long.
fn sweep(root: &Path, limits: Limits, now: SystemTime, freed: &mut u64) {
    let older = |folder: &str, limit: Duration| {
        let files = fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
        let files = files.filter_map(|file| Some((file.path(), file.metadata().ok()?)));
        let old = files.filter(|(_, m)| m.is_file() && m.modified().is_ok_and(|time| age(time, now) > limit));
        old.map(|(path, metadata)| (path, metadata.len())).collect::<Vec<_>>()
    };
    for (path, bytes) in older("tmp", YOUNG).into_iter().chain(older("ready", limits.max_age)) {
        remove(&path, bytes, freed);
    }
    for (path, bytes) in older("locks", OLD_LOCK) {
        // Held until it is gone.
        let Ok(file) = File::options().read(true).write(true).open(&path) else { continue };
        if file.try_lock().is_ok() {
            remove(&path, bytes, freed);
        }
    }
}

/// Counts what a store holds.
pub fn stats(root: &Path) -> Stats {
    let entries = entries(root);
    let blobs = items(root, "blobs");
    let bytes = entries.iter().map(|entry| entry.item.bytes).chain(blobs.iter().map(|blob| blob.bytes)).sum();
    let oldest = entries.iter().map(|entry| entry.item.time).min();
    let sizes: BTreeMap<Digest, u64> = blobs.iter().map(|blob| (blob.digest, blob.bytes)).collect();
    let project = |project: projects::Project| {
        let present = || entries.iter().filter(|entry| project.keys.contains(&entry.item.digest));
        let named: BTreeSet<Digest> = present().flat_map(|entry| entry.blobs.iter().copied()).collect();
        let texels: u64 = named.iter().filter_map(|blob| sizes.get(blob)).sum();
        ProjectStats {
            out: project.out.clone(),
            clips: project.keys.len() as u64,
            entries: present().count() as u64,
            bytes: texels + present().map(|entry| entry.item.bytes).sum::<u64>(),
        }
    };
    Stats {
        entries: entries.len() as u64,
        blobs: blobs.len() as u64,
        bytes,
        oldest: oldest.map(|time| age(time, SystemTime::now()).as_secs()),
        projects: projects::live(root).into_iter().map(project).collect(),
    }
}

/// Digests all files of a store, and removes what is damaged. May run beside builds.
pub fn verify(root: &Path) -> Verified {
    let blobs = items(root, "blobs");
    let sound = |item: &Item| fs::read(&item.path).is_ok_and(|bytes| Digest::of(&bytes) == item.digest);
    let good: BTreeSet<Digest> =
        blobs.par_iter().filter(|item| sound(item)).map(|item| item.digest).collect();
    let entries = items(root, "entries");
    let whole = |item: &Item| {
        let text = fs::read(&item.path).ok();
        let named = text.and_then(|text| clips::blobs_of(store::entry_body(&text)?));
        // A blob may have come since they were listed.
        let there = |blob: &Digest| {
            good.contains(blob)
                || !blobs.iter().any(|item| item.digest == *blob)
                    && store::path_of(root, "blobs", *blob).exists()
        };
        named.is_some_and(|named| named.iter().all(there))
    };
    let bad_blobs = blobs.iter().filter(|item| !good.contains(&item.digest));
    let bad_entries: Vec<&Item> = entries.par_iter().filter(|item| !whole(item)).collect();
    let (mut damaged, mut freed) = (0, 0);
    for item in bad_blobs.chain(bad_entries) {
        damaged += 1;
        remove(&item.path, item.bytes, &mut freed);
    }
    let bytes = blobs.iter().chain(&entries).map(|item| item.bytes).sum();
    Verified { files: (blobs.len() + entries.len()) as u64, bytes, damaged }
}

/// Removes everything; `None` if others use the store.
///
/// # Errors
/// The store cannot be locked, or something cannot be removed.
pub fn clear(root: &Path) -> io::Result<Option<Removed>> {
    let Some(_alone) = alone(root)? else { return Ok(None) };
    let (entries, blobs) = (items(root, "entries"), items(root, "blobs"));
    let removed = Removed {
        entries: entries.len() as u64,
        blobs: blobs.len() as u64,
        bytes: entries.iter().chain(&blobs).map(|item| item.bytes).sum(),
    };
    // Projects stay known: what they have published comes back with their next build.
    for folder in ["entries", "blobs", "ready", "tmp", "locks"] {
        match fs::remove_dir_all(root.join(folder)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(Some(removed))
}
