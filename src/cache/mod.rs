//! What is baked once is not baked again. This page is the specification.
//!
//! # Levels
//!
//! | level | says | kept in |
//! |---|---|---|
//! | [`memo`] | this file still has that digest | `<out>/.vatpipe/memo`; a shortcut, never part of a key |
//! | [`ready`] | these files are as they were when a build had nothing to do | `<cache>/v1/ready`; a shortcut as well |
//! | [`published`] | these outputs were made of those inputs and settings | `<out>/vat.published.json`; may be committed |
//! | [`key`] | this decides the bytes of one clip | [`store`] entries |
//! | [`constants`] | these are the constants of one character | `<out>/.vatpipe/pieces`, which says where they lie in the last files |
//! | [`store`] | the texels of a clip | the user's cache folder, shared by all checkouts and processes |
//!
//! A build goes down the levels only as far as it must:
//!
//! 0. Where the manifest has the text that it had when a build found nothing to do, only characters with files that changed
//!    since are looked at ([`run::at_a_glance`](crate::run::at_a_glance)); of the manifest, only their tables are read.
//! 1. A character is *fresh* if the digest of its recipe, of every file that it was made of, and of every output is the
//!    published one. Nothing of it is read but the file system's word on its files; nothing is parsed.
//! 2. Otherwise its source is read, and each clip's key is made. A clip whose key the store knows is *cached*:
//!    its block of texels is taken as it is.
//! 3. Otherwise the clip is *baked*, and kept.
//!
//! Then sheets are put together from blocks, and published if they differ. Constants are made again only if the metadata
//! of a character, the targets or a template changed. They hold bounds, and the bias and scale of tracks: most edits of
//! motion change them too. The pieces of other characters are copied then, out of the old file as it is read: that is digested
//! on the way, and what was copied counts only if it was what it should be.
//!
//! Where a glance leaves a single character to look at, constants and the new record are written aside while its files are
//! on their way to the disk, and put in place after them; if anything comes in between, they are thrown away and made when
//! their time has come.
//!
//! A character that lacks an output, its inputs unchanged, goes the way of 2: its source is read, though no clip of it is
//! baked. That is rare, and the mesh could not be made otherwise.
//!
//! Warnings of a character are part of the record, and said again while it is fresh.
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
//! | `quality` | how hard encoders of blocks try, and for which processor family they were compiled; nothing without blocks |
//! | `relative` | offsets, positions or whichever is better |
//! | `shapes` | how wide each block is, and in how many bands |
//! | `request` | with a budget: what it allows, whether rate and format are chosen, the formats there are, the largest texture; `frames`, `fps` and `holds` are then those at the highest rate and of the first format |
//!
//! All of it is taken after decoding and in canonical form: joints in the order in which columns first name them (those of
//! one column by name), floats as bits, every list with its length in front. So the name of a node enters only through the
//! order in which the joints of one column are summed up, and nothing enters of: paths, times, host, user, thread count;
//! generator, extras, images, JSON layout, accessor order; other clips; nodes, joints and morph targets that move nothing;
//! where in a sheet the clip will lie.
//!
//! # Garbage
//!
//! [`gc`] removes what is old or too much, at most once a day at the end of a build, and never what an output folder of this
//! machine ([`projects`]) has published. It is skipped while another process uses the store.
//!
//! # Asking
//!
//! [`why`] keeps why each clip was baked last: a line for each character, added to the file until that is too long. [`run::check`](crate::run::check) goes the same way as a build without writing.
//!
//! # Crashes, disks, neighbours
//!
//! - Files of the store appear whole under their names and never change; what is read is verified, and what is damaged is
//!   thrown away. The store can only make a build slower, never wrong and never fail: where it cannot be written there is
//!   one warning.
//! - Outputs of a character and what commits them are on the disk, folders included, before they count. Constants and the
//!   record are not waited for: they have digests, and may be lost when the machine fails, but are not believed then. They
//!   are on the disk before the memo says what is in them ([`memo::Memo::digest_on_disk`]).
//! - Constants that cannot be written fail the build and cost no character: the record is written without them.
//! - Outputs are switched by a commit record ([`publish`]): killed at any moment, the next build ends what was begun
//!   or throws it away, and ends with the bytes of a clean build.
//! - What is read back has a digest of its own (entries, blobs, the record, the memo, pieces): a flipped byte makes it unknown,
//!   not wrong. A record that is unknown names nothing, so what it named and nobody wants any more stays.
//! - Who holds the lock of a key sleeps while others bake for it ([`clips::Bakers`]): it must not meet a lock again.
//! - A key is made under its lock, so of several processes one bakes and the others take. An output folder is written
//!   under its lock. Locks belong to the operating system and die with their process.
//! - Failures are not remembered: what failed is tried again. A clip over its budget is no failure to bake: it is kept with all that was measured, so
//!   that it fails again at once.

pub mod bytes;
#[cfg(feature = "bake")]
pub mod clips;
mod commit;
#[cfg(feature = "bake")]
pub mod constants;
pub mod digest;
pub mod folder;
pub mod fresh;
#[cfg(feature = "bake")]
pub mod gc;
pub mod key;
#[cfg(feature = "bake")]
pub mod lods;
pub mod memo;
#[cfg(feature = "bake")]
pub mod projects;
pub mod publish;
pub mod published;
#[cfg(feature = "bake")]
pub mod ready;
#[cfg(feature = "bake")]
pub mod reason;
#[cfg(feature = "bake")]
pub mod splice;
pub mod store;
pub mod warnings;
#[cfg(feature = "bake")]
pub mod why;
