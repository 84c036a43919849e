//! Every kind of edit, and exactly what is baked after it, why, and which files are written.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use serde_json::json;
use vatpipe::cache::reason::Reason;

use super::actor::{Actor, other};
use super::scene::{Built, Scene};

const MANIFEST: &str = r#"[output]
dir = "out"
targets = ["rust", "txt"]
templates = "templates"

[defaults]
fps = 10

[characters.actor]
source = "actor.glb"
clips = "all"

[characters.actor.clip.c9]
range = ["0s", "0.5s"]

[characters.other]
source = "other.glb"
"#;

const TEMPLATE: &str = "{% for c in characters %}{{ c.name }} {{ c.clips | length }}\n{% endfor %}";

/// What an edit is done to.
struct Stage {
    scene: Scene,
    actor: Actor,
    manifest: String,
}

impl Stage {
    fn new() -> Self {
        let stage = Self { scene: Scene::new(), actor: Actor::new(), manifest: MANIFEST.to_owned() };
        stage.scene.write("other.glb", other(1.0));
        stage.scene.write("templates/vat.txt", TEMPLATE);
        stage.save();
        stage
    }

    fn save(&self) {
        self.scene.write("actor.glb", self.actor.model().glb());
        self.scene.write("vat.toml", &self.manifest);
    }

    fn model(&mut self, edit: impl FnOnce(&mut Actor)) {
        edit(&mut self.actor);
        self.save();
    }

    /// Writes this into the manifest, after a line of it.
    fn line(&mut self, after: &str, line: &str) {
        assert!(self.manifest.contains(after));
        self.manifest = self.manifest.replace(after, &format!("{after}\n{line}"));
        self.save();
    }

    fn replace(&mut self, from: &str, to: &str) {
        assert!(self.manifest.contains(from));
        self.manifest = self.manifest.replace(from, to);
        self.save();
    }

    /// A line for the actor.
    fn actor_line(&mut self, line: &str) {
        self.line("clips = \"all\"", line);
    }

    /// A table for a clip of the actor.
    fn clip(&mut self, clip: &str, line: &str) {
        self.manifest += &format!("\n[characters.actor.clip.{clip}]\n{line}\n");
        self.save();
    }
}

/// An edit, and what follows.
struct Row {
    what: &'static str,
    edit: fn(&mut Stage),
    /// Clips baked: `*` for all of the actor.
    baked: &'static str,
    /// Why each of them is.
    why: &'static str,
    /// Files changed in the output folder: S sheets, M mesh, J metadata of the actor, C constants, R record,
    /// T the file of the template of the test's own, O anything of the other character.
    written: &'static str,
}

const fn row(
    what: &'static str,
    edit: fn(&mut Stage),
    baked: &'static str,
    why: &'static str,
    written: &'static str,
) -> Row {
    Row { what, edit, baked, why, written }
}

