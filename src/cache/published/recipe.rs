//! What a manifest says of a character, as a digest.

use std::path::Path;

use super::super::digest::{Digest, Fields};
use super::super::key::BAKE_VERSION;
use super::relative;
use crate::manifest::{
    Budget, ClipRecipe, ClipSettings, ColumnOrder, FormatChoice, Length, LodRecipe, LodSampling, LodTarget,
    MeshSettings, Normals, Rate, Recipe, Selector,
};

/// The digest of all that the manifest says of a character: equal for two recipes that ask for the
/// same bytes. Paths count as text relative to `folder`, so that moving a project changes nothing.
pub fn recipe_digest(recipe: &Recipe, folder: &Path) -> Digest {
    // Taken apart by name, so that a new setting is not forgotten.
    let Recipe { character, source, scene, mesh, lods, all_clips, clips, platforms, place: _ } = recipe;
    let mut fields = Fields::new("vatpipe 2026 recipe v1");
    fields.number(BAKE_VERSION.into()).text(env!("CARGO_PKG_VERSION"));
    fields.text(character).text(&relative(source, folder));
    selector(&mut fields, scene.as_ref());
    fields.number(platforms.len() as u64);
    platforms.iter().for_each(|platform| {
        fields.text(platform.name());
    });
    let MeshSettings { normals, tangents, share_columns, column_order, max_texture, .. } = mesh;
    let MeshSettings { zstd, axes, mesh_axes, allow_outside, .. } = mesh;
    fields.number(match normals {
        None => 0,
        Some(Normals::Packed) => 1,
        Some(Normals::Sheet) => 2,
        Some(Normals::None) => 3,
    });
    fields.flag(*column_order == ColumnOrder::Authored);
    fields.number(lods.len() as u64);
    lods.iter().for_each(|lod| level(&mut fields, lod));
    fields.flag(*tangents).flag(*share_columns).number((*max_texture).into());
    fields.number(zstd.map_or(0, |level| level as u64)).flag(*allow_outside);
    fields.text(axes.name()).text(mesh_axes.name());
    fields.flag(all_clips.is_some());
    all_clips.iter().for_each(|clip| settings(&mut fields, clip));
    fields.number(clips.len() as u64);
    for ClipRecipe { name, from, source, settings: clip, place: _ } in clips {
        fields.text(name).flag(source.is_some());
        source.iter().for_each(|source| {
            fields.text(&relative(source, folder));
        });
        selector(&mut fields, from.as_ref());
        settings(&mut fields, clip);
    }
    fields.finish()
}

fn level(fields: &mut Fields, level: &LodRecipe) {
    let LodRecipe { target, sampling: LodSampling { fps, format, max_error, max_normal_error }, place: _ } =
        level;
    match target {
        LodTarget::Ratio(ratio) => fields.number(0).float(*ratio),
        LodTarget::Triangles(triangles) => fields.number(1).number((*triangles).into()),
        LodTarget::Error(_) => fields.number(2),
    };
    if let LodTarget::Error(error) = target {
        budget_fields(fields, &Budget { max_error: Some(*error), max_normal_error: None });
    }
    fields.flag(fps.is_some());
    fps.iter().for_each(|fps| rate(fields, fps));
    fields.text(format.map_or("", format_name));
    fields.flag(max_error.is_some()).flag(max_normal_error.is_some());
    let (max_error, max_normal_error) = (max_error.flatten(), max_normal_error.flatten());
    budget_fields(fields, &Budget { max_error, max_normal_error });
}

fn selector(fields: &mut Fields, selector: Option<&Selector>) {
    match selector {
        None => fields.number(0),
        Some(Selector::Name(name)) => fields.number(1).text(name),
        Some(Selector::Index(index)) => fields.number(2).number(*index as u64),
    };
}

fn settings(fields: &mut Fields, settings: &ClipSettings) {
    let ClipSettings { fps, looping, loop_said, trim, range, format, quality, residual, relative, budget } =
        settings;
    rate(fields, fps);
    fields.flag(*looping).flag(*loop_said).flag(*trim).flag(range.is_some());
    let (start, end) = range.unwrap_or_default();
    fields.float(start).float(end).text(format_name(*format));
    fields.text(quality.name()).flag(*residual);
    budget_fields(fields, budget);
    fields.number(match relative {
        None => 0,
        Some(false) => 1,
        Some(true) => 2,
    });
}

fn rate(fields: &mut Fields, rate: &Rate) {
    match rate {
        Rate::Fixed(fps) => fields.number(0).float(*fps),
        Rate::Auto { cap } => fields.number(1).float(*cap),
    };
}

fn format_name(format: FormatChoice) -> &'static str {
    match format {
        FormatChoice::Fixed(format) => format.name(),
        FormatChoice::Auto => "auto",
    }
}

/// A budget, for a digest.
pub(in crate::cache) fn budget_fields(fields: &mut Fields, budget: &Budget) {
    let Budget { max_error, max_normal_error } = budget;
    match max_error {
        None => fields.number(0),
        Some(Length::Units(units)) => fields.number(1).float(*units),
        Some(Length::OfBounds(share)) => fields.number(2).float(*share),
    };
    fields.flag(max_normal_error.is_some()).float(max_normal_error.unwrap_or_default());
}
