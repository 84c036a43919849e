//! Triangles, and the simple ways to make them: lofts along a line, lathes, balls.

use glam::{DQuat, DVec2, DVec3};

use super::math::{PI, TAU, cos, sin};

/// A joint and how much it moves a vertex; weights sum to 1.
pub type Influences = [(usize, f64); 4];

/// One corner of the surface. `color` multiplies the material's.
#[derive(Clone, Copy)]
pub struct Vertex {
    pub position: DVec3,
    pub normal: DVec3,
    pub uv: DVec2,
    pub color: DVec3,
    pub influences: Influences,
}

/// Triangles, counter-clockwise seen from outside.
#[derive(Clone, Default)]
pub struct Mesh {
    pub vertices: Vec<Vertex>,
    pub triangles: Vec<[u32; 3]>,
}

impl Vertex {
    pub fn new(position: DVec3, normal: DVec3, uv: DVec2) -> Self {
        Vertex {
            position,
            normal,
            uv,
            color: DVec3::ONE,
            influences: [(0, 1.0), (0, 0.0), (0, 0.0), (0, 0.0)],
        }
    }
}

impl Mesh {
    pub fn append(&mut self, other: Mesh) {
        let base = self.vertices.len() as u32;
        self.vertices.extend(other.vertices);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|i| i + base)));
    }

    /// The mesh with every vertex weighted by `influences`.
    pub fn weighted(mut self, influences: impl Fn(DVec3) -> Influences) -> Self {
        for vertex in &mut self.vertices {
            vertex.influences = influences(vertex.position);
        }
        self
    }

    /// The mesh with its colours multiplied by `color`.
    pub fn tinted(mut self, color: impl Fn(DVec3) -> DVec3) -> Self {
        for vertex in &mut self.vertices {
            vertex.color *= color(vertex.position);
        }
        self
    }

    pub fn moved(mut self, offset: DVec3) -> Self {
        for vertex in &mut self.vertices {
            vertex.position += offset;
        }
        self
    }

    pub fn rotated(mut self, rotation: DQuat) -> Self {
        for vertex in &mut self.vertices {
            vertex.position = rotation * vertex.position;
            vertex.normal = rotation * vertex.normal;
        }
        self
    }

    /// Scaled about the origin; normals follow by the inverse.
    pub fn scaled(mut self, scale: DVec3) -> Self {
        for vertex in &mut self.vertices {
            vertex.position *= scale;
            vertex.normal = (vertex.normal / scale).normalize();
        }
        self
    }

    /// The other side's twin.
    pub fn mirrored(mut self) -> Self {
        for vertex in &mut self.vertices {
            vertex.position.x = -vertex.position.x;
            vertex.normal.x = -vertex.normal.x;
        }
        for triangle in &mut self.triangles {
            triangle.swap(1, 2);
        }
        self
    }

    /// Flat shading: every triangle gets corners of its own.
    pub fn faceted(self) -> Self {
        let mut out = Mesh::default();
        for triangle in self.triangles {
            let [a, b, c] = triangle.map(|i| self.vertices[i as usize]);
            let normal = (b.position - a.position).cross(c.position - a.position).normalize_or(a.normal);
            let first = out.vertices.len() as u32;
            out.vertices.extend([a, b, c].map(|v| Vertex { normal, ..v }));
            out.triangles.push([first, first + 1, first + 2]);
        }
        out
    }

    /// Only the vertices that triangles use, in the order of use.
    pub fn compact(self) -> Self {
        let mut new = vec![u32::MAX; self.vertices.len()];
        let mut out = Mesh::default();
        for triangle in self.triangles {
            let moved = triangle.map(|i| {
                let slot = &mut new[i as usize];
                if *slot == u32::MAX {
                    *slot = out.vertices.len() as u32;
                    out.vertices.push(self.vertices[i as usize]);
                }
                *slot
            });
            out.triangles.push(moved);
        }
        out
    }
}

/// One cross-section of a loft: an ellipse about `center`, in the plane across the line.
#[derive(Clone, Copy)]
pub struct Ring {
    pub center: DVec3,
    /// Half the extent along the loft's `side` direction, and across it.
    pub radii: DVec2,
}

pub fn ring(center: DVec3, radius: f64) -> Ring {
    Ring { center, radii: DVec2::splat(radius) }
}

/// The direction of a loft's line at a ring.
fn heading(rings: &[Ring], i: usize) -> DVec3 {
    (rings[(i + 1).min(rings.len() - 1)].center - rings[i.saturating_sub(1)].center).normalize()
}

/// A tube through `rings`, closed at both ends. `side` says where the ellipses' first axis points.
pub fn loft(rings: &[Ring], segments: usize, side: DVec3) -> Mesh {
    let last = rings.len() - 1;
    let mut mesh = tube(rings, segments, side);
    cap(&mut mesh, 0, segments, -heading(rings, 0), true);
    let base = (last * (segments + 1)) as u32;
    cap(&mut mesh, base, segments, heading(rings, last), false);
    mesh
}

