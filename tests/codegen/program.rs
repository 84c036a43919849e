// Compiled together with a generated `vat.rs` and run: the constants and functions at work. `NAMES`
// are the clip names of the character `nasty`, as they were in the metadata.
#[path = "vat.rs"]
mod vat;
include!("names.rs");

use vat::crab::Clip;
use vat::{FrameAt, Instance, Playback, Texel, Track, ticks};

fn main() {
    addresses();
    names();
    times();
    no_bleeding();
    wrapping();
    local_ticks();
    playing();
    fading();
    splitting();
    layouts();
    println!("done");
}

fn addresses() {
    let sheet = &vat::crab::SHEETS[0];
    for clip in Clip::ALL {
        let track = clip.info().track(0).expect("a track in sheet 0");
        assert_eq!(track.width, sheet.width);
        for column in 0..vat::crab::COLUMN_COUNT {
            for frame in 0..=track.frames {
                let Texel { x, y, layer } = track.texel(column, frame);
                assert_eq!(x, column - (column / 4) * 4);
                assert_eq!(y, track.first_row + (column / 4) * track.band_rows + frame);
                assert!(y < sheet.height && layer < sheet.layers);
            }
        }
    }
    let walk = Clip::Walk.info().tracks[0];
    assert_eq!(walk.texel(9, 4), Texel { x: 1, y: 20, layer: 0 });
    let hit = Clip::Hit.info().tracks[0];
    assert_eq!(hit.texel(0, 0), Texel { x: 0, y: 24, layer: 0 });
    assert_eq!(vat::robot::Clip::Wave.info().tracks[0].texel(15, 3), Texel { x: 15, y: 9, layer: 2 });
    assert_eq!(walk.bias, [-0.1, 1.0e-7, 1.0e20]);
    assert_eq!(walk.scale, [0.3, 1.0, 16_777_216.0]);
    assert!(hit.relative && !walk.relative);
    assert!(Clip::Blink.info().tracks[0].step && !walk.step);
    let character = vat::crab::CHARACTER;
    assert_eq!((character.vertex_count, character.column_count, character.column_texcoord), (30, 10, 2));
    // For culling: a box for each clip, and one around all.
    assert_eq!(Clip::Walk.info().bounds, vat::Bounds { min: [-2.0; 3], max: [5.0; 3] });
    assert_eq!(vat::crab::BOUNDS, vat::Bounds { min: [-2.0; 3], max: [6.0; 3] });
    assert_eq!(vat::crab::SHEETS[0].sample_type, vat::SampleType::Uint);
    assert_eq!(vat::mixed::SHEETS[1].sample_type, vat::SampleType::UnfilterableFloat);
}

fn names() {
    use vat::loop_u8dd1::Clip;
    assert_eq!(Clip::ALL.len(), NAMES.len());
    for (index, (clip, name)) in Clip::ALL.iter().zip(NAMES).enumerate() {
        assert_eq!(*clip as usize, index);
        assert_eq!(clip.name(), *name);
        let found = Clip::from_name(name).expect("every name is findable");
        assert_eq!(found.name(), *name);
    }
    // Of two clips of one name the first is found; the other is there by its identifier.
    assert_eq!(Clip::from_name("UpAndDown"), Some(Clip::UpAndDown));
    assert_eq!(Clip::UpAndDown2.name(), "UpAndDown");
    assert_eq!(Clip::from_name("up and down"), None);
    assert_eq!(vat::CHARACTERS.len(), 10);
    assert_eq!(vat::CHARACTERS[3].name, "loop \"*/\\ \u{8dd1}");
    assert_eq!(vat::loop_u8dd1::SHEETS[0].vk_format, 109);
    assert_eq!(vat::mixed::SHEETS[2].wgpu_feature, Some("TEXTURE_FORMAT_16BIT_NORM"));
}

fn near(at: FrameAt, frame: u32, blend: f32) {
    assert_eq!((at.frame, at.next), (frame, frame + 1), "{at:?}");
    assert!((at.blend - blend).abs() < 1e-4, "{at:?} is not {frame} + {blend}");
}

