//! Linear blend skinning of columns, a block of them at a time.
//!
//! The blend of a column's joints is gathered column by column; what is then done with it is the
//! same for all columns of a block and runs over whole vectors of them.

use super::pose::Affine;
use super::rig::Rig;

/// Columns of a block: a few vectors of whatever width the processor has.
const LANES: usize = 16;

type Lanes = [f32; LANES];
type Lanes3 = [Lanes; 3];

/// What is transformed: planes over columns.
pub struct Bind<'a> {
    pub positions: &'a [Vec<f32>; 3],
    pub normals: Option<&'a [Vec<f32>; 3]>,
    pub tangents: Option<&'a [Vec<f32>; 3]>,
}

/// Where it goes: three planes each, one behind the other; empty if not wanted.
pub struct Planes<'a> {
    pub positions: &'a mut [f32],
    pub normals: &'a mut [f32],
    pub tangents: &'a mut [f32],
}

/// Transforms all columns by the blends of their joints: positions as points, normals by the
/// inverse transpose, tangents as directions; the latter two to length 1.
pub fn transform(rig: &Rig, joints: &[Affine], from: Bind, to: Planes) {
    let mut blends = [[0.0; LANES]; 12];
    for first in (0..rig.columns).step_by(LANES) {
        let count = LANES.min(rig.columns - first);
        gather_blends(rig, joints, first, count, &mut blends);
        let v = load(from.positions, first, count);
        store(to.positions, rig.columns, first, count, &points(&blends, &v));
        if let Some(normals) = from.normals {
            let v = load(normals, first, count);
            store(to.normals, rig.columns, first, count, &unit_lanes(&normals_of(&blends, &v), &v));
        }
        if let Some(tangents) = from.tangents {
            let v = load(tangents, first, count);
            store(to.tangents, rig.columns, first, count, &unit_lanes(&directions(&blends, &v), &v));
        }
    }
}

fn gather_blends(rig: &Rig, joints: &[Affine], first: usize, count: usize, blends: &mut [Lanes; 12]) {
    for lane in 0..count {
        let column = first + lane;
        let range = rig.influence_start[column] as usize..rig.influence_start[column + 1] as usize;
        let mut sum = [0.0; 12];
        match &rig.influences[range] {
            // Rigid: taken as it is, so that a weight of 1 rounds nothing.
            [(joint, _)] => sum = joints[*joint as usize],
            list => {
                for &(joint, weight) in list {
                    for (sum, v) in sum.iter_mut().zip(&joints[joint as usize]) {
                        *sum += weight * v;
                    }
                }
            }
        }
        for (row, v) in blends.iter_mut().zip(sum) {
            row[lane] = v;
        }
    }
}

fn load(planes: &[Vec<f32>; 3], first: usize, count: usize) -> Lanes3 {
    let mut lanes = [[0.0; LANES]; 3];
    for (lanes, plane) in lanes.iter_mut().zip(planes) {
        lanes[..count].copy_from_slice(&plane[first..first + count]);
    }
    lanes
}

fn store(planes: &mut [f32], columns: usize, first: usize, count: usize, lanes: &Lanes3) {
    for (lanes, plane) in lanes.iter().zip(planes.chunks_exact_mut(columns)) {
        plane[first..first + count].copy_from_slice(&lanes[..count]);
    }
}

fn points(m: &[Lanes; 12], [x, y, z]: &Lanes3) -> Lanes3 {
    let mut out = [[0.0; LANES]; 3];
    for (row, out) in out.iter_mut().enumerate() {
        let [a, b, c, d] = [0, 1, 2, 3].map(|column| &m[row * 4 + column]);
        for l in 0..LANES {
            out[l] = a[l] * x[l] + b[l] * y[l] + c[l] * z[l] + d[l];
        }
    }
    out
}

fn directions(m: &[Lanes; 12], [x, y, z]: &Lanes3) -> Lanes3 {
    let mut out = [[0.0; LANES]; 3];
    for (row, out) in out.iter_mut().enumerate() {
        let [a, b, c] = [0, 1, 2].map(|column| &m[row * 4 + column]);
        for l in 0..LANES {
            out[l] = a[l] * x[l] + b[l] * y[l] + c[l] * z[l];
        }
    }
    out
}

/// The inverse transpose is the cofactor matrix over the determinant: its sign matters, its size
/// does not, and a flattened joint (a scale of 0) divides by nothing.
fn normals_of(m: &[Lanes; 12], [x, y, z]: &Lanes3) -> Lanes3 {
    let mut out = [[0.0; LANES]; 3];
    for l in 0..LANES {
        let m = |i: usize| m[i][l];
        let c00 = m(5) * m(10) - m(6) * m(9);
        let c01 = m(6) * m(8) - m(4) * m(10);
        let c02 = m(4) * m(9) - m(5) * m(8);
        let c10 = m(2) * m(9) - m(1) * m(10);
        let c11 = m(0) * m(10) - m(2) * m(8);
        let c12 = m(1) * m(8) - m(0) * m(9);
        let c20 = m(1) * m(6) - m(2) * m(5);
        let c21 = m(2) * m(4) - m(0) * m(6);
        let c22 = m(0) * m(5) - m(1) * m(4);
        let determinant = m(0) * c00 + m(1) * c01 + m(2) * c02;
        let sign = if determinant < 0.0 { -1.0 } else { 1.0 };
        out[0][l] = sign * (c00 * x[l] + c01 * y[l] + c02 * z[l]);
        out[1][l] = sign * (c10 * x[l] + c11 * y[l] + c12 * z[l]);
        out[2][l] = sign * (c20 * x[l] + c21 * y[l] + c22 * z[l]);
    }
    out
}

/// All lanes at length 1; those too short or too long to square are done one by one.
fn unit_lanes(v: &Lanes3, fallback: &Lanes3) -> Lanes3 {
    let mut out = [[0.0; LANES]; 3];
    let mut squares = [0.0; LANES];
    for l in 0..LANES {
        squares[l] = v[0][l] * v[0][l] + v[1][l] * v[1][l] + v[2][l] * v[2][l];
        let scale = 1.0 / squares[l].sqrt();
        for axis in 0..3 {
            out[axis][l] = v[axis][l] * scale;
        }
    }
    let safe = 1e-24..1e24;
    if !squares.iter().all(|square| safe.contains(square)) {
        for l in (0..LANES).filter(|&l| !safe.contains(&squares[l])) {
            let fixed = unit([0, 1, 2].map(|axis| v[axis][l]), [0, 1, 2].map(|axis| fallback[axis][l]));
            for axis in 0..3 {
                out[axis][l] = fixed[axis];
            }
        }
    }
    out
}

/// `v` at length 1; where it has none, `fallback` at length 1, and +Z where that has none either.
pub fn unit(v: [f32; 3], fallback: [f32; 3]) -> [f32; 3] {
    let scaled = |[x, y, z]: [f32; 3]| {
        // Scaled by the largest component first: the square of a small normal (a character in
        // kilometres) would be lost below the smallest f32.
        let largest = x.abs().max(y.abs()).max(z.abs());
        if !(largest > 0.0 && largest.is_finite()) {
            return None;
        }
        let [x, y, z] = [x / largest, y / largest, z / largest];
        let scale = 1.0 / (x * x + y * y + z * z).sqrt();
        Some([x * scale, y * scale, z * scale])
    };
    scaled(v).or_else(|| scaled(fallback)).unwrap_or([0.0, 0.0, 1.0])
}
