//! The whole story: [`Recipe`] + source bytes → [`Baked`], each stage called once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rayon::prelude::*;

use crate::codegen::ident;
use crate::container::glb;
use crate::encode::Format;
use crate::layout;
use crate::lod::{Levels, LodJob};
use crate::manifest::{ClipSettings, FormatChoice, Normals, Recipe};
use crate::metadata::{self, Holds};
use crate::motion::rig::Options;
use crate::motion::{self, Animation, ChosenClip, Frames, Rig};
use crate::problem::{Problem, Problems, Result};
use crate::source::{self, Source};

mod budget;
mod choose;
mod clip;
mod levels;
mod outputs;
mod seam;
mod study;

pub use budget::within;
pub use choose::{Candidate, Choice, RATES};
pub use clip::{BakedClip, BakedTrack, ClipJob, ClipNews, Origin, label};
pub use seam::Seam;
pub use study::{Closeup, Snapshot};

/// Everything that a bake makes of one character.
#[derive(Clone, Debug)]
pub struct Baked {
    /// What loaders need to know.
    pub metadata: metadata::Character,
    /// File names, beside each other in the character's folder, and their bytes. The metadata is
    /// the last: whoever sees a new one finds what it names.
    pub files: Vec<(String, Vec<u8>)>,
    /// The mesh, as it is in its file.
    pub mesh: glb::Mesh,
    /// What was noticed.
    pub warnings: Vec<Problem>,
}

/// How a bake reads a model file.
pub type ReadSource<'a> = dyn Fn(&Path, &source::Options) -> Result<Source, Problems> + Sync + 'a;

/// Makes the texels of a clip: [`ClipJob::bake`], or a cache in front of it.
pub type MakeClip<'a> = dyn Fn(&ClipJob) -> Result<(BakedClip, Origin)> + Sync + 'a;

/// Makes the levels of detail of a character: [`LodJob::make`], or a cache in front of it.
pub type MakeLods<'a> = dyn Fn(&LodJob) -> Result<Levels> + Sync + 'a;

/// Called with each clip as it is done, where it came from, and the seconds it took. From any
/// thread, in any order.
pub type ClipDone<'a> = dyn Fn(&ClipNews, Origin, f64) + Sync + 'a;

/// Bakes one character.
///
/// # Errors
/// What any stage finds wrong; a clip that does not keep its budget. Nothing is written here, so nothing is lost.
pub fn bake(
    recipe: &Recipe,
    read: &ReadSource,
    make_lods: &MakeLods,
    make_clip: &MakeClip,
    clip_done: &ClipDone,
) -> Result<Baked, Problems> {
    let keeping = |job: &ClipJob| {
        let (baked, origin) = make_clip(job)?;
        within(job, &baked).map(|()| (baked, origin))
    };
    bake_as_it_is(recipe, read, make_lods, &keeping, clip_done)
}

/// The same whatever budgets say, for those who want to see what is over them.
///
/// # Errors
/// What any stage finds wrong.
pub fn bake_as_it_is(
    recipe: &Recipe,
    read: &ReadSource,
    make_lods: &MakeLods,
    make_clip: &MakeClip,
    clip_done: &ClipDone,
) -> Result<Baked, Problems> {
    let (source, others) = sources(recipe, read)?;
    let (clips, mut warnings) = motion::choose(recipe, &source, &others)?;
    let stored = Stored::decide(recipe, &source)?;

    let arranged = levels::arrange(recipe, &source, &clips, stored.flat, stored.rig, make_lods)?;
    let groups: Vec<GroupRig> = arranged
        .groups
        .iter()
        .map(|group| GroupRig::new(recipe, &source, &arranged, group, &clips, &stored))
        .collect();
    let jobs: Vec<ClipJob> = (0..clips.len())
        .flat_map(|clip| groups.iter().map(move |group| (clip, group)))
        .map(|(clip, group)| group.job(recipe, &source, clip))
        .collect();
    all(jobs
        .iter()
        .map(|job| job.check_fits().map_err(|problem| problem.at(recipe.place.clone())))
        .collect())?;
    let made: Vec<Result<BakedClip>> = jobs
        .par_iter()
        .map(|job| {
            let start = Instant::now();
            let (baked, origin) = make_clip(job)?;
            clip_done(&ClipNews::of(job, &baked), origin, start.elapsed().as_secs_f64());
            Ok(baked)
        })
        .collect();
    let baked = all(made)?;
    let baked: Vec<&[BakedClip]> = baked.chunks(groups.len()).collect();

    let layout = layout::arrange(&request(recipe, &arranged, &clips, &baked))
        .map_err(|problem| problem.at(recipe.place.clone()))?;
    let mesh = outputs::mesh(recipe, &source, &arranged, &layout);
    warnings.extend(half_uv(recipe, layout.sheets[0].shape.width));
    let names: Vec<&str> = clips.iter().map(|c| c.name.as_str()).collect();
    let (idents, clashes) = ident::idents(&names, "CLIP");
    warnings.extend(clashes.into_iter().map(|problem| problem.at(recipe.place.clone())));
    let described: Vec<metadata::Clip> = (0..clips.len())
        .map(|i| outputs::describe_clip(&clips[i], &idents[i], baked[i], &layout.tracks[i]))
        .collect();
    let metadata = outputs::describe(recipe, &layout, &mesh, &arranged, described, groups[0].rest.frame(0));
    let files = outputs::files(recipe, &layout, &mesh, &metadata, &baked)?;
    warnings.extend(source.warnings);
    warnings.extend(arranged.notes);
    warnings.extend(seam::hints(recipe, &clips, &baked));
    warnings.extend(far_from_origin(recipe, &metadata));
    Ok(Baked { metadata, files, mesh, warnings })
}

