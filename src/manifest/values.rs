//! One value of the manifest: TOML → [`Value`], or what is wrong with it.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeInteger, DeValue};

use super::keys::{Key, Kind};
use super::suggest::{listed, nearest};
use super::{FormatChoice, Length, Selector, names};
use crate::encode::Format;
use crate::problem::Problem;

/// A texel format under the name it has in the manifest.
#[derive(Clone, Copy, Debug)]
pub struct NamedFormat {
    /// As it is written.
    pub name: &'static str,
    /// What it names.
    pub format: Format,
    /// What it is for.
    pub doc: &'static str,
}

/// The formats of positions, the default first.
pub const FORMATS: [NamedFormat; 15] = [
    NamedFormat {
        name: "rgba16ui",
        format: Format::Rgba16ui,
        doc: "16-bit integers over the clip's bounds, read with `textureLoad`: precise, and everywhere.",
    },
    NamedFormat {
        name: "rgba16",
        format: Format::Rgba16,
        doc: "The same bits as UNORM, where an engine filters them (in wgpu on native devices only).",
    },
    NamedFormat {
        name: "rgba16f",
        format: Format::Rgba16f,
        doc: "16-bit floats, for engines that filter only floats.",
    },
    NamedFormat {
        name: "rgba32f",
        format: Format::Rgba32f,
        doc: "32-bit floats: exact, for tools and as a reference.",
    },
    NamedFormat {
        name: "rgb10a2",
        format: Format::Rgb10a2,
        doc: "10 bits for each of x, y and z: crowds on desktop and mobile devices.",
    },
    NamedFormat { name: "rgba8", format: Format::Rgba8, doc: "8 bits for each of x, y and z: far crowds." },
    NamedFormat {
        name: "bc7",
        format: Format::Bc7,
        doc: "8 bits a texel in blocks of 4x4: desktop, within a measured error.",
    },
    NamedFormat {
        name: "bc6h",
        format: Format::Bc6h,
        doc: "8 bits a texel in blocks of 4x4, floats: desktop, within a measured error.",
    },
    NamedFormat {
        name: "astc-4x4",
        format: Format::Astc4x4,
        doc: "8 bits a texel in blocks of 4x4: mobile devices, within a measured error.",
    },
    NamedFormat {
        name: "astc-5x5",
        format: Format::Astc5x5,
        doc: "5.12 bits a texel in blocks of 5x5: mobile devices, within a measured error.",
    },
    NamedFormat {
        name: "astc-6x6",
        format: Format::Astc6x6,
        doc: "3.56 bits a texel in blocks of 6x6: mobile devices, far crowds.",
    },
    NamedFormat {
        name: "astc-8x8",
        format: Format::Astc8x8,
        doc: "2 bits a texel in blocks of 8x8: mobile devices, the farthest crowds.",
    },
    NamedFormat {
        name: "astc-hdr-4x4",
        format: Format::AstcHdr4x4,
        doc: "8 bits a texel in blocks of 4x4, floats: the newer mobile devices.",
    },
    NamedFormat {
        name: "astc-hdr-6x6",
        format: Format::AstcHdr6x6,
        doc: "3.56 bits a texel in blocks of 6x6, floats: the newer mobile devices.",
    },
    NamedFormat {
        name: "uastc",
        format: Format::Uastc,
        doc: "8 bits a texel in blocks of 4x4 that a loader turns into BC7, ASTC or plain texels: one file for all.",
    },
];

/// The names of all formats of positions.
pub fn format_names() -> [&'static str; FORMATS.len()] {
    FORMATS.map(|format| format.name)
}

/// The word for what a budget decides.
pub const AUTO: &str = "auto";

/// The level that `zstd = true` means: Zstandard's own default.
const ZSTD_LEVEL: u32 = 3;

/// Units of sizes, and their bytes.
pub const SIZES: [(&str, u64); 6] = [
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
];

/// Units of ages, and their seconds.
pub const AGES: [(&str, u64); 3] = [("h", 3600), ("d", 86_400), ("w", 604_800)];

/// The most digits of an amount: no product with a unit overflows.
pub const AMOUNT_DIGITS: usize = 6;

