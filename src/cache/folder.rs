//! Where the store is.

use std::env;
use std::path::PathBuf;

/// The variable that names the folder of the store, before all else.
pub const VARIABLE: &str = "VATPIPE_CACHE_DIR";

/// The folder of the store: [`VARIABLE`], else what the manifest says, else the user's cache
/// folder. `None` on a machine without any of them.
pub fn find(manifest: Option<PathBuf>) -> Option<PathBuf> {
    let variable = |name: &str| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    variable(VARIABLE).or(manifest).or_else(|| {
        // XDG Base Directory Specification; Apple's and Microsoft's folders for the same.
        let user = if cfg!(windows) {
            variable("LOCALAPPDATA")
        } else if cfg!(target_os = "macos") {
            variable("HOME").map(|home| home.join("Library/Caches"))
        } else {
            let xdg = variable("XDG_CACHE_HOME").filter(|path| path.is_absolute());
            xdg.or_else(|| variable("HOME").map(|home| home.join(".cache")))
        };
        user.map(|folder| folder.join("vatpipe"))
    })
}
