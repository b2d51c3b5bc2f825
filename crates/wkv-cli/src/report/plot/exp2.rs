//! The deviation of the exp2 units over their inputs.

use std::iter;

use super::WIDTH;
use super::axis::Axis;
use super::panel::Panel;
use super::series::{Look, Series, draw_legend, legend_height};
use crate::report::exp2::{Exp2Deviation, PROFILE_END};
use crate::report::notation::scientific;

/// Room above the panel.
const HEAD: i32 = 76;

/// Height of the panel.
const HEIGHT: i32 = 400;

/// Room for the labels below the panel.
const FOOT: i32 = 116;

/// The greatest deviation from `2^-x` along x; the first spec is the committed one.
pub fn exp2(deviations: &[Exp2Deviation]) -> String {
    let looks = iter::once(Look::MAIN).chain((1..).map(Look::other));
    let series: Vec<Series> = iter::zip(deviations, looks)
        .map(|(deviation, look)| Series {
            name: deviation.spec.to_string(),
            look,
            points: deviation.profile.clone(),
        })
        .collect();
    let values = series.iter().flat_map(|series| series.points.iter().map(|(_, y)| *y));
    let ticks = (0..=PROFILE_END as i32).step_by(2).map(|x| (f64::from(x), x.to_string()));
    let panel = Panel {
        left: 120,
        top: HEAD,
        width: WIDTH - 160,
        height: HEIGHT,
        x: Axis::with_ticks(0.0, PROFILE_END, ticks.collect()),
        y: Axis::logarithmic(values, 9),
    };
    let height = HEAD + HEIGHT + FOOT + legend_height(series.len()) + 16;
    let title = "Greatest deviation of the exp2 units from the true value";
    super::svg(height, title, &description(deviations), |paper| {
        panel.draw_frame(paper, "x", "Greatest deviation from 2⁻ˣ")?;
        series.iter().try_for_each(|series| series.draw(paper, &panel, false))?;
        draw_legend(paper, &series, HEAD + HEIGHT + FOOT, false)
    })
}

fn description(deviations: &[Exp2Deviation]) -> String {
    let worst = deviations.iter().map(|deviation| {
        let worst = scientific(deviation.worst);
        format!("{}: at most {worst}, at x = {}.", deviation.spec, deviation.worst_x)
    });
    worst.collect::<Vec<_>>().join(" ")
}
