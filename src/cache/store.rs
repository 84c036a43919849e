//! The store: content-addressed blobs, and entries that name them.
//!
//! ```text
//! <cache>/v1/blobs/ab/<digest>     the bytes with that BLAKE3 digest
//! <cache>/v1/entries/ab/<key>      the digest of what follows, and what follows: JSON
//! <cache>/v1/locks/<key>           held while a key is being made
//! <cache>/v1/ready/<project>       what a build with nothing to do has seen ([`super::ready`])
//! <cache>/v1/projects/<digest>     who has published what it holds: `projects`
//! <cache>/v1/use                   held by all who use it, and by a garbage collection alone
//! <cache>/v1/last-gc               when garbage was collected last
//! <cache>/v1/tmp/                  files on their way; swept by the garbage collector
//! ```
//!
//! A file appears under its name whole or not at all (written aside, then renamed), and never
//! changes. What is read is verified: a damaged file is removed and counts as missing. Nothing
//! here fails a build: what cannot be kept is made again.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::digest::Digest;

/// Entries are marked as used at most this often.
const TOUCH_AFTER: Duration = Duration::from_secs(3600);

/// The folder of the format that is written here.
const VERSION: &str = "v1";

/// A folder of blobs and entries.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
    /// Nothing is written, removed or marked.
    read_only: bool,
}

/// What a lookup found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup<T> {
    /// It, whole.
    Found(T),
    /// Nothing.
    Missing,
    /// Something that is not what it should be; it is gone now.
    Damaged,
}

impl Store {
    /// Opens the store in a folder, making it.
    ///
    /// # Errors
    /// The folder cannot be made or written.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let root = folder.join(VERSION);
        for part in ["blobs", "entries", "locks", "tmp"] {
            fs::create_dir_all(root.join(part))?;
        }
        // Existing folders say nothing of whether they can be written.
        tempfile::tempfile_in(root.join("tmp"))?;
        Ok(Self { root, read_only: false })
    }

    /// The store in a folder as it is, to look things up: nothing is made, written, removed or
    /// marked as used.
    pub fn to_read(folder: &Path) -> Self {
        Self { root: folder.join(VERSION), read_only: true }
    }

    /// The folder of the store's format.
    pub fn root(&self) -> &Path {
        &self.root
    }

    fn path(&self, kind: &str, digest: Digest) -> PathBuf {
        path_of(&self.root, kind, digest)
    }

    /// The bytes of a blob.
    pub fn blob(&self, digest: Digest) -> Lookup<Vec<u8>> {
        let path = self.path("blobs", digest);
        let Ok(bytes) = fs::read(&path) else { return Lookup::Missing };
        if Digest::of(&bytes) == digest {
            return Lookup::Found(bytes);
        }
        self.throw_away(&path);
        Lookup::Damaged
    }

    /// Keeps a blob.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn put_blob(&self, bytes: &[u8]) -> io::Result<Digest> {
        let digest = Digest::of(bytes);
        let path = self.path("blobs", digest);
        let known = fs::metadata(&path).is_ok_and(|m| m.len() == bytes.len() as u64);
        if !known {
            self.put(&path, &[bytes])?;
        }
        Ok(digest)
    }

    /// The content of an entry.
    pub fn entry(&self, key: Digest) -> Lookup<Vec<u8>> {
        let path = self.path("entries", key);
        let Ok(text) = fs::read(&path) else { return Lookup::Missing };
        let Some(body) = entry_body(&text) else {
            self.throw_away(&path);
            return Lookup::Damaged;
        };
        if !self.read_only {
            touch(&path);
        }
        Lookup::Found(body.to_vec())
    }

    /// Keeps an entry. The blobs that it names are to be there already.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn put_entry(&self, key: Digest, body: &[u8]) -> io::Result<()> {
        self.seal(&self.path("entries", key), body)
    }

    /// Writes a file below the store's root, with a digest in front.
    pub(super) fn seal(&self, path: &Path, body: &[u8]) -> io::Result<()> {
        self.put(path, &[&sealed(body)])
    }

    /// Reads a file with a digest in front, if it is whole.
    #[cfg(feature = "bake")]
    pub(super) fn sealed(&self, path: &Path) -> Option<Vec<u8>> {
        unseal(fs::read(path).ok()?)
    }

    fn throw_away(&self, path: &Path) {
        if !self.read_only {
            let _ = fs::remove_file(path);
        }
    }

    /// Writes a file of the store: whole, or not at all.
    pub(super) fn put(&self, path: &Path, parts: &[&[u8]]) -> io::Result<()> {
        let folder = path.parent().unwrap_or(&self.root);
        fs::create_dir_all(folder)?;
        let mut builder = tempfile::Builder::new();
        crate::files::as_any_file(&mut builder);
        let mut file = builder.tempfile_in(self.root.join("tmp"))?;
        for part in parts {
            file.write_all(part)?;
        }
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    /// Waits for the right to make a key; `waiting` is told who has it. `None` where the file
    /// system knows no locks: two processes may then make the same thing, and both be right.
    pub fn lock(&self, key: Digest, waiting: &dyn Fn(&str)) -> Option<Lock> {
        lock_file(&self.root.join("locks").join(key.to_string()), waiting)
    }
}

