//! Inputs → the folders to watch for them, and back: what a told path means.
//!
//! A build names its inputs as the manifest does (`art/crab.glb`, through links); the system tells of folders without links.
//! What can go wrong: a folder is not there yet (the nearest one above is watched), is replaced by another one of its name,
//! or is a link that leads elsewhere one day.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::files;

/// Which folder it is that has a name: the device and number of the folder, where there are such.
type Identity = Option<(u64, u64)>;

/// All that is watched for.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// As the build names them.
    inputs: BTreeSet<PathBuf>,
    /// A folder in which every file is an input.
    templates: Option<PathBuf>,
    /// By what the system calls them.
    told: BTreeMap<PathBuf, Vec<PathBuf>>,
    /// What the system calls the folder of templates.
    told_templates: Option<PathBuf>,
    /// Folders that are not there yet, or something above them, as the system will call them.
    awaited: BTreeSet<PathBuf>,
    folders: BTreeMap<PathBuf, Identity>,
}

impl Places {
    /// Changes what is watched for; whether that is something else than before.
    pub(super) fn set(&mut self, inputs: BTreeSet<PathBuf>, templates: Option<PathBuf>) -> bool {
        let same = self.inputs == inputs && self.templates == templates;
        (self.inputs, self.templates) = (inputs, templates);
        !same
    }

    /// The inputs that are known, without templates.
    pub(super) fn inputs(&self) -> &BTreeSet<PathBuf> {
        &self.inputs
    }

    /// All inputs, and the templates that are there now.
    pub(super) fn all(&self) -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> = self.inputs.iter().cloned().collect();
        let templates = self.templates.iter().flat_map(|folder| files::entries(folder));
        all.extend(templates.filter(|path| is_template(path)));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether a file lies in the folder of templates.
    pub(super) fn is_template(&self, path: &Path) -> bool {
        self.templates.as_deref().is_some_and(|folder| path.parent() == Some(folder))
    }

    /// The inputs that a told path means.
    pub(super) fn meant(&self, told: &Path) -> Vec<PathBuf> {
        let mut meant = self.told.get(told).cloned().unwrap_or_default();
        if let (Some(folder), Some(known)) = (&self.templates, &self.told_templates)
            && told.parent() == Some(known)
            && is_template(told)
        {
            meant.extend(told.file_name().map(|name| folder.join(name)));
        }
        meant
    }

    /// Whether a told path is a folder that is watched or waited for: then folders are to be found anew.
    pub(super) fn is_of_folders(&self, told: &Path) -> bool {
        self.awaited.contains(told) || self.folders.contains_key(told)
    }

    /// The folders to watch.
    pub(super) fn folders(&self) -> &BTreeMap<PathBuf, Identity> {
        &self.folders
    }

    /// Whether a folder is another one than when it was found.
    pub(super) fn have_moved(&self) -> bool {
        self.folders.iter().any(|(folder, identity)| files::folder_identity(folder) != *identity)
            || self.awaited.iter().any(|path| path.exists())
    }

    /// Finds the folders to watch.
    pub(super) fn find(&mut self) {
        let (inputs, templates) = (self.inputs.clone(), self.templates.clone());
        *self = Self { inputs, templates, ..Self::default() };
        let mut known: BTreeMap<PathBuf, Option<PathBuf>> = BTreeMap::new();
        for input in self.inputs.clone() {
            let (Some(parent), Some(name)) = (input.parent(), input.file_name()) else { continue };
            let real = known.entry(parent.to_owned()).or_insert_with(|| real(parent)).clone();
            let Some(folder) = real else {
                self.wait_for(parent);
                continue;
            };
            self.told.entry(folder.join(name)).or_default().push(input.clone());
            self.watch(folder);
            if input.is_symlink()
                && let Ok(target) = input.canonicalize()
            {
                target.parent().into_iter().for_each(|folder| self.watch(folder.to_owned()));
                self.told.entry(target).or_default().push(input);
            }
        }
        if let Some(folder) = self.templates.clone() {
            self.told_templates = real(&folder);
            match self.told_templates.clone() {
                Some(folder) => self.watch(folder),
                None => self.wait_for(&folder),
            }
        }
    }

    fn watch(&mut self, folder: PathBuf) {
        let found = files::folder_identity(&folder);
        self.folders.entry(folder).or_insert(found);
    }

    /// Watches the nearest folder above one that is not there.
    fn wait_for(&mut self, folder: &Path) {
        let mut missing = folder;
        while let Some(above) = missing.parent() {
            if let (Some(real), Some(name)) = (real(above), missing.file_name()) {
                self.awaited.insert(real.join(name));
                return self.watch(real);
            }
            missing = above;
        }
    }
}

/// A folder without links, if it is there.
fn real(folder: &Path) -> Option<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    folder.canonicalize().ok().filter(|folder| folder.is_dir())
}

/// Whether a file in the folder of templates is read as one.
fn is_template(path: &Path) -> bool {
    path.file_name().is_some_and(|name| !name.to_string_lossy().starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(inputs: &[PathBuf], templates: Option<PathBuf>) -> Places {
        let mut places = Places::default();
        assert!(places.set(inputs.iter().cloned().collect(), templates.clone()));
        assert!(!places.set(inputs.iter().cloned().collect(), templates));
        places.find();
        places
    }

    #[test]
    fn told_paths_mean_inputs() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("art/templates")).unwrap();
        let input = root.join("art/../art/a.glb");
        let places = places(std::slice::from_ref(&input), Some(root.join("art/templates")));
        assert_eq!(places.meant(&root.join("art/a.glb")), [input]);
        assert!(places.meant(&root.join("art/b.glb")).is_empty());
        let template = root.join("art/templates/vat.txt");
        assert_eq!(places.meant(&template), std::slice::from_ref(&template));
        assert!(places.is_template(&template) && places.meant(&root.join("art/templates/.x")).is_empty());
        let folders: Vec<_> = places.folders().keys().cloned().collect();
        assert_eq!(folders, [root.join("art"), root.join("art/templates")]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("store")).unwrap();
        std::fs::create_dir_all(root.join("art")).unwrap();
        std::fs::write(root.join("store/a"), "").unwrap();
        std::os::unix::fs::symlink(root.join("store/a"), root.join("art/a.glb")).unwrap();
        std::os::unix::fs::symlink(root.join("art"), root.join("link")).unwrap();
        let input = root.join("link/a.glb");
        let places = places(std::slice::from_ref(&input), None);
        for told in ["art/a.glb", "store/a"] {
            assert_eq!(places.meant(&root.join(told)), std::slice::from_ref(&input), "{told}");
        }
    }

    #[test]
    fn a_folder_that_is_not_there_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let mut places = places(&[root.join("art/deep/a.glb")], None);
        assert!(places.is_of_folders(&root.join("art")) && !places.have_moved());
        std::fs::create_dir_all(root.join("art/deep")).unwrap();
        assert!(places.have_moved());
        places.find();
        assert_eq!(places.folders().keys().collect::<Vec<_>>(), [&root.join("art/deep")]);
        std::fs::rename(root.join("art/deep"), root.join("art/old")).unwrap();
        std::fs::create_dir(root.join("art/deep")).unwrap();
        assert!(places.have_moved());
    }
}
