use vatpipe::encode::{Format, Kind};

#[test]
fn names_are_those_of_the_manifest() {
    let names: Vec<&str> = Format::all().iter().map(|f| f.name()).collect();
    let one_by_one = ["rgba32f", "rgba16f", "rgba16ui", "rgba16", "rgb10a2", "rgba8", "rg8"];
    let blocks = [
        "bc7",
        "bc6h",
        "astc-4x4",
        "astc-5x5",
        "astc-6x6",
        "astc-8x8",
        "astc-hdr-4x4",
        "astc-hdr-6x6",
        "uastc",
    ];
    assert_eq!(names, [&one_by_one[..], &blocks].concat());
    for &format in Format::all() {
        assert_eq!(format.name().parse(), Ok(format));
        assert_eq!(serde_json::to_value(format).unwrap(), format.name());
        assert_eq!(format!("{format:>9}"), format!("{:>9}", format.name()));
    }
}

#[test]
fn an_unknown_name_draws_the_nearest() {
    let help = |text: &str| text.parse::<Format>().unwrap_err().help.unwrap();
    assert!(help("rgba16i").starts_with("did you mean `rgba16ui`?"), "{}", help("rgba16i"));
    assert!(help("RGBA16UI").starts_with("did you mean `rgba16ui`?"));
    assert!(help("rgb10-a2").starts_with("did you mean `rgb10a2`?"));
    let all: Vec<&str> = Format::all().iter().map(|f| f.name()).collect();
    assert_eq!(help("jpeg2000"), format!("the formats are {}", all.join(", ")));
    assert!(help("ASTC_4x4").starts_with("did you mean `astc-4x4`?"), "{}", help("ASTC_4x4"));
    let problem = "rgba8_srgb".parse::<Format>().unwrap_err();
    assert_eq!(
        (problem.code, problem.message.as_str()),
        ("encode::format", "`rgba8_srgb` is not a texel format")
    );
}

/// Numbers from the `ktx2` crate's table, which leaves sRGB to formats that are not ours.
#[test]
fn vulkan_formats() {
    use ktx2::Format as Vk;
    let expected = [
        (Vk::R32G32B32A32_SFLOAT, "VK_FORMAT_R32G32B32A32_SFLOAT"),
        (Vk::R16G16B16A16_SFLOAT, "VK_FORMAT_R16G16B16A16_SFLOAT"),
        (Vk::R16G16B16A16_UINT, "VK_FORMAT_R16G16B16A16_UINT"),
        (Vk::R16G16B16A16_UNORM, "VK_FORMAT_R16G16B16A16_UNORM"),
        (Vk::A2B10G10R10_UNORM_PACK32, "VK_FORMAT_A2B10G10R10_UNORM_PACK32"),
        (Vk::R8G8B8A8_UNORM, "VK_FORMAT_R8G8B8A8_UNORM"),
        (Vk::R8G8_UNORM, "VK_FORMAT_R8G8_UNORM"),
    ];
    for (&format, (vk, name)) in Format::all().iter().zip(expected) {
        assert_eq!((format.vk_format(), format.vk_name()), (vk.value(), name));
    }
}

#[test]
fn facts() {
    let bytes = Format::all().iter().map(|f| f.bytes_per_block());
    assert_eq!(bytes.collect::<Vec<_>>(), [&[16, 8, 8, 8, 4, 4, 2][..], &[16; 9]].concat());
    let packed = Format::all().iter().filter(|f| f.has_packed_normal());
    assert_eq!(packed.collect::<Vec<_>>(), [&Format::Rgba32f, &Format::Rgba16ui, &Format::Rgba16]);
    for &format in Format::all() {
        assert_eq!(format.is_normalized(), format.kind() != Kind::Float);
        assert_eq!(format.divisor(), if format.kind() == Kind::Uint { 65535.0 } else { 1.0 });
        assert_eq!(format.block_size() != (1, 1), format.is_block());
    }
    assert_eq!(Format::Rgba16.step(), Some(1.0 / 65535.0));
    assert_eq!(Format::Rgb10a2.step(), Some(1.0 / 1023.0));
    assert_eq!(Format::Rgba16f.step(), None);
}

/// Case 20: 16-bit normalised textures are a feature that a device may lack. So are blocks; of the others none is.
#[test]
fn what_needs_a_feature() {
    for &format in Format::all() {
        let feature = match format.name() {
            "rgba16" => Some("TEXTURE_FORMAT_16BIT_NORM"),
            "bc7" | "bc6h" => Some("TEXTURE_COMPRESSION_BC"),
            name if name.starts_with("astc-hdr") => Some("TEXTURE_COMPRESSION_ASTC_HDR"),
            name if name.starts_with("astc") => Some("TEXTURE_COMPRESSION_ASTC"),
            _ => None,
        };
        assert_eq!(format.wgpu_feature(), feature, "{format}");
    }
}
