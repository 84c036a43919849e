// Compiled together with a generated `vat.rs` and run: prints what the generated code gives for seeded input, which the
// test compares with what the runtime gives.
#[path = "vat.rs"]
mod vat;

/// SplitMix64, as in the tests.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

fn main() {
    let mut random = Random(2026);
    for character in vat::CHARACTERS {
        for clip in character.clips {
            for track in clip.tracks {
                for _ in 0..400 {
                    let [word, start, now] = [random.bits() as u32, random.bits() as u32, random.bits() as u32];
                    let [speed, phase] = [(random.bits() >> 40) as f32 / 262144.0 - 32.0, (random.bits() >> 40) as f32 / 8388608.0 - 1.0];
                    let time = (random.bits() >> 20) as f64 / 1e9 - 8796.0;
                    let at = track.play(word, start, speed, phase, now);
                    let held = track.frame_at(time);
                    println!("{} {:08x} {} {:08x} {}", at.frame, at.blend.to_bits(), held.frame, held.blend.to_bits(), vat::ticks(time));
                }
            }
        }
    }
    let mut instance = vat::Instance::new(3, 77);
    for _ in 0..200 {
        let [clip, now] = [random.bits() as u32, random.bits() as u32];
        let seconds = (random.bits() >> 40) as f32 / 16.0 - 1000.0;
        instance = vat::Instance { speed: seconds * 0.1, ..instance.fade_to(clip, now, seconds) };
        println!("{:?} {:08x}", instance.to_ne_bytes(), instance.fade_weight(random.bits() as u32).to_bits());
    }
}
