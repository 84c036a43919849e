//! Accessors: typed views of the bytes, decoded into floats or integers.
//!
//! Sizes are computed in 64 bits without wrapping and compared with the bytes that are there before
//! anything is allocated. What needs no bytes (an accessor without a buffer view is all zeros) is
//! bounded by a budget for the whole file.

use super::buffers::{Buffers, View};
use super::json::Element;
use super::report::Report;
use crate::problem::Result;
use crate::source::Limits;

/// What one number is stored as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// Signed byte.
    I8,
    /// Unsigned byte.
    U8,
    /// Signed short.
    I16,
    /// Unsigned short.
    U16,
    /// Unsigned 32-bit integer.
    U32,
    /// Single-precision float.
    F32,
}

/// How many numbers an element has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One.
    Scalar,
    /// Two.
    Vec2,
    /// Three.
    Vec3,
    /// Four.
    Vec4,
    /// Sixteen, column after column.
    Mat4,
}

/// What an accessor says of itself, before its data is looked at.
#[derive(Clone, Debug)]
pub struct Accessor<'a> {
    /// Where it is in the document.
    pub element: Element<'a>,
    /// Elements.
    pub count: usize,
    /// Numbers an element.
    pub shape: Shape,
    /// What a number is stored as.
    pub component: Component,
    /// Whether integers stand for 0 to 1, or -1 to 1.
    pub normalized: bool,
    view: Option<usize>,
    offset: u64,
}

/// What the specification allows for one use of an accessor.
#[derive(Clone, Copy, Debug)]
pub struct Want {
    /// The use, for messages: `POSITION`.
    pub what: &'static str,
    /// Legal shapes.
    pub shapes: &'static [Shape],
    /// Legal component types.
    pub components: &'static [Component],
    /// Component types that `KHR_mesh_quantization` adds.
    pub quantized: &'static [Component],
    /// Integers stand for 0 to 1 or -1 to 1 here whatever the accessor says.
    pub always_normalized: bool,
}

/// All accessors of a file, and the bytes behind them.
pub struct Accessors<'a, 'r> {
    root: Element<'a>,
    buffers: Buffers<'a, 'r>,
    quantization: bool,
    vertices: usize,
}

impl Component {
    fn size(self) -> usize {
        match self {
            Component::I8 | Component::U8 => 1,
            Component::I16 | Component::U16 => 2,
            Component::U32 | Component::F32 => 4,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Component::I8 => "BYTE",
            Component::U8 => "UNSIGNED_BYTE",
            Component::I16 => "SHORT",
            Component::U16 => "UNSIGNED_SHORT",
            Component::U32 => "UNSIGNED_INT",
            Component::F32 => "FLOAT",
        }
    }

    fn read(element: &Element) -> Result<Self> {
        Ok(match element.as_uint()? {
            5120 => Component::I8,
            5121 => Component::U8,
            5122 => Component::I16,
            5123 => Component::U16,
            5125 => Component::U32,
            5126 => Component::F32,
            other => {
                return Err(element.error("source::accessor", format!("component type {other} is unknown")));
            }
        })
    }

    /// A number as a float; glTF 2.0 section 3.11 has the formulas for normalised integers.
    fn float(self, bytes: &[u8], normalized: bool) -> f32 {
        let scale = |value: f32, max: f32| if normalized { (value / max).max(-1.0) } else { value };
        match self {
            Component::I8 => scale(f32::from(bytes[0] as i8), 127.0),
            Component::U8 => scale(f32::from(bytes[0]), 255.0),
            Component::I16 => scale(f32::from(i16::from_le_bytes([bytes[0], bytes[1]])), 32767.0),
            Component::U16 => scale(f32::from(u16::from_le_bytes([bytes[0], bytes[1]])), 65535.0),
            Component::U32 => word(bytes) as f32,
            Component::F32 => f32::from_bits(word(bytes)),
        }
    }

    /// An unsigned integer; the bits of anything else.
    fn integer(self, bytes: &[u8]) -> u32 {
        match self {
            Component::I8 | Component::U8 => u32::from(bytes[0]),
            Component::I16 | Component::U16 => u32::from(u16::from_le_bytes([bytes[0], bytes[1]])),
            Component::U32 | Component::F32 => word(bytes),
        }
    }
}

