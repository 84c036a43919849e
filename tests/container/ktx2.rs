use ktx2::{ColorModel, Reader, SupercompressionScheme, TransferFunction};
use serde_json::json;
use vatpipe::container::ktx2::{Image, write};
use vatpipe::encode::Format;

use crate::support::node::check_ktx2;
use crate::support::random::Random;

fn image(format: Format, width: u32, height: u32, layers: u32) -> Image {
    let mut random = Random(u64::from(width));
    let bytes = format.bytes(width, height) * layers as usize;
    // Repeats itself, so that compression has something to do.
    let data = (0..bytes).map(|i| if i % 3 == 0 { random.bits() as u8 } else { i as u8 & 7 }).collect();
    Image { format, width, height, layers, data }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks(4).map(|w| u32::from_le_bytes(w.try_into().unwrap())).collect()
}

/// The descriptor as it lies in the file, its length first.
fn descriptor(file: &[u8]) -> Vec<u32> {
    let index = words(&file[48..56]);
    words(&file[index[0] as usize..][..index[1] as usize])
}

const MINUS_ONE: u32 = 0xbf80_0000;
const ONE: u32 = 0x3f80_0000;

/// What comes before the samples in each descriptor of four samples. Khronos Data Format
/// Specification 1.3, section 5 ("Khronos Basic Data Format Descriptor Block"): total length 4 + 24 + 4 * 16;
/// vendor and type 0; version 2, block length; model RGBSDA (1), primaries BT.709 (1), transfer function
/// linear (1), no flags; blocks of one texel. Then `bytesPlane0`.
const FOUR: [u32; 5] = [92, 0, 88 << 16 | 2, 0x00_01_01_01, 0];

/// The samples: bit offset, bits - 1, channel (R 0, G 1, B 2, A 15) with the qualifiers signed (0x40) and
/// float (0x80); position 0; lower and upper, which for integers read as such are 0 and 1 (section 5.14).
#[test]
fn golden_descriptors() {
    let golden = |before: [u32; 5], bytes_plane: u32, samples: &[[u32; 4]]| {
        [before.as_slice(), &[bytes_plane, 0], samples.as_flattened()].concat()
    };
    let expected = [
        (
            Format::Rgba32f,
            4,
            golden(
                FOUR,
                16,
                &[
                    [0xc01f_0000, 0, MINUS_ONE, ONE],
                    [0xc11f_0020, 0, MINUS_ONE, ONE],
                    [0xc21f_0040, 0, MINUS_ONE, ONE],
                    [0xcf1f_0060, 0, MINUS_ONE, ONE],
                ],
            ),
        ),
        (
            Format::Rgba16f,
            2,
            golden(
                FOUR,
                8,
                &[
                    [0xc00f_0000, 0, MINUS_ONE, ONE],
                    [0xc10f_0010, 0, MINUS_ONE, ONE],
                    [0xc20f_0020, 0, MINUS_ONE, ONE],
                    [0xcf0f_0030, 0, MINUS_ONE, ONE],
                ],
            ),
        ),
        (
            Format::Rgba16ui,
            2,
            golden(
                FOUR,
                8,
                &[
                    [0x000f_0000, 0, 0, 1],
                    [0x010f_0010, 0, 0, 1],
                    [0x020f_0020, 0, 0, 1],
                    [0x0f0f_0030, 0, 0, 1],
                ],
            ),
        ),
        (
            Format::Rgba16,
            2,
            golden(
                FOUR,
                8,
                &[
                    [0x000f_0000, 0, 0, 65535],
                    [0x010f_0010, 0, 0, 65535],
                    [0x020f_0020, 0, 0, 65535],
                    [0x0f0f_0030, 0, 0, 65535],
                ],
            ),
        ),
        // Red in the lowest bits of the word: A2B10G10R10 is named from the highest.
        (
            Format::Rgb10a2,
            4,
            golden(
                FOUR,
                4,
                &[
                    [0x0009_0000, 0, 0, 1023],
                    [0x0109_000a, 0, 0, 1023],
                    [0x0209_0014, 0, 0, 1023],
                    [0x0f01_001e, 0, 0, 3],
                ],
            ),
        ),
        (
            Format::Rgba8,
            1,
            golden(
                FOUR,
                4,
                &[
                    [0x0007_0000, 0, 0, 255],
                    [0x0107_0008, 0, 0, 255],
                    [0x0207_0010, 0, 0, 255],
                    [0x0f07_0018, 0, 0, 255],
                ],
            ),
        ),
        (
            Format::Rg8,
            1,
            golden(
                [60, 0, 56 << 16 | 2, 0x00_01_01_01, 0],
                2,
                &[[0x0007_0000, 0, 0, 255], [0x0107_0008, 0, 0, 255]],
            ),
        ),
    ];
    // One sample of 128 bits. Colour models BC6H (133), BC7 (134), ASTC (162), UASTC (166); blocks less 1 wide and high.
    let blocks = |model: u32, size: u32, sample: [u32; 4]| {
        golden([44, 0, 40 << 16 | 2, 0x00_01_01_00 | model, (size - 1) * 0x0101], 16, &[sample])
    };
    let whole = [0x007f_0000, 0, 0, u32::MAX];
    let signed_float = [0xc07f_0000, 0, MINUS_ONE, ONE];
    let in_blocks = [
        (Format::Bc7, blocks(134, 4, whole)),
        (Format::Bc6h, blocks(133, 4, [0x807f_0000, 0, 0, ONE])),
        (Format::Astc4x4, blocks(162, 4, whole)),
        (Format::Astc5x5, blocks(162, 5, whole)),
        (Format::Astc6x6, blocks(162, 6, whole)),
        (Format::Astc8x8, blocks(162, 8, whole)),
        (Format::AstcHdr4x4, blocks(162, 4, signed_float)),
        (Format::AstcHdr6x6, blocks(162, 6, signed_float)),
        (Format::Uastc, blocks(166, 4, whole)),
    ];
    let in_blocks = in_blocks.map(|(format, golden)| (format, 1, golden));
    let expected: Vec<_> = expected.into_iter().chain(in_blocks).collect();
    assert_eq!(expected.iter().map(|e| e.0).collect::<Vec<_>>(), Format::all());
    for (format, type_size, golden) in expected {
        for zstd in [None, Some(3)] {
            // Supercompressed files keep the real bytesPlane0 (KTX-Specification PR 221).
            let file = write(&image(format, 4, 2, 1), &[], zstd).unwrap();
            assert_eq!(words(&file[16..20]), [type_size], "{format}");
            assert_eq!(descriptor(&file), golden, "{format}");
        }
    }
}

