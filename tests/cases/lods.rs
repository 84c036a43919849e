//! Levels of detail: what each reads is what the finest reads, what moves apart stays apart, and what is reported is so.

use std::collections::BTreeSet;

use serde_json::json;

use super::project::Project;
use crate::support::loader::mesh::{Level, levels};
use crate::support::loader::{Character, Track};
use crate::support::model::Model;
use crate::support::models::{IDENTITY, about_z, translation};
use crate::support::node;

const EXACT: &str = "format = \"rgba32f\"\nrelative = false\n";

/// A project's levels, and the character as a loader sees it.
fn built(project: &Project) -> (Vec<Level>, Character) {
    let character = project.baked();
    let file = project.files("out/it").into_iter().find(|(name, _)| name == "it.glb").unwrap().1;
    let texcoord = character.json["column_texcoord"].as_u64().unwrap() as usize;
    (levels(&file, texcoord), character)
}

/// Where a column is at a frame of a track.
fn at(character: &Character, track: &Track, column: usize, frame: usize) -> [f32; 3] {
    let texel = character.texel(track, column, frame);
    [0, 1, 2].map(|axis| track.bias[axis] + track.scale[axis] * texel.v[axis])
}

/// The track from which a level reads the first clip.
fn track(character: &Character, lod: u64) -> &Track {
    let reads = |track: &&Track| {
        let lods = character.json["sheets"][track.sheet]["lods"].as_array().unwrap();
        lods.iter().any(|l| l.as_u64() == Some(lod))
    };
    character.clips[0].tracks.iter().find(reads).unwrap()
}

fn triangles(level: &Level) -> usize {
    level.primitives.iter().map(|(_, indices)| indices.len() / 3).sum()
}

fn error(character: &Character, lod: usize) -> f64 {
    character.json["lods"][lod]["error"].as_f64().unwrap()
}

/// A tube around Y of `rings` rings of `around` vertices, from y = 0 to 4, times `unit`, under a node that undoes that. Its
/// upper half follows a joint that bends by 90 degrees within a second.
fn tube(around: u32, rings: u32, unit: f32) -> Model {
    let mut model = Model::new();
    let (mut positions, mut joints, mut weights) = (vec![], vec![], vec![]);
    for ring in 0..rings {
        let y = 4.0 * ring as f32 / (rings - 1) as f32;
        let upper = ((y - 1.5) / 1.0).clamp(0.0, 1.0);
        for i in 0..around {
            let angle = f64::from(i) / f64::from(around) * std::f64::consts::TAU;
            let (x, z) = (libm::cos(angle) as f32 * 0.5, libm::sin(angle) as f32 * 0.5);
            positions.push([x * unit, y * unit, z * unit]);
            joints.extend([0, 1, 0, 0]);
            weights.push([1.0 - upper, upper, 0.0, 0.0]);
        }
    }
    let quad = |ring: u32, i: u32| {
        let next = (i + 1) % around;
        let [a, b] = [ring * around + i, ring * around + next];
        [a, a + around, b, b, a + around, b + around]
    };
    let indices: Vec<u32> = (0..rings - 1).flat_map(|r| (0..around).flat_map(move |i| quad(r, i))).collect();
    let (position, weight) = (model.vec3(&positions), model.vec4(&weights));
    let (joint, indices) = (model.u8s("VEC4", &joints), model.u32s("SCALAR", &indices));
    let attributes = json!({ "POSITION": position, "JOINTS_0": joint, "WEIGHTS_0": weight });
    let mesh = model.mesh(json!([{ "attributes": attributes, "indices": indices }]));
    let armature = model.node(json!({ "name": "armature", "scale": [1.0 / unit, 1.0 / unit, 1.0 / unit] }));
    model.child(armature, json!({ "name": "tube", "mesh": mesh, "skin": 0 }));
    let lower = model.child(armature, json!({ "name": "lower" }));
    let upper = model.child(lower, json!({ "name": "upper", "translation": [0.0, 2.0 * unit, 0.0] }));
    let inverse = model.mat4(&[translation(0.0, 0.0, 0.0), translation(0.0, -2.0 * unit, 0.0)]);
    model.add("skins", json!({ "joints": [lower, upper], "inverseBindMatrices": inverse }));
    let output = model.vec4(&[IDENTITY, about_z(90.0)]);
    let clip = model.clip("bend");
    model.channel(clip, upper, "rotation", &[0.0, 1.0], output, "LINEAR");
    model
}