/// What a value says. The variant follows from the key's [`Kind`].
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// [`Kind::Flag`].
    Flag(bool),
    /// [`Kind::AutoFlag`]; `None` for `"auto"`.
    AutoFlag(Option<bool>),
    /// [`Kind::Rate`].
    Rate(f64),
    /// [`Kind::Share`].
    Share(f64),
    /// [`Kind::AutoRate`]; `None` for `"auto"`.
    AutoRate(Option<f64>),
    /// [`Kind::Length`]; `None` for `"none"`.
    Length(Option<Length>),
    /// [`Kind::Integer`].
    Integer(u32),
    /// [`Kind::Word`].
    Word(&'static str),
    /// [`Kind::Format`].
    Format(FormatChoice),
    /// [`Kind::Level`]; `None` for `false`.
    Level(Option<u32>),
    /// [`Kind::Path`].
    Path(String),
    /// [`Kind::Targets`].
    Targets(Vec<(String, Range<usize>)>),
    /// [`Kind::Words`].
    Words(Vec<&'static str>),
    /// [`Kind::Selector`].
    Selector(Selector),
    /// [`Kind::Clips`]; `None` for `"all"`.
    Clips(Option<Vec<(Selector, Range<usize>)>>),
    /// [`Kind::Times`], seconds.
    Times(f64, f64),
    /// [`Kind::Size`], bytes.
    Size(u64),
    /// [`Kind::Age`], seconds.
    Age(u64),
}

/// A problem and the bytes of the manifest that it is about.
pub type Fault = (Problem, Range<usize>);

type Read<T = Value> = Result<T, Box<Fault>>;
type Toml<'i> = Spanned<DeValue<'i>>;

/// Reads the value of a key that is not a table.
pub fn read(key: &Key, toml: &Toml) -> Read {
    match key.kind {
        Kind::Table(_) | Kind::Tables(_) | Kind::List(_) => Err(wrong_type(key, toml)),
        Kind::Share => share(key, toml),
        Kind::Flag => flag(key, toml).map(Value::Flag),
        Kind::AutoFlag => auto_flag(key, toml),
        Kind::Rate(most) => rate(key, toml, most).map(Value::Rate),
        Kind::AutoRate(most) => auto_rate(key, toml, most),
        Kind::Length => length(key, toml),
        Kind::Integer(least, most) => integer(key, toml, least, most).map(Value::Integer),
        Kind::Word(words) => word(key, toml, words),
        Kind::Format => format(key, toml),
        Kind::Level => level(key, toml),
        Kind::Path => path(key, toml),
        Kind::Targets => targets(key, toml),
        Kind::Words(words) => word_list(key, toml, words).map(Value::Words),
        Kind::Selector => selector(key, toml).map(Value::Selector),
        Kind::Clips => clips(key, toml),
        Kind::Times => times(key, toml),
        Kind::Size => amount(key, toml, &SIZES).map(Value::Size),
        Kind::Age => amount(key, toml, &AGES).map(Value::Age),
    }
}

impl Kind {
    /// What a value of this kind is, after "must be".
    pub fn says(self) -> String {
        match self {
            Kind::Table(_) | Kind::Tables(_) => "a table".into(),
            Kind::List(_) => "a list of tables".into(),
            Kind::Share => "a number from 0 to 1".into(),
            Kind::Flag => "`true` or `false`".into(),
            Kind::AutoFlag => "`true`, `false` or `\"auto\"`".into(),
            Kind::Rate(most) => format!("a number above 0 and at most {most}"),
            Kind::AutoRate(most) => format!("a number above 0 and at most {most}, or `\"auto\"`"),
            Kind::Length => "a number above 0 with `mm`, `cm`, `m` or `%`, in a string, or `\"none\"`".into(),
            Kind::Integer(least, most) => format!("an integer from {least} to {most}"),
            Kind::Word(words) => format!("one of {}", quoted(words)),
            Kind::Format => format!("`\"auto\"` or one of {}", quoted(&format_names())),
            Kind::Level => "`true`, `false` or a level from 1 to 22".into(),
            Kind::Path => "a path in a string".into(),
            Kind::Targets => "a list of strings".into(),
            Kind::Words(words) => format!("a list of {}", quoted(words)),
            Kind::Selector => "a name (a string) or a position (an integer from 0)".into(),
            Kind::Clips => "`\"all\"` or a list of names and positions".into(),
            Kind::Times => "a list of two times in strings, with units".into(),
            Kind::Size => format!("a whole number of {} in a string", listed(SIZES.map(|(unit, _)| unit))),
            Kind::Age => "a whole number of `h`, `d` or `w` (hours, days, weeks) in a string".into(),
        }
    }
}

fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("`\"{word}\"`")).collect::<Vec<_>>().join(", ")
}

