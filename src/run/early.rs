//! The end of a build, begun before its only character is published.
//!
//! Publishing waits for the disk. Where all other characters are known to be fresh, constants are made and written aside
//! meanwhile, and the record up to what it says of them. If anything comes in between, both are thrown away, and made when
//! their time has come.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{Build, Done, Listed, Made};
use crate::bake::Baked;
use crate::cache::constants::{self, Wanted};
use crate::cache::digest::Digest;
use crate::cache::fresh::metadata_name;
use crate::cache::publish::Output;
use crate::cache::published::{self, Published};
use crate::cache::splice::OldFile;
use crate::codegen::pieces;
use crate::files::Prepared;
use crate::manifest::Recipe;
use crate::metadata;
use crate::problem::Result;

/// What was made before its time.
pub(super) struct Early {
    files: Vec<constants::Made>,
    record: Record,
}

/// The record, but for the files of constants.
struct Record {
    now: Published,
    /// Its text up to there, written aside.
    begun: Prepared,
    /// Bytes.
    len: u64,
}

impl Build<'_> {
    /// Publishes a character, and makes what comes after it meanwhile if nothing else is to be done. `record` is told the
    /// digests of its files.
    pub(super) fn publish_early(
        &self,
        recipe: &Recipe,
        baked: &Baked,
        old: Option<&published::Character>,
        record: impl FnOnce(BTreeMap<String, Digest>) -> published::Character,
    ) -> Result<(published::Character, Option<Early>)> {
        let file = metadata_name(&recipe.character);
        let metadata = baked.files.iter().find(|(name, _)| *name == file).filter(|_| self.is_alone());
        std::thread::scope(|scope| {
            let constants = metadata.map(|(_, text)| {
                let wanted = Wanted { name: &recipe.character, digest: Digest::of(text) };
                scope.spawn(move || self.early_constants(&wanted, &baked.metadata))
            });
            let character = self.publish(recipe, baked, old).map(record);
            let record = match &character {
                Ok(character) if constants.is_some() => self.early_record(recipe, character),
                _ => None,
            };
            let files = constants.and_then(|thread| thread.join().ok().flatten());
            let early = files.zip(record).map(|(files, record)| Early { files, record });
            if metadata.is_some() && early.is_none() {
                self.discard_aside();
            }
            Ok((character?, early))
        })
    }

    /// Whether but one character is looked at, and nothing stands against what is done early.
    fn is_alone(&self) -> bool {
        let fresh = self.known.fresh().count();
        let is_usual = !self.locked && self.manifest.output.templates.is_none();
        is_usual && fresh > 0 && fresh + 1 == self.known.listed.len()
    }

    /// Makes constants, and writes them aside where they are new.
    fn early_constants(
        &self,
        changed: &Wanted,
        metadata: &metadata::Character,
    ) -> Option<Vec<constants::Made>> {
        let targets = &self.manifest.output.targets;
        if !pieces::are_possible(targets, &BTreeMap::new()) {
            return None;
        }
        self.guard("", pieces::of_targets(targets).into_iter().map(|(_, name, _)| *name)).ok()?;
        let digest = |listed: &Listed| {
            let known = listed.fresh().map(|known| known.metadata);
            known.or((listed.name() == changed.name).then_some(changed.digest))
        };
        let wanted = |listed| Some(Wanted { name: Listed::name(listed), digest: digest(listed)? });
        let wanted = self.known.listed.iter().map(wanted).collect::<Option<Vec<Wanted>>>()?;
        let load = |wanted: &Wanted| (wanted.name == changed.name).then(|| metadata.clone());
        let (output, last) = (self.output().ok()?, self.last_constants());
        let constants::Generated { made, index } =
            constants::generate(self.out(), output, last, targets, &wanted, &load).ok()??;
        self.keep_index(index);
        Some(made)
    }

    /// Begins the new record; `None` where the one that is there is not the one that was read.
    fn early_record(&self, recipe: &Recipe, character: &published::Character) -> Option<Record> {
        let output = self.output().ok()?;
        if !self.is_as_read() {
            return None;
        }
        let mut now = self.published.clone();
        now.insert(&recipe.character, character.clone());
        let key = self.constants_key(&now, &|name| name == recipe.character, &BTreeMap::new());
        if now.constants.key == Some(key) {
            // Most likely there is nothing to be made.
            return None;
        }
        now.constants.key = Some(key);
        let mut begun = output.begin_top(published::FILE).ok()?;
        let lines = now.lines();
        let len = lines.iter().map(|part| part.len() as u64).sum();
        begun.reserve(len);
        lines.iter().try_for_each(|part| begun.add(part)).ok()?;
        drop(lines);
        Some(Record { now, begun, len })
    }

    /// Ends a build with what was made early. What that cannot write is told, and the record written without it.
    pub(super) fn finish_early(
        &self,
        recipes: &[&Recipe],
        early: Early,
        built: &BTreeMap<&str, Made>,
    ) -> Result<()> {
        let Early { files, record: Record { mut now, mut begun, len } } = early;
        now.constants.outputs = files.iter().map(|made| (made.name.to_owned(), made.digest)).collect();
        self.note_outputs(recipes, &now, &now.constants.outputs);
        let sizes: Vec<(PathBuf, u64)> =
            files.iter().map(|made| (self.out().join(made.name), made.len)).collect();
        let mut staged: Vec<String> =
            files.iter().filter(|made| made.is_new).map(|made| made.name.to_owned()).collect();
        staged.push(published::FILE.to_owned());
        let removes = self.gone(&now.constants);
        begun.add(&now.behind())?;
        begun.place()?;
        self.place(&now, &[], staged, removes, built, len)?;
        files.into_iter().filter_map(|made| made.old).for_each(OldFile::close_later);
        self.tell_constants(&sizes);
        Ok(())
    }

    /// Throws away what is not wanted after all.
    pub(super) fn discard(&self, early: Early) {
        drop(early);
        self.discard_aside();
    }

    pub(super) fn discard_aside(&self) {
        self.output().into_iter().for_each(Output::discard_top);
    }

    /// Throws away what was made for an end that does not come.
    pub(super) fn drop_early(&self, done: Vec<Done>) {
        for done in done {
            if let Done::Published(mut made) = done {
                made.early.take().into_iter().for_each(|early| self.discard(early));
            }
        }
    }
}
