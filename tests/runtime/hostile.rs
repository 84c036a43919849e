//! Files that somebody broke, on purpose or not: an error or a character that answers every question, soon and in little
//! memory.

use vatpipe::encode::Format;
use vatpipe::manifest::FormatChoice;
use vatpipe::runtime::{Character, Instance, Playback};

use super::load;
use crate::support::baking::{self, Files, exact, files_with};
use crate::support::memory::peak;
use crate::support::models::{morph_quad, skinned_strip};
use crate::support::random::Random;

/// Small bakes: plain and compressed, in bands, with normals packed and in a sheet, tangents, a residual.
fn bakes() -> Vec<Files> {
    let bake = |format: Format, zstd: Option<i32>, residual: bool| {
        let mut settings = exact(8.0);
        settings.format = FormatChoice::Fixed(format);
        settings.residual = residual;
        let mut recipe = baking::recipe("README.md", Vec::new());
        recipe.mesh.zstd = zstd;
        recipe.mesh.tangents = !residual;
        recipe.all_clips = Some(settings);
        let mut model = if residual { morph_quad() } else { skinned_strip() };
        let tangent = model.vec4(&[[1.0, 0.0, 0.0, -1.0]; 10]);
        if !residual {
            model.set("/meshes/0/primitives/0/attributes/TANGENT", tangent.into());
        }
        files_with(&recipe, &|_| model.glb())
    };
    vec![
        bake(Format::Rgba16ui, None, false),
        bake(Format::Rgba16f, Some(3), false),
        bake(Format::Rgba8, Some(1), true),
    ]
}

/// Loads, asks everything if that was possible, and says whether it was.
fn survives(files: &Files) -> bool {
    let bytes: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
    let (loaded, memory) = peak(|| {
        let character = load("it", files).ok()?;
        ask(&character);
        Some(())
    });
    assert!(memory <= 64 * bytes + (2 << 20), "{memory} bytes for files of {bytes}");
    loaded.is_some()
}

fn ask(character: &Character) {
    for lod in 0..character.metadata().lods.len() as u32 + 1 {
        for clip in 0..character.metadata().clips.len() as u32 + 1 {
            let Ok(motion) = character.motion(clip, lod) else { continue };
            for time in [f64::NEG_INFINITY, -1.0, 0.0, 0.3, 1e300, f64::NAN] {
                let pose = motion.at(time);
                pose.bounds();
                for vertex in [0, 1, 7, u32::MAX] {
                    pose.vertex(vertex);
                }
                pose.column(u32::MAX, [0.0; 3]);
            }
            let word = Playback::PingPong.of(clip);
            let mut instance = Instance::new(word, 0).with_speed(f32::NAN).with_phase(f32::INFINITY);
            for now in [0, 1, u32::MAX, 1 << 31] {
                instance = instance.fade_to(0, now, f32::NAN).settle(now);
                drop(character.pose(&instance, lod, now).map(|pose| pose.vertex(3)));
            }
        }
    }
    for texture in character.sheets() {
        let upload = texture.upload();
        upload.layer(u32::MAX);
        texture.texel(u32::MAX, u32::MAX, u32::MAX);
    }
}

#[test]
fn every_truncation() {
    for files in bakes() {
        assert!(survives(&files));
        for file in 0..files.len() {
            for end in 0..files[file].1.len() {
                let mut broken = files.clone();
                broken[file].1.truncate(end);
                // A document may lose the line feed at its end.
                let whole = end + 1 == files[file].1.len() && files[file].0.ends_with(".json");
                assert_eq!(survives(&broken), whole, "{} at {end}", files[file].0);
            }
        }
    }
}

#[test]
fn every_byte_flipped() {
    let mut random = Random(0xF11B);
    for files in bakes() {
        for file in 0..files.len() {
            for at in 0..files[file].1.len() {
                let mut broken = files.clone();
                broken[file].1[at] ^= 1 << (random.bits() % 8);
                survives(&broken);
            }
        }
    }
}

/// Numbers that tend to be trouble.
const NUMBERS: [&str; 10] =
    ["0", "-1", "1", "255", "65536", "4294967295", "4294967296", "18446744073709551615", "1e38", "null"];

/// Every number of the JSON in turn becomes each of them; in the binary files random words do.
#[test]
fn other_numbers() {
    let mut random = Random(0x5EED);
    for files in bakes() {
        for (file, (name, bytes)) in files.iter().enumerate() {
            let change = |range: std::ops::Range<usize>, by: &[u8]| {
                let mut broken = files.clone();
                broken[file].1.splice(range, by.iter().copied());
                survives(&broken);
            };
            if name.ends_with(".json") {
                for digits in numbers(bytes) {
                    NUMBERS.iter().for_each(|number| change(digits.clone(), number.as_bytes()));
                }
                continue;
            }
            for at in (0..bytes.len() - 4).step_by(4) {
                let word = [u32::MAX, 1 << 31, random.bits() as u32, 0][random.bits() as usize % 4];
                change(at..at + 4, &word.to_le_bytes());
            }
        }
    }
}

/// Where the whole numbers of a text are.
fn numbers(text: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut all = Vec::new();
    let mut start = 0;
    for (at, byte) in text.iter().enumerate() {
        if byte.is_ascii_digit() {
            continue;
        }
        if start < at {
            all.push(start..at);
        }
        start = at + 1;
    }
    all
}

/// The errors that people meet say what to do.
#[test]
fn messages() {
    let files = bakes().remove(0);
    let changed = |from: &str, to: &str| {
        let mut files = files.clone();
        let json = &mut files.last_mut().unwrap().1;
        *json = String::from_utf8(json.clone()).unwrap().replacen(from, to, 1).into_bytes();
        load("it", &files).unwrap_err()
    };
    let schema = changed("vatpipe/character/1", "vatpipe/character/2");
    assert_eq!(schema.code, "runtime::schema");
    assert!(schema.to_string().contains("`vatpipe/character/2`"), "{schema}");
    assert_eq!(changed("\"vertex\"", "\"bone\"").code, "runtime::mode");
    assert_eq!(
        changed("\"axes\": \"gltf\"", "\"axes\": \"gltf\", \"mesh_axes\": \"unity\"").code,
        "runtime::axes"
    );
    assert_eq!(changed("it_0_VAT.ktx2", "../it_0_VAT.ktx2").code, "runtime::metadata");
    assert_eq!(changed("\"first_row\": 0", "\"first_row\": 3").code, "runtime::metadata");
    let other = changed("\"layout\": ", "\"layout\": 7, \"was\": ");
    assert_eq!((other.code, other.file.as_str()), ("runtime::layout", "it_0_VAT.ktx2"));
    let right = load("it", &files).unwrap();
    let layout = right.metadata().layout;
    assert_eq!(right.check_layout(layout), Ok(()));
    let error = right.check_layout(layout ^ 1).unwrap_err();
    assert!(
        error.code == "runtime::layout" && error.to_string().contains(&format!("{layout:08x}")),
        "{error}"
    );
}
