//! The order of columns: neighbours move alike.
//!
//! Blocks of a compressed texture hold neighbouring columns, and a stream compressor finds what
//! repeats nearby. The path through the columns is greedy: from each column to the nearest that is
//! left, by the distance of their trajectories. A tree over the trajectories finds it without
//! looking at all of them.

use super::Frames;

/// The columns of `frames` in order: those of ring 0 first, then those of ring 1, and so on, within
/// a ring from neighbour to neighbour by the distance of their positions over all frames.
pub fn by_motion(frames: &Frames, rings: &[u32]) -> Vec<u32> {
    let points = Points::new(frames);
    let mut order: Vec<u32> = Vec::with_capacity(rings.len());
    let last = rings.iter().copied().max().unwrap_or(0);
    for ring in 0..=last {
        let members: Vec<u32> = (0..rings.len() as u32).filter(|&c| rings[c as usize] == ring).collect();
        if members.is_empty() {
            continue;
        }
        let mut tree = Tree::new(&points, members);
        let mut from = match order.last() {
            Some(&column) => points.of(column).to_vec(),
            None => points.of(points.outermost(&tree.columns)).to_vec(),
        };
        while let Some(next) = tree.take_nearest(&points, &from) {
            order.push(next);
            from.copy_from_slice(points.of(next));
        }
    }
    order
}

/// Frames as offsets from the first: what moves alike lies alike, wherever it is. Measured on real characters
/// (`benches/columns.rs`), such trajectories give blocks of less error than positions do.
pub fn offsets(mut frames: Frames) -> Frames {
    let stride = frames.stride().max(1);
    let first = stride.min(frames.data.len());
    let (first, others) = frames.data.split_at_mut(first);
    for frame in others.chunks_exact_mut(stride) {
        frame.iter_mut().zip(&*first).for_each(|(v, first)| *v -= first);
    }
    first.fill(0.0);
    frames
}

/// Trajectories as points: the positions of a column in all frames, one behind the other.
struct Points {
    width: usize,
    data: Vec<f32>,
}

impl Points {
    fn new(frames: &Frames) -> Self {
        let width = frames.frames * 3;
        let mut data = vec![0.0; width * frames.columns];
        for frame in 0..frames.frames {
            for (axis, plane) in frames.frame(frame).positions.into_iter().enumerate() {
                for (point, &v) in data.chunks_exact_mut(width).zip(plane) {
                    // What an absurd scale made of a position must not stop the search.
                    point[frame * 3 + axis] = if v.is_nan() { 0.0 } else { v.clamp(-1e15, 1e15) };
                }
            }
        }
        Self { width, data }
    }

    fn of(&self, column: u32) -> &[f32] {
        &self.data[column as usize * self.width..][..self.width]
    }

    /// The column farthest from the middle of these: a path that starts there need not come back.
    fn outermost(&self, columns: &[u32]) -> u32 {
        let mut middle = vec![0.0f64; self.width];
        for &column in columns {
            middle.iter_mut().zip(self.of(column)).for_each(|(m, &v)| *m += f64::from(v));
        }
        let middle: Vec<f32> = middle.iter().map(|m| (m / columns.len() as f64) as f32).collect();
        let mut best = (f32::NEG_INFINITY, 0);
        for &column in columns {
            let d = squared(self.of(column), &middle);
            if d > best.0 {
                best = (d, column);
            }
        }
        best.1
    }
}

