//! Formats in blocks.

use rayon::ThreadPoolBuilder;
use vatpipe::cache::digest::Digest;
use vatpipe::encode::{Decoded, Effort, Format, Picture, Quality, decode_picture, encode_picture};

/// Texels in a row, and rows: whole blocks of every size.
const SIZE: u32 = 120;

fn blocks() -> impl Iterator<Item = Format> {
    Format::all().iter().copied().filter(|format| format.is_block())
}

/// Waves along a row that swing from row to row, in the range of a format. Exact in 32 bits wherever it is worked
/// out: parabolas, no sines.
fn waves(format: Format, rows: u32) -> [Vec<f32>; 3] {
    let [low, high] = format.range();
    let wave = |x: u32, period: u32| {
        let t = (x % period) as f32 / period as f32;
        4.0 * t * (1.0 - t)
    };
    [1, 2, 3].map(|axis| {
        let texels = (0..rows * SIZE).map(|i| (i % SIZE, i / SIZE));
        let value = |(x, y): (u32, u32)| 0.5 * wave(x + 7 * axis, 40) + 0.5 * wave(y + 3 * x / axis, 60);
        texels.map(|texel| low + (high - low) * value(texel)).collect()
    })
}

fn encode(format: Format, planes: &[Vec<f32>; 3], quality: Quality, scale: [f32; 3]) -> Vec<u8> {
    let height = planes[0].len() as u32 / SIZE;
    let planes = [0, 1, 2].map(|axis| planes[axis].as_slice());
    let picture = Picture { width: SIZE, height, planes, packed: None };
    encode_picture(format, &picture, &Effort { quality, scale }).unwrap()
}

fn decode(format: Format, bytes: &[u8]) -> Decoded {
    decode_picture(format, bytes, SIZE, SIZE).unwrap()
}

/// The root mean square of each axis, as a part of the range.
fn errors(format: Format, planes: &[Vec<f32>; 3], decoded: &Decoded) -> [f64; 3] {
    let [low, high] = format.range();
    [0, 1, 2].map(|axis| {
        let pairs = planes[axis].iter().zip(&decoded.planes[axis]);
        let sum: f64 = pairs.map(|(a, b)| square((a - b) / (high - low))).sum();
        (sum / planes[axis].len() as f64).sqrt()
    })
}

#[test]
fn there_and_back() {
    for format in blocks() {
        let planes = waves(format, SIZE);
        let bytes = encode(format, &planes, Quality::Medium, [1.0; 3]);
        assert_eq!(bytes.len(), format.bytes(SIZE, SIZE));
        let errors = errors(format, &planes, &decode(format, &bytes));
        let size = f64::from(format.block_size().0);
        assert!(errors.iter().all(|e| *e < 0.004 * size), "{format}: {errors:?}");
    }
}

/// Neither the number of threads nor what lies above or below a strip of blocks changes its bytes.
#[test]
fn blocks_depend_on_nothing_else() {
    for format in blocks() {
        let planes = waves(format, SIZE * 3);
        let all = encode(format, &planes, Quality::Fast, [1.0; 3]);
        let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert!(all == pool.install(|| encode(format, &planes, Quality::Fast, [1.0; 3])), "{format}");
        let part = format.bytes(SIZE, SIZE);
        for strip in 0..3 {
            let texels = (SIZE * SIZE) as usize;
            let planes = planes.each_ref().map(|plane| plane[strip * texels..][..texels].to_vec());
            let alone = encode(format, &planes, Quality::Fast, [1.0; 3]);
            assert!(alone == all[strip * part..][..part], "{format}, strip {strip}");
        }
    }
}

/// Bytes of encoders that others write: they change only with a new version of an encoder, which needs a new
/// `BAKE_VERSION`: run with `VATPIPE_WRITE_GOLDEN=1`. C++ compilers fuse multiplications and additions on other architectures.
#[cfg(target_arch = "x86_64")]
#[test]
fn golden_blocks() {
    let found: Vec<String> = blocks()
        .map(|format| {
            let bytes = encode(format, &waves(format, SIZE), Quality::Medium, [1.0, 0.5, 0.25]);
            format!("{format} {}", &Digest::of(&bytes).to_string()[..16])
        })
        .collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/encode/blocks.txt");
    let found = found.join("\n") + "\n";
    if std::env::var_os("VATPIPE_WRITE_GOLDEN").is_some() {
        std::fs::write(path, &found).unwrap();
    } else {
        assert_eq!(found, std::fs::read_to_string(path).unwrap());
    }
}

/// The error of a long axis counts more than that of a short one.
#[test]
fn axes_are_weighed_by_their_length() {
    for format in [Format::Astc4x4, Format::Astc6x6, Format::AstcHdr4x4] {
        let planes = waves(format, SIZE);
        let error = |scale| {
            let bytes = encode(format, &planes, Quality::Medium, scale);
            errors(format, &planes, &decode(format, &bytes))
        };
        let (even, long) = (error([1.0; 3]), error([1.0, 0.1, 0.1]));
        assert!(long[0] < 0.9 * even[0], "{format}: {long:?} {even:?}");
    }
}

#[test]
fn more_effort_is_better() {
    for format in [Format::Astc4x4, Format::Astc8x8, Format::AstcHdr6x6, Format::Bc7, Format::Bc6h] {
        let planes = waves(format, SIZE);
        let error = |quality| {
            let bytes = encode(format, &planes, quality, [1.0; 3]);
            errors(format, &planes, &decode(format, &bytes)).iter().sum::<f64>()
        };
        let (fast, thorough) = (error(Quality::Fast), error(Quality::Thorough));
        assert!(thorough <= fast, "{format}: {thorough} {fast}");
    }
}

/// Nothing that a loader could be handed makes a decoder fall over.
#[test]
fn bytes_that_no_encoder_made() {
    for format in blocks() {
        let mut state = 1u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        let bytes: Vec<u8> = (0..format.bytes(SIZE, SIZE)).map(|_| random()).collect();
        let decoded = decode_picture(format, &bytes, SIZE, SIZE);
        assert!(decoded.is_ok() || format == Format::Uastc, "{format}");
    }
}

fn square(v: f32) -> f64 {
    f64::from(v) * f64::from(v)
}
