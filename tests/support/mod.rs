//! What tests share: small models, readers, comparison.

pub mod node;
pub mod random;
pub mod cases;
pub mod memory;
pub mod model;
pub mod models;
pub mod sound;
