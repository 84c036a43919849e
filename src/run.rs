//! Recipes → baked → published. Reports [`Event`]s, prints nothing.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use rayon::prelude::*;

use crate::bake::{self, Baked};
use crate::codegen;
use crate::files::{self, Inputs};
use crate::manifest::{Manifest, Recipe};
use crate::metadata;
use crate::problem::{Problem, Problems, Result};
use crate::source;

/// What to build.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Characters; empty for all. Constants always speak of all characters: with a part of them
    /// built, of the others as they were last published.
    pub only: Vec<String>,
}

/// What happened. Clips and characters are done in any order.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// The build has begun.
    Started {
        /// Characters to build.
        characters: usize,
    },
    /// A clip was baked; nothing of it is written yet.
    ClipBaked {
        /// The character's name.
        character: &'a str,
        /// All that is known of it.
        clip: &'a metadata::Clip,
        /// Seconds that it took.
        seconds: f64,
    },
    /// All files of a character are in place.
    CharacterPublished {
        /// All that is known of it.
        character: &'a metadata::Character,
        /// Its files and their sizes in bytes.
        files: &'a [(PathBuf, u64)],
        /// Seconds from its first to its last byte.
        seconds: f64,
    },
    /// A character could not be baked or written. Its last outputs are as they were.
    CharacterFailed {
        /// The character's name.
        name: &'a str,
        /// Everything that is wrong.
        problems: &'a Problems,
    },
    /// A warning or note, or an error that concerns no single character.
    Problem(&'a Problem),
    /// A file of constants is in place.
    Constants {
        /// The file.
        path: &'a Path,
        /// Its size.
        bytes: u64,
    },
    /// The build is over.
    Finished(&'a Outcome),
}

/// What came of a build.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Characters published.
    pub characters: usize,
    /// Clips baked.
    pub clips: usize,
    /// Characters that failed, and one more if the constants did.
    pub failed: usize,
    /// Bytes of the published files.
    pub bytes: u64,
    /// Seconds.
    pub seconds: f64,
    /// The files that were read, sorted.
    pub inputs: Vec<PathBuf>,
}

/// Builds all characters, or those asked for. A character that fails does not stop the others.
pub fn build(manifest: &Manifest, options: &Options, events: &(dyn Fn(Event) + Sync)) -> Outcome {
    let start = Instant::now();
    let recipes: Vec<&Recipe> = manifest.recipes.iter().filter(|r| is_wanted(r, options)).collect();
    events(Event::Started { characters: recipes.len() });
    manifest.warnings.iter().for_each(|warning| events(Event::Problem(warning)));
    let build = Build {
        manifest,
        events,
        inputs: Inputs::new(),
        clips: AtomicUsize::new(0),
        bytes: AtomicU64::new(0),
    };
    let published: Vec<Option<metadata::Character>> =
        recipes.par_iter().map(|recipe| build.character(recipe)).collect();

    let characters = published.iter().flatten().count();
    let mut failed = recipes.len() - characters;
    if !build.constants(&recipes, &published) {
        failed += 1;
    }
    build.inputs.take_warnings().iter().for_each(|warning| events(Event::Problem(warning)));
    let outcome = Outcome {
        characters,
        clips: build.clips.into_inner(),
        failed,
        bytes: build.bytes.into_inner(),
        seconds: start.elapsed().as_secs_f64(),
        inputs: build.inputs.recorded(),
    };
    events(Event::Finished(&outcome));
    outcome
}

fn is_wanted(recipe: &Recipe, options: &Options) -> bool {
    options.only.is_empty() || options.only.contains(&recipe.character)
}

struct Build<'a> {
    manifest: &'a Manifest,
    events: &'a (dyn Fn(Event) + Sync),
    inputs: Inputs,
    clips: AtomicUsize,
    bytes: AtomicU64,
}

