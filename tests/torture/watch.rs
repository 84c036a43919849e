//! Somebody who reads the outputs while they are built.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use super::project::Files;

/// A thread that reads all outputs, over and over, and fails if one is neither an old nor a new file.
pub struct Watcher {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<usize>,
}

impl Watcher {
    /// Looks at `out`. `good` are the files that may be seen.
    pub fn start(out: PathBuf, good: Vec<Files>) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let told = stop.clone();
        let thread = std::thread::spawn(move || {
            let mut looks = 0;
            while !told.load(Ordering::Relaxed) {
                looks += 1;
                good.iter().flat_map(Files::keys).for_each(|name| look(&out, name, &good));
            }
            looks
        });
        Self { stop, thread }
    }

    /// How often it has looked.
    pub fn stop(self) -> usize {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().expect("every file that was seen is whole")
    }
}

fn look(out: &Path, name: &str, good: &[Files]) {
    if name.starts_with(".vatpipe/") {
        return;
    }
    let Ok(bytes) = std::fs::read(out.join(name)) else { return };
    let whole = good.iter().filter_map(|files| files.get(name)).any(|known| *known == bytes);
    assert!(whole, "{name} was seen with {} bytes that are no version of it", bytes.len());
}
