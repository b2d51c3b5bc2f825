//! What has been measured so far: parts of sequences, in any order.

use std::collections::{BTreeMap, HashMap};

use rwkv::eval::{ArmPart, Comparison, Part, ReferencePart};

use super::name::ArmName;

/// What the float model and each arm gave on each sequence; sequences by their place, from 0.
#[derive(Default)]
pub struct Measured {
    reference: BTreeMap<usize, ReferencePart>,
    arms: HashMap<ArmName, BTreeMap<usize, ArmPart>>,
}

/// Two results for the same that differ.
pub struct Disagreement {
    /// Place of the sequence, from 0.
    pub place: usize,
    /// The arm; none for the float model.
    pub arm: Option<ArmName>,
}

impl Measured {
    /// Adds what the float model gave on a sequence.
    pub fn add_reference(&mut self, place: usize, part: ReferencePart) -> Result<(), Disagreement> {
        match *self.reference.entry(place).or_insert_with(|| part.clone()) == part {
            true => Ok(()),
            false => Err(Disagreement { place, arm: None }),
        }
    }

    /// Adds what an arm gave on a sequence.
    pub fn add_arm(
        &mut self,
        place: usize,
        arm: ArmName,
        part: ArmPart,
    ) -> Result<(), Disagreement> {
        let parts = self.arms.entry(arm).or_default();
        match *parts.entry(place).or_insert_with(|| part.clone()) == part {
            true => Ok(()),
            false => Err(Disagreement { place, arm: Some(arm) }),
        }
    }

    /// Adds all that `other` holds.
    pub fn merge(&mut self, other: Self) -> Result<(), Disagreement> {
        for (place, part) in other.reference {
            self.add_reference(place, part)?;
        }
        for (arm, parts) in other.arms {
            for (place, part) in parts {
                self.add_arm(place, arm, part)?;
            }
        }
        Ok(())
    }

    /// Keeps a part that was just measured; `arms` are all that there are. What was there before
    /// stays.
    pub fn keep(&mut self, part: &Part, arms: &[ArmName]) {
        self.reference.entry(part.number).or_insert_with(|| part.reference.clone());
        for (arm, result) in &part.arms {
            let parts = self.arms.entry(arms[*arm]).or_default();
            parts.entry(part.number).or_insert_with(|| result.clone());
        }
    }

    /// The sequences that the float model ran on; they rise.
    pub fn reference_places(&self) -> impl ExactSizeIterator<Item = usize> {
        self.reference.keys().copied()
    }

    /// The sequences that an arm ran on; they rise.
    pub fn arm_places(&self, arm: ArmName) -> impl Iterator<Item = usize> {
        self.arms.get(&arm).into_iter().flat_map(|parts| parts.keys().copied())
    }

    /// What the float model gave on a sequence.
    pub fn reference(&self, place: usize) -> Option<&ReferencePart> {
        self.reference.get(&place)
    }

    /// What an arm gave on a sequence.
    pub fn arm(&self, place: usize, arm: ArmName) -> Option<&ArmPart> {
        self.arms.get(&arm)?.get(&place)
    }

    /// All sequences of `places` in a row, with `arms`; none if a part is missing.
    pub fn comparison(
        &self,
        places: impl IntoIterator<Item = usize>,
        arms: &[ArmName],
    ) -> Option<Comparison> {
        let names: Vec<String> = arms.iter().map(ArmName::to_string).collect();
        let mut comparison = Comparison::new(names.iter().map(|name| &**name));
        for place in places {
            let parts: Option<Vec<&ArmPart>> =
                arms.iter().map(|&arm| self.arm(place, arm)).collect();
            comparison.push(self.reference(place)?, &parts?);
        }
        Some(comparison)
    }
}
