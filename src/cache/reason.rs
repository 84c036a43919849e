//! Why a clip was baked.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::key::{ClipKey, Request};

/// One reason, with what was and what is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum Reason {
    /// It was never published here, and no build that shares the cache has baked it.
    New,
    /// Another version of vatpipe, whose bytes are others.
    Version {
        /// The bake version before.
        old: u32,
        /// The bake version now.
        new: u32,
    },
    /// A joint that moves vertices is new.
    JointAdded {
        /// Its name.
        name: String,
    },
    /// A joint that moved vertices is gone.
    JointRemoved {
        /// Its name.
        name: String,
    },
    /// Vertices, weights, morph targets or normals changed.
    Mesh {
        /// The digest before.
        old: Digest,
        /// The digest now.
        new: Digest,
    },
    /// Nodes at rest changed.
    Skeleton {
        /// The digest before.
        old: Digest,
        /// The digest now.
        new: Digest,
    },
    /// The curves of the clip changed in the source.
    Motion {
        /// The digest before.
        old: Digest,
        /// The digest now.
        new: Digest,
    },
    /// A setting, or what follows from it, changed.
    Option {
        /// Which.
        option: String,
        /// What it was.
        old: String,
        /// What it is.
        new: String,
    },
    /// The clip is as it was, but the store has it no more (collected, cleared, or another cache).
    EntryMissing,
    /// The store has lost the clip's texels.
    BlobMissing {
        /// Which.
        blob: Digest,
    },
    /// What the store had was damaged, and was thrown away.
    StoreDamaged,
    /// There is no store that could have it.
    NoStore,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |digest: &Digest| digest.to_string()[..8].to_owned();
        match self {
            Reason::New => write!(f, "it is new"),
            Reason::Version { old, new } => write!(f, "the bake version changed from {old} to {new}"),
            Reason::JointAdded { name } => write!(f, "joint `{name}` was added"),
            Reason::JointRemoved { name } => write!(f, "joint `{name}` was removed"),
            Reason::Mesh { old, new } => write!(f, "the mesh changed ({} to {})", short(old), short(new)),
            Reason::Skeleton { old, new } => {
                write!(f, "the skeleton at rest changed ({} to {})", short(old), short(new))
            }
            Reason::Motion { old, new } => {
                write!(f, "the source's clip changed ({} to {})", short(old), short(new))
            }
            Reason::Option { option, old, new } => write!(f, "{option} changed from {old} to {new}"),
            Reason::EntryMissing => write!(f, "the cache does not have it any more"),
            Reason::BlobMissing { blob } => write!(f, "the cache has lost its texels ({})", short(blob)),
            Reason::StoreDamaged => write!(f, "what the cache had of it was damaged"),
            Reason::NoStore => write!(f, "there is no cache"),
        }
    }
}

/// What is remembered of a published clip.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// What decided its bytes.
    pub key: &'a ClipKey,
    /// The names of the joints that move the character.
    pub joints: &'a [String],
}

/// Why a clip with a new key had to be baked, given what was published last.
pub fn reasons(old: Option<Known>, new: Known) -> Vec<Reason> {
    let Some(old) = old else { return vec![Reason::New] };
    let mut reasons = Vec::new();
    if old.key.version != new.key.version {
        reasons.push(Reason::Version { old: old.key.version, new: new.key.version });
    }
    let (a, b) = (old.key, new.key);
    // A joint that only has another name moves what it moved before.
    if a.mesh != b.mesh {
        let gone = old.joints.iter().filter(|name| !new.joints.contains(name));
        reasons.extend(gone.map(|name| Reason::JointRemoved { name: name.clone() }));
        let added = new.joints.iter().filter(|name| !old.joints.contains(name));
        reasons.extend(added.map(|name| Reason::JointAdded { name: name.clone() }));
    }
    let joints_differ =
        reasons.iter().any(|r| matches!(r, Reason::JointAdded { .. } | Reason::JointRemoved { .. }));
    // With other joints, mesh and skeleton are others as well: that says nothing more.
    if a.mesh != b.mesh && !joints_differ {
        reasons.push(Reason::Mesh { old: a.mesh, new: b.mesh });
    }
    if a.skeleton != b.skeleton && !joints_differ {
        reasons.push(Reason::Skeleton { old: a.skeleton, new: b.skeleton });
    }
    if a.motion != b.motion && !joints_differ {
        reasons.push(Reason::Motion { old: a.motion, new: b.motion });
    }
    options(a, b, &mut reasons);
    if reasons.is_empty() {
        reasons.push(Reason::EntryMissing);
    }
    reasons
}

