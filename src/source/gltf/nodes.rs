//! The node tree as the file has it: checked to be a tree, without recursion (a chain of 100,000
//! nodes is legal).

use glam::{DMat4, DQuat, DVec3};

use super::json::Element;
use super::report::Report;
use crate::problem::Result;
use crate::source::Transform;

/// A node of the file.
#[derive(Clone, Debug)]
pub struct FileNode {
    /// Index of the parent in the file.
    pub parent: Option<usize>,
    /// Indices of the children in the file.
    pub children: Vec<usize>,
    /// Index of the mesh.
    pub mesh: Option<usize>,
    /// Index of the skin.
    pub skin: Option<usize>,
    /// Whether it and what is below it is drawn (`KHR_node_visibility`).
    pub visible: bool,
}

/// A node in the document. The index is in range.
pub fn element<'a>(root: &Element<'a>, index: usize) -> Element<'a> {
    root.item("nodes", index).unwrap_or_else(|| root.clone())
}

/// Reads all nodes. On an error, what is returned is not to be used.
pub fn read(root: &Element, report: &mut Report) -> Vec<FileNode> {
    let mut nodes: Vec<FileNode> = Vec::with_capacity(root.count("nodes"));
    for element in report.keep(root.items("nodes")).into_iter().flatten() {
        let links = report.keep(links(root, &element)).unwrap_or_default();
        let (children, mesh, skin, visible) = links;
        nodes.push(FileNode { parent: None, children, mesh, skin, visible });
    }
    for parent in 0..nodes.len() {
        for child in nodes[parent].children.clone() {
            match nodes[child].parent {
                None => nodes[child].parent = Some(parent),
                Some(other) => {
                    let message = format!("node {child} is a child of node {other} and of node {parent}");
                    report.push(self::element(root, child).error("source::nodes", message));
                }
            }
        }
    }
    check_cycles(root, &nodes, report);
    nodes
}

type Links = (Vec<usize>, Option<usize>, Option<usize>, bool);

fn links(root: &Element, node: &Element) -> Result<Links> {
    node.expect_object()?;
    let total = root.count("nodes");
    let children = node.items("children")?;
    let children = children.map(|c| c.as_index("nodes", total)).collect::<Result<_>>()?;
    let mesh = node.index("mesh", "meshes", root.count("meshes"))?;
    let skin = node.index("skin", "skins", root.count("skins"))?;
    let visible = match node.extension("KHR_node_visibility") {
        Some(extension) => extension.flag("visible", true)?,
        None => true,
    };
    Ok((children, mesh, skin, visible))
}

/// With at most one parent each, nodes that no root leads to are on a cycle or below one.
fn check_cycles(root: &Element, nodes: &[FileNode], report: &mut Report) {
    let roots: Vec<usize> = (0..nodes.len()).filter(|&i| nodes[i].parent.is_none()).collect();
    let reached = below(nodes, &roots, |_| true);
    if let Some(lost) = reached.iter().position(|r| !r) {
        let message = format!("node {lost} is its own ancestor, or below a node that is");
        report.push(element(root, lost).error("source::nodes", message));
    }
}

/// Which nodes are among `starts` or below them; where `enter` is false a node and all below it are not.
pub fn below(nodes: &[FileNode], starts: &[usize], enter: impl Fn(&FileNode) -> bool) -> Vec<bool> {
    let mut reached = vec![false; nodes.len()];
    let mut open: Vec<usize> = starts.to_vec();
    while let Some(i) = open.pop() {
        if !reached[i] && enter(&nodes[i]) {
            reached[i] = true;
            open.extend(&nodes[i].children);
        }
    }
    reached
}

/// Marks the ancestors of all marked nodes.
pub fn add_ancestors(nodes: &[FileNode], marked: &mut [bool]) {
    for start in 0..nodes.len() {
        if !marked[start] {
            continue;
        }
        let mut node = start;
        while let Some(parent) = nodes[node].parent.filter(|&p| !marked[p]) {
            marked[parent] = true;
            node = parent;
        }
    }
}

/// The marked nodes, parents before children: depth first, roots and children in the order of the file.
pub fn in_order(nodes: &[FileNode], marked: &[bool]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut open: Vec<usize> = (0..nodes.len()).rev().filter(|&i| nodes[i].parent.is_none()).collect();
    while let Some(i) = open.pop() {
        if marked[i] {
            order.push(i);
            open.extend(nodes[i].children.iter().rev());
        }
    }
    order
}

/// The local transform of a node.
pub fn transform(node: &Element, report: &mut Report) -> Result<Transform> {
    let translation = node.numbers("translation")?;
    let rotation = node.numbers("rotation")?;
    let scale = node.numbers("scale")?;
    if let Some(matrix) = node.numbers::<16>("matrix")? {
        if translation.is_some() || rotation.is_some() || scale.is_some() {
            let message =
                "the node has a matrix as well as translation, rotation or scale; the matrix is used";
            report.push(node.warning("source::nodes", message));
        }
        return Ok(Transform::Matrix(DMat4::from_cols_array(&matrix)));
    }
    let rotation = DQuat::from_array(rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]));
    Ok(Transform::Trs {
        translation: DVec3::from_array(translation.unwrap_or([0.0; 3])),
        rotation: unit(rotation, node, report),
        scale: DVec3::from_array(scale.unwrap_or([1.0; 3])),
    })
}

fn unit(rotation: DQuat, node: &Element, report: &mut Report) -> DQuat {
    let length = rotation.length();
    if !length.is_finite() || length < 1e-9 {
        let message = "the rotation is no unit quaternion; no rotation is used";
        report.push(node.warning("source::nodes", message));
        return DQuat::IDENTITY;
    }
    if (length - 1.0).abs() > 1e-2 {
        let message = format!("the rotation is a quaternion of length {length:.4}, and is scaled to 1");
        report.push(node.warning("source::nodes", message));
    }
    DQuat::from_array(rotation.to_array().map(|c| c / length))
}
