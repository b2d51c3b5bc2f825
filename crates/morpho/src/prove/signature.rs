//! Values of every node on many input patterns: nodes that differ somewhere are not equal.

use super::logic::{Literal, Logic};
use crate::lut::Lut;
use crate::random::Random;

/// Words of random patterns that every node is simulated on from the start.
const RANDOM_WORDS: usize = 16;

/// What a node shows on the first words, and how to find nodes that show the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Signature([u64; RANDOM_WORDS]);

/// The values of every node, 64 patterns a word.
pub(super) struct Signatures {
    /// One list of nodes for each word of patterns.
    words: Vec<Vec<u64>>,
    random: Random,
}

impl Signatures {
    /// The values of the constant node, the only one there is.
    pub fn new() -> Signatures {
        Signatures { words: vec![vec![0]; RANDOM_WORDS], random: Random::new(1) }
    }

    /// The values of a new free node: random, with more ones or zeros in some words than others.
    pub fn add_free(&mut self) {
        for (index, word) in self.words.iter_mut().enumerate() {
            let [a, b, c] = std::array::from_fn(|_| self.random.word());
            word.push(match index % 4 {
                0 | 1 => a,
                2 => a & b & c,
                _ => a | b | c,
            });
        }
    }

    /// The values of a new node, computed from its inputs.
    pub fn add_function(&mut self, logic: &Logic, node: usize) {
        for word in &mut self.words {
            let value = evaluate(logic, node, word);
            word.push(value);
        }
    }

    /// Words of patterns.
    pub fn words(&self) -> usize {
        self.words.len()
    }

    /// Drops all words but the first ones; those that every node starts with stay.
    pub fn truncate(&mut self, words: usize) {
        self.words.truncate(words.max(RANDOM_WORDS));
    }

    /// The first words of a node, complemented if it starts with a 1, and whether it does.
    pub fn signature(&self, node: usize) -> (Signature, bool) {
        let complemented = self.words[0][node] & 1 == 1;
        let mask = if complemented { u64::MAX } else { 0 };
        (Signature(std::array::from_fn(|word| self.words[word][node] ^ mask)), complemented)
    }

    /// A pattern on which two literals differ and `care` is 1, if there is one.
    pub fn difference(&self, a: Literal, b: Literal, care: Option<Literal>) -> Option<Pattern> {
        let care = |word: &[u64]| care.map_or(u64::MAX, |care| value(word, care));
        let values = self.words.iter().map(|word| (value(word, a) ^ value(word, b)) & care(word));
        let (word, differs) = values.enumerate().find(|&(_, differs)| differs != 0)?;
        Some(Pattern { word, lane: differs.trailing_zeros() })
    }

    /// The value of a node on a pattern.
    pub fn value(&self, node: usize, pattern: Pattern) -> bool {
        self.words[pattern.word][node] >> pattern.lane & 1 == 1
    }

    /// Adds a word of patterns: these values of free nodes, and 63 that differ from them in a few.
    pub fn refine(&mut self, logic: &Logic, values: &[(usize, bool)]) {
        let mut word = vec![0; logic.len()];
        for &(node, value) in values {
            let flips = self.random.word() & self.random.word() & self.random.word();
            // The values as they are, on lane 0, are the ones that were asked for.
            word[node] = flips & !1 ^ if value { u64::MAX } else { 0 };
        }
        for node in 1..logic.len() {
            if logic.function(node).is_some() {
                word[node] = evaluate(logic, node, &word);
            }
        }
        self.words.push(word);
    }
}

/// One of the patterns that nodes are simulated on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pattern {
    word: usize,
    lane: u32,
}

fn value(word: &[u64], literal: Literal) -> u64 {
    word[literal.node()] ^ if literal.is_complement() { u64::MAX } else { 0 }
}

fn evaluate(logic: &Logic, node: usize, word: &[u64]) -> u64 {
    let function = logic.function(node).expect("free nodes are given their values");
    let mut arguments = [0; Lut::MAX_ARITY];
    for (argument, &input) in std::iter::zip(&mut arguments, &function.inputs) {
        *argument = word[input as usize];
    }
    function.lut.evaluate(&arguments)
}
