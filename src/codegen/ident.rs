//! Names that artists typed → identifiers that are legal in Rust, WGSL, HLSL and GLSL at once.
//!
//! The result depends on the names and their order alone. Words are split at everything that is
//! not a letter or a digit and where a lower-case letter meets an upper-case one; Latin letters
//! lose their accents, any other letter becomes its code point (`跑` is `U8DD1`). What a
//! language reserves (`templates/reserved.txt`), what starts with a digit or `gl_`, and what is
//! empty is completed with the fallback word; of equal results the first keeps the name and the
//! others are numbered.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crate::problem::Problem;

/// The longest identifier, in characters: with a prefix it stays below the 256 that WebGL allows.
const MAX_LENGTH: usize = 96;

/// How the words of an identifier are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// `WALK_CYCLE`: constants.
    Upper,
    /// `walk_cycle`: functions, modules.
    Snake,
    /// `WalkCycle`: types, enum variants.
    Camel,
}

/// Unique `UPPER_SNAKE` identifiers for `names`, in their order, and a warning for every name that
/// had to be numbered because an earlier one has the same identifier.
///
/// `fallback` is an upper-case word such as `CLIP`: an empty name at index 3 is `CLIP_3`. The
/// identifiers of identifiers are themselves.
pub fn idents(names: &[&str], fallback: &str) -> (Vec<String>, Vec<Problem>) {
    let words: Vec<Vec<String>> = names.iter().map(|name| words(name)).collect();
    let (idents, clashes) = settle(&words, Case::Upper, fallback);
    let problems = clashes
        .into_iter()
        .map(|(first, second)| {
            let message = format!(
                "\"{}\" and \"{}\" have the same identifier {}: the second is {}",
                names[first].escape_debug(),
                names[second].escape_debug(),
                idents[first],
                idents[second]
            );
            Problem::warning("codegen::ident", message).help("rename one of them")
        })
        .collect();
    (idents, problems)
}

/// [`idents`] for characters. Their identifiers come before `_CLIP_` in the generated names, so
/// the word `CLIP` becomes `CLIPS`: a clip of `crab` and a constant of `crab_clip` never meet. What is
/// the same for all characters is named `VAT_`, so that word in front becomes `VATS`.
pub fn character_idents(names: &[&str]) -> (Vec<String>, Vec<Problem>) {
    let respelt: Vec<String> = names
        .iter()
        .map(|name| {
            let mut words = words(name);
            words.iter_mut().filter(|word| *word == "CLIP").for_each(|word| *word = "CLIPS".to_owned());
            words.iter_mut().take(1).filter(|word| *word == "VAT").for_each(|word| *word = "VATS".to_owned());
            words.join("_")
        })
        .collect();
    let respelt: Vec<&str> = respelt.iter().map(String::as_str).collect();
    idents(&respelt, "CHARACTER")
}

/// Unique identifiers in another casing, from the result of [`idents`].
pub fn recase(idents: &[String], case: Case, fallback: &str) -> Vec<String> {
    let words: Vec<Vec<String>> =
        idents.iter().map(|ident| ident.split('_').map(str::to_owned).collect()).collect();
    settle(&words, case, fallback).0
}

/// The upper-case words of a name; only `A-Z` and `0-9` remain.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let chars: Vec<char> = name.chars().collect();
    for (i, &c) in chars.iter().enumerate() {
        let previous = i.checked_sub(1).map(|i| chars[i]);
        let next_is_lower = chars.get(i + 1).is_some_and(char::is_ascii_lowercase);
        let starts_word = c.is_ascii_uppercase()
            && previous.is_some_and(|p| p.is_ascii_lowercase() || (p.is_ascii_uppercase() && next_is_lower));
        if starts_word {
            words.push(String::new());
        }
        match spell(c) {
            Spelling::Letters(letters) => push(&mut words, &letters),
            Spelling::Word(word) => words.extend([word, String::new()]),
            Spelling::Break => words.push(String::new()),
            Spelling::Nothing => {}
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn push(words: &mut [String], letters: &str) {
    if let Some(last) = words.last_mut() {
        last.push_str(letters);
    }
}

/// What a character contributes.
enum Spelling {
    Letters(String),
    Word(String),
    Break,
    Nothing,
}

fn spell(c: char) -> Spelling {
    match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' => Spelling::Letters(c.to_ascii_uppercase().to_string()),
        // Combining marks: some file systems write "é" as "e" and a mark.
        '\u{300}'..='\u{36f}' => Spelling::Nothing,
        _ => match latin(c) {
            Some(letters) => Spelling::Letters(letters.to_owned()),
            None if c.is_alphanumeric() => Spelling::Word(format!("U{:X}", u32::from(c))),
            None => Spelling::Break,
        },
    }
}

/// A letter of Latin-1 or Latin Extended-A without its accent, in upper case.
fn latin(c: char) -> Option<&'static str> {
    const ROWS: [(&str, &str); 26] = [
        ("ÀÁÂÃÅàáâãåĀāĂăĄąª", "A"),
        ("ÄäÆæ", "AE"),
        ("ÇçĆćĈĉĊċČč", "C"),
        ("ĎďĐđÐð", "D"),
        ("ÈÉÊËèéêëĒēĔĕĖėĘęĚě", "E"),
        ("ĜĝĞğĠġĢģ", "G"),
        ("ĤĥĦħ", "H"),
        ("ÌÍÎÏìíîïĨĩĪīĬĭĮįİı", "I"),
        ("\u{132}\u{133}", "IJ"),
        ("Ĵĵ", "J"),
        ("Ķķĸ", "K"),
        ("ĹĺĻļĽľĿŀŁł", "L"),
        ("ÑñŃńŅņŇň\u{149}", "N"),
        ("Ŋŋ", "NG"),
        ("ÒÓÔÕØòóôõøŌōŎŏŐőº", "O"),
        ("ÖöŒœ", "OE"),
        ("ŔŕŖŗŘř", "R"),
        ("ŚśŜŝŞşŠšſ", "S"),
        ("ß", "SS"),
        ("ŢţŤťŦŧ", "T"),
        ("Þþ", "TH"),
        ("ÙÚÛùúûŨũŪūŬŭŮůŰűŲų", "U"),
        ("Üü", "UE"),
        ("Ŵŵ", "W"),
        ("ÝýÿŶŷŸ", "Y"),
        ("ŹźŻżŽž", "Z"),
    ];
    ROWS.iter().find(|(letters, _)| letters.contains(c)).map(|&(_, plain)| plain)
}

