//! Decoded against true motion → error.
//!
//! The bytes of a clip, as they will be written, are decoded the way a shader does it (`f32`, bias
//! and scale, neighbouring frames blended, the guard row included) and compared with the source's
//! motion, evaluated anew at the frames and at [`BETWEEN`] times inside each interval. Nothing here
//! is a bound or an estimate.

use rayon::prelude::*;

use crate::encode::{self, Format, octahedral};
use crate::math;
use crate::metadata::{Bounds, MaxRms, Worst};
use crate::motion::{Animation, Frame, Frames, Rig, Scratch, Timeline, deform_into};
use crate::texels::{Block, Decoding};

/// Where inside each interval between two frames the motion is compared, 0 at the first frame and
/// 1 at the next.
pub const BETWEEN: [f64; 4] = [0.2, 0.4, 0.6, 0.8];

/// Error of one clip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClipError {
    /// Positions at and between frames, model units.
    pub positions: MaxRms,
    /// Normals at and between frames, degrees; zero without normals.
    pub normals: MaxRms,
    /// Tangents at and between frames, degrees; zero without tangents.
    pub tangents: MaxRms,
}

/// Sums that become a [`MaxRms`].
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    /// The largest square.
    max: f32,
    /// Where that is.
    worst: Worst,
    squares: f64,
    count: u64,
}

impl Tally {
    /// Adds the squares of columns from `first` on.
    #[inline]
    fn add(&mut self, first: usize, squares: &[f32]) {
        let peak = squares.iter().fold(0.0, |peak: f32, &square| peak.max(square));
        if peak > self.max {
            self.max = peak;
            // The place is looked for only where the record is broken, which is rare.
            let place = squares.iter().position(|&square| square == peak).unwrap_or(0);
            self.worst.column = (first + place) as u32;
        }
        squares.iter().for_each(|&square| self.squares += f64::from(square));
    }

    /// The same, of this moment.
    fn at(mut self, time: f64, frame: f64) -> Self {
        (self.worst.time, self.worst.frame) = (time, frame);
        self
    }

    /// Of equally large squares the first is kept.
    fn join(self, other: Self) -> Self {
        let (max, worst) =
            if other.max > self.max { (other.max, other.worst) } else { (self.max, self.worst) };
        Self { max, worst, squares: self.squares + other.squares, count: self.count + other.count }
    }

    fn finish(self) -> MaxRms {
        MaxRms {
            max: f64::from(self.max).sqrt(),
            rms: (self.squares / self.count.max(1) as f64).sqrt(),
            worst: (self.max > 0.0).then_some(self.worst),
        }
    }
}

/// A track's bytes and what they hold, to be decoded.
#[derive(Clone, Copy, Debug)]
pub struct Encoded<'a> {
    /// The texel format.
    pub format: Format,
    /// How the block is cut into bands and rows.
    pub block: Block,
    /// The clip's block, as in the sheet.
    pub bytes: &'a [u8],
    /// The same, decoded as a whole: formats in blocks are not decoded row by row.
    pub texels: Option<&'a encode::Decoded>,
    /// For positions.
    pub decoding: &'a Decoding,
}

/// The tracks of a clip.
#[derive(Clone, Copy, Debug)]
pub struct Tracks<'a> {
    /// Positions.
    pub positions: Encoded<'a>,
    /// What is added to them.
    pub residual: Option<Encoded<'a>>,
    /// Whether the fourth channel of the positions holds normals.
    pub packed: bool,
    /// Normals of their own.
    pub normals: Option<Encoded<'a>>,
    /// Tangents.
    pub tangents: Option<Encoded<'a>>,
}

