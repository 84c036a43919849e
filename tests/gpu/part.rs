//! A sheet of positions and what is beside it: the functions that read them, random moments, the comparison.

use std::collections::BTreeMap;
use std::fmt;

use vatpipe::metadata::{Character as Metadata, Holds};

use super::decoder::{self, PLAYBACKS, Value, word};
use super::program::{Calls, Language, Stage};
use super::work::{Answer, Instance, Job, Work};
use crate::support::loader::{Character, Direction};
use crate::support::random::Random;

/// Random moments of each clip.
const MOMENTS: usize = 50;

/// A sheet with positions, and the functions that read it.
pub struct Part {
    pub sheet: usize,
    pub clips: Vec<usize>,
    /// An instance, with cross-fades.
    pub instance: Calls,
    /// A clip at seconds.
    pub timed: Calls,
    has_normals: bool,
}

/// The parts of a character.
pub fn parts(metadata: &Metadata) -> Vec<Part> {
    let is_position = |holds: Holds| matches!(holds, Holds::Position | Holds::PositionNormal);
    let of = |role: fn(Holds) -> bool| -> Vec<usize> {
        (0..metadata.sheets.len()).filter(|&sheet| role(metadata.sheets[sheet].holds)).collect()
    };
    let positions = of(|holds| matches!(holds, Holds::Position | Holds::PositionNormal));
    let normals = of(|holds| holds == Holds::Normal);
    let residuals = of(|holds| holds == Holds::Residual);
    let suffix =
        |sheet: usize, all: &[usize]| if all.len() > 1 { format!("_{sheet}") } else { String::new() };
    let snake = &metadata.name;
    let part = |&sheet: &usize| {
        assert!(is_position(metadata.sheets[sheet].holds));
        let holds = |clip: &usize, sheet: usize| {
            metadata.clips[*clip].tracks.iter().any(|track| track.sheet as usize == sheet)
        };
        let clips: Vec<usize> = (0..metadata.clips.len()).filter(|clip| holds(clip, sheet)).collect();
        let beside = |all: &[usize]| all.iter().copied().find(|&it| clips.iter().any(|clip| holds(clip, it)));
        let (normal, residual) = (beside(&normals), beside(&residuals));
        let packed = metadata.sheets[sheet].holds == Holds::PositionNormal;
        let end = suffix(sheet, &positions);
        let sheets: Vec<usize> = [sheet].into_iter().chain(residual).chain(normal).collect();
        let names: Vec<String> = (0..sheets.len()).map(|index| format!("sheet_{index}")).collect();
        let (all, last) = (names.join(", "), &names[names.len() - 1]);
        let instance = format!("{snake}_instance{end}({all}, instance, column, now, rest)");
        let values = "clip_number, column, time";
        let vertex = match (packed, normal) {
            (true, _) => Some(format!("{snake}_vertex{end}(sheet_0, {values}, rest)")),
            (_, Some(_)) => Some(format!("{snake}_vertex{end}(sheet_0, {last}, {values}, rest)")),
            _ => None,
        };
        let timed = match vertex {
            Some(vertex) => (format!("{vertex}.position"), format!("{vertex}.normal")),
            None => (format!("{snake}_position{end}(sheet_0, {values}, rest)"), "rest".to_owned()),
        };
        let residual =
            residual.map(|it| format!("{snake}_residual{}(sheet_1, {values})", suffix(it, &residuals)));
        let timed =
            (residual.map_or(timed.0.clone(), |residual| format!("({} + {residual})", timed.0)), timed.1);
        Part {
            sheet,
            clips,
            instance: Calls {
                first: format!("{instance}.position"),
                second: format!("{instance}.normal"),
                sheets: sheets.clone(),
                filtering: false,
            },
            timed: Calls { first: timed.0, second: timed.1, sheets, filtering: false },
            has_normals: packed || normal.is_some(),
        }
    };
    positions.iter().map(part).collect()
}

/// What a vertex has to be at a job.
pub struct Expected {
    pub position: Value,
    pub normal: Option<Value>,
    /// The size of the clip's box: what errors are measured by.
    pub size: f64,
}

/// Vertices of the first and the last column, of both sides of a border between bands, and others at random.
fn vertices(character: &Character, sheet: usize, random: &mut Random) -> Vec<usize> {
    let width = character.sheets[sheet].texture.width;
    let mut columns = vec![0, character.column_count - 1, width - 1, width];
    columns.extend((0..10).map(|_| (random.bits() % character.column_count as u64) as usize));
    columns.retain(|&column| column < character.column_count);
    let vertex = |column: usize| character.mesh.columns.iter().position(|&c| c == column).unwrap();
    columns.into_iter().map(vertex).collect()
}

