//! The scripts, compiled, and what has nothing to do with Unity run over real bakes.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use tempfile::TempDir;
use vatpipe::encode::Format;

use super::super::sample;
use super::{bakes, root, run, settings, unity, written};
use crate::support::baking::{clip, files_with, load, recipe};
use crate::support::loader::{self, mesh};
use crate::support::random::Random;

/// The scripts, compiled together with `Run.cs`. They are the same for all characters but for two files.
fn player() -> &'static Path {
    static PROGRAM: OnceLock<TempDir> = OnceLock::new();
    let folder = PROGRAM.get_or_init(|| {
        let folder = written(&sample::all());
        compile(folder.path());
        folder
    });
    folder.path()
}

/// As Unity's own compiler would, with every warning an error. Mono's has no C# that is newer than 7.2.
fn compile(folder: &Path) {
    let mut command = Command::new("mcs");
    command.current_dir(folder).args(["-langversion:7.2", "-warnaserror", "-warn:4", "-out:Run.exe"]);
    command.args([root("tests/codegen/unity/UnityEngine.cs"), root("tests/codegen/unity/Run.cs")]);
    for name in ["unity", "unity/Editor"] {
        let files = std::fs::read_dir(folder.join(name)).unwrap().map(|entry| entry.unwrap().path());
        command.args(files.filter(|path| path.extension().is_some_and(|extension| extension == "cs")));
    }
    run(&mut command);
}

/// Runs `Run.cs`.
pub fn mono(arguments: &[&str]) -> String {
    run(Command::new("mono").arg(player().join("Run.exe")).args(arguments))
}

#[test]
fn scripts_compile_whatever_characters_are_called() {
    player();
    let names = ["Vat", "Clip", "Name", "Layout", "string", "VatCharacter", "a\"b\\c", "1 & <2>"];
    let named = names.map(|name| {
        let mut character = sample::crab();
        character.name = name.to_owned();
        for (clip, ident) in character.clips.iter_mut().zip(["CLIP", "NAME", "LAYOUT"]) {
            clip.ident = ident.to_owned();
        }
        character
    });
    compile(written(&named).path());
    compile(written(&[]).path());
}

/// The numbers of a file that the scripts wrote.
pub fn floats(folder: &Path, name: &str) -> Vec<f32> {
    let bytes = std::fs::read(folder.join(name)).unwrap();
    bytes.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()
}

/// What the scripts read of a bake is what the loader of the tests reads.
#[test]
fn scripts_read_what_is_baked() {
    for recipe in bakes() {
        let files = files_with(&recipe, &|path| std::fs::read(path).unwrap());
        let (folder, result) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (name, bytes) in &files {
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
        let [from, to] = [&folder, &result].map(|folder| folder.path().to_str().unwrap());
        let said = mono(&[from, "it", to]);
        let it = load(&recipe, &files);
        let glb = &files.iter().find(|(name, _)| name.ends_with(".glb")).unwrap().1;
        let levels = mesh::levels(glb, it.json["column_texcoord"].as_u64().unwrap() as usize);

        let number = |key: &str| it.json[key].as_u64().unwrap();
        let head = format!("it {} {} {}", number("layout"), number("vertex_count"), number("column_count"));
        assert_eq!(said.lines().next(), Some(head.as_str()));
        for (index, sheet) in it.sheets.iter().enumerate() {
            let data = std::fs::read(result.path().join(format!("sheet{index}"))).unwrap();
            assert!(data == sheet.texture.data, "{said}: texels of sheet {index}");
        }
        for (index, level) in levels.iter().enumerate() {
            let read = |what: &str| floats(result.path(), &format!("{what}{index}"));
            assert_eq!(read("positions"), level.positions.as_flattened());
            assert_eq!(read("columns"), level.columns.iter().map(|&c| c as f32).collect::<Vec<_>>());
            let triangles = level.primitives.iter().flat_map(|(_, indices)| indices);
            assert_eq!(read("triangles"), triangles.map(|&i| i as f32).collect::<Vec<_>>());
            assert!(said.contains(&format!("level {} ", level.node)), "{said}");
        }
        assert_eq!(floats(result.path(), "normals0"), it.mesh.normals.as_ref().unwrap().as_flattened());
        let groups: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("group ")).collect();
        assert_eq!(
            groups.len(),
            it.sheets.iter().filter(|s| s.holds.starts_with("position")).count(),
            "{said}"
        );
        for (index, group) in groups.iter().enumerate() {
            let sheets = group.split(' ').next().unwrap().split(',');
            let sheets: Vec<Option<usize>> = sheets.map(|sheet| sheet.parse().ok()).collect();
            check_table(&it, &sheets, &floats(result.path(), &format!("table{index}")));
        }
    }
}

