//! The whole story: [`Recipe`] + source bytes → [`Baked`], each stage called once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rayon::prelude::*;

use crate::codegen::ident;
use crate::container::{glb, ktx2};
use crate::encode::{self, Format};
use crate::layout::{self, Layout};
use crate::manifest::{Normals, Recipe};
use crate::metadata::{self, Holds};
use crate::motion::rig::Options;
use crate::motion::{self, Animation, ChosenClip, Frame, Frames, Rig, Vertices};
use crate::problem::{Place, Problem, Problems, Result};
use crate::source::{self, Source};
use crate::texels::{self, Block, Decoding, Texels};
use crate::{lod, measure};

/// Everything that a bake makes of one character.
#[derive(Clone, Debug)]
pub struct Baked {
    /// What loaders need to know.
    pub metadata: metadata::Character,
    /// File names, beside each other in the character's folder, and their bytes. The metadata is
    /// the last: whoever sees a new one finds what it names.
    pub files: Vec<(String, Vec<u8>)>,
    /// What was noticed.
    pub warnings: Vec<Problem>,
}

/// How a bake reads a model file.
pub type ReadSource<'a> = dyn Fn(&Path, &source::Options) -> Result<Source, Problems> + Sync + 'a;

/// Called with each clip as it is done, and the seconds it took. From any thread, in any order.
pub type ClipDone<'a> = dyn Fn(&metadata::Clip, f64) + Sync + 'a;

/// Bakes one character.
///
/// # Errors
/// What any stage finds wrong. Nothing is written here, so nothing is lost.
pub fn bake(recipe: &Recipe, read: &ReadSource, clip_done: &ClipDone) -> Result<Baked, Problems> {
    let (source, others) = sources(recipe, read)?;
    let (clips, mut warnings) = motion::choose(recipe, &source, &others)?;
    let stored = Stored::decide(recipe, &source)?;

    let vertices = motion::vertices::list(&source, stored.flat);
    let rig = Rig::new(&source, &vertices, stored.rig);
    let layout = layout::arrange(&request(recipe, &rig, &clips, &stored))
        .map_err(|problem| problem.at(recipe.place.clone()))?;
    warnings.extend(notes(recipe, &layout));

    let names: Vec<&str> = clips.iter().map(|c| c.name.as_str()).collect();
    let (idents, clashes) = ident::idents(&names, "CLIP");
    warnings.extend(clashes.into_iter().map(|problem| problem.at(recipe.place.clone())));

    let rest_frames = motion::deform(&rig, &Animation::new(&source, &rig, None).sample([0.0]));
    let stage =
        Stage { source: &source, rig: &rig, rest: rest_frames.frame(0), layout: &layout, stored: &stored };
    let baked: Vec<BakedClip> = (0..clips.len())
        .into_par_iter()
        .map(|index| {
            let start = Instant::now();
            let clip = stage.bake_clip(index, &clips[index], &idents[index])?;
            clip_done(&clip.metadata, start.elapsed().as_secs_f64());
            Ok(clip)
        })
        .collect::<Result<_>>()?;

    let mesh = mesh(recipe, &source, &vertices, &rig, &layout);
    let metadata = describe(recipe, &layout, &mesh, &rig, &baked, stage.rest);
    let files = files(recipe, &layout, &mesh, &metadata, &baked)?;
    warnings.extend(source.warnings);
    warnings.extend(baked.into_iter().flat_map(|clip| clip.warnings));
    Ok(Baked { metadata, files, warnings })
}

