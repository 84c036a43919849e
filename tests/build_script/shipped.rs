//! Outputs that somebody has published before.

use std::fs;

use super::work::Script;
use super::{NOWHERE, Package, model};

#[test]
fn what_is_published_and_up_to_date_is_copied() {
    let package = Package::new();
    package.vatpipe(&["build", "-q"]);
    let before = package.snapshot();
    let ran = Script::new(&package, "embed").with("VATPIPE", NOWHERE).run().succeeded();
    assert_eq!(ran.origin, "Published");
    for file in ["it/it.glb", "it/it.vat.json", "vat.rs", "vat.published.json"] {
        let (copy, published) = (ran.out.join("vat").join(file), package.path("assets/vat").join(file));
        assert_eq!(fs::read(copy).unwrap(), fs::read(published).unwrap(), "{file}");
    }
    let again = Script::new(&package, "embed").with("VATPIPE", NOWHERE).run().succeeded();
    assert_eq!(again.origin, "Fresh");
    assert_eq!(package.snapshot(), before);
}

#[test]
fn constants_alone_leave_textures_where_they_are() {
    let package = Package::new();
    package.vatpipe(&["build", "-q"]);
    for _ in 0..2 {
        let ran = Script::new(&package, "elsewhere").with("VATPIPE", NOWHERE).run().succeeded();
        assert_eq!(ran.origin, "Published");
        assert!(ran.include().contains("vat_character! { it, ") && !ran.out.join("vat/it").exists());
        assert!(!ran.lines.iter().any(|line| line.starts_with("warning=")), "{:?}", ran.lines);
    }
    package.write("art/it.gltf", &model(&["other"]));
    for origin in ["Program", "Fresh"] {
        let stale = Script::new(&package, "elsewhere").run().succeeded();
        assert_eq!(stale.origin, origin);
        assert!(stale.lines.iter().any(|line| line.contains("run `vatpipe build`")), "{:?}", stale.lines);
    }
    package.vatpipe(&["build", "-q"]);
    let ran = Script::new(&package, "elsewhere").with("VATPIPE", NOWHERE).run().succeeded();
    assert_eq!(ran.origin, "Published");
    assert!(
        ran.lines.contains(&"rerun-if-changed=assets/vat/vat.published.json".to_owned()),
        "{:?}",
        ran.lines
    );
}

#[test]
fn what_is_published_and_out_of_date_is_not() {
    let package = Package::new();
    package.vatpipe(&["build", "-q"]);
    package.write("art/it.gltf", &model(&["other"]));
    let before = package.snapshot();
    let ran = Script::new(&package, "embed").run().succeeded();
    assert_eq!(ran.origin, "Program");
    assert!(ran.include().contains("\"other\""));
    assert_eq!(package.snapshot(), before, "the published outputs are the user's");
}

/// docs.rs has no network, no program, and what the author has put into the package; so has who uses the package.
#[test]
fn a_package_without_models_is_taken_as_it_is() {
    for (on_docs_rs, packaged) in [(true, false), (false, true)] {
        let package = Package::new();
        package.vatpipe(&["build", "-q"]);
        fs::remove_dir_all(package.path("art")).unwrap();
        fs::remove_dir_all(package.path("assets/vat/.vatpipe")).unwrap();
        if packaged {
            package.write("Cargo.toml.orig", "");
        }
        let before = package.snapshot();
        let script = Script::new(&package, "embed").with("VATPIPE", NOWHERE);
        let ran = if on_docs_rs { script.with("DOCS_RS", "1") } else { script }.run().succeeded();
        assert_eq!(ran.origin, "Published");
        assert_eq!(ran.lines[0], "rerun-if-changed=vat.toml", "what is not there is not watched");
        assert_eq!(ran.include().contains("include_bytes"), !on_docs_rs);
        assert_eq!(package.snapshot(), before);
    }
}

#[test]
fn a_published_folder_that_is_damaged_is_not_taken() {
    let package = Package::new();
    package.vatpipe(&["build", "-q"]);
    fs::write(package.path("assets/vat/it/it.glb"), "damaged").unwrap();
    let ran = Script::new(&package, "embed").with("DOCS_RS", "1").run().succeeded();
    assert_eq!(ran.origin, "Program");
    assert_ne!(fs::read(ran.out.join("vat/it/it.glb")).unwrap(), b"damaged");
}