impl Part {
    /// Jobs for every clip at random moments of random instances, and what has to come out.
    pub fn instances(&self, character: &Character, random: &mut Random) -> Trial<'_> {
        let (mut jobs, mut expected) = (Vec::new(), Vec::new());
        for &clip in &self.clips {
            for moment in 0..MOMENTS {
                let (instance, now) = self.instance_of(character, clip, moment, random);
                for vertex in vertices(character, self.sheet, random) {
                    jobs.push(job(character, instance, now, vertex));
                    expected.push(self.expect(character, &instance, now, vertex));
                }
            }
        }
        Trial { name: "instance", calls: &self.instance, jobs, expected }
    }

    /// A random instance that plays a clip, and a moment. Every fifth began hours ago, or begins in hours.
    fn instance_of(
        &self,
        character: &Character,
        clip: usize,
        moment: usize,
        random: &mut Random,
    ) -> (Instance, u32) {
        let now = random.bits() as u32;
        let ticks = character.clips[clip].duration.max(0.1) * 4096.0;
        let ago = |random: &mut Random| {
            if moment % 5 == 4 {
                random.bits() as u32
            } else {
                (f64::from(random.signed()) * 3.0 * ticks) as i32 as u32
            }
        };
        let mut playback = || PLAYBACKS[(random.bits() % 4) as usize];
        let (first, second) = (playback(), playback());
        let other = self.clips[(random.bits() % self.clips.len() as u64) as usize];
        let fade_length = random.unit() * 2.0;
        let since = [f64::from(random.unit()) * f64::from(fade_length) * 4096.0, -9.0, 99_999.0];
        let instance = Instance {
            clip: word(clip, first),
            previous: word(other, second),
            start: now.wrapping_sub(ago(random)),
            previous_start: now.wrapping_sub(ago(random)),
            speed: [1.0, 0.0, -1.0, 7.0 * random.signed(), 300.0 * random.signed()]
                [moment % 5 * (moment % 2)],
            phase: if moment.is_multiple_of(3) { 0.0 } else { random.unit() },
            fade_start: now.wrapping_sub(since[[0, 0, 0, 1, 2][moment % 5]] as i32 as u32),
            fade_length: if moment % 7 == 6 { 0.0 } else { fade_length },
        };
        (instance, now)
    }

    /// What an instance shows of a vertex.
    pub fn expect(&self, character: &Character, instance: &Instance, now: u32, vertex: usize) -> Expected {
        let weight = decoder::fade(instance.fade_start, instance.fade_length, now);
        let clip = &character.clips[(instance.clip & 0xff_ffff) as usize];
        let to = self.played(character, instance.clip, instance.start, instance, now, vertex);
        let from = self.played(character, instance.previous, instance.previous_start, instance, now, vertex);
        let size = (0..3).map(|i| f64::from(clip.bounds.max[i] - clip.bounds.min[i])).fold(0.0, f64::max);
        Expected {
            position: decoder::mix(from.0, to.0, weight),
            normal: from.1.zip(to.1).map(|(from, to)| decoder::between(from, to, weight)),
            size,
        }
    }

    fn played(
        &self,
        character: &Character,
        word: u32,
        start: u32,
        instance: &Instance,
        now: u32,
        vertex: usize,
    ) -> (Value, Option<Value>) {
        let clip = &character.clips[(word & 0xff_ffff) as usize];
        let playback = PLAYBACKS[(word >> 24 & 3) as usize];
        let at = |track: &_| decoder::play(clip, track, playback, start, instance.speed, instance.phase, now);
        let track = character.positions(clip);
        let normals = character.directions(clip, Direction::Normal);
        (
            decoder::whole_position(character, clip, track, vertex, &at),
            normals.map(|track| decoder::direction(character, clip, track, vertex, at(track))),
        )
    }

    /// The same for the functions that take seconds.
    pub fn seconds(&self, character: &Character, random: &mut Random) -> Trial<'_> {
        let (mut jobs, mut expected) = (Vec::new(), Vec::new());
        for &index in &self.clips {
            let clip = &character.clips[index];
            let track = character.positions(clip);
            for moment in 0..MOMENTS {
                let reach = if moment % 10 == 9 { 300.0 } else { 3.0 * clip.duration as f32 };
                let time = random.signed() * reach;
                for vertex in vertices(character, self.sheet, random) {
                    let mut job = job(character, Instance::default(), 0, vertex);
                    (job.clip, job.time) = (index as u32, time);
                    jobs.push(job);
                    let at = |track: &_| decoder::at(clip, track, time);
                    let normals = character.directions(clip, Direction::Normal);
                    let size = (0..3).map(|i| f64::from(clip.bounds.max[i] - clip.bounds.min[i]));
                    expected.push(Expected {
                        position: decoder::whole_position(character, clip, track, vertex, &at),
                        normal: normals
                            .map(|track| decoder::direction(character, clip, track, vertex, at(track))),
                        size: size.fold(0.0, f64::max),
                    });
                }
            }
        }
        Trial { name: "seconds", calls: &self.timed, jobs, expected }
    }

    /// Runs a trial, and checks every answer.
    pub fn check(&self, work: &Work, language: Language, stage: Stage, trial: &Trial, worst: &mut Worst) {
        let answers = work.run(language, stage, trial.calls, &trial.jobs);
        assert_eq!(answers.len(), trial.expected.len());
        let format = work.character.sheets[self.sheet].format.name();
        let key = (work.gpu.name.clone(), language, trial.name, format);
        let deviation = worst.0.entry(key).or_default();
        for ((job, answer), expected) in trial.jobs.iter().zip(&answers).zip(&trial.expected) {
            let what = || format!("{} {language:?} {format}: {job:?}", work.gpu.name);
            deviation.add(answer, expected, self.has_normals, &what);
        }
    }
}

