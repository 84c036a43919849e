//! Identifiers from names that artists typed.

use std::collections::BTreeSet;

use vatpipe::codegen::ident::{Case, character_idents, idents, recase};
use vatpipe::problem::Severity;

use super::sample::NASTY_NAMES;

fn clips(names: &[&str]) -> Vec<String> {
    idents(names, "CLIP").0
}

#[test]
fn names_of_case_8() {
    let names = [
        "Walk Cycle",
        "Armature|Run",
        "a/b\\c",
        "mixamo.com",
        "2_Attack",
        "loop",
        "sampler",
        "packed",
        "a__b",
    ];
    let expected = [
        "WALK_CYCLE",
        "ARMATURE_RUN",
        "A_B_C",
        "MIXAMO_COM",
        "CLIP_2_ATTACK",
        "LOOP",
        "SAMPLER",
        "PACKED",
        "A_B",
    ];
    assert_eq!(clips(&names), expected);
    assert_eq!(
        clips(&["x", "\u{8dd1}", "", "\u{8dd1}\u{6b65}2", "|"]),
        ["X", "U8DD1", "CLIP_2", "U8DD1_U6B65_2", "CLIP_4"]
    );
}

#[test]
fn words_are_split_and_spelt() {
    assert_eq!(
        clips(&["UpAndDown", "HTTPServer", "Walk2Run", "IK-Pose", "idle01"]),
        ["UP_AND_DOWN", "HTTP_SERVER", "WALK2RUN", "IK_POSE", "IDLE01"]
    );
    // The same letter, composed and decomposed.
    assert_eq!(
        clips(&["marche\u{301}", "\u{e9}lan", "Fu\u{df}g\u{e4}nger", "\u{141}\u{f3}d\u{17a}"]),
        ["MARCHE", "ELAN", "FUSSGAENGER", "LODZ"]
    );
}

#[test]
fn clashes_are_numbered_and_reported() {
    let (idents, problems) = idents(&["Walk Cycle", "walk_cycle", "WALK_CYCLE_2", "Walk-Cycle"], "CLIP");
    assert_eq!(idents, ["WALK_CYCLE", "WALK_CYCLE_3", "WALK_CYCLE_2", "WALK_CYCLE_4"]);
    assert_eq!(problems.len(), 2);
    assert!(problems.iter().all(|p| p.severity == Severity::Warning && p.code == "codegen::ident"));
    assert!(problems[0].message.contains("\"Walk Cycle\" and \"walk_cycle\""), "{}", problems[0].message);
    assert!(problems[0].message.contains("WALK_CYCLE_3"));
}

#[test]
fn case_33_two_clips_of_one_name() {
    let names = ["UpAndDown", "UpAndDown", ""];
    assert_eq!(clips(&names), ["UP_AND_DOWN", "UP_AND_DOWN_2", "CLIP_2"]);
    assert_eq!(idents(&names, "CLIP").1.len(), 1);
}

#[test]
fn reserved_words_are_completed() {
    let taken = ["null", "Pass", "technique", "GL_thing", "all", "true"];
    assert_eq!(
        clips(&taken),
        ["NULL_CLIP", "PASS_CLIP", "TECHNIQUE_CLIP", "CLIP_GL_THING", "ALL_CLIP", "TRUE_CLIP"]
    );
    let names = clips(&["self", "loop", "A L L", "walk_2_3", "walk_23", "gen"]);
    assert_eq!(
        recase(&names, Case::Camel, "CLIP"),
        ["SelfClip", "Loop", "ALLClip", "Walk2_3", "Walk23", "Gen"]
    );
    let snake = ["self_clip", "loop_clip", "a_l_l", "walk_2_3", "walk_23", "gen_clip"];
    assert_eq!(recase(&names, Case::Snake, "CLIP"), snake);
}

#[test]
fn every_identifier_is_legal() {
    let idents = clips(&NASTY_NAMES);
    let forms = [Case::Snake, Case::Camel].map(|case| recase(&idents, case, "CLIP"));
    forms.iter().chain([&idents]).for_each(|form| check_legal(form));
}

fn check_legal(idents: &[String]) {
    let unique: BTreeSet<_> = idents.iter().collect();
    assert_eq!(unique.len(), idents.len());
    for ident in idents {
        assert!(ident.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{ident}");
        assert!(ident.starts_with(|c: char| c.is_ascii_alphabetic()), "{ident}");
        assert!(!ident.contains("__") && !ident.ends_with('_'), "{ident}");
        assert!(!ident.to_ascii_lowercase().starts_with("gl_"), "{ident}");
        assert!(!naga::keywords::wgsl::RESERVED.contains(&ident.as_str()), "{ident}");
        assert!(ident.len() <= 100, "{ident}");
    }
}

#[test]
fn every_reserved_word_of_wgsl_is_known() {
    for word in naga::keywords::wgsl::RESERVED {
        let snake = recase(&[word.to_ascii_uppercase()], Case::Snake, "CLIP");
        assert_ne!(snake[0], *word);
    }
}

#[test]
fn identifiers_are_stable() {
    let idents = clips(&NASTY_NAMES);
    let again: Vec<&str> = idents.iter().map(String::as_str).collect();
    assert_eq!(clips(&again), idents);
    let long = "very long ".repeat(50);
    let long = clips(&[&long, &long]);
    assert!(long[0].len() <= 96 && long[1].len() <= 96 && long[1].ends_with("_2"), "{long:?}");
    assert_eq!(clips(&[&long[0], &long[1]]), long);
}

/// Whatever the names: legal, unique, and the identifiers of identifiers are themselves.
#[test]
fn any_names_will_do() {
    let alphabet: Vec<char> =
        "aZ09_ -.|/\\\"\n*`gl\u{e9}\u{301}\u{8dd1}\u{1f600}\u{200d}\0".chars().collect();
    let mut state = 7_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..500 {
        let names: Vec<String> = (0..8)
            .map(|_| (0..next(9) * next(9)).map(|_| alphabet[next(alphabet.len())]).collect())
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let idents = clips(&names);
        let again: Vec<&str> = idents.iter().map(String::as_str).collect();
        assert_eq!(clips(&again), idents, "{names:?}");
        check_legal(&idents);
        for case in [Case::Snake, Case::Camel] {
            check_legal(&recase(&idents, case, "CLIP"));
        }
    }
}

/// `crab` with a clip `walk` and a character `crab_clip_walk` would meet.
#[test]
fn characters_never_meet_clips() {
    let (idents, problems) = character_idents(&["crab", "crab_clip_walk", "", "crabClips walk"]);
    assert_eq!(idents, ["CRAB", "CRAB_CLIPS_WALK", "CHARACTER_2", "CRAB_CLIPS_WALK_2"]);
    assert_eq!(problems.len(), 1);
}
