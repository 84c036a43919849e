//! What the caller decides about reading.

use crate::manifest::Selector;

/// What is read of a file, and how much of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Which scene is the character; the file's default scene if absent, else its first, else
    /// (a file without scenes) all of its nodes.
    pub scene: Option<Selector>,
    /// Whether a file that draws no triangle is an error. `false` for files that are opened for
    /// their clips alone, as Mixamo writes them.
    pub need_triangles: bool,
    /// Where reading gives up.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self { scene: None, need_triangles: true, limits: Limits::default() }
    }
}

/// Bounds on what a file may ask for. A glTF file of a kilobyte can ask for exabytes (zeros need no
/// data, and any number of meshes may share one accessor), so the size of the file is no bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Vertices of all parts together. 4 million: no texture of 16,384 x 16,384 holds more than a
    /// minute of that many.
    pub vertices: usize,
    /// Triangles of all parts together.
    pub triangles: usize,
    /// Numbers of four bytes decoded from any file, however small: vertex data, indices, keys.
    pub numbers: u64,
    /// Numbers decoded beyond that for each byte of the file and its buffers. Sparse morph targets and
    /// compression need some; 4 is much.
    pub numbers_per_byte: u64,
    /// Seconds: the longest clip that can be baked. A longer one draws a warning, and is an error once it is chosen.
    pub duration: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            vertices: 4_000_000,
            triangles: 8_000_000,
            numbers: 16 << 20,
            numbers_per_byte: 8,
            duration: 3600.0,
        }
    }
}
