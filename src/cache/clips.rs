//! Clips out of the store, or baked and put there.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::key::{CharacterDigests, ClipKey};
use super::lods;
use super::reason::Reason;
use super::store::{Lookup, Store};
use crate::bake::{BakedClip, Choice, ClipJob, Origin};
use crate::problem::{Problem, Result};

/// The clips of one character, in front of the store.
pub struct Clips<'a> {
    store: Option<&'a Store>,
    bakers: &'a Bakers,
    /// By the finest level of detail that reads the columns.
    digests: Mutex<BTreeMap<u32, Arc<CharacterDigests>>>,
    /// Told for whom this process waits.
    waiting: &'a (dyn Fn(&str) + Sync),
    /// Told when the store cannot be written; once is enough.
    broken: &'a AtomicBool,
    warn: &'a (dyn Fn(Problem) + Sync),
}

/// The threads that bake while a lock is held.
///
/// A thread that waits for parts of its work does other work of its pool meanwhile: with a lock
/// held that may be a clip with the same key, or one that another process makes while it waits for
/// ours, or a character that waits for the output folder, and none of them would ever get on. So
/// whoever holds a lock sleeps, and these threads, which never take one, bake for it.
#[derive(Debug, Default)]
pub struct Bakers(OnceLock<Option<rayon::ThreadPool>>);

impl Bakers {
    /// None yet: they are started when they are needed.
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    fn bake(&self, job: &ClipJob) -> Result<BakedClip> {
        let threads = rayon::current_num_threads();
        let pool = self.0.get_or_init(|| rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok());
        let Some(pool) = pool else { return job.bake() };
        // Only a thread of no pool sleeps while it waits for one.
        let baked = std::thread::scope(|scope| scope.spawn(|| pool.install(|| job.bake())).join());
        baked.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

/// What the store holds of a clip.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    /// Its key: an entry under another name is none.
    key: Digest,
    clip: BakedClip,
    /// The bytes of each track.
    blobs: Vec<Digest>,
}

/// The blobs that the body of an entry names; `None` if it is no entry.
pub fn blobs_of(body: &[u8]) -> Option<Vec<Digest>> {
    let Ok(entry) = serde_json::from_slice::<Entry>(body) else { return lods::blobs_of(body) };
    (entry.blobs.len() == entry.clip.tracks.len()).then_some(entry.blobs)
}

/// What was measured of a clip that the store has; its texels are not read.
pub fn choice(store: &Store, key: Digest) -> Option<Choice> {
    let Lookup::Found(body) = store.entry(key) else { return None };
    let entry: Entry = serde_json::from_slice(&body).ok()?;
    (entry.key == key).then_some(entry.clip.choice)
}

/// A clip, where it came from, and what it was made of.
pub struct Made {
    /// The clip.
    pub clip: BakedClip,
    /// Whether it was baked.
    pub origin: Origin,
    /// What decided its bytes.
    pub key: ClipKey,
    /// Why the store did not have it, if it should have.
    pub fault: Option<Reason>,
}

impl<'a> Clips<'a> {
    /// In front of a store, or of none.
    pub fn new(
        store: Option<&'a Store>,
        bakers: &'a Bakers,
        waiting: &'a (dyn Fn(&str) + Sync),
        broken: &'a AtomicBool,
        warn: &'a (dyn Fn(Problem) + Sync),
    ) -> Self {
        Self { store, bakers, digests: Mutex::default(), waiting, broken, warn }
    }

    /// What decides the bytes of a clip.
    pub fn key(&self, job: &ClipJob) -> ClipKey {
        let locked = || self.digests.lock().unwrap_or_else(PoisonError::into_inner);
        let known = locked().get(&job.lod).cloned();
        // Not made under the lock: digests are made in parallel, and a thread that waits for its parts may come here again.
        let digests = known.unwrap_or_else(|| Arc::new(CharacterDigests::of(job.source, job.rig)));
        ClipKey::of(job, locked().entry(job.lod).or_insert(digests))
    }

    /// The clip if the store has it; the reason if something in the store was not as it should be.
    pub fn find(&self, key: Digest) -> (Option<BakedClip>, Option<Reason>) {
        let Some(store) = self.store else { return (None, None) };
        let body = match store.entry(key) {
            Lookup::Found(body) => body,
            Lookup::Missing => return (None, None),
            Lookup::Damaged => return (None, Some(Reason::StoreDamaged)),
        };
        let Ok(Entry { key: own, mut clip, blobs }) = serde_json::from_slice::<Entry>(&body) else {
            return (None, Some(Reason::StoreDamaged));
        };
        if own != key || blobs.len() != clip.tracks.len() {
            return (None, Some(Reason::StoreDamaged));
        }
        for (track, blob) in clip.tracks.iter_mut().zip(blobs) {
            match store.blob(blob) {
                Lookup::Found(bytes) => track.bytes = bytes,
                Lookup::Missing => return (None, Some(Reason::BlobMissing { blob })),
                Lookup::Damaged => return (None, Some(Reason::StoreDamaged)),
            }
        }
        (Some(clip), None)
    }

    /// Gets a clip. Of several processes that want it at once, one bakes it.
    ///
    /// # Errors
    /// As [`ClipJob::bake`].
    pub fn make(&self, job: &ClipJob) -> Result<Made> {
        let key = self.key(job);
        let digest = key.digest();
        let found = |clip, key| Made { clip, origin: Origin::Cached, key, fault: None };
        let (clip, mut fault) = self.find(digest);
        if let Some(clip) = clip {
            return Ok(found(clip, key));
        }
        let lock = self.store.and_then(|store| store.lock(digest, self.waiting));
        // Whoever held the lock may have made it.
        let (clip, again) = self.find(digest);
        if let Some(clip) = clip {
            return Ok(found(clip, key));
        }
        fault = fault.or(again);
        let clip = if lock.is_some() { self.bakers.bake(job) } else { job.bake() }?;
        if let Some(store) = self.store {
            self.keep(store, digest, &clip);
        }
        Ok(Made { clip, origin: Origin::Baked, key, fault })
    }

    fn keep(&self, store: &Store, key: Digest, clip: &BakedClip) {
        let put = || {
            let blobs: std::io::Result<Vec<Digest>> =
                clip.tracks.iter().map(|track| store.put_blob(&track.bytes)).collect();
            let entry = Entry { key, clip: clip.clone_without_bytes(), blobs: blobs? };
            store.put_entry(key, &serde_json::to_vec(&entry)?)
        };
        if let Err(error) = put()
            && !self.broken.swap(true, Ordering::Relaxed)
        {
            let message = format!("the cache in {} cannot be written: {error}", store.root().display());
            let help = "the build goes on, and bakes more the next time; free space there, or set `VATPIPE_CACHE_DIR`";
            (self.warn)(Problem::warning("cache::unwritable", message).help(help));
        }
    }
}
