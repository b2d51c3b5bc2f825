//! The story page: prose with its figures, tables and pictures in place.
//!
//! The prose is `crates/wkv-web/pages/index.html`. No figure in it is typed: [`fill`] takes them
//! from kept results and from circuits that it builds.

mod circuits;
mod exp2;
mod formats;
mod inventory;
mod level;
mod picture;
mod proof;
mod silicon;
mod slots;
mod sources;
#[cfg(test)]
mod tests;

use maud::PreEscaped;
use wkv::Arithmetic;
use wkv::verify::Method;

use self::circuits::Circuits;
use self::slots::Contents;
pub use self::sources::Sources;
use crate::claims::finding::{Verdict, judge};
use crate::failure::Failure;
use crate::published::{self, Size};
use crate::report::choice::tokens_to_tell_apart;
use crate::report::notation::{percent, raised, scientific, thousands};

/// The page, below the folder of the pages.
pub const PAGE: &str = "index.html";

/// The diagram of the recurrence; it holds no figure.
const RECURRENCE: &str = include_str!("recurrence.svg");

/// The page that `template` becomes with the figures of `sources`.
///
/// # Errors
/// If places of the template and figures don't match, or a circuit cannot be built.
pub fn fill(template: &str, sources: &Sources) -> Result<String, Failure> {
    let circuits = Circuits::build()?;
    let mut contents = Contents::default();
    add_circuit_figures(&mut contents, &circuits);
    add_model_figures(&mut contents, sources, &circuits)?;
    add_proof_figures(&mut contents, sources);
    add_silicon_figures(&mut contents, sources)?;
    add_fragments(&mut contents, sources, &circuits);
    contents.fill(template).map_err(|problems| {
        Failure::Internal(format!("the story's template: {}", problems.join("; ")))
    })
}

fn add_fragments(contents: &mut Contents, sources: &Sources, circuits: &Circuits) {
    let Sources { report, claims, silicon, proof } = sources;
    let spec = &circuits.spec;
    contents.fragment("recurrence", PreEscaped(RECURRENCE.to_owned()));
    contents.fragment("level", level::figure());
    contents.fragment("exp2-table", exp2::table(spec));
    contents.fragment("exp2-word", exp2::word(spec));
    contents.fragment("inventory", inventory::inventory(circuits));
    contents.fragment("units", inventory::units(circuits));
    contents.fragment("formats-picture", formats::picture(report, claims));
    contents.fragment("formats", formats::table(report));
    contents.fragment("story", formats::story(report));
    contents.fragment("proof", proof::table(proof));
    contents.fragment("silicon-beside", silicon::beside(silicon));
    contents.fragment("silicon-shared", silicon::shared(silicon));
}

fn add_circuit_figures(contents: &mut Contents, circuits: &Circuits) {
    let Circuits { spec, cell, exp2, exp2_steps, .. } = circuits;
    contents.figure("spec", spec);
    contents.figure("format", spec.format.to_string().to_uppercase());
    contents.figure("bits", spec.format.bits());
    contents.figure("fraction-bits", spec.format.fraction_bits());
    contents.figure("entries", spec.exp2.entries());
    contents.figure("cell-gates", thousands(cell.gates as u64));
    contents.figure("cell-depth", cell.depth);
    contents.figure("cell-flip-flops", cell.registers);
    contents.figure("exp2-units", circuits.instances("exp2"));
    contents.figure("comparisons", circuits.instances("compare and distance"));
    contents.figure("multipliers", circuits.instances("multiply"));
    contents.figure("exp2-inputs", thousands(exp2.inputs.into()));
    contents.figure("exp2-worst", scientific(exp2.worst));
    contents.figure("exp2-steps-worst", scientific(exp2_steps.worst));
    contents
        .figure("exp2-published-worst", raised(&format!("{:e}", published::EXP2_WORST_DEVIATION)));
    contents.figure("exp2-gates", thousands(exp2.gates as u64));
    if let Some(Size { gates, depth, .. }) = published::size(wkv::circuit::Unit::Cell) {
        contents.figure("published-gates", thousands(gates as u64));
        contents.figure("published-depth", depth);
    }
}

