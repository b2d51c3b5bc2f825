//! The error along the documents, block by block.

use wkv::{Arithmetic, WkvSpec};

use super::WIDTH;
use super::axis::Axis;
use super::errors::places;
use super::panel::Panel;
use super::series::{Look, Series, draw_legend, legend_height};
use crate::arguments::distinct;
use crate::published;
use crate::report::notation::{scientific, thousands};
use crate::sweep::error::BlockError;
use crate::sweep::{Arm, Sweep};

/// Room above the panels.
const HEAD: i32 = 76;

/// Height of the panels.
const HEIGHT: i32 = 460;

/// Room for the labels below the panels.
const FOOT: i32 = 116;

/// Room left of a panel.
const MARGIN: i32 = 110;

/// Most blocks that are shown: lines that can be told apart.
const BLOCKS: usize = 6;

/// The RMS error of the published and of the committed format along the documents, a line a block.
pub fn positions(sweep: &Sweep, committed: WkvSpec) -> String {
    let arms: Vec<&Arm> = distinct(&[published::spec(), committed])
        .iter()
        .filter_map(|spec| sweep.arm(Arithmetic::Fixed(*spec)))
        .collect();
    let blocks = shown(sweep.arms[0].by_block.len());
    let errors = arms.iter().flat_map(|arm| &arm.by_block).flat_map(|block| &block.by_position);
    let y = Axis::logarithmic(errors.map(|error| error.rms_error), 9);
    let width = (WIDTH - 30) / arms.len() as i32 - MARGIN;
    let height = HEAD + HEIGHT + FOOT + legend_height(blocks.len()) + 16;
    let title = "RMS error at the output of the recurrence along the documents, by block";
    super::svg(height, title, &description(&arms), |paper| {
        let mut left = MARGIN;
        for arm in &arms {
            let series = series(arm, &blocks);
            let panel = Panel {
                left,
                top: HEAD,
                width,
                height: HEIGHT,
                x: starts(arm, width),
                y: y.clone(),
            };
            panel.draw_frame(paper, "from token", &format!("RMS error, {}", arm.spec))?;
            series.iter().try_for_each(|series| series.draw(paper, &panel, true))?;
            left += width + MARGIN;
        }
        match arms.first() {
            Some(arm) => draw_legend(paper, &series(arm, &blocks), HEAD + HEIGHT + FOOT, true),
            None => Ok(()),
        }
    })
}

/// The blocks that are shown: the first, the last, and others evenly between them.
fn shown(blocks: usize) -> Vec<usize> {
    let lines = blocks.min(BLOCKS);
    (0..lines).map(|line| line * (blocks - 1) / (lines - 1).max(1)).collect()
}

/// A line a block; the last block's stands out.
fn series(arm: &Arm, blocks: &[usize]) -> Vec<Series> {
    let last = blocks.len() - 1;
    let lines = blocks.iter().map(|&block| (block, &arm.by_block[block])).enumerate();
    lines
        .map(|(line, (block, errors))| Series {
            name: format!("block {block}"),
            look: if line == last { Look::MAIN } else { Look::other(line) },
            points: points(errors),
        })
        .collect()
}

fn points(block: &BlockError) -> Vec<(f64, f64)> {
    let positions = (0..).map(f64::from).zip(&block.by_position);
    positions.map(|(x, error)| (x, error.rms_error)).collect()
}

/// An axis with a place for each range of positions that a document reaches, labelled where it starts.
fn starts(arm: &Arm, width: i32) -> Axis {
    let starts = arm.by_position.iter().map(|error| thousands(error.from as u64));
    places(starts.collect(), width)
}

fn description(arms: &[&Arm]) -> String {
    let blocks = arms.iter().flat_map(|arm| arm.by_block.iter().map(|block| (arm.spec, block)));
    let blocks = blocks.map(|(spec, block): (Arithmetic, &BlockError)| {
        let errors = points(block).into_iter().map(|(_, error)| scientific(error));
        format!("{spec}, block {}: {}.", block.block, errors.collect::<Vec<_>>().join(", "))
    });
    blocks.collect::<Vec<_>>().join(" ")
}
