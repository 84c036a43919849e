//! Numbers → places in a picture of a chart: axes, ticks, points. The template draws them.

use serde::Serialize;

/// A chart, in units of its picture: x to the right, y down.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Chart {
    /// Width of the picture.
    pub width: f64,
    /// Height of the picture.
    pub height: f64,
    /// The area of the data: left, top, right, bottom.
    pub area: [f64; 4],
    /// Marks along x.
    pub x_ticks: Vec<Tick>,
    /// Marks along y.
    pub y_ticks: Vec<Tick>,
    /// Points, in the order in which they are drawn.
    pub points: Vec<Point>,
    /// A line through data: `x,y x,y ...`.
    pub line: String,
    /// The height of a limit.
    pub limit: Option<f64>,
}

/// A mark on an axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tick {
    /// Where.
    pub at: f64,
    /// What it says.
    pub label: String,
}

/// A point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Down.
    pub y: f64,
    /// What it is, for the style: `chosen`, `passes`, `fails`, `worst`.
    pub kind: &'static str,
    /// What it says.
    pub label: String,
}

/// What a point is of, before it has a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Datum {
    /// Along x.
    pub x: f64,
    /// Along y.
    pub y: f64,
    /// As [`Point::kind`].
    pub kind: &'static str,
    /// As [`Point::label`].
    pub label: String,
}

/// From data to the picture.
#[derive(Clone, Copy, Debug)]
struct Axis {
    log: bool,
    data: [f64; 2],
    picture: [f64; 2],
}

impl Axis {
    /// An axis of powers of ten that holds all values above 0, with room at both ends.
    fn log(values: impl Iterator<Item = f64>, picture: [f64; 2]) -> Self {
        let positive = values.filter(|v| *v > 0.0 && v.is_finite()).map(libm::log10);
        let (min, max) = positive.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        let (min, max) = if min <= max { (min, max) } else { (-1.0, 1.0) };
        let room = ((max - min) * 0.08).max(0.1);
        Self { log: true, data: [min - room, max + room], picture }
    }

    /// An axis from 0 to a little over the largest value.
    fn linear(values: impl Iterator<Item = f64>, picture: [f64; 2]) -> Self {
        let max = values.filter(|v| v.is_finite()).fold(0.0, f64::max);
        let max = if max > 0.0 { max * 1.05 } else { 1.0 };
        Self { log: false, data: [0.0, max], picture }
    }

    /// Where a value is; what an axis of powers cannot show lies at its start.
    fn at(&self, value: f64) -> f64 {
        let value = if self.log { libm::log10(value.max(1e-300)) } else { value };
        let [from, to] = self.data;
        let share = ((value - from) / (to - from)).clamp(0.0, 1.0);
        round(self.picture[0] + share * (self.picture[1] - self.picture[0]))
    }

