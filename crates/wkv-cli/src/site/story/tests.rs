//! The page of the kept results, and of changed ones.

use std::collections::BTreeSet;

use super::*;

const TEMPLATE: &str = include_str!("../../../../wkv-web/pages/index.html");

fn sources() -> Sources {
    Sources::read(None).expect("the kept results are whole")
}

fn page(sources: &Sources) -> String {
    match fill(TEMPLATE, sources) {
        Ok(page) => page,
        Err(failure) => panic!("{failure:?}"),
    }
}

/// The page after `change`, which must show `expected` only then.
#[track_caller]
fn assert_shows(change: impl FnOnce(&mut Sources), expected: &[&str]) {
    let mut sources = sources();
    let before = page(&sources);
    change(&mut sources);
    let after = page(&sources);
    for text in expected {
        assert!(!before.contains(text), "{text} is on the page before the change");
        assert!(after.contains(text), "{text} is not on the page");
    }
}

#[test]
fn every_place_is_filled() {
    let page = page(&sources());
    assert!(!page.contains("{{") && !page.contains("}}"));
    assert!(!page.contains("<!-- slot"));
}

#[test]
fn the_model_s_figures_are_those_of_the_report() {
    assert_shows(
        |sources| {
            let sweep = &mut sources.report.results.sweep;
            sweep.tokens = 123_457;
            let arm =
                sweep.arms.iter_mut().find(|arm| arm.spec == Arithmetic::Fixed(published::spec()));
            let arm = arm.expect("the published format");
            arm.kl_mean = 7.77e-2;
            arm.perplexity_ratio = 1.0912;
            arm.top1_agreement = 0.5551;
            arm.saturations.aa = 424_242;
        },
        &["123,457", "7.77×10⁻²", "+9.12%", "55.5%", "424,242"],
    );
    assert_shows(
        |sources| {
            let report = &mut sources.report.results;
            report.model_run.channel_steps = 987_654;
            report.model_run.mismatches = 3;
            report.candidates[0].cell.gates = 98_765;
            report.stories.first_difference = Some(77);
        },
        &["987,654", "3 documents whose", "98,765", "for 77 tokens"],
    );
}

#[test]
fn the_other_model_s_figures_are_those_of_the_claims() {
    let rename = |sources: &mut Sources| sources.claims.results[1].model = "stories-9z".to_owned();
    assert_shows(rename, &["stories-9z"]);
    let longest = |sources: &mut Sources| {
        sources.claims.results[0].figures.spectrum.by_block[0].longest = Some(54_321.0);
    };
    assert_shows(longest, &["54,321"]);
}

#[test]
fn proofs_are_those_of_the_kept_results() {
    assert_shows(
        |sources| {
            let unit = &mut sources.proof.results.units[0];
            unit.check.mismatches = 12_345;
            unit.built.clear();
            sources.proof.results.held = false;
        },
        &["12,345", "FAILED", "another</strong>", "today are not"],
    );
}

#[test]
fn clocks_and_cells_are_those_of_the_placed_designs() {
    assert_shows(
        |sources| {
            let placed = |row: &&mut crate::command::docs::silicon::Row| {
                row.device == "hx8k" && row.circuit().starts_with("pipeline=")
            };
            let row = sources.silicon.results.iter_mut().find(placed).expect("the pipelined bank");
            let figures = row.figures.as_mut().expect("it fits");
            figures.cells = 7_654;
            figures.mhz.median = 321.09;
        },
        &["7,654", "321.1"],
    );
}

#[test]
fn a_report_without_the_published_format_is_refused() {
    let mut sources = sources();
    sources.report.results.sweep.arms.retain(|arm| arm.spec == Arithmetic::Float);
    let Err(Failure::Input(message)) = fill(TEMPLATE, &sources) else { panic!("it is accepted") };
    assert!(message.contains("it has no figures of classic:q8.8"), "{message}");
}

#[test]
fn a_folder_without_a_report_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for text in [None, Some(""), Some("{}"), Some("[1]")] {
        if let Some(text) = text {
            let file = folder.path().join("report.json");
            std::fs::write(file, text).expect("the folder can be written");
        }
        let Err(Failure::Input(message)) = Sources::read(Some(folder.path())) else {
            panic!("{text:?} is accepted")
        };
        assert!(message.starts_with("--report ") && message.contains("wkv report"), "{message}");
    }
}

#[test]
fn a_report_of_one_s_own_takes_the_place_of_the_kept_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let kept = include_str!("../../../../../docs/results/report.json");
    let other = kept.replace("\"model\":\"stories-1.5m\"", "\"model\":\"my-own-model\"");
    std::fs::write(folder.path().join("report.json"), other).expect("the folder can be written");
    let sources = Sources::read(Some(folder.path())).expect("a report");
    assert!(page(&sources).contains("my-own-model"));
}