/// Reads the character's own file, and those that clips are taken from.
fn sources(recipe: &Recipe, read: &ReadSource) -> Result<(Source, BTreeMap<PathBuf, Source>), Problems> {
    let options = source::Options { scene: recipe.scene.clone(), ..source::Options::default() };
    let source = read(&recipe.source, &options)?;
    let clips_only = source::Options { need_triangles: false, ..source::Options::default() };
    let mut others = BTreeMap::new();
    for path in recipe.clips.iter().filter_map(|clip| clip.source.as_ref()) {
        if !others.contains_key(path) {
            others.insert(path.clone(), read(path, &clips_only)?);
        }
    }
    Ok((source, others))
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

    /// The kinds of sheets that a clip goes to.
    fn holds(&self, format: Format) -> Vec<(Holds, Format)> {
        let packed = self.normals == Normals::Packed && format.has_packed_normal();
        let mut holds = vec![(if packed { Holds::PositionNormal } else { Holds::Position }, format)];
        if self.normals != Normals::None && !packed {
            holds.push((Holds::Normal, Format::Rg8));
        }
        if self.tangents {
            holds.push((Holds::Tangent, Format::Rgba8));
        }
        holds
    }
}

fn request(recipe: &Recipe, rig: &Rig, clips: &[ChosenClip], stored: &Stored) -> layout::Request {
    let clip = |clip: &ChosenClip| layout::ClipRequest {
        name: clip.name.clone(),
        frames: clip.timeline.frames,
        holds: stored.holds(clip.settings.format),
    };
    layout::Request {
        columns: rig.columns as u32,
        max_texture: recipe.mesh.max_texture,
        clips: clips.iter().map(clip).collect(),
    }
}

fn notes(recipe: &Recipe, layout: &Layout) -> Option<Problem> {
    let missed = glb::columns_missed_in_half(layout.width);
    (missed > 0).then(|| {
        let message = format!(
            "{missed} of {} columns of `{}` cannot be told apart in a UV set of half floats",
            layout.width, recipe.character
        );
        let help =
            "where an engine imports UV sets at half precision, read the column from `_VAT_COLUMN` instead";
        Problem::note("bake::half-uv", message).at(recipe.place.clone()).help(help)
    })
}

/// What all clips of a character are baked with.
struct Stage<'a> {
    source: &'a Source,
    rig: &'a Rig,
    rest: Frame<'a>,
    layout: &'a Layout,
    stored: &'a Stored,
}

/// One clip: the texels of each of its tracks, ready to be put in the sheets.
struct BakedClip {
    metadata: metadata::Clip,
    /// In the order of the tracks.
    blocks: Vec<Vec<u8>>,
    warnings: Vec<Problem>,
}

/// Bytes and how to decode them.
struct Encoded {
    format: Format,
    bytes: Vec<u8>,
    decoding: Decoding,
}

impl Encoded {
    fn new(format: Format, texels: &Texels, decoding: Decoding) -> Self {
        let mut bytes = Vec::new();
        let planes = [0, 1, 2].map(|axis| texels.planes[axis].as_slice());
        encode::encode(format, planes, texels.packed.as_deref(), &mut bytes);
        Self { format, bytes, decoding }
    }

    fn borrow(&self) -> measure::Encoded<'_> {
        measure::Encoded { format: self.format, bytes: &self.bytes, decoding: &self.decoding }
    }
}

