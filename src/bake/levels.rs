//! The mesh of a character as it is stored: levels of detail, the order of vertices and columns, and
//! which levels share sheets. All of it follows from the model and the settings, so that one edited
//! clip changes nothing of the others (a level asked for by its error apart).

use super::MakeLods;
use crate::axes::Axes;
use crate::container::glb;
use crate::lod::{self, Dropped, Levels, Liberty, LodJob, Step, Surface, Target, Wanted};
use crate::manifest::{ColumnOrder, LodRecipe, LodSampling, LodTarget, Rate, Recipe};
use crate::metadata::MaxRms;
use crate::motion::rig::Options;
use crate::motion::{self, ChosenClip, Rig, Vertices, order, probe};
use crate::problem::{Problem, Result};
use crate::source::Source;

/// Made-up poses by which columns are ordered, beside the rest pose.
const POSES: usize = 16;

/// A character's mesh, levels and columns.
pub struct Arranged {
    /// The emitted vertices, those of coarser levels first.
    pub vertices: Vertices,
    /// Their columns, those of coarser groups first, in the axes of the recipe.
    pub rig: Rig,
    /// The levels over `vertices`, the finest first; fronts as in glTF.
    pub lods: Vec<glb::Lod>,
    /// For each level its distance from the source, metres.
    pub errors: Vec<MaxRms>,
    /// Triangles of the source.
    pub triangles: usize,
    /// Levels that share sheets; level 0 is in the first.
    pub groups: Vec<Group>,
    /// What was noticed.
    pub notes: Vec<Problem>,
}

/// Levels that share sheets.
pub struct Group {
    /// The levels, rising.
    pub lods: Vec<u32>,
    /// The columns that they read: the first of the character's.
    pub columns: u32,
    /// What they have in place of the clips' settings.
    pub sampling: LodSampling,
}

impl Group {
    /// A clip as this group stores it.
    pub fn clip(&self, chosen: &ChosenClip) -> ChosenClip {
        let mut chosen = chosen.clone();
        if let Some(fps) = self.sampling.fps {
            let (Rate::Fixed(highest) | Rate::Auto { cap: highest }) = fps;
            chosen.settings.fps = fps;
            chosen.timeline = chosen.timeline.at(highest);
        }
        let budget = &mut chosen.settings.budget;
        budget.max_error = self.sampling.max_error.unwrap_or(budget.max_error);
        budget.max_normal_error = self.sampling.max_normal_error.unwrap_or(budget.max_normal_error);
        if let Some(format) = self.sampling.format {
            chosen.settings.format = format;
        }
        chosen
    }
}

/// Lists the vertices, makes the levels, orders both.
///
/// # Errors
/// What `make_lods` finds wrong.
pub fn arrange(
    recipe: &Recipe,
    source: &Source,
    clips: &[ChosenClip],
    flat: bool,
    options: Options,
    make_lods: &MakeLods,
) -> Result<Arranged> {
    let listed = motion::vertices::list(source, flat);
    let levels = levels(recipe, source, clips, &listed, make_lods)?;
    let samplings: Vec<LodSampling> = levels.steps.iter().map(|step| sampling(recipe, step)).collect();
    let mut groups = groups(&samplings);
    let rings = lod::rings(&listed, &levels.steps, options.normals);
    let by_motion = recipe.mesh.column_order == ColumnOrder::Motion;

    let mut sequence: Vec<u32> = (0..rings.len() as u32).collect();
    if by_motion && !options.share_columns {
        sequence = in_motion(source, &Rig::new(source, &listed, options), &rings);
    }
    sequence.sort_by_key(|&vertex| rings[vertex as usize]);
    // Vertices that no triangle of the source uses are the artist's; those that no level uses any
    // more, where the finest is not the source's triangles, are nobody's.
    let triangles = triangles(&listed);
    if lod::count(&levels.steps[0].primitives) != triangles {
        sequence.retain(|&vertex| (rings[vertex as usize] as usize) < levels.steps.len());
    }
    let (vertices, place_of) = reordered(&listed, &sequence);

    let mut rig = Rig::new(source, &vertices, options);
    let mut column_rings = vec![u32::MAX; rig.columns];
    for (&vertex, &column) in sequence.iter().zip(&rig.column_of) {
        let ring = group_ring(&groups, levels.steps.len(), rings[vertex as usize]);
        column_rings[column as usize] = column_rings[column as usize].min(ring);
    }
    // Columns are numbered as vertices first name them, and vertices stand in rings already.
    if by_motion && options.share_columns {
        rig = rig.reordered(&in_motion(source, &rig, &column_rings));
    }
    count_columns(&mut groups, &column_rings);
    let notes = notes(recipe, &levels, triangles);
    // Who asks for no levels gets the source's triangles as they are.
    let lods = lod::finish(&levels.steps, &place_of, !recipe.lods.is_empty());
    let rig = rig.in_axes(recipe.mesh.axes);
    Ok(Arranged { vertices, rig, lods, errors: levels.errors, triangles, groups, notes })
}

fn in_motion(source: &Source, rig: &Rig, rings: &[u32]) -> Vec<u32> {
    order::by_motion(&order::offsets(motion::deform(rig, &probe::poses(source, rig, POSES))), rings)
}

