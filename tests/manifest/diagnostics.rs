//! What is said of a manifest that is wrong: code, line, column, and what to do.

use std::path::Path;

use vatpipe::manifest::load;
use vatpipe::problem::{Problem, Severity};

/// All problems of a manifest that is wrong.
pub fn problems(text: &str) -> Vec<Problem> {
    match load(text, Path::new("vat.toml")) {
        Ok(_) => panic!("this should be wrong:\n{text}"),
        Err(problems) => problems.0,
    }
}

/// The one problem of a manifest: its code, line and column, message and help.
fn only(text: &str) -> (&'static str, (usize, usize), String, String) {
    let problems = problems(text);
    let [problem] = problems.as_slice() else { panic!("one problem, not {problems:#?}") };
    assert_eq!(problem.severity, Severity::Error);
    assert!(!problem.message.ends_with('.'), "{}", problem.message);
    let help = problem.help.clone().expect("advice");
    (problem.code, problem.place.line_column().expect("a place"), problem.message.clone(), help)
}

/// A character called `a` with more lines; the first of them is line 3.
fn character(lines: &str) -> String {
    format!("[characters.a]\nsource = \"a.glb\"\n{lines}\n")
}

/// Checks one wrong line of a character: code, column, and parts of the message and the help.
fn check(line: &str, code: &str, column: usize, message: &str, help: &str) {
    let found = only(&character(line));
    assert_eq!((found.0, found.1), (code, (3, column)), "{line}: {found:?}");
    assert!(found.2.contains(message), "{line}: {}", found.2);
    assert!(found.3.contains(help), "{line}: {}", found.3);
}

/// Runner-up 9: a misspelt key is no longer ignored.
#[test]
fn unknown_keys_draw_the_nearest_key() {
    let unknown = "manifest::unknown-key";
    // What people meant, from a slip of the finger or from the words of other tools.
    check("frame_rat = 30", unknown, 1, "`frame_rat`", "did you mean `fps`?");
    check("frame-rate = 30", unknown, 1, "`frame-rate`", "did you mean `fps`?");
    check("fsp = 30", unknown, 1, "`fsp`", "did you mean `fps`?");
    check("rate = 30", unknown, 1, "`rate`", "did you mean `fps`?");
    check("Loop = true", unknown, 1, "`Loop`", "did you mean `loop`?");
    check("looping = true", unknown, 1, "`looping`", "did you mean `loop`?");
    check("animations = \"all\"", unknown, 1, "`animations`", "did you mean `clips`?");
    check("formt = \"rgba8\"", unknown, 1, "`formt`", "did you mean `format`?");
    check("clip.walk.framerate = 3", unknown, 11, "[characters.NAME.clip.CLIP]", "did you mean `fps`?");
    check("range = [\"0s\", \"1s\"]", unknown, 1, "`range`", "belongs in `[characters.NAME.clip.CLIP]`");
    check(
        "clip.walk.max_texture = 512",
        unknown,
        11,
        "`max_texture`",
        "`[defaults]` and `[characters.NAME]`",
    );
    // Nothing is near: the keys there are.
    check("xyzzy = 1", unknown, 1, "`xyzzy`", "the keys here are `source`, `scene`, `clips`");
    check("levels = [{ ratio = 1.0 }]", unknown, 1, "`levels`", "did you mean `lods`?");
    check("lods = [{ ratio = 0.5, fsp = 15 }]", unknown, 24, "`fsp`", "did you mean `fps`?");
    let found = only("[output]\nfolder = \"x\"\n[characters.a]\nsource = \"a.glb\"");
    assert_eq!((found.0, found.1), (unknown, (2, 1)));
    assert!(found.3.contains("did you mean `dir`?"), "{}", found.3);
    let found = only("[character.b]\n[characters.a]\nsource = \"a.glb\"");
    assert_eq!((found.0, found.1), (unknown, (1, 2)));
    assert!(found.3.contains("did you mean `characters`?"), "{}", found.3);
}

