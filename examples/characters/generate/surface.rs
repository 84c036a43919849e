//! Soft bodies: a smooth union of round cones, meshed by surface nets, weighted by the distance to the bones.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DVec2, DVec3};

use super::mesh::{Influences, Mesh, Vertex};

/// A cone with round ends, the flesh of one joint.
pub struct Bone {
    pub joint: usize,
    pub from: DVec3,
    pub to: DVec3,
    pub radii: (f64, f64),
    /// How far the flesh melts into that of the bones before it.
    pub melt: f64,
}

/// Bones in order, the trunk first. The ground at y = 0 flattens what stands on it.
pub struct Body {
    pub bones: Vec<Bone>,
}

impl Bone {
    /// Signed distance (Quilez' round cone, here by the nearest point on the axis: exact enough for slim cones).
    pub fn distance(&self, p: DVec3) -> f64 {
        let axis = self.to - self.from;
        let t = if axis == DVec3::ZERO { 0.0 } else { (p - self.from).dot(axis) / axis.length_squared() };
        let t = t.clamp(0.0, 1.0);
        p.distance(self.from + axis * t) - (self.radii.0 + (self.radii.1 - self.radii.0) * t)
    }
}

/// The smaller of two distances, rounded over where they are within `k` (quadratic polynomial).
fn smooth_min(a: f64, b: f64, k: f64) -> f64 {
    let h = (k - (a - b).abs()).max(0.0);
    a.min(b) - h * h / (4.0 * k)
}

impl Body {
    pub fn distance(&self, p: DVec3) -> f64 {
        let mut d = f64::MAX;
        for bone in &self.bones {
            d = smooth_min(d, bone.distance(p), bone.melt);
        }
        -smooth_min(-d, p.y, 0.015)
    }

    pub fn normal(&self, p: DVec3) -> DVec3 {
        const E: f64 = 1e-4;
        let slope = |axis: DVec3| self.distance(p + axis * E) - self.distance(p - axis * E);
        DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z)).normalize_or(DVec3::Y)
    }

    /// How open the sky is over the surface, 0 to 1: a cheap ambient occlusion.
    pub fn openness(&self, p: DVec3, normal: DVec3) -> f64 {
        let taps = [0.02, 0.05, 0.1, 0.16];
        let sum: f64 = taps.iter().map(|&h| (self.distance(p + normal * h) / h).clamp(0.0, 1.0)).sum();
        sum / taps.len() as f64
    }

    /// Weights of the up to four nearest bones' joints; flesh within `reach` of the nearest counts.
    pub fn influences(&self, p: DVec3, reach: f64) -> Vec<(usize, f64)> {
        let nearest = self.bones.iter().map(|b| b.distance(p)).fold(f64::MAX, f64::min);
        let mut weights: Vec<(usize, f64)> = Vec::new();
        for bone in &self.bones {
            let w = (1.0 - (bone.distance(p) - nearest) / reach).max(0.0);
            match weights.iter_mut().find(|x| x.0 == bone.joint) {
                Some(known) => known.1 = known.1.max(w * w),
                None => weights.push((bone.joint, w * w)),
            }
        }
        weights
    }

    /// The surface as a mesh of about `cell`-sized quads, symmetric about x = 0 if the bones are. The bounds are in
    /// whole cells.
    pub fn mesh(&self, cell: f64, low: [i32; 3], high: [i32; 3]) -> Mesh {
        let mut mesh = surface_net(&|p| self.distance(p), cell, low, high);
        for _ in 0..6 {
            relax(&mut mesh);
            for vertex in &mut mesh.vertices {
                for _ in 0..3 {
                    let n = self.normal(vertex.position);
                    vertex.position -= n * self.distance(vertex.position);
                }
            }
        }
        for vertex in &mut mesh.vertices {
            vertex.normal = self.normal(vertex.position);
        }
        mesh
    }
}

