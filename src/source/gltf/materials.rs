//! Materials: a name and a few factors. Nothing here stops a bake; textures are never looked at.

use super::json::Element;
use crate::source::Material;

/// Reads all materials. What is missing or odd gets the default of the specification.
pub fn read(root: &Element) -> Vec<Material> {
    root.items("materials").into_iter().flatten().map(|e| material(&e)).collect()
}

fn material(element: &Element) -> Material {
    let metal = element.get("pbrMetallicRoughness");
    let factor = |key: &str| {
        let number = metal.as_ref().and_then(|m| m.number(key).ok().flatten()).unwrap_or(1.0);
        number.clamp(0.0, 1.0) as f32
    };
    let base = metal.as_ref().and_then(|m| m.numbers("baseColorFactor").ok().flatten()).unwrap_or([1.0; 4]);
    let emissive = element.numbers("emissiveFactor").ok().flatten().unwrap_or([0.0; 3]);
    Material {
        name: element.name(),
        base_color: base.map(|c: f64| c.clamp(0.0, 1.0) as f32),
        metallic: factor("metallicFactor"),
        roughness: factor("roughnessFactor"),
        emissive: emissive.map(|c: f64| c.clamp(0.0, 1.0) as f32),
        double_sided: element.flag("doubleSided", false).unwrap_or(false),
    }
}
