//! Whether a baked clip keeps its budget, and what is said if it does not: by how much, where, and what would do.

use super::choose::{Candidate, Choice};
use super::clip::{BakedClip, ClipJob, label};
use crate::encode::Format;
use crate::manifest::{Budget, FormatChoice, Length, Rate};
use crate::metadata::{MaxRms, Worst};
use crate::numbers::{bytes, millimetres, significant};
use crate::problem::{Problem, Result};

/// Whether a clip keeps its budget.
///
/// # Errors
/// `budget::position` or `budget::normal`: by how much it does not, at which moment, vertex (of the emitted mesh) and
/// place, and the settings that would do, all of them measured.
pub fn within(job: &ClipJob, clip: &BakedClip) -> Result<()> {
    let Some(candidate) = clip.choice.baked().filter(|candidate| !candidate.passes) else { return Ok(()) };
    let error = |of: fn(&crate::metadata::Error) -> Option<MaxRms>| {
        clip.tracks.iter().find_map(|track| of(&track.error)).and_then(|error| error.worst)
    };
    let over = |error: f64, limit: Option<f64>| limit.filter(|limit| error > *limit);
    let (name, asked) = (label(&job.chosen.name, job.lod), &job.chosen.settings.budget);
    let millimetres = |units: f64| millimetres(job.rig.axes.metres(units));
    let positions = over(candidate.sample, candidate.max_error).map(|limit| {
        let place = error(|error| error.sample);
        let (found, by) = (millimetres(candidate.sample), millimetres(candidate.sample - limit));
        let allowed = match asked.max_error {
            Some(Length::OfBounds(share)) => format!("{} ({})", Length::OfBounds(share), millimetres(limit)),
            _ => millimetres(limit),
        };
        ("budget::position", "max_error", found, allowed, by, place)
    });
    let normals = candidate.normal_deg.unwrap_or(0.0);
    let over = positions.or_else(|| {
        let limit = over(normals, candidate.max_normal_error)?;
        let place = error(|error| error.normal_deg);
        let by = degrees(normals - limit);
        Some(("budget::normal", "max_normal_error", degrees(normals), degrees(limit), by, place))
    });
    let Some((code, key, found, allowed, by, place)) = over else { return Ok(()) };
    let what = if key == "max_error" { "is" } else { "has a normal that is" };
    let place = place.map_or_else(String::new, |worst| where_it_is(job, &worst));
    let message = format!(
        "clip `{name}` {what} {found} off, {by} more than `{key}` allows ({allowed}){place}; stored as {}",
        stored(candidate)
    );
    let problem = Problem::error(code, message).at(job.chosen.place.clone());
    Err(problem.help(advice(job, &clip.choice, candidate)))
}

/// `, 0.41 s into it (between frames 12 and 13), at vertex 7, at rest at (0, 1.2, 0.03) m`
fn where_it_is(job: &ClipJob, worst: &Worst) -> String {
    let vertex = job.rig.vertex_of[worst.column as usize];
    // As the artist sees it.
    let rest = job.rest.positions.map(|plane| f64::from(plane[worst.column as usize]));
    let rest = job.rig.axes.unconverted(rest, |v, by| v * by).map(significant);
    let frame = match worst.frame.fract() {
        0.0 => format!("at frame {}", worst.frame),
        _ => format!("between frames {} and {}", worst.frame.floor(), worst.frame.ceil()),
    };
    let (time, rest) = (significant(worst.time), rest.join(", "));
    format!(", {time} s into it ({frame}), at vertex {vertex}, at rest at ({rest}) m")
}

fn advice(job: &ClipJob, choice: &Choice, baked: &Candidate) -> String {
    if let Some(cheapest) = choice.cheapest() {
        let (set, off) = (set(job, cheapest), off(job, cheapest));
        let (size, than) = (bytes(cheapest.bytes), bytes(baked.bytes));
        return format!("{set} would do, with {off}, in {size} on the GPU instead of {than}");
    }
    let nearest = choice.nearest().unwrap_or(baked);
    let Budget { max_error, max_normal_error } = job.chosen.settings.budget;
    let raise = match (max_error, max_normal_error) {
        (Some(_), Some(_)) => "raise `max_error` and `max_normal_error`",
        (None, _) => "raise `max_normal_error`",
        (_, None) => "raise `max_error`",
    };
    let step = if job.chosen.step {
        ": the clip is stepped, and keeps a budget only at a rate on whose frames its keys lie"
    } else {
        ""
    };
    let highest = choice.candidates.iter().map(|c| c.asked_fps).fold(0.0, f64::max);
    let (set, off) = (set(job, nearest), off(job, nearest));
    format!(
        "no format and no rate up to {highest} fps would do{step}; {set} comes nearest, with {off}; {raise}"
    )
}

/// What a manifest has to say to get a candidate: what it does not say already.
fn set(job: &ClipJob, candidate: &Candidate) -> String {
    let rate = match job.chosen.settings.fps {
        Rate::Fixed(fps) if fps == candidate.asked_fps => None,
        // Then it is the lowest rate that passes in that format.
        Rate::Auto { cap } if candidate.asked_fps <= cap => None,
        _ => Some(format!("`fps = {}`", candidate.asked_fps)),
    };
    let format = candidate.format.map(Format::name).unwrap_or_default();
    let format = match job.chosen.settings.format {
        FormatChoice::Fixed(asked) if Some(asked) == candidate.format => None,
        FormatChoice::Auto => None,
        FormatChoice::Fixed(_) => Some(format!("`format = \"{format}\"`")),
    };
    let residual = match (job.chosen.settings.format, job.chosen.settings.residual) {
        (FormatChoice::Fixed(_), asked) if asked != candidate.residual => {
            Some(format!("`residual = {}`", candidate.residual))
        }
        _ => None,
    };
    let said: Vec<String> = [rate, format, residual].into_iter().flatten().collect();
    if said.is_empty() { stored(candidate) } else { said.join(" and ") }
}

/// `rgba8 at 30 fps`
fn stored(candidate: &Candidate) -> String {
    let format = candidate.format.map_or("no format", Format::name);
    let residual = if candidate.residual { " with a residual" } else { "" };
    format!("{format}{residual} at {} fps", candidate.asked_fps)
}

/// `0.92 mm`, and the angle of normals that have a budget.
fn off(job: &ClipJob, candidate: &Candidate) -> String {
    let positions = millimetres(job.rig.axes.metres(candidate.sample));
    match (candidate.normal_deg, candidate.max_normal_error) {
        (Some(normals), Some(_)) => format!("{positions} and {}", degrees(normals)),
        _ => positions,
    }
}

fn degrees(degrees: f64) -> String {
    format!("{} degrees", significant(degrees))
}
