//! File bytes → [`Source`]: what a model file says, in metres, seconds, right-handed, Y up.
//!
//! One file per format (`gltf/`); the parser's own types stop at this folder. A [`Source`] has
//! been checked: every index in it is in range, every number finite, every list as long as its
//! neighbours, the node tree a tree. Later stages rely on that and check nothing again.
//!
//! What can go wrong: the file is not what it says it is (truncated, hostile, a Git LFS pointer),
//! it uses an extension that changes what is drawn and that we cannot read, or it is legal and
//! empty (no mesh, no triangles). All of these are [`Problem`]s that name
//! the file and the JSON element.

pub mod gltf;

mod options;

use std::path::Path;

use glam::{DMat4, DQuat, DVec3};

pub use options::{Limits, Options};

use crate::problem::{Problem, Problems, Result};

/// A model: a node tree, the geometry that hangs on it, and the clips that move it.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The node tree of the chosen scene and of all that the skins reach, parents before children.
    pub nodes: Vec<Node>,
    /// Skins, referred to by [`Part::skin`].
    pub skins: Vec<Skin>,
    /// Vertex data, referred to by [`Part::geometry`].
    pub geometries: Vec<Geometry>,
    /// What is drawn: geometry hung on a node. The character's vertices are the vertices of its
    /// parts, one part after the other.
    pub parts: Vec<Part>,
    /// Materials, referred to by [`Primitive::material`].
    pub materials: Vec<Material>,
    /// Animations, in the order of the file. [`Clip::index`] is the position in the file.
    pub clips: Vec<Clip>,
    /// What was noticed while reading and did not stop it.
    pub warnings: Vec<Problem>,
}

/// A node of the tree.
#[derive(Clone, Debug)]
pub struct Node {
    /// The name in the file; empty when it has none. Need not be unique.
    pub name: String,
    /// The index of the parent, always smaller than the node's own.
    pub parent: Option<usize>,
    /// The local transform while no clip moves the node.
    pub rest: Transform,
    /// Morph target weights of the mesh on this node while no clip moves them: the node's own,
    /// else the mesh's, else zeros. As long as the mesh has targets.
    pub weights: Vec<f32>,
    /// The index of the node in the file, for messages and for matching joints.
    pub index: usize,
}

/// A local transform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Transform {
    /// Scale, then rotate (unit quaternion), then translate.
    Trs {
        /// Translation, metres.
        translation: DVec3,
        /// Rotation.
        rotation: DQuat,
        /// Scale.
        scale: DVec3,
    },
    /// A matrix given as such. A channel that animates such a node replaces one component of its
    /// decomposition.
    Matrix(DMat4),
}

/// A skin: the joints that move a geometry.
#[derive(Clone, Debug)]
pub struct Skin {
    /// Node indices. [`Influence::joint`] counts in this list.
    pub joints: Vec<usize>,
    /// One a joint; identities where the file has none.
    pub inverse_bind: Vec<DMat4>,
}

/// Vertex data shared by the primitives that draw it. All lists are as long as `positions`, or
/// absent.
#[derive(Clone, Debug, Default)]
pub struct Geometry {
    /// Metres, in the space of the mesh.
    pub positions: Vec<[f32; 3]>,
    /// As in the file: unit vectors, or close to them.
    pub normals: Option<Vec<[f32; 3]>>,
    /// As in the file: unit vectors and handedness (1 or -1).
    pub tangents: Option<Vec<[f32; 4]>>,
    /// UV sets in the order `TEXCOORD_0`, `TEXCOORD_1`, …, without gaps.
    pub uvs: Vec<Vec<[f32; 2]>>,
    /// Colours in the order `COLOR_0`, …; RGBA, linear, alpha 1 where the file has RGB.
    pub colors: Vec<Vec<[f32; 4]>>,
    /// Influences of joints, empty without `JOINTS_0`. Those of vertex `v` are
    /// `influences[influence_start[v]..influence_start[v + 1]]`.
    pub influences: Vec<Influence>,
    /// `positions.len() + 1` offsets into `influences`; empty without `JOINTS_0`.
    pub influence_start: Vec<u32>,
    /// Morph targets in the order of the file.
    pub morphs: Vec<Morph>,
    /// The index buffers over these vertices.
    pub primitives: Vec<Primitive>,
}

/// How much a joint moves a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Influence {
    /// Index into [`Skin::joints`].
    pub joint: u32,
    /// Above 0; the weights of a vertex sum to 1 over all its influences. Sorted by joint, each
    /// joint once.
    pub weight: f32,
}

/// One morph target: what is added, times a weight, to the vertex data before skinning.
#[derive(Clone, Debug, Default)]
pub struct Morph {
    /// Name from the mesh's `extras.targetNames`; empty when it has none.
    pub name: String,
    /// Position deltas, as long as the positions, or absent.
    pub positions: Option<Vec<[f32; 3]>>,
    /// Normal deltas.
    pub normals: Option<Vec<[f32; 3]>>,
    /// Tangent deltas (the handedness has none).
    pub tangents: Option<Vec<[f32; 3]>>,
}

/// Triangles with one material.
#[derive(Clone, Debug)]
pub struct Primitive {
    /// Three a triangle, counter-clockwise seen from outside; strips and fans already unrolled.
    pub indices: Vec<u32>,
    /// Index into [`Source::materials`]; `None` for the default material.
    pub material: Option<usize>,
}

