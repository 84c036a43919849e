//! The GLB → vertices.

use gltf::accessor::{DataType, Dimensions};
use gltf::{Accessor, Gltf, Semantic};

/// The vertices of the finest level, and its triangles.
pub struct Mesh {
    pub positions: Vec<[f32; 3]>,
    pub normals: Option<Vec<[f32; 3]>>,
    pub tangents: Option<Vec<[f32; 4]>>,
    pub columns: Vec<usize>,
    /// Material name and vertex indices of each primitive.
    pub primitives: Vec<(Option<String>, Vec<u32>)>,
}

pub fn read(file: &[u8], column_texcoord: usize, width: usize) -> Mesh {
    let glb = Gltf::from_slice(file).unwrap();
    let blob = glb.blob.as_deref().unwrap();
    let identity = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
    for node in glb.nodes() {
        assert_eq!(node.transform().matrix(), identity, "no node has a transform");
    }
    let mesh = glb.meshes().next().unwrap();
    let first = mesh.primitives().next().unwrap();
    let mut primitives = Vec::new();
    let mut materials = Vec::new();
    for primitive in mesh.primitives() {
        assert!(!materials.contains(&primitive.material().index()), "each material is one primitive");
        materials.push(primitive.material().index());
        let attributes = |p: &gltf::Primitive| p.attributes().map(|(_, a)| a.index()).collect::<Vec<_>>();
        assert_eq!(attributes(&primitive), attributes(&first), "one set of vertex attributes");
        let indices = integers(&primitive.indices().unwrap(), blob);
        primitives.push((primitive.material().name().map(str::to_owned), indices));
    }
    let find = |semantic: Semantic| first.get(&semantic).map(|accessor| floats(&accessor, blob));
    let positions: Vec<[f32; 3]> = find(Semantic::Positions).unwrap().iter().map(|&v| xyz(v)).collect();
    let columns: Vec<usize> = find(Semantic::Extras("VAT_COLUMN".to_owned()))
        .unwrap()
        .iter()
        .map(|v| {
            assert_eq!(v[0].fract(), 0.0);
            v[0] as usize
        })
        .collect();
    // The other way to the column has to lead to the same one.
    let uvs = find(Semantic::TexCoords(column_texcoord as u32)).unwrap();
    assert!(first.get(&Semantic::TexCoords(column_texcoord as u32 + 1)).is_none(), "it is the last set");
    for (uv, &column) in uvs.iter().zip(&columns) {
        let from_uv = (uv[0] * width as f32).floor() as usize + uv[1] as usize * width;
        assert_eq!(from_uv, column);
    }
    Mesh {
        normals: find(Semantic::Normals).map(|n| n.iter().map(|&v| xyz(v)).collect()),
        tangents: find(Semantic::Tangents),
        positions,
        columns,
        primitives,
    }
}

fn xyz(v: [f32; 4]) -> [f32; 3] {
    [v[0], v[1], v[2]]
}

/// Where an accessor's elements begin, each `size` bytes long.
fn elements<'a>(accessor: &Accessor, blob: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    assert!(accessor.sparse().is_none());
    let view = accessor.view().unwrap();
    let size = accessor.size();
    let stride = view.stride().unwrap_or(size);
    let first = view.offset() + accessor.offset();
    (0..accessor.count()).map(move |i| &blob[first + i * stride..][..size])
}

/// Vectors of floats, padded with zeros.
pub fn floats(accessor: &Accessor, blob: &[u8]) -> Vec<[f32; 4]> {
    assert_eq!(accessor.data_type(), DataType::F32);
    let element = |bytes: &[u8]| {
        let mut v = [0.0; 4];
        for (component, bytes) in v.iter_mut().zip(bytes.chunks_exact(4)) {
            *component = f32::from_le_bytes(bytes.try_into().unwrap());
        }
        v
    };
    elements(accessor, blob).map(element).collect()
}

/// Indices of any width.
pub fn integers(accessor: &Accessor, blob: &[u8]) -> Vec<u32> {
    assert_eq!(accessor.dimensions(), Dimensions::Scalar);
    let element = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, &b| n << 8 | u32::from(b));
    elements(accessor, blob).map(element).collect()
}

/// A level of detail as its node has it.
pub struct Level {
    pub node: String,
    pub positions: Vec<[f32; 3]>,
    pub columns: Vec<usize>,
    /// Centre of the column's texel and band.
    pub column_uv: Vec<[f32; 2]>,
    /// Bytes of an index, and indices, of each primitive.
    pub primitives: Vec<(usize, Vec<u32>)>,
}

/// All levels, the finest first.
pub fn levels(file: &[u8], column_texcoord: usize) -> Vec<Level> {
    let glb = Gltf::from_slice(file).unwrap();
    let blob = glb.blob.as_deref().unwrap();
    let level = |node: gltf::Node| {
        let mesh = node.mesh().unwrap();
        let first = mesh.primitives().next().unwrap();
        let find = |semantic: Semantic| floats(&first.get(&semantic).unwrap(), blob);
        let indices = mesh.primitives().map(|p| p.indices().unwrap());
        Level {
            node: node.name().unwrap().to_owned(),
            positions: find(Semantic::Positions).iter().map(|&v| xyz(v)).collect(),
            columns: find(Semantic::Extras("VAT_COLUMN".to_owned())).iter().map(|v| v[0] as usize).collect(),
            column_uv: find(Semantic::TexCoords(column_texcoord as u32))
                .iter()
                .map(|v| [v[0], v[1]])
                .collect(),
            primitives: indices.map(|accessor| (accessor.size(), integers(&accessor, blob))).collect(),
        }
    };
    glb.nodes().map(level).collect()
}
