//! Which actors a pass draws, and at which level of detail.

use std::ops::Range;

use glam::Vec3;
use vatpipe::metadata::Character;

use super::scene::{Actor, Pose};
use super::view::{View, Views};

/// Bytes of an actor in the shaders: `Actor` in `actor.wgsl`.
pub const ACTOR_BYTES: usize = 64;

/// Pixels that a level of detail may be off by, seen from where it stands: three times the root mean square that the bake
/// measured, which all but a few vertices keep.
const ERROR: f32 = 1.0;

/// One draw call: a character at a level of detail.
#[derive(Clone, Debug, PartialEq)]
pub struct Draw {
    pub character: usize,
    pub level: usize,
    /// Where its actors are in the buffer.
    pub actors: Range<u32>,
}

/// An actor at a moment, ready to be drawn.
struct Ready {
    character: usize,
    level: usize,
    centre: Vec3,
    extent: Vec3,
    bytes: [u8; ACTOR_BYTES],
}

/// The actors of all passes, and the draw calls of each: the camera's first, then those of the shadow maps.
pub struct Lists {
    pub bytes: Vec<u8>,
    pub passes: Vec<Vec<Draw>>,
}

/// Works out every actor, and sorts those that are seen by character and level.
pub fn lists(actors: &[Actor], characters: &[&Character], views: &Views, now: u64) -> Lists {
    let ready: Vec<Ready> =
        actors.iter().map(|actor| ready(actor, characters[actor.character], views, now)).collect();
    let mut lists = Lists { bytes: Vec::new(), passes: Vec::new() };
    for view in [&views.camera].into_iter().chain(&views.shadows) {
        let draws = lists.add(&ready, characters, view);
        lists.passes.push(draws);
    }
    lists
}

impl Lists {
    fn add(&mut self, ready: &[Ready], characters: &[&Character], view: &View) -> Vec<Draw> {
        let seen: Vec<&Ready> = ready.iter().filter(|actor| view.sees(actor.centre, actor.extent)).collect();
        let mut draws = Vec::new();
        for (character, metadata) in characters.iter().enumerate() {
            for level in 0..metadata.lods.len() {
                let first = (self.bytes.len() / ACTOR_BYTES) as u32;
                let these = seen.iter().filter(|a| (a.character, a.level) == (character, level));
                these.for_each(|actor| self.bytes.extend(actor.bytes));
                let actors = first..(self.bytes.len() / ACTOR_BYTES) as u32;
                if !actors.is_empty() {
                    draws.push(Draw { character, level, actors });
                }
            }
        }
        draws
    }
}

fn ready(actor: &Actor, metadata: &Character, views: &Views, now: u64) -> Ready {
    let pose = actor.at(now);
    let (sin, cos) = (libm::sinf(pose.heading), libm::cosf(pose.heading));
    // The box of all clips, turned with the actor.
    let (min, max) = (Vec3::from(metadata.bounds.min), Vec3::from(metadata.bounds.max));
    let (middle, half) = ((min + max) / 2.0 * actor.scale, (max - min) / 2.0 * actor.scale);
    let turned = Vec3::new(cos * middle.x + sin * middle.z, middle.y, cos * middle.z - sin * middle.x);
    let extent =
        Vec3::new(cos.abs() * half.x + sin.abs() * half.z, half.y, cos.abs() * half.z + sin.abs() * half.x);
    let centre = pose.place + turned;
    let pixels = views.scale / (centre.distance(views.eye) - extent.max_element()).max(0.5) * actor.scale;
    let fits = |level: &usize| 3.0 * metadata.lods[*level].error_rms as f32 * pixels <= ERROR;
    let level = (0..metadata.lods.len()).rev().find(fits).unwrap_or(0);
    Ready { character: actor.character, level, centre, extent, bytes: bytes(actor, &pose, cos, sin) }
}

/// The 32 bytes of `VatInstance`, then where the actor stands and its colour.
fn bytes(actor: &Actor, pose: &Pose, cos: f32, sin: f32) -> [u8; ACTOR_BYTES] {
    let state = &pose.state;
    let tint = actor.tint.map(|v| (libm::sqrtf(v) * 255.0 + 0.5) as u8);
    let words = [
        state.clip,
        state.previous,
        state.start,
        state.previous_start,
        state.speed.to_bits(),
        state.phase.to_bits(),
        state.fade_start,
        state.fade_length.to_bits(),
        pose.place.x.to_bits(),
        pose.place.y.to_bits(),
        pose.place.z.to_bits(),
        actor.scale.to_bits(),
        cos.to_bits(),
        sin.to_bits(),
        u32::from_le_bytes([tint[0], tint[1], tint[2], 255]),
        0,
    ];
    let mut bytes = [0; ACTOR_BYTES];
    bytes.as_chunks_mut::<4>().0.iter_mut().zip(words).for_each(|(to, word)| *to = word.to_le_bytes());
    bytes
}