/// A geometry drawn at a node.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Index into [`Source::nodes`]. With a skin only its morph weights count.
    pub node: usize,
    /// Index into [`Source::geometries`].
    pub geometry: usize,
    /// Index into [`Source::skins`]. The geometry then has influences.
    pub skin: Option<usize>,
}

/// What a material is called, and the few plain factors worth carrying to the emitted mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// The name in the file; empty when it has none.
    pub name: String,
    /// RGBA, linear.
    pub base_color: [f32; 4],
    /// 0 to 1.
    pub metallic: f32,
    /// 0 to 1.
    pub roughness: f32,
    /// RGB, linear.
    pub emissive: [f32; 3],
    /// Whether back faces are drawn.
    pub double_sided: bool,
}

/// One animation.
#[derive(Clone, Debug)]
pub struct Clip {
    /// Position among the animations of the file.
    pub index: usize,
    /// The name in the file; empty when it has none. Need not be unique.
    pub name: String,
    /// The curves of the nodes in [`Source::nodes`]; each (node, property) at most once.
    pub channels: Vec<Channel>,
    /// The last key's time in seconds: the clip's length, as a clip starts at 0. Keys of channels that
    /// are not kept count too (those of nodes outside the scene). 0 without keys.
    pub duration: f64,
    /// The earliest key's time in seconds, of the same keys. 0 without keys.
    pub first_key: f64,
}

/// How one property of one node moves.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Index into [`Source::nodes`].
    pub node: usize,
    /// What moves.
    pub property: Property,
    /// How values between keys are made.
    pub interpolation: Interpolation,
    /// Seconds, at least one, finite, not negative, strictly rising.
    pub times: Vec<f32>,
    /// `width` numbers a value; one value a key, three with [`Interpolation::CubicSpline`]
    /// (in-tangent, value, out-tangent).
    pub values: Vec<f32>,
    /// Numbers in one value: 3 for translation and scale, 4 for rotation (x, y, z, w), the number
    /// of morph targets for weights.
    pub width: usize,
}

/// What a channel moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Property {
    /// Metres.
    Translation,
    /// Quaternion. Keys of [`Interpolation::Step`] and [`Interpolation::Linear`] have length 1 to within the
    /// decimals that the file's author wrote (never further off than 1 %); spline values may have any.
    Rotation,
    /// Factors.
    Scale,
    /// Morph target weights.
    Weights,
}

/// How values between keys are made, as glTF 2.0 defines it (specification, appendix C).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// The earlier key's value.
    Step,
    /// Linear; spherical linear for rotations, the short way round.
    Linear,
    /// Cubic Hermite spline.
    CubicSpline,
}

impl Source {
    /// Vertices of all parts together.
    pub fn vertex_count(&self) -> usize {
        self.parts.iter().map(|p| self.geometries[p.geometry].positions.len()).sum()
    }

    /// Triangles of all parts together.
    pub fn triangle_count(&self) -> usize {
        let of = |p: &Part| {
            self.geometries[p.geometry].primitives.iter().map(|p| p.indices.len() / 3).sum::<usize>()
        };
        self.parts.iter().map(of).sum()
    }
}

/// Reads a model file, whatever its format. See [`gltf::read`] for `resolve`.
///
/// # Errors
/// The file is of no known format, or what the format's reader finds wrong.
pub fn read(
    bytes: &[u8],
    file: &Path,
    options: &Options,
    resolve: &mut gltf::Resolve<'_>,
) -> Result<Source, Problems> {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    if bytes.starts_with(gltf::MAGIC) || text.starts_with(b"{") {
        return gltf::read(bytes, file, options, resolve);
    }
    let (message, help) = foreign(bytes, text);
    Err(Problem::error("source::format", message).in_file(file).help(help).into())
}

/// What a file is that is no glTF, and what to do about it.
fn foreign(bytes: &[u8], text: &[u8]) -> (&'static str, &'static str) {
    let export = "export the model as glTF 2.0 (.glb)";
    let starts: [(&[u8], &str, &str); 8] = [
        (
            b"version https://git-lfs.github.com/spec/",
            "the file is a Git LFS pointer, not the model itself",
            "fetch the model with `git lfs pull`, in CI also with `lfs: true` on checkout",
        ),
        (
            b"Kaydara FBX Binary",
            "the file is FBX, which is not read",
            "convert it to glTF 2.0 (.glb), for example with Blender",
        ),
        (
            b"; FBX",
            "the file is FBX text, which is not read",
            "convert it to glTF 2.0 (.glb), for example with Blender",
        ),
        (b"BLENDER", "the file is a Blender scene", export),
        (b"PXR-USDC", "the file is USD", export),
        (b"#usda", "the file is USD", export),
        (b"PK\x03\x04", "the file is a ZIP archive (USDZ perhaps)", export),
        (b"<", "the file is XML or HTML (COLLADA perhaps, or an error page of a download)", export),
    ];
    if bytes.is_empty() {
        return ("the file is empty", "it may still be being written, or the export failed");
    }
    let found = starts.into_iter().find(|(start, ..)| text.starts_with(start));
    found.map_or(("the file is no glTF", export), |(_, message, help)| (message, help))
}
