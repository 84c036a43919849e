//! Fields in the files that are this machine's own, one after the other: numbers of 8 bytes, little-endian, and texts with
//! their length in front.

use super::digest::Digest;

/// Adds a number.
pub fn number(bytes: &mut Vec<u8>, number: u64) {
    bytes.extend(number.to_le_bytes());
}

/// Adds a text.
pub fn text(bytes: &mut Vec<u8>, text: &str) {
    number(bytes, text.len() as u64);
    bytes.extend(text.as_bytes());
}

/// Adds a digest.
pub fn digest(bytes: &mut Vec<u8>, digest: Digest) {
    bytes.extend(digest.bytes());
}

/// Takes fields off the front; `None` where there are none any more.
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// A number.
    pub fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    /// A number of things, each of which takes a byte or more: never more than there can be.
    pub fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.0.len()).then_some(count)
    }

    /// A text.
    pub fn text(&mut self) -> Option<&'a str> {
        let len = usize::try_from(self.number()?).ok()?;
        let (field, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        std::str::from_utf8(field).ok()
    }

    /// A digest.
    pub fn digest(&mut self) -> Option<Digest> {
        let (digest, rest) = self.0.split_first_chunk::<32>()?;
        self.0 = rest;
        Some(Digest::from_bytes(*digest))
    }
}
