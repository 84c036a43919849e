//! What tests share: small models, readers, comparison.

pub mod baking;
pub mod cases;
pub mod loader;
pub mod memory;
pub mod model;
pub mod models;
pub mod node;
pub mod random;
pub mod reference;
pub mod sound;
pub mod variant;
