//! What a template sees: the metadata of the characters, and what follows from it. The variables
//! are described in `docs/shaders.md`; they are added to, never changed in meaning.

use serde::Serialize;

use super::ident::{self, Case};
use crate::encode::{Format, Kind};
use crate::metadata::{Character, Clip, Holds, Playback, Sheet, Track};
use crate::problem::{Problem, Result};

/// The variables of a template.
#[derive(Serialize)]
pub struct Context<'a> {
    /// The name of the target.
    pub target: &'a str,
    /// The name of the file that is made.
    pub file: &'a str,
    /// The characters, in their order.
    pub characters: &'a [CharacterContext<'a>],
}

/// The variables of a built-in template in pieces: either all names and no piece, or one piece.
#[derive(Serialize)]
pub struct PieceContext<'a> {
    /// The name of the target.
    pub target: &'a str,
    /// The name of the file that is made.
    pub file: &'a str,
    /// The characters, in their order.
    pub characters: &'a [Names],
    /// The characters whose text is wanted.
    pub pieces: &'a [CharacterContext<'a>],
}

/// A character's name, and its forms in code, unique among the characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Names {
    /// As the manifest has it.
    pub name: String,
    /// `UPPER_SNAKE`.
    pub ident: String,
    /// `snake_case`.
    pub snake: String,
    /// `CamelCase`.
    pub camel: String,
}

/// The forms of names.
pub fn names(characters: &[&str]) -> Vec<Names> {
    let (idents, _) = ident::character_idents(characters);
    let snakes = ident::recase(&idents, Case::Snake, "CHARACTER");
    let camels = ident::recase(&idents, Case::Camel, "CHARACTER");
    let forms = characters.iter().zip(idents).zip(snakes).zip(camels);
    forms
        .map(|(((name, ident), snake), camel)| Names { name: (*name).to_owned(), ident, snake, camel })
        .collect()
}

/// A character.
#[derive(Serialize)]
pub struct CharacterContext<'a> {
    #[serde(flatten)]
    metadata: &'a Character,
    /// `UPPER_SNAKE`, unique among the characters.
    ident: String,
    /// `snake_case`, unique among the characters.
    snake: String,
    /// `CamelCase`, unique among the characters.
    camel: String,
    /// In place of the metadata's.
    clips: Vec<ClipContext<'a>>,
    /// In place of the metadata's.
    sheets: Vec<SheetContext<'a>>,
}

/// A clip.
#[derive(Serialize)]
struct ClipContext<'a> {
    #[serde(flatten)]
    metadata: &'a Clip,
    index: usize,
    snake: String,
    camel: String,
    /// In place of the metadata's.
    tracks: Vec<TrackContext<'a>>,
}

/// A sheet, and the tracks in it.
#[derive(Serialize)]
struct SheetContext<'a> {
    #[serde(flatten)]
    metadata: &'a Sheet,
    index: usize,
    /// The word for what it holds in names of functions: `position`, `residual`, `normal` or `tangent`.
    role: &'static str,
    /// What such names end in: nothing, or `_` and the sheet's number where there are several of the kind.
    suffix: String,
    /// Whether its texels are decoded with bias and scale.
    positions: bool,
    /// Whether devices filter the format without further features, or with the feature that the format needs.
    filterable: bool,
    /// The only sheets that have residuals and normals for the clips and levels of detail of this one.
    residual: Option<Beside>,
    normal: Option<Beside>,
    /// What a shader reads: `uint` or `float`.
    sample: &'static str,
    /// What `x`, `y` and `z` of a texel are divided by.
    texel_max: u32,
    /// Whether the fourth channel holds a normal.
    packed: bool,
    /// What the fourth channel is multiplied by, and rounded, to give the packed integer.
    packed_scale: u32,
    /// Whether the texture is an array.
    array: bool,
    /// The format's `VkFormat`, as in the file.
    vk_format: u32,
    vk_name: &'static str,
    /// The format's names in APIs and engines; absent where they have none.
    wgpu_format: Option<&'static str>,
    webgpu_format: Option<&'static str>,
    dxgi_format: Option<&'static str>,
    unity_format: Option<&'static str>,
    /// What a device must have for it; absent where nothing is needed.
    wgpu_feature: Option<&'static str>,
    webgpu_feature: Option<&'static str>,
    /// Width and height of the format's blocks, 1 and 1 where it has none.
    block: (u32, u32),
    tracks: Vec<TrackContext<'a>>,
}

/// A sheet beside another one.
#[derive(Serialize)]
struct Beside {
    index: usize,
    suffix: String,
    sample: &'static str,
    array: bool,
}

