//! What is baked once is not baked again. This page is the specification.
//!
//! # Levels
//!
//! | level | says | kept in |
//! |---|---|---|
//! | [`memo`] | this file still has that digest | `<out>/.vatpipe/memo.json`; a shortcut, never part of a key |
//! | [`published`] | these outputs were made of those inputs and settings | `<out>/vat.published.json`; may be committed |
//! | [`key`] | this decides the bytes of one clip | [`store`] entries |
//! | [`store`] | the texels of a clip | the user's cache folder, shared by all checkouts and processes |
//!
//! A build goes down the levels only as far as it must:
//!
//! 1. A character is *fresh* if the digest of its recipe, of every file that it was made of, and of every output is the
//!    published one. Nothing of it is read but the file system's word on its files; nothing is parsed.
//! 2. Otherwise its source is read, and each clip's key is made. A clip whose key the store knows is *cached*:
//!    its block of texels is taken as it is.
//! 3. Otherwise the clip is *baked*, and kept.
//!
//! Then sheets are put together from blocks, and published if they differ. Constants are made again only if the metadata
//! of a character, the targets or a template changed.
//!
//! # What enters a clip's key
//!
//! | field | of |
//! |---|---|
//! | `version` | [`key::BAKE_VERSION`] |
//! | `mesh` | columns: positions, normals and tangents if baked, influences, morph deltas, joints with inverse bind matrices, default weights |
//! | `skeleton` | the nodes that move columns and all above them, at rest |
//! | `motion` | the curves of those nodes |
//! | `start`, `duration`, `frames`, `fps`, `looping`, `step` | when frames are, and what follows the last |
//! | `holds` | what is stored, in which formats |
//! | `relative` | offsets, positions or whichever is better |
//! | `width`, `bands` | the shape of the block |
//!
//! All of it is taken after decoding and in canonical form: joints in the order in which columns first name them (those of
//! one column by name), floats as bits, every list with its length in front. So the name of a node enters only through the
//! order in which the joints of one column are summed up, and nothing enters of: paths, times, host, user, thread count;
//! generator, extras, images, JSON layout, accessor order; other clips; nodes, joints and morph targets that move nothing;
//! where in a sheet the clip will lie.
//!
//! # Crashes, disks, neighbours
//!
//! - Files of the store appear whole under their names and never change; what is read is verified, and what is damaged is
//!   thrown away. The store can only make a build slower, never wrong and never fail: where it cannot be written there is
//!   one warning.
//! - Outputs are switched by a commit record ([`publish`]): killed at any moment, the next build ends what was begun
//!   or throws it away, and ends with the bytes of a clean build.
//! - A key is made under its lock, so of several processes one bakes and the others take. An output folder is written
//!   under its lock. Locks belong to the operating system and die with their process.
//! - Failures are not remembered: what failed is tried again.

pub mod clips;
pub mod digest;
pub mod folder;
pub mod key;
pub mod memo;
pub mod publish;
pub mod published;
pub mod reason;
pub mod store;
