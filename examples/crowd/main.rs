//! A crowd of the example characters: `cargo run --release --example crowd`.
//!
//! It bakes them first, through the library. Without a window: `-- --headless FILE.png`. A guide is in `docs/shaders.md`.

mod options;
mod show;
mod window;

use std::path::Path;

use options::{Options, USAGE};
use show::baked::{self, Result};
use show::{Show, device, picture};

fn main() -> Result<()> {
    let options = match options::read(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => return say(USAGE),
        Err(problem) => return Err(format!("{problem}\n{USAGE}").into()),
    };
    let baked = baked::bake(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/target/crowd")))?;
    match &options.headless {
        Some(file) => headless(file, &options, &baked),
        None => window::open(&options, baked),
    }
}

fn headless(file: &Path, options: &Options, baked: &baked::Baked) -> Result<()> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let gpu = device::open(&instance, None)?;
    let mut show = Show::new(&gpu, baked, options.count, picture::FORMAT);
    show.shadows = options.shadows;
    let (pixels, counts) = picture::pixels(&gpu, &show, options.size, options.time)?;
    picture::write(file, &pixels, options.size)?;
    let name = gpu.adapter.get_info().name;
    say(&format!(
        "{}: {} of {} characters, {} triangles, {} draw calls, {} for shadows, on {name}\n",
        file.display(),
        counts.seen,
        counts.actors,
        counts.triangles,
        counts.draws,
        counts.shadow_draws
    ))
}

/// To standard output; a reader who has gone away is no fault.
fn say(text: &str) -> Result<()> {
    use std::io::Write;
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}
