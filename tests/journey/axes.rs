//! Bakes in the axes of engines, against sums written out here and against the bake in glTF's.

use std::path::Path;

use serde_json::json;
use vatpipe::axes::Axes;
use vatpipe::encode::Format;
use vatpipe::manifest::{Budget, FormatChoice, Length, LodRecipe, LodSampling, LodTarget, Recipe};
use vatpipe::problem::Place;

use crate::support::baking::{bake, clip, corpus, exact, files_with, load, recipe};
use crate::support::loader::{Character, Direction, Track};
use crate::support::model::Model;
use crate::support::node::check_glb;
use crate::support::reference::degrees;

/// Directions are stored in two bytes: see `reference`.
const TWO_BYTES: f64 = 0.964;

type Convert = fn([f32; 3]) -> [f32; 3];

/// What an engine's axes are, written here once more: where a point goes, how long a metre is, the sign of a tangent's
/// handedness, and the side to which the cross product of a triangle's edges points (1 is out).
fn by_hand(axes: Axes) -> (Convert, f32, f32, f32) {
    match axes {
        Axes::Gltf => (|[x, y, z]| [x, y, z], 1.0, 1.0, 1.0),
        Axes::Unity => (|[x, y, z]| [-x, y, z], 1.0, -1.0, 1.0),
        Axes::Unreal => (|[x, y, z]| [x, z, y], 100.0, -1.0, -1.0),
        Axes::Godot => (|[x, y, z]| [x, y, z], 1.0, 1.0, -1.0),
    }
}

fn scaled(v: [f32; 3], by: f32) -> [f32; 3] {
    v.map(|c| c * by)
}

fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn minus(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [0, 1, 2].map(|i| a[i] - b[i])
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The triangle (1,2,3), (4,5,6), (7,8,10) on a node that turns by 90 degrees about Y in a second. Its tangent goes
/// along its first edge.
fn turning_triangle() -> Model {
    let mut model = Model::new();
    let corners = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]];
    // (3,3,3) x (6,6,7) = (3,-3,0)
    let [h, t] = [std::f32::consts::FRAC_1_SQRT_2, 1.0 / 3.0_f32.sqrt()];
    let position = model.vec3(&corners);
    let normal = model.vec3(&[[h, -h, 0.0]; 3]);
    let tangent = model.vec4(&[[t, t, t, -1.0]; 3]);
    let attributes = json!({ "POSITION": position, "NORMAL": normal, "TANGENT": tangent });
    let mesh = model.mesh(json!([{ "attributes": attributes }]));
    let node = model.node(json!({ "mesh": mesh }));
    let output = model.vec4(&[[0.0, 0.0, 0.0, 1.0], [0.0, h, 0.0, h]]);
    let clip = model.clip("turn");
    model.channel(clip, node, "rotation", &[0.0, 1.0], output, "LINEAR");
    model
}

fn in_axes(mut recipe: Recipe, axes: Axes) -> Recipe {
    (recipe.mesh.axes, recipe.mesh.mesh_axes) = (axes, axes);
    recipe
}

/// What one bake gives to another one's other conversion: bakes a model of a test's own.
fn bake_triangle(axes: Axes, mesh_axes: Axes) -> Character {
    let mut recipe = recipe("README.md", Vec::new());
    recipe.mesh.tangents = true;
    recipe.all_clips = Some(exact(1.0));
    (recipe.mesh.axes, recipe.mesh.mesh_axes) = (axes, mesh_axes);
    load(&recipe, &files_with(&recipe, &|_| turning_triangle().glb()))
}

