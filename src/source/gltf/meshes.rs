//! Meshes: which primitives share their vertices, and so become one [`Geometry`].

use std::collections::BTreeMap;

use super::accessors::Accessors;
use super::extensions::DRACO;
use super::json::Element;
use super::report::Report;
use super::triangles::Mode;
use super::{extensions, geometry};
use crate::problem::Result;
use crate::source::Geometry;

/// The vertex attributes that are read; the number is that of the set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Semantic {
    /// `POSITION`
    Position,
    /// `NORMAL`
    Normal,
    /// `TANGENT`
    Tangent,
    /// `TEXCOORD_n`
    TexCoord(u32),
    /// `COLOR_n`
    Color(u32),
    /// `JOINTS_n`
    Joints(u32),
    /// `WEIGHTS_n`
    Weights(u32),
}

/// Accessor indices by attribute.
pub type Attributes = BTreeMap<Semantic, usize>;

/// Primitives over the same vertices.
#[derive(Clone, Debug)]
pub struct Group<'a> {
    /// The first of them, for messages.
    pub element: Element<'a>,
    /// What the vertices have.
    pub attributes: Attributes,
    /// What the morph targets have.
    pub targets: Vec<Attributes>,
    /// How the vertices are drawn.
    pub draws: Vec<Draw<'a>>,
}

/// One primitive of a group.
#[derive(Clone, Debug)]
pub struct Draw<'a> {
    /// Where it is in the document.
    pub element: Element<'a>,
    /// Triangle list, strip or fan.
    pub mode: Mode,
    /// Accessor of the indices.
    pub indices: Option<usize>,
    /// Index into the materials.
    pub material: Option<usize>,
}

/// What became of a mesh.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// Its geometries.
    pub geometries: Vec<Geometry>,
    /// How many morph targets it has.
    pub targets: usize,
}

impl Semantic {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "POSITION" => Semantic::Position,
            "NORMAL" => Semantic::Normal,
            "TANGENT" => Semantic::Tangent,
            _ => {
                let (kind, set) = name.split_once('_')?;
                let set = set.parse().ok()?;
                match kind {
                    "TEXCOORD" => Semantic::TexCoord(set),
                    "COLOR" => Semantic::Color(set),
                    "JOINTS" => Semantic::Joints(set),
                    "WEIGHTS" => Semantic::Weights(set),
                    _ => return None,
                }
            }
        })
    }
}

/// Reads a mesh. `joints`: how many joints every skin it is drawn with has at least; `None` if it is
/// drawn with none.
pub fn read<'a>(
    root: &Element<'a>,
    mesh: &Element<'a>,
    joints: Option<usize>,
    data: &mut Accessors<'a, '_>,
    report: &mut Report,
) -> Mesh {
    let groups = groups(root, mesh, report);
    let targets = groups.first().map_or(0, |g| g.targets.len());
    if let Some(other) = groups.iter().find(|g| g.targets.len() != targets) {
        let message = format!(
            "the primitive has {} morph targets, and another of the same mesh has {targets}",
            other.targets.len()
        );
        report.push(other.element.error("source::mesh", message));
    }
    let names = target_names(mesh);
    let mut geometries = Vec::new();
    for group in &groups {
        let read = geometry::read(group, &names, joints, data, report);
        geometries.extend(report.keep(read).flatten());
    }
    Mesh { geometries, targets }
}

fn groups<'a>(root: &Element<'a>, mesh: &Element<'a>, report: &mut Report) -> Vec<Group<'a>> {
    let mut groups: Vec<Group> = Vec::new();
    // Where the group with these attributes and targets is: a mesh may have very many primitives.
    let mut known: BTreeMap<(Attributes, Vec<Attributes>), usize> = BTreeMap::new();
    for element in report.keep(mesh.items("primitives")).into_iter().flatten() {
        let draw = draw(root, &element, report);
        let Some(draw) = report.keep(draw).flatten() else { continue };
        let Some((attributes, targets)) = report.keep(vertices(root, &element)) else { continue };
        if !attributes.contains_key(&Semantic::Position) {
            report.push(element.warning("source::mesh", "the primitive has no POSITION and is not drawn"));
            continue;
        }
        let at = *known.entry((attributes, targets)).or_insert_with_key(|(attributes, targets)| {
            groups.push(Group {
                element,
                attributes: attributes.clone(),
                targets: targets.clone(),
                draws: Vec::new(),
            });
            groups.len() - 1
        });
        groups[at].draws.push(draw);
    }
    groups
}

/// Names are in `extras` by convention, and nothing but names.
fn target_names(mesh: &Element) -> Vec<String> {
    let names = mesh.get("extras").and_then(|extras| extras.items("targetNames").ok());
    names.into_iter().flatten().map(|name| name.as_str().unwrap_or_default().to_owned()).collect()
}

/// How a primitive is drawn; `None` if it has no triangles.
fn draw<'a>(root: &Element<'a>, element: &Element<'a>, report: &mut Report) -> Result<Option<Draw<'a>>> {
    let mode = match element.uint("mode")?.unwrap_or(4) {
        0 => {
            report.push(element.warning("source::mesh", "points are not baked; the primitive is left out"));
            return Ok(None);
        }
        1..=3 => {
            report.push(element.warning("source::mesh", "lines are not baked; the primitive is left out"));
            return Ok(None);
        }
        4 => Mode::List,
        5 => Mode::Strip,
        6 => Mode::Fan,
        other => return Err(element.error("source::mesh", format!("primitive mode {other} is unknown"))),
    };
    Ok(Some(Draw {
        mode,
        indices: element.index("indices", "accessors", root.count("accessors"))?,
        material: element.index("material", "materials", root.count("materials"))?,
        element: element.clone(),
    }))
}

fn vertices(root: &Element, primitive: &Element) -> Result<(Attributes, Vec<Attributes>)> {
    let attributes = attributes(root, &primitive.need("attributes")?)?;
    let targets = primitive.items("targets")?;
    let targets = targets.map(|t| self::attributes(root, &t)).collect::<Result<Vec<_>>>()?;
    if primitive.extension(DRACO).is_some() {
        // Legal beside an uncompressed copy, which is what is read then.
        let copied = attributes
            .values()
            .all(|&accessor| root.item("accessors", accessor).is_some_and(|a| a.get("bufferView").is_some()));
        if !copied {
            let message = format!("the primitive is compressed with {DRACO}, and has no uncompressed copy");
            return Err(primitive.error("source::extension", message).help(extensions::advice(DRACO)));
        }
    }
    Ok((attributes, targets))
}

fn attributes(root: &Element, element: &Element) -> Result<Attributes> {
    let accessors = root.count("accessors");
    let mut attributes = Attributes::new();
    for (name, accessor) in element.properties()? {
        if let Some(semantic) = Semantic::parse(name) {
            attributes.insert(semantic, accessor.as_index("accessors", accessors)?);
        }
    }
    Ok(attributes)
}
