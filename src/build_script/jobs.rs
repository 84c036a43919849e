//! How many threads a bake may use while cargo compiles other things.
//!
//! Cargo hands out jobs as GNU make does ("POSIX Jobserver" in its manual): a pipe or a named pipe holds a byte for each
//! further job that may run. Every process has one job for itself; who wants more takes bytes, and puts them back.

use std::io::Write as _;

/// Jobs that were taken; they are given back when this is dropped.
#[derive(Debug)]
pub struct Jobs {
    taken: Vec<u8>,
    threads: usize,
    give_back: Option<std::fs::File>,
}

impl Jobs {
    /// Takes the jobs that are free at this moment, at most so many as cargo runs at once. `flags` are those of
    /// `CARGO_MAKEFLAGS`. Where nobody can be asked, cargo's number is all there is.
    pub fn take(flags: Option<&str>, most: usize) -> Self {
        match flags.and_then(Ends::open) {
            None => Self { taken: Vec::new(), threads: most, give_back: None },
            Some(Ends { mut read, write }) => {
                let mut taken = vec![0; most.saturating_sub(1)];
                // One read gives what is there, and an error where nothing is.
                let free = std::io::Read::read(&mut read, &mut taken).unwrap_or(0);
                taken.truncate(free);
                Self { threads: 1 + taken.len(), taken, give_back: Some(write) }
            }
        }
    }

    /// Threads that may run.
    pub fn threads(&self) -> usize {
        self.threads
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        // The bytes that were taken, as the manual asks for.
        let _ = self.give_back.as_mut().map(|pipe| pipe.write_all(&self.taken));
    }
}

/// Where jobs are, as a flag says.
#[cfg(target_os = "linux")]
fn auth(flag: &str) -> Option<&str> {
    flag.strip_prefix("--jobserver-auth=").or_else(|| flag.strip_prefix("--jobserver-fds="))
}

/// Both ends of the pipe of jobs.
struct Ends {
    read: std::fs::File,
    write: std::fs::File,
}

impl Ends {
    /// Opens them anew, so that reading does not wait and nobody else's reading changes.
    #[cfg(target_os = "linux")]
    fn open(flags: &str) -> Option<Self> {
        use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
        let auth = flags.split_whitespace().rev().find_map(auth)?;
        let descriptor = |number: &str| Some(format!("/proc/self/fd/{}", number.parse::<u32>().ok()?));
        let (read, write) = match auth.strip_prefix("fifo:") {
            Some(path) => (path.to_owned(), path.to_owned()),
            None => auth.split_once(',').and_then(|(r, w)| Some((descriptor(r)?, descriptor(w)?)))?,
        };
        let no_wait = rustix::fs::OFlags::NONBLOCK.bits() as i32;
        let read = std::fs::File::options().read(true).custom_flags(no_wait).open(read).ok()?;
        let write = std::fs::File::options().write(true).custom_flags(no_wait).open(write).ok()?;
        // A number that was inherited from somebody who closed the pipe may be any file of ours.
        let is_pipe = |file: &std::fs::File| file.metadata().is_ok_and(|file| file.file_type().is_fifo());
        (is_pipe(&read) && is_pipe(&write)).then_some(Self { read, write })
    }

    #[cfg(not(target_os = "linux"))]
    fn open(_flags: &str) -> Option<Self> {
        None
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn free_jobs_are_taken_and_given_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jobs");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        // Both ends, so that bytes stay in it.
        let mut pipe = std::fs::File::options().read(true).write(true).open(&path).unwrap();
        pipe.write_all(b"abc").unwrap();
        let flags = format!(" -j --jobserver-auth=fifo:{}", path.display());
        let some = Jobs::take(Some(&flags), 3);
        let rest = Jobs::take(Some(&flags), 8);
        let none = Jobs::take(Some(&flags), 8);
        assert_eq!([some.threads(), rest.threads(), none.threads()], [3, 2, 1]);
        drop((some, rest, none));
        let all = Jobs::take(Some(&flags), 8);
        assert_eq!((all.threads(), all.taken.len()), (4, 3));
    }

    #[test]
    fn without_a_pipe_the_number_of_jobs_counts() {
        for flags in [
            None,
            Some("-j4"),
            Some("--jobserver-auth=0,x"),
            Some("--jobserver-auth=fifo:/nowhere"),
            Some("--jobserver-auth=987,988"),
        ] {
            assert_eq!(Jobs::take(flags, 6).threads(), 6, "{flags:?}");
        }
    }
}
