//! What the generated functions have to give, worked out anew: bytes by `docs/format.md` (the loader), time in 128-bit
//! integers, the rest in 64-bit floats, and how far 32-bit floats may be off.

use crate::support::loader::{Character, Clip, Track};

/// The step of rounding to 32-bit floats, of a number of size 1.
const ROUND: f64 = 1.0 / (1 << 24) as f64;
/// Ticks a second, and the turns of a `u32`.
const TICKS: i128 = 4096;
const TURN: i128 = 1 << 32;

/// How a clip is played: bits 24 and 25 of its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Playback {
    AsBaked,
    Loop,
    Once,
    PingPong,
}

pub const PLAYBACKS: [Playback; 4] = [Playback::AsBaked, Playback::Loop, Playback::Once, Playback::PingPong];

/// The word of an instance for a clip.
pub fn word(clip: usize, playback: Playback) -> u32 {
    clip as u32 | (playback as u32) << 24
}

/// A place between the frames of a track, in frames from the first, and how far off a shader may find it.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    pub position: f64,
    pub slack: f64,
}

/// Three numbers, and how far off those of a shader may be.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    pub v: [f64; 3],
    pub bound: f64,
}

/// Ticks of the clip that have passed: `(now - start) * speed`, speed in 4096ths.
fn local(now: u32, start: u32, speed: f32) -> i128 {
    let elapsed = i128::from(now.wrapping_sub(start) as i32);
    let speed = (f64::from(speed) * 4096.0 + 0.5).floor().clamp(-128.0 * 4096.0, 128.0 * 4096.0) as i128;
    (elapsed * speed).div_euclid(TICKS)
}

/// Frames from the first to where the clip ends.
fn intervals(clip: &Clip, track: &Track) -> f64 {
    if clip.looping { track.frames as f64 } else { track.frames as f64 - 1.0 }
}

/// Where a clip is that began at `start`.
pub fn play(
    clip: &Clip,
    track: &Track,
    playback: Playback,
    start: u32,
    speed: f32,
    phase: f32,
    now: u32,
) -> Moment {
    let local = local(now, start, speed);
    let ticks = clip.duration * TICKS as f64;
    let step = if clip.duration == 0.0 { 0 } else { ((TURN as f64 / ticks).round() as i128).min(TURN - 1) };
    let share = f64::from(phase) - f64::from(phase).floor();
    let phase32 = ((share * 65536.0).floor() as i128) << 16;
    let intervals = intervals(clip, track);
    match (playback, clip.looping) {
        (Playback::Loop, _) | (Playback::AsBaked, true) => {
            let turn = (local * step + phase32).rem_euclid(TURN) >> 8;
            let position = turn as f64 / (1 << 24) as f64 * intervals;
            Moment { position, slack: position * ROUND }
        }
        (Playback::PingPong, _) => {
            let turn = (local * (step / 2) + phase32 / 2).rem_euclid(TURN) >> 8;
            let there = turn as f64 / (1 << 23) as f64;
            let position = if there > 1.0 { 2.0 - there } else { there } * intervals;
            Moment { position, slack: position * ROUND }
        }
        (Playback::Once, _) | (Playback::AsBaked, false) => {
            // Wrapped like the shader's integers.
            let local = f64::from(local as u32 as i32);
            let (run, ahead) = (local / TICKS as f64, f64::from(phase) * clip.duration);
            let position = ((run + ahead) * track.fps).clamp(0.0, intervals);
            let slack = (run.abs() + 2.0 * ahead + (run + ahead).abs() * 2.0) * track.fps * ROUND;
            // What is out of reach of the ends stays there.
            Moment {
                position,
                slack: slack.min((2.0 * intervals).max(1.0) * 4.0 * ROUND + 3.0 * ahead * track.fps * ROUND),
            }
        }
    }
}

/// Where a clip is `time` seconds after it began, as baked: what the functions with a time find.
pub fn at(clip: &Clip, track: &Track, time: f32) -> Moment {
    let time = f64::from(time);
    if clip.looping {
        let turns = if clip.duration > 0.0 { time / clip.duration } else { 0.0 };
        let position = (turns - turns.floor()) * track.frames as f64;
        Moment { position, slack: (turns.abs() * 8.0 + 2.0) * track.frames as f64 * ROUND }
    } else {
        let position = (time * track.fps).clamp(0.0, track.frames as f64 - 1.0);
        Moment { position, slack: position * 3.0 * ROUND }
    }
}

/// The weight of the clip that fades in, and how far off it may be.
pub fn fade(fade_start: u32, fade_length: f32, now: u32) -> (f64, f64) {
    let elapsed = f64::from(now.wrapping_sub(fade_start) as i32);
    if elapsed < 0.0 {
        return (0.0, 0.0);
    }
    if fade_length <= 0.0 {
        return (1.0, 0.0);
    }
    let weight = elapsed / TICKS as f64 / f64::from(fade_length);
    if weight > 1.0 + 8.0 * ROUND { (1.0, 0.0) } else { (weight.min(1.0), 8.0 * ROUND * weight) }
}

/// The row before a moment, and the share of the row after it. Where a clip is stepped, `None` for the share.
fn rows(clip: &Clip, track: &Track, moment: Moment) -> (usize, f64) {
    let frame = (moment.position.floor() as usize).min(track.frames - 1);
    let blend = if clip.step { 0.0 } else { moment.position - frame as f64 };
    (frame, blend)
}