/// A track, and the clip that it belongs to.
#[derive(Serialize)]
struct TrackContext<'a> {
    #[serde(flatten)]
    metadata: &'a Track,
    /// The clip's index.
    clip: usize,
    /// The clip's.
    name: &'a str,
    /// The clip's.
    ident: &'a str,
    /// The clip's.
    duration: f64,
    /// The clip's.
    looping: bool,
    /// The clip's.
    interpolation: Playback,
    /// The share of the clip in a 4096th of a second, as a fraction of 2^32.
    turns_per_tick: u32,
    /// 1: looping, 2: a frame holds until the next, 4: relative.
    flags: u32,
}

/// The contexts of all characters; fails where generated code would be wrong.
pub fn characters(characters: &[Character]) -> Result<Vec<CharacterContext<'_>>> {
    let all: Vec<&str> = characters.iter().map(|character| character.name.as_str()).collect();
    characters.iter().zip(names(&all)).map(|(metadata, names)| character(metadata, names)).collect()
}

/// The context of one character; fails where generated code would be wrong.
pub fn character(metadata: &Character, names: Names) -> Result<CharacterContext<'_>> {
    check(metadata)?;
    let sheets =
        (0_u32..).zip(&metadata.sheets).map(|(i, sheet)| sheet_context(metadata, i, sheet)).collect();
    let Names { ident, snake, camel, .. } = names;
    Ok(CharacterContext { metadata, ident, snake, camel, clips: clips(metadata), sheets })
}

fn clips<'a>(character: &'a Character) -> Vec<ClipContext<'a>> {
    let idents: Vec<String> = character.clips.iter().map(|clip| clip.ident.clone()).collect();
    let snakes = ident::recase(&idents, Case::Snake, "CLIP");
    let camels = ident::recase(&idents, Case::Camel, "CLIP");
    let forms = snakes.into_iter().zip(camels).enumerate();
    let clips = character.clips.iter().zip(forms);
    let clip = |(metadata, (index, (snake, camel))): (&'a Clip, (usize, (String, String)))| {
        let tracks = metadata.tracks.iter().map(|track| track_context(index, metadata, track)).collect();
        ClipContext { metadata, index, snake, camel, tracks }
    };
    clips.map(clip).collect()
}

fn track_context<'a>(index: usize, clip: &'a Clip, track: &'a Track) -> TrackContext<'a> {
    let flag = |is: bool, flag: u32| if is { flag } else { 0 };
    TrackContext {
        metadata: track,
        clip: index,
        name: &clip.name,
        ident: &clip.ident,
        duration: clip.duration,
        looping: clip.looping,
        interpolation: clip.interpolation,
        turns_per_tick: turns_per_tick(clip.duration),
        flags: flag(clip.looping, 1)
            | flag(clip.interpolation == Playback::Step, 2)
            | flag(track.relative, 4),
    }
}

/// How far a clip of so many seconds gets in a tick, of which there are 4096 a second: a fraction of 2^32, 0 for a clip without
/// duration, at most 2^32 - 1.
fn turns_per_tick(duration: f64) -> u32 {
    // The conversion saturates.
    if duration > 0.0 { (f64::from(1 << 20) / duration).round() as u32 } else { 0 }
}

/// The word for what a sheet holds in names of functions.
fn role(sheet: &Sheet) -> &'static str {
    match sheet.holds {
        Holds::PositionNormal | Holds::Position => "position",
        Holds::Residual => "residual",
        Holds::Normal => "normal",
        Holds::Tangent => "tangent",
    }
}

/// What the names of a sheet's functions end in.
fn suffix(character: &Character, index: usize) -> String {
    let role_of = |sheet: &Sheet| role(sheet);
    let wanted = role(&character.sheets[index]);
    let count = character.sheets.iter().filter(|sheet| role_of(sheet) == wanted).count();
    if count > 1 { format!("_{index}") } else { String::new() }
}

/// The only sheet of a kind that has clips of this one, for a level of detail of this one.
fn beside(character: &Character, index: usize, holds: Holds) -> Option<Beside> {
    let lods = &character.sheets[index].lods;
    let shares_lod = |other: &Sheet| other.lods.iter().any(|lod| lods.contains(lod));
    let has = |clip: &Clip, sheet: usize| clip.tracks.iter().any(|track| track.sheet as usize == sheet);
    let shares_clip = |other: usize| character.clips.iter().any(|clip| has(clip, index) && has(clip, other));
    let all = character.sheets.iter().enumerate();
    let mut found = all.filter(|&(i, other)| other.holds == holds && shares_lod(other) && shares_clip(i));
    match (found.next(), found.next()) {
        (Some((index, other)), None) => Some(Beside {
            index,
            suffix: suffix(character, index),
            sample: sample(other),
            array: other.layers > 1,
        }),
        _ => None,
    }
}

