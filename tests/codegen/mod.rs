//! Generated sources compile and say what the metadata says.

use std::collections::BTreeMap;

use vatpipe::codegen::generate;
use vatpipe::metadata::Character;

mod calls;
mod compilers;
mod hlsl;
mod ident;
mod pieces;
mod rust;
mod sample;
mod template;
mod wgsl;

/// The text of one target.
fn text(characters: &[Character], target: &str) -> String {
    let files = generate(characters, &[target.to_owned()], &BTreeMap::new());
    files.unwrap_or_else(|problem| panic!("{problem}")).remove(0).text
}

/// The identifiers of a shader, without comments.
fn identifiers(text: &str) -> Vec<&str> {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or(""));
    let word = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    let words = code.flat_map(move |line| line.split(word));
    words.filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')).collect()
}

/// What holds in every shader: names legal everywhere, ASCII, no built-in vertex index, and no sampler but in functions that
/// say so in their names, which read a level that they name.
fn check_shader(text: &str) {
    assert!(text.is_ascii());
    assert!(text.lines().all(|line| !line.ends_with(['\\', ' '])), "a line ends in a backslash or a space");
    for word in identifiers(text) {
        assert!(!word.contains("__") && !word.starts_with('_') && !word.starts_with("gl_"), "{word}");
        let lower = word.to_ascii_lowercase();
        assert!(!lower.contains("vertex_index") && !lower.contains("sv_vertexid"), "{word}");
    }
    for line in text.lines().filter(|line| !line.contains("_filtered")) {
        for word in identifiers(line) {
            assert!(!word.starts_with("textureSample") && !word.starts_with("Sample"), "{line}");
            assert!(!["sampler", "texture", "textureLod"].contains(&word), "{line}");
        }
    }
    for word in identifiers(text) {
        assert!(!["textureSample", "Sample", "texture"].contains(&word), "{word}");
    }
    assert_eq!(text.matches('{').count(), text.matches('}').count());
}
