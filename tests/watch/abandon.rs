//! Bakes of what is not so any more.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use vatpipe::run;
use vatpipe::watch::Event;

use super::{Heard, Hook, LONG, Project, Watched, baked, changed, model, patient};

/// Holds the build at its first clip of `a` until the test lets it go.
fn hold() -> (Hook, Receiver<()>, Sender<()>) {
    let (reached, is_reached) = channel();
    let (go, is_free) = channel();
    let is_free = Arc::new(Mutex::new(Some(is_free)));
    let hook = move |event: &Event| {
        if let Event::Build(run::Event::ClipBaked { character: "a", .. }) = event
            && let Some(is_free) = is_free.lock().unwrap().take()
        {
            let _ = reached.send(());
            let _: Result<(), _> = is_free.recv_timeout(LONG);
        }
    };
    (Box::new(hook), is_reached, go)
}

#[test]
fn a_bake_of_outdated_content_is_abandoned_and_others_go_on() {
    let project = Project::new();
    // Many clips, so that some have not begun when the first is done.
    project.put("art/a.glb", &model(64, 1.0).glb());
    let (hook, reached, go) = hold();
    let (mut watched, notices) = Watched::with_blind_eyes(project, patient(), None, hook);
    reached.recv_timeout(LONG).unwrap();
    watched.folder.put("art/a.glb", &model(3, 3.0).glb());
    notices.touched(vec![watched.path("art").canonicalize().unwrap().join("a.glb")]);
    // Heard in this order: once this is answered, the change is known.
    notices.lost();
    watched.until(|heard| *heard == Heard::Rescan);
    assert!(!watched.path("out/a").exists());
    go.send(()).unwrap();
    let first = watched.until(|heard| matches!(heard, Heard::Finished { .. }));
    assert!(first.contains(&Heard::Abandoned("a".to_owned())), "{first:?}");
    assert!(matches!(first.last(), Some(Heard::Finished { failed: 0, abandoned: 1, .. })), "{first:?}");
    assert!(baked(&first).len() < 64 + 2, "{first:?}");
    let then = watched.until(Heard::is_published);
    let Some(Heard::Published(change)) = then.last() else { panic!("{then:?}") };
    assert_eq!(change.characters, ["b"], "what did not change was built to its end");
    let then = watched.round();
    assert_eq!(changed(&then), [["a.glb"]]);
    assert!(baked(&then).contains(&"a.clip2".to_owned()), "{then:?}");
    assert!(watched.path("out/a/a.vat.json").exists());
    assert!(watched.end().leftovers().is_empty());
}

/// An end while it bakes: nothing of it is left.
#[test]
fn an_end_abandons_everything() {
    let project = Project::new();
    project.put("art/a.glb", &model(64, 1.0).glb());
    let (hook, reached, go) = hold();
    let (watched, _notices) = Watched::with_blind_eyes(project, patient(), None, hook);
    reached.recv_timeout(LONG).unwrap();
    watched.stop.stop();
    let mut watched = watched;
    // The stop is heard before the build goes on, or while it does: either way it ends.
    go.send(()).unwrap();
    let first = watched.until(|heard| matches!(heard, Heard::Finished { .. }));
    assert!(matches!(first.last(), Some(Heard::Finished { failed: 0, .. })), "{first:?}");
    let project = watched.end();
    assert!(project.leftovers().is_empty());
    if first.contains(&Heard::Abandoned("a".to_owned())) {
        assert!(!project.path("out/vat.rs").exists(), "no constants without their character");
    }
}
