//! What an upload is told, against the sizes that the Vulkan and WebGPU specifications give formats.

use vatpipe::encode::Format;
use vatpipe::manifest::FormatChoice;
use vatpipe::metadata::Supercompression;
use vatpipe::runtime::{SampleType, Texture};

use super::both;
use crate::support::variant::Shot;

const FOX: Shot = Shot { model: "Fox.glb", clip: 1, fps: 30.0, looping: true };

/// Format, `wgpu` name, bytes of a block, block.
const FORMATS: [(Format, &str, u32, u32); 8] = [
    (Format::Rgba32f, "Rgba32Float", 16, 1),
    (Format::Rgba16f, "Rgba16Float", 8, 1),
    (Format::Rgba16ui, "Rgba16Uint", 8, 1),
    (Format::Rgba16, "Rgba16Unorm", 8, 1),
    (Format::Rgb10a2, "Rgb10a2Unorm", 4, 1),
    (Format::Rgba8, "Rgba8Unorm", 4, 1),
    (Format::Bc7, "Bc7RgbaUnorm", 16, 4),
    (Format::Astc6x6, "Astc { block: AstcBlock::B6x6, channel: AstcChannel::Unorm }", 16, 6),
];

#[test]
fn sizes() {
    for (format, name, bytes, block) in FORMATS {
        let mut recipe = FOX.recipe();
        recipe.mesh.max_texture = 256;
        recipe.clips[0].settings.format = FormatChoice::Fixed(format);
        let (character, expected) = both(&recipe);
        let (texture, sheet) = (&expected.sheets[0].texture, &character.sheets()[0]);
        let upload = sheet.upload();
        assert_eq!(upload.wgpu_format, Some(name));
        assert_eq!((upload.bytes_per_block, upload.block), (bytes, [block; 2]));
        let [width, height, layers] = upload.size;
        assert!(width.is_multiple_of(block) && height.is_multiple_of(block), "{format}");
        assert!(
            width - (texture.width as u32) < block && height - (texture.height as u32) < block,
            "{format}"
        );
        assert_eq!((layers as usize, upload.array), (texture.layers, texture.layers > 1));
        assert_eq!((upload.bytes_per_row, upload.rows_per_image), (width / block * bytes, height / block));
        assert_eq!(upload.data, texture.data);
        let sample =
            if format == Format::Rgba16ui { SampleType::Uint } else { SampleType::UnfilterableFloat };
        assert_eq!(upload.sample_type, sample);
        let joined: Vec<u8> = (0..layers).flat_map(|layer| upload.layer(layer).unwrap().to_vec()).collect();
        assert_eq!(joined, texture.data, "{format}");
        assert_eq!(upload.layer(layers), None);
    }
}

/// Every 16-bit float, against the crate `half`; every integer, against a division.
#[test]
fn every_texel_of_16_bits() {
    let table = serde_json::json!({
        "schema": "vatpipe/sheet/1", "character": "it", "sheet": 0, "holds": "position", "axes": "gltf",
    });
    for format in [Format::Rgba16f, Format::Rgba16ui, Format::Rgba16] {
        let texture = Texture {
            format,
            width: 256,
            height: 256,
            layers: 1,
            supercompression: Supercompression::None,
            table: serde_json::from_value(table.clone()).unwrap(),
            data: (0..=u16::MAX).flat_map(|bits| [bits; 4]).flat_map(u16::to_le_bytes).collect(),
        };
        for bits in 0..=u16::MAX {
            let texel = texture.texel(u32::from(bits) % 256, u32::from(bits) / 256, 0).unwrap();
            let right = match format {
                Format::Rgba16f => half::f16::from_bits(bits).to_f32(),
                _ => f32::from(bits) / 65_535.0,
            };
            assert!(
                texel.xyz.iter().all(|&v| v.to_bits() == right.to_bits() || v.is_nan() && right.is_nan()),
                "{bits:04x}"
            );
            assert_eq!(texel.packed, if format == Format::Rgba16f { 0 } else { u32::from(bits) });
        }
    }
}