/// A text with its digest in front.
pub(super) fn sealed(body: &[u8]) -> Vec<u8> {
    [format!("{}\n", Digest::of(body)).as_bytes(), body].concat()
}

/// What follows the digest of a file that has one in front, if it is whole.
pub(super) fn unseal(mut text: Vec<u8>) -> Option<Vec<u8>> {
    let len = entry_body(&text)?.len();
    Some(text.split_off(text.len() - len))
}

/// Where a file of the store lies.
pub(super) fn path_of(root: &Path, kind: &str, digest: Digest) -> PathBuf {
    let name = digest.to_string();
    root.join(kind).join(&name[..2]).join(name)
}

/// The body of the text of an entry, if it is whole.
pub(super) fn entry_body(text: &[u8]) -> Option<&[u8]> {
    let (head, body) = text.split_at_checked(65)?;
    let digest = std::str::from_utf8(&head[..64]).ok().and_then(|hex| hex.parse().ok());
    (head[64] == b'\n' && digest == Some(Digest::of(body))).then_some(body)
}

/// A lock held until dropped. The operating system lets go of it when the process ends, however.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "held, not read")] File);

/// Takes the lock of a file, waiting if needed; `waiting` is told who has it.
pub fn lock_file(path: &Path, waiting: &dyn Fn(&str)) -> Option<Lock> {
    let mut file = File::options().read(true).write(true).create(true).truncate(false).open(path).ok()?;
    let me = format!("process {}", std::process::id());
    match file.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => {
            let holder = holder(&mut file);
            // Threads of this process wait for each other in silence.
            if holder != me {
                waiting(&holder);
            }
            file.lock().ok()?;
        }
        Err(fs::TryLockError::Error(_)) => return None,
    }
    let named = file
        .seek(SeekFrom::Start(0))
        .and_then(|_| file.write_all(me.as_bytes()))
        .and_then(|()| file.set_len(me.len() as u64));
    // Only the message to those who wait suffers.
    let _ = named;
    Some(Lock(file))
}

