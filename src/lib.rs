//! `vatpipe` bakes vertex animation textures as part of a game's build.

mod math;
pub mod problem;

pub mod manifest;

pub mod source;

pub mod motion;

pub mod encode;

pub mod container;
pub mod metadata;

pub mod codegen;

#[cfg(feature = "cli")]
pub mod cli;
