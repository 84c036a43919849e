use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use vatpipe::manifest::{self, Recipe};
use vatpipe::motion::choose;
use vatpipe::problem::Problems;
use vatpipe::source::{Clip, Interpolation, Property, Source};

use super::{channel, node, triangle};

fn source(names: &[&str]) -> Source {
    let keys = channel(Property::Translation, Interpolation::Linear, &[0.5, 1.5], &[0.0; 6]);
    let mut source = triangle(vec![keys]);
    let model = source.clips[0].clone();
    let clip =
        |(index, name): (usize, &&str)| Clip { index, name: (*name).into(), first_key: 0.5, ..model.clone() };
    source.clips = names.iter().enumerate().map(clip).collect();
    source
}

fn recipe(settings: &str) -> Recipe {
    let text = format!("[characters.c]\nsource = \"c.glb\"\n{settings}");
    manifest::load(&text, Path::new("vat.toml")).expect("a manifest").recipes.remove(0)
}

fn names(settings: &str, source: &Source) -> Vec<String> {
    let (chosen, _) = choose(&recipe(settings), source, &BTreeMap::new()).expect("clips");
    chosen.into_iter().map(|c| c.name).collect()
}

fn failure(settings: &str, source: &Source) -> Problems {
    choose(&recipe(settings), source, &BTreeMap::new()).expect_err("a problem")
}

#[test]
fn all_clips_keep_the_order_of_the_file() {
    let source = source(&["Run", "Walk", "Idle"]);
    assert_eq!(names("", &source), ["Run", "Walk", "Idle"]);
    assert_eq!(
        names("clips = \"all\"\nclip.hurry = { from = \"Run\", fps = 60 }", &source),
        ["hurry", "Walk", "Idle"]
    );
    assert_eq!(names("clips = [\"Idle\", \"Run\"]", &source), ["Idle", "Run"]);
}

#[test]
fn equal_names_are_numbered_and_chosen_by_index() {
    let source = source(&["UpAndDown", "UpAndDown", ""]);
    assert_eq!(names("", &source), ["UpAndDown", "UpAndDown_2", "clip"]);
    let problem = &failure("clips = [\"UpAndDown\"]", &source).0[0];
    assert_eq!(problem.code, "motion::ambiguous-clip");
    assert!(problem.message.contains("indices 0, 1"), "{problem}");
    assert_eq!(names("clips = [1]", &source), ["UpAndDown"]);
    assert_eq!(names("clip.Up = { from = 2 }", &source), ["Up"]);
}

#[test]
fn unknown_clips_name_what_there_is() {
    let source = source(&["Armature|Run", "Armature|Walk"]);
    let problem = &failure("clips = [\"Walk\"]", &source).0[0];
    assert_eq!(problem.code, "motion::unknown-clip");
    let help = problem.help.as_deref().unwrap_or_default();
    assert!(help.starts_with("did you mean `Armature|Walk`?") && help.contains("Armature|Run"), "{help}");
}

#[test]
fn ranges_and_trims_start_where_they_say() {
    let source = source(&["Move"]);
    let times = |settings: &str| {
        let (chosen, warnings) = choose(&recipe(settings), &source, &BTreeMap::new()).expect("clips");
        (chosen[0].timeline.start, chosen[0].timeline.duration, chosen[0].timeline.frames, warnings.len())
    };
    assert_eq!(times("fps = 10"), (0.0, 1.5, 16, 0));
    assert_eq!(times("fps = 10\ntrim = true"), (0.5, 1.0, 11, 0));
    assert_eq!(times("fps = 10\nclip.Move.range = [\"0.25s\", \"750ms\"]"), (0.25, 0.5, 6, 0));
    assert_eq!(times("fps = 10\nclip.Move.range = [\"1s\", \"2s\"]"), (1.0, 0.5, 6, 1));
    assert_eq!(failure("clip.Move.range = [\"1.5s\", \"2s\"]", &source).0[0].code, "motion::range");
}

