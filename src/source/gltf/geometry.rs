//! Vertex data: the accessors of a group of primitives → [`Geometry`].

use super::accessors::{Accessor, Accessors, Component, Shape, Want};
use super::meshes::{Attributes, Group, Semantic};
use super::report::Report;
use super::{influences, triangles};
use crate::problem::Result;
use crate::source::{Geometry, Morph, Primitive};

use Component::{F32, I8, I16, U8, U16};

const POSITION: Want = Want {
    what: "POSITION",
    shapes: &[Shape::Vec3],
    components: &[F32],
    quantized: &[I8, U8, I16, U16],
    always_normalized: false,
};
const NORMAL: Want = Want { what: "NORMAL", quantized: &[I8, I16], always_normalized: true, ..POSITION };
const TANGENT: Want = Want { what: "TANGENT", shapes: &[Shape::Vec4], ..NORMAL };
const TEXCOORD: Want = Want {
    what: "TEXCOORD_n",
    shapes: &[Shape::Vec2],
    components: &[F32, U8, U16],
    quantized: &[I8, I16],
    always_normalized: false,
};
const COLOR: Want = Want {
    what: "COLOR_n",
    shapes: &[Shape::Vec3, Shape::Vec4],
    components: &[F32, U8, U16],
    quantized: &[],
    always_normalized: true,
};
const DELTA: Want = Want { what: "a morph target", quantized: &[I8, I16], ..POSITION };

/// Which vertices are drawn, and so kept.
pub struct Kept {
    /// Indices into the file's vertices, rising.
    pub vertices: Vec<u32>,
    /// How many the file has.
    pub of: usize,
}

impl Kept {
    /// One entry per kept vertex, from `N` numbers for each of the file's.
    fn pick<const N: usize>(&self, flat: &[f32]) -> Vec<[f32; N]> {
        let entry = |&v: &u32| std::array::from_fn(|i| flat[v as usize * N + i]);
        self.vertices.iter().map(entry).collect()
    }
}

/// Reads a group; `None` if it draws nothing. `names` are those of the morph targets, `joints` is as in
/// [`super::meshes::read`].
pub fn read<'a>(
    group: &Group<'a>,
    names: &[String],
    joints: Option<usize>,
    data: &mut Accessors<'a, '_>,
    report: &mut Report,
) -> Result<Option<Geometry>> {
    let position = data.find(group.attributes[&Semantic::Position], &POSITION, report)?;
    data.check_vertices(&position)?;
    // Before anything else of that size: it is what bounds the size.
    let positions = data.finite(&position)?;
    let primitives = primitives(group, position.count, data, report);
    if primitives.is_empty() {
        report.push(group.element.warning("source::mesh", "the primitive draws no triangle"));
        return Ok(None);
    }
    let (primitives, kept) = compact(primitives, position.count);
    let positions = kept.pick(&positions);
    let mut geometry = Geometry { positions, primitives, ..Geometry::default() };
    // Each list by itself, so that all that is wrong is reported.
    let normals = normals(&group.attributes, &kept, data, report);
    let tangents = tangents(&group.attributes, &kept, data, report);
    let (uvs, colors) = (uvs(group, &kept, data, report), colors(group, &kept, data, report));
    let morphs = morphs(group, names, &kept, data, report);
    let influences = match joints {
        Some(joints) => influences::read(group, &kept, joints, data, report),
        None => Ok(Default::default()),
    };
    geometry.normals = report.keep(normals).flatten();
    geometry.tangents = report.keep(tangents).flatten();
    geometry.uvs = report.keep(uvs).unwrap_or_default();
    geometry.colors = report.keep(colors).unwrap_or_default();
    geometry.morphs = report.keep(morphs).unwrap_or_default();
    (geometry.influences, geometry.influence_start) = report.keep(influences).unwrap_or_default();
    Ok(Some(geometry))
}

/// The primitives that draw something. One that cannot be read is reported and left out.
fn primitives<'a>(
    group: &Group<'a>,
    vertices: usize,
    data: &mut Accessors<'a, '_>,
    report: &mut Report,
) -> Vec<Primitive> {
    let mut primitives = Vec::new();
    for draw in &group.draws {
        let read = triangles::read(draw, vertices, data, report);
        let Some(indices) = report.keep(read) else { continue };
        if !indices.is_empty() {
            primitives.push(Primitive { indices, material: draw.material });
        }
    }
    primitives
}

/// Drops the vertices that no triangle uses.
fn compact(mut primitives: Vec<Primitive>, count: usize) -> (Vec<Primitive>, Kept) {
    let mut new = vec![u32::MAX; count];
    for primitive in &primitives {
        for &i in &primitive.indices {
            new[i as usize] = 0;
        }
    }
    let vertices: Vec<u32> = (0..count as u32).filter(|&v| new[v as usize] == 0).collect();
    for (i, &v) in vertices.iter().enumerate() {
        new[v as usize] = i as u32;
    }
    for primitive in &mut primitives {
        for i in &mut primitive.indices {
            *i = new[*i as usize];
        }
    }
    (primitives, Kept { vertices, of: count })
}

/// Looks up an accessor that must be as long as the positions.
pub fn find<'a>(
    accessor: usize,
    want: &Want,
    kept: &Kept,
    data: &Accessors<'a, '_>,
    report: &mut Report,
) -> Result<Accessor<'a>> {
    let accessor = data.find(accessor, want, report)?;
    if accessor.count != kept.of {
        let message = format!("{} has {} elements, and POSITION has {}", want.what, accessor.count, kept.of);
        return Err(accessor.element.error("source::mesh", message));
    }
    Ok(accessor)
}

