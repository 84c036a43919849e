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
//! always blend with the next row; formats in blocks repeat it until the block is full. What can go wrong: a clip that is taller than a texture may be.

use serde::{Deserialize, Serialize};

use crate::encode::Format;
use crate::metadata::Holds;
use crate::problem::{Problem, Result};

/// Array layers in one texture that every API grants (`maxTextureArrayLayers` of WebGPU).
pub const MAX_LAYERS: u32 = 256;

/// The shape of a block of texels, whatever its frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shape {
    /// Texels in a row.
    pub width: u32,
    /// Bands: `ceil(columns / width)`.
    pub bands: u32,
}

impl Shape {
    /// The shape in which so many columns (at least 1) fit in sheets no wider than `max_texture`, in whole blocks of
    /// `format`. The narrowest width that needs no more bands wastes the least.
    pub fn of(columns: u32, max_texture: u32, format: Format) -> Self {
        let (block, _) = format.block_size();
        let widest = (max_texture / block * block).max(block);
        let bands = columns.div_ceil(widest).max(1);
        Self { width: columns.div_ceil(bands).max(1).next_multiple_of(block), bands }
    }
}

/// What is to be placed.
#[derive(Clone, Debug)]
pub struct Request {
    /// The largest width and height of a sheet.
    pub max_texture: u32,
    /// Sets of columns, each with sheets of its own.
    pub groups: Vec<GroupRequest>,
    /// Clips in order.
    pub clips: Vec<ClipRequest>,
}

/// Columns that share sheets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupRequest {
    /// Columns, at least 1.
    pub columns: u32,
}

/// A clip to place.
#[derive(Clone, Debug)]
pub struct ClipRequest {
    /// For messages.
    pub name: String,
    /// What is stored of it, each in a sheet of that group and kind.
    pub tracks: Vec<TrackRequest>,
}

/// A block of texels to place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackRequest {
    /// Index into [`Request::groups`].
    pub group: u32,
    /// What it holds.
    pub holds: Holds,
    /// The texel format.
    pub format: Format,
    /// Frames, at least 1.
    pub frames: u32,
}

impl TrackRequest {
    fn kind(&self) -> Kind {
        (self.group, self.holds, self.format)
    }
}

/// What shares a sheet.
type Kind = (u32, Holds, Format);

/// Where everything lies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Textures.
    pub sheets: Vec<Sheet>,
    /// For each clip its tracks, in the order of [`ClipRequest::tracks`].
    pub tracks: Vec<Vec<Track>>,
}

/// One texture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// Index into [`Request::groups`].
    pub group: u32,
    /// What its texels hold.
    pub holds: Holds,
    /// The texel format.
    pub format: Format,
    /// Width of the texture, and bands of its clips.
    pub shape: Shape,
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

impl Sheet {
    /// Bytes on the GPU.
    pub fn bytes(&self) -> usize {
        self.format.bytes(self.shape.width, self.height) * self.layers as usize
    }

    /// The texel of a column at a frame of one of its tracks: `[x, y, layer]`.
    pub fn texel(&self, track: &Track, column: u32, frame: u32) -> [u32; 3] {
        let y = track.first_row + (column / self.shape.width) * track.band_rows + frame;
        [column % self.shape.width, y, track.layer]
    }
}

/// Rows of a band of so many frames: the guard row included, in whole blocks of the format.
pub fn band_rows(frames: u32, format: Format) -> u32 {
    (frames + 1).next_multiple_of(format.block_size().1)
}

/// Places all clips.
///
/// # Errors
/// A clip whose rows do not fit in one layer.
pub fn arrange(request: &Request) -> Result<Layout> {
    for clip in &request.clips {
        for TrackRequest { group, format, frames, .. } in &clip.tracks {
            let columns = request.groups[*group as usize].columns;
            check_fits(&clip.name, columns, request.max_texture, *format, *frames)?;
        }
    }
    let mut layout = Layout { sheets: Vec::new(), tracks: vec![Vec::new(); request.clips.len()] };
    let mut kinds: Vec<Kind> =
        request.clips.iter().flat_map(|clip| clip.tracks.iter().map(TrackRequest::kind)).collect();
    kinds.sort();
    kinds.dedup();
    for kind in kinds {
        place_kind(request, kind, &mut layout);
    }
    // Tracks were added sheet by sheet; the caller wants them as asked.
    for (tracks, clip) in layout.tracks.iter_mut().zip(&request.clips) {
        let place = |track: &Track| {
            let sheet = &layout.sheets[track.sheet as usize];
            let kind = (sheet.group, sheet.holds, sheet.format);
            clip.tracks.iter().position(|track| track.kind() == kind)
        };
        tracks.sort_by_key(place);
    }
    Ok(layout)
}