/// Case 30: vertices of lower levels read the columns of others.
#[test]
fn case_30_every_level_reads_what_the_finest_reads() {
    for lines in ["", "share_columns = false\n", "column_order = \"authored\"\n"] {
        let lods = "lods = [{ ratio = 1.0 }, { ratio = 0.5 }, { ratio = 0.2, fps = 5 }]";
        let project = Project::of(&tube(10, 20, 1.0), &format!("{EXACT}fps = 10\n{lines}{lods}"));
        let (levels, character) = built(&project);
        let names: Vec<&str> = levels.iter().map(|level| level.node.as_str()).collect();
        assert_eq!(names, ["it", "it_LOD1", "it_LOD2"]);
        let counts: Vec<usize> = levels.iter().map(triangles).collect();
        assert_eq!(counts[0], 380);
        assert!((185..=192).contains(&counts[1]) && (70..=78).contains(&counts[2]), "{counts:?}");
        for (lod, level) in levels.iter().enumerate() {
            let json = &character.json["lods"][lod];
            assert_eq!(json["node"], level.node.as_str());
            assert_eq!(json["triangle_count"], counts[lod]);
            assert_eq!(json["vertex_count"], level.positions.len());
            let columns = json["column_count"].as_u64().unwrap() as usize;
            // A prefix: the same vertices, the same columns.
            assert_eq!(level.positions[..], levels[0].positions[..level.positions.len()]);
            assert_eq!(level.columns[..], levels[0].columns[..level.columns.len()]);
            let used: BTreeSet<u32> = level.primitives.iter().flat_map(|p| p.1.iter().copied()).collect();
            assert_eq!(used.last().map(|&v| v as usize + 1), Some(level.positions.len()));
            let (own, finest) = (track(&character, lod as u64), track(&character, 0));
            let width = character.sheets[own.sheet].texture.width;
            assert_eq!(width, columns);
            for &vertex in &used {
                let column = level.columns[vertex as usize];
                assert!(column < columns);
                assert_eq!((level.column_uv[vertex as usize][0] * width as f32).floor() as usize, column);
                for frame in 0..own.frames {
                    // Five frames a second are every second of ten.
                    let same = frame * (finest.frames - 1) / (own.frames - 1);
                    assert_eq!(at(&character, own, column, frame), at(&character, finest, column, same));
                }
            }
        }
        let frames: Vec<usize> = character.clips[0].tracks.iter().map(|track| track.frames).collect();
        assert_eq!(frames, [11, 6]);
        assert!(character.sheets[1].texture.width < character.sheets[0].texture.width / 2);
        assert!(error(&character, 0) == 0.0 && error(&character, 1) <= error(&character, 2));
        node::check_glb(&[project.path("out/it/it.glb")]);
    }
}