/// The columns of levels that share sheets, and the clips as these have them.
struct GroupRig {
    /// The finest of the levels.
    lod: u32,
    rig: Rig,
    rest: Frames,
    clips: Vec<GroupClip>,
}

/// A clip as some levels have it.
struct GroupClip {
    chosen: ChosenClip,
    holds: Vec<(Holds, Format)>,
    formats: Vec<Vec<(Holds, Format)>>,
}

impl GroupRig {
    fn new(
        recipe: &Recipe,
        source: &Source,
        arranged: &levels::Arranged,
        group: &levels::Group,
        clips: &[ChosenClip],
        stored: &Stored,
    ) -> Self {
        let available = choose::available(&recipe.platforms);
        let clip = |clip: &ChosenClip| {
            let chosen = group.clip(clip);
            let holds = stored.asked(&available, &chosen.settings);
            let formats = stored.all(&available, &chosen.settings);
            GroupClip { chosen, holds, formats }
        };
        let columns = group.columns as usize;
        let whole = columns == arranged.rig.columns;
        let rig = if whole { arranged.rig.clone() } else { arranged.rig.prefix(columns) };
        let rest = motion::deform(&rig, &Animation::new(source, &rig, None).sample([0.0]));
        Self { lod: group.lods[0], rig, rest, clips: clips.iter().map(clip).collect() }
    }

    fn job<'a>(&'a self, recipe: &Recipe, source: &'a Source, clip: usize) -> ClipJob<'a> {
        let GroupClip { chosen, holds, formats } = &self.clips[clip];
        ClipJob {
            source,
            rig: &self.rig,
            rest: self.rest.frame(0),
            chosen,
            lod: self.lod,
            timeline: chosen.timeline,
            holds,
            formats,
            max_texture: recipe.mesh.max_texture,
        }
    }
}

