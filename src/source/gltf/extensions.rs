//! Which required extensions we can do without, and what to do about the others.

use super::json::Element;
use super::report::Report;
use crate::problem::Problem;

/// Extensions that change the geometry or its motion, and that are read.
const READ: [&str; 5] = [
    "KHR_mesh_quantization",
    super::meshopt::EXT,
    super::meshopt::KHR,
    "KHR_node_visibility",
    // Drawn once, with a warning: a crowd instances the character, not the file.
    "EXT_mesh_gpu_instancing",
];

/// Extensions that change neither, even where a file requires them: beginnings of names.
const HARMLESS: [&str; 30] = [
    "KHR_materials_",
    "EXT_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "KHR_image_",
    "KHR_lights_",
    "EXT_lights_",
    "KHR_xmp",
    "KHR_audio",
    "KHR_physics_",
    "KHR_implicit_shapes",
    "KHR_interactivity",
    "KHR_node_selectability",
    "KHR_node_hoverability",
    // Its channels have other targets than nodes, or one more way to say the same; each is warned of.
    "KHR_animation_pointer",
    "KHR_techniques_webgl",
    "EXT_mesh_manifold",
    "EXT_mesh_features",
    "EXT_mesh_primitive_",
    "EXT_instance_features",
    "EXT_structural_metadata",
    "CESIUM_primitive_outline",
    "FB_ngon_encoding",
    "ADOBE_",
    "AGI_",
    "GODOT_single_root",
    "NV_materials_",
    "MSFT_",
    "OMI_",
    "VRM",
];

/// The extension that replaces accessor data by a Draco stream.
pub const DRACO: &str = "KHR_draco_mesh_compression";

/// Reports the required extensions that we do not know, all of them.
pub fn check(root: &Element, report: &mut Report) {
    for element in report.keep(root.items("extensionsRequired")).into_iter().flatten() {
        let Some(name) = report.keep(element.as_str()) else { continue };
        let known = READ.contains(&name) || HARMLESS.iter().any(|start| name.starts_with(start));
        if !known {
            report.push(unknown(&element, name));
        }
    }
}

/// Whether the file says that it uses an extension.
pub fn used(root: &Element, name: &str) -> bool {
    let mut used = root.items("extensionsUsed").into_iter().flatten();
    used.any(|e| e.as_str().is_ok_and(|s| s == name))
}

fn unknown(element: &Element, name: &str) -> Problem {
    let message = format!("the file requires the extension {name}, which vatpipe does not read");
    element.error("source::extension", message).help(advice(name))
}

/// How to get rid of an extension.
pub fn advice(name: &str) -> &'static str {
    match name {
        DRACO => {
            "export without Draco compression, or decompress: \
             `npx @gltf-transform/cli copy in.glb out.glb`"
        }
        _ => "export without it",
    }
}
