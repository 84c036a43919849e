//! What is written of a character: sheets, mesh, metadata.

use super::levels::{Arranged, Group};
use super::{BakedClip, BakedTrack};
use crate::axes;
use crate::container::{glb, ktx2};
use crate::layout::{self, Layout};
use crate::manifest::Recipe;
use crate::metadata;
use crate::motion::rig::Options;
use crate::motion::{self, Animation, ChosenClip, Frame, Frames, Rig};
use crate::problem::Result;
use crate::source::{self, Source};
use crate::{lod, measure};

/// The mesh in its rest pose.
pub fn mesh(recipe: &Recipe, source: &Source, arranged: &Arranged, layout: &Layout) -> glb::Mesh {
    let Arranged { vertices, rig, .. } = arranged;
    let geometry = |v: &motion::VertexRef| &source.geometries[source.parts[v.part as usize].geometry];
    let all =
        |has: fn(&source::Geometry) -> bool| source.parts.iter().all(|p| has(&source.geometries[p.geometry]));
    let normals = all(|g| g.normals.is_some()) || vertices.list.iter().any(|v| v.face.is_some());
    let tangents = all(|g| g.tangents.is_some());
    // Every vertex on its own: the mesh keeps normals and tangents that the sheets may do without.
    let own = Rig::new(source, vertices, Options { normals, tangents, share_columns: false });
    let own = own.in_axes(recipe.mesh.mesh_axes);
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
    let width =
        |group: usize| layout.sheets.iter().find(|s| s.group == group as u32).map_or(1, |s| s.shape.width);
    glb::Mesh {
        name: recipe.character.clone(),
        positions: gather(rest.positions),
        normals: rest.normals.map(gather),
        tangents: rest.tangents.map(|t| gather(t).into_iter().zip(&own.handedness).map(signed).collect()),
        uvs: (0..sets(|g| g.uvs.len())).map(uv).collect(),
        colors: (0..sets(|g| g.colors.len())).map(color).collect(),
        columns: rig.column_of.clone(),
        column_uv: column_uv(rig, width(0)),
        materials: source.materials.clone(),
        lods: lods(recipe, arranged, width),
    }
}

/// For each vertex the centre of its column's texel, 0 to 1, and its band.
fn column_uv(rig: &Rig, width: u32) -> Vec<[f32; 2]> {
    let uv = |&c: &u32| [((c % width) as f32 + 0.5) / width as f32, (c / width) as f32];
    rig.column_of.iter().map(uv).collect()
}

/// The levels with their fronts as the mesh's axes have them, those with sheets of their own with the column UVs of
/// these.
fn lods(recipe: &Recipe, arranged: &Arranged, width: impl Fn(usize) -> u32) -> Vec<glb::Lod> {
    let mut lods = arranged.lods.clone();
    if recipe.mesh.mesh_axes.turns_triangles() {
        let primitives = lods.iter_mut().flat_map(|lod| &mut lod.primitives);
        primitives.for_each(|primitive| axes::turned(&mut primitive.indices));
    }
    for (index, group) in arranged.groups.iter().enumerate().skip(1) {
        for &lod in &group.lods {
            let vertices = lods[lod as usize].vertex_count as usize;
            let mut uv = column_uv(&arranged.rig, width(index));
            uv.truncate(vertices);
            lods[lod as usize].column_uv = Some(uv);
        }
    }
    lods
}

/// A clip and where it lies, for all groups of levels one after the other.
pub fn describe_clip(
    chosen: &ChosenClip,
    ident: &str,
    groups: &[BakedClip],
    places: &[layout::Track],
) -> metadata::Clip {
    let track = |(place, (baked, track)): (&layout::Track, (&BakedClip, &BakedTrack))| metadata::Track {
        sheet: place.sheet,
        layer: place.layer,
        first_row: place.first_row,
        frames: place.frames,
        fps: baked.fps,
        band_rows: place.band_rows,
        bias: track.decoding.bias,
        scale: track.decoding.scale,
        relative: track.decoding.relative,
        error: track.error,
    };
    let tracks = groups.iter().flat_map(|baked| baked.tracks.iter().map(move |track| (baked, track)));
    metadata::Clip {
        name: chosen.name.clone(),
        ident: ident.to_owned(),
        duration: chosen.timeline.duration,
        looping: chosen.timeline.looping,
        interpolation: if chosen.step { metadata::Playback::Step } else { metadata::Playback::Linear },
        bounds: groups.iter().map(|baked| baked.bounds).reduce(measure::union).unwrap_or_default(),
        tracks: places.iter().zip(tracks).map(track).collect(),
    }
}