fn wrong_type(key: &Key, toml: &Toml) -> Box<Fault> {
    let found = match toml.get_ref() {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a floating-point number",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    };
    let message = format!("`{}` must be {}, not {found}", key.name, key.kind.says());
    let problem = Problem::error("manifest::type", message);
    Box::new((problem.help(example(key)), toml.span()))
}

fn example(key: &Key) -> String {
    match key.kind {
        Kind::Table(_) => format!("write its keys under the header `[{}]`", key.name),
        Kind::Tables(section) => format!("write one table for each, `{}`", section.header()),
        _ => format!("for example `{} = {}`", key.name, key.example),
    }
}

fn out_of_range(key: &Key, toml: &Toml, found: impl std::fmt::Display) -> Box<Fault> {
    let message = format!("`{}` is {found}, and must be {}", key.name, key.kind.says());
    Box::new((Problem::error("manifest::range", message).help(example(key)), toml.span()))
}

fn bad_value(toml: &Toml, message: String, help: impl Into<String>) -> Box<Fault> {
    Box::new((Problem::error("manifest::value", message).help(help), toml.span()))
}

fn flag(key: &Key, toml: &Toml) -> Read<bool> {
    toml.get_ref().as_bool().ok_or_else(|| wrong_type(key, toml))
}

fn auto_flag(key: &Key, toml: &Toml) -> Read {
    match toml.get_ref() {
        DeValue::Boolean(flag) => Ok(Value::AutoFlag(Some(*flag))),
        DeValue::String(word) if word == "auto" => Ok(Value::AutoFlag(None)),
        DeValue::String(_) => word(key, toml, &["auto"]),
        _ => Err(wrong_type(key, toml)),
    }
}

fn whole(integer: &DeInteger) -> Option<i64> {
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

fn rate(key: &Key, toml: &Toml, most: f64) -> Read<f64> {
    let number = match toml.get_ref() {
        DeValue::Integer(integer) => whole(integer).map_or(f64::INFINITY, |n| n as f64),
        DeValue::Float(float) => float.as_str().parse().unwrap_or(f64::INFINITY),
        _ => return Err(wrong_type(key, toml)),
    };
    if number > 0.0 && number <= most {
        return Ok(number);
    }
    Err(out_of_range(key, toml, number))
}

fn share(key: &Key, toml: &Toml) -> Read {
    let number = match toml.get_ref() {
        DeValue::Integer(integer) => whole(integer).map_or(f64::INFINITY, |n| n as f64),
        DeValue::Float(float) => float.as_str().parse().unwrap_or(f64::INFINITY),
        _ => return Err(wrong_type(key, toml)),
    };
    if (0.0..=1.0).contains(&number) {
        return Ok(Value::Share(number));
    }
    Err(out_of_range(key, toml, number))
}

fn auto_rate(key: &Key, toml: &Toml, most: f64) -> Read {
    match toml.get_ref() {
        DeValue::String(word) if word == AUTO => Ok(Value::AutoRate(None)),
        // Quotes around a number are a slip, not a word.
        DeValue::String(text) if text.parse::<f64>().is_err() => word(key, toml, &[AUTO]),
        _ => rate(key, toml, most).map(|rate| Value::AutoRate(Some(rate))),
    }
}

/// What a length may be measured in: the unit, and how many units make a metre, or the whole of the bounds.
pub const LENGTHS: [(&str, f64); 4] = [("mm", 1000.0), ("cm", 100.0), ("m", 1.0), ("%", 100.0)];

/// The longest number of a length: no exponent is hidden in its digits.
pub const LENGTH_DIGITS: usize = 12;

/// A length: digits with or without a fraction, then a unit.
fn length(key: &Key, toml: &Toml) -> Read {
    let text = match toml.get_ref() {
        DeValue::String(word) if word == "none" => return Ok(Value::Length(None)),
        DeValue::String(text) => text.as_ref(),
        DeValue::Integer(n) if n.radix() == 10 => return Err(no_length_unit(key, toml, n.as_str())),
        DeValue::Float(n) => return Err(no_length_unit(key, toml, n.as_str())),
        _ => return Err(wrong_type(key, toml)),
    };
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (digits, unit) = (&text[..split], text[split..].trim());
    let plain = digits.split('.').all(|part| (1..=LENGTH_DIGITS).contains(&part.len()));
    let number = digits.parse::<f64>().ok().filter(|number| plain && *number > 0.0);
    let Some(number) = number else {
        let message = format!("`{}` cannot be {text:?}: it must be {}", key.name, key.kind.says());
        return Err(bad_value(toml, message, example(key)));
    };
    match LENGTHS.iter().find(|(name, _)| *name == unit) {
        Some(("%", factor)) => Ok(Value::Length(Some(Length::OfBounds(number / factor)))),
        Some((_, factor)) => Ok(Value::Length(Some(Length::Units(number / factor)))),
        None if unit.is_empty() => Err(no_length_unit(key, toml, text)),
        None => {
            let message = format!("lengths have no unit `{unit}`");
            let units = listed(LENGTHS.map(|(unit, _)| unit));
            let help = format!("the units are {units}; `%` is of the diagonal of the clip's bounds");
            Err(bad_unit(toml, message, help))
        }
    }
}

fn no_length_unit(key: &Key, toml: &Toml, text: &str) -> Box<Fault> {
    let help = format!(
        "write `\"{text}mm\"` for millimetres, `cm`, `m`, or `%` of the clip's bounds; {}",
        example(key)
    );
    bad_unit(toml, format!("the length {text} has no unit"), help)
}

fn integer(key: &Key, toml: &Toml, least: u32, most: u32) -> Read<u32> {
    let DeValue::Integer(integer) = toml.get_ref() else { return Err(wrong_type(key, toml)) };
    let number = whole(integer).and_then(|n| u32::try_from(n).ok());
    let number = number.filter(|n| (least..=most).contains(n));
    number.ok_or_else(|| out_of_range(key, toml, integer))
}

fn level(key: &Key, toml: &Toml) -> Read {
    match toml.get_ref() {
        DeValue::Boolean(flag) => Ok(Value::Level(flag.then_some(ZSTD_LEVEL))),
        DeValue::Integer(_) => integer(key, toml, 1, 22).map(|level| Value::Level(Some(level))),
        _ => Err(wrong_type(key, toml)),
    }
}

fn word(key: &Key, toml: &Toml, words: &'static [&'static str]) -> Read {
    let Some(found) = toml.get_ref().as_str() else { return Err(wrong_type(key, toml)) };
    if let Some(word) = words.iter().find(|word| **word == found) {
        return Ok(Value::Word(word));
    }
    let message = format!("`{}` cannot be {found:?}", key.name);
    let help = match nearest(found, words.iter().copied()) {
        Some(near) => format!("did you mean `\"{near}\"`? It must be {}", key.kind.says()),
        None => format!("it must be {}", key.kind.says()),
    };
    Err(bad_value(toml, message, help))
}

fn format(key: &Key, toml: &Toml) -> Read {
    let Some(found) = toml.get_ref().as_str() else { return Err(wrong_type(key, toml)) };
    if found == AUTO {
        return Ok(Value::Format(FormatChoice::Auto));
    }
    let names = format_names();
    if let Some(named) = FORMATS.iter().find(|format| format.name == found) {
        return Ok(Value::Format(FormatChoice::Fixed(named.format)));
    }
    let lower = found.to_lowercase();
    let exist = format!("the formats are {}, and `\"auto\"` chooses", listed(names));
    if lower.contains("srgb") {
        let message = format!("{found:?} is a format for colours, and positions are data");
        let help = format!("a GPU would bend every position with the sRGB curve; {exist}");
        return Err(bad_value(toml, message, help));
    }
    if lower == "rg8" {
        let message = "\"rg8\" has two channels, and a position has three".to_owned();
        return Err(bad_value(toml, message, exist));
    }
    let help = match nearest(found, names.into_iter().chain([AUTO])) {
        Some(near) => format!("did you mean `\"{near}\"`? {}{}", exist[..1].to_uppercase(), &exist[1..]),
        None => exist,
    };
    Err(bad_value(toml, format!("there is no format {found:?}"), help))
}

fn path(key: &Key, toml: &Toml) -> Read {
    let Some(found) = toml.get_ref().as_str() else { return Err(wrong_type(key, toml)) };
    if found.is_empty() {
        return Err(bad_value(toml, format!("`{}` is empty", key.name), example(key)));
    }
    if found.contains('\\') {
        let help = format!("write {:?}: forward slashes are right on Windows too", found.replace('\\', "/"));
        return Err(bad_value(toml, format!("`{}` contains a backslash", key.name), help));
    }
    if let Some(bad) = found.chars().find(|c| c.is_control()) {
        let message = format!("`{}` contains the control character {bad:?}", key.name);
        return Err(bad_value(toml, message, example(key)));
    }
    Ok(Value::Path(found.to_owned()))
}

fn word_list(key: &Key, toml: &Toml, words: &'static [&'static str]) -> Read<Vec<&'static str>> {
    let DeValue::Array(items) = toml.get_ref() else { return Err(wrong_type(key, toml)) };
    let mut found = Vec::new();
    for item in items.iter() {
        if let Value::Word(word) = word(key, item, words)? {
            if found.contains(&word) {
                return Err(bad_value(item, format!("{word:?} is listed twice"), "remove one of them"));
            }
            found.push(word);
        }
    }
    Ok(found)
}

