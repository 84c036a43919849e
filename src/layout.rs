//! Frame counts + column count + limits → [`Layout`]: sheets, layers, bands, rows.
//!
//! Column `k` at frame `f` of a clip is the texel
//!
//! ```text
//! x = k % width      y = first_row + (k / width) * band_rows + f      layer
//! ```
//!
//! One row is one frame. `band_rows` is the frame count plus a guard row, which repeats what
//! follows the last frame (frame 0 when looping, the last frame otherwise), so that a reader may
//! always blend with the next row. What can go wrong: a clip that is taller than a texture may be.

use crate::encode::Format;
use crate::metadata::Holds;
use crate::problem::{Problem, Result};

/// Array layers in one texture that every API grants (`maxTextureArrayLayers` of WebGPU).
pub const MAX_LAYERS: u32 = 256;

/// What is to be placed.
#[derive(Clone, Debug)]
pub struct Request {
    /// Columns of the character, at least 1.
    pub columns: u32,
    /// The largest width and height of a sheet.
    pub max_texture: u32,
    /// Clips in order.
    pub clips: Vec<ClipRequest>,
}

/// A clip to place.
#[derive(Clone, Debug)]
pub struct ClipRequest {
    /// For messages.
    pub name: String,
    /// Frames, at least 1.
    pub frames: u32,
    /// What is stored of it, each in a sheet of that kind.
    pub holds: Vec<(Holds, Format)>,
}

/// Where everything lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Texels in a row, the same in all sheets of a character.
    pub width: u32,
    /// Bands of a clip: `ceil(columns / width)`.
    pub bands: u32,
    /// Textures.
    pub sheets: Vec<Sheet>,
    /// For each clip its tracks, in the order of [`ClipRequest::holds`].
    pub tracks: Vec<Vec<Track>>,
}

/// One texture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// What its texels hold.
    pub holds: Holds,
    /// The texel format.
    pub format: Format,
    /// Rows.
    pub height: u32,
    /// Array layers.
    pub layers: u32,
}

/// Where one clip lies in one sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Track {
    /// Index into [`Layout::sheets`].
    pub sheet: u32,
    /// Array layer.
    pub layer: u32,
    /// The first row.
    pub first_row: u32,
    /// Frames.
    pub frames: u32,
    /// Rows from one band to the next.
    pub band_rows: u32,
}

impl Layout {
    /// Rows that a clip of so many frames takes, all bands together.
    pub fn rows(&self, frames: u32) -> u32 {
        self.bands * band_rows(frames)
    }

    /// The texel of a column at a frame of a track: `[x, y, layer]`.
    pub fn texel(&self, track: &Track, column: u32, frame: u32) -> [u32; 3] {
        let y = track.first_row + (column / self.width) * track.band_rows + frame;
        [column % self.width, y, track.layer]
    }
}

/// Rows of a band of so many frames: the guard row included.
pub fn band_rows(frames: u32) -> u32 {
    frames + 1
}

/// Places all clips.
///
/// # Errors
/// A clip whose rows do not fit in one layer.
pub fn arrange(request: &Request) -> Result<Layout> {
    let bands = request.columns.div_ceil(request.max_texture).max(1);
    // The narrowest width that needs no more bands wastes the least.
    let width = request.columns.div_ceil(bands).max(1);
    for clip in &request.clips {
        check_fits(request, clip, bands)?;
    }
    let mut layout =
        Layout { width, bands, sheets: Vec::new(), tracks: vec![Vec::new(); request.clips.len()] };
    let mut kinds: Vec<(Holds, Format)> = request.clips.iter().flat_map(|c| c.holds.clone()).collect();
    kinds.sort();
    kinds.dedup();
    for kind in kinds {
        place_kind(request, kind, &mut layout);
    }
    // Tracks were added sheet by sheet; the caller wants them as asked.
    for (tracks, clip) in layout.tracks.iter_mut().zip(&request.clips) {
        let kind = |t: &Track| {
            let sheet = &layout.sheets[t.sheet as usize];
            clip.holds.iter().position(|&h| h == (sheet.holds, sheet.format))
        };
        tracks.sort_by_key(kind);
    }
    Ok(layout)
}

fn check_fits(request: &Request, clip: &ClipRequest, bands: u32) -> Result<()> {
    let rows = u64::from(bands) * (u64::from(clip.frames) + 1);
    let max = request.max_texture;
    if rows <= u64::from(max) {
        return Ok(());
    }
    let banded = if bands > 1 {
        format!(", in {bands} bands as its {} columns are wider than {max} texels", request.columns)
    } else {
        String::new()
    };
    let message = format!(
        "clip `{}` does not fit in a texture: {} frames and a guard row{banded} are {rows} rows, and `max_texture` allows {max}",
        clip.name, clip.frames
    );
    let help = "lower `fps`, cut the clip with `range`, or raise `max_texture` (16384 is the most that desktop GPUs take)";
    Err(Problem::error("layout::too-tall", message).help(help))
}

