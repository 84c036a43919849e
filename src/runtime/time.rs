//! Moments of a clip: seconds or ticks → a frame, and how far to the next.
//!
//! Seconds in 32 bits lose digits after hours, so instances count in *ticks*: unsigned 32-bit numbers, 4096 a second, whose
//! differences are taken modulo 2^32 and read as signed. Shaders do the same integer arithmetic, so program and
//! shader agree on the moment to the last bit.

use crate::metadata::{Clip, Playback as Interpolation, Track};

/// Ticks of a second.
pub const TICKS_PER_SECOND: u32 = 4096;

/// The largest speed, forwards or backwards.
pub const MAX_SPEED: f32 = 128.0;

/// A time in seconds as ticks, modulo 2^32 (12 days): take it from a clock in 64 bits. Not a number is 0.
pub fn ticks(seconds: f64) -> u32 {
    // Conversions saturate, long after any game.
    libm::floor(seconds * f64::from(TICKS_PER_SECOND)) as i64 as u32
}

/// Seconds from one tick to another: right while they are less than 6 days apart, either way.
pub fn seconds_between(start: u32, end: u32) -> f64 {
    f64::from(end.wrapping_sub(start).cast_signed()) / f64::from(TICKS_PER_SECOND)
}

/// What a clip does at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
pub enum Playback {
    /// As it was baked: over again, or once.
    #[default]
    AsBaked = 0,
    /// Over again.
    Loop = 1,
    /// Hold the last frame, and the first before the start.
    Once = 2,
    /// To the end and back, over again.
    PingPong = 3,
}

impl Playback {
    /// A clip's number with this playback instead of its own: what an [`Instance`](super::Instance) takes as a clip. The
    /// number is in bits 0 to 23, the playback in bits 24 and 25.
    pub const fn of(self, clip: u32) -> u32 {
        (clip & 0xff_ffff) | ((self as u32) << 24)
    }
}

/// The number of a clip of an instance, and its playback.
pub fn clip_of(word: u32) -> (u32, Playback) {
    let playback = match word >> 24 & 3 {
        1 => Playback::Loop,
        2 => Playback::Once,
        3 => Playback::PingPong,
        _ => Playback::AsBaked,
    };
    (word & 0xff_ffff, playback)
}

/// The frames of a track at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameAt {
    /// The frame at or before the moment. The row after it is the next frame, or the guard row.
    pub frame: u32,
    /// The share of the row after it, 0 to 1.
    pub blend: f32,
}

/// How a clip is played: what an [`Instance`](super::Instance) says of one of its two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Play {
    /// What it does at its end.
    pub playback: Playback,
    /// Ticks at which it began.
    pub start: u32,
    /// 1 is as authored; negative runs backwards. At most [`MAX_SPEED`] either way, in steps of 1/4096.
    pub speed: f32,
    /// Share of the clip's length that is added, 0 to 1; in steps of 1/65536 where the clip repeats.
    pub phase: f32,
}

/// The numbers of a track that decide when its frames are shown.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    frames: u32,
    fps: f64,
    duration: f64,
    looping: bool,
    stepped: bool,
}

impl Timing {
    /// Those of a track of a clip.
    pub fn of(clip: &Clip, track: &Track) -> Self {
        Self {
            frames: track.frames,
            fps: track.fps,
            duration: clip.duration,
            looping: clip.looping,
            stepped: clip.interpolation == Interpolation::Step,
        }
    }

    /// The frames at a time in seconds since the clip began. Clips that loop wrap, the others hold their ends; not a
    /// number is the beginning.
    pub fn at(&self, seconds: f64) -> FrameAt {
        let position = if !self.looping {
            hold(seconds * self.fps, f64::from(self.frames - 1))
        } else if self.duration > 0.0 {
            let turns = seconds / self.duration;
            hold(turns - libm::floor(turns), 1.0) * f64::from(self.frames)
        } else {
            0.0
        };
        let frame = (position as u32).min(self.frames - 1);
        self.frame_at(frame, (position - f64::from(frame)) as f32)
    }

    /// The frames at a moment in ticks, as the shaders have them.
    pub fn play(&self, play: &Play, now: u32) -> FrameAt {
        let local = local_ticks(play.start, play.speed, now);
        let intervals = (self.frames - 1 + u32::from(self.looping)) as f32;
        let position = match (play.playback, self.looping) {
            (Playback::Once, _) | (Playback::AsBaked, false) => {
                let seconds =
                    local.cast_signed() as f32 / TICKS_PER_SECOND as f32 + play.phase * self.duration as f32;
                (seconds * self.fps as f32).clamp(0.0, intervals)
            }
            // Turns as a fraction of 2^32, so that whole ones drop off; the upper 24 bits are exact as a float.
            (Playback::PingPong, _) => {
                let turns =
                    local.wrapping_mul(self.turns_per_tick() >> 1).wrapping_add(phase_turns(play.phase) >> 1);
                let there_and_back = (turns >> 8) as f32 / 8_388_608.0;
                there_and_back.min(2.0 - there_and_back) * intervals
            }
            (Playback::Loop, _) | (Playback::AsBaked, true) => {
                let turns = local.wrapping_mul(self.turns_per_tick()).wrapping_add(phase_turns(play.phase));
                (turns >> 8) as f32 / 16_777_216.0 * intervals
            }
        };
        let frame = (position as u32).min(self.frames - 1);
        self.frame_at(frame, position - frame as f32)
    }

    /// The share of the clip in a tick, as a fraction of 2^32.
    fn turns_per_tick(&self) -> u32 {
        // 2^32 ticks are 2^20 seconds. Conversions saturate.
        if self.duration > 0.0 { (1_048_576.0 / self.duration + 0.5) as u32 } else { 0 }
    }

    fn frame_at(&self, frame: u32, blend: f32) -> FrameAt {
        FrameAt { frame, blend: if self.stepped { 0.0 } else { blend } }
    }
}

/// Ticks of the clip since `start`, times `speed`, rounded down: a signed integer modulo 2^32, without any of 64 bits.
fn local_ticks(start: u32, speed: f32, now: u32) -> u32 {
    // Not a number is 0.
    let factor = (libm::floorf(speed.clamp(-MAX_SPEED, MAX_SPEED) * 4096.0 + 0.5) as i32).cast_unsigned();
    let elapsed = now.wrapping_sub(start);
    let seconds = (elapsed.cast_signed() >> 12).cast_unsigned();
    let rest = (elapsed & 4095).wrapping_mul(factor).cast_signed() >> 12;
    seconds.wrapping_mul(factor).wrapping_add(rest.cast_unsigned())
}

/// The fraction of a phase in 16 bits, as a fraction of 2^32.
fn phase_turns(phase: f32) -> u32 {
    (((phase - libm::floorf(phase)) * 65_536.0) as u32) << 16
}

/// `x` between 0 and `end`; not a number is 0.
fn hold(x: f64, end: f64) -> f64 {
    if x > 0.0 { x.min(end) } else { 0.0 }
}