const ROWS: &[Row] = &[
    // What is no edit.
    row("nothing", |_| (), "", "", ""),
    row("files are touched", touch_all, "", "", ""),
    row("files are saved again as they are", Stage::resave, "", "", ""),
    row("the project moves", |s| s.scene.moved(), "", "", ""),
    row(
        "white space and comments in the manifest",
        |s| s.replace("[defaults]", "# so\n\n[defaults]"),
        "",
        "",
        "",
    ),
    row("a default is said", |s| s.actor_line("max_texture = 8192"), "", "", ""),
    // The file changes, what it says does not.
    row(
        "another generator, order of nodes, channels and accessors",
        |s| s.model(|a| a.resaved = true),
        "",
        "",
        "R",
    ),
    row("JSON with white space", pretty, "", "", "R"),
    row("GLB becomes glTF and a buffer", split, "", "", "R"),
    row("GLB becomes glTF with data in it", embed, "", "", "R"),
    row("a node that nothing uses is renamed", |s| s.model(|a| a.names[1] = "lamp"), "", "", "R"),
    row("a joint is renamed, and stays in order", |s| s.model(|a| a.names[0] = "upper arm"), "", "", "R"),
    row("a joint that moves nothing is added", |s| s.model(|a| a.idle = true), "", "", "R"),
    row("a morph target that moves nothing is added", |s| s.model(|a| a.still_target = true), "", "", "R"),
    row("extras", |s| s.set("/meshes/0/extras", json!({ "note": 1 })), "", "", "R"),
    row(
        "a camera",
        |s| {
            s.set("/cameras", json!([{ "type": "orthographic", "orthographic": { "xmag": 1, "ymag": 1, "zfar": 2, "znear": 1 } }]))
        },
        "",
        "",
        "R",
    ),
    // The mesh alone.
    row("UVs", |s| s.model(|a| a.uv = 0.5), "", "", "MR"),
    row(
        "the colour of a material",
        |s| s.set("/materials/0/pbrMetallicRoughness", json!({ "baseColorFactor": [1, 0, 0, 1] })),
        "",
        "",
        "MR",
    ),
    row("the name of a material", |s| s.set("/materials/0/name", json!("silk")), "", "", "MR"),
    // All that moves with it.
    row("a vertex", |s| s.model(|a| a.vertex = 0.25), "*", "mesh", "SMJCR"),
    row("a weight", |s| s.model(|a| a.weight = 0.5), "*", "mesh", "SJCR"),
    row("a morph delta", |s| s.model(|a| a.delta = 0.25), "*", "mesh", "SJCR"),
    row("a joint at rest", |s| s.model(|a| a.upper = [0.0, 1.5, 0.0]), "*", "skeleton", "SMJCR"),
    row("a joint that moves vertices is added", |s| s.model(|a| a.tail = true), "*", "joint-added", "SMJR"),
    row("a joint that moved vertices is removed", without_tail, "*", "joint-removed", "SMJCR"),
    row(
        "a default weight of a morph target",
        |s| s.set("/meshes/0/weights", json!([0.5])),
        "*",
        "mesh",
        "SMJCR",
    ),
    // Clips.
    row("a key of a clip", |s| s.model(|a| a.clips[3].1 = 60.0), "c3", "motion", "SJCR"),
    row(
        "keys of two clips",
        |s| s.model(|a| (a.clips[3].1, a.clips[4].1) = (60.0, 70.0)),
        "c3 c4",
        "motion",
        "SJCR",
    ),
    row("a clip is renamed", |s| s.model(|a| a.clips[3].0 = "walk".to_owned()), "", "", "SJCR"),
    row("two clips change places", |s| s.model(|a| a.clips.swap(3, 4)), "", "", "SJCR"),
    row("a clip is added", |s| s.model(|a| a.clips.push(("new".to_owned(), 45.0))), "new", "new", "SJCRT"),
    row("a clip is removed", |s| s.model(|a| drop(a.clips.remove(3))), "", "", "SJCRT"),
    row(
        "a clip is a copy of another",
        |s| s.model(|a| a.clips.push(("twin".to_owned(), 13.0))),
        "",
        "",
        "SJCRT",
    ),
    row("a clip takes the motion of another", |s| s.model(|a| a.clips[3].1 = a.clips[4].1), "", "", "SJCR"),
    row("a clip from another file", other_file, "far", "new", "SJCRT"),
    // Settings.
    row("fps of a clip", |s| s.clip("c3", "fps = 20"), "c3", "option:fps", "SJCR"),
    row("fps that comes to the same frames", |s| s.clip("c3", "fps = 10.04"), "", "", "R"),
    row("default fps", |s| s.replace("fps = 10", "fps = 20"), "*o", "option:fps", "SJCRO"),
    row("loop", |s| s.clip("c3", "loop = true"), "c3", "option:loop", "SJCR"),
    row("loop = false is said", |s| s.clip("c3", "loop = false"), "", "", "R"),
    row(
        "range",
        |s| s.clip("c3", "range = [\"0.2s\", \"0.6s\"]"),
        "c3",
        "option:duration option:start",
        "SJCR",
    ),
    row("trim of a clip that starts at 0", |s| s.clip("c3", "trim = true"), "", "", "R"),
    row("format of a clip", |s| s.clip("c3", "format = \"rgba16f\""), "c3", "option:format", "SJCR"),
    row("a budget that is kept", |s| s.clip("c3", "max_error = \"5cm\""), "c3", "option:max_error", "R"),
    row("a budget for all", |s| s.line("fps = 10", "max_error = \"5cm\""), "*o", "option:max_error", "R"),
    row("no budget is said", |s| s.clip("c3", "max_error = \"none\""), "", "", "R"),
    row("max_fps where no rate is chosen", |s| s.actor_line("max_fps = 20"), "", "", ""),
    row(
        "a budget of normals",
        |s| s.clip("c3", "max_normal_error = 20"),
        "c3",
        "option:max_normal_error",
        "R",
    ),
    row(
        "a budget chooses the format",
        |s| s.clip("c3", "format = \"auto\"\nmax_error = \"5cm\""),
        "c3",
        "option:format option:max_error",
        "SJCR",
    ),
    row(
        "a budget chooses the rate",
        |s| s.clip("c3", "fps = \"auto\"\nmax_error = \"5cm\""),
        "c3",
        "option:fps option:max_error",
        "SJCR",
    ),
    row("a budget that chooses is tightened", tighter, "c3", "option:max_error", "SJCR"),
    row("max_fps of a rate that is chosen", lower_cap, "c3", "option:max_fps", "R"),
    row("relative", |s| s.clip("c3", "relative = false"), "c3", "option:relative", "SJCR"),
    row("normals", |s| s.actor_line("normals = \"none\""), "*", "mesh option:format", "SJCR"),
    // Vertices then stand as columns do.
    row("share_columns, where none is shared", |s| s.actor_line("share_columns = false"), "", "", "MR"),
    row("column_order", |s| s.actor_line("column_order = \"authored\""), "*", "mesh", "SMJR"),
    row("lods, all the source's triangles", |s| s.actor_line("lods = [{ ratio = 1.0 }]"), "", "", "R"),
    row("max_texture that changes bands", wide, "*", "option:bands option:width", "SMJCR"),
    row("max_texture that changes nothing", |s| s.actor_line("max_texture = 4096"), "", "", "R"),
    row("axes", |s| s.actor_line("axes = \"unity\""), "*", "option:axes", "SMJCR"),
    row(
        "axes that only turn triangles around",
        |s| s.actor_line("axes = \"godot\""),
        "*",
        "option:axes",
        "SMJCR",
    ),
    row("axes of all", |s| s.line("fps = 10", "axes = \"unreal\""), "*o", "option:axes", "SMJCRO"),
    row("mesh_axes", |s| s.actor_line("mesh_axes = \"unity\""), "", "", "MJR"),
    row("axes are said", |s| s.actor_line("axes = \"gltf\"\nmesh_axes = \"gltf\""), "", "", ""),
    row("zstd", |s| s.actor_line("zstd = 3"), "", "", "SJCR"),
    row("allow_outside", |s| s.actor_line("allow_outside = true"), "", "", "R"),
    row(
        "a clip from a stretch of another",
        |s| s.clip("cut", "from = \"c3\"\nrange = [\"0s\", \"0.5s\"]"),
        "cut",
        "new",
        "SJCR",
    ),
    row(
        "only two clips are wanted",
        |s| s.replace("clips = \"all\"", "clips = [\"c3\", \"c5\"]"),
        "",
        "",
        "SJCRT",
    ),
    // Outputs.
    row(
        "another output folder",
        |s| {
            s.scene.out = "new".to_owned();
            s.replace("dir = \"out\"", "dir = \"new\"");
        },
        "",
        "",
        "SMJCRTO",
    ),
    row("another target", |s| s.replace("\"rust\", ", "\"rust\", \"wgsl\", "), "", "", "CR"),
    row("a target less", |s| s.replace("\"rust\", ", ""), "", "", "CR"),
    row("a target of several files", |s| s.replace("\"rust\", ", "\"rust\", \"unity\", "), "", "", "CR"),
    row("a target of several files less", without_unity, "", "", "CR"),
    row("a template", |s| s.scene.write("templates/vat.txt", TEMPLATE.to_owned() + "end\n"), "", "", "RT"),
    row(
        "a template that comes to the same text",
        |s| s.scene.write("templates/vat.txt", format!("{{# so #}}{TEMPLATE}")),
        "",
        "",
        "R",
    ),
    row("the other character's clip", |s| s.scene.write("other.glb", other(2.0)), "o", "motion", "CRO"),
    row(
        "a character is removed",
        |s| {
            let cut = s.manifest.find("[characters.other]").unwrap();
            s.manifest.truncate(cut);
            s.save();
        },
        "",
        "",
        "CRTO",
    ),
    // The store and the outputs.
    row("the store is gone", |s| fs::remove_dir_all(s.scene.cache()).unwrap(), "", "", ""),
    row("the outputs are gone", |s| fs::remove_dir_all(s.scene.path("out")).unwrap(), "", "", "SMJCRTO"),
    row(
        "the record is gone",
        |s| fs::remove_file(s.scene.path("out/vat.published.json")).unwrap(),
        "",
        "",
        "R",
    ),
    row("the memo is gone", |s| fs::remove_file(s.scene.path("out/.vatpipe/memo")).unwrap(), "", "", ""),
    row("a sheet is damaged", |s| s.scene.write("out/actor/actor_0_VAT.ktx2", "rubbish"), "", "", "S"),
    row(
        "a sheet is gone",
        |s| fs::remove_file(s.scene.path("out/actor/actor_0_VAT.ktx2")).unwrap(),
        "",
        "",
        "S",
    ),
    row("constants are damaged", |s| s.scene.write("out/vat.rs", "rubbish"), "", "", "C"),
    row(
        "a clip changes and its store is gone",
        |s| {
            fs::remove_dir_all(s.scene.cache()).unwrap();
            s.model(|a| a.clips[3].1 = 60.0);
        },
        "*",
        "entry-missing|motion",
        "SJCR",
    ),
    row(
        "outputs and entries are gone",
        |s| {
            fs::remove_dir_all(s.scene.path("out/actor")).unwrap();
            remove(&s.scene, "entries");
        },
        "*",
        "entry-missing",
        "SMJ",
    ),
    row(
        "outputs and blobs are gone",
        |s| {
            fs::remove_dir_all(s.scene.path("out/actor")).unwrap();
            remove(&s.scene, "blobs");
        },
        "*",
        "blob-missing",
        "SMJ",
    ),
    row(
        "outputs are gone, blobs damaged",
        |s| {
            fs::remove_dir_all(s.scene.path("out/actor")).unwrap();
            damage(&s.scene, "blobs");
        },
        "*",
        "store-damaged",
        "SMJ",
    ),
    row(
        "outputs are gone, entries damaged",
        |s| {
            fs::remove_dir_all(s.scene.path("out/actor")).unwrap();
            damage(&s.scene, "entries");
        },
        "*",
        "store-damaged",
        "SMJ",
    ),
];