/// Naive surface nets: one vertex in every cell that the surface crosses, one quad across every edge.
fn surface_net(distance: &dyn Fn(DVec3) -> f64, cell: f64, low: [i32; 3], high: [i32; 3]) -> Mesh {
    let size: [usize; 3] = std::array::from_fn(|k| (high[k] - low[k] + 1) as usize);
    let index = |c: [usize; 3]| (c[2] * size[1] + c[1]) * size[0] + c[0];
    // Corners lie half a cell off the planes, so that a symmetric body has vertices on its plane.
    let place = |c: [usize; 3]| {
        DVec3::from_array(std::array::from_fn(|k| (f64::from(low[k]) + c[k] as f64 - 0.5) * cell))
    };
    let mut corners = Vec::with_capacity(size.iter().product());
    let mut all = Vec::with_capacity(corners.capacity());
    for z in 0..size[2] {
        for y in 0..size[1] {
            for x in 0..size[0] {
                corners.push(distance(place([x, y, z])));
                all.push([x, y, z]);
            }
        }
    }
    let mut mesh = Mesh::default();
    let mut net = vec![u32::MAX; corners.len()];
    for &c in all.iter().filter(|c| (0..3).all(|k| c[k] + 1 < size[k])) {
        if let Some(p) = cell_vertex(c, &corners, &index, &place) {
            net[index(c)] = mesh.vertices.len() as u32;
            mesh.vertices.push(Vertex::new(p, DVec3::Y, DVec2::ZERO));
        }
    }
    for &c in all.iter().filter(|c| (0..3).all(|k| c[k] > 0 && c[k] + 1 < size[k])) {
        for axis in 0..3 {
            let mut end = c;
            end[axis] += 1;
            let (inside, beyond) = (corners[index(c)] < 0.0, corners[index(end)] < 0.0);
            if inside == beyond {
                continue;
            }
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let near = |du: usize, dv: usize| {
                let mut n = c;
                n[u] -= du;
                n[v] -= dv;
                net[index(n)]
            };
            let quad = [near(1, 1), near(0, 1), near(0, 0), near(1, 0)];
            push_quad(&mut mesh, quad, !inside);
        }
    }
    mesh
}

/// The mean of the places where the surface crosses the cell's edges, if it does.
fn cell_vertex(
    c: [usize; 3],
    corners: &[f64],
    index: &dyn Fn([usize; 3]) -> usize,
    place: &dyn Fn([usize; 3]) -> DVec3,
) -> Option<DVec3> {
    let (mut sum, mut count) = (DVec3::ZERO, 0);
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for (du, dv) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let mut a = c;
            a[u] += du;
            a[v] += dv;
            let mut b = a;
            b[axis] += 1;
            let (da, db) = (corners[index(a)], corners[index(b)]);
            if (da < 0.0) != (db < 0.0) {
                sum += place(a).lerp(place(b), da / (da - db));
                count += 1;
            }
        }
    }
    (count > 0).then(|| sum / f64::from(count))
}

/// Two triangles, cut along the shorter diagonal.
fn push_quad(mesh: &mut Mesh, mut quad: [u32; 4], flip: bool) {
    if flip {
        quad.swap(1, 3);
    }
    let p = quad.map(|i| mesh.vertices[i as usize].position);
    let [a, b, c, d] = quad;
    let triangles = if p[0].distance(p[2]) <= p[1].distance(p[3]) {
        [[a, b, c], [a, c, d]]
    } else {
        [[a, b, d], [b, c, d]]
    };
    mesh.triangles.extend(triangles);
}

/// Moves every vertex halfway to the mean of its neighbours.
fn relax(mesh: &mut Mesh) {
    let mut sums = vec![(DVec3::ZERO, 0.0); mesh.vertices.len()];
    for triangle in &mesh.triangles {
        for k in 0..3 {
            let (a, b) = (triangle[k] as usize, triangle[(k + 1) % 3] as usize);
            sums[a].0 += mesh.vertices[b].position;
            sums[a].1 += 1.0;
            sums[b].0 += mesh.vertices[a].position;
            sums[b].1 += 1.0;
        }
    }
    for (vertex, (sum, count)) in mesh.vertices.iter_mut().zip(sums) {
        vertex.position = vertex.position.lerp(sum / count, 0.5);
    }
}

/// Smooths weights over the mesh, then keeps the four largest of each vertex.
pub fn settle_weights(mesh: &mut Mesh, mut weights: Vec<Vec<(usize, f64)>>, joints: usize, rounds: usize) {
    let mut neighbours = vec![Vec::new(); mesh.vertices.len()];
    for t in &mesh.triangles {
        for k in 0..3 {
            neighbours[t[k] as usize].push(t[(k + 1) % 3] as usize);
            neighbours[t[(k + 1) % 3] as usize].push(t[k] as usize);
        }
    }
    for list in &mut weights {
        normalize(list);
    }
    for _ in 0..rounds {
        let old = weights.clone();
        for (v, around) in neighbours.iter().enumerate() {
            let mut sum = vec![0.0; joints];
            for &(j, w) in &old[v] {
                sum[j] += w * around.len() as f64;
            }
            for &(j, w) in around.iter().flat_map(|&n| &old[n]) {
                sum[j] += w;
            }
            weights[v] = sum.into_iter().enumerate().filter(|x| x.1 > 0.0).collect();
            normalize(&mut weights[v]);
        }
    }
    for (vertex, list) in mesh.vertices.iter_mut().zip(&weights) {
        vertex.influences = top_four(list);
    }
}

fn normalize(list: &mut [(usize, f64)]) {
    let sum: f64 = list.iter().map(|x| x.1).sum();
    for x in list {
        x.1 /= sum;
    }
}

