//! Texel values → bytes in a [`Format`], and back again for measuring.

mod format;

pub use format::Format;
