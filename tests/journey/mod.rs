//! From model file to outputs: the whole of `bake`, against references.

mod blocks;
mod bounds;
mod characters;
mod errors;
mod formats;
mod guard;
mod reference;
mod tangents;