/// Case 6, for every engine.
#[test]
fn every_engine_by_hand() {
    for axes in Axes::ALL {
        let (convert, unit, handedness, outward) = by_hand(axes);
        let it = bake_triangle(axes, axes);
        assert_eq!(it.json["axes"], axes.name());
        assert!(it.json.get("mesh_axes").is_none());
        let clip = &it.clips[0];
        let (positions, normals) = (it.positions(clip), it.directions(clip, Direction::Normal).unwrap());
        let tangents = it.directions(clip, Direction::Tangent).unwrap();
        // Turned by 90 degrees about Y, (x, y, z) becomes (z, y, -x).
        let turned = |[x, y, z]: [f32; 3]| [z, y, -x];
        let corners = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]];
        for (vertex, corner) in corners.into_iter().enumerate() {
            let rest = scaled(convert(corner), unit);
            assert_eq!(it.mesh.positions[vertex], rest, "{axes:?}");
            assert_eq!(it.position(positions, vertex, 0), rest, "{axes:?}");
            let [end, found] = [scaled(convert(turned(corner)), unit), it.position(positions, vertex, 1)];
            assert!(minus(found, end).iter().all(|d| d.abs() < 2e-6 * unit), "{axes:?}: {found:?} {end:?}");
            for (frame, normal, tangent) in
                [(0, [1.0, -1.0, 0.0], [1.0; 3]), (1, turned([1.0, -1.0, 0.0]), turned([1.0; 3]))]
            {
                let (found_normal, _) = it.direction(normals, vertex, frame);
                let (found_tangent, w) = it.direction(tangents, vertex, frame);
                assert!(degrees(found_normal, convert(normal)) < TWO_BYTES, "{axes:?}");
                assert!(degrees(found_tangent, convert(tangent)) < TWO_BYTES, "{axes:?}");
                assert_eq!(w, -handedness, "{axes:?}");
                // The bitangent is what glTF's was converted to: there it is cross(normal, tangent) * -1.
                let bitangent = scaled(cross(found_normal, found_tangent), w);
                let truth = convert(scaled(cross(normal, tangent), -1.0));
                assert!(degrees(bitangent, truth) < 2.0 * TWO_BYTES, "{axes:?}");
            }
            assert_eq!(it.mesh.tangents.as_ref().unwrap()[vertex][3], -handedness, "{axes:?}");
            assert!(degrees(it.mesh.normals.as_ref().unwrap()[vertex], convert([1.0, -1.0, 0.0])) < 0.01);
        }
        let [a, b, c] = it.mesh.primitives[0].1[..3] else { panic!("one triangle") };
        for frame in 0..2 {
            let at = |v: u32| it.position(positions, v as usize, frame);
            let face = cross(minus(at(b), at(a)), minus(at(c), at(a)));
            let (normal, _) = it.direction(normals, 0, frame);
            assert!(degrees(scaled(face, outward), normal) < TWO_BYTES, "{axes:?}: {face:?} {normal:?}");
        }
        let bounds = [it.bounds.min, it.bounds.max];
        let expected = match axes {
            Axes::Gltf | Axes::Godot => [[1.0, 2.0, -7.0], [10.0, 8.0, 10.0]],
            Axes::Unity => [[-10.0, 2.0, -7.0], [-1.0, 8.0, 10.0]],
            Axes::Unreal => [[100.0, -700.0, 200.0], [1000.0, 1000.0, 800.0]],
        };
        for (found, expected) in bounds.as_flattened().iter().zip(expected.as_flattened()) {
            assert!((found - expected).abs() < 1e-5 * unit, "{axes:?}: {bounds:?}");
        }
    }
}

/// The engine's own importer converts the mesh: it stays as it was, and only the textures are converted.
#[test]
fn a_mesh_for_an_importer_stays_as_it_is() {
    let plain = bake_triangle(Axes::Gltf, Axes::Gltf);
    for axes in [Axes::Unity, Axes::Unreal, Axes::Godot] {
        let it = bake_triangle(axes, Axes::Gltf);
        assert_eq!((&it.json["axes"], &it.json["mesh_axes"]), (&json!(axes.name()), &json!("gltf")));
        assert_eq!(it.mesh.positions, plain.mesh.positions);
        assert_eq!((&it.mesh.normals, &it.mesh.tangents), (&plain.mesh.normals, &plain.mesh.tangents));
        assert_eq!(it.mesh.primitives, plain.mesh.primitives);
        let all = bake_triangle(axes, axes);
        assert_eq!((it.bounds.min, it.bounds.max), (all.bounds.min, all.bounds.max));
        assert_eq!(it.sheets[0].texture.data, all.sheets[0].texture.data);
    }
}

/// The models of this repository, and two of the corpus with normals: everything that leaves, in other axes, is the
/// conversion of what leaves in glTF's.
#[test]
fn a_converted_bake_is_the_conversion_of_a_bake() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/characters/models");
    let sources = [
        (models.join("dragon.glb"), 1),
        (models.join("pennant.glb"), 1),
        (models.join("kettle.glb"), 1),
        (corpus("RobotExpressive.glb"), 2),
    ];
    for (path, index) in sources {
        let mut settings = exact(4.0);
        settings.format = FormatChoice::Fixed(Format::Rgba16ui);
        let mut clips = vec![clip(index, settings.clone())];
        settings.relative = Some(true);
        clips.push(clip(index, settings));
        clips[1].name = "offsets".to_owned();
        let mut recipe = recipe("README.md", clips);
        recipe.source.clone_from(&path);
        let lod = |ratio| LodRecipe {
            target: LodTarget::Ratio(ratio),
            sampling: LodSampling::default(),
            place: Place::Nowhere,
        };
        recipe.lods = vec![lod(1.0), lod(0.4)];
        let plain = bake(&recipe);
        for axes in [Axes::Unity, Axes::Unreal, Axes::Godot] {
            let converted = bake(&in_axes(recipe.clone(), axes));
            assert_converted(&path.display().to_string(), &plain, &converted, axes);
        }
    }
}