fn word(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

impl Shape {
    /// Numbers in an element.
    pub fn len(self) -> usize {
        match self {
            Shape::Scalar => 1,
            Shape::Vec2 => 2,
            Shape::Vec3 => 3,
            Shape::Vec4 => 4,
            Shape::Mat4 => 16,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Shape::Scalar => "SCALAR",
            Shape::Vec2 => "VEC2",
            Shape::Vec3 => "VEC3",
            Shape::Vec4 => "VEC4",
            Shape::Mat4 => "MAT4",
        }
    }

    fn read(element: &Element) -> Result<Self> {
        Ok(match element.as_str()? {
            "SCALAR" => Shape::Scalar,
            "VEC2" => Shape::Vec2,
            "VEC3" => Shape::Vec3,
            "VEC4" => Shape::Vec4,
            "MAT4" => Shape::Mat4,
            other => {
                let message = format!("accessor type `{other}` is not used for vertices or animation");
                return Err(element.error("source::accessor", message));
            }
        })
    }
}

impl<'a> Accessor<'a> {
    /// Whether the file has any data for it; without, it is all zeros.
    pub fn has_data(&self) -> bool {
        self.view.is_some() || self.element.get("sparse").is_some()
    }

    fn size(&self) -> usize {
        self.shape.len() * self.component.size()
    }
}

impl<'a, 'r> Accessors<'a, 'r> {
    /// `quantization` says whether the file uses `KHR_mesh_quantization`.
    pub fn new(root: Element<'a>, buffers: Buffers<'a, 'r>, quantization: bool, limits: &Limits) -> Self {
        Self { root, buffers, quantization, vertices: limits.vertices }
    }

    /// Refuses more vertices than a character may have.
    pub fn check_vertices(&self, positions: &Accessor) -> Result<()> {
        if positions.count <= self.vertices {
            return Ok(());
        }
        let message = format!("{} vertices, and the limit is {}", positions.count, self.vertices);
        Err(positions.element.error("source::limit", message).help("simplify the model"))
    }

    /// How many accessors the file has.
    pub fn len(&self) -> usize {
        self.root.count("accessors")
    }

    /// Looks an accessor up and checks its type against its use. The index is in range.
    pub fn find(&self, index: usize, want: &Want, report: &mut Report) -> Result<Accessor<'a>> {
        let Some(element) = self.root.item("accessors", index) else {
            return Err(self.root.error("source::index", format!("there is no accessor {index}")));
        };
        let count = element.need("count")?.as_uint()?;
        let Ok(count) = usize::try_from(count) else {
            return Err(element.error("source::limit", format!("the accessor has {count} elements")));
        };
        let accessor = Accessor {
            count,
            shape: Shape::read(&element.need("type")?)?,
            component: Component::read(&element.need("componentType")?)?,
            normalized: element.flag("normalized", false)?,
            view: element.index("bufferView", "bufferViews", self.root.count("bufferViews"))?,
            offset: element.uint("byteOffset")?.unwrap_or(0),
            element,
        };
        self.check_type(accessor, want, report)
    }

    fn check_type(&self, mut found: Accessor<'a>, want: &Want, report: &mut Report) -> Result<Accessor<'a>> {
        let plain = want.components.contains(&found.component);
        let legal = plain || want.quantized.contains(&found.component);
        if !legal || !want.shapes.contains(&found.shape) {
            let shapes: Vec<_> = want.shapes.iter().map(|s| s.name()).collect();
            let components: Vec<_> = want.components.iter().map(|c| c.name()).collect();
            let message = format!(
                "{} must be {} of {}, and this is {} of {}",
                want.what,
                shapes.join(" or "),
                components.join(" or "),
                found.shape.name(),
                found.component.name()
            );
            return Err(found.element.error("source::accessor", message));
        }
        if !plain && !self.quantization {
            let message =
                format!("{} is quantised, but the file does not use KHR_mesh_quantization", want.what);
            report.push(found.element.warning("source::accessor", message));
        }
        if want.always_normalized && !found.normalized && found.component != Component::F32 {
            let message = format!("{} has integers that are not marked as normalised; read as if", want.what);
            report.push(found.element.warning("source::accessor", message));
            found.normalized = true;
        }
        Ok(found)
    }

    /// The elements as floats, one after the other. May contain NaN and infinities.
    pub fn floats(&mut self, accessor: &Accessor<'a>) -> Result<Vec<f32>> {
        let (component, normalized) = (accessor.component, accessor.normalized);
        self.gather(accessor, |bytes| component.float(bytes, normalized))
    }

    /// The elements as floats, all finite.
    pub fn finite(&mut self, accessor: &Accessor<'a>) -> Result<Vec<f32>> {
        let values = self.floats(accessor)?;
        match values.iter().position(|v| !v.is_finite()) {
            None => Ok(values),
            Some(at) => {
                let element = at / accessor.shape.len();
                let message =
                    format!("element {element} of the accessor is not a finite number: {}", values[at]);
                Err(accessor
                    .element
                    .error("source::finite", message)
                    .help("repair the model and export it again"))
            }
        }
    }

    /// The elements as unsigned integers, one after the other.
    pub fn integers(&mut self, accessor: &Accessor<'a>) -> Result<Vec<u32>> {
        let component = accessor.component;
        self.gather(accessor, |bytes| component.integer(bytes))
    }

    fn gather<T: Copy + Default>(
        &mut self,
        accessor: &Accessor<'a>,
        one: impl Fn(&[u8]) -> T,
    ) -> Result<Vec<T>> {
        let (width, size) = (accessor.shape.len(), accessor.component.size());
        let numbers = self.charge(accessor)?;
        let mut out;
        match accessor.view {
            None => out = vec![T::default(); numbers],
            Some(index) => {
                let view = self.buffers.view(index)?;
                let stride = view.stride.unwrap_or(accessor.size());
                self.fits(accessor, &view, stride)?;
                let bytes = self.buffers.bytes(&view);
                out = Vec::with_capacity(numbers);
                for i in 0..accessor.count {
                    let at = accessor.offset as usize + i * stride;
                    out.extend(bytes[at..at + width * size].chunks_exact(size).map(&one));
                }
            }
        }
        if let Some(sparse) = accessor.element.get("sparse") {
            self.patch(accessor, &sparse, one, &mut out)?;
        }
        Ok(out)
    }

    /// How many numbers the accessor has, taken off the budget.
    fn charge(&mut self, accessor: &Accessor<'a>) -> Result<usize> {
        let numbers = (accessor.count as u64).checked_mul(accessor.shape.len() as u64);
        // The bytes of a buffer count for it as soon as it is read.
        if let Some(index) = accessor.view {
            self.buffers.view(index)?;
        }
        self.buffers.budget.spend(numbers, &accessor.element)?;
        Ok(numbers.unwrap_or(0) as usize)
    }

    /// Takes numbers that are made from others off the budget.
    pub fn spend(&mut self, element: &Element, numbers: usize) -> Result<()> {
        self.buffers.budget.spend(Some(numbers as u64), element)
    }

    /// Whether all elements lie inside the view.
    fn fits(&self, accessor: &Accessor<'a>, view: &View, stride: usize) -> Result<()> {
        let size = accessor.size();
        if stride < size {
            let message = format!("elements of {size} bytes do not fit a `byteStride` of {stride}");
            return Err(accessor.element.error("source::accessor", message));
        }
        let have = self.buffers.bytes(view).len() as u64;
        let end = match accessor.count as u64 {
            0 => Some(0),
            count => (count - 1)
                .checked_mul(stride as u64)
                .and_then(|n| n.checked_add(size as u64))
                .and_then(|n| n.checked_add(accessor.offset)),
        };
        match end {
            Some(end) if end <= have => Ok(()),
            _ => {
                let message = format!(
                    "{} elements of {size} bytes from byte {} do not fit their buffer view, which has {have} bytes",
                    accessor.count, accessor.offset
                );
                Err(accessor.element.error("source::accessor", message))
            }
        }
    }

    /// Replaces the elements that a sparse accessor lists.
    fn patch<T: Copy>(
        &mut self,
        accessor: &Accessor<'a>,
        sparse: &Element<'a>,
        one: impl Fn(&[u8]) -> T,
        out: &mut [T],
    ) -> Result<()> {
        let count = sparse.need("count")?.as_index("elements of the accessor", accessor.count + 1)?;
        let places = sparse.need("indices")?;
        let component = Component::read(&places.need("componentType")?)?;
        if !matches!(component, Component::U8 | Component::U16 | Component::U32) {
            let message = format!("sparse indices cannot be {}", component.name());
            return Err(places.error("source::accessor", message));
        }
        let (places_view, places_at) = self.packed(&places, count, component.size())?;
        let values = sparse.need("values")?;
        let (values_view, values_at) = self.packed(&values, count, accessor.size())?;
        let places_bytes = &self.buffers.bytes(&places_view)[places_at..];
        let values_bytes = &self.buffers.bytes(&values_view)[values_at..];
        let (width, size) = (accessor.shape.len(), accessor.component.size());
        let places_each = places_bytes.chunks_exact(component.size());
        for (place, value) in places_each.zip(values_bytes.chunks_exact(width * size)).take(count) {
            let place = component.integer(place) as usize;
            let Some(element) = place.checked_mul(width).and_then(|at| out.get_mut(at..at + width)) else {
                let message = format!("sparse index {place} of an accessor with {} elements", accessor.count);
                return Err(places.error("source::index", message));
            };
            for (number, bytes) in element.iter_mut().zip(value.chunks_exact(size)) {
                *number = one(bytes);
            }
        }
        Ok(())
    }

    /// The view of a sparse accessor's list of `count` elements, which have no gaps between them,
    /// and the first byte in it.
    fn packed(&mut self, list: &Element<'a>, count: usize, size: usize) -> Result<(View, usize)> {
        let views = self.root.count("bufferViews");
        let index = list.need("bufferView")?.as_index("bufferViews", views)?;
        let offset = list.uint("byteOffset")?.unwrap_or(0);
        let view = self.buffers.view(index)?;
        let have = self.buffers.bytes(&view).len() as u64;
        let end = (count as u64).checked_mul(size as u64).and_then(|n| n.checked_add(offset));
        match end {
            Some(end) if end <= have => Ok((view, offset as usize)),
            _ => {
                let message = format!(
                    "{count} elements of {size} bytes from byte {offset} do not fit their buffer view, \
                     which has {have} bytes"
                );
                Err(list.error("source::accessor", message))
            }
        }
    }
}
