//! Where vertices are: what the shaders compute, computed here, for questions of the game.

use alloc::format;

use super::texel::{between, byte, direction, is_readable, mix};
use super::time::{FrameAt, Play, Timing, clip_of};
use super::{Character, Error, Instance, Result};
use crate::metadata::{Bounds, Clip, Holds, Track};

/// A vertex at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vertex {
    /// In model space, model units.
    pub position: [f32; 3],
    /// Unit length; zero where no normals were baked.
    pub normal: [f32; 3],
    /// Unit length and the handedness; zero where no tangents were baked.
    pub tangent: [f32; 4],
}

/// A clip as a level of detail has it.
#[derive(Clone, Copy, Debug)]
pub struct Motion<'a> {
    character: &'a Character,
    clip: &'a Clip,
    lod: u32,
    position: Found<'a>,
    residual: Option<Found<'a>>,
    normal: Option<Found<'a>>,
    tangent: Option<Found<'a>>,
}

/// A track, and the sheet in which it lies.
#[derive(Clone, Copy, Debug)]
struct Found<'a> {
    sheet: usize,
    track: &'a Track,
}

/// All vertices of a level of detail at one moment of a clip.
#[derive(Clone, Copy, Debug)]
pub struct Pose<'a> {
    motion: Motion<'a>,
    position: FrameAt,
    residual: FrameAt,
    normal: FrameAt,
    tangent: FrameAt,
}

/// The pose of an instance: of a clip, or between two of them while one fades into the other.
#[derive(Clone, Copy, Debug)]
pub struct InstancePose<'a> {
    pose: Pose<'a>,
    /// The one that fades out, and the share of the other.
    previous: Option<(Pose<'a>, f32)>,
}

impl Character {
    /// A clip as a level of detail has it.
    ///
    /// # Errors
    /// `runtime::clip` where there is no such clip or level, `runtime::format` where its texels are in blocks: only a
    /// GPU reads those. Bake such a character in an uncompressed format too where the game asks for positions.
    pub fn motion(&self, clip: u32, lod: u32) -> Result<Motion<'_>> {
        let name = &self.metadata().name;
        let missing =
            |what: &str| Error::new("runtime::clip", format!("`{name}` has no {what} {clip} at level {lod}"));
        let info = self.clip_info(clip).ok_or_else(|| missing("clip"))?;
        let find = |holds: &[Holds]| {
            let (sheet, track) = self.track(clip, lod, holds)?;
            Some(Found { sheet, track })
        };
        let position =
            find(&[Holds::Position, Holds::PositionNormal]).ok_or_else(|| missing("positions of clip"))?;
        let motion = Motion {
            character: self,
            clip: info,
            lod,
            position,
            residual: find(&[Holds::Residual]),
            normal: find(&[Holds::PositionNormal, Holds::Normal]),
            tangent: find(&[Holds::Tangent]),
        };
        let used = [Some(position), motion.residual, motion.normal, motion.tangent];
        match used
            .into_iter()
            .flatten()
            .map(|found| self.metadata().sheets[found.sheet].format)
            .find(|&f| !is_readable(f))
        {
            Some(format) => {
                let message = format!(
                    "clip `{}` of `{name}` is stored in `{format}`, which only a GPU decodes",
                    info.name
                );
                Err(Error::new("runtime::format", message)
                    .help("ask for its bounds only, or give the clip an uncompressed format"))
            }
            None => Ok(motion),
        }
    }

    /// The pose of an instance at `now`, in ticks: exactly the moments that the shaders show.
    ///
    /// # Errors
    /// As [`Self::motion`].
    pub fn pose(&self, instance: &Instance, lod: u32, now: u32) -> Result<InstancePose<'_>> {
        let pose = self.motion(clip_of(instance.clip).0, lod)?.play(&instance.play(), now);
        let weight = instance.fade_weight(now);
        if weight >= 1.0 {
            return Ok(InstancePose { pose, previous: None });
        }
        let previous = self.motion(clip_of(instance.previous).0, lod)?.play(&instance.play_previous(), now);
        Ok(InstancePose { pose, previous: Some((previous, weight)) })
    }
}

