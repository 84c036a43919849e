//! A loader of baked characters, written from `docs/format.md` alone: it shares no code and no types
//! with the writer. What a shader would compute, it computes in `f32`.

use serde_json::{Value, json};

mod blocks;
pub mod mesh;
mod texture;

pub use mesh::{Mesh, floats, integers};
pub use texture::{Texel, Texture};

/// A baked character, all of its files read.
pub struct Character {
    /// `<character>.vat.json`.
    pub json: Value,
    pub column_count: usize,
    pub bounds: Bounds,
    pub mesh: Mesh,
    pub sheets: Vec<Sheet>,
    pub clips: Vec<Clip>,
}

/// A texture, and what it holds.
pub struct Sheet {
    pub holds: String,
    pub texture: Texture,
}

/// A box with faces along the axes.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub min: [f32; 3],
    pub max: [f32; 3],
}

impl Bounds {
    pub fn holds(&self, p: [f32; 3]) -> bool {
        (0..3).all(|i| self.min[i] <= p[i] && p[i] <= self.max[i])
    }

    pub fn contains(&self, other: &Bounds) -> bool {
        self.holds(other.min) && self.holds(other.max)
    }
}

pub struct Clip {
    pub name: String,
    pub duration: f64,
    pub looping: bool,
    pub step: bool,
    pub bounds: Bounds,
    pub tracks: Vec<Track>,
}

pub struct Track {
    pub sheet: usize,
    pub layer: usize,
    pub first_row: usize,
    pub frames: usize,
    pub fps: f64,
    pub band_rows: usize,
    pub bias: [f32; 3],
    pub scale: [f32; 3],
    pub relative: bool,
    /// `error`, as written.
    pub error: Value,
}

/// Two neighbouring rows, and how far between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    pub frame: usize,
    pub blend: f32,
}

/// Loads `<name>.vat.json` and the files it names from a list of file names and bytes.
pub fn load(name: &str, files: &[(String, Vec<u8>)]) -> Character {
    let file = |name: &str| -> &[u8] {
        let found = files.iter().find(|(n, _)| n == name);
        &found.unwrap_or_else(|| panic!("no file {name}")).1
    };
    let json: Value = serde_json::from_slice(file(&format!("{name}.vat.json"))).unwrap();
    assert_eq!(json["schema"], "vatpipe/character/1");
    assert_eq!(json["mode"], "vertex");
    assert!(["gltf", "unity", "unreal", "godot"].contains(&json["axes"].as_str().unwrap()));
    assert_eq!(json["name"], name);
    let sheets: Vec<Sheet> = list(&json["sheets"]).iter().map(|s| sheet(s, file(text(&s["file"])))).collect();
    let width = sheets[0].texture.width;
    let texcoord = number(&json["column_texcoord"]);
    let mesh = mesh::read(file(text(&json["mesh"])), texcoord, width);
    let character = Character {
        column_count: number(&json["column_count"]),
        bounds: bounds(&json["bounds"]),
        mesh,
        sheets,
        clips: list(&json["clips"]).iter().map(clip).collect(),
        json,
    };
    character.check();
    character
}

fn sheet(json: &Value, file: &[u8]) -> Sheet {
    let texture = texture::read(file, text(&json["format"]));
    assert_eq!(texture.width, number(&json["width"]));
    assert_eq!(texture.height, number(&json["height"]));
    assert_eq!(texture.layers, number(&json["layers"]));
    assert_eq!(texture.data.len(), number(&json["bytes"]));
    assert_eq!(texture.zstd, json["supercompression"] == "zstd");
    Sheet { holds: text(&json["holds"]).to_owned(), texture }
}

fn clip(json: &Value) -> Clip {
    Clip {
        name: text(&json["name"]).to_owned(),
        duration: json["duration"].as_f64().unwrap(),
        looping: json["looping"].as_bool().unwrap(),
        step: match text(&json["interpolation"]) {
            "linear" => false,
            "step" => true,
            other => panic!("interpolation {other}"),
        },
        bounds: bounds(&json["bounds"]),
        tracks: list(&json["tracks"]).iter().map(track).collect(),
    }
}

fn track(json: &Value) -> Track {
    Track {
        sheet: number(&json["sheet"]),
        layer: number(&json["layer"]),
        first_row: number(&json["first_row"]),
        frames: number(&json["frames"]),
        fps: json["fps"].as_f64().unwrap(),
        band_rows: number(&json["band_rows"]),
        bias: vector(&json["bias"]),
        scale: vector(&json["scale"]),
        relative: json["relative"].as_bool().unwrap(),
        error: json["error"].clone(),
    }
}

fn list(json: &Value) -> &[Value] {
    json.as_array().unwrap()
}

fn text(json: &Value) -> &str {
    json.as_str().unwrap()
}

fn number(json: &Value) -> usize {
    json.as_u64().unwrap() as usize
}

fn vector(json: &Value) -> [f32; 3] {
    [0, 1, 2].map(|i| json[i].as_f64().unwrap() as f32)
}

fn bounds(json: &Value) -> Bounds {
    Bounds { min: vector(&json["min"]), max: vector(&json["max"]) }
}

