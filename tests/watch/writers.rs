//! Programs that write under the final name, slowly.

use std::fs::{self, File};
use std::io::Write;
use std::time::Duration;

use super::{Heard, Project, Watched, baked, changed, failures, model, patient};

/// Between two pieces: not waited for, but long enough for a look at what is there.
const PAUSE: Duration = Duration::from_millis(40);

/// Blender: one file, some eight pieces, the header with the whole length first.
fn write_as_blender(watched: &Watched, name: &str, bytes: &[u8]) {
    let mut file = File::create(watched.path(name)).unwrap();
    for piece in bytes.chunks(bytes.len().div_ceil(8)) {
        file.write_all(piece).unwrap();
        file.flush().unwrap();
        std::thread::sleep(PAUSE);
    }
}

#[test]
fn half_of_an_export_is_never_baked() {
    let mut watched = Watched::start(Project::new(), patient());
    for to in [3.0, 4.0] {
        write_as_blender(&watched, "art/a.glb", &model(2, to).glb());
        let round = watched.round();
        assert!(round.iter().any(|heard| matches!(heard, Heard::Unfinished(..))), "{round:?}");
        assert_eq!((baked(&round), failures(&round)), (vec!["a.clip1".to_owned()], 0), "{round:?}");
        assert_eq!(changed(&round), [["a.glb"]]);
    }
    // An optimiser that writes the file once more: the last bytes are those that count.
    write_as_blender(&watched, "art/a.glb", &model(2, 5.0).glb());
    write_as_blender(&watched, "art/a.glb", &model(3, 6.0).glb());
    watched.until(|heard| *heard == Heard::Baked("a".to_owned(), "clip2".to_owned()));
    watched.round();
    let project = watched.end();
    let out = project.outputs();
    fs::remove_dir_all(project.path("out")).unwrap();
    fs::remove_dir_all(project.path("cache")).unwrap();
    let again = Watched::start(project, patient()).end();
    assert!(out == again.outputs(), "the outputs are those of a clean build of the last bytes");
}

fn split(project: &Project) {
    let text = fs::read_to_string(project.path("vat.toml")).unwrap();
    project.put("vat.toml", text.replace("art/a.glb", "art/a.gltf").as_bytes());
    let (json, bin) = parts(1.0);
    project.put("art/a.gltf", &json);
    project.put("art/a.bin", &bin);
}

/// A document and its buffer. A longer clip for a larger number.
fn parts(to: f32) -> (Vec<u8>, Vec<u8>) {
    let mut model = model(2, to);
    // So that each has another length.
    model.view(&vec![0; to as usize * 64]);
    (model.external("a.bin"), model.bin)
}

/// Case 14, and the other way round.
#[test]
fn a_document_and_its_buffer_come_in_any_order() {
    let project = Project::new();
    split(&project);
    let mut watched = Watched::start(project, patient());
    // The document, then the old buffer, then half of the new one, then all of it.
    let (json, bin) = parts(5.0);
    fs::write(watched.path("art/a.gltf"), &json).unwrap();
    let told = watched.until(|heard| matches!(heard, Heard::Unfinished(..)));
    assert!(matches!(&told[..], [Heard::Unfinished(path, _)] if path.ends_with("a.gltf")), "{told:?}");
    fs::write(watched.path("art/a.bin"), &bin[..bin.len() / 2]).unwrap();
    watched.until(|heard| matches!(heard, Heard::Unfinished(path, _) if path.ends_with("a.bin")));
    fs::write(watched.path("art/a.bin"), &bin).unwrap();
    let round = watched.round();
    assert_eq!((baked(&round), failures(&round)), (vec!["a.clip1".to_owned()], 0), "{round:?}");
    assert_eq!(changed(&round), [["a.bin", "a.gltf"]]);
    // As Blender does it: the buffer first, and it is longer than the old document says.
    let (json, bin) = parts(9.0);
    fs::write(watched.path("art/a.bin"), &bin).unwrap();
    watched.until(|heard| matches!(heard, Heard::Unfinished(path, _) if path.ends_with("a.bin")));
    fs::write(watched.path("art/a.gltf"), &json).unwrap();
    let round = watched.round();
    assert_eq!((baked(&round), failures(&round)), (vec!["a.clip1".to_owned()], 0), "{round:?}");
    // The buffer alone.
    let mut other = bin.clone();
    let end = other.len() - 9 * 64 - 12;
    other[end..end + 4].copy_from_slice(&12.0_f32.to_le_bytes());
    fs::write(watched.path("art/a.bin"), &other).unwrap();
    let round = watched.round();
    assert_eq!((changed(&round), failures(&round)), (vec![vec!["a.bin".to_owned()]], 0), "{round:?}");
    assert_eq!(baked(&round), ["a.clip1"]);
}

/// An editor that empties the file before it writes.
#[test]
fn an_empty_manifest_is_not_read() {
    let mut watched = Watched::start(Project::new(), patient());
    let text = fs::read_to_string(watched.path("vat.toml")).unwrap();
    let mut file = File::create(watched.path("vat.toml")).unwrap();
    watched.until(|heard| matches!(heard, Heard::Unfinished(..)));
    file.write_all(text.replace("fps = 10", "fps = 5").as_bytes()).unwrap();
    drop(file);
    let round = watched.round();
    // One of the two clips is the same in both.
    assert_eq!(baked(&round).len(), 3, "{round:?}");
    assert!(!round.iter().any(|heard| matches!(heard, Heard::Problem(..))), "{round:?}");
}
