//! Value change dumps: waveforms for GTKWave, Surfer and the like.
//!
//! The ports and registers of one lane are shown as vectors, step by step. A step lasts
//! [`STEP`] nanoseconds; the clock rises where a step after the first begins, and falls half way.
//! Bits that a register has lost are `x`. Source of the format: IEEE 1364-2005, clause 18.

use std::io::{self, Write};

use super::names::{Names, Signal};
use crate::netlist::{Netlist, Wire};

/// The length of a step in nanoseconds.
pub const STEP: u64 = 10;

/// Writes a dump as the steps go by.
///
/// ```
/// use morpho::{Builder, Wire, format::vcd};
///
/// let circuit = Builder::build("wire", |n| {
///     let x = n.input("x", 2);
///     n.output("y", &x);
///     Ok(())
/// })?;
/// let low: Wire = circuit.inputs()[0].wires[0];
/// let mut dump = vcd::Writer::new(&circuit, Vec::new())?;
/// dump.step(|wire| wire == low)?;
/// let text = String::from_utf8(dump.finish()?)?;
/// assert!(text.ends_with("#0\nb01 !\nb01 \"\n#10\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Writer<W: Write> {
    out: W,
    clock: Option<Code>,
    tracks: Vec<Track>,
    steps: u64,
}

/// One waveform.
struct Track {
    code: Code,
    /// The wires, highest first; `None` for a bit that the register has lost.
    wires: Vec<Option<Wire>>,
    /// The digits last written.
    shown: String,
}

/// The short name of a variable in the file.
#[derive(Clone, Copy)]
struct Code(usize);

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use std::fmt::Write as _;
        let mut rest = self.0;
        loop {
            f.write_char((b'!' + (rest % 94) as u8) as char)?;
            match rest / 94 {
                0 => return Ok(()),
                more => rest = more - 1,
            }
        }
    }
}

impl<W: Write> Writer<W> {
    /// Begins a dump of `netlist`; many small writes, so `out` should have a buffer.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn new(netlist: &Netlist, mut out: W) -> io::Result<Writer<W>> {
        let names = Names::new(netlist, |c| c.is_ascii_graphic());
        writeln!(out, "$timescale 1 ns $end\n$scope module {} $end", names.model)?;
        let clock = names.clock.as_ref().map(|_| Code(0));
        if let (Some(code), Some(name)) = (clock, &names.clock) {
            writeln!(out, "$var wire 1 {code} {name} $end")?;
        }
        let codes = (clock.iter().len()..).map(Code);
        let mut tracks: Vec<Track> = Vec::new();
        let kinds = [("wire", &names.inputs), ("wire", &names.outputs), ("reg", &names.registers)];
        let signals =
            kinds.iter().flat_map(|(kind, signals)| signals.iter().map(move |s| (kind, s)));
        let shown = signals.filter(|(_, signal)| !signal.bits.is_empty());
        for (code, (kind, signal)) in std::iter::zip(codes, shown) {
            let track = Track::new(code, signal);
            let width = track.wires.len();
            writeln!(out, "$var {kind} {width} {code} {} $end", reference(signal))?;
            tracks.push(track);
        }
        writeln!(out, "$upscope $end\n$enddefinitions $end")?;
        Ok(Writer { out, clock, tracks, steps: 0 })
    }

    /// Adds a step: `value` gives what each wire carries in it, before the clock edge that ends it.
    /// It is asked for wires of ports and registers only.
    ///
    /// # Errors
    /// What the output reports.
    pub fn step(&mut self, value: impl Fn(Wire) -> bool) -> io::Result<()> {
        let begin = self.steps * STEP;
        writeln!(self.out, "#{begin}")?;
        let rises = self.steps > 0;
        if let Some(clock) = self.clock {
            writeln!(self.out, "{}{clock}", rises as u8)?;
        }
        for track in &mut self.tracks {
            track.write(&value, &mut self.out)?;
        }
        if let Some(clock) = self.clock.filter(|_| rises) {
            writeln!(self.out, "#{}\n0{clock}", begin + STEP / 2)?;
        }
        self.steps += 1;
        Ok(())
    }

    /// Ends the dump at the end of the last step and gives the output back.
    ///
    /// # Errors
    /// What the output reports.
    pub fn finish(mut self) -> io::Result<W> {
        writeln!(self.out, "#{}", self.steps * STEP)?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// The name of a variable, with its range if it is a vector.
fn reference(signal: &Signal) -> String {
    match signal.span() {
        Some((low, high)) if !signal.is_scalar() => format!("{} [{high}:{low}]", signal.name),
        _ => signal.name.clone(),
    }
}

impl Track {
    fn new(code: Code, signal: &Signal) -> Track {
        let (low, high) = signal.span().expect("a waveform has bits");
        let mut wires = vec![None; high + 1 - low];
        for &(bit, wire) in &signal.bits {
            wires[high - bit] = Some(wire);
        }
        Track { code, wires, shown: String::new() }
    }

    /// Writes the value if it is not the one last written.
    fn write(&mut self, value: impl Fn(Wire) -> bool, out: &mut impl Write) -> io::Result<()> {
        let digit =
            |wire: &Option<Wire>| wire.map_or('x', |wire| if value(wire) { '1' } else { '0' });
        let digits: String = self.wires.iter().map(digit).collect();
        if digits == self.shown {
            return Ok(());
        }
        match self.wires.len() {
            1 => writeln!(out, "{digits}{}", self.code)?,
            _ => writeln!(out, "b{digits} {}", self.code)?,
        }
        self.shown = digits;
        Ok(())
    }
}