/// The metadata.
pub fn describe(
    recipe: &Recipe,
    layout: &Layout,
    mesh: &glb::Mesh,
    arranged: &Arranged,
    clips: Vec<metadata::Clip>,
    rest: Frame,
) -> metadata::Character {
    let rest = Frames {
        frames: 1,
        columns: arranged.rig.columns,
        normals: false,
        tangents: false,
        data: rest.positions.concat(),
    };
    let sheet = |(index, sheet): (usize, &layout::Sheet)| metadata::Sheet {
        file: format!("{}_{index}_VAT.ktx2", recipe.character),
        holds: sheet.holds,
        format: sheet.format,
        width: sheet.shape.width,
        height: sheet.height,
        layers: sheet.layers,
        supercompression: match recipe.mesh.zstd {
            Some(_) => metadata::Supercompression::Zstd,
            None => metadata::Supercompression::None,
        },
        bytes: sheet.bytes() as u64,
        lods: arranged.groups[sheet.group as usize].lods.clone(),
    };
    let mut character = metadata::Character {
        schema: metadata::SCHEMA.to_owned(),
        name: recipe.character.clone(),
        mode: metadata::Mode::Vertex,
        mesh: format!("{}.glb", recipe.character),
        axes: recipe.mesh.axes,
        mesh_axes: Some(recipe.mesh.mesh_axes).filter(|axes| *axes != recipe.mesh.axes),
        layout: 0,
        vertex_count: mesh.positions.len() as u32,
        column_count: arranged.rig.columns as u32,
        bounds: clips.iter().map(|clip| clip.bounds).fold(measure::bounds(&rest), measure::union),
        column_texcoord: mesh.uvs.len() as u32,
        lods: (0..mesh.lods.len()).map(|level| describe_lod(arranged, mesh, level)).collect(),
        sheets: layout.sheets.iter().enumerate().map(sheet).collect(),
        clips,
    };
    character.layout = character.layout_hash();
    character
}

fn describe_lod(arranged: &Arranged, mesh: &glb::Mesh, level: usize) -> metadata::Lod {
    let lod = &mesh.lods[level];
    let triangles = lod::triangle_count(lod);
    let metre = arranged.rig.axes.metre();
    let group = arranged.groups.iter().find(|group: &&Group| group.lods.contains(&(level as u32)));
    metadata::Lod {
        ratio: triangles as f64 / arranged.triangles.max(1) as f64,
        vertex_count: lod.vertex_count,
        triangle_count: triangles as u32,
        column_count: group.map_or(0, |group| group.columns),
        node: glb::node_name(&mesh.name, level),
        error: arranged.errors[level].max * metre,
        error_rms: arranged.errors[level].rms * metre,
    }
}

/// Sheets put together from the clips' blocks, the mesh, the metadata.
pub fn files(
    recipe: &Recipe,
    layout: &Layout,
    mesh: &glb::Mesh,
    metadata: &metadata::Character,
    clips: &[&[BakedClip]],
) -> Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    for (index, sheet) in metadata.sheets.iter().enumerate() {
        let image = assemble(layout, index, clips);
        let table = metadata.sheet_table(index);
        let bytes = ktx2::write(&image, &[("vatpipe".to_owned(), nul_terminated(table))], recipe.mesh.zstd)?;
        files.push((sheet.file.clone(), bytes));
    }
    files.push((metadata.mesh.clone(), glb::write(mesh).map_err(|p| p.at(recipe.place.clone()))?));
    files.push((format!("{}.vat.json", recipe.character), metadata.to_json().into_bytes()));
    Ok(files)
}

fn assemble(layout: &Layout, index: usize, clips: &[&[BakedClip]]) -> ktx2::Image {
    let sheet = &layout.sheets[index];
    let mut data = vec![0; sheet.bytes()];
    for (clip, places) in clips.iter().zip(&layout.tracks) {
        let tracks = clip.iter().flat_map(|baked| &baked.tracks);
        for (track, place) in tracks.zip(places).filter(|(_, p)| p.sheet as usize == index) {
            // Clips start at whole rows of blocks.
            let first_row = place.layer * sheet.height + place.first_row;
            let first = sheet.format.bytes(sheet.shape.width, first_row);
            data[first..][..track.bytes.len()].copy_from_slice(&track.bytes);
        }
    }
    ktx2::Image {
        format: sheet.format,
        width: sheet.shape.width,
        height: sheet.height,
        layers: sheet.layers,
        data,
    }
}

/// Text in a KTX2 file ends with a zero byte (KTX 2.0 specification, "keyAndValue").
fn nul_terminated(text: String) -> Vec<u8> {
    let mut bytes = text.into_bytes();
    bytes.push(0);
    bytes
}
