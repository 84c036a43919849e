//! Metadata made by hand: every format, layers, bands, both kinds of normals, names that hurt.

use vatpipe::codegen::ident::idents;
use vatpipe::encode::Format;
use vatpipe::metadata::{
    Axes, Bounds, Character, Clip, Error, Holds, Lod, Mode, Playback, SCHEMA, Sheet, Supercompression, Track,
};

/// The names of case 8, and more that could break out of a literal or a comment.
pub const NASTY_NAMES: [&str; 24] = [
    "Walk Cycle",
    "Armature|Run",
    "a/b\\c",
    "mixamo.com",
    "2_Attack",
    "loop",
    "sampler",
    "packed",
    "a__b",
    "\u{8dd1}",
    "",
    "Walk_Cycle",
    "say \"hi\"\nfn broken() {}",
    "*/ fn broken() /*",
    "ends with a backslash\\",
    "tick ` [link] <b> '",
    "Self",
    "All",
    "UpAndDown",
    "UpAndDown",
    "gl_Position",
    "\u{202e}right to left\u{2028}line",
    "Fu\u{df}g\u{e4}nger",
    "count",
];

pub fn bounds(min: f32, max: f32) -> Bounds {
    Bounds { min: [min; 3], max: [max; 3] }
}

pub fn sheet(holds: Holds, format: Format, width: u32, height: u32, layers: u32) -> Sheet {
    let file = format!("{holds:?}_{format:?}_VAT.ktx2");
    let bytes = u64::from(width * height * layers) * 8;
    let supercompression = Supercompression::None;
    Sheet { file, holds, format, width, height, layers, supercompression, bytes, lods: vec![0] }
}

/// A track of `frames` frames at `first_row`, with one guard row.
pub fn track(sheet: u32, first_row: u32, frames: u32, fps: f64) -> Track {
    Track {
        sheet,
        layer: 0,
        first_row,
        frames,
        fps,
        band_rows: frames + 1,
        bias: [-0.1, 1.0e-7, 1.0e20],
        scale: [0.3, 1.0, 16_777_216.0],
        relative: false,
        error: Error::default(),
    }
}

/// A clip at one rate: `frames / fps` seconds when looping, else `(frames - 1) / fps`.
pub fn clip(name: &str, looping: bool, tracks: Vec<Track>) -> Clip {
    let Track { frames, fps, .. } = tracks[0];
    Clip {
        name: name.to_owned(),
        ident: String::new(),
        duration: f64::from(if looping { frames } else { frames - 1 }) / fps,
        looping,
        interpolation: Playback::Linear,
        bounds: bounds(-2.0, 5.0),
        tracks,
    }
}

/// A level of detail.
pub fn lod(ratio: f64, vertex_count: u32, triangle_count: u32, error: f64) -> Lod {
    let column_count = vertex_count.div_ceil(3);
    Lod {
        ratio,
        vertex_count,
        triangle_count,
        column_count,
        node: "mesh".to_owned(),
        error,
        error_rms: error / 2.0,
    }
}

pub fn character(name: &str, columns: u32, sheets: Vec<Sheet>, mut clips: Vec<Clip>) -> Character {
    let names: Vec<&str> = clips.iter().map(|clip| clip.name.as_str()).collect();
    let (idents, _) = idents(&names, "CLIP");
    for (clip, ident) in clips.iter_mut().zip(idents) {
        clip.ident = ident;
    }
    let mut character = Character {
        schema: SCHEMA.to_owned(),
        name: name.to_owned(),
        mode: Mode::Vertex,
        mesh: "mesh.glb".to_owned(),
        axes: Axes::Gltf,
        layout: 0,
        vertex_count: columns * 3,
        column_count: columns,
        bounds: bounds(-2.0, 6.0),
        column_texcoord: 2,
        lods: vec![lod(1.0, columns * 3, columns, 0.0)],
        sheets,
        clips,
    };
    character.layout = character.layout_hash();
    character
}

/// Packed normals, one sheet, bands, a loop and a one-shot on top of each other.
pub fn crab() -> Character {
    let mut walk = track(0, 0, 4, 8.0);
    walk.band_rows = 8;
    let mut hit = track(0, 24, 5, 10.0);
    hit.relative = true;
    let mut blink = clip("Blink", true, vec![track(0, 42, 3, 30.0)]);
    blink.interpolation = Playback::Step;
    let pose = clip("Pose", true, vec![track(0, 54, 1, 30.0)]);
    let still = Clip { duration: 0.0, ..clip("Still", true, vec![track(0, 60, 1, 30.0)]) };
    let sheets = vec![sheet(Holds::PositionNormal, Format::Rgba16ui, 4, 80, 1)];
    let clips = vec![clip("Walk", true, vec![walk]), clip("Hit", false, vec![hit]), blink, pose, still];
    character("crab", 10, sheets, clips)
}

