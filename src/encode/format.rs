//! The texel formats, and what each is made of.

use serde::{Deserialize, Serialize};

/// A texel format. The names are those of the manifest and of `vat.json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Four 32-bit floats.
    Rgba32f,
    /// Four 16-bit floats.
    Rgba16f,
    /// Four 16-bit unsigned integers, read as integers.
    Rgba16ui,
    /// Four 16-bit unsigned normalised integers.
    Rgba16,
    /// 10, 10, 10 and 2 bits, unsigned normalised, red in the lowest bits.
    Rgb10a2,
    /// Four 8-bit unsigned normalised integers.
    Rgba8,
    /// Two 8-bit unsigned normalised integers: sheets of normals.
    Rg8,
}
