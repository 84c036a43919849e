//! Outputs, switched from old to new in one step.
//!
//! ```text
//! <out>/.vatpipe/lock                       held while an output folder is written
//! <out>/.vatpipe/stage/<character>/<name>   new files, whole, not yet in place
//! <out>/.vatpipe/commit/<character>.json    what to move and what to remove: from here on it counts
//! ```
//!
//! The one atomic step is that the commit record appears. Before it, nothing has happened: what is
//! staged is thrown away. After it, all that it says is done, by this process or, if it was killed,
//! by the next: every step may be repeated. Files that the record does not name are not touched.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::commit::Commit;
pub use super::commit::{is_inside, is_plain};
use super::digest::Digest;
use super::memo::{Memo, Seen, Stamp};
use super::store::{Lock, lock_file};
use crate::files;
use crate::problem::{Problem, Result};

/// The folder of the tool's own files in an output folder.
pub const OWN_FOLDER: &str = ".vatpipe";

/// Whether a build that was killed, or one that goes on in another process, has left something to
/// end or to throw away.
pub fn is_unfinished(out: &Path) -> bool {
    let holds_something = |folder: &str| {
        fs::read_dir(out.join(OWN_FOLDER).join(folder)).is_ok_and(|mut all| all.next().is_some())
    };
    holds_something("commit") || holds_something("stage")
}

