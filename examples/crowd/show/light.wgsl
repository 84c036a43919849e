// What all passes share: the view, the sun and its shadows, the sky.

struct View {
    // World to clip space, and back.
    matrix: mat4x4<f32>,
    inverse: mat4x4<f32>,
    cascades: array<mat4x4<f32>, 3>,
    eye: vec3<f32>,
    // Seconds.
    time: f32,
    forward: vec3<f32>,
    // 1 with shadows, 0 without.
    shadows: f32,
    sun: vec3<f32>,
    // Share of a shadow map that a texel is.
    shadow_texel: f32,
    // Where each cascade ends, metres before the eye, and the metres of its texels.
    reach: vec4<f32>,
    texel: vec4<f32>,
    // Ticks.
    now: vec4<u32>,
}
@group(0) @binding(0) var<uniform> view: View;

// Colours are linear.
const SUN = vec3<f32>(1.0, 0.84, 0.62) * 3.3;
const SKY = vec3<f32>(0.42, 0.56, 0.82) * 0.95;
const GROUND = vec3<f32>(0.24, 0.25, 0.12) * 0.75;

fn hash(cell: vec2<i32>) -> f32 {
    var h = bitcast<u32>(cell.x) * 0x9e3779b1u + bitcast<u32>(cell.y) * 0x85ebca77u;
    h = (h ^ (h >> 15u)) * 0x2c1b3c6du;
    h = (h ^ (h >> 12u)) * 0x297a2d39u;
    return f32((h ^ (h >> 15u)) >> 8u) / 16777216.0;
}

// Smooth between random numbers at whole coordinates.
fn noise(p: vec2<f32>) -> f32 {
    let cell = vec2<i32>(floor(p));
    let t = fract(p);
    let s = t * t * (3.0 - 2.0 * t);
    let low = mix(hash(cell), hash(cell + vec2<i32>(1, 0)), s.x);
    let high = mix(hash(cell + vec2<i32>(0, 1)), hash(cell + vec2<i32>(1, 1)), s.x);
    return mix(low, high, s.y);
}

fn fractal(p: vec2<f32>, octaves: i32) -> f32 {
    var sum = 0.0;
    var weight = 0.5;
    var q = p;
    for (var i = 0; i < octaves; i++) {
        sum += weight * noise(q);
        weight *= 0.5;
        q = vec2<f32>(1.6 * q.x - 1.2 * q.y, 1.2 * q.x + 1.6 * q.y) + 7.3;
    }
    return sum;
}

// The colour of the air in a direction, without clouds and hills.
fn air(direction: vec3<f32>) -> vec3<f32> {
    let up = max(direction.y, 0.0);
    let colour = mix(vec3<f32>(0.70, 0.80, 0.92), vec3<f32>(0.07, 0.24, 0.66), pow(up, 0.6));
    let towards = max(dot(direction, view.sun), 0.0);
    let warm = vec3<f32>(1.0, 0.80, 0.52);
    return colour + warm * (0.22 * pow(towards, 4.0) + 0.5 * pow(towards, 60.0));
}

// Mist swallows what is far away.
fn mist(colour: vec3<f32>, position: vec3<f32>) -> vec3<f32> {
    let way = position - view.eye;
    let distance = length(way);
    let share = 1.0 - exp(-max(distance - 12.0, 0.0) * 0.0072);
    let level = normalize(vec3<f32>(way.x, 0.0, way.z));
    return mix(colour, air(level), share);
}

// To what a screen shows (Narkowicz 2015, a fit of the ACES filmic curve).
fn tone(colour: vec3<f32>) -> vec3<f32> {
    let x = colour * 0.72;
    return clamp(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), vec3<f32>(0.0), vec3<f32>(1.0));
}
