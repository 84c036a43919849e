//! The axes that a character is written in: which way is up, how long a unit is, which side of a triangle is its front.
//!
//! A source is read, levels of detail are made and columns are ordered in glTF's axes, whatever comes out: so these do
//! not depend on the axes. What leaves (frames, bounds, mesh) is converted as [`Rig`](crate::motion::Rig) moves its
//! columns, in `f64` before anything is rounded.
//!
//! | axes | x y z are glTF's | up | handed | unit | front faces are seen |
//! |---|---|---|---|---|---|
//! | `gltf` | x y z | +Y | right | metre | counter-clockwise |
//! | `unity` | -x y z | +Y | left | metre | clockwise |
//! | `unreal` | x z y | +Z | left | centimetre | counter-clockwise |
//! | `godot` | x y z | +Y | right | metre | clockwise |
//!
//! Sources: glTF 2.0 specification, 3.4 and 3.7.2.1; Unity's manual, "Mesh data"; what importers of glTF do: glTFast
//! (Unity) negates x, Unreal's exchanges y and z and multiplies by 100, Godot's turns triangles around.

#[cfg(feature = "bake")]
use glam::{DMat4, DVec4};
use serde::{Deserialize, Serialize};

/// The axes of an engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Axes {
    /// Right-handed, +Y up, metres, counter-clockwise front faces.
    #[default]
    Gltf,
    /// Left-handed, +Y up, metres, clockwise front faces.
    Unity,
    /// Left-handed, +Z up, centimetres, counter-clockwise front faces.
    Unreal,
    /// Right-handed, +Y up, metres, clockwise front faces.
    Godot,
}

impl Axes {
    /// All of them.
    pub const ALL: [Axes; 4] = [Axes::Gltf, Axes::Unity, Axes::Unreal, Axes::Godot];

    /// Their names in a manifest and in metadata, in the same order.
    pub const NAMES: [&'static str; 4] = ["gltf", "unity", "unreal", "godot"];

    /// The name in a manifest and in metadata.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The axes with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|axes| axes.name() == name)
    }

    /// How long a metre of the source is, in units of these axes.
    pub fn metre(self) -> f64 {
        if self == Self::Unreal { 100.0 } else { 1.0 }
    }

    /// A length in units of these axes, in metres.
    pub fn metres(self, units: f64) -> f64 {
        units / self.metre()
    }

    /// Whether these are the mirror image of glTF's: left-handed. The cross product of two directions then lies on
    /// the other side of them, and the handedness of tangents is the other one.
    pub fn mirrors(self) -> bool {
        matches!(self, Self::Unity | Self::Unreal)
    }

    /// Whether the corners of a triangle stand in the other order than in glTF. A mirror image that is looked at with
    /// mirrored eyes shows its triangles as they were, so this is about which side the engine takes for the front.
    pub fn turns_triangles(self) -> bool {
        matches!(self, Self::Unity | Self::Godot)
    }

    /// A transform to glTF's axes, followed by the conversion to these.
    #[cfg(feature = "bake")]
    pub fn convert(self, transform: DMat4) -> DMat4 {
        if matches!(self, Self::Gltf | Self::Godot) { transform } else { self.matrix() * transform }
    }

    /// The conversion from glTF's axes.
    #[cfg(feature = "bake")]
    pub fn matrix(self) -> DMat4 {
        let [x, y, z] = match self {
            Self::Gltf | Self::Godot => [DVec4::X, DVec4::Y, DVec4::Z],
            Self::Unity => [-DVec4::X, DVec4::Y, DVec4::Z],
            Self::Unreal => [DVec4::X * 100.0, DVec4::Z * 100.0, DVec4::Y * 100.0],
        };
        DMat4::from_cols(x, y, z, DVec4::W)
    }

    /// What was converted, back in glTF's axes: three numbers, or three lists of them.
    pub fn unconverted<T>(self, [x, y, z]: [T; 3], scaled: impl Fn(T, f64) -> T) -> [T; 3] {
        match self {
            Self::Gltf | Self::Godot => [x, y, z],
            Self::Unity => [scaled(x, -1.0), y, z],
            Self::Unreal => [scaled(x, 0.01), scaled(z, 0.01), scaled(y, 0.01)],
        }
    }
}

/// The corners of triangles in the other order: three indices each.
pub fn turned(indices: &mut [u32]) {
    indices.as_chunks_mut::<3>().0.iter_mut().for_each(|[_, b, c]| core::mem::swap(b, c));
}

#[cfg(all(test, feature = "bake"))]
mod tests {
    use super::*;

    /// A point one metre to glTF's +x, two up, three toward the viewer; by hand.
    #[test]
    fn points_are_where_engines_have_them() {
        let point = DVec4::new(1.0, 2.0, 3.0, 1.0);
        let converted = |axes: Axes| (axes.matrix() * point).truncate().to_array();
        assert_eq!(converted(Axes::Gltf), [1.0, 2.0, 3.0]);
        assert_eq!(converted(Axes::Unity), [-1.0, 2.0, 3.0]);
        assert_eq!(converted(Axes::Unreal), [100.0, 300.0, 200.0]);
        assert_eq!(converted(Axes::Godot), [1.0, 2.0, 3.0]);
        for axes in Axes::ALL {
            let back = axes.unconverted(converted(axes), |v, by| v * by);
            for (back, was) in back.into_iter().zip([1.0, 2.0, 3.0]) {
                assert!((back - was).abs() < 1e-12, "{axes:?}");
            }
            assert_eq!(axes.matrix().determinant() < 0.0, axes.mirrors(), "{axes:?}");
            assert_eq!(axes.matrix().determinant().abs(), axes.metre() * axes.metre() * axes.metre());
            assert_eq!(Axes::from_name(axes.name()), Some(axes));
            assert_eq!(serde_json::to_value(axes).unwrap(), axes.name());
        }
    }

    #[test]
    fn triangles_are_turned_around() {
        let mut indices = [0, 1, 2, 7, 8, 9];
        turned(&mut indices);
        assert_eq!(indices, [0, 2, 1, 7, 9, 8]);
    }
}
