//! Which animations are baked, under which names, and at which times.
//!
//! Input: the recipe and the sources it names. Output: one [`ChosenClip`] a clip, its channels
//! bound to the character's own nodes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::manifest::{ClipRecipe, ClipSettings, Rate, Recipe, Selector};
use crate::problem::{Place, Problem, Problems, Result};
use crate::source::{Clip, Interpolation, Limits, Source};

/// A clip to bake.
#[derive(Clone, Debug)]
pub struct ChosenClip {
    /// What it is called; unique within the character.
    pub name: String,
    /// Its channels, on the nodes of the character.
    pub clip: Clip,
    /// When its frames are; at the highest rate where that is to be chosen.
    pub timeline: Timeline,
    /// Whether every channel is STEP, so that frames must not be blended.
    pub step: bool,
    /// How it is stored.
    pub settings: ClipSettings,
    /// Where the manifest speaks of it.
    pub place: Place,
}

/// The times of a clip's frames (design: sampling).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timeline {
    /// Time of the source's clip at frame 0, seconds.
    pub start: f64,
    /// Seconds.
    pub duration: f64,
    /// Whether frame 0 follows the last frame.
    pub looping: bool,
    /// Frames, at least 1.
    pub frames: u32,
    /// The rate used: `frames / duration` when looping, else `(frames - 1) / duration`; the rate
    /// asked for where that says nothing (one frame, no duration).
    pub fps: f64,
}

impl Timeline {
    /// Places frames over `duration` seconds at about `fps`.
    pub fn new(start: f64, duration: f64, fps: f64, looping: bool) -> Self {
        // Saturates far above any texture's height; `layout` refuses such clips.
        let steps = (duration * fps).round().clamp(0.0, 1e9) as u32;
        let frames = if looping { steps.max(1) } else { steps + 1 };
        let intervals = if looping { frames } else { frames - 1 };
        let used = f64::from(intervals) / duration;
        let fps = if intervals > 0 && used.is_finite() { used } else { fps };
        Self { start, duration, looping, frames, fps }
    }

    /// The same stretch at another rate.
    pub fn at(&self, fps: f64) -> Self {
        Self::new(self.start, self.duration, fps, self.looping)
    }

    /// Seconds in the source's clip at a frame; fractions lie between frames. When looping, frame
    /// `frames` is the end of the clip.
    pub fn time(&self, frame: f64) -> f64 {
        let intervals = f64::from(if self.looping { self.frames } else { self.frames - 1 });
        if intervals == 0.0 {
            return self.start;
        }
        self.start + self.duration * (frame / intervals).min(1.0)
    }

    /// The times of all frames.
    pub fn times(&self) -> impl Iterator<Item = f64> + use<> {
        let timeline = *self;
        (0..self.frames).map(move |f| timeline.time(f64::from(f)))
    }
}