fn times() {
    // 4 frames in 0.5 s, looping.
    let walk = Clip::Walk.info().tracks[0];
    near(walk.frame_at(0.0), 0, 0.0);
    near(walk.frame_at(0.3), 2, 0.4);
    near(walk.frame_at(0.5), 0, 0.0);
    near(walk.frame_at(0.4375), 3, 0.5);
    near(walk.frame_at(-0.0625), 3, 0.5);
    near(walk.frame_at(-1.0e-300), 3, 1.0);
    // Nine hours later the same frame, to a ten thousandth.
    near(walk.frame_at(32_400.3), 2, 0.4);
    // 5 frames in 0.4 s, not looping: the ends hold.
    let hit = Clip::Hit.info().tracks[0];
    near(hit.frame_at(-3.0), 0, 0.0);
    near(hit.frame_at(0.15), 1, 0.5);
    near(hit.frame_at(0.4), 4, 0.0);
    near(hit.frame_at(1.0e300), 4, 0.0);
    near(hit.frame_at(f64::INFINITY), 4, 0.0);
    near(hit.frame_at(f64::NEG_INFINITY), 0, 0.0);
    // Never blended.
    let blink = Clip::Blink.info().tracks[0];
    near(blink.frame_at(0.05), 1, 0.0);
    near(blink.frame_at(0.0999), 2, 0.0);
    // One frame, with and without a duration.
    for clip in [Clip::Pose, Clip::Still] {
        for time in [0.0, 0.02, 1.0e9, -5.0] {
            assert_eq!(clip.info().tracks[0].frame_at(time).frame, 0);
        }
    }
    near(Clip::Still.info().tracks[0].frame_at(7.0), 0, 0.0);
    for track in [walk, hit, blink] {
        near(track.frame_at(f64::NAN), 0, 0.0);
        for step in -20_000..20_000 {
            let at = track.frame_at(f64::from(step) * 0.000_731);
            assert!(at.frame < track.frames && at.next <= track.frames);
            assert!((0.0..=1.0).contains(&at.blend));
        }
    }
}

/// Two clips on top of each other, one at 0 and one at 100: the first never sees the second.
fn no_bleeding() {
    let mut sheet = [[-1.0_f32; 4]; 80];
    for (clip, value) in [(Clip::Walk, 0.0), (Clip::Hit, 100.0)] {
        let track = clip.info().tracks[0];
        for column in 0..vat::crab::COLUMN_COUNT {
            for frame in 0..=track.frames {
                let texel = track.texel(column, frame);
                sheet[texel.y as usize][texel.x as usize] = value;
            }
        }
    }
    let read = |clip: Clip, column: u32, time: f64| {
        let track = clip.info().tracks[0];
        let at = track.frame_at(time);
        let texel = |frame| track.texel(column, frame);
        let load = |t: Texel| sheet[t.y as usize][t.x as usize];
        load(texel(at.frame)) * (1.0 - at.blend) + load(texel(at.next)) * at.blend
    };
    for column in [0, 3, 4, 9] {
        // Half a frame after the last one.
        assert_eq!(read(Clip::Walk, column, 3.5 / 8.0), 0.0);
        assert_eq!(read(Clip::Walk, column, -1.0e-300), 0.0);
        assert_eq!(read(Clip::Hit, column, 4.5 / 10.0), 100.0);
    }
}

fn wrapping() {
    assert_eq!(Clip::Walk.info().wrap(0.625), 0.125);
    assert_eq!(Clip::Walk.info().wrap(-0.125), 0.375);
    assert!((Clip::Walk.info().wrap(360_000.3) - 0.3).abs() < 1e-6);
    assert_eq!(Clip::Hit.info().wrap(-1.0), 0.0);
    assert_eq!(Clip::Hit.info().wrap(9.0), 0.4);
    assert_eq!(Clip::Still.info().wrap(9.0), 0.0);
}

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }
}

/// Where `Track::play` is in its loop, in 2^32ths of a turn, by integers of 128 bits: floor(elapsed * speed / 4096) ticks.
fn turn(track: &Track, start: u32, speed: i128, phase: f32, now: u32, ping_pong: bool) -> u32 {
    let elapsed = i128::from(now.wrapping_sub(start) as i32);
    let local = (elapsed * speed).div_euclid(4096);
    let phase = i128::from((f64::from(phase).rem_euclid(1.0) * 65536.0).floor() as u32) << 16;
    let (step, phase) = if ping_pong { (track.turns_per_tick >> 1, phase >> 1) } else { (track.turns_per_tick, phase) };
    (local * i128::from(step) + phase).rem_euclid(1 << 32) as u32
}

