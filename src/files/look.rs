//! Looks at files past the record of inputs: outputs, and what a watcher asks for.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::MAX_INPUT;
use crate::problem::{Problem, Result};

/// The bytes of an output, read past the record of inputs.
///
/// # Errors
/// It is not there, is no regular file (a pipe would never end) or cannot be read.
pub fn read_output(path: &Path) -> io::Result<Vec<u8>> {
    let (mut file, len) = open_output(path)?;
    let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens an output to be read, past the record of inputs; also says how long it is, bytes.
///
/// # Errors
/// It is not there, is no regular file (a pipe would never open) or cannot be read.
pub fn open_output(path: &Path) -> io::Result<(File, u64)> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    Ok((File::open(path)?, metadata.len()))
}

/// The text of a file at a glance, read past the record of inputs; `None` where that says nothing, and the usual way has
/// to say why.
pub fn glance(path: &Path) -> Option<String> {
    let small = std::fs::metadata(path).is_ok_and(|metadata| metadata.len() <= MAX_INPUT);
    small.then(|| read_output(path).ok()).flatten().and_then(|bytes| String::from_utf8(bytes).ok())
}

/// The size of an output, bytes.
///
/// # Errors
/// It is not there.
pub fn output_size(path: &Path) -> Result<u64> {
    let size = std::fs::metadata(path).map(|metadata| metadata.len());
    size.map_err(|error| {
        let message = format!("this file cannot be looked at: {error}");
        Problem::error("files::unreadable", message).in_file(path)
    })
}

/// Whether a file holds the bytes of these parts.
pub fn has_bytes(path: &Path, parts: &[&[u8]]) -> bool {
    let len: usize = parts.iter().map(|part| part.len()).sum();
    let same_size = std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.len() == len as u64);
    let same = |old: Vec<u8>| {
        let mut rest = old.as_slice();
        let mut takes = |part: &&[u8]| rest.strip_prefix(*part).map(|left| rest = left).is_some();
        parts.iter().all(&mut takes) && rest.is_empty()
    };
    same_size && std::fs::read(path).is_ok_and(same)
}

/// The first bytes of a file and its length; fewer bytes where it is shorter.
///
/// # Errors
/// It is not there, is no regular file (a pipe would never end) or cannot be read.
pub fn head(path: &Path, bytes: u64) -> io::Result<(Vec<u8>, u64)> {
    let (file, len) = open_output(path)?;
    let mut head = Vec::new();
    file.take(bytes).read_to_end(&mut head)?;
    Ok((head, len))
}

/// What is in a folder; nothing if it is not there.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

/// The numbers of a folder's device and inode, which another folder of the same name does not have; `None` if it is not
/// there. Where a system has no such numbers they are all the same.
pub fn folder_identity(folder: &Path) -> Option<(u64, u64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        std::fs::metadata(folder).ok().map(|metadata| (metadata.dev(), metadata.ino()))
    }
    #[cfg(not(unix))]
    folder.is_dir().then_some((0, 0))
}

/// Removes an output that is not wanted any more, and its folder if that is empty then. What stays is in nobody's way.
pub fn remove_output(path: &Path) {
    let _ = std::fs::remove_file(path);
    let _ = path.parent().map(std::fs::remove_dir);
}
