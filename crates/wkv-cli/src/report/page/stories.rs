//! One story told twice.

use maud::{Markup, html};

use crate::report::Report;
use crate::report::stories::{Parts, Stories};

/// Both stories, the first token that differs marked.
pub fn stories(report: &Report) -> Markup {
    let stories = &report.stories;
    let Stories { options, first_difference, .. } = stories;
    html! {
        section #stories {
            h2 { "One story, told twice" }
            p {
                "The same prompt and the same draws (seed " (options.seed) ", temperature "
                (options.temperature) ", top-p " (options.top_p) "), once by the float model and "
                "once with the gates of " (report.choice.committed) " in place of its attention. "
                @match first_difference {
                    Some(shared) => {
                        "They share their first " (shared) " tokens; the next one is marked. From "
                        "a single draw that falls differently on, each goes its own way."
                    }
                    None => "They are the same to the last token."
                }
            }
            div.stories {
                (story(stories, "Float", &stories.float_parts, stories.float_tokens_per_second))
                (story(
                    stories,
                    "Circuit",
                    &stories.circuit_parts,
                    stories.circuit_tokens_per_second,
                ))
            }
        }
    }
}

fn story(stories: &Stories, teller: &str, parts: &Parts, tokens_per_second: f64) -> Markup {
    html! {
        article {
            h3 { (teller) }
            p {
                span.prompt { (stories.prompt) }
                span.shared { (parts.shared) }
                @if !parts.first_different.is_empty() { mark { (parts.first_different) } }
                (parts.rest)
            }
            p.note {
                (parts.tokens) " tokens after the prompt, "
                (format!("{tokens_per_second:.0}")) " a second"
            }
        }
    }
}
