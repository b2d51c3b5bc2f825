//! How long the channels of each block remember.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::axis::Axis;
use super::panel::{Panel, line};
use super::{BLUE, Font, INK, WIDTH};
use crate::report::notation::counted;
use crate::report::spectrum::{BINS, BlockSpectrum, SLOW, Spectrum, bin_start};

/// Height of a block's row.
const ROW: i32 = 92;

/// Height of the tallest bar.
const BAR: i32 = 76;

/// Room above the rows.
const HEAD: i32 = 76;

/// Room below the rows.
const FOOT: i32 = 104;

/// Room for the names of the blocks, and for their medians.
const NAMES: i32 = 150;
const MEDIANS: i32 = 190;

/// The half-lives of each block's channels as a histogram, one row a block, all to one scale.
pub fn spectrum(spectrum: &Spectrum) -> String {
    let blocks = &spectrum.by_block;
    let tallest = blocks.iter().flat_map(|block| &block.histogram).copied().max().unwrap_or(0);
    let bar = |count: usize| (count * BAR as usize).div_ceil(tallest.max(1)) as i32;
    let height = ROW * blocks.len() as i32;
    let panel = Panel {
        left: NAMES,
        top: HEAD,
        width: WIDTH - NAMES - MEDIANS,
        height,
        x: half_lives(),
        y: Axis::with_ticks(-(blocks.len() as f64), 0.0, Vec::new()),
    };
    let place = |half_life: f64, row: usize| panel.place(half_life, -(row as f64 + 1.0));
    let title = format!("Half-lives of {}", counted(spectrum.channels as u64, "channel"));
    super::svg(HEAD + height + FOOT, &title, &description(spectrum), |paper| {
        panel.draw_frame(paper, "half-life, tokens; dashed at 100", &title)?;
        let heading = (WIDTH - 16, HEAD - 22);
        super::write(paper, "median, tokens", heading, (HPos::Right, VPos::Bottom), Font::MUTED)?;
        for (row, block) in blocks.iter().enumerate() {
            let (left, bottom) = place(bin_start(0), row);
            line(paper, (left, bottom), (left + panel.width, bottom), INK)?;
            for (bin, &count) in block.histogram.iter().enumerate().filter(|(_, count)| **count > 0)
            {
                let (left, right) =
                    (place(bin_start(bin), row).0, place(bin_start(bin + 1), row).0);
                let corners = [(left + 1, bottom - bar(count)), (right - 1, bottom)];
                paper.draw(&Rectangle::new(corners, BLUE.filled()))?;
            }
            let middle = bottom - ROW / 2;
            let name = format!("block {}", block.block);
            super::write(
                paper,
                &name,
                (NAMES - 16, middle),
                (HPos::Right, VPos::Center),
                Font::PLAIN,
            )?;
            let median = median(block);
            super::write(
                paper,
                &median,
                (WIDTH - 16, middle),
                (HPos::Right, VPos::Center),
                Font::PLAIN,
            )?;
        }
        panel.draw_limit(paper, SLOW)
    })
}

/// The axis of half-lives: all bins, with ticks at powers of ten.
fn half_lives() -> Axis {
    let ticks = [0.1, 1.0, 10.0, 100.0, 1_000.0];
    let ticks = ticks.map(|tick| (tick, tick.to_string())).to_vec();
    Axis::logarithmic_between(bin_start(0), bin_start(BINS), ticks)
}

fn description(spectrum: &Spectrum) -> String {
    let blocks = spectrum.by_block.iter().map(|block| {
        let longest =
            block.longest.map_or("without end".to_owned(), |longest| format!("{longest:.1}"));
        format!("Block {}: median {} tokens, longest {longest}.", block.block, median(block))
    });
    blocks.collect::<Vec<_>>().join(" ")
}

fn median(block: &BlockSpectrum) -> String {
    if block.median < 10.0 {
        format!("{:.2}", block.median)
    } else {
        format!("{:.0}", block.median)
    }
}