impl<'a> Motion<'a> {
    /// What is known of the clip: its bounds too, which hold every position of it.
    pub fn clip(&self) -> &'a Clip {
        self.clip
    }

    /// The pose at a time in seconds since the clip began. Clips that loop wrap, the others hold their ends.
    pub fn at(&self, seconds: f64) -> Pose<'a> {
        self.pose(|timing| timing.at(seconds))
    }

    /// The pose at a moment in ticks.
    pub fn play(&self, play: &Play, now: u32) -> Pose<'a> {
        self.pose(|timing| timing.play(play, now))
    }

    fn pose(&self, at: impl Fn(Timing) -> FrameAt) -> Pose<'a> {
        let of = |found: &Found| at(Timing::of(self.clip, found.track));
        let maybe = |found: Option<Found>| found.as_ref().map_or(FrameAt::default(), of);
        Pose {
            motion: *self,
            position: of(&self.position),
            residual: maybe(self.residual),
            normal: maybe(self.normal),
            tangent: maybe(self.tangent),
        }
    }

    /// The numbers of a column in two neighbouring rows of a track.
    fn texels(&self, found: &Found, column: u32, at: FrameAt) -> Option<[super::Texel; 2]> {
        let texture = &self.character.sheets()[found.sheet];
        let Found { track, .. } = found;
        let (x, band) = (column % texture.width, column / texture.width);
        let row = band.checked_mul(track.band_rows)?.checked_add(track.first_row + at.frame)?;
        let first = texture.texel(x, row, track.layer)?;
        // Without a blend the next row does not count, whatever it holds.
        let next = if at.blend == 0.0 { first } else { texture.texel(x, row + 1, track.layer)? };
        Some([first, next])
    }
}

impl<'a> Pose<'a> {
    /// The clip whose pose it is.
    pub fn motion(&self) -> Motion<'a> {
        self.motion
    }

    /// The frame of the positions, and how far it is to the next.
    pub fn frame(&self) -> FrameAt {
        self.position
    }

    /// The position of a vertex of the mesh; `None` where the level of detail has no such vertex.
    pub fn position(&self, vertex: u32) -> Option<[f32; 3]> {
        let (column, rest) = self.motion.character.vertex(vertex, self.motion.lod)?;
        self.column_position(column, rest)
    }

    /// A vertex of the mesh; `None` where the level of detail has no such vertex.
    pub fn vertex(&self, vertex: u32) -> Option<Vertex> {
        let (column, rest) = self.motion.character.vertex(vertex, self.motion.lod)?;
        self.column(column, rest)
    }

    /// Where a column is, as the shaders' functions: `rest` is the position of its vertex in the mesh, which only clips
    /// that are stored relative to it need.
    pub fn column_position(&self, column: u32, rest: [f32; 3]) -> Option<[f32; 3]> {
        let motion = &self.motion;
        let of = |found: &Found, at: FrameAt| {
            let track = found.track;
            let decode = |v: [f32; 3]| core::array::from_fn(|i| track.bias[i] + track.scale[i] * v[i]);
            let [a, b] = motion.texels(found, column, at)?.map(|texel| decode(texel.xyz));
            Some(mix(a, b, at.blend))
        };
        let mut position: [f32; 3] = of(&motion.position, self.position)?;
        if motion.position.track.relative {
            position = core::array::from_fn(|i| position[i] + rest[i]);
        }
        if let Some(residual) = &motion.residual {
            let residual: [f32; 3] = of(residual, self.residual)?;
            position = core::array::from_fn(|i| position[i] + residual[i]);
        }
        Some(position)
    }

    /// Position, normal and tangent of a column.
    pub fn column(&self, column: u32, rest: [f32; 3]) -> Option<Vertex> {
        Some(Vertex {
            position: self.column_position(column, rest)?,
            normal: self.column_normal(column).unwrap_or_default(),
            tangent: self.column_tangent(column).unwrap_or_default(),
        })
    }

    /// The normal of a column; `None` where none were baked.
    pub fn column_normal(&self, column: u32) -> Option<[f32; 3]> {
        let found = self.motion.normal.as_ref()?;
        let packed = self.motion.character.metadata().sheets[found.sheet].holds == Holds::PositionNormal;
        let [a, b] = self.motion.texels(found, column, self.normal)?.map(|texel| match packed {
            true => direction((texel.packed & 255) as f32, (texel.packed >> 8) as f32),
            false => direction(byte(texel.xyz[0]), byte(texel.xyz[1])),
        });
        Some(between(a, b, self.normal.blend))
    }

    /// The tangent of a column and its handedness; `None` where none were baked.
    pub fn column_tangent(&self, column: u32) -> Option<[f32; 4]> {
        let texels = self.motion.texels(self.motion.tangent.as_ref()?, column, self.tangent)?;
        let [a, b] = texels.map(|texel| direction(byte(texel.xyz[0]), byte(texel.xyz[1])));
        let [x, y, z] = between(a, b, self.tangent.blend);
        Some([x, y, z, if texels[0].xyz[2] < 0.5 { -1.0 } else { 1.0 }])
    }

    /// The smallest box around all vertices of the level of detail. It reads them all: to cull, take the bounds of the
    /// clip.
    pub fn bounds(&self) -> Bounds {
        around(self.positions())
    }

    /// The positions of all vertices of the level of detail, in their order.
    pub fn positions(self) -> impl Iterator<Item = [f32; 3]> + use<'a> {
        (0..self.motion.character.vertex_count(self.motion.lod))
            .filter_map(move |vertex| self.position(vertex))
    }
}

