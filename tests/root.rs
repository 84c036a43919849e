//! All tests, in one binary; the folders mirror `src`.

mod bake;
mod cache;
mod cases;
mod cli;
mod codegen;
mod container;
mod encode;
mod gpu;
mod journey;
mod manifest;
mod motion;
mod report;
mod source;
mod support;
mod torture;
