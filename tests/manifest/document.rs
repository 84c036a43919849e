//! `docs/manifest.md` describes the keys as the table has them.

use std::fmt::Write;

use vatpipe::manifest::FORMATS;
use vatpipe::manifest::keys::{KEYS, Key, Kind, Section};

const START: &str = "<!-- from the table of keys: -->\n";
const END: &str = "<!-- : from the table of keys -->\n";

fn keys() -> String {
    let mut text = String::new();
    for key in KEYS {
        let headers: Vec<String> = key.sections.iter().map(|s| place(*s)).collect();
        write!(text, "\n### `{}`\n\n{}\n\n", key.name, key.doc).unwrap();
        writeln!(text, "- stands in: {}", headers.join(", ")).unwrap();
        writeln!(text, "- value: {}", key.kind.says()).unwrap();
        writeln!(text, "- default: {}", default(key)).unwrap();
        match key.kind {
            Kind::Table(_) | Kind::Tables(_) => writeln!(text, "- example: `{}`", key.example).unwrap(),
            _ => writeln!(text, "- example: `{} = {}`", key.name, key.example).unwrap(),
        }
    }
    text.push_str("\n### Formats\n\n| format | for |\n|---|---|\n");
    for format in FORMATS {
        writeln!(text, "| `{}` | {} |", format.name, format.doc).unwrap();
    }
    text.push('\n');
    text
}

fn place(section: Section) -> String {
    if section == Section::Root { section.header().to_owned() } else { format!("`{}`", section.header()) }
}

fn default(key: &Key) -> String {
    match (key.default, key.absent) {
        (Some(default), _) => format!("`{default}`"),
        (None, "") => "none".to_owned(),
        (None, absent) => absent.to_owned(),
    }
}

/// Run with `VATPIPE_WRITE_DOCS=1` to write what is missing.
#[test]
fn the_guide_lists_all_keys() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/manifest.md");
    let guide = std::fs::read_to_string(path).unwrap();
    let (before, rest) = guide.split_once(START).expect("the start of the keys");
    let (_, after) = rest.split_once(END).expect("the end of the keys");
    let right = format!("{before}{START}{}{END}{after}", keys());
    if std::env::var_os("VATPIPE_WRITE_DOCS").is_some() {
        std::fs::write(path, &right).unwrap();
    } else {
        assert!(guide == right, "docs/manifest.md is out of date: run this test with VATPIPE_WRITE_DOCS=1");
    }
}

/// Every example of the guide loads.
#[test]
fn the_examples_of_the_guide_are_right() {
    let guide = include_str!("../../docs/manifest.md");
    let examples: Vec<&str> =
        guide.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(examples.len() >= 3);
    for example in examples {
        super::loaded(example);
    }
}
