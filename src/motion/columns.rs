//! A rig with other columns: in another order, or only the first of them.

use super::rig::{MorphDeltas, Rig};

impl Rig {
    /// The same columns in another order: column `order[i]` becomes column `i`. `order` holds each column once.
    pub fn reordered(&self, order: &[u32]) -> Self {
        let place_of = inverse(order, self.columns);
        let mut rig = self.gathered(order, &place_of);
        rig.column_of = self.column_of.iter().map(|&column| place_of[column as usize]).collect();
        rig
    }

    /// The first columns alone, as the rig of a character that has no others. Of vertices it knows
    /// nothing: `column_of` is empty. Columns whose normals are those of triangles come with all
    /// corners of these.
    pub fn prefix(&self, columns: usize) -> Self {
        let order: Vec<u32> = (0..columns.min(self.columns) as u32).collect();
        let mut rig = self.gathered(&order, &inverse(&order, self.columns));
        rig.drop_still_morphs();
        rig
    }

    fn gathered(&self, order: &[u32], place_of: &[u32]) -> Self {
        let planes = |planes: &[Vec<f32>; 3]| [0, 1, 2].map(|axis| pick(&planes[axis], order));
        let mut rig = Rig {
            axes: self.axes,
            columns: order.len(),
            column_of: Vec::new(),
            vertex_of: pick(&self.vertex_of, order),
            joints: self.joints.clone(),
            weights: self.weights.clone(),
            positions: planes(&self.positions),
            normals: self.normals.as_ref().map(planes),
            tangents: self.tangents.as_ref().map(planes),
            handedness: if self.handedness.is_empty() { Vec::new() } else { pick(&self.handedness, order) },
            influence_start: vec![0],
            influences: Vec::new(),
            morphs: self.morphs.iter().map(|morph| gathered_deltas(morph, place_of)).collect(),
            faces: Vec::new(),
        };
        for &column in order {
            let range = |i: usize| self.influence_start[column as usize + i] as usize;
            rig.influences.extend(&self.influences[range(0)..range(1)]);
            rig.influence_start.push(rig.influences.len() as u32);
        }
        let place = |column: u32| place_of[column as usize];
        let faces = self.faces.iter().map(|&(column, corners)| (place(column), corners.map(place)));
        rig.faces = faces.filter(|(column, _)| *column != GONE).collect();
        rig.faces.sort_unstable();
        rig
    }
}

/// The place of a column that is not kept.
const GONE: u32 = u32::MAX;

fn inverse(order: &[u32], columns: usize) -> Vec<u32> {
    let mut place_of = vec![GONE; columns];
    order.iter().zip(0..).for_each(|(&column, place)| place_of[column as usize] = place);
    place_of
}

fn pick<T: Copy>(list: &[T], order: &[u32]) -> Vec<T> {
    order.iter().map(|&column| list[column as usize]).collect()
}

/// The deltas of the columns that are kept, which rise again.
fn gathered_deltas(morph: &MorphDeltas, place_of: &[u32]) -> MorphDeltas {
    let places = morph.columns.iter().map(|&column| place_of[column as usize]);
    let mut kept: Vec<(u32, u32)> = places.zip(0..).filter(|(place, _)| *place != GONE).collect();
    kept.sort_unstable();
    let from: Vec<u32> = kept.iter().map(|&(_, from)| from).collect();
    let planes = |planes: &[Vec<f32>; 3]| [0, 1, 2].map(|axis| pick(&planes[axis], &from));
    MorphDeltas {
        weight: morph.weight,
        columns: kept.into_iter().map(|(place, _)| place).collect(),
        positions: planes(&morph.positions),
        normals: morph.normals.as_ref().map(planes),
        tangents: morph.tangents.as_ref().map(planes),
    }
}
