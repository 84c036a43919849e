//! The functions of `Vat.hlsl` in numbers: Slang makes C++ of them (`Cpu.hlsl`), which runs over the texels of real bakes and the tables of
//! the scripts, and the answers are those of the tests' loader.

use std::process::Command;

use vatpipe::metadata::Character;

use super::scripts::{Played, floats, mono};
use super::{bakes, root, run, written};
use crate::support::baking::{files_with, load};
use crate::support::loader::{self, Clip, Moment, Track};
use crate::support::random::Random;
use crate::support::reference::degrees;

/// What an instance plays, and of which vertex that is asked when.
#[derive(Clone, Copy)]
struct Question {
    clip: usize,
    previous: usize,
    playback: u32,
    start: u32,
    previous_start: u32,
    speed: f32,
    phase: f32,
    fade_start: u32,
    fade_length: f32,
    vertex: usize,
    now: u32,
}

impl Question {
    fn new(random: &mut Random, clips: &[usize], vertices: usize) -> Self {
        let mut pick = |range: u32| (random.bits() % u64::from(range)) as u32;
        let (clip, previous) = (clips[pick(9) as usize % clips.len()], clips[pick(7) as usize % clips.len()]);
        let now = 4_000_000_000_u32.wrapping_add(pick(500_000_000));
        let (age, faded) = (pick(90_000), pick(9000));
        Self {
            clip,
            previous,
            playback: pick(4),
            start: now.wrapping_sub(age),
            previous_start: now.wrapping_sub(3 * age),
            speed: [1.0, -0.5, 1.75][pick(3) as usize],
            phase: pick(100) as f32 / 100.0,
            fade_start: now.wrapping_sub(faded),
            fade_length: [0.0, 1.0, 4.0][pick(3) as usize],
            vertex: pick(vertices as u32) as usize,
            now,
        }
    }

    /// As `Asked` in Cpu.hlsl.
    fn bytes(&self, it: &loader::Character) -> Vec<u8> {
        let Self { start, previous_start, speed, phase, fade_start, fade_length, now, .. } = *self;
        let [clip, previous] = [self.clip, self.previous].map(|clip| clip as u32);
        let (high, low) = (|word: u32| (word >> 16) as f32, |word: u32| (word & 0xffff) as f32);
        let both = |clip: u32| (clip << 2 | self.playback) as f32;
        let properties = [
            both(clip),
            both(previous),
            low(start),
            high(start),
            low(previous_start),
            high(previous_start),
            low(fade_start),
            high(fade_start),
            speed,
            phase,
            fade_length,
            0.0,
        ];
        let [x, y, z] = it.mesh.positions[self.vertex];
        let column = it.mesh.columns[self.vertex] as u32;
        let word = |clip: u32| clip | self.playback << 24;
        let mut words = vec![word(clip), word(previous), start, previous_start];
        words.extend([speed.to_bits(), phase.to_bits(), fade_start, fade_length.to_bits()]);
        words.extend(properties.map(f32::to_bits));
        words.extend([x, y, z, 1.0, (column % 1024) as f32, (column / 1024) as f32].map(f32::to_bits));
        words.extend([now, 0]);
        words.into_iter().flat_map(u32::to_le_bytes).collect()
    }

    fn moment(&self, clip: &Clip, track: &Track, start: u32) -> Moment {
        if track.frames == 1 || clip.duration == 0.0 {
            return Moment { frame: 0, blend: 0.0 };
        }
        let played = Played {
            duration: clip.duration,
            looping: clip.looping,
            frames: track.frames as u32,
            word: self.playback << 24,
            start,
            speed: self.speed,
            phase: self.phase,
            now: self.now,
        };
        let position = played.position();
        let frame = (position as usize).min(track.frames - 1);
        Moment { frame, blend: if clip.step { 0.0 } else { (position - frame as f64) as f32 } }
    }

    fn weight(&self) -> f32 {
        let elapsed = self.now.wrapping_sub(self.fade_start).cast_signed() as f32 / 4096.0;
        if self.fade_length <= 0.0 { 1.0 } else { (elapsed / self.fade_length).min(1.0) }
    }

    /// Position and normal, from the loader, out of the sheets of a group.
    fn answer(&self, it: &loader::Character, sheets: &[Option<usize>]) -> ([f32; 3], Option<[f32; 3]>) {
        let of = |clip: usize, start: u32| {
            let clip = &it.clips[clip];
            let track_in = |sheet: Option<usize>| clip.tracks.iter().find(|track| Some(track.sheet) == sheet);
            let track = track_in(sheets[0]).unwrap();
            let at = self.moment(clip, track, start);
            let packed = it.sheets[track.sheet].holds == "position+normal";
            let normals = if packed { Some(track) } else { track_in(sheets[2]) };
            let normal = |track: &Track| it.direction_at(track, self.vertex, self.moment(clip, track, start));
            let directions = normals.map(normal);
            (it.position_at(track, self.vertex, at), directions)
        };
        let ((here, normal), (past, faded)) =
            (of(self.clip, self.start), of(self.previous, self.previous_start));
        let weight = self.weight();
        let mixed = |a: [f32; 3], b: [f32; 3]| [0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * weight);
        (mixed(past, here), normal.zip(faded).map(|(normal, faded)| mixed(faded, normal)))
    }
}