fn add_model_figures(
    contents: &mut Contents,
    sources: &Sources,
    circuits: &Circuits,
) -> Result<(), Failure> {
    let report = &sources.report.results;
    let measured = |spec| {
        report.sweep.arm(Arithmetic::Fixed(spec)).ok_or_else(|| {
            Failure::input(format!(
                "{}: it has no figures of {spec}; expected a report of this version",
                sources.report.file
            ))
        })
    };
    let arm = measured(circuits.spec)?;
    let committed = measured(report.committed)?;
    contents.figure("model", &report.sweep.model);
    contents.figure("channels", thousands(report.sweep.channel_steps / report.sweep.tokens.max(1)));
    contents.figure("documents", thousands(report.sweep.documents as u64));
    contents.figure("tokens", thousands(report.sweep.tokens));
    contents.figure("kl", scientific(arm.kl_mean));
    contents.figure("perplexity-change", percent(arm.perplexity_change().0));
    contents.figure("top1", format!("{:.1}%", 100.0 * arm.top1_agreement));
    contents.figure("committed", report.committed);
    contents.figure("committed-kl", scientific(committed.kl_mean));
    contents.figure(
        "tell-apart",
        tokens_to_tell_apart(committed.kl_mean)
            .map_or_else(|| "any number of".to_owned(), thousands),
    );
    contents.figure("saturations", thousands(arm.sum_saturations()));
    contents.figure("channel-steps", thousands(report.sweep.channel_steps));
    contents.figure("gate-steps", thousands(report.model_run.channel_steps));
    contents.figure("gate-mismatches", report.model_run.mismatches);
    let claims = sources.claims.results.first();
    let spectrum = claims.map(|claims| &claims.figures.spectrum.by_block[..]).unwrap_or_default();
    let shortest = spectrum.iter().map(|block| block.shortest).fold(f64::INFINITY, f64::min);
    let longest = spectrum.iter().filter_map(|block| block.longest).fold(0.0, f64::max);
    contents.figure("half-life-shortest", format!("{shortest:.2}"));
    contents.figure("half-life-longest", thousands(longest.round() as u64));
    let verdicts = |verdict| {
        let findings = claims.into_iter().flat_map(|claims| judge(&claims.figures));
        findings.filter(|finding| finding.verdict == verdict).count()
    };
    contents.figure("claims-confirmed", verdicts(Verdict::Confirmed));
    contents.figure("claims-corrected", verdicts(Verdict::Corrected));
    contents.figure("claims-undecided", verdicts(Verdict::Undecided));
    Ok(())
}

fn add_proof_figures(contents: &mut Contents, sources: &Sources) {
    let checks = || sources.proof.results.units.iter().map(|unit| &unit.check);
    let exhaustive = || checks().filter(|check| check.method == Method::Exhaustive);
    contents.figure("proof-units", exhaustive().count());
    contents.figure("proof-cases", thousands(exhaustive().map(|check| check.cases).sum()));
    let differ: u64 = exhaustive().map(|check| check.mismatches).sum();
    contents.figure("proof-differ", thousands(differ));
    contents.figure("proof-circuits", if sources.proof.results.held { "are" } else { "are not" });
}

fn add_silicon_figures(contents: &mut Contents, sources: &Sources) -> Result<(), Failure> {
    let missing =
        || Failure::Internal(format!("{}: it has no pipelined bank", sources.silicon.file));
    let (circuit, figures) = silicon::pipeline(&sources.silicon).ok_or_else(missing)?;
    contents.figure("pipeline", circuit);
    contents.figure("pipeline-cells", thousands(figures.cells as u64));
    contents.figure("pipeline-mhz", silicon::mhz(figures));
    // A step leaves each clock, so a megahertz is a million of them a second.
    contents.figure("pipeline-million", format!("{:.0}", figures.mhz.median));
    Ok(())
}
