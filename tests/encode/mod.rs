//! Texel formats, there and back.
