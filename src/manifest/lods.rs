//! The list `lods` → levels of detail.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::keys::Section;
use super::read::{Reader, Table};
use super::values::Value;
use super::{ClipSettings, FormatChoice, Length, LodRecipe, LodSampling, LodTarget, Rate};
use crate::problem::{Place, Problem};

/// The keys that say how fine a level is.
pub const TARGETS: [&str; 3] = ["ratio", "triangles", "error"];

/// The levels of the list in a table, if there is one. `settings` checks the table of a level, and says
/// what a clip would be under it. What is wrong is noted and left out.
pub fn read(
    reader: &mut Reader,
    toml: Option<&DeTable>,
    settings: &dyn Fn(&mut Reader, &Table) -> ClipSettings,
) -> Option<Vec<LodRecipe>> {
    let value = toml?.get("lods")?;
    let DeValue::Array(items) = value.get_ref() else { return None };
    if items.is_empty() {
        let problem = Problem::error("manifest::value", "`lods` lists no level of detail");
        reader.fault(problem.help("list some, such as `{ ratio = 0.5 }`, or remove it"), value.span());
    }
    let mut levels: Vec<(LodRecipe, Range<usize>)> = Vec::new();
    for item in items.iter() {
        let DeValue::Table(toml) = item.get_ref() else {
            let problem = Problem::error("manifest::type", "a level of detail must be a table");
            reader.fault(problem.help("for example `{ ratio = 0.5 }`"), item.span());
            continue;
        };
        let table = reader.table(toml, Section::Lod);
        let settings = settings(reader, &table);
        let given = toml.keys().filter(|key| TARGETS.contains(&key.get_ref().as_ref())).count();
        if given != 1 {
            let message = format!(
                "a level of detail says one of `ratio`, `triangles` and `error`, and this one {given} of them"
            );
            let code = if given == 0 { "manifest::missing" } else { "manifest::conflict" };
            let help = "for example `{ ratio = 0.5 }`, `{ triangles = 500 }` or `{ error = \"5mm\" }`";
            reader.fault(Problem::error(code, message).help(help), item.span());
        }
        if let (Some(Value::Length(None)), Some(span)) = (table.get("error"), table.span("error")) {
            let problem =
                Problem::error("manifest::value", "a level of detail cannot be made by an error of none");
            reader.fault(problem.help("say how far it may be off, such as `error = \"5mm\"`"), span);
        }
        let Some(target) = target(&table) else { continue };
        let level =
            LodRecipe { target, sampling: sampling(&table, &settings), place: reader.place(item.span()) };
        levels.push((level, item.span()));
    }
    for pair in levels.windows(2) {
        if is_finer(pair[1].0.target, pair[0].0.target) {
            let problem =
                Problem::error("manifest::conflict", "this level of detail is finer than the one before");
            reader.fault(problem.help("list levels from the finest to the coarsest"), pair[1].1.clone());
        }
    }
    Some(levels.into_iter().map(|(level, _)| level).collect())
}

/// What a level leaves to a budget needs one: its own, or that of every clip.
pub fn check_budget<'s>(
    reader: &mut Reader,
    level: &LodRecipe,
    mut clips: impl Iterator<Item = &'s ClipSettings>,
) {
    let LodSampling { fps, format, max_error, max_normal_error: _ } = level.sampling;
    let auto = matches!(fps, Some(Rate::Auto { .. })) || format == Some(FormatChoice::Auto);
    let kept = match max_error {
        Some(own) => own.is_some(),
        None => clips.all(|settings| settings.budget.max_error.is_some()),
    };
    if let Place::Text { span, .. } = &level.place
        && auto
        && !kept
        && !reader.is_wrong("max_error")
    {
        let message = "this level of detail has no budget to keep: `max_error` is not set";
        let help = "set how far positions may be off, such as `max_error = \"1cm\"`, in it, for the character or for all clips";
        reader.fault_once(Problem::error("manifest::budget", message).help(help), span.clone());
    }
}

fn target(table: &Table) -> Option<LodTarget> {
    let of = |key: &str| match table.get(key)? {
        Value::Share(ratio) => Some(LodTarget::Ratio(*ratio)),
        Value::Integer(triangles) => Some(LodTarget::Triangles(*triangles)),
        Value::Length(length) => length.map(LodTarget::Error),
        _ => None,
    };
    TARGETS.into_iter().find_map(of)
}

/// What the level says itself.
fn sampling(table: &Table, settings: &ClipSettings) -> LodSampling {
    let says = |key: &str| table.get(key).is_some();
    LodSampling {
        fps: (says("fps") || says("max_fps")).then_some(settings.fps),
        format: says("format").then_some(settings.format),
        max_error: says("max_error").then_some(settings.budget.max_error),
        max_normal_error: says("max_normal_error").then_some(settings.budget.max_normal_error),
    }
}

/// Whether one level is finer than another, as far as that can be told without the model.
fn is_finer(a: LodTarget, b: LodTarget) -> bool {
    match (a, b) {
        (LodTarget::Ratio(a), LodTarget::Ratio(b)) => a > b,
        (LodTarget::Triangles(a), LodTarget::Triangles(b)) => a > b,
        (LodTarget::Error(Length::Units(a)), LodTarget::Error(Length::Units(b))) => a < b,
        (LodTarget::Error(Length::OfBounds(a)), LodTarget::Error(Length::OfBounds(b))) => a < b,
        _ => false,
    }
}
