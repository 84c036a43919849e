//! Skins. `skin.skeleton` says where an editor draws the skeleton and has no say in where the joints are.

use glam::DMat4;

use super::accessors::{Accessors, Component, Shape, Want};
use super::json::Element;
use super::report::Report;
use crate::problem::Result;

const INVERSE_BIND: Want = Want {
    what: "inverseBindMatrices",
    shapes: &[Shape::Mat4],
    components: &[Component::F32],
    quantized: &[],
    always_normalized: false,
};

/// A skin of the file.
#[derive(Clone, Debug)]
pub struct FileSkin {
    /// Indices of nodes in the file.
    pub joints: Vec<usize>,
    /// One a joint.
    pub inverse_bind: Vec<DMat4>,
}

/// Reads a skin; `nodes` is how many nodes the file has.
pub fn read<'a>(
    root: &Element<'a>,
    skin: &Element<'a>,
    data: &mut Accessors<'a, '_>,
    report: &mut Report,
) -> Result<FileSkin> {
    let nodes = root.count("nodes");
    let joints = skin.items("joints")?;
    if joints.len() == 0 {
        return Err(skin.error("source::skin", "the skin has no joints"));
    }
    let joints: Vec<usize> = joints.map(|j| j.as_index("nodes", nodes)).collect::<Result<_>>()?;
    let inverse_bind = match skin.index("inverseBindMatrices", "accessors", data.len())? {
        None => vec![DMat4::IDENTITY; joints.len()],
        Some(accessor) => {
            let accessor = data.find(accessor, &INVERSE_BIND, report)?;
            if accessor.count < joints.len() {
                let message = format!(
                    "the skin has {} joints and {} inverse bind matrices",
                    joints.len(),
                    accessor.count
                );
                return Err(skin.error("source::skin", message));
            }
            let values = data.finite(&accessor)?;
            let matrices = values.as_chunks::<16>().0;
            matrices[..joints.len()].iter().map(|m| DMat4::from_cols_array(&m.map(f64::from))).collect()
        }
    };
    Ok(FileSkin { joints, inverse_bind })
}