fn assert_converted(what: &str, plain: &Character, converted: &Character, axes: Axes) {
    let (convert, unit, _, outward) = by_hand(axes);
    assert_eq!(
        plain.mesh.columns, converted.mesh.columns,
        "{what}: the order of columns has nothing to do with axes"
    );
    for (p, c) in plain.mesh.positions.iter().zip(&converted.mesh.positions) {
        assert!(minus(*c, scaled(convert(*p), unit)).iter().all(|d| d.abs() <= 1e-6 * unit), "{what}");
    }
    for (p, c) in plain.mesh.primitives.iter().zip(&converted.mesh.primitives) {
        let turned = |[a, b, c]: [u32; 3]| if axes.turns_triangles() { [a, c, b] } else { [a, b, c] };
        let triangles: Vec<[u32; 3]> = p.1.as_chunks().0.iter().map(|&t| turned(t)).collect();
        assert_eq!(triangles.as_flattened(), c.1, "{what}");
    }
    let (volume, turned) = (volume(plain), volume(converted));
    assert!(
        (turned - volume * f64::from(outward * unit * unit * unit)).abs() <= 1e-5 * turned.abs(),
        "{what}"
    );
    for (clip, other) in plain.clips.iter().zip(&converted.clips) {
        let (track, other_track) = (plain.positions(clip), converted.positions(other));
        assert_eq!((track.relative, track.frames), (other_track.relative, other_track.frames), "{what}");
        let off = distance(plain, track, converted, other_track, |p| scaled(convert(p), unit));
        // Both are rounded to codes of their own ranges.
        let step = track.scale.iter().fold(0.0, |a: f32, &b| a.max(b)) / 65535.0;
        assert!(off <= 1.01 * step * unit, "{what} {}: {off} and steps of {step}", clip.name);
        let bound = |b: &crate::support::loader::Bounds| [b.min, b.max];
        for (p, c) in
            [(bound(&clip.bounds), bound(&other.bounds)), (bound(&plain.bounds), bound(&converted.bounds))]
        {
            let corners = p.map(|corner| scaled(convert(corner), unit));
            let sorted = |of: fn(f32, f32) -> f32| [0, 1, 2].map(|i| of(corners[0][i], corners[1][i]));
            for (found, expected) in c.iter().zip([sorted(f32::min), sorted(f32::max)]) {
                assert!(minus(*found, expected).iter().all(|d| d.abs() <= 1.01 * step * unit), "{what}");
            }
        }
        let (p, c) = (&track.error["sample"]["max"], &other_track.error["sample"]["max"]);
        let (p, c) = (p.as_f64().unwrap(), c.as_f64().unwrap() / f64::from(unit));
        assert!((p - c).abs() <= f64::from(step), "{what}: {p} m and {c} m");
        assert_directions(what, (plain, clip), (converted, other), convert);
    }
    let lods = |it: &Character| it.json["lods"].as_array().unwrap().clone();
    for (p, c) in lods(plain).iter().zip(lods(converted)) {
        assert_eq!(
            (&p["triangle_count"], &p["vertex_count"]),
            (&c["triangle_count"], &c["vertex_count"]),
            "{what}"
        );
        let [p, c] = [&p["error"], &c["error"]].map(|error| error.as_f64().unwrap());
        assert!((p * f64::from(unit) - c).abs() <= 1e-12 * f64::from(unit), "{what}");
    }
}

/// Six times the volume that the triangles of the mesh enclose, seen from the outside by the usual cross product.
fn volume(it: &Character) -> f64 {
    let corner = |v: u32| it.mesh.positions[v as usize].map(f64::from);
    let signed = |[a, b, c]: [[f64; 3]; 3]| {
        a[0] * (b[1] * c[2] - b[2] * c[1])
            + a[1] * (b[2] * c[0] - b[0] * c[2])
            + a[2] * (b[0] * c[1] - b[1] * c[0])
    };
    let triangles = it.mesh.primitives.iter().flat_map(|p| p.1.as_chunks::<3>().0);
    triangles.map(|t| signed(t.map(corner))).sum()
}

