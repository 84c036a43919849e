//! The clips of a character as text: of each but the first only what is said otherwise than of the first.
//!
//! The clips of a character share their mesh, their skeleton and most settings, and the record is read and written as a
//! whole after each edit.

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::Clip;

type Fields = Map<String, Value>;

#[derive(Serialize, Deserialize)]
struct Line {
    name: String,
    key: Fields,
}

/// Writes clips.
pub fn serialize<S: Serializer>(clips: &[Clip], serializer: S) -> Result<S::Ok, S::Error> {
    let mut lines: Vec<Line> = Vec::with_capacity(clips.len());
    let mut first = None;
    for Clip { name, key } in clips {
        let Ok(Value::Object(key)) = serde_json::to_value(key) else {
            return Err(S::Error::custom("a key is an object"));
        };
        let key = match &first {
            None => first.insert(key).clone(),
            Some(first) => without(key, first),
        };
        lines.push(Line { name: name.clone(), key });
    }
    lines.serialize(serializer)
}

/// Reads them.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Clip>, D::Error> {
    let mut lines = Vec::<Line>::deserialize(deserializer)?.into_iter();
    let Some(first) = lines.next() else { return Ok(Vec::new()) };
    let clip = |name: String, key: Fields| {
        let key = serde_json::from_value(Value::Object(key)).map_err(D::Error::custom)?;
        Ok(Clip { name, key })
    };
    let others: Vec<Line> =
        lines.map(|line| Line { key: with(line.key, &first.key), name: line.name }).collect();
    std::iter::once(first).chain(others).map(|line| clip(line.name, line.key)).collect()
}

/// What is otherwise than in `first`; what only `first` has is `null`.
fn without(key: Fields, first: &Fields) -> Fields {
    let gone: Vec<String> = first.keys().filter(|name| !key.contains_key(*name)).cloned().collect();
    let others = key.into_iter().filter(|(name, value)| first.get(name) != Some(value));
    others.chain(gone.into_iter().map(|name| (name, Value::Null))).collect()
}

/// The reverse of [`without`]. A field that may be `null` is so too where it is not there.
fn with(key: Fields, first: &Fields) -> Fields {
    let mut whole = first.clone();
    for (name, value) in key {
        if value.is_null() {
            whole.remove(&name);
        } else {
            whole.insert(name, value);
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str) -> Fields {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn what_is_the_same_is_said_once() {
        let first = fields(r#"{ "a": 1, "b": [1, 2], "c": null, "d": true }"#);
        for (key, short) in [
            (r#"{ "a": 1, "b": [1, 2], "c": null, "d": true }"#, "{}"),
            (r#"{ "a": 2, "b": [1, 2], "c": null, "d": true }"#, r#"{"a":2}"#),
            (r#"{ "a": 1, "b": [2], "c": 3, "d": true, "e": 4 }"#, r#"{"b":[2],"c":3,"e":4}"#),
            (r#"{ "a": 1, "b": [1, 2], "c": null }"#, r#"{"d":null}"#),
        ] {
            let key = fields(key);
            let lean = without(key.clone(), &first);
            assert_eq!(serde_json::to_string(&lean).unwrap(), short);
            // `null` and absent are one for optional fields.
            let some = |fields: Fields| fields.into_iter().filter(|(_, v)| !v.is_null()).collect::<Vec<_>>();
            let mut back = some(with(lean, &first));
            let mut whole = some(key);
            back.sort_by(|a, b| a.0.cmp(&b.0));
            whole.sort_by(|a, b| a.0.cmp(&b.0));
            assert_eq!(back, whole);
        }
    }
}
