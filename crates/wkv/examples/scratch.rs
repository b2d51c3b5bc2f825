#![allow(missing_docs)]
use morpho::format::{Format, ReadOptions, read};
use morpho::prove::{Equivalence, Limits, quiet};
use std::time::Duration;
use wkv::circuit::{Unit, build};
#[allow(missing_docs)]
fn main() {
    let bytes = std::fs::read("../shared/golden/netlists/wkv_cell.blif").unwrap();
    let text = String::from_utf8(bytes).unwrap();
    // rename ports and registers
    let mut t = text
        .replace("kq_", "k_")
        .replace("vq_", "v_")
        .replace("uq_", "u_")
        .replace("wq_", "w_")
        .replace("wkv_1", "out_1");
    for i in 0..16 {
        t = t.replace(&format!(" wkv_{i}"), &format!(" out_{i}"));
        t = t.replace(&format!("\nwkv_{i}"), &format!("\nout_{i}"));
    }
    for r in (66..114).rev() {
        let name = ["aa", "bb", "pp"][(r - 66) / 16];
        let b = (r - 66) % 16;
        t =
            t.split('\n')
                .map(|l| {
                    l.split(' ')
                        .map(|w| {
                            if w == format!("r{r}") { format!("{name}_{b}") } else { w.to_string() }
                        })
                        .collect::<Vec<_>>()
                        .join(" ")
                })
                .collect::<Vec<_>>()
                .join("\n");
    }
    let reading = read(t.as_bytes(), Format::Blif, &ReadOptions::default()).unwrap();
    let theirs = reading.netlist;
    for w in &reading.warnings {
        println!("{w:?}");
    }
    println!("{:?}", theirs.inputs().iter().map(|p| (&p.name, p.wires.len())).collect::<Vec<_>>());
    println!(
        "{:?}",
        theirs
            .registers()
            .iter()
            .map(|p| (&p.name, p.bits.len(), p.bits.iter().map(|b| b.initial).collect::<Vec<_>>()))
            .collect::<Vec<_>>()
    );
    let spec = std::env::args().nth(1).unwrap_or("classic:q8.8".into()).parse().unwrap();
    let ours = build(&spec, Unit::Cell).unwrap();
    let secs: u64 = std::env::args().nth(2).unwrap_or("60".into()).parse().unwrap();
    let limits = Limits {
        time: Duration::from_secs(secs),
        conflicts_per_pair: std::env::args().nth(3).map_or(100, |s| s.parse().unwrap()),
        ..Limits::default()
    };
    println!("gates {} {}", ours.gates().count(), theirs.gates().count());
    let tie = |n: &morpho::Netlist| {
        let r = n.registers().iter().find(|r| r.name == "bb").unwrap();
        match r.bits.iter().find(|b| b.index == 15) {
            Some(b) => morpho::prove::Change::Stuck { wire: b.output, value: false }.apply(n),
            None => n.clone(),
        }
    };
    let theirs = tie(&theirs);
    let ours = tie(&ours);
    for (name, other) in [("cell", &ours)] {
        let claim = Equivalence::new(&theirs, other).unwrap();
        let cuts: Vec<morpho::prove::Cut> = Vec::new();
        let proof = cuts.into_iter().fold(claim, Equivalence::cut).limits(limits).prove(&quiet);
        println!("{name} {:?}", proof.effort);
        match proof.verdict {
            morpho::prove::Verdict::Undecided { open, reason } => println!(
                "open {} {reason:?} {}",
                open.len(),
                open.iter().map(|p| p.to_string()).collect::<Vec<_>>().join(" ")
            ),
            morpho::prove::Verdict::Equal => println!("EQUAL"),
            morpho::prove::Verdict::Different(c) => println!("DIFF {}", c.output),
        }
    }
}
