//! Test vectors: values for every input and stored value of a circuit, one clock step each.

use super::pin::{Pin, PinKind, PinValues, sources};
use crate::netlist::Netlist;
use crate::random::Random;

/// Test vectors of one circuit, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vectors {
    pins: Vec<Pin>,
    /// One row for each pin, one bit for each vector, 64 a word.
    rows: Vec<Vec<u64>>,
    count: usize,
}

impl Vectors {
    /// No vectors yet.
    pub fn new(netlist: &Netlist) -> Vectors {
        let pins: Vec<Pin> = sources(netlist).into_iter().map(|(pin, _)| pin).collect();
        Vectors { rows: vec![Vec::new(); pins.len()], pins, count: 0 }
    }

    /// So many random vectors, the same for the same `seed`.
    ///
    /// Every port and register gets a number in two's complement: half of them of any bits, a
    /// quarter small, and a quarter one of 0, 1, -1 and the rails, so that what arithmetic does at
    /// its edges comes up.
    pub fn random(netlist: &Netlist, count: usize, seed: u64) -> Vectors {
        let mut vectors = Vectors::new(netlist);
        let mut random = Random::new(seed);
        let numbers = vectors.pins.chunk_by(|a, b| (a.kind, &a.name) == (b.kind, &b.name));
        let widths: Vec<usize> = numbers.map(<[Pin]>::len).collect();
        for _ in 0..count {
            let values: Vec<bool> =
                widths.iter().flat_map(|&width| number(&mut random, width)).collect();
            vectors.push_values(values);
        }
        vectors
    }

    /// Number of vectors.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The pins that a vector gives a value to: input ports, then registers.
    pub fn pins(&self) -> &[Pin] {
        &self.pins
    }

    /// Adds a vector: a value for each pin.
    pub fn push_values(&mut self, values: impl IntoIterator<Item = bool>) {
        let (word, lane) = (self.count / 64, self.count % 64);
        let mut values = values.into_iter();
        for row in &mut self.rows {
            row.resize(word + 1, 0);
            let value = values.next().expect("a value for each pin");
            row[word] = row[word] & !(1 << lane) | u64::from(value) << lane;
        }
        self.count += 1;
    }

    /// Adds a vector given as numbers by the names of ports and registers; what is not named is 0.
    pub fn push_numbers(&mut self, numbers: &[(PinKind, &str, u128)]) {
        let value = |pin: &Pin| {
            let named =
                numbers.iter().find(|(kind, name, _)| *kind == pin.kind && *name == pin.name);
            named.is_some_and(|(.., number)| pin.bit < 128 && number >> pin.bit & 1 == 1)
        };
        let values: Vec<bool> = self.pins.iter().map(value).collect();
        self.push_values(values);
    }

    /// Adds the vectors of `other`, which are for the same circuit.
    pub fn append(&mut self, other: &Vectors) {
        for vector in 0..other.len() {
            self.push_values((0..other.pins.len()).map(|pin| other.value(vector, pin)));
        }
    }

    /// The value of pin `pin` in vector `vector`.
    ///
    /// # Panics
    /// If there is no such pin or vector.
    pub fn value(&self, vector: usize, pin: usize) -> bool {
        assert!(vector < self.count, "there are {} vectors", self.count);
        self.rows[pin][vector / 64] >> (vector % 64) & 1 == 1
    }

    /// What vector `vector` gives a port or register, as an unsigned number; none if there is no
    /// such port or register, or if it has more than 128 bits.
    ///
    /// # Panics
    /// If there is no such vector.
    pub fn number(&self, vector: usize, kind: PinKind, name: &str) -> Option<u128> {
        let named = |&pin: &usize| self.pins[pin].kind == kind && self.pins[pin].name == name;
        let mut pins = (0..self.pins.len()).filter(named).peekable();
        pins.peek()?;
        pins.try_fold(0, |number, pin| {
            let (bit, value) = (self.pins[pin].bit, self.value(vector, pin));
            (bit < 128).then(|| number | u128::from(value) << bit)
        })
    }

    /// The vectors of these numbers, in this order.
    ///
    /// # Panics
    /// If there is no such vector.
    pub fn select(&self, vectors: &[usize]) -> Vectors {
        let mut selected =
            Vectors { rows: vec![Vec::new(); self.rows.len()], count: 0, ..self.clone() };
        for &vector in vectors {
            selected.push_values((0..self.pins.len()).map(|pin| self.value(vector, pin)));
        }
        selected
    }

    /// The values of each pin, one for each vector.
    pub(super) fn values(&self) -> PinValues {
        let row = |pin| (0..self.count).map(|vector| u8::from(self.value(vector, pin))).collect();
        self.pins.iter().cloned().enumerate().map(|(index, pin)| (pin, row(index))).collect()
    }

    /// Word `word` of the row of pin `pin`; 0 past the end.
    pub(super) fn word(&self, pin: usize, word: usize) -> u64 {
        self.rows[pin].get(word).copied().unwrap_or(0)
    }
}

/// A number of any kind in two's complement, lowest bit first.
fn number(random: &mut Random, width: usize) -> Vec<bool> {
    let kind = random.word();
    let (negative, bit) = (kind >> 8 & 1 == 1, (kind >> 16) as usize % width.max(1));
    let mut word = 0;
    let mut any = |index: usize| {
        if index.is_multiple_of(64) {
            word = random.word();
        }
        word >> (index % 64) & 1 == 1
    };
    let of_kind = |index: usize| match kind & 7 {
        0..4 => any(index),
        4 | 5 => {
            if index < bit {
                any(index)
            } else {
                negative
            }
        }
        6 => (index == 0 && kind >> 9 & 1 == 1) != negative,
        _ => (index + 1 == width) == negative,
    };
    (0..width).map(of_kind).collect()
}
