//! Cuts: sets of nodes that together decide the value of another one.

use crate::lut::Lut;

/// The nodes that cover a root: every path from a source to it crosses one of them.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    leaves: [u32; Lut::MAX_ARITY],
    count: u8,
    /// A bit for each leaf, by which most sets that are too large are seen at once.
    signature: u64,
    /// Look-up tables on the longest path through this cut.
    pub depth: u32,
    /// The area of the root by this cut, each leaf's shared among its readers.
    pub area: f32,
}

impl Cut {
    /// The node by itself.
    pub fn trivial(node: usize) -> Cut {
        let mut leaves = [0; Lut::MAX_ARITY];
        leaves[0] = node as u32;
        Cut { leaves, count: 1, signature: 1 << (node % 64), depth: 0, area: 0.0 }
    }

    /// These nodes; `None` if they are more than `most`.
    pub fn of(nodes: &[usize], most: usize) -> Option<Cut> {
        let mut cuts = nodes.iter().map(|&node| Cut::trivial(node));
        let first = cuts.next()?;
        cuts.try_fold(first, |cut, leaf| cut.merge(&leaf, most))
    }

    /// The leaves, in ascending order.
    pub fn leaves(&self) -> impl ExactSizeIterator<Item = usize> + use<'_> {
        self.slice().iter().map(|&leaf| leaf as usize)
    }

    fn slice(&self) -> &[u32] {
        &self.leaves[..usize::from(self.count)]
    }

    /// The leaves of both; `None` if they are more than `most`.
    pub fn merge(&self, other: &Cut, most: usize) -> Option<Cut> {
        let signature = self.signature | other.signature;
        if signature.count_ones() as usize > most {
            return None;
        }
        let mut merged = Cut { leaves: [0; 6], count: 0, signature, depth: 0, area: 0.0 };
        let (a, b) = (self.slice(), other.slice());
        let (mut i, mut j) = (0, 0);
        while i < a.len() || j < b.len() {
            let next = match (a.get(i), b.get(j)) {
                (Some(&x), Some(&y)) => x.min(y),
                (Some(&x), None) => x,
                (None, y) => *y.expect("one of them has a leaf left"),
            };
            if usize::from(merged.count) == most {
                return None;
            }
            i += usize::from(a.get(i) == Some(&next));
            j += usize::from(b.get(j) == Some(&next));
            merged.leaves[usize::from(merged.count)] = next;
            merged.count += 1;
        }
        Some(merged)
    }

    /// Whether every leaf is one of `other` too: then `other` is never better.
    pub fn dominates(&self, other: &Cut) -> bool {
        self.count <= other.count
            && self.signature & !other.signature == 0
            && self.slice().iter().all(|leaf| other.slice().contains(leaf))
    }
}
