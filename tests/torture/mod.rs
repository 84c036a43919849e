//! Kills, damage, full disks and neighbours: whatever happens to a build, the next one ends with the bytes of a clean one.
//!
//! The program itself is run, over and over, on a small project that is edited between runs. A short round is part of every
//! test run; `VATPIPE_TORTURE=SECONDS` makes it as long as that, and prints what was done. `VATPIPE_TORTURE_SEED` chooses
//! another course.

mod harm;
mod project;
mod watch;

use std::collections::BTreeMap;
use std::process::Child;
use std::time::{Duration, Instant};

use harm::Harm;
use project::{Finished, Project};

use super::support::random::Random;

/// How often everything was tried.
#[derive(Debug, Default)]
struct Count(BTreeMap<&'static str, usize>);

impl Count {
    fn add(&mut self, what: &'static str, times: usize) {
        *self.0.entry(what).or_default() += times;
    }
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn every_build_ends_with_the_bytes_of_a_clean_one() {
    let seconds = setting("VATPIPE_TORTURE").unwrap_or(6);
    let seed = setting("VATPIPE_TORTURE_SEED").unwrap_or(1);
    let end = Instant::now() + Duration::from_secs(seconds);
    let (mut random, mut count) = (Random(seed), Count::default());
    let mut project = Project::new();
    project.build_well("the first build");
    let mut round = 0;
    // All kinds once, however slow the machine is.
    while round < KINDS.len() || Instant::now() < end {
        let (name, kind) = KINDS[round % KINDS.len()];
        let edits = if random.bits().is_multiple_of(4) { 0 } else { 1 + random.bits() % 2 };
        (0..edits).for_each(|_| project.edit(&mut random));
        kind(&mut project, &mut random, &mut count);
        project.build_well(&format!("round {round}, seed {seed}: {name}"));
        count.add(name, 1);
        round += 1;
    }
    if seconds > 6 {
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), "torture: {round} rounds, seed {seed}, {:?}", count.0);
    }
}

type Kind = fn(&mut Project, &mut Random, &mut Count);

const KINDS: [(&str, Kind); 7] = [
    ("killed", killed),
    ("damaged", damaged),
    ("at once", at_once),
    ("full disk", full_disk),
    ("no store", no_store),
    ("blocked output", blocked_output),
    ("at a glance", at_a_glance),
];

/// Builds that are killed, one after the other; sometimes something is edited in between.
fn killed(project: &mut Project, random: &mut Random, count: &mut Count) {
    for _ in 0..1 + random.bits() % 4 {
        let mut child = project.command(&[]).spawn().expect("a process");
        let whole = project.usual.as_micros() as u64;
        std::thread::sleep(Duration::from_micros(random.bits() % whole.max(1)));
        count.add("kills that found it running", usize::from(kill(&mut child)));
        if random.bits().is_multiple_of(3) {
            project.edit(random);
        }
    }
}

/// Whether it was still running.
fn kill(child: &mut Child) -> bool {
    let running = child.try_wait().expect("a state").is_none();
    let _ = child.kill();
    let status = child.wait().expect("a state");
    running && status.code().is_none()
}

/// Files of the store and of the tool's own are changed, cut short and removed.
fn damaged(project: &mut Project, random: &mut Random, count: &mut Count) {
    if random.bits().is_multiple_of(2) {
        // So that there is something staged, or a record to damage.
        killed(project, random, count);
    }
    for _ in 0..1 + random.bits() % 6 {
        let harm = Harm::choose(random);
        if harm.is_of_outputs() {
            // What nobody wants any more, and no record names or somebody has changed, is nobody's file.
            project.build_well("before outputs are damaged");
        }
        count.add("files damaged", usize::from(harm.apply(project, random)));
    }
}