/// Applies a recipe to its sources. `others` are the sources that clips name, by path.
///
/// # Errors
/// Names and indices that select nothing, or several clips; ranges outside of a clip; clips of
/// other files that move none of the character's nodes; a character without any clip.
pub fn choose(
    recipe: &Recipe,
    source: &Source,
    others: &BTreeMap<PathBuf, Source>,
) -> Result<(Vec<ChosenClip>, Vec<Problem>), Problems> {
    let (mut chosen, mut warnings, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    let (mut names, mut alike) = (Names::default(), Vec::new());
    for wanted in wanted(recipe, source) {
        let found = match wanted {
            Wanted::All(index, settings) => {
                let name = names.unique(&source.clips[index].name);
                alike.extend((!source.clips[index].name.is_empty()).then(|| (index, name.clone())));
                timed(source.clips[index].clone(), name, settings, &recipe.place)
            }
            Wanted::Named(clip) => find(recipe, source, others, clip, &mut warnings).and_then(|found| {
                let name = if clip.name.is_empty() { &found.name } else { &clip.name };
                let name = names.unique(name);
                timed(found, name, &clip.settings, &clip.place)
            }),
        };
        match found {
            Ok((clip, warning)) => {
                chosen.push(clip);
                warnings.extend(warning);
            }
            Err(problem) => problems.push(problem),
        }
    }
    warnings.extend(named_alike(recipe, source, &alike));
    if chosen.is_empty() && problems.is_empty() {
        let message = format!("{} has no animation to bake", recipe.source.display());
        let help = "export the model with its animations, or name another file with `source` in a [characters.X.clip.NAME] table";
        problems.push(Problem::error("motion::no-clips", message).at(recipe.place.clone()).help(help));
    }
    if problems.is_empty() { Ok((chosen, warnings)) } else { Err(Problems(problems)) }
}

/// A note of which is which, where clips have one name in the source. `chosen` are indices and names.
fn named_alike(recipe: &Recipe, source: &Source, chosen: &[(usize, String)]) -> Option<Problem> {
    let name = |index: usize| source.clips[index].name.as_str();
    let alike =
        |(index, _): &&(usize, String)| chosen.iter().filter(|(i, _)| name(*i) == name(*index)).count() > 1;
    let list: Vec<String> =
        chosen.iter().filter(alike).map(|(index, name)| format!("`{name}` (index {index})")).collect();
    (!list.is_empty()).then(|| {
        let message = format!("clips with the same name were numbered: {}", shortened(&list));
        let help = "choose and name them by index, as in `clip.NAME.from = 1`";
        Problem::note("motion::same-name", message).at(recipe.place.clone()).help(help)
    })
}

/// Where a name is one that was given to a clip because others have its own: that clip's index.
fn numbered(clips: &[Clip], name: &str) -> Option<usize> {
    let mut names = Names::default();
    clips.iter().position(|clip| !clip.name.is_empty() && names.unique(&clip.name) == name)
}

enum Wanted<'a> {
    All(usize, &'a ClipSettings),
    Named(&'a ClipRecipe),
}

/// With "all", clips come in the order of the source, those with settings of their own in their
/// places; whatever comes from elsewhere follows. Without, the order is the manifest's.
fn wanted<'a>(recipe: &'a Recipe, source: &Source) -> Vec<Wanted<'a>> {
    let Some(settings) = &recipe.all_clips else {
        return recipe.clips.iter().map(Wanted::Named).collect();
    };
    let own = |clip: &ClipRecipe| if clip.source.is_none() { locate(&source.clips, clip).ok() } else { None };
    let places: Vec<Option<usize>> = recipe.clips.iter().map(own).collect();
    let mut out = Vec::new();
    for index in 0..source.clips.len() {
        let named = recipe.clips.iter().zip(&places).filter(|(_, place)| **place == Some(index));
        let before = out.len();
        out.extend(named.map(|(clip, _)| Wanted::Named(clip)));
        if out.len() == before {
            out.push(Wanted::All(index, settings));
        }
    }
    let rest = recipe.clips.iter().zip(&places).filter(|(_, place)| place.is_none());
    out.extend(rest.map(|(clip, _)| Wanted::Named(clip)));
    out
}

/// Makes names unique in the order in which they come: `Walk`, `Walk_2`, `Walk_3`; unnamed clips
/// are `clip`, `clip_2`.
#[derive(Default)]
struct Names(std::collections::BTreeSet<String>);

impl Names {
    fn unique(&mut self, name: &str) -> String {
        let base = if name.is_empty() { "clip" } else { name };
        let mut candidate = base.to_owned();
        let mut count = 1;
        while !self.0.insert(candidate.clone()) {
            count += 1;
            candidate = format!("{base}_{count}");
        }
        candidate
    }
}

fn find(
    recipe: &Recipe,
    source: &Source,
    others: &BTreeMap<PathBuf, Source>,
    clip: &ClipRecipe,
    warnings: &mut Vec<Problem>,
) -> Result<Clip> {
    let Some(path) = &clip.source else {
        return locate(&source.clips, clip)
            .map(|i| source.clips[i].clone())
            .map_err(|e| not_found(e, &source.clips, clip, &recipe.source));
    };
    let other = others.get(path).ok_or_else(|| {
        Problem::error("motion::missing-source", format!("{} was not read", path.display()))
    })?;
    let index = locate_in_other(&other.clips, clip).map_err(|e| not_found(e, &other.clips, clip, path))?;
    let (bound, warning) =
        bind(&other.clips[index], other, source, path).map_err(|problem| problem.at(clip.place.clone()))?;
    warnings.extend(warning.map(|w| w.at(clip.place.clone())));
    Ok(bound)
}

enum Miss {
    Nothing,
    Several(Vec<usize>),
}

fn locate(clips: &[Clip], recipe: &ClipRecipe) -> Result<usize, Miss> {
    let name = match &recipe.from {
        Some(Selector::Index(index)) => {
            return if *index < clips.len() { Ok(*index) } else { Err(Miss::Nothing) };
        }
        Some(Selector::Name(name)) => name,
        None => &recipe.name,
    };
    let found: Vec<usize> = (0..clips.len()).filter(|&i| clips[i].name == *name).collect();
    match found[..] {
        [one] => Ok(one),
        [] => Err(Miss::Nothing),
        _ => Err(Miss::Several(found)),
    }
}

/// A file of one animation (as Mixamo exports them) needs no `from`, whatever its clip is called.
fn locate_in_other(clips: &[Clip], recipe: &ClipRecipe) -> Result<usize, Miss> {
    match locate(clips, recipe) {
        Err(Miss::Nothing) if recipe.from.is_none() && clips.len() == 1 => Ok(0),
        found => found,
    }
}