/// The ticks of a looping clip, exactly, and the frames that follow from them.
fn local_ticks() {
    // 4 frames in 0.5 s, looping: a tick is 2^20 * 2 of 2^32.
    let walk = Clip::Walk.info().tracks[0];
    assert_eq!(walk.turns_per_tick, 1 << 21);
    // 5 frames in 0.4 s, not looping: 2^20 / 0.4 is 2621440.
    let hit = Clip::Hit.info().tracks[0];
    assert_eq!(hit.turns_per_tick, 2_621_440);
    assert_eq!(Clip::Still.info().tracks[0].turns_per_tick, 0);
    let mut random = Random(7);
    for round in 0..200_000 {
        let speed = match round % 8 {
            0 => 4096,
            1 => -4096,
            2 => 128 * 4096,
            3 => -128 * 4096,
            _ => i128::from(random.next() % (1 << 20)) - (1 << 19),
        };
        let (start, now) = (random.next() << 1 | round & 1, random.next() << 1);
        let phase = if round % 3 == 0 { 0.0 } else { random.next() as f32 / 2147483648.0 };
        let factor = speed as f32 / 4096.0;
        for track in [walk, hit] {
            let intervals = (track.frames - 1 + u32::from(track.looping)) as f32;
            let share = (turn(&track, start, speed, phase, now, false) >> 8) as f64 / 16777216.0;
            let at = track.play(Playback::Loop.of(3), start, factor, phase, now);
            let position = (share * f64::from(intervals)) as f32;
            assert_eq!(at.frame as f32 + at.blend, position, "{speed} {start} {now} {phase}");
            let there_and_back = (turn(&track, start, speed, phase, now, true) >> 8) as f64 / 8388608.0;
            let share = if there_and_back > 1.0 { 2.0 - there_and_back } else { there_and_back };
            let at = track.play(Playback::PingPong.of(3), start, factor, phase, now);
            assert_eq!(at.frame as f32 + at.blend, (share * f64::from(intervals)) as f32);
            assert!(at.frame < track.frames && at.next <= track.frames && (0.0..=1.0).contains(&at.blend));
            // Once: the exact seconds, clamped.
            let elapsed = i128::from(now.wrapping_sub(start) as i32);
            let local = (elapsed * speed).div_euclid(4096) as u32 as i32;
            let seconds = f64::from(local) / 4096.0 + f64::from(phase) * track.duration;
            let position = (seconds * track.fps).clamp(0.0, f64::from(intervals));
            let at = track.play(Playback::Once.of(3), start, factor, phase, now);
            assert!((f64::from(at.frame) + f64::from(at.blend) - position).abs() < 1e-4, "{seconds}");
        }
    }
}

/// Modes, ends and wraps at times that can be told without arithmetic.
fn playing() {
    let walk = Clip::Walk.info().tracks[0];
    let hit = Clip::Hit.info().tracks[0];
    let play = |track: &Track, playback: Playback, seconds: f64| {
        track.play(playback.of(0), ticks(100.0), 1.0, 0.0, ticks(100.0 + seconds))
    };
    // As baked: the walk loops, the hit does not.
    for seconds in [0.0, 0.125, 0.5, 0.625, 1000.0, 100_000.5, -0.375] {
        assert_eq!(play(&walk, Playback::AsBaked, seconds), play(&walk, Playback::Loop, seconds));
        assert_eq!(play(&hit, Playback::AsBaked, seconds), play(&hit, Playback::Once, seconds));
    }
    // The loop's seam: half a frame before it, on it, after it; and the same after five days, and 70 days of the game.
    near(play(&walk, Playback::Loop, 0.4375), 3, 0.5);
    near(play(&walk, Playback::Loop, 0.5), 0, 0.0);
    near(play(&walk, Playback::Loop, 0.5625), 0, 0.5);
    near(play(&walk, Playback::Loop, -0.0625), 3, 0.5);
    near(play(&walk, Playback::Loop, 432_000.4375), 3, 0.5);
    let late = ticks(6_048_000.0);
    near(walk.play(0, late, 1.0, 0.0, late.wrapping_add(ticks(0.4375))), 3, 0.5);
    // Across the wrap of the counter.
    near(walk.play(0, u32::MAX - 99, 1.0, 0.0, 1692), 3, 0.5);
    // Once: the ends hold. A clip that was baked looping ends in the guard row, which is frame 0.
    near(play(&hit, Playback::Once, 0.15625), 1, 0.5625);
    near(play(&hit, Playback::Once, 9.0), 4, 0.0);
    near(play(&hit, Playback::Once, -9.0), 0, 0.0);
    near(play(&walk, Playback::Once, 9.0), 3, 1.0);
    // Looping what was baked with an end: from the last frame to the first at once.
    near(play(&hit, Playback::Loop, 0.39990234375), 3, 0.99902344);
    near(play(&hit, Playback::Loop, 0.400390625), 0, 0.00390625);
    // Ping-pong: forwards, the turn at the last frame, backwards, the turn at the first.
    near(play(&hit, Playback::PingPong, 0.15625), 1, 0.5625);
    near(play(&hit, Playback::PingPong, 0.400390625), 3, 0.99609375);
    near(play(&hit, Playback::PingPong, 0.65625), 1, 0.4375);
    near(play(&hit, Playback::PingPong, 0.80078125), 0, 0.0078125);
    near(play(&hit, Playback::PingPong, -0.15625), 1, 0.5625);
    near(play(&walk, Playback::PingPong, 0.5), 3, 1.0);
    // Speed and phase.
    near(walk.play(0, 0, 2.0, 0.0, ticks(0.15625)), 2, 0.5);
    near(walk.play(0, 0, -1.0, 0.0, ticks(0.0625)), 3, 0.5);
    near(walk.play(0, 0, 0.0, 0.625, ticks(77.0)), 2, 0.5);
    near(walk.play(0, 0, 1.0, 0.5, ticks(0.3125)), 0, 0.5);
    near(hit.play(0, 0, -1.0, 1.0, ticks(0.25)), 1, 0.5);
    assert_eq!(walk.play(0, 0, 1.0e9, 0.0, 5), walk.play(0, 0, 128.0, 0.0, 5));
    assert_eq!(walk.play(0, 0, f32::NAN, 0.0, 5), walk.play(0, 0, 0.0, 0.0, 5));
    // Step: never blended. One frame: that one.
    let blink = Clip::Blink.info().tracks[0];
    near(play(&blink, Playback::Loop, 0.05), 1, 0.0);
    for clip in [Clip::Pose, Clip::Still] {
        for playback in [Playback::AsBaked, Playback::Loop, Playback::Once, Playback::PingPong] {
            assert_eq!(play(&clip.info().tracks[0], playback, 3.21).frame, 0);
        }
    }
}

