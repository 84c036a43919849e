//! Writes the example characters: `cargo run --release --example characters [-- OUT_DIR]`.

mod generate;

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let committed = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/characters/models");
    let folder = std::env::args_os().nth(1).map_or_else(|| PathBuf::from(committed), PathBuf::from);
    std::fs::create_dir_all(&folder)?;
    for (name, bytes) in generate::models() {
        std::fs::write(folder.join(name), bytes)?;
    }
    Ok(())
}