fn triangles(vertices: &Vertices) -> usize {
    vertices.primitives.iter().map(|p| p.indices.len() / 3).sum()
}

/// The levels that the recipe asks for; the source's triangles where it asks for none.
fn levels(
    recipe: &Recipe,
    source: &Source,
    clips: &[ChosenClip],
    vertices: &Vertices,
    make_lods: &MakeLods,
) -> Result<Levels> {
    if recipe.lods.is_empty() {
        let primitives = lod::finest(vertices).primitives;
        let steps = vec![Step { wanted: 0, primitives, liberty: Liberty::None }];
        return Ok(Levels { steps, dropped: Vec::new(), errors: vec![MaxRms::default()] });
    }
    let surface = Surface::new(source, vertices);
    let mut before = None;
    let wanted = |lod: &LodRecipe| {
        let target = match lod.target {
            LodTarget::Ratio(ratio) => Target::Ratio(ratio),
            LodTarget::Triangles(triangles) => Target::Triangles(triangles),
            LodTarget::Error(limit) => Target::Error(limit.units(surface.diagonal(), Axes::Gltf)),
        };
        Wanted { target, own: before.replace(lod.sampling).is_some_and(|before| before != lod.sampling) }
    };
    let wanted: Vec<Wanted> = recipe.lods.iter().map(wanted).collect();
    make_lods(&LodJob { source, surface: &surface, wanted: &wanted, clips })
}

fn sampling(recipe: &Recipe, step: &Step) -> LodSampling {
    recipe.lods.get(step.wanted).map(|lod| lod.sampling).unwrap_or_default()
}

/// Levels of the same sampling together, in the order of their first.
fn groups(samplings: &[LodSampling]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (level, &sampling) in (0..).zip(samplings) {
        match groups.iter_mut().find(|group| group.sampling == sampling) {
            Some(group) => group.lods.push(level),
            None => groups.push(Group { lods: vec![level], columns: 0, sampling }),
        }
    }
    groups
}

/// The ring of columns that a vertex of a level's ring needs: how many groups do without it, all of
/// whose levels are coarser than the coarsest that uses it.
fn group_ring(groups: &[Group], levels: usize, ring: u32) -> u32 {
    let coarsest = (levels as u32).checked_sub(ring + 1);
    let without = |group: &&Group| coarsest.is_none_or(|coarsest| group.lods[0] > coarsest);
    groups.iter().filter(without).count() as u32
}

/// A group reads the columns of its ring and those before. The last group has the first ring.
fn count_columns(groups: &mut [Group], rings: &[u32]) {
    let last = groups.len() as u32 - 1;
    for (index, group) in (0..).zip(groups.iter_mut()) {
        let within = rings.iter().filter(|&&ring| ring <= last - index);
        group.columns = within.count() as u32;
    }
    groups[0].columns = rings.len() as u32;
}

/// The vertices of `sequence`, in that order, and the new index of each old one.
fn reordered(vertices: &Vertices, sequence: &[u32]) -> (Vertices, Vec<u32>) {
    let mut place_of = vec![u32::MAX; vertices.list.len()];
    (0..).zip(sequence).for_each(|(place, &vertex)| place_of[vertex as usize] = place);
    let vertex = |&index: &u32| {
        let mut vertex = vertices.list[index as usize];
        // A vertex may outlive the others of its triangle where nobody wants its normal.
        let corners = vertex.face.map(|face| face.map(|corner| place_of[corner as usize]));
        vertex.face = corners.map(|face| {
            face.map(|corner| if corner == u32::MAX { place_of[index as usize] } else { corner })
        });
        vertex
    };
    let list = sequence.iter().map(vertex).collect();
    (Vertices { list, primitives: Vec::new() }, place_of)
}

/// What became of levels that are not as they were asked for.
fn notes(recipe: &Recipe, levels: &Levels, source: usize) -> Vec<Problem> {
    let mut notes = Vec::new();
    let place = |wanted: usize| recipe.lods[wanted].place.clone();
    for &Dropped { wanted, triangles, before } in &levels.dropped {
        let message = format!(
            "level of detail {wanted} of `{}` is left out: it would have {triangles} triangles, and the level before has {before}",
            recipe.character
        );
        let help = "remove it, or ask for less: the simplifier stops where nothing is left to join";
        notes.push(Problem::note("bake::lod-saves-nothing", message).at(place(wanted)).help(help));
    }
    for step in levels.steps.iter().filter(|_| !recipe.lods.is_empty()) {
        let triangles = lod::count(&step.primitives);
        let goal = match recipe.lods[step.wanted].target {
            LodTarget::Ratio(ratio) => (ratio * source as f64).round() as usize,
            LodTarget::Triangles(goal) => goal as usize,
            LodTarget::Error(_) => continue,
        };
        if triangles as f64 > goal as f64 * 1.1 + 2.0 && triangles < source {
            let message = format!(
                "level of detail {} of `{}` has {triangles} triangles where {goal} were asked for",
                step.wanted, recipe.character
            );
            let help = "seams of materials, and loose parts with their borders, are kept; join parts in the model to get further";
            notes.push(Problem::note("bake::lod-stopped", message).at(place(step.wanted)).help(help));
        }
    }
    notes
}
