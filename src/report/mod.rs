//! What was baked → one HTML page that needs nothing else: no network, no other file.
//!
//! Input: a [`Study`] a character. Output: the text of the page. It depends on them alone: the same bakes give the same
//! bytes. What can go wrong: nothing, names are escaped and numbers that are missing are not shown.

mod chart;
mod page;

use crate::bake::Choice;
use crate::metadata::Character;
use crate::problem::Result;

/// All that a page says of one character.
#[derive(Clone, Debug)]
pub struct Study {
    /// What was baked.
    pub character: Character,
    /// Its files, and their bytes on disk.
    pub files: Vec<(String, u64)>,
    /// Its clips, in the order of the metadata.
    pub clips: Vec<ClipStudy>,
}

/// What is known of a clip beyond the metadata.
#[derive(Clone, Debug)]
pub struct ClipStudy {
    /// What was measured, and what was taken, for each set of levels of detail.
    pub choices: Vec<Choice>,
    /// From frame to frame: seconds from the start, and the largest error of positions from there to the next, model
    /// units.
    pub moments: Vec<[f64; 2]>,
    /// The largest distance of a vertex between the end of the clip and its start, model units.
    pub seam: f64,
    /// Frames side by side, as a PNG file.
    pub strip: Vec<u8>,
    /// What is under each of them.
    pub captions: Vec<String>,
    /// The error at the bright end of the scale of colours, model units.
    pub scale: f64,
}

/// The page.
///
/// # Errors
/// None that a study can cause; the template's own would be a fault of ours.
pub fn page(studies: &[Study]) -> Result<String> {
    page::render(studies)
}
