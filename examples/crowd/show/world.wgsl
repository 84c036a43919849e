// The ground, with a road, and the sky, with clouds and hills.

struct Ground {
    @builtin(position) clip: vec4<f32>,
    @location(0) position: vec3<f32>,
}

@vertex
fn plain(@builtin(vertex_index) index: u32) -> Ground {
    let corner = vec2<f32>(f32(index & 1u), f32(index >> 1u)) * 2.0 - 1.0;
    let position = vec3<f32>(corner.x * 500.0, 0.0, corner.y * 500.0 + 300.0);
    return Ground(view.matrix * vec4<f32>(position, 1.0), position);
}

// Where the middle of the road is, as in scene.rs.
fn road(z: f32) -> f32 {
    return 2.6 * sin(z * 0.085 + 0.5) + 0.0035 * z * z * sin(z * 0.021);
}

@fragment
fn ground(at: Ground) -> @location(0) vec4<f32> {
    let p = at.position.xz;
    let distance = length(at.position - view.eye);
    // Details vanish before they flicker.
    let fine = exp(-distance * 0.06);
    let broad = fractal(p * 0.09, 4);
    let patches = fractal(p * 0.7 + 31.0, 3);
    let blades = noise(p * vec2<f32>(34.0, 11.0)) * 0.6 + noise(p * vec2<f32>(13.0, 41.0)) * 0.4;
    var grass = mix(vec3<f32>(0.085, 0.165, 0.025), vec3<f32>(0.20, 0.235, 0.05), broad);
    grass = mix(grass, vec3<f32>(0.26, 0.23, 0.085), 0.55 * smoothstep(0.48, 0.66, patches));
    grass *= 1.0 + (blades - 0.5) * 1.1 * fine;
    let stones = noise(p * 9.0) * noise(p * 23.0 + 5.0);
    var sand = mix(vec3<f32>(0.46, 0.35, 0.21), vec3<f32>(0.56, 0.45, 0.29), patches);
    sand *= 1.0 + (noise(p * 19.0) - 0.5) * 0.35 * fine;
    sand = mix(sand, vec3<f32>(0.36, 0.33, 0.29), 0.7 * fine * smoothstep(0.52, 0.6, stones));
    let slope = (road(p.y + 0.1) - road(p.y - 0.1)) / 0.2;
    let aside = abs(p.x - road(p.y)) / sqrt(1.0 + slope * slope);
    let edge = 2.4 + (fractal(p * 1.7, 3) - 0.45) * 0.7;
    let worn = 1.0 - smoothstep(edge - 0.18, edge + 0.3, aside);
    let colour = shade(mix(grass, sand, worn), 0.95, 0.0, at.position, vec3<f32>(0.0, 1.0, 0.0), 0.9);
    return vec4<f32>(tone(mist(colour, at.position)), 1.0);
}

struct Sky {
    @builtin(position) clip: vec4<f32>,
    @location(0) screen: vec2<f32>,
}

@vertex
fn dome(@builtin(vertex_index) index: u32) -> Sky {
    let corner = vec2<f32>(f32(index & 1u), f32(index >> 1u)) * 4.0 - 1.0;
    return Sky(vec4<f32>(corner, 1.0, 1.0), corner);
}

@fragment
fn sky(at: Sky) -> @location(0) vec4<f32> {
    let far = view.inverse * vec4<f32>(at.screen, 1.0, 1.0);
    let direction = normalize(far.xyz / far.w - view.eye);
    var colour = air(direction);
    // Clouds on a plane high above.
    let above = direction.xz / max(direction.y + 0.06, 0.03);
    let cover = fractal(above * 0.75 + vec2<f32>(view.time * 0.004, 3.1), 5);
    let cloud = smoothstep(0.46, 0.74, cover) * smoothstep(0.0, 0.16, direction.y);
    let lit = mix(vec3<f32>(0.80, 0.82, 0.88), vec3<f32>(1.25, 1.18, 1.08), smoothstep(0.75, 0.5, cover));
    colour = mix(colour, lit, cloud * 0.85);
    // Three ranges of hills, the farthest first; mist lies before them.
    let around = atan2(direction.x, direction.z);
    let low = air(normalize(vec3<f32>(direction.x, 0.0, direction.z)));
    for (var range = 0; range < 3; range++) {
        let near = f32(range);
        let rough = fractal(vec2<f32>(around * (3.0 + 1.6 * near) + near * 17.0, near), 5) - 0.5;
        let crest = 0.12 - 0.03 * near + rough * (0.16 - 0.03 * near);
        let hill = mix(vec3<f32>(0.34, 0.48, 0.68), vec3<f32>(0.17, 0.29, 0.26), near * 0.5);
        let misty = mix(hill, low, mix(0.35 - 0.06 * near, 1.0, smoothstep(0.075, 0.0, direction.y)));
        let soft = fwidth(direction.y) * 1.2;
        colour = mix(colour, misty, 1.0 - smoothstep(crest - soft, crest + soft, direction.y));
    }
    return vec4<f32>(tone(colour), 1.0);
}
