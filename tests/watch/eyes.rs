//! Systems that tell too little.

use std::time::Duration;

use vatpipe::watch::Trouble;

use super::{Heard, Project, Watched, baked, changed, model, patient};

#[test]
fn lost_events_make_it_look_at_everything() {
    let (mut watched, notices) = Watched::with_blind_eyes(Project::new(), patient(), None, Box::new(|_| {}));
    watched.round();
    watched.folder.put("art/a.glb", &model(2, 3.0).glb());
    notices.lost();
    let round = watched.round();
    assert_eq!((&round[0], baked(&round)), (&Heard::Rescan, vec!["a.clip1".to_owned()]));
    // Nothing changed: it says that it looked, and goes on waiting.
    notices.lost();
    watched.folder.put("art/b.glb", &model(2, 3.0).glb());
    notices.touched(vec![watched.path("art").canonicalize().unwrap().join("b.glb")]);
    let round = watched.round();
    assert_eq!((&round[0], changed(&round)), (&Heard::Rescan, vec![vec!["b.glb".to_owned()]]));
}

#[test]
fn a_sweep_finds_what_was_not_told() {
    let mut options = patient();
    options.times.sweep = Duration::from_millis(20);
    let (mut watched, _notices) = Watched::with_blind_eyes(Project::new(), options, None, Box::new(|_| {}));
    watched.round();
    watched.folder.put("art/a.glb", &model(2, 3.0).glb());
    assert_eq!(baked(&watched.round()), ["a.clip1"]);
}

#[test]
fn polling_needs_no_events() {
    let mut options = patient();
    options.poll = true;
    options.times.poll = Duration::from_millis(20);
    let mut watched = Watched::start(Project::new(), options);
    for to in [3.0, 4.0] {
        watched.folder.put("art/a.glb", &model(2, to).glb());
        let round = watched.round();
        assert_eq!(baked(&round), ["a.clip1"]);
        let polling = Some(Duration::from_millis(20));
        assert_eq!(round.last(), Some(&Heard::Waiting { files: 3, folders: 0, polling }));
    }
}

/// Case 44.
#[test]
fn a_limit_of_the_system_is_told_with_its_cure_and_files_are_polled() {
    let mut options = patient();
    options.times.poll = Duration::from_millis(20);
    let setting = Some("fs.inotify.max_user_watches");
    let trouble = Trouble::Limit { message: "No space left on device (os error 28)".to_owned(), setting };
    let (mut watched, _notices) =
        Watched::with_blind_eyes(Project::new(), options, Some(trouble), Box::new(|_| {}));
    let first = watched.round();
    let told: Vec<&Heard> = first.iter().filter(|heard| matches!(heard, Heard::Problem(..))).collect();
    assert!(
        matches!(told[..], [Heard::Problem(code, help)] if code == "watch::limit" && help.contains("sysctl fs.inotify.max_user_watches=")),
        "{told:?}"
    );
    watched.folder.put("art/b.glb", &model(2, 3.0).glb());
    assert_eq!(baked(&watched.round()), ["b.clip1"]);
}
