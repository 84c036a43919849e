//! The JSON Schema accepts what the loader accepts, and refuses what it refuses.

use std::path::Path;

use jsonschema::Validator;
use serde_json::Value;
use vatpipe::manifest::keys::{KEYS, Kind, Section};
use vatpipe::manifest::{load, schema};

fn validator() -> Validator {
    jsonschema::draft202012::new(&schema()).expect("a schema that is right itself")
}

/// A manifest as an editor hands it to a validator. Numbers that JSON lacks become `null`.
fn json(text: &str) -> Value {
    let table: toml::Table = text.parse().unwrap();
    serde_json::to_value(table).unwrap()
}

/// A manifest with one key set in one section.
fn with(section: Section, key: &str, value: &str) -> String {
    // What is to be decided needs a budget, which a schema cannot say: it may stand in another table.
    let budget = matches!((key, value), ("fps" | "format", "\"auto\"")).then_some("max_error = \"1mm\"");
    let comma = if section == Section::Lod { ", " } else { "\n" };
    let line = format!("{key} = {value}{}", budget.map_or(String::new(), |budget| comma.to_owned() + budget));
    let character = "[characters.a]\nsource = \"a.glb\"\n";
    // `source` of a character is there already.
    let line = if section == Section::Character && key == "source" { String::new() } else { line };
    match section {
        Section::Root => format!("{line}\n{character}"),
        Section::Output => format!("[output]\n{line}\n{character}"),
        Section::Cache => format!("[cache]\n{line}\n{character}"),
        Section::Defaults => format!("[defaults]\n{line}\n{character}"),
        Section::Character => format!("{character}{line}\n"),
        Section::Clip => format!("{character}[characters.a.clip.walk]\n{line}\n"),
        // Each level says how fine it is.
        Section::Lod if ["ratio", "triangles", "error"].contains(&key) => {
            format!("{character}lods = [{{ {line} }}]\n")
        }
        Section::Lod => format!("{character}lods = [{{ ratio = 0.5, {line} }}]\n"),
    }
}

#[test]
fn the_schema_is_one() {
    jsonschema::meta::validate(&schema()).expect("draft 2020-12");
}

/// Validators in Python know no classes of Unicode properties.
#[test]
fn patterns_are_read_everywhere() {
    let text = schema().to_string();
    assert!(text.contains("\"pattern\"") && !text.contains("\\\\p") && !text.contains("\\\\P"), "{text}");
}

#[test]
fn both_accept_each_key_where_it_may_stand_and_nowhere_else() {
    let validator = validator();
    for key in KEYS.iter().filter(|key| !matches!(key.kind, Kind::Table(_) | Kind::Tables(_))) {
        for section in Section::ALL {
            let text = with(section, key.name, key.example);
            let allowed = section.keys().any(|known| known.name == key.name);
            assert_eq!(load(&text, Path::new("vat.toml")).is_ok(), allowed, "loader:\n{text}");
            assert_eq!(validator.is_valid(&json(&text)), allowed, "schema:\n{text}");
        }
    }
    let nowhere = ["lod", "axes", "mode", "cache", "name", "FPS", ""];
    for (key, section) in nowhere.iter().flat_map(|key| Section::ALL.map(|section| (key, section))) {
        let text = with(section, &format!("{key:?}"), "1");
        assert!(load(&text, Path::new("vat.toml")).is_err(), "loader:\n{text}");
        assert!(!validator.is_valid(&json(&text)), "schema:\n{text}");
    }
}

