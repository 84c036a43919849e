//! The point of a moving surface that is nearest to a point.

/// Triangles of a leaf.
const LEAF: usize = 4;

/// A tree of boxes over triangles. It is built once and fitted to each pose anew: what lies
/// together at rest mostly stays together.
#[derive(Clone, Debug)]
pub struct Bvh {
    /// Places of the corners, in the order of the leaves.
    triangles: Vec<[u32; 3]>,
    nodes: Vec<Node>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    first: u32,
    count: u32,
    /// The first child, the second is behind it; 0 for a leaf.
    child: u32,
}

/// Boxes of a [`Bvh`]'s nodes in one pose.
#[derive(Clone, Debug, Default)]
pub struct Boxes(Vec<[[f32; 3]; 2]>);

type Planes<'a> = [&'a [f32]; 3];

impl Bvh {
    /// A tree over triangles between places, by their middles in a pose.
    pub fn new(mut triangles: Vec<[u32; 3]>, pose: Planes) -> Self {
        let mut nodes = vec![Node { first: 0, count: triangles.len() as u32, child: 0 }];
        let mut next = 0;
        while next < nodes.len() {
            let Node { first, count, .. } = nodes[next];
            if count as usize > LEAF {
                let members = &mut triangles[first as usize..][..count as usize];
                let half = split(members, pose);
                nodes[next].child = nodes.len() as u32;
                nodes.push(Node { first, count: half, child: 0 });
                nodes.push(Node { first: first + half, count: count - half, child: 0 });
            }
            next += 1;
        }
        Self { triangles, nodes }
    }

    /// Fits the boxes to a pose.
    pub fn fit(&self, pose: Planes, boxes: &mut Boxes) {
        boxes.0.clear();
        boxes.0.resize(self.nodes.len(), [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]]);
        for (index, node) in self.nodes.iter().enumerate().rev() {
            let mut all = boxes.0[index];
            if node.child == 0 {
                for triangle in &self.triangles[node.first as usize..][..node.count as usize] {
                    triangle.iter().for_each(|&place| grow(&mut all, at(pose, place)));
                }
            } else {
                let child = node.child as usize;
                for corner in [boxes.0[child], boxes.0[child + 1]].concat() {
                    grow(&mut all, corner);
                }
            }
            boxes.0[index] = all;
        }
    }

    /// The squared distance from a point to the surface, and the triangle there. `guess` is a
    /// triangle that is likely to be near.
    pub fn nearest(&self, pose: Planes, boxes: &Boxes, point: [f32; 3], guess: u32) -> (f32, u32) {
        let mut best = (self.squared_to(pose, point, guess), guess);
        let mut stack = [0u32; 64];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let index = stack[depth] as usize;
            if outside(&boxes.0[index], point) >= best.0 {
                continue;
            }
            let node = self.nodes[index];
            if node.child == 0 {
                for triangle in node.first..node.first + node.count {
                    let squared = self.squared_to(pose, point, triangle);
                    if squared < best.0 {
                        best = (squared, triangle);
                    }
                }
                continue;
            }
            let (a, b) = (node.child, node.child + 1);
            let far_first = outside(&boxes.0[a as usize], point) < outside(&boxes.0[b as usize], point);
            // A tree halved at each level is never deeper than the stack.
            stack[depth..depth + 2].copy_from_slice(&if far_first { [b, a] } else { [a, b] });
            depth += 2;
        }
        best
    }

    fn squared_to(&self, pose: Planes, point: [f32; 3], triangle: u32) -> f32 {
        let corners = self.triangles[triangle as usize];
        squared_to_triangle(point, corners.map(|place| at(pose, place)))
    }
}

fn at(pose: Planes, place: u32) -> [f32; 3] {
    pose.map(|plane| plane[place as usize])
}

fn grow(all: &mut [[f32; 3]; 2], point: [f32; 3]) {
    for axis in 0..3 {
        all[0][axis] = all[0][axis].min(point[axis]);
        all[1][axis] = all[1][axis].max(point[axis]);
    }
}

