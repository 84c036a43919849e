//! What a build script does, from the manifest to the lines that cargo reads.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::adopt::{self, Part};
use super::cargo::{Cargo, Lines, text};
use super::tool::{self, VARIABLE};
use super::{Build, Built, Origin, RUST, Textures, include, jobs, watched};
use crate::cache::fresh;
use crate::cache::memo::{self, Memo};
use crate::cache::publish;
use crate::cache::published::{self, Published, recipe_digest};
use crate::files::{self, Inputs};
use crate::manifest::{self, Manifest, Overrides};
use crate::problem::{Problem, Problems, Result, Severity};

/// The name of a manifest.
const MANIFEST: &str = "vat.toml";

/// What is known once the manifest is read.
pub struct Script<'a> {
    build: &'a Build,
    cargo: &'a Cargo,
    /// As it is built: into `OUT_DIR`.
    manifest: Manifest,
    overrides: Overrides,
    /// Where `vatpipe build` publishes.
    published: PathBuf,
    /// The user's templates, by name, and their paths.
    templates: BTreeMap<String, String>,
    template_files: Vec<PathBuf>,
    name: String,
}

/// What is in place, and what there is to say of it.
struct Done {
    origin: Origin,
    record: Published,
    warnings: Vec<Problem>,
}

impl<'a> Script<'a> {
    /// Reads the manifest.
    pub fn new(build: &'a Build, cargo: &'a Cargo) -> Result<Self, Problems> {
        let name = name(build)?;
        let path = find(build, cargo)?;
        let inputs = Inputs::new();
        let text = files::read_text(&inputs, &path)?;
        let set = Overrides { set: build.set.clone(), ..Overrides::default() };
        let own = manifest::load_with(&text, &path, &set)?;
        let mut targets = own.output.targets.clone();
        for target in ["rust"].into_iter().chain(build.targets.iter().map(String::as_str)) {
            if !targets.iter().any(|other| other == target) {
                targets.push(target.to_owned());
            }
        }
        let overrides = Overrides { out: Some(cargo.out.join(&name)), targets, ..set };
        let mut manifest = own.clone();
        overrides.redirect(&mut manifest);
        let templates = match &manifest.output.templates {
            Some(folder) => files::read_templates(&inputs, folder, &manifest.output.targets)?,
            None => BTreeMap::new(),
        };
        let template_files = inputs.recorded().into_iter().map(|(path, _)| path).collect();
        Ok(Self {
            build,
            cargo,
            manifest,
            overrides,
            published: own.output.dir,
            templates,
            template_files,
            name,
        })
    }

    /// Does what is to be done.
    pub fn run(&self) -> Result<(Built, Lines), Problems> {
        let done = self.made()?;
        let include = self.include(&done.record)?;
        let inputs = self.inputs(&done.record);
        let lines = self.lines(&done, &inputs, &include)?;
        let folder = self.manifest.output.dir.clone();
        Ok((Built { include, folder, inputs, origin: done.origin }, lines))
    }

    fn out(&self) -> &Path {
        &self.manifest.output.dir
    }

    /// Puts the outputs into `OUT_DIR`.
    fn made(&self) -> Result<Done, Problems> {
        let done = |origin, record| Done { origin, record, warnings: Vec::new() };
        if self.cargo.docs_rs || self.cargo.is_packaged {
            let (record, memo) = (Published::read(&self.published), read_memo(&self.published));
            if adopt::is_complete(&self.manifest, &record, &self.published, &memo)
                && self.copied(&record, Part::All)?
            {
                return Ok(done(Origin::Published, record));
            }
        }
        let elsewhere = self.build.textures == Textures::Elsewhere;
        // Constants belong to the textures that the game will read.
        if elsewhere && self.is_copied(Part::Constants)? {
            return Ok(done(Origin::Published, Published::read(&self.published)));
        }
        let why = match self.fresh(self.out()) {
            Ok(record) => return Ok(done(Origin::Fresh, record)),
            Err(why) => why,
        };
        if !elsewhere && self.is_copied(Part::All)? {
            return Ok(done(Origin::Published, Published::read(self.out())));
        }
        let (origin, warnings) = self.bake(&why)?;
        let record = Published::read(self.out());
        self.check(&record)?;
        Ok(Done { origin, record, warnings })
    }

