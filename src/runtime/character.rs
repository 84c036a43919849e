//! The files of a character → [`Character`], checked: what holds here need not be asked again later.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::Deserialize;

use super::{Error, Mesh, Result, Texture, mesh, texture};
use crate::metadata::{self, Clip, Holds, SCHEMA, Sheet, Track};

/// A baked character, all of its files read and found to belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Character {
    metadata: metadata::Character,
    sheets: Vec<Texture>,
    mesh: Mesh,
}

/// Gives the bytes of a file beside `<character>.vat.json`, by its name.
pub type ReadFile<'a> = dyn FnMut(&str) -> Result<Vec<u8>> + 'a;

impl Character {
    /// Loads a character: `json` are the bytes of its `.vat.json`, `read` gives those of the files that it names. Names
    /// are plain file names, without folders.
    ///
    /// # Errors
    /// `runtime::json`, `runtime::schema`, `runtime::mode` and `runtime::axes` for metadata that this version cannot read,
    /// `runtime::metadata` where its numbers contradict each other, `runtime::texture` and `runtime::mesh` for files
    /// that are broken, `runtime::layout` for files that are from different bakes, and what `read` returns.
    pub fn load(json: &[u8], read: &mut ReadFile) -> Result<Self> {
        let metadata = parse(json)?;
        check(&metadata)?;
        let mut sheets = Vec::new();
        for (index, sheet) in (0_u32..).zip(&metadata.sheets) {
            let texture = texture::read(&read(&sheet.file)?);
            let checked = texture.and_then(|texture| check_texture(&metadata, index, texture));
            sheets.push(checked.map_err(|e| e.in_file(&sheet.file))?);
        }
        let file = read(&metadata.mesh)?;
        let nodes: Vec<&str> = metadata.lods.iter().map(|lod| lod.node.as_str()).collect();
        let mesh = mesh::read(&file, &nodes, metadata.column_texcoord)
            .and_then(|mesh| check_mesh(&metadata, mesh))
            .map_err(|e| e.in_file(&metadata.mesh))?;
        Ok(Self { metadata, sheets, mesh })
    }

    /// What `.vat.json` says.
    pub fn metadata(&self) -> &metadata::Character {
        &self.metadata
    }

    /// The textures, in the order of `metadata().sheets`.
    pub fn sheets(&self) -> &[Texture] {
        &self.sheets
    }

    /// The mesh.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Whether generated constants are for these files: `expected` is `LAYOUT` of `vat.rs`, or `CRAB_LAYOUT` of a
    /// shader.
    ///
    /// # Errors
    /// `runtime::layout` if not: with such constants a shader reads the wrong texels.
    pub fn check_layout(&self, expected: u32) -> Result<()> {
        check_layout(&self.metadata, expected)
    }

    /// The number of a clip by its name, as the artist or `vat.toml` wrote it, or else by its identifier
    /// (`UPPER_SNAKE`). Ask once and keep the number: it goes through all clips.
    pub fn clip(&self, name: &str) -> Option<u32> {
        let clips = &self.metadata.clips;
        let found = clips.iter().position(|clip| clip.name == name);
        found.or_else(|| clips.iter().position(|clip| clip.ident == name)).map(|index| index as u32)
    }

    /// What is known of a clip.
    pub fn clip_info(&self, clip: u32) -> Option<&Clip> {
        self.metadata.clips.get(clip as usize)
    }

    /// The index of the sheet in which a level of detail finds a clip, and the clip's track there.
    pub fn track(&self, clip: u32, lod: u32, holds: &[Holds]) -> Option<(usize, &Track)> {
        let tracks = self.clip_info(clip)?.tracks.iter().map(|track| (track.sheet as usize, track));
        let reads = |sheet: &Sheet| sheet.lods.contains(&lod) && holds.contains(&sheet.holds);
        tracks.into_iter().find(|&(sheet, _)| reads(&self.metadata.sheets[sheet]))
    }

