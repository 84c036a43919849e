// Actors: the generated function moves their vertices, in the picture and in the shadow maps alike. Before this stands,
// for each character, `animate`: its `..._instance` with its sheet.

struct Actor {
    state: VatInstance,
    place: vec3<f32>,
    scale: f32,
    // Cosine and sine of the heading.
    turn: vec2<f32>,
    // Of what has the actor's own colour; squares are linear.
    tint: u32,
    spare: u32,
}
@group(0) @binding(1) var<storage, read> actors: array<Actor>;

struct Vertex {
    @location(0) rest: vec3<f32>,
    @location(1) column: f32,
    @location(2) colour: vec3<f32>,
    // Roughness, metalness, emission, and whether the colour is the actor's own.
    @location(3) material: vec4<f32>,
}

struct Fragment {
    @builtin(position) clip: vec4<f32>,
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) colour: vec3<f32>,
    @location(3) material: vec3<f32>,
}

fn in_the_world(actor: Actor, vertex: Vertex) -> VatVertex {
    let moved = animate(actor.state, u32(vertex.column), view.now.x, vertex.rest);
    let turn = actor.turn * actor.scale;
    let model = mat3x3<f32>(vec3<f32>(turn.x, 0.0, -turn.y), vec3<f32>(0.0, actor.scale, 0.0), vec3<f32>(turn.y, 0.0, turn.x));
    return vat_place(model, actor.place, moved);
}

@vertex
fn in_shadow(vertex: Vertex, @builtin(instance_index) index: u32) -> @builtin(position) vec4<f32> {
    return view.matrix * vec4<f32>(in_the_world(actors[index], vertex).position, 1.0);
}

@vertex
fn in_picture(vertex: Vertex, @builtin(instance_index) index: u32) -> Fragment {
    let actor = actors[index];
    let placed = in_the_world(actor, vertex);
    let tint = unpack4x8unorm(actor.tint).rgb;
    let colour = vertex.colour * mix(vec3<f32>(1.0), tint * tint, vertex.material.w);
    let clip = view.matrix * vec4<f32>(placed.position, 1.0);
    return Fragment(clip, placed.position, placed.normal, colour, vertex.material.xyz);
}

@fragment
fn look(fragment: Fragment) -> @location(0) vec4<f32> {
    let normal = normalize(fragment.normal);
    // Near the ground less of the sky is seen.
    let open = mix(0.45, 1.0, smoothstep(-0.05, 0.75, fragment.position.y + 0.25 * normal.y));
    let material = fragment.material;
    var colour = shade(fragment.colour, material.x, material.y, fragment.position, normal, open);
    colour += fragment.colour * material.z * 1.6;
    return vec4<f32>(tone(mist(colour, fragment.position)), 1.0);
}
