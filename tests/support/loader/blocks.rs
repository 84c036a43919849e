//! Formats in blocks, by decoders other than those that vatpipe measures with.

use half::f16;

/// `format`, `vkFormat`, the size of a block.
pub const FORMATS: [(&str, u32, usize); 9] = [
    ("bc7", 145, 4),
    ("bc6h", 143, 4),
    ("astc-4x4", 157, 4),
    ("astc-5x5", 161, 5),
    ("astc-6x6", 165, 6),
    ("astc-8x8", 171, 8),
    ("astc-hdr-4x4", 1_000_066_000, 4),
    ("astc-hdr-6x6", 1_000_066_004, 6),
    ("uastc", 0, 4),
];

/// Texels of rows of blocks, rows from the top. ASTC and BC7 by `texture2ddecoder`, to bytes; UASTC the same way
/// once Basis Universal has turned it into ASTC, which loses nothing; BC6H by `block_compression`. There is
/// no other decoder of ASTC HDR for Rust: `tests/tools/check_blocks.py` has one.
pub fn decode(format: &str, blocks: &[u8], width: usize, height: usize) -> Vec<[f32; 4]> {
    let mut out = vec![0u32; width * height];
    match format {
        "bc6h" => return bc6h(blocks, width, height),
        "bc7" => texture2ddecoder::decode_bc7(blocks, width, height, &mut out).unwrap(),
        "uastc" => {
            let astc = as_astc(blocks, width as u32, height as u32);
            texture2ddecoder::decode_astc_4_4(&astc, width, height, &mut out).unwrap();
        }
        "astc-hdr-4x4" | "astc-hdr-6x6" => panic!("no decoder here for {format}"),
        _ => {
            let (_, _, size) = FORMATS.into_iter().find(|(name, ..)| *name == format).unwrap();
            texture2ddecoder::decode_astc(blocks, width, height, size, size, &mut out).unwrap();
        }
    }
    // Blue, green, red, alpha, from the lowest byte.
    let channel = |word: u32, shift: u32| f32::from((word >> shift) as u8) / 255.0;
    out.into_iter().map(|word| [16, 8, 0, 24].map(|shift| channel(word, shift))).collect()
}

fn bc6h(blocks: &[u8], width: usize, height: usize) -> Vec<[f32; 4]> {
    let mut out = vec![[0.0; 4]; width * height];
    for (index, block) in blocks.as_chunks::<16>().0.iter().enumerate() {
        let mut texels = [f16::ZERO; 48];
        block_compression::decode::decode_block_bc6h(block, &mut texels, 12, false);
        let (x, y) = (index % (width / 4) * 4, index / (width / 4) * 4);
        for (i, texel) in texels.as_chunks::<3>().0.iter().enumerate() {
            let [r, g, b] = texel.map(f16::to_f32);
            out[(y + i / 4) * width + x + i % 4] = [r, g, b, 1.0];
        }
    }
    out
}

fn as_astc(blocks: &[u8], width: u32, height: u32) -> Vec<u8> {
    use basis_universal::transcoding::{
        DecodeFlags, LowLevelUastcTranscoder, SliceParametersUastc, TranscoderBlockFormat,
    };
    let slice = SliceParametersUastc {
        num_blocks_x: width / 4,
        num_blocks_y: height / 4,
        has_alpha: false,
        original_width: width,
        original_height: height,
    };
    let transcoder = LowLevelUastcTranscoder::new();
    transcoder.transcode_slice(blocks, slice, DecodeFlags::empty(), TranscoderBlockFormat::ASTC_4x4).unwrap()
}
