//! All tests, in one binary; the folders mirror `src`.

mod bake;
mod build_script;
mod cache;
mod cases;
mod ci;
mod cli;
mod codegen;
mod container;
mod encode;
mod gpu;
mod journey;
mod manifest;
mod motion;
mod report;
mod runtime;
mod source;
mod support;
mod torture;
mod watch;