fn targets(key: &Key, toml: &Toml) -> Read {
    let DeValue::Array(items) = toml.get_ref() else { return Err(wrong_type(key, toml)) };
    let mut targets: Vec<(String, Range<usize>)> = Vec::new();
    for item in items.iter() {
        let Some(name) = item.get_ref().as_str() else { return Err(wrong_type(key, item)) };
        if let Err(why) = names::target(name) {
            return Err(bad_value(item, format!("{name:?} cannot be the name of a target"), why));
        }
        if targets.iter().any(|(other, _)| other == name) {
            let message = format!("the target {name:?} is listed twice");
            return Err(bad_value(item, message, "remove one of them"));
        }
        targets.push((name.to_owned(), item.span()));
    }
    Ok(Value::Targets(targets))
}

fn selector(key: &Key, toml: &Toml) -> Read<Selector> {
    match toml.get_ref() {
        DeValue::String(name) => match names::clip(name) {
            Ok(()) => Ok(Selector::Name(name.to_string())),
            Err(why) => Err(bad_value(toml, format!("{name:?} cannot be a name"), why)),
        },
        DeValue::Integer(integer) => {
            let index = whole(integer).and_then(|n| u32::try_from(n).ok());
            let index = index.ok_or_else(|| out_of_range(key, toml, integer))?;
            Ok(Selector::Index(index as usize))
        }
        _ => Err(wrong_type(key, toml)),
    }
}