fn not_found(miss: Miss, clips: &[Clip], recipe: &ClipRecipe, path: &Path) -> Problem {
    let wanted = match &recipe.from {
        Some(Selector::Index(index)) => format!("clip number {index}"),
        Some(Selector::Name(name)) => format!("clip `{name}`"),
        None => format!("clip `{}`", recipe.name),
    };
    let file = path.display();
    let problem = match miss {
        Miss::Several(found) => {
            let list = found.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
            let message = format!("{file} has several clips with this name: {wanted} is at indices {list}");
            let help = "choose one by its index, such as `from = 0`";
            Problem::error("motion::ambiguous-clip", message).help(help)
        }
        Miss::Nothing if clips.is_empty() => {
            let message = format!("{file} has no animations, so no {wanted}");
            Problem::error("motion::unknown-clip", message).help("export the model with its animations")
        }
        Miss::Nothing => {
            let names: Vec<String> = clips
                .iter()
                .map(|c| {
                    if c.name.is_empty() {
                        format!("#{} (unnamed)", c.index)
                    } else {
                        format!("`{}`", c.name)
                    }
                })
                .collect();
            let message = format!("{file} has no {wanted}");
            let mut help = format!("it has {}", shortened(&names));
            let asked = match &recipe.from {
                Some(Selector::Index(_)) => None,
                Some(Selector::Name(name)) => Some(name),
                None => Some(&recipe.name),
            };
            if let Some(index) = asked.and_then(|name| numbered(clips, name)) {
                let several = &clips[index].name;
                help = format!("several clips are called `{several}`; this one is `from = {index}`; {help}");
            } else if let Some(near) = nearest(recipe, clips) {
                help = format!("did you mean `{near}`? {help}");
            }
            Problem::error("motion::unknown-clip", message).help(help)
        }
    };
    problem.at(recipe.place.clone())
}

fn nearest<'a>(recipe: &ClipRecipe, clips: &'a [Clip]) -> Option<&'a str> {
    let name = match &recipe.from {
        Some(Selector::Index(_)) => return None,
        Some(Selector::Name(name)) => name,
        None => &recipe.name,
    };
    let lower = name.to_lowercase();
    let score = |c: &&Clip| {
        let other = c.name.to_lowercase();
        // What differs in case alone is meant before what contains the word, the shortest such first.
        if other == lower {
            2.0
        } else if other.contains(&lower) && !lower.is_empty() {
            1.0 + lower.len() as f64 / other.len() as f64 * 0.5
        } else {
            strsim::jaro_winkler(&lower, &other)
        }
    };
    let best = clips.iter().rev().max_by(|a, b| score(a).total_cmp(&score(b)))?;
    (score(&best) > 0.7).then_some(best.name.as_str())
}

fn shortened(names: &[String]) -> String {
    match names {
        [head @ .., _] if names.len() > 12 => {
            format!("{} and {} more", head[..11].join(", "), names.len() - 11)
        }
        _ => names.join(", "),
    }
}

fn timed(
    clip: Clip,
    name: String,
    settings: &ClipSettings,
    place: &Place,
) -> Result<(ChosenClip, Option<Problem>)> {
    let base = if settings.trim { clip.first_key } else { 0.0 };
    let length = (clip.duration - base).max(0.0);
    let (from, to) = settings.range.unwrap_or((0.0, length));
    let limit = Limits::default().duration;
    if clip.duration > limit {
        let message = format!("clip `{name}` lasts {} s, and clips may last {limit} s", short(clip.duration));
        let help = "its times may be in milliseconds; leave it out with `clips = [...]`, or mend the export";
        return Err(Problem::error("motion::limit", message).at(place.clone()).help(help));
    }
    if settings.range.is_some() && (from >= to || from >= length) {
        let (from, to, length) = (short(from), short(to), short(length));
        let message =
            format!("the range {from} s to {to} s holds nothing of clip `{name}`, which is {length} s long");
        let help = format!("choose two times from \"0s\" to \"{length}s\", the earlier one first");
        return Err(Problem::error("motion::range", message).at(place.clone()).help(help));
    }
    // A range written with few digits may end a hair past the clip.
    let warning = (to > length + 1e-3).then(|| {
        let (to, length) = (short(to), short(length));
        let message = format!("the range ends at {to} s, clip `{name}` at {length} s: the end is used");
        let help = format!("let the range end at \"{length}s\" or before");
        Problem::warning("motion::range", message).at(place.clone()).help(help)
    });
    let to = to.min(length);
    let (Rate::Fixed(fps) | Rate::Auto { cap: fps }) = settings.fps;
    let timeline = Timeline::new(base + from, to - from, fps, settings.looping);
    let step =
        !clip.channels.is_empty() && clip.channels.iter().all(|c| c.interpolation == Interpolation::Step);
    let chosen = ChosenClip { name, clip, timeline, step, settings: settings.clone(), place: place.clone() };
    Ok((chosen, warning))
}

