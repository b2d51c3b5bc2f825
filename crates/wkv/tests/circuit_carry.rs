//! The cell for carry chains: the golden streams and the integer model, and its text in Icarus
//! Verilog. That part is skipped where `iverilog` is not on the PATH.

mod common;

use std::sync::Arc;

use common::golden;
use morpho::prove::{Limits, Verdict, operators, quiet};
use morpho::random::Random;
use morpho::sim::{Program, Simulator};
use wkv::WkvSpec;
use wkv::circuit::{Style, Unit, build_in};
use wkv::fixed::{Model, State};
