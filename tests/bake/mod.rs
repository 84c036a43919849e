//! Clips within budgets.

mod budget;
mod worst;

use std::path::Path;
use std::sync::Mutex;

use vatpipe::bake::{self, Baked, Choice, Origin};
use vatpipe::manifest::load;
use vatpipe::problem::Problems;
use vatpipe::source;

use crate::support::model::Model;

/// Bakes a model as a character with these lines in its table: what came of it, and what was measured of each clip.
fn made(model: &Model, lines: &str) -> (Result<Baked, Problems>, Vec<Choice>) {
    let text = format!("[characters.it]\nsource = \"it.glb\"\n{lines}");
    let manifest = load(&text, Path::new("vat.toml")).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    let glb = model.glb();
    let read = |path: &Path, options: &source::Options| {
        source::read(&glb, path, options, &mut |uri| panic!("there is no {uri}"))
    };
    let choices = Mutex::new(Vec::new());
    let make = |job: &bake::ClipJob| {
        let clip = job.bake()?;
        choices.lock().unwrap().push(clip.choice.clone());
        bake::within(job, &clip)?;
        Ok((clip, Origin::Baked))
    };
    let baked = bake::bake(&manifest.recipes[0], &read, &|job| Ok(job.make()), &make, &|_, _, _| ());
    (baked, choices.into_inner().unwrap())
}

/// A triangle about the origin, one corner a metre from it and the others half of that, that turns once in a second.
fn wheel() -> Model {
    use crate::support::models::{IDENTITY, about_z};
    let mut model = Model::new();
    let position = model.vec3(&[[0.5, 0.0, 0.0], [-0.5, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let mesh = model.mesh(serde_json::json!([{ "attributes": { "POSITION": position } }]));
    let node = model.node(serde_json::json!({ "name": "wheel", "mesh": mesh }));
    let turns = [IDENTITY, about_z(90.0), about_z(180.0), about_z(270.0), about_z(360.0)];
    let output = model.vec4(&turns);
    let clip = model.clip("turn");
    model.channel(clip, node, "rotation", &[0.0, 0.25, 0.5, 0.75, 1.0], output, "LINEAR");
    model
}

/// How far a point that turns once a second, a metre from the centre, is from the chords between this many frames: of
/// the moments that are measured it is furthest at 0.4 and 0.6 of an interval.
fn chord_error(frames: f64) -> f64 {
    let half = std::f64::consts::PI / frames;
    let at = |s: f64| {
        let along = 2.0 * s - 1.0;
        let (x, y) = (libm::cos(half), along * libm::sin(half));
        let (cx, cy) = (libm::cos(along * half), libm::sin(along * half));
        libm::hypot(x - cx, y - cy)
    };
    at(0.2).max(at(0.4))
}