impl Stage {
    fn resave(&mut self) {
        self.save();
    }

    fn set(&mut self, pointer: &str, value: serde_json::Value) {
        self.scene.write("actor.glb", self.actor.with(pointer, value));
    }
}

fn touch_all(stage: &mut Stage) {
    let now = SystemTime::now() + Duration::from_secs(5);
    for name in ["actor.glb", "other.glb", "vat.toml", "templates/vat.txt", "out/actor/actor.glb"] {
        let before = stage.scene.files();
        File::options().append(true).open(stage.scene.path(name)).unwrap().set_modified(now).unwrap();
        assert_eq!(before.len(), stage.scene.files().len());
    }
}

fn pretty(stage: &mut Stage) {
    let model = stage.actor.model();
    let mut json = model.json.clone();
    json["buffers"] = json!([{ "byteLength": model.bin.len() }]);
    let text = serde_json::to_vec_pretty(&json).unwrap();
    stage.scene.write("actor.glb", crate::support::model::glb(&text, &model.bin));
}

fn split(stage: &mut Stage) {
    let model = stage.actor.model();
    stage.scene.write("actor.gltf", model.external("data.bin"));
    stage.scene.write("data.bin", &model.bin);
    stage.replace("actor.glb", "actor.gltf");
}

fn embed(stage: &mut Stage) {
    stage.scene.write("actor.gltf", stage.actor.model().embedded());
    stage.replace("actor.glb", "actor.gltf");
}

