//! The keys of `vat.toml`: one table that the reader, its messages, the JSON Schema, the commented
//! manifest of `vatpipe init` and `docs/manifest.md` are all made from.

/// A table of the manifest, and the keys that may stand in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// The top of the file.
    Root,
    /// `[output]`.
    Output,
    /// `[cache]`.
    Cache,
    /// `[defaults]`.
    Defaults,
    /// `[characters.NAME]`.
    Character,
    /// `[characters.NAME.clip.CLIP]`.
    Clip,
    /// A table in the list `lods`.
    Lod,
}

impl Section {
    /// All of them, in the order in which a manifest is written.
    pub const ALL: [Section; 7] = [
        Section::Root,
        Section::Output,
        Section::Cache,
        Section::Defaults,
        Section::Character,
        Section::Clip,
        Section::Lod,
    ];

    /// The table's header in a manifest, for messages and documents.
    pub fn header(self) -> &'static str {
        match self {
            Section::Root => "the top of the file",
            Section::Output => "[output]",
            Section::Cache => "[cache]",
            Section::Defaults => "[defaults]",
            Section::Character => "[characters.NAME]",
            Section::Clip => "[characters.NAME.clip.CLIP]",
            Section::Lod => "lods = [{ ... }]",
        }
    }

    /// The keys that may stand in it, in the order of [`KEYS`].
    pub fn keys(self) -> impl Iterator<Item = &'static Key> {
        KEYS.iter().filter(move |key| key.sections.contains(&self))
    }
}

/// What a key's value may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A table with the keys of a section.
    Table(Section),
    /// Tables with the keys of a section, each under a name that the user chooses.
    Tables(Section),
    /// A list of tables with the keys of a section.
    List(Section),
    /// `true` or `false`.
    Flag,
    /// `true`, `false` or `"auto"`.
    AutoFlag,
    /// Above 0 and at most this.
    Rate(f64),
    /// From 0 to 1.
    Share,
    /// Above 0 and at most this, or `"auto"`.
    AutoRate(f64),
    /// A length with a unit, or `"none"`.
    Length,
    /// From the first to the second.
    Integer(u32, u32),
    /// One of these words.
    Word(&'static [&'static str]),
    /// The name of a texel format, one of [`FORMATS`](super::values::FORMATS), or `"auto"`.
    Format,
    /// `false`, `true`, or a Zstandard level.
    Level,
    /// A path with forward slashes.
    Path,
    /// A list of names of targets.
    Targets,
    /// A list of these words, each at most once.
    Words(&'static [&'static str]),
    /// A name, or a position counted from 0.
    Selector,
    /// `"all"`, or a list of selectors.
    Clips,
    /// Two times with units, the first before the second.
    Times,
    /// A number of bytes with a unit.
    Size,
    /// A number of hours, days or weeks with a unit.
    Age,
}

/// One key of the manifest.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// As it is written.
    pub name: &'static str,
    /// Where it may stand.
    pub sections: &'static [Section],
    /// What its value may be.
    pub kind: Kind,
    /// The value it has when nobody gives one, as TOML (and JSON) text.
    pub default: Option<&'static str>,
    /// What is so when nobody gives a value and there is no `default`; empty if it must be given.
    pub absent: &'static str,
    /// What it does: Markdown, whole sentences.
    pub doc: &'static str,
    /// A value, as TOML (and JSON) text; for tables, a header.
    pub example: &'static str,
    /// What people write who mean this key: words of other tools, for suggestions.
    pub synonyms: &'static [&'static str],
}

use crate::axes::Axes;
use crate::encode::Quality;
use crate::encode::platforms::Platform;

use Section::{Cache, Character, Clip, Defaults, Lod, Output, Root};

/// Settings of a character, which `[defaults]` may hold too.
const MESH: &[Section] = &[Defaults, Character];
/// Settings of a clip, which a character and `[defaults]` may hold too.
const EACH_CLIP: &[Section] = &[Defaults, Character, Clip];
/// Settings of a clip that a level of detail may have in place of the clip's.
const EACH_LOD: &[Section] = &[Defaults, Character, Clip, Lod];

