//! The rate and the format of a clip within its budget.
//!
//! A candidate is a rate and a format, baked and measured as it would be written. Candidates are tried in the order of
//! their bytes on the GPU, and the first that keeps the budget is taken: the smallest. Of equally large ones that with
//! the format named first in the manifest's guide comes first.
//!
//! Rates are those of [`RATES`] up to the cap, and the cap. That is no bisection: a rate on whose frames the source's
//! keys lie may pass where a higher one does not. What a rate costs by itself, stored without any loss, is measured
//! first, and where that is over the budget no format is tried.
//!
//! What a format loses at the frames hardly depends on the rate: one that is beyond twice the budget there is not tried
//! at other rates.
//!
//! A clip that does not keep its budget is baked all the same, as the manifest asks or as near as that comes, so that
//! it can be said where it fails ([`within`]); the settings that would do are found among all rates and formats.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::clip::{BakedClip, ClipJob, Sampled};
use crate::axes::Axes;
use crate::encode::Format;
use crate::encode::platforms::{self, Platform};
use crate::manifest::{Budget, FORMATS, FormatChoice, Rate};
use crate::metadata::{Bounds, Holds};
use crate::motion::Timeline;
use crate::problem::{Problem, Result};

/// Rates that are tried, frames per second: those at which artists set keys, their multiples and parts, and others so
/// that up to 240 no two are further apart than half.
pub const RATES: [f64; 32] = [
    0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 15.0, 18.0, 20.0, 24.0, 25.0, 30.0, 36.0, 40.0,
    48.0, 50.0, 60.0, 72.0, 90.0, 96.0, 120.0, 144.0, 180.0, 240.0, 360.0, 480.0, 720.0,
];

/// Up to which rate is looked for settings that would do.
const ADVICE_CAP: f64 = 120.0;

/// A format that loses so many times what is allowed at the frames of one rate is not tried at others.
const HOPELESS: f64 = 2.0;

/// How near to the best is as good: less is luck, and no reason to store more bytes.
const AS_GOOD: f64 = 1.02;

/// A rate and a format, and how exact they are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Frames per second, as a manifest asks for them.
    pub asked_fps: f64,
    /// Frames per second, as stored.
    pub fps: f64,
    /// Frames.
    pub frames: u32,
    /// The format of positions; `None` where the rate alone, without any loss in storing, is over the budget.
    pub format: Option<Format>,
    /// Whether there is a second sheet of what the format lost.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub residual: bool,
    /// Bytes on the GPU, all tracks; without a format, those of the smallest.
    pub bytes: u64,
    /// The largest error of positions at the frames, model units.
    pub encode: f64,
    /// The largest error of positions at and between frames, model units.
    pub sample: f64,
    /// The largest error of normals at and between frames, degrees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normal_deg: Option<f64>,
    /// The largest error of positions that the budget allows, model units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_error: Option<f64>,
    /// The largest error of normals that the budget allows, degrees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_normal_error: Option<f64>,
    /// Whether the budget is kept.
    pub passes: bool,
}

impl Candidate {
    /// The error as a multiple of what is allowed, of positions or of normals, whichever is worse; 0 without a budget.
    pub fn excess(&self) -> f64 {
        let normals = self.normal_deg.unwrap_or(0.0);
        let ratio = |error: f64, limit: Option<f64>| limit.map_or(0.0, |limit| error / limit);
        ratio(self.sample, self.max_error).max(ratio(normals, self.max_normal_error))
    }

    fn judged(mut self, budget: &Budget, bounds: &Bounds, axes: Axes) -> Self {
        self.max_error = budget.max_error.map(|length| length.units(bounds.diagonal(), axes));
        self.max_normal_error = budget.max_normal_error;
        let within = |error: f64, limit: Option<f64>| limit.is_none_or(|limit| error <= limit);
        self.passes = within(self.sample, self.max_error)
            && within(self.normal_deg.unwrap_or(0.0), self.max_normal_error);
        self
    }
}

