//! Clips out of the store, or baked and put there.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::key::{CharacterDigests, ClipKey};
use super::reason::Reason;
use super::store::{Lookup, Store};
use crate::bake::{BakedClip, ClipJob, Origin};
use crate::problem::{Problem, Result};

/// Threads that bake while a key is locked, and do nothing else.
///
/// A thread of a pool that waits for its own work takes up other work of that pool. Under a lock
/// that could be a clip that waits for another lock, or for the same: nobody would ever go on. So
/// bakes under a lock are done in a pool in which nothing waits for locks, and whoever holds the
/// lock does nothing until its bake is done.
#[derive(Debug, Default)]
pub struct Workers(OnceLock<Option<rayon::ThreadPool>>);

impl Workers {
    fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let make = || rayon::ThreadPoolBuilder::new().num_threads(rayon::current_num_threads()).build().ok();
        let pool = self.0.get_or_init(make);
        // From a thread outside of all pools: one inside would take up other work of its own pool.
        std::thread::scope(|scope| {
            let outside = scope.spawn(|| match pool {
                Some(pool) => pool.install(work),
                None => work(),
            });
            outside.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

/// The clips of one character, in front of the store.
pub struct Clips<'a> {
    store: Option<&'a Store>,
    workers: &'a Workers,
    digests: OnceLock<CharacterDigests>,
    /// Told for whom this process waits.
    waiting: &'a (dyn Fn(&str) + Sync),
    /// Told when the store cannot be written; once is enough.
    broken: &'a AtomicBool,
    warn: &'a (dyn Fn(Problem) + Sync),
}

/// What the store holds of a clip.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    clip: BakedClip,
    /// The bytes of each track.
    blobs: Vec<Digest>,
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
        workers: &'a Workers,
        waiting: &'a (dyn Fn(&str) + Sync),
        broken: &'a AtomicBool,
        warn: &'a (dyn Fn(Problem) + Sync),
    ) -> Self {
        Self { store, workers, digests: OnceLock::new(), waiting, broken, warn }
    }

    /// What decides the bytes of a clip.
    pub fn key(&self, job: &ClipJob) -> ClipKey {
        ClipKey::of(job, self.digests.get_or_init(|| CharacterDigests::of(job.source, job.rig)))
    }

    /// The clip if the store has it; the reason if something in the store was not as it should be.
    pub fn find(&self, key: Digest) -> (Option<BakedClip>, Option<Reason>) {
        let Some(store) = self.store else { return (None, None) };
        let body = match store.entry(key) {
            Lookup::Found(body) => body,
            Lookup::Missing => return (None, None),
            Lookup::Damaged => return (None, Some(Reason::StoreDamaged)),
        };
        let Ok(Entry { mut clip, blobs }) = serde_json::from_slice::<Entry>(&body) else {
            return (None, Some(Reason::StoreDamaged));
        };
        if blobs.len() != clip.tracks.len() {
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
        let Some(store) = self.store else {
            return Ok(Made { clip: job.bake()?, origin: Origin::Baked, key, fault });
        };
        let _lock = store.lock(digest, self.waiting);
        // Whoever held the lock may have made it.
        let (clip, again) = self.find(digest);
        if let Some(clip) = clip {
            return Ok(found(clip, key));
        }
        fault = fault.or(again);
        let clip = self.workers.run(|| job.bake())?;
        self.keep(store, digest, &clip);
        Ok(Made { clip, origin: Origin::Baked, key, fault })
    }

    fn keep(&self, store: &Store, key: Digest, clip: &BakedClip) {
        let put = || {
            let blobs: std::io::Result<Vec<Digest>> =
                clip.tracks.iter().map(|track| store.put_blob(&track.bytes)).collect();
            let entry = Entry { clip: clip.clone_without_bytes(), blobs: blobs? };
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
