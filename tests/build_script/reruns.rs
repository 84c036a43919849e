//! When cargo runs the script, and what the game then has.

use std::fs;
use std::time::Duration;

use super::game::Game;
use super::{NOWHERE, model, said, set_age};

/// Cargo compares times of modification: a file that is to count as changed is younger than the last run.
const NONE: [String; 0] = [];

#[test]
fn the_script_runs_when_something_changed_and_only_then() {
    let game = Game::new("vatpipe-test-reruns");
    let package = &game.0;
    let art = package.path("art/it.gltf");
    let hour = Duration::from_secs(3600);
    set_age(&art, hour);
    assert_eq!(game.play(), "it [\"go\"] true\ntrue\n");
    assert_eq!(game.runs(), ["Program"]);
    let before = package.snapshot();
    game.play();
    assert_eq!(game.runs(), NONE, "nothing changed");
    assert_eq!(package.snapshot(), before, "the source folder is as it was");

    // The same bytes.
    set_age(&art, Duration::ZERO);
    game.play();
    assert_eq!(game.runs(), ["Fresh"]);

    // Other bytes.
    fs::write(&art, model(&["run"])).unwrap();
    assert_eq!(game.play(), "it [\"run\"] true\ntrue\n");
    assert_eq!(game.runs(), ["Program"]);

    // Replaced by an older file, as `cp -p`, archives and some version control systems do.
    let old = package.beside("old.gltf");
    fs::write(&old, model(&["jump"])).unwrap();
    set_age(&old, 2 * hour);
    fs::rename(&old, &art).unwrap();
    assert_eq!(game.play(), "it [\"jump\"] true\ntrue\n");
    assert_eq!(game.runs(), ["Program"]);

    // A file that is no input, and one that becomes one.
    package.write("art/new.gltf", &model(&["go"]));
    game.play();
    assert_eq!(game.runs(), ["Fresh"]);
    let two = "[characters.it]\nsource = \"art/it.gltf\"\n[characters.new]\nsource = \"art/new.gltf\"\n";
    package.write("vat.toml", two);
    assert_eq!(game.play(), "it [\"jump\"] true\nnew [\"go\"] true\ntrue\n");
    assert_eq!(game.runs(), ["Program"]);
    game.play();
    assert_eq!(game.runs(), NONE);

    // A failure is tried again, and says what is wrong.
    fs::write(&art, "{").unwrap();
    for _ in 0..2 {
        let failed = said(&game.cargo(&["build"], &[]));
        assert!(failed.contains("art/it.gltf") && failed.contains("code: source::"), "{failed}");
    }
    fs::write(&art, model(&["jump"])).unwrap();
    game.play();
    assert_eq!(game.runs(), ["Fresh"]);
}

#[test]
fn without_a_program_cargo_shows_what_to_run() {
    let game = Game::new("vatpipe-test-missing");
    let before = game.0.snapshot();
    let output = game.cargo(&["check"], &[("VATPIPE", NOWHERE)]);
    let text = said(&output);
    assert!(!output.status.success());
    let version = env!("CARGO_PKG_VERSION");
    for part in [
        "\"it\" is not baked, and there is no program `vatpipe`",
        "VATPIPE names /nowhere/vatpipe, which is not there",
        &format!("cargo install vatpipe --version {version} --locked"),
        "code: build-script::no-program",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(game.0.snapshot(), before);

    // What is published serves as well.
    game.0.vatpipe(&["build", "-q"]);
    let output = game.cargo(&["check"], &[("VATPIPE", NOWHERE)]);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(game.runs(), ["Published"]);

    // And documentation can be made where there is nothing else.
    fs::remove_dir_all(game.0.path("art")).unwrap();
    let output = game.cargo(&["doc", "--no-deps"], &[("VATPIPE", NOWHERE), ("DOCS_RS", "1")]);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(game.runs(), ["Published"]);
}
