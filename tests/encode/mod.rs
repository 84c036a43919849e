//! Texel formats, there and back.

mod format;
mod loops;
mod octahedral;
