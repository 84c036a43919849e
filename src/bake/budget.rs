//! Whether a baked clip keeps its budget, and what is said if it does not: by how much, where, and what would do.

use super::choose::{Candidate, Choice};
use super::clip::{BakedClip, ClipJob};
use crate::encode::Format;
use crate::manifest::{Budget, FormatChoice, Length, Rate};
use crate::metadata::{MaxRms, Worst};
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
    let (name, asked) = (&job.chosen.name, &job.chosen.settings.budget);
    let positions = over(candidate.sample, candidate.max_error).map(|limit| {
        let place = error(|error| error.sample);
        let (found, by) = (length(candidate.sample), length(candidate.sample - limit));
        let allowed = match asked.max_error {
            Some(Length::OfBounds(share)) => format!("{} ({})", Length::OfBounds(share), length(limit)),
            _ => length(limit),
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
    let rest = job.rest.positions.map(|plane| significant(f64::from(plane[worst.column as usize])));
    let frame = match worst.frame.fract() {
        0.0 => format!("at frame {}", worst.frame),
        _ => format!("between frames {} and {}", worst.frame.floor(), worst.frame.ceil()),
    };
    let (time, rest) = (significant(worst.time), rest.join(", "));
    format!(", {time} s into it ({frame}), at vertex {vertex}, at rest at ({rest}) m")
}

fn advice(job: &ClipJob, choice: &Choice, baked: &Candidate) -> String {
    if let Some(cheapest) = choice.cheapest() {
        let (set, bytes) = (set(job, cheapest), bytes(cheapest.bytes));
        let (than, off) = (self::bytes(baked.bytes), off(cheapest));
        return format!("{set} would do, with {off}, in {bytes} on the GPU instead of {than}");
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
    let (set, off) = (set(job, nearest), off(nearest));
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
    match (rate, format) {
        (Some(rate), Some(format)) => format!("{rate} and {format}"),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => stored(candidate),
    }
}

/// `rgba8 at 30 fps`
fn stored(candidate: &Candidate) -> String {
    let format = candidate.format.map_or("no format", Format::name);
    format!("{format} at {} fps", candidate.asked_fps)
}

/// `0.92 mm`, and the angle of normals that have a budget.
fn off(candidate: &Candidate) -> String {
    let positions = length(candidate.sample);
    match (candidate.normal_deg, candidate.max_normal_error) {
        (Some(normals), Some(_)) => format!("{positions} and {}", degrees(normals)),
        _ => positions,
    }
}

/// A length in millimetres; model units are metres.
fn length(metres: f64) -> String {
    format!("{} mm", significant(metres * 1000.0))
}

fn degrees(degrees: f64) -> String {
    format!("{} degrees", significant(degrees))
}

/// Bytes, in powers of 1000.
fn bytes(bytes: u64) -> String {
    match bytes {
        0..1000 => format!("{bytes} B"),
        1000..1_000_000 => format!("{} kB", significant(bytes as f64 / 1e3)),
        _ => format!("{} MB", significant(bytes as f64 / 1e6)),
    }
}

/// Three digits that say something, or all before the point.
fn significant(number: f64) -> String {
    let rounded: f64 = format!("{number:.2e}").parse().unwrap_or(number);
    if rounded.abs() >= 1000.0 { format!("{number:.0}") } else { format!("{rounded}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let numbers = [0.0, 1.0, 0.012_345, 99.96, 1234.5, -0.5].map(significant);
        assert_eq!(numbers, ["0", "1", "0.0123", "100", "1234", "-0.5"]);
        assert_eq!([999, 1500, 2_345_678].map(bytes), ["999 B", "1.5 kB", "2.35 MB"]);
        assert_eq!((length(0.001), degrees(2.0)), ("1 mm".to_owned(), "2 degrees".to_owned()));
    }
}
