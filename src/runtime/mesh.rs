//! GLB file → [`Mesh`]: vertex data and indices, ready to be uploaded.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::Result;
use super::glb::{Glb, Primitive as JsonPrimitive, wrong};

/// The mesh of a character in its rest pose. All lists over vertices are equally long.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Positions at rest, model units.
    pub positions: Vec<[f32; 3]>,
    /// Normals at rest; empty where the model has none.
    pub normals: Vec<[f32; 3]>,
    /// Tangents at rest and their handedness; empty where there are none.
    pub tangents: Vec<[f32; 4]>,
    /// The artist's UV sets, in their order.
    pub uvs: Vec<Vec<[f32; 2]>>,
    /// Vertex colours, RGBA and linear, in their order.
    pub colors: Vec<Vec<[f32; 4]>>,
    /// The column of each vertex in the sheets, below the character's `column_count`: what a shader reads as
    /// `_VAT_COLUMN`.
    pub columns: Vec<u32>,
    /// Materials of the primitives.
    pub materials: Vec<Material>,
    /// Levels of detail, the finest first.
    pub lods: Vec<MeshLod>,
}

/// A level of detail.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshLod {
    /// Vertices used: the first ones of the mesh. Indices are below it.
    pub vertex_count: u32,
    /// Triangles, one list a material.
    pub primitives: Vec<Primitive>,
}

/// Triangles of one material.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Primitive {
    /// Three vertices a triangle, counter-clockwise in glTF's axes.
    pub indices: Vec<u32>,
    /// Index into [`Mesh::materials`].
    pub material: Option<u32>,
}

/// What a surface looks like: the factors of glTF's metallic-roughness model. Textures are the game's.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// The artist's name.
    pub name: String,
    /// RGBA, linear, 0 to 1.
    pub base_color: [f32; 4],
    /// 0 to 1.
    pub metallic: f32,
    /// 0 to 1.
    pub roughness: f32,
    /// RGB, linear, 0 to 1.
    pub emissive: [f32; 3],
    /// Whether both sides are seen.
    pub double_sided: bool,
}

/// Reads a mesh that `vatpipe` wrote. `nodes` are the names of the nodes of the levels of detail, the finest first, as
/// in `lods[].node`; `column_texcoord` is the UV set of columns, which is left out of [`Mesh::uvs`].
///
/// # Errors
/// `runtime::mesh` for anything that is not such a file, whole.
pub fn read(file: &[u8], nodes: &[&str], column_texcoord: u32) -> Result<Mesh> {
    let glb = Glb::read(file)?;
    let mut mesh = Mesh::default();
    for (lod, node) in nodes.iter().enumerate() {
        let primitives = primitives(&glb, node)?;
        let Some(first) = primitives.first() else { return Err(wrong(format!("`{node}` has no triangles"))) };
        if lod == 0 {
            vertices(&glb, first, column_texcoord, &mut mesh)?;
        }
        let vertex_count = attribute(first, "POSITION").map_or(0, |accessor| glb.count(accessor));
        if vertex_count > mesh.positions.len() {
            return Err(wrong(format!("`{node}` has more vertices than the finest level of detail")));
        }
        let vertex_count = vertex_count as u32;
        let primitives =
            primitives.iter().map(|p| triangles(&glb, p, vertex_count)).collect::<Result<_>>()?;
        mesh.lods.push(MeshLod { vertex_count, primitives });
    }
    mesh.materials = glb.document.materials.into_iter().map(Material::of).collect();
    let used = mesh.lods.iter().flat_map(|lod| &lod.primitives).filter_map(|p| p.material);
    match used.max() {
        Some(material) if material as usize >= mesh.materials.len() => {
            Err(wrong(format!("there is no material {material}")))
        }
        _ => Ok(mesh),
    }
}

fn primitives<'a>(glb: &'a Glb, node: &str) -> Result<&'a [JsonPrimitive]> {
    let found = glb.document.nodes.iter().find(|n| n.name == node);
    let mesh = found.and_then(|n| n.mesh).and_then(|mesh| glb.document.meshes.get(mesh));
    mesh.map(|mesh| mesh.primitives.as_slice())
        .ok_or_else(|| wrong(format!("it has no node `{node}` with a mesh")))
}

fn attribute(primitive: &JsonPrimitive, name: &str) -> Option<usize> {
    primitive.attributes.get(name).copied()
}

/// The vertex data, which the primitives of a level share.
fn vertices(glb: &Glb, primitive: &JsonPrimitive, column_texcoord: u32, mesh: &mut Mesh) -> Result<()> {
    let needed = |name: &str| attribute(primitive, name).ok_or_else(|| wrong(format!("it has no `{name}`")));
    mesh.positions = glb.floats(needed("POSITION")?)?;
    let columns: Vec<[f32; 1]> = glb.floats(needed("_VAT_COLUMN")?)?;
    mesh.columns = columns.iter().map(|&[column]| whole(column)).collect::<Result<_>>()?;
    mesh.normals = attribute(primitive, "NORMAL").map_or(Ok(Vec::new()), |a| glb.floats(a))?;
    mesh.tangents = attribute(primitive, "TANGENT").map_or(Ok(Vec::new()), |a| glb.floats(a))?;
    for set in 0..column_texcoord {
        let Some(accessor) = attribute(primitive, &format!("TEXCOORD_{set}")) else { break };
        mesh.uvs.push(glb.floats(accessor)?);
    }
    while let Some(accessor) = attribute(primitive, &format!("COLOR_{}", mesh.colors.len())) {
        mesh.colors.push(glb.floats(accessor)?);
    }
    let count = mesh.positions.len();
    let optional = [mesh.normals.len(), mesh.tangents.len()].into_iter().filter(|&len| len > 0);
    let sets = mesh.uvs.iter().map(Vec::len).chain(mesh.colors.iter().map(Vec::len));
    let mut lengths = optional.chain(sets).chain([mesh.columns.len()]);
    match lengths.find(|&len| len != count) {
        Some(len) => Err(wrong(format!("an attribute has {len} values for {count} vertices"))),
        None => Ok(()),
    }
}

/// A column: floats hold whole numbers exactly up to 2^24.
fn whole(column: f32) -> Result<u32> {
    let number = column as u32;
    if number as f32 == column && number <= 1 << 24 {
        Ok(number)
    } else {
        Err(wrong(format!("`_VAT_COLUMN` {column} is no column")))
    }
}

fn triangles(glb: &Glb, primitive: &JsonPrimitive, vertex_count: u32) -> Result<Primitive> {
    let accessor = primitive.indices.ok_or_else(|| wrong("a primitive has no indices"))?;
    let indices = glb.indices(accessor)?;
    if !indices.len().is_multiple_of(3) {
        return Err(wrong(format!("{} indices make no triangles", indices.len())));
    }
    if let Some(index) = indices.iter().find(|&&index| index >= vertex_count) {
        return Err(wrong(format!("index {index} of {vertex_count} vertices")));
    }
    let material = primitive.material.map(u32::try_from).transpose();
    let material = material.map_err(|_| wrong("the number of a material is too large"))?;
    Ok(Primitive { indices, material })
}

impl Material {
    fn of(material: super::glb::Material) -> Self {
        let pbr = material.pbr_metallic_roughness;
        Self {
            name: material.name,
            base_color: pbr.base_color_factor,
            metallic: pbr.metallic_factor,
            roughness: pbr.roughness_factor,
            emissive: material.emissive_factor,
            double_sided: material.double_sided,
        }
    }
}
