//! A sweep as tables for a terminal.

use std::fmt;
use std::iter;

use wkv::stats::Saturations;

use super::error::PositionError;
use super::{Agreement, Arm, FEWEST_DOCUMENTS, Sweep};
use crate::report::notation::counted;
use crate::table::Table;

/// The widest line of a terminal.
const WIDTH: usize = 100;

impl fmt::Display for Sweep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, text, documents, tokens, float_perplexity, .. } = self;
        let size = [
            (*documents as u64, "document"),
            (*tokens, "predicted token"),
            (self.sequences as u64, "sequence"),
        ];
        let [documents, tokens, sequences] = size.map(|(number, noun)| counted(number, noun));
        write!(f, "{model} on {text}: {documents}, {tokens}")?;
        match self.context {
            None => writeln!(f)?,
            Some(context) => writeln!(f, ", in {sequences} of {context}")?,
        }
        writeln!(f, "perplexity of the float model {float_perplexity:.4}\n")?;
        writeln!(f, "{}", self.cost_table())?;
        if self.sequences < FEWEST_DOCUMENTS {
            writeln!(f, "no intervals: they need at least {FEWEST_DOCUMENTS} documents")?;
        }
        for Agreement { spec, held } in self.agreements() {
            let verdict = if held { "the same in" } else { "NOT the same in" };
            writeln!(f, "{spec}: gates and integer model are {verdict} every figure")?;
        }
        writeln!(f)?;
        writeln!(f, "saturations in {} channel-steps\n{}", self.channel_steps, self.range_table())?;
        let rms = self.signal_rms;
        write!(f, "\nRMS error at the wkv output, whose own RMS is {rms:.3}, by block")?;
        let blocks = self.arms.first().map_or(0, |arm| arm.by_block.len());
        let headings = (0..blocks).map(|block| block.to_string()).collect();
        self.write_errors(f, headings, |arm, block| arm.by_block[block].rms_error)?;
        write!(f, "\n\nRMS error by position in the {}", self.unit())?;
        let positions = self.arms.first().map_or(&[][..], |arm| &arm.by_position);
        let headings = positions.iter().map(PositionError::to_string).collect();
        self.write_errors(f, headings, |arm, position| arm.by_position[position].rms_error)
    }
}

impl Sweep {
    /// What a token has its place in.
    fn unit(&self) -> &'static str {
        if self.context.is_some() { "sequence" } else { "document" }
    }

    fn cost_table(&self) -> Table {
        let mut table = Table::new([
            "spec",
            "perplexity",
            "vs float, % (95%)",
            "KL mean",
            "KL max",
            "top-1",
            "RMS error",
        ]);
        for arm in &self.arms {
            let (change, interval) = arm.perplexity_change();
            let interval = interval
                .map_or_else(|| "–".to_owned(), |[low, high]| format!("[{low:+.2}, {high:+.2}]"));
            table.row([
                arm.name().to_string(),
                format!("{:.4}", arm.perplexity),
                format!("{change:+.2} {interval}"),
                format!("{:.2e}", arm.kl_mean),
                format!("{:.2e}", arm.kl_max),
                format!("{:.4}", arm.top1_agreement),
                format!("{:.2e}", arm.rms_error),
            ]);
        }
        table
    }

    fn range_table(&self) -> Table {
        let registers = Saturations::default().named().map(|(register, _)| register);
        let others = ["inputs", "underflows"];
        let mut table = Table::new(iter::once("spec").chain(registers).chain(others));
        for arm in &self.arms {
            let counts = arm.saturations.named().map(|(_, count)| count);
            let others = [arm.input_saturations.total(), arm.underflows];
            let counts = counts.into_iter().chain(others).map(|count| count.to_string());
            table.row(iter::once(arm.name().to_string()).chain(counts));
        }
        table
    }

    /// Writes tables with a figure of each arm under each heading.
    fn write_errors(
        &self,
        f: &mut fmt::Formatter<'_>,
        headings: Vec<String>,
        figure: impl Fn(&Arm, usize) -> f64,
    ) -> fmt::Result {
        /// Characters of a figure such as 1.23e-4.
        const FIGURE: usize = 7;
        let names = self.arms.iter().map(|arm| arm.name().to_string().len()).max().unwrap_or(0);
        let widest = headings.iter().map(String::len).max().unwrap_or(0).max(FIGURE);
        let columns = (WIDTH.saturating_sub(2 + names) / (2 + widest)).max(1);
        for (number, headings) in headings.chunks(columns).enumerate() {
            let first = number * columns;
            let mut table = Table::new(iter::once("spec").chain(headings.iter().map(|h| &**h)));
            for arm in &self.arms {
                let figures = first..first + headings.len();
                let cells = figures.map(|place| format!("{:.2e}", figure(arm, place)));
                table.row(iter::once(arm.name().to_string()).chain(cells));
            }
            write!(f, "\n{table}")?;
        }
        Ok(())
    }
}