/// Two grids of 9 x 9 at the same place, facing away from each other or not, each on a joint of its own; in the clip one is
/// lifted by a metre.
fn two_sheets(turned: bool) -> Model {
    let mut model = Model::new();
    let at = |i: u32| [(i % 9) as f32, (i / 9) as f32, 0.0];
    let positions: Vec<[f32; 3]> = (0..162).map(|i| at(i % 81)).collect();
    let joints: Vec<u8> = (0..162).flat_map(|i| [u8::from(i >= 81), 0, 0, 0]).collect();
    let quads = (0..8).flat_map(|y| (0..8).map(move |x| y * 9 + x));
    let front: Vec<u32> = quads.flat_map(|i| [i, i + 1, i + 9, i + 9, i + 1, i + 10]).collect();
    let back = front.chunks(3).flat_map(|t| if turned { [t[0], t[2], t[1]] } else { [t[0], t[1], t[2]] });
    let indices: Vec<u32> = front.iter().copied().chain(back.map(|i| i + 81)).collect();
    let (position, weight) = (model.vec3(&positions), model.vec4(&[[1.0, 0.0, 0.0, 0.0]; 162]));
    let (joint, indices) = (model.u8s("VEC4", &joints), model.u32s("SCALAR", &indices));
    let attributes = json!({ "POSITION": position, "JOINTS_0": joint, "WEIGHTS_0": weight });
    let mesh = model.mesh(json!([{ "attributes": attributes, "indices": indices }]));
    model.node(json!({ "mesh": mesh, "skin": 0 }));
    let (a, b) = (model.node(json!({ "name": "a" })), model.node(json!({ "name": "b" })));
    model.add("skins", json!({ "joints": [a, b] }));
    let output = model.vec3(&[[0.0; 3], [0.0, 0.0, 1.0]]);
    let clip = model.clip("lift");
    model.channel(clip, b, "translation", &[0.0, 1.0], output, "LINEAR");
    model
}

#[test]
fn sheets_at_one_place_on_two_joints_stay_apart() {
    for turned in [false, true] {
        let lods = "lods = [{ ratio = 1.0 }, { ratio = 0.3 }, { triangles = 4 }, { triangles = 1 }]";
        let (levels, character) =
            built(&Project::of(&two_sheets(turned), &format!("{EXACT}fps = 1\n{lods}")));
        assert_eq!(levels.len(), 4, "{:?}", levels.iter().map(triangles).collect::<Vec<_>>());
        // Even the coarsest is one triangle of one sheet, not a stitch between two.
        for (lod, level) in levels.iter().enumerate() {
            let track = track(&character, lod as u64);
            let mut sheets = BTreeSet::new();
            for triangle in level.primitives[0].1.chunks(3) {
                let lifted =
                    [0, 1, 2].map(|i| at(&character, track, level.columns[triangle[i] as usize], 1)[2]);
                assert!(lifted == [0.0; 3] || lifted == [1.0; 3], "LOD {lod}: {lifted:?}");
                sheets.insert(lifted[0] == 1.0);
            }
            assert!(sheets.len() == 2 || lod == 3, "LOD {lod} has lost a sheet");
        }
    }
}

/// A sphere of 1,000 triangles without a shared vertex, each with the normal of its triangle.
fn faceted_sphere() -> Model {
    let (around, rings) = (25, 21);
    let point = |ring: u32, i: u32| {
        let (up, turn) = (f64::from(ring) / f64::from(rings), f64::from(i % around) / f64::from(around));
        let (up, turn) = (up * std::f64::consts::PI, turn * std::f64::consts::TAU);
        let radius = if ring == 0 || ring == rings { 0.0 } else { libm::sin(up) };
        [radius * libm::cos(turn), libm::cos(up), radius * libm::sin(turn)].map(|v| v as f32)
    };
    let mut corners: Vec<[f32; 3]> = Vec::new();
    for (ring, i) in (0..rings).flat_map(|ring| (0..around).map(move |i| (ring, i))) {
        let [a, b, c, d] = [point(ring, i), point(ring, i + 1), point(ring + 1, i), point(ring + 1, i + 1)];
        if ring > 0 {
            corners.extend([a, b, c]);
        }
        if ring + 1 < rings {
            corners.extend([c, b, d]);
        }
    }
    let mut model = Model::new();
    let normals: Vec<[f32; 3]> = corners.chunks(3).flat_map(|t| [normal([t[0], t[1], t[2]]); 3]).collect();
    let (position, normal) = (model.vec3(&corners), model.vec3(&normals));
    let attributes = json!({ "POSITION": position, "NORMAL": normal });
    let mesh = model.mesh(json!([{ "attributes": attributes }]));
    let node = model.node(json!({ "mesh": mesh }));
    let output = model.vec3(&[[0.0; 3], [1.0, 0.0, 0.0]]);
    let clip = model.clip("slide");
    model.channel(clip, node, "translation", &[0.0, 1.0], output, "LINEAR");
    model
}

