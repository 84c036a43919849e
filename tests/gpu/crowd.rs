//! The example `crowd`, small and without a window.

#[path = "../../examples/crowd/show/mod.rs"]
mod show;

use show::baked::bake;
use show::{Show, device, picture};

const SIZE: (u32, u32) = (320, 180);

/// The mean of a picture's bytes, and of their squares less its square: brightness and contrast.
fn brightness(pixels: &[u8]) -> (f64, f64) {
    let count = pixels.len() as f64;
    let mean = pixels.iter().map(|&v| f64::from(v)).sum::<f64>() / count;
    let square = pixels.iter().map(|&v| f64::from(v) * f64::from(v)).sum::<f64>() / count;
    (mean, square - mean * mean)
}

/// How many pixels differ visibly.
fn different(a: &[u8], b: &[u8]) -> usize {
    let pairs = a.as_chunks::<4>().0.iter().zip(b.as_chunks::<4>().0);
    pairs.filter(|(a, b)| (0..3).any(|i| a[i].abs_diff(b[i]) > 12)).count()
}

#[test]
fn it_draws_a_crowd_with_shadows_that_moves() {
    let folder = tempfile::tempdir().unwrap();
    let baked = bake(folder.path()).unwrap();
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let gpu = device::open(&instance, None).unwrap();
    println!("on {}", gpu.adapter.get_info().name);
    let mut show = Show::new(&gpu, &baked, 400, picture::FORMAT);
    let (pixels, counts) = picture::pixels(&gpu, &show, SIZE, 20.0).unwrap();
    let all = (SIZE.0 * SIZE.1) as usize;
    let (mean, variance) = brightness(&pixels);
    assert!((60.0..220.0).contains(&mean) && variance > 500.0, "brightness {mean}, variance {variance}");
    // Culled, in one draw call a character and level.
    assert_eq!(counts.actors, 400);
    assert!(counts.seen > 100 && counts.seen < counts.actors, "{counts:?}");
    assert!(counts.draws <= 9 && counts.shadow_draws <= 27 && counts.triangles > 10_000, "{counts:?}");
    // The same moment is the same picture; a moment later it is another.
    assert!(picture::pixels(&gpu, &show, SIZE, 20.0).unwrap().0 == pixels);
    let later = picture::pixels(&gpu, &show, SIZE, 20.5).unwrap().0;
    assert!(different(&pixels, &later) > all / 100);
    // Shadows make a part of the picture darker, and none lighter.
    show.shadows = false;
    let bright = picture::pixels(&gpu, &show, SIZE, 20.0).unwrap().0;
    let changed = different(&pixels, &bright);
    assert!(changed > all / 50 && changed < all / 2, "{changed} of {all}");
    assert!(brightness(&bright).0 > mean);
    // Without actors something is missing.
    let empty = Show::new(&gpu, &baked, 0, picture::FORMAT);
    let nobody = picture::pixels(&gpu, &empty, SIZE, 20.0).unwrap().0;
    assert!(different(&pixels, &nobody) > all / 10);
    let file = folder.path().join("crowd.png");
    picture::write(&file, &pixels, SIZE).unwrap();
    assert!(std::fs::metadata(&file).unwrap().len() > 10_000);
}
