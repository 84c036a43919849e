//! A folder → the kind of its file system, if that does not tell of every change.
//!
//! What is changed on another machine, or outside of a container or virtual machine, is not told by these (inotify(7),
//! "Limitations and caveats").

use std::path::Path;

/// Numbers of file systems, statfs(2) and `linux/magic.h`.
#[cfg(target_os = "linux")]
const SILENT: [(u32, &str); 11] = [
    (0x6969, "NFS"),
    (0x517b, "SMB"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB2"),
    (0x0102_1997, "9P"),
    // Also virtiofs, and folders that are shared with containers on other systems.
    (0x6573_5546, "FUSE"),
    (0x786f_4256, "VirtualBox"),
    (0xbacb_acbc, "VMware"),
    (0x7375_7245, "Coda"),
    (0x5346_414f, "AFS"),
    (0x00c3_6400, "Ceph"),
];

/// The name of the file system that a folder lies on, if it has to be asked again and again.
#[cfg(target_os = "linux")]
pub(super) fn silent(folder: &Path) -> Option<&'static str> {
    named(rustix::fs::statfs(folder).ok()?.f_type as u32)
}

/// Other systems tell, or nobody knows when they do not.
#[cfg(not(target_os = "linux"))]
pub(super) fn silent(_: &Path) -> Option<&'static str> {
    None
}

#[cfg(target_os = "linux")]
fn named(number: u32) -> Option<&'static str> {
    SILENT.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_kernel() {
        // statfs(2): TMPFS_MAGIC, EXT4_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC.
        assert!(
            [0x0102_1994, 0xef53, 0x794c_7630, 0x9123_683e].iter().all(|&number| named(number).is_none())
        );
        assert_eq!((named(0x6969), named(0x6573_5546)), (Some("NFS"), Some("FUSE")));
        assert_eq!(silent(Path::new("/proc")), None);
    }
}
