//! [`Mesh`] → GLB file.
//!
//! One buffer, one set of vertex data, and indices of each primitive's own. Coarser levels of detail
//! have accessors over the first vertices of the same data. Each level of detail is a mesh on a node of the one scene: the finest is called
//! like the mesh, the others `<name>_LOD1`, `<name>_LOD2`, …. Keys come in a fixed order and floats
//! in their shortest form that reads back the same, so the same mesh gives the same bytes.

mod json;
mod vertices;

use serde::{Deserialize, Serialize};

use self::json::{
    Accessor, Asset, Buffer, BufferView, Document, Material as JsonMaterial, Node, Primitive, Scene,
};
use crate::problem::{Problem, Result};
use crate::source::Material;

/// A static mesh in the rest pose, with the column of each vertex. All lists are as long as
/// `positions`, or absent (`uvs` and `colors`: empty).
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// Name of the mesh and of its node.
    pub name: String,
    /// Metres, Y up.
    pub positions: Vec<[f32; 3]>,
    /// Unit vectors.
    pub normals: Option<Vec<[f32; 3]>>,
    /// Unit vectors and handedness.
    pub tangents: Option<Vec<[f32; 4]>>,
    /// The artist's UV sets.
    pub uvs: Vec<Vec<[f32; 2]>>,
    /// RGBA, linear.
    pub colors: Vec<Vec<[f32; 4]>>,
    /// `_VAT_COLUMN`: the column of each vertex.
    pub columns: Vec<u32>,
    /// The UV set after the artist's: `x` the centre of the column's texel, 0 to 1, `y` its band.
    pub column_uv: Vec<[f32; 2]>,
    /// Materials of the primitives.
    pub materials: Vec<Material>,
    /// Levels of detail, the finest first; each uses a prefix of the vertices.
    pub lods: Vec<Lod>,
}

/// One level of detail.
#[derive(Clone, Debug, Default)]
pub struct Lod {
    /// Vertices used: indices are below this.
    pub vertex_count: u32,
    /// Index buffers, one a material range.
    pub primitives: Vec<MeshPrimitive>,
    /// In place of [`Mesh::column_uv`], where the level reads sheets of another width: at least
    /// `vertex_count` of them.
    pub column_uv: Option<Vec<[f32; 2]>>,
}

/// Triangles with one material.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeshPrimitive {
    /// Three a triangle, counter-clockwise.
    pub indices: Vec<u32>,
    /// Index into [`Mesh::materials`].
    pub material: Option<usize>,
}

/// A GLB file with that mesh, in the attributes `POSITION`, `NORMAL`, `TANGENT`, `TEXCOORD_n`
/// (the artist's sets, then [`Mesh::column_uv`]), `COLOR_n` and `_VAT_COLUMN`, all 32-bit floats.
/// Indices have 16 bits where a level of detail has at most 65,535 vertices (65,535 itself restarts
/// strips on some GPUs and is no index), else 32.
///
/// What a valid file may not have is put right: normals and tangents get length 1 (+Z and +X where
/// they have no direction), tangents without normals are left out, colours and material factors are
/// clamped to 0 to 1, UVs that are not finite become 0. Materials that no primitive uses and
/// primitives without triangles are left out. UVs are otherwise the artist's bit for bit.
///
/// # Errors
/// `container::mesh` when the mesh is not what its docs say (lists that differ in length, indices out
/// of range, positions that are not finite, a level of detail without triangles), `container::column`
/// for a column above 2^24, `container::size` for more than a GLB file can hold (4 GiB).
pub fn write(mesh: &Mesh) -> Result<Vec<u8>> {
    check(mesh)?;
    let mut file = Builder::default();
    let attributes = vertices::write(mesh, &mut file)?;
    let used = used_materials(mesh);

    let mut meshes = Vec::new();
    let mut nodes = Vec::new();
    for (i, lod) in mesh.lods.iter().enumerate() {
        // The finest level has all vertices, those too that no triangle uses.
        let own = (i > 0).then(|| vertices::prefix(mesh, lod, &attributes, &mut file));
        let attributes = own.as_ref().unwrap_or(&attributes);
        let mut primitives = Vec::new();
        for primitive in lod.primitives.iter().filter(|p| !p.indices.is_empty()) {
            let indices = file.indices(&primitive.indices, lod.vertex_count);
            let material = primitive.material.and_then(|m| used.iter().position(|&u| u == m));
            primitives.push(Primitive { attributes: attributes.clone(), indices, material });
        }
        let name = node_name(&mesh.name, i);
        meshes.push(json::Mesh { name: name.clone(), primitives });
        nodes.push(Node { mesh: i, name });
    }
    let document = Document {
        asset: Asset { version: "2.0", generator: "vatpipe" },
        scene: 0,
        scenes: vec![Scene { nodes: (0..nodes.len()).collect() }],
        nodes,
        meshes,
        materials: used.iter().map(|&m| JsonMaterial::new(&mesh.materials[m])).collect(),
        accessors: file.accessors,
        buffer_views: file.views,
        buffers: vec![Buffer { byte_length: file.binary.len() }],
    };
    pack(&document, &file.binary)
}

/// What the mesh and the node of a level of detail are called.
pub fn node_name(mesh: &str, lod: usize) -> String {
    if lod == 0 { mesh.to_owned() } else { format!("{mesh}_LOD{lod}") }
}

/// How many columns of a row of `width` texels a reader misses that keeps UVs in 16-bit floats, as some
/// engines do: those whose texel centre, so rounded, lies in another texel. None up to 1024.
pub fn columns_missed_in_half(width: u32) -> u32 {
    let missed = |&k: &u32| {
        let centre = half::f16::from_f64((f64::from(k) + 0.5) / f64::from(width)).to_f64();
        (centre * f64::from(width)).floor() != f64::from(k)
    };
    (0..width).filter(missed).count() as u32
}

