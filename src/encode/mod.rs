//! Texel values → bytes in a [`Format`], and back again for measuring.
//!
//! Values come and go as structure-of-arrays: one plane of `f32` for each of x, y and z, all
//! equally long, texel after texel as they lie in the texture. The loops are plain streams, so a
//! caller may cut planes and bytes anywhere between texels and work on the pieces in parallel:
//! [`encode_into`] and [`decode_into`] take slices. [`encode`] and [`decode`] grow vectors.
//!
//! What the values are:
//!
//! | format | x, y, z | fourth channel without packed normals | with |
//! |---|---|---|---|
//! | `rgba32f` | any, stored as they are | 1.0 | the integer as a float, 0.0 to 65535.0 |
//! | `rgba16f` | any, to the nearest half | 1.0 | cannot |
//! | `rgba16ui` | 0 to 1, times 65535 | 65535 | the integer |
//! | `rgba16` | 0 to 1, times 65535 | 65535 (reads as 1.0) | the integer (reads as a 65535th) |
//! | `rgb10a2` | 0 to 1, times 1023 | 3 (reads as 1.0) | cannot |
//! | `rgba8` | 0 to 1, times 255 | 255 (reads as 1.0) | cannot |
//! | `rg8` | x and y 0 to 1, times 255; z is not stored | none | cannot |
//!
//! Integers are rounded to the nearest, ties to even; values outside 0 to 1 are clamped. Halves
//! are rounded to the nearest, ties to even; beyond the largest (65504) they are clamped to it. NaN
//! becomes 0 in every format, in `rgba32f` too: no texel is ever NaN or, but for `rgba32f`,
//! infinite.
//!
//! Decoding gives what a shader reads, in `f32`: `code / (2^bits - 1)` for integers (the shader's own
//! division for `rgba16ui`), floats as stored; z of `rg8` reads as 0.
//!
//! Directions are brought into the unit square first, by [`octahedral`]. A packed normal is the two
//! bytes in one integer. A sheet of normals in `rg8` has x and y, a sheet of tangents in `rgba8` x, y
//! and, in z, the handedness: 0 for -1, 1 for +1. Byte `b` goes in as `b / 255` and comes out as
//! `b` again.

#[cfg(feature = "bake")]
mod blocks;
mod facts;
mod format;
#[cfg(feature = "bake")]
mod loops;
#[cfg(feature = "script")]
mod name;
#[cfg(feature = "bake")]
pub mod octahedral;
#[cfg(feature = "bake")]
mod picture;
#[cfg(feature = "script")]
pub mod platforms;
#[cfg(feature = "script")]
mod quality;

pub use format::{Format, Kind};
#[cfg(feature = "bake")]
pub use loops::{Decoded, decode, decode_into, encode, encode_into};
#[cfg(feature = "bake")]
pub use picture::{Effort, Picture, decode_picture, encode_picture};
#[cfg(feature = "script")]
pub use quality::Quality;

#[cfg(feature = "script")]
use crate::problem::{Problem, Result};

/// Whether this build has the encoder of a format.
///
/// # Errors
/// `encode::feature`: the advice names the feature to build with.
#[cfg(feature = "script")]
pub fn check_available(format: Format) -> Result<()> {
    if format.is_available() { Ok(()) } else { Err(missing(format)) }
}

/// A format whose encoder was left out of the build.
#[cfg(feature = "script")]
fn missing(format: Format) -> Problem {
    let feature = format.cargo_feature().unwrap_or_default();
    Problem::error("encode::feature", format!("this build of vatpipe has no encoder for `{format}`"))
        .help(format!("build it with the feature `{feature}`, which the default features include"))
}

/// Which encoder makes the blocks of a format, where it matters for their bytes: the C++ encoders give the same
/// blocks on all machines of an architecture, but not across architectures, where compilers fuse
/// multiplications and additions. `None` for formats whose bytes are the same everywhere.
#[cfg(feature = "script")]
pub fn encoder(format: Format) -> Option<&'static str> {
    match format.cargo_feature() {
        None | Some("bc") => None,
        Some(_) => Some(std::env::consts::ARCH),
    }
}