/// Several builds of the same at once, with a reader that looks on; one may be killed.
fn at_once(project: &mut Project, random: &mut Random, count: &mut Count) {
    let good = project.expected_and_before();
    let kills = random.bits().is_multiple_of(3);
    let before = project.known_keys();
    let watcher = watch::Watcher::start(project.out(), good);
    let start = |_| project.command(&["--message-format", "json"]).spawn().expect("a process");
    let mut all: Vec<Child> = (0..2 + random.bits() % 3).map(start).collect();
    if kills {
        let mut victim = all.swap_remove(0);
        std::thread::sleep(project.usual.mul_f32(random.unit()));
        count.add("kills that found it running", usize::from(kill(&mut victim)));
    }
    let runs: Vec<Finished> = all.into_iter().map(project::finish).collect();
    let looks = watcher.stop();
    count.add("looks at the outputs meanwhile", looks);
    count.add("builds at once", runs.len());
    let errors = |run: &Finished| {
        let lines: Vec<&str> = run.out.lines().filter(|line| line.contains("\"reason\":\"error\"")).collect();
        format!("{} {}", run.err, lines.join("\n"))
    };
    runs.iter().for_each(|run| assert_eq!(run.code, 0, "{}", errors(run)));
    let mut baked: Vec<String> = runs.iter().flat_map(Finished::baked).collect();
    count.add("clips baked by builds at once", baked.len());
    // A new entry of the store is a clip that somebody baked; an old one may have lost its texels.
    let new = project.known_keys().difference(&before).count();
    assert!(kills || baked.len() >= new, "{} clips baked for {new} keys", baked.len());
    let all = baked.len();
    baked.sort();
    baked.dedup();
    assert_eq!(baked.len(), all, "each clip is baked once between them");
}

/// Nothing larger than a few bytes can be written: each build fails or goes on without a store.
fn full_disk(project: &mut Project, random: &mut Random, count: &mut Count) {
    let kilobytes = random.bits() % 6;
    let run = project::finish(project.limited(kilobytes).spawn().expect("a process"));
    assert!([0, 1].contains(&run.code), "exit code {}: {}", run.code, run.err);
    count.add("builds that failed on a full disk", usize::from(run.code == 1));
}

/// The folder of the store is a file, or is gone.
fn no_store(project: &mut Project, random: &mut Random, _: &mut Count) {
    let store = project.store();
    std::fs::remove_dir_all(&store).expect("a store");
    if random.bits().is_multiple_of(2) {
        std::fs::write(&store, "no folder").expect("a file");
        let run = project::finish(project.command(&[]).spawn().expect("a process"));
        assert_eq!(run.code, 0, "{}", run.err);
        assert_eq!(run.err.matches("cache::unusable").count(), 1, "one warning: {}", run.err);
        project.check("with a file in place of the store");
        std::fs::remove_file(&store).expect("a file");
    }
}

/// Something is in the way of an output, or of the tool's own folder.
fn blocked_output(project: &mut Project, random: &mut Random, count: &mut Count) {
    let names = [".vatpipe/stage", ".vatpipe/commit", "c2", "c1/c1.vat.json", "vat.wgsl"];
    let blocked = project.out().join(names[(random.bits() % names.len() as u64) as usize]);
    harm::remove(&blocked);
    let in_the_way_of_a_folder = blocked.extension().is_none();
    if in_the_way_of_a_folder {
        std::fs::write(&blocked, "in the way").expect("a file");
    } else {
        std::fs::create_dir_all(blocked.join("in the way")).expect("a folder");
    }
    project.edit(random);
    let run = project::finish(project.command(&[]).spawn().expect("a process"));
    assert!([0, 1].contains(&run.code), "exit code {}: {}", run.code, run.err);
    count.add("builds that failed on a blocked output", usize::from(run.code == 1));
    harm::remove(&blocked);
}

/// One clip changes where a glance shows it: what is made early is thrown away or ended.
fn at_a_glance(project: &mut Project, random: &mut Random, count: &mut Count) {
    project.settle();
    for _ in 0..1 + random.bits() % 3 {
        project.edit_clip(random);
        match random.bits() % 4 {
            0 => full_disk(project, random, count),
            1 => at_once(project, random, count),
            _ => {
                let mut child = project.command(&[]).spawn().expect("a process");
                std::thread::sleep(project.glance.mul_f32(random.unit()));
                count.add("kills that found a glance running", usize::from(kill(&mut child)));
            }
        }
        if random.bits().is_multiple_of(2) {
            project.build_well("between glances");
        }
    }
}
