//! [`KEYS`](super::keys::KEYS) → JSON Schema, for editors that help with `vat.toml`.

use serde_json::{Map, Value, json};

use super::keys::{Key, Kind, Section};
use super::lods::TARGETS as TARGET_KEYS;
use super::values::{AGES, AMOUNT_DIGITS, AUTO, FORMATS, LENGTH_DIGITS, LENGTHS, SIZES, format_names};
use super::{TARGETS, names};

/// Control characters, for a class of a pattern. Not `\p{Cc}`: validators in Python have no such classes.
const CONTROL: &str = r"\u0000-\u001f\u007f-\u009f";
/// What no name of a character has, for a class of a pattern: of ASCII and Latin-1 all but letters, digits, `_`, `-`,
/// `.` and the space, then general punctuation, arrows, mathematical and technical symbols, and private use.
const NO_NAME: &str = r"\u0000-\u001f!-,/:-@\[-^`{-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7\u2000-\u206f\u2190-\u23ff\u3000-\u3004\ue000-\uf8ff\ufff0-\uffff";

/// The JSON Schema (draft 2020-12) of `vat.toml`. It refuses what [`load`](super::load) refuses, but for what a
/// schema cannot say: names that differ only by case or are reserved, rare symbols in a character's name, and
/// a range that ends before it starts.
pub fn schema() -> Value {
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "vat.toml",
        "description": "What vatpipe bakes: characters, their clips, and where the outputs go.",
    });
    extend(&mut schema, section(Section::Root));
    let nested = Section::ALL.into_iter().filter(|section| *section != Section::Root);
    let definitions: Map<String, Value> =
        nested.map(|nested| (definition(nested).to_owned(), section(nested))).collect();
    schema["$defs"] = Value::Object(definitions);
    schema
}

fn extend(schema: &mut Value, with: Value) {
    if let (Value::Object(schema), Value::Object(with)) = (schema, with) {
        schema.extend(with);
    }
}

/// The name of a section among the definitions.
fn definition(section: Section) -> &'static str {
    match section {
        Section::Root => "manifest",
        Section::Output => "output",
        Section::Cache => "cache",
        Section::Defaults => "defaults",
        Section::Character => "character",
        Section::Clip => "clip",
        Section::Lod => "lod",
    }
}

fn reference(section: Section) -> Value {
    json!({ "$ref": format!("#/$defs/{}", definition(section)) })
}

/// A table with the keys of a section and no others.
fn section(section: Section) -> Value {
    let properties: Map<String, Value> =
        section.keys().map(|key| (key.name.to_owned(), property(key))).collect();
    let mut schema = json!({ "type": "object", "additionalProperties": false, "properties": properties });
    match section {
        Section::Root => schema["required"] = json!(["characters"]),
        Section::Character => schema["required"] = json!(["source"]),
        Section::Clip => {
            let both = json!({ "required": ["range", "trim"], "properties": { "trim": { "const": true } } });
            schema["not"] = both;
        }
        Section::Output => {
            schema["if"] = json!({ "not": { "required": ["templates"] } });
            schema["then"] = json!({ "properties": { "targets": { "items": { "enum": TARGETS } } } });
        }
        Section::Lod => {
            let one = |key: &str| json!({ "required": [key] });
            schema["oneOf"] = TARGET_KEYS.into_iter().map(one).collect();
            schema["properties"]["error"]["not"] = json!({ "const": "none" });
        }
        Section::Cache | Section::Defaults => {}
    }
    schema
}

fn property(key: &Key) -> Value {
    let mut property = json!({ "description": key.doc });
    extend(&mut property, value(key));
    let json = |text: &str| serde_json::from_str::<Value>(text).ok();
    if let Some(default) = key.default.and_then(json) {
        property["default"] = default;
    }
    if let Some(example) = json(key.example) {
        property["examples"] = json!([example]);
    }
    property
}