fn squared(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// Columns of a leaf.
const LEAF: usize = 8;

/// A k-d tree whose columns are taken out one by one.
struct Tree {
    /// Leaves' columns, one leaf behind the other; those taken are swapped to the leaf's end.
    columns: Vec<u32>,
    nodes: Vec<Node>,
    /// For each node the smallest and the largest of each number: `2 * width` a node.
    boxes: Vec<f32>,
}

#[derive(Clone, Copy)]
struct Node {
    first: u32,
    /// Columns left in it.
    left: u32,
    /// The first child, the second is behind it; 0 for a leaf.
    child: u32,
    parent: u32,
}

impl Tree {
    fn new(points: &Points, columns: Vec<u32>) -> Self {
        let root = Node { first: 0, left: columns.len() as u32, child: 0, parent: 0 };
        let mut tree = Self { columns, nodes: vec![root], boxes: Vec::new() };
        let mut next = 0;
        while next < tree.nodes.len() {
            tree.bound(points, next);
            if tree.nodes[next].left as usize > LEAF {
                tree.split(points, next);
            }
            next += 1;
        }
        tree
    }

    fn bound(&mut self, points: &Points, node: usize) {
        let Node { first, left, .. } = self.nodes[node];
        let start = self.boxes.len();
        self.boxes.extend(std::iter::repeat_n(f32::INFINITY, points.width));
        self.boxes.extend(std::iter::repeat_n(f32::NEG_INFINITY, points.width));
        let (min, max) = self.boxes[start..].split_at_mut(points.width);
        for &column in &self.columns[first as usize..][..left as usize] {
            for ((min, max), &v) in min.iter_mut().zip(max.iter_mut()).zip(points.of(column)) {
                *min = min.min(v);
                *max = max.max(v);
            }
        }
    }

    fn split(&mut self, points: &Points, node: usize) {
        let Node { first, left, .. } = self.nodes[node];
        let (min, max) = self.boxes[node * 2 * points.width..].split_at(points.width);
        let mut widest = 0;
        for axis in 1..points.width {
            if max[axis] - min[axis] > max[widest] - min[widest] {
                widest = axis;
            }
        }
        let half = left / 2;
        let members = &mut self.columns[first as usize..][..left as usize];
        let key = |&column: &u32| points.of(column)[widest];
        members.select_nth_unstable_by(half as usize, |a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
        let child = |first, left| Node { first, left, child: 0, parent: node as u32 };
        self.nodes[node].child = self.nodes.len() as u32;
        self.nodes.push(child(first, half));
        self.nodes.push(child(first + half, left - half));
    }

    /// Takes out the column nearest to `from`, the lowest of several; `None` when all are taken.
    fn take_nearest(&mut self, points: &Points, from: &[f32]) -> Option<u32> {
        let mut best = Best { squared: f32::INFINITY, column: u32::MAX, at: (0, 0) };
        self.search(points, from, 0, &mut best);
        if best.column == u32::MAX {
            return None;
        }
        let (mut node, at) = best.at;
        let Node { first, left, .. } = self.nodes[node];
        self.columns.swap(at, (first + left - 1) as usize);
        loop {
            self.nodes[node].left -= 1;
            if node == 0 {
                return Some(best.column);
            }
            node = self.nodes[node].parent as usize;
        }
    }

    fn search(&self, points: &Points, from: &[f32], node: usize, best: &mut Best) {
        let Node { first, left, child, .. } = self.nodes[node];
        if child == 0 {
            for at in first as usize..(first + left) as usize {
                let column = self.columns[at];
                let squared = squared(points.of(column), from);
                if squared < best.squared || (squared == best.squared && column < best.column) {
                    *best = Best { squared, column, at: (node, at) };
                }
            }
            return;
        }
        let near = |child: usize| {
            if self.nodes[child].left == 0 { f32::INFINITY } else { self.squared_to(points, from, child) }
        };
        let (a, b) = (child as usize, child as usize + 1);
        let mut sides = [(near(a), a), (near(b), b)];
        if sides[1].0 < sides[0].0 {
            sides.swap(0, 1);
        }
        for (squared, side) in sides {
            if self.nodes[side].left > 0 && squared <= best.squared {
                self.search(points, from, side, best);
            }
        }
    }

    /// From a point to the box of a node.
    fn squared_to(&self, points: &Points, from: &[f32], node: usize) -> f32 {
        let (min, max) = self.boxes[node * 2 * points.width..][..2 * points.width].split_at(points.width);
        let axes = from.iter().zip(min).zip(max);
        axes.map(|((&v, &min), &max)| (min - v).max(v - max).max(0.0)).map(|d| d * d).sum()
    }
}

struct Best {
    squared: f32,
    column: u32,
    /// Leaf and place in [`Tree::columns`].
    at: (usize, usize),
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same path by looking at all columns.
    fn plain(frames: &Frames, rings: &[u32]) -> Vec<u32> {
        let points = Points::new(frames);
        let mut left: Vec<u32> = (0..rings.len() as u32).collect();
        let mut order: Vec<u32> = Vec::new();
        for ring in 0..=rings.iter().copied().max().unwrap_or(0) {
            let members: Vec<u32> = left.iter().copied().filter(|&c| rings[c as usize] == ring).collect();
            for _ in 0..members.len() {
                let from = match order.last() {
                    Some(&last) => last,
                    None => points.outermost(&members),
                };
                let ring = left.iter().copied().filter(|&c| rings[c as usize] == ring);
                let near = |&c: &u32| squared(points.of(c), points.of(from));
                let next = ring.min_by(|a, b| near(a).total_cmp(&near(b)).then(a.cmp(b))).unwrap();
                left.retain(|&c| c != next);
                order.push(next);
            }
        }
        order
    }

    #[test]
    fn the_tree_finds_what_looking_at_all_finds() {
        let mut state = 1u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // Few values, so that distances tie.
            (state >> 28) as f32
        };
        let columns = 300;
        let mut frames = Frames::zeros(2, columns, false, false);
        frames.data.iter_mut().for_each(|v| *v = random());
        let rings: Vec<u32> = (0..columns).map(|_| random() as u32 % 3).collect();
        assert_eq!(by_motion(&frames, &rings), plain(&frames, &rings));
    }

    #[test]
    fn neighbours_on_a_line_stay_neighbours() {
        let places = [5.0, 1.0, 3.0, 0.0, 4.0, 2.0];
        let data = places.iter().copied().chain([0.0; 12]).collect();
        let frames = Frames { frames: 1, columns: 6, normals: false, tangents: false, data };
        let order = by_motion(&frames, &[0; 6]);
        let along: Vec<f32> = order.iter().map(|&c| places[c as usize]).collect();
        assert!(along.is_sorted() || along.iter().rev().is_sorted(), "{along:?}");
        assert_eq!(by_motion(&frames, &[1, 0, 1, 0, 1, 0])[..3], [3, 1, 5]);
    }
}
