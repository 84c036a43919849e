//! What tests share: small models, readers, comparison.

pub mod node;
pub mod random;