/// The tail is there when this edit begins.
fn without_tail(stage: &mut Stage) {
    stage.model(|actor| actor.tail = true);
    assert_eq!(stage.scene.build().baked.len(), 10);
    // Else what was baked first would still be in the store.
    stage.model(|actor| (actor.tail, actor.delta) = (false, 0.75));
}

/// Its files are there when this edit begins.
fn without_unity(stage: &mut Stage) {
    stage.replace("\"rust\", ", "\"rust\", \"unity\", ");
    stage.scene.build();
    assert!(stage.scene.path("out/unity/Editor/VatImporter.cs").exists());
    stage.replace("\"unity\", ", "");
}

/// More columns than 256, when this edit begins.
fn wide(stage: &mut Stage) {
    stage.model(|actor| actor.rows = 150);
    stage.scene.build();
    stage.actor_line("max_texture = 256");
}

/// The budget decides when this edit begins.
fn tighter(stage: &mut Stage) {
    stage.clip("c3", "fps = \"auto\"\nmax_error = \"5cm\"");
    stage.scene.build();
    stage.replace("5cm", "1mm");
}

fn lower_cap(stage: &mut Stage) {
    stage.clip("c3", "fps = \"auto\"\nmax_error = \"5cm\"");
    stage.scene.build();
    stage.line("max_error = \"5cm\"", "max_fps = 20");
}

