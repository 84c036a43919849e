//! Numbers as people read them.

/// A count with its thousands apart: `1,728`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

/// A count with what is counted: `1 vertex`, `2 vertices`.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// A number with three digits that say something: `0.00113`, `0.402`, `12.3`, `1230`.
pub fn significant(number: f64) -> String {
    let magnitude = number.abs();
    if magnitude == 0.0 || !number.is_finite() {
        return format!("{number:.0}");
    }
    let mut decimals = 2;
    let mut scale = magnitude;
    while scale < 1.0 && decimals < 12 {
        scale *= 10.0;
        decimals += 1;
    }
    while scale >= 9.995 && decimals > 0 {
        scale /= 10.0;
        decimals -= 1;
    }
    format!("{number:.decimals$}")
}

/// Bytes: `512 B`, `1.69 MB` (powers of 1000).
pub fn bytes(number: u64) -> String {
    let mut scaled = number as f64;
    let mut unit = "B";
    for next in ["kB", "MB", "GB", "TB"] {
        if scaled < 999.5 {
            break;
        }
        scaled /= 1000.0;
        unit = next;
    }
    if unit == "B" { format!("{number} B") } else { format!("{} {unit}", significant(scaled)) }
}

/// A length in model units (metres) in millimetres: `0.402 mm`.
pub fn millimetres(metres: f64) -> String {
    let millimetres = metres * 1000.0;
    // Below a nanometre it is noise of the arithmetic.
    if millimetres < 1e-6 { "0 mm".into() } else { format!("{} mm", significant(millimetres)) }
}

/// A time: `0.71 s`, `12.3 s`, `3 min 20 s`.
pub fn seconds(seconds: f64) -> String {
    if seconds >= 120.0 {
        return format!("{:.0} min {:02.0} s", (seconds / 60.0).floor(), seconds % 60.0);
    }
    format!("{seconds:.2} s")
}

/// A rate: `30 fps`, `29.97 fps`.
pub fn rate(fps: f64) -> String {
    let text = format!("{fps:.2}");
    format!("{} fps", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_read_them() {
        let counts = [0, 7, 999, 1000, 1728, 1_000_000].map(count);
        assert_eq!(counts, ["0", "7", "999", "1,000", "1,728", "1,000,000"]);
        assert_eq!(
            (counted(1, "vertex", "vertices"), counted(2, "vertex", "vertices")),
            ("1 vertex".into(), "2 vertices".into())
        );
        let numbers =
            [0.0, 0.001126, 0.0999, 0.402, 1.0, 9.994, 9.996, 99.96, 412.4, 4000.0, 0.9996].map(significant);
        let three = ["0", "0.00113", "0.0999", "0.402", "1.00", "9.99", "10.0", "100", "412", "4000", "1.00"];
        assert_eq!(numbers, three);
        let sizes = [0, 512, 999, 1000, 53_360, 999_499, 1_690_000, 999_600_000, 5 << 40].map(bytes);
        let units =
            ["0 B", "512 B", "999 B", "1.00 kB", "53.4 kB", "999 kB", "1.69 MB", "1.00 GB", "5.50 TB"];
        assert_eq!(sizes, units);
        assert_eq!([0.0, 1e-10, 4.02e-4, 3.72].map(millimetres), ["0 mm", "0 mm", "0.402 mm", "3720 mm"]);
        assert_eq!([0.0, 0.708, 12.34, 200.4].map(seconds), ["0.00 s", "0.71 s", "12.34 s", "3 min 20 s"]);
        assert_eq!([30.0, 29.97, 30.4].map(rate), ["30 fps", "29.97 fps", "30.4 fps"]);
    }
}
