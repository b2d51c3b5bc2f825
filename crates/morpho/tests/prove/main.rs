//! Proofs about circuits.

#[path = "../common/mod.rs"]
mod common;

mod equivalence;
mod faults;
mod operators;
mod windows;
