//! Writes outputs whole or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{has_bytes, parent_of};
use crate::problem::{Problem, Result};

/// How the names of files begin and end while they are written.
const TEMPORARY: (&str, &str) = (".vatpipe-", ".tmp");

/// Files are made as any new file is: with what the umask leaves, not private to the user as temporary files are.
pub fn as_any_file(builder: &mut tempfile::Builder) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = builder;
}

/// Waits until what a folder holds is on the disk, where a system can do that: a new name is not on the disk because its
/// file is.
///
/// # Errors
/// The folder is not there, or the disk fails.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    match std::fs::File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) if !matches!(error.kind(), InvalidInput | PermissionDenied | Unsupported) => Err(error),
        _ => Ok(()),
    }
}

/// Whether a file of this name was being written by [`write()`].
pub fn is_temporary(name: &std::ffi::OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with(TEMPORARY.0) && name.ends_with(TEMPORARY.1))
}

/// Writes a file whole or not at all, making its folder. A file that has these bytes already is
/// left as it is. Returns whether it was written.
///
/// # Errors
/// The folder cannot be made or written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<bool> {
    if has_bytes(path, &[bytes]) { Ok(false) } else { replace(path, &[bytes], true).map(|()| true) }
}

/// Writes a file whole or not at all, making its folder, for what can be thrown away: if the machine fails, not only the
/// process, it may be lost or damaged. Saves waiting for the disk.
///
/// # Errors
/// As [`write()`].
pub fn write_shortcut(path: &Path, bytes: &[u8]) -> Result<()> {
    replace(path, &[bytes], false)
}

/// Adds a line, or several, to a file that is there, unless that would make it longer than `room` bytes; returns whether it
/// did. If the process is killed meanwhile, a part of it may be there, and makes no line with others: lines may be empty.
/// For what can be thrown away.
pub fn append(path: &Path, line: &str, room: u64) -> bool {
    let text = format!("\n{line}");
    let fits = std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.len() + text.len() as u64 <= room);
    let add = || std::fs::File::options().append(true).open(path)?.write_all(text.as_bytes());
    fits && add().is_ok()
}

/// Writes a file of several parts whole or not at all, making its folder; with `sync` it is on the disk then.
///
/// # Errors
/// As [`write()`].
pub fn replace(path: &Path, parts: &[&[u8]], sync: bool) -> Result<()> {
    prepare(path, parts, sync)?.place()
}

/// A file that is being written, and lacks its name. Without [`Self::place`] it is gone again.
pub struct Prepared {
    path: PathBuf,
    file: tempfile::NamedTempFile,
}

/// The first half of [`replace`]: all but the name.
///
/// # Errors
/// As [`write()`].
pub fn prepare(path: &Path, parts: &[&[u8]], sync: bool) -> Result<Prepared> {
    let mut prepared = Prepared::begin(path)?;
    if !sync {
        prepared.reserve(parts.iter().map(|part| part.len() as u64).sum());
    }
    parts.iter().try_for_each(|part| prepared.add(part))?;
    if sync {
        prepared.file.as_file().sync_data().map_err(|error| unwritable(path, &error))?;
    }
    Ok(prepared)
}

impl Prepared {
    /// Begins a file, making its folder.
    ///
    /// # Errors
    /// As [`write()`].
    pub fn begin(path: &Path) -> Result<Self> {
        let folder = parent_of(path);
        let failed = |error: io::Error| unwritable(path, &error);
        if !folder.is_dir() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(TEMPORARY.0).suffix(TEMPORARY.1);
        as_any_file(&mut builder);
        Ok(Self { path: path.to_owned(), file: builder.tempfile_in(folder).map_err(failed)? })
    }

    /// Gives it room on the disk, where that can be done. Without it ext4 finds the room when the file takes the place of
    /// another one, and writes the whole file to the disk while we wait.
    pub fn reserve(&self, len: u64) {
        #[cfg(target_os = "linux")]
        if len > 1 << 16 {
            // Where there is none, writing fails, and says so.
            let _ = rustix::fs::fallocate(self.file.as_file(), rustix::fs::FallocateFlags::empty(), 0, len);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = (&self.file, len);
    }

    /// Adds bytes.
    ///
    /// # Errors
    /// As [`write()`].
    pub fn add(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|error| unwritable(&self.path, &error))
    }

    /// Gives it its name.
    ///
    /// # Errors
    /// As [`write()`].
    pub fn place(self) -> Result<()> {
        let Self { path, file } = self;
        file.persist(&path).map(drop).map_err(|error| unwritable(&path, &error.error))
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Problem {
    let help =
        "check that the folder may be written and that the disk is not full; the old file is untouched";
    Problem::error("files::unwritable", format!("this file cannot be written: {error}"))
        .in_file(path)
        .help(help)
}
