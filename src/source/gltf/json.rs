//! Reading a JSON document whose every fault is reported with its pointer.
//!
//! glTF is read from the document tree, not into the types of a glTF crate: those refuse whole
//! files over things that never matter here (a channel without a node, an image without a source),
//! and say a line and a column where an artist needs the element.

use std::path::Path;

use serde_json::Value;

use crate::problem::{Place, Problem, Result};

/// A value in the document, and where it is.
#[derive(Clone, Debug)]
pub struct Element<'a> {
    file: &'a Path,
    value: &'a Value,
    pointer: String,
}

/// Parses the text of a document. `serde_json` bounds the nesting (128) and refuses numbers that no
/// double holds, so neither recursion over the tree nor an infinity in it has to be feared.
pub fn parse(text: &[u8], file: &Path) -> Result<Value> {
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    if let Err(e) = std::str::from_utf8(text) {
        let message = format!("the JSON is not valid UTF-8 at byte {}", e.valid_up_to());
        return Err(Problem::error("source::json", message)
            .in_file(file)
            .help("the file is damaged or was written by a broken exporter: export it again"));
    }
    serde_json::from_slice(text).map_err(|e| {
        Problem::error("source::json", format!("the JSON cannot be read: {e}"))
            .in_file(file)
            .help("the file is damaged, incomplete or no glTF: export it again")
    })
}

impl<'a> Element<'a> {
    /// The document itself.
    pub fn root(file: &'a Path, value: &'a Value) -> Self {
        Self { file, value, pointer: String::new() }
    }

    /// An error here.
    pub fn error(&self, code: &'static str, message: impl Into<String>) -> Problem {
        Problem::error(code, message).at(self.place())
    }

    /// A warning here.
    pub fn warning(&self, code: &'static str, message: impl Into<String>) -> Problem {
        Problem::warning(code, message).at(self.place())
    }

    /// Where this is.
    pub fn place(&self) -> Place {
        Place::Json { file: self.file.to_owned(), pointer: self.pointer.clone() }
    }

