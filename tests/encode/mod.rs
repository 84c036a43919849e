//! Texel formats, there and back.

mod blocks;
mod format;
mod loops;
mod octahedral;
mod platforms;