fn sample(sheet: &Sheet) -> &'static str {
    if sheet.format.kind() == Kind::Uint { "uint" } else { "float" }
}

fn sheet_context<'a>(character: &'a Character, index: u32, sheet: &'a Sheet) -> SheetContext<'a> {
    let format = sheet.format;
    let tracks = character.clips.iter().enumerate().flat_map(|(clip_index, clip)| {
        let tracks = clip.tracks.iter().filter(move |track| track.sheet == index);
        tracks.map(move |track| track_context(clip_index, clip, track))
    });
    let index = index as usize;
    let partner =
        |holds: Holds| if role(sheet) == "position" { beside(character, index, holds) } else { None };
    SheetContext {
        metadata: sheet,
        index,
        role: role(sheet),
        suffix: suffix(character, index),
        positions: matches!(sheet.holds, Holds::PositionNormal | Holds::Position | Holds::Residual),
        filterable: format.kind() != Kind::Uint && format != Format::Rgba32f,
        residual: partner(Holds::Residual),
        normal: partner(Holds::Normal),
        sample: sample(sheet),
        texel_max: format.divisor() as u32,
        packed: sheet.holds == Holds::PositionNormal,
        packed_scale: if format == Format::Rgba16 { 65535 } else { 1 },
        array: sheet.layers > 1,
        vk_format: format.vk_format(),
        vk_name: format.vk_name(),
        wgpu_format: format.wgpu_name(),
        webgpu_format: format.webgpu_name(),
        wgpu_feature: format.wgpu_feature(),
        webgpu_feature: format.webgpu_feature(),
        block: format.block_size(),
        dxgi_format: format.dxgi_name(),
        unity_format: format.unity_name(),
        tracks: tracks.collect(),
    }
}

/// Metadata that has been read from a file, or a fault elsewhere, must not become code that reads
/// the wrong texels.
fn check(character: &Character) -> Result<()> {
    let wrong = |what: String| {
        let message = format!("the metadata of character \"{}\" is wrong: {what}", character.name);
        Problem::error("codegen::metadata", message).help("build the character again")
    };
    if character.clips.is_empty() {
        return Err(wrong("it has no clip".to_owned()));
    }
    let idents: Vec<&str> = character.clips.iter().map(|clip| clip.ident.as_str()).collect();
    if ident::idents(&idents, "CLIP").0 != idents {
        return Err(wrong(format!("the clip identifiers are not legal and unique: {}", idents.join(", "))));
    }
    for sheet in &character.sheets {
        if sheet.width == 0 || sheet.height == 0 || sheet.layers == 0 {
            return Err(wrong(format!("sheet \"{}\" is empty", sheet.file)));
        }
        if sheet.holds == Holds::PositionNormal && !sheet.format.has_packed_normal() {
            return Err(wrong(format!("no texel of sheet \"{}\" can hold a packed normal", sheet.file)));
        }
    }
    for clip in &character.clips {
        for (i, track) in clip.tracks.iter().enumerate() {
            let checked = match clip.tracks[..i].iter().find(|other| other.sheet == track.sheet) {
                Some(_) => Err(format!("two tracks lie in sheet {}", track.sheet)),
                None => check_track(character, clip, track),
            };
            checked.map_err(|what| wrong(format!("clip \"{}\": {what}", clip.name)))?;
        }
    }
    Ok(())
}

fn check_track(character: &Character, clip: &Clip, track: &Track) -> Result<(), String> {
    let Some(sheet) = character.sheets.get(track.sheet as usize) else {
        return Err(format!("there is no sheet {}", track.sheet));
    };
    let columns = character.columns_of(track.sheet as usize);
    let bands = u64::from(columns.div_ceil(sheet.width).max(1));
    let end = u64::from(track.first_row) + bands * u64::from(track.band_rows);
    if track.frames == 0 || track.band_rows <= track.frames {
        return Err(format!("{} frames and a guard row in {} rows", track.frames, track.band_rows));
    }
    if end > u64::from(sheet.height) || track.layer >= sheet.layers {
        return Err(format!("row {end} or layer {} lies outside of \"{}\"", track.layer, sheet.file));
    }
    let mut numbers = vec![clip.duration, track.fps];
    numbers.extend(track.bias.iter().chain(&track.scale).map(|&x| f64::from(x)));
    if numbers.iter().any(|x| !x.is_finite()) || clip.duration < 0.0 || track.fps < 0.0 {
        return Err(format!("{numbers:?} are not a duration, a rate, a bias and a scale"));
    }
    Ok(())
}