fn clips(key: &Key, toml: &Toml) -> Read {
    let items = match toml.get_ref() {
        DeValue::String(word) if word == "all" => return Ok(Value::Clips(None)),
        DeValue::String(word) => {
            let message = format!("`{}` must be {}", key.name, key.kind.says());
            let help = match nearest(word, ["all"]) {
                Some(_) => "did you mean `\"all\"`?".to_owned(),
                None => format!("a single clip is a list too: `{} = [{word:?}]`", key.name),
            };
            return Err(bad_value(toml, message, help));
        }
        DeValue::Array(items) => items,
        _ => return Err(wrong_type(key, toml)),
    };
    if items.is_empty() {
        let help = "list the clips, or write `\"all\"`";
        return Err(bad_value(toml, format!("`{}` lists no clip", key.name), help));
    }
    let mut clips: Vec<(Selector, Range<usize>)> = Vec::new();
    for item in items.iter() {
        let clip = selector(key, item)?;
        if clips.iter().any(|(other, _)| *other == clip) {
            let message = format!("the clip {clip} is listed twice");
            return Err(bad_value(item, message, "to bake a clip twice, give it two tables with `from`"));
        }
        clips.push((clip, item.span()));
    }
    Ok(Value::Clips(Some(clips)))
}

fn times(key: &Key, toml: &Toml) -> Read {
    let DeValue::Array(items) = toml.get_ref() else { return Err(wrong_type(key, toml)) };
    let [first, second] = items.as_ref() else {
        let message = format!("`{}` must be two times, not {}", key.name, items.len());
        return Err(bad_value(toml, message, example(key)));
    };
    let (start, end) = (seconds(key, first)?, seconds(key, second)?);
    if start < end {
        return Ok(Value::Times(start, end));
    }
    let message = format!("`{}` ends at {end} s, which is not after its start at {start} s", key.name);
    let problem = Problem::error("manifest::range", message).help("write the earlier time first");
    Err(Box::new((problem, toml.span())))
}

