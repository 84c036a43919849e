//! The characters: embedded in the program by the build script, and taken anew while `vatpipe watch` runs.

use std::path::Path;

use vatpipe::runtime::{Character, Error, Reload};

use crate::{Result, vat};

/// The characters, and the shader functions that fit them.
pub struct Cast {
    /// In the order of [`NAMES`].
    pub characters: Vec<Character>,
    /// The text of `vat.wgsl`.
    pub wgsl: String,
    reload: Option<Reload>,
}

/// Who there is.
pub const NAMES: [&str; 3] =
    [vat::dragon::CHARACTER.name, vat::kettle::CHARACTER.name, vat::pennant::CHARACTER.name];

impl Cast {
    /// Loads what the program was built with. What a build publishes in `watched` takes its place.
    pub fn load(watched: Option<&Path>) -> Result<Self> {
        let mut characters = Vec::new();
        for character in [vat::dragon::CHARACTER, vat::kettle::CHARACTER, vat::pennant::CHARACTER] {
            let file = |file: &str| {
                let bytes = vat::file(character.name, file).map(<[u8]>::to_vec);
                bytes.ok_or_else(|| Error::new("meadow::file", "it is not embedded").in_file(file))
            };
            let loaded =
                Character::load(&file(&format!("{}.vat.json", character.name))?, &mut |name| file(name))?;
            loaded.check_layout(character.layout)?;
            characters.push(loaded);
        }
        let reload = watched.map(|folder| Reload::new(folder, &NAMES));
        Ok(Self { characters, wgsl: vat::WGSL.to_owned(), reload })
    }

    /// Takes what a build has changed since the last call; says which characters, or that there is nothing.
    ///
    /// Constants of Rust stay those that the program was built with. So the game asks the new files for clips, by name,
    /// and takes the text of the shader functions, which know rows, rates and ranges, from the same build.
    pub fn refresh(&mut self) -> Result<Vec<String>> {
        let Some(reload) = &mut self.reload else { return Ok(Vec::new()) };
        let Some(changes) = reload.poll()? else { return Ok(Vec::new()) };
        if let Some(wgsl) = changes.constants.get("vat.wgsl") {
            self.wgsl = String::from_utf8_lossy(wgsl).into_owned();
        }
        let mut names = Vec::new();
        for character in changes.characters {
            let name = character.metadata().name.clone();
            if let Some(place) = NAMES.iter().position(|known| *known == name) {
                self.characters[place] = character;
                names.push(name);
            }
        }
        Ok(names)
    }
}
