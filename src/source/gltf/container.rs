//! The outside of a file: binary glTF (chunks) or plain JSON.

use std::path::Path;

use crate::problem::{Problem, Result};

/// The two parts of a file.
#[derive(Clone, Copy, Debug)]
pub struct Container<'a> {
    /// The JSON text.
    pub json: &'a [u8],
    /// The binary chunk of a `.glb`.
    pub bin: Option<&'a [u8]>,
}

/// What a binary glTF file starts with.
pub const MAGIC: &[u8; 4] = b"glTF";
const HEADER: usize = 12;
const JSON: u32 = 0x4E4F_534A;
const BIN: u32 = 0x004E_4942;

/// Splits a file (glTF 2.0 specification, section 4). Nothing is copied.
pub fn split<'a>(bytes: &'a [u8], file: &Path) -> Result<Container<'a>> {
    if !bytes.starts_with(MAGIC) {
        return Ok(Container { json: bytes, bin: None });
    }
    let fail = |message: String| Problem::error("source::container", message).in_file(file);
    let (Some(version), Some(length)) = (word(bytes, 4), word(bytes, 8)) else {
        return Err(fail(format!("the file ends in its header: it has {} bytes", bytes.len())));
    };
    if version != 2 {
        return Err(fail(format!("the file is binary glTF version {version}, and version 2 is supported"))
            .help("convert it: `npx gltf-pipeline -i old.glb -o new.glb`"));
    }
    let length = length as usize;
    if length > bytes.len() {
        return Err(fail(format!("the file says it has {length} bytes, and has {}", bytes.len()))
            .help("it was cut short while it was written, copied or downloaded"));
    }
    if length < HEADER {
        return Err(fail(format!("the file says it has {length} bytes, less than its own header")));
    }
    let chunks = chunks(&bytes[HEADER..length]).map_err(fail)?;
    match chunks[..] {
        [(JSON, json), ..] => {
            let bin = chunks.get(1).filter(|(kind, _)| *kind == BIN).map(|(_, data)| *data);
            Ok(Container { json, bin })
        }
        _ => Err(fail("the first chunk of the file is not JSON".to_owned())),
    }
}

/// The first two chunks; later ones belong to extensions.
fn chunks(mut rest: &[u8]) -> Result<Vec<(u32, &[u8])>, String> {
    let mut chunks = Vec::new();
    while chunks.len() < 2 && !rest.is_empty() {
        let (Some(size), Some(kind)) = (word(rest, 0), word(rest, 4)) else {
            return Err("the file ends in the header of a chunk".to_owned());
        };
        let Some(data) = rest[8..].get(..size as usize) else {
            let have = rest.len() - 8;
            return Err(format!("a chunk says it has {size} bytes, and {have} are left in the file"));
        };
        chunks.push((kind, data));
        rest = &rest[8 + data.len()..];
    }
    Ok(chunks)
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + 4)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}
