//! Which names a character and a clip may have.

/// The longest name of a character, bytes: it becomes part of file names, to which much is added.
pub const CHARACTER_BYTES: usize = 64;
/// The longest name of a clip, bytes.
pub const CLIP_BYTES: usize = 256;

/// Names that Windows gives to devices, whatever their extension.
const RESERVED: [&str; 4] = ["con", "prn", "aux", "nul"];

/// What is wrong with a character's name, if anything: it becomes a folder and a file name on
/// every system.
pub fn character(name: &str) -> Result<(), String> {
    if name.is_empty() {
        return Err("a character needs a name: it is called as its folder is".into());
    }
    if name.len() > CHARACTER_BYTES {
        return Err(format!("it is {} bytes long, and {CHARACTER_BYTES} are allowed", name.len()));
    }
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ');
    if let Some(bad) = name.chars().find(|&c| !allowed(c)) {
        let hint = if matches!(bad, '/' | '\\') { "; it becomes the name of a folder" } else { "" };
        return Err(format!("it contains {bad:?}{hint}"));
    }
    if name.starts_with(['.', ' ']) || name.ends_with(['.', ' ']) {
        return Err("it starts or ends with a dot or a space, which some systems drop or hide".into());
    }
    if folded(name).is_empty() {
        return Err("it has neither a letter nor a digit".into());
    }
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    let numbered = |device: &str| {
        stem.strip_prefix(device).is_some_and(|n| n.len() == 1 && n.as_bytes()[0].is_ascii_digit())
    };
    if RESERVED.contains(&stem.as_str()) || numbered("com") || numbered("lpt") {
        return Err(format!("Windows keeps `{stem}` for a device"));
    }
    if name.to_lowercase().starts_with("vat.") {
        return Err("names with `vat.` in front are those of the generated constants".into());
    }
    Ok(())
}

/// What is wrong with a clip's name in the manifest, if anything. It never becomes a path, so
/// whatever an artist typed is welcome: it has to fit a line of a message.
pub fn clip(name: &str) -> Result<(), String> {
    if name.is_empty() {
        return Err("it is empty".into());
    }
    if name.len() > CLIP_BYTES {
        return Err(format!("it is {} bytes long, and {CLIP_BYTES} are allowed", name.len()));
    }
    match name.chars().find(|c| c.is_control()) {
        Some(bad) => Err(format!("it contains the control character {bad:?}")),
        None => Ok(()),
    }
}

/// What is wrong with a target's name, if anything: it becomes part of the name of a template.
pub fn target(name: &str) -> Result<(), String> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.is_empty() {
        return Err("it is empty".into());
    }
    if name.len() > CHARACTER_BYTES || name.starts_with('.') || !name.chars().all(allowed) {
        return Err("it may have letters, digits, `_`, `-` and `.`, not first, and 64 bytes".into());
    }
    Ok(())
}

/// What is left of a name when it is made an identifier, lower case: two characters for which this
/// is the same would share constants.
pub fn folded(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("_")
}

/// Whether a character may have this name beside others.
pub fn valid_character(name: &str, others: &[&str]) -> bool {
    let differs = |other: &&str| other.to_lowercase() != name.to_lowercase() && folded(other) != folded(name);
    character(name).is_ok() && others.iter().all(differs)
}

/// Whether a manifest can call a clip so.
pub fn valid_clip(name: &str) -> bool {
    clip(name).is_ok()
}
