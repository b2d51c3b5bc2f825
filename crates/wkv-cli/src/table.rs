//! Tables as plain text.

use std::fmt;

/// A table with a heading a column: the first column to the left, the others to the right.
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new(headings: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { rows: vec![headings.into_iter().map(Into::into).collect()] }
    }

    /// Adds a row, as long as the headings.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |column: usize| {
            let cells = self.rows.iter().map(|row| row[column].chars().count());
            cells.max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.rows[0].len()).map(width).collect();
        for (number, row) in self.rows.iter().enumerate() {
            if number > 0 {
                writeln!(f)?;
            }
            let mut line = format!("  {:<width$}", row[0], width = widths[0]);
            for (cell, &width) in std::iter::zip(row, &widths).skip(1) {
                line += &format!("  {cell:>width$}");
            }
            f.write_str(line.trim_end())?;
        }
        Ok(())
    }
}