impl InstancePose<'_> {
    /// The position of a vertex of the mesh; `None` where the level of detail has no such vertex.
    pub fn position(&self, vertex: u32) -> Option<[f32; 3]> {
        let position = self.pose.position(vertex)?;
        match &self.previous {
            Some((previous, weight)) => Some(mix(previous.position(vertex)?, position, *weight)),
            None => Some(position),
        }
    }

    /// A vertex of the mesh; `None` where the level of detail has no such vertex.
    pub fn vertex(&self, vertex: u32) -> Option<Vertex> {
        let b = self.pose.vertex(vertex)?;
        let Some((previous, weight)) = &self.previous else { return Some(b) };
        let a = previous.vertex(vertex)?;
        let tangent = |v: [f32; 4]| [v[0], v[1], v[2]];
        let [x, y, z] = between(tangent(a.tangent), tangent(b.tangent), *weight);
        let handedness = if *weight < 0.5 { a.tangent[3] } else { b.tangent[3] };
        Some(Vertex {
            position: mix(a.position, b.position, *weight),
            normal: between(a.normal, b.normal, *weight),
            tangent: [x, y, z, handedness],
        })
    }

    /// The smallest box around all vertices of the level of detail.
    pub fn bounds(&self) -> Bounds {
        let motion = self.pose.motion;
        around((0..motion.character.vertex_count(motion.lod)).filter_map(|vertex| self.position(vertex)))
    }

    /// A box that holds the instance at any moment of its clips: to cull with, without reading a vertex.
    pub fn clip_bounds(&self) -> Bounds {
        let bounds = self.pose.motion.clip.bounds;
        match &self.previous {
            Some((previous, _)) => around(corners([bounds, previous.motion.clip.bounds])),
            None => bounds,
        }
    }
}

fn corners(boxes: [Bounds; 2]) -> impl Iterator<Item = [f32; 3]> {
    boxes.into_iter().flat_map(|bounds| [bounds.min, bounds.max])
}

/// The smallest box around some points; all zero around none.
fn around(points: impl Iterator<Item = [f32; 3]>) -> Bounds {
    let grow = |bounds: Bounds, p: [f32; 3]| Bounds {
        min: core::array::from_fn(|i| bounds.min[i].min(p[i])),
        max: core::array::from_fn(|i| bounds.max[i].max(p[i])),
    };
    let single = |p: [f32; 3]| Bounds { min: p, max: p };
    points.map(single).reduce(|a, b| grow(grow(a, b.min), b.max)).unwrap_or_default()
}