/// Removes what killed processes were writing right in the tool's own folder. A process that still
/// writes there has the memo to lose, and does not mind.
pub fn sweep(own: &Path) {
    for entry in read_dir(own).unwrap_or_default().into_iter().flatten() {
        if files::is_temporary(&entry.file_name()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The name of what is published together, as a file name: a character, or the constants.
fn unit(name: &str) -> String {
    if name.is_empty() { "constants".to_owned() } else { format!("c-{name}") }
}

/// The name of a file, and its bytes in parts.
pub type New<'a> = (&'a str, Vec<&'a [u8]>);

/// Whether files are on the disk before they count: after a failure of the machine, not only of the process, the others may
/// be lost or damaged.
#[derive(Clone, Copy, Debug)]
enum Disk {
    Waits,
    Later,
}

/// An output folder that this process alone may write.
#[derive(Debug)]
pub struct Output {
    out: PathBuf,
    _lock: Option<Lock>,
}

/// Keeps our own folder out of version control: its content is of use to this machine alone.
pub fn hide(own: &Path) {
    // Another process may sweep the folder at this moment; where nothing can be written at all, that is said elsewhere.
    let _ = files::write(&own.join(".gitignore"), b"*\n");
}

impl Output {
    /// Takes an output folder, waiting for another process if needed, and ends what a killed one
    /// had begun.
    ///
    /// # Errors
    /// It cannot be made or written.
    pub fn take(out: &Path, waiting: &dyn Fn(&str)) -> Result<Self> {
        let own = out.join(OWN_FOLDER);
        let failed = |error: io::Error| unwritable(out, &error);
        fs::create_dir_all(&own).map_err(failed)?;
        hide(&own);
        let output = Self { out: out.to_owned(), _lock: lock_file(&own.join("lock"), waiting) };
        output.recover().map_err(failed)?;
        Ok(output)
    }

    /// Puts the files of one folder in place: `name` is that of the character, or empty for the
    /// output folder itself. `removes` are files of ours that are not wanted any more.
    ///
    /// # Errors
    /// Something cannot be written. The old files are then all in place.
    pub fn publish(
        &self,
        name: &str,
        new: &[(String, Vec<u8>)],
        removes: BTreeMap<String, Digest>,
        memo: &Memo,
    ) -> Result<BTreeMap<String, Digest>> {
        let folder = self.out.join(name);
        let digests: BTreeMap<String, Digest> =
            new.iter().map(|(file, bytes)| (file.clone(), Digest::of(bytes))).collect();
        let changed = |(file, _): &&(String, Vec<u8>)| {
            memo.digest(&folder.join(file)).ok() != digests.get(file.as_str()).copied()
        };
        let changed = new.iter().filter(changed).map(|(file, bytes)| (file.as_str(), vec![bytes.as_slice()]));
        self.switch(name, &changed.collect::<Vec<New>>(), Vec::new(), removes, Disk::Waits)?;
        for (file, digest) in &digests {
            let path = folder.join(file);
            let seen = Stamp::of(&path).ok().and_then(|stamp| Seen::now(&path, stamp, *digest));
            seen.into_iter().for_each(|seen| memo.note(&path, seen));
        }
        Ok(digests)
    }

    /// Writes a new file of the output folder itself aside, for [`Self::publish_top`].
    ///
    /// # Errors
    /// It cannot be written.
    #[cfg(feature = "bake")]
    pub fn stage_top(&self, name: &str, parts: &[&[u8]]) -> Result<()> {
        files::replace(&self.stage_folder("").join(name), parts, false)
    }

    /// As [`Self::stage_top`], to be added to and placed.
    ///
    /// # Errors
    /// It cannot be written.
    #[cfg(feature = "bake")]
    pub fn begin_top(&self, name: &str) -> Result<files::Prepared> {
        files::Prepared::begin(&self.stage_folder("").join(name))
    }

    /// Throws away what was written aside and not published.
    pub fn discard_top(&self) {
        // What stays is thrown away by the next build.
        let _ = fs::remove_dir_all(self.stage_folder(""));
    }

    /// As [`Self::publish`], for the output folder itself: files that changed, and those that are staged. What lies there
    /// has a digest in the record, the record one of its own, and all of it can be made again: so nobody waits for the disk,
    /// and [`Memo::digest_on_disk`] has to be asked for the digests.
    ///
    /// # Errors
    /// As [`Self::publish`].
    pub fn publish_top(
        &self,
        changed: &[New],
        staged: Vec<String>,
        removes: BTreeMap<String, Digest>,
    ) -> Result<()> {
        self.switch("", changed, staged, removes, Disk::Later)
    }

    fn switch(
        &self,
        name: &str,
        changed: &[New],
        staged: Vec<String>,
        removes: BTreeMap<String, Digest>,
        disk: Disk,
    ) -> Result<()> {
        let mut moves = staged;
        moves.extend(changed.iter().map(|(file, _)| (*file).to_owned()));
        if moves.is_empty() && removes.is_empty() {
            return Ok(());
        }
        let folder = self.out.join(name);
        // Known before anything is moved, so that all old files stay.
        if let Some(blocked) = moves.iter().map(|file| folder.join(file)).find(|path| path.is_dir()) {
            return Err(unwritable(&blocked, &io::Error::other("a folder has its name")));
        }
        let commit = Commit { folder: name.to_owned(), moves, removes };
        self.stage(name, changed, &commit, disk)?;
        if let Err((path, error)) = self.apply(&commit, disk) {
            if commit.moves.iter().all(|file| self.stage_folder(name).join(file).is_file()) {
                // Nothing was moved: as if nothing had been begun.
                let _ = fs::remove_file(self.commit_path(name));
                let _ = fs::remove_dir_all(self.stage_folder(name));
            }
            return Err(unwritable(&path, &error));
        }
        self.forget(name);
        Ok(())
    }

    fn stage_folder(&self, name: &str) -> PathBuf {
        self.out.join(OWN_FOLDER).join("stage").join(unit(name))
    }

    fn commit_path(&self, name: &str) -> PathBuf {
        self.out.join(OWN_FOLDER).join("commit").join(format!("{}.json", unit(name)))
    }

    /// Writes new files aside, and the record, which counts once it has its name.
    fn stage(&self, name: &str, changed: &[New], commit: &Commit, disk: Disk) -> Result<()> {
        let (stage, path) = (self.stage_folder(name), self.commit_path(name));
        let sync = |folder: &Path| match disk {
            Disk::Waits => files::sync_folder(folder).map_err(|error| unwritable(folder, &error)),
            Disk::Later => Ok(()),
        };
        let text = serde_json::to_vec(commit).unwrap_or_default();
        let record = || files::prepare(&path, &[&text], matches!(disk, Disk::Waits));
        // Whoever waits for the disk can wait for all at once.
        let (staged, record) = match disk {
            Disk::Waits => std::thread::scope(|scope| {
                let record = scope.spawn(record);
                let staged = self.write_aside(name, changed, disk);
                (staged, record.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            }),
            Disk::Later => (self.write_aside(name, changed, disk), record()),
        };
        staged?;
        // On the disk before the record says so; and the record, before anything is done.
        if !commit.moves.is_empty() {
            sync(&stage)?;
        }
        record?.place()?;
        sync(path.parent().unwrap_or(&self.out))
    }

    /// Writes files aside, all at once.
    fn write_aside(&self, name: &str, changed: &[New], disk: Disk) -> Result<()> {
        let stage = self.stage_folder(name);
        let write = |path: &Path, parts: &[&[u8]]| files::replace(path, parts, matches!(disk, Disk::Waits));
        // Threads of no pool: they wait for the disk, and must not bake another character meanwhile.
        std::thread::scope(|scope| {
            let Some((first, others)) = changed.split_first() else { return Ok(()) };
            let start = others.iter().map(|(file, parts)| {
                let path = stage.join(file);
                scope.spawn(move || write(&path, parts))
            });
            let others: Vec<_> = start.collect();
            let first = write(&stage.join(first.0), &first.1);
            let joined = |thread: std::thread::ScopedJoinHandle<'_, Result<()>>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            others.into_iter().map(joined).fold(first, Result::and)
        })
    }

    /// Does what a commit says; what is done already is passed over. The path is that of what cannot be done.
    fn apply(&self, commit: &Commit, disk: Disk) -> std::result::Result<(), (PathBuf, io::Error)> {
        let (stage, folder) = (self.stage_folder(&commit.folder), self.out.join(&commit.folder));
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error| (path, error)
        };
        fs::create_dir_all(&folder).map_err(failed(&folder))?;
        // The metadata comes last: whoever sees a new one finds what it names.
        let (last, first): (Vec<_>, Vec<_>) = commit.moves.iter().partition(|file| file.ends_with(".json"));
        for file in first.into_iter().chain(last) {
            let path = folder.join(file);
            if file.contains('/') && stage.join(file).exists() {
                let parent = path.parent().unwrap_or(&folder);
                fs::create_dir_all(parent).map_err(failed(parent))?;
            }
            match fs::rename(stage.join(file), &path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                done => done.map_err(failed(&path))?,
            }
        }
        for (file, digest) in &commit.removes {
            let path = folder.join(file);
            let ours = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file())
                && fs::read(&path).is_ok_and(|bytes| Digest::of(&bytes) == *digest);
            if ours {
                fs::remove_file(&path).map_err(failed(&path))?;
                // The last file of a folder within takes that with it, unless something else lies there.
                let within = path.ancestors().skip(1).take_while(|parent| *parent != folder);
                let _ = within.take(file.matches('/').count()).try_for_each(fs::remove_dir);
            }
        }
        if matches!(disk, Disk::Waits) {
            // Before the record goes, which would do it again.
            files::sync_folder(&folder).map_err(failed(&folder))?;
        }
        if commit.moves.is_empty() && !commit.folder.is_empty() {
            // The last of a character: its folder goes too, unless something else lies in it.
            let _ = fs::remove_dir(&folder);
        }
        Ok(())
    }

    fn forget(&self, name: &str) {
        // What stays is done again, with the same result, and thrown away by the next build.
        let _ = fs::remove_file(self.commit_path(name));
        // What was in it has been moved: folders at most.
        let _ = fs::remove_dir_all(self.stage_folder(name));
    }

    fn recover(&self) -> io::Result<()> {
        let own = self.out.join(OWN_FOLDER);
        for entry in read_dir(&own.join("commit"))? {
            let path = entry?.path();
            // A record under another name was being written: it does not count yet.
            let whole = path.extension().is_some_and(|extension| extension == "json");
            let bytes = whole.then(|| fs::read(&path).ok()).flatten();
            let commit = bytes.and_then(|b| serde_json::from_slice::<Commit>(&b).ok());
            // The folder may come from a stranger's checkout: names lead nowhere else.
            if let Some(commit) = commit.filter(|c| c.is_sound() && !c.follows_links(&self.out)) {
                self.apply(&commit, Disk::Waits).map_err(|(_, error)| error)?;
            }
            fs::remove_file(&path)?;
        }
        sweep(&own);
        match fs::remove_dir_all(own.join("stage")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

fn read_dir(folder: &Path) -> io::Result<Vec<io::Result<fs::DirEntry>>> {
    match fs::read_dir(folder) {
        Ok(entries) => Ok(entries.collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Problem {
    let help = "check that the folder may be written and that the disk is not full; the last good outputs are as they were";
    Problem::error("files::unwritable", format!("the outputs cannot be written: {error}"))
        .in_file(path)
        .help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Files = BTreeMap<String, Vec<u8>>;

    fn out() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let files = [("a.ktx2", "old a"), ("b.glb", "old b"), ("gone.ktx2", "gone"), ("mine.txt", "mine")];
        fs::create_dir(folder.path().join("crab")).unwrap();
        for (name, text) in files {
            fs::write(folder.path().join("crab").join(name), text).unwrap();
        }
        folder
    }

    fn files(out: &Path) -> Files {
        let entries = read_dir(&out.join("crab")).unwrap().into_iter().map(|entry| entry.unwrap().path());
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        entries.map(|path| (name(&path), fs::read(&path).unwrap())).collect()
    }

    fn new() -> Vec<(String, Vec<u8>)> {
        let files = [("a.ktx2", "new a"), ("b.glb", "old b"), ("c.ktx2", "new c"), ("crab.vat.json", "new")];
        files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec())).to_vec()
    }

    fn removes() -> BTreeMap<String, Digest> {
        let digest = Digest::of(b"gone");
        BTreeMap::from([("gone.ktx2".to_owned(), digest), ("never.ktx2".to_owned(), digest)])
    }

    fn take(out: &Path) -> Output {
        Output::take(out, &|_| panic!("nobody has it")).unwrap()
    }

    fn wanted() -> Files {
        new().into_iter().chain([("mine.txt".to_owned(), b"mine".to_vec())]).collect()
    }

    fn nothing_is_left(out: &Path) {
        let own = out.join(OWN_FOLDER);
        assert!(read_dir(&own.join("commit")).unwrap().is_empty());
        assert!(read_dir(&own.join("stage")).unwrap().is_empty());
    }

    #[test]
    fn files_are_switched_and_equal_ones_left_alone() {
        let out = out();
        let before = Stamp::of(&out.path().join("crab/b.glb")).unwrap();
        let digests = take(out.path()).publish("crab", &new(), removes(), &Memo::default()).unwrap();
        assert_eq!(digests["a.ktx2"], Digest::of(b"new a"));
        assert_eq!(files(out.path()), wanted());
        assert_eq!(Stamp::of(&out.path().join("crab/b.glb")).unwrap(), before);
        nothing_is_left(out.path());
    }

    /// Killed after each step: what the next one finds is all old before the commit record, and all
    /// new after it.
    #[test]
    fn a_kill_at_any_step_is_mended() {
        for step in 0..8 {
            let out = out();
            let old = files(out.path());
            let all = new();
            let changed = all.iter().filter(|(name, _)| name != "b.glb");
            let changed: Vec<New> =
                changed.map(|(name, bytes)| (name.as_str(), vec![bytes.as_slice()])).collect();
            let moves: Vec<String> = changed.iter().map(|(name, _)| (*name).to_owned()).collect();
            let commit = Commit { folder: "crab".to_owned(), moves: moves.clone(), removes: removes() };
            let output = take(out.path());
            let stage = output.stage_folder("crab");
            match step {
                0 => drop(files::write(&stage.join(changed[0].0), changed[0].1[0]).unwrap()),
                1 => {
                    output.stage("crab", &changed, &commit, Disk::Waits).unwrap();
                    fs::remove_file(output.commit_path("crab")).unwrap();
                }
                // The last step has the files gone as well.
                _ => {
                    output.stage("crab", &changed, &commit, Disk::Waits).unwrap();
                    for name in moves.iter().take(step - 2) {
                        fs::rename(stage.join(name), out.path().join("crab").join(name)).unwrap();
                    }
                    if step >= 6 {
                        fs::remove_file(out.path().join("crab/gone.ktx2")).unwrap();
                    }
                    if step == 7 {
                        fs::remove_file(output.commit_path("crab")).unwrap();
                    }
                }
            }
            drop(output);
            take(out.path());
            assert_eq!(files(out.path()), if step < 2 { old } else { wanted() }, "step {step}");
            nothing_is_left(out.path());
            take(out.path()).publish("crab", &new(), removes(), &Memo::default()).unwrap();
            assert_eq!(files(out.path()), wanted(), "step {step}");
        }
    }

    #[test]
    fn orphans_are_removed_while_they_are_ours() {
        let out = out();
        fs::write(out.path().join("crab/gone.ktx2"), "changed").unwrap();
        take(out.path()).publish("crab", &new(), removes(), &Memo::default()).unwrap();
        assert_eq!(files(out.path())["gone.ktx2"], b"changed");
    }

    #[test]
    fn the_folder_of_a_removed_character_goes_unless_something_lies_in_it() {
        let out = out();
        let ours = |names: &[&str]| -> BTreeMap<String, Digest> {
            let digest = |name: &&str| Digest::of(&fs::read(out.path().join("crab").join(name)).unwrap());
            names.iter().map(|name| ((*name).to_owned(), digest(name))).collect()
        };
        let output = take(out.path());
        output.publish("crab", &[], ours(&["a.ktx2", "b.glb", "gone.ktx2"]), &Memo::default()).unwrap();
        assert_eq!(files(out.path()).into_keys().collect::<Vec<_>>(), ["mine.txt"]);
        output.publish("crab", &[], ours(&["mine.txt"]), &Memo::default()).unwrap();
        assert!(!out.path().join("crab").exists());
    }

    /// Files in folders within the output folder, as some targets have them.
    #[test]
    fn folders_within_come_and_go_with_their_files() {
        let out = tempfile::tempdir().unwrap();
        let path = |name: &str| out.path().join(name);
        let output = take(out.path());
        let new: [New; 2] = [("unity/Vat.hlsl", vec![b"h"]), ("unity/Editor/Vat.cs", vec![b"c"])];
        output.publish_top(&new, Vec::new(), BTreeMap::new()).unwrap();
        assert_eq!(fs::read(path("unity/Editor/Vat.cs")).unwrap(), b"c");
        nothing_is_left(out.path());
        let removes = |name: &str, text: &[u8]| BTreeMap::from([(name.to_owned(), Digest::of(text))]);
        output.publish_top(&[], Vec::new(), removes("unity/Editor/Vat.cs", b"c")).unwrap();
        assert!(!path("unity/Editor").exists() && path("unity/Vat.hlsl").exists());
        fs::write(path("unity/mine.txt"), "mine").unwrap();
        output.publish_top(&[], Vec::new(), removes("unity/Vat.hlsl", b"h")).unwrap();
        assert!(path("unity/mine.txt").exists() && !path("unity/Vat.hlsl").exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_within_that_is_a_link_is_not_followed_after_a_kill() {
        let (out, elsewhere) = (out(), tempfile::tempdir().unwrap());
        fs::write(elsewhere.path().join("gone.ktx2"), "gone").unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), out.path().join("link")).unwrap();
        let removes = BTreeMap::from([("link/gone.ktx2".to_owned(), Digest::of(b"gone"))]);
        let commit = Commit { folder: String::new(), moves: Vec::new(), removes };
        take(out.path()).stage("", &[], &commit, Disk::Waits).unwrap();
        take(out.path());
        assert!(elsewhere.path().join("gone.ktx2").exists());
        nothing_is_left(out.path());
    }

    #[test]
    fn a_folder_that_is_a_link_is_not_followed_after_a_kill() {
        #[cfg(unix)]
        {
            let (out, elsewhere) = (out(), tempfile::tempdir().unwrap());
            fs::write(elsewhere.path().join("gone.ktx2"), "gone").unwrap();
            std::os::unix::fs::symlink(elsewhere.path(), out.path().join("link")).unwrap();
            let commit = Commit { folder: "link".to_owned(), moves: Vec::new(), removes: removes() };
            take(out.path()).stage("link", &[], &commit, Disk::Waits).unwrap();
            take(out.path());
            assert!(elsewhere.path().join("gone.ktx2").exists());
            nothing_is_left(out.path());
        }
    }
}
