//! The nearest valid word to what somebody wrote.

/// The candidate nearest to `word`, if one is near enough to be what was meant: at most a third of
/// its characters are wrong (one, for short words). Case and the choice of `-` or `_` do not count.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let fold = |s: &str| s.to_lowercase().replace(['-', ' '], "_");
    let word = fold(word);
    let allowed = (word.chars().count() / 3).max(1);
    let distance = |candidate: &'a str| (strsim::damerau_levenshtein(&word, &fold(candidate)), candidate);
    let best = candidates.into_iter().map(distance).min_by_key(|&(distance, _)| distance)?;
    (best.0 <= allowed && best.0 < word.chars().count().max(1)).then_some(best.1)
}

/// Words for a sentence: `a`, `b` and `c`, in code quotes.
pub fn listed<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    match words.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [firsts @ .., last] => format!("{} and {last}", firsts.join(", ")),
    }
}