/// All keys. Where one may stand in several sections, the innermost value counts.
pub const KEYS: &[Key] = &[
    Key {
        name: "output",
        sections: &[Root],
        kind: Kind::Table(Output),
        default: None,
        absent: "the defaults of its keys",
        doc: "What is written, and where.",
        example: "[output]",
        synonyms: &["out", "outputs", "build", "target"],
    },
    Key {
        name: "cache",
        sections: &[Root],
        kind: Kind::Table(Cache),
        default: None,
        absent: "the defaults of its keys",
        doc: "Where baked clips are kept, and for how long.",
        example: "[cache]",
        synonyms: &["caching", "store"],
    },
    Key {
        name: "defaults",
        sections: &[Root],
        kind: Kind::Table(Defaults),
        default: None,
        absent: "the defaults of its keys",
        doc: "Settings that hold for every character and clip, unless a character or a clip says otherwise.",
        example: "[defaults]",
        synonyms: &["default", "settings", "options", "common"],
    },
    Key {
        name: "characters",
        sections: &[Root],
        kind: Kind::Tables(Character),
        default: None,
        absent: "",
        doc: "The characters. Each has a table of its own under a name, which becomes the name of its folder \
              and of its files: letters, digits, `_`, `-`, `.` and spaces, at most 64 bytes.",
        example: "[characters.crab]",
        synonyms: &["character", "models", "model", "meshes", "assets"],
    },
    Key {
        name: "dir",
        sections: &[Output],
        kind: Kind::Path,
        default: Some("\"assets/vat\""),
        absent: "",
        doc: "The folder that outputs are written to, relative to the manifest.",
        example: "\"assets/vat\"",
        synonyms: &["path", "folder", "directory", "out", "out_dir", "output", "destination"],
    },
    Key {
        name: "dir",
        sections: &[Cache],
        kind: Kind::Path,
        default: None,
        absent: "the folder `vatpipe` in the user's cache folder",
        doc: "The folder of the cache, relative to the manifest. The variable `VATPIPE_CACHE_DIR` comes before it.",
        example: "\".vatcache\"",
        synonyms: &["path", "folder", "directory", "cache_dir"],
    },
    Key {
        name: "max_size",
        sections: &[Cache],
        kind: Kind::Size,
        default: Some("\"10GiB\""),
        absent: "",
        doc: "How large the cache may grow. Beyond it the clips that were not used for longest go, until three \
              quarters are left; never those that a project on this machine has published.",
        example: "\"2GiB\"",
        synonyms: &["size", "limit", "max_bytes", "capacity", "quota"],
    },
    Key {
        name: "max_age",
        sections: &[Cache],
        kind: Kind::Age,
        default: Some("\"90d\""),
        absent: "",
        doc: "How long a clip stays in the cache that nobody uses and no project on this machine has published.",
        example: "\"4w\"",
        synonyms: &["age", "ttl", "expire", "keep", "days"],
    },
    Key {
        name: "targets",
        sections: &[Output],
        kind: Kind::Targets,
        default: Some("[\"rust\", \"wgsl\", \"hlsl\"]"),
        absent: "",
        doc: "The languages and engines that constants are written for: `rust`, `wgsl`, `hlsl`, `glsl`, `unity` (a folder of shaders \
              and scripts, see `docs/unity.md`), or the name of a template or of a folder of templates in the folder `templates`. An \
              empty list writes none.",
        example: "[\"rust\", \"wgsl\"]",
        synonyms: &["target", "languages", "language", "constants", "codegen"],
    },
    Key {
        name: "platforms",
        sections: &[Output],
        kind: Kind::Words(&Platform::NAMES),
        default: Some("[]"),
        absent: "",
        doc: "The devices and engines that the outputs are for. A format that one of them lacks is refused, with \
              the nearest that they all have. `docs/format.md` has the table. An empty list refuses nothing.",
        example: "[\"desktop\", \"mobile\"]",
        synonyms: &["platform", "devices", "device", "engines", "engine", "families"],
    },
    Key {
        name: "templates",
        sections: &[Output],
        kind: Kind::Path,
        default: None,
        absent: "the built-in templates",
        doc: "A folder of templates, relative to the manifest: one named like a built-in target replaces it, \
              others add targets.",
        example: "\"art/templates\"",
        synonyms: &["template", "template_dir"],
    },
    Key {
        name: "source",
        sections: &[Character, Clip],
        kind: Kind::Path,
        default: None,
        absent: "the character's `source` (a character must have one)",
        doc: "A glTF file (`.glb` or `.gltf`), relative to the manifest. A clip may come from another file \
              whose joints have the same names.",
        example: "\"art/crab.glb\"",
        synonyms: &["file", "path", "model", "src", "input", "mesh", "gltf", "glb"],
    },
    Key {
        name: "scene",
        sections: &[Character],
        kind: Kind::Selector,
        default: None,
        absent: "the file's default scene, else its first",
        doc: "The scene of the source that is the character: its name, or its position from 0.",
        example: "\"Crab\"",
        synonyms: &["scenes", "root"],
    },
    Key {
        name: "clips",
        sections: &[Character],
        kind: Kind::Clips,
        default: None,
        absent: "the clips that have tables, or all if none has",
        doc: "The clips to bake: `\"all\"`, or a list of names and positions (from 0) in the source. A clip \
              that has a table is baked too.",
        example: "[\"Walk\", \"Run\", 3]",
        synonyms: &["animations", "animation", "actions", "anims"],
    },
    Key {
        name: "clip",
        sections: &[Character],
        kind: Kind::Tables(Clip),
        default: None,
        absent: "",
        doc: "Settings of single clips, each in a table under the clip's name in the source (or under any name, \
              with `from`). Writing the table also selects the clip.",
        example: "[characters.crab.clip.Walk]",
        synonyms: &[],
    },
    Key {
        name: "from",
        sections: &[Clip],
        kind: Kind::Selector,
        default: None,
        absent: "the clip called as the table is",
        doc: "Which animation of the source this clip is: its name, or its position from 0. The clip is then \
              called as the table is.",
        example: "\"mixamo.com\"",
        synonyms: &["animation", "name", "action", "original", "index", "clip"],
    },
    Key {
        name: "range",
        sections: &[Clip],
        kind: Kind::Times,
        default: None,
        absent: "the whole clip",
        doc: "The part of the animation to bake, from one time to another, with units (`s` or `ms`).",
        example: "[\"0.2s\", \"1.4s\"]",
        synonyms: &["time", "times", "start", "end", "frames", "section", "interval"],
    },
    Key {
        name: "fps",
        sections: EACH_LOD,
        kind: Kind::AutoRate(1000.0),
        default: Some("30"),
        absent: "",
        doc: "Frames per second. The rate used is the nearest at which a whole number of frames fits the clip. \
              `\"auto\"` takes the lowest rate that keeps `max_error` and `max_normal_error`, `max_fps` at most.",
        example: "24",
        synonyms: &["frame_rate", "framerate", "rate", "sample_rate", "sampling", "hz"],
    },
    Key {
        name: "max_fps",
        sections: EACH_LOD,
        kind: Kind::Rate(1000.0),
        default: Some("60"),
        absent: "",
        doc: "The highest rate that may be taken where `fps` is `\"auto\"`.",
        example: "30",
        synonyms: &["fps_cap", "fps_max", "cap", "max_rate", "fps_limit"],
    },
    Key {
        name: "format",
        sections: EACH_LOD,
        kind: Kind::Format,
        default: Some("\"rgba16ui\""),
        absent: "",
        doc: "The format of the texels that hold positions. `\"auto\"` takes the one that needs the fewest bytes on \
              the GPU, sheets of normals counted, among those that all `platforms` have and that keep `max_error` and \
              `max_normal_error`; with `residual` each is tried with and without a second sheet.",
        example: "\"rgba16f\"",
        synonyms: &["texture_format", "pixel_format", "texel_format", "encoding", "precision", "type"],
    },
    Key {
        name: "max_error",
        sections: EACH_LOD,
        kind: Kind::Length,
        default: Some("\"none\""),
        absent: "",
        doc: "The budget: how far a position may be from the true motion, at and between frames, as decoded from the \
              bytes that are written. A clip beyond it fails the build, which says by how much, where, and what \
              would do. In `mm`, `cm` or `m`, or in `%` of the diagonal of the clip's bounds.",
        example: "\"1mm\"",
        synonyms: &["error", "tolerance", "precision", "accuracy", "max_deviation", "budget", "threshold"],
    },
    Key {
        name: "max_normal_error",
        sections: EACH_LOD,
        kind: Kind::Rate(180.0),
        default: Some("180"),
        absent: "",
        doc: "The budget of normals, in degrees: how far a normal may be from the true one, at and between frames. \
              180 allows everything.",
        example: "5",
        synonyms: &["normal_error", "max_angle", "max_normal_deg", "normal_tolerance"],
    },
    Key {
        name: "quality",
        sections: EACH_CLIP,
        kind: Kind::Word(&Quality::NAMES),
        default: Some("\"medium\""),
        absent: "",
        doc: "How hard the encoders of formats in blocks (`astc-*`, `bc7`, `bc6h`, `uastc`) search. Other formats \
              have nothing to search.",
        example: "\"thorough\"",
        synonyms: &["effort", "speed", "preset", "compression_quality"],
    },
    Key {
        name: "residual",
        sections: EACH_CLIP,
        kind: Kind::Flag,
        default: Some("false"),
        absent: "",
        doc: "Whether what the format lost of the positions is stored in a second sheet of the same format, which a \
              shader adds to the first: twice the memory, and often a fifth of the error or less. `rgba32f` loses nothing, and \
              gets no second sheet.",
        example: "true",
        synonyms: &["residuals", "second_sheet", "correction", "two_layers", "refine"],
    },
    Key {
        name: "loop",
        sections: EACH_CLIP,
        kind: Kind::Flag,
        default: Some("false"),
        absent: "",
        doc: "Whether the first frame follows the last. The end pose of a loop is not stored twice.",
        example: "true",
        synonyms: &["looping", "looped", "repeat", "cyclic", "cycle", "wrap"],
    },
    Key {
        name: "trim",
        sections: EACH_CLIP,
        kind: Kind::Flag,
        default: Some("false"),
        absent: "",
        doc: "Whether a clip starts at its earliest key instead of at 0 s, where the first pose would stand \
              still until then. A clip with a `range` starts where that says.",
        example: "true",
        synonyms: &["crop", "trim_start", "skip", "cut"],
    },
    Key {
        name: "relative",
        sections: EACH_CLIP,
        kind: Kind::AutoFlag,
        default: Some("\"auto\""),
        absent: "",
        doc: "Whether offsets from the rest position are stored instead of positions. `\"auto\"` takes \
              whichever measures better.",
        example: "true",
        synonyms: &["offsets", "offset", "delta", "deltas", "absolute"],
    },
    Key {
        name: "lods",
        sections: MESH,
        kind: Kind::List(Lod),
        default: None,
        absent: "one level, the source's triangles",
        doc: "Levels of detail, from the finest to the coarsest, each with one of `ratio`, `triangles` and `error`. Each is \
              made from the one before and uses the first vertices and columns of the character, so that all read the \
              same textures. Levels with an `fps` or `format` of their own read textures of their own, which hold no more \
              columns than they need. A level that saves nothing is left out, with a note.",
        example: "[{ ratio = 1.0 }, { ratio = 0.5, fps = 15 }]",
        synonyms: &["lod", "levels", "levels_of_detail", "decimate", "simplify", "simplification"],
    },
    Key {
        name: "ratio",
        sections: &[Lod],
        kind: Kind::Share,
        default: None,
        absent: "`triangles` or `error` must be given",
        doc: "How many of the source's triangles this level has, as a share.",
        example: "0.5",
        synonyms: &["percent", "share", "factor", "quality", "reduction"],
    },
    Key {
        name: "triangles",
        sections: &[Lod],
        kind: Kind::Integer(1, 100_000_000),
        default: None,
        absent: "`ratio` or `error` must be given",
        doc: "How many triangles this level has at most, as far as the simplifier gets.",
        example: "500",
        synonyms: &["tris", "count", "faces", "polygons", "triangle_count", "max_triangles"],
    },
    Key {
        name: "error",
        sections: &[Lod],
        kind: Kind::Length,
        default: None,
        absent: "`ratio` or `triangles` must be given",
        doc: "How far a vertex of the source may be from this level's surface, in all clips: as few triangles as keep \
              that. In `mm`, `cm` or `m`, or in `%` of the diagonal of the model's bounds at rest. The level then depends on the clips: where one that is edited changes it, \
              and levels have textures of their own, the others are baked anew.",
        example: "\"5mm\"",
        synonyms: &["tolerance", "deviation", "target_error", "distance"],
    },
    Key {
        name: "normals",
        sections: MESH,
        kind: Kind::Word(&["auto", "packed", "sheet", "none"]),
        default: Some("\"auto\""),
        absent: "",
        doc: "How normals are stored: `\"packed\"` into the fourth channel of the positions (into a sheet of \
              their own with `rgba16f`, `rgb10a2` and `rgba8`, whose fourth channel has no room), always in a `\"sheet\"`, or `\"none\"`. \
              `\"auto\"` is `\"packed\"` if the source has normals, else `\"none\"`: flat shading, which a \
              fragment shader gets from derivatives. Normals that are asked for of a model without any are those of its \
              flat triangles, and each corner of a triangle needs a column of its own.",
        example: "\"sheet\"",
        synonyms: &["normal", "shading"],
    },
    Key {
        name: "tangents",
        sections: MESH,
        kind: Kind::Flag,
        default: Some("false"),
        absent: "",
        doc: "Whether a sheet of tangents is baked, for normal maps.",
        example: "true",
        synonyms: &["tangent", "normal_map"],
    },
    Key {
        name: "share_columns",
        sections: MESH,
        kind: Kind::Flag,
        default: Some("true"),
        absent: "",
        doc: "Whether vertices that move alike share a column. Turn it off for engines that address the \
              texture by vertex index.",
        example: "false",
        synonyms: &["share", "sharing", "dedup", "deduplicate", "weld", "merge", "shared_columns"],
    },
    Key {
        name: "column_order",
        sections: MESH,
        kind: Kind::Word(&["motion", "authored"]),
        default: Some("\"motion\""),
        absent: "",
        doc: "The order of columns in the texture: `\"motion\"` puts columns that move alike beside each other, as far \
              as joints, weights and morph targets say (clips have no part in it), so that block formats err less \
              and files compress better; `\"authored\"` keeps the order in which the source has its vertices.",
        example: "\"authored\"",
        synonyms: &["columns", "order", "vertex_order", "sort", "sort_columns"],
    },
    Key {
        name: "max_texture",
        sections: MESH,
        kind: Kind::Integer(256, 16_384),
        default: Some("8192"),
        absent: "",
        doc: "The largest width and height of a sheet, in texels.",
        example: "4096",
        synonyms: &["max_size", "max_width", "max_height", "max_texture_size", "width", "resolution"],
    },
    Key {
        name: "zstd",
        sections: MESH,
        kind: Kind::Level,
        default: Some("false"),
        absent: "",
        doc: "Whether the KTX2 files are compressed with Zstandard: `false`, a level from 1 to 22, or `true` \
              for level 3. Not every loader can read them.",
        example: "19",
        synonyms: &["compress", "compression", "supercompression", "supercompress", "zstandard", "level"],
    },
    Key {
        name: "axes",
        sections: MESH,
        kind: Kind::Word(&Axes::NAMES),
        default: Some("\"gltf\""),
        absent: "",
        doc: "The axes that positions, normals, tangents, bounds and the mesh are written in, all together: `\"gltf\"` is \
              right-handed, Y up, in metres; `\"unity\"` left-handed, Y up, in metres; `\"unreal\"` left-handed, Z up, in \
              centimetres; `\"godot\"` glTF's with the front faces the other way round. Budgets stay in the source's metres. \
              `docs/format.md` has the matrices.",
        example: "\"unity\"",
        synonyms: &[
            "axis",
            "coordinates",
            "coordinate_system",
            "handedness",
            "up",
            "up_axis",
            "engine",
            "space",
        ],
    },
    Key {
        name: "mesh_axes",
        sections: MESH,
        kind: Kind::Word(&Axes::NAMES),
        default: None,
        absent: "as `axes`",
        doc: "The axes of the mesh file alone. An engine's own importer of glTF converts what it reads: leave the mesh in \
              `\"gltf\"` for it, and it comes out in the axes of the textures.",
        example: "\"gltf\"",
        synonyms: &["mesh_axis", "glb_axes", "model_axes"],
    },
    Key {
        name: "allow_outside",
        sections: MESH,
        kind: Kind::Flag,
        default: Some("false"),
        absent: "",
        doc: "Whether a source may refer to files outside the manifest's folder.",
        example: "true",
        synonyms: &["outside", "allow_external", "unsafe"],
    },
];
