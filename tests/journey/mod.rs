//! From model file to outputs: the whole of `bake`, against references.

mod bounds;
mod characters;
mod errors;
mod formats;
mod reference;
mod tangents;
