//! The state of one instance, as shaders read it from a buffer.

use super::time::{Play, clip_of};

/// What one instance plays: 32 bytes, the same in every shader language. All times are [`ticks`](super::ticks).
///
/// It only changes when the game decides something: between decisions the shader works out every frame from `now`. So
/// results do not depend on how often a game runs its loop.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Instance {
    /// The clip, and what it does at its end: see [`clip_word`](super::clip_word).
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

    /// The same with another speed, of the clips that it plays from now on: a running clip jumps.
    pub fn with_speed(self, speed: f32) -> Self {
        Self { speed, ..self }
    }

    /// The same with a share of the clip's length added.
    pub fn with_phase(self, phase: f32) -> Self {
        Self { phase, ..self }
    }

    /// Begins another clip, which fades in over so many seconds while the one that is seen now fades out. Only two
    /// clips are ever blended: of a fade that is under way, the one that shows more goes on.
    pub fn fade_to(&mut self, clip: u32, now: u32, seconds: f32) {
        if self.fade(now) >= 0.5 {
            self.previous = self.clip;
            self.previous_start = self.start;
        }
        self.clip = clip;
        self.start = now;
        self.fade_start = now;
        self.fade_length = seconds;
    }

    /// Forgets a fade that is over, so that it does not begin again when its ticks have wrapped around, days later. Call
    /// it now and then; nothing else changes.
    pub fn settle(&mut self, now: u32) {
        if self.fade(now) >= 1.0 {
            self.previous = self.clip;
            self.previous_start = self.start;
        }
    }

    /// The share of `clip` against `previous`: 0 before the fade, 1 after it.
    pub fn fade(&self, now: u32) -> f32 {
        let elapsed = now.wrapping_sub(self.fade_start).cast_signed();
        if elapsed < 0 {
            0.0
        } else if self.fade_length > 0.0 {
            (elapsed as f32 / super::TICKS_PER_SECOND as f32 / self.fade_length).min(1.0)
        } else {
            1.0
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

    /// The bytes, as a GPU of the same byte order reads them.
    pub fn to_ne_bytes(&self) -> [u8; Self::SIZE] {
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
}
