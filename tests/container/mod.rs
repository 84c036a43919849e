//! KTX2 and GLB files as independent readers see them.

mod glb;
mod ktx2;