#[test]
fn both_agree_on_values() {
    let validator = validator();
    let values = [
        "true",
        "false",
        "0",
        "1",
        "3",
        "22",
        "23",
        "24.5",
        "256",
        "1000",
        "1000.5",
        "16384",
        "16385",
        "-1",
        "1e10",
        "nan",
        "inf",
        "\"\"",
        "\"all\"",
        "\"auto\"",
        "\"none\"",
        "\"sheet\"",
        "\"rgba8\"",
        "\"rgba8_srgb\"",
        "\"rg8\"",
        "\"bc7\"",
        "\"1s\"",
        "\"art/a b.glb\"",
        "'art\\a.glb'",
        "\"a\\u0001\"",
        "\"10GiB\"",
        "\"10 MB \"",
        "\"0GB\"",
        "\"007d\"",
        "\"1000000w\"",
        "\"12h\"",
        "\"1.5d\"",
        "\"90\"",
        "\"1mm\"",
        "\"0.5 % \"",
        "\"2.50cm\"",
        "\"0.0mm\"",
        "\"1.mm\"",
        "\".5mm\"",
        "\"1e3mm\"",
        "\"1km\"",
        "\"1.5\"",
        "\"1234567890123mm\"",
        "180",
        "\"9KB\"",
        "[]",
        "[\"rust\"]",
        "[\"rust\", \"rust\"]",
        "[\"metal\"]",
        "[\"a\", 0]",
        "[\"a\", \"a\"]",
        "[-1]",
        "[0.5]",
        "[\"\"]",
        "[\"0s\", \"1s\"]",
        "[\"0ms\", \"1.5 ms\"]",
        "[\"0\", \"1s\"]",
        "[0, 1]",
        "[\"0s\", \"1s\", \"2s\"]",
        "[\"0s\", \"1m\"]",
        "[\".5s\", \"1s\"]",
        "{}",
        "2026-01-01",
    ];
    let mut refused = 0;
    for key in KEYS.iter().filter(|key| !matches!(key.kind, Kind::Table(_) | Kind::Tables(_))) {
        for (section, value) in key.sections.iter().flat_map(|s| values.iter().map(move |v| (*s, *v))) {
            let mut text = with(section, key.name, value);
            if (section, key.name) == (Section::Character, "source") {
                text = format!("[characters.a]\nsource = {value}\n");
            }
            // A date is a table to serde and a string to TOML: no JSON stands for it.
            let accepted = load(&text, Path::new("vat.toml")).is_ok();
            assert_eq!(validator.is_valid(&json(&text)), accepted, "{text}");
            refused += usize::from(!accepted);
        }
    }
    assert!(refused > 1000, "only {refused} were refused");
}

#[test]
fn both_agree_on_whole_manifests() {
    let validator = validator();
    let a = "source = \"a.glb\"";
    for (text, right) in [
        (String::new(), false),
        ("characters = {}".into(), false),
        ("characters = 3".into(), false),
        (format!("[characters]\n{a}"), false),
        ("[characters.a]\nfps = 3".into(), false),
        (format!("[characters.a]\n{a}"), true),
        (format!("[characters.\"a/b\"]\n{a}"), false),
        (format!("[characters.\"a \"]\n{a}"), false),
        (format!("[characters.\".a\"]\n{a}"), false),
        (format!("[characters.\"\"]\n{a}"), false),
        (format!("[characters.\"Größe 跑-2\"]\n{a}"), true),
        (format!("[characters.\"½ª²µ々\"]\n{a}"), true),
        (format!("[characters.\"a×b\"]\n{a}"), false),
        (format!("[characters.\"a\u{202e}b\"]\n{a}"), false),
        (format!("[characters.\"a^`b\"]\n{a}"), false),
        (format!("[characters.a]\n{a}\nclip.\"a\\u0085b\" = {{}}"), false),
        (format!("[characters.{}]\n{a}", "x".repeat(65)), false),
        (format!("[characters.a]\n{a}\nclip = 3"), false),
        (format!("[characters.a]\n{a}\nclip = {{}}"), true),
        (format!("[characters.a]\n{a}\nclip.\"\" = {{}}"), false),
        (format!("[characters.a]\n{a}\nclip.\"a/b\\\\|c\" = {{}}"), true),
        (format!("[characters.a]\n{a}\nclip.w = {{ range = [\"0s\", \"1s\"], trim = true }}"), false),
        (format!("[characters.a]\n{a}\nclip.w = {{ range = [\"0s\", \"1s\"], trim = false }}"), true),
        (format!("[output]\ntargets = [\"unreal\"]\n[characters.a]\n{a}"), false),
        (format!("[output]\ntargets = [\"unreal\"]\ntemplates = \"t\"\n[characters.a]\n{a}"), true),
        (format!("[output]\ntargets = []\n[characters.a]\n{a}"), true),
    ] {
        assert_eq!(load(&text, Path::new("vat.toml")).is_ok(), right, "loader:\n{text}");
        assert_eq!(validator.is_valid(&json(&text)), right, "schema:\n{text}");
    }
}

#[test]
fn editors_are_told_what_keys_mean() {
    let schema = schema();
    let fps = &schema["$defs"]["clip"]["properties"]["fps"];
    assert_eq!(fps["default"], 30);
    assert_eq!(fps["examples"][0], 24);
    assert!(fps["description"].as_str().unwrap().starts_with("Frames per second"));
    for key in KEYS {
        assert!(key.doc.ends_with('.') && !key.doc.contains("  "), "{}: {}", key.name, key.doc);
    }
}
