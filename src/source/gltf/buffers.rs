//! Buffers and buffer views: where the bytes are. A buffer is loaded when the first accessor needs
//! it, so a file of images is never opened.

use std::borrow::Cow;
use std::collections::BTreeMap;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::budget::Budget;
use super::json::Element;
use super::meshopt;
use crate::problem::{Place, Problem, Result};

/// Reads an external buffer, given its URI as written in the file.
pub type Resolve<'r> = dyn FnMut(&str) -> Result<Vec<u8>> + 'r;

/// The buffers of a file, as far as they have been needed.
pub struct Buffers<'a, 'r> {
    root: Element<'a>,
    bin: Option<&'a [u8]>,
    resolve: &'r mut Resolve<'r>,
    /// Failures too are kept: a missing file is looked for once.
    loaded: BTreeMap<usize, Result<Cow<'a, [u8]>>>,
    decoded: BTreeMap<usize, Result<Vec<u8>>>,
    /// What may still be decoded.
    pub budget: Budget,
}

/// A buffer view that has been checked: the bytes are there.
#[derive(Clone, Copy, Debug)]
pub struct View {
    bytes: Bytes,
    /// From one element to the next, if the file says so.
    pub stride: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
enum Bytes {
    Plain { buffer: usize, start: usize, len: usize },
    Decoded { view: usize },
}

impl<'a, 'r> Buffers<'a, 'r> {
    /// None is loaded yet.
    pub fn new(
        root: Element<'a>,
        bin: Option<&'a [u8]>,
        resolve: &'r mut Resolve<'r>,
        budget: Budget,
    ) -> Self {
        Self { root, bin, resolve, loaded: BTreeMap::new(), decoded: BTreeMap::new(), budget }
    }

    /// Looks a view up and makes its bytes available. The index is in range.
    pub fn view(&mut self, index: usize) -> Result<View> {
        let root = self.root.clone();
        let Some(element) = root.item("bufferViews", index) else {
            return Err(root.error("source::index", format!("there is no buffer view {index}")));
        };
        if let Some(compressed) = meshopt::extension(&element) {
            return self.compressed(index, &compressed);
        }
        let (buffer, start, len) = self.range(&element)?;
        let stride = element.uint("byteStride")?;
        if stride == Some(0) {
            return Err(element.error("source::buffer", "`byteStride` is 0"));
        }
        let stride = stride.map(|s| usize::try_from(s).unwrap_or(usize::MAX));
        Ok(View { bytes: Bytes::Plain { buffer, start, len }, stride })
    }

    /// The bytes of a view that [`view`](Self::view) returned.
    pub fn bytes(&self, view: &View) -> &[u8] {
        let bytes = match view.bytes {
            Bytes::Plain { buffer, start, len } => match self.loaded.get(&buffer) {
                Some(Ok(data)) => data.get(start..start + len),
                _ => None,
            },
            Bytes::Decoded { view } => match self.decoded.get(&view) {
                Some(Ok(data)) => Some(&data[..]),
                _ => None,
            },
        };
        bytes.unwrap_or_default()
    }

    fn compressed(&mut self, index: usize, element: &Element<'a>) -> Result<View> {
        if !self.decoded.contains_key(&index) {
            let decoded = self.decode(element);
            self.decoded.insert(index, decoded);
        }
        match &self.decoded[&index] {
            Ok(_) => {
                let stride = element.uint("byteStride")?.and_then(|s| usize::try_from(s).ok());
                Ok(View { bytes: Bytes::Decoded { view: index }, stride })
            }
            Err(problem) => Err(problem.clone()),
        }
    }

    fn decode(&mut self, element: &Element<'a>) -> Result<Vec<u8>> {
        let plan = meshopt::plan(element)?;
        let (buffer, start, len) = self.range(element)?;
        self.budget.spend(Some(plan.size().div_ceil(4)), element)?;
        let view = View { bytes: Bytes::Plain { buffer, start, len }, stride: None };
        meshopt::decode(element, &plan, self.bytes(&view))
    }

    /// Buffer, first byte and length of a view, inside the buffer.
    fn range(&mut self, element: &Element<'a>) -> Result<(usize, usize, usize)> {
        let buffers = self.root.count("buffers");
        let buffer = element.need("buffer")?.as_index("buffers", buffers)?;
        let start = element.uint("byteOffset")?.unwrap_or(0);
        let len = element.need("byteLength")?.as_uint()?;
        if !self.loaded.contains_key(&buffer) {
            let data = self.load(buffer);
            self.loaded.insert(buffer, data);
        }
        let have = match &self.loaded[&buffer] {
            Ok(data) => data.len() as u64,
            Err(problem) => return Err(problem.clone()),
        };
        match start.checked_add(len) {
            Some(end) if end <= have => Ok((buffer, start as usize, len as usize)),
            _ => {
                let message = format!(
                    "the view has {len} bytes from byte {start} of buffer {buffer}, which has {have}"
                );
                Err(element.error("source::buffer", message))
            }
        }
    }

    /// The bytes of a buffer, exactly `byteLength` of them.
    fn load(&mut self, index: usize) -> Result<Cow<'a, [u8]>> {
        let Some(element) = self.root.item("buffers", index) else {
            return Err(self.root.error("source::index", format!("there is no buffer {index}")));
        };
        let want = element.need("byteLength")?.as_uint()?;
        let data = match element.string("uri")? {
            Some(uri) if is_data(uri) => {
                Cow::Owned(data_uri(uri).map_err(|why| element.error("source::uri", why))?)
            }
            Some(uri) => {
                let data = (self.resolve)(uri).map_err(|p| placed(p, &element))?;
                self.budget.earn(data.len());
                Cow::Owned(data)
            }
            None => Cow::Borrowed(self.bin.filter(|_| index == 0).ok_or_else(|| homeless(&element))?),
        };
        let have = data.len() as u64;
        if have < want {
            let message = format!("the buffer should have {want} bytes, and has {have}");
            return Err(element
                .error("source::buffer", message)
                .help("the file is incomplete, or it belongs to another version of the model"));
        }
        let want = want as usize;
        Ok(match data {
            Cow::Borrowed(data) => Cow::Borrowed(&data[..want]),
            Cow::Owned(mut data) => {
                data.truncate(want);
                Cow::Owned(data)
            }
        })
    }
}

/// Says which element named a file that could not be read.
fn placed(mut problem: Problem, element: &Element) -> Problem {
    if problem.place == Place::Nowhere {
        problem.place = element.place();
    }
    problem
}

fn homeless(element: &Element) -> Problem {
    let message = "the buffer has neither a `uri` nor a binary chunk in this file";
    element
        .error("source::buffer", message)
        .help("it may be the uncompressed copy of compressed data, and the compressed data is not there")
}

fn is_data(uri: &str) -> bool {
    uri.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

/// Decodes `data:[media type][;base64],...` (RFC 2397). The result is never longer than the text.
fn data_uri(uri: &str) -> Result<Vec<u8>, String> {
    let Some((head, body)) = uri[5..].split_once(',') else {
        return Err("the data URI has no comma".to_owned());
    };
    let bytes: Vec<u8> = percent_encoding::percent_decode_str(body).collect();
    if !head.to_ascii_lowercase().ends_with(";base64") {
        return Ok(bytes);
    }
    let lenient = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    GeneralPurpose::new(&STANDARD, lenient)
        .decode(bytes)
        .map_err(|e| format!("the data URI is no base64: {e}"))
}
