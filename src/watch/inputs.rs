//! What is known of one input.

use std::time::{Duration, Instant};

use crate::cache::memo::Stamp;

/// How long a file is not whole before that is said: most are written at once.
const TELL: Duration = Duration::from_millis(200);

/// What the last build began with.
pub(super) struct Known {
    pub(super) stamp: Option<Stamp>,
    /// When it was asked for, nanoseconds since 1970.
    pub(super) at: i64,
}

/// An input that is not as the last build began with.
pub(super) struct Dirty {
    pub(super) stamp: Option<Stamp>,
    /// When it was first seen to have changed.
    pub(super) first: Instant,
    /// When it was last seen to change.
    pub(super) since: Instant,
    /// Whether it was said that it is not whole.
    pub(super) told: bool,
}

impl Dirty {
    pub(super) fn new(stamp: Option<Stamp>) -> Self {
        let now = Instant::now();
        Self { stamp, first: now, since: now, told: false }
    }

    /// Whether it is to be said now that it is not whole.
    pub(super) fn is_to_tell(&mut self, now: Instant) -> bool {
        now.saturating_duration_since(self.first) >= TELL && !std::mem::replace(&mut self.told, true)
    }
}

/// How a file looks.
pub(super) enum Look {
    Whole,
    /// It may be whole, and has to stay as it is for so long.
    Quiet(Duration),
    /// It is not whole.
    Broken(String),
}
