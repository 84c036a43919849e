//! Characters from the folder of a build's outputs: the runtime's only door to the file system. Needs the standard library.

use std::fs;
use std::io;
use std::path::Path;
use std::time::SystemTime;

use super::{Character, Error, Result};

impl Character {
    /// Loads a character from the folder of outputs (`[output] dir` of `vat.toml`): the files in `<folder>/<name>/`.
    ///
    /// # Errors
    /// `runtime::file` for a file that cannot be read; and those of [`Character::load`].
    pub fn open(folder: &Path, name: &str) -> Result<Self> {
        let folder = folder.join(name);
        let file = format!("{name}.vat.json");
        let json = read(&folder, &file)?;
        Self::load(&json, &mut |file| read(&folder, file)).map_err(|e| e.in_file(&file))
    }
}

/// The bytes of a file in a folder.
pub fn read(folder: &Path, file: &str) -> Result<Vec<u8>> {
    let path = folder.join(file);
    let help = |e: &io::Error| match e.kind() {
        io::ErrorKind::NotFound => "run `vatpipe build` first",
        _ => "",
    };
    fs::read(&path).map_err(|e| {
        Error::new("runtime::file", format!("it cannot be read: {e}"))
            .help(help(&e))
            .in_file(&path.to_string_lossy())
    })
}

/// What tells that a file was replaced, without reading it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
    /// Where a system has such numbers.
    file: u64,
}

impl Stamp {
    /// That of a file; `None` if it is not there.
    pub fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        #[cfg(unix)]
        let file = std::os::unix::fs::MetadataExt::ino(&metadata);
        #[cfg(not(unix))]
        let file = 0;
        Some(Self { length: metadata.len(), modified: metadata.modified().ok(), file })
    }
}