/// What was measured of a clip, and what was taken.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// In the order in which they were measured.
    pub candidates: Vec<Candidate>,
    /// Which of them was baked.
    pub baked: usize,
}

impl Choice {
    /// What was baked.
    pub fn baked(&self) -> Option<&Candidate> {
        self.candidates.get(self.baked)
    }

    /// Of those that keep the budget the one with the fewest bytes.
    pub fn cheapest(&self) -> Option<&Candidate> {
        self.candidates.iter().filter(|c| c.passes).min_by_key(|c| c.bytes)
    }

    /// The one that comes nearest to the budget.
    pub fn nearest(&self) -> Option<&Candidate> {
        nearest(self.candidates.iter().filter(|c| c.format.is_some()))
    }
}

/// The smallest of those that come as near to the budget as any.
fn nearest<'c>(candidates: impl Iterator<Item = &'c Candidate> + Clone) -> Option<&'c Candidate> {
    let least = candidates.clone().map(Candidate::excess).reduce(f64::min)?;
    candidates.filter(|c| c.excess() <= least * AS_GOOD).min_by_key(|c| c.bytes)
}

/// The formats that all platforms have, in the order of the manifest's guide.
pub(super) fn available(platforms: &[Platform]) -> Vec<Format> {
    let on_all = platforms::formats(platforms);
    FORMATS.iter().map(|named| named.format).filter(|format| on_all.contains(format)).collect()
}

/// Rates up to a cap, rising, and the cap.
fn rates(cap: f64) -> Vec<f64> {
    RATES.into_iter().filter(|rate| *rate < cap).chain([cap]).collect()
}

impl<'a> ClipJob<'a> {
    /// The rates that the manifest allows, lowest first.
    pub fn rates(&self) -> Vec<f64> {
        match self.chosen.settings.fps {
            Rate::Fixed(fps) => vec![fps],
            Rate::Auto { cap } => rates(cap),
        }
    }

    /// What may be stored by the manifest: a format of positions each, and all that goes with it.
    pub fn kinds(&self) -> Vec<&'a Kinds> {
        match self.chosen.settings.format {
            FormatChoice::Fixed(_) => vec![self.holds],
            FormatChoice::Auto => self.all_kinds(),
        }
    }

    fn all_kinds(&self) -> Vec<&'a Kinds> {
        self.formats.iter().map(Vec::as_slice).collect()
    }

    /// Whether the clip fits in a texture in any way that the manifest allows.
    ///
    /// # Errors
    /// It does not.
    pub fn check_fits(&self) -> Result<()> {
        let lowest = self.chosen.timeline.at(self.rates()[0]);
        let kinds = self.kinds();
        let mut fits = kinds.iter().map(|kinds| self.at(lowest, kinds).fits());
        let first = fits.next().unwrap_or(Ok(()));
        first.or_else(|problem| fits.find(Result::is_ok).unwrap_or(Err(problem)))
    }

    /// The clip as its settings want it, and what was measured to find that out.
    pub(super) fn choose(&self) -> Result<BakedClip> {
        self.check_fits()?;
        let mut search = Search { job: *self, candidates: Vec::new(), sampled: BTreeMap::new() };
        let asked = search.pairs(&self.rates(), &self.kinds());
        let (mut clip, baked) = match search.first_within(&asked)? {
            Some(found) => found,
            None => {
                let nearest = search.nearest(&asked)?;
                // What the manifest could say instead.
                let all = search.pairs(&self.all_rates(), &self.all_kinds());
                if search.first_within(&all)?.is_none() {
                    search.nearest(&all)?;
                }
                nearest
            }
        };
        clip.choice = Choice { candidates: search.candidates, baked };
        Ok(clip)
    }

    /// What a report compares a baked clip with: every format that its platforms have, at its rate, half of it and twice
    /// as much, beside all that was measured when it was baked.
    ///
    /// # Errors
    /// As [`Self::bake`].
    pub fn survey(&self, baked: &BakedClip) -> Result<Choice> {
        let Choice { candidates, baked } = baked.choice.clone();
        let Some(taken) = candidates.get(baked).map(|candidate| candidate.asked_fps) else {
            return Ok(Choice { candidates, baked });
        };
        let mut search = Search { job: *self, candidates, sampled: BTreeMap::new() };
        let mut kinds = self.all_kinds();
        kinds.push(self.holds);
        for pair in search.pairs(&[taken * 0.5, taken, taken * 2.0], &kinds) {
            if search.known(&pair).is_none() {
                search.bake(&pair)?;
            }
        }
        Ok(Choice { candidates: search.candidates, baked })
    }

    fn all_rates(&self) -> Vec<f64> {
        let (Rate::Fixed(asked) | Rate::Auto { cap: asked }) = self.chosen.settings.fps;
        let mut rates = rates(asked.max(ADVICE_CAP));
        rates.push(asked);
        rates.sort_by(f64::total_cmp);
        rates
    }

    /// The same clip, at other times and stored otherwise.
    fn at(&self, timeline: Timeline, holds: &'a Kinds) -> Self {
        Self { timeline, holds, ..*self }
    }
}

