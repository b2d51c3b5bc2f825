//! Proofs about circuits.

#[path = "../common/mod.rs"]
mod common;

mod equivalence;
mod exhaust;
mod faults;
mod matching;
mod operators;
mod windows;
