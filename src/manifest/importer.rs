//! What the importer of the target `unity` would refuse, said before anything is baked.

use crate::axes::Axes;
use crate::encode::Format;
use crate::problem::Problem;

use super::Output;
use super::recipe::{FormatChoice, Recipe};

/// A warning for each character that cannot be imported as it is.
pub(super) fn warnings(output: &Output, recipes: &[Recipe]) -> Vec<Problem> {
    if !output.targets.iter().any(|target| target == "unity") {
        return Vec::new();
    }
    recipes.iter().filter_map(warning).collect()
}

fn warning(recipe: &Recipe) -> Option<Problem> {
    let clips = recipe.clips.iter().map(|clip| clip.settings.format);
    let formats = clips.chain(recipe.all_clips.iter().map(|clip| clip.format));
    let levels = recipe.lods.iter().filter_map(|lod| lod.sampling.format);
    let is_transcoded = formats.chain(levels).any(|format| format == FormatChoice::Fixed(Format::Uastc));
    let (what, help) = if recipe.mesh.axes != Axes::Unity || recipe.mesh.mesh_axes != Axes::Unity {
        ("other axes than Unity's", "set `axes = \"unity\"`, without `mesh_axes`")
    } else if recipe.mesh.zstd.is_some() {
        ("textures that are compressed as a whole", "leave out `zstd`")
    } else if is_transcoded {
        ("textures that are to be transcoded", "choose another format than `uastc`")
    } else {
        return None;
    };
    let message = format!("the target `unity` does not import {:?}: it has {what}", recipe.character);
    Some(Problem::warning("manifest::unity", message).at(recipe.place.clone()).help(help))
}
