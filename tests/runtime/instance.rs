//! Instances and moments: bit for bit those of the generated `vat.rs`, and what the game relies on.

use std::process::Command;

use vatpipe::runtime::{Instance, Play, Playback, Timing, clip_of, seconds_between, ticks};

use crate::codegen::{sample, text};
use crate::support::random::Random;

/// What the program prints, computed by the runtime.
fn expected() -> String {
    let mut lines = String::new();
    let mut random = Random(2026);
    for character in sample::all() {
        for clip in &character.clips {
            for track in &clip.tracks {
                let timing = Timing::of(clip, track);
                for _ in 0..400 {
                    let [word, start, now] = [(); 3].map(|()| random.bits() as u32);
                    let speed = (random.bits() >> 40) as f32 / 262_144.0 - 32.0;
                    let phase = (random.bits() >> 40) as f32 / 8_388_608.0 - 1.0;
                    let time = (random.bits() >> 20) as f64 / 1e9 - 8796.0;
                    let at = timing.play(&Play { playback: clip_of(word).1, start, speed, phase }, now);
                    let held = timing.at(time);
                    let [a, b] = [at, held].map(|at| format!("{} {:08x}", at.frame, at.blend.to_bits()));
                    lines += &format!("{a} {b} {}\n", ticks(time));
                }
            }
        }
    }
    let mut instance = Instance::new(3, 77);
    for _ in 0..200 {
        let [clip, now] = [(); 2].map(|()| random.bits() as u32);
        let seconds = (random.bits() >> 40) as f32 / 16.0 - 1000.0;
        instance = instance.fade_to(clip, now, seconds).with_speed(seconds * 0.1);
        let bytes = instance.to_ne_bytes();
        assert_eq!(Instance::from_ne_bytes(bytes), instance);
        lines += &format!("{bytes:?} {:08x}\n", instance.fade_weight(random.bits() as u32).to_bits());
    }
    lines
}

#[test]
fn as_the_generated_code() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("vat.rs"), text(&sample::all(), "rust")).unwrap();
    std::fs::write(folder.path().join("main.rs"), include_str!("program.rs")).unwrap();
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let arguments = ["--edition", "2021", "-o", "program", "main.rs"];
    let built = Command::new(rustc).current_dir(folder.path()).args(arguments).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let run = Command::new(folder.path().join("program")).output().unwrap();
    let (found, expected) = (String::from_utf8(run.stdout).unwrap(), expected());
    let differ = found.lines().zip(expected.lines()).enumerate().find(|(_, (a, b))| a != b);
    assert_eq!(differ, None);
    assert!(found.lines().count() == expected.lines().count() && expected.lines().count() > 4000);
}

/// Going on for days does not change what is seen, once a fade is settled.
#[test]
fn settling() {
    let (start, fade) = (ticks(10.0), ticks(20.0));
    let fading = Instance::new(1, start).fade_to(2, fade, 0.5);
    assert_eq!(fading.settle(ticks(20.25)), fading, "before the end nothing happens");
    let settled = fading.settle(ticks(21.0));
    assert_eq!((settled.previous, settled.previous_start), (2, fade));
    for time in [21.0, 100.0, 500_000.0] {
        assert_eq!(settled.fade_weight(ticks(time)), 1.0);
        assert_eq!((settled.play(), settled.clip), (fading.play(), fading.clip));
    }
    // Seven days later the fade seems to be ahead; both clips are the same one now.
    let later = ticks(7.0 * 86_400.0);
    assert_eq!(settled.fade_weight(later), 0.0);
    assert_eq!(settled.play_previous(), settled.play());
}

/// What is seen depends on the time alone, not on how many frames came before.
#[test]
fn times() {
    let now = 100_000.0 + 1.0 / 3.0;
    assert_eq!(ticks(now).wrapping_sub(ticks(100_000.0)), 1365);
    assert_eq!(ticks(1_048_576.0), 0, "ticks wrap after 2^20 seconds");
    assert_eq!(ticks(-1.0), 0u32.wrapping_sub(4096));
    assert_eq!(ticks(f64::NAN), 0);
    assert_eq!(seconds_between(ticks(5.0), ticks(2.5)), -2.5);
    assert_eq!(seconds_between(ticks(1_048_575.0), ticks(1_048_577.0)), 2.0);
    assert_eq!(clip_of(Playback::PingPong.of(7)), (7, Playback::PingPong));
    assert_eq!(clip_of(0xff00_0007), (7, Playback::PingPong), "other bits are free");
}