fn place_kind(request: &Request, (holds, format): (Holds, Format), layout: &mut Layout) {
    let members: Vec<usize> =
        (0..request.clips.len()).filter(|&i| request.clips[i].holds.contains(&(holds, format))).collect();
    let rows: Vec<u32> = members.iter().map(|&i| layout.rows(request.clips[i].frames)).collect();
    let height = lowest_height(&rows, request.max_texture);
    let first_sheet = layout.sheets.len() as u32;
    for (&clip, (layer, first_row)) in members.iter().zip(fill(&rows, height)) {
        let sheet = first_sheet + layer / MAX_LAYERS;
        if sheet as usize == layout.sheets.len() {
            layout.sheets.push(Sheet { holds, format, height: 0, layers: 0 });
        }
        let frames = request.clips[clip].frames;
        let layer = layer % MAX_LAYERS;
        layout.tracks[clip].push(Track { sheet, layer, first_row, frames, band_rows: band_rows(frames) });
        let sheet = &mut layout.sheets[sheet as usize];
        sheet.layers = sheet.layers.max(layer + 1);
        sheet.height = sheet.height.max(first_row + layout.bands * band_rows(frames));
    }
}

/// Stacks clips in order: (layer, first row) of each. A layer is closed when a clip does not fit
/// in it any more, so that editing a clip moves only those behind it.
fn fill(rows: &[u32], height: u32) -> Vec<(u32, u32)> {
    let (mut layer, mut used) = (0, 0);
    let mut places = Vec::with_capacity(rows.len());
    for &rows in rows {
        if used + rows > height && used > 0 {
            (layer, used) = (layer + 1, 0);
        }
        places.push((layer, used));
        used += rows;
    }
    places
}

fn layers(rows: &[u32], height: u32) -> u32 {
    fill(rows, height).last().map_or(0, |&(layer, _)| layer + 1)
}

/// All layers of a texture are equally high: the lowest height that needs no more layers than the
/// highest allowed one does.
fn lowest_height(rows: &[u32], max: u32) -> u32 {
    let fewest = layers(rows, max);
    let (mut low, mut high) = (rows.iter().copied().max().unwrap_or(1), max);
    // Stacking in order needs never more layers when there is more room, so bisection holds.
    while low < high {
        let middle = low + (high - low) / 2;
        if layers(rows, middle) <= fewest { high = middle } else { low = middle + 1 }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(columns: u32, max_texture: u32, frames: &[u32]) -> Request {
        let holds = vec![(Holds::Position, Format::Rgba16ui)];
        let clip =
            |(i, &frames): (usize, &u32)| ClipRequest { name: format!("c{i}"), frames, holds: holds.clone() };
        Request { columns, max_texture, clips: frames.iter().enumerate().map(clip).collect() }
    }

    #[test]
    fn width_is_exact_and_clips_are_stacked() {
        let layout = arrange(&request(1030, 8192, &[38, 10])).unwrap();
        assert_eq!((layout.width, layout.bands), (1030, 1));
        assert_eq!(
            layout.sheets,
            [Sheet { holds: Holds::Position, format: Format::Rgba16ui, height: 50, layers: 1 }]
        );
        assert_eq!(layout.tracks[1][0].first_row, 39);
    }

    #[test]
    fn too_many_columns_make_bands_of_equal_width() {
        let layout = arrange(&request(8193, 8192, &[4])).unwrap();
        assert_eq!((layout.width, layout.bands), (4097, 2));
        let track = layout.tracks[0][0];
        assert_eq!(layout.texel(&track, 4096, 3), [4096, 3, 0]);
        assert_eq!(layout.texel(&track, 4097, 3), [0, 8, 0]);
        assert_eq!(layout.texel(&track, 8192, 4), [4095, 9, 0]);
    }

    #[test]
    fn layers_share_the_height_evenly() {
        let layout = arrange(&request(10, 256, &[99, 99, 99, 99])).unwrap();
        assert_eq!((layout.sheets[0].layers, layout.sheets[0].height), (2, 200));
        let places: Vec<_> = layout.tracks.iter().map(|t| (t[0].layer, t[0].first_row)).collect();
        assert_eq!(places, [(0, 0), (0, 100), (1, 0), (1, 100)]);
    }

    #[test]
    fn more_layers_than_a_texture_has_make_another_sheet() {
        let layout = arrange(&request(10, 256, &vec![255; 300])).unwrap();
        let layers: Vec<_> = layout.sheets.iter().map(|s| s.layers).collect();
        assert_eq!(layers, [256, 44]);
        assert_eq!((layout.tracks[256][0].sheet, layout.tracks[256][0].layer), (1, 0));
    }

    #[test]
    fn a_clip_that_cannot_fit_names_the_numbers() {
        let problem = arrange(&request(300, 256, &[128])).unwrap_err();
        assert_eq!(problem.code, "layout::too-tall");
        for number in ["128 frames", "258 rows", "allows 256", "2 bands"] {
            assert!(problem.message.contains(number), "{problem}");
        }
        assert!(arrange(&request(300, 256, &[127])).is_ok());
    }

    #[test]
    fn kinds_lie_apart_and_tracks_come_as_asked() {
        let mut request = request(10, 256, &[5, 6]);
        request.clips[0].holds.push((Holds::Normal, Format::Rg8));
        request.clips[1].holds = vec![(Holds::Tangent, Format::Rgba8), (Holds::Position, Format::Rgba8)];
        let layout = arrange(&request).unwrap();
        assert_eq!(layout.sheets.len(), 4);
        let kinds: Vec<Vec<Holds>> = layout
            .tracks
            .iter()
            .map(|tracks| tracks.iter().map(|t| layout.sheets[t.sheet as usize].holds).collect())
            .collect();
        assert_eq!(kinds, [[Holds::Position, Holds::Normal], [Holds::Tangent, Holds::Position]]);
    }
}