/// Decodes data where 0 is a sensible answer, because it shades and does not place, or (weights that an
/// exporter divided by 0) says nothing: numbers that are not finite become 0.
pub fn harmless<'a>(
    accessor: &Accessor<'a>,
    want: &Want,
    data: &mut Accessors<'a, '_>,
    report: &mut Report,
) -> Result<Vec<f32>> {
    let mut values = data.floats(accessor)?;
    let mut bad = 0;
    for value in &mut values {
        if !value.is_finite() {
            *value = 0.0;
            bad += 1;
        }
    }
    if bad > 0 {
        let message = format!("{} has {bad} numbers that are not finite, and 0 is used instead", want.what);
        report.push(accessor.element.warning("source::finite", message));
    }
    Ok(values)
}

fn normals<'a>(
    attributes: &Attributes,
    kept: &Kept,
    data: &mut Accessors<'a, '_>,
    report: &mut Report,
) -> Result<Option<Vec<[f32; 3]>>> {
    let Some(&accessor) = attributes.get(&Semantic::Normal) else { return Ok(None) };
    let accessor = find(accessor, &NORMAL, kept, data, report)?;
    Ok(Some(kept.pick(&harmless(&accessor, &NORMAL, data, report)?)))
}

/// Tangents without normals are to be ignored (glTF 2.0 section 3.7.2.1).
fn tangents<'a>(
    attributes: &Attributes,
    kept: &Kept,
    data: &mut Accessors<'a, '_>,
    report: &mut Report,
) -> Result<Option<Vec<[f32; 4]>>> {
    let Some(&accessor) = attributes.get(&Semantic::Tangent) else { return Ok(None) };
    if !attributes.contains_key(&Semantic::Normal) {
        return Ok(None);
    }
    let accessor = find(accessor, &TANGENT, kept, data, report)?;
    let mut tangents: Vec<[f32; 4]> = kept.pick(&harmless(&accessor, &TANGENT, data, report)?);
    for tangent in &mut tangents {
        tangent[3] = if tangent[3] < 0.0 { -1.0 } else { 1.0 };
    }
    Ok(Some(tangents))
}

fn uvs<'a>(
    group: &Group<'a>,
    kept: &Kept,
    data: &mut Accessors<'a, '_>,
    report: &mut Report,
) -> Result<Vec<Vec<[f32; 2]>>> {
    let mut sets = Vec::new();
    for (semantic, &accessor) in &group.attributes {
        let &Semantic::TexCoord(set) = semantic else { continue };
        if set as usize != sets.len() {
            let message =
                format!("TEXCOORD_{set} becomes TEXCOORD_{}: the sets before it are missing", sets.len());
            report.push(group.element.warning("source::mesh", message));
        }
        let accessor = find(accessor, &TEXCOORD, kept, data, report)?;
        sets.push(kept.pick(&harmless(&accessor, &TEXCOORD, data, report)?));
    }
    Ok(sets)
}

fn colors<'a>(
    group: &Group<'a>,
    kept: &Kept,
    data: &mut Accessors<'a, '_>,
    report: &mut Report,
) -> Result<Vec<Vec<[f32; 4]>>> {
    let mut sets = Vec::new();
    for (semantic, &accessor) in &group.attributes {
        if !matches!(semantic, Semantic::Color(_)) {
            continue;
        }
        let accessor = find(accessor, &COLOR, kept, data, report)?;
        let values = harmless(&accessor, &COLOR, data, report)?;
        sets.push(match accessor.shape {
            Shape::Vec3 => kept.pick::<3>(&values).into_iter().map(|[r, g, b]| [r, g, b, 1.0]).collect(),
            _ => kept.pick(&values),
        });
    }
    Ok(sets)
}

fn morphs<'a>(
    group: &Group<'a>,
    names: &[String],
    kept: &Kept,
    data: &mut Accessors<'a, '_>,
    report: &mut Report,
) -> Result<Vec<Morph>> {
    let has = |semantic| group.attributes.contains_key(&semantic);
    let mut morphs = Vec::with_capacity(group.targets.len());
    for (i, target) in group.targets.iter().enumerate() {
        let name = names.get(i).cloned().unwrap_or_default();
        data.spend(&group.element, name.len())?;
        let positions = delta(target.get(&Semantic::Position), true, kept, data, report)?;
        // Deltas to what the vertices lack move nothing.
        let normals = target.get(&Semantic::Normal).filter(|_| has(Semantic::Normal));
        let normals = delta(normals, false, kept, data, report)?;
        let tangents =
            target.get(&Semantic::Tangent).filter(|_| has(Semantic::Normal) && has(Semantic::Tangent));
        let tangents = delta(tangents, false, kept, data, report)?;
        morphs.push(Morph { name, positions, normals, tangents });
    }
    Ok(morphs)
}

/// One list of deltas; none if the file has only zeros. `places`: they move vertices, and must be finite.
fn delta<'a>(
    accessor: Option<&usize>,
    places: bool,
    kept: &Kept,
    data: &mut Accessors<'a, '_>,
    report: &mut Report,
) -> Result<Option<Vec<[f32; 3]>>> {
    let Some(&accessor) = accessor else { return Ok(None) };
    let accessor = find(accessor, &DELTA, kept, data, report)?;
    if !accessor.has_data() {
        return Ok(None);
    }
    let values = if places { data.finite(&accessor)? } else { harmless(&accessor, &DELTA, data, report)? };
    Ok(Some(kept.pick(&values)))
}
