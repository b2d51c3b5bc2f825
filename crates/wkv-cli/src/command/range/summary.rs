//! The result for people: one table a spec, one line a block.

use std::{fmt, iter};

use wkv::range::Interval;
use wkv::stats::Saturations;

use super::RangeResult;
use super::analysis::{Block, ChannelRange, Reach, SpecRange};
use super::observation::Observed;
use crate::report::notation::counted;
use crate::table::Table;

impl fmt::Display for RangeResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, text, documents, tokens, longest_document, .. } = self;
        match text {
            Some(text) => writeln!(
                f,
                "{model} on {text}: {}, {}, the longest {longest_document}",
                counted(*documents as u64, "document"),
                counted(*tokens, "token")
            )?,
            None => writeln!(f, "{model}, for given keys and values")?,
        }
        match self.length {
            Some(length) => {
                writeln!(f, "bounds for streams of at most {}", counted(length, "token"))?;
            }
            None => writeln!(f, "bounds for streams of any length")?,
        }
        writeln!(f, "integer bits, with the sign, as median / 90% / most of the channels\n")?;
        writeln!(f, "real arithmetic: least to greatest of the block\n{}", self.input_table())?;
        writeln!(f, "\n{}: integer bits needed, and channels that can saturate", self.specs[0])?;
        writeln!(f, "{}", self.block_table(0))?;
        writeln!(f, "\nall blocks, by arithmetic\n{}", self.spec_table())?;
        write!(
            f,
            "\naa, bb: channels not proven safe / that a constructed stream saturates; any: channels \
             not\nproven safe in aa, bb, num or den; from: the first token at which one isn't"
        )?;
        if text.is_some() {
            write!(f, "\nseen: in the run over the text, which ")?;
            f.write_str(if self.held { "stayed within all bounds" } else { "LEFT A BOUND" })?;
        }
        Ok(())
    }
}

impl RangeResult {
    fn input_table(&self) -> Table {
        let headings = ["block", "channels", "w", "k", "v", "aa bits", "bb bits"];
        let observed: &[&str] = if self.text.is_some() { &["|aa| seen", "bb seen"] } else { &[] };
        let mut table = Table::new(headings.iter().chain(observed).copied());
        for Block { block, channels } in &self.blocks {
            let ends = |decimals: usize, interval: fn(&ChannelRange) -> Interval| {
                let Interval { low, high } = hull(channels.iter().map(interval));
                format!("{low:.decimals$} {high:.decimals$}")
            };
            let seen = |interval: fn(&Observed) -> Interval| {
                let observed = channels.iter().filter_map(|channel| channel.observed.as_ref());
                let Interval { low, high } = hull(observed.map(interval));
                format!("{:.1}", high.max(-low))
            };
            let mut row = vec![
                block.to_string(),
                channels.len().to_string(),
                ends(4, |channel| point(channel.channel.w())),
                ends(1, |channel| channel.channel.k()),
                ends(1, |channel| channel.channel.v()),
                bits(channels.iter().map(|channel| channel.real.integer_bits.aa)),
                bits(channels.iter().map(|channel| channel.real.integer_bits.bb)),
            ];
            if self.text.is_some() {
                row.extend([seen(|observed| observed.aa), seen(|observed| observed.bb)]);
            }
            table.row(row);
        }
        table
    }

    fn block_table(&self, spec: usize) -> Table {
        let mut table = Table::new(self.saturation_headings("block"));
        for block in &self.blocks {
            table.row(self.saturation_row(block.block.to_string(), &block.channels, spec));
        }
        table
    }

    fn spec_table(&self) -> Table {
        let mut table = Table::new(self.saturation_headings("arithmetic"));
        let channels = || self.blocks.iter().flat_map(|block| &block.channels);
        let blanks = self.saturation_headings("").len() - 3;
        let reals =
            |register: fn(&Reach) -> Option<u32>| bits(channels().map(|c| register(&c.real)));
        let real = [
            "real".to_owned(),
            reals(|reach| reach.integer_bits.aa),
            reals(|reach| reach.integer_bits.bb),
        ];
        table.row(real.into_iter().chain(iter::repeat_n(String::new(), blanks)));
        for (number, spec) in self.specs.iter().enumerate() {
            table.row(self.saturation_row(spec.to_string(), channels(), number));
        }
        table
    }

    fn saturation_headings(&self, first: &'static str) -> Vec<&'static str> {
        let mut headings = vec![first, "aa bits", "bb bits", "aa", "bb", "any", "from"];
        if self.text.is_some() {
            headings.push("seen");
        }
        headings
    }

    fn saturation_row<'a>(
        &self,
        name: String,
        channels: impl IntoIterator<Item = &'a ChannelRange>,
        spec: usize,
    ) -> Vec<String> {
        let channels: Vec<&ChannelRange> = channels.into_iter().collect();
        let specs = || channels.iter().map(|channel| &channel.specs[spec]);
        let within = |tokens: Option<u64>| {
            tokens.filter(|tokens| self.length.is_none_or(|length| *tokens <= length))
        };
        let count = |tokens: fn(&SpecRange) -> Option<u64>| {
            specs().filter_map(|spec| within(tokens(spec))).count()
        };
        let pair = |first, witness| format!("{}/{}", count(first), count(witness));
        let earliest = specs().filter_map(|spec| within(spec.first_of_sums())).min();
        let mut row = vec![
            name,
            bits(specs().map(|spec| spec.reach.integer_bits.aa)),
            bits(specs().map(|spec| spec.reach.integer_bits.bb)),
            pair(|spec| spec.first_saturation.aa, |spec| spec.witness.aa),
            pair(|spec| spec.first_saturation.bb, |spec| spec.witness.bb),
            count(SpecRange::first_of_sums).to_string(),
            earliest.map_or("-".to_owned(), |tokens| tokens.to_string()),
        ];
        if self.text.is_some() {
            row.push(seen(&channels, spec).to_string());
        }
        row
    }
}

/// Saturations of the state and of the output's sums in the run over the text.
fn seen(channels: &[&ChannelRange], spec: usize) -> u64 {
    let observed = channels.iter().filter_map(|channel| channel.observed.as_ref());
    observed
        .map(|observed| {
            let Saturations { aa, bb, num, den, .. } = observed.saturations[spec];
            aa + bb + num + den
        })
        .sum()
}

fn point(x: f64) -> Interval {
    Interval { low: x, high: x }
}

/// The least interval around all.
fn hull(intervals: impl Iterator<Item = Interval>) -> Interval {
    intervals
        .reduce(|a, b| Interval { low: a.low.min(b.low), high: a.high.max(b.high) })
        .unwrap_or(point(0.0))
}

/// Median, nine tenths and the greatest; `inf` where no number of bits is enough.
fn bits(channels: impl Iterator<Item = Option<u32>>) -> String {
    let mut all: Vec<u32> = channels.map(|bits| bits.unwrap_or(u32::MAX)).collect();
    all.sort_unstable();
    let quantile =
        |tenths: usize| match all.get(((all.len() * tenths).div_ceil(10)).saturating_sub(1)) {
            None => "-".to_owned(),
            Some(&u32::MAX) => "inf".to_owned(),
            Some(bits) => bits.to_string(),
        };
    [quantile(5), quantile(9), quantile(10)].join("/")
}
