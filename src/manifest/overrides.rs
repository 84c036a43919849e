//! What takes the place of what a manifest says, for one build of it.

use std::path::{Path, PathBuf};

use toml::de::DeTable;

use super::keys::{Kind, Section};
use super::read::{Reader, Table};
use super::{Manifest, nearest};
use crate::problem::{Problem, Problems};

/// What takes the place of what a manifest says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// In place of `[output] dir`; absolute, or relative to the current directory.
    pub out: Option<PathBuf>,
    /// In place of `[output] targets`; empty for those.
    pub targets: Vec<String>,
    /// Keys of `[defaults]` and their values, in place of what any table says of clips and meshes. Levels of detail keep
    /// settings of their own. A value is TOML, or a word without quotes.
    pub set: Vec<(String, String)>,
}

impl Overrides {
    /// Whether nothing takes the place of anything.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Puts folder and targets into a manifest that was read with the values that are set.
    pub fn redirect(&self, manifest: &mut Manifest) {
        self.out.iter().for_each(|out| manifest.output.dir.clone_from(out));
        if !self.targets.is_empty() {
            manifest.output.targets.clone_from(&self.targets);
        }
        manifest.overridden = !self.is_empty();
    }

    /// The values that are set.
    pub(super) fn table(&self) -> Result<Table, Problems> {
        let (mut table, mut problems) = (Table::default(), Vec::new());
        for (key, value) in &self.set {
            match set(key, value) {
                Ok(one) => table.take(one),
                Err(Problems(mut wrong)) => problems.append(&mut wrong),
            }
        }
        if problems.is_empty() { Ok(table) } else { Err(Problems(problems)) }
    }
}

fn set(key: &str, value: &str) -> Result<Table, Problems> {
    let is_value = |kind: &Kind| !matches!(kind, Kind::Table(_) | Kind::Tables(_) | Kind::List(_));
    let settings = Section::Defaults.keys().filter(|key| is_value(&key.kind));
    let names: Vec<&str> = settings.map(|key| key.name).collect();
    if !names.contains(&key) {
        let problem = Problem::error("manifest::unknown-key", format!("there is no setting `{key}`"));
        let help = match nearest(key, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("what can be set is {}", names.join(", ")),
        };
        return Err(problem.help(help).into());
    }
    let line = format!("{key} = {value}");
    // A word needs no quotes: a shell would take them.
    let line = if DeTable::parse(&line).is_ok() { line } else { format!("{key} = {value:?}") };
    let mut reader = Reader::new(&line, Path::new("settings"));
    let table = DeTable::parse(&line).map(|parsed| reader.table(parsed.get_ref(), Section::Defaults));
    let table = table.map_err(|error| Problem::error("manifest::syntax", error.message()))?;
    match reader.into_problems() {
        problems if problems.is_empty() => Ok(table),
        problems => Err(Problems(problems)),
    }
}
