//! [`Source`] + sampling → [`Poses`] `[frame][joint]` → [`Frames`] `[frame][column]`.
//!
//! Four steps, each a plain struct to the next:
//!
//! 1. [`select`]: which animations are baked, under which names, sampled at which times.
//! 2. [`vertices`]: the parts of the source as one list of vertices, the emitted mesh's.
//! 3. [`rig`]: those vertices with everything that moves them, each distinct trajectory once: a
//!    *column*. Vertices that start alike and are moved alike share one.
//! 4. [`pose`] and [`mod@deform`]: the transforms at a time, and the columns under them.
//!
//! Two more serve what must not depend on the clips, so that one more clip changes nothing of the
//! others: [`probe`] moves a rig by poses made up for it, and [`order`] arranges columns so that
//! neighbours move alike in these.
//!
//! What can go wrong: a name selects nothing or too much, a clip from another file moves joints
//! that this character lacks, and numbers that leave the range of `f32` on their way (an absurd
//! scale); all are reported by character and clip.

mod columns;
pub mod deform;
pub mod order;
pub mod pose;
pub mod probe;
pub mod rig;
pub mod select;
mod skin;
pub mod vertices;

pub use deform::{Frame, Frames, Scratch, deform, deform_into};
pub use pose::{Animation, Poses};
pub use rig::Rig;
pub use select::{ChosenClip, Timeline, choose};
pub use vertices::{VertexRef, Vertices};

#[cfg(doc)]
use crate::source::Source;
