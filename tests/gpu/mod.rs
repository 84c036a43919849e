//! The generated shaders on a device, against a decoder of their own.
//!
//! | file | does |
//! |---|---|
//! | `device` | adapters and devices |
//! | `texture` | a sheet as a texture |
//! | `program` | shaders around the generated functions, in three languages |
//! | `work`, `draw` | jobs for a device, in a compute shader or as points of a draw, and what comes back |
//! | `decoder` | what has to come back, and how far off it may be |
//! | `part` | which functions read a sheet, random moments, and the comparison |
//! | `parity` | every clip of all characters, every format |
//! | `astc` | what only SwiftShader reads, and only in a draw |
//! | `modes` | one test for each way to play, with values known beforehand |
//! | `crowd` | the example of that name |

//!
//! Drivers without a GPU: Mesa's lavapipe (22.3) reads every uncompressed format, 16-bit UNORM with wgpu's
//! `TEXTURE_FORMAT_16BIT_NORM`, and BC, in compute shaders and in draws; it has no ASTC. SwiftShader (in Chromium) reads ASTC LDR, in draws
//! only. Neither has ASTC HDR, and no GPU has UASTC. A real GPU that wgpu finds is tested like lavapipe, in the formats that it has.
//!
//! HLSL and GLSL go through glslang to SPIR-V, and from there through naga, as wgpu takes it. naga knows no textures with a sampler
//! inside, so GLSL is compiled with separate textures, and its filtered functions are not run.

mod astc;
mod crowd;
mod decoder;
mod device;
mod draw;
mod modes;
mod parity;
mod part;
mod program;
mod texture;
mod work;