/// All of them, or what is wrong with those that are missing.
fn all<T>(made: Vec<Result<T>>) -> Result<Vec<T>, Problems> {
    let (mut done, mut problems) = (Vec::new(), Vec::new());
    for made in made {
        match made {
            Ok(made) => done.push(made),
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() { Ok(done) } else { Err(Problems(problems)) }
}

/// Reads the character's own file, and those that clips are taken from.
fn sources(recipe: &Recipe, read: &ReadSource) -> Result<(Source, BTreeMap<PathBuf, Source>), Problems> {
    let options = source::Options { scene: recipe.scene.clone(), ..source::Options::default() };
    let source = read(&recipe.source, &options).map_err(|problems| asked_for(recipe, problems))?;
    let clips_only = source::Options { need_triangles: false, ..source::Options::default() };
    let mut others = BTreeMap::new();
    for path in recipe.clips.iter().filter_map(|clip| clip.source.as_ref()) {
        if !others.contains_key(path) {
            others.insert(path.clone(), read(path, &clips_only)?);
        }
    }
    Ok((source, others))
}

/// A scene that is not in the file is one that the manifest asks for: its line is shown.
fn asked_for(recipe: &Recipe, mut problems: Problems) -> Problems {
    for problem in problems.0.iter_mut().filter(|problem| problem.code == "source::scene") {
        problem.message = format!("{}: {}", recipe.source.display(), problem.message);
        problem.place = recipe.place.clone();
        let help = problem.help.take().unwrap_or_default();
        problem.help = Some(format!("set `scene` of this character: {help}"));
    }
    problems
}

/// What is stored beside positions.
struct Stored {
    normals: Normals,
    tangents: bool,
    /// Parts without normals are shaded flat, and need vertices of their own for it.
    flat: bool,
    rig: Options,
}

impl Stored {
    fn decide(recipe: &Recipe, source: &Source) -> Result<Self> {
        let geometries = || source.parts.iter().map(|part| &source.geometries[part.geometry]);
        let some = geometries().any(|g| g.normals.is_some());
        let all = geometries().all(|g| g.normals.is_some());
        let default = if some { Normals::Packed } else { Normals::None };
        let normals = recipe.mesh.normals.unwrap_or(default);
        let tangents = recipe.mesh.tangents;
        if tangents && geometries().any(|g| g.tangents.is_none()) {
            let message = "tangents are asked for, and not all of the model has them";
            let help = "export the model with tangents (Blender: Data > Mesh > Tangents), or remove `tangents = true`";
            return Err(Problem::error("bake::no-tangents", message).at(recipe.place.clone()).help(help));
        }
        let baked = normals != Normals::None;
        let rig = Options { normals: baked, tangents, share_columns: recipe.mesh.share_columns };
        Ok(Self { normals, tangents, flat: !all && (some || baked), rig })
    }

    /// The kinds of sheets that a clip goes to with these settings; if its budget chooses, with the first format.
    fn asked(&self, available: &[Format], settings: &ClipSettings) -> Vec<(Holds, Format)> {
        let format = match settings.format {
            FormatChoice::Fixed(format) => format,
            FormatChoice::Auto => available.first().copied().unwrap_or(Format::Rgba16ui),
        };
        self.holds(format, settings.residual)
    }

    /// All that it could go to: with a residual too where the settings allow one.
    fn all(&self, available: &[Format], settings: &ClipSettings) -> Vec<Vec<(Holds, Format)>> {
        let with = |residual: bool| available.iter().map(move |&format| self.holds(format, residual));
        let residuals = with(true).filter(|kinds| kinds.iter().any(|(holds, _)| *holds == Holds::Residual));
        with(false).chain(residuals.filter(|_| settings.residual)).collect()
    }

    /// The kinds of sheets that a clip goes to.
    fn holds(&self, format: Format, residual: bool) -> Vec<(Holds, Format)> {
        let packed = self.normals == Normals::Packed && format.has_packed_normal();
        let mut holds = vec![(if packed { Holds::PositionNormal } else { Holds::Position }, format)];
        // Nothing is lost of positions in the source's own precision.
        if residual && format != Format::Rgba32f {
            holds.push((Holds::Residual, format));
        }
        if self.normals != Normals::None && !packed {
            holds.push((Holds::Normal, Format::Rg8));
        }
        if self.tangents {
            holds.push((Holds::Tangent, Format::Rgba8));
        }
        holds
    }
}

fn request(
    recipe: &Recipe,
    arranged: &levels::Arranged,
    clips: &[ChosenClip],
    baked: &[&[BakedClip]],
) -> layout::Request {
    let tracks = |(group, clip): (u32, &BakedClip)| {
        let frames = clip.frames;
        let track =
            move |t: &BakedTrack| layout::TrackRequest { group, holds: t.holds, format: t.format, frames };
        clip.tracks.iter().map(track).collect::<Vec<_>>()
    };
    let clip = |(chosen, baked): (&ChosenClip, &&[BakedClip])| layout::ClipRequest {
        name: chosen.name.clone(),
        tracks: (0..).zip(*baked).flat_map(tracks).collect(),
    };
    let group = |group: &levels::Group| layout::GroupRequest { columns: group.columns };
    layout::Request {
        max_texture: recipe.mesh.max_texture,
        groups: arranged.groups.iter().map(group).collect(),
        clips: clips.iter().zip(baked).map(clip).collect(),
    }
}

fn half_uv(recipe: &Recipe, width: u32) -> Option<Problem> {
    let missed = glb::columns_missed_in_half(width);
    (missed > 0).then(|| {
        let message = format!(
            "{missed} of {width} columns of `{}` cannot be told apart in a UV set of half floats",
            recipe.character
        );
        let help =
            "where an engine imports UV sets at half precision, read the column from `_VAT_COLUMN` instead";
        Problem::note("bake::half-uv", message).at(recipe.place.clone()).help(help)
    })
}

/// What is far from the origin has lost its last digits before anything is encoded.
fn far_from_origin(recipe: &Recipe, character: &metadata::Character) -> Option<Problem> {
    let metadata::Bounds { min, max } = character.bounds;
    let reach = min.iter().chain(&max).fold(0.0, |reach: f64, &v| reach.max(f64::from(v).abs()));
    let [reach, size] = [reach, character.bounds.diagonal()].map(|units| character.axes.metres(units));
    let step = reach * f64::from(f32::EPSILON);
    (step > 1e-5 * size).then(|| {
        let message = format!(
            "`{}` is {:.3} m large and lies up to {:.0} m from the origin, where 32-bit floats are {:.3} mm apart: the measured error does not count that",
            recipe.character, size, reach, step * 1e3
        );
        let help = "move the character to the origin of its scene; the game places its instances";
        Problem::warning("bake::far", message).at(recipe.place.clone()).help(help)
    })
}
