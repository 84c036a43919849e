//! The vertex attributes: one accessor and one buffer view each.

use serde_json::{Map, Value};

use super::json::{ARRAY_BUFFER, Accessor, FLOAT};
use super::{Builder, Lod, Mesh};
use crate::problem::{Problem, Result};

/// Integers up to here are exact as 32-bit floats.
const MAX_COLUMN: u32 = 1 << 24;

/// Writes all attributes; returns their names and accessors in the order of the file.
pub(super) fn write(mesh: &Mesh, file: &mut Builder) -> Result<Map<String, Value>> {
    if let Some(column) = mesh.columns.iter().find(|&&column| column > MAX_COLUMN) {
        let message = format!("column {column} is not exact as the 32-bit float `_VAT_COLUMN`");
        return Err(Problem::error("container::column", message)
            .help(format!("columns go up to {MAX_COLUMN}; split the character")));
    }
    let mut attributes = Map::new();
    let mut add = |name: String, accessor: usize| attributes.insert(name, Value::from(accessor));

    add("POSITION".into(), positions(&mesh.positions, file));
    if let Some(normals) = &mesh.normals {
        add("NORMAL".into(), vectors(normals.iter().map(|&n| unit(n, [0.0, 0.0, 1.0])), "VEC3", file));
        // The specification has readers ignore tangents without normals.
        if let Some(tangents) = &mesh.tangents {
            add("TANGENT".into(), vectors(tangents.iter().map(|&t| unit_tangent(t)), "VEC4", file));
        }
    }
    for (i, set) in mesh.uvs.iter().chain([&mesh.column_uv]).enumerate() {
        let finite = |uv: &[f32; 2]| uv.map(|c| if c.is_finite() { c } else { 0.0 });
        add(format!("TEXCOORD_{i}"), vectors(set.iter().map(finite), "VEC2", file));
    }
    for (i, set) in mesh.colors.iter().enumerate() {
        add(format!("COLOR_{i}"), vectors(set.iter().map(|c| c.map(clamp01)), "VEC4", file));
    }
    add("_VAT_COLUMN".into(), vectors(mesh.columns.iter().map(|&c| [c as f32]), "SCALAR", file));
    Ok(attributes)
}

/// The same attributes for a level of detail that uses only the first vertices: its own accessors
/// over the same bytes. Readers that take whole accessors then take no more than the level needs.
pub(super) fn prefix(
    mesh: &Mesh,
    lod: &Lod,
    whole: &Map<String, Value>,
    file: &mut Builder,
) -> Map<String, Value> {
    let count = lod.vertex_count as usize;
    let column_texcoord = format!("TEXCOORD_{}", mesh.uvs.len());
    let mut attributes = Map::new();
    for (name, accessor) in whole {
        let accessor = accessor.as_u64().unwrap_or_default() as usize;
        let own = match &lod.column_uv {
            Some(uv) if *name == column_texcoord => vectors(uv[..count].iter().copied(), "VEC2", file),
            _ if count == mesh.positions.len() => accessor,
            _ => file.shorter(accessor, count),
        };
        if name == "POSITION" {
            bound(own, &mesh.positions[..count], file);
        }
        attributes.insert(name.clone(), Value::from(own));
    }
    attributes
}

/// Into 0 to 1; NaN is 0.
pub(super) fn clamp01(value: f32) -> f32 {
    if value > 0.0 { value.min(1.0) } else { 0.0 }
}

fn positions(positions: &[[f32; 3]], file: &mut Builder) -> usize {
    let accessor = vectors(positions.iter().copied(), "VEC3", file);
    bound(accessor, positions, file);
    accessor
}

/// Positions must have bounds.
fn bound(accessor: usize, positions: &[[f32; 3]], file: &mut Builder) {
    let (mut min, mut max) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for p in positions {
        for axis in 0..3 {
            min[axis] = min[axis].min(p[axis]);
            max[axis] = max[axis].max(p[axis]);
        }
    }
    file.accessors[accessor].min = Some(min);
    file.accessors[accessor].max = Some(max);
}

fn vectors<const N: usize>(
    values: impl ExactSizeIterator<Item = [f32; N]>,
    kind: &'static str,
    file: &mut Builder,
) -> usize {
    let count = values.len();
    let bytes: Vec<u8> = values.flatten().flat_map(f32::to_le_bytes).collect();
    file.add(&bytes, ARRAY_BUFFER, Accessor::new(FLOAT, count, kind))
}

/// The vector at length 1, or `instead` where it has no direction. In `f64`, so that no length of
/// an `f32` vector over- or underflows.
fn unit(v: [f32; 3], instead: [f32; 3]) -> [f32; 3] {
    let wide = v.map(f64::from);
    let length = (wide[0] * wide[0] + wide[1] * wide[1] + wide[2] * wide[2]).sqrt();
    if length > 0.0 && length.is_finite() { wide.map(|c| (c / length) as f32) } else { instead }
}

/// The handedness is 1 or -1.
fn unit_tangent([x, y, z, w]: [f32; 4]) -> [f32; 4] {
    let [x, y, z] = unit([x, y, z], [1.0, 0.0, 0.0]);
    [x, y, z, if w < 0.0 { -1.0 } else { 1.0 }]
}