/// What the value of a key may be.
fn value(key: &Key) -> Value {
    match key.kind {
        Kind::Table(section) => reference(section),
        Kind::Tables(section) => json!({
            "type": "object",
            "minProperties": if section == Section::Character { 1 } else { 0 },
            "propertyNames": if section == Section::Character { character_name() } else { clip_name() },
            "additionalProperties": reference(section),
        }),
        Kind::List(section) => json!({ "type": "array", "minItems": 1, "items": reference(section) }),
        Kind::Share => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::AutoFlag => json!({ "enum": [true, false, "auto"] }),
        Kind::Rate(most) => json!({ "type": "number", "exclusiveMinimum": 0, "maximum": most }),
        Kind::AutoRate(most) => {
            let rate = json!({ "type": "number", "exclusiveMinimum": 0, "maximum": most });
            json!({ "anyOf": [{ "const": AUTO }, rate] })
        }
        Kind::Length => length(),
        Kind::Integer(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
        Kind::Word(words) => json!({ "enum": words }),
        Kind::Format => format(),
        Kind::Level => {
            json!({ "anyOf": [{ "type": "boolean" }, { "type": "integer", "minimum": 1, "maximum": 22 }] })
        }
        Kind::Path => json!({ "type": "string", "pattern": format!(r"^[^\\{CONTROL}]+$") }),
        Kind::Targets => {
            let other = json!({ "type": "string", "pattern": "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$" });
            let items = json!({ "anyOf": [{ "enum": TARGETS }, other] });
            json!({ "type": "array", "uniqueItems": true, "items": items })
        }
        Kind::Words(words) => json!({ "type": "array", "uniqueItems": true, "items": { "enum": words } }),
        Kind::Selector => selector(),
        Kind::Clips => {
            let list = json!({ "type": "array", "minItems": 1, "uniqueItems": true, "items": selector() });
            json!({ "anyOf": [{ "const": "all" }, list] })
        }
        Kind::Times => {
            let time = json!({ "type": "string", "pattern": r"^[0-9]+(\.[0-9]+)? *(s|ms) *$" });
            json!({ "type": "array", "minItems": 2, "maxItems": 2, "items": time })
        }
        Kind::Size => amount(&SIZES),
        Kind::Age => amount(&AGES),
    }
}

/// A whole number above 0 and a unit.
fn amount(units: &[(&str, u64)]) -> Value {
    let units: Vec<&str> = units.iter().map(|(unit, _)| *unit).collect();
    let pattern = format!(r"^(?!0+[^0-9])[0-9]{{1,{AMOUNT_DIGITS}}}\s*({})\s*$", units.join("|"));
    json!({ "type": "string", "pattern": pattern })
}

/// The formats, each explained where the editor is one that knows Taplo's extension.
fn format() -> Value {
    let names: Vec<&str> = std::iter::once(AUTO).chain(format_names()).collect();
    let auto = "The smallest that keeps `max_error`.";
    let docs: Vec<&str> = std::iter::once(auto).chain(FORMATS.map(|format| format.doc)).collect();
    json!({ "enum": names, "x-taplo": { "docs": { "enumValues": docs } } })
}

/// A number above 0 and a unit, or `none`.
fn length() -> Value {
    let units = LENGTHS.map(|(unit, _)| unit).join("|");
    let digits = format!(r"[0-9]{{1,{LENGTH_DIGITS}}}");
    let pattern = format!(r"^(none|(?![0.]+[^0-9.]){digits}(\.{digits})?\s*({units})\s*)$");
    json!({ "type": "string", "pattern": pattern })
}

fn selector() -> Value {
    let mut name = json!({ "type": "string" });
    extend(&mut name, clip_name());
    json!({ "anyOf": [name, { "type": "integer", "minimum": 0, "maximum": u32::MAX }] })
}

fn clip_name() -> Value {
    json!({ "pattern": format!("^[^{CONTROL}]+$"), "maxLength": names::CLIP_BYTES })
}

fn character_name() -> Value {
    let pattern = format!(r"^[^ .{NO_NAME}]([^{NO_NAME}]*[^ .{NO_NAME}])?$");
    json!({ "pattern": pattern, "maxLength": names::CHARACTER_BYTES })
}
