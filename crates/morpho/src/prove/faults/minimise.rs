//! Few vectors that detect as much as many.

use super::Campaign;
use crate::prove::change::Change;
use crate::prove::vectors::Vectors;

/// Few of the vectors that together detect every change that all of them detect, by number.
///
/// Greedily the vector that detects most of what is left; then, from the last one chosen to the
/// first, vectors that the others make needless are dropped.
pub fn minimise(campaign: &Campaign, changes: &[Change], vectors: &Vectors) -> Vec<usize> {
    let detecting = campaign.matrix(changes, vectors);
    let mut detected_by: Vec<Vec<u32>> = vec![Vec::new(); vectors.len()];
    for (change, vectors) in detecting.iter().enumerate() {
        vectors.iter().for_each(|&vector| detected_by[vector as usize].push(change as u32));
    }
    let mut gain: Vec<usize> = detected_by.iter().map(Vec::len).collect();
    let mut times = vec![0u32; changes.len()];
    let mut chosen = Vec::new();
    while let Some(best) = (0..gain.len()).max_by_key(|&vector| (gain[vector], usize::MAX - vector))
        && gain[best] > 0
    {
        chosen.push(best);
        for &change in &detected_by[best] {
            times[change as usize] += 1;
            if times[change as usize] == 1 {
                detecting[change as usize].iter().for_each(|&vector| gain[vector as usize] -= 1);
            }
        }
    }
    for index in (0..chosen.len()).rev() {
        let detected = &detected_by[chosen[index]];
        if detected.iter().all(|&change| times[change as usize] > 1) {
            detected.iter().for_each(|&change| times[change as usize] -= 1);
            chosen.remove(index);
        }
    }
    chosen.sort();
    chosen
}
