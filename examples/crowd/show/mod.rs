//! From baked files to pictures of a crowd:
//!
//! | file | does |
//! |---|---|
//! | `baked` | bakes `vat.toml` with the library, and reads what it wrote |
//! | `mesh` | the baked GLB → vertices and indices |
//! | `scene`, `acts` | who is where, and plays which clip since when |
//! | `view` | the camera and the sun |
//! | `cull` | who is seen, at which level of detail: the draw calls |
//! | `device`, `bindings`, `pipelines`, `stage` | what lies on the GPU |
//! | `draw` | a frame |
//! | `picture` | a frame into a PNG file |

pub mod baked;
pub mod device;
pub mod picture;
pub mod scene;

mod acts;
mod bindings;
mod cull;
mod draw;
mod mesh;
mod pipelines;
mod stage;
mod view;

pub use draw::Show;
