//! The baked GLB → vertices with their colours, and one list of indices for each level of detail.

use gltf::accessor::Iter;
use gltf::{Gltf, Material, Primitive, Semantic};
use vatpipe::metadata::Character;

use super::baked::Result;

/// Bytes of a vertex: rest position and column, colour, and the bytes of [`material`].
pub const VERTEX_BYTES: usize = 32;

/// Vertices and triangles of a character.
pub struct Mesh {
    /// [`VERTEX_BYTES`] each.
    pub vertices: Vec<u8>,
    /// All levels of detail, one after the other.
    pub indices: Vec<u32>,
    /// Where each level's indices are, the finest first.
    pub levels: Vec<std::ops::Range<u32>>,
}

/// Materials become colours of vertices, so that a level of detail is one draw call.
pub fn read(file: &[u8], metadata: &Character) -> Result<Mesh> {
    let glb = Gltf::from_slice(file)?;
    let blob = glb.blob.as_deref().ok_or("a GLB without a buffer")?;
    let (mut vertices, mut indices, mut levels) = (Vec::new(), Vec::new(), Vec::new());
    for lod in &metadata.lods {
        let named = |node: &gltf::Node| node.name() == Some(lod.node.as_str());
        let node = glb.nodes().find(named).ok_or("no node for a level of detail")?;
        let mesh = node.mesh().ok_or("a node without a mesh")?;
        let start = indices.len() as u32;
        for primitive in mesh.primitives() {
            // The first level has the vertices of all.
            if levels.is_empty() {
                fill(&primitive, blob, &mut vertices)?;
            }
            let reader = primitive.reader(|_| Some(blob));
            indices.extend(reader.read_indices().ok_or("a primitive without indices")?.into_u32());
        }
        levels.push(start..indices.len() as u32);
    }
    Ok(Mesh { vertices, indices, levels })
}

/// Writes the vertices that a primitive uses; all primitives have the same attributes.
fn fill(primitive: &Primitive, blob: &[u8], vertices: &mut Vec<u8>) -> Result<()> {
    let reader = primitive.reader(|_| Some(blob));
    let positions: Vec<[f32; 3]> = reader.read_positions().ok_or("no positions")?.collect();
    let columns = primitive.get(&Semantic::Extras("VAT_COLUMN".to_owned())).ok_or("no columns")?;
    let columns: Vec<f32> = Iter::new(columns, |_| Some(blob)).ok_or("no columns")?.collect();
    let white = || vec![[1.0; 4]; positions.len()];
    let colours = reader.read_colors(0).map_or_else(white, |colours| colours.into_rgba_f32().collect());
    vertices.resize(positions.len() * VERTEX_BYTES, 0);
    let (colour, bytes) = material(&primitive.material());
    for index in reader.read_indices().ok_or("no indices")?.into_u32() {
        let v = index as usize;
        let shade = colours[v];
        let floats = positions[v].into_iter().chain([columns[v]]).chain((0..3).map(|i| colour[i] * shade[i]));
        let vertex = &mut vertices[v * VERTEX_BYTES..][..VERTEX_BYTES];
        let words = floats.map(f32::to_le_bytes).chain([bytes]);
        vertex.as_chunks_mut::<4>().0.iter_mut().zip(words).for_each(|(to, from)| *to = from);
    }
    Ok(())
}

/// The colour of a material, linear, and bytes: roughness, metalness, emission, and whether the colour is the actor's own.
fn material(material: &Material) -> ([f32; 3], [u8; 4]) {
    let pbr = material.pbr_metallic_roughness();
    let [r, g, b, _] = pbr.base_color_factor();
    let own = matches!(material.name(), Some("Hide" | "Enamel" | "Cloth"));
    let emission = material.emissive_factor().into_iter().fold(0.0, f32::max);
    let bytes = [pbr.roughness_factor(), pbr.metallic_factor(), emission, f32::from(u8::from(own))];
    (if own { [1.0; 3] } else { [r, g, b] }, bytes.map(|v| (v.clamp(0.0, 1.0) * 255.0 + 0.5) as u8))
}
