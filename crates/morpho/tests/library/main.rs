//! Every cell of the library against arithmetic on plain numbers.

#[path = "../common/mod.rs"]
mod common;

mod adder;
mod carry_save;
mod compare;
mod divider;
mod growing;
mod multiplier;
mod mux;
mod negate;
mod reduce;
mod saturate;
mod sequential;
mod shifter;
mod table;