fn options(a: &ClipKey, b: &ClipKey, reasons: &mut Vec<Reason>) {
    let mut option = |option: &str, old: String, new: String| {
        if old != new {
            reasons.push(Reason::Option { option: option.to_owned(), old, new });
        }
    };
    let auto_fps = |key: &ClipKey| key.request.as_ref().is_some_and(|request| request.auto_fps);
    let auto_format = |key: &ClipKey| key.request.as_ref().is_some_and(|request| request.auto_format);
    let stored = |key: &ClipKey| {
        if auto_format(key) {
            let holds = key.holds.iter().map(|(holds, _)| holds.name()).collect::<Vec<_>>();
            return format!("auto {}", holds.join(", "));
        }
        let each = key.holds.iter().map(|(holds, format)| format!("{} {}", format.name(), holds.name()));
        each.collect::<Vec<_>>().join(", ")
    };
    let relative = |key: &ClipKey| key.relative.map_or("auto".to_owned(), |r| r.to_string());
    let seconds =
        |old: f64, new: f64| [(old, new), (new, old)].map(|(v, other)| format!("{} s", number(v, other)));
    let [old, new] = seconds(a.start, b.start);
    option("start", old, new);
    let [old, new] = seconds(a.duration, b.duration);
    option("duration", old, new);
    match (auto_fps(a), auto_fps(b)) {
        (true, true) => option("max_fps", number(a.fps, b.fps), number(b.fps, a.fps)),
        (true, false) => option("fps", "auto".to_owned(), number(b.fps, a.fps)),
        (false, true) => option("fps", number(a.fps, b.fps), "auto".to_owned()),
        (false, false) => option("fps", number(a.fps, b.fps), number(b.fps, a.fps)),
    }
    option("loop", a.looping.to_string(), b.looping.to_string());
    // What follows from another option says nothing more.
    if (a.fps, a.duration, a.looping) == (b.fps, b.duration, b.looping) {
        option("frames", a.frames.to_string(), b.frames.to_string());
    }
    option("axes", a.axes.name().to_owned(), b.axes.name().to_owned());
    option("step", a.step.to_string(), b.step.to_string());
    option("relative", relative(a), relative(b));
    option("format", stored(a), stored(b));
    let allowed = |key: &ClipKey| {
        let length = key.request.as_ref().and_then(|request| request.max_error);
        length.map_or("none".to_owned(), |length| length.to_string())
    };
    option("max_error", allowed(a), allowed(b));
    let normals = |key: &ClipKey| {
        let degrees = key.request.as_ref().and_then(|request| request.max_normal_error);
        degrees.map_or("180".to_owned(), |degrees| degrees.to_string())
    };
    option("max_normal_error", normals(a), normals(b));
    if let (Some(a), Some(b)) = (&a.request, &b.request) {
        let names = |request: &Request| {
            request.formats.iter().map(|format| format.name()).collect::<Vec<_>>().join(", ")
        };
        option("formats to choose from", names(a), names(b));
        option("max_texture", a.max_texture.to_string(), b.max_texture.to_string());
    }
    if let (Some(a), Some(b)) = (a.quality, b.quality) {
        option("quality", a.name().to_owned(), b.name().to_owned());
    }
    // With other columns the block has another shape.
    if a.mesh == b.mesh {
        let shapes = a.shapes.iter().zip(&b.shapes);
        if let Some((a, b)) = shapes.filter(|_| a.holds == b.holds).find(|(a, b)| a != b) {
            option("width", a.width.to_string(), b.width.to_string());
            option("bands", a.bands.to_string(), b.bands.to_string());
        }
    }
}