/// Decodes a clip's tracks to frames as a shader sees them: the clip's own, and then its guard row.
pub fn decoded(rig: &Rig, rest: Frame, tracks: &Tracks) -> Frames {
    let frames = tracks.positions.block.frames as usize + 1;
    let normals = tracks.packed || tracks.normals.is_some();
    let mut out = Frames::zeros(frames, rig.columns, normals, tracks.tangents.is_some());
    let stride = out.stride().max(1);
    out.data.par_chunks_mut(stride).enumerate().for_each(|(frame, out)| {
        let (positions, directions) = out.split_at_mut(3 * rig.columns);
        let packed = decode_positions(&tracks.positions, rest, frame, positions);
        if let Some(residual) = &tracks.residual {
            add_residual(residual, frame, positions);
        }
        let normals =
            if tracks.packed { Some(packed) } else { tracks.normals.map(|n| n.bytes_of(frame, rig.columns)) };
        let tangents = tracks.tangents.map(|t| t.bytes_of(frame, rig.columns));
        let planes = directions.chunks_exact_mut(3 * rig.columns.max(1));
        for (packed, planes) in [normals, tangents].into_iter().flatten().zip(planes) {
            octahedral::unpack_planes(&packed, three(planes));
        }
    });
    out
}

impl Encoded<'_> {
    /// The texels of one row of each band, and their first column.
    fn rows(&self, frame: usize, columns: usize) -> impl Iterator<Item = (usize, encode::Decoded)> {
        let Block { width, bands, band_rows, .. } = self.block;
        let (width, size) = (width as usize, self.format.bytes_per_block());
        (0..bands as usize).map(move |band| {
            let first = band * width;
            let used = width.min(columns - first);
            let start = (band * band_rows as usize + frame) * width;
            let row = match self.texels {
                Some(texels) => {
                    let planes = texels.planes.each_ref().map(|plane| plane[start..start + used].to_vec());
                    encode::Decoded { planes, packed: None }
                }
                None => encode::decode(self.format, &self.bytes[start * size..][..used * size]),
            };
            (first, row)
        })
    }

    /// Directions of one frame, as their octahedral bytes.
    fn bytes_of(&self, frame: usize, columns: usize) -> Vec<u16> {
        let byte = |v: f32| (v * 255.0).round() as u16;
        let bytes = |x: &f32, y: &f32| byte(*x) | byte(*y) << 8;
        let rows = self.rows(frame, columns).map(|(_, row)| row.planes);
        rows.flat_map(|[x, y, _]| x.iter().zip(&y).map(|(x, y)| bytes(x, y)).collect::<Vec<_>>()).collect()
    }
}

/// Positions of one frame to planes x, y, z; gives the packed normals beside them.
fn decode_positions(encoded: &Encoded, rest: Frame, frame: usize, out: &mut [f32]) -> Vec<u16> {
    let columns = out.len() / 3;
    let decoding = encoded.decoding;
    let mut packed = Vec::new();
    let planes = three(out);
    for (first, row) in encoded.rows(frame, columns) {
        for axis in 0..3 {
            let plane = &mut planes[axis][first..][..row.planes[axis].len()];
            for (v, &texel) in plane.iter_mut().zip(&row.planes[axis]) {
                *v = decoding.decode(axis, texel);
            }
            if decoding.relative {
                plane.iter_mut().zip(&rest.positions[axis][first..]).for_each(|(v, r)| *v += r);
            }
        }
        packed.extend(row.packed.unwrap_or_default());
    }
    packed
}

/// Adds the residual of one frame to planes x, y, z.
fn add_residual(encoded: &Encoded, frame: usize, out: &mut [f32]) {
    let columns = out.len() / 3;
    let mut planes = three(out);
    for (first, row) in encoded.rows(frame, columns) {
        for (axis, (plane, texels)) in planes.iter_mut().zip(&row.planes).enumerate() {
            for (v, &texel) in plane[first..].iter_mut().zip(texels) {
                *v += encoded.decoding.decode(axis, texel);
            }
        }
    }
}

fn three(planes: &mut [f32]) -> [&mut [f32]; 3] {
    let columns = planes.len() / 3;
    let (x, rest) = planes.split_at_mut(columns);
    let (y, z) = rest.split_at_mut(columns);
    [x, y, z]
}

