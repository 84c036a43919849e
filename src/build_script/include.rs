//! The text that a game includes: constants, and what else makes them useful.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Textures;

/// Names of files by character.
pub type Files = BTreeMap<String, Vec<String>>;

const ATTRIBUTES: &str = "#[allow(dead_code, unreachable_pub, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]\n#[rustfmt::skip]\n";

/// The whole text. `name` is that of the folder in `OUT_DIR` that `files` and the other `constants` lie in.
pub fn text(rust: &str, name: &str, constants: &[String], files: &Files, textures: Textures) -> String {
    let mut text = rust.trim_end().to_owned();
    text.push('\n');
    constants.iter().for_each(|file| shader(&mut text, name, file));
    match textures {
        Textures::Embedded => embedded(&mut text, name, files),
        Textures::Files => folder(&mut text, name),
        Textures::Elsewhere => {}
    }
    text
}

// Writing to a text does not fail.

/// `vat.wgsl` as `WGSL`.
fn shader(text: &mut String, name: &str, file: &str) {
    // Targets that are folders are for others.
    let Some(kind) = file.strip_prefix("vat.") else { return };
    if kind != "rs"
        && kind.starts_with(|c: char| c.is_ascii_alphabetic())
        && kind.chars().all(|c| c.is_ascii_alphanumeric())
    {
        let constant = kind.to_ascii_uppercase();
        let from = format!("{name}/{file}");
        let _ = write!(
            text,
            "\n/// The text of `{file}`.\n{ATTRIBUTES}pub const {constant}: &str = include_str!({from:?});\n"
        );
    }
}

/// The bytes of all files, by name. Paths are relative to the file that the text lies in, whatever the folder is called.
fn embedded(text: &mut String, name: &str, files: &Files) {
    let _ = write!(
        text,
        "\n/// The bytes of a file of a character, by the names that the constants give them: the mesh, the sheets, and the\n\
         /// metadata, which is called as the character with `.vat.json`.\n{ATTRIBUTES}\
         pub fn file(character: &str, file: &str) -> Option<&'static [u8]> {{\n    match (character, file) {{\n"
    );
    for (character, files) in files {
        for file in files {
            let path = format!("{name}/{character}/{file}");
            let _ = writeln!(text, "        ({character:?}, {file:?}) => Some(include_bytes!({path:?})),");
        }
    }
    text.push_str("        _ => None,\n    }\n}\n");
}

/// The folder of all files.
fn folder(text: &mut String, name: &str) {
    let below = format!("/{name}");
    let _ = write!(
        text,
        "\n/// The folder with one folder for each character, on the machine that compiled this.\n{ATTRIBUTES}\
         pub const FOLDER: &str = concat!(env!(\"OUT_DIR\"), {below:?});\n"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shaders_and_bytes_are_named() {
        let files = Files::from([("a \u{e4}".to_owned(), vec!["a \u{e4}.glb".to_owned()])]);
        let constants = ["vat.rs", "vat.wgsl", "other.txt", "vat.a-b", "unity/vat.hlsl"].map(str::to_owned);
        let text = text("// rust\n\n", "vat", &constants, &files, Textures::Embedded);
        assert!(text.starts_with("// rust\n\n/// The text"));
        assert!(text.contains("pub const WGSL: &str = include_str!(\"vat/vat.wgsl\");"));
        assert!(
            !text.contains("other")
                && !text.contains("HLSL")
                && !text.contains("const RS")
                && !text.contains("a-b")
        );
        assert!(text.contains(
            "(\"a \u{e4}\", \"a \u{e4}.glb\") => Some(include_bytes!(\"vat/a \u{e4}/a \u{e4}.glb\")),"
        ));
    }

    #[test]
    fn files_elsewhere_leave_the_constants_alone() {
        let text = |textures| text("// rust\n", "vat", &[], &Files::new(), textures);
        assert_eq!(text(Textures::Elsewhere), "// rust\n");
        assert!(text(Textures::Files).contains("concat!(env!(\"OUT_DIR\"), \"/vat\")"));
    }
}
