//! The page of `vatpipe report`, in a browser.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;
use vatpipe::manifest;
use vatpipe::run::{self, Options};
use vatpipe::{problem::Problems, report};

use crate::support::models::skinned_strip;
use crate::support::node::check_page;

/// One character with two levels, one of them with sheets of its own; one over its budget; a name that is markup.
const MANIFEST: &str = r#"
[output]
dir = "out"
[defaults]
fps = 8
[characters.pennant]
source = "pennant.glb"
clips = ["Breeze"]
lods = [{ ratio = 1.0 }, { ratio = 0.4, fps = 4 }]
max_error = "5cm"
clip.Breeze.loop = true
[characters.strict]
source = "pennant.glb"
clips = ["Breeze"]
max_error = "0.001mm"
[characters.named]
source = "pennant.glb"
clip."<b>&amp;\"'".from = "Breeze"
"#;

fn page() -> (String, Vec<Result<report::Study, Problems>>) {
    let folder = tempfile::tempdir().unwrap();
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/characters/models/pennant.glb");
    std::fs::copy(model, folder.path().join("pennant.glb")).unwrap();
    let manifest = manifest::load(MANIFEST, &folder.path().join("vat.toml"));
    let manifest = manifest.unwrap_or_else(|problems| panic!("{problems}"));
    let options = Options { cache: Some(folder.path().join("cache")), ..Options::default() };
    let studies = run::report(&manifest, &options, &|_| {});
    assert!(!folder.path().join("out").exists(), "a report writes no output");
    let again = run::report(&manifest, &options, &|_| {});
    let known = |studies: &[Result<report::Study, Problems>]| {
        let known: Vec<report::Study> = studies.iter().flatten().cloned().collect();
        report::page(&known).unwrap()
    };
    let page = known(&studies);
    assert_eq!(page, known(&again), "cold and warm");
    (page, studies)
}

fn texts(entry: &Value, key: &str) -> Vec<String> {
    entry[key].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_browser_shows_all_of_it() {
    let (page, studies) = page();
    assert!(studies.iter().all(Result::is_ok));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    std::fs::write(&file, &page).unwrap();
    let entry = check_page(&[file]).remove(0);
    assert_eq!(texts(&entry, "characters"), ["pennant", "strict", "named"]);
    assert_eq!(texts(&entry, "clips"), ["pennant / Breeze", "strict / Breeze", "named / <b>&amp;\"'"]);
    // A strip, and the charts of each character, of each clip's candidates and of its errors over time.
    assert_eq!((entry["images"].as_array().unwrap().len(), entry["charts"].as_u64()), (3, Some(9)));
    let drawn: Vec<f64> = serde_json::from_value(entry["drawn"].clone()).unwrap();
    assert!(drawn.iter().all(|share| (0.05..0.9).contains(share)), "the model is in each strip: {drawn:?}");
    assert!(entry["limits"].as_u64() >= Some(6), "both budgets are in each of their charts");

    let rows: Vec<Vec<String>> = serde_json::from_value(entry["rows"].clone()).unwrap();
    let pennant = studies[0].as_ref().unwrap();
    let levels = pennant.character.lods.iter().map(|lod| lod.triangle_count.to_string());
    let shown: BTreeSet<&String> = rows.iter().flatten().collect();
    levels.for_each(|triangles| {
        let found = shown.iter().any(|cell| cell.replace(',', "") == triangles);
        assert!(found, "no level with {triangles} triangles in {rows:?}");
    });
    assert!(shown.contains(&"Breeze levels 0".to_owned()) && shown.contains(&" levels 1".trim().to_owned()));
}

/// The curve over time is the error that the bake measured: computed anew, from the bytes.
#[test]
fn moments_agree_with_what_was_measured() {
    let (_, studies) = page();
    for study in studies.iter().flatten() {
        for (clip, closeup) in study.character.clips.iter().zip(&study.clips) {
            let measured = clip.tracks[0].error.sample.unwrap().max;
            let shown = closeup.moments.iter().map(|moment| moment[1]).fold(0.0, f64::max);
            assert!((shown - measured).abs() <= 1e-6 * measured, "{}: {shown}, {measured}", clip.name);
            let taken = closeup.choices[0].baked().unwrap();
            assert!((taken.sample - measured).abs() <= 1e-12);
            // Every format of the build at three rates, beside what the bake measured.
            assert!(closeup.choices[0].candidates.len() > 6, "{:?}", closeup.choices[0]);
        }
    }
    let strict = studies[1].as_ref().unwrap();
    let taken = strict.clips[0].choices[0].baked().unwrap();
    assert!(!taken.passes, "over its budget, and shown all the same");
    assert_eq!(Path::new(&strict.files[0].0).extension().unwrap(), "ktx2");
}

/// Pixels of a PNG file.
fn pixels(png: &[u8]) -> Vec<u8> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    pixels
}

/// Whatever the axes of the outputs, a model is shown as it was made, and its lengths are metres.
#[test]
fn models_stand_upright_in_all_axes() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("strip.glb"), skinned_strip().glb()).unwrap();
    let mut text = "[defaults]\nfps = 2\nmax_error = \"1m\"\n".to_owned();
    for axes in ["gltf", "unity", "unreal", "godot"] {
        text += &format!("[characters.in-{axes}]\nsource = \"strip.glb\"\naxes = \"{axes}\"\n");
    }
    let manifest = manifest::load(&text, &folder.path().join("vat.toml")).unwrap();
    let options = Options { cache: Some(folder.path().join("cache")), ..Options::default() };
    let studies = run::report(&manifest, &options, &|_| {});
    let studies: Vec<report::Study> = studies.into_iter().collect::<Result<_, _>>().unwrap();
    let strips: Vec<Vec<u8>> = studies.iter().map(|study| pixels(&study.clips[0].strip)).collect();
    for (strip, study) in strips.iter().zip(&studies) {
        let name = &study.character.name;
        assert_eq!(strip.len(), strips[0].len(), "{name}");
        // Texels are rounded elsewhere: some pixels of the rim may differ, and colours by a little.
        let differ = strip.iter().zip(&strips[0]).filter(|(a, b)| a.abs_diff(**b) > 8).count();
        assert!(differ * 500 < strip.len(), "{name}: {differ} of {}", strip.len());
        let page = report::page(std::slice::from_ref(study)).unwrap();
        let size = study.character.bounds.diagonal() / study.character.axes.metre();
        assert!((size - studies[0].character.bounds.diagonal()).abs() < 1e-3, "{name}: {size} m");
        assert!(page.contains("1000 mm"), "{name}: the budget is a metre");
    }
}
