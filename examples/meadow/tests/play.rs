//! The game without a window: it draws, and what a build changes reaches it while it runs.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Pixels.
const SIZE: (usize, usize) = (320, 180);

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        drop(std::fs::remove_dir_all(&path));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// The game, for one small picture.
fn game(folder: &Folder, file: &str) -> Command {
    let mut game = Command::new(env!("CARGO_BIN_EXE_meadow"));
    game.args(["--size", "320x180", "--headless"]).arg(folder.path(file));
    game.args(["--watch".as_ref(), folder.path("out").as_os_str()]);
    game
}

/// Runs `vatpipe build` in a folder: the program that the build script has used.
fn build(folder: &Folder) {
    let beside = Path::new(env!("CARGO_BIN_EXE_meadow")).with_file_name("vatpipe");
    let program = std::env::var_os("VATPIPE").map_or(beside, PathBuf::from);
    let mut vatpipe = Command::new(&program);
    vatpipe.current_dir(&folder.0).args(["build", "--quiet"]).env("VATPIPE_CACHE_DIR", folder.path("cache"));
    let output = vatpipe.output().unwrap_or_else(|e| panic!("{}: {e}", program.display()));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The pixels of a picture, four bytes each.
fn pixels(path: &Path) -> Vec<[u8; 4]> {
    let file = BufReader::new(std::fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut bytes).unwrap();
    assert_eq!(bytes.len(), SIZE.0 * SIZE.1 * 4);
    bytes.as_chunks().0.to_vec()
}

/// The share of pixels that a question is true of.
fn share(pixels: &[[u8; 4]], is: impl Fn(&[u8; 4]) -> bool) -> f64 {
    pixels.iter().filter(|pixel| is(pixel)).count() as f64 / pixels.len() as f64
}

/// Nothing of the game is violet.
fn is_violet(&[r, g, b, _]: &[u8; 4]) -> bool {
    b > r && r > 40 && u32::from(r) > 2 * u32::from(g)
}

/// The manifest and the models of the game, in a folder of their own.
fn project(folder: &Folder) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(here.join("vat.toml")).unwrap();
    let text = text.replace("../characters/models/", "").replace("\"assets/vat\"", "\"out\"");
    std::fs::write(folder.path("vat.toml"), text).unwrap();
    for name in ["dragon", "kettle", "pennant"] {
        let file = format!("{name}.glb");
        std::fs::copy(here.join("../characters/models").join(&file), folder.path(&file)).unwrap();
    }
}

/// A save of the artist's: all surfaces of a model become violet, and it is baked at another rate, so that rows and numbers
/// of clips are others.
fn repaint(folder: &Folder) {
    let file = std::fs::read(folder.path("dragon.glb")).unwrap();
    let length = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    let text = std::str::from_utf8(&file[20..20 + length]).unwrap();
    let mut painted = String::new();
    let mut rest = text;
    let mut surfaces = 0;
    while let Some(at) = rest.find("\"baseColorFactor\":[") {
        let end = at + rest[at..].find(']').unwrap();
        painted += &rest[..at];
        painted += "\"baseColorFactor\":[0.3,0,0.9,1";
        rest = &rest[end..];
        surfaces += 1;
    }
    assert!(surfaces > 0, "the model has colours");
    painted += rest.trim_end();
    let json = format!("{painted:<width$}", width = painted.len().next_multiple_of(4));
    let words = [2, 12 + 8 + json.len() as u32 + (file.len() - 20 - length) as u32, json.len() as u32];
    let head = words.into_iter().flat_map(u32::to_le_bytes);
    let bytes: Vec<u8> = b"glTF".iter().copied().chain(head).chain(*b"JSON").chain(json.bytes()).collect();
    std::fs::write(folder.path("dragon.glb"), [&bytes[..], &file[20 + length..]].concat()).unwrap();
    let manifest = folder.path("vat.toml");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(
        &manifest,
        text.replacen("\nclips = [\"Idle\", \"Walk\"]", "\nclips = [\"Walk\", \"Idle\"]\nfps = 12", 1),
    )
    .unwrap();
}

#[test]
fn it_draws_a_crowd() {
    let folder = Folder::new("draws");
    let output = game(&folder, "a.png").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let picture = pixels(&folder.path("a.png"));
    let sky = share(&picture, |&[r, g, b, _]| b > 200 && b >= g && g > r);
    let green = share(&picture, |&[r, g, b, _]| g > r && g > b);
    assert!(sky > 0.1 && green > 0.25 && sky + green < 0.97, "{sky} of it is sky, and {green} grass");
    assert!(share(&picture, is_violet) < 0.01);
}

#[test]
fn what_a_build_changes_reaches_it() {
    let folder = Folder::new("reload");
    project(&folder);
    build(&folder);
    let mut game = game(&folder, "before.png");
    let mut game = game.arg("--then").arg(folder.path("after.png")).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(game.stdout.take().unwrap()).lines().map(|line| line.unwrap());
    assert!(lines.next().unwrap().contains("before.png"));
    // Now it waits.
    repaint(&folder);
    build(&folder);
    assert_eq!(lines.next().unwrap(), "new: dragon");
    assert!(lines.next().unwrap().contains("after.png"));
    assert!(game.wait().unwrap().success());
    let (before, after) = (pixels(&folder.path("before.png")), pixels(&folder.path("after.png")));
    let violet = share(&after, is_violet);
    assert!(share(&before, is_violet) < 0.01 && violet > 0.02, "{violet} of it is violet");
    // What is not a dragon stays as it was.
    let changed = before.iter().zip(&after).filter(|(a, b)| a != b).count() as f64 / before.len() as f64;
    assert!(changed < 0.4, "{changed} of it is another");
}
