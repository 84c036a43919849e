//! Positions and normals of every clip that has a reference, exact format.

use crate::support::baking::{bake, clip, exact, recipe};
use crate::support::loader::{Character, Direction};
use crate::support::reference::{self, Entry, Grid, Reference, Trajectories, degrees};

/// A part of the bounds' diagonal.
const TOLERANCE: f64 = 1e-5;

/// Where the only clip of a character is at its frames.
fn baked(character: &Character) -> Trajectories {
    let clip = &character.clips[0];
    let track = character.positions(clip);
    let vertices = character.mesh.positions.len();
    let every = |f: &dyn Fn(usize, usize) -> [f32; 3]| -> Vec<[f32; 3]> {
        (0..vertices).flat_map(|v| (0..track.frames).map(move |i| f(v, i))).collect()
    };
    let normals = character.directions(clip, Direction::Normal);
    Trajectories {
        frames: track.frames,
        positions: every(&|vertex, frame| character.position(track, vertex, frame)),
        normals: normals
            .map_or(Vec::new(), |t| every(&|vertex, frame| character.direction(t, vertex, frame).0)),
    }
}

fn compare(entry: &Entry) -> (f64, f64) {
    let reference = reference::read(entry);
    let character = bake(&recipe(&entry.model, vec![clip(entry.clip, exact(entry.fps))]));
    let baked = baked(&character);
    assert_eq!((baked.frames, reference.times.len()), (entry.frames, entry.frames), "{}", entry.base);
    for (frame, &time) in reference.times.iter().enumerate() {
        let clip = &character.clips[0];
        let found = clip.time(character.positions(clip), frame as f64);
        assert!((found - time).abs() < 1e-6, "{} frame {frame}: {found} is not {time}", entry.base);
    }
    let tolerance = TOLERANCE * reference.diagonal;
    let all = vec![true; baked.len()];
    let there = nearest(&reference.trajectories, &reference.used, &baked, &all, tolerance);
    let back = nearest(&baked, &all, &reference.trajectories, &reference.used, tolerance);
    for (way, missing) in
        [("reference vertices not baked", &there.missing), ("baked but not in the reference", &back.missing)]
    {
        assert!(
            missing.is_empty(),
            "{}: {} {way}: {:?}",
            entry.base,
            missing.len(),
            &missing[..missing.len().min(8)]
        );
    }
    (there.distance.max(back.distance) / reference.diagonal, there.degrees)
}

struct Nearest {
    missing: Vec<usize>,
    distance: f64,
    degrees: f64,
}

fn nearest(
    from: &Trajectories,
    wanted: &[bool],
    to: &Trajectories,
    among: &[bool],
    tolerance: f64,
) -> Nearest {
    let grid = Grid::new(to, among, tolerance);
    let mut result = Nearest { missing: Vec::new(), distance: 0.0, degrees: 0.0 };
    let normals = !from.normals.is_empty() && !to.normals.is_empty();
    for vertex in (0..from.len()).filter(|&v| wanted[v]) {
        let near = grid.near(from.position(vertex), tolerance);
        let Some(distance) = near.iter().map(|n| n.1).min_by(f64::total_cmp) else {
            result.missing.push(vertex);
            continue;
        };
        result.distance = result.distance.max(distance);
        if normals {
            let angle = |other: usize| {
                let pairs = from.normal(vertex).iter().zip(to.normal(other));
                pairs.map(|(&a, &b)| degrees(a, b)).fold(0.0, f64::max)
            };
            let best = near.iter().map(|n| angle(n.0)).min_by(f64::total_cmp).unwrap();
            result.degrees = result.degrees.max(best);
        }
    }
    result
}

#[test]
fn every_reference() {
    for entry in reference::index() {
        let start = std::time::Instant::now();
        let r = std::panic::catch_unwind(|| compare(&entry));
        println!("{} {:?} {:?}", entry.base, r.ok(), start.elapsed());
    }
}
#[test]
fn dbg() {
    for entry in reference::index() {
        if !["SimpleSkin__00", "interpolation_test__03", "interpolation_test__06"]
            .contains(&entry.base.as_str())
        {
            continue;
        }
        let reference = reference::read(&entry);
        let character = bake(&recipe(&entry.model, vec![clip(entry.clip, exact(entry.fps))]));
        let baked = baked(&character);
        println!("{} {} {}", entry.base, reference.trajectories.len(), baked.len());
        for v in (0..reference.trajectories.len()) {
            let a = reference.trajectories.position(v);
            let d = |b: usize| -> Vec<f32> {
                a.iter()
                    .zip(baked.position(b))
                    .map(|(a, b)| (0..3).map(|i| (a[i] - b[i]).abs()).fold(0.0, f32::max))
                    .collect()
            };
            let best = (0..baked.len()).min_by_key(|&b| (d(b).iter().sum::<f32>() * 1e7) as u64).unwrap();
            let ds = d(best);
            if ds.iter().any(|&d| d > 1e-4) {
                for f in 0..entry.frames {
                    if ds[f] > 1e-4 {
                        println!(
                            "v{v} best {best} frame {f} t {} {:?} {:?}",
                            reference.times[f],
                            a[f],
                            baked.position(best)[f]
                        );
                    }
                }
                if v > 3 && entry.base != "SimpleSkin__00" {
                    break;
                }
            }
        }
    }
}
