//! The places of a template, and what stands there.
//!
//! A template is a page of prose. `{{name}}` is the place of a figure within a sentence,
//! `<!-- slot: name -->` that of a fragment: a table or a picture.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, Render};

/// What stands in the places of a template, by their names.
#[derive(Default)]
pub struct Contents {
    figures: BTreeMap<&'static str, String>,
    fragments: BTreeMap<&'static str, Markup>,
}

impl Contents {
    /// Adds a figure as plain text.
    pub fn figure(&mut self, name: &'static str, text: impl ToString) {
        self.figures.insert(name, text.to_string());
    }

    /// Adds a fragment.
    pub fn fragment(&mut self, name: &'static str, markup: Markup) {
        self.fragments.insert(name, markup);
    }

    /// The template with everything in its place.
    ///
    /// # Errors
    /// All that is wrong, a line each: places that nothing stands in, contents without a place, and
    /// places that do not end.
    pub fn fill(&self, template: &str) -> Result<String, Vec<String>> {
        let mut page = String::with_capacity(2 * template.len());
        let mut problems = Vec::new();
        let mut placed = BTreeSet::new();
        let mut rest = template;
        while let Some((before, kind, after)) = next_place(rest) {
            page.push_str(before);
            let start = template.len() - after.len() - kind.opening().len();
            let line = 1 + template[..start].matches('\n').count();
            let Some((name, after)) = after.split_once(kind.closing()) else {
                problems.push(format!("line {line}: a place begins and has no {}", kind.closing()));
                rest = "";
                break;
            };
            let name = name.trim();
            match self.content(kind, name) {
                Some(content) => page.push_str(&content),
                None => problems.push(format!("line {line}: there is no {} {name}", kind.word())),
            }
            placed.insert((kind, name.to_owned()));
            rest = after;
        }
        page.push_str(rest);
        problems.extend(
            self.names().filter(|(kind, name)| !placed.contains(&(*kind, (*name).to_owned()))).map(
                |(kind, name)| format!("the {} {name} has no place in the template", kind.word()),
            ),
        );
        if problems.is_empty() { Ok(page) } else { Err(problems) }
    }

    fn content(&self, kind: Kind, name: &str) -> Option<String> {
        match kind {
            Kind::Figure => Some(self.figures.get(name)?.as_str().render().into_string()),
            Kind::Fragment => Some(self.fragments.get(name)?.clone().into_string()),
        }
    }

    fn names(&self) -> impl Iterator<Item = (Kind, &'static str)> {
        let figures = self.figures.keys().map(|name| (Kind::Figure, *name));
        figures.chain(self.fragments.keys().map(|name| (Kind::Fragment, *name)))
    }
}

/// What a place is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Figure,
    Fragment,
}

impl Kind {
    const ALL: [Kind; 2] = [Kind::Figure, Kind::Fragment];

    fn opening(self) -> &'static str {
        match self {
            Kind::Figure => "{{",
            Kind::Fragment => "<!-- slot:",
        }
    }

    fn closing(self) -> &'static str {
        match self {
            Kind::Figure => "}}",
            Kind::Fragment => "-->",
        }
    }

    fn word(self) -> &'static str {
        match self {
            Kind::Figure => "figure",
            Kind::Fragment => "fragment",
        }
    }
}

/// The text before the next place, its kind, and what follows its opening.
fn next_place(text: &str) -> Option<(&str, Kind, &str)> {
    let places = Kind::ALL.into_iter().filter_map(|kind| Some((text.find(kind.opening())?, kind)));
    let (start, kind) = places.min()?;
    Some((&text[..start], kind, &text[start + kind.opening().len()..]))
}

#[cfg(test)]
mod tests {
    use maud::html;

    use super::*;

    fn contents() -> Contents {
        let mut contents = Contents::default();
        contents.figure("gates", "3 < 4");
        contents.fragment("table", html! { p { "a table" } });
        contents
    }

    #[test]
    fn every_place_is_filled_and_figures_are_escaped() {
        let page = contents().fill("<b>{{gates}}</b> <!-- slot: table --> {{ gates }}.");
        assert_eq!(page.as_deref(), Ok("<b>3 &lt; 4</b> <p>a table</p> 3 &lt; 4."));
    }

    #[test]
    fn all_that_is_wrong_is_told_with_its_line() {
        let problems = contents().fill("{{gates}}\n{{gate}}\n<!-- slot: tables -->\n{{gates");
        let expected = [
            "line 2: there is no figure gate",
            "line 3: there is no fragment tables",
            "line 4: a place begins and has no }}",
            "the fragment table has no place in the template",
        ];
        assert_eq!(problems.expect_err("four problems"), expected);
    }

    #[test]
    fn a_template_without_places_fits_no_contents() {
        let none = Contents::default();
        assert_eq!(none.fill("a } b { c").as_deref(), Ok("a } b { c"));
        assert_eq!(contents().fill("").map_err(|problems| problems.len()), Err(2));
    }
}
