//! The parts of a sweep that several machines measured, put together.

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
    let places: Vec<usize> = (0..header.identity.sequences).collect();
    Sweep::of(&header.identity, &header.arms, &places, &measured)
        .ok_or_else(|| Failure::all(missing(&header.identity, &header.arms, &measured)))
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
    let of_float = lacking(identity, |place| measured.reference(place).is_some());
    let of_arms = measurable(arms)
        .into_iter()
        .map(|arm| (arm, lacking(identity, |place| measured.arm(place, arm).is_some())));
    [(float, of_float)]
        .into_iter()
        .chain(of_arms)
        .filter(|(_, places)| !places.is_empty())
        .map(|(arm, places)| {
            let kind = if identity.context.is_some() { "sequences" } else { "documents" };
            format!("{arm} lacks the {kind} {}; expected the files of all shards", ranges(&places))
        })
        .collect()
}

fn lacking(identity: &Identity, there: impl Fn(usize) -> bool) -> Vec<usize> {
    (0..identity.sequences).filter(|&place| !there(place)).collect()
}

/// Places from 0 as numbers from 1, those in a row as ranges.
fn ranges(places: &[usize]) -> String {
    /// Ranges after this many are counted, not told.
    const MOST: usize = 20;
    let rows: Vec<String> = places
        .chunk_by(|a, b| a + 1 == *b)
        .map(|row| match row {
            [place] => (place + 1).to_string(),
            _ => format!("{}-{}", row[0] + 1, row[row.len() - 1] + 1),
        })
        .collect();
    let more = rows.len().saturating_sub(MOST);
    let told = rows[..rows.len() - more].join(", ");
    if more > 0 { format!("{told} and {more} more") } else { told }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_a_row_are_ranges() {
        assert_eq!(ranges(&[0, 2, 3, 4, 7]), "1, 3-5, 8");
        let odd: Vec<usize> = (0..25).map(|place| 2 * place).collect();
        assert!(ranges(&odd).ends_with(", 39 and 5 more"), "{}", ranges(&odd));
    }
}