/// The parts of the file that grow.
#[derive(Default)]
struct Builder {
    binary: Vec<u8>,
    views: Vec<BufferView>,
    accessors: Vec<Accessor>,
}

impl Builder {
    /// Adds a view and an accessor over `count` elements in `bytes`; returns the accessor's index.
    fn add(&mut self, bytes: &[u8], target: u32, accessor: Accessor) -> usize {
        let byte_offset = self.binary.len();
        self.binary.extend_from_slice(bytes);
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let byte_length = bytes.len();
        self.views.push(BufferView { buffer: 0, byte_offset, byte_length, byte_stride: None, target });
        self.accessors.push(Accessor { buffer_view: self.views.len() - 1, ..accessor });
        self.accessors.len() - 1
    }

    /// An accessor over the first elements of another. What several accessors share must say its stride (glTF 2.0
    /// specification, 3.6.2.4).
    fn shorter(&mut self, accessor: usize, count: usize) -> usize {
        let Accessor { buffer_view, count: all, .. } = self.accessors[accessor];
        let view = &mut self.views[buffer_view];
        view.byte_stride = Some(view.byte_length / all);
        self.accessors.push(Accessor { count, ..self.accessors[accessor].clone() });
        self.accessors.len() - 1
    }

    fn indices(&mut self, indices: &[u32], vertex_count: u32) -> usize {
        let (bytes, component): (Vec<u8>, _) = if vertex_count <= 65_535 {
            (indices.iter().flat_map(|&i| (i as u16).to_le_bytes()).collect(), json::UNSIGNED_SHORT)
        } else {
            (indices.iter().flat_map(|&i| i.to_le_bytes()).collect(), json::UNSIGNED_INT)
        };
        self.add(&bytes, json::ELEMENT_ARRAY_BUFFER, Accessor::new(component, indices.len(), "SCALAR"))
    }
}

fn check(mesh: &Mesh) -> Result<()> {
    let wrong =
        |what: String| Err(Problem::error("container::mesh", format!("mesh `{}`: {what}", mesh.name)));
    let n = mesh.positions.len();
    if n == 0 || mesh.lods.is_empty() {
        return wrong("no vertices, or no levels of detail".into());
    }
    let lengths = [
        ("normals", mesh.normals.as_ref().map(Vec::len)),
        ("tangents", mesh.tangents.as_ref().map(Vec::len)),
        ("columns", Some(mesh.columns.len())),
        ("column UVs", Some(mesh.column_uv.len())),
    ];
    let uvs = mesh.uvs.iter().map(|set| ("UVs", Some(set.len())));
    let colors = mesh.colors.iter().map(|set| ("colours", Some(set.len())));
    for (what, len) in lengths.into_iter().chain(uvs).chain(colors) {
        if let Some(len) = len.filter(|&len| len != n) {
            return wrong(format!("{len} {what} for {n} vertices"));
        }
    }
    if let Some(v) = mesh.positions.iter().position(|p| p.iter().any(|c| !c.is_finite())) {
        return wrong(format!("the position of vertex {v} is not finite"));
    }
    for (i, lod) in mesh.lods.iter().enumerate() {
        if lod.vertex_count as usize > n {
            return wrong(format!("level of detail {i} has {} of {n} vertices", lod.vertex_count));
        }
        if lod.column_uv.as_ref().is_some_and(|uv| uv.len() < lod.vertex_count as usize) {
            return wrong(format!("level of detail {i} has too few column UVs"));
        }
        if lod.primitives.iter().all(|p| p.indices.is_empty()) {
            return wrong(format!("level of detail {i} has no triangles"));
        }
        for primitive in &lod.primitives {
            if !primitive.indices.len().is_multiple_of(3) {
                return wrong(format!("{} indices make no triangles", primitive.indices.len()));
            }
            if let Some(index) = primitive.indices.iter().find(|&&index| index >= lod.vertex_count) {
                return wrong(format!("index {index} of {} vertices", lod.vertex_count));
            }
            if let Some(m) = primitive.material.filter(|&m| m >= mesh.materials.len()) {
                return wrong(format!("material {m} of {}", mesh.materials.len()));
            }
        }
    }
    Ok(())
}

/// Indices of the materials that triangles use, rising.
fn used_materials(mesh: &Mesh) -> Vec<usize> {
    let primitives = mesh.lods.iter().flat_map(|lod| &lod.primitives);
    let used = primitives.filter(|p| !p.indices.is_empty()).filter_map(|p| p.material);
    used.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
}

/// Header, JSON chunk padded with spaces, binary chunk (a multiple of 4 already).
fn pack(document: &Document, binary: &[u8]) -> Result<Vec<u8>> {
    let mut text = serde_json::to_vec(document)
        .map_err(|e| Problem::error("container::mesh", format!("the mesh cannot be written as JSON: {e}")))?;
    text.resize(text.len().next_multiple_of(4), b' ');
    let size = |len: usize| {
        u32::try_from(len).map_err(|_| {
            Problem::error("container::size", format!("a GLB file cannot have {len} bytes"))
                .help("4 GiB is the limit; split the character")
        })
    };
    let total = size(12 + 8 + text.len() + 8 + binary.len())?;
    let mut file = Vec::with_capacity(total as usize);
    file.extend_from_slice(b"glTF");
    for field in [2, total, size(text.len())?] {
        file.extend_from_slice(&field.to_le_bytes());
    }
    file.extend_from_slice(b"JSON");
    file.extend_from_slice(&text);
    file.extend_from_slice(&size(binary.len())?.to_le_bytes());
    file.extend_from_slice(b"BIN\0");
    file.extend_from_slice(binary);
    Ok(file)
}
