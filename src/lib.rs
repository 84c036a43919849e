//! `vatpipe` bakes vertex animation textures as part of a game's build.

mod math;

pub mod bake;
pub mod problem;

pub mod manifest;

pub mod source;

pub mod motion;

pub mod lod;

pub mod layout;

pub mod texels;

pub mod encode;

pub mod measure;

pub mod container;
pub mod metadata;

pub mod codegen;

pub mod files;
pub mod run;

#[cfg(feature = "cli")]
pub mod cli;