/// Texels as four floats, with their size before all of them.
fn image(it: &loader::Character, sheet: Option<usize>) -> ([u32; 2], Vec<f32>) {
    let Some(texture) = sheet.map(|sheet| &it.sheets[sheet].texture) else { return ([1, 1], vec![0.0; 4]) };
    let rows = (0..texture.height).flat_map(|y| (0..texture.width).map(move |x| (x, y)));
    (
        [texture.width as u32, texture.height as u32],
        rows.flat_map(|(x, y)| texture.texel(x, y, 0).v).collect(),
    )
}

#[test]
fn shaders_say_where_vertices_are() {
    let none: [Character; 0] = [];
    let folder = written(&none);
    let path = |name: &str| folder.path().join(name);
    let mut slang = Command::new(root("tests/tools/slang/slangtorch/bin/slangc"));
    slang
        .arg("-O0")
        .args(["-warnings-disable", "39019,41017,40100"])
        .arg(root("tests/codegen/unity/Cpu.hlsl"));
    slang.arg("-I").arg(path("unity")).arg("-I").arg(root("tests/codegen/unity"));
    run(slang.args(["-target", "cpp", "-entry", "ask", "-stage", "compute", "-o"]).arg(path("made.cpp")));
    let mut compiler = Command::new("c++");
    compiler.args(["-std=c++17", "-w", "-ffp-contract=off", "-I"]).arg(folder.path());
    run(compiler.arg("-o").arg(path("cpu")).arg(root("tests/codegen/unity/Cpu.cpp")));

    let mut random = Random(11);
    for recipe in bakes() {
        let files = files_with(&recipe, &|path| std::fs::read(path).unwrap());
        let it = load(&recipe, &files);
        files.iter().for_each(|(name, bytes)| std::fs::write(path(name), bytes).unwrap());
        let at = folder.path().to_str().unwrap();
        let said = mono(&[at, "it", at]);
        for (index, group) in said.lines().filter_map(|line| line.strip_prefix("group ")).enumerate() {
            let sheets: Vec<Option<usize>> =
                group.split(' ').next().unwrap().split(',').map(|sheet| sheet.parse().ok()).collect();
            // Levels of their own have fewer vertices: those of the finest are asked for.
            let sheet = sheets[0].unwrap();
            if it.json["sheets"][sheet]["lods"][0] != 0 {
                continue;
            }
            let plays = |clip: &usize| it.clips[*clip].tracks.iter().any(|track| track.sheet == sheet);
            let clips: Vec<usize> = (0..it.clips.len()).filter(plays).collect();
            let table = floats(folder.path(), &format!("table{index}"));
            let mut images = vec![([16, it.clips.len() as u32], table)];
            images.extend(sheets[..3].iter().map(|&sheet| image(&it, sheet)));
            let vertices = it.mesh.positions.len();
            let questions: Vec<Question> =
                (0..300).map(|_| Question::new(&mut random, &clips, vertices)).collect();

            let mut input: Vec<u8> =
                images.iter().flat_map(|(size, _)| size.map(u32::to_le_bytes)).flatten().collect();
            input.extend(images.iter().flat_map(|(_, texels)| texels).flat_map(|texel| texel.to_le_bytes()));
            input.extend((questions.len() as u32).to_le_bytes());
            questions.iter().for_each(|question| input.extend(question.bytes(&it)));
            std::fs::write(path("input"), input).unwrap();
            run(Command::new(path("cpu")).arg(path("input")).arg(path("output")));
            let answers = floats(folder.path(), "output");
            for (question, answer) in questions.iter().zip(answers.as_chunks::<12>().0) {
                check(&it, &sheets, question, answer);
            }
        }
    }
}

fn check(it: &loader::Character, sheets: &[Option<usize>], question: &Question, answer: &[f32; 12]) {
    let (position, normal) = question.answer(it, sheets);
    let size = (0..3).map(|i| it.bounds.max[i] - it.bounds.min[i]).fold(0.0, f32::max);
    let what = || format!("clips {} and {}, vertex {}", question.clip, question.previous, question.vertex);
    for found in [&answer[..3], &answer[8..11]] {
        let off = (0..3).map(|i| (found[i] - position[i]).abs()).fold(0.0, f32::max);
        // A frame's share is a single with 24 bits.
        assert!(off <= 2e-5 * size, "{}: {found:?} instead of {position:?}", what());
    }
    let found = [answer[4], answer[5], answer[6]];
    match normal {
        // Of two that are opposite either will do.
        Some(normal) if normal.iter().map(|c| c * c).sum::<f32>() > 1e-3 => {
            assert!(degrees(found, normal) < 0.1, "{}: {found:?} instead of {normal:?}", what());
        }
        Some(_) => {}
        None => assert_eq!(found, [0.0; 3], "{}", what()),
    }
}
