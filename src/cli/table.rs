//! Aligned tables.

use unicode_width::UnicodeWidthStr;

use super::terminal::{Style, plain};

pub use crate::numbers::{bytes, count, counted, millimetres, rate, seconds, significant};

/// On which side of its column a cell stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// Rows of cells under headers.
#[derive(Clone, Debug, Default)]
pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new(columns: &[(&str, Align)]) -> Self {
        let columns = columns.iter().map(|(header, align)| ((*header).to_owned(), *align)).collect();
        Self { columns, rows: Vec::new() }
    }

    /// Adds a row, one cell a column. Control characters are written out.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| plain(&cell)).collect());
    }

    /// The table as lines that start with `indent`.
    pub fn render(&self, indent: &str, color: bool) -> String {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width());
            cells.chain([self.columns[column].0.width()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let headers: Vec<String> = self.columns.iter().map(|(header, _)| header.clone()).collect();
        let mut text = format!("{indent}{}\n", Style::Dim.paint(&self.line(&headers, &widths), color));
        for row in &self.rows {
            text.push_str(&format!("{indent}{}\n", self.line(row, &widths)));
        }
        text
    }

    fn line(&self, cells: &[String], widths: &[usize]) -> String {
        let mut line = String::new();
        for ((cell, (_, align)), width) in cells.iter().zip(&self.columns).zip(widths) {
            let space = " ".repeat(width - cell.width());
            let (before, after) =
                if *align == Align::Right { (space, String::new()) } else { (String::new(), space) };
            line.push_str(&format!("{before}{cell}{after}  "));
        }
        line.trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_they_look() {
        let mut table = Table::new(&[("clip", Align::Left), ("frames", Align::Right)]);
        table.row(["\u{8dd1}".to_owned(), "7".to_owned()]);
        table.row(["a\u{1b}[2J".to_owned(), "1,024".to_owned()]);
        let lines = ["> clip        frames", "> \u{8dd1}               7", "> a\\u{1b}[2J   1,024", ""];
        assert_eq!(table.render("> ", false), lines.join("\n"));
    }
}
