//! Plots as SVG, drawn with `plotters`.
//!
//! Series differ in shape and dash as well as in colour. Colours follow the reader's scheme, light
//! or dark, through [`STYLE`]. Plots are drawn at twice the size they are shown at, because
//! `plotters` places everything on whole pixels.

mod axis;
mod errors;
mod exp2;
mod formats;
mod panel;
mod positions;
mod saturations;
mod series;
mod spectrum;

use std::io;

use maud::html;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

pub use errors::errors;
pub use exp2::exp2;
pub use formats::formats;
pub use positions::positions;
pub use saturations::saturations;
pub use spectrum::spectrum;

/// The style sheet that the plots of a page need.
pub const STYLE: &str = include_str!("style.css");

/// Width of every plot.
const WIDTH: i32 = 1440;

/// Size of most text.
const TEXT: i32 = 26;

// Each colour has its counterpart for dark paper in `style.css`. The hues follow Okabe and Ito's
// palette for colour-blind readers, darkened where they are too pale for lines on white.
const INK: RGBColor = RGBColor(0x1a, 0x1a, 0x1a);
const MUTED: RGBColor = RGBColor(0x5f, 0x5f, 0x5f);
const GRID: RGBColor = RGBColor(0xdc, 0xdc, 0xdc);
const PAPER: RGBColor = RGBColor(0xff, 0xff, 0xff);
const BLUE: RGBColor = RGBColor(0x00, 0x72, 0xb2);
const ORANGE: RGBColor = RGBColor(0xd5, 0x5e, 0x00);
const GREEN: RGBColor = RGBColor(0x00, 0x82, 0x5f);
const PURPLE: RGBColor = RGBColor(0xa5, 0x47, 0x8a);
const OCHRE: RGBColor = RGBColor(0x9a, 0x6a, 0x00);

/// A place on the paper, from the upper left.
type Place = (i32, i32);

/// The paper.
type Paper<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// What drawing gives.
type Drawn = Result<(), DrawingAreaErrorKind<io::Error>>;

/// A plot of some height, as an SVG document; `title` and `description` say in words what it shows.
fn svg(height: i32, title: &str, description: &str, draw: impl FnOnce(&Paper) -> Drawn) -> String {
    let mut svg = String::new();
    let size = (WIDTH as u32, height as u32);
    let paper = SVGBackend::with_string(&mut svg, size).into_drawing_area();
    paper
        .fill(&PAPER)
        .and_then(|()| draw(&paper))
        .and_then(|()| paper.present())
        .expect("drawing into memory succeeds");
    drop(paper);
    let words = html! { title { (title) } desc { (description) } };
    let (tag, rest) = parts(&svg);
    format!("{tag} role=\"img\">{}{rest}", words.into_string())
}

/// The first tag of a plot without its end, and what follows it.
fn parts(svg: &str) -> (&str, &str) {
    svg.split_once('>').expect("a plot starts with its tag")
}

/// A plot with its style sheet inside, as a file of its own.
pub fn standalone(svg: &str) -> String {
    let (tag, rest) = parts(svg);
    format!("{tag}><style>{STYLE}</style>{rest}")
}

/// Draws text; `horizontal` and `vertical` tell which point of it `place` is.
fn write(
    paper: &Paper,
    text: &str,
    place: Place,
    (horizontal, vertical): (HPos, VPos),
    font: Font,
) -> Drawn {
    // The backend divides the size by this factor.
    let size = f64::from(font.size) * 1.24;
    let style = if font.bold { FontStyle::Bold } else { FontStyle::Normal };
    let style = (FontFamily::SansSerif, size, style)
        .into_text_style(paper)
        .color(&font.color)
        .pos(Pos::new(horizontal, vertical));
    paper.draw_text(text, &style, place)
}

/// How text looks.
#[derive(Clone, Copy)]
struct Font {
    size: i32,
    color: RGBColor,
    bold: bool,
}

impl Font {
    const PLAIN: Font = Font { size: TEXT, color: INK, bold: false };
    const BOLD: Font = Font { bold: true, ..Font::PLAIN };
    const MUTED: Font = Font { color: MUTED, ..Font::PLAIN };
}
