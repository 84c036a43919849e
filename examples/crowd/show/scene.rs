//! Who is where: a procession on a road, banners along it, and a crowd that watches.

use glam::{Vec2, Vec3};
use vatpipe::metadata::Character;

use super::acts::{Cast, Motion, Routine, State, TICKS};

/// Numbers of the characters in `vat.toml`.
pub const DRAGON: usize = 0;
pub const KETTLE: usize = 1;
pub const PENNANT: usize = 2;

/// Speed at which the feet of `Walk` do not slide, metres a second; that of `Trot` is 0.3.
const WALK: f32 = 0.347;
const TROT: f32 = 0.3;

/// Half the width of the road, metres; `world.wgsl` draws it.
pub const ROAD: f32 = 2.4;
/// Where the procession comes from and goes to, along z.
const PROCESSION: (f32, f32) = (130.0, -12.0);

/// How an actor lives.
enum Life {
    /// Walks along the road for ever: metres behind the head of the procession, metres to the side.
    March { behind: f32, side: f32, state: State },
    /// Stays about a place.
    Routine { routine: Routine, ahead: u64 },
}

/// One instance.
pub struct Actor {
    pub character: usize,
    place: Vec2,
    heading: f32,
    pub scale: f32,
    /// Red, green, blue, linear.
    pub tint: [f32; 3],
    life: Life,
}

/// An actor at a moment.
pub struct Pose {
    pub state: State,
    pub place: Vec3,
    pub heading: f32,
}

impl Actor {
    /// Where it is, and what it does, `now` ticks after the beginning.
    pub fn at(&self, now: u64) -> Pose {
        match &self.life {
            Life::March { behind, side, state } => {
                let length = PROCESSION.0 - PROCESSION.1;
                let gone = (now as f64 / TICKS * f64::from(WALK)) as f32 - behind;
                let z = PROCESSION.0 - (gone - libm::floorf(gone / length) * length);
                let slope = (road(z + 0.01) - road(z - 0.01)) / 0.02;
                let along = Vec2::new(-slope, -1.0).normalize();
                let place = Vec2::new(road(z), z) + Vec2::new(along.y, -along.x) * *side;
                Pose { state: *state, place: on_ground(place), heading: libm::atan2f(along.x, along.y) }
            }
            Life::Routine { routine, ahead } => {
                let (state, gone, turned) = routine.at(now + ahead);
                // What has begun before the beginning: the clock of the shader starts at 0.
                let early = *ahead as u32;
                let state = State {
                    start: state.start.wrapping_sub(early),
                    previous_start: state.previous_start.wrapping_sub(early),
                    fade_start: state.fade_start.wrapping_sub(early),
                    ..state
                };
                let (sin, cos) = (libm::sinf(self.heading), libm::cosf(self.heading));
                let gone = Vec2::new(gone.x * cos + gone.y * sin, gone.y * cos - gone.x * sin) * self.scale;
                Pose { state, place: on_ground(self.place + gone), heading: self.heading + turned }
            }
        }
    }
}

fn on_ground(place: Vec2) -> Vec3 {
    Vec3::new(place.x, 0.0, place.y)
}

/// Where the middle of the road is, along z; `world.wgsl` has the same.
pub fn road(z: f32) -> f32 {
    2.6 * libm::sinf(z * 0.085 + 0.5) + 0.0035 * z * z * libm::sinf(z * 0.021)
}

/// Numbers that look random: the fraction of a hash (Steele et al., SplitMix64, 2014).
pub struct Dice(pub u64);

impl Dice {
    /// From 0 to below 1.
    pub fn roll(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1 << 24) as f32
    }

    fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.roll()
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[((self.roll() * all.len() as f32) as usize).min(all.len() - 1)]
    }
}

/// Colours of hides, enamel and cloth, linear.
const HIDES: [[f32; 3]; 6] = [
    [0.046, 0.394, 0.311],
    [0.046, 0.394, 0.311],
    [0.10, 0.32, 0.08],
    [0.06, 0.19, 0.47],
    [0.30, 0.10, 0.36],
    [0.55, 0.26, 0.05],
];
const ENAMELS: [[f32; 3]; 4] =
    [[0.106, 0.334, 0.56], [0.106, 0.334, 0.56], [0.55, 0.09, 0.07], [0.35, 0.42, 0.36]];
const CLOTHS: [[f32; 3]; 3] = [[0.58, 0.036, 0.101], [0.04, 0.12, 0.45], [0.58, 0.036, 0.101]];

/// `count` actors, those near the road's end first.
pub fn populate(characters: &[&Character], count: usize) -> Vec<Actor> {
    let mut dice = Dice(7);
    let mut actors = banners(&Cast(characters[PENNANT]), &mut dice);
    actors.extend(procession(characters, &mut dice));
    actors.extend(watchers(characters, &mut dice));
    let far = |actor: &Actor| match &actor.life {
        Life::March { behind, .. } => (*behind, 0.0),
        Life::Routine { .. } => (actor.place.y.max(0.0), actor.place.x.abs()),
    };
    let key = |actor: &Actor| libm::hypotf(far(actor).0, far(actor).1);
    actors.sort_by(|a, b| key(a).total_cmp(&key(b)));
    actors.truncate(count);
    actors
}