    /// The value of a property; `None` if it is absent or `null`.
    pub fn get(&self, key: &str) -> Option<Element<'a>> {
        let value = self.value.get(key).filter(|v| !v.is_null())?;
        let key = key.replace('~', "~0").replace('/', "~1");
        Some(Element { file: self.file, value, pointer: format!("{}/{key}", self.pointer) })
    }

    /// The value of a property that must be there.
    pub fn need(&self, key: &str) -> Result<Element<'a>> {
        self.get(key).ok_or_else(|| self.error("source::json", format!("`{key}` is missing")))
    }

    /// How many entries an array property has; 0 if there is none.
    pub fn count(&self, key: &str) -> usize {
        self.value.get(key).and_then(Value::as_array).map_or(0, Vec::len)
    }

    /// One entry of an array property.
    pub fn item(&self, key: &str, index: usize) -> Option<Element<'a>> {
        let value = self.value.get(key)?.as_array()?.get(index)?;
        Some(Element { file: self.file, value, pointer: format!("{}/{key}/{index}", self.pointer) })
    }

    /// The entries of an array property; none if it is absent. One after the other: lists are the largest
    /// part of a large document.
    pub fn items(&self, key: &str) -> Result<impl ExactSizeIterator<Item = Element<'a>> + use<'a>> {
        let list = self.get(key);
        let entries = match &list {
            None => &[][..],
            Some(e) => e.value.as_array().ok_or_else(|| e.wrong("an array"))?,
        };
        let (file, list) = (self.file, list.map(|e| e.pointer).unwrap_or_default());
        Ok(entries.iter().enumerate().map(move |(i, value)| Element {
            file,
            value,
            pointer: format!("{list}/{i}"),
        }))
    }

    /// The names and values of an object's properties, in the order of the document.
    pub fn properties(&self) -> Result<Vec<(&'a str, Element<'a>)>> {
        let map = self.value.as_object().ok_or_else(|| self.wrong("an object"))?;
        Ok(map.keys().filter_map(|key| Some((key.as_str(), self.get(key)?))).collect())
    }

    /// The extension of that name on this element.
    pub fn extension(&self, name: &str) -> Option<Element<'a>> {
        self.get("extensions")?.get(name)
    }

    /// Fails if this is no object.
    pub fn expect_object(&self) -> Result<()> {
        if self.value.is_object() { Ok(()) } else { Err(self.wrong("an object")) }
    }

    /// This as a whole number from 0. `3.0` counts as one, as JSON Schema says.
    pub fn as_uint(&self) -> Result<u64> {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        let whole = |x: f64| (0.0..=EXACT).contains(&x) && x.fract() == 0.0;
        match self.value {
            Value::Number(n) => n.as_u64().or_else(|| n.as_f64().filter(|&x| whole(x)).map(|x| x as u64)),
            _ => None,
        }
        .ok_or_else(|| self.wrong("a whole number from 0"))
    }

    /// This as an index into the document's array `list`.
    pub fn as_index(&self, list: &str, len: usize) -> Result<usize> {
        let index = self.as_uint()?;
        match usize::try_from(index) {
            Ok(i) if i < len => Ok(i),
            _ => {
                Err(self
                    .error("source::index", format!("index {index} into `{list}`, which has {len} entries")))
            }
        }
    }

    /// This as a string.
    pub fn as_str(&self) -> Result<&'a str> {
        self.value.as_str().ok_or_else(|| self.wrong("a string"))
    }

    /// A whole number from 0.
    pub fn uint(&self, key: &str) -> Result<Option<u64>> {
        self.get(key).map(|e| e.as_uint()).transpose()
    }

    /// An index into an array of `len` entries called `list`.
    pub fn index(&self, key: &str, list: &str, len: usize) -> Result<Option<usize>> {
        self.get(key).map(|e| e.as_index(list, len)).transpose()
    }

    /// A string.
    pub fn string(&self, key: &str) -> Result<Option<&'a str>> {
        self.get(key).map(|e| e.as_str()).transpose()
    }

    /// The name of the element; empty if it has none.
    pub fn name(&self) -> String {
        self.string("name").ok().flatten().unwrap_or_default().to_owned()
    }

    /// A boolean, `default` if absent.
    pub fn flag(&self, key: &str, default: bool) -> Result<bool> {
        self.get(key).map_or(Ok(default), |e| e.value.as_bool().ok_or_else(|| e.wrong("true or false")))
    }

    /// A number.
    pub fn number(&self, key: &str) -> Result<Option<f64>> {
        self.get(key).map(|e| e.value.as_f64().ok_or_else(|| e.wrong("a number"))).transpose()
    }

    /// An array of `N` numbers.
    pub fn numbers<const N: usize>(&self, key: &str) -> Result<Option<[f64; N]>> {
        let Some(list) = self.list(key)? else { return Ok(None) };
        let found = list.len();
        match list.try_into() {
            Ok(numbers) => Ok(Some(numbers)),
            Err(_) => {
                let message = format!("`{key}` has {found} numbers, and must have {N}");
                Err(self.error("source::json", message))
            }
        }
    }

    /// An array of numbers.
    pub fn list(&self, key: &str) -> Result<Option<Vec<f64>>> {
        let Some(e) = self.get(key) else { return Ok(None) };
        let numbers = e.value.as_array().and_then(|a| a.iter().map(Value::as_f64).collect());
        numbers.map(Some).ok_or_else(|| e.wrong("an array of numbers"))
    }

    fn wrong(&self, wanted: &str) -> Problem {
        let found = match self.value {
            Value::Null => "null".to_owned(),
            Value::Bool(b) => b.to_string(),
            Value::Number(n) => n.to_string(),
            Value::String(_) => "a string".to_owned(),
            Value::Array(_) => "an array".to_owned(),
            Value::Object(_) => "an object".to_owned(),
        };
        self.error("source::json", format!("{wanted} is expected here, not {found}"))
    }
}
