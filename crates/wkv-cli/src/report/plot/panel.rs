//! A rectangle with two axes.

use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::axis::Axis;
use super::{Drawn, Font, GRID, INK, Paper, Place};

/// A rectangle with two axes, somewhere on the paper.
pub struct Panel {
    /// Left edge.
    pub left: i32,
    /// Upper edge.
    pub top: i32,
    /// Width.
    pub width: i32,
    /// Height.
    pub height: i32,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis, upwards.
    pub y: Axis,
}

impl Panel {
    /// Where a point lies on the paper.
    pub fn place(&self, x: f64, y: f64) -> Place {
        let along = |start: i32, length: i32, share: f64| {
            start + (f64::from(length) * share).round() as i32
        };
        let bottom = self.top + self.height;
        (
            along(self.left, self.width, self.x.share(x)),
            along(bottom, -self.height, self.y.share(y)),
        )
    }

    /// Draws the grid, the labels of the ticks and the titles, the one of the vertical axis above.
    pub fn draw_frame(&self, paper: &Paper, x_title: &str, y_title: &str) -> Drawn {
        let Self { left, top, width, height, .. } = *self;
        let (right, bottom) = (left + width, top + height);
        for (tick, label) in &self.x.ticks {
            let x = left + (f64::from(width) * self.x.share(*tick)).round() as i32;
            line(paper, (x, top), (x, bottom), GRID)?;
            super::write(paper, label, (x, bottom + 12), (HPos::Center, VPos::Top), Font::PLAIN)?;
        }
        for (tick, label) in &self.y.ticks {
            let y = bottom - (f64::from(height) * self.y.share(*tick)).round() as i32;
            line(paper, (left, y), (right, y), GRID)?;
            super::write(paper, label, (left - 12, y), (HPos::Right, VPos::Center), Font::PLAIN)?;
        }
        line(paper, (left, bottom), (right, bottom), INK)?;
        let below = (left + width / 2, bottom + 52);
        super::write(paper, x_title, below, (HPos::Center, VPos::Top), Font::MUTED)?;
        super::write(paper, y_title, (left, top - 22), (HPos::Left, VPos::Bottom), Font::BOLD)
    }

    /// Draws a dashed line across the panel at `x`.
    pub fn draw_limit(&self, paper: &Paper, x: f64) -> Drawn {
        let x = self.left + (f64::from(self.width) * self.x.share(x)).round() as i32;
        let ends = [(x, self.top), (x, self.top + self.height)];
        paper.draw(&DashedPathElement::new(ends, 10, 8, INK.stroke_width(2)))
    }
}

/// A thin line.
pub fn line(paper: &Paper, from: Place, to: Place, color: RGBColor) -> Drawn {
    paper.draw(&PathElement::new([from, to], color.stroke_width(2)))
}
