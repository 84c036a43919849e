//! What a build came to, in numbers: for CI, for a comparison with an earlier build, and for reports.
//!
//! [`Figures`] are taken from what is published and from the cache, not from a build in flight: they are the same
//! whether anything was baked. `docs/figures.md` describes the file.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::axes::Axes;
use crate::bake::Candidate;
use crate::cache::clips;
use crate::cache::published::{self, Published};
use crate::cache::store::Store;
use crate::encode::Format;
use crate::files::{self, Inputs};
use crate::manifest::{Manifest, Recipe};
use crate::metadata::{self, Error, Holds};
use crate::problem::{Problem, Result};

mod compare;

pub use compare::{Regression, compare};

/// The schema of [`Figures`]. Within it names are added to, never changed in meaning.
pub const SCHEMA: &str = "vatpipe/figures/1";

/// All characters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// [`SCHEMA`].
    pub schema: String,
    /// In the order of the manifest; those that were never published are left out.
    pub characters: Vec<Character>,
    /// Bytes of all sheets on the GPU.
    pub gpu_bytes: u64,
    /// Bytes of all files.
    pub file_bytes: u64,
}

/// A character.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Character {
    /// Its name.
    pub name: String,
    /// Vertices of the mesh.
    pub vertex_count: u32,
    /// Columns of the sheets.
    pub column_count: u32,
    /// The axes, whose units lengths are in.
    #[serde(default)]
    pub axes: Axes,
    /// Levels of detail, the finest first.
    pub lods: Vec<Lod>,
    /// Clips, in the order of the manifest.
    pub clips: Vec<Clip>,
    /// Bytes of its sheets on the GPU, rows that no clip fills counted.
    pub gpu_bytes: u64,
    /// Bytes of its files.
    pub file_bytes: u64,
    /// Its files.
    pub files: Vec<File>,
}

/// A level of detail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lod {
    /// As the metadata has it.
    #[serde(flatten)]
    pub lod: metadata::Lod,
    /// Bytes on the GPU of the sheets that it reads; other levels may read them too.
    pub gpu_bytes: u64,
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// Its name, in the character's folder.
    pub name: String,
    /// Its size.
    pub bytes: u64,
}

/// A clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clip {
    /// Its name.
    pub name: String,
    /// Seconds.
    pub duration: f64,
    /// Whether frame 0 follows the last frame.
    pub looping: bool,
    /// The diagonal of its bounds, model units: what errors in per cent are of.
    pub diagonal: f64,
    /// Bytes on the GPU of its rows in all sheets.
    pub gpu_bytes: u64,
    /// Its blocks of texels.
    pub tracks: Vec<Track>,
    /// What was measured to choose rate and format, or to find what would do; empty where the cache has lost it.
    pub candidates: Vec<Candidate>,
}

/// A block of texels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Track {
    /// The file of the sheet.
    pub sheet: String,
    /// The levels of detail that read it.
    pub lods: Vec<u32>,
    /// What it holds.
    pub holds: Holds,
    /// The texel format.
    pub format: Format,
    /// Frames per second as stored.
    pub fps: f64,
    /// Frames.
    pub frames: u32,
    /// Bytes on the GPU.
    pub bytes: u64,
    /// Measured error, and where it is worst.
    pub error: Error,
}

