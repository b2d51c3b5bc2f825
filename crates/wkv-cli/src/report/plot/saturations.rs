//! Where registers leave their range: a map of blocks and registers for each format.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};
use wkv::{Arithmetic, WkvSpec};

use super::errors::shown;
use super::{Drawn, Font, GRID, ORANGE, Paper, TEXT, WIDTH};
use crate::sweep::error::BlockError;
use crate::sweep::{Arm, Sweep};

/// Maps beside each other.
const COLUMNS: i32 = 2;

/// Room left of the cells of a map, for the names of the registers, and above and below them.
const NAMES: i32 = 116;
const HEAD: i32 = 76;
const FOOT: i32 = 110;

/// Height of a cell.
const CELL: i32 = 42;

/// The narrowest cell with a number in it.
const NARROWEST: i32 = 66;

/// The strongest shade.
const STRONGEST: f64 = 0.6;

/// How often each register saturated in each block, in the committed format and in the plain ones that
/// saturate, without the starts of documents: shaded by the
/// logarithm of the share of steps, and written where there is room.
pub fn saturations(sweep: &Sweep, committed: WkvSpec) -> String {
    let arms: Vec<&Arm> = shown(sweep, committed)
        .into_iter()
        .filter(|arm| arm.spec == Arithmetic::Fixed(committed) || saturates(sweep, arm))
        .collect();
    let registers = arms.first().map_or(0, |arm| counts(sweep, arm, 0).len()) as i32;
    let (width, height) = (WIDTH / COLUMNS, HEAD + CELL * registers + FOOT);
    let rows = (arms.len() as i32 + COLUMNS - 1) / COLUMNS;
    let title = "Saturations by block and register, without the starts of documents";
    super::svg(height * rows, title, &description(sweep, &arms), |paper| {
        (0..).zip(&arms).try_for_each(|(number, arm)| {
            let corner = (width * (number % COLUMNS) + NAMES, height * (number / COLUMNS) + HEAD);
            draw_map(paper, sweep, arm, corner, width - NAMES - 40)
        })
    })
}

fn draw_map(paper: &Paper, sweep: &Sweep, arm: &Arm, (left, top): (i32, i32), width: i32) -> Drawn {
    let blocks = arm.by_block.len() as i32;
    let cell = width / blocks.max(1);
    let steps = sweep.channel_steps / blocks.max(1) as u64;
    let label = |text: &str, place, anchor, font| super::write(paper, text, place, anchor, font);
    let title = (left, top - 22);
    label(&arm.spec.to_string(), title, (HPos::Left, VPos::Bottom), Font::BOLD)?;
    for (column, block) in (0..).zip(&arm.by_block) {
        let x = left + cell * column;
        for (row, (register, count)) in (0..).zip(counts(sweep, arm, block.block)) {
            let corners = [(x, top + CELL * row), (x + cell, top + CELL * (row + 1))];
            let middle = (x + cell / 2, top + CELL * row + CELL / 2);
            paper.draw(&Rectangle::new(corners, ORANGE.mix(shade(count, steps)).filled()))?;
            paper.draw(&Rectangle::new(corners, GRID.stroke_width(2)))?;
            if count > 0 && cell >= NARROWEST {
                label(&compact(count), middle, (HPos::Center, VPos::Center), Font::PLAIN)?;
            }
            if column == 0 {
                let name = (left - 14, middle.1);
                label(register, name, (HPos::Right, VPos::Center), Font::PLAIN)?;
            }
        }
        let every = (TEXT * 2 / cell.max(1)).max(1);
        if column % every == 0 {
            let below = (x + cell / 2, top + CELL * counts(sweep, arm, 0).len() as i32 + 12);
            label(&block.block.to_string(), below, (HPos::Center, VPos::Top), Font::PLAIN)?;
        }
    }
    let below = (left + cell * blocks / 2, top + CELL * counts(sweep, arm, 0).len() as i32 + 46);
    label("block", below, (HPos::Center, VPos::Top), Font::MUTED)
}

/// The saturations of a block by register; `ww2` without those at the starts of documents.
fn counts(sweep: &Sweep, arm: &Arm, block: usize) -> Vec<(&'static str, u64)> {
    let Some(BlockError { saturations_by_register, input_saturations, .. }) =
        arm.by_block.get(block)
    else {
        return Vec::new();
    };
    let starts = sweep.first_steps / arm.by_block.len() as u64;
    let registers = saturations_by_register.named().into_iter().map(|(register, count)| {
        (register, if register == "ww2" { count.saturating_sub(starts) } else { count })
    });
    registers.chain([("inputs", input_saturations.total())]).collect()
}

fn saturates(sweep: &Sweep, arm: &Arm) -> bool {
    let blocks = 0..arm.by_block.len();
    blocks.flat_map(|block| counts(sweep, arm, block)).any(|(_, count)| count > 0)
}

/// How strong the shade of a count is.
fn shade(count: u64, of: u64) -> f64 {
    let share = ((count + 1) as f64).ln() / ((of + 1) as f64).ln();
    STRONGEST * share.clamp(0.0, 1.0)
}

/// A count in at most four characters: `950`, `3.4k`, `274k`, `1.2M`.
fn compact(count: u64) -> String {
    const UNITS: [(&str, f64); 3] = [("k", 1e3), ("M", 1e6), ("G", 1e9)];
    if count < 1_000 {
        return count.to_string();
    }
    let fits = |(_, unit): &&(&str, f64)| (count as f64) < 999.5 * unit;
    let (name, unit) = UNITS.iter().find(fits).unwrap_or(&UNITS[2]);
    let number = count as f64 / unit;
    if number < 9.95 { format!("{number:.1}{name}") } else { format!("{number:.0}{name}") }
}

fn description(sweep: &Sweep, arms: &[&Arm]) -> String {
    let places = arms.iter().flat_map(|arm| {
        let blocks = arm.by_block.iter().map(|block| (arm.spec, block.block));
        blocks.flat_map(|(spec, block)| {
            let counts = counts(sweep, arm, block).into_iter().filter(|(_, count)| *count > 0);
            counts.map(move |(register, count)| {
                format!("{spec}, block {block}, {register}: {count}.")
            })
        })
    });
    let places: Vec<String> = places.collect();
    if places.is_empty() { "Nothing saturated.".to_owned() } else { places.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_take_at_most_four_characters() {
        let texts = [0, 999, 1_000, 9_949, 9_950, 274_290, 999_499, 999_500, 1_234_567];
        assert_eq!(
            texts.map(compact),
            ["0", "999", "1.0k", "9.9k", "10k", "274k", "999k", "1.0M", "1.2M"]
        );
    }

    #[test]
    fn shades_grow_with_the_count() {
        let shades = [0, 1, 100, 1_000_000].map(|count| shade(count, 1_000_000));
        assert!(shades.is_sorted() && shades[0] == 0.0 && shades[3] == STRONGEST, "{shades:?}");
    }
}