#[test]
fn the_kept_proofs_are_of_the_circuits_of_today() {
    let proof = sources().proof.results;
    let others: Vec<&str> = proof
        .units
        .iter()
        .filter(|unit| !unit.is_same())
        .map(|unit| unit.check.unit.as_str())
        .collect();
    assert!(
        proof.held && proof.missing.is_empty(),
        "docs/results/proof.json is out of date: {others:?} changed, {:?} are missing; \
         `wkv verify --exhaustive --json docs/results/proof.json` writes it anew",
        proof.missing
    );
}

#[test]
fn sizes_of_the_kept_report_are_those_of_the_circuits_of_today() {
    for candidate in sources().report.results.candidates {
        let netlist = wkv::circuit::build(&candidate.spec, wkv::circuit::Unit::Cell);
        let built = crate::sizes::size(&netlist.expect("the format has a cell"));
        assert_eq!(
            candidate.cell, built,
            "docs/results/report.json is out of date for {}: `wkv report` writes it anew",
            candidate.spec
        );
    }
}

#[test]
fn tables_as_text() {
    insta::assert_snapshot!(tables(&page(&sources())));
}

/// The rows of all tables, a line each, with the caption above.
fn tables(page: &str) -> String {
    let mut text = String::new();
    for table in page.split("<table>").skip(1).filter_map(|rest| rest.split("</table>").next()) {
        for row in table
            .split("</caption>")
            .flat_map(|part| part.split("<tr").skip(usize::from(!part.starts_with("<caption"))))
        {
            let row = row.split_once("</tr>").map_or(row, |(row, _)| row);
            let row = row.split_once('>').map_or(row, |(_, row)| row);
            let cells = row.replace("</td>", " | ").replace("</th>", " | ");
            let line: Vec<String> = plain(&cells).split_whitespace().map(str::to_owned).collect();
            text += line.join(" ").trim_end_matches(" |");
            text.push('\n');
        }
        text.push('\n');
    }
    text
}

/// Markup without its tags.
fn plain(markup: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for character in markup.chars() {
        match character {
            '<' => inside = true,
            '>' if inside => inside = false,
            _ if !inside => text.push(character),
            _ => (),
        }
    }
    text
}

#[test]
fn the_page_is_well_formed() {
    let page = page(&sources());
    assert_eq!(faults(&page), Vec::<String>::new());
}

#[test]
fn what_is_not_well_formed_is_found() {
    assert_eq!(faults("<p>a & b</p>"), ["& at \"a & b\""]);
    assert_eq!(faults("<p><b>a</p>"), ["</p> ends b", "p does not end"]);
    assert_eq!(faults("<p id=\"x\"></p><i id=\"x\"></i>"), ["the id x is there twice"]);
    assert_eq!(faults("<a href=\"#there\"></a>"), ["#there is not there"]);
}

/// Elements without an end.
const VOID: [&str; 4] = ["meta", "link", "br", "!doctype"];

/// What is wrong with markup: elements that don't end, ids that are there twice or that links don't
/// find, ampersands that begin no entity.
fn faults(page: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    let mut ids = BTreeSet::new();
    let mut links = Vec::new();
    for part in page.split('<').skip(1) {
        let (tag, text) = part.split_once('>').unwrap_or((part, ""));
        let is_entity = |rest: &str| {
            rest.split_once(';').is_some_and(|(name, _)| {
                !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '#')
            })
        };
        if text.split('&').skip(1).any(|rest| !is_entity(rest)) {
            faults.push(format!("& at {text:?}"));
        }
        let name = tag.split([' ', '\n', '/']).next().unwrap_or_default();
        if let Some(name) = tag.strip_prefix('/') {
            match open.pop() {
                Some(last) if last == name => (),
                Some(last) => faults.push(format!("</{name}> ends {last}")),
                None => faults.push(format!("</{name}> ends nothing")),
            }
        } else if !VOID.contains(&name) && !tag.ends_with('/') && !tag.starts_with('!') {
            open.push(name);
        }
        for (attribute, value) in attributes(tag) {
            match attribute {
                "id" if !ids.insert(value) => faults.push(format!("the id {value} is there twice")),
                "href" => links.extend(value.strip_prefix('#')),
                "aria-labelledby" | "aria-describedby" => links.push(value),
                _ => (),
            }
        }
    }
    faults.extend(open.iter().map(|name| format!("{name} does not end")));
    let dead = links.into_iter().filter(|link| !ids.contains(link));
    faults.extend(dead.map(|link| format!("#{link} is not there")));
    faults
}

/// The attributes of a tag, which stand in double quotes.
fn attributes(tag: &str) -> impl Iterator<Item = (&str, &str)> {
    let parts: Vec<&str> = tag.split('"').collect();
    let pairs: Vec<(&str, &str)> = parts
        .chunks_exact(2)
        .map(|pair| {
            (
                pair[0].trim().trim_end_matches('=').rsplit([' ', '\n']).next().unwrap_or_default(),
                pair[1],
            )
        })
        .collect();
    pairs.into_iter()
}