#[test]
fn wrong_types_name_both_types() {
    let wrong = "manifest::type";
    check("fps = \"30\"", wrong, 7, "at most 1000, or `\"auto\"`, not a string", "`fps = 24`");
    check("loop = 1", wrong, 8, "`true` or `false`, not an integer", "`loop = true`");
    check("relative = 1.5", wrong, 12, "`\"auto\"`, not a floating-point number", "relative");
    check("format = true", wrong, 10, "not a boolean", "`format = \"rgba16f\"`");
    check("normals = []", wrong, 11, "not a list", "normals");
    check("max_texture = 512.0", wrong, 15, "an integer from 256 to 16384", "4096");
    check("zstd = \"max\"", wrong, 8, "a level from 1 to 22", "19");
    check("scene = 1.0", wrong, 9, "a position (an integer from 0)", "scene");
    check("clips = 3", wrong, 9, "a list of names and positions", "clips");
    check("clips = [\"a\", 1.5]", wrong, 15, "not a floating-point number", "clips");
    check("clip = \"walk\"", wrong, 8, "`clip` must be a table", "[characters.NAME.clip.CLIP]");
    check("clip.loop = true", wrong, 13, "`loop` in `clip` must be a table", "belongs in a table of its own");
    check("clip.walk.range = \"1s\"", wrong, 19, "a list of two times", "[\"0.2s\", \"1.4s\"]");
    check("clip.walk.range = [true, \"1s\"]", wrong, 20, "not a boolean", "range");
    check("fps = 2026-01-01", wrong, 7, "not a date", "fps");
    let found = only("characters = 3");
    assert_eq!((found.0, found.1), (wrong, (1, 14)));
    let found = only("output = 3\n[characters.a]\nsource = \"a.glb\"");
    assert_eq!((found.0, found.1), (wrong, (1, 10)));
    let found = only("[characters]\nsource = \"crab.glb\"");
    assert_eq!((found.0, found.1), (wrong, (2, 10)));
    assert!(found.3.contains("`source` belongs in a table of its own, `[characters.NAME]`"), "{}", found.3);
}

/// Case 52: absurd rates.
#[test]
fn numbers_out_of_range() {
    let range = "manifest::range";
    for (fps, says) in [
        ("0", "0"),
        ("-0.0", "-0"),
        ("-24", "-24"),
        ("nan", "NaN"),
        ("-nan", "NaN"),
        ("inf", "inf"),
        ("1e9", "1000000000"),
        ("1001", "1001"),
        ("1000.0000001", "1000.0000001"),
        ("99999999999999999999999", "inf"),
    ] {
        check(&format!("fps = {fps}"), range, 7, &format!("`fps` is {says}"), "fps");
    }
    check("max_texture = 255", range, 15, "is 255, and must be an integer from 256 to 16384", "4096");
    check("max_texture = 16385", range, 15, "is 16385", "4096");
}

#[test]
fn times_need_units() {
    let unit = "manifest::unit";
    let range = |times: &str| format!("clip.a.range = {times}");
    check(&range("[0.2, \"1.4s\"]"), unit, 17, "the time 0.2 has no unit", "write `\"0.2s\"`");
    check(&range("[\"0s\", 2]"), unit, 23, "the time 2 has no unit", "write `\"2s\"`");
    check(&range("[\"0.2\", \"1.4s\"]"), unit, 17, "the time 0.2 has no unit", "write `\"0.2s\"`");
    check(&range("[\"0.2sec\", \"1.4s\"]"), unit, 17, "no unit `sec`", "did you mean `s`?");
    check(&range("[\"0s\", \"200msecs\"]"), unit, 23, "no unit `msecs`", "did you mean `ms`?");
    check(&range("[\"0s\", \"30f\"]"), unit, 23, "no unit `f`", "The units are `s` and `ms`");
    check(&range("[\"0s\", \"1e3s\"]"), unit, 23, "no unit `e3s`", "The units are");
    let value = "manifest::value";
    check(&range("[\"s\", \"1s\"]"), value, 17, "\"s\" is not a time", "range");
    check(&range("[\"-1s\", \"1s\"]"), value, 17, "\"-1s\" is not a time", "range");
    check(&range("[\"1.s\", \"2s\"]"), value, 17, "\"1.s\" is not a time", "range");
    check(&range("[\"1s\"]"), value, 16, "must be two times, not 1", "range");
    check(&range("[\"2s\", \"500ms\"]"), "manifest::range", 16, "ends at 0.5 s", "the earlier time first");
    check(&range("[\"1s\", \"1s\"]"), "manifest::range", 16, "not after its start", "the earlier time first");
}

