//! Whether what was published is what a build would publish, as far as digests say.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::digest::{Digest, Fields};
use super::memo::Memo;
use super::published::{Character, Published, recipe_digest};
use crate::manifest::Manifest;

/// The name of the file of a character's metadata.
pub fn metadata_name(character: &str) -> String {
    format!("{character}.vat.json")
}

/// Whether a file has this digest.
pub fn is_same(memo: &Memo, path: &Path, digest: Digest) -> bool {
    memo.digest(path).is_ok_and(|now| now == digest)
}

/// The files that a character was made of, and their digests then.
pub fn inputs<'a>(
    record: &'a Character,
    manifest: &'a Manifest,
) -> impl Iterator<Item = (PathBuf, Digest)> + 'a {
    record.inputs.iter().map(|(path, &digest)| (manifest.folder.join(path), digest))
}

/// Whether all files of a character are in an output folder, and nobody changed them.
pub fn has_outputs(name: &str, record: &Character, out: &Path, memo: &Memo) -> bool {
    let folder = out.join(name);
    record.outputs.iter().all(|(file, &digest)| is_same(memo, &folder.join(file), digest))
}

/// The digest of what constants are made of: targets, the user's templates, and the metadata of characters, in order.
pub fn constants_key<'a>(
    targets: &[String],
    templates: &BTreeMap<String, String>,
    characters: impl Iterator<Item = (&'a str, Digest)>,
) -> Digest {
    let mut fields = Fields::new("vatpipe 2026 constants v1");
    fields.text(env!("CARGO_PKG_VERSION")).number(targets.len() as u64);
    targets.iter().for_each(|target| {
        fields.text(target);
    });
    fields.number(templates.len() as u64);
    for (name, text) in templates {
        fields.text(name).text(text);
    }
    for (name, metadata) in characters {
        fields.text(name).digest(metadata);
    }
    fields.finish()
}

/// What first shows that an output folder is not what a build of the manifest would publish there; `None` if nothing does.
pub fn out_of_date(
    manifest: &Manifest,
    templates: &BTreeMap<String, String>,
    record: &Published,
    out: &Path,
    memo: &Memo,
) -> Option<String> {
    let mut metadata = Vec::new();
    for recipe in &manifest.recipes {
        let name = recipe.character.as_str();
        let Some(character) = record.get(name) else { return Some(format!("{name:?} is not baked")) };
        if character.recipe != recipe_digest(recipe, &manifest.folder) {
            return Some(format!("{name:?} was baked with other settings, or by another version of vatpipe"));
        }
        if let Some((input, _)) =
            inputs(character, manifest).find(|(path, digest)| !is_same(memo, path, *digest))
        {
            let how = if input.exists() { "changed" } else { "is not there any more" };
            return Some(format!("{} {how}, of which {name:?} is made", input.display()));
        }
        match character.outputs.get(&metadata_name(name)) {
            Some(&digest) if has_outputs(name, character, out, memo) => metadata.push((name, digest)),
            _ => return Some(format!("a baked file of {name:?} is missing or damaged")),
        }
    }
    let known = |name: &&String| !manifest.recipes.iter().any(|recipe| recipe.character == **name);
    if let Some(gone) = record.names().find(known) {
        return Some(format!("{gone:?} is baked, and not in the manifest any more"));
    }
    let key = constants_key(&manifest.output.targets, templates, metadata.into_iter());
    let same = record.constants.key == Some(key) && has_constants(record, out, memo);
    (!same).then(|| "the constants are not those of these characters, targets and templates".to_owned())
}

/// Whether all constants are in an output folder, and nobody changed them.
pub fn has_constants(record: &Published, out: &Path, memo: &Memo) -> bool {
    let same = |(name, digest): (&String, &Digest)| {
        memo.digest_on_disk(&out.join(name)).is_ok_and(|now| now == *digest)
    };
    record.constants.outputs.iter().all(same)
}