    fn ticks(&self, say: impl Fn(f64) -> String) -> Vec<Tick> {
        let tick = |value: f64| Tick { at: self.at(value), label: say(value) };
        let [from, to] = self.data;
        if !self.log {
            let step = nice((to - from) / 4.0);
            let count = (to / step).floor() as u32;
            return (0..=count).map(|i| tick(f64::from(i) * step)).collect();
        }
        let powers = from.ceil() as i32..=to.floor() as i32;
        let few = powers.clone().count() < 3;
        let mantissas: &[f64] = if few { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let all = (from.floor() as i32..=to.ceil() as i32)
            .flat_map(|power| mantissas.iter().map(move |m| m * libm::exp10(f64::from(power))));
        all.filter(|value| (from..=to).contains(&libm::log10(*value))).map(tick).collect()
    }
}

/// 1, 2 or 5 times a power of ten, not below a value.
fn nice(value: f64) -> f64 {
    let power = libm::exp10(libm::log10(value).floor());
    let mantissa = [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * power >= value * (1.0 - 1e-9));
    mantissa.unwrap_or(10.0) * power
}

/// A tenth of a unit is finer than a screen shows.
fn round(v: f64) -> f64 {
    (v * 10.0).round() / 10.0
}

const MARGIN: [f64; 4] = [62.0, 12.0, 14.0, 34.0];

fn area(width: f64, height: f64) -> [f64; 4] {
    [MARGIN[0], MARGIN[1], width - MARGIN[2], height - MARGIN[3]]
}

/// Points over powers of ten on both axes.
pub fn scatter(
    data: &[Datum],
    limit: Option<f64>,
    size: [f64; 2],
    say_x: impl Fn(f64) -> String,
    say_y: impl Fn(f64) -> String,
) -> Chart {
    let [width, height] = size;
    let area = area(width, height);
    let x = Axis::log(data.iter().map(|d| d.x), [area[0], area[2]]);
    let y = Axis::log(data.iter().map(|d| d.y).chain(limit), [area[3], area[1]]);
    let point = |d: &Datum| Point { x: x.at(d.x), y: y.at(d.y), kind: d.kind, label: d.label.clone() };
    Chart {
        width,
        height,
        area,
        x_ticks: x.ticks(say_x),
        y_ticks: y.ticks(say_y),
        points: data.iter().map(point).collect(),
        line: String::new(),
        limit: limit.map(|limit| y.at(limit)),
    }
}

/// A line over time from 0, with its highest point marked.
pub fn over_time(
    series: &[[f64; 2]],
    limit: Option<f64>,
    size: [f64; 2],
    say_x: impl Fn(f64) -> String,
    say_y: impl Fn(f64) -> String,
) -> Chart {
    let [width, height] = size;
    let area = area(width, height);
    let x = Axis::linear(series.iter().map(|p| p[0]), [area[0], area[2]]);
    let y = Axis::linear(series.iter().map(|p| p[1]).chain(limit), [area[3], area[1]]);
    let line: Vec<String> = series.iter().map(|p| format!("{},{}", x.at(p[0]), y.at(p[1]))).collect();
    let worst = series.iter().max_by(|a, b| a[1].total_cmp(&b[1]));
    let point = |p: &[f64; 2]| Point {
        x: x.at(p[0]),
        y: y.at(p[1]),
        kind: "worst",
        label: format!("{} at {}", say_y(p[1]), say_x(p[0])),
    };
    Chart {
        width,
        height,
        area,
        x_ticks: x.ticks(&say_x),
        y_ticks: y.ticks(&say_y),
        points: worst.map(point).into_iter().collect(),
        line: line.join(" "),
        limit: limit.map(|limit| y.at(limit)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn datum(x: f64, y: f64) -> Datum {
        Datum { x, y, kind: "passes", label: String::new() }
    }

    #[test]
    fn powers_of_ten_are_evenly_apart() {
        let data = [datum(1.0, 1e-3), datum(10.0, 1e-2), datum(100.0, 1e-1)];
        let chart = scatter(&data, Some(1e-2), [300.0, 200.0], |v| v.to_string(), |v| v.to_string());
        let [a, b, c] = &chart.points[..] else { panic!("{chart:?}") };
        assert!((b.x - a.x - (c.x - b.x)).abs() < 0.11 && a.x < b.x, "{chart:?}");
        assert!((a.y - b.y - (b.y - c.y)).abs() < 0.11 && a.y > b.y, "{chart:?}");
        assert_eq!(chart.limit, Some(b.y));
        assert_eq!(chart.x_ticks.iter().map(|t| t.label.as_str()).collect::<Vec<_>>(), ["1", "10", "100"]);
        let inside = |p: &Point| p.x > chart.area[0] && p.x < chart.area[2] && p.y > chart.area[1];
        assert!(chart.points.iter().all(inside));
    }

    #[test]
    fn nothing_and_zero_have_a_place() {
        let none = scatter(&[], None, [300.0, 200.0], |v| v.to_string(), |v| v.to_string());
        assert!(!none.x_ticks.is_empty());
        let zero = scatter(&[datum(5.0, 0.0)], None, [300.0, 200.0], |v| v.to_string(), |v| v.to_string());
        assert_eq!(zero.points[0].y, zero.area[3]);
        let flat =
            over_time(&[[0.0, 0.0], [1.0, 0.0]], None, [300.0, 100.0], |v| v.to_string(), |_| String::new());
        assert!(flat.line.starts_with("62,66 "), "{}", flat.line);
    }

    #[test]
    fn the_worst_moment_is_marked() {
        let series = [[0.0, 1.0], [0.5, 4.0], [1.0, 2.0]];
        let chart =
            over_time(&series, Some(8.0), [300.0, 100.0], |v| format!("{v} s"), |v| format!("{v} mm"));
        assert_eq!(chart.points[0].label, "4 mm at 0.5 s");
        assert!(chart.limit.unwrap() < chart.points[0].y);
        assert_eq!(nice(0.21), 0.5);
        assert_eq!([nice(1.0), nice(3.0), nice(7.0), nice(20.0)], [1.0, 5.0, 10.0, 20.0]);
    }
}
