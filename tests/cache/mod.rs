//! What is baked again after which edit, and what is not; what a build leaves in the output folder and in the
//! store, whatever happened to either.

mod actor;
mod again;
mod edits;
mod golden;
mod same;
mod scene;
