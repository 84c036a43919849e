//! `EXT_meshopt_compression` and its successor `KHR_meshopt_compression`: buffer views that are
//! compressed. <https://github.com/KhronosGroup/glTF/tree/main/extensions/2.0/Vendor/EXT_meshopt_compression>

use super::filters;
use super::json::Element;
use crate::problem::{Problem, Result};

/// The name of the extension.
pub const EXT: &str = "EXT_meshopt_compression";
/// The name of its successor: the same streams, a further vertex format, a further filter.
pub const KHR: &str = "KHR_meshopt_compression";

/// How a compressed view is decoded.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    mode: Mode,
    filter: Option<Filter>,
    count: usize,
    stride: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Attributes,
    Triangles,
    Indices,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filter {
    Octahedral,
    Quaternion,
    Exponential,
    Color,
}

/// The extension's object on a buffer view, if it has one.
pub fn extension<'a>(view: &Element<'a>) -> Option<Element<'a>> {
    view.extension(EXT).or_else(|| view.extension(KHR))
}

impl Plan {
    /// Bytes after decoding. Cannot overflow: the count is below 2^32 and the stride at most 256.
    pub fn size(&self) -> u64 {
        self.count as u64 * self.stride as u64
    }
}

/// Reads and checks the extension's object, as far as that needs no data.
pub fn plan(element: &Element) -> Result<Plan> {
    let fail = |message: String| Err(element.error("source::meshopt", message));
    let count = element.need("count")?.as_uint()?;
    let stride = element.need("byteStride")?.as_uint()?;
    let mode = match element.need("mode")?.as_str()? {
        "ATTRIBUTES" => Mode::Attributes,
        "TRIANGLES" => Mode::Triangles,
        "INDICES" => Mode::Indices,
        other => return fail(format!("the compression mode `{other}` is unknown")),
    };
    let filter = match element.string("filter")? {
        None | Some("NONE") => None,
        Some("OCTAHEDRAL") => Some(Filter::Octahedral),
        Some("QUATERNION") => Some(Filter::Quaternion),
        Some("EXPONENTIAL") => Some(Filter::Exponential),
        Some("COLOR") => Some(Filter::Color),
        Some(other) => return fail(format!("the filter `{other}` is unknown")),
    };
    let legal = match mode {
        Mode::Attributes => stride % 4 == 0 && (4..=256).contains(&stride),
        Mode::Triangles => matches!(stride, 2 | 4) && count % 3 == 0 && filter.is_none(),
        Mode::Indices => matches!(stride, 2 | 4) && filter.is_none(),
    } && match filter {
        None | Some(Filter::Exponential) => true,
        Some(Filter::Octahedral | Filter::Color) => matches!(stride, 4 | 8),
        Some(Filter::Quaternion) => stride == 8,
    };
    match u32::try_from(count) {
        Ok(count) if legal => Ok(Plan { mode, filter, count: count as usize, stride: stride as usize }),
        _ => fail(format!("{count} elements of {stride} bytes are not possible in this mode and filter")),
    }
}

/// Decodes a view.
pub fn decode(element: &Element, plan: &Plan, data: &[u8]) -> Result<Vec<u8>> {
    let damaged = |why: &str| -> Problem {
        let message = format!("the compressed data cannot be decoded: {why}");
        element.error("source::meshopt", message).help("the file is damaged: export or compress it again")
    };
    // Before anything is allocated. The densest streams: a quarter byte for each byte of a block of 256
    // vertices (version 1 of the vertex format); one byte a triangle; one byte an index.
    let least = match plan.mode {
        Mode::Attributes => plan.size() / 1024,
        Mode::Triangles => plan.count as u64 / 3 + 17,
        Mode::Indices => plan.count as u64 + 5,
    };
    if (data.len() as u64) < least {
        return Err(damaged(&format!("{} bytes are too few for {} elements", data.len(), plan.count)));
    }
    let decoded = match (plan.mode, plan.stride) {
        (Mode::Attributes, _) => vertices(data, plan.count, plan.stride),
        (Mode::Triangles, 2) => meshopt::decode_index_buffer::<u16>(data, plan.count).map(|v| bytes_of(&v)),
        (Mode::Triangles, _) => meshopt::decode_index_buffer::<u32>(data, plan.count).map(|v| bytes_of(&v)),
        (Mode::Indices, 2) => meshopt::decode_index_sequence::<u16>(data, plan.count).map(|v| bytes_of(&v)),
        (Mode::Indices, _) => meshopt::decode_index_sequence::<u32>(data, plan.count).map(|v| bytes_of(&v)),
    };
    let mut bytes = decoded.map_err(|e| damaged(&e.to_string()))?;
    match (plan.filter, plan.stride) {
        (None, _) => {}
        (Some(Filter::Octahedral), 4) => filters::octahedral_8(&mut bytes),
        (Some(Filter::Octahedral), _) => filters::octahedral_16(&mut bytes),
        (Some(Filter::Quaternion), _) => filters::quaternion(&mut bytes),
        (Some(Filter::Exponential), _) => filters::exponential(&mut bytes),
        (Some(Filter::Color), 4) => filters::color_8(&mut bytes),
        (Some(Filter::Color), _) => filters::color_16(&mut bytes),
    }
    Ok(bytes)
}

/// Integers as little-endian bytes.
fn bytes_of<T: Copy + Into<u32>>(values: &[T]) -> Vec<u8> {
    let size = size_of::<T>();
    values.iter().flat_map(|&v| v.into().to_le_bytes().into_iter().take(size)).collect()
}

/// One vertex of `N` bytes, for the decoder, which takes the size from the type.
#[derive(Clone)]
struct Vertex<const N: usize>([u8; N]);

impl<const N: usize> Default for Vertex<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

fn sized<const N: usize>(data: &[u8], count: usize) -> meshopt::Result<Vec<u8>> {
    let vertices = meshopt::decode_vertex_buffer::<Vertex<N>>(data, count)?;
    Ok(vertices.iter().flat_map(|v| v.0).collect())
}

fn vertices(data: &[u8], count: usize, stride: usize) -> meshopt::Result<Vec<u8>> {
    macro_rules! by_stride {
        ($($n:literal)*) => {
            match stride {
                $($n => sized::<$n>(data, count),)*
                _ => sized::<256>(data, count),
            }
        };
    }
    by_stride!(4 8 12 16 20 24 28 32 36 40 44 48 52 56 60 64 68 72 76 80 84 88 92 96 100 104 108 112 116 120 124
        128 132 136 140 144 148 152 156 160 164 168 172 176 180 184 188 192 196 200 204 208 212 216 220 224 228
        232 236 240 244 248 252)
}
