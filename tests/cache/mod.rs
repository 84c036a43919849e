//! What is baked again after which edit, and what is not; what a build leaves in the output folder and in the
//! store, whatever happened to either; what the store forgets.

mod actor;
mod again;
mod edits;
mod gc;
mod glance;
mod golden;
mod reasons;
mod same;
mod scene;