    /// The record of a folder with what a build would publish there, or why it is not that.
    fn fresh(&self, folder: &Path) -> Result<Published, String> {
        let (record, memo) = (Published::read(folder), read_memo(folder));
        if publish::is_unfinished(folder) {
            return Err("the last bake was not finished".to_owned());
        }
        let why = fresh::out_of_date(&self.manifest, &self.templates, &record, folder, &memo);
        // What was read is known from now on; what others wrote is theirs.
        if folder == self.out()
            && let Some(text) = memo.to_keep(|_| false).filter(|_| folder.is_dir())
        {
            let _ = files::write_shortcut(&memo::path(folder), &text);
        }
        why.map_or(Ok(record), Err)
    }

    /// Copies what is published, if it is up to date.
    fn is_copied(&self, part: Part) -> Result<bool> {
        match self.fresh(&self.published) {
            Ok(record) => self.copied(&record, part),
            Err(_) => Ok(false),
        }
    }

    fn copied(&self, record: &Published, part: Part) -> Result<bool> {
        adopt::copy(record, &self.published, self.out(), part)
    }

    /// Has it baked. What there is to be warned of.
    fn bake(&self, why: &str) -> Result<(Origin, Vec<Problem>), Problems> {
        let jobs = jobs::Jobs::take(text("CARGO_MAKEFLAGS").as_deref(), self.cargo.jobs);
        match tool::find(&self.cargo.out, why) {
            Ok(tool) => {
                let warnings = tool.bake(&self.manifest.file, &self.overrides, jobs.threads())?;
                Ok((Origin::Program, warnings))
            }
            #[cfg(feature = "bake")]
            Err(_) => Ok((Origin::Script, super::baking::bake(&self.manifest, jobs.threads())?)),
            #[cfg(not(feature = "bake"))]
            Err(problem) => Err(problem.into()),
        }
    }

    /// Whether the program has made what this crate understands: of one version there may be two in the making.
    fn check(&self, record: &Published) -> Result<()> {
        for recipe in &self.manifest.recipes {
            let digest = recipe_digest(recipe, &self.manifest.folder);
            if record.get(&recipe.character).is_none_or(|character| character.recipe != digest) {
                let message = format!(
                    "the program `vatpipe` baked {:?} in another way than this crate would",
                    recipe.character
                );
                let help =
                    format!("compile both from the same source, or name another program with {VARIABLE}");
                return Err(Problem::error("build-script::other-program", message).help(help));
            }
        }
        Ok(())
    }

    /// Writes the file that the game includes.
    fn include(&self, record: &Published) -> Result<PathBuf> {
        let rust = self.out().join(RUST);
        let text = files::glance(&rust).ok_or_else(|| {
            Problem::error("build-script::constants", "the constants cannot be read").in_file(&rust)
        })?;
        let textures = self.build.textures;
        let mut files = include::Files::new();
        if textures == Textures::Embedded && !self.cargo.docs_rs {
            for name in self.manifest.recipes.iter().map(|recipe| &recipe.character) {
                let outputs =
                    record.get(name).into_iter().flat_map(|character| character.outputs.keys().cloned());
                files.insert(name.clone(), outputs.collect());
            }
        }
        let constants: Vec<String> = record.constants.outputs.keys().cloned().collect();
        let text = include::text(&text, &self.name, &constants, &files, textures);
        let path = self.cargo.out.join(format!("{}.rs", self.name));
        files::write(&path, text.as_bytes())?;
        Ok(path)
    }