/// Case 4: texels are never colours.
#[test]
fn formats_hold_data_not_colour() {
    let value = "manifest::value";
    for srgb in ["rgba8_srgb", "RGBA8_UNORM_SRGB", "rgba8srgb", "bc7_srgb"] {
        check(&format!("format = \"{srgb}\""), value, 10, "positions are data", "sRGB curve");
    }
    check("format = \"rg8\"", value, 10, "two channels", "`rgba16ui`");
    check("format = \"rgba16u\"", value, 10, "no format \"rgba16u\"", "did you mean `\"rgba16ui\"`?");
    check("format = \"RGBA8\"", value, 10, "no format \"RGBA8\"", "did you mean `\"rgba8\"`?");
    for unknown in ["etc2", "dxt5"] {
        let all = "ormats are `rgba16ui`, `rgba16`, `rgba16f`, `rgba32f`, `rgb10a2`, `rgba8`, ";
        check(&format!("format = \"{unknown}\""), value, 10, "there is no format", all);
    }
}

#[test]
fn lengths_need_units() {
    let (unit, value) = ("manifest::unit", "manifest::value");
    check("max_error = 1", unit, 13, "the length 1 has no unit", "write `\"1mm\"`");
    check("max_error = 0.5", unit, 13, "the length 0.5 has no unit", "of the clip's bounds");
    check("max_error = \"2\"", unit, 13, "the length 2 has no unit", "`max_error = \"1mm\"`");
    check("max_error = \"1in\"", unit, 13, "no unit `in`", "the units are `mm`, `cm`, `m` and `%`");
    check("max_error = \"0mm\"", value, 13, "cannot be \"0mm\"", "`max_error = \"1mm\"`");
    check("max_error = \"-1mm\"", value, 13, "a number above 0", "max_error");
    check("max_error = \"small\"", value, 13, "or `\"none\"`", "max_error");
    check("max_error = true", "manifest::type", 13, "not a boolean", "max_error");
    check("max_normal_error = 181", "manifest::range", 20, "at most 180", "max_normal_error");
    check("fps = \"aut\"", value, 7, "`fps` cannot be \"aut\"", "did you mean `\"auto\"`?");
    check("format = \"Auto\"", value, 10, "no format \"Auto\"", "did you mean `\"auto\"`?");
}

#[test]
fn what_is_to_be_decided_needs_a_budget() {
    let budget = "manifest::budget";
    check("fps = \"auto\"", budget, 7, "`fps = \"auto\"` has no budget to keep", "`max_error = \"1mm\"`");
    check("format = \"auto\"", budget, 10, "`max_error` is not set", "for the character or for the clip");
    // Normals alone leave positions open.
    check("format = \"auto\"\nmax_normal_error = 3", budget, 10, "`max_error` is not set", "max_error");
    // Said once, where it is written, however many inherit it.
    let found = only(
        "[defaults]\nformat = \"auto\"\n[characters.a]\nsource = \"a.glb\"\n[characters.b]\nsource = \"b.glb\"",
    );
    assert_eq!((found.0, found.1), (budget, (2, 10)));
    // A budget that cannot be read is one fault.
    assert_eq!(only(&character("format = \"auto\"\nmax_error = 1")).0, "manifest::unit");
    // Clips that all have budgets of their own, or none to keep.
    for lines in [
        "format = \"auto\"\nclip.walk.max_error = \"1mm\"",
        "format = \"auto\"\nclips = [\"walk\"]\nclip.walk.max_error = \"1mm\"",
        "format = \"auto\"\nclip.walk.format = \"rgba8\"",
        "max_fps = 30",
    ] {
        assert!(load(&character(lines), Path::new("vat.toml")).is_ok(), "{lines}");
    }
    let listed = "format = \"auto\"\nclips = [\"walk\", \"run\"]\nclip.walk.max_error = \"1mm\"";
    assert_eq!(only(&character(listed)).0, budget);
}

