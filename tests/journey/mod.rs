//! From model file to outputs: the whole of `bake`, against references.

mod reference;
