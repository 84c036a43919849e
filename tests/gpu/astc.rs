//! ASTC LDR. Of the drivers without a GPU only SwiftShader reads it, and only in a draw: textures that nothing but a
//! compute shader reads give it garbage. It comes with Chromium.

use std::path::Path;
use std::process::Command;

use vatpipe::encode::Format;

use super::device;
use super::parity::metadata;
use super::part::{Worst, parts};
use super::program::{LANGUAGES, Stage};
use super::texture;
use super::work::Work;
use crate::support::random::Random;
use crate::support::variant::Shot;

const SWIFTSHADER: &str = "/usr/lib/chromium/vk_swiftshader_icd.json";
/// Set for the process in which the Vulkan loader sees SwiftShader.
const CHILD: &str = "VATPIPE_TEST_SWIFTSHADER";

const SHOTS: [Shot; 2] = [
    Shot { model: "Fox.glb", clip: 1, fps: 30.0, looping: true },
    Shot { model: "greenman.glb", clip: 1, fps: 10.0, looping: true },
];

/// The loader reads its variables when the first instance is made, so the test runs again in a process of its own.
#[test]
fn astc_in_a_draw_on_swiftshader() {
    if std::env::var_os(CHILD).is_some() {
        println!("{}", compare());
        return;
    }
    assert!(Path::new(SWIFTSHADER).exists(), "no {SWIFTSHADER}: `tests/run` installs Chromium");
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "gpu::astc::astc_in_a_draw_on_swiftshader", "--nocapture"])
        .env(CHILD, "1")
        .env("VK_ADD_DRIVER_FILES", SWIFTSHADER)
        .output()
        .unwrap();
    let said = [child.stdout, child.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(child.status.success() && said.contains("SwiftShader"), "{said}");
    println!("{said}");
}

fn compare() -> Worst {
    let mut worst = Worst::default();
    let devices = device::open(|adapter| adapter.get_info().name.contains("SwiftShader"));
    let gpu = devices.first().expect("SwiftShader is found by the Vulkan loader");
    for format in [Format::Astc4x4, Format::Astc5x5, Format::Astc6x6, Format::Astc8x8] {
        assert!(texture::lacks(gpu, format.name()).is_empty(), "{} reads no {format}", gpu.name);
        for (seed, shot) in (40..).zip(SHOTS) {
            let character = shot.bake(format, |_| ());
            let metadata = metadata(&character);
            let work = Work::new(gpu, &metadata, &character);
            for part in parts(&metadata) {
                let trial = part.instances(&character, &mut Random(seed));
                for language in LANGUAGES {
                    part.check(&work, language, Stage::Vertex, &trial, &mut worst);
                }
            }
        }
    }
    worst
}