fn other_file(stage: &mut Stage) {
    let mut far = Actor::new();
    far.clips = vec![("take".to_owned(), 80.0)];
    stage.scene.write("far.glb", far.model().glb());
    stage.clip("far", "source = \"far.glb\"");
}

fn remove(scene: &Scene, kind: &str) {
    scene.stored(kind).iter().for_each(|file| fs::remove_file(file).unwrap());
}

/// Changes one byte of each file, but not its size.
fn damage(scene: &Scene, kind: &str) {
    for file in scene.stored(kind) {
        let mut bytes = fs::read(&file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&file, bytes).unwrap();
    }
}

#[test]
fn exactly_what_an_edit_changes_is_baked() {
    let mut wrong = Vec::new();
    for row in ROWS {
        let mut stage = Stage::new();
        let first = stage.scene.build();
        assert_eq!((first.baked.len(), first.outcome.failed), (11, 0), "{}: {:?}", row.what, first.codes);
        (row.edit)(&mut stage);
        let built = stage.scene.build();
        let (baked, why, written) = (baked(&built), why(&built), written(&built));
        let expected = (names(row.baked, &stage.actor), row.why, row.written.to_owned());
        if (baked.as_str(), why.as_str(), written.as_str()) != (expected.0.as_str(), expected.1, &expected.2)
        {
            wrong.push(format!("{}: baked [{baked}] why [{why}] written [{written}]", row.what));
        }
        assert_eq!(built.outcome.failed, 0, "{}: {:?}", row.what, built.codes);
        let again = stage.scene.build();
        if !again.baked.is_empty() || !again.written.is_empty() || again.outcome.baked > 0 {
            wrong.push(format!("{}: then {:?} {:?}", row.what, again.baked, again.written));
        }
        if stage.scene.bytes() != clean(&mut stage) {
            wrong.push(format!("{}: not the bytes of a clean build", row.what));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(ROWS.len() >= 40);
}

/// The bytes of a build without a store and with nothing there.
fn clean(stage: &mut Stage) -> std::collections::BTreeMap<String, Vec<u8>> {
    fs::remove_dir_all(stage.scene.path(&stage.scene.out)).unwrap();
    stage.scene.build_with(&vatpipe::run::Options::default());
    stage.scene.bytes()
}

fn names(short: &str, actor: &Actor) -> String {
    let all = || actor.clips.iter().map(|(name, _)| format!("actor.{name}"));
    let other = || std::iter::once("other.move".to_owned());
    let mut names: Vec<String> = match short {
        "*" => all().collect(),
        "*o" => all().chain(other()).collect(),
        "o" => other().collect(),
        list => list.split_whitespace().map(|name| format!("actor.{name}")).collect(),
    };
    names.sort();
    names.join(" ")
}

fn baked(built: &Built) -> String {
    built.baked.keys().cloned().collect::<Vec<_>>().join(" ")
}

/// The reasons of all clips, those that differ parted by `|`.
fn why(built: &Built) -> String {
    let tag = |reason: &Reason| match reason {
        Reason::Option { option, old, new } => {
            assert_ne!(old, new);
            format!("option:{option}")
        }
        reason => serde_json::to_value(reason).unwrap()["reason"].as_str().unwrap().to_owned(),
    };
    let tags = |reasons: &Vec<Reason>| {
        let mut tags: Vec<String> = reasons.iter().map(tag).collect();
        tags.sort();
        tags.join(" ")
    };
    let mut all: Vec<String> = built.baked.values().map(tags).collect();
    all.sort();
    all.dedup();
    all.join("|")
}

fn written(built: &Built) -> String {
    let kind = |name: &String| match name.as_str() {
        "actor/actor.glb" => 'M',
        "actor/actor.vat.json" => 'J',
        "vat.published.json" => 'R',
        "vat.txt" => 'T',
        name if name.starts_with("other/") => 'O',
        name if name.starts_with("actor/") => 'S',
        _ => 'C',
    };
    let kinds: std::collections::BTreeSet<char> = built.written.iter().map(kind).collect();
    "SMJCRTO".chars().filter(|kind| kinds.contains(kind)).collect()
}