/// Frames and their guard, as if nothing was lost in storing them.
pub fn exact(truth: &Frames, looping: bool) -> Frames {
    let mut exact = truth.clone();
    let stride = truth.stride();
    let follows = if looping { 0 } else { truth.frames - 1 };
    exact.data.extend_from_within(follows * stride..(follows + 1) * stride);
    exact.frames += 1;
    exact
}

/// Error of the positions at the frames alone: what storing them cost.
pub fn at_frames(timeline: &Timeline, truth: &Frames, decoded: &Frames) -> MaxRms {
    let tallies: Vec<Tally> = (0..truth.frames)
        .into_par_iter()
        .map(|f| {
            let decoded = decoded.frame(f).positions;
            let frame = f as f64;
            let time = timeline.time(frame) - timeline.start;
            distances(truth.frame(f).positions, decoded, decoded, 0.0).at(time, frame)
        })
        .collect();
    tallies.into_iter().fold(Tally::default(), Tally::join).finish()
}

/// What the motion is, and how it is played back.
#[derive(Clone, Copy)]
pub struct Played<'a> {
    /// The columns.
    pub rig: &'a Rig,
    /// The true motion.
    pub animation: &'a Animation<'a>,
    /// When frames are.
    pub timeline: &'a Timeline,
    /// Whether frames hold instead of being blended.
    pub step: bool,
    /// The true motion at the frames.
    pub truth: &'a Frames,
    /// What a shader reads: frames and the guard.
    pub decoded: &'a Frames,
}

/// Error at and between frames.
pub fn over_time(played: Played) -> ClipError {
    let frames = played.timeline.frames as usize;
    let buffers = || (Scratch::default(), Frames::default());
    let tallies: Vec<[Tally; 3]> = (0..frames)
        .into_par_iter()
        .map_init(buffers, |buffers, interval| over_interval(&played, interval, buffers))
        .collect();
    // Joined in order: a sum of floats depends on it, and outputs must not depend on threads.
    let [p, n, t] = tallies.into_iter().fold([Tally::default(); 3], join);
    let degrees = |r: MaxRms| MaxRms { max: r.max.to_degrees(), rms: r.rms.to_degrees(), ..r };
    ClipError { positions: p.finish(), normals: degrees(n.finish()), tangents: degrees(t.finish()) }
}

fn join(a: [Tally; 3], b: [Tally; 3]) -> [Tally; 3] {
    [a[0].join(b[0]), a[1].join(b[1]), a[2].join(b[2])]
}

/// The moments between a frame and the next at which the motion is compared: the time in the source's clip, and where in
/// the interval it is. After the last frame of a clip that does not loop comes nothing but its end; a single frame stands
/// for the whole clip.
pub fn between(timeline: &Timeline, frame: u32) -> Vec<(f64, f64)> {
    let last = frame + 1 == timeline.frames;
    let single = timeline.frames == 1 && !timeline.looping;
    if last && !timeline.looping && !single {
        return Vec::new();
    }
    let time = |s: f64| {
        if single { timeline.start + s * timeline.duration } else { timeline.time(f64::from(frame) + s) }
    };
    BETWEEN.iter().map(|&s| (time(s), s)).collect()
}

/// A frame and the interval after it.
fn over_interval(played: &Played, interval: usize, buffers: &mut (Scratch, Frames)) -> [Tally; 3] {
    let timeline = played.timeline;
    let (here, next) = (played.decoded.frame(interval), played.decoded.frame(interval + 1));
    let at = |tallies: [Tally; 3], time: f64, frame: f64| tallies.map(|t| t.at(time - timeline.start, frame));
    let first = interval as f64;
    let mut sum = at(compare(played.truth.frame(interval), here, next, 0.0), timeline.time(first), first);
    let moments = between(timeline, interval as u32);
    if moments.is_empty() {
        return sum;
    }
    let poses = played.animation.sample(moments.iter().map(|&(time, _)| time));
    let (scratch, truth) = buffers;
    deform_into(played.rig, &poses, scratch, truth);
    let single = timeline.frames == 1 && !timeline.looping;
    for (i, &(time, s)) in moments.iter().enumerate() {
        let blend = if played.step { 0.0 } else { s as f32 };
        let frame = if single { 0.0 } else { first + s };
        sum = join(sum, at(compare(truth.frame(i), here, next, blend), time, frame));
    }
    sum
}

