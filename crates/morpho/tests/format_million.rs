//! A million gates in each format, written and read: how long it takes.

use std::time::Instant;

use morpho::format::{self, Format, ReadOptions};
use morpho::{Builder, Bus, Lut, Netlist};

/// Gates of two to four inputs that read wires built shortly before, and a register in a hundred.
fn million() -> Netlist {
    const GATES: usize = 1_000_000;
    let mut seed = 1u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % below
    };
    Builder::build("million", |n| {
        let inputs = n.input("x", 64);
        let mut wires: Vec<Bus> = (0..64).map(|bit| inputs.bit(bit)).collect::<Result<_, _>>()?;
        let mut stored = Vec::new();
        for gate in 0..GATES {
            let mut pick = || wires[wires.len() - 1 - random(wires.len().min(1000))].clone();
            let picked: Vec<Bus> = (0..2 + gate % 3).map(|_| pick()).collect();
            let arguments: Vec<&Bus> = picked.iter().collect();
            let parity = Lut::from_fn(picked.len(), |row| row.count_ones() % 2 == 1);
            let lut =
                if gate % 2 == 0 { parity } else { Lut::from_fn(picked.len(), |row| row % 3 == 1) };
            let wire = n.lut(lut, &arguments)?;
            if gate % 100 == 0 {
                let register = n.reg("state", &Bus::constant(u64::from(gate % 200 == 0), 1));
                stored.push((register.clone(), wire));
                wires.push(register);
            } else {
                wires.push(wire);
            }
        }
        stored.iter().for_each(|(register, next)| n.drive(register, next));
        let last = wires.split_off(wires.len() - 64);
        n.output("y", &morpho::bus::cat(last));
        Ok(())
    })
    .expect("the circuit is sound")
}

/// Processor seconds of this thread so far; wall time where the system does not tell.
fn seconds(start: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |nanoseconds| nanoseconds * 1e-9)
}

/// Run with `cargo test -p morpho --test format_million -- --ignored --nocapture`.
#[test]
#[ignore = "it takes a minute"]
fn a_million_gates_are_written_and_read_in_seconds() {
    let netlist = million();
    assert_eq!(netlist.gates().count(), 1_000_000);
    let start = Instant::now();
    for format in
        [Format::Blif, Format::Verilog, Format::YosysJson, Format::Aiger, Format::AigerAscii]
    {
        let before = seconds(start);
        let bytes = format::to_bytes(&netlist, format);
        let written = seconds(start);
        let reading = format::read(&bytes, format, &ReadOptions::default());
        let reading = reading.unwrap_or_else(|problems| panic!("{format}: {problems}"));
        let read = seconds(start);
        println!(
            "{format:12} {:4} MB, written in {:.1} s, read in {:.1} s of processor time",
            bytes.len() / 1_000_000,
            written - before,
            read - written,
        );
        assert_eq!(reading.netlist.register_bits().count(), 10_000, "{format}");
        assert!(read - written < 30.0, "{format}");
    }
}
