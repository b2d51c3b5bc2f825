//! The parts of a sweep that several machines measured, put together.

use std::ops::Range;
use std::path::{Path, PathBuf};

use wkv::Arithmetic;

use super::identity::Identity;
use super::measured::Measured;
use super::records::{Records, add_new};
use super::{ArmName, Sweep, measurable};
use crate::failure::Failure;

/// Reads files of records and gives the figures of all.
pub fn merge(paths: &[PathBuf]) -> Result<Sweep, Failure> {
    let mut merged: Option<Records> = None;
    for path in paths {
        let records = Records::read(path)?;
        match &mut merged {
            None => merged = Some(records),
            Some(merged) => add(merged, records, path)?,
        }
    }
    let Some(Records { header, measured, .. }) = merged else {
        return Err(Failure::input("no files to merge; expected at least one"));
    };
    // The header may tell any number of sequences: only those that were measured cost memory.
    let sweep = (measured.reference_places().len() == header.identity.sequences).then(|| {
        let places: Vec<usize> = (0..header.identity.sequences).collect();
        Sweep::of(&header.identity, &header.arms, &places, &measured)
    });
    sweep.flatten().ok_or_else(|| Failure::all(missing(&header.identity, &header.arms, &measured)))
}

fn add(merged: &mut Records, records: Records, path: &Path) -> Result<(), Failure> {
    merged.header.check(&records.header, path)?;
    add_new(&mut merged.header.arms, &records.header.arms);
    merged.measured.merge(records.measured).map_err(|disagreement| {
        Failure::input(format!(
            "{}: {disagreement} from those in the files before it; expected files of machines \
             that compute alike",
            path.display()
        ))
    })
}

/// What no file has, one line for each arm.
fn missing(identity: &Identity, arms: &[ArmName], measured: &Measured) -> Vec<String> {
    let float = ArmName::usual(Arithmetic::Float);
    let of_float = gaps(identity.sequences, measured.reference_places());
    let of_arms = measurable(arms)
        .into_iter()
        .map(|arm| (arm, gaps(identity.sequences, measured.arm_places(arm))));
    [(float, of_float)]
        .into_iter()
        .chain(of_arms)
        .filter(|(_, gaps)| !gaps.is_empty())
        .map(|(arm, gaps)| {
            let kind = if identity.context.is_some() { "sequences" } else { "documents" };
            format!("{arm} lacks the {kind} {}; expected the files of all shards", told(&gaps))
        })
        .collect()
}

/// The places below `count` that are not among `places`, which rise, in rows.
fn gaps(count: usize, places: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let mut next = 0;
    let mut gaps = Vec::new();
    for place in places.chain([count]) {
        if next < place {
            gaps.push(next..place);
        }
        next = place + 1;
    }
    gaps
}

/// Rows of places from 0 as numbers from 1.
fn told(rows: &[Range<usize>]) -> String {
    /// Rows after this many are counted, not told.
    const MOST: usize = 20;
    let more = rows.len().saturating_sub(MOST);
    let rows = rows[..rows.len() - more].iter().map(|row| match row.len() {
        1 => row.end.to_string(),
        _ => format!("{}-{}", row.start + 1, row.end),
    });
    let told = rows.collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{told} and {more} more") } else { told }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_places_are_told_in_rows() {
        let lacking = |count, places: &[usize]| told(&gaps(count, places.iter().copied()));
        assert_eq!(lacking(9, &[1, 5, 6]), "1, 3-5, 8-9");
        assert_eq!(lacking(2, &[0, 1]), "");
        assert_eq!(lacking(1_000_000_000_000, &[0]), "2-1000000000000");
        let odd: Vec<usize> = (0..25).map(|place| 2 * place + 1).collect();
        let text = lacking(50, &odd);
        assert!(text.ends_with(", 39 and 5 more"), "{text}");
    }
}