    /// Vertices of a level of detail: the first ones of the mesh. 0 where there is no such level.
    pub fn vertex_count(&self, lod: u32) -> u32 {
        self.metadata.lods.get(lod as usize).map_or(0, |lod| lod.vertex_count)
    }

    /// The column of a vertex and its position at rest; `None` where the level of detail has no such vertex.
    pub fn vertex(&self, vertex: u32, lod: u32) -> Option<(u32, [f32; 3])> {
        let index = (vertex < self.vertex_count(lod)).then_some(vertex as usize)?;
        Some((*self.mesh.columns.get(index)?, *self.mesh.positions.get(index)?))
    }
}

/// The part of the metadata that says whether the rest can be read.
#[derive(Deserialize)]
struct Head {
    schema: String,
    #[serde(default)]
    mode: String,
    #[serde(default)]
    axes: String,
    /// Those of the mesh file, where they are others.
    mesh_axes: Option<String>,
}

fn parse(json: &[u8]) -> Result<metadata::Character> {
    let unreadable =
        |e: serde_json::Error| Error::new("runtime::json", format!("this is no `.vat.json`: {e}"));
    let head: Head = serde_json::from_slice(json).map_err(unreadable)?;
    if head.schema != SCHEMA {
        let message = format!("its schema is `{}`; this version of vatpipe reads `{SCHEMA}`", head.schema);
        return Err(Error::new("runtime::schema", message).help("build the character with the same version"));
    }
    if head.mode != "vertex" {
        let message = format!("its mode is `{}`; this version of vatpipe reads `vertex`", head.mode);
        return Err(Error::new("runtime::mode", message).help("build the character with the same version"));
    }
    // Rest positions are in the mesh: a mesh for an engine's importer does not fit the textures as it is.
    if let Some(mesh_axes) = head.mesh_axes.filter(|mesh_axes| *mesh_axes != head.axes) {
        let message = format!("its mesh is in the axes `{mesh_axes}`, its textures are in `{}`", head.axes);
        return Err(Error::new("runtime::axes", message)
            .help("bake without `mesh_axes` for games that load the mesh as it is"));
    }
    serde_json::from_slice(json).map_err(unreadable)
}

fn wrong(what: impl Into<String>) -> Error {
    Error::new("runtime::metadata", what).help("build the character again")
}

/// Numbers that do not contradict each other, so that nothing is ever read outside of a texture.
fn check(character: &metadata::Character) -> Result<()> {
    let files = character.sheets.iter().map(|sheet| &sheet.file).chain([&character.mesh]);
    if let Some(file) = files.into_iter().find(|file| !is_plain(file)) {
        return Err(wrong(format!("`{}` is no plain file name", file.escape_debug())));
    }
    if character.lods.is_empty() || character.column_count == 0 || character.vertex_count == 0 {
        return Err(wrong("it has no level of detail, no vertex or no column"));
    }
    for (index, lod) in character.lods.iter().enumerate() {
        let columns = lod.column_count;
        if lod.vertex_count > character.vertex_count || columns > character.column_count || columns == 0 {
            return Err(wrong(format!("level of detail {index} has more than the character")));
        }
    }
    for (index, sheet) in character.sheets.iter().enumerate() {
        let known = sheet.lods.iter().all(|&lod| (lod as usize) < character.lods.len());
        if sheet.width == 0 || sheet.lods.is_empty() || !known {
            return Err(wrong(format!("sheet {index} is empty, or of no level of detail")));
        }
        if sheet.holds == Holds::PositionNormal && !sheet.format.has_packed_normal() {
            return Err(wrong(format!("no texel of sheet {index} can hold a packed normal")));
        }
    }
    for clip in &character.clips {
        let numbers = clip.bounds.min.iter().chain(&clip.bounds.max);
        if !(clip.duration >= 0.0 && clip.duration.is_finite()) || numbers.into_iter().any(|x| !x.is_finite())
        {
            return Err(wrong(format!("clip `{}` has no finite length or bounds", clip.name)));
        }
        for track in &clip.tracks {
            check_track(character, track)
                .map_err(|e| wrong(format!("clip `{}`: {}", clip.name, e.message)))?;
        }
    }
    Ok(())
}