/// A time: digits with or without a fraction, then `s` or `ms`.
fn seconds(key: &Key, toml: &Toml) -> Read<f64> {
    let text = match toml.get_ref() {
        DeValue::String(text) => text.as_ref(),
        DeValue::Integer(n) if n.radix() == 10 => return Err(no_unit(toml, n.as_str())),
        DeValue::Float(n) => return Err(no_unit(toml, n.as_str())),
        _ => return Err(wrong_type(key, toml)),
    };
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = (&text[..split], text[split..].trim());
    let plain = number.split('.').all(|digits| !digits.is_empty());
    let (true, Ok(number)) = (plain, number.parse::<f64>()) else {
        return Err(bad_value(toml, format!("{text:?} is not a time"), example(key)));
    };
    match unit {
        "s" => Ok(number),
        "ms" => Ok(number / 1000.0),
        "" => Err(no_unit(toml, text)),
        _ => {
            let message = format!("times have no unit `{unit}`");
            let near = nearest_unit(unit).map_or(String::new(), |near| format!("did you mean `{near}`? "));
            Err(bad_unit(toml, message, format!("{near}The units are `s` and `ms`")))
        }
    }
}

fn bad_unit(toml: &Toml, message: String, help: String) -> Box<Fault> {
    Box::new((Problem::error("manifest::unit", message).help(help), toml.span()))
}

fn no_unit(toml: &Toml, text: &str) -> Box<Fault> {
    let help = format!("write `\"{text}s\"` for seconds, or `ms`");
    bad_unit(toml, format!("the time {text} has no unit"), help)
}

fn nearest_unit(unit: &str) -> Option<&'static str> {
    match unit.to_lowercase().as_str() {
        "s" | "sec" | "secs" | "second" | "seconds" => Some("s"),
        "ms" | "msec" | "msecs" | "millisecond" | "milliseconds" => Some("ms"),
        _ => None,
    }
}

/// A whole number and its unit, such as `"10GiB"`.
fn amount(key: &Key, toml: &Toml, units: &[(&str, u64)]) -> Read<u64> {
    let text = match toml.get_ref() {
        DeValue::String(text) => text.as_ref(),
        DeValue::Integer(n) if n.radix() == 10 => {
            let message = format!("`{}` has no unit", key.name);
            return Err(bad_unit(toml, message, example(key)));
        }
        _ => return Err(wrong_type(key, toml)),
    };
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = (&text[..split], text[split..].trim());
    let number = digits.parse::<u64>().ok().filter(|number| *number > 0 && digits.len() <= AMOUNT_DIGITS);
    let Some(number) = number else {
        let message = format!("`{}` cannot be {text:?}: it must be {}", key.name, key.kind.says());
        return Err(bad_value(toml, message, example(key)));
    };
    match units.iter().find(|(name, _)| *name == unit) {
        Some((_, factor)) => Ok(number * factor),
        None => {
            let message = format!("`{}` cannot be {text:?}: it has no unit `{unit}`", key.name);
            let help = format!("the units are {}", listed(units.iter().map(|(name, _)| *name)));
            Err(bad_unit(toml, message, help))
        }
    }
}
