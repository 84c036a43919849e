//! Images → KTX2 files, meshes → GLB files. Knows images and meshes, not animation.

pub mod glb;
pub mod ktx2;