/// A file name, as it is written on any system: nothing that leads elsewhere.
pub fn is_plain(file: &str) -> bool {
    let other = |c: char| matches!(c, '/' | '\\' | ':') || c.is_control();
    !matches!(file, "" | "." | "..") && !file.contains(other)
}

fn check_track(character: &metadata::Character, track: &Track) -> Result<()> {
    let Some(sheet) = character.sheets.get(track.sheet as usize) else {
        return Err(wrong(format!("there is no sheet {}", track.sheet)));
    };
    if track.frames == 0 || track.frames >= track.band_rows {
        return Err(wrong(format!("{} frames and a guard row in {} rows", track.frames, track.band_rows)));
    }
    let bands = character.columns_of(track.sheet as usize).div_ceil(sheet.width);
    let end = u64::from(track.first_row) + u64::from(bands) * u64::from(track.band_rows);
    if end > u64::from(sheet.height) || track.layer >= sheet.layers {
        return Err(wrong(format!(
            "row {end} or layer {} lies outside of sheet {}",
            track.layer, track.sheet
        )));
    }
    let finite = track.bias.iter().chain(&track.scale).all(|x| x.is_finite());
    if finite && track.fps >= 0.0 && track.fps.is_finite() {
        Ok(())
    } else {
        Err(wrong("its rate, bias or scale is no number"))
    }
}

/// The texture that the metadata describe.
fn check_texture(character: &metadata::Character, index: u32, texture: Texture) -> Result<Texture> {
    let sheet = &character.sheets[index as usize];
    let differ = |what: String| {
        let message = format!("{what}: it is from another bake than the metadata beside it");
        Err(Error::new("runtime::layout", message).help("load all files of one build together"))
    };
    let described = (sheet.format, sheet.width, sheet.height, sheet.layers);
    let found = (texture.format, texture.width, texture.height, texture.layers);
    if found != described {
        let say = |(format, width, height, layers)| format!("{width} x {height} x {layers} in {format}");
        return differ(format!("it is {}, not {}", say(found), say(described)));
    }
    let table = &texture.table;
    if (table.character.as_str(), table.sheet) != (character.name.as_str(), index) {
        return differ(format!(
            "it is sheet {} of `{}`, not {index} of `{}`",
            table.sheet, table.character, character.name
        ));
    }
    if table.holds != sheet.holds || table.axes != character.axes {
        return differ(format!("it holds {} in other axes, or something else", table.holds.name()));
    }
    if table.layout != character.layout {
        return differ(format!("its layout is {:08x}, not {:08x}", table.layout, character.layout));
    }
    Ok(texture)
}

fn check_mesh(character: &metadata::Character, mesh: Mesh) -> Result<Mesh> {
    let differ = |what: String| {
        let message = format!("{what}: it is from another bake than the metadata beside it");
        Err(Error::new("runtime::layout", message).help("load all files of one build together"))
    };
    if mesh.positions.len() != character.vertex_count as usize {
        return differ(format!("it has {} vertices, not {}", mesh.positions.len(), character.vertex_count));
    }
    for (index, (lod, described)) in mesh.lods.iter().zip(&character.lods).enumerate() {
        let columns = described.column_count;
        let used = mesh.columns[..lod.vertex_count as usize].iter().max().map_or(0, |&column| column + 1);
        if lod.vertex_count != described.vertex_count || used > columns {
            return differ(format!(
                "level of detail {index} has {} vertices and {used} columns",
                lod.vertex_count
            ));
        }
    }
    Ok(mesh)
}

fn check_layout(character: &metadata::Character, expected: u32) -> Result<()> {
    if character.layout == expected {
        return Ok(());
    }
    let (name, found) = (&character.name, character.layout);
    let message = format!(
        "the constants in the program are for another bake of `{name}`: their layout is {expected:08x}, \
         that of the files {found:08x}"
    );
    Err(Error::new("runtime::layout", message)
        .help("build the program again, or load the files it was built with"))
}
