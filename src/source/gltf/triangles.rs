//! Index buffers: whatever a primitive has, as a list of triangles.

use super::accessors::{Accessors, Component, Shape, Want};
use super::meshes::Draw;
use super::report::Report;
use crate::problem::Result;

/// How vertices make triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Every three.
    List,
    /// Every one with the two before it, winding alternately.
    Strip,
    /// Every one with the one before it and the first.
    Fan,
}

const INDICES: Want = Want {
    what: "an index buffer",
    shapes: &[Shape::Scalar],
    components: &[Component::U8, Component::U16, Component::U32],
    quantized: &[],
    always_normalized: false,
};

/// The triangles of a primitive over `vertices` vertices. Triangles with a repeated vertex are kept in a
/// list, where somebody put them, and dropped from strips and fans, where they stitch pieces.
pub fn read<'a>(
    draw: &Draw<'a>,
    vertices: usize,
    data: &mut Accessors<'a, '_>,
    report: &mut Report,
) -> Result<Vec<u32>> {
    let mut indices = match draw.indices {
        Some(accessor) => {
            let accessor = data.find(accessor, &INDICES, report)?;
            let indices = data.integers(&accessor)?;
            if let Some(at) = indices.iter().position(|&i| i as usize >= vertices) {
                let message = format!(
                    "element {at} of the index buffer is {}, and the primitive has {vertices} vertices",
                    indices[at]
                );
                return Err(accessor.element.error("source::index", message));
            }
            indices
        }
        None => {
            data.spend(&draw.element, vertices)?;
            (0..vertices as u32).collect()
        }
    };
    if draw.mode == Mode::List {
        if indices.len() % 3 != 0 {
            let message = format!("{} indices make no whole number of triangles", indices.len());
            report.push(draw.element.warning("source::mesh", message));
            indices.truncate(indices.len() / 3 * 3);
        }
        return Ok(indices);
    }
    data.spend(&draw.element, indices.len() * 3)?;
    Ok(unroll(draw.mode, &indices))
}

/// glTF 2.0 section 3.7.2.1 has the order of the vertices.
fn unroll(mode: Mode, v: &[u32]) -> Vec<u32> {
    let triangle = |i: usize| match mode {
        Mode::List => [v[3 * i], v[3 * i + 1], v[3 * i + 2]],
        Mode::Strip => [v[i], v[i + 1 + i % 2], v[i + 2 - i % 2]],
        Mode::Fan => [v[i + 1], v[i + 2], v[0]],
    };
    let whole = |&[a, b, c]: &[u32; 3]| a != b && b != c && c != a;
    (0..v.len().saturating_sub(2)).map(triangle).filter(whole).flatten().collect()
}
