//! What tests share: small models, readers, comparison.

pub mod baking;
pub mod loader;
pub mod node;
pub mod random;
pub mod reference;
pub mod variant;
