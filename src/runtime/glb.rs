//! A GLB file → its JSON and accessors, as far as the meshes of `vatpipe` need it (glTF 2.0 specification, sections
//! 3.6 and 4.4).

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;

use serde::Deserialize;

use super::{Error, Result};

const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;
const FLOAT: u32 = 5126;

/// The JSON of the file, in part.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    #[serde(default)]
    pub nodes: Vec<Node>,
    #[serde(default)]
    pub meshes: Vec<Mesh>,
    #[serde(default)]
    pub materials: Vec<Material>,
    #[serde(default)]
    accessors: Vec<Accessor>,
    #[serde(default)]
    buffer_views: Vec<BufferView>,
}

#[derive(Deserialize)]
pub struct Node {
    #[serde(default)]
    pub name: String,
    pub mesh: Option<usize>,
}

#[derive(Deserialize)]
pub struct Mesh {
    pub primitives: Vec<Primitive>,
}

#[derive(Deserialize)]
pub struct Primitive {
    pub attributes: BTreeMap<String, usize>,
    pub indices: Option<usize>,
    pub material: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Material {
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub pbr_metallic_roughness: Pbr,
    #[serde(default)]
    pub emissive_factor: [f32; 3],
    #[serde(default)]
    pub double_sided: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Pbr {
    pub base_color_factor: [f32; 4],
    pub metallic_factor: f32,
    pub roughness_factor: f32,
}

impl Default for Pbr {
    /// What is not said is 1 (glTF 2.0 specification, 5.22).
    fn default() -> Self {
        Self { base_color_factor: [1.0; 4], metallic_factor: 1.0, roughness_factor: 1.0 }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Accessor {
    buffer_view: usize,
    #[serde(default)]
    byte_offset: usize,
    component_type: u32,
    count: usize,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BufferView {
    #[serde(default)]
    byte_offset: usize,
    byte_length: usize,
    byte_stride: Option<usize>,
}

/// The file, taken apart.
pub struct Glb<'a> {
    pub document: Document,
    binary: &'a [u8],
    /// Bytes that may still be read: each once, so that a small file cannot fill the memory by naming the same data
    /// again and again.
    left: Cell<usize>,
}

impl<'a> Glb<'a> {
    /// Takes a file apart.
    pub fn read(file: &'a [u8]) -> Result<Self> {
        let word = |at: usize| {
            let bytes = file.get(at..at.checked_add(4)?)?;
            Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
        };
        if file.get(..4) != Some(b"glTF") || word(4) != Some(2) || word(8) != Some(file.len()) {
            return Err(wrong("this is no whole GLB file, version 2"));
        }
        let chunk = |at: usize, kind: &[u8]| {
            let start = at.checked_add(8)?;
            let data = file.get(start..start.checked_add(word(at)?)?)?;
            (file.get(start - 4..start) == Some(kind)).then_some(data)
        };
        let json = chunk(12, b"JSON").ok_or_else(|| wrong("its JSON is not where it says"))?;
        let binary =
            chunk(20 + json.len(), b"BIN\0").ok_or_else(|| wrong("its data is not where it says"))?;
        let document =
            serde_json::from_slice(json).map_err(|e| wrong(format!("its JSON cannot be read: {e}")))?;
        Ok(Self { document, binary, left: Cell::new(binary.len()) })
    }

    /// How many elements an accessor has.
    pub fn count(&self, accessor: usize) -> usize {
        self.document.accessors.get(accessor).map_or(0, |accessor| accessor.count)
    }

    /// Vectors of `N` floats, all finite.
    pub fn floats<const N: usize>(&self, accessor: usize) -> Result<Vec<[f32; N]>> {
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"].get(N.wrapping_sub(1)).copied().unwrap_or_default();
        let (component, elements) = self.elements(accessor, kind, 4 * N)?;
        if component != FLOAT {
            return Err(wrong(format!("accessor {accessor} does not hold floats")));
        }
        let mut all = Vec::new();
        for bytes in elements {
            let mut vector = [0.0; N];
            for (value, bytes) in vector.iter_mut().zip(bytes.as_chunks::<4>().0) {
                *value = f32::from_le_bytes(*bytes);
            }
            if vector.iter().any(|value: &f32| !value.is_finite()) {
                return Err(wrong(format!("accessor {accessor} holds numbers that are not finite")));
            }
            all.push(vector);
        }
        Ok(all)
    }

    /// Indices of 16 or 32 bits.
    pub fn indices(&self, accessor: usize) -> Result<Vec<u32>> {
        let component = self.document.accessors.get(accessor).map_or(0, |a| a.component_type);
        let size = match component {
            UNSIGNED_SHORT => 2,
            UNSIGNED_INT => 4,
            _ => return Err(wrong(format!("accessor {accessor} holds no indices"))),
        };
        let (_, elements) = self.elements(accessor, "SCALAR", size)?;
        let index = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, &byte| n << 8 | u32::from(byte));
        Ok(elements.map(index).collect())
    }

    /// The component type of an accessor, and its elements of `size` bytes, which all lie in the file.
    fn elements(
        &self,
        index: usize,
        kind: &str,
        size: usize,
    ) -> Result<(u32, impl Iterator<Item = &'a [u8]> + use<'a>)> {
        let bytes = self.bytes_of(index, kind, size);
        let (accessor, bytes, stride) =
            bytes.ok_or_else(|| wrong(format!("accessor {index} is not one of `{kind}` inside the file")))?;
        let left = self.left.get().checked_sub(accessor.count * size);
        self.left.set(left.ok_or_else(|| wrong("its accessors share data that they should not"))?);
        // The last element may end with the data, whatever the stride.
        Ok((accessor.component_type, bytes.chunks(stride).filter_map(move |chunk| chunk.get(..size))))
    }

    fn bytes_of(&self, index: usize, kind: &str, size: usize) -> Option<(&Accessor, &'a [u8], usize)> {
        let accessor = self.document.accessors.get(index)?;
        let view = self.document.buffer_views.get(accessor.buffer_view)?;
        let stride = view.byte_stride.unwrap_or(size);
        if accessor.kind != kind || accessor.count == 0 || stride < size {
            return None;
        }
        let view = self.binary.get(view.byte_offset..view.byte_offset.checked_add(view.byte_length)?)?;
        let length = (accessor.count - 1).checked_mul(stride)?.checked_add(size)?;
        let bytes = view.get(accessor.byte_offset..accessor.byte_offset.checked_add(length)?)?;
        Some((accessor, bytes, stride))
    }
}

pub fn wrong(what: impl Into<String>) -> Error {
    Error::new("runtime::mesh", what).help("build the character again")
}