/// Halves triangles along the axis in which their middles lie widest; returns how many are in the
/// first half.
fn split(triangles: &mut [[u32; 3]], pose: Planes) -> u32 {
    let middle = |t: &[u32; 3], axis: usize| t.iter().map(|&place| pose[axis][place as usize]).sum::<f32>();
    let width = |axis: usize| {
        let (mut min, mut max) = (f32::INFINITY, f32::NEG_INFINITY);
        for triangle in &*triangles {
            let m = middle(triangle, axis);
            (min, max) = (min.min(m), max.max(m));
        }
        max - min
    };
    let widths = [width(0), width(1), width(2)];
    let axis = (1..3).fold(0, |widest, axis| if widths[axis] > widths[widest] { axis } else { widest });
    let half = triangles.len() / 2;
    triangles.select_nth_unstable_by(half, |a, b| {
        middle(a, axis).total_cmp(&middle(b, axis)).then_with(|| a.cmp(b))
    });
    half as u32
}

/// The squared distance from a point to a box.
fn outside([min, max]: &[[f32; 3]; 2], point: [f32; 3]) -> f32 {
    let axis = |i: usize| (min[i] - point[i]).max(point[i] - max[i]).max(0.0);
    let [x, y, z] = [axis(0), axis(1), axis(2)];
    x * x + y * y + z * z
}

fn sub(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The squared distance from a point to a triangle, by the region of the triangle's plane that the
/// point lies over (C. Ericson, Real-Time Collision Detection, 2005, 5.1.5).
fn squared_to_triangle(p: [f32; 3], [a, b, c]: [[f32; 3]; 3]) -> f32 {
    let (ab, ac) = (sub(b, a), sub(c, a));
    let from = |corner| {
        let v = sub(p, corner);
        (dot(ab, v), dot(ac, v))
    };
    let along = |origin: [f32; 3], edge: [f32; 3], t: f32| {
        let v = sub(p, [0, 1, 2].map(|i| origin[i] + edge[i] * t));
        dot(v, v)
    };
    let ((d1, d2), (d3, d4), (d5, d6)) = (from(a), from(b), from(c));
    if d1 <= 0.0 && d2 <= 0.0 {
        return along(a, ab, 0.0);
    }
    if d3 >= 0.0 && d4 <= d3 {
        return along(b, ab, 0.0);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return along(a, ab, share(d1, d1 - d3));
    }
    if d6 >= 0.0 && d5 <= d6 {
        return along(c, ac, 0.0);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return along(a, ac, share(d2, d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return along(b, sub(c, b), share(d4 - d3, (d4 - d3) + (d5 - d6)));
    }
    let sum = va + vb + vc;
    let foot = [0, 1, 2].map(|i| a[i] + ab[i] * (vb / sum) + ac[i] * (vc / sum));
    let v = sub(p, foot);
    dot(v, v)
}

/// `a / b` from 0 to 1; 0 where an edge has no length.
fn share(a: f32, b: f32) -> f32 {
    if b > 0.0 { (a / b).clamp(0.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_to_a_triangle() {
        let triangle = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
        let cases = [
            ([0.5, 0.5, 3.0], 9.0),
            ([-1.0, -1.0, 0.0], 2.0),
            ([3.0, 0.0, 0.0], 1.0),
            ([1.0, -2.0, 0.0], 4.0),
            ([-2.0, 1.0, 0.0], 4.0),
            ([2.0, 2.0, 0.0], 2.0),
            ([0.0, 5.0, 0.0], 9.0),
        ];
        for (point, want) in cases {
            assert!((squared_to_triangle(point, triangle) - want).abs() < 1e-5, "{point:?}");
        }
        // Without an area it is an edge.
        let flat = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
        assert!((squared_to_triangle([1.5, 1.0, 0.0], flat) - 1.0).abs() < 1e-5);
    }

    #[test]
    fn the_tree_finds_what_looking_at_all_finds() {
        let mut state = 7u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32
        };
        let planes: [Vec<f32>; 3] = std::array::from_fn(|_| (0..90).map(|_| random()).collect());
        let other: [Vec<f32>; 3] = std::array::from_fn(|_| (0..90).map(|_| random()).collect());
        let triangles: Vec<[u32; 3]> = (0..30).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let pose = [0, 1, 2].map(|i| &other[i][..]);
        let bvh = Bvh::new(triangles, [0, 1, 2].map(|i| &planes[i][..]));
        let mut boxes = Boxes::default();
        bvh.fit(pose, &mut boxes);
        for _ in 0..50 {
            let point = [random() * 2.0, random(), random()];
            let all = (0..30).map(|t| bvh.squared_to(pose, point, t)).fold(f32::INFINITY, f32::min);
            assert_eq!(bvh.nearest(pose, &boxes, point, 0).0, all);
        }
    }
}
