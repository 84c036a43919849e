// Light on a surface: the sun through the shadow maps, and the sky.

@group(2) @binding(0) var shadow_maps: texture_depth_2d_array;
@group(2) @binding(1) var shadow_sampler: sampler_comparison;

// The share of the sun that reaches a point, by one cascade.
fn shadow_of(cascade: i32, position: vec3<f32>, normal: vec3<f32>) -> f32 {
    let texel = view.texel[cascade];
    // Off the surface, so that it does not shade itself.
    let slant = 1.0 - max(dot(normal, view.sun), 0.0);
    let from_surface = position + normal * texel * (1.0 + 2.0 * slant) + view.sun * texel;
    let at = view.cascades[cascade] * vec4<f32>(from_surface, 1.0);
    let uv = at.xy * vec2<f32>(0.5, -0.5) + 0.5;
    // Soft edges: about 9 cm wide near the camera, and 5 texels far away.
    let spread = clamp(0.018 / texel, 1.0, 2.6) * view.shadow_texel;
    var sum = 0.0;
    var weights = 0.0;
    for (var y = -2; y <= 2; y++) {
        for (var x = -2; x <= 2; x++) {
            let weight = (3.0 - abs(f32(x))) * (3.0 - abs(f32(y)));
            let place = uv + vec2<f32>(f32(x), f32(y)) * spread;
            sum += weight * textureSampleCompareLevel(shadow_maps, shadow_sampler, place, cascade, at.z);
            weights += weight;
        }
    }
    return sum / weights;
}

fn shadow(position: vec3<f32>, normal: vec3<f32>) -> f32 {
    let ahead = dot(position - view.eye, view.forward);
    if view.shadows == 0.0 || ahead >= view.reach.z {
        return 1.0;
    }
    var cascade = 0;
    if ahead >= view.reach.y * 0.97 {
        cascade = 2;
    } else if ahead >= view.reach.x * 0.97 {
        cascade = 1;
    }
    let light = shadow_of(cascade, position, normal);
    return mix(light, 1.0, smoothstep(0.85, 1.0, ahead / view.reach.z));
}

// A rough or metallic surface (Karis 2013, "Real shading in Unreal Engine 4"); `open` is the share of the sky that it sees.
fn shade(base: vec3<f32>, roughness: f32, metal: f32, position: vec3<f32>, normal: vec3<f32>, open: f32) -> vec3<f32> {
    let to_eye = normalize(view.eye - position);
    let half_way = normalize(to_eye + view.sun);
    let n_l = max(dot(normal, view.sun), 0.0);
    let n_v = max(dot(normal, to_eye), 0.001);
    let n_h = max(dot(normal, half_way), 0.0);
    let light = n_l * shadow(position, normal);
    let a = max(roughness * roughness, 0.02);
    let d = n_h * n_h * (a * a - 1.0) + 1.0;
    let k = (roughness + 1.0) * (roughness + 1.0) / 8.0;
    let visibility = 1.0 / (4.0 * (n_v * (1.0 - k) + k) * (n_l * (1.0 - k) + k));
    let reflectance = mix(vec3<f32>(0.04), base, metal);
    let fresnel = reflectance + (1.0 - reflectance) * pow(1.0 - max(dot(half_way, to_eye), 0.0), 5.0);
    let glossy = fresnel * min(a * a / (3.14159 * d * d) * visibility, 8.0);
    let matte = base * (1.0 - metal);
    let around = mix(GROUND, SKY, normal.y * 0.5 + 0.5) * open;
    let edge = reflectance + (max(vec3<f32>(1.0 - roughness), reflectance) - reflectance) * pow(1.0 - n_v, 5.0);
    let mirrored = air(reflect(-to_eye, normal)) * edge * open * (0.35 + 0.5 * metal);
    return (matte / 3.14159 * 2.2 + glossy) * SUN * light + matte * around + mirrored;
}
