//! From model file to outputs: the whole of `bake`, against references.

mod axes;
mod blocks;
mod bounds;
mod characters;
mod errors;
mod formats;
mod guard;
mod reference;
mod tangents;