/// Positions, normals and tangents of one moment.
fn compare(truth: Frame, here: Frame, next: Frame, blend: f32) -> [Tally; 3] {
    let directions = |of: fn(Frame) -> Option<Planes>| match (of(truth), of(here), of(next)) {
        (Some(truth), Some(here), Some(next)) => angles(truth, here, next, blend),
        _ => Tally::default(),
    };
    let positions = distances(truth.positions, here.positions, next.positions, blend);
    [positions, directions(|f| f.normals), directions(|f| f.tangents)]
}

type Planes<'a> = [&'a [f32]; 3];

/// Columns compared at a time.
const LANES: usize = 16;

/// Calls `squares` with planes of a few columns each, the last one filled up with zeros, and tallies
/// what it gives for the columns that there are.
fn tally(
    truth: Planes,
    here: Planes,
    next: Planes,
    squares: impl Fn([[f32; LANES]; 3], [[f32; LANES]; 3], [[f32; LANES]; 3]) -> [f32; LANES],
) -> Tally {
    let n = truth[0].len();
    let mut tally = Tally { count: n as u64, ..Tally::default() };
    for first in (0..n).step_by(LANES) {
        let count = LANES.min(n - first);
        let load = |planes: Planes| {
            planes.map(|plane| {
                let mut lanes = [0.0; LANES];
                lanes[..count].copy_from_slice(&plane[first..first + count]);
                lanes
            })
        };
        let squares = squares(load(truth), load(here), load(next));
        tally.add(first, &squares[..count]);
    }
    tally
}

/// Squared distances.
fn distances(truth: Planes, here: Planes, next: Planes, t: f32) -> Tally {
    tally(truth, here, next, |truth, a, b| {
        let mut squares = [0.0; LANES];
        for l in 0..LANES {
            let d = [0, 1, 2].map(|axis| a[axis][l] + (b[axis][l] - a[axis][l]) * t - truth[axis][l]);
            squares[l] = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        }
        squares
    })
}

/// Squared angles in radians.
fn angles(truth: Planes, here: Planes, next: Planes, t: f32) -> Tally {
    tally(truth, here, next, |truth, a, b| {
        let mut chords = [0.0; LANES];
        for l in 0..LANES {
            let v = [0, 1, 2].map(|axis| a[axis][l] + (b[axis][l] - a[axis][l]) * t);
            // Opposite vectors may cancel: then the blend is no direction, and as wrong as can be.
            let scale = 1.0 / (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt().max(1e-30);
            let d = [0, 1, 2].map(|axis| v[axis] * scale - truth[axis][l]);
            chords[l] = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        }
        math::squared_angles(chords)
    })
}

/// The box around all decoded positions, a little wider: a shader may round otherwise (fused
/// multiply-add, a blend in another order), by a few units in the last place.
pub fn bounds(decoded: &Frames) -> Bounds {
    let mut bounds = Bounds { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };
    for f in 0..decoded.frames {
        for (axis, plane) in decoded.frame(f).positions.into_iter().enumerate() {
            for &v in plane {
                bounds.min[axis] = bounds.min[axis].min(v);
                bounds.max[axis] = bounds.max[axis].max(v);
            }
        }
    }
    for axis in 0..3 {
        let reach = f64::from(bounds.min[axis].abs().max(bounds.max[axis].abs()));
        let slack = reach * 4.0 * f64::from(f32::EPSILON);
        bounds.min[axis] = math::f32_below(f64::from(bounds.min[axis]) - slack);
        bounds.max[axis] = math::f32_above(f64::from(bounds.max[axis]) + slack);
    }
    bounds
}

/// The box around both.
pub fn union(a: Bounds, b: Bounds) -> Bounds {
    Bounds { min: [0, 1, 2].map(|i| a.min[i].min(b.min[i])), max: [0, 1, 2].map(|i| a.max[i].max(b.max[i])) }
}