/// Pennants on both sides of the road; gusts pass along it.
fn banners(cast: &Cast, dice: &mut Dice) -> Vec<Actor> {
    let mut actors = Vec::new();
    for step in 0..22 {
        for side in [-1.0, 1.0] {
            let z = -1.0 + 5.5 * step as f32;
            let breeze = cast.act("Breeze", 2, Motion::Stand, 1.2);
            let gale = cast.act("Gale", 5, Motion::Stand, 0.8);
            actors.push(Actor {
                character: PENNANT,
                place: Vec2::new(road(z) + side * (ROAD + 0.55), z),
                heading: dice.between(0.35, 0.75),
                scale: 1.25,
                tint: CLOTHS[(step + usize::from(side > 0.0)) % 3],
                life: Life::Routine {
                    routine: Routine { acts: vec![breeze, gale] },
                    ahead: (f64::from(400.0 - z * 0.35 + dice.between(0.0, 0.6)) * TICKS) as u64,
                },
            });
        }
    }
    actors
}

/// Ranks of dragons, and a kettle here and there.
fn procession(characters: &[&Character], dice: &mut Dice) -> Vec<Actor> {
    let (dragons, kettles) = (Cast(characters[DRAGON]), Cast(characters[KETTLE]));
    let mut actors = Vec::new();
    let ranks = ((PROCESSION.0 - PROCESSION.1) / 2.15) as usize;
    for rank in 0..ranks {
        let tea = rank % 4 == 3;
        let files: &[f32] = if tea { &[-1.35, -0.45, 0.45, 1.35] } else { &[-1.5, 0.0, 1.5] };
        for file in files {
            let (cast, clip, speed) =
                if tea { (&kettles, "Trot", WALK / TROT) } else { (&dragons, "Walk", 1.0) };
            let scale = dice.between(0.9, 1.08);
            actors.push(Actor {
                character: if tea { KETTLE } else { DRAGON },
                place: Vec2::ZERO,
                heading: 0.0,
                scale,
                tint: if tea { dice.one_of(&ENAMELS) } else { dice.one_of(&HIDES) },
                life: Life::March {
                    behind: rank as f32 * 2.15 + dice.between(-0.25, 0.25),
                    side: file + dice.between(-0.15, 0.15),
                    // Smaller ones take quicker steps.
                    state: State::steady(cast.clip(clip), speed / scale, dice.roll()),
                },
            });
        }
    }
    actors
}

/// The crowd on the meadow, on a jittered grid with gaps.
fn watchers(characters: &[&Character], dice: &mut Dice) -> Vec<Actor> {
    const STEP: f32 = 1.3;
    let mut actors = Vec::new();
    for row in -6..130 {
        for column in -70..=70 {
            let jitter = Vec2::new(dice.between(-0.22, 0.22), dice.between(-0.22, 0.22));
            let shift = if row % 2 == 0 { 0.0 } else { 0.5 };
            let place = (Vec2::new(column as f32 + shift, row as f32) + jitter) * STEP;
            let (aside, kind, gap) = (place.x - road(place.y), dice.roll(), dice.roll());
            // Thinner with the distance from the road.
            let wanted = 0.92 - 0.012 * aside.abs();
            if aside.abs() < ROAD + 1.5 || gap > wanted {
                continue;
            }
            let towards =
                if aside > 0.0 { -core::f32::consts::FRAC_PI_2 } else { core::f32::consts::FRAC_PI_2 };
            let character = if kind < 0.72 { DRAGON } else { KETTLE };
            let cast = Cast(characters[character]);
            let routine = if character == DRAGON { dragon(&cast, dice) } else { kettle(&cast, dice) };
            actors.push(Actor {
                character,
                place,
                heading: towards + dice.between(-0.7, 0.7),
                scale: dice.between(0.82, 1.1),
                tint: if character == DRAGON { dice.one_of(&HIDES) } else { dice.one_of(&ENAMELS) },
                life: Life::Routine {
                    routine,
                    ahead: (f64::from(dice.between(100.0, 300.0)) * TICKS) as u64,
                },
            });
        }
    }
    actors
}

/// Most watch; some leap in a square, some walk to and fro.
fn dragon(cast: &Cast, dice: &mut Dice) -> Routine {
    let kind = dice.roll();
    let mut idle = |fade| cast.act("Idle", 1 + (dice.roll() * 3.0) as u32, Motion::Stand, fade);
    let turn = cast.act("TurnLeft", 1, Motion::Turn(core::f32::consts::FRAC_PI_2), 0.15);
    let acts = if kind < 0.25 {
        let leap = cast.act("Pounce", 1, Motion::Leap(0.7), 0.15);
        (0..4).flat_map(|_| [idle(0.0), leap, idle(0.0), turn]).collect()
    } else if kind < 0.4 {
        let walk = cast.act("Walk", 4, Motion::Stride(WALK), 0.3);
        (0..2).flat_map(|_| [idle(0.0), walk, idle(0.3), turn, idle(0.0), turn]).collect()
    } else {
        vec![idle(0.0)]
    };
    Routine { acts }
}

/// Simmers, and whistles now and then.
fn kettle(cast: &Cast, dice: &mut Dice) -> Routine {
    let simmer = cast.act("Simmer", 2 + (dice.roll() * 4.0) as u32, Motion::Stand, 0.25);
    Routine { acts: vec![simmer, cast.act("Whistle", 1, Motion::Stand, 0.25)] }
}