/// A time with at most four decimals: the keys are 32-bit floats, and as doubles they have many more.
fn short(seconds: f64) -> String {
    let text = format!("{seconds:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Binds a clip of another file to the nodes of this one, by name; where several nodes share a
/// name, by the names above them.
fn bind(clip: &Clip, from: &Source, to: &Source, path: &Path) -> Result<(Clip, Option<Problem>)> {
    let mut bound = Clip { channels: Vec::new(), ..clip.clone() };
    let mut missing: Vec<&str> = Vec::new();
    for channel in &clip.channels {
        match counterpart(from, channel.node, to) {
            Some(node) if fits(channel, &to.nodes[node]) => {
                bound.channels.push(crate::source::Channel { node, ..channel.clone() });
            }
            _ => {
                let name = from.nodes[channel.node].name.as_str();
                if !missing.contains(&name) {
                    missing.push(name);
                }
            }
        }
    }
    let file = path.display();
    if bound.channels.is_empty() {
        let message = format!("clip `{}` of {file} moves no node that this character has", clip.name);
        let help = "the files must have the same joints by name; check the prefix that the exporter puts before joint names";
        return Err(Problem::error("motion::foreign-clip", message).help(help));
    }
    let warning = (!missing.is_empty()).then(|| {
        let names: Vec<String> = missing.iter().map(|n| format!("`{n}`")).collect();
        let message = format!(
            "clip `{}` of {file} also moves what this character lacks: {}",
            clip.name,
            shortened(&names)
        );
        Problem::warning("motion::foreign-joints", message)
    });
    Ok((bound, warning))
}

fn fits(channel: &crate::source::Channel, node: &crate::source::Node) -> bool {
    channel.property != crate::source::Property::Weights || channel.width == node.weights.len()
}

fn counterpart(from: &Source, node: usize, to: &Source) -> Option<usize> {
    let name = &from.nodes[node].name;
    let same: Vec<usize> = (0..to.nodes.len()).filter(|&i| to.nodes[i].name == *name).collect();
    match same[..] {
        [] => None,
        [one] => Some(one),
        _ => {
            let path = path_of(from, node);
            let depth = |&i: &usize| path_of(to, i).iter().zip(&path).take_while(|(a, b)| a == b).count();
            same.into_iter().rev().max_by_key(depth)
        }
    }
}

/// Names from the node up to the root.
fn path_of(source: &Source, node: usize) -> Vec<&str> {
    std::iter::successors(Some(node), |&n| source.nodes[n].parent)
        .map(|n| source.nodes[n].name.as_str())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_counts_follow_the_design() {
        let frames = |d: f64, fps: f64, looping: bool| Timeline::new(0.0, d, fps, looping).frames;
        assert_eq!(frames(1.0, 10.0, true), 10);
        assert_eq!(frames(1.0, 10.0, false), 11);
        assert_eq!(frames(f64::from(0.5f32), 60.0, false), 31);
        assert_eq!(frames(f64::from(0.499_999_97_f32), 60.0, false), 31);
        assert_eq!(frames(f64::from(0.51f32), 10.0, false), 6);
        assert_eq!(frames(0.0, 30.0, false), 1);
        assert_eq!(frames(0.0, 30.0, true), 1);
    }

    #[test]
    fn rates_are_those_stored() {
        assert_eq!(Timeline::new(0.0, 1.25, 30.0, true).fps, 38.0 / 1.25);
        assert_eq!(Timeline::new(0.0, 0.5, 60.0, false).fps, 60.0);
        assert_eq!(Timeline::new(0.0, 0.0, 24.0, false).fps, 24.0);
        assert_eq!(Timeline::new(0.0, 0.0, 24.0, true).fps, 24.0);
    }

    #[test]
    fn the_last_frame_of_an_open_clip_is_its_end() {
        let timeline = Timeline::new(0.25, f64::from(0.51f32), 10.0, false);
        assert_eq!(timeline.times().last(), Some(0.25 + f64::from(0.51f32)));
    }

    #[test]
    fn equal_names_get_numbers_in_order() {
        let mut names = Names::default();
        let got: Vec<String> = ["UpAndDown", "UpAndDown", "", ""].iter().map(|n| names.unique(n)).collect();
        assert_eq!(got, ["UpAndDown", "UpAndDown_2", "clip", "clip_2"]);
    }
}
