//! `vat.toml` text → [`Vec<Recipe>`]: what to bake, with every default filled in.

mod recipe;

pub use recipe::*;