impl Figures {
    /// The text of the file.
    pub fn to_json(&self) -> String {
        // Numbers, texts and lists: serialising cannot fail.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Reads what [`Self::to_json`] wrote.
    ///
    /// # Errors
    /// `figures::read` if it is something else, or of another schema.
    pub fn from_json(text: &[u8], file: &Path) -> Result<Self> {
        let wrong = |why: String| {
            let message = format!("these are no figures that can be compared: {why}");
            let help = "write them with `vatpipe build --figures FILE`";
            Problem::error("figures::read", message).in_file(file).help(help)
        };
        let figures: Self = serde_json::from_slice(text).map_err(|error| wrong(error.to_string()))?;
        if figures.schema != SCHEMA {
            return Err(wrong(format!("their schema is {:?}, and this is {SCHEMA:?}", figures.schema)));
        }
        Ok(figures)
    }
}

/// The figures of what is published of these characters (of all, if none is named). `cache` is the folder of the
/// store, which knows the candidates of clips.
///
/// # Errors
/// Metadata or a file of a published character cannot be read.
pub fn published(manifest: &Manifest, only: &[String], cache: Option<&Path>) -> Result<Figures> {
    let record = Published::read(&manifest.output.dir);
    let store = cache.map(Store::to_read);
    let mut characters = Vec::new();
    for recipe in &manifest.recipes {
        let wanted = only.is_empty() || only.contains(&recipe.character);
        if let Some(record) = record.get(&recipe.character).filter(|_| wanted) {
            characters.push(character(manifest, recipe, record, store.as_ref())?);
        }
    }
    Ok(Figures {
        schema: SCHEMA.to_owned(),
        gpu_bytes: characters.iter().map(|character| character.gpu_bytes).sum(),
        file_bytes: characters.iter().map(|character| character.file_bytes).sum(),
        characters,
    })
}

fn character(
    manifest: &Manifest,
    recipe: &Recipe,
    record: &published::Character,
    store: Option<&Store>,
) -> Result<Character> {
    let folder = manifest.output.dir.join(&recipe.character);
    let path = folder.join(format!("{}.vat.json", recipe.character));
    // An output, not an input: read past the record.
    let text = Inputs::new().read(&path).map_err(|problem| problem.in_file(&path))?;
    let metadata: metadata::Character = serde_json::from_slice(&text).map_err(|error| {
        let message = format!("this metadata cannot be understood: {error}");
        Problem::error("figures::metadata", message).in_file(&path).help("build the character again")
    })?;
    let mut sizes = Vec::new();
    for name in record.outputs.keys() {
        sizes.push(File { name: name.clone(), bytes: files::output_size(&folder.join(name))? });
    }
    let gpu = |lod: u32| metadata.sheets.iter().filter(|s| s.lods.contains(&lod)).map(|s| s.bytes).sum();
    let lods = metadata.lods.iter().zip(0..);
    let clip = |clip: &metadata::Clip| {
        let key = record.clips.iter().find(|published| published.name == clip.name).map(|c| c.key.digest());
        let choice = store.zip(key).and_then(|(store, key)| clips::choice(store, key));
        self::clip(&metadata, clip, choice.map_or(Vec::new(), |choice| choice.candidates))
    };
    Ok(Character {
        name: recipe.character.clone(),
        vertex_count: metadata.vertex_count,
        column_count: metadata.column_count,
        axes: metadata.axes,
        lods: lods.map(|(lod, index)| Lod { lod: lod.clone(), gpu_bytes: gpu(index) }).collect(),
        clips: metadata.clips.iter().map(clip).collect(),
        gpu_bytes: metadata.sheets.iter().map(|sheet| sheet.bytes).sum(),
        file_bytes: sizes.iter().map(|file| file.bytes).sum(),
        files: sizes,
    })
}

fn clip(character: &metadata::Character, clip: &metadata::Clip, candidates: Vec<Candidate>) -> Clip {
    let track = |track: &metadata::Track| {
        let sheet = character.sheets.get(track.sheet as usize)?;
        Some(Track {
            sheet: sheet.file.clone(),
            lods: sheet.lods.clone(),
            holds: sheet.holds,
            format: sheet.format,
            fps: track.fps,
            frames: track.frames,
            bytes: character.track_bytes(track),
            error: track.error,
        })
    };
    let tracks: Vec<Track> = clip.tracks.iter().filter_map(track).collect();
    Clip {
        name: clip.name.clone(),
        duration: clip.duration,
        looping: clip.looping,
        diagonal: clip.bounds.diagonal(),
        gpu_bytes: tracks.iter().map(|track| track.bytes).sum(),
        tracks,
        candidates,
    }
}