    /// All files that count, sorted.
    fn inputs(&self, record: &Published) -> Vec<PathBuf> {
        let records = self.manifest.recipes.iter().filter_map(|recipe| record.get(&recipe.character));
        let models = records.flat_map(|record| fresh::inputs(record, &self.manifest).map(|(path, _)| path));
        let mut inputs: Vec<PathBuf> = models.chain(self.template_files.iter().cloned()).collect();
        inputs.push(self.manifest.file.clone());
        if self.build.textures == Textures::Elsewhere {
            inputs.push(self.published.join(published::FILE));
        }
        inputs.sort();
        inputs.dedup();
        inputs
    }

    fn lines(&self, done: &Done, inputs: &[PathBuf], include: &Path) -> Result<Lines> {
        let mut lines = Lines::default();
        let outputs = [self.cargo.package.as_path(), &self.cargo.out, &self.published];
        for path in watched::watched(inputs, &outputs) {
            lines.rerun_if_changed(&path, &self.cargo.package)?;
        }
        [VARIABLE, "DOCS_RS"].iter().for_each(|name| lines.rerun_if_env_changed(name));
        lines.rustc_env(&format!("{}_RS", self.name.to_uppercase().replace('-', "_")), include)?;
        if !self.build.quiet {
            self.warnings(done).iter().for_each(|text| lines.warning(text));
        }
        Ok(lines)
    }

    /// What is said of the manifest and the models, each once.
    fn warnings(&self, done: &Done) -> Vec<String> {
        let of = |recipe: &manifest::Recipe| {
            let warnings = done.record.get(&recipe.character).map(|record| record.warnings.as_slice());
            warnings
                .unwrap_or_default()
                .iter()
                .map(|warning| warning.problem(recipe, &self.manifest))
                .collect::<Vec<_>>()
        };
        let models = self.manifest.recipes.iter().flat_map(of);
        let all = self.manifest.warnings.iter().cloned().chain(models).chain(done.warnings.iter().cloned());
        let mut said: Vec<String> = Vec::new();
        for problem in all.filter(|problem| problem.severity == Severity::Warning) {
            let text = problem.to_string();
            if !said.contains(&text) {
                said.push(text);
            }
        }
        match (self.build.textures, &self.cargo.other_target) {
            (Textures::Files, Some(target)) => said.push(format!(
                "the game is compiled for {target}, and the folder that it is given is on this machine: embed the \
                 textures, or load them from elsewhere"
            )),
            (Textures::Elsewhere, _) if done.origin != Origin::Published => said.push(format!(
                "what the game will find in {} is out of date, and not what its constants are made for: run `vatpipe build`",
                self.published.display()
            )),
            _ => {}
        }
        said
    }
}

fn read_memo(folder: &Path) -> Memo {
    Memo::read(&memo::path(folder))
}

/// What the build is called: it becomes names of files and of a variable.
fn name(build: &Build) -> Result<String> {
    let name = build.name.clone().unwrap_or_else(|| "vat".to_owned());
    let fits = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if fits {
        return Ok(name);
    }
    let message = format!("{name:?} cannot be the name of a build");
    Err(Problem::error("build-script::name", message)
        .help("letters of ASCII, digits, `_` and `-` are allowed"))
}

/// The manifest: as it is asked for, or in the package or above. The path is relative where cargo has put us into the package.
fn find(build: &Build, cargo: &Cargo) -> Result<PathBuf> {
    let here = std::env::current_dir().is_ok_and(|here| here == cargo.package);
    let base = if here { Path::new("") } else { cargo.package.as_path() };
    if let Some(path) = &build.manifest {
        return Ok(base.join(path));
    }
    let mut up = base.to_owned();
    for folder in cargo.package.ancestors() {
        if folder.join(MANIFEST).is_file() {
            return Ok(up.join(MANIFEST));
        }
        // That of the workspace.
        if folder.join("Cargo.lock").is_file() {
            break;
        }
        up.push("..");
    }
    let message =
        format!("there is no {MANIFEST} in {} or above, up to the workspace", cargo.package.display());
    let help = "write one with `vatpipe init`, or name one with `Build::manifest`";
    Err(Problem::error("build-script::no-manifest", message).help(help))
}
