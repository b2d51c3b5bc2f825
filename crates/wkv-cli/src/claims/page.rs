//! The page of claims in Markdown, `docs/claims.md`, from kept results of `wkv claims`.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::Path;

use serde::Serialize;

use super::finding::{
    Finding, Verdict, described, ends, estimate, judge, precise, quarters, scientific,
};
use super::measurement::Estimate;
use super::synthetic::{CHANNELS, DRAWS, PARTS, Synthetic};
use super::{Arm, Claims, Place};
use crate::failure::Failure;
use crate::report::notation::{counted, percent, thousands};

/// Results on several models and texts, at least one.
#[derive(Serialize)]
pub struct Page {
    results: Vec<Claims>,
}

impl Page {
    /// The page of these results, each with all claims.
    pub fn of(results: Vec<Claims>) -> Self {
        Self { results }
    }

    /// Reads results, one line of JSON each.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let refuse = |problem: String| Failure::input(format!("{}: {problem}", path.display()));
        let text = fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
        // Judged anew, so that the page follows the rules of today.
        let result = |(number, line): (usize, &str)| match serde_json::from_str::<Claims>(line) {
            Ok(result) if !result.figures.are_whole() => Err(refuse(format!(
                "line {}: figures are missing; expected formats, and synthetic streams in {PARTS} parts",
                number + 1
            ))),
            Ok(result) => Ok(Claims { findings: judge(&result.figures), ..result }),
            Err(error) => Err(refuse(format!("line {}: {error}", number + 1))),
        };
        let results: Vec<Claims> =
            text.lines().enumerate().map(result).collect::<Result<_, _>>()?;
        if results.is_empty() {
            return Err(refuse(
                "no results; expected a line of JSON each, of wkv claims".to_owned(),
            ));
        }
        Ok(Self { results })
    }

    /// The findings on one claim, each with its result.
    fn findings(&self, claim: usize) -> impl Iterator<Item = (&Claims, &Finding)> {
        self.results.iter().filter_map(move |result| Some((result, result.findings.get(claim)?)))
    }
}

impl Claims {
    /// Model and text in words.
    fn subject(&self) -> String {
        format!("{} on {}", self.model, self.text)
    }
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{INTRODUCTION}")?;
        self.write_subjects(f)?;
        self.write_verdicts(f)?;
        for claim in 0..self.results[0].findings.len() {
            self.write_claim(f, claim)?;
        }
        self.write_hidden(f)?;
        for result in &self.results {
            write_arms(f, result)?;
        }
        self.write_growth(f)?;
        write_synthetic(f, &self.results[0].figures.synthetic)?;
        self.write_spectra(f)?;
        self.write_places(f)
    }
}

impl Page {
    fn write_subjects(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| model | text | documents | predicted tokens | command |")?;
        writeln!(f, "|---|---|--:|--:|---|")?;
        for result in &self.results {
            let Claims { model, text, documents, tokens, command, .. } = result;
            let [documents, tokens] = [*documents as u64, *tokens].map(thousands);
            writeln!(f, "| {model} | {text} | {documents} | {tokens} | `{command}` |")?;
        }
        Ok(())
    }

