//! x

mod animation;
mod geometry;
mod play;
mod project;
mod texture;
