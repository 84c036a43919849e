//! Who stands where, and what they play: the game's part. It decides now and then; the shader does the rest every frame.

use glam::Vec2;
use vatpipe::runtime::{Character, Instance, ticks};

use crate::vat;

/// Bytes of an instance in the vertex buffer: what it plays, then where it is.
pub const INSTANCE_BYTES: usize = Instance::SIZE + 24;

/// What a kind of character plays, and how many seconds go by before it chooses again.
struct Kind {
    clips: &'static [&'static str],
    seconds: f64,
}

/// In the order of [`NAMES`](crate::cast::NAMES). Names of clips come from the constants: one that is gone is an error of
/// the compiler.
const KINDS: [Kind; 3] = [
    Kind {
        clips: &[
            vat::dragon::Clip::Idle.name(),
            vat::dragon::Clip::Walk.name(),
            vat::dragon::Clip::Pounce.name(),
        ],
        seconds: 4.0,
    },
    Kind { clips: &[vat::kettle::Clip::Simmer.name(), vat::kettle::Clip::Trot.name()], seconds: 6.0 },
    Kind { clips: &[vat::pennant::Clip::Breeze.name(), vat::pennant::Clip::Gale.name()], seconds: 9.0 },
];

/// How many there are of all kinds together.
const COUNT: u32 = 500;
/// Metres from one to the next.
const APART: f32 = 1.45;
/// Seconds of a cross-fade.
const FADE: f32 = 0.4;

/// Which kind the character of a number is.
fn kind_of(number: u32) -> usize {
    if number % 9 == 4 { 2 } else { number as usize % 2 }
}

/// The instances of one kind of character at a time, as the vertex buffer holds them.
pub fn instances(kind: usize, character: &Character, time: f64) -> Vec<u8> {
    let Kind { clips, seconds } = KINDS[kind];
    // A clip that the artist has just renamed: any other does until the game is compiled again.
    let clips: Vec<u32> = clips.iter().map(|name| character.clip(name).unwrap_or(0)).collect();
    let mut bytes = Vec::new();
    for number in (0..COUNT).filter(|&number| kind_of(number) == kind) {
        let dice = |what: u32| dice(number, what);
        // Every so many seconds each chooses another clip, everybody at a time of their own.
        let beat = (time / seconds + f64::from(dice(0))).floor();
        let choice = |beat: f64| clips[(dice(16 + beat as u32) * clips.len() as f32) as usize % clips.len()];
        let began = |beat: f64| ticks((beat - f64::from(dice(0))) * seconds);
        // Who chose the same clip again has gone on with it.
        let mut first = beat - 1.0;
        while first > 0.0 && choice(first - 1.0) == choice(first) {
            first -= 1.0;
        }
        let mut state = Instance::new(choice(first), began(first)).with_phase(dice(1));
        if choice(beat) != choice(beat - 1.0) {
            state = state.fade_to(choice(beat), began(beat), FADE);
        }
        // On a spiral, as the seeds of a sunflower: evenly, in no rows.
        let out = APART * (number as f32 + 1.5).sqrt();
        let place = Vec2::from_angle(number as f32 * 2.399_963 + 0.7) * out + Vec2::new(0.0, 11.0);
        let turn = Vec2::from_angle(dice(2) * core::f32::consts::TAU);
        bytes.extend(state.to_ne_bytes());
        let numbers = [place.x, 0.0, place.y, 0.85 + 0.3 * dice(3), turn.x, turn.y];
        bytes.extend(numbers.into_iter().flat_map(f32::to_ne_bytes));
    }
    bytes
}

/// A number from 0 to below 1, always the same for the same questions.
fn dice(number: u32, what: u32) -> f32 {
    let mut x = number.wrapping_mul(0x85eb_ca6b) ^ what.wrapping_mul(0xc2b2_ae35);
    for _ in 0..2 {
        x = (x ^ (x >> 16)).wrapping_mul(0x7feb_352d);
        x = (x ^ (x >> 15)).wrapping_mul(0x846c_a68b);
    }
    (x >> 8) as f32 / (1 << 24) as f32
}
