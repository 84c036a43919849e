//! Characters looked at without writing outputs: clips come from the store, and those that are baked go there.

use std::sync::atomic::AtomicBool;

use rayon::prelude::*;

use super::{Event, Options, is_wanted};
use crate::cache::clips::{Bakers, Clips};
use crate::cache::gc;
use crate::cache::store::Store;
use crate::manifest::{Manifest, Recipe};
use crate::problem::Problem;

/// Looks at the characters that are asked for, in the order of the manifest.
pub(super) fn looking<T: Send>(
    manifest: &Manifest,
    options: &Options,
    events: &(dyn Fn(Event) + Sync),
    look: impl Fn(&Recipe, Option<&Store>, &Clips) -> T + Sync,
) -> Vec<T> {
    let store = options.cache.as_deref().and_then(|folder| Store::open(folder).ok());
    let waiting = |holder: &str| events(Event::Waiting { holder });
    let _using = store.as_ref().and_then(|store| gc::using(store.root(), &waiting));
    let bakers = Bakers::default();
    let broken = AtomicBool::new(false);
    let recipes: Vec<&Recipe> = manifest.recipes.iter().filter(|r| is_wanted(r, options)).collect();
    let character = |recipe: &&Recipe| {
        let warn = |problem: Problem| events(Event::Problem(&problem));
        let clips = Clips::new(store.as_ref(), &bakers, &waiting, &broken, &warn);
        look(recipe, store.as_ref(), &clips)
    };
    recipes.par_iter().map(character).collect()
}
