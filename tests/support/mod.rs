//! What tests share: small models, readers, comparison.

pub mod cases;
pub mod memory;
pub mod model;
pub mod models;
pub mod node;
pub mod random;
pub mod sound;