/// Calls, what they work with, and what has to come out.
pub struct Trial<'a> {
    /// What the calls are: a column of the report.
    pub name: &'static str,
    pub calls: &'a Calls,
    pub jobs: Vec<Job>,
    pub expected: Vec<Expected>,
}

/// A job of an instance for a vertex.
pub fn job(character: &Character, instance: Instance, now: u32, vertex: usize) -> Job {
    let (column, rest) = (character.mesh.columns[vertex] as u32, character.mesh.positions[vertex]);
    Job { instance, now, clip: instance.clip, time: 0.0, column, rest }
}

/// The largest deviations.
#[derive(Default)]
pub struct Worst(BTreeMap<(String, Language, &'static str, &'static str), Deviation>);

/// Of one device, language and format.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deviation {
    count: usize,
    /// Shares of the clip's size, and of what is allowed.
    position: f64,
    position_share: f64,
    /// Distance of unit vectors, and the share of what is allowed.
    normal: f64,
    normal_share: f64,
}

impl Deviation {
    fn add(&mut self, answer: &Answer, expected: &Expected, has_normals: bool, what: &dyn Fn() -> String) {
        self.count += 1;
        let far =
            |a: [f32; 3], b: [f64; 3]| (0..3).map(|i| (f64::from(a[i]) - b[i]).abs()).fold(0.0, f64::max);
        let off = far(answer.first, expected.position.v);
        let (bound, v) = (expected.position.bound, expected.position.v);
        assert!(off <= bound, "{}: {:?}, not {v:?}: {off:e}, not within {bound:e}", what(), answer.first);
        self.position = self.position.max(off / expected.size.max(1e-9));
        self.position_share = self.position_share.max(off / bound);
        if let Some(normal) = &expected.normal {
            assert!(has_normals);
            let off = far(answer.second, normal.v);
            let (bound, v) = (normal.bound, normal.v);
            assert!(
                off <= bound,
                "{}: normal {:?}, not {v:?}: {off:e}, not within {bound:e}",
                what(),
                answer.second
            );
            // Nearly opposite vectors have no direction between them.
            if bound < 1.0 {
                self.normal = self.normal.max(off);
            }
            self.normal_share = self.normal_share.max(off / bound);
        }
    }
}

impl Worst {
    /// How many answers were compared.
    pub fn count(&self) -> usize {
        self.0.values().map(|deviation| deviation.count).sum()
    }
}

impl fmt::Display for Worst {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(
            f,
            "| device | language | functions | format | answers | position, of the clip's size | of the bound | normal | of the bound |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|---|---|---|")?;
        for ((device, language, functions, format), d) in &self.0 {
            let Deviation { count, position, position_share, normal, normal_share } = d;
            writeln!(
                f,
                "| {device} | {language:?} | {functions} | `{format}` | {count} | {position:.1e} | {position_share:.2} | {normal:.1e} | {normal_share:.2} |"
            )?;
        }
        Ok(())
    }
}