impl Clip {
    /// Frame and blend at a time in seconds.
    pub fn moment(&self, track: &Track, t: f64) -> Moment {
        if track.frames == 1 || self.duration == 0.0 {
            return Moment { frame: 0, blend: 0.0 };
        }
        let frames = track.frames as f64;
        let (frame, blend) = if self.looping {
            let phase = t / self.duration - (t / self.duration).floor();
            let f = phase * frames;
            let i = f.floor().min(frames - 1.0);
            (i, f - i)
        } else {
            let f = (t * track.fps).clamp(0.0, frames - 1.0);
            (f.floor(), f - f.floor())
        };
        let blend = if self.step { 0.0 } else { blend as f32 };
        Moment { frame: frame as usize, blend }
    }

    /// The time of a frame.
    pub fn time(&self, track: &Track, frame: f64) -> f64 {
        let steps = if self.looping { track.frames } else { track.frames - 1 };
        if steps == 0 { 0.0 } else { frame * self.duration / steps as f64 }
    }
}

/// What a direction is of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Direction {
    Normal,
    Tangent,
}

impl Character {
    /// The track with a clip's positions.
    pub fn positions<'a>(&self, clip: &'a Clip) -> &'a Track {
        self.track(clip, &["position", "position+normal"]).expect("a clip has positions")
    }

    /// The track with a clip's normals or tangents.
    pub fn directions<'a>(&self, clip: &'a Clip, direction: Direction) -> Option<&'a Track> {
        match direction {
            Direction::Normal => self.track(clip, &["position+normal", "normal"]),
            Direction::Tangent => self.track(clip, &["tangent"]),
        }
    }

    fn track<'a>(&self, clip: &'a Clip, holds: &[&str]) -> Option<&'a Track> {
        let mut found = clip.tracks.iter().filter(|t| holds.contains(&self.sheets[t.sheet].holds.as_str()));
        let track = found.next();
        assert!(found.next().is_none(), "{} has two tracks of {holds:?}", clip.name);
        track
    }

    /// The row of a column at a frame; `frame == frames` is the guard row.
    pub fn row(&self, track: &Track, column: usize, frame: usize) -> usize {
        track.first_row + (column / self.sheets[track.sheet].texture.width) * track.band_rows + frame
    }

    /// The texel of a column at a frame; `frame == frames` is the guard row.
    pub fn texel(&self, track: &Track, column: usize, frame: usize) -> Texel {
        let texture = &self.sheets[track.sheet].texture;
        texture.texel(column % texture.width, self.row(track, column, frame), track.layer)
    }

    /// The position of a vertex in the row of a frame, or in the guard row.
    pub fn position(&self, track: &Track, vertex: usize, frame: usize) -> [f32; 3] {
        let texel = self.texel(track, self.mesh.columns[vertex], frame);
        let rest = self.mesh.positions[vertex];
        let residual = self.residual(track).map(|residual| {
            let texel = self.texel(residual, self.mesh.columns[vertex], frame);
            [0, 1, 2].map(|i| residual.bias[i] + residual.scale[i] * texel.v[i])
        });
        [0, 1, 2].map(|i| {
            let p = track.bias[i] + track.scale[i] * texel.v[i];
            let p = if track.relative { p + rest[i] } else { p };
            residual.map_or(p, |residual| p + residual[i])
        })
    }

    /// The track with what is added to the positions of another.
    fn residual(&self, track: &Track) -> Option<&Track> {
        let clip = self.clips.iter().find(|clip| clip.tracks.iter().any(|t| std::ptr::eq(t, track)))?;
        clip.tracks.iter().find(|t| self.sheets[t.sheet].holds == "residual")
    }

    /// The position of a vertex between two rows.
    pub fn position_at(&self, track: &Track, vertex: usize, moment: Moment) -> [f32; 3] {
        let a = self.position(track, vertex, moment.frame);
        if moment.blend == 0.0 {
            return a;
        }
        let b = self.position(track, vertex, moment.frame + 1);
        [0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * moment.blend)
    }

    /// The normal or tangent of a vertex in a row of `directions`, with a tangent's handedness.
    pub fn direction(&self, track: &Track, vertex: usize, frame: usize) -> ([f32; 3], f32) {
        let sheet = &self.sheets[track.sheet];
        let texel = self.texel(track, self.mesh.columns[vertex], frame);
        let byte = |v: f32| (v * 255.0).round();
        match sheet.holds.as_str() {
            "position+normal" => (octahedral((texel.n & 255) as f32, (texel.n >> 8) as f32), 0.0),
            "normal" => (octahedral(byte(texel.v[0]), byte(texel.v[1])), 0.0),
            "tangent" => {
                let handedness = byte(texel.v[2]);
                assert!(handedness == 0.0 || handedness == 255.0, "handedness {handedness}");
                let w = if handedness == 0.0 { -1.0 } else { 1.0 };
                (octahedral(byte(texel.v[0]), byte(texel.v[1])), w)
            }
            other => panic!("{other} holds no directions"),
        }
    }

    /// The direction between two rows.
    pub fn direction_at(&self, track: &Track, vertex: usize, moment: Moment) -> [f32; 3] {
        let (a, _) = self.direction(track, vertex, moment.frame);
        if moment.blend == 0.0 {
            return a;
        }
        let (b, _) = self.direction(track, vertex, moment.frame + 1);
        normalized([0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * moment.blend))
    }

    /// What the document says of all texels, whether a vertex reads them or not.
    fn check(&self) {
        assert_eq!(self.mesh.positions.len(), number(&self.json["vertex_count"]));
        let columns = self.mesh.columns.iter().max().unwrap() + 1;
        assert_eq!(columns, self.column_count, "a column that no vertex reads, or that is not there");
        let mut owned: Vec<Vec<bool>> =
            self.sheets.iter().map(|s| vec![false; s.texture.height * s.texture.layers]).collect();
        for clip in &self.clips {
            assert!(self.bounds.contains(&clip.bounds), "{}", clip.name);
            for track in &clip.tracks {
                self.check_track(clip, track, &mut owned[track.sheet]);
            }
        }
        for (index, (sheet, owned)) in self.sheets.iter().zip(owned).enumerate() {
            self.check_table(index, &sheet.texture.table);
            let t = &sheet.texture;
            if t.texels.is_some() {
                continue;
            }
            for row in (0..owned.len()).filter(|&row| !owned[row]) {
                let bytes = &t.data[row * t.width * t.texel_bytes..][..t.width * t.texel_bytes];
                assert!(bytes.iter().all(|&b| b == 0), "row {row} belongs to no clip and is not 0");
            }
        }
    }

    /// The columns that a sheet holds: those of the finest level of detail that reads it.
    fn columns_of(&self, sheet: usize) -> usize {
        let lod = number(&self.json["sheets"][sheet]["lods"][0]);
        number(&self.json["lods"][lod]["column_count"])
    }

    /// The table inside a texture's file says the same as the file beside it.
    fn check_table(&self, index: usize, table: &Value) {
        let sheet = &self.json["sheets"][index];
        let own = ["schema", "character", "sheet", "holds", "axes", "layout", "column_count", "clips"];
        assert_eq!(table.as_object().unwrap().keys().collect::<Vec<_>>(), own);
        assert_eq!((&table["character"], &table["sheet"]), (&self.json["name"], &Value::from(index)));
        assert_eq!((&table["holds"], &table["axes"]), (&sheet["holds"], &self.json["axes"]));
        assert_eq!(table["layout"], self.json["layout"]);
        assert_eq!(table["column_count"], self.columns_of(index));
        let mut expected = Vec::new();
        for clip in list(&self.json["clips"]) {
            for track in list(&clip["tracks"]).iter().filter(|t| number(&t["sheet"]) == index) {
                let of = |key: &str| clip[key].clone();
                expected.push(json!({
                    "name": of("name"), "duration": of("duration"), "looping": of("looping"),
                    "interpolation": of("interpolation"), "bounds": of("bounds"), "track": track,
                }));
            }
        }
        assert_eq!(table["clips"], Value::Array(expected));
    }

    fn check_track(&self, clip: &Clip, track: &Track, owned: &mut [bool]) {
        let texture = &self.sheets[track.sheet].texture;
        assert!(track.band_rows > track.frames, "{}: no guard row", clip.name);
        let steps = if clip.looping { track.frames } else { track.frames - 1 };
        if steps > 0 && clip.duration > 0.0 {
            let fps = steps as f64 / clip.duration;
            assert!((track.fps - fps).abs() <= 1e-9 * fps, "{}: {} is not {fps}", clip.name, track.fps);
        }
        let after = if clip.looping { 0 } else { track.frames - 1 };
        let columns = self.columns_of(track.sheet);
        for band in 0..columns.div_ceil(texture.width) {
            let first = track.first_row + band * track.band_rows;
            for row in 0..track.band_rows {
                let owner = &mut owned[track.layer * texture.height + first + row];
                assert!(!*owner, "{} overlaps another clip", clip.name);
                *owner = true;
                // Guard rows repeat; texels beyond the last column repeat the last column.
                let frame = if row < track.frames { row } else { after };
                // Blocks that repeat come out differently.
                let width = if texture.texels.is_none() { texture.width } else { 0 };
                for x in 0..width {
                    let x_of = x.min(columns - 1 - band * texture.width);
                    let found = texture.bytes(x, first + row, track.layer);
                    let expected = texture.bytes(x_of, first + frame, track.layer);
                    assert_eq!(found, expected, "{} band {band} row {row} x {x}", clip.name);
                }
            }
        }
    }
}

fn normalized(v: [f32; 3]) -> [f32; 3] {
    let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    v.map(|c| c / length)
}

fn octahedral(x: f32, y: f32) -> [f32; 3] {
    let (a, b) = (x / 127.5 - 1.0, y / 127.5 - 1.0);
    let c = 1.0 - a.abs() - b.abs();
    let sign = |v: f32| if v < 0.0 { -1.0 } else { 1.0 };
    let (a, b) = if c < 0.0 { ((1.0 - b.abs()) * sign(a), (1.0 - a.abs()) * sign(b)) } else { (a, b) };
    normalized([a, b, c])
}