/// Whether rounding may show the neighbouring frame.
fn on_a_border(moment: Moment) -> bool {
    (moment.position - moment.position.round()).abs() <= moment.slack
}

/// The position of a vertex, with what a sheet of residuals adds.
pub fn whole_position(
    character: &Character,
    clip: &Clip,
    track: &Track,
    vertex: usize,
    at: &dyn Fn(&Track) -> Moment,
) -> Value {
    let whole = position(character, clip, track, vertex, at(track));
    let residual = clip.tracks.iter().find(|track| character.sheets[track.sheet].holds == "residual");
    residual.map_or(whole, |track| {
        let more = position(character, clip, track, vertex, at(track));
        Value { v: [0, 1, 2].map(|i| whole.v[i] + more.v[i]), bound: whole.bound + more.bound }
    })
}

/// The position of a vertex in one sheet.
fn position(character: &Character, clip: &Clip, track: &Track, vertex: usize, moment: Moment) -> Value {
    let (frame, blend) = rows(clip, track, moment);
    let column = character.mesh.columns[vertex];
    let rest = if track.relative { character.mesh.positions[vertex] } else { [0.0; 3] };
    let decode = |frame: usize| {
        let texel = character.texel(track, column, frame);
        [0, 1, 2].map(|i| {
            f64::from(track.bias[i]) + f64::from(track.scale[i]) * f64::from(texel.v[i]) + f64::from(rest[i])
        })
    };
    let (here, next) = (decode(frame), decode(frame + 1));
    let v = [0, 1, 2].map(|i| here[i] + (next[i] - here[i]) * blend);
    // Roundings of what is added up, and of the moment.
    let most = |v: [f32; 3]| v.iter().fold(0.0, |most: f64, c| most.max(f64::from(c.abs())));
    let texel = most(track.scale) * texel_size(character, track, column, frame);
    let mut bound = 16.0 * ROUND * (most(track.bias) + texel + most(rest));
    let mut steepest = distance(here, next);
    if moment.slack > 0.0 && on_a_border(moment) {
        let before = if frame > 0 { frame - 1 } else { track.frames - 1 };
        let after = if frame + 1 < track.frames { frame + 1 } else { 0 };
        steepest = steepest.max(distance(decode(before), decode(before + 1)));
        steepest = steepest.max(distance(decode(after), decode(after + 1)));
    }
    bound += if clip.step && on_a_border(moment) { steepest } else { steepest * moment.slack };
    Value { v, bound: bound + texel_error(&character.sheets[track.sheet].texture.format) * most(track.scale) }
}

/// The size of what a texel's numbers are, and of those of the next row.
fn texel_size(character: &Character, track: &Track, column: usize, frame: usize) -> f64 {
    let largest = |frame| {
        let texel = character.texel(track, column, frame);
        texel.v[..3].iter().fold(0.0, |most: f64, c| most.max(f64::from(c.abs())))
    };
    largest(frame).max(largest(frame + 1))
}

/// How differently decoders may read a texel of 0 to 1: those of ASTC may round to bytes.
fn texel_error(format: &str) -> f64 {
    if format.starts_with("astc") { 1.0 / 255.0 } else { 0.0 }
}

/// The normal or tangent of a vertex.
pub fn direction(character: &Character, clip: &Clip, track: &Track, vertex: usize, moment: Moment) -> Value {
    let (frame, blend) = rows(clip, track, moment);
    let decode = |frame: usize| character.direction(track, vertex, frame).0.map(f64::from);
    let (here, next) = (decode(frame), decode(frame + 1));
    let mut value = between(
        Value { v: here, bound: 24.0 * ROUND },
        Value { v: next, bound: 24.0 * ROUND },
        (blend, 2.0 * moment.slack),
    );
    if clip.step && on_a_border(moment) {
        value.bound = 2.0;
    }
    value
}

/// Positions of two clips, blended.
pub fn mix(from: Value, to: Value, (weight, slack): (f64, f64)) -> Value {
    let v = [0, 1, 2].map(|i| from.v[i] + (to.v[i] - from.v[i]) * weight);
    let size = from.v.iter().chain(&to.v).fold(0.0, |most: f64, c| most.max(c.abs()));
    let bound = from.bound * (1.0 - weight) + to.bound * weight;
    Value { v, bound: bound + distance(from.v, to.v) * slack + 4.0 * ROUND * size }
}

/// Unit vectors, blended, with length 1. Where they are nearly opposite nothing is known.
pub fn between(from: Value, to: Value, (weight, slack): (f64, f64)) -> Value {
    let v = [0, 1, 2].map(|i| from.v[i] + (to.v[i] - from.v[i]) * weight);
    let length = distance(v, [0.0; 3]);
    let off = from.bound.max(to.bound) + distance(from.v, to.v) * slack + 8.0 * ROUND;
    if length < 1e-4 {
        return Value { v: from.v, bound: 2.0 };
    }
    Value { v: v.map(|c| c / length), bound: off / length }
}

pub fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| (a[i] - b[i]) * (a[i] - b[i])).sum::<f64>().sqrt()
}
