//! What a manifest that is right says.

use std::path::{Path, PathBuf};

use vatpipe::axes::Axes;
use vatpipe::encode::{Format, Quality};
use vatpipe::manifest::{
    Budget, ClipSettings, ColumnOrder, FormatChoice, Length, MeshSettings, Normals, Rate, Selector, load,
};
use vatpipe::problem::Place;

use super::loaded;

fn names(manifest: &vatpipe::manifest::Manifest, character: usize) -> Vec<&str> {
    manifest.recipes[character].clips.iter().map(|clip| clip.name.as_str()).collect()
}

#[test]
fn defaults_are_filled_in() {
    let manifest = loaded("[characters.crab]\nsource = \"crab.glb\"\n");
    assert_eq!(manifest.folder, Path::new("art"));
    assert_eq!(manifest.output.dir, Path::new("art/assets/vat"));
    assert_eq!(manifest.output.targets, ["rust", "wgsl", "hlsl"]);
    assert_eq!(manifest.output.templates, None);
    let crab = &manifest.recipes[0];
    assert_eq!((crab.character.as_str(), crab.source.as_path()), ("crab", Path::new("art/crab.glb")));
    let settings = ClipSettings {
        fps: Rate::Fixed(30.0),
        looping: false,
        loop_said: false,
        trim: false,
        range: None,
        format: FormatChoice::Fixed(Format::Rgba16ui),
        quality: Quality::Medium,
        residual: false,
        relative: None,
        budget: Budget::default(),
    };
    assert_eq!(crab.all_clips, Some(settings));
    assert!(crab.clips.is_empty());
    let mesh = MeshSettings {
        normals: None,
        tangents: false,
        share_columns: true,
        column_order: ColumnOrder::Motion,
        max_texture: 8192,
        zstd: None,
        axes: Axes::Gltf,
        mesh_axes: Axes::Gltf,
        allow_outside: false,
    };
    assert_eq!(crab.mesh, mesh);
}

#[test]
fn the_innermost_setting_counts() {
    let manifest = loaded(
        r#"
        [defaults]
        fps = 24
        loop = true
        format = "rgba16f"
        relative = true
        normals = "none"
        zstd = true
        [characters.crab]
        source = "crab.glb"
        clips = "all"
        format = "rgba8"
        normals = "auto"
        zstd = 19
        [characters.crab.clip.attack]
        fps = 59.94
        loop = false
        relative = "auto"
        [characters.rock]
        source = "rock.glb"
        "#,
    );
    let [crab, rock] = manifest.recipes.as_slice() else { panic!("two characters") };
    let all = crab.all_clips.clone().unwrap();
    let rgba8 = FormatChoice::Fixed(Format::Rgba8);
    let (all_fps, attack_fps) = (Rate::Fixed(24.0), Rate::Fixed(59.94));
    assert_eq!((all.fps, all.looping, all.format, all.relative), (all_fps, true, rgba8, Some(true)));
    let attack = &crab.clips[0].settings;
    assert_eq!(
        (attack.fps, attack.looping, attack.format, attack.relative),
        (attack_fps, false, rgba8, None)
    );
    assert_eq!((crab.mesh.normals, crab.mesh.zstd), (None, Some(19)));
    assert_eq!((rock.mesh.normals, rock.mesh.zstd), (Some(Normals::None), Some(3)));
    assert_eq!(rock.all_clips.clone().unwrap().format, FormatChoice::Fixed(Format::Rgba16f));
}