fn fading() {
    let now = ticks(50.0);
    let idle = Instance { phase: 0.25, ..Instance::new(Clip::Walk as u32, now) };
    assert_eq!((idle.fade_weight(now), idle.fade_weight(now.wrapping_sub(1))), (1.0, 0.0));
    let later = ticks(60.0);
    let hit = Playback::Once.of(Clip::Hit as u32);
    let fading = idle.fade_to(hit, later, 0.5);
    assert_eq!((fading.clip, fading.start, fading.phase), (1 | 2 << 24, later, 0.25));
    assert_eq!((fading.previous, fading.previous_start), (0, now));
    for (seconds, weight) in [(-0.001, 0.0), (0.0, 0.0), (0.25, 0.5), (0.5, 1.0), (500_000.0, 1.0), (-500_000.0, 0.0)] {
        assert_eq!(fading.fade_weight(ticks(60.0 + seconds)), weight, "{seconds}");
    }
    // Across a cut: before it, what played then.
    let cut = idle.fade_to(hit, later, 0.0);
    assert_eq!((cut.fade_weight(later - 1), cut.fade_weight(later)), (0.0, 1.0));
    let (walk, hit) = (Clip::Walk.info().tracks[0], Clip::Hit.info().tracks[0]);
    assert_eq!(fading.current_frame(&hit, later), hit.play(2 << 24, later, 1.0, 0.25, later));
    assert_eq!(fading.previous_frame(&walk, later), walk.play(0, now, 1.0, 0.25, later));
    // The words, in the order of the shaders' struct.
    let bytes = Instance { clip: 1, previous: 2, start: 3, previous_start: 4, speed: 5.0, phase: 6.0, fade_start: 7, fade_length: 8.0 };
    let words: Vec<u32> = bytes.to_ne_bytes().chunks(4).map(|b| u32::from_ne_bytes(b.try_into().unwrap())).collect();
    assert_eq!(words, [1, 2, 3, 4, 5.0_f32.to_bits(), 6.0_f32.to_bits(), 7, 8.0_f32.to_bits()]);
}

fn splitting() {
    assert_eq!((ticks(1.0), ticks(-1.0), ticks(0.9999)), (4096, u32::MAX - 4095, 4095));
    assert_eq!(ticks(1_048_576.0 + 0.25), 1024, "2^32 ticks are 2^20 seconds");
    assert_eq!(ticks(-0.0001), u32::MAX);
    let position = [123_456_789.123_456_7, -0.1, 1.0e-30];
    let (high, low) = vat::split(position);
    for i in 0..3 {
        let error = f64::from(high[i]) + f64::from(low[i]) - position[i];
        assert!(error.abs() <= position[i].abs() * 2.0_f64.powi(-47), "{error}");
    }
}

fn layouts() {
    assert_eq!(vat::crab::check_layout(vat::crab::LAYOUT), Ok(()));
    assert_eq!(vat::crab::CHARACTER.layout, vat::crab::LAYOUT);
    assert_ne!(vat::crab::LAYOUT, vat::robot::LAYOUT);
    let error: Box<dyn std::error::Error> = vat::crab::check_layout(5).unwrap_err().into();
    let text = error.to_string();
    for word in ["\"crab\"", " 5,", &vat::crab::LAYOUT.to_string(), "vatpipe build"] {
        assert!(text.contains(word), "{text}");
    }
}
