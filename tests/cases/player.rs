// Compiled beside a generated `vat.rs`, not as part of the tests. Reads lines of clip, vertex and time; writes
// the position there, and the fourth channel of the texel at or before that time.
mod vat;
include!("mesh.rs");

use vat::it::{Clip, SHEETS};

static LEVEL: &[u8] = include_bytes!("level.bin");

fn load(texel: vat::Texel) -> [f32; 4] {
    let sheet = &SHEETS[0];
    let index = ((texel.layer * sheet.height + texel.y) * sheet.width + texel.x) as usize;
    [0, 1, 2, 3].map(|i| match sheet.vk_format {
        109 => f32::from_le_bytes(LEVEL[index * 16 + i * 4..][..4].try_into().unwrap()),
        95 => {
            let code = u16::from_le_bytes(LEVEL[index * 8 + i * 2..][..2].try_into().unwrap());
            if i < 3 { f32::from(code) / 65535.0 } else { f32::from(code) }
        }
        other => panic!("vkFormat {other}"),
    })
}

fn main() {
    for line in std::io::stdin().lines().map(Result::unwrap) {
        let words: Vec<&str> = line.split(' ').collect();
        let clip = Clip::ALL[words[0].parse::<usize>().unwrap()];
        let (column, rest) = MESH[words[1].parse::<usize>().unwrap()];
        let track = clip.info().track(0).unwrap();
        let at = track.frame_at(words[2].parse().unwrap());
        let (here, next) = (load(track.texel(column, at.frame)), load(track.texel(column, at.next)));
        let p = [0, 1, 2].map(|i| {
            let texel = here[i] + (next[i] - here[i]) * at.blend;
            let p = track.bias[i] + track.scale[i] * texel;
            if track.relative { p + rest[i] } else { p }
        });
        println!("{:?} {:?} {:?} {:?}", p[0], p[1], p[2], here[3]);
    }
}
