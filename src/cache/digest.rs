//! Digests of bytes and of fields.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// 32 bytes of BLAKE3.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The digest of the bytes of all parts, one after the other, taken by all cores.
    pub fn of_parts(parts: &[impl AsRef<[u8]>]) -> Self {
        let mut hasher = blake3::Hasher::new();
        parts.iter().for_each(|part| add(&mut hasher, part.as_ref()));
        Self::from_hasher(&hasher)
    }

    /// The 32 bytes.
    pub(super) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// A digest that was taken once.
    pub(super) fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The digest of the bytes that a hasher was given.
    pub(super) fn from_hasher(hasher: &blake3::Hasher) -> Self {
        Self(*hasher.finalize().as_bytes())
    }
}

/// Adds many bytes, by all cores where there are threads for it.
pub(super) fn add(hasher: &mut blake3::Hasher, bytes: &[u8]) {
    #[cfg(feature = "bake")]
    hasher.update_rayon(bytes);
    #[cfg(not(feature = "bake"))]
    hasher.update(bytes);
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(blake3::Hash::from_bytes(self.0).to_hex().as_str())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = blake3::HexError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        blake3::Hash::from_hex(text).map(|hash| Self(*hash.as_bytes()))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// A digest of fields, one after the other. Every field has its length in front of it, so that no
/// two lists of fields are the same bytes.
#[derive(Clone, Debug)]
pub struct Fields(blake3::Hasher);

impl Fields {
    /// A digest for one purpose: with another `context` the same fields have another digest.
    pub fn new(context: &str) -> Self {
        Self(blake3::Hasher::new_derive_key(context))
    }

    /// Adds bytes.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// Adds a text.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    /// Adds a whole number.
    pub fn number(&mut self, number: u64) -> &mut Self {
        self.0.update(&number.to_le_bytes());
        self
    }

    /// Adds a truth.
    pub fn flag(&mut self, flag: bool) -> &mut Self {
        self.number(flag.into())
    }

    /// Adds the bits of a number. Zero has two signs here, as a texel of floats can have.
    pub fn float(&mut self, value: f64) -> &mut Self {
        self.number(value.to_bits())
    }

    /// Adds the bits of numbers.
    pub fn floats(&mut self, values: &[f32]) -> &mut Self {
        self.number(values.len() as u64);
        // In pieces: an update a number would cost more than the hash.
        let mut buffer = [0u8; 4096];
        for chunk in values.chunks(buffer.len() / 4) {
            for (out, value) in buffer.chunks_exact_mut(4).zip(chunk) {
                out.copy_from_slice(&value.to_bits().to_le_bytes());
            }
            self.0.update(&buffer[..chunk.len() * 4]);
        }
        self
    }

    /// Adds whole numbers.
    pub fn numbers(&mut self, values: impl ExactSizeIterator<Item = u32>) -> &mut Self {
        self.number(values.len() as u64);
        values.for_each(|value| {
            self.0.update(&value.to_le_bytes());
        });
        self
    }

    /// Adds another digest.
    pub fn digest(&mut self, digest: Digest) -> &mut Self {
        self.0.update(&digest.0);
        self
    }

    /// The digest so far.
    pub fn finish(&self) -> Digest {
        Digest(*self.0.finalize().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_do_not_run_into_each_other() {
        let of =
            |fields: &[&str]| fields.iter().fold(&mut Fields::new("test"), |all, f| all.text(f)).finish();
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_ne!(of(&["", "a"]), of(&["a", ""]));
        assert_ne!(of(&["a"]), Fields::new("other").text("a").finish());
    }

    #[test]
    fn digests_are_texts_and_back() {
        let digest = Digest::of(b"vat");
        assert_eq!(digest.to_string().parse::<Digest>().unwrap(), digest);
        assert_eq!(serde_json::from_str::<Digest>(&serde_json::to_string(&digest).unwrap()).unwrap(), digest);
        assert!("zz".parse::<Digest>().is_err());
    }
}