#[test]
fn budgets_and_what_they_decide() {
    let manifest = loaded(
        r#"
        [defaults]
        fps = "auto"
        format = "auto"
        max_error = "1mm"
        max_normal_error = 4
        [characters.crab]
        source = "crab.glb"
        max_error = "0.5 %"
        max_fps = 24
        [characters.crab.clip.walk]
        max_error = "2.5cm"
        max_normal_error = 180
        [characters.crab.clip.run]
        fps = 30
        format = "rgba8"
        max_error = "none"
        "#,
    );
    let clips = &manifest.recipes[0].clips;
    let [walk, run] = clips.as_slice() else { panic!("two clips") };
    assert_eq!((walk.settings.fps, walk.settings.format), (Rate::Auto { cap: 24.0 }, FormatChoice::Auto));
    let budget = Budget { max_error: Some(Length::Units(0.025)), max_normal_error: None };
    assert_eq!(walk.settings.budget, budget);
    assert_eq!(run.settings.fps, Rate::Fixed(30.0));
    assert_eq!(run.settings.budget, Budget { max_error: None, max_normal_error: Some(4.0) });
    let lengths = ["1mm", "0.1mm", "2.5 cm", "1.5m", "0.5%", "100%", "0.001 mm"];
    let length = |text: &str| {
        let text = format!("[characters.a]\nsource = \"a.glb\"\nmax_error = {text:?}");
        loaded(&text).recipes[0].all_clips.clone().unwrap().budget.max_error.unwrap()
    };
    let said = lengths.map(|text| length(text).to_string());
    assert_eq!(said, ["1mm", "0.1mm", "2.5cm", "1.5m", "0.5%", "100%", "0.001mm"]);
    assert_eq!(length("1mm").units(5.0, Axes::Gltf), 0.001);
    assert_eq!(length("1mm").units(500.0, Axes::Unreal), 0.1, "centimetres");
    assert_eq!(length("0.5%").units(5.0, Axes::Gltf), 0.025);
    assert_eq!(length("0.5%").units(500.0, Axes::Unreal), 2.5);
}

/// The mesh has the axes of the textures unless it is said otherwise, wherever that is.
#[test]
fn axes_of_the_mesh_follow() {
    let manifest = loaded(
        r#"
        [defaults]
        axes = "unreal"
        mesh_axes = "gltf"
        [characters.a]
        source = "a.glb"
        [characters.b]
        source = "b.glb"
        axes = "godot"
        mesh_axes = "unity"
        "#,
    );
    let axes = |index: usize| {
        let mesh = &manifest.recipes[index].mesh;
        (mesh.axes, mesh.mesh_axes)
    };
    assert_eq!([axes(0), axes(1)], [(Axes::Unreal, Axes::Gltf), (Axes::Godot, Axes::Unity)]);
    let one = loaded("[defaults]\naxes = \"gltf\"\n[characters.a]\nsource = \"a.glb\"\naxes = \"unity\"");
    assert_eq!((one.recipes[0].mesh.axes, one.recipes[0].mesh.mesh_axes), (Axes::Unity, Axes::Unity));
}

#[test]
fn clips_are_the_list_then_the_tables() {
    let manifest = loaded(
        r#"
        [characters.crab]
        source = "crab.glb"
        clips = ["Walk", 3, "Run", 5]
        [characters.crab.clip.zoom]
        from = 1
        [characters.crab.clip.Run]
        fps = 10
        [characters.crab.clip.sleep]
        from = 3
        [characters.crab.clip.attack]
        source = "attack.glb"
        from = "mixamo.com"
        range = ["200ms", "1.4 s"]
        "#,
    );
    let crab = &manifest.recipes[0];
    assert_eq!(crab.all_clips, None);
    assert_eq!(names(&manifest, 0), ["Walk", "sleep", "Run", "", "zoom", "attack"]);
    let from: Vec<Option<Selector>> = crab.clips.iter().map(|clip| clip.from.clone()).collect();
    let index = |i| Some(Selector::Index(i));
    let mixamo = Some(Selector::Name("mixamo.com".into()));
    assert_eq!(from, [None, index(3), None, index(5), index(1), mixamo]);
    assert_eq!(crab.clips[2].settings.fps, Rate::Fixed(10.0));
    assert_eq!(crab.clips[5].settings.range, Some((0.2, 1.4)));
    assert_eq!(crab.clips[5].source, Some(PathBuf::from("art/attack.glb")));
}