/// The largest difference along an axis between converted positions and those of the other bake.
fn distance(
    plain: &Character,
    track: &Track,
    converted: &Character,
    other: &Track,
    convert: impl Fn([f32; 3]) -> [f32; 3],
) -> f32 {
    let mut worst = 0.0_f32;
    for frame in 0..=track.frames {
        for vertex in 0..plain.mesh.positions.len() {
            let truth = convert(plain.position(track, vertex, frame));
            let off = minus(converted.position(other, vertex, frame), truth);
            worst = off.iter().fold(worst, |worst, d| worst.max(d.abs()));
        }
    }
    worst
}

/// A clip of a bake.
type Of<'a> = (&'a Character, &'a crate::support::loader::Clip);

fn assert_directions(what: &str, (plain, clip): Of, (converted, other): Of, convert: Convert) {
    let normals = plain.directions(clip, Direction::Normal).unwrap();
    let other_normals = converted.directions(other, Direction::Normal).unwrap();
    for frame in 0..normals.frames {
        for vertex in 0..plain.mesh.positions.len() {
            let (p, _) = plain.direction(normals, vertex, frame);
            let (c, _) = converted.direction(other_normals, vertex, frame);
            assert!(degrees(c, convert(p)) < 2.0 * TWO_BYTES, "{what}: vertex {vertex}, frame {frame}");
        }
    }
}

/// The triangles of a closed model enclose a volume; by glTF's cross product it is positive.
#[test]
fn fronts_face_outward() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/characters/models");
    for axes in Axes::ALL {
        let (.., outward) = by_hand(axes);
        let mut recipe = in_axes(recipe("README.md", vec![clip(0, exact(4.0))]), axes);
        recipe.source = models.join("dragon.glb");
        let it = bake(&recipe);
        assert!(volume(&it) * f64::from(outward) > 0.0, "{axes:?}");
        let agree = it.mesh.primitives.iter().flat_map(|p| p.1.as_chunks::<3>().0).filter(|corners| {
            let [a, b, c] = corners.map(|v| it.mesh.positions[v as usize]);
            let face = scaled(cross(minus(b, a), minus(c, a)), outward);
            let normals = it.mesh.normals.as_ref().unwrap();
            dot(face, normals[corners[0] as usize]) > 0.0
        });
        let all: usize = it.mesh.primitives.iter().map(|p| p.1.len() / 3).sum();
        assert!(agree.count() * 100 > all * 98, "{axes:?}: normals point out of fronts");
    }
}

/// A millimetre is a millimetre of the source, whatever a unit is.
#[test]
fn budgets_are_lengths_of_the_source() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/characters/models/dragon.glb");
    let chosen = |axes: Axes, budget: f64| {
        let mut settings = exact(10.0);
        settings.format = FormatChoice::Auto;
        settings.budget = Budget { max_error: Some(Length::Units(budget)), max_normal_error: None };
        let mut recipe = in_axes(recipe("README.md", vec![clip(1, settings)]), axes);
        recipe.source.clone_from(&path);
        let it = bake(&recipe);
        let (sheet, sample) =
            (&it.json["sheets"][0]["format"], &it.positions(&it.clips[0]).error["sample"]["max"]);
        (sheet.as_str().unwrap().to_owned(), sample.as_f64().unwrap() / axes.metre())
    };
    for budget in [0.05, 0.03] {
        let (format, error) = chosen(Axes::Gltf, budget);
        assert!(error <= budget);
        let (in_unreal, same) = chosen(Axes::Unreal, budget);
        assert_eq!(format, in_unreal, "{budget} m");
        assert!((error - same).abs() < 0.01 * error && same <= budget, "{error} m and {same} m");
    }
}

/// Whatever the numbers mean, the mesh is a valid glTF file.
#[test]
fn meshes_are_valid_in_all_axes() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for axes in Axes::ALL {
        let mut recipe = in_axes(recipe("RobotExpressive.glb", vec![clip(0, exact(4.0))]), axes);
        recipe.character = axes.name().to_owned();
        let (name, bytes) = files_with(&recipe, &|path| std::fs::read(path).unwrap())
            .into_iter()
            .find(|(name, _)| name.ends_with(".glb"))
            .unwrap();
        files.push(folder.path().join(name));
        std::fs::write(files.last().unwrap(), bytes).unwrap();
    }
    check_glb(&files);
}