/// A number with at most four decimals, or all of them where that hides what tells it from another.
fn number(value: f64, other: f64) -> String {
    let short = |value: f64| {
        let text = format!("{value:.4}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    if short(value) == short(other) { value.to_string() } else { short(value) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axes::Axes;
    use crate::encode::Format;
    use crate::layout::Shape;
    use crate::manifest::Length;
    use crate::metadata::Holds;

    fn key() -> ClipKey {
        ClipKey {
            version: 1,
            mesh: Digest::of(b"mesh"),
            axes: Axes::Gltf,
            skeleton: Digest::of(b"skeleton"),
            motion: Digest::of(b"motion"),
            start: 0.0,
            duration: 1.0,
            frames: 31,
            fps: 30.0,
            looping: false,
            step: false,
            relative: None,
            holds: Vec::new(),
            quality: None,
            shapes: vec![Shape { width: 10, bands: 1 }],
            request: None,
        }
    }

    fn with(request: Request) -> ClipKey {
        ClipKey { request: Some(request), ..key() }
    }

    fn request() -> Request {
        Request {
            max_error: Some(Length::Units(0.001)),
            max_normal_error: None,
            auto_fps: false,
            auto_format: false,
            formats: vec![Format::Rgba16ui],
            max_texture: 8192,
        }
    }

    fn why(edit: impl FnOnce(&mut ClipKey), joints: [&[&str]; 2]) -> Vec<String> {
        let (old, mut new) = (key(), key());
        edit(&mut new);
        let [before, after] = joints.map(|names| names.iter().map(|&n| n.to_owned()).collect::<Vec<_>>());
        let known = Known { key: &old, joints: &before };
        reasons(Some(known), Known { key: &new, joints: &after }).iter().map(Reason::to_string).collect()
    }

    const SAME: [&[&str]; 2] = [&["hip"], &["hip"]];

    #[test]
    fn a_new_bake_version_is_a_reason() {
        assert_eq!(why(|key| key.version = 2, SAME), ["the bake version changed from 1 to 2"]);
        assert_ne!(key().digest(), ClipKey { version: 2, ..key() }.digest());
    }

    #[test]
    fn what_changed_is_named_with_old_and_new() {
        assert_eq!(why(|key| key.fps = 24.0, SAME), ["fps changed from 30 to 24"]);
        assert_eq!(why(|key| key.axes = Axes::Unity, SAME), ["axes changed from gltf to unity"]);
        assert_eq!(why(|key| key.relative = Some(true), SAME), ["relative changed from auto to true"]);
        let mesh = why(|key| key.mesh = Digest::of(b"other"), SAME);
        assert!(mesh.len() == 1 && mesh[0].starts_with("the mesh changed ("), "{mesh:?}");
        assert_eq!(why(|_| (), SAME), ["the cache does not have it any more"]);
        let known = Known { key: &key(), joints: &[] };
        assert_eq!(reasons(None, known), [Reason::New]);
    }

    #[test]
    fn budgets_are_reasons() {
        let said = |old: ClipKey, new: ClipKey| {
            let joints = [];
            let [old, new] = [&old, &new].map(|key| Known { key, joints: &joints });
            reasons(Some(old), new).iter().map(Reason::to_string).collect::<Vec<_>>()
        };
        assert_eq!(said(key(), with(request())), ["max_error changed from none to 1mm"]);
        let percent = Request { max_error: Some(Length::OfBounds(0.005)), ..request() };
        assert_eq!(said(with(request()), with(percent)), ["max_error changed from 1mm to 0.5%"]);
        let normals = Request { max_normal_error: Some(5.0), ..request() };
        assert_eq!(said(with(request()), with(normals)), ["max_normal_error changed from 180 to 5"]);
        let auto = |fps| {
            let request = Request { auto_fps: true, auto_format: true, ..request() };
            let holds = vec![(Holds::Position, Format::Rgba16ui)];
            ClipKey { request: Some(request), fps, holds, ..key() }
        };
        let fixed = ClipKey { holds: auto(30.0).holds, ..with(request()) };
        let chosen =
            ["fps changed from 30 to auto", "format changed from rgba16ui position to auto position"];
        assert_eq!(said(fixed, auto(60.0)), chosen);
        assert_eq!(said(auto(60.0), auto(30.0)), ["max_fps changed from 60 to 30"]);
        let formats = Request { formats: vec![Format::Rgba16ui, Format::Rgba8], ..request() };
        assert_eq!(
            said(with(request()), with(formats)),
            ["formats to choose from changed from rgba16ui to rgba16ui, rgba8"]
        );
    }

    #[test]
    fn joints_say_more_than_the_mesh_that_changes_with_them() {
        let all = |key: &mut ClipKey| {
            key.mesh = Digest::of(b"other");
            key.skeleton = Digest::of(b"other");
            key.motion = Digest::of(b"other");
        };
        assert_eq!(why(all, [&["hip"], &["hip", "tail"]]), ["joint `tail` was added"]);
        assert_eq!(why(all, [&["hip", "tail"], &["hip"]]), ["joint `tail` was removed"]);
        // Another name alone moves nothing else.
        let motion = why(|key| key.motion = Digest::of(b"other"), [&["hip"], &["pelvis"]]);
        assert!(motion.len() == 1 && motion[0].starts_with("the source's clip changed"), "{motion:?}");
    }

    #[test]
    fn reasons_are_written_and_read() {
        let digest = Digest::of(b"a");
        let all = [
            Reason::New,
            Reason::Version { old: 1, new: 2 },
            Reason::JointAdded { name: "tail".to_owned() },
            Reason::Motion { old: digest, new: digest },
            Reason::Option { option: "fps".to_owned(), old: "1".to_owned(), new: "2".to_owned() },
            Reason::BlobMissing { blob: digest },
            Reason::StoreDamaged,
        ];
        let text = serde_json::to_string(&all).unwrap();
        assert!(text.contains(r#"{"reason":"joint-added","name":"tail"}"#), "{text}");
        assert_eq!(serde_json::from_str::<Vec<Reason>>(&text).unwrap(), all);
    }

    /// Every field of a key decides its digest.
    #[test]
    fn every_field_counts() {
        let other = Digest::of(b"other");
        let keys = [
            key(),
            ClipKey { version: 2, ..key() },
            ClipKey { mesh: other, ..key() },
            ClipKey { axes: Axes::Unity, ..key() },
            ClipKey { axes: Axes::Godot, ..key() },
            ClipKey { skeleton: other, ..key() },
            ClipKey { motion: other, ..key() },
            ClipKey { start: 0.5, ..key() },
            ClipKey { start: -0.0, ..key() },
            ClipKey { duration: 2.0, ..key() },
            ClipKey { frames: 30, ..key() },
            ClipKey { fps: 31.0, ..key() },
            ClipKey { looping: true, ..key() },
            ClipKey { step: true, ..key() },
            ClipKey { relative: Some(false), ..key() },
            ClipKey { relative: Some(true), ..key() },
            ClipKey { holds: vec![(Holds::Position, Format::Rgba16ui)], ..key() },
            ClipKey { holds: vec![(Holds::Position, Format::Rgba16)], ..key() },
            ClipKey { holds: vec![(Holds::Normal, Format::Rgba16)], ..key() },
            ClipKey { shapes: Vec::new(), ..key() },
            ClipKey { shapes: vec![Shape { width: 11, bands: 1 }], ..key() },
            ClipKey { shapes: vec![Shape { width: 10, bands: 2 }], ..key() },
            with(request()),
            with(Request { max_error: None, ..request() }),
            with(Request { max_error: Some(Length::Units(0.002)), ..request() }),
            with(Request { max_error: Some(Length::OfBounds(0.001)), ..request() }),
            with(Request { max_normal_error: Some(5.0), ..request() }),
            with(Request { auto_fps: true, ..request() }),
            with(Request { auto_format: true, ..request() }),
            with(Request { formats: Vec::new(), ..request() }),
            with(Request { formats: vec![Format::Rgba8], ..request() }),
            with(Request { max_texture: 4096, ..request() }),
        ];
        let digests: std::collections::BTreeSet<Digest> = keys.iter().map(ClipKey::digest).collect();
        assert_eq!(digests.len(), keys.len());
    }
}
