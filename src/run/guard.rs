//! No output may take the place of an input: an artist's file that is lost to its own bake is lost for good.

use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use super::Build;
use crate::problem::{Problem, Result};

impl Build<'_> {
    /// Refuses to write files of a folder of outputs over files that anything is made of: the sources of all
    /// characters, what they refer to as far as it was read, templates, the manifest.
    pub(super) fn guard<'n>(&self, folder: &str, names: impl Iterator<Item = &'n str>) -> Result<()> {
        let read = self.inputs.lock().unwrap_or_else(PoisonError::into_inner);
        let recipes = self.manifest.recipes.iter();
        let sources = recipes
            .flat_map(|recipe| recipe.clips.iter().filter_map(|c| c.source.as_ref()).chain([&recipe.source]));
        let inputs: Vec<&PathBuf> =
            read.iter().chain(self.known.inputs()).chain(sources).chain([&self.manifest.file]).collect();
        for name in names {
            let output = self.out().join(folder).join(name);
            if inputs.iter().any(|input| is_same_file(input, &output)) {
                let message = "this output would replace a file that it is made of";
                let help = "choose another `dir` in [output] than the folder of the sources or templates, or rename the character; nothing was written";
                return Err(Problem::error("files::overwrites-input", message).in_file(&output).help(help));
            }
        }
        Ok(())
    }
}

/// Whether two paths lead to one file, links followed. The file system is asked only where the names could be those
/// of one file; some systems do not tell upper from lower case.
fn is_same_file(a: &Path, b: &Path) -> bool {
    // Of many paths most end in another byte, which is much faster to see than where their last parts begin.
    let last = |path: &Path| path.as_os_str().as_encoded_bytes().last().map(u8::to_ascii_lowercase);
    match (last(a), last(b)) {
        (Some(a), Some(b)) if a != b && a.is_ascii() && b.is_ascii() => return false,
        _ => {}
    }
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().to_lowercase());
    name(a) == name(b) && matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
