//! `vatpipe` bakes vertex animation textures as part of a game's build.
//!
//! A *vertex animation texture* holds, for every vertex and every frame of a clip, where that vertex is. A vertex
//! shader reads two texels and blends them, and a crowd of ten thousand animated characters costs the CPU nothing.
//! `vatpipe` reads a manifest (`vat.toml`) of characters and clips, and writes for each character textures (KTX2), a mesh
//! (GLB), metadata (JSON), and constants and functions in Rust, WGSL and HLSL that fit them, with the error of every
//! clip *measured* on the bytes as written.
//!
//! # The journey
//!
//! The code is one journey, and the modules below are in its order. A stage takes a plain struct and returns a plain
//! struct; it knows the types of earlier stages, and nothing of later ones, of threads, of the terminal. [`bake::bake`]
//! tells the whole story on one screen:
//!
//! | stage | takes | gives |
//! |---|---|---|
//! | [`manifest`] | the text of `vat.toml` | a [`Recipe`](manifest::Recipe) a character, every default filled in |
//! | [`source`] | the bytes of a model file | a [`Source`](source::Source): nodes, skins, geometry, morphs, clips, all checked |
//! | [`motion`] | a source and a recipe | [`Rig`](motion::Rig) (what moves), [`Poses`](motion::Poses) `[frame][joint]`, [`Frames`](motion::Frames) `[frame][column]` |
//! | [`lod`] | the vertices | index buffers |
//! | [`layout`] | counts and limits | a [`Layout`](layout::Layout): sheets, layers, bands, rows |
//! | [`texels`] | frames and a place | planes of values, and the numbers that bring them back |
//! | [`encode`] | planes and a format | bytes; and back again |
//! | [`measure`] | decoded bytes and the true motion | error and bounds |
//! | [`container`] | images and meshes | KTX2 and GLB files |
//! | [`metadata`] | all of the above | what loaders need to know |
//! | [`codegen`] | metadata and templates | source text |
//!
//! Around it: [`picture`] draws meshes without a GPU and [`report`] makes the page that shows what was baked (feature `picture`), [`bake`] chooses the rate and the format of a clip within its budget, [`axes`] are those that outputs are written in, [`figures`] are what a build came to in numbers, [`files`] is the only door to the file system, [`cache`] remembers what was baked and published (its page is the
//! specification of what is baked again when), [`run`] builds all characters of a manifest and reports events, [`build_script`] does so from a game's `build.rs`, `watch` (feature `watch`) does so whenever an input changes, [`problem`] is how everything says what is wrong, [`numbers`] how it writes numbers, and `cli` (feature `cli`) is the program.
//!
//! # Building from a program
//!
//! ```
//! use std::path::Path;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let model = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/characters/models/pennant.glb");
//! # std::fs::copy(model, folder.path().join("pennant.glb"))?;
//! # let path = folder.path().join("vat.toml");
//! let text = r#"
//!     [output]
//!     targets = ["rust", "wgsl"]
//!     [characters.pennant]
//!     source = "pennant.glb"
//! "#;
//! let manifest = vatpipe::manifest::load(text, &path)?;
//! let outcome = vatpipe::run::build(&manifest, &vatpipe::run::Options::default(), &|event| {
//!     if let vatpipe::run::Event::ClipBaked { clip, .. } = event {
//!         let error = clip.tracks[0].error.sample.unwrap_or_default();
//!         println!("{}: {} frames, at most {} m off", clip.name, clip.tracks[0].frames, error.max);
//!     }
//! });
//! assert_eq!(outcome.failed, 0);
//! assert!(folder.path().join("assets/vat/pennant/pennant.vat.json").exists());
//! # Ok(())
//! # }
//! ```
//!
//! # In a game
//!
//! [`runtime`] is the other end: it loads what was baked, and needs neither the stages nor the standard library. With [`build_script`]
//! a game's build bakes, and `examples/meadow` is a game that uses both. Features choose what is compiled: `runtime` and `reload` for
//! games, `script` for build scripts, `bake` for all stages, `cli` for the program.
//!
//! # Same bytes
//!
//! A bake gives the same bytes on every machine, with any number of threads, in debug and release builds: arithmetic is
//! plain IEEE 754 without fused operations, transcendental functions come from `libm`, nothing iterates over a hash map,
//! and no output holds a time, a path or a host. `clippy.toml` and the lints in `Cargo.toml` hold it.
//!
//! # Formats and guides
//!
//! In the repository: `docs/build-script.md` (a game's `build.rs`), `docs/format.md` (the files, enough to write a loader), `docs/manifest.md` (every key of
//! `vat.toml`), `docs/shaders.md` (the generated sources and their templates).

#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

#[cfg(feature = "bake")]
mod math;

pub mod axes;
#[cfg(feature = "bake")]
pub mod bake;
#[cfg(feature = "script")]
pub mod numbers;
#[cfg(feature = "script")]
pub mod problem;

#[cfg(feature = "script")]
pub mod manifest;

#[cfg(feature = "bake")]
pub mod source;

#[cfg(feature = "bake")]
pub mod motion;

#[cfg(feature = "bake")]
pub mod lod;

#[cfg(feature = "script")]
pub mod layout;

#[cfg(feature = "bake")]
pub mod texels;

pub mod encode;

#[cfg(feature = "bake")]
pub mod measure;

#[cfg(feature = "bake")]
pub mod container;
pub mod metadata;

#[cfg(feature = "bake")]
pub mod codegen;

#[cfg(feature = "runtime")]
pub mod runtime;

#[cfg(feature = "picture")]
pub mod picture;

#[cfg(feature = "script")]
pub mod cache;
#[cfg(feature = "bake")]
pub mod figures;
#[cfg(feature = "script")]
pub mod files;
#[cfg(feature = "bake")]
pub mod run;

#[cfg(feature = "watch")]
pub mod watch;

#[cfg(feature = "picture")]
pub mod report;

#[cfg(feature = "script")]
pub mod build_script;

#[cfg(feature = "cli")]
pub mod cli;
