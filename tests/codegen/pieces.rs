//! The built-in templates, a character at a time and as a whole.

use std::collections::BTreeMap;

use vatpipe::codegen::pieces::are_possible;
use vatpipe::codegen::{BUILT_IN, generate};
use vatpipe::metadata::Character;

use super::sample;

/// Pieces are put together where there is no template of a user's own; one that nobody asks for makes all the difference.
#[test]
fn pieces_are_the_bytes_of_the_whole() {
    let all = sample::all();
    let mut sets: Vec<Vec<Character>> = all.iter().map(|character| vec![character.clone()]).collect();
    sets.extend((2..=all.len()).map(|len| all[..len].to_vec()));
    sets.push(all.iter().rev().cloned().collect());
    sets.push(Vec::new());
    let unused = BTreeMap::from([("unused.txt".to_owned(), String::new())]);
    for set in sets {
        let names: Vec<&str> = set.iter().map(|character| character.name.as_str()).collect();
        for targets in
            [&["rust"][..], &["wgsl"], &["hlsl"], &["glsl"], &["unity"], &["hlsl", "rust", "glsl", "wgsl"]]
        {
            let targets: Vec<String> = targets.iter().map(|&target| target.to_owned()).collect();
            assert!(are_possible(&targets, &BTreeMap::new()) && !are_possible(&targets, &unused));
            let pieces = generate(&set, &targets, &BTreeMap::new()).unwrap_or_else(|p| panic!("{p}"));
            let whole = generate(&set, &targets, &unused).unwrap_or_else(|p| panic!("{p}"));
            assert!(pieces == whole, "{targets:?} of {names:?}");
            let files = BUILT_IN.iter().filter(|(target, ..)| targets.iter().any(|wanted| wanted == target));
            assert_eq!(pieces.len(), files.count());
        }
    }
}
