//! Files that somebody broke, on purpose or not: an error or a sound source, soon and in little memory.

use vatpipe::source::{Options, Source};

use crate::support::memory::peak;
use crate::support::model::{self, Model};
use crate::support::models::{compressed_strip, machine, morph_quad, skinned_strip};
use crate::support::sound::assert_sound;

/// xorshift64*, seeded.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() >> 32) as usize % end
    }
}

/// Reads a file, checks what came of it and what it took, and says whether it was read.
fn survives(bytes: &[u8]) -> bool {
    survives_within(64, bytes)
}

/// The same, in at most so many bytes for each of the file, and 16 MiB.
fn survives_within(times: usize, bytes: &[u8]) -> bool {
    let read = || -> Option<Source> {
        let resolve = &mut |_: &str| Ok(vec![0; 64]);
        vatpipe::source::read(bytes, "a.glb".as_ref(), &Options::default(), resolve).ok()
    };
    let (source, memory) = peak(read);
    assert!(memory <= times * bytes.len() + (16 << 20), "{memory} bytes for a file of {}", bytes.len());
    if let Some(source) = &source {
        assert_sound(source);
    }
    source.is_some()
}

fn models() -> [Model; 4] {
    [skinned_strip(), morph_quad(), machine(), compressed_strip()]
}

#[test]
fn every_truncation() {
    for model in models() {
        let glb = model.glb();
        for end in 0..glb.len() {
            assert!(!survives(&glb[..end]), "{end} of {}", glb.len());
        }
        let text = model.embedded();
        for end in 0..text.len() {
            assert!(!survives(&text[..end]), "{end} of {}", text.len());
        }
    }
}

/// Numbers that tend to be trouble, for the JSON.
const NUMBERS: [&str; 12] = [
    "0",
    "-1",
    "1",
    "255",
    "65536",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "4611686018427387904",
    "1e30",
    "-0.5",
    "null",
];

/// Changes one thing in a text or in data.
fn mutate(bytes: &mut Vec<u8>, random: &mut Random, is_text: bool) {
    if bytes.is_empty() {
        return;
    }
    let at = random.below(bytes.len());
    let len = 1 + random.below(8.min(bytes.len() - at));
    match random.below(if is_text { 7 } else { 5 }) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = random.next() as u8,
        2 => bytes[at..at + len].fill([0, 0xFF, 0x7F, 0x80][random.below(4)]),
        3 => drop(bytes.drain(at..at + len)),
        4 => {
            let copy = bytes[at..at + len].to_vec();
            bytes.splice(at..at, copy);
        }
        // A whole number in the text becomes another.
        _ => {
            let digit = |b: &u8| b.is_ascii_digit();
            let Some(start) = bytes[at..].iter().position(digit).map(|i| i + at) else { return };
            let end = bytes[start..].iter().position(|b| !digit(b)).map_or(bytes.len(), |i| i + start);
            let number = NUMBERS[random.below(NUMBERS.len())];
            bytes.splice(start..end, number.bytes());
        }
    }
}

/// The document and the buffer are changed apart and packed anew, so that most files get past the container.
#[test]
fn mutations() {
    let mut random = Random(0x5EED);
    let mut read = 0;
    let parts: Vec<_> = models()
        .iter()
        .map(|model| {
            let glb = model.glb();
            let len = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
            (glb[20..20 + len].to_vec(), model.bin.clone(), model.embedded())
        })
        .collect();
    for i in 0..20_000 {
        let (mut json, mut bin, mut text) = parts[i % parts.len()].clone();
        for _ in 0..[1, 1, 1, 2, 3][random.below(5)] {
            match random.below(8) {
                0 | 1 => mutate(&mut bin, &mut random, false),
                _ => mutate(&mut json, &mut random, true),
            }
            mutate(&mut text, &mut random, true);
        }
        let file = match random.below(8) {
            0 => text,
            1 => {
                let mut glb = model::glb(&json, &bin);
                mutate(&mut glb, &mut random, false);
                glb
            }
            _ => model::glb(&json, &bin),
        };
        read += usize::from(survives(&file));
    }
    // Neither all nor nothing: the mutations reach every depth.
    assert!((2_000..18_000).contains(&read), "{read}");
}

/// JSON that is large for its length: `{},` is a whole node, with a transform.
#[test]
fn crowded_documents() {
    let crowd = |start: &str, middle: &str, end: &str| {
        let text = format!("{start}{}{end}", middle.repeat(200_000));
        assert!(!survives_within(160, text.as_bytes()));
    };
    let head = r#"{"asset":{"version":"2.0"},"#;
    crowd(&format!("{head}\"nodes\":[{{}}"), ",{}", "]}");
    crowd(&format!("{head}\"nodes\":[0"), ",0", "]}");
    crowd(&format!("{head}\"nodes\":[{{\"children\":[0"), ",0", "]}]}");
    crowd(&format!("{head}\"animations\":[{{\"channels\":[0"), ",0", "]}]}");
    crowd(&format!("{head}\"extensionsRequired\":[\"a\""), ",\"b\"", "]}");
    crowd(&format!("{head}\"nodes\":[{{\"mesh\":0}}],\"meshes\":[{{\"primitives\":[{{}}"), ",{}", "]}]}");
}