fn normal([a, b, c]: [[f32; 3]; 3]) -> [f32; 3] {
    let (e, f) = ([0, 1, 2].map(|i| b[i] - a[i]), [0, 1, 2].map(|i| c[i] - a[i]));
    let n = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
    let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
    n.map(|v| v / length)
}

/// Case 34: faceted input stalled the simplifier, as every edge is a seam of normals.
#[test]
fn case_34_a_faceted_sphere() {
    let lods = "lods = [{ ratio = 1.0 }, { ratio = 0.5 }, { ratio = 0.25 }, { ratio = 0.0 }]";
    let project = Project::of(&faceted_sphere(), &format!("{EXACT}fps = 1\n{lods}"));
    let (levels, character) = built(&project);
    let counts: Vec<usize> = levels.iter().map(triangles).collect();
    assert_eq!(counts[0], 1000);
    assert!((490..=502).contains(&counts[1]) && (240..=252).contains(&counts[2]), "{counts:?}");
    assert!(counts.windows(2).all(|pair| pair[0] > pair[1]) && counts.iter().all(|&c| c > 0), "{counts:?}");
    for (lod, &count) in counts.iter().enumerate() {
        let reached = character.json["lods"][lod]["ratio"].as_f64().unwrap();
        assert!((reached - count as f64 / 1000.0).abs() < 1e-9);
    }
    // Half a sphere's triangles are still a sphere.
    assert!(error(&character, 1) < 0.02 && error(&character, 2) < 0.06, "{}", character.json["lods"]);
}

/// Runner-up 15: errors came in units of the mesh, and a rig scaled by 100 had errors 100 times as large.
#[test]
fn runner_up_15_a_scaled_rig() {
    let lods = "lods = [{ ratio = 1.0 }, { error = \"1cm\" }, { ratio = 0.1 }]";
    let of = |unit: f32| {
        let (levels, character) =
            built(&Project::of(&tube(16, 24, unit), &format!("{EXACT}fps = 10\n{lods}")));
        (levels.iter().map(triangles).collect::<Vec<_>>(), error(&character, 1), error(&character, 2))
    };
    let (plain, large) = (of(1.0), of(128.0));
    assert_eq!(plain.0, large.0);
    assert!((plain.1 - large.1).abs() < 1e-5 && (plain.2 - large.2).abs() < 1e-5, "{plain:?} {large:?}");
    assert!(plain.1 <= 0.01 && plain.2 > 0.01, "{plain:?}");
}

/// The reported error is the distance of the source's vertices from the level's triangles in motion, by looking at all of
/// them: the clip's 16 frames are the moments at which it is measured.
#[test]
fn the_error_is_measured_and_kept() {
    let lods = "lods = [{ ratio = 1.0 }, { error = \"3cm\" }, { ratio = 0.1 }]";
    let (levels, character) = built(&Project::of(&tube(16, 24, 1.0), &format!("{EXACT}fps = 15\n{lods}")));
    let track = track(&character, 0);
    assert_eq!(track.frames, 16);
    for lod in [1, 2] {
        let mut worst = 0.0f64;
        for frame in 0..track.frames {
            let place =
                |vertex: usize| at(&character, track, levels[0].columns[vertex], frame).map(f64::from);
            let corners: Vec<[[f64; 3]; 3]> = levels[lod].primitives[0]
                .1
                .chunks(3)
                .map(|t| [0, 1, 2].map(|i| place(t[i] as usize)))
                .collect();
            for vertex in 0..levels[0].positions.len() {
                let point = place(vertex);
                let near = corners.iter().map(|&t| distance(point, t)).fold(f64::INFINITY, f64::min);
                worst = worst.max(near);
            }
        }
        assert!(
            (worst - error(&character, lod)).abs() < 1e-5,
            "LOD {lod}: {worst} {}",
            error(&character, lod)
        );
    }
    assert!(error(&character, 1) <= 0.03 && error(&character, 2) > 0.03, "{}", character.json["lods"]);
    let counts: Vec<usize> = levels.iter().map(triangles).collect();
    assert!(counts[1] < counts[0] * 2 / 3, "{counts:?}");
}

