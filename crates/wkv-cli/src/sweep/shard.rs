//! A part of the documents, for one of several machines.

use std::fmt;
use std::str::FromStr;

use crate::failure::Failure;

/// Every `count`-th document, from the `number`-th on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 1 to `count`.
    number: usize,
    count: usize,
}

impl Shard {
    /// All documents.
    pub const WHOLE: Self = Self { number: 1, count: 1 };

    /// The places, from 0, of its documents among `documents`.
    ///
    /// # Errors
    /// If a shard of so many has no document.
    pub fn places(self, documents: usize) -> Result<impl Iterator<Item = usize>, Failure> {
        match self.count <= documents {
            true => Ok((self.number - 1..documents).step_by(self.count)),
            false => Err(Failure::input(format!(
                "--shard {self}: the text has {documents} documents or sequences; expected at \
                 most as many shards"
            ))),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

impl FromStr for Shard {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let numbers = text.split_once('/').and_then(|(number, count)| {
            Some(Self { number: number.parse().ok()?, count: count.parse().ok()? })
        });
        match numbers {
            Some(shard) if (1..=shard.count).contains(&shard.number) => Ok(shard),
            _ => Err("expected I/N, shard I of N, counted from 1: 1/4, 2/4, 3/4, 4/4"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_take_every_document_once() {
        let places = |text: &str, documents| -> Vec<usize> {
            text.parse::<Shard>().expect(text).places(documents).expect(text).collect()
        };
        assert_eq!(places("1/3", 8), [0, 3, 6]);
        assert_eq!(places("2/3", 8), [1, 4, 7]);
        assert_eq!(places("3/3", 8), [2, 5]);
        assert_eq!(places("1/1", 2), [0, 1]);
        assert!("4/4".parse::<Shard>().expect("a shard").places(3).is_err());
        for text in ["0/0", "0/2", "3/2", "1", "1/", "/1", "-1/2", "1/2/3", "a/b", ""] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
