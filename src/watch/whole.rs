//! Files that changed → whether they are written to their end.
//!
//! Exporters write under the final name: Blender a GLB in some eight pieces, the header with the length of the whole first;
//! `.bin` and `.gltf` one after the other, in any order. So what a file says of its own length is compared with what there
//! is. What can go wrong: a file is not whole and never will be (the caller runs out of patience).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::cache::memo::Stamp;
use crate::files;

/// What is known of models.
#[derive(Debug, Default)]
pub(super) struct Models(BTreeMap<PathBuf, (Stamp, Vec<Buffer>)>);

/// A file that a model refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Buffer {
    path: PathBuf,
    len: u64,
}

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    buffers: Vec<BufferEntry>,
}

#[derive(Deserialize)]
struct BufferEntry {
    #[serde(default)]
    uri: Option<String>,
    #[serde(rename = "byteLength")]
    len: u64,
}

/// Whether a file is a model by its name.
pub(super) fn is_model(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    ["glb", "gltf"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

impl Models {
    /// Looks at a model that changed.
    ///
    /// # Errors
    /// Why it is not whole.
    pub(super) fn look(&mut self, model: &Path) -> Result<(), String> {
        self.buffers(model)?.iter().try_for_each(|buffer| buffer.look(false))
    }

    /// Looks at the models that name a file, which changed while they did not; `None` if there is none.
    pub(super) fn look_at_users<'m>(
        &mut self,
        file: &Path,
        models: impl Iterator<Item = &'m PathBuf>,
    ) -> Option<Result<(), String>> {
        let mut found = None;
        for model in models {
            // One that cannot be read says why when it changes.
            let Ok(buffers) = self.buffers(model) else { continue };
            let mut named = buffers.iter().filter(|buffer| is_same(&buffer.path, file)).peekable();
            if named.peek().is_some() {
                found = Some(named.try_for_each(|buffer| buffer.look(true)));
            }
        }
        found
    }

    fn buffers(&mut self, model: &Path) -> Result<&[Buffer], String> {
        let stamp = Stamp::of(model).map_err(|_| "it is not there".to_owned())?;
        let known = self.0.get(model).is_some_and(|(known, _)| *known == stamp);
        if !known {
            let entry = (stamp, read(model)?);
            self.0.insert(model.to_owned(), entry);
        }
        Ok(self.0.get(model).map_or(&[], |(_, buffers)| buffers))
    }
}

fn is_same(a: &Path, b: &Path) -> bool {
    a == b || (a.file_name() == b.file_name() && files::normalized(a) == files::normalized(b))
}

impl Buffer {
    /// `exactly`: the buffer changed, and the model that names it did not. If it is longer than that says, the model comes next.
    fn look(&self, exactly: bool) -> Result<(), String> {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let (_, len) = files::head(&self.path, 0).map_err(|_| format!("{name} is not there"))?;
        // Exporters fill up to four bytes.
        if len < self.len || (exactly && len > self.len + 3) {
            return Err(format!("{name} has {len} of {} bytes", self.len));
        }
        Ok(())
    }
}

/// The files that a model names, if it is whole.
fn read(model: &Path) -> Result<Vec<Buffer>, String> {
    let is_binary = model.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("glb"));
    let json = if is_binary {
        json_of(model)?
    } else {
        files::read_output(model).map_err(|error| format!("it cannot be read: {error}"))?
    };
    let document: Document =
        serde_json::from_slice(&json).map_err(|error| format!("its JSON is not whole: {error}"))?;
    let outside = |entry: BufferEntry| {
        let uri = entry.uri.filter(|uri| !uri.starts_with("data:"))?;
        Some(Buffer { path: files::beside(model, &uri)?, len: entry.len })
    };
    Ok(document.buffers.into_iter().filter_map(outside).collect())
}

/// The JSON of a GLB that is as long as it says (glTF 2.0, 4.4: magic, version, length; then the length and type of the first
/// chunk).
fn json_of(model: &Path) -> Result<Vec<u8>, String> {
    const HEADER: usize = 20;
    let failed = |error: std::io::Error| format!("it cannot be read: {error}");
    let (header, len) = files::head(model, HEADER as u64).map_err(failed)?;
    if header.len() < HEADER {
        return Err(if len == 0 {
            "it is empty".to_owned()
        } else {
            format!("it has {len} bytes, which is no header")
        });
    }
    let word = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    if &header[..4] != b"glTF" || &header[16..] != b"JSON" {
        return Err("its header is that of no GLB".to_owned());
    }
    let (said, json) = (u64::from(word(8)), u64::from(word(12)));
    if len < said || json > said.saturating_sub(HEADER as u64) {
        return Err(format!("it has {len} of {said} bytes"));
    }
    let (bytes, _) = files::head(model, HEADER as u64 + json).map_err(failed)?;
    Ok(bytes.get(HEADER..).unwrap_or_default().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glb(json: &str, bin: usize) -> Vec<u8> {
        let mut bytes = b"glTF".to_vec();
        let words = [2, (20 + json.len() + bin) as u32, json.len() as u32];
        words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        bytes.extend(b"JSON");
        bytes.extend(json.as_bytes());
        bytes.extend(vec![0; bin]);
        bytes
    }

    #[test]
    fn a_glb_is_whole_when_it_is_as_long_as_it_says() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.GLB");
        let whole = glb("{\"buffers\":[{\"byteLength\":40}]}  ", 40);
        let mut models = Models::default();
        for len in 0..=whole.len() {
            std::fs::write(&path, &whole[..len]).unwrap();
            assert_eq!(models.look(&path).is_ok(), len == whole.len(), "{len} bytes");
        }
        // A file that was given its length before its bytes.
        let mut holes = whole.clone();
        holes[30..].fill(0);
        std::fs::write(&path, &holes).unwrap();
        assert!(models.look(&path).unwrap_err().contains("JSON"));
        // A length that is shorter than the header.
        let mut lies = whole;
        lies[8..12].fill(0);
        std::fs::write(&path, &lies).unwrap();
        assert!(models.look(&path).is_err());
        std::fs::remove_file(&path).unwrap();
        assert!(models.look(&path).is_err());
    }

    #[test]
    fn buffers_and_documents_come_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let (model, bin) = (folder.path().join("a.gltf"), folder.path().join("a b.bin"));
        let write = |len: usize| {
            let text = format!(
                "{{\"buffers\":[{{\"uri\":\"a%20b.bin\",\"byteLength\":{len}}},{{\"uri\":\"data:,\",\"byteLength\":9}}]}}"
            );
            std::fs::write(&model, text).unwrap();
        };
        let mut models = Models::default();
        write(240);
        assert!(models.look(&model).unwrap_err().contains("is not there"));
        std::fs::write(&bin, [0; 120]).unwrap();
        assert!(models.look(&model).unwrap_err().contains("120 of 240"));
        std::fs::write(&bin, [0; 240]).unwrap();
        assert_eq!(models.look(&model), Ok(()));
        // The buffer first, longer than the document that is still there says.
        std::fs::write(&bin, [0; 300]).unwrap();
        let all = [model.clone()];
        assert!(models.look_at_users(&bin, all.iter()).unwrap().is_err());
        write(300);
        assert_eq!(models.look_at_users(&bin, all.iter()), Some(Ok(())));
        assert_eq!(models.look_at_users(&folder.path().join("b.bin"), all.iter()), None);
        std::fs::write(&model, "{\"buffers\":[").unwrap();
        assert!(models.look(&model).is_err());
    }
}
