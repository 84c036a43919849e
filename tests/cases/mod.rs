//! x

mod animation;
mod constants;
mod geometry;
mod play;
mod project;
mod robustness;
mod texture;
