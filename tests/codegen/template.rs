//! Templates of a user's own, their errors, and the filters.

use std::collections::{BTreeMap, BTreeSet};

use vatpipe::codegen::{Generated, check, file_names, generate};
use vatpipe::metadata::Character;
use vatpipe::problem::{Place, Result};

use super::sample;

fn templates(list: &[(&str, &str)]) -> BTreeMap<String, String> {
    list.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect()
}

fn render(target: &str, list: &[(&str, &str)]) -> Result<Generated> {
    generate(&[sample::crab(), sample::robot()], &[target.to_owned()], &templates(list))
        .map(|mut files| files.remove(0))
}

#[test]
fn a_target_may_be_overridden_or_added() {
    let overridden = render("wgsl", &[("vat.wgsl", "// {{ characters|length }} {{ target }} {{ file }}\n")]);
    let text = "// 2 wgsl vat.wgsl\n".to_owned();
    assert_eq!(overridden, Ok(Generated { file_name: "vat.wgsl".to_owned(), text }));
    let added = render("json", &[("vat.json", "{{ characters[1].name|json_string }}")]);
    assert_eq!(added, Ok(Generated { file_name: "vat.json".to_owned(), text: "\"robot\"".to_owned() }));
    let named = render("Vat.cs", &[("Vat.cs", "{% for c in characters %}{{ c.camel }} {% endfor %}")]);
    assert_eq!(named, Ok(Generated { file_name: "Vat.cs".to_owned(), text: "Crab Robot ".to_owned() }));
    assert_eq!(file_names("rust", []), ["vat.rs"]);
    assert_eq!(file_names("Vat.cs", []), ["Vat.cs"]);
    assert_eq!(file_names("json", []), ["vat.json"]);
}

/// A target may be a folder of templates; what begins with `_` is only included.
#[test]
fn a_target_may_have_several_files() {
    let list = [
        ("game/b/Two.txt", "{{ file }} {% include \"game/_part.txt\" %}"),
        ("game/One.txt", "{{ target }} {{ characters|length }}"),
        ("game/_part.txt", "part"),
        ("games/Three.txt", "{% if %}"),
    ];
    let files = generate(&[sample::crab()], &["game".to_owned()], &templates(&list)).expect("generated");
    let files: Vec<(&str, &str)> = files.iter().map(|f| (f.file_name.as_str(), f.text.as_str())).collect();
    assert_eq!(files, [("game/One.txt", "game 1"), ("game/b/Two.txt", "game/b/Two.txt part")]);
    // One file is meant where there is one of the target's name.
    let list = [("vat.game", "one"), ("game/Two.txt", "two")];
    assert_eq!(file_names("game", templates(&list).keys()), ["vat.game"]);
    // The built-in files of a folder may be replaced, and others added.
    let list = [("unity/Vat.hlsl", "mine"), ("unity/More.cs", "more")];
    let files = generate(&[], &["unity".to_owned()], &templates(&list)).expect("generated");
    let text = |name: &str| files.iter().find(|f| f.file_name == name).map(|f| f.text.as_str());
    assert_eq!((text("unity/Vat.hlsl"), text("unity/More.cs")), (Some("mine"), Some("more")));
    assert!(text("unity/VatGraph.hlsl").is_some() && text("unity/Editor/VatImporter.cs").is_some());
}

#[test]
fn the_built_in_templates_stay_reachable() {
    let text = "#define_import_path game::vat\n{% include \"vatpipe/vat.wgsl\" %}";
    let extended = render("wgsl", &[("vat.wgsl", text)]).map(|file| file.text);
    let built_in = render("wgsl", &[]).map(|file| file.text);
    assert_eq!(extended, built_in.map(|text| "#define_import_path game::vat\n".to_owned() + &text));
}

/// The folder may hold files that are no templates.
#[test]
fn other_files_are_not_read() {
    let notes = "How we write {{ things }} and {% more things";
    assert_eq!(render("wgsl", &[("README.md", notes)]), render("wgsl", &[]));
}