/// Legal, unique identifiers, and the pairs (first, later) that wanted the same one.
///
/// Everybody's first wish is known before anybody is numbered, so a numbered name never takes the
/// name that a later one has by right.
fn settle(names: &[Vec<String>], case: Case, fallback: &str) -> (Vec<String>, Vec<(usize, usize)>) {
    let wishes: Vec<String> =
        names.iter().enumerate().map(|(i, words)| legal(words, i, case, fallback)).collect();
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (i, wish) in wishes.iter().enumerate() {
        first.entry(wish).or_insert(i);
    }
    let mut taken: BTreeSet<String> = wishes.iter().cloned().collect();
    let mut result = Vec::with_capacity(wishes.len());
    let mut clashes = Vec::new();
    for (i, wish) in wishes.iter().enumerate() {
        let owner = first[wish.as_str()];
        if owner == i {
            result.push(wish.clone());
            continue;
        }
        let mut number = 2_usize;
        while taken.contains(&numbered(wish, number, case)) {
            number += 1;
        }
        let ident = numbered(wish, number, case);
        taken.insert(ident.clone());
        result.push(ident);
        clashes.push((owner, i));
    }
    (result, clashes)
}

fn numbered(wish: &str, number: usize, case: Case) -> String {
    // Between digits the underscore stays in camel case too: `Walk2_2` is not `Walk22`.
    let joint = if case == Case::Camel && !wish.ends_with(|c: char| c.is_ascii_digit()) { "" } else { "_" };
    let number = format!("{joint}{number}");
    let room = wish.len().min(MAX_LENGTH - number.len());
    wish[..room].trim_end_matches('_').to_owned() + &number
}

/// The identifier a name would have if it were alone.
fn legal(words: &[String], index: usize, case: Case, fallback: &str) -> String {
    if words.is_empty() {
        return join(&[fallback.to_owned(), index.to_string()], case);
    }
    let mut words = words.to_vec();
    if words[0].starts_with(|c: char| c.is_ascii_digit()) || words[0] == "GL" {
        words.insert(0, fallback.to_owned());
    }
    let mut ident = join(&words, case);
    ident.truncate(MAX_LENGTH);
    let ident = ident.trim_end_matches('_');
    if is_reserved(ident) { format!("{ident}{}", suffix(fallback, case)) } else { ident.to_owned() }
}

fn suffix(fallback: &str, case: Case) -> String {
    match case {
        Case::Camel => join(&[fallback.to_owned()], case),
        Case::Upper | Case::Snake => format!("_{}", join(&[fallback.to_owned()], case)),
    }
}

fn join(words: &[String], case: Case) -> String {
    match case {
        Case::Upper => words.join("_"),
        Case::Snake => words.join("_").to_ascii_lowercase(),
        Case::Camel => words.iter().fold(String::new(), |mut ident, word| {
            let digit = |c: char| c.is_ascii_digit();
            if ident.ends_with(digit) && word.starts_with(digit) {
                ident.push('_');
            }
            ident.push_str(&word[..1]);
            ident.push_str(&word[1..].to_ascii_lowercase());
            ident
        }),
    }
}

/// Whether a language reserves this word.
fn is_reserved(word: &str) -> bool {
    static RESERVED: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
        let text = include_str!("../../templates/reserved.txt");
        text.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace).collect()
    });
    // Associated constants of the generated enums; a variant of that name would hide them.
    word == "ALL" || RESERVED.contains(word)
}
