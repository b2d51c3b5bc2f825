//! The error at the output of the recurrence, by block and by position.

use std::iter;

use wkv::{Arithmetic, WkvSpec};

use super::WIDTH;
use super::axis::Axis;
use super::panel::Panel;
use super::series::{Look, Series, draw_legend, legend_height};
use crate::report::notation::scientific;
use crate::sweep::{Arm, Sweep};

/// Room above the panels.
const HEAD: i32 = 76;

/// Height of the panels.
const HEIGHT: i32 = 420;

/// Room for the labels below the panels.
const FOOT: i32 = 116;

/// Width of a character of a label, and of what is between two labels, at least.
const CHARACTER: i32 = 16;
const GAP: i32 = 16;

/// The RMS error of each plain format, and of the committed one, by block and by position.
pub fn errors(sweep: &Sweep, committed: WkvSpec) -> String {
    let arms = shown(sweep, committed);
    let looks = looks(&arms, committed);
    let rms = arms.iter().flat_map(|arm| {
        let blocks = arm.by_block.iter().map(|error| error.rms_error);
        blocks.chain(arm.by_position.iter().map(|error| error.rms_error))
    });
    let y = Axis::logarithmic(rms, 9);
    let title = "RMS error at the output of the recurrence, by block and by position";
    let height = HEAD + HEIGHT + FOOT + legend_height(arms.len()) + 16;
    super::svg(height, title, &description(&arms), |paper| {
        let (margin, gap) = (110, 130);
        let width = (WIDTH - margin - gap - 30) / 2;
        let panel = |left: i32, labels: Vec<String>| Panel {
            left,
            top: HEAD,
            width,
            height: HEIGHT,
            x: places(labels, width),
            y: y.clone(),
        };
        let by_block = panel(
            margin,
            labels(&arms, |arm| arm.by_block.iter().map(|error| error.block.to_string()).collect()),
        );
        by_block.draw_frame(paper, "block", "RMS error by block")?;
        let by_position = panel(
            margin + width + gap,
            labels(&arms, |arm| {
                arm.by_position.iter().map(|error| error.to_string().replace('-', "–")).collect()
            }),
        );
        by_position.draw_frame(
            paper,
            "position in the document, tokens",
            "RMS error by position",
        )?;

        let series = |points: &dyn Fn(&Arm) -> Vec<f64>| -> Vec<Series> {
            let arms = iter::zip(&arms, &looks);
            arms.map(|(arm, &look)| Series {
                name: arm.spec.to_string(),
                look,
                points: (0..).map(f64::from).zip(points(arm)).collect(),
            })
            .collect()
        };
        let blocks = series(&|arm| arm.by_block.iter().map(|error| error.rms_error).collect());
        let positions =
            series(&|arm| arm.by_position.iter().map(|error| error.rms_error).collect());
        for (panel, series) in [(&by_block, &blocks), (&by_position, &positions)] {
            series.iter().try_for_each(|series| series.draw(paper, panel, true))?;
        }
        draw_legend(paper, &blocks, HEAD + HEIGHT + FOOT, true)
    })
}

/// The formats without options, by rising fraction bits, and the committed spec.
pub fn shown(sweep: &Sweep, committed: WkvSpec) -> Vec<&Arm> {
    let fixed = sweep.arms.iter().filter_map(|arm| match arm.spec {
        Arithmetic::Float | Arithmetic::Exact(_) => None,
        Arithmetic::Fixed(spec) => Some((spec, arm)),
    });
    let mut shown: Vec<(WkvSpec, &Arm)> = fixed
        .filter(|&(spec, _)| spec == WkvSpec::classic(spec.format) || spec == committed)
        .collect();
    shown.sort_by_key(|(spec, _)| (spec.format.fraction_bits(), spec.to_string()));
    shown.into_iter().map(|(_, arm)| arm).collect()
}

fn description(arms: &[&Arm]) -> String {
    let arms = arms.iter().map(|arm| {
        let blocks = arm.by_block.iter().map(|error| scientific(error.rms_error));
        format!("{}: by block {}.", arm.spec, blocks.collect::<Vec<_>>().join(", "))
    });
    arms.collect::<Vec<_>>().join(" ")
}

fn looks(arms: &[&Arm], committed: WkvSpec) -> Vec<Look> {
    let mut others = 0..;
    arms.iter()
        .map(|arm| match arm.spec == Arithmetic::Fixed(committed) {
            true => Look::MAIN,
            false => Look::other(others.next().expect("it has no end")),
        })
        .collect()
}

fn labels(arms: &[&Arm], labels: impl Fn(&Arm) -> Vec<String>) -> Vec<String> {
    arms.first().map_or_else(Vec::new, |arm| labels(arm))
}

/// An axis with a place for each label, as many of them written as there is room for.
pub fn places(labels: Vec<String>, width: i32) -> Axis {
    let count = labels.len();
    let longest = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    let room = width / (CHARACTER * longest as i32 + GAP);
    let every = count.div_ceil(room.max(1) as usize).max(1);
    let ticks = (0..).map(f64::from).zip(labels).step_by(every).collect();
    Axis::with_ticks(-0.35, count as f64 - 0.65, ticks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(labels: &[&str], width: i32) -> Vec<String> {
        let axis = places(labels.iter().map(|label| (*label).to_owned()).collect(), width);
        axis.ticks.into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn labels_are_written_where_there_is_room() {
        assert_eq!(written(&["0–31", "32–127", "128–255", "256–511"], 585).len(), 4);
        let long = ["0–31", "512–1023", "4096–8191", "8192–16383", "16384–32767"];
        assert_eq!(written(&long, 400), ["0–31", "8192–16383"]);
        assert!(written(&[], 585).is_empty());
    }
}