#[test]
fn words_draw_the_nearest_word() {
    let value = "manifest::value";
    check("normals = \"pack\"", value, 11, "cannot be \"pack\"", "must be one of `\"auto\"`");
    check("normals = \"packd\"", value, 11, "cannot be \"packd\"", "did you mean `\"packed\"`?");
    check("relative = \"Auto\"", value, 12, "cannot be \"Auto\"", "did you mean `\"auto\"`?");
    check("clips = \"al\"", value, 9, "`clips` must be `\"all\"`", "did you mean `\"all\"`?");
    check("clips = \"Walk\"", value, 9, "`clips` must be `\"all\"`", "`clips = [\"Walk\"]`");
    check("clips = []", value, 9, "lists no clip", "`\"all\"`");
    check("clips = [\"a\", 1, \"a\"]", value, 18, "\"a\" is listed twice", "`from`");
    check("clips = [\"\"]", value, 10, "\"\" cannot be a name", "empty");
    check("clips = [-1]", "manifest::range", 10, "`clips` is -1", "clips");
}

#[test]
fn paths_work_on_every_system() {
    let value = "manifest::value";
    let source = |path: &str| format!("[characters.a]\nsource = {path}");
    for (path, message, help) in [
        ("''", "`source` is empty", "for example `source ="),
        ("'art\\crab.glb'", "contains a backslash", "write \"art/crab.glb\""),
        ("\"a\\u0000.glb\"", "the control character '\\0'", "source"),
        ("\"a\\n.glb\"", "the control character '\\n'", "source"),
    ] {
        let found = only(&source(path));
        assert_eq!((found.0, found.1), (value, (2, 10)), "{path}: {found:?}");
        assert!(found.2.contains(message) && found.3.contains(help), "{path}: {found:?}");
    }
}

#[test]
fn targets_exist() {
    let output = |lines: &str| format!("[output]\n{lines}\n[characters.a]\nsource = \"a.glb\"");
    let value = "manifest::value";
    for (lines, column, message, help) in [
        ("targets = [\"rust\", \"wsgl\"]", 20, "no target \"wsgl\"", "did you mean `\"wgsl\"`?"),
        (
            "targets = [\"unreal\"]",
            12,
            "no target \"unreal\"",
            "need a template in the folder that `[output] templates` names",
        ),
        ("targets = [\"rust\", \"rust\"]", 20, "listed twice", "remove one"),
        ("targets = [\"../x\"]", 12, "cannot be the name of a target", "letters"),
    ] {
        let found = only(&output(lines));
        assert_eq!((found.0, found.1), (value, (2, column)), "{lines}: {found:?}");
        assert!(found.2.contains(message) && found.3.contains(help), "{lines}: {found:?}");
    }
    let found = only(&output("targets = \"rust\""));
    assert_eq!((found.0, found.1), ("manifest::type", (2, 11)));
}

#[test]
fn something_is_missing() {
    for text in ["", "# nothing\n", "[output]\ndir = \"x\"\n"] {
        let found = only(text);
        assert_eq!((found.0, found.1), ("manifest::missing", (1, 1)));
        assert!(found.2.contains("no characters") && found.3.contains("[characters.crab]"), "{found:?}");
    }
    assert_eq!(only("\n[characters]\n").1, (2, 2));
    let found = only("[characters.a]\nsource = \"a.glb\"\n\n[characters.\"Big Crab\"]\nfps = 3\n");
    assert_eq!((found.0, found.1), ("manifest::missing", (4, 13)));
    assert!(found.2.contains("\"Big Crab\" has no `source`"), "{found:?}");
}