/// Whether a clip's block fits in one layer of a sheet.
///
/// # Errors
/// It does not: the message names the numbers and the ways out.
pub fn check_fits(clip: &str, columns: u32, max_texture: u32, format: Format, frames: u32) -> Result<()> {
    let Shape { bands, .. } = Shape::of(columns, max_texture, format);
    let block = u64::from(format.block_size().1);
    let rows = u64::from(bands) * (u64::from(frames) + 1).next_multiple_of(block);
    if rows <= u64::from(max_texture) {
        return Ok(());
    }
    let banded = if bands > 1 {
        format!(", in {bands} bands as its {columns} columns are wider than {max_texture} texels")
    } else {
        String::new()
    };
    let message = format!(
        "clip `{clip}` does not fit in a texture: {frames} frames and a guard row{banded} are {rows} rows, and `max_texture` allows {max_texture}"
    );
    let help = "lower `fps`, cut the clip with `range`, or raise `max_texture` (16384 is the most that desktop GPUs take)";
    Err(Problem::error("layout::too-tall", message).help(help))
}

fn place_kind(request: &Request, kind: Kind, layout: &mut Layout) {
    let (group, holds, format) = kind;
    let shape = Shape::of(request.groups[group as usize].columns, request.max_texture, format);
    let frames = |clip: &ClipRequest| clip.tracks.iter().find(|t| t.kind() == kind).map(|t| t.frames);
    let members: Vec<(usize, u32)> =
        request.clips.iter().enumerate().filter_map(|(i, clip)| Some((i, frames(clip)?))).collect();
    let rows: Vec<u32> = members.iter().map(|(_, frames)| shape.bands * band_rows(*frames, format)).collect();
    let height = lowest_height(&rows, request.max_texture);
    let first_sheet = layout.sheets.len() as u32;
    for ((&(clip, frames), (layer, first_row)), &rows) in members.iter().zip(fill(&rows, height)).zip(&rows) {
        let sheet = first_sheet + layer / MAX_LAYERS;
        if sheet as usize == layout.sheets.len() {
            layout.sheets.push(Sheet { group, holds, format, shape, height: 0, layers: 0 });
        }
        let layer = layer % MAX_LAYERS;
        let band_rows = band_rows(frames, format);
        layout.tracks[clip].push(Track { sheet, layer, first_row, frames, band_rows });
        let sheet = &mut layout.sheets[sheet as usize];
        sheet.layers = sheet.layers.max(layer + 1);
        sheet.height = sheet.height.max(first_row + rows);
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
        let clip = |(i, &frames): (usize, &u32)| ClipRequest {
            name: format!("c{i}"),
            tracks: vec![TrackRequest { group: 0, holds: Holds::Position, format: Format::Rgba16ui, frames }],
        };
        let groups = vec![GroupRequest { columns }];
        Request { max_texture, groups, clips: frames.iter().enumerate().map(clip).collect() }
    }

    #[test]
    fn width_is_exact_and_clips_are_stacked() {
        let layout = arrange(&request(1030, 8192, &[38, 10])).unwrap();
        let [sheet] = &layout.sheets[..] else { panic!("{layout:?}") };
        assert_eq!((sheet.shape, sheet.height, sheet.layers), (Shape { width: 1030, bands: 1 }, 50, 1));
        assert_eq!(sheet.bytes(), 1030 * 50 * 8);
        assert_eq!(layout.tracks[1][0].first_row, 39);
    }

    #[test]
    fn too_many_columns_make_bands_of_equal_width() {
        let layout = arrange(&request(8193, 8192, &[4])).unwrap();
        let sheet = &layout.sheets[0];
        assert_eq!(sheet.shape, Shape { width: 4097, bands: 2 });
        let track = layout.tracks[0][0];
        assert_eq!(sheet.texel(&track, 4096, 3), [4096, 3, 0]);
        assert_eq!(sheet.texel(&track, 4097, 3), [0, 8, 0]);
        assert_eq!(sheet.texel(&track, 8192, 4), [4095, 9, 0]);
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
        let track = |holds, format, frames| TrackRequest { group: 0, holds, format, frames };
        request.clips[0].tracks.push(track(Holds::Normal, Format::Rg8, 5));
        request.clips[1].tracks =
            vec![track(Holds::Tangent, Format::Rgba8, 6), track(Holds::Position, Format::Rgba8, 6)];
        let layout = arrange(&request).unwrap();
        assert_eq!(layout.sheets.len(), 4);
        let kinds: Vec<Vec<Holds>> = layout
            .tracks
            .iter()
            .map(|tracks| tracks.iter().map(|t| layout.sheets[t.sheet as usize].holds).collect())
            .collect();
        assert_eq!(kinds, [[Holds::Position, Holds::Normal], [Holds::Tangent, Holds::Position]]);
    }

    #[test]
    fn groups_have_sheets_of_their_own() {
        let mut request = request(10, 256, &[5, 6]);
        request.groups.push(GroupRequest { columns: 4 });
        for clip in &mut request.clips {
            let track = TrackRequest { group: 1, frames: 3, ..clip.tracks[0] };
            clip.tracks.push(track);
        }
        let layout = arrange(&request).unwrap();
        let sizes: Vec<_> = layout.sheets.iter().map(|s| (s.group, s.shape.width, s.height)).collect();
        assert_eq!(sizes, [(0, 10, 13), (1, 4, 8)]);
        assert_eq!(
            layout.tracks[1].iter().map(|t| (t.sheet, t.first_row)).collect::<Vec<_>>(),
            [(0, 6), (1, 4)]
        );
    }
}
