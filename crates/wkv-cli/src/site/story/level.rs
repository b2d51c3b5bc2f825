//! The picture of the greatest exponent: a level that leaks, and that keys lift.

use maud::{Markup, html};
use wkv::float::{State, step};
use wkv::synthetic::{Course, Distribution};

use super::picture::{Picture, Scale, WIDTH, path, place};
use crate::report::notation::minus;

/// Tokens that are shown.
const TOKENS: usize = 24;

/// What the level loses a token.
const DECAY: f64 = -0.375;

/// The keys: independent draws.
const KEYS: Distribution =
    Distribution { course: Course::Independent, key_scale: 1.75, value_scale: 1.0 };

/// The draw that is shown.
const SEED: u64 = 3;

const TOP: f64 = 16.0;
const BOTTOM: f64 = 216.0;
const LEFT: f64 = 34.0;
const RIGHT: f64 = WIDTH - 8.0;
const HEIGHT: f64 = 258.0;

/// A token: its key, and the level before, when it has leaked, and after.
struct Token {
    key: f64,
    leaked: f64,
    level: f64,
}

impl Token {
    /// The smaller of the two exponents; the first token has only its own.
    fn lower(&self) -> f64 {
        if self.leaked.is_finite() { self.key.min(self.leaked) } else { self.key }
    }
}

/// The tokens of a synthetic stream, by the recurrence in f64.
fn tokens() -> Vec<Token> {
    let streams = KEYS.draw(1, TOKENS, SEED);
    let mut state = State::START;
    let token = |(k, v): (&f32, &f32)| {
        let (key, leaked) = (f64::from(*k), state.pp + DECAY);
        state = step(state, key, f64::from(*v), 0.0, DECAY).1;
        Token { key, leaked, level: state.pp }
    };
    std::iter::zip(&streams.k, &streams.v).map(token).collect()
}

/// The picture with its caption.
pub fn figure() -> Markup {
    let tokens = tokens();
    let lifts = tokens.iter().filter(|token| token.key >= token.leaked).count();
    let keys = || tokens.iter().map(|token| token.key);
    let low = keys().fold(0.0, f64::min).floor();
    let high = keys().fold(0.0, f64::max).ceil();
    let x = Scale::new([0.0, TOKENS as f64], [LEFT, RIGHT]);
    let y = Scale::new([low, high], [BOTTOM, TOP]);
    let picture = Picture {
        id: "level",
        title: "The greatest exponent as a level that leaks".to_owned(),
        description: format!(
            "Keys of {TOKENS} tokens as dots. A line, pp, falls by the same amount every token and \
             rises where a key lies above it, {lifts} times. From the line to each key below it, a dashed \
             distance: an exponent that is never above 0."
        ),
        height: HEIGHT,
        body: body(&tokens, x, y, [low, high]),
    };
    picture.figure(html! {
        "Keys (dots) of a synthetic stream, and the level " code { "pp" } ", which leaks "
        (-DECAY) " a token and is lifted by every key above it. Every exponent in the "
        "sums is a distance down from the level. "
        span.source { "Computed by " code { "wkv::float" } " on " code { "wkv::synthetic" }
        " when this site was written." }
    })
}

fn body(tokens: &[Token], x: Scale, y: Scale, [low, high]: [f64; 2]) -> Markup {
    let middle = |token: usize| x.at(token as f64 + 0.5);
    html! {
        g.axis {
            @for value in (low as i32..=high as i32).filter(|value| value % 2 == 0) {
                path.line d=(path([(LEFT, y.at(value.into())), (RIGHT, y.at(value.into()))])) {}
                text.end x=(place(LEFT - 6.0)) y=(place(y.at(value.into()) + 4.0)) {
                    (minus(&value.to_string()))
                }
            }
            text.end x=(place(RIGHT)) y=(place(BOTTOM + 18.0)) { "tokens →" }
        }
        g.input {
            @for (number, token) in tokens.iter().enumerate() {
                path.distance d=(path([(middle(number), y.at(token.level)), (middle(number), y.at(token.lower()))])) {}
            }
        }
        path.circuit.trace d=(trace(tokens, y, middle, x)) {}
        g.input { @for (number, token) in tokens.iter().enumerate() {
            circle cx=(place(middle(number))) cy=(y.place(token.key)) r="3.2" {}
        } }
        g.legend transform=(format!("translate({} {})", LEFT, BOTTOM + 36.0)) {
            circle.input cx="4" cy="-4" r="3.2" {} text x="14" { "key" }
            path.circuit.trace d="M52 -4L76 -4" {} text x="82" { "level pp" }
            path.distance.input d="M158 -4L182 -4" {} text x="188" { "exponent, at most 0" }
        }
    }
}

/// The level: it leaks between tokens and jumps at them.
fn trace(tokens: &[Token], y: Scale, middle: impl Fn(usize) -> f64, x: Scale) -> String {
    let corners = tokens.iter().enumerate().flat_map(|(number, token)| {
        let leaked = token.leaked.is_finite().then_some((middle(number), y.at(token.leaked)));
        leaked.into_iter().chain([(middle(number), y.at(token.level))])
    });
    let last =
        tokens.last().map(|token| (x.at(tokens.len() as f64), y.at(token.level + DECAY / 2.0)));
    path(corners.chain(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_exponent_is_above_zero_and_one_of_two_is_zero() {
        for Token { key, leaked, level } in tokens() {
            assert_eq!(level, key.max(leaked));
            assert!((key - level).min(leaked - level) <= 0.0);
        }
    }

    #[test]
    fn the_picture_shows_lifts_and_leaks() {
        let tokens = tokens();
        let lifts = tokens.iter().filter(|token| token.key >= token.leaked).count();
        assert!((4..TOKENS / 2).contains(&lifts), "{lifts}");
    }
}
