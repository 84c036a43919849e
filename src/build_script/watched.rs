//! Which files and folders are worth another run.
//!
//! Cargo compares times of modification, and knows nothing else. A file that is replaced by an older one (`cp -p`, an archive, Perforce with
//! `modtime`) is seen by the time of its folder alone; so folders are named too. But cargo looks at all that is below a
//! folder. One that holds outputs, or the package with its sources, would change with every build, and is left out.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Files that exist, and their folders but for those that hold any of `outputs`.
pub fn watched(inputs: &[PathBuf], outputs: &[&Path]) -> Vec<PathBuf> {
    let outputs: Vec<PathBuf> = outputs.iter().filter_map(|path| nearest(path)).collect();
    let mut files = BTreeSet::new();
    let mut folders: BTreeSet<PathBuf> = BTreeSet::new();
    for input in inputs.iter().filter(|input| input.exists()) {
        files.insert(input.clone());
        let named =
            input.parent().map(|folder| if folder == Path::new("") { Path::new(".") } else { folder });
        // A link changes where it leads to.
        let real = input.canonicalize().ok().and_then(|real| Some(real.parent()?.to_owned()));
        let same = named.and_then(|named| named.canonicalize().ok()) == real;
        folders.extend(named.map(Path::to_owned));
        folders.extend(real.filter(|_| !same));
    }
    let holds_outputs = |folder: &PathBuf| {
        folder.canonicalize().is_ok_and(|folder| outputs.iter().any(|output| output.starts_with(&folder)))
    };
    folders.retain(|folder| !holds_outputs(folder));
    let all = folders.clone();
    folders.retain(|folder| !folder.ancestors().skip(1).any(|above| all.contains(above)));
    folders.into_iter().chain(files).collect()
}

/// The path, or that of the nearest folder above it that is there, with all links followed.
fn nearest(path: &Path) -> Option<PathBuf> {
    path.ancestors().find_map(|above| above.canonicalize().ok())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_are_named_with_their_folders_but_not_with_those_of_outputs() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        for path in ["vat.toml", "art/a.glb", "art/deep/b.glb", "assets/c.glb", "assets/vat/vat.rs"] {
            fs::create_dir_all(at(path).parent().unwrap()).unwrap();
            fs::write(at(path), "").unwrap();
        }
        let inputs = ["art/a.glb", "art/deep/b.glb", "art/gone.glb", "assets/c.glb", "vat.toml"].map(at);
        let watched = watched(&inputs, &[folder.path(), &at("assets/vat"), &at("target/out")]);
        let wanted = ["art", "art/a.glb", "art/deep/b.glb", "assets/c.glb", "vat.toml"].map(at);
        assert_eq!(watched, wanted);
    }

    #[cfg(unix)]
    #[test]
    fn the_folder_behind_a_link_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let (package, store) = (folder.join("package"), folder.join("store"));
        fs::create_dir_all(package.join("art")).unwrap();
        fs::create_dir_all(&store).unwrap();
        fs::write(store.join("a.glb"), "").unwrap();
        let link = package.join("art/a.glb");
        std::os::unix::fs::symlink(store.join("a.glb"), &link).unwrap();
        let watched = watched(std::slice::from_ref(&link), &[&package]);
        assert_eq!(watched, [package.join("art"), store, link]);
    }
}
