// The game's shader. Before it stand the generated functions of vat.wgsl, and for each character two lines that bind its
// sheet and name its function: `animate`.

struct View {
    matrix: mat4x4f,
    eye: vec3f,
    // Ticks: what time it is.
    now: u32,
}
@group(0) @binding(0) var<uniform> view: View;

const SUN = vec3f(0.53, 0.68, 0.51);
const SKY = vec3f(0.62, 0.77, 0.92);
const GRASS = vec3f(0.17, 0.29, 0.07);

struct Vertex {
    @location(0) rest: vec3f,
    @location(1) column: f32,
    @location(2) colour: vec4f,
}

struct Placed {
    @location(3) state_low: vec4<u32>,
    @location(4) state_high: vec4<u32>,
    // Where it stands, and its size.
    @location(5) place: vec4f,
    // Cosine and sine of its heading.
    @location(6) turn: vec2f,
}

struct Fragment {
    @builtin(position) clip: vec4f,
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) colour: vec3f,
}

fn in_the_world(vertex: Vertex, placed: Placed) -> VatVertex {
    let state = vat_unpack_instance(placed.state_low, placed.state_high);
    let moved = animate(state, u32(vertex.column), view.now, vertex.rest);
    let turn = placed.turn * placed.place.w;
    let model = mat3x3f(vec3f(turn.x, 0.0, -turn.y), vec3f(0.0, placed.place.w, 0.0), vec3f(turn.y, 0.0, turn.x));
    return vat_place(model, placed.place.xyz, moved);
}

@vertex
fn character(vertex: Vertex, placed: Placed) -> Fragment {
    let at = in_the_world(vertex, placed);
    return Fragment(view.matrix * vec4f(at.position, 1.0), at.position, at.normal, vertex.colour.rgb);
}

// The same, pressed flat onto the grass along the rays of the sun: its shadow.
@vertex
fn shadow(vertex: Vertex, placed: Placed) -> Fragment {
    let at = in_the_world(vertex, placed);
    var pressed = at.position - SUN * (at.position.y / SUN.y);
    pressed.y = 0.01;
    return Fragment(view.matrix * vec4f(pressed, 1.0), pressed, vec3f(0.0), GRASS * 0.45);
}

@vertex
fn ground(@builtin(vertex_index) index: u32) -> Fragment {
    let corner = vec2f(vec2<u32>(index & 1u, index >> 1u)) * 2.0 - 1.0;
    let position = vec3f(corner.x, 0.0, corner.y) * 400.0;
    return Fragment(view.matrix * vec4f(position, 1.0), position, vec3f(0.0), GRASS);
}

// Far away everything takes the colour of the sky.
fn mist(colour: vec3f, position: vec3f) -> vec4f {
    let far = 1.0 - exp(-distance(position, view.eye) * 0.012);
    return vec4f(mix(colour, SKY, far * far), 1.0);
}

@fragment
fn lit(fragment: Fragment) -> @location(0) vec4f {
    let normal = normalize(fragment.normal);
    let sun = max(dot(normal, SUN), 0.0) * vec3f(1.35, 1.25, 1.05);
    let around = mix(GRASS, SKY, normal.y * 0.5 + 0.5) * 0.55;
    return mist(fragment.colour * (sun + around), fragment.position);
}

@fragment
fn unlit(fragment: Fragment) -> @location(0) vec4f {
    // Tufts, so that the meadow is not one colour.
    let at = fragment.position.xz;
    let tufts = sin(at.x * 2.3 + sin(at.y * 1.7)) * sin(at.y * 2.9 + sin(at.x * 1.3));
    let patches = sin(at.x * 0.21) * sin(at.y * 0.17 + 1.0);
    return mist(fragment.colour * (1.0 + 0.12 * tufts + 0.18 * patches), fragment.position);
}
