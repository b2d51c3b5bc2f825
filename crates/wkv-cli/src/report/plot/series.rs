//! Lines with markers that can be told apart without colour.

use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::panel::Panel;
use super::{BLUE, Drawn, Font, GREEN, INK, OCHRE, ORANGE, PAPER, PURPLE, Paper, Place, WIDTH};

/// How a series looks.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    color: RGBColor,
    /// Length of dashes and of the gaps between them; none for a solid line.
    dashes: Option<(i32, i32)>,
    marker: Marker,
}

#[derive(Clone, Copy, Debug)]
enum Marker {
    Disc,
    Ring,
    Square,
    Triangle,
    Cross,
    Diamond,
}

impl Look {
    /// The series that matters most.
    pub const MAIN: Look = Look { color: INK, dashes: None, marker: Marker::Disc };

    /// The look of the other series, by number.
    pub fn other(number: usize) -> Look {
        const LOOKS: [Look; 5] = [
            Look { color: BLUE, dashes: None, marker: Marker::Ring },
            Look { color: ORANGE, dashes: Some((20, 10)), marker: Marker::Square },
            Look { color: GREEN, dashes: Some((6, 8)), marker: Marker::Triangle },
            Look { color: PURPLE, dashes: Some((32, 12)), marker: Marker::Cross },
            Look { color: OCHRE, dashes: Some((12, 6)), marker: Marker::Diamond },
        ];
        LOOKS[number % LOOKS.len()]
    }

    /// Draws a line through `places`.
    pub fn draw_line(self, paper: &Paper, places: Vec<Place>) -> Drawn {
        let style = self.color.stroke_width(4);
        match self.dashes {
            None => paper.draw(&PathElement::new(places, style)),
            Some((dash, gap)) => paper.draw(&DashedPathElement::new(places, dash, gap, style)),
        }
    }

    /// Draws a marker.
    pub fn draw_marker(self, paper: &Paper, (x, y): Place) -> Drawn {
        let (style, r) = (self.color.filled(), 9);
        let polygon = |corners: &[Place]| {
            let corners: Vec<Place> = corners.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
            paper.draw(&Polygon::new(corners, style))
        };
        match self.marker {
            Marker::Disc => paper.draw(&Circle::new((x, y), r, style)),
            Marker::Ring => {
                paper.draw(&Circle::new((x, y), r, PAPER.filled()))?;
                paper.draw(&Circle::new((x, y), r, self.color.stroke_width(4)))
            }
            Marker::Square => polygon(&[(-r, -r), (r, -r), (r, r), (-r, r)]),
            Marker::Triangle => polygon(&[(0, -r - 3), (r + 2, r), (-r - 2, r)]),
            Marker::Cross => paper.draw(&Cross::new((x, y), r, self.color.stroke_width(5))),
            Marker::Diamond => polygon(&[(0, -r - 4), (r + 4, 0), (0, r + 4), (-r - 4, 0)]),
        }
    }
}

/// A named line through points.
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// How it looks.
    pub look: Look,
    /// Its points.
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// Draws the line, and a marker at every point if `markers`.
    pub fn draw(&self, paper: &Paper, panel: &Panel, markers: bool) -> Drawn {
        let on_paper = self.points.iter().filter(|(_, y)| panel.y.holds(*y));
        let places: Vec<Place> = on_paper.map(|&(x, y)| panel.place(x, y)).collect();
        self.look.draw_line(paper, places.clone())?;
        for place in places.into_iter().filter(|_| markers) {
            self.look.draw_marker(paper, place)?;
        }
        Ok(())
    }
}

/// Entries of a legend beside each other.
const COLUMNS: usize = 3;

/// Height of a line of a legend.
const LINE: i32 = 44;

/// Height of the legend of so many series.
pub fn legend_height(series: usize) -> i32 {
    series.div_ceil(COLUMNS) as i32 * LINE
}

/// Draws a legend whose upper edge is at `top`.
pub fn draw_legend(paper: &Paper, series: &[Series], top: i32, markers: bool) -> Drawn {
    let width = (WIDTH - 80) / COLUMNS as i32;
    for (number, Series { name, look, .. }) in series.iter().enumerate() {
        let x = 80 + width * (number % COLUMNS) as i32;
        let y = top + LINE * (number / COLUMNS) as i32 + LINE / 2;
        look.draw_line(paper, vec![(x, y), (x + 76, y)])?;
        if markers {
            look.draw_marker(paper, (x + 38, y))?;
        }
        super::write(paper, name, (x + 92, y), (HPos::Left, VPos::Center), Font::PLAIN)?;
    }
    Ok(())
}
