//! Joints, poses, and clips sampled from a function of time.

use glam::{DMat3, DQuat, DVec3};

use super::glb::{Channel, Glb, Node, Track};

/// A joint that rests unrotated at a place in the model.
pub struct Joint {
    pub name: &'static str,
    pub parent: Option<usize>,
    pub rest: DVec3,
}

/// Parents before children.
pub struct Rig {
    pub joints: Vec<Joint>,
}

/// Local rotations, and offsets added to the rest translations; one a joint.
#[derive(Clone)]
pub struct Pose {
    pub turn: Vec<DQuat>,
    pub shift: Vec<DVec3>,
}

/// The three joints of a leg, and where it bends.
pub struct Leg {
    pub joints: [usize; 3],
    /// The direction in which the middle joint points away at rest.
    pub pole: DVec3,
}

impl Rig {
    /// The index of a joint. The names are written in this program: a wrong one is a bug in it.
    pub fn find(&self, name: &str) -> usize {
        self.joints.iter().position(|j| j.name == name).unwrap_or_else(|| panic!("no joint {name}"))
    }

    pub fn rest(&self) -> Pose {
        Pose { turn: vec![DQuat::IDENTITY; self.joints.len()], shift: vec![DVec3::ZERO; self.joints.len()] }
    }

    /// The rest translation against the parent.
    pub fn local(&self, joint: usize) -> DVec3 {
        let parent = self.joints[joint].parent.map_or(DVec3::ZERO, |p| self.joints[p].rest);
        self.joints[joint].rest - parent
    }

    /// Where a joint is, and how it is turned, in the model.
    pub fn global(&self, pose: &Pose, joint: usize) -> (DVec3, DQuat) {
        let (place, turn) =
            self.joints[joint].parent.map_or((DVec3::ZERO, DQuat::IDENTITY), |p| self.global(pose, p));
        (place + turn * (self.local(joint) + pose.shift[joint]), turn * pose.turn[joint])
    }

    /// Bends a leg so that its last joint comes to `target`, turned by `foot`, with the middle joint towards `pole` (all
    /// in model space). What is out of reach is pointed at.
    pub fn reach(&self, pose: &mut Pose, leg: &Leg, pole: DVec3, target: DVec3, foot: DQuat) {
        let [upper, lower, end] = leg.joints;
        let (a, b) = (self.local(lower), self.local(end));
        let (la, lb) = (a.length(), b.length());
        let (hip, _) = self.global(pose, upper);
        let line = target - hip;
        let far = line.length().clamp((la - lb).abs() * 1.001, (la + lb) * 0.999);
        let line = line.normalize();
        // The knee lies on a circle about the line; the pole chooses the point.
        let along = (la * la + far * far - lb * lb) / (2.0 * far);
        let out = (pole - line * pole.dot(line)).normalize();
        let knee = line * along + out * (la * la - along * along).max(0.0).sqrt();
        let rest_out = (leg.pole - (a + b).normalize() * leg.pole.dot((a + b).normalize())).normalize();
        let axis = line.cross(out);
        let rest_axis = (a + b).normalize().cross(rest_out);
        let first = frame(knee, axis) * frame(a, rest_axis).inverse();
        let second = frame(line * far - knee, axis) * frame(b, rest_axis).inverse();
        let above = self.joints[upper].parent.map_or(DQuat::IDENTITY, |p| self.global(pose, p).1);
        pose.turn[upper] = above.inverse() * first;
        pose.turn[lower] = first.inverse() * second;
        pose.turn[end] = second.inverse() * foot;
    }

    /// Adds the joints as nodes, each with the mesh that `mesh` names for it.
    pub fn nodes(&self, glb: &mut Glb, mesh: impl Fn(&str) -> Option<usize>) -> Vec<usize> {
        let mut nodes: Vec<usize> = Vec::new();
        for (i, joint) in self.joints.iter().enumerate() {
            let parent = joint.parent.map(|p| nodes[p]);
            let mesh = mesh(joint.name);
            let node = Node { name: joint.name, parent, translation: self.local(i), mesh, skin: None };
            nodes.push(glb.node(&node));
        }
        nodes
    }

    /// Channels for all that moves in `poses`, which are equally spaced over `duration` seconds.
    pub fn channels(&self, nodes: &[usize], poses: &[Pose], duration: f64) -> Vec<Channel> {
        let last = (poses.len() - 1) as f64;
        let times: Vec<f64> = (0..poses.len()).map(|i| duration * i as f64 / last).collect();
        let mut channels = Vec::new();
        for (joint, &node) in nodes.iter().enumerate() {
            let mut turns: Vec<DQuat> = poses.iter().map(|p| p.turn[joint].normalize()).collect();
            for i in 1..turns.len() {
                if turns[i].dot(turns[i - 1]) < 0.0 {
                    turns[i] = -turns[i];
                }
            }
            let channel = |track| Channel { node, interpolation: "LINEAR", times: times.clone(), track };
            if turns.iter().any(|q| q.xyz().length() > 1e-5) {
                channels.push(channel(Track::Rotation(turns)));
            }
            if poses.iter().any(|p| p.shift[joint].length() > 1e-6) {
                let moved = poses.iter().map(|p| self.local(joint) + p.shift[joint]).collect();
                channels.push(channel(Track::Translation(moved)));
            }
        }
        channels
    }
}

/// The rotation whose Y axis is `along` and whose X axis is `axis`, made square to it.
fn frame(along: DVec3, axis: DVec3) -> DQuat {
    let y = along.normalize();
    let x = (axis - y * axis.dot(y)).normalize();
    DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y)))
}