/// What is stored, positions first, and in which formats.
type Kinds = [(Holds, Format)];

/// One pair to try.
#[derive(Clone, Copy)]
struct Pair<'a> {
    asked_fps: f64,
    timeline: Timeline,
    kinds: &'a Kinds,
    bytes: u64,
}

impl Pair<'_> {
    fn format(&self) -> Format {
        self.kinds[0].1
    }

    fn residual(&self) -> bool {
        self.kinds.iter().any(|(holds, _)| *holds == Holds::Residual)
    }

    /// Whether this is the pair that was measured.
    fn is(&self, candidate: &Candidate) -> bool {
        let Candidate { frames, format, residual, .. } = *candidate;
        (frames, format, residual) == (self.timeline.frames, Some(self.format()), self.residual())
    }

    /// Nothing has been measured.
    fn blank(&self) -> Candidate {
        Candidate {
            asked_fps: self.asked_fps,
            fps: self.timeline.fps,
            frames: self.timeline.frames,
            format: Some(self.format()),
            residual: self.residual(),
            bytes: self.bytes,
            encode: 0.0,
            sample: 0.0,
            normal_deg: None,
            max_error: None,
            max_normal_error: None,
            passes: false,
        }
    }
}

/// A clip, and what is known of its candidates.
struct Search<'a> {
    job: ClipJob<'a>,
    candidates: Vec<Candidate>,
    /// By frames: the true motion of rates within the budget; `None` of those that are not.
    sampled: BTreeMap<u32, Option<Sampled<'a>>>,
}

/// A clip, and which candidate it is.
type Found = (BakedClip, usize);