/// From a point to a triangle, by halving: the triangle is cut at its longest edge until it is small. Slow, and nothing like
/// the code that it checks.
fn distance(p: [f64; 3], [a, b, c]: [[f64; 3]; 3]) -> f64 {
    let sub = |a: [f64; 3], b: [f64; 3]| [0, 1, 2].map(|i| a[i] - b[i]);
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let (mut best, e, f) = (f64::INFINITY, sub(b, a), sub(c, a));
    let (ee, ef, ff, d) = (dot(e, e), dot(e, f), dot(f, f), sub(p, a));
    let (de, df, det) = (dot(d, e), dot(d, f), ee * ff - ef * ef);
    let mut try_at = |s: f64, t: f64| {
        let v = [0, 1, 2].map(|i| d[i] - s * e[i] - t * f[i]);
        best = best.min(dot(v, v).sqrt());
    };
    let (s, t) = ((de * ff - df * ef) / det, (df * ee - de * ef) / det);
    if s >= 0.0 && t >= 0.0 && s + t <= 1.0 {
        try_at(s, t);
    }
    // The nearest points of the three edges.
    try_at((de / ee).clamp(0.0, 1.0), 0.0);
    try_at(0.0, (df / ff).clamp(0.0, 1.0));
    let g = sub(c, b);
    let along = (dot(sub(p, b), g) / dot(g, g)).clamp(0.0, 1.0);
    try_at(1.0 - along, along);
    best
}

/// Case 47, for levels: those that need them have 32-bit indices, and only those.
#[test]
fn case_47_more_vertices_than_16_bits_in_the_finest_level() {
    let mut model = Model::new();
    let at = |i: u32| [(i % 300) as f32, (i / 300) as f32, ((i * 7919) % 101) as f32 * 0.001];
    let positions: Vec<_> = (0..90_000).map(at).collect();
    let quads = (0..299).flat_map(|y| (0..299).map(move |x| y * 300 + x));
    let indices: Vec<u32> = quads.flat_map(|i| [i, i + 1, i + 300, i + 300, i + 1, i + 301]).collect();
    let (position, indices) = (model.vec3(&positions), model.u32s("SCALAR", &indices));
    let mesh = model.mesh(json!([{ "attributes": { "POSITION": position }, "indices": indices }]));
    let node = model.node(json!({ "mesh": mesh }));
    let output = model.vec3(&[[0.0; 3], [1.0, 0.0, 0.0]]);
    let clip = model.clip("slide");
    model.channel(clip, node, "translation", &[0.0, 1.0], output, "LINEAR");
    let project =
        Project::of(&model, &format!("{EXACT}fps = 1\nlods = [{{ ratio = 1.0 }}, {{ ratio = 0.25 }}]"));
    let (levels, character) = built(&project);
    let sizes: Vec<usize> = levels.iter().map(|level| level.primitives[0].0).collect();
    assert_eq!((sizes, character.column_count), (vec![4, 2], 90_000));
    let reached = triangles(&levels[1]) as f64 / triangles(&levels[0]) as f64;
    assert!((0.24..=0.251).contains(&reached), "{reached}");
    assert_eq!(levels[1].positions[..], levels[0].positions[..levels[1].positions.len()]);
}