impl Stage<'_> {
    fn bake_clip(&self, index: usize, chosen: &ChosenClip, ident: &str) -> Result<BakedClip> {
        let animation = Animation::new(self.source, self.rig, Some(&chosen.clip));
        let frames = motion::deform(self.rig, &animation.sample(chosen.timeline.times()));
        check_finite(&frames, chosen)?;
        let places = &self.layout.tracks[index];
        let block = Block {
            width: self.layout.width,
            bands: self.layout.bands,
            band_rows: places[0].band_rows,
            frames: places[0].frames,
            looping: chosen.timeline.looping,
        };

        let format = chosen.settings.format;
        let (positions, encode_error) = self.encode_positions(&frames, &block, chosen);
        let of = |holds: Holds| places.iter().any(|p| self.layout.sheets[p.sheet as usize].holds == holds);
        let directions = |format, of: fn(Frame) -> Option<[&[f32]; 3]>, third| {
            Encoded::new(format, &texels::directions(&frames, of, third, &block), Decoding::IDENTITY)
        };
        let normals = of(Holds::Normal).then(|| directions(Format::Rg8, |f| f.normals, None));
        let handedness: Vec<f32> = self.rig.handedness.iter().map(|h| (h + 1.0) * 0.5).collect();
        let tangents = of(Holds::Tangent)
            .then(|| directions(Format::Rgba8, |f| f.tangents, Some(handedness.as_slice())));

        let packed = self.stored.normals == Normals::Packed && format.has_packed_normal();
        let tracks = measure::Tracks {
            positions: positions.borrow(),
            packed,
            normals: normals.as_ref().map(Encoded::borrow),
            tangents: tangents.as_ref().map(Encoded::borrow),
        };
        let decoded = measure::decoded(self.rig, self.rest, &block, &tracks);
        let played = measure::Played {
            rig: self.rig,
            animation: &animation,
            timeline: &chosen.timeline,
            step: chosen.step,
            decoded: &decoded,
        };
        let error = measure::over_time(played);
        let warnings = loop_hint(&frames, chosen).into_iter().collect();
        let encoded: Vec<Encoded> = [Some(positions), normals, tangents].into_iter().flatten().collect();
        let tracks = places.iter().zip(&encoded).map(|(place, encoded)| {
            let holds = self.layout.sheets[place.sheet as usize].holds;
            track(place, chosen, &encoded.decoding, track_error(holds, encode_error, &error))
        });
        let metadata = metadata::Clip {
            name: chosen.name.clone(),
            ident: ident.to_owned(),
            duration: chosen.timeline.duration,
            looping: chosen.timeline.looping,
            interpolation: if chosen.step { metadata::Playback::Step } else { metadata::Playback::Linear },
            bounds: measure::bounds(&decoded),
            tracks: tracks.collect(),
        };
        Ok(BakedClip { metadata, blocks: encoded.into_iter().map(|e| e.bytes).collect(), warnings })
    }

    /// Positions as they are and as offsets from the rest pose; the kind asked for, else whichever
    /// measures better at the frames, the former if they are equal.
    fn encode_positions(
        &self,
        frames: &Frames,
        block: &Block,
        chosen: &ChosenClip,
    ) -> (Encoded, metadata::MaxRms) {
        let format = chosen.settings.format;
        let packed = self.stored.normals == Normals::Packed && format.has_packed_normal();
        let candidate = |relative: bool| {
            let decoding = Decoding::over(frames, relative.then_some(self.rest), format);
            let texels = texels::positions(frames, self.rest, block, &decoding, packed);
            let encoded = Encoded::new(format, &texels, decoding);
            let tracks =
                measure::Tracks { positions: encoded.borrow(), packed: false, normals: None, tangents: None };
            let decoded = measure::decoded(self.rig, self.rest, block, &tracks);
            let error = measure::at_frames(frames, &decoded);
            (encoded, error)
        };
        match chosen.settings.relative {
            Some(relative) => candidate(relative),
            // Floats of the source's own precision cannot get better.
            None if format == Format::Rgba32f => candidate(false),
            None => {
                let (absolute, relative) = (candidate(false), candidate(true));
                if relative.1.max < absolute.1.max { relative } else { absolute }
            }
        }
    }
}

fn check_finite(frames: &Frames, chosen: &ChosenClip) -> Result<()> {
    if frames.data.iter().all(|v| v.is_finite()) {
        return Ok(());
    }
    let message = format!("clip `{}` moves vertices beyond the range of 32-bit floats", chosen.name);
    let help = "look for an absurd scale in the clip or in the nodes above the model";
    Err(Problem::error("motion::overflow", message).at(chosen.place.clone()).help(help))
}

