//! How hard an encoder of blocks tries.

use serde::{Deserialize, Serialize};

/// How much time an encoder of blocks spends on finding better blocks. Formats that store texels one
/// by one have nothing to search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Quality {
    /// For trying things out.
    Fast,
    /// The default.
    #[default]
    Medium,
    /// For what is shipped.
    Thorough,
    /// The best that there is, many times slower.
    Exhaustive,
}

impl Quality {
    /// All of them, the fastest first.
    pub const ALL: [Quality; 4] = [Quality::Fast, Quality::Medium, Quality::Thorough, Quality::Exhaustive];

    /// The names in the manifest, in the order of [`Self::ALL`].
    pub const NAMES: [&'static str; 4] = ["fast", "medium", "thorough", "exhaustive"];

    /// The name in the manifest.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The quality of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|quality| quality.name() == name)
    }
}