/// The four largest weights, normalised.
pub fn top_four(list: &[(usize, f64)]) -> Influences {
    let mut sorted = list.to_vec();
    sorted.sort_by(|a, b| b.1.total_cmp(&a.1));
    sorted.truncate(4);
    normalize(&mut sorted);
    std::array::from_fn(|i| sorted.get(i).copied().unwrap_or((0, 0.0)))
}

/// Cuts a mesh where `field` is 0: what lies above, and what lies below. Corners on the cut are shared within each
/// half; `place` puts new ones on the surface. Vertices close to the cut move onto it, so that no slivers appear.
pub fn split(mesh: &Mesh, place: impl Fn(Vertex) -> Vertex, field: impl Fn(&Vertex) -> f64) -> (Mesh, Mesh) {
    let mut cut = mesh.clone();
    let mut values: Vec<f64> = mesh.vertices.iter().map(&field).collect();
    let crossing = |p: &Vertex, q: &Vertex, rising: bool| {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..10 {
            let middle = (low + high) * 0.5;
            if (field(&place(blend(p, q, middle))) < 0.0) == rising { low = middle } else { high = middle }
        }
        (place(blend(p, q, (low + high) * 0.5)), (low + high) * 0.5)
    };
    for [p, q] in edges(mesh) {
        if values[p] * values[q] < 0.0 {
            let (vertex, t) = crossing(&cut.vertices[p], &cut.vertices[q], values[p] < 0.0);
            if !(0.3..=0.7).contains(&t) {
                let near = if t < 0.5 { p } else { q };
                cut.vertices[near] = vertex;
                values[near] = 0.0;
            }
        }
    }
    let mut known = BTreeMap::new();
    let (mut above, mut below) = (Vec::new(), Vec::new());
    for t in &mesh.triangles {
        let mut between = |p: u32, q: u32| {
            *known.entry((p.min(q), p.max(q))).or_insert_with(|| {
                let (p, q) = (p.min(q) as usize, p.max(q) as usize);
                let vertex = crossing(&cut.vertices[p], &cut.vertices[q], values[p] < 0.0).0;
                cut.vertices.push(vertex);
                cut.vertices.len() as u32 - 1
            })
        };
        for (triangle, up) in pieces(*t, t.map(|i| values[i as usize]), &mut between) {
            if up { &mut above } else { &mut below }.push(triangle);
        }
    }
    let half = |triangles: Vec<[u32; 3]>| Mesh { vertices: cut.vertices.clone(), triangles }.compact();
    (half(above), half(below))
}

/// The parts of one triangle, and whether each lies above the cut.
fn pieces(t: [u32; 3], value: [f64; 3], between: &mut dyn FnMut(u32, u32) -> u32) -> Vec<([u32; 3], bool)> {
    let sides = value.map(|v| {
        if v == 0.0 {
            0
        } else if v > 0.0 {
            1
        } else {
            -1
        }
    });
    if !(sides.contains(&1) && sides.contains(&-1)) {
        return vec![(t, !sides.contains(&-1))];
    }
    // Turn the triangle so that the corner on the cut, or else the lone corner, comes first.
    let sum: i32 = sides.iter().sum();
    let first = (0..3).find(|&k| if sum == 0 { sides[k] == 0 } else { sides[k] == -sum }).unwrap_or(0);
    let [a, b, c] = std::array::from_fn(|k| t[(first + k) % 3]);
    let up = |k: usize| sides[(first + k) % 3] > 0;
    if sum == 0 {
        let m = between(b, c);
        return vec![([a, b, m], up(1)), ([a, m, c], up(2))];
    }
    let (ab, ac) = (between(a, b), between(a, c));
    vec![([a, ab, ac], up(0)), ([ab, b, c], up(1)), ([ab, c, ac], up(1))]
}

/// Every edge once, as two vertices.
fn edges(mesh: &Mesh) -> Vec<[usize; 2]> {
    let pairs = mesh.triangles.iter().flat_map(|t| (0..3).map(|k| (t[k], t[(k + 1) % 3])));
    let unique: BTreeSet<(u32, u32)> = pairs.map(|(p, q)| (p.min(q), p.max(q))).collect();
    unique.into_iter().map(|(p, q)| [p as usize, q as usize]).collect()
}

/// A vertex between two others.
fn blend(a: &Vertex, b: &Vertex, t: f64) -> Vertex {
    let mut list: Vec<(usize, f64)> = a.influences.iter().map(|&(j, w)| (j, w * (1.0 - t))).collect();
    for &(j, w) in b.influences.iter().filter(|x| x.1 > 0.0) {
        match list.iter_mut().find(|x| x.0 == j) {
            Some(known) => known.1 += w * t,
            None => list.push((j, w * t)),
        }
    }
    Vertex {
        position: a.position.lerp(b.position, t),
        normal: a.normal.lerp(b.normal, t).normalize_or(a.normal),
        uv: a.uv.lerp(b.uv, t),
        color: a.color.lerp(b.color, t),
        influences: top_four(&list),
    }
}