impl<'a> Search<'a> {
    /// All pairs that fit in a texture, the smallest first. Of rates that come to the same frames the lowest.
    fn pairs(&self, rates: &[f64], kinds: &[&'a Kinds]) -> Vec<Pair<'a>> {
        let mut pairs: Vec<Pair> = Vec::new();
        let mut frames = 0;
        for &asked_fps in rates {
            let timeline = self.job.chosen.timeline.at(asked_fps);
            if std::mem::replace(&mut frames, timeline.frames) == timeline.frames {
                continue;
            }
            for &kinds in kinds {
                let job = self.job.at(timeline, kinds);
                if job.fits().is_ok() {
                    pairs.push(Pair { asked_fps, timeline, kinds, bytes: job.bytes() });
                }
            }
        }
        // Stable: formats stay in their order.
        pairs.sort_by_key(|pair| pair.bytes);
        pairs
    }

    /// The smallest clip that keeps the budget.
    fn first_within(&mut self, pairs: &[Pair<'a>]) -> Result<Option<Found>> {
        for pair in pairs {
            // What has no rivals need not be ruled out beforehand.
            if self.known(pair).is_some() || self.is_hopeless(pair) {
                continue;
            }
            if pairs.len() > 1 && !self.rate_passes(pair)? {
                continue;
            }
            let found = self.bake(pair)?;
            if self.candidates[found.1].passes {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Whether the format lost far too much at another rate, where frames were as they are here.
    fn is_hopeless(&self, pair: &Pair) -> bool {
        let (format, residual) = (Some(pair.format()), pair.residual());
        let same = |c: &&Candidate| (c.format, c.residual) == (format, residual);
        let lost = |c: &Candidate| c.max_error.is_some_and(|limit| c.encode > limit * HOPELESS);
        self.candidates.iter().filter(same).any(lost)
    }

    /// Which candidate a pair is, once it is measured.
    fn known(&self, pair: &Pair) -> Option<usize> {
        self.candidates.iter().position(|candidate| pair.is(candidate))
    }

    /// Whether a rate is within the budget while nothing is lost in storing.
    fn rate_passes(&mut self, pair: &Pair<'a>) -> Result<bool> {
        if let Some(known) = self.sampled.get(&pair.timeline.frames) {
            return Ok(known.is_some());
        }
        let job = self.job.at(pair.timeline, pair.kinds);
        let sampled = job.sample()?;
        let (error, bounds) = job.sampling_error(&sampled);
        let candidate = Candidate {
            format: None,
            residual: false,
            sample: error.positions.max,
            normal_deg: self.job.rig.normals.as_ref().map(|_| error.normals.max),
            ..pair.blank()
        };
        let candidate = candidate.judged(&self.job.chosen.settings.budget, &bounds, self.job.rig.axes);
        if !candidate.passes {
            self.candidates.push(candidate);
        }
        self.sampled.insert(pair.timeline.frames, candidate.passes.then_some(sampled));
        Ok(candidate.passes)
    }

    fn bake(&mut self, pair: &Pair<'a>) -> Result<Found> {
        let job = self.job.at(pair.timeline, pair.kinds);
        let clip = match self.sampled.get(&pair.timeline.frames) {
            Some(Some(sampled)) => job.bake_sampled(sampled)?,
            _ => job.bake_sampled(&job.sample()?)?,
        };
        let encode = clip.tracks.iter().find_map(|track| track.error.encode);
        let sample = clip.tracks.iter().find_map(|track| track.error.sample);
        let normals = clip.tracks.iter().find_map(|track| track.error.normal_deg);
        let candidate = Candidate {
            encode: encode.unwrap_or_default().max,
            sample: sample.unwrap_or_default().max,
            normal_deg: normals.map(|error| error.max),
            ..pair.blank()
        };
        let axes = self.job.rig.axes;
        self.candidates.push(candidate.judged(&self.job.chosen.settings.budget, &clip.bounds, axes));
        Ok((clip, self.candidates.len() - 1))
    }

    /// After all have failed: the clip that comes nearest to the budget.
    fn nearest(&mut self, pairs: &[Pair<'a>]) -> Result<Found> {
        let of_these = |c: &&Candidate| pairs.iter().any(|pair| pair.timeline.frames == c.frames);
        let least = self.candidates.iter().filter(of_these).min_by(|a, b| a.excess().total_cmp(&b.excess()));
        // A rate by itself is no clip: all that may be stored at that rate is tried.
        if let Some(Candidate { frames, format: None, .. }) = least.copied() {
            for pair in pairs.iter().filter(|pair| pair.timeline.frames == frames) {
                if self.known(pair).is_none() {
                    self.bake(pair)?;
                }
            }
        }
        let stored = pairs.iter().filter_map(|pair| self.known(pair)).map(|index| &self.candidates[index]);
        let nearest = nearest(stored).copied();
        let pair = nearest.and_then(|nearest| pairs.iter().find(|pair| pair.is(&nearest)));
        let Some((pair, index)) = pair.and_then(|pair| Some((pair, self.known(pair)?))) else {
            return Err(Problem::error("budget::nothing", "there is nothing to choose from"));
        };
        // It was let go of while others were tried.
        let (clip, _) = self.bake(pair)?;
        self.candidates.pop();
        Ok((clip, index))
    }
}