/// Case 51: what becomes a path stays in its folder.
#[test]
fn character_names_are_folders_everywhere() {
    for (name, why) in [
        ("../evil", "contains '/'"),
        ("a\\\\b", "contains '\\\\'"),
        ("C:", "contains ':'"),
        ("a\\u0000", "contains '\\0'"),
        ("a\\nb", "contains '\\n'"),
        ("a\\\"b", "contains '\"'"),
        ("..", "starts or ends with a dot"),
        (".hidden", "starts or ends with a dot"),
        ("crab ", "a space"),
        ("", "needs a name"),
        ("--", "neither a letter nor a digit"),
        ("con", "Windows keeps `con`"),
        ("Nul.old", "Windows keeps `nul`"),
        ("COM7", "Windows keeps `com7`"),
        ("vat.rs", "generated constants"),
    ] {
        let found = only(&format!("[characters.\"{name}\"]\nsource = \"a.glb\""));
        assert_eq!((found.0, found.1), ("manifest::name", (1, 13)), "{name}: {found:?}");
        assert!(found.2.contains(why), "{name}: {}", found.2);
    }
    let long = only(&format!("[characters.{}]\nsource = \"a.glb\"", "a".repeat(65)));
    assert!(long.2.contains("65 bytes long, and 64 are allowed"), "{}", long.2);
    for name in ["crab", "Crab 2", "crab-2.old", "_x", "2crab", "跑", "Größe", "common", "com", "comet"] {
        super::loaded(&format!("[characters.\"{name}\"]\nsource = \"a.glb\""));
    }
}

#[test]
fn character_names_differ() {
    let two = |one, two| {
        format!("[characters.\"{one}\"]\nsource = \"a.glb\"\n[characters.\"{two}\"]\nsource = \"a.glb\"\n")
    };
    let case = only(&two("crab", "Crab"));
    assert_eq!((case.0, case.1), ("manifest::name", (3, 13)));
    assert!(case.2.contains("\"crab\" and \"Crab\" differ only by case"), "{case:?}");
    for (a, b) in [("big crab", "big_crab"), ("big-crab", "Big Crab"), ("a.b", "a--b")] {
        let same = only(&two(a, b));
        assert_eq!((same.0, same.1), ("manifest::name", (3, 13)));
        assert!(same.2.contains("are the same as identifiers"), "{same:?}");
    }
}

#[test]
fn a_character_is_not_called_as_a_target() {
    let found = only(
        "[output]\ntargets = [\"crowd.json\"]\ntemplates = \"t\"\n[characters.\"Crowd.json\"]\nsource = \"a.glb\"",
    );
    assert_eq!((found.0, found.1), ("manifest::name", (4, 13)));
    assert!(found.2.contains("called as a target is"), "{found:?}");
}

/// Case 8: names that are no identifiers are welcome.
#[test]
fn clip_names_are_what_artists_type() {
    for name in ["Armature|Run", "a/b", "../../evil", "mixamo.com", "2_Attack", "loop", "\u{8dd1}", "a\\\\b"]
    {
        super::loaded(&character(&format!("clip.\"{name}\".fps = 12")));
    }
    check("clip.\"\".from = 2", "manifest::name", 6, "a clip cannot be called \"\"", "`from`");
    check("clip.\"a\\u0007\".from = 2", "manifest::name", 6, "control character", "`from`");
    let long = format!("clip.{}.from = 2", "x".repeat(257));
    check(&long, "manifest::name", 6, "257 bytes long, and 256 are allowed", "`from`");
}

#[test]
fn a_clip_has_one_start() {
    let line = "clip.a = { range = [\"0s\", \"1s\"], trim = true }";
    check(line, "manifest::conflict", 41, "both say where the clip starts", "remove `trim`");
}