/// A table, read as `vat_unity_entry` reads it: 16 texels of a clip, four of each kind of sheet.
fn check_table(it: &loader::Character, sheets: &[Option<usize>], table: &[f32]) {
    assert_eq!(table.len(), it.clips.len() * 64);
    for (clip, row) in it.clips.iter().zip(table.as_chunks::<64>().0) {
        let plays = clip.tracks.iter().any(|track| Some(track.sheet) == sheets[0]);
        for (sheet, entry) in sheets.iter().zip(row.as_chunks::<16>().0) {
            let track = clip.tracks.iter().find(|track| Some(track.sheet) == *sheet).filter(|_| plays);
            let Some(track) = track else {
                assert_eq!(entry, &[0.0; 16], "{} is not there", clip.name);
                continue;
            };
            let [first_row, band_rows, layer, frames, fps, duration, low, high, flags, rest @ ..] = *entry;
            let numbers = [first_row, band_rows, layer, frames].map(|number| number as usize);
            assert_eq!(numbers, [track.first_row, track.band_rows, track.layer, track.frames]);
            assert_eq!([fps, duration], [track.fps as f32, clip.duration as f32]);
            let turns = low as u64 + ((high as u64) << 16);
            assert_eq!(turns, (f64::from(1 << 20) / clip.duration).round() as u64, "{}", clip.name);
            let sheet = &it.sheets[track.sheet];
            let packing = match (sheet.holds.as_str(), sheet.texture.format.as_str()) {
                ("position+normal", "rgba32f") => 1,
                ("position+normal", _) => 2,
                _ => 0,
            };
            let says = |is: bool, flag: u32| if is { flag } else { 0 };
            let flag =
                says(clip.looping, 1) | says(clip.step, 2) | says(track.relative, 4) | 8 | packing << 4;
            assert_eq!(flags as u32, flag, "{}", clip.name);
            let [bias, scale] = [track.bias, track.scale];
            let width = sheet.texture.width as f32;
            assert_eq!(rest, [bias[0], bias[1], bias[2], width, scale[0], scale[1], scale[2]]);
        }
    }
}

/// Frame and blend as the contract of instances has them, in integers without an end.
pub struct Played {
    pub duration: f64,
    pub looping: bool,
    pub frames: u32,
    pub word: u32,
    pub start: u32,
    pub speed: f32,
    pub phase: f32,
    pub now: u32,
}

impl Played {
    fn fps(&self) -> f64 {
        f64::from(self.intervals()) / self.duration
    }

    fn intervals(&self) -> u32 {
        if self.looping { self.frames } else { self.frames - 1 }
    }

    /// The position in frames.
    pub fn position(&self) -> f64 {
        let factor = i128::from((f64::from(self.speed) * 4096.0 + 0.5).floor() as i64);
        let elapsed = i128::from(self.now.wrapping_sub(self.start).cast_signed());
        let (seconds, rest) = (elapsed.div_euclid(4096), elapsed.rem_euclid(4096));
        let local = seconds * factor + (rest * factor).div_euclid(4096);
        let local = (local.rem_euclid(1 << 32) as u32).cast_signed();
        let step = (f64::from(1 << 20) / self.duration).round() as i128;
        let shift = i128::from((self.phase.fract() * 65536.0) as u32) << 16;
        let turned = |step: i128, shift: i128| {
            f64::from(((i128::from(local) * step + shift).rem_euclid(1 << 32) >> 8) as u32)
        };
        let intervals = f64::from(self.intervals());
        match (self.word >> 24 & 3, self.looping) {
            (2, _) | (0, false) => {
                let time = f64::from(local) / 4096.0 + f64::from(self.phase) * self.duration;
                (time * self.fps()).clamp(0.0, intervals)
            }
            (3, _) => {
                let there = turned(step >> 1, shift >> 1) / 8_388_608.0;
                there.min(2.0 - there) * intervals
            }
            _ => turned(step, shift) / 16_777_216.0 * intervals,
        }
    }
}