#[test]
fn order_follows_the_targets() {
    let targets = ["hlsl", "rust"].map(str::to_owned);
    let files = generate(&[sample::crab()], &targets, &BTreeMap::new()).expect("generated");
    assert_eq!(files.iter().map(|file| file.file_name.as_str()).collect::<Vec<_>>(), ["vat.hlsl", "vat.rs"]);
}

#[test]
fn a_target_without_a_template_is_an_error() {
    let problem = render("godot", &[]).expect_err("no template");
    assert_eq!(problem.code, "codegen::target");
    assert!(problem.message.contains("\"godot\""));
    assert!(problem.help.expect("advice").contains("vat.godot"));
}

#[test]
fn targets_are_checked_before_there_are_characters() {
    let targets = ["rust", "godot", "cs"].map(str::to_owned);
    let wrong = templates(&[("vat.cs", "a\n{% if %}"), ("notes.md", "{% if %}")]);
    let problems = check(&targets, &wrong).expect_err("two problems").0;
    let codes: Vec<&str> = problems.iter().map(|problem| problem.code).collect();
    assert_eq!(codes, ["codegen::target", "codegen::template"]);
    assert_eq!(problems[1].place.line_column().map(|(line, _)| line), Some(2));
    assert_eq!(check(&targets[..1], &wrong), Ok(()));
}

#[test]
fn errors_name_template_and_line() {
    let cases = [
        ("line one\n{{ characters[0].nmae }}\n", "undefined"),
        ("line one\n{% for x in characters %}\n", "syntax error"),
        ("line one\n{{ 1e39|f32 }}\n", "has no literal"),
        ("line one\n{{ target|nonsense }}\n", "nonsense"),
        ("line one\n{% include \"missing.txt\" %}\n", "missing.txt"),
    ];
    for (text, what) in cases {
        let problem = render("x", &[("vat.x", text)]).expect_err(text);
        assert_eq!(problem.code, "codegen::template");
        assert!(problem.message.contains("\"vat.x\", line "), "{problem}");
        assert!(problem.message.contains(what), "{problem}");
        let Place::Text { .. } = problem.place else { panic!("{problem} has no place") };
        // An unclosed block is noticed where the text ends.
        let line = problem.place.line_column().expect("a line").0;
        assert!(line == 2 || what == "syntax error", "{problem}");
    }
    let inner = render("x", &[("vat.x", "{% include \"inner\" %}"), ("inner", "\n\n{{ nothing }}")]);
    assert!(inner.expect_err("undefined").message.contains("\"inner\", line 3"));
}

