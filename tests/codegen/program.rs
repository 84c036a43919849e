// Compiled together with a generated `vat.rs` and run: the constants and functions at work. `NAMES`
// are the clip names of the character `nasty`, as they were in the metadata.
#[path = "vat.rs"]
mod vat;
include!("names.rs");

use vat::crab::Clip;
use vat::{FrameAt, Texel};

fn main() {
    addresses();
    names();
    times();
    no_bleeding();
    wrapping();
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
    assert_eq!(vat::CHARACTERS.len(), 9);
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