/// Who has written its name into a lock file. Whoever has just taken a new one needs a moment.
fn holder(file: &mut File) -> String {
    let mut name = String::new();
    for _ in 0..3 {
        let read = file.seek(SeekFrom::Start(0)).and_then(|_| (&*file).take(200).read_to_string(&mut name));
        if read.is_err() || !name.is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    name.trim().to_owned()
}

/// Marks an entry as used, for the garbage collector.
fn touch(path: &Path) {
    let now = SystemTime::now();
    let old = fs::metadata(path)
        .and_then(|m| m.modified())
        .is_ok_and(|time| now.duration_since(time).is_ok_and(|age| age > TOUCH_AFTER));
    if old {
        let _ = File::options().append(true).open(path).and_then(|file| file.set_modified(now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        (folder, store)
    }

    #[test]
    fn what_is_put_is_found() {
        let (folder, store) = store();
        let blob = store.put_blob(b"texels").unwrap();
        let key = Digest::of(b"key");
        assert_eq!((store.blob(key), store.entry(key)), (Lookup::Missing, Lookup::Missing));
        store.put_entry(key, b"{}").unwrap();
        store.put_entry(Digest::of(b"empty"), b"").unwrap();
        let again = Store::open(folder.path()).unwrap();
        assert_eq!(again.blob(blob), Lookup::Found(b"texels".to_vec()));
        assert_eq!(again.entry(key), Lookup::Found(b"{}".to_vec()));
        assert_eq!(again.entry(Digest::of(b"empty")), Lookup::Found(Vec::new()));
        assert_eq!(fs::read_dir(store.root().join("tmp")).unwrap().count(), 0);
    }

    /// A store may be shared by users: its files are as any other.
    #[cfg(unix)]
    #[test]
    fn files_are_as_the_umask_says() {
        use std::os::unix::fs::PermissionsExt;
        let (folder, store) = store();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        fs::write(folder.path().join("any"), "file").unwrap();
        let blob = store.put_blob(b"texels").unwrap();
        store.put_entry(blob, b"{}").unwrap();
        for kind in ["blobs", "entries"] {
            assert_eq!(mode(&store.path(kind, blob)), mode(&folder.path().join("any")), "{kind}");
        }
    }

    /// Every byte and every length of the file: found damaged once, gone then.
    #[test]
    fn damage_of_any_kind_is_noticed() {
        let (_folder, store) = store();
        let key = Digest::of(b"key");
        let damaged = |path: &Path, put: &dyn Fn(), look: &dyn Fn() -> Lookup<Vec<u8>>| {
            put();
            let whole = fs::read(path).unwrap();
            let mut broken: Vec<Vec<u8>> = (0..whole.len()).map(|len| whole[..len].to_vec()).collect();
            broken.extend((0..whole.len()).map(|at| {
                let mut bytes = whole.clone();
                bytes[at] ^= 0x10;
                bytes
            }));
            broken.push([&whole[..], b"!"].concat());
            for bytes in broken {
                fs::write(path, &bytes).unwrap();
                assert_eq!((look(), look()), (Lookup::Damaged, Lookup::Missing), "{bytes:?}");
                put();
                assert!(matches!(look(), Lookup::Found(_)));
            }
        };
        let blob = store.put_blob(b"texels").unwrap();
        let (entries, blobs) = (store.path("entries", key), store.path("blobs", blob));
        damaged(&entries, &|| store.put_entry(key, b"{\"a\":1}").unwrap(), &|| store.entry(key));
        damaged(&blobs, &|| assert_eq!(store.put_blob(b"texels").unwrap(), blob), &|| store.blob(blob));
    }

    #[test]
    fn a_blob_of_another_length_is_written_anew() {
        let (_folder, store) = store();
        let blob = store.put_blob(b"texels").unwrap();
        fs::write(store.path("blobs", blob), b"tex").unwrap();
        store.put_blob(b"texels").unwrap();
        assert_eq!(store.blob(blob), Lookup::Found(b"texels".to_vec()));
    }

    #[test]
    fn foreign_files_and_folders_do_no_harm() {
        let (_folder, store) = store();
        let blob = Digest::of(b"texels");
        let path = store.path("blobs", blob);
        fs::create_dir_all(&path).unwrap();
        fs::write(path.parent().unwrap().join("notes"), "mine").unwrap();
        assert_eq!(store.blob(blob), Lookup::Missing);
        assert!(store.put_blob(b"texels").is_err(), "a folder in its place");
        fs::remove_dir(&path).unwrap();
        store.put_blob(b"texels").unwrap();
        assert_eq!(fs::read(path.parent().unwrap().join("notes")).unwrap(), b"mine");
    }

    #[test]
    fn many_put_and_read_the_same_at_once() {
        let (_folder, store) = store();
        let bytes = vec![7u8; 200_000];
        let blob = Digest::of(&bytes);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        store.put(&store.path("blobs", blob), &[&bytes]).unwrap();
                        assert_eq!(store.blob(blob), Lookup::Found(bytes.clone()));
                        store.put_entry(blob, &bytes[..99]).unwrap();
                        assert_eq!(store.entry(blob), Lookup::Found(bytes[..99].to_vec()));
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(store.root().join("tmp")).unwrap().count(), 0);
    }

    #[test]
    fn a_lock_is_held_by_one_and_names_its_holder() {
        let (_folder, store) = store();
        let key = Digest::of(b"key");
        let told = std::sync::Mutex::new(Vec::new());
        let counter = std::sync::atomic::AtomicU32::new(0);
        let first = store.lock(key, &|_| panic!("nobody has it")).unwrap();
        // As if another process had it: threads of one process wait for each other in silence.
        fs::write(store.root.join("locks").join(key.to_string()), "process 1").unwrap();
        std::thread::scope(|scope| {
            let told = &told;
            let counter = &counter;
            scope.spawn(move || {
                let _second = store.lock(key, &|holder| told.lock().unwrap().push(holder.to_owned()));
                assert_eq!(counter.load(std::sync::atomic::Ordering::SeqCst), 1);
            });
            while told.lock().unwrap().is_empty() {
                std::thread::yield_now();
            }
            counter.store(1, std::sync::atomic::Ordering::SeqCst);
            drop(first);
        });
        assert_eq!(*told.lock().unwrap(), ["process 1"]);
    }
}