#[test]
fn clips_come_from_tables_alone_or_all() {
    let tables = loaded("[characters.a]\nsource = \"a.glb\"\nclip.walk.loop = true\nclip.idle = {}");
    assert_eq!((names(&tables, 0), tables.recipes[0].all_clips.is_some()), (vec!["walk", "idle"], false));
    let both = loaded("[characters.a]\nsource = \"a.glb\"\nclips = \"all\"\nclip.walk.loop = true");
    assert_eq!((names(&both, 0), both.recipes[0].all_clips.is_some()), (vec!["walk"], true));
    let empty = loaded("[characters.a]\nsource = \"a.glb\"\n[characters.a.clip]");
    assert!(empty.recipes[0].all_clips.is_some());
}

#[test]
fn a_range_says_where_a_trimmed_clip_starts() {
    let manifest = loaded(
        "[defaults]\ntrim = true\n[characters.a]\nsource = \"a.glb\"\n\
         clip.whole = {}\nclip.part.range = [\"0s\", \"1s\"]",
    );
    let clips = &manifest.recipes[0].clips;
    assert_eq!((clips[0].settings.trim, clips[1].settings.trim), (true, false));
}

#[test]
fn scenes_and_targets() {
    let manifest = loaded(
        "[output]\ndir = \"out\"\ntargets = [\"rust\", \"unity\"]\ntemplates = \"tpl\"\n\
         [characters.a]\nsource = \"a.glb\"\nscene = 2\n[characters.b]\nsource = \"b.glb\"\nscene = \"Main\"",
    );
    assert_eq!(manifest.output.targets, ["rust", "unity"]);
    assert_eq!(manifest.output.templates, Some(PathBuf::from("art/tpl")));
    assert_eq!(manifest.recipes[0].scene, Some(Selector::Index(2)));
    assert_eq!(manifest.recipes[1].scene, Some(Selector::Name("Main".into())));
}

#[test]
fn places_point_at_the_names() {
    let manifest = loaded("\n[characters.\"great crab\"]\nsource = \"a.glb\"\nclip.Walk.loop = true\n");
    let crab = &manifest.recipes[0];
    assert_eq!(crab.place.line_column(), Some((2, 13)));
    assert_eq!(crab.clips[0].place.line_column(), Some((4, 6)));
    let Place::Text { span, text, .. } = &crab.place else { panic!("a place in the text") };
    assert_eq!(&text[span.clone()], "\"great crab\"");
}

#[test]
fn a_manifest_in_the_current_directory() {
    let manifest = load("[characters.a]\nsource = \"a.glb\"", Path::new("vat.toml")).unwrap();
    assert_eq!(manifest.recipes[0].source, Path::new("a.glb"));
    assert_eq!(manifest.output.dir, Path::new("assets/vat"));
}

/// What the importer of `unity` would refuse is said before anything is baked.
#[test]
fn unity_is_warned_of() {
    let warnings = |keys: &str, targets: &str| {
        let text =
            format!("[output]\ntargets = [{targets}]\n[characters.crab]\nsource = \"crab.glb\"\n{keys}");
        let manifest = vatpipe::manifest::load(&text, std::path::Path::new("vat.toml")).unwrap();
        manifest.warnings.iter().map(|warning| warning.to_string()).collect::<Vec<_>>()
    };
    let unity = "\"rust\", \"unity\"";
    assert!(warnings("axes = \"unity\"", unity).is_empty());
    assert!(warnings("zstd = true", "\"rust\"").is_empty());
    for (keys, what) in [
        ("", "other axes"),
        ("axes = \"unity\"\nmesh_axes = \"gltf\"", "other axes"),
        ("axes = \"unity\"\nzstd = true", "compressed as a whole"),
        ("axes = \"unity\"\nformat = \"uastc\"", "transcoded"),
        ("axes = \"unity\"\nlods = [{ ratio = 1.0 }, { ratio = 0.5, format = \"uastc\" }]", "transcoded"),
    ] {
        let found = warnings(keys, unity);
        assert!(found.len() == 1 && found[0].contains(what), "{keys}: {found:?}");
    }
}