/// Case 35, with the words read by the `ktx2` crate; and case 4: linear, never sRGB, one level.
#[test]
fn descriptor_of_a_small_image() {
    let file = write(&image(Format::Rgba16, 4, 2, 1), &[], None).unwrap();
    let reader = Reader::new(&file).unwrap();
    let header = reader.header();
    assert_eq!(header.format, Some(ktx2::Format::R16G16B16A16_UNORM));
    assert_eq!((header.type_size, header.level_count, header.index.dfd_byte_length), (2, 1, 92));
    let basic = reader.basic_dfd().unwrap();
    assert_eq!(basic.color_model, Some(ColorModel::RGBSDA));
    assert_eq!(basic.transfer_function, Some(TransferFunction::Linear));
    assert_eq!(basic.bytes_planes, [8, 0, 0, 0, 0, 0, 0, 0]);
    let samples = basic.sample_information.iter();
    let samples = samples.map(|s| (s.bit_offset, s.bit_length.get(), s.channel_type, s.lower, s.upper));
    let expected =
        [(0, 16, 0, 0, 65535), (16, 16, 1, 0, 65535), (32, 16, 2, 0, 65535), (48, 16, 15, 0, 65535)];
    assert_eq!(samples.collect::<Vec<_>>(), expected);
}

/// Two readers see what was put in: the `ktx2` crate, and ktx-parse, which must write the very same bytes back.
#[test]
fn independent_readers() {
    let entries =
        [("vatpipe".to_string(), b"{\"clips\":[]}\0".to_vec()), ("a key".to_string(), vec![1, 2, 3])];
    let dir = tempfile::tempdir().unwrap();
    let (mut images, mut files) = (Vec::new(), Vec::new());
    for &format in Format::all() {
        for (width, height, layers, zstd) in
            [(5, 3, 1, None), (7, 9, 3, None), (33, 20, 1, Some(19)), (31, 4, 3, Some(1))]
        {
            let image = image(format, width, height, layers);
            let path = dir.path().join(format!("{format}_{width}.ktx2"));
            std::fs::write(&path, write(&image, &entries, zstd).unwrap()).unwrap();
            images.push((image, zstd));
            files.push(path);
        }
    }
    for ((image, zstd), (path, entry)) in images.iter().zip(files.iter().zip(check_ktx2(&files))) {
        let file = std::fs::read(path).unwrap();
        check_against_crate(image, *zstd, &file);

        // Runner-up 16: a plain 2D texture has layerCount 0.
        let layers = if image.layers == 1 { 0 } else { image.layers };
        assert_eq!(entry["vkFormat"], image.format.vk_format());
        assert_eq!([&entry["pixelWidth"], &entry["pixelHeight"]], [image.width, image.height]);
        assert_eq!([&entry["pixelDepth"], &entry["layerCount"], &entry["faceCount"]], [0, layers, 1]);
        assert_eq!(entry["supercompressionScheme"], if zstd.is_some() { 2 } else { 0 });
        assert_eq!(entry["levels"][0][1], image.data.len());
        let writer = concat!("vatpipe ", env!("CARGO_PKG_VERSION"));
        let values = json!({
            "KTXorientation": "rd",
            "KTXwriter": writer,
            "a key": "\u{1}\u{2}\u{3}",
            "vatpipe": "{\"clips\":[]}\0",
        });
        assert_eq!(entry["keyValues"], values);
    }
}

