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