#[test]
fn times_in_messages_are_short() {
    let mut source = source(&["Move"]);
    source.clips[0].duration = f64::from(0.708_333_3_f32);
    let problem = &failure("clip.Move.range = [\"1.5s\", \"2s\"]", &source).0[0];
    let says = "the range 1.5 s to 2 s holds nothing of clip `Move`, which is 0.7083 s long";
    assert_eq!(problem.message, says);
    assert!(problem.help.as_deref().is_some_and(|help| help.contains("\"0.7083s\"")), "{problem}");
    let (_, warnings) =
        choose(&recipe("clip.Move.range = [\"0s\", \"2s\"]"), &source, &BTreeMap::new()).expect("clips");
    assert_eq!(warnings[0].message, "the range ends at 2 s, clip `Move` at 0.7083 s: the end is used");
}

#[test]
fn clips_named_alike_are_told_apart() {
    let source = source(&["rot", "rot", "Idle"]);
    let (_, notes) = choose(&recipe(""), &source, &BTreeMap::new()).expect("clips");
    assert_eq!(
        notes[0].message,
        "clips with the same name were numbered: `rot` (index 0), `rot_2` (index 1)"
    );
    let problem = &failure("clips = [\"rot_2\"]", &source).0[0];
    let help = problem.help.as_deref().unwrap_or_default();
    assert!(help.starts_with("several clips are called `rot`; this one is `from = 1`; "), "{help}");
    let (_, notes) = choose(&recipe("clips = [\"Idle\"]"), &source, &BTreeMap::new()).expect("clips");
    assert_eq!(notes, []);
}

#[test]
fn clips_that_are_too_long_are_only_so_when_chosen() {
    let mut source = source(&["Long", "Walk"]);
    source.clips[0].duration = 3600.5;
    assert_eq!(names("clips = [\"Walk\"]", &source), ["Walk"]);
    let problem = &failure("clips = [\"Long\"]", &source).0[0];
    assert_eq!(problem.code, "motion::limit");
    assert_eq!(problem.message, "clip `Long` lasts 3600.5 s, and clips may last 3600 s");
    source.clips[0].duration = 3600.0;
    assert_eq!(names("fps = 1", &source), ["Long", "Walk"]);
}

#[test]
fn clips_of_other_files_are_bound_by_name() {
    let mut own = source(&["Walk"]);
    own.nodes.push(node("hips", Some(0)));
    let mut other = source(&["mixamo.com"]);
    other.nodes = vec![node("hips", None), node("tail", Some(0))];
    let tail = vatpipe::source::Channel { node: 1, ..other.clips[0].channels[0].clone() };
    other.clips[0].channels.push(tail);
    let mut others = BTreeMap::from([(PathBuf::from("attack.glb"), other)]);
    let recipe = recipe("clip.attack = { source = \"attack.glb\" }");

    let (chosen, warnings) = choose(&recipe, &own, &others).expect("a clip");
    assert_eq!((chosen[0].name.as_str(), chosen[0].clip.channels.len()), ("attack", 1));
    assert_eq!(own.nodes[chosen[0].clip.channels[0].node].name, "hips");
    assert!(warnings[0].message.contains("`tail`"), "{}", warnings[0]);

    for other in others.values_mut() {
        other.nodes[0].name = "pelvis".into();
    }
    assert_eq!(choose(&recipe, &own, &others).expect_err("foreign").0[0].code, "motion::foreign-clip");
}

/// A word in the wrong case means the clip of that name, not a longer one that contains it.
#[test]
fn suggestions_put_case_before_containment() {
    let source = source(&["Unarmed_Idle", "Idle", "Death_B", "Death_A", "Blocking", "Block"]);
    for (asked, meant) in
        [("idle", "Idle"), ("death_a", "Death_A"), ("block", "Block"), ("Deth_A", "Death_A")]
    {
        let problems = failure(&format!("clips = [\"{asked}\"]"), &source);
        let help = problems.0[0].help.clone().unwrap_or_default();
        assert!(help.starts_with(&format!("did you mean `{meant}`?")), "{asked}: {help}");
    }
}