/// Three sheets in layers: positions, normals and tangents, each at its own rows.
pub fn robot() -> Character {
    let sheets = vec![
        sheet(Holds::Position, Format::Rgb10a2, 16, 12, 3),
        sheet(Holds::Normal, Format::Rg8, 32, 24, 1),
        sheet(Holds::Tangent, Format::Rgba8, 32, 24, 2),
    ];
    let tracks = |row: u32, layer: u32| {
        let mut tracks = vec![track(0, row, 4, 30.0), track(1, row + 1, 4, 30.0), track(2, row + 2, 4, 30.0)];
        tracks[0].layer = layer;
        tracks[2].layer = layer.min(1);
        tracks
    };
    let clips = vec![clip("Idle", true, tracks(0, 0)), clip("Wave", false, tracks(6, 2))];
    character("robot", 16, sheets, clips)
}

/// Clips in position sheets of different formats, some with packed normals; one sheet is unused.
pub fn mixed() -> Character {
    let sheets = vec![
        sheet(Holds::PositionNormal, Format::Rgba16ui, 8, 12, 1),
        sheet(Holds::PositionNormal, Format::Rgba32f, 8, 12, 2),
        sheet(Holds::PositionNormal, Format::Rgba16, 8, 12, 1),
        sheet(Holds::Position, Format::Rgba16f, 8, 12, 1),
        sheet(Holds::Position, Format::Rgba8, 8, 12, 1),
        sheet(Holds::Normal, Format::Rg8, 8, 12, 1),
        Sheet { lods: vec![1], ..sheet(Holds::Position, Format::Rgba8, 8, 12, 1) },
    ];
    let one = |name: &str, sheet: u32| clip(name, sheet.is_multiple_of(2), vec![track(sheet, 2, 6, 12.0)]);
    let mut last = one("e", 4);
    last.tracks.push(track(5, 2, 6, 12.0));
    let clips = vec![one("a", 0), one("b", 1), one("c", 2), one("d", 3), last];
    let mut mixed = character("mixed", 8, sheets, clips);
    mixed.lods.push(lod(0.5, 12, 4, 0.01));
    mixed.layout = mixed.layout_hash();
    mixed
}

/// Two levels of detail with textures of their own: one with residuals and normals beside it, one packed in layers.
pub fn ghost() -> Character {
    let of = |lod: u32, sheet: Sheet| Sheet { lods: vec![lod], ..sheet };
    let sheets = vec![
        of(0, sheet(Holds::Position, Format::Rgba8, 8, 20, 1)),
        of(0, sheet(Holds::Residual, Format::Rgba8, 8, 20, 1)),
        of(0, sheet(Holds::Normal, Format::Rg8, 8, 20, 1)),
        of(1, sheet(Holds::PositionNormal, Format::Rgba16ui, 4, 20, 2)),
        of(1, sheet(Holds::Residual, Format::Rgba16ui, 4, 20, 2)),
    ];
    let tracks = |row: u32| (0..5).map(|sheet| track(sheet, row, 4, 30.0)).collect();
    let mut ghost =
        character("ghost", 8, sheets, vec![clip("Float", true, tracks(0)), clip("Boo", false, tracks(7))]);
    ghost.lods.push(lod(0.5, 12, 4, 0.01));
    ghost.clips[1].interpolation = Playback::Step;
    ghost.layout = ghost.layout_hash();
    ghost
}

/// A character and clips with names that are no identifiers.
pub fn nasty() -> Character {
    let clips = NASTY_NAMES.iter().zip(0..).map(|(name, i)| clip(name, true, vec![track(0, i * 3, 2, 30.0)]));
    let sheets = vec![sheet(Holds::Position, Format::Rgba32f, 3, 80, 1)];
    character("loop \"*/\\ \u{8dd1}", 3, sheets, clips.collect())
}

/// One character of each kind, two of them with names that collide.
pub fn all() -> Vec<Character> {
    let named = |name: &str, character: Character| Character { name: name.to_owned(), ..character };
    vec![crab(), robot(), mixed(), nasty(), named("Crab", crab()), named("crab clip", crab())]
        .into_iter()
        .chain([named("vat", robot()), named("loop", robot()), named("core", robot()), ghost()])
        .collect()
}
