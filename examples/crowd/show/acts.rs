//! What an actor does over time: a routine of acts that ends where it began, so that every moment can be worked out
//! from the clock alone.

use glam::Vec2;
use vatpipe::metadata::Character;

/// Ticks a second, as in the generated sources (`VAT_TICKS_PER_SECOND`).
pub const TICKS: f64 = 4096.0;

/// How an actor moves during an act.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    /// Stays where it is.
    Stand,
    /// Walks, metres a second: the clip is in place.
    Stride(f32),
    /// The clip itself leads that many metres ahead; the actor follows when it is over.
    Leap(f32),
    /// The clip itself turns that far to the left, in radians; the actor follows when it is over.
    Turn(f32),
}

/// One clip, for a time.
#[derive(Clone, Copy, Debug)]
pub struct Act {
    /// The number of the clip.
    pub clip: u32,
    /// How long, in ticks.
    pub ticks: u64,
    /// Where it leads.
    pub motion: Motion,
    /// Seconds of cross-fade from the act before; 0 where it begins in the last pose of that.
    pub fade: f32,
}

/// The words of an instance that the generated `VatInstance` reads.
#[derive(Clone, Copy, Debug)]
pub struct State {
    pub clip: u32,
    pub previous: u32,
    pub start: u32,
    pub previous_start: u32,
    pub speed: f32,
    pub phase: f32,
    pub fade_start: u32,
    pub fade_length: f32,
}

impl State {
    /// One clip for ever, out of step with others.
    pub fn steady(clip: u32, speed: f32, phase: f32) -> State {
        let (previous, start) = (clip, 0);
        State { clip, previous, start, previous_start: 0, speed, phase, fade_start: 0, fade_length: 0.0 }
    }
}

/// The acts, again and again. Their turns add up to whole turns, and their ways to nothing.
#[derive(Clone, Debug)]
pub struct Routine {
    pub acts: Vec<Act>,
}

impl Routine {
    /// The state at a tick, how far the actor has come, and its heading, both as seen at the routine's beginning.
    pub fn at(&self, now: u64) -> (State, Vec2, f32) {
        let total: u64 = self.acts.iter().map(|act| act.ticks).sum();
        let mut left = now % total.max(1);
        let (mut place, mut heading) = (Vec2::ZERO, 0.0);
        let mut before = self.acts[self.acts.len() - 1];
        for act in &self.acts {
            let ahead = Vec2::new(libm::sinf(heading), libm::cosf(heading));
            if left < act.ticks {
                if let Motion::Stride(speed) = act.motion {
                    place += ahead * speed * (left as f64 / TICKS) as f32;
                }
                return (state(&before, act, now - left), place, heading);
            }
            match act.motion {
                Motion::Stand => {}
                Motion::Stride(speed) => place += ahead * speed * (act.ticks as f64 / TICKS) as f32,
                Motion::Leap(far) => place += ahead * far,
                Motion::Turn(angle) => heading += angle,
            }
            left -= act.ticks;
            before = *act;
        }
        (State::steady(before.clip, 1.0, 0.0), place, heading)
    }
}

/// Ticks wrap after 12 days; the shader takes differences.
fn state(before: &Act, act: &Act, start: u64) -> State {
    let start_tick = start as u32;
    State {
        clip: act.clip,
        previous: before.clip,
        start: start_tick,
        previous_start: start_tick.wrapping_sub(before.ticks as u32),
        speed: 1.0,
        phase: 0.0,
        fade_start: start_tick,
        fade_length: act.fade,
    }
}

/// Makes acts of a character's clips.
pub struct Cast<'a>(pub &'a Character);

impl Cast<'_> {
    /// The number of a clip.
    pub fn clip(&self, name: &str) -> u32 {
        self.0.clips.iter().position(|clip| clip.name == name).unwrap_or_default() as u32
    }

    /// A clip, `times` times over.
    pub fn act(&self, name: &str, times: u32, motion: Motion, fade: f32) -> Act {
        let clip = self.clip(name);
        let seconds = self.0.clips[clip as usize].duration * f64::from(times);
        Act { clip, ticks: (seconds * TICKS + 0.5) as u64, motion, fade }
    }
}