#[test]
fn text_cannot_break_out() {
    let mut crab = sample::crab();
    crab.name = "\"\\ \n*/ /* ` ' \u{8dd1} \u{1f600} ${x}".to_owned();
    let text = "{{ characters[0].name|rust_string }}\n{{ characters[0].name|json_string }}\n{{ characters[0].name|comment }}\n";
    let files =
        generate(&[crab.clone()], &["x".to_owned()], &templates(&[("vat.x", text)])).expect("generated");
    let lines: Vec<&str> = files[0].text.lines().collect();
    assert_eq!(lines[0], r#""\"\\ \n*/ /* ` ' \u{8dd1} \u{1f600} ${x}""#);
    assert_eq!(serde_json::from_str::<String>(lines[1]).ok(), Some(crab.name));
    assert_eq!(lines[2], "\"(U+005C) (U+000A)(U+002A)/ /(U+002A) (U+0060) ' (U+8DD1) (U+1F600) ${x}");
    assert_eq!(lines.len(), 3);
}

#[test]
fn numbers_parse_back() {
    // A simple generator over all bit patterns, and the ends.
    let mut bits = 0x9e37_79b9_u32;
    let mut values =
        vec![0.0, -0.0, f32::MIN_POSITIVE, f32::from_bits(1), f32::MAX, f32::MIN, 0.1, 16_777_216.0];
    while values.len() < 6000 {
        bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        values.extend(Some(f32::from_bits(bits)).filter(|value| value.is_finite()));
    }
    values.resize(6000, 1.0);
    let mut crab = sample::crab();
    crab.clips = (0..1000)
        .map(|i| {
            let mut clip = sample::clip(&format!("c{i}"), false, vec![sample::track(0, 0, 3, 30.0)]);
            clip.ident = format!("C{i}");
            clip.tracks[0].bias = [values[i * 6], values[i * 6 + 1], values[i * 6 + 2]];
            clip.tracks[0].scale = [values[i * 6 + 3], values[i * 6 + 4], values[i * 6 + 5]];
            clip
        })
        .collect();
    let text = "{% for c in characters[0].clips %}{% for v in c.tracks[0].bias + c.tracks[0].scale %}{{ v|f32 }} {{ v }}\n{% endfor %}{% endfor %}";
    let files = generate(&[crab], &["x".to_owned()], &templates(&[("vat.x", text)])).expect("generated");
    assert_eq!(files[0].text.lines().count(), values.len());
    for (line, value) in files[0].text.lines().zip(values) {
        let (literal, plain) = line.split_once(' ').expect("two literals");
        assert_eq!(literal, plain);
        assert!(literal.contains(['.', 'e']), "{literal}");
        assert_eq!(literal.parse::<f32>().map(f32::to_bits), Ok(value.to_bits()));
        assert_eq!(literal.parse::<f64>().map(|double| (double as f32).to_bits()), Ok(value.to_bits()));
    }
}

type Change = fn(&mut Character);

/// Metadata that would become wrong code.
#[test]
fn wrong_metadata_is_an_error() {
    let wrong: [(&str, Change); 11] = [
        ("no clip", |c| c.clips.clear()),
        ("not legal and unique", |c| c.clips[0].ident = "loop".to_owned()),
        ("not legal and unique", |c| c.clips[0].ident = "HIT".to_owned()),
        ("no sheet 7", |c| c.clips[0].tracks[0].sheet = 7),
        ("is empty", |c| c.sheets[0].width = 0),
        ("packed normal", |c| c.sheets[0].format = vatpipe::encode::Format::Rgba8),
        ("guard row", |c| c.clips[0].tracks[0].band_rows = 4),
        ("outside", |c| c.clips[0].tracks[0].first_row = 79),
        ("outside", |c| c.clips[0].tracks[0].layer = 1),
        ("NaN", |c| c.clips[0].tracks[0].bias[1] = f32::NAN),
        ("two tracks", |c| {
            let track = c.clips[0].tracks[0].clone();
            c.clips[0].tracks.push(track);
        }),
    ];
    for (what, change) in wrong {
        let mut crab = sample::crab();
        change(&mut crab);
        let problem = generate(&[crab], &["rust".to_owned()], &BTreeMap::new()).expect_err(what);
        assert_eq!(problem.code, "codegen::metadata");
        assert!(problem.message.contains(what), "{problem}");
    }
}

/// `docs/shaders.md` names every variable that a template sees.
#[test]
fn variables_are_documented() {
    let walk = "{% macro walk(path, value) %}{% if value is mapping %}{% for key in value %}{{ walk(path ~ '.' ~ key, value[key]) }}{% endfor %}\
                {% elif value is sequence %}{% for inner in value %}{{ walk(path ~ '[]', inner) }}{% endfor %}{% else %}{{ path }}\n{% endif %}{% endmacro %}\
                {{ walk('target', target) }}{{ walk('file', file) }}{{ walk('characters', characters) }}";
    let files =
        generate(&sample::all(), &["x".to_owned()], &templates(&[("vat.x", walk)])).expect("generated");
    let paths: BTreeSet<&str> = files[0].text.lines().collect();
    assert!(paths.contains("characters[].clips[].tracks[].bias[]"), "{paths:?}");
    assert!(paths.len() > 60);
    let docs = include_str!("../../docs/shaders.md");
    for path in paths {
        for key in path.split(['.', '[', ']']).filter(|key| !key.is_empty()) {
            assert!(docs.contains(&format!("`{key}`")), "docs/shaders.md does not name `{key}` of {path}");
        }
    }
}
