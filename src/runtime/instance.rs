//! The state of one instance, as shaders read it from a buffer.

use super::time::{Play, clip_of};

/// What one instance plays: 32 bytes, the same in every shader language. All times are [`ticks`](super::ticks).
///
/// It only changes when the game decides something: between decisions the shader works out every frame from `now`. So
/// results do not depend on how often a game runs its loop.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Instance {
    /// The clip's number, or [`Playback::of`](super::Playback::of) it.
    pub clip: u32,
    /// The clip that fades out.
    pub previous: u32,
    /// When `clip` began.
    pub start: u32,
    /// When `previous` began.
    pub previous_start: u32,
    /// Of both clips: 1 is as authored, negative runs backwards.
    pub speed: f32,
    /// Share of a clip's length that is added, 0 to 1, to both: keeps a crowd out of step.
    pub phase: f32,
    /// When `clip` began to fade in.
    pub fade_start: u32,
    /// Seconds that the fade takes; 0 is a cut.
    pub fade_length: f32,
}

impl Instance {
    /// Bytes of an instance.
    pub const SIZE: usize = 32;

    /// An instance that begins a clip now.
    pub fn new(clip: u32, now: u32) -> Self {
        Self {
            clip,
            previous: clip,
            start: now,
            previous_start: now,
            speed: 1.0,
            phase: 0.0,
            fade_start: now,
            fade_length: 0.0,
        }
    }

    /// The same at another speed, from the beginning: a clip that runs already jumps.
    pub fn with_speed(self, speed: f32) -> Self {
        Self { speed, ..self }
    }

    /// The same with a share of the clip's length added.
    pub fn with_phase(self, phase: f32) -> Self {
        Self { phase, ..self }
    }

    /// Plays another clip from `now` on, while the one that plays fades out within so many seconds; 0 is a cut. What is
    /// fading out already ends: only two clips are ever blended.
    #[must_use = "the instance itself stays as it is"]
    pub fn fade_to(self, clip: u32, now: u32, seconds: f32) -> Self {
        let (previous, previous_start) = (self.clip, self.start);
        Self { clip, previous, start: now, previous_start, fade_start: now, fade_length: seconds, ..self }
    }

    /// Forgets the clip that has faded out, so that it does not come back when ticks have wrapped around, six days later.
    /// What is seen stays the same; before the end of a fade nothing happens. Enough once a day.
    #[must_use = "the instance itself stays as it is"]
    pub fn settle(self, now: u32) -> Self {
        if self.fade_weight(now) >= 1.0 {
            return Self { previous: self.clip, previous_start: self.start, ..self };
        }
        self
    }

    /// The weight of `clip` against `previous`: 0 before the fade, 1 after it.
    pub fn fade_weight(&self, now: u32) -> f32 {
        let elapsed = now.wrapping_sub(self.fade_start).cast_signed();
        if elapsed < 0 {
            0.0
        } else if self.fade_length <= 0.0 {
            1.0
        } else {
            (elapsed as f32 / super::TICKS_PER_SECOND as f32 / self.fade_length).min(1.0)
        }
    }

    /// How `clip` is played.
    pub fn play(&self) -> Play {
        self.play_of(self.clip, self.start)
    }

    /// How `previous` is played.
    pub fn play_previous(&self) -> Play {
        self.play_of(self.previous, self.previous_start)
    }

    fn play_of(&self, clip: u32, start: u32) -> Play {
        Play { playback: clip_of(clip).1, start, speed: self.speed, phase: self.phase }
    }

    /// The bytes for a buffer.
    pub fn to_ne_bytes(self) -> [u8; Self::SIZE] {
        let words = [
            self.clip,
            self.previous,
            self.start,
            self.previous_start,
            self.speed.to_bits(),
            self.phase.to_bits(),
            self.fade_start,
            self.fade_length.to_bits(),
        ];
        let mut bytes = [0; Self::SIZE];
        for (bytes, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(words) {
            *bytes = word.to_ne_bytes();
        }
        bytes
    }

    /// The instance in such bytes: those of `Instance` in `vat.rs` too.
    pub fn from_ne_bytes(bytes: [u8; Self::SIZE]) -> Self {
        let word = |i: usize| u32::from_ne_bytes([0, 1, 2, 3].map(|byte| bytes[4 * i + byte]));
        Self {
            clip: word(0),
            previous: word(1),
            start: word(2),
            previous_start: word(3),
            speed: f32::from_bits(word(4)),
            phase: f32::from_bits(word(5)),
            fade_start: word(6),
            fade_length: f32::from_bits(word(7)),
        }
    }
}