/// Two materials that meet along x = 8, each with vertices of its own.
#[test]
fn seams_of_materials_stay_closed() {
    let mut model = Model::new();
    let wave = |x: f32, y: f32| libm::sin(f64::from(x * 1.3 + y * 0.7)) as f32 * 0.2;
    let primitives = [0, 1].map(|side| {
        let at = |i: u32| {
            let (x, y) = ((i % 9 + 8 * side) as f32, (i / 9) as f32);
            [x, y, wave(x, y)]
        };
        let positions: Vec<_> = (0..153).map(at).collect();
        let quads = (0..16).flat_map(|y| (0..8).map(move |x| y * 9 + x));
        let indices: Vec<u32> = quads.flat_map(|i| [i, i + 1, i + 9, i + 9, i + 1, i + 10]).collect();
        let (position, indices) = (model.vec3(&positions), model.u32s("SCALAR", &indices));
        let material = model.add("materials", json!({ "name": format!("side {side}") }));
        json!({ "attributes": { "POSITION": position }, "indices": indices, "material": material })
    });
    let mesh = model.mesh(json!(primitives));
    let node = model.node(json!({ "mesh": mesh }));
    let output = model.vec3(&[[0.0; 3], [1.0, 0.0, 0.0]]);
    let clip = model.clip("slide");
    model.channel(clip, node, "translation", &[0.0, 1.0], output, "LINEAR");
    let lods = "lods = [{ ratio = 1.0 }, { ratio = 0.3 }, { ratio = 0.05 }]";
    let (levels, _) = built(&Project::of(&model, &format!("{EXACT}fps = 1\n{lods}")));
    assert_eq!(levels.len(), 3);
    for level in &levels {
        let seam = |primitive: usize| -> BTreeSet<[u32; 3]> {
            let used = level.primitives[primitive].1.iter().map(|&v| level.positions[v as usize]);
            used.filter(|p| p[0] == 8.0).map(|p| p.map(f32::to_bits)).collect()
        };
        assert_eq!(seam(0), seam(1));
        assert!(seam(0).len() >= 2);
    }
    let on_seam = |level: &Level| level.positions.iter().filter(|p| p[0] == 8.0).count();
    assert!(on_seam(&levels[2]) < on_seam(&levels[0]), "the seam collapses along itself");
}

#[test]
fn levels_that_save_nothing_are_left_out() {
    let lods = "lods = [{ ratio = 1.0 }, { ratio = 0.99 }, { ratio = 0.5 }, { triangles = 375 }]";
    let project = Project::of(&tube(10, 20, 1.0), &format!("{EXACT}fps = 1\n{lods}"));
    let notes: Vec<String> =
        project.build().problems.iter().map(|p| format!("{}: {}", p.code, p.message)).collect();
    let dropped: Vec<_> = notes.iter().filter(|n| n.starts_with("bake::lod-saves-nothing")).collect();
    assert_eq!(dropped.len(), 2, "{notes:?}");
    assert_eq!(built(&project).0.len(), 2);
    // With a rate of its own it saves texture memory.
    let lods = "lods = [{ ratio = 1.0 }, { ratio = 1.0, fps = 1 }]";
    let (levels, character) = built(&Project::of(&tube(10, 20, 1.0), &format!("{EXACT}fps = 10\n{lods}")));
    assert_eq!((levels.len(), character.sheets.len()), (2, 2));
}

/// A finest level that is not the source: what it does not use is in no file.
#[test]
fn a_finest_level_of_fewer_triangles() {
    let lods = "lods = [{ ratio = 0.5 }, { ratio = 0.25 }]";
    let (levels, character) = built(&Project::of(&tube(10, 20, 1.0), &format!("{EXACT}fps = 1\n{lods}")));
    assert!(character.column_count < 120 && levels[0].positions.len() == character.column_count);
    assert_eq!(levels[0].positions.len(), character.mesh.positions.len());
    assert!(error(&character, 0) > 0.0);
}
