//! What each format costs the model: perplexity, which hardly tells, and divergence, which does.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};
use wkv::Arithmetic;

use super::axis::Axis;
use super::panel::{Panel, line};
use super::{BLUE, Drawn, Font, INK, MUTED, Paper, WIDTH};
use crate::report::choice::Choice;
use crate::report::notation::{percent, scientific};
use crate::sweep::{Arm, Sweep};

/// Height of a row.
const ROW: i32 = 48;

/// Room for a character of a format's name.
const CHARACTER: i32 = 16;

/// Room above the rows.
const HEAD: i32 = 76;

/// Room below the rows.
const FOOT: i32 = 104;

/// The rise in perplexity of every format beside its KL, each with its 95% interval; the lowest KL
/// on top, the limits of the rule dashed.
pub fn formats(sweep: &Sweep, choice: &Choice) -> String {
    let mut arms: Vec<&Arm> = sweep.fixed_arms().collect();
    arms.sort_by(|a, b| a.kl_mean.total_cmp(&b.kl_mean));
    let height = ROW * arms.len() as i32;
    let longest = arms.iter().map(|arm| arm.spec.to_string().len()).max().unwrap_or(0);
    let names = 40 + CHARACTER * longest as i32;
    let title = "Rise in perplexity and divergence from the float model, by format";
    super::svg(HEAD + height + FOOT, title, &description(&arms), |paper| {
        let changes: Vec<Measured> = arms.iter().map(|arm| arm.perplexity_change()).collect();
        let divergences: Vec<Measured> =
            arms.iter().map(|arm| (arm.kl_mean, arm.kl_mean_interval)).collect();
        let (width, gap) = ((WIDTH - names - 100) / 2, 60);
        let rows = Axis::with_ticks(-(arms.len() as f64), 0.0, Vec::new());
        let panel =
            |left: i32, x: Axis| Panel { left, top: HEAD, width, height, x, y: rows.clone() };

        let percent = Axis::linear(values(&changes).chain([0.0]));
        let perplexity = panel(names, percent);
        perplexity.draw_frame(paper, "rise over float, %; limit dashed", "Perplexity")?;
        let (zero, _) = perplexity.place(0.0, 0.0);
        line(paper, (zero, HEAD), (zero, HEAD + height), MUTED)?;

        let kl = panel(names + width + gap, Axis::logarithmic(values(&divergences), 6));
        kl.draw_frame(paper, "nats a token; limit dashed", "KL from the float model")?;

        for (panel, limit) in [(&perplexity, choice.perplexity_limit), (&kl, choice.kl_limit)] {
            if panel.x.holds(limit) {
                panel.draw_limit(paper, limit)?;
            }
        }
        for (row, arm) in arms.iter().enumerate() {
            let committed = arm.spec == Arithmetic::Fixed(choice.committed);
            let y = -(row as f64 + 0.5);
            let name = (names - 24, perplexity.place(0.0, y).1);
            let font = if committed { Font::BOLD } else { Font::PLAIN };
            super::write(paper, &arm.spec.to_string(), name, (HPos::Right, VPos::Center), font)?;
            draw_measured(paper, &perplexity, changes[row], y, committed)?;
            draw_measured(paper, &kl, divergences[row], y, committed)?;
        }
        Ok(())
    })
}

fn description(arms: &[&Arm]) -> String {
    let arms = arms.iter().map(|arm| {
        let (change, _) = arm.perplexity_change();
        format!(
            "{}: perplexity {}, KL {} nats.",
            arm.spec,
            percent(change),
            scientific(arm.kl_mean)
        )
    });
    arms.collect::<Vec<_>>().join(" ")
}

/// A figure with its interval, if it has one.
type Measured = (f64, Option<[f64; 2]>);

fn values(figures: &[Measured]) -> impl Iterator<Item = f64> {
    figures.iter().flat_map(|&(figure, interval)| {
        std::iter::once(figure).chain(interval.into_iter().flatten())
    })
}

fn draw_measured(
    paper: &Paper,
    panel: &Panel,
    (figure, interval): Measured,
    y: f64,
    committed: bool,
) -> Drawn {
    let color = if committed { INK } else { BLUE };
    if let Some(ends) = interval {
        let ends = ends.map(|end| panel.place(end, y));
        paper.draw(&PathElement::new(ends, color.stroke_width(4)))?;
        for (x, y) in ends {
            paper.draw(&PathElement::new([(x, y - 8), (x, y + 8)], color.stroke_width(4)))?;
        }
    }
    paper.draw(&Circle::new(panel.place(figure, y), 8, color.filled()))
}
