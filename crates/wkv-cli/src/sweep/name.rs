//! The name of an arm: an arithmetic and what computes it.

use std::fmt;

use serde::{Deserialize, Serialize};
use wkv::Arithmetic;

use crate::engine::Engine;

/// An arithmetic and what computes it. As text `classic:q8.8` for the integer model, and
/// `classic:q8.8@gates` for the gates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ArmName {
    /// The arithmetic.
    pub spec: Arithmetic,
    /// What computes it.
    pub engine: Engine,
}

impl ArmName {
    /// An arithmetic that its usual engine computes.
    pub fn usual(spec: Arithmetic) -> Self {
        Self { spec, engine: Engine::of(spec) }
    }
}

impl fmt::Display for ArmName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.engine {
            Engine::Float | Engine::Fixed => self.spec.fmt(f),
            Engine::Gates => write!(f, "{}@gates", self.spec),
        }
    }
}
