//! What several test files share. Each uses only a part.
#![allow(dead_code)]

pub mod golden;
pub mod mutation;
pub mod strategies;
pub mod turns;