#[test]
fn scripts_count_ticks_as_shaders_do() {
    let mut random = Random(7);
    let pick = |random: &mut Random, list: &[u32]| list[(random.bits() % list.len() as u64) as usize];
    let mut cases = Vec::new();
    for _ in 0..400 {
        let now = random.bits() as u32;
        let back = pick(&mut random, &[0, 1, 4095, 4096, 70_000, 3_000_000, 400_000_000]);
        let ahead = pick(&mut random, &[0, 0, 0, 10_000]);
        cases.push(Played {
            duration: f64::from(pick(&mut random, &[1, 5, 13, 160, 7200])) / 8.0,
            looping: random.bits().is_multiple_of(2),
            frames: 2 + (random.bits() % 300) as u32,
            word: 5 | pick(&mut random, &[0, 1, 2, 3]) << 24,
            start: now.wrapping_sub(back).wrapping_add(ahead),
            speed: [1.0, 0.5, -1.0, 2.75, 0.0, -0.125][(random.bits() % 6) as usize],
            phase: (random.bits() % 1000) as f32 / 1000.0,
            now,
        });
    }
    let lines: String = cases
        .iter()
        .map(|p| {
            let Played { duration, looping, frames, word, start, speed, phase, now } = p;
            format!(
                "{duration} {looping} false {frames} {:?} {word} {start} {speed} {phase} {now}\n",
                p.fps()
            )
        })
        .collect();
    let mut command = Command::new("mono");
    command.arg(player().join("Run.exe")).arg("--play").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    let mut answers = output.lines();
    assert_eq!(answers.next(), Some("32"), "bytes of an instance");
    for (case, answer) in cases.iter().zip(answers.by_ref()) {
        let numbers: Vec<f64> = answer.split(' ').map(|number| number.parse().unwrap()).collect();
        let [frame, blend, fade, ticks, properties @ ..] = numbers.as_slice() else { panic!("{answer}") };
        let (found, expected) = (frame + blend, case.position());
        let intervals = f64::from(case.intervals());
        // Singles have 24 bits.
        let off = (found - expected).abs();
        assert!(off <= 1e-6 * intervals.max(1.0) * 4.0, "{found} and {expected}: {lines}");
        assert!(*frame <= f64::from(case.frames - 1) && (0.0..=1.0).contains(blend));
        assert_eq!((*fade, *ticks), (0.5, (case.duration * 4096.0).floor()));
        let halves = |word: u32| [f64::from(word & 0xffff), f64::from(word >> 16)];
        let old = f64::from((case.word & 0xff_ffff) << 2 | case.word >> 24);
        let mut words = vec![f64::from(3 << 2 | 2), old];
        [case.now, case.start, case.now].iter().for_each(|&word| words.extend(halves(word)));
        words.extend([f64::from(case.speed), f64::from(case.phase), 0.25]);
        let close = properties.iter().zip(&words).all(|(a, b)| (a - b).abs() < 1e-6);
        assert!(close && properties.len() == words.len(), "{properties:?} {words:?}");
    }
    assert_eq!(answers.next(), None);
}

/// Files that are cut anywhere, compressed, or of another bake are refused with words.
#[test]
fn scripts_refuse_what_they_cannot_read() {
    let mut recipe = unity(recipe("README.md", vec![clip(0, settings(Format::Rgba16ui))]));
    recipe.source = root("examples/characters/models/pennant.glb");
    let folder = tempfile::tempdir().unwrap();
    let write = |files: &[(String, Vec<u8>)]| {
        for (name, bytes) in files {
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
    };
    let read = |path: &Path| std::fs::read(path).unwrap();
    write(&files_with(&recipe, &read));
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    assert_eq!(mono(&["--broken", &path("it_0_VAT.ktx2"), "ktx2"]), "refused\nwhole\n");
    assert_eq!(mono(&["--broken", &path("it.glb"), "glb"]), "refused\nwhole\n");
    // Without the last line's end it is all there.
    let said = mono(&["--broken", &path("it.vat.json"), "json"]);
    assert!(["refused\nwhole\n", "read\nrefused\nwhole\n"].contains(&said.as_str()), "{said}");
    recipe.mesh.zstd = Some(3);
    write(&files_with(&recipe, &read));
    let said = mono(&["--broken", &path("it_0_VAT.ktx2"), "ktx2"]);
    assert!(said.contains("compressed with Zstandard") && said.contains("zstd = false"), "{said}");
}

/// The importer's formats are those that the table of platforms names for Unity; integers are read as fractions.
#[test]
fn the_importer_knows_all_formats() {
    let importer = include_str!("../../../templates/unity/Editor/VatImporter.cs");
    for &format in Format::all() {
        let case = format!("case {}: return GraphicsFormat.", format.vk_format());
        let found = importer.split(&case).nth(1).and_then(|rest| rest.split(';').next());
        let expected = match format {
            Format::Rgba16ui => Some("R16G16B16A16_UNorm"),
            format => format.unity_name(),
        };
        assert_eq!(found, expected, "{format}");
    }
}
