use vatpipe::encode::Format;
use vatpipe::encode::platforms::{self, Platform, Support};

#[test]
fn every_format_has_a_row() {
    for platform in Platform::ALL {
        assert_eq!(Platform::from_name(platform.name()), Some(platform));
        for &format in Format::all() {
            assert_ne!(platform.support(format), Support::No("it is not in the table"), "{format}");
        }
    }
}

/// Case 48: there is no ASTC on a desktop, and HDR is another matter than LDR.
#[test]
fn a_format_that_is_not_there_names_another() {
    let refused = |format: Format, platforms: &[Platform]| {
        let problem = platforms::check(format, platforms).unwrap_err();
        assert_eq!(problem.code, "encode::platform");
        (problem.message, problem.help.unwrap())
    };
    let (message, help) = refused(Format::Astc4x4, &[Platform::Desktop]);
    assert!(message.contains("`desktop` has no `astc-4x4`"), "{message}");
    assert!(help.contains("`bc7`"), "{help}");
    let (_, help) = refused(Format::Bc7, &[Platform::Mobile]);
    assert!(help.contains("`astc-4x4`"), "{help}");
    let (_, help) = refused(Format::AstcHdr4x4, &[Platform::Webgpu]);
    assert!(help.contains("needs texture-compression-"), "{help}");
    let (_, help) = refused(Format::Bc7, &[Platform::Desktop, Platform::Mobile]);
    assert!(help.contains("`uastc`") || help.contains("`rgba8`"), "{help}");
    let (_, help) = refused(Format::Astc5x5, &[Platform::Unreal]);
    assert!(help.contains("`astc-"), "{help}");
    assert!(platforms::check(Format::Astc4x4, &[Platform::Mobile, Platform::Webgpu]).is_ok());
    assert!(platforms::check(Format::Bc7, &[]).is_ok());
}

/// Case 20: what is chosen without asking needs no feature.
#[test]
fn what_may_be_chosen() {
    use Format::{Rgb10a2, Rgba8, Rgba16, Rgba16f, Rgba16ui, Rgba32f};
    assert_eq!(platforms::formats(&[]), [Rgba32f, Rgba16f, Rgba16ui, Rgb10a2, Rgba8]);
    assert_eq!(platforms::formats(&[Platform::Webgpu]), [Rgba32f, Rgba16f, Rgba16ui, Rgb10a2, Rgba8]);
    let desktop = platforms::formats(&[Platform::Desktop]);
    assert!(desktop.contains(&Format::Bc7) && desktop.contains(&Rgba16), "{desktop:?}");
    assert!(!desktop.contains(&Format::Astc4x4) && !desktop.contains(&Format::Rg8), "{desktop:?}");
    let both = platforms::formats(&[Platform::Desktop, Platform::Mobile]);
    assert_eq!(both, [Rgba32f, Rgba16f, Rgba16ui, Rgb10a2, Rgba8]);
    let mobile = platforms::formats(&[Platform::Mobile]);
    assert!(mobile.contains(&Format::Astc8x8) && !mobile.contains(&Format::AstcHdr4x4), "{mobile:?}");
}

/// The table in `docs/format.md` is that of the code. Run with `VATPIPE_WRITE_DOCS=1` to write it.
#[test]
fn the_documented_table_is_right() {
    const START: &str = "<!-- from the table of platforms: -->\n";
    const END: &str = "<!-- : from the table of platforms -->\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/format.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (before, rest) = page.split_once(START).expect("the start of the table");
    let (_, after) = rest.split_once(END).expect("the end of the table");
    let right = format!("{before}{START}\n{}\n{END}{after}", platforms::markdown());
    if std::env::var_os("VATPIPE_WRITE_DOCS").is_some() {
        std::fs::write(path, &right).unwrap();
    } else {
        assert!(page == right, "docs/format.md is out of date: run this test with VATPIPE_WRITE_DOCS=1");
    }
}
