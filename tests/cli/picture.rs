//! `vatpipe render`: pictures of bakes.

use serde_json::{Value, json};

use super::{Folder, model};

const MANIFEST: &str =
    "[output]\ndir = \"out\"\n[characters.hero]\nsource = \"hero.gltf\"\nfps = 10\nformat = \"rgb10a2\"\n";

fn project() -> Folder {
    let folder = Folder::new();
    folder.write("vat.toml", MANIFEST).write("hero.gltf", &model(&["Walk", "Run"]));
    folder
}

/// Width, height and pixels of the first image, and how many images there are.
fn read(bytes: &[u8]) -> (u32, u32, Vec<u8>, u32) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let images = reader.info().animation_control().map_or(1, |control| control.num_frames);
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    (info.width, info.height, pixels, images)
}

#[test]
fn a_sheet_has_a_row_for_each_clip() {
    let folder = project();
    let (code, lines) = folder.json(&["render", "hero", "-o", "sheet.png", "--size", "64", "--moments", "3"]);
    let last = lines.last().unwrap();
    assert_eq!((code, &last["reason"]), (0, &json!("picture-written")), "{lines:?}");
    let clips = last["clips"].as_array().unwrap();
    let names: Vec<&Value> = clips.iter().map(|clip| &clip["clip"]).collect();
    assert_eq!(names, ["Walk", "Run"]);
    let views: Vec<usize> = clips.iter().map(|clip| clip["frames"].as_array().unwrap().len()).collect();
    assert!(views.iter().all(|&views| views == 3 || views == 4), "{views:?}");
    let (width, height, pixels, images) = read(&std::fs::read(folder.path("sheet.png")).unwrap());
    assert_eq!((width, height, images), (64 * *views.iter().max().unwrap() as u32, 128, 1));
    // The triangle moves one metre to the right along the row of Walk, and to the left along that of Run.
    let middle = |row: usize, view: usize| {
        let dark = |x: &usize| {
            (row * 64..row * 64 + 64).any(|y| pixels[4 * (y * width as usize + view * 64 + x)] < 230)
        };
        let seen: Vec<usize> = (0..64).filter(dark).collect();
        seen.iter().sum::<usize>() as f64 / seen.len() as f64
    };
    assert!(middle(0, views[0] - 1) > middle(0, 0) + 10.0);
    assert!(middle(1, views[1] - 1) < middle(1, 0) - 10.0);
    assert!(!folder.path("out").exists(), "no output is written");
}

#[test]
fn a_turntable_plays_one_clip_and_errors_are_colours() {
    let folder = project();
    let draw = |arguments: &[&str]| {
        let run = folder.run(&[&["render", "hero", "Walk", "--size", "32"], arguments].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        std::fs::read(folder.path(arguments[1])).unwrap()
    };
    let plain = draw(&["-o", "a.apng"]);
    let (width, height, _, images) = read(&plain);
    // Eleven frames at ten a second, three times over to last for three seconds.
    assert_eq!((width, height, images), (32, 32, 33));
    assert_eq!(plain, draw(&["-o", "b.apng"]));
    assert_ne!(read(&plain).2, read(&draw(&["-o", "c.apng", "--heat"])).2);
}

/// Whatever axes outputs are in, pictures are upright and errors in metres.
#[test]
fn pictures_are_seen_as_the_model_was_made() {
    let draw = |axes: &str| {
        let folder = project();
        folder.write("vat.toml", &MANIFEST.replace("fps", &format!("axes = \"{axes}\"\nfps")));
        let (code, lines) = folder.json(&["render", "hero", "-o", "sheet.png", "--size", "64"]);
        assert_eq!(code, 0, "{lines:?}");
        let worst = lines.last().unwrap()["clips"][0]["worst"].as_f64().unwrap();
        (worst, read(&std::fs::read(folder.path("sheet.png")).unwrap()).2)
    };
    let (worst, pixels) = draw("gltf");
    assert!(worst > 0.0);
    for axes in ["unity", "unreal", "godot"] {
        let (error, other) = draw(axes);
        assert!((error / worst - 1.0).abs() < 0.2, "{axes}: {error} and {worst}");
        let far = pixels.iter().zip(&other).filter(|(a, b)| a.abs_diff(**b) > 40).count();
        assert!(far < pixels.len() / 100, "{axes}: {far} of {}", pixels.len());
    }
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let folder = project();
    for (arguments, code) in [
        (["render", "hero", "Wlak", "-o", "a.png"], "cli::clip"),
        (["render", "hreo", "Walk", "-o", "a.png"], "cli::character"),
        (["render", "hero", "Walk", "-o", "a.jpg"], "cli::picture"),
    ] {
        let (exit, lines) = folder.json(&arguments);
        let last = lines.last().unwrap();
        assert_eq!((exit, &last["code"]), (2, &json!(code)), "{lines:?}");
        assert!(last["help"].is_string(), "{last}");
    }
}
