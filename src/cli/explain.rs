//! `vatpipe explain`

use std::path::Path;
use std::process::ExitCode;

use serde_json::json;

use super::args::Explain;
use super::check::{self, cause};
use super::terminal::{Style, Terminal, plain};
use super::{build, locate};
use crate::bake::Origin;
use crate::cache::reason::Reason;
use crate::cache::why::{self, Last};
use crate::manifest::{Manifest, nearest};
use crate::problem::{Problem, Problems};
use crate::run::{CharacterReport, ClipReport};

/// Says why clips were baked, and what would be baked now.
///
/// # Errors
/// The manifest or the command line is wrong.
pub fn run(explain: &Explain, manifest: Option<&Path>, terminal: &Terminal) -> Result<ExitCode, Problems> {
    let manifest = locate::load(manifest)?;
    let (only, clip) = match &explain.what {
        None => (Vec::new(), None),
        Some(what) => {
            let (character, clip) = split(what, &manifest);
            (vec![character.to_owned()], clip)
        }
    };
    build::check_names(&only, &manifest)?;
    let report = check::report(&manifest, only);
    check::problems(&report, terminal);
    let whys = why::read(&manifest.output.dir);
    for character in &report.characters {
        if let Some(clip) = clip {
            known(clip, character)?;
        }
        let last = |clip: &str| whys.get(&character.name).and_then(|clips| clips.get(clip));
        let clips = character.clips.iter().filter(|c| clip.is_none_or(|clip| clip == c.clip));
        let clips: Vec<(&ClipReport, Option<&Last>)> = clips.map(|c| (c, last(&c.clip))).collect();
        let text = if terminal.json { lines(character, &clips) } else { words(character, &clips, terminal) };
        terminal.out(&text);
    }
    Ok(ExitCode::SUCCESS)
}

/// `crab.Walk` → the character and the clip. Names of both may have dots: the longest character
/// that there is counts.
fn split<'a>(what: &'a str, manifest: &Manifest) -> (&'a str, Option<&'a str>) {
    let known = |name: &str| manifest.recipes.iter().any(|recipe| recipe.character == name);
    if known(what) {
        return (what, None);
    }
    let mut dots: Vec<usize> = what.match_indices('.').map(|(at, _)| at).collect();
    dots.reverse();
    let at = dots.iter().find(|at| known(&what[..**at])).or(dots.last());
    at.map_or((what, None), |&at| (&what[..at], Some(&what[at + 1..])))
}

fn known(clip: &str, character: &CharacterReport) -> Result<(), Problem> {
    let names = || character.clips.iter().map(|clip| clip.clip.as_str());
    if names().any(|name| name == clip) || character.clips.is_empty() {
        return Ok(());
    }
    let problem = Problem::error("cli::clip", format!("{:?} has no clip {clip:?}", character.name));
    Err(match nearest(clip, names()) {
        Some(near) => problem.help(format!("did you mean {near:?}?")),
        None => problem.help(format!("it has {}", names().collect::<Vec<_>>().join(", "))),
    })
}

fn because(reasons: &[Reason]) -> String {
    let words: Vec<String> = reasons.iter().map(|reason| reason.to_string()).collect();
    plain(&words.join(", "))
}

fn words(character: &CharacterReport, clips: &[(&ClipReport, Option<&Last>)], terminal: &Terminal) -> String {
    let mut text = format!("{}\n", Style::Bold.paint(&plain(&character.name), terminal.color_out));
    for c in &character.causes {
        text.push_str(&format!("  out of date: {}\n", plain(&cause(c))));
    }
    for (clip, last) in clips {
        let now = match (clip.bake, clip.because.is_empty()) {
            (true, _) => format!("would be baked: {}", because(&clip.because)),
            (false, true) => "as it was published".to_owned(),
            (false, false) => format!("is in the cache; {}", because(&clip.because)),
        };
        text.push_str(&format!("  {}  {now}\n", plain(&clip.clip)));
        let before = match last {
            Some(Last { origin: Origin::Baked, because: why }) => format!("was baked: {}", because(why)),
            Some(Last { origin: Origin::Cached, because: why }) if why.is_empty() => {
                "was taken from the cache".to_owned()
            }
            Some(Last { origin: Origin::Cached, because: why }) => {
                format!("was taken from the cache: {}", because(why))
            }
            None => "was not baked here".to_owned(),
        };
        text.push_str(&format!("    {}\n", Style::Dim.paint(&before, terminal.color_out)));
    }
    text
}

fn lines(character: &CharacterReport, clips: &[(&ClipReport, Option<&Last>)]) -> String {
    let (name, causes) = (&character.name, &character.causes);
    let head = json!({ "reason": "character-explained", "character": name, "causes": causes });
    let clip = |(clip, last): &(&ClipReport, Option<&Last>)| {
        json!({
            "reason": "clip-explained",
            "character": name,
            "clip": clip.clip,
            "bake": clip.bake,
            "because": clip.because,
            "last": last,
        })
    };
    std::iter::once(head).chain(clips.iter().map(clip)).map(|line| format!("{line}\n")).collect()
}
