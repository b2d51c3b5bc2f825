//! The waveform of one channel of the cell.

use std::collections::HashMap;
use std::io::{self, Write};

use morpho::format::vcd;
use morpho::{Netlist, Wire};
use wkv::WkvSpec;
use wkv::circuit::gates::Gates;
use wkv::circuit::{Unit, build};

/// The raw numbers of one channel.
pub struct Channel<'a> {
    /// Keys, one a token.
    pub k: &'a [i32],
    /// Values, one a token.
    pub v: &'a [i32],
    /// The bonus.
    pub u: i32,
    /// The decay.
    pub w: i32,
}

/// The ports and registers of the cell, in the order in which [`write()`] lists their numbers.
const SIGNALS: [&str; 8] = ["k", "v", "u", "w", "out", "aa", "bb", "pp"];

/// Runs `channel` through the gates of `spec`, and writes ports and registers over time to `out`
/// as a value change dump.
pub fn write(spec: &WkvSpec, gates: &Gates, channel: &Channel, out: impl Write) -> io::Result<()> {
    let cell = build(spec, Unit::Cell).expect("every spec has a cell");
    let wires = wires(&cell);
    let &Channel { k, v, u, w } = channel;
    let mut bank = gates.raw_bank(&[u], &[w]);
    let mut dump = vcd::Writer::new(&cell, out)?;
    for (&k, &v) in std::iter::zip(k, v) {
        // What the registers carry before the clock edge.
        let state = bank.states()[0];
        let output = bank.step_raw(&[k], &[v])[0];
        let numbers = [k, v, u, w, output, state.aa, state.bb, state.pp];
        dump.step(|wire| {
            let (signal, bit) = wires[&wire];
            numbers[signal] >> bit & 1 == 1
        })?;
    }
    dump.finish().map(|_| ())
}

/// The signal and bit that each wire of a port or register carries.
fn wires(cell: &Netlist) -> HashMap<Wire, (usize, usize)> {
    let signal =
        |name: &str| SIGNALS.iter().position(|&known| known == name).expect("a known name");
    let ports = cell.inputs().iter().chain(cell.outputs()).flat_map(|port| {
        let wires = port.wires.iter().enumerate();
        wires.map(move |(bit, &wire)| (wire, (signal(&port.name), bit)))
    });
    let registers = cell.registers().iter().flat_map(|register| {
        let bits = register.bits.iter();
        bits.map(move |bit| (bit.output, (signal(&register.name), bit.index)))
    });
    ports.chain(registers).collect()
}