#[test]
fn syntax_errors_come_alone() {
    let found = problems("[characters.a]\nsource = \nfps = \"x\"\n");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].code, found[0].place.line_column()), ("manifest::syntax", Some((2, 10))));
    for text in
        ["[characters", "a = 1\na = 2", "\u{feff}=", "a = \"", "a = [1,", "[[characters]]\n[characters]"]
    {
        let found = problems(text);
        assert!(found.iter().all(|p| p.code == "manifest::syntax"), "{text}: {found:?}");
        assert!(found.iter().all(|p| p.place.line_column().is_some()), "{text}: {found:?}");
    }
}

#[test]
fn all_problems_are_listed_in_the_order_of_the_text() {
    let text = r#"[output]
dirr = "x"
[defaults]
fps = 0
loop = "yes"
[characters."a/b"]
sauce = "a.glb"
[characters.crab]
source = "crab.glb"
[characters.crab.clip.walk]
range = [1, 2]
frame_rat = 30
[characters.Crab]
source = ""
"#;
    let places: Vec<_> = problems(text).iter().map(|p| (p.code, p.place.line_column().unwrap())).collect();
    let expected = [
        ("manifest::unknown-key", (2, 1)),
        ("manifest::range", (4, 7)),
        ("manifest::type", (5, 8)),
        ("manifest::name", (6, 13)),
        ("manifest::missing", (6, 13)),
        ("manifest::unknown-key", (7, 1)),
        ("manifest::unit", (11, 10)),
        ("manifest::unknown-key", (12, 1)),
        ("manifest::name", (13, 13)),
        ("manifest::value", (14, 10)),
    ];
    assert_eq!(places, expected);
}

#[test]
fn columns_count_characters() {
    let found = only("[characters.\"Größe 跑\"]\nsource = \"a.glb\"\nclip.\"äöü\".fps = 0\n");
    assert_eq!(found.1, (3, 18));
    let shown = problems("[characters.a]\nsource = \"a.glb\"\nfsp = 1\n")[0].to_string();
    assert!(shown.starts_with("vat.toml:3:1: there is no key `fsp` in `[characters.NAME]` (did"), "{shown}");
}

#[test]
fn hostile_text_ends_in_problems() {
    for text in ["\0", "[", "]", "a.".repeat(5000).as_str(), "[".repeat(100_000).as_str()] {
        problems(text);
    }
    let deep = format!("a = {}1{}", "[".repeat(50_000), "]".repeat(50_000));
    problems(&deep);
}

/// Levels of detail say how fine they are, once each, from fine to coarse.
#[test]
fn levels_of_detail() {
    check("lods = []", "manifest::value", 8, "lists no level", "{ ratio = 0.5 }");
    check("lods = 3", "manifest::type", 8, "`lods` must be a list of tables, not an integer", "lods = [{");
    check("lods = [0.5]", "manifest::type", 9, "must be a table", "{ ratio = 0.5 }");
    check("lods = [{ fps = 15 }]", "manifest::missing", 9, "this one 0 of them", "{ ratio = 0.5 }");
    check("lods = [{ ratio = 1, error = \"1m\" }]", "manifest::conflict", 9, "this one 2 of them", "5mm");
    check("lods = [{ ratio = 1.5 }]", "manifest::range", 19, "a number from 0 to 1", "ratio = 0.5");
    check("lods = [{ triangles = 0 }]", "manifest::range", 23, "an integer from 1", "triangles = 500");
    check("lods = [{ error = \"5\" }]", "manifest::unit", 19, "has no unit", "5mm");
    check("lods = [{ error = \"none\" }]", "manifest::value", 19, "an error of none", "5mm");
    check("lods = [{ ratio = 1, fps = \"auto\" }]", "manifest::budget", 9, "has no budget", "max_error");
    check("lods = [{ ratio = 0.5 }, { ratio = 0.6 }]", "manifest::conflict", 26, "finer than", "coarsest");
}
