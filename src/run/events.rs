//! What a build says while it goes on, and what came of it.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::bake::ClipNews;
use crate::cache::reason::Reason;
use crate::metadata;
use crate::problem::{Problem, Problems};

/// What happened. Clips and characters are done in any order.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// The build has begun.
    Started {
        /// Characters to build.
        characters: usize,
    },
    /// A clip was baked; nothing of it is written yet.
    ClipBaked {
        /// The character's name.
        character: &'a str,
        /// All that is known of it.
        clip: &'a ClipNews<'a>,
        /// Seconds that it took.
        seconds: f64,
        /// Why.
        reasons: &'a [Reason],
    },
    /// A clip could not be baked. Its character fails, once its other clips are made.
    ClipFailed {
        /// The character's name.
        character: &'a str,
        /// The clip's name.
        clip: &'a str,
        /// What is wrong.
        problem: &'a Problem,
    },
    /// A clip is as it was published, or as the cache has it.
    ClipFresh {
        /// The character's name.
        character: &'a str,
        /// The clip's name.
        clip: &'a str,
    },
    /// Nothing of a character changed since it was published.
    CharacterFresh {
        /// The character's name.
        name: &'a str,
        /// Its clips.
        clips: usize,
    },
    /// All files of a character are in place.
    CharacterPublished {
        /// All that is known of it.
        character: &'a metadata::Character,
        /// Its files and their sizes in bytes.
        files: &'a [(PathBuf, u64)],
        /// Seconds from its first to its last byte.
        seconds: f64,
    },
    /// A character could not be baked or written. Its last outputs are as they were.
    CharacterFailed {
        /// The character's name.
        name: &'a str,
        /// Everything that is wrong.
        problems: &'a Problems,
    },
    /// A file that a character is made of changed while it was baked ([`Cancel`](super::Cancel)). Its last outputs are as they were.
    CharacterAbandoned {
        /// The character's name.
        name: &'a str,
    },
    /// A warning or note, or an error that concerns no single character.
    Problem(&'a Problem),
    /// A file of constants is in place.
    Constants {
        /// The file.
        path: &'a Path,
        /// Its size.
        bytes: u64,
    },
    /// Another process has what this one needs.
    Waiting {
        /// Who, as far as it is known.
        holder: &'a str,
    },
    /// The build is over.
    Finished(&'a Outcome),
}

/// What came of a build.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Characters that are as they should be.
    pub characters: usize,
    /// Clips baked.
    pub baked: usize,
    /// Clips that did not have to be baked.
    pub fresh: usize,
    /// What failed: characters, and one more if the constants did.
    pub failed: usize,
    /// Characters that were abandoned, as what they are made of changed.
    pub abandoned: usize,
    /// Whether the constants, or the record of what was published, could not be made or written.
    pub constants_failed: bool,
    /// Bytes of the files published.
    pub bytes: u64,
    /// Seconds.
    pub seconds: f64,
    /// The files that were read or known, sorted by the bytes of their paths.
    pub inputs: Vec<PathBuf>,
    /// The files that are in place of the characters that were asked for, and the constants, sorted alike.
    pub outputs: Vec<PathBuf>,
}

/// Serialises events for sinks that are not `Sync`, such as a vector in a test.
pub fn serialised<'a>(sink: impl FnMut(Event) + Send + 'a) -> impl Fn(Event) + Sync + 'a {
    let sink = Mutex::new(sink);
    move |event| {
        let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
        sink(event);
    }
}
