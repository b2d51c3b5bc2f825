//! Pictures as SVG in the page: their frame, and how values become places.
//!
//! Colours are the variables of the page's style sheet, through the classes `ink`, `soft`, `line`,
//! `accent`, `float`, `circuit`, `input` and `error`. A picture is as wide as a phone, so that its
//! text can be read there.

use std::fmt::Write;

use maud::{Markup, html};

use super::sources::Origin;

/// The width of every picture, in its own units.
pub const WIDTH: f64 = 400.0;

/// A picture: words for those who cannot see it, and what is drawn.
pub struct Picture {
    /// The name that its parts' ids begin with.
    pub id: &'static str,
    /// What it shows, in a few words.
    pub title: String,
    /// What is to be seen, in sentences.
    pub description: String,
    /// Its height, in its own units.
    pub height: f64,
    /// What is drawn.
    pub body: Markup,
}

impl Picture {
    /// The picture with its caption.
    pub fn figure(&self, caption: Markup) -> Markup {
        let Self { id, title, description, height, body } = self;
        let [title_id, description_id] = [format!("{id}-title"), format!("{id}-description")];
        html! {
            figure {
                svg viewBox=(format!("0 0 {WIDTH} {height}")) role="img"
                    aria-labelledby=(title_id) aria-describedby=(description_id) {
                    title id=(title_id) { (title) }
                    desc id=(description_id) { (description) }
                    (body)
                }
                figcaption { (caption) }
            }
        }
    }
}

/// Where values lie on paper: `from` lies at `start`, `to` at `end`, the others evenly between.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    from: f64,
    to: f64,
    start: f64,
    end: f64,
}

impl Scale {
    /// A scale for the values `from` to `to`.
    pub fn new([from, to]: [f64; 2], [start, end]: [f64; 2]) -> Self {
        Self { from, to, start, end }
    }

    /// Where `value` lies.
    pub fn at(&self, value: f64) -> f64 {
        self.start + (value - self.from) / (self.to - self.from) * (self.end - self.start)
    }

    /// The same as an attribute.
    pub fn place(&self, value: f64) -> String {
        place(self.at(value))
    }
}

/// A place as an attribute, to a tenth.
pub fn place(at: f64) -> String {
    let text = format!("{at:.1}");
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
}

/// A line through points on paper, as the attribute of a path.
pub fn path(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (x, y) in points {
        let command = if path.is_empty() { 'M' } else { 'L' };
        write!(path, "{command}{} {}", place(x), place(y)).expect("strings take everything");
    }
    path
}

/// Where figures come from.
pub fn source<T>(origin: &Origin<T>) -> Markup {
    html! {
        span.source { "From " code { (origin.file) } ", written by " code { (origin.command) } "." }
    }
}

/// Where figures come from that are computed when the site is written, and a command that does the
/// same.
pub fn computed(what: &str, command: &str) -> Markup {
    html! {
        span.source {
            "Computed " (what) " when this site was written; by hand: " code { (command) } "."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_may_run_backwards() {
        let scale = Scale::new([0.0, 2.0], [100.0, 50.0]);
        assert_eq!([0.0, 1.0, 2.0].map(|value| scale.place(value)), ["100", "75", "50"]);
    }

    #[test]
    fn paths_are_short() {
        assert_eq!(path([(0.0, 1.25), (10.04, 2.0)]), "M0 1.2L10 2");
        assert_eq!(path([]), "");
    }
}