/// A clip that ends as it starts, and moves in between, is most likely meant to loop.
fn loop_hint(frames: &Frames, chosen: &ChosenClip) -> Option<Problem> {
    if chosen.timeline.looping || frames.frames < 3 {
        return None;
    }
    let size = frames.frame(0).positions.map(|p| {
        let max = p.iter().fold(f32::NEG_INFINITY, |a, &b| a.max(b));
        max - p.iter().fold(f32::INFINITY, |a, &b| a.min(b))
    });
    let near = 1e-4 * size.iter().fold(0.0f32, |a, &b| a.max(b));
    let still = |frame: usize| {
        let (a, b) = (frames.frame(0).positions, frames.frame(frame).positions);
        (0..3).all(|axis| a[axis].iter().zip(b[axis]).all(|(a, b)| (a - b).abs() <= near))
    };
    let last = frames.frames - 1;
    (still(last) && !(1..last).all(still)).then(|| {
        let message = format!("clip `{}` ends in the pose that it starts with: is it a loop?", chosen.name);
        Problem::note("bake::loop", message)
            .at(chosen.place.clone())
            .help("say `loop = true` or `loop = false`")
    })
}

fn track(
    place: &layout::Track,
    chosen: &ChosenClip,
    decoding: &Decoding,
    error: metadata::Error,
) -> metadata::Track {
    metadata::Track {
        sheet: place.sheet,
        layer: place.layer,
        first_row: place.first_row,
        frames: place.frames,
        fps: chosen.timeline.fps,
        band_rows: place.band_rows,
        bias: decoding.bias,
        scale: decoding.scale,
        relative: decoding.relative,
        error,
    }
}

fn track_error(holds: Holds, encode: metadata::MaxRms, error: &measure::ClipError) -> metadata::Error {
    let none = metadata::Error::default();
    let positions = metadata::Error { encode: Some(encode), sample: Some(error.positions), ..none };
    match holds {
        Holds::Position => positions,
        Holds::PositionNormal => metadata::Error { normal_deg: Some(error.normals), ..positions },
        Holds::Normal => metadata::Error { normal_deg: Some(error.normals), ..none },
        Holds::Tangent => metadata::Error { tangent_deg: Some(error.tangents), ..none },
    }
}

/// The mesh in its rest pose.
fn mesh(recipe: &Recipe, source: &Source, vertices: &Vertices, rig: &Rig, layout: &Layout) -> glb::Mesh {
    let geometry = |v: &motion::VertexRef| &source.geometries[source.parts[v.part as usize].geometry];
    let all =
        |has: fn(&source::Geometry) -> bool| source.parts.iter().all(|p| has(&source.geometries[p.geometry]));
    let normals = all(|g| g.normals.is_some()) || vertices.list.iter().any(|v| v.face.is_some());
    let tangents = all(|g| g.tangents.is_some());
    // Every vertex on its own: the mesh keeps normals and tangents that the sheets may do without.
    let own = Rig::new(source, vertices, Options { normals, tangents, share_columns: false });
    let rest = motion::deform(&own, &Animation::new(source, &own, None).sample([0.0]));
    let rest = rest.frame(0);
    let gather =
        |planes: [&[f32]; 3]| (0..vertices.list.len()).map(|v| planes.map(|p| p[v])).collect::<Vec<_>>();
    let sets = |count: fn(&source::Geometry) -> usize| {
        source.parts.iter().map(|p| count(&source.geometries[p.geometry])).max().unwrap_or(0)
    };
    let uv = |set: usize| {
        let of =
            |v: &motion::VertexRef| geometry(v).uvs.get(set).map_or([0.0; 2], |uv| uv[v.vertex as usize]);
        vertices.list.iter().map(of).collect()
    };
    let color = |set: usize| {
        let of =
            |v: &motion::VertexRef| geometry(v).colors.get(set).map_or([1.0; 4], |c| c[v.vertex as usize]);
        vertices.list.iter().map(of).collect()
    };
    let signed = |(t, &w): ([f32; 3], &f32)| [t[0], t[1], t[2], w];
    let column_uv =
        |&c: &u32| [((c % layout.width) as f32 + 0.5) / layout.width as f32, (c / layout.width) as f32];
    glb::Mesh {
        name: recipe.character.clone(),
        positions: gather(rest.positions),
        normals: rest.normals.map(gather),
        tangents: rest.tangents.map(|t| gather(t).into_iter().zip(&own.handedness).map(signed).collect()),
        uvs: (0..sets(|g| g.uvs.len())).map(uv).collect(),
        colors: (0..sets(|g| g.colors.len())).map(color).collect(),
        columns: rig.column_of.clone(),
        column_uv: rig.column_of.iter().map(column_uv).collect(),
        materials: source.materials.clone(),
        lods: vec![lod::finest(vertices)],
    }
}