impl Build<'_> {
    fn character(&self, recipe: &Recipe) -> Option<metadata::Character> {
        let start = Instant::now();
        let clip_done = |clip: &metadata::Clip, seconds: f64| {
            self.clips.fetch_add(1, Ordering::Relaxed);
            (self.events)(Event::ClipBaked { character: &recipe.character, clip, seconds });
        };
        let read = |path: &Path, options: &source::Options| self.read(recipe, path, options);
        let done = bake::bake(recipe, &read, &clip_done).and_then(|baked| {
            let files = self.publish(&recipe.character, &baked)?;
            Ok((baked, files))
        });
        match done {
            Ok((baked, files)) => {
                baked.warnings.iter().for_each(|warning| (self.events)(Event::Problem(warning)));
                let seconds = start.elapsed().as_secs_f64();
                let character = &baked.metadata;
                (self.events)(Event::CharacterPublished { character, files: &files, seconds });
                Some(baked.metadata)
            }
            Err(problems) => {
                (self.events)(Event::CharacterFailed { name: &recipe.character, problems: &problems });
                None
            }
        }
    }

    fn read(
        &self,
        recipe: &Recipe,
        path: &Path,
        options: &source::Options,
    ) -> Result<source::Source, Problems> {
        let root = files::root_for(path, &self.manifest.folder);
        let root = (!recipe.mesh.allow_outside).then_some(root);
        let bytes = self.inputs.read(path).map_err(|p| p.in_file(path))?;
        source::read(&bytes, path, options, &mut |uri| {
            self.inputs.read_uri(uri, path, root).map(|bytes| bytes.to_vec())
        })
    }

    fn publish(&self, character: &str, baked: &Baked) -> Result<Vec<(PathBuf, u64)>> {
        let folder = self.manifest.output.dir.join(character);
        let mut files = Vec::new();
        for (name, bytes) in &baked.files {
            let path = folder.join(name);
            files::write(&path, bytes)?;
            self.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
            files.push((path, bytes.len() as u64));
        }
        Ok(files)
    }

    /// Writes the constants of all characters: those just published, and the others as their
    /// metadata says they were. Returns whether that worked.
    fn constants(&self, built: &[&Recipe], published: &[Option<metadata::Character>]) -> bool {
        let mut characters = Vec::new();
        for recipe in &self.manifest.recipes {
            let now = built.iter().position(|b| b.character == recipe.character);
            let now = now.and_then(|index| published[index].clone());
            characters.extend(now.or_else(|| self.last_published(&recipe.character)));
        }
        match self.write_constants(&characters) {
            Ok(()) => true,
            Err(problem) => {
                (self.events)(Event::Problem(&problem));
                false
            }
        }
    }

    fn last_published(&self, character: &str) -> Option<metadata::Character> {
        let path = self.manifest.output.dir.join(character).join(format!("{character}.vat.json"));
        // An output, not an input: read past the record.
        let bytes = Inputs::new().read(&path).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    fn write_constants(&self, characters: &[metadata::Character]) -> Result<()> {
        let output = &self.manifest.output;
        let own = match &output.templates {
            Some(folder) => files::read_templates(&self.inputs, folder)?,
            None => Default::default(),
        };
        let sources = codegen::generate(characters, &output.targets, &own)?;
        for file in sources {
            let path = output.dir.join(&file.file_name);
            files::write(&path, file.text.as_bytes())?;
            let bytes = file.text.len() as u64;
            self.bytes.fetch_add(bytes, Ordering::Relaxed);
            (self.events)(Event::Constants { path: &path, bytes });
        }
        Ok(())
    }
}

/// Serialises events for sinks that are not `Sync`, such as a vector in a test.
pub fn serialised<'a>(sink: impl FnMut(Event) + Send + 'a) -> impl Fn(Event) + Sync + 'a {
    let sink = Mutex::new(sink);
    move |event| {
        let mut sink = sink.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        sink(event);
    }
}