/// A loft without its ends, for parts whose ends are buried or are points.
pub fn tube(rings: &[Ring], segments: usize, side: DVec3) -> Mesh {
    let mut mesh = Mesh::default();
    let last = rings.len() - 1;
    let direction = |i: usize| heading(rings, i);
    for (i, ring) in rings.iter().enumerate() {
        let along = direction(i);
        let across = (side - along * side.dot(along)).normalize();
        let up = along.cross(across);
        for k in 0..=segments {
            let turn = k as f64 / segments as f64;
            let (c, s) = (cos(TAU * turn), sin(TAU * turn));
            let offset = across * (ring.radii.x * c) + up * (ring.radii.y * s);
            let outward = across * (c * ring.radii.y) + up * (s * ring.radii.x);
            let uv = DVec2::new(turn, i as f64 / last as f64);
            mesh.vertices.push(Vertex::new(ring.center + offset, outward, uv));
        }
    }
    slope_normals(&mut mesh, rings, segments, direction);
    grid(&mut mesh, 0, rings.len(), segments + 1);
    mesh
}

/// Leans the normals of a loft by how fast its radius changes.
fn slope_normals(mesh: &mut Mesh, rings: &[Ring], segments: usize, direction: impl Fn(usize) -> DVec3) {
    let last = rings.len() - 1;
    for i in 0..=last {
        let (a, b) = (i.saturating_sub(1), (i + 1).min(last));
        let run = (rings[b].center - rings[a].center).length();
        let slope = (rings[b].radii - rings[a].radii).element_sum() * 0.5 / run;
        for k in 0..=segments {
            let vertex = &mut mesh.vertices[i * (segments + 1) + k];
            let flat = vertex.normal.normalize_or(direction(i));
            vertex.normal = (flat - direction(i) * slope).normalize();
        }
    }
}

/// Quads between neighbouring rows of `width` vertices.
pub fn grid(mesh: &mut Mesh, first: u32, rows: usize, width: usize) {
    for row in 0..rows as u32 - 1 {
        for k in 0..width as u32 - 1 {
            let a = first + row * width as u32 + k;
            let (b, c, d) = (a + 1, a + width as u32, a + width as u32 + 1);
            for triangle in [[a, b, d], [a, d, c]] {
                let [p, q, r] = triangle.map(|i| mesh.vertices[i as usize].position);
                if (q - p).cross(r - p).length() > 1e-10 {
                    mesh.triangles.push(triangle);
                }
            }
        }
    }
}

/// Closes the ring of vertices that starts at `base` with a flat fan, if it is not a point already.
fn cap(mesh: &mut Mesh, base: u32, segments: usize, normal: DVec3, flip: bool) {
    let rim: Vec<Vertex> = (0..segments as u32).map(|k| mesh.vertices[(base + k) as usize]).collect();
    let center = rim.iter().map(|v| v.position).sum::<DVec3>() / segments as f64;
    if rim.iter().all(|v| v.position.distance(center) < 1e-6) {
        return;
    }
    let first = mesh.vertices.len() as u32;
    mesh.vertices.extend(rim.iter().map(|v| Vertex { normal, ..*v }));
    mesh.vertices.push(Vertex { position: center, normal, ..rim[0] });
    let hub = first + segments as u32;
    for k in 0..segments as u32 {
        let (a, b) = (first + k, first + (k + 1) % segments as u32);
        mesh.triangles.push(if flip { [hub, b, a] } else { [hub, a, b] });
    }
}

/// A surface of revolution about Y. `profile` goes from bottom to top as (radius, height), smooth but where a point
/// is given twice.
pub fn lathe(profile: &[(f64, f64)], segments: usize) -> Mesh {
    let mut mesh = Mesh::default();
    let points: Vec<DVec2> = profile.iter().map(|&(r, y)| DVec2::new(r, y)).collect();
    let last = points.len() - 1;
    for (i, point) in points.iter().enumerate() {
        let mut run = DVec2::ZERO;
        if i > 0 {
            run += (*point - points[i - 1]).normalize_or_zero();
        }
        if i < last {
            run += (points[i + 1] - *point).normalize_or_zero();
        }
        let slant = DVec2::new(run.y, -run.x).normalize_or(DVec2::Y);
        for k in 0..=segments {
            let turn = k as f64 / segments as f64;
            let (c, s) = (sin(TAU * turn), cos(TAU * turn));
            let position = DVec3::new(point.x * c, point.y, point.x * s);
            let normal = DVec3::new(slant.x * c, slant.y, slant.x * s);
            mesh.vertices.push(Vertex::new(position, normal, DVec2::new(turn, i as f64 / last as f64)));
        }
    }
    grid(&mut mesh, 0, points.len(), segments + 1);
    mesh.compact()
}

/// A ball of `radius` about the origin, poles on Y, from the polar angle `from` to `to` (0 is the upper pole).
pub fn ball(radius: f64, from: f64, to: f64, rows: usize, segments: usize) -> Mesh {
    let angle = |i: usize| PI - (to + (from - to) * i as f64 / rows as f64);
    let profile: Vec<(f64, f64)> =
        (0..=rows).map(|i| (radius * sin(angle(i)).max(0.0), -radius * cos(angle(i)))).collect();
    let mut mesh = lathe(&profile, segments);
    for vertex in &mut mesh.vertices {
        vertex.normal = vertex.position.normalize();
    }
    mesh
}