fn describe(
    recipe: &Recipe,
    layout: &Layout,
    mesh: &glb::Mesh,
    rig: &Rig,
    clips: &[BakedClip],
    rest: Frame,
) -> metadata::Character {
    let rest = Frames {
        frames: 1,
        columns: rig.columns,
        normals: false,
        tangents: false,
        data: rest.positions.concat(),
    };
    let sheet = |(index, sheet): (usize, &layout::Sheet)| metadata::Sheet {
        file: format!("{}_{index}_VAT.ktx2", recipe.character),
        holds: sheet.holds,
        format: sheet.format,
        width: layout.width,
        height: sheet.height,
        layers: sheet.layers,
        supercompression: match recipe.mesh.zstd {
            Some(_) => metadata::Supercompression::Zstd,
            None => metadata::Supercompression::None,
        },
        bytes: sheet_bytes(layout, sheet) as u64,
        lods: vec![0],
    };
    metadata::Character {
        schema: metadata::SCHEMA.to_owned(),
        name: recipe.character.clone(),
        mode: metadata::Mode::Vertex,
        mesh: format!("{}.glb", recipe.character),
        axes: metadata::Axes::Gltf,
        vertex_count: mesh.positions.len() as u32,
        column_count: rig.columns as u32,
        bounds: clips.iter().map(|c| c.metadata.bounds).fold(measure::bounds(&rest), measure::union),
        column_texcoord: mesh.uvs.len() as u32,
        lods: vec![metadata::Lod {
            ratio: 1.0,
            vertex_count: mesh.lods[0].vertex_count,
            triangle_count: lod::triangle_count(&mesh.lods[0]) as u32,
            error: 0.0,
        }],
        sheets: layout.sheets.iter().enumerate().map(sheet).collect(),
        clips: clips.iter().map(|c| c.metadata.clone()).collect(),
    }
}

fn sheet_bytes(layout: &Layout, sheet: &layout::Sheet) -> usize {
    layout.width as usize * sheet.height as usize * sheet.layers as usize * sheet.format.bytes_per_texel()
}

/// Sheets put together from the clips' blocks, the mesh, the metadata.
fn files(
    recipe: &Recipe,
    layout: &Layout,
    mesh: &glb::Mesh,
    metadata: &metadata::Character,
    clips: &[BakedClip],
) -> Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    for (index, sheet) in metadata.sheets.iter().enumerate() {
        let image = assemble(layout, index, clips);
        let table = metadata.sheet_table(index);
        let bytes = ktx2::write(&image, &[("vatpipe".to_owned(), table.into_bytes())], recipe.mesh.zstd)?;
        files.push((sheet.file.clone(), bytes));
    }
    files.push((metadata.mesh.clone(), glb::write(mesh).map_err(|p| p.at(Place::clone(&recipe.place)))?));
    files.push((format!("{}.vat.json", recipe.character), metadata.to_json().into_bytes()));
    Ok(files)
}

fn assemble(layout: &Layout, index: usize, clips: &[BakedClip]) -> ktx2::Image {
    let sheet = &layout.sheets[index];
    let row = layout.width as usize * sheet.format.bytes_per_texel();
    let mut data = vec![0; sheet_bytes(layout, sheet)];
    for (clip, tracks) in clips.iter().zip(&layout.tracks) {
        for (block, track) in clip.blocks.iter().zip(tracks).filter(|(_, t)| t.sheet as usize == index) {
            let first = track.layer as usize * sheet.height as usize + track.first_row as usize;
            data[first * row..][..block.len()].copy_from_slice(block);
        }
    }
    ktx2::Image {
        format: sheet.format,
        width: layout.width,
        height: sheet.height,
        layers: sheet.layers,
        data,
    }
}
