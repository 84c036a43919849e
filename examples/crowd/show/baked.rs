//! Bakes the characters of `vat.toml`, and reads what was written as a game would.

use std::error::Error;
use std::fs;
use std::path::Path;

use vatpipe::metadata::Character;
use vatpipe::{manifest, run};

use super::mesh::{self, Mesh};

/// The result of a step that can fail.
pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A baked character, as a game loads it.
pub struct Model {
    /// Clips, bounds, levels of detail: `<name>.vat.json`.
    pub metadata: Character,
    /// Vertices, and the triangles of each level of detail.
    pub mesh: Mesh,
    /// The texels of its one sheet.
    pub texels: Vec<u8>,
}

/// All characters, and the generated WGSL.
pub struct Baked {
    /// In the order of the manifest.
    pub models: Vec<Model>,
    /// `vat.wgsl`.
    pub wgsl: String,
}

/// Builds into a folder; what has not changed since the last time is not baked again.
pub fn bake(folder: &Path) -> Result<Baked> {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/crowd/vat.toml"));
    let mut manifest = manifest::load(&fs::read_to_string(path)?, path).map_err(|e| e.to_string())?;
    manifest.output.dir = folder.to_owned();
    let failures = std::sync::Mutex::new(String::new());
    let outcome = run::build(&manifest, &run::Options::default(), &|event| {
        if let (run::Event::Problem(problem), Ok(mut failures)) = (event, failures.lock()) {
            failures.push_str(&format!("{problem}\n"));
        }
    });
    if outcome.failed > 0 {
        return Err(failures.into_inner()?.into());
    }
    let models =
        manifest.recipes.iter().map(|recipe| read(&folder.join(&recipe.character), &recipe.character));
    Ok(Baked { models: models.collect::<Result<_>>()?, wgsl: fs::read_to_string(folder.join("vat.wgsl"))? })
}

fn read(folder: &Path, name: &str) -> Result<Model> {
    let text = fs::read_to_string(folder.join(format!("{name}.vat.json")))?;
    let metadata: Character = serde_json::from_str(&text)?;
    let [sheet] = metadata.sheets.as_slice() else {
        return Err("the crowd wants one sheet a character".into());
    };
    let file = fs::read(folder.join(&sheet.file))?;
    let reader = ktx2::Reader::new(&file).map_err(|e| format!("{}: {e:?}", sheet.file))?;
    let texels = reader.levels().next().map(|level| level.data.to_vec()).ok_or("a texture without texels")?;
    let mesh = mesh::read(&fs::read(folder.join(&metadata.mesh))?, &metadata)?;
    Ok(Model { metadata, mesh, texels })
}