    fn write_verdicts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n## Verdicts\n\n| published |")?;
        self.results.iter().try_for_each(|result| write!(f, " {} |", result.subject()))?;
        writeln!(f, "\n|---|{}", "---|".repeat(self.results.len()))?;
        for (claim, finding) in self.results[0].findings.iter().enumerate() {
            write!(f, "| {} |", finding.claim.wording())?;
            for (_, Finding { verdict, brief, .. }) in self.findings(claim) {
                write!(f, " {}: {brief} |", emphasised(*verdict))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }

    fn write_claim(&self, f: &mut fmt::Formatter<'_>, claim: usize) -> fmt::Result {
        let first = &self.results[0].findings[claim];
        writeln!(f, "\n## “{}”\n\nRule: {}.\n", first.claim.wording(), first.rule)?;
        writeln!(f, "| measured on | ours | verdict |\n|---|---|---|")?;
        let synthetic = first.claim.is_synthetic();
        let rows = self.findings(claim).take(if synthetic { 1 } else { usize::MAX });
        for (result, Finding { ours, verdict, .. }) in rows {
            let subject = if synthetic { "synthetic streams".to_owned() } else { result.subject() };
            writeln!(f, "| {subject} | {ours} | {} |", emphasised(*verdict))?;
        }
        Ok(())
    }

    fn write_hidden(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n{HIDDEN}")?;
        for result in &self.results {
            let arms = &result.figures.arms;
            let [perplexity, kl] =
                [|arm: &Arm| arm.perplexity_ratio.value, |arm: &Arm| arm.kl_mean.value];
            let (swapped, pairs) = ordered_differently(arms, perplexity, kl);
            let [perplexity, kl] = [span(arms, perplexity), span(arms, kl)];
            let subject = result.subject();
            writeln!(f, "| {subject} | {perplexity:.4} | {kl:.1} | {swapped} of {pairs} |")?;
        }
        Ok(())
    }

    fn write_growth(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n{GROWTH}")?;
        for result in &self.results {
            let growth = &result.figures.growth;
            writeln!(f, "\n{}, {}:\n", result.subject(), growth.spec)?;
            writeln!(f, "| block | tokens 0-31 | tokens 128-255 | growth |\n|--:|--:|--:|--:|")?;
            for (block, figures) in growth.by_block.iter().enumerate() {
                let error = |error: Option<Estimate>| written(error, scientific);
                let (first, last) = (error(figures.first), error(figures.last));
                let growth = written(figures.growth, |x| format!("{x:.2}"));
                writeln!(f, "| {block} | {first} | {last} | {growth} |")?;
            }
        }
        Ok(())
    }

    fn write_spectra(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n{SPECTRA}")?;
        for result in &self.results {
            writeln!(f, "\n{}:\n", result.model)?;
            writeln!(f, "| block | shortest | median | longest |\n|--:|--:|--:|--:|")?;
            for block in &result.figures.spectrum.by_block {
                let longest = block.longest.map_or("without end".to_owned(), |x| format!("{x:.1}"));
                let (shortest, median) = (block.shortest, block.median);
                writeln!(f, "| {} | {shortest:.3} | {median:.2} | {longest} |", block.block)?;
            }
        }
        Ok(())
    }

    fn write_places(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nMeasured on:\n")?;
        let places: BTreeSet<&Place> = self.results.iter().map(|result| &result.measured).collect();
        places.into_iter().try_for_each(|Place { cpu, cores, date }| {
            writeln!(f, "- {cpu}, {cores} cores, {date}")
        })
    }
}

/// The greatest figure divided by the least.
fn span(arms: &[Arm], figure: impl Fn(&Arm) -> f64) -> f64 {
    let [least, greatest] = ends(arms, figure);
    greatest / least
}

/// How many pairs of formats two figures put in different orders, and how many pairs there are.
fn ordered_differently(
    arms: &[Arm],
    first: impl Fn(&Arm) -> f64,
    second: impl Fn(&Arm) -> f64,
) -> (usize, usize) {
    let pairs = || {
        let others = |(number, arm)| arms[number + 1..].iter().map(move |other| (arm, other));
        arms.iter().enumerate().flat_map(others)
    };
    let order = |figure: &dyn Fn(&Arm) -> f64, (a, b): (&Arm, &Arm)| figure(a) < figure(b);
    let swapped = pairs().filter(|&pair| order(&first, pair) != order(&second, pair)).count();
    (swapped, pairs().count())
}

fn write_arms(f: &mut fmt::Formatter<'_>, result: &Claims) -> fmt::Result {
    let figures = &result.figures;
    writeln!(f, "\n## Every format: {}\n", result.subject())?;
    writeln!(
        f,
        "The float model has perplexity {:.4} on {}. Its keys have RMS {:.2}, base 2, its values {:.2}, \
         and the output of the recurrence {:.2}.\n",
        figures.float_perplexity,
        counted(result.tokens, "predicted token"),
        figures.inputs.keys,
        figures.inputs.values,
        figures.signal_rms,
    )?;
    writeln!(
        f,
        "| format | perplexity | against float, % | KL from float, nats a token | RMS error |\n\
         |---|--:|--:|--:|--:|"
    )?;
    for Arm { spec, perplexity_ratio, kl_mean, rms_error } in &figures.arms {
        writeln!(
            f,
            "| `{spec}` | {:.4} | {} | {} | {} |",
            perplexity_ratio.value * figures.float_perplexity,
            estimate(*perplexity_ratio, |ratio| percent(100.0 * (ratio - 1.0))),
            estimate(*kl_mean, precise),
            estimate(*rms_error, precise),
        )?;
    }
    Ok(())
}

fn write_synthetic(f: &mut fmt::Formatter<'_>, synthetic: &[Synthetic]) -> fmt::Result {
    writeln!(f, "\n{SYNTHETIC}")?;
    writeln!(f, "Each row is {DRAWS} banks of {CHANNELS} channels.\n")?;
    writeln!(
        f,
        "| keys and values | unrounded | its quarters | nearest | restoring | its quarters | saturations |\n\
         |---|--:|---|--:|--:|---|--:|"
    )?;
    for row in synthetic {
        writeln!(
            f,
            "| {} | {} | {} | {} | {} | {} | {} |",
            described(row),
            estimate(row.unrounded.rms_error, precise),
            quarters(&row.unrounded),
            estimate(row.nearest.rms_error, precise),
            estimate(row.restoring.rms_error, precise),
            quarters(&row.restoring),
            thousands(row.restoring.saturations),
        )?;
    }
    Ok(())
}

fn emphasised(verdict: Verdict) -> String {
    match verdict {
        Verdict::Undecided => verdict.to_string(),
        Verdict::Confirmed | Verdict::Corrected => format!("**{verdict}**"),
    }
}

/// A figure that may be missing.
fn written(figure: Option<Estimate>, number: impl Fn(f64) -> String) -> String {
    figure.map_or_else(|| "–".to_owned(), |figure| estimate(figure, number))
}

const HIDDEN: &str = "\
## What perplexity hides

Over the formats, the greatest figure divided by the least, and how many pairs of formats perplexity puts
in another order than the divergence of the predictions from those of the float model (KL). A changed
prediction may lower the perplexity or raise it; the divergence only grows.

| measured on | perplexity, span | KL, span | pairs in another order |
|---|--:|--:|--:|";

const GROWTH: &str = "\
## The error along a document

RMS error at the output of the recurrence on the keys and values of the float model.
";

const SPECTRA: &str = "\
## How long channels remember

Half-lives in tokens, by block: a channel with decay w, base 2, keeps half after -1/w tokens, and 1/e
after 1.44 times as many.
";

const INTRODUCTION: &str = "\
# Published claims, measured

Generated: `wkv claims --out FOLDER` writes this page of one model and one text. The page of this project's
documents is made from `docs/claims.jsonl`, whose lines are what `wkv claims --json -` wrote, by
`cargo run -- docs --claims docs/claims.jsonl`; a test fails when that one is out of date.

The claims were published with the circuit (A. Mordvintsev, “MorphoHDL: a minimalistic language for
growing circuits”, 2026, and its sequential extension). The model that they were measured on, a
model of 6 blocks of 384 channels, is not at hand, nor is its text. A verdict therefore
says whether the claim holds for these models on these texts:

- **confirmed**: it holds here, too;
- **corrected**: it does not, and our figure stands beside it;
- cannot be decided: what is published does not say enough, or these models cannot show it.

The numerics are the circuit's own, bit for bit: the integer model that the gates are proven against.
Errors are those at the output of the recurrence on the keys and values of the float model. Brackets
hold intervals of 95%: percentile bootstrap over documents, of differences and ratios paired. Only
`stories-1.5m` and `stories.txt` are part of the project; of other models and texts there are figures
only.

";

const SYNTHETIC: &str = "\
## Synthetic keys and values

Q8.8 against the f64 recurrence over 256 tokens. Decays run from -26.5 to -0.0098, evenly in their
logarithm over the channels; bonuses are uniform from -0.07 to 0.72. Independent keys and values are
normal with mean 0; wandering ones are the sum of three sines whose periods run log-uniformly from 4 to
256 tokens. The published distribution is not stated; the error depends on the scale of the keys most
of all, because flooring the state costs more the more the exponents change, and at the scale of the
models above the divider hardly shows. Unrounded is the quotient as a real number, in registers that do
not saturate; nearest is `div=exact`. Saturations are those of the restoring row, without the start of
each stream.
";
