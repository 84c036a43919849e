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
#[derive(Clone, Debug, Serialize)]
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
}

/// A sheet, and the tracks in it.
#[derive(Serialize)]
struct SheetContext<'a> {
    #[serde(flatten)]
    metadata: &'a Sheet,
    index: usize,
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

fn clips(character: &Character) -> Vec<ClipContext<'_>> {
    let idents: Vec<String> = character.clips.iter().map(|clip| clip.ident.clone()).collect();
    let snakes = ident::recase(&idents, Case::Snake, "CLIP");
    let camels = ident::recase(&idents, Case::Camel, "CLIP");
    let forms = snakes.into_iter().zip(camels).enumerate();
    let clips = character.clips.iter().zip(forms);
    clips.map(|(metadata, (index, (snake, camel)))| ClipContext { metadata, index, snake, camel }).collect()
}

fn sheet_context<'a>(character: &'a Character, index: u32, sheet: &'a Sheet) -> SheetContext<'a> {
    let format = sheet.format;
    let tracks = character.clips.iter().enumerate().flat_map(|(clip_index, clip)| {
        let tracks = clip.tracks.iter().filter(move |track| track.sheet == index);
        tracks.map(move |metadata| TrackContext {
            metadata,
            clip: clip_index,
            name: &clip.name,
            ident: &clip.ident,
            duration: clip.duration,
            looping: clip.looping,
            interpolation: clip.interpolation,
        })
    });
    SheetContext {
        metadata: sheet,
        index: index as usize,
        sample: if format.kind() == Kind::Uint { "uint" } else { "float" },
        texel_max: format.divisor() as u32,
        packed: sheet.holds == Holds::PositionNormal,
        packed_scale: if format == Format::Rgba16 { 65535 } else { 1 },
        array: sheet.layers > 1,
        vk_format: format.vk_format(),
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