fn check_against_crate(image: &Image, zstd: Option<i32>, file: &[u8]) {
    let reader = Reader::new(file).unwrap();
    let header = reader.header();
    assert_eq!((header.pixel_width, header.pixel_height), (image.width, image.height));
    assert_eq!(header.layer_count, if image.layers == 1 { 0 } else { image.layers });
    assert_eq!(header.supercompression_scheme, zstd.map(|_| SupercompressionScheme::Zstandard));
    // The specification wants text to end with a NUL byte; this reader does not take it off.
    assert_eq!(reader.writer(), Some(concat!("vatpipe ", env!("CARGO_PKG_VERSION"), "\0")));
    let keys: Vec<&str> = reader.key_value_data().map(|entry| entry.0).collect();
    assert_eq!(keys, ["KTXorientation", "KTXwriter", "a key", "vatpipe"]);

    let levels: Vec<_> = reader.levels().collect();
    assert_eq!(levels.len(), 1);
    assert_eq!(levels[0].uncompressed_byte_length, image.data.len() as u64);
    match zstd {
        Some(_) => {
            assert!(image.data.len() < 500 || levels[0].data.len() < image.data.len());
            assert_eq!(zstd::bulk::decompress(levels[0].data, image.data.len()).unwrap(), image.data);
        }
        None => {
            assert_eq!(levels[0].data, image.data);
            let offset = words(&file[80..84])[0] as usize;
            assert_eq!(offset % 4, 0);
            assert_eq!(offset % image.format.bytes_per_block(), 0);
            assert_eq!(offset + image.data.len(), file.len());
        }
    }
}

#[test]
fn the_order_of_entries_does_not_matter() {
    let image = image(Format::Rgba8, 2, 2, 1);
    let entry = |key: &str| (key.to_string(), key.as_bytes().to_vec());
    let one = write(&image, &[entry("b"), entry("a"), entry("Z")], None).unwrap();
    let other = write(&image, &[entry("Z"), entry("a"), entry("b")], None).unwrap();
    assert_eq!(one, other);
}

#[test]
fn what_cannot_be_written() {
    let good = image(Format::Rgba16ui, 3, 2, 2);
    let code = |image: &Image, keys: &[&str], zstd| {
        let entries: Vec<_> = keys.iter().map(|key| (key.to_string(), Vec::new())).collect();
        write(image, &entries, zstd).map(|_| ()).map_err(|problem| problem.code)
    };
    assert_eq!(code(&good, &["ok"], None), Ok(()));
    let wrong = [
        Image { width: 4, ..good.clone() },
        Image { layers: 1, ..good.clone() },
        Image { layers: 0, data: Vec::new(), ..good.clone() },
        Image { width: 0, data: Vec::new(), ..good.clone() },
        Image { width: u32::MAX, height: u32::MAX, layers: u32::MAX, ..good.clone() },
    ];
    for image in wrong {
        assert_eq!(code(&image, &[], None), Err("container::image"), "{image:?}");
    }
    for keys in [&["twice", "twice"][..], &[""], &["a\0b"], &["KTXwriter"], &["ktxOther"]] {
        assert_eq!(code(&good, keys, None), Err("container::key"), "{keys:?}");
    }
    for effort in [0, -1, 23] {
        assert_eq!(code(&good, &[], Some(effort)), Err("container::zstd"));
    }
}
